// The order of planning: what is wished for, which memory gets what, where it lies in there, and a
// check of all of it by code that shares nothing with the search.
#include "memsize/plan/planner.hpp"

#include "memsize/core/bug.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/plan/check_plan.hpp"

#include "arenas.hpp"
#include "explain.hpp"
#include "place.hpp"
#include "problem.hpp"
#include "reported.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace memsize::plan {

namespace {

using core::Code;
using model::Lifetime;
using model::PlannedBlock;

// Trying other parts is a service beside the plan: each may take this part of the steps.
constexpr std::uint64_t kShareOfOthers = 20;

// Of the steps, for the least height of a bank among several that slots could go to.
constexpr std::uint64_t kShareOfChosen = 10;

int order_of_role(Lifetime role) {
  return role == Lifetime::kScratch ? 0 : role == Lifetime::kPersistent ? 1 : 2;
}

class Planner {
 public:
  Planner(const model::PlanReport& wanted, const board::MemorySet& part, const PlanOptions& options)
      : wanted_(wanted), part_(part), options_(options), packer_(options) {}

  core::Result<PlanOutcome> plan() {
    if (!options_.planner.empty() && !planner_named(options_.planner)) {
      return unknown_planner();
    }
    outcome_.diagnostics = options_.rules.diagnostics;
    auto problem = make_problem(wanted_, part_, options_, outcome_.diagnostics);
    MEMSIZE_TRY(problem);
    problem_ = std::move(*problem);
    if (auto collision = fixed_collision(); collision) {
      return core::fail(std::move(*collision));
    }
    choose();
    pack();
    check();
    report();
    explain_shortages();
    if (options_.keep_memories && options_.planner.empty() && options_.rules.tensors.empty() &&
        options_.rules.constraints.empty()) {
      keep_reported(wanted_, outcome_);
    }
    outcome_.steps = packer_.steps();
    outcome_.interrupted = packer_.interrupted();
    return std::move(outcome_);
  }

 private:
  core::Result<PlanOutcome> unknown_planner() const {
    const std::vector<std::string> names = core::texts_of(named_planners(), &NamedPlannerRow::name);
    std::string hint = core::did_you_mean(options_.planner, names);
    return core::fail(
        core::error(
            Code::kUsage,
            fmt::format("there is no planner '{}'", core::printable(options_.planner)),
            {},
            hint.empty()
                ? fmt::format("the planners are: {}; without one, the least height is sought",
                              core::join(names, ", "))
                : hint)
            .of_option("--planner"));
  }

  // Blocks that shall stay where they are, and cannot.
  std::optional<core::Diagnostic> fixed_collision() const {
    std::map<std::pair<std::size_t, int>, std::vector<std::size_t>> fixed;
    for (std::size_t i = 0; i < problem_.slots.size(); ++i) {
      const Slot& slot = problem_.slots[i];
      if (slot.offset) {
        fixed[{slot.homes.front().bank, order_of_role(slot.role)}].push_back(i);
      }
    }
    for (const auto& [key, slots] : fixed) {
      Arena arena{.role = problem_.slots[slots.front()].role, .bank = key.first, .slots = slots};
      for (const std::size_t slot : slots) {
        arena.offsets.push_back(*problem_.slots[slot].offset);
      }
      const Taken taken = taken_of(problem_, arena);
      if (const auto collision = find_collision(taken.buffers)) {
        return collide(arena, {taken.owners[collision->first], taken.owners[collision->second]});
      }
    }
    return std::nullopt;
  }

  core::Diagnostic collide(const Arena& arena, const Collision& collision) const {
    const auto text = [&](std::size_t i) {
      const Slot& slot = problem_.slots[arena.slots[i]];
      return fmt::format("{} [{}, {})",
                         label_of(wanted_.blocks[slot.blocks.front()]),
                         arena.offsets[i],
                         arena.offsets[i] + slot.size);
    };
    const PlannedBlock& second =
        wanted_.blocks[problem_.slots[arena.slots[collision.second]].blocks.front()];
    return core::error(Code::kPlanOverlap,
                       fmt::format("{} and {} shall stay where they are in the {} arena of '{}', "
                                   "but share bytes while both live",
                                   text(collision.first),
                                   text(collision.second),
                                   model::name_of(arena.role),
                                   core::printable(problem_.banks[arena.bank].name, 80)),
                       {wanted_.path, second.line},
                       "let one of them move");
  }

  // What does not fit may fit when arenas stand in another order in their memory, with less padding
  // between them. If it does not fit without any padding either, it never does.
  [[nodiscard]] bool is_impossible() {
    std::uint64_t alignment = 1;
    for (const Bank& bank : problem_.banks) {
      alignment = std::max(alignment, bank.base_alignment);
    }
    for (const Slot& slot : problem_.slots) {
      alignment = std::max(alignment, slot.alignment);
    }
    // One a role, and what is copied to other memories; none stands before the first.
    std::set<Lifetime> roles;
    bool stages = false;
    for (const Slot& slot : problem_.slots) {
      roles.insert(slot.role);
      stages =
          stages || std::ranges::any_of(slot.homes, [](const Home& home) { return home.staged(); });
    }
    const std::uint64_t arenas = roles.size() + (stages ? problem_.banks.size() : 0);
    Problem loose = problem_;
    for (Bank& bank : loose.banks) {
      bank.budget += (arenas - 1) * (alignment - 1);
    }
    const Assignment found = assign(loose, packer_);
    return !found.fits && found.complete;
  }

  void choose() {
    if (has_choice(problem_)) {
      assignment_ = assign(problem_, packer_);
      outcome_.infeasible = !assignment_.fits && assignment_.complete && is_impossible();
    } else {
      assignment_.homes.assign(problem_.slots.size(), 0);
    }
    planned_.homes = assignment_.homes;
  }

  void pack() {
    planned_.arenas = arenas_of(problem_, planned_.homes, packer_.named());
    for (Arena& arena : planned_.arenas) {
      if (arena.role != Lifetime::kScratch) {
        pack_steady(problem_, arena, packer_);
      }
    }
    planned_.loads = loads_of(problem_, planned_.arenas);
    for (const Load& load : planned_.loads) {
      planned_.used.push_back(load.used);
    }
    for (Arena& arena : planned_.arenas) {
      if (arena.role == Lifetime::kScratch) {
        pack_scratch(arena);
        Load whole = planned_.loads[arena.bank];
        whole.add(problem_.banks[arena.bank], arena.base_alignment, arena.height);
        planned_.used[arena.bank] = whole.used;
      }
    }
    if (!has_choice(problem_)) {
      judge_banks();
    }
  }

  void pack_scratch(Arena& arena) {
    const Bank& bank = problem_.banks[arena.bank];
    const std::uint64_t room =
        room_for_scratch(bank, planned_.loads[arena.bank], arena.base_alignment).value_or(0);
    const std::vector<Buffer> buffers = buffers_of(problem_, arena);
    const auto wanted_height = bank.enough_within ? std::optional{room} : std::nullopt;
    // Where slots had a choice, the least height of one bank is no longer the question.
    const std::uint64_t share = has_choice(problem_) ? kShareOfChosen : 1;
    take(arena, packer_.pack_scratch(buffers, wanted_height, share));
    // Whoever looks for the least may miss what whoever looks for enough finds.
    if (arena.height > room && arena.lower_bound <= room) {
      const auto fitting = assignment_.packings.find(arena.bank);
      if (fitting != assignment_.packings.end()) {
        take(arena, fitting->second);
      }
    }
    if (arena.height > room && arena.lower_bound <= room && !wanted_height &&
        arena.proof == Proof::kBest && !packer_.named()) {
      take(arena, packer_.pack_scratch(buffers, room, share));
    }
    // What is too high for its limit is told how much it needs: that is another search.
    if (arena.height > room && wanted_height && !packer_.named()) {
      take(arena, packer_.pack_scratch(buffers, std::nullopt, kShareOfChosen));
    }
  }

  // The lower of what the arena has and `packing`; what either proves holds for both.
  static void take(Arena& arena, const Packing& packing) {
    if (packing.offsets.size() != arena.slots.size()) {
      return;
    }
    const bool is_first = arena.offsets.empty();
    arena.lower_bound = std::max(arena.lower_bound, packing.lower_bound.count());
    if (is_first || packing.height.count() < arena.height) {
      arena.offsets.clear();
      for (const core::Bytes offset : packing.offsets) {
        arena.offsets.push_back(offset.count());
      }
      arena.height = packing.height.count();
      arena.proof = packing.proof;
    }
    if (arena.height == arena.lower_bound) {
      arena.proof = Proof::kBound;
    } else if (arena.proof == Proof::kInfeasible) {
      // Of a capacity; of the height it says nothing.
      arena.proof = Proof::kBest;
      arena.no_room = true;
    }
  }

  // Without a choice, what one bank cannot hold nobody can.
  void judge_banks() {
    for (std::size_t bank = 0; bank < problem_.banks.size(); ++bank) {
      const std::uint64_t budget = problem_.banks[bank].budget;
      if (planned_.used[bank] <= budget) {
        continue;
      }
      // Without the padding between arenas, which another order of them might not need.
      bool exact = true;
      std::uint64_t steady = 0;
      std::uint64_t scratch = 0;
      bool no_room = false;
      for (const Arena& arena : planned_.arenas) {
        const bool least = arena.proof == Proof::kBound || arena.proof == Proof::kExhausted;
        if (arena.role != Lifetime::kScratch) {
          const bool staged_from = arena.staged() && arena.source == bank;
          exact = exact && (least || !(arena.bank == bank || staged_from));
          steady += arena.bank == bank ? arena.height : 0;
          steady += staged_from ? arena.height : 0;
        } else if (arena.bank == bank) {
          const auto room =
              room_for_scratch(problem_.banks[bank], planned_.loads[bank], arena.base_alignment);
          scratch = least ? arena.height : arena.lower_bound;
          no_room = arena.no_room && room && *room + planned_.loads[bank].used == budget;
        }
      }
      const bool is_padded = steady < planned_.loads[bank].used;
      outcome_.infeasible =
          outcome_.infeasible || (exact && (steady + scratch > budget || (no_room && !is_padded)));
    }
  }

  // Everything again, with code that knows nothing of the search.
  void check() {
    std::uint64_t crooked = 0;
    for (Arena& arena : planned_.arenas) {
      core::bug_if(arena.offsets.size() != arena.slots.size(), "a slot has no offset");
      std::uint64_t height = 0;
      for (std::size_t i = 0; i < arena.slots.size(); ++i) {
        const Slot& slot = problem_.slots[arena.slots[i]];
        const std::uint64_t alignment = alignment_in(problem_.banks[arena.bank], slot);
        const bool straight = slot.size == 0 || arena.offsets[i] % alignment == 0;
        core::bug_if(!straight && !packer_.named(), "a slot is not aligned");
        if (!straight) {
          // What breaks a rule to be low is no optimum.
          arena.proof = Proof::kBest;
        }
        core::bug_if(slot.offset && slot.size > 0 && *slot.offset != arena.offsets[i],
                     "a fixed slot moved");
        crooked += static_cast<std::uint64_t>(!straight);
        height = slot.size == 0 ? height : std::max(height, arena.offsets[i] + slot.size);
      }
      core::bug_if(find_collision(taken_of(problem_, arena).buffers).has_value(),
                   "slots share bytes");
      core::bug_if(height > arena.height, "an arena is higher than it says");
      core::bug_if(!packer_.named() && height < arena.height, "an arena is lower than it says");
      core::bug_if(arena.lower_bound > arena.height, "an arena is lower than it can be");
    }
    for (std::size_t bank = 0; bank < problem_.banks.size(); ++bank) {
      core::bug_if(assignment_.fits && planned_.used[bank] > problem_.banks[bank].budget,
                   "an assignment that fits does not");
    }
    if (crooked > 0) {
      outcome_.diagnostics.push_back(
          core::warning(Code::kPlanAlignment,
                        fmt::format("planner '{}' knows no alignment: {} where {} must not",
                                    options_.planner,
                                    core::plural(crooked, "block begins", "blocks begin"),
                                    crooked == 1 ? "it" : "they"),
                        core::Place{wanted_.path, 0, 0, 0, {}},
                        "leave out --planner"));
    }
  }

  void report() {
    model::PlanReport& plan = outcome_.plan;
    plan = wanted_;
    plan.diagnostics.clear();
    plan.foreign_plan_hash.clear();
    plan.foreign_layout_hash.clear();
    plan.claimed_envelope_hash.clear();
    plan.claimed_layout_hash.clear();
    plan.claimed_content_hash.clear();
    plan.content_hash.clear();
    plan.planner = options_.planner.empty() ? "memsize" : options_.planner;
    plan.memories.clear();
    plan.arenas.clear();
    for (std::size_t i = 0; i < problem_.banks.size(); ++i) {
      const Bank& bank = problem_.banks[i];
      model::PlannedMemory memory{.name = bank.name};
      if (bank.budget < model::kLargestPlan.count()) {
        memory.capacity = core::Bytes{bank.budget};
      }
      memory.used = core::Bytes{planned_.used[i]};
      memory.base = bank.base ? std::optional{core::PhysAddr{*bank.base}} : std::nullopt;
      if (bank.base.value_or(0) % bank.base_alignment == 0) {
        memory.alignment = core::Align::make(bank.base_alignment);
      }
      memory.writable = bank.writable;
      plan.memories.push_back(std::move(memory));
      outcome_.begins.emplace(bank.name, bank.begin);
    }
    for (const Arena& arena : planned_.arenas) {
      report_arena(arena);
    }
    const auto groups = std::ranges::count_if(problem_.slots, [](const Slot& slot) {
      return slot.blocks.size() > 1 && !slot.windows.empty();
    });
    if (groups != 0) {
      outcome_.diagnostics.push_back(core::note(
          Code::kPlanAlias,
          fmt::format(
              "{} in place: they keep their distances, and what is proved is proved of that",
              core::plural(static_cast<std::uint64_t>(groups),
                           "group of blocks works",
                           "groups of blocks work")),
          core::Place{wanted_.path, 0, 0, 0, {}},
          ""));
    }
    std::ranges::sort(plan.arenas, [](const auto& a, const auto& b) {
      return std::tuple{order_of_role(a.role), a.memory} <
             std::tuple{order_of_role(b.role), b.memory};
    });
    for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
      plan.arenas[i].region_id = i;
    }
  }

  void report_arena(const Arena& arena) {
    model::PlannedArena row{
        .memory = problem_.banks[arena.bank].name,
        .role = arena.role,
        .source_memory = arena.staged() ? problem_.banks[arena.source].name : "",
        .used = core::Bytes{arena.height}};
    row.total = row.used;
    row.alignment = core::Align::make(arena.base_alignment);
    row.lower_bound = core::Bytes{arena.lower_bound};
    const bool is_over = planned_.used[arena.bank] > problem_.banks[arena.bank].budget;
    row.proof = name_of(is_over && outcome_.infeasible ? Proof::kInfeasible : arena.proof);
    std::uint64_t blocks = 0;
    for (std::size_t i = 0; i < arena.slots.size(); ++i) {
      const Slot& slot = problem_.slots[arena.slots[i]];
      for (std::size_t k = 0; k < slot.blocks.size(); ++k) {
        PlannedBlock& block = outcome_.plan.blocks[slot.blocks[k]];
        block.role = arena.role;
        block.memory = row.memory;
        block.source_memory = row.source_memory;
        block.offset = core::Bytes{arena.offsets[i] + slot.begins[k]};
        // Who reads the plan without the rule must see what it asks for.
        if (problem_.banks[arena.bank].aligned_by_rule && slot.begins[k] == 0) {
          block.alignment =
              core::Align::make(std::max(block.alignment.value_or(core::Align{}).value(),
                                         problem_.banks[arena.bank].slot_alignment));
        }
        ++blocks;
      }
    }
    row.block_count = blocks;
    outcome_.plan.arenas.push_back(std::move(row));
  }

  void explain_shortages() {
    outcome_.shortages = explain(problem_, wanted_, planned_, packer_);
    if (outcome_.shortages.empty() || !options_.others) {
      return;
    }
    for (const board::MemorySet& other : options_.others()) {
      if (other.name == part_.name || packer_.over()) {
        continue;
      }
      PlanOptions options = options_;
      options.others = nullptr;
      options.fixed.clear();
      options.keep_offsets = false;
      options.keep_memories = false;
      options.limits.capacity = std::nullopt;
      options.limits.steps = std::max<std::uint64_t>(options_.limits.steps / kShareOfOthers, 1);
      options.limits.progress = nullptr;
      std::erase_if(options.rules.constraints, [&](const MemoryConstraint& constraint) {
        return std::ranges::none_of(other.memories, [&](const board::PartMemory& memory) {
          return memory.name == constraint.memory;
        });
      });
      const auto elsewhere = make_plan(wanted_, other, options);
      if (elsewhere && elsewhere->shortages.empty()) {
        outcome_.fits_on.push_back(other.name);
      }
    }
  }

  const model::PlanReport& wanted_;
  const board::MemorySet& part_;
  const PlanOptions& options_;
  Packer packer_;
  Problem problem_;
  Assignment assignment_;
  Planned planned_;
  PlanOutcome outcome_;
};

}  // namespace

Packer::Packer(const PlanOptions& options)
    : options_(options),
      named_(planner_named(options.planner)),
      begin_(std::chrono::steady_clock::now()) {}

std::optional<std::chrono::milliseconds> Packer::time_left() const {
  if (!options_.limits.time) {
    return std::nullopt;
  }
  const auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - begin_);
  return std::max(*options_.limits.time - taken, std::chrono::milliseconds{1});
}

bool Packer::over() const {
  const auto left = time_left();
  return interrupted_ || (left && *left <= std::chrono::milliseconds{1}) ||
         (options_.limits.stop && options_.limits.stop());
}

Packing Packer::pack(const std::vector<Buffer>& buffers,
                     std::optional<std::uint64_t> capacity,
                     std::uint64_t share) {
  PackLimits limits = options_.limits;
  limits.capacity = capacity ? std::optional{core::Bytes{*capacity}} : std::nullopt;
  limits.steps = std::max<std::uint64_t>(limits.steps / share, 1000);
  limits.time = time_left();
  if (limits.time && share > 1) {
    limits.time = std::max(*limits.time / 4, std::chrono::milliseconds{1});
  }
  Packing packing = plan::pack(buffers, limits);
  steps_ += packing.steps;
  interrupted_ = interrupted_ || packing.interrupted;
  return packing;
}

Packing Packer::pack_scratch(const std::vector<Buffer>& buffers,
                             std::optional<std::uint64_t> capacity,
                             std::uint64_t share) {
  return !named_ ? pack(buffers, capacity, share) : pack_with(*named_, buffers);
}

core::Result<PlanOutcome> make_plan(const model::PlanReport& wanted,
                                    const board::MemorySet& part,
                                    const PlanOptions& options) {
  return Planner{wanted, part, options}.plan();
}

}  // namespace memsize::plan
