// Keeps a report's own scratch arena where it is lower than what the planner found and the whole
// report checks out as right. Sizes, shortages and proof follow it.
#include "reported.hpp"

#include "memsize/core/text.hpp"
#include "memsize/plan/check_plan.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::plan {

namespace {

using core::Code;
using model::PlannedArena;
using model::PlanReport;

// Whether the report's own plan is whole and right, as far as can be told.
bool is_right(const PlanReport& wanted) {
  const core::Diagnostics found = check_plan(wanted, nullptr);
  return std::ranges::none_of(found, [](const core::Diagnostic& fault) {
    return fault.severity == core::Severity::kError || fault.code == Code::kPlanUnplanned;
  });
}

void take(const PlanReport& wanted, const ArenaHeight& own, PlannedArena& arena, PlanReport& plan) {
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    if (plan.blocks[i].memory == own.memory && plan.blocks[i].role == own.role) {
      plan.blocks[i].offset = wanted.blocks[i].offset;
    }
  }
  const core::Bytes saved = *arena.used - own.height;
  for (model::PlannedMemory& memory : plan.memories) {
    if (memory.name == own.memory && memory.used) {
      memory.used = *memory.used - saved;
    }
  }
  arena.used = own.height;
  arena.total = own.height;
  arena.lower_bound = own.least;
  arena.proof = name_of(own.height == own.least ? Proof::kBound : Proof::kBest);
}

}  // namespace

void keep_reported(const PlanReport& wanted, PlanOutcome& outcome) {
  PlanReport& plan = outcome.plan;
  const bool is_planned = std::ranges::any_of(
      wanted.blocks, [](const auto& block) { return block.offset.has_value(); });
  if (!is_planned) {
    return;
  }
  bool is_known_right = false;
  for (const ArenaHeight& own : heights_of(wanted)) {
    const auto arena = std::ranges::find_if(plan.arenas, [&](const auto& other) {
      return other.memory == own.memory && other.role == own.role && other.used;
    });
    if (own.role != model::Lifetime::kScratch || !own.is_complete || arena == plan.arenas.end() ||
        own.height >= *arena->used) {
      continue;
    }
    if (!is_known_right && !is_right(wanted)) {
      return;
    }
    is_known_right = true;
    outcome.diagnostics.push_back(core::note(
        Code::kPlanGap,
        fmt::format("the report's own plan of the scratch arena in '{}' is kept: it needs {}, "
                    "memsize's {}",
                    core::printable(own.memory, 80),
                    core::format_bytes(own.height),
                    core::format_bytes(*arena->used)),
        {wanted.path},
        "more steps may find a lower one"));
    const core::Bytes saved = *arena->used - own.height;
    take(wanted, own, *arena, plan);
    for (Shortage& shortage : outcome.shortages) {
      if (shortage.memory == own.memory) {
        shortage.needed = shortage.needed - saved;
      }
    }
    std::erase_if(outcome.shortages,
                  [](const Shortage& shortage) { return shortage.needed <= shortage.budget; });
    outcome.infeasible = outcome.infeasible && !outcome.shortages.empty();
  }
}

}  // namespace memsize::plan
