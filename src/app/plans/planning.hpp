// What planning the memory of a model takes besides the planner itself.
#pragma once

#include "memsize/app/plan.hpp"

namespace memsize::app {

/// The memories that the reports know; of a capacity alone, one memory.
[[nodiscard]] core::Result<board::MemorySet> memories_for(const PlanRequest& request,
                                                          const model::PlanReport& wanted);

/// A part with what the user set of it: "KNOB=SIZE".
[[nodiscard]] core::Result<board::MemorySet> part_with_settings(
    Session& session, const std::string& board, const std::vector<std::string>& set);

/// What the planner is asked for: the rules of the user's file, what must stay where it is, and the
/// parts to look at where there is not enough room.
[[nodiscard]] core::Result<plan::PlanOptions> planning_options(Session& session,
                                                               const PlanRequest& request);

/// Which memories constants are to be copied to, and what is known of the time that it saves.
[[nodiscard]] core::Result<plan::StageWishes> stage_wishes(Session& session,
                                                           const PlanRequest& request);

/// The model of `request`, or all of them as one. What the reports are, what is wrong with them or
/// assumed of them, and how networks run on planning.part, goes to `planning`.
[[nodiscard]] core::Result<model::PlanReport> read_models(Session& session,
                                                          const PlanRequest& request,
                                                          Planning& planning);

/// Whether offsets of planning.wanted are kept; a warning where they are to be, and it has none.
void settle_kept(const PlanRequest& request, Planning& planning);

/// Memories get what is in them and no block of the plan: a network's tiles, and what the reports
/// say is used where they have no block. That for which there is not enough room is a shortage.
void count_unplaced(Planning& planning);

/// Ends the program, as a bug of memsize's, where its own plan shares bytes that it must not share,
/// or its totals are not those of its blocks.
void check_own_plan(const Planning& planning, const PlanRequest& request);

/// One error a memory that has not enough room, and what would help.
[[nodiscard]] core::Diagnostics describe_shortages(const plan::PlanOutcome& outcome);

}  // namespace memsize::app
