// Keeps a report's own scratch arena where it is lower than what the planner found and the whole
// report checks out as right. Sizes and proof follow it, so that what is short of room does.
#include "reported.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::plan {

namespace {

using core::Code;
using model::PlanReport;

// Whether the report's own plan is whole and right, as far as can be told.
bool is_right(const PlanReport& wanted) {
  const core::Diagnostics found = check_plan(wanted, nullptr);
  return std::ranges::none_of(found, [](const core::Diagnostic& fault) {
    return fault.severity == core::Severity::kError || fault.code == Code::kPlanUnplanned;
  });
}

}  // namespace

std::vector<ArenaHeight> keep_reported(const PlanReport& wanted,
                                       const Problem& problem,
                                       Planned& planned,
                                       core::Diagnostics& said) {
  std::vector<ArenaHeight> kept;
  const bool is_planned = std::ranges::any_of(
      wanted.blocks, [](const auto& block) { return block.offset.has_value(); });
  if (!is_planned) {
    return kept;
  }
  for (const ArenaHeight& own : heights_of(wanted)) {
    Arena* const arena = core::find_where(planned.arenas, [&](const Arena& other) {
      return problem.banks[other.bank].name == own.memory && other.role == own.role;
    });
    const std::uint64_t height = own.height.count();
    if (own.role != model::Lifetime::kScratch || !own.is_complete || arena == nullptr ||
        height >= arena->height) {
      continue;
    }
    if (kept.empty() && !is_right(wanted)) {
      return kept;
    }
    said.push_back(core::note(
        Code::kPlanGap,
        fmt::format("the report's own plan of the scratch arena in '{}' is kept: it needs {}, "
                    "memsize's {}",
                    core::printable(own.memory, 80),
                    core::format_bytes(own.height),
                    core::format_bytes(core::Bytes{arena->height})),
        {wanted.path},
        "more steps may find a lower one"));
    planned.used[arena->bank] -= arena->height - height;
    // What is lower than a bound of the planner does not keep its rules.
    arena->no_room = arena->no_room && arena->lower_bound <= height;
    arena->height = height;
    arena->lower_bound = own.least.count();
    arena->proof = own.height == own.least ? Proof::kBound : Proof::kBest;
    kept.push_back(own);
  }
  return kept;
}

void take_offsets(const PlanReport& wanted,
                  const std::vector<ArenaHeight>& kept,
                  PlanReport& plan) {
  for (const ArenaHeight& own : kept) {
    for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
      if (plan.blocks[i].memory == own.memory && plan.blocks[i].role == own.role) {
        plan.blocks[i].offset = wanted.blocks[i].offset;
      }
    }
  }
}

}  // namespace memsize::plan
