// The plan that a report has already, where the planner finds none as low.
#pragma once

#include "memsize/plan/check_plan.hpp"

#include "explain.hpp"

#include <vector>

namespace memsize::plan {

/// The scratch arenas of `wanted` that are right and lower than those of `planned`, which get their
/// heights. A compiler may know more than its report says: two blocks that work in place, one row
/// behind the other, share bytes that a planner must keep apart.
[[nodiscard]] std::vector<ArenaHeight> keep_reported(const model::PlanReport& wanted,
                                                     const Problem& problem,
                                                     Planned& planned,
                                                     core::Diagnostics& said);

/// The offsets of those arenas.
void take_offsets(const model::PlanReport& wanted,
                  const std::vector<ArenaHeight>& kept,
                  model::PlanReport& plan);

}  // namespace memsize::plan
