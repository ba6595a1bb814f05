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
#include <iterator>
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

bool is_staged(const model::PlannedArena& arena) {
  return arena.role == Lifetime::kConstant && !arena.source_memory.empty() &&
         arena.source_memory != arena.memory;
}

constexpr core::Align kByte{};

// The names that a module has in C, each behind its prefix.
class ModuleNames {
 public:
  explicit ModuleNames(const std::string& prefix) : prefix_(prefix) {
    for (const char* name : kHeaderNames) {
      (void)take(name);
    }
  }

  [[nodiscard]] std::string take(const std::string& part) {
    return names_.take(fmt::format("{}_{}", prefix_, core::to_lower(part)));
  }

  // With those that the header derives from it.
  [[nodiscard]] std::string take_arena(const std::string& part) {
    std::string name = take(part);
    for (const char* ending : kArenaEndings) {
      (void)names_.take(name + ending);
    }
    return name;
  }

 private:
  const std::string& prefix_;
  UniqueNames names_;
};

// Those of the plan, or else by role and memory, as the view has them; without arenas that
// nothing is in.
void number_regions(model::PlanReport& plan) {
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

core::Result<ModuleArena> module_arena(const model::PlanReport& plan,
                                       const ArenaView& view,
                                       const board::MemorySet& part,
                                       bool is_external,
                                       ModuleNames& names) {
  const model::PlannedArena& planned = view.arena;
  ModuleArena arena{.name = names.take_arena(arena_part(planned)),
                    .role = planned.role,
                    .memory = core::to_lower(planned.memory),
                    .is_own = !is_external,
                    .tensors = view.blocks};
  // C has no arrays of nothing.
  arena.size = core::Bytes{std::max<std::uint64_t>(reserved(view).value_or(0), 1)};
  const board::PartMemory* memory = find_memory(part, arena.memory);
  if (memory == nullptr) {
    return core::fail(
        core::error(
            Code::kPlanMemory,
            fmt::format(
                "part '{}' has no memory '{}'", part.name, core::printable(planned.memory, 60)),
            {plan.path},
            fmt::format(
                "memsize plan REPORT --board {} --json -o PLAN places the blocks in its memories",
                core::shell_path(part.name)))
            .about({{"memory", planned.memory}}));
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
    const board::PartMemory* source = find_memory(part, arena.source_memory);
    arena.has_source = source != nullptr && !source->writable &&
                       section_for(*source, SectionHolds::kConstant, kGcc) != nullptr;
  }
  const SectionHolds holds = holds_of(arena, *memory);
  if (arena.is_own && section_for(*memory, holds, kGcc) == nullptr) {
    return core::fail(core::error(
        Code::kEmitSections,
        fmt::format("'{}' lies in {}, where the linker scripts of {} have no section for {} "
                    "data",
                    arena.name,
                    arena.memory,
                    part.name,
                    board::name_of(holds)),
        {},
        "an application that sets the memory up binds a buffer in it: --external"));
  }
  return arena;
}

// ", int8 1x49x10x1"; empty: no report says.
std::string in_words(const model::NetworkTensor* const* tensor) {
  if (tensor == nullptr || ((*tensor)->type.empty() && (*tensor)->shape.empty())) {
    return {};
  }
  return fmt::format(", {}{}{}",
                     core::printable((*tensor)->type, 20),
                     (*tensor)->shape.empty() ? "" : " ",
                     fmt::join((*tensor)->shape, "x"));
}

std::string tensor_note(const PlacedBlock& placed) {
  const model::PlannedBlock& block = *placed.block;
  std::string note = block.name.empty() || block.name == block.id
                         ? std::string{}
                         : core::printable(block.name, 80) + ", ";
  note += fmt::format("{}, {}", model::name_of(block.role), steps_in_words(placed));
  return placed.alias ? note + ", in the bytes of " + core::printable(block.alias_of, 80) : note;
}

std::size_t arena_index(const model::PlanReport& plan, const model::PlannedBlock& block) {
  const auto found = std::ranges::find_if(plan.arenas, [&](const model::PlannedArena& arena) {
    return arena.memory == block.memory && arena.role == block.role;
  });
  return static_cast<std::size_t>(found - plan.arenas.begin());
}

std::string listed(const std::vector<std::string>& ids) {
  const std::size_t shown = std::min(ids.size(), kListedIds);
  const std::string list =
      core::join({ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(shown)}, ", ");
  return shown == ids.size() ? list : fmt::format("{} and {} more", list, ids.size() - shown);
}

core::Result<std::vector<ModuleTensor>> tensors_of(const model::PlanReport& plan,
                                                   const PlanView& view,
                                                   ModuleNames& names) {
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
  std::vector<ModuleTensor> tensors;
  std::vector<std::string> unplaced;
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    const model::PlannedBlock& block = plan.blocks[i];
    const auto found = placed.find(&block);
    if (found == placed.end()) {
      unplaced.push_back(core::printable(block.id, 40));
      continue;
    }
    const PlacedBlock& place = *found->second;
    tensors.push_back({.id = block.id,
                       .name = names.take("TENSOR_" + identifier_part(block.id)),
                       .note = tensor_note(place) +
                               in_words(core::value_in(elements, std::string_view{block.id})),
                       .arena = arena_index(plan, block),
                       .offset = core::Bytes{place.offset},
                       .size = core::Bytes{place.size},
                       .live = block.windows.empty() ? block.live : std::nullopt,
                       .root = roots[i] == nullptr ? i : numbers.at(roots[i]),
                       .is_input = block.is_input,
                       .is_output = block.is_output});
  }
  if (!unplaced.empty()) {
    return core::fail(core::error(
        Code::kPlanUnplanned,
        fmt::format("{} no place in the plan: {}",
                    unplaced.size() == 1 ? "a tensor has"
                                         : core::plural(unplaced.size(), "tensor") + " have",
                    listed(unplaced)),
        {plan.path},
        "plan them: memsize plan says what does not fit"));
  }
  return tensors;
}

std::vector<ModuleOperator> operators_of(const model::Network& network, ModuleNames& names) {
  const auto list = [](const char* what, const std::vector<std::string>& ids) {
    return ids.empty() ? std::string{}
                       : fmt::format("; {} {}", what, core::printable(core::join(ids, ", "), 200));
  };
  // The compiler's numbers, where each has one.
  const bool has_numbers = std::ranges::all_of(network.operators, [](const auto& each) {
    const auto number = core::parse_address(each.id);
    return number && *number <= INT32_MAX;
  });
  std::vector<ModuleOperator> operators;
  for (const model::Operator& each : network.operators) {
    const auto place = static_cast<std::int64_t>(operators.size());
    operators.push_back(
        {.name = names.take("OPERATOR_" + identifier_part(each.id)),
         .number = has_numbers ? static_cast<std::int64_t>(core::parse_address(each.id).value_or(0))
                               : place,
         .note = core::printable(each.kind.empty() ? "operator" : each.kind, 60) +
                 list("reads", each.reads) + list("writes", each.writes) +
                 list("with", core::texts_of(each.attributes, [](const auto& attribute) {
                        return fmt::format("{} {}", attribute.first, attribute.second);
                      }))});
  }
  return operators;
}

// The constants' bytes, where their arenas have them.
core::Diagnostics fill_constants(std::vector<ModuleArena>& arenas,
                                 const std::vector<ModuleTensor>& tensors,
                                 const ConstantBytes* constants,
                                 const std::string& path) {
  for (ModuleArena& arena : arenas) {
    if (arena.role == Lifetime::kConstant) {
      arena.bytes.assign(arena.size.count(), '\0');
    }
  }
  core::Diagnostics errors;
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const ModuleTensor& tensor = tensors[i];
    ModuleArena& arena = arenas[tensor.arena];
    if (arena.role != Lifetime::kConstant || tensor.root != i || constants == nullptr) {
      continue;
    }
    const auto data = constants->find(tensor.id);
    if (data == constants->end()) {
      missing.push_back(core::printable(tensor.id, 40));
    } else if (data->second.size() != tensor.size.count()) {
      errors.push_back(
          core::error(Code::kEmitData,
                      fmt::format("constant '{}' has {} in the plan and {} in the data",
                                  core::printable(tensor.id, 40),
                                  core::format_bytes(tensor.size),
                                  core::format_bytes(core::Bytes{data->second.size()})),
                      {path},
                      "is the plan of this model?"));
    } else if (tensor.offset + tensor.size <= arena.size) {
      std::ranges::copy(data->second,
                        arena.bytes.begin() + static_cast<std::ptrdiff_t>(tensor.offset.count()));
    }
  }
  if (!missing.empty()) {
    errors.push_back(
        core::error(Code::kEmitData,
                    fmt::format("the data have no bytes of {}: {}",
                                core::plural(missing.size(), "constant"),
                                listed(missing)),
                    {path},
                    "a folder has them as ID.bin or ID.npy; without --data they are zeros"));
  }
  return errors;
}

}  // namespace

core::Result<Module> make_module(const model::PlanReport& planned,
                                 const board::MemorySet& part,
                                 const ModuleOptions& options) {
  model::PlanReport plan = planned;
  number_regions(plan);
  PlanView view = view_of(plan);
  Module module{.prefix = options.prefix,
                .planner = plan.planner.empty() ? std::string{"nobody says who"}
                                                : core::printable(plan.planner, 80),
                .origin = options.origin,
                .part = part,
                .envelope_hash = envelope_hash(view),
                .layout_hash = plan::layout_hash(plan),
                .residency = plan_residency(plan, options.prefix),
                .is_external = options.is_external,
                .has_data = options.constants.has_value()};
  core::Diagnostics errors;
  const auto keep = [&](const core::Diagnostics& found) {
    // Several arenas may be in a memory that is not there.
    std::ranges::copy_if(found, std::back_inserter(errors), [&](const core::Diagnostic& each) {
      return !core::is_told(errors, each);
    });
  };
  if (plan.blocks.empty()) {
    errors.push_back(core::error(
        Code::kPlanUnplanned, "the plan has no tensors", {}, "name the report that has them"));
  }
  std::ranges::stable_sort(
      view.arenas, {}, [](const ArenaView& each) { return each.arena.region_id; });
  ModuleNames names{options.prefix};
  for (const ArenaView& each : view.arenas) {
    if (auto arena = module_arena(plan, each, part, options.is_external, names); arena) {
      module.arenas.push_back(std::move(*arena));
    } else {
      keep(arena.error());
    }
  }
  if (auto tensors = tensors_of(plan, view, names); tensors) {
    module.tensors = std::move(*tensors);
  } else {
    keep(tensors.error());
  }
  module.operators = operators_of(plan.network, names);
  if (errors.empty()) {
    errors = fill_constants(module.arenas,
                            module.tensors,
                            options.constants ? &*options.constants : nullptr,
                            plan.path);
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return module;
}

}  // namespace memsize::emit
