// The plan that a report has already, where the planner finds none as low.
#pragma once

#include "memsize/plan/planner.hpp"

namespace memsize::plan {

/// Gives the scratch arenas of `outcome` the offsets of `wanted` where those are right and the
/// arena is lower with them. A compiler may know more than its report says: two blocks that work in
/// place, one row behind the other, share bytes that a planner must keep apart.
void keep_reported(const model::PlanReport& wanted, PlanOutcome& outcome);

}  // namespace memsize::plan
