// From a plan to the values that a module's files show: regions in heliaAOT's order, tensors at
// their places, and the constants' bytes where each arena has them. A plan's own numbers of regions
// hold where they are 0, 1, 2 and so on, because C has tables by them.
#include "memsize/emit/module.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/plan/diff_plans.hpp"

#include "modules/module_sections.hpp"
#include "plans/c_names.hpp"
#include "plans/plan_view.hpp"
#include "plans/plan_writers.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using board::SectionHolds;
using core::Code;
using model::Lifetime;

// What is listed in one message; the rest is counted.
constexpr std::size_t kListedIds = 8;
// What templates/module-header has beside the names of arenas and tensors, and behind each arena's.
constexpr auto kHeaderNames = std::to_array<const char*>({"arena_alignments",
                                                          "arena_region",
                                                          "arena_region_t",
                                                          "arena_sizes",
                                                          "tensor_data",
                                                          "tensor_t",
                                                          "tensor_view",
                                                          "tensor_view_t"});
constexpr auto kArenaEndings = std::to_array<const char*>({"_alignment", "_buffer", "_size"});

std::string lower_name(const std::string& prefix, const std::string& part) {
  return fmt::format("{}_{}", prefix, core::to_lower(part));
}

bool is_staged(const model::PlannedArena& arena) {
  return arena.role == Lifetime::kConstant && !arena.source_memory.empty() &&
         arena.source_memory != arena.memory;
}

class ModuleMaker {
 public:
  ModuleMaker(const board::MemorySet& part, const ModuleOptions& options) : options_(options) {
    module_.prefix = options.prefix;
    module_.origin = options.origin;
    module_.part = part;
    module_.is_external = options.is_external;
    module_.has_data = options.constants.has_value();
    for (const char* name : kHeaderNames) {
      (void)names_.take(lower_name(options.prefix, name));
    }
  }

  core::Result<Module> make(model::PlanReport plan) {
    number_regions(plan);
    PlanView view = view_of(plan);
    module_.planner =
        plan.planner.empty() ? std::string{"nobody says who"} : core::printable(plan.planner, 80);
    module_.envelope_hash = envelope_hash(view);
    module_.layout_hash = plan::layout_hash(plan);
    module_.residency = plan_residency(plan, options_.prefix);
    if (plan.blocks.empty()) {
      wrong(Code::kPlanUnplanned, "the plan has no tensors", {}, "name the report that has them");
    }
    std::ranges::stable_sort(
        view.arenas, {}, [](const ArenaView& each) { return each.arena.region_id; });
    for (const ArenaView& arena : view.arenas) {
      add_arena(plan, arena);
    }
    add_tensors(plan, view);
    add_operators(plan.network);
    add_bytes(plan);
    if (!errors_.empty()) {
      return tl::make_unexpected(std::move(errors_));
    }
    return std::move(module_);
  }

 private:
  void wrong(Code code, std::string message, core::Place place, std::string hint) {
    errors_.push_back(core::error(code, std::move(message), std::move(place), std::move(hint)));
  }

  // Those of the plan, or else by role and memory, as the view has them; without arenas that
  // nothing is in.
  static void number_regions(model::PlanReport& plan) {
    const PlanView view = view_of(plan);
    plan.arenas.clear();
    for (const ArenaView& each : view.arenas) {
      if (each.blocks != 0 || reserved(each).value_or(0) != 0) {
        plan.arenas.push_back(each.arena);
      }
    }
    std::ranges::stable_sort(plan.arenas, {}, [](const model::PlannedArena& arena) {
      return arena.region_id.value_or(0);
    });
    bool is_dense = true;
    for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
      is_dense = is_dense && plan.arenas[i].region_id == i;
    }
    if (is_dense) {
      return;
    }
    for (model::PlannedArena& arena : plan.arenas) {
      arena.region_id.reset();
    }
    const PlanView sorted = view_of(plan);
    plan.arenas.clear();
    for (const ArenaView& each : sorted.arenas) {
      plan.arenas.push_back(each.arena);
      plan.arenas.back().region_id = plan.arenas.size() - 1;
    }
  }

  void add_arena(const model::PlanReport& plan, const ArenaView& view) {
    const model::PlannedArena& planned = view.arena;
    ModuleArena arena{.name = names_.take(lower_name(options_.prefix, arena_part(planned))),
                      .role = planned.role,
                      .memory = core::to_lower(planned.memory),
                      .is_own = !options_.is_external,
                      .tensors = view.blocks};
    for (const char* ending : kArenaEndings) {
      (void)names_.take(arena.name + ending);
    }
    // C has no arrays of nothing.
    arena.size = core::Bytes{std::max<std::uint64_t>(reserved(view).value_or(0), 1)};
    const board::PartMemory* memory = find_memory(module_.part, arena.memory);
    if (memory == nullptr) {
      wrong(
          Code::kPlanMemory,
          fmt::format(
              "part '{}' has no memory '{}'", module_.part.name, core::printable(arena.memory, 60)),
          {},
          fmt::format("plan for it: memsize plan REPORT --board {}", module_.part.name));
      return;
    }
    arena.alignment = std::max(planned.alignment.value_or(kByte), memory->arena_alignment);
    for (const PlacedBlock& placed : view.placed) {
      arena.alignment = std::max(arena.alignment, placed.block->alignment.value_or(kByte));
    }
    if (is_staged(planned)) {
      arena.source_memory = core::to_lower(planned.source_memory);
      const auto* known =
          core::find_in(plan.memories, planned.source_memory, &model::PlannedMemory::name);
      arena.source_alignment =
          std::max(arena.alignment, known == nullptr ? kByte : known->alignment.value_or(kByte));
      const board::PartMemory* source = find_memory(module_.part, arena.source_memory);
      arena.has_source = source != nullptr && !source->writable &&
                         section_for(*source, SectionHolds::kConstant, kGcc) != nullptr;
    }
    const SectionHolds holds = holds_of(arena, *memory);
    if (arena.is_own && section_for(*memory, holds, kGcc) == nullptr) {
      wrong(Code::kEmitSections,
            fmt::format("'{}' lies in {}, where the linker scripts of {} have no section for {} "
                        "data",
                        arena.name,
                        arena.memory,
                        module_.part.name,
                        board::name_of(holds)),
            {},
            "an application that sets the memory up binds a buffer in it: --external");
    }
    module_.arenas.push_back(std::move(arena));
  }

  void add_tensors(const model::PlanReport& plan, const PlanView& view) {
    std::unordered_map<const model::PlannedBlock*, const PlacedBlock*> placed;
    for (const ArenaView& arena : view.arenas) {
      for (const PlacedBlock& each : arena.placed) {
        placed[each.block] = &each;
      }
    }
    std::unordered_map<std::string_view, const model::NetworkTensor*> elements;
    for (const model::NetworkTensor& tensor : plan.network.tensors) {
      elements.emplace(tensor.id, &tensor);
    }
    std::unordered_map<const model::PlannedBlock*, std::size_t> numbers;
    for (const model::PlannedBlock& block : plan.blocks) {
      numbers[&block] = numbers.size();
    }
    const auto roots = model::roots_of(plan.blocks);
    std::vector<std::string> unplaced;
    for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
      const model::PlannedBlock& block = plan.blocks[i];
      const auto found = placed.find(&block);
      if (found == placed.end()) {
        unplaced.push_back(core::printable(block.id, 40));
        continue;
      }
      const PlacedBlock& place = *found->second;
      module_.tensors.push_back(
          {.id = block.id,
           .name = names_.take(lower_name(options_.prefix, "TENSOR_" + identifier_part(block.id))),
           .note = note_of(place) + in_words(core::value_in(elements, std::string_view{block.id})),
           .arena = arena_of(plan, block),
           .offset = core::Bytes{place.offset},
           .size = core::Bytes{place.size},
           .live = block.windows.empty() ? block.live : std::nullopt,
           .root = roots[i] == nullptr ? i : numbers.at(roots[i]),
           .is_input = block.is_input,
           .is_output = block.is_output});
    }
    if (!unplaced.empty()) {
      wrong(Code::kPlanUnplanned,
            fmt::format("{} no place in the plan: {}",
                        unplaced.size() == 1 ? "a tensor has"
                                             : core::plural(unplaced.size(), "tensor") + " have",
                        listed(unplaced)),
            {plan.path},
            "plan them: memsize plan says what does not fit");
    }
  }

  // ", int8 1x49x10x1"; empty: no report says.
  static std::string in_words(const model::NetworkTensor* const* tensor) {
    if (tensor == nullptr || ((*tensor)->type.empty() && (*tensor)->shape.empty())) {
      return {};
    }
    return fmt::format(", {}{}{}",
                       core::printable((*tensor)->type, 20),
                       (*tensor)->shape.empty() ? "" : " ",
                       fmt::join((*tensor)->shape, "x"));
  }

  void add_operators(const model::Network& network) {
    const auto list = [](const char* what, const std::vector<std::string>& ids) {
      return ids.empty()
                 ? std::string{}
                 : fmt::format("; {} {}", what, core::printable(core::join(ids, ", "), 200));
    };
    // The compiler's numbers, where each has one.
    const bool has_numbers = std::ranges::all_of(network.operators, [](const auto& each) {
      const auto number = core::parse_address(each.id);
      return number && *number <= INT32_MAX;
    });
    for (const model::Operator& each : network.operators) {
      const auto place = static_cast<std::int64_t>(module_.operators.size());
      module_.operators.push_back(
          {.name = names_.take(lower_name(options_.prefix, "OPERATOR_" + identifier_part(each.id))),
           .number = has_numbers
                         ? static_cast<std::int64_t>(core::parse_address(each.id).value_or(0))
                         : place,
           .note = core::printable(each.kind.empty() ? "operator" : each.kind, 60) +
                   list("reads", each.reads) + list("writes", each.writes) +
                   list("with", core::texts_of(each.attributes, [](const auto& attribute) {
                          return fmt::format("{} {}", attribute.first, attribute.second);
                        }))});
    }
  }

  static std::string note_of(const PlacedBlock& placed) {
    const model::PlannedBlock& block = *placed.block;
    std::string note = block.name.empty() || block.name == block.id
                           ? std::string{}
                           : core::printable(block.name, 80) + ", ";
    note += fmt::format("{}, {}", model::name_of(block.role), steps_in_words(placed));
    return placed.alias ? note + ", in the bytes of " + core::printable(block.alias_of, 80) : note;
  }

  static std::size_t arena_of(const model::PlanReport& plan, const model::PlannedBlock& block) {
    const auto found = std::ranges::find_if(plan.arenas, [&](const model::PlannedArena& arena) {
      return arena.memory == block.memory && arena.role == block.role;
    });
    return static_cast<std::size_t>(found - plan.arenas.begin());
  }

  static std::string listed(const std::vector<std::string>& ids) {
    const std::size_t shown = std::min(ids.size(), kListedIds);
    const std::string list =
        core::join({ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(shown)}, ", ");
    return shown == ids.size() ? list : fmt::format("{} and {} more", list, ids.size() - shown);
  }

  void add_bytes(const model::PlanReport& plan) {
    if (!errors_.empty()) {
      return;
    }
    for (ModuleArena& arena : module_.arenas) {
      if (arena.role == Lifetime::kConstant) {
        arena.bytes.assign(arena.size.count(), '\0');
      }
    }
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < module_.tensors.size(); ++i) {
      const ModuleTensor& tensor = module_.tensors[i];
      ModuleArena& arena = module_.arenas[tensor.arena];
      if (arena.role != Lifetime::kConstant || tensor.root != i || !options_.constants) {
        continue;
      }
      const auto data = options_.constants->find(tensor.id);
      if (data == options_.constants->end()) {
        missing.push_back(core::printable(tensor.id, 40));
      } else if (data->second.size() != tensor.size.count()) {
        wrong(Code::kEmitData,
              fmt::format("constant '{}' has {} in the plan and {} in the data",
                          core::printable(tensor.id, 40),
                          core::format_bytes(tensor.size),
                          core::format_bytes(core::Bytes{data->second.size()})),
              {plan.path},
              "is the plan of this model?");
      } else if (tensor.offset + tensor.size <= arena.size) {
        std::ranges::copy(data->second,
                          arena.bytes.begin() + static_cast<std::ptrdiff_t>(tensor.offset.count()));
      }
    }
    if (!missing.empty()) {
      wrong(Code::kEmitData,
            fmt::format("the data have no bytes of {}: {}",
                        core::plural(missing.size(), "constant"),
                        listed(missing)),
            {plan.path},
            "a folder has them as ID.bin or ID.npy; without --data they are zeros");
    }
  }

  static constexpr core::Align kByte{};

  const ModuleOptions& options_;
  Module module_;
  UniqueNames names_;
  core::Diagnostics errors_;
};

}  // namespace

core::Result<Module> make_module(const model::PlanReport& plan,
                                 const board::MemorySet& part,
                                 const ModuleOptions& options) {
  return ModuleMaker{part, options}.make(plan);
}

}  // namespace memsize::emit
