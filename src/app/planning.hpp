// What planning the memory of a model takes besides the planner itself.
#pragma once

#include "memsize/app/plan.hpp"

namespace memsize::app {

/// The memories of the part that was named, or those that the reports know; of a capacity alone,
/// one memory.
[[nodiscard]] core::Result<board::MemorySet> memories_for(Session& session,
                                                          const PlanRequest& request,
                                                          const model::PlanReport& wanted);

/// What the planner is asked for: the rules of the user's file, what must stay where it is, and the
/// parts to look at where there is not enough room.
[[nodiscard]] core::Result<plan::PlanOptions> planning_options(Session& session,
                                                               const PlanRequest& request);

/// Which memories constants are to be copied to, and what is known of the time that it saves.
[[nodiscard]] core::Result<plan::StageWishes> stage_wishes(Session& session,
                                                           const PlanRequest& request);

/// The model of `request`, or all of them as one. What the reports are, and what is wrong with them
/// or assumed of them, goes to `planning`.
[[nodiscard]] core::Result<model::PlanReport> read_models(Session& session,
                                                          const PlanRequest& request,
                                                          Planning& planning);

/// Ends the program, as a bug of memsize's, where its own plan shares bytes that it must not share,
/// or its totals are not those of its blocks.
void check_own_plan(const Planning& planning, const PlanRequest& request);

/// One error a memory that has not enough room, and what would help.
[[nodiscard]] core::Diagnostics describe_shortages(const plan::PlanOutcome& outcome);

}  // namespace memsize::app
