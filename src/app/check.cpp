// What is looked at, in which order: a plan; or an SDK tree; or a written map, its board and
// traces.
#include "memsize/app/check.hpp"

#include "check_stages.hpp"
#include "plans/plan_stages.hpp"

namespace memsize::app {

CheckReport check(Session& session, const CheckRequest& request) {
  CheckReport report;
  if (!request.plans.empty()) {
    // What a compiler planned, against itself and against the memories of a part.
    check_plans(session, request, report);
    return report;
  }
  if (!request.sdk.empty()) {
    // Which parts of the tree are asked for: all, or the board's.
    const auto scope = scope_of_tree(session, request);
    if (!scope) {
      report.diagnostics = scope.error();
      return report;
    }
    // Whether the board that is asked for is of the tree's SDK generation.
    check_generation(session, request, *scope, report);
    // Every file read, every script evaluated; then each operating system against itself and
    // against its board.
    for (const sdk::Platform& platform : scope->platforms) {
      check_platform(session, platform, scope->asked, report);
    }
    // What a trace takes from each heap must fit the tree's, its map what is allowed, and firmware
    // must have been linked for it.
    if (!request.traces.empty() || !request.budgets.empty() || !request.images.empty()) {
      check_tree_use(session, request, report);
    }
    return report;
  }

  // What emit wrote, file against file.
  WrittenMap written;
  if (!request.map.empty()) {
    written = check_written(session, request.map, report);
  }
  CheckRequest asked = request;
  if (asked.board.name.empty()) {
    asked.board.name = bundled_board_of(session, written, report);
  }
  // By names alone, since each number is held against the board below; with --set none is.
  if (!asked.board.name.empty() && asked.board.set.empty()) {
    accept_written(session, asked, report);
  }
  if (asked.board.name.empty() || core::has_errors(report.diagnostics)) {
    say_traces_unread(asked, report);
    return report;
  }

  // The board's map, with the sizes that the written one has; --set wins.
  const auto map = check_board(session, asked, written, report);

  // What the files tell each core, and each of their numbers.
  if (map && !written.files.empty() && asked.board.set.empty()) {
    check_files(session, asked, written, *map, report);
  }

  // What the project allows.
  if (map) {
    check_budgets(request, *map, report);
  }

  // What was linked for the map lies where the map has it, and Linux is told so.
  if (map && !request.images.empty()) {
    check_firmware(session, request, *map, report);
  }

  // What a board says that runs it.
  if (map && !request.probe.empty()) {
    check_probe(session, request, *map, report);
  }

  // What a trace took from each heap must fit.
  if (map && !request.traces.empty()) {
    check_demands(session, asked, *map, report);
  }
  return report;
}

}  // namespace memsize::app
