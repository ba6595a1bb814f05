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

// So many buffers are packed in about a millisecond, and so even when the time is over.
constexpr std::size_t kPackedAtOnce = 1000;

int order_of_role(Lifetime role) {
  return role == Lifetime::kScratch ? 0 : role == Lifetime::kPersistent ? 1 : 2;
}

core::Diagnostic unknown_planner(const std::string& name) {
  const std::vector<std::string> names = core::texts_of(named_planners(), &NamedPlannerRow::name);
  std::string hint = core::did_you_mean(name, names);
  return core::error(
             Code::kUsage,
             fmt::format("there is no planner '{}'", core::printable(name)),
             {},
             hint.empty()
                 ? fmt::format("the planners are: {}; without one, the least height is sought",
                               core::join(names, ", "))
                 : hint)
      .of_option("--planner");
}

core::Diagnostic collided(const Problem& problem,
                          const model::PlanReport& wanted,
                          const Arena& arena,
                          const Collision& collision) {
  const auto root_of = [&](std::size_t i) -> const PlannedBlock& {
    return wanted.blocks[problem.slots[arena.slots[i]].blocks.front()];
  };
  const auto text = [&](std::size_t i) {
    return fmt::format("{} [{}, {})",
                       label_of(root_of(i)),
                       arena.offsets[i],
                       arena.offsets[i] + problem.slots[arena.slots[i]].size);
  };
  return core::error(Code::kPlanOverlap,
                     fmt::format("{} and {} shall stay where they are in the {} arena of {}, "
                                 "but share bytes while both live",
                                 text(collision.first),
                                 text(collision.second),
                                 model::name_of(arena.role),
                                 quoted(problem.banks[arena.bank].name)),
                     {wanted.path, root_of(collision.second).line},
                     "let one of them move");
}

// Blocks that shall stay where they are, and cannot.
std::optional<core::Diagnostic> fixed_collision(const Problem& problem,
                                                const model::PlanReport& wanted) {
  std::map<std::pair<std::size_t, int>, std::vector<std::size_t>> fixed;
  for (std::size_t i = 0; i < problem.slots.size(); ++i) {
    const Slot& slot = problem.slots[i];
    if (slot.offset) {
      fixed[{slot.homes.front().bank, order_of_role(slot.role)}].push_back(i);
    }
  }
  for (const auto& [key, slots] : fixed) {
    Arena arena{.role = problem.slots[slots.front()].role, .bank = key.first, .slots = slots};
    for (const std::size_t slot : slots) {
      arena.offsets.push_back(*problem.slots[slot].offset);
    }
    const Taken taken = taken_of(problem, arena);
    if (const auto collision = find_collision(taken.buffers)) {
      return collided(problem,
                      wanted,
                      arena,
                      {taken.owners[collision->first], taken.owners[collision->second]});
    }
  }
  return std::nullopt;
}

// --- which memory gets what

// What does not fit may fit when arenas stand in another order in their memory, with less padding
// between them. If it does not fit without any padding either, it never does.
bool is_impossible(const Problem& problem, Packer& packer) {
  std::uint64_t alignment = 1;
  for (const Bank& bank : problem.banks) {
    alignment = std::max(alignment, bank.base_alignment);
  }
  // One a role, and what is copied to other memories; none stands before the first.
  std::set<Lifetime> roles;
  bool stages = false;
  for (const Slot& slot : problem.slots) {
    alignment = std::max(alignment, slot.alignment);
    roles.insert(slot.role);
    stages = stages || std::ranges::any_of(slot.homes, &Home::staged);
  }
  const std::uint64_t arenas = roles.size() + (stages ? problem.banks.size() : 0);
  Problem loose = problem;
  for (Bank& bank : loose.banks) {
    bank.budget += (arenas - 1) * (alignment - 1);
  }
  const Assignment found = assign(loose, packer);
  return !found.fits && found.complete;
}

// --- where it lies in there

// The lower of what the arena has and `packing`; what either proves holds for both.
void keep_lower(Arena& arena, const Packing& packing) {
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

// `load`: what else the arena's bank holds. `known`: packings of the assignment, by bank.
void pack_scratch(const Problem& problem,
                  const Load& load,
                  const std::map<std::size_t, Packing>& known,
                  Arena& arena,
                  Packer& packer) {
  const Bank& bank = problem.banks[arena.bank];
  const std::uint64_t room = room_for_scratch(bank, load, arena.base_alignment).value_or(0);
  const std::vector<Buffer> buffers = buffers_of(problem, arena);
  const auto wanted_height = bank.enough_within ? std::optional{room} : std::nullopt;
  // Where slots had a choice, the least height of one bank is no longer the question.
  const std::uint64_t share = has_choice(problem) ? kShareOfChosen : 1;
  const Packing* fitting = core::value_in(known, arena.bank);
  // When the time is over, packing again finds nothing new.
  if (fitting == nullptr || packer.has_time_for(buffers.size())) {
    keep_lower(arena, packer.pack_scratch(buffers, wanted_height, share));
  }
  // Whoever looks for the least may miss what whoever looks for enough finds.
  if (fitting != nullptr &&
      (arena.offsets.empty() || (arena.height > room && arena.lower_bound <= room))) {
    keep_lower(arena, *fitting);
  }
  if (packer.named() || !packer.has_time_for(buffers.size())) {
    return;
  }
  if (arena.height > room && arena.lower_bound <= room && !wanted_height &&
      arena.proof == Proof::kBest) {
    keep_lower(arena, packer.pack_scratch(buffers, room, share));
  }
  // What is too high for its limit is told how much it needs: that is another search.
  if (arena.height > room && wanted_height) {
    keep_lower(arena, packer.pack_scratch(buffers, std::nullopt, kShareOfChosen));
  }
}

Planned packed(const Problem& problem, const Assignment& assignment, Packer& packer) {
  Planned planned{.homes = assignment.homes,
                  .arenas = arenas_of(problem, assignment.homes, packer.named())};
  for (Arena& arena : planned.arenas) {
    if (arena.role != Lifetime::kScratch) {
      pack_steady(problem, arena, packer);
    }
  }
  planned.loads = loads_of(problem, planned.arenas);
  for (const Load& load : planned.loads) {
    planned.used.push_back(load.used);
  }
  for (Arena& arena : planned.arenas) {
    if (arena.role == Lifetime::kScratch) {
      Load whole = planned.loads[arena.bank];
      pack_scratch(problem, whole, assignment.packings, arena, packer);
      whole.add(problem.banks[arena.bank], arena.base_alignment, arena.height);
      planned.used[arena.bank] = whole.used;
    }
  }
  return planned;
}

// Whether it is proved that no arrangement of what is in the bank fits.
bool is_too_small(const Problem& problem, const Planned& planned, std::size_t bank) {
  const std::uint64_t budget = problem.banks[bank].budget;
  if (planned.used[bank] <= budget) {
    return false;
  }
  // Without the padding between arenas, which another order of them might not need.
  bool exact = true;
  std::uint64_t steady = 0;
  std::uint64_t scratch = 0;
  bool no_room = false;
  for (const Arena& arena : planned.arenas) {
    const bool least = arena.proof == Proof::kBound || arena.proof == Proof::kExhausted;
    if (arena.role != Lifetime::kScratch) {
      const bool staged_from = arena.staged() && arena.source == bank;
      exact = exact && (least || !(arena.bank == bank || staged_from));
      steady += arena.bank == bank ? arena.height : 0;
      steady += staged_from ? arena.height : 0;
    } else if (arena.bank == bank) {
      const auto room =
          room_for_scratch(problem.banks[bank], planned.loads[bank], arena.base_alignment);
      scratch = least ? arena.height : arena.lower_bound;
      no_room = arena.no_room && room && *room + planned.loads[bank].used == budget;
    }
  }
  const bool is_padded = steady < planned.loads[bank].used;
  return exact && (steady + scratch > budget || (no_room && !is_padded));
}

// --- everything again, with code that knows nothing of the search

// How many slots are not aligned, which planners of other tools may leave so.
std::uint64_t check_arena(const Problem& problem, Arena& arena, bool is_named) {
  core::bug_if(arena.offsets.size() != arena.slots.size(), "a slot has no offset");
  std::uint64_t crooked = 0;
  std::uint64_t height = 0;
  for (std::size_t i = 0; i < arena.slots.size(); ++i) {
    const Slot& slot = problem.slots[arena.slots[i]];
    const std::uint64_t alignment = alignment_in(problem.banks[arena.bank], slot);
    const bool straight = slot.size == 0 || arena.offsets[i] % alignment == 0;
    core::bug_if(!straight && !is_named, "a slot is not aligned");
    if (!straight) {
      // What breaks a rule to be low is no optimum.
      arena.proof = Proof::kBest;
    }
    core::bug_if(slot.offset && slot.size > 0 && *slot.offset != arena.offsets[i],
                 "a fixed slot moved");
    crooked += static_cast<std::uint64_t>(!straight);
    height = slot.size == 0 ? height : std::max(height, arena.offsets[i] + slot.size);
  }
  core::bug_if(find_collision(taken_of(problem, arena).buffers).has_value(), "slots share bytes");
  core::bug_if(height > arena.height, "an arena is higher than it says");
  core::bug_if(!is_named && height < arena.height, "an arena is lower than it says");
  core::bug_if(arena.lower_bound > arena.height, "an arena is lower than it can be");
  return crooked;
}

// `fits`: the assignment does.
void check_result(const Problem& problem,
                  Planned& planned,
                  bool fits,
                  const std::string& planner,
                  const std::string& path,
                  core::Diagnostics& said) {
  std::uint64_t crooked = 0;
  for (Arena& arena : planned.arenas) {
    crooked += check_arena(problem, arena, !planner.empty());
  }
  for (std::size_t bank = 0; bank < problem.banks.size(); ++bank) {
    core::bug_if(fits && planned.used[bank] > problem.banks[bank].budget,
                 "an assignment that fits does not");
  }
  if (crooked > 0) {
    said.push_back(
        core::warning(Code::kPlanAlignment,
                      fmt::format("planner '{}' knows no alignment: {} where {} must not",
                                  planner,
                                  core::plural(crooked, "block begins", "blocks begin"),
                                  crooked == 1 ? "it" : "they"),
                      {path},
                      "leave out --planner"));
  }
}

// --- the report

model::PlannedMemory row_of(const Bank& bank, std::uint64_t used) {
  model::PlannedMemory memory{.name = bank.name};
  if (bank.budget < model::kLargestPlan.count()) {
    memory.capacity = core::Bytes{bank.budget};
  }
  memory.used = core::Bytes{used};
  memory.base = bank.base ? std::optional{core::PhysAddr{*bank.base}} : std::nullopt;
  if (bank.base.value_or(0) % bank.base_alignment == 0) {
    memory.alignment = core::Align::make(bank.base_alignment);
  }
  memory.writable = bank.writable;
  return memory;
}

// Its blocks get their places.
model::PlannedArena row_of(const Problem& problem,
                           const Arena& arena,
                           std::vector<PlannedBlock>& blocks) {
  const Bank& bank = problem.banks[arena.bank];
  model::PlannedArena row{.memory = bank.name,
                          .role = arena.role,
                          .source_memory = arena.staged() ? problem.banks[arena.source].name : "",
                          .used = core::Bytes{arena.height}};
  row.total = row.used;
  row.alignment = core::Align::make(arena.base_alignment);
  row.lower_bound = core::Bytes{arena.lower_bound};
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < arena.slots.size(); ++i) {
    const Slot& slot = problem.slots[arena.slots[i]];
    for (std::size_t k = 0; k < slot.blocks.size(); ++k) {
      PlannedBlock& block = blocks[slot.blocks[k]];
      block.role = arena.role;
      block.memory = row.memory;
      block.source_memory = row.source_memory;
      block.offset = core::Bytes{arena.offsets[i] + slot.begins[k]};
      // Who reads the plan without the rule must see what it asks for.
      if (bank.aligned_by_rule && slot.begins[k] == 0) {
        block.alignment = core::Align::make(
            std::max(block.alignment.value_or(core::Align{}).value(), bank.slot_alignment));
      }
      ++count;
    }
  }
  row.block_count = count;
  return row;
}

// What is wanted, with places.
model::PlanReport report_of(const model::PlanReport& wanted,
                            const Problem& problem,
                            const Planned& planned,
                            bool infeasible) {
  model::PlanReport plan = wanted;
  plan.diagnostics.clear();
  plan.foreign_plan_hash.clear();
  plan.foreign_layout_hash.clear();
  plan.claimed_envelope_hash.clear();
  plan.claimed_layout_hash.clear();
  plan.claimed_content_hash.clear();
  plan.content_hash.clear();
  plan.memories.clear();
  plan.arenas.clear();
  for (std::size_t i = 0; i < problem.banks.size(); ++i) {
    plan.memories.push_back(row_of(problem.banks[i], planned.used[i]));
  }
  for (const Arena& arena : planned.arenas) {
    const bool is_over = planned.used[arena.bank] > problem.banks[arena.bank].budget;
    plan.arenas.push_back(row_of(problem, arena, plan.blocks));
    plan.arenas.back().proof = name_of(is_over && infeasible ? Proof::kInfeasible : arena.proof);
  }
  std::ranges::sort(plan.arenas, [](const auto& a, const auto& b) {
    return std::tuple{order_of_role(a.role), a.memory} <
           std::tuple{order_of_role(b.role), b.memory};
  });
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
    plan.arenas[i].region_id = i;
  }
  return plan;
}

void note_in_place(const Problem& problem, PlanOutcome& outcome) {
  const auto groups = std::ranges::count_if(problem.slots, [](const Slot& slot) {
    return slot.blocks.size() > 1 && !slot.windows.empty();
  });
  if (groups != 0) {
    outcome.diagnostics.push_back(core::note(
        Code::kPlanAlias,
        fmt::format("{} in place: they keep their distances, and what is proved is proved of that",
                    core::plural(static_cast<std::uint64_t>(groups),
                                 "group of blocks works",
                                 "groups of blocks work")),
        {outcome.plan.path}));
  }
}

// The parts, of those that the options have, that the plan would fit on.
std::vector<std::string> fitting_parts(const model::PlanReport& wanted,
                                       const board::MemorySet& part,
                                       const PlanOptions& asked,
                                       const Packer& packer) {
  std::vector<std::string> fitting;
  for (const board::MemorySet& other : asked.others()) {
    if (other.name == part.name || packer.over()) {
      continue;
    }
    PlanOptions options = asked;
    options.others = nullptr;
    options.with_remedies = false;
    options.fixed.clear();
    options.keep_offsets = false;
    options.keep_memories = false;
    options.limits.capacity = std::nullopt;
    options.limits.steps = std::max<std::uint64_t>(asked.limits.steps / kShareOfOthers, 1);
    options.limits.progress = nullptr;
    std::erase_if(options.rules.constraints, [&](const MemoryConstraint& constraint) {
      return !core::contains(other.memories, constraint.memory, &board::PartMemory::name);
    });
    const auto elsewhere = make_plan(wanted, other, options);
    if (elsewhere && elsewhere->shortages.empty()) {
      fitting.push_back(other.name);
    }
  }
  return fitting;
}

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

bool Packer::has_time_for(std::size_t buffers) const {
  return buffers <= kPackedAtOnce || !over();
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
  Packer packer{options};
  if (!options.planner.empty() && !packer.named()) {
    return core::fail(unknown_planner(options.planner));
  }
  PlanOutcome outcome{.diagnostics = options.rules.diagnostics};
  const auto problem = make_problem(wanted, part, options, outcome.diagnostics);
  MEMSIZE_TRY(problem);
  if (auto collision = fixed_collision(*problem, wanted); collision) {
    return core::fail(std::move(*collision));
  }
  const bool chooses = has_choice(*problem);
  Assignment assignment{.homes = std::vector<std::size_t>(problem->slots.size(), 0)};
  if (chooses) {
    assignment = assign(*problem, packer);
    outcome.infeasible = !assignment.fits && assignment.complete && is_impossible(*problem, packer);
  }
  Planned planned = packed(*problem, assignment, packer);
  check_result(
      *problem, planned, assignment.fits, options.planner, wanted.path, outcome.diagnostics);
  std::vector<ArenaHeight> kept;
  if (options.keep_memories && options.planner.empty() && options.rules.tensors.empty() &&
      options.rules.constraints.empty()) {
    kept = keep_reported(wanted, *problem, planned, outcome.diagnostics);
  }
  // Without a choice, what one bank cannot hold nobody can.
  for (std::size_t bank = 0; bank < problem->banks.size() && !chooses; ++bank) {
    outcome.infeasible = outcome.infeasible || is_too_small(*problem, planned, bank);
  }
  outcome.plan = report_of(wanted, *problem, planned, outcome.infeasible);
  take_offsets(wanted, kept, outcome.plan);
  outcome.plan.planner = options.planner.empty() ? "memsize" : options.planner;
  for (const Bank& bank : problem->banks) {
    outcome.begins.emplace(bank.name, bank.begin);
  }
  note_in_place(*problem, outcome);
  outcome.shortages = explain(*problem, wanted, planned, options.with_remedies, packer);
  outcome.infeasible = outcome.infeasible && !outcome.shortages.empty();
  if (!outcome.shortages.empty() && options.others) {
    outcome.fits_on = fitting_parts(wanted, part, options, packer);
  }
  outcome.steps = packer.steps();
  outcome.interrupted = packer.interrupted();
  return outcome;
}

}  // namespace memsize::plan
