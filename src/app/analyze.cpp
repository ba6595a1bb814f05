// From inputs to sizes. What a comment calls frozen does not change after it.
#include "memsize/app/analyze.hpp"

#include "analyze_stages.hpp"
#include "board_now.hpp"
#include "evidence/needs.hpp"
#include "generation_guard.hpp"
#include "tree_stages.hpp"

#include <utility>

namespace memsize::app {

core::Result<Analysis> analyze(Session& session, const AnalyzeRequest& request) {
  // Read every input; several files are one recording.
  auto recording = read_inputs(session, request);
  MEMSIZE_TRY(recording);
  return analyze_recording(session, request, std::move(*recording));
}

core::Result<Analysis> analyze_recording(Session& session,
                                         const AnalyzeRequest& request,
                                         model::Recording recording) {
  Analysis analysis{.request = request, .recording = std::move(recording)};

  // Samples of a pool size nothing that a model has.
  if (auto lacks = lacks_whole(request, analysis.recording); lacks) {
    return core::fail(std::move(*lacks));
  }

  drop_answered(request, analysis.recording);

  // What the records mean, and how each SDK generation places them.
  auto format = load_format(session, request, analysis.recording);
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

  // What regions need that no trace sizes: constants of the firmware, images, the user's word.
  const auto wanted = find_needs(session, analysis, options->headroom);
  MEMSIZE_TRY(wanted);

  // How much. Addresses belong to the map that is now, or to the one that the suggestions lead to.
  size_with_board(analysis, *options);
  const auto held = finish_needs(analysis);
  MEMSIZE_TRY(held);
  complete_hints(session, analysis);
  keep_warnings(analysis.current->remarks, analysis.sizing.diagnostics);
  // Frozen: no demand changes.
  return analysis;
}

core::Result<core::Diagnostics> take_tree(Session& session, AnalyzeRequest& request) {
  if (request.sdk.empty()) {
    return core::Diagnostics{};
  }
  EmitRequest on_tree{.verb = kAnalyze};
  on_tree.board = request.board;
  on_tree.trace = request;
  on_tree.sdk = request.sdk;
  const auto tree = open_tree(session, on_tree);
  MEMSIZE_TRY(tree);
  auto board = board_of_tree(session, request.board, *tree);
  MEMSIZE_TRY(board);
  core::Diagnostics said;
  if (auto differs = compare_with_tree(session, on_tree, *tree); differs) {
    // Nothing is written: what would be refused is told.
    differs->severity = core::Severity::kWarning;
    said.push_back(std::move(*differs));
  }
  request.board.of_tree = std::move(*board);
  return said;
}

}  // namespace memsize::app
