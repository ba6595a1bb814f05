// The table of contents of memsize. Every stage is one call; what a comment calls frozen does not
// change after it.
#include "pipeline.hpp"

#include "memsize/board/accepted.hpp"
#include "memsize/board/load.hpp"
#include "memsize/core/bug.hpp"
#include "memsize/layout/check.hpp"
#include "memsize/layout/translation.hpp"

#include "arguments.hpp"
#include "check_stages.hpp"
#include "generation_guard.hpp"
#include "plan_stages.hpp"
#include "planning.hpp"
#include "stages.hpp"
#include "tree_stages.hpp"
#include "validate_stages.hpp"

#include <fmt/format.h>

namespace memsize::cli {

core::Result<Analysis> analyze(Session& session, const AnalyzeRequest& request) {
  // Read every input; several files are one recording.
  auto recording = read_inputs(session, request);
  MEMSIZE_TRY(recording);
  return analyze_recording(session, request, std::move(*recording));
}

core::Result<Analysis> analyze_recording(Session& session,
                                         const AnalyzeRequest& request,
                                         model::Recording recording) {
  Analysis analysis;
  analysis.request = request;
  analysis.recording = std::move(recording);

  // What the records mean, and how each SDK generation places them.
  auto format = load_format(session, analysis.recording);
  MEMSIZE_TRY(format);
  analysis.format = std::move(*format);
  // Frozen: no block changes its class.

  const auto options = sizing_options(request, analysis.recording);
  MEMSIZE_TRY(options);
  analysis.one_priority = options->one_priority;
  if (request.board.name.empty()) {
    analysis.sizing =
        sizing::size_recording(analysis.recording, analysis.format, nullptr, *options);
    return analysis;
  }

  // The board as it is now.
  auto now = board_now(session, request.board);
  MEMSIZE_TRY(now);
  analysis.board = std::move(now->board);
  analysis.settings = std::move(now->settings);
  analysis.current = std::move(now->map);

  // How much. Addresses belong to the map that is now, or to the one that the suggestions lead to.
  size_with_board(analysis, *options);
  complete_hints(session, analysis);
  keep_warnings(analysis.current->remarks, analysis.sizing.diagnostics);
  // Frozen: no demand changes.
  return analysis;
}

core::Result<Emission> render(Session& session, const EmitRequest& request) {
  Emission emission;

  // How much: from the traces, over the board's defaults; --set wins.
  auto wish = sizes_to_emit(session, request);
  MEMSIZE_TRY(wish);
  const board::Board& board = wish->board;
  const board::KnobValues& values = wish->values;
  emission.diagnostics = std::move(wish->diagnostics);
  emission.analysis = std::move(wish->analysis);
  emission.is_default = request.trace.inputs.empty() && request.board.set.empty();
  // Frozen: no size changes.

  // Where on the chip, checked by code that shares nothing with the layout.
  auto map = checked_map(session.files, session.data.boards, board, values, request.board.set);
  auto baseline = layout::resolve(board, {});
  if (!map) {
    say_nearest(board, values, map.error());
    return tl::make_unexpected(map.error());
  }
  MEMSIZE_TRY(baseline);
  core::Diagnostics over = over_budget(request.budgets, *map);
  if (!over.empty()) {
    return tl::make_unexpected(std::move(over));
  }
  keep_warnings(map->remarks, emission.diagnostics);
  emission.map = std::move(*map);
  emission.baseline = std::move(*baseline);
  // Frozen: no address changes.

  // As which files, read back and held against each other.
  auto artifacts = emit::render_all(
      {emission.map, emission.baseline, session.files, session.data.templates}, request.only);
  MEMSIZE_TRY(artifacts);
  emission.artifacts = std::move(*artifacts);
  core::Diagnostics disagreements = verify_artifacts(session, emission);
  if (!disagreements.empty()) {
    return tl::make_unexpected(std::move(disagreements));
  }
  // Frozen: no byte changes. Only now may the disk be touched, by the caller.
  return emission;
}

core::Result<TreeEmission> render_tree(Session& session, const EmitRequest& request) {
  // The tree as it is: its files, its scripts, and the board that they are.
  auto tree = open_tree(session, request);
  MEMSIZE_TRY(tree);
  // How much: from the traces, over the sizes that the tree has; --set wins.
  auto wish = sizes_for_tree(session, request, *tree);
  MEMSIZE_TRY(wish);
  // Frozen: no size changes.

  // If there is something to change: every operating system of the part, for they share files.
  if (request.hand_edits == sdk::HandEdits::kForce || sdk::changes_anything(*tree, wish->values)) {
    tree = open_all(session, request);
    MEMSIZE_TRY(tree);
  }

  // Every file that has to change, and what the tree is then, checked as any tree.
  auto plan = plan_tree(request, *tree, *wish);
  MEMSIZE_TRY(plan);
  core::Diagnostics over = over_budget(request.budgets, plan->after);
  if (!over.empty()) {
    return tl::make_unexpected(std::move(over));
  }
  TreeEmission emission;
  emission.diagnostics = std::move(wish->diagnostics);
  keep_warnings(tree->problems, emission.diagnostics);
  keep_warnings(plan->diagnostics, emission.diagnostics);
  emission.roots.push_back({wish->root, changes_of(*tree, *plan, wish->root)});

  // What Linux reserves, in its own device trees.
  if (!request.linux.empty()) {
    auto linux = plan_linux(session, request, *tree, *plan, wish->root);
    MEMSIZE_TRY(linux);
    keep_warnings(linux->diagnostics, emission.diagnostics);
    emission.roots.push_back({request.linux, changes_of(*linux)});
  }

  // What is wrong with it besides, and stays so, or is put right.
  const TreeFaults faults = faults_of_tree(session, request, *tree, *plan);
  keep_warnings(faults.told, emission.diagnostics);
  plan->repairs.insert(plan->repairs.end(), faults.repairs.begin(), faults.repairs.end());

  // What has to be done then, with the images that the files go into.
  emission.affected = affected_by_plan(*plan, emission.roots);
  const auto rebuild = add_rebuild(session, request, *tree, *plan, emission.roots);
  MEMSIZE_TRY(rebuild);
  keep_warnings(sdk::other_names(session.files, emission.roots), emission.diagnostics);
  emission.map = std::move(plan->after);
  emission.baseline = std::move(plan->before);
  // Frozen: no byte changes. Only now may the disk be touched, by the caller.
  return emission;
}

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
  if (asked.board.name.empty() || core::has_errors(report.diagnostics)) {
    return report;
  }

  // The board's map, with the sizes that the written one has; --set wins.
  const auto map = check_board(session, asked, written, report);

  // What the files tell each core, and each of their numbers.
  if (map && !written.files.empty() && asked.board.set.empty()) {
    check_files(session, asked, written, *map, report);
  }

  // What a trace took from each heap must fit.
  if (map && !request.traces.empty()) {
    check_demands(session, asked, *map, report);
  }
  return report;
}

core::Result<runtime::BoardLogReport> hold_board_log(Session& session,
                                                     const LogRequest& request,
                                                     const layout::MemoryMap& map,
                                                     const layout::MemoryMap& baseline) {
  // What the board printed; its format is its own.
  AnalyzeRequest after = request.trace;
  after.inputs = request.logs;
  after.format.clear();
  auto recording = read_inputs(session, after);
  MEMSIZE_TRY(recording);
  // What the map was made of.
  std::optional<model::Recording> before;
  if (!request.trace.inputs.empty()) {
    auto read = read_inputs(session, request.trace);
    MEMSIZE_TRY(read);
    before = std::move(*read);
  }
  auto format = load_format(session, *recording);
  const auto options = sizing_options(request.trace, before ? *before : *recording);
  if (!format || !options) {
    return tl::make_unexpected(format ? options.error() : format.error());
  }
  // Frozen: no block changes its class.

  const sizing::Sizing sizing = size_on_map(*recording, *format, map, *options);
  std::vector<runtime::OtherMap> others;
  if (baseline.values != map.values) {
    others.push_back(
        {fmt::format("the default map of board '{}'", baseline.board.name), &baseline});
  }
  return runtime::hold_log(map, {*recording, *format, sizing, before ? &*before : nullptr}, others);
}

core::Result<Validation> validate(Session& session, const ValidateRequest& request) {
  // The map and its files: as emit would write them, or as they are in a folder.
  auto candidate = candidate_map(session, request);
  MEMSIZE_TRY(candidate);
  Validation validation;
  validation.diagnostics = candidate->diagnostics;
  validation.is_traced = candidate->analysis != nullptr;
  if (request.runs) {
    // What each core is told, read from the files; what its tables come to; what its heaps hold.
    auto setup = set_up(session, *candidate, request);
    if (!setup) {
      name_files(*candidate, setup.error());
      return tl::make_unexpected(setup.error());
    }
    // Frozen: no table, script or allocation changes. Then every core runs.
    auto result =
        runtime::run(setup->subject, setup->tables, setup->replays, setup->scripts, request.run);
    MEMSIZE_TRY(result);
    name_files(*candidate, result->findings);
    const auto unplaced = without_heap(*candidate);
    result->untried.insert(result->untried.end(), unplaced.begin(), unplaced.end());
    validation.result = std::move(*result);
  }
  if (!request.logs.empty()) {
    // What the board printed after the change.
    auto log = hold_board_log(
        session, {request.logs, request.emit.trace}, candidate->map, candidate->baseline);
    MEMSIZE_TRY(log);
    validation.log = std::move(*log);
  }
  validation.map = std::move(candidate->map);
  return validation;
}

core::Result<Planning> plan_memory(Session& session, const PlanRequest& request) {
  // What compilers planned, or wish to have planned; several reports are one model.
  auto wanted = read_plans(session, request.reports, request.format);
  MEMSIZE_TRY(wanted);
  if (auto nothing = nothing_to_plan(*wanted); nothing) {
    return core::fail(std::move(*nothing));
  }
  Planning planning;
  planning.diagnostics = wanted->diagnostics;
  if (auto faults = faults_of_reports(*wanted); faults) {
    planning.own_is_wrong = true;
    planning.diagnostics.push_back(std::move(*faults));
  }
  const core::Diagnostics assumed = assume_alignments(*wanted);
  planning.diagnostics.insert(planning.diagnostics.end(), assumed.begin(), assumed.end());

  // The memories to plan into, and where the user wants what.
  auto part = memories_for(session, request, *wanted);
  const auto options = planning_options(session, request);
  if (!part || !options) {
    return tl::make_unexpected(part ? options.error() : part.error());
  }
  planning.part = std::move(*part);
  planning.keeps_offsets = request.keep_offsets || !request.fixed.empty();
  planning.wanted = std::move(*wanted);
  // Frozen: no size, lifetime or rule changes.

  // Which memory, and where in there; checked by code that shares nothing with the planner.
  auto outcome = plan::make_plan(planning.wanted, planning.part, *options);
  MEMSIZE_TRY(outcome);
  planning.outcome = std::move(*outcome);
  check_own_plan(planning, request);
  const auto keep = [&](const core::Diagnostics& found) {
    planning.diagnostics.insert(planning.diagnostics.end(), found.begin(), found.end());
  };
  keep(planning.outcome.diagnostics);
  keep(describe_shortages(planning.outcome));
  return planning;
}

core::Result<layout::MemoryMap> checked_map(core::FileSystem& files,
                                            const std::string& folder,
                                            const board::Board& board,
                                            const board::KnobValues& set,
                                            const std::vector<std::string>& typed) {
  auto map = layout::resolve(board, set);
  const auto accepted = board::load_accepted(files, folder, board.asked_as);
  MEMSIZE_TRY(accepted);
  core::Diagnostics found = map ? layout::check_map_but(*map, *accepted) : map.error();
  if (core::has_errors(found)) {
    if (!typed.empty() && checked_map(files, folder, board, {})) {
      blame_settings(board, typed, found);
    }
    return tl::make_unexpected(std::move(found));
  }
  core::bug_if(layout::has_tables(board.mmu) && !layout::tables_agree(*map),
               "the MMU entries and the translation tables built from them differ");
  if (!board.provisional.empty()) {
    found.push_back(
        core::warning(core::Code::kBoardProvisional,
                      fmt::format("board '{}' is provisional: {}", board.name, board.provisional)));
  }
  map->remarks = std::move(found);
  return map;
}

}  // namespace memsize::cli
