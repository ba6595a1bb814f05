// From reports of compilers to a plan. What a comment calls frozen does not change after it.
#include "memsize/app/plan.hpp"

#include "memsize/board/nnapi_format.hpp"
#include "memsize/core/find.hpp"
#include "memsize/network/consumers.hpp"
#include "memsize/network/levels.hpp"
#include "memsize/network/nnapi.hpp"
#include "memsize/plan/planner.hpp"

#include "plans/plan_stages.hpp"
#include "plans/planning.hpp"

#include <algorithm>
#include <utility>

namespace memsize::app {

core::Result<Planning> plan_memory(Session& session, const PlanRequest& request) {
  // What compilers planned, or wish to have planned; several reports are one model. A network
  // becomes tiles and buffers of the part.
  Planning planning;
  if (!request.board.empty()) {
    auto part = part_with_settings(session, request.board, request.set);
    MEMSIZE_TRY(part);
    planning.part = std::move(*part);
  }
  auto wanted = read_models(session, request, planning);
  MEMSIZE_TRY(wanted);

  // The memories to plan into, and where the user wants what.
  if (request.board.empty()) {
    auto part = memories_for(request, *wanted);
    MEMSIZE_TRY(part);
    planning.part = std::move(*part);
  }
  auto options = planning_options(session, request);
  MEMSIZE_TRY(options);
  options->keep_memories = options->keep_memories || !planning.schedules.empty();
  planning.wanted = std::move(*wanted);
  settle_kept(request, planning);
  if (planning.wanted.nnapi != nullptr) {
    const auto format = board::load_nnapi_format(session.files, session.data.boards);
    MEMSIZE_TRY(format);
    planning.nnapi = network::nn_account(*planning.wanted.nnapi, *format);
  }
  // Frozen: no size, lifetime or rule changes.

  // Which memory, and where in there; checked by code that shares nothing with the planner.
  if (request.stage.empty()) {
    auto outcome = plan::make_plan(planning.wanted, planning.part, *options);
    MEMSIZE_TRY(outcome);
    planning.outcome = std::move(*outcome);
  } else {
    const auto wishes = stage_wishes(session, request);
    MEMSIZE_TRY(wishes);
    auto staged = plan::plan_staged(planning.wanted, planning.part, *options, *wishes);
    MEMSIZE_TRY(staged);
    planning.outcome = std::move(staged->outcome);
    planning.staging = std::move(*staged);
  }
  count_unplaced(planning);
  check_own_plan(planning, request);
  const auto keep = [&](const core::Diagnostics& found) {
    planning.diagnostics.insert(planning.diagnostics.end(), found.begin(), found.end());
  };
  keep(planning.outcome.diagnostics);
  keep(describe_shortages(planning.outcome));
  if (!request.counts_levels) {
    return planning;
  }
  for (const network::Schedule& schedule : planning.schedules) {
    core::Diagnostics found =
        network::check_levels(network::levels_of({.plan = planning.outcome.plan,
                                                  .part = planning.part,
                                                  .own = network::consumers_of(schedule)}),
                              planning.outcome.plan.path);
    // How much headroom is enough is a check's to say, and what has no room in a window is told.
    std::erase_if(found, [&](const core::Diagnostic& each) {
      return each.severity != core::Severity::kError ||
             core::contains(
                 planning.outcome.shortages, each.parties.front().name, &plan::Shortage::memory);
    });
    keep(found);
    found = network::check_reach(schedule, planning.outcome.plan.path);
    for (core::Diagnostic& each : found) {
      each.severity = std::min(each.severity, core::Severity::kWarning);
    }
    keep(found);
  }
  return planning;
}

}  // namespace memsize::app
