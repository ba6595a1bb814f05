// Compares generations two by two: trace and board, board and tree. The hint is a command line with
// the board of the other generation where there is one, else with the forecast sizes as --set.
#include "generation_guard.hpp"

#include "memsize/board/load.hpp"
#include "memsize/core/text.hpp"
#include "memsize/sdk/generation.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;

bool share_one(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::any_of(
      a, [&](const std::string& name) { return std::ranges::find(b, name) != b.end(); });
}

// The forecast, as --set takes it; what the user set stays.
std::vector<std::string> forecast_settings(const Analysis& analysis) {
  std::vector<std::string> settings;
  for (const sizing::CoreSizing& core : analysis.sizing.cores) {
    for (const sizing::Demand& demand : core.demands) {
      if (demand.forecast && demand.suggested && *demand.forecast != *demand.suggested &&
          !analysis.settings.contains(demand.knob)) {
        settings.push_back(
            fmt::format("{}={}", demand.knob, core::format_setting(*demand.forecast)));
      }
    }
  }
  return settings;
}

// What the format calls them; their names where it does not know them.
std::string titles(Session& session, const board::Board& board) {
  const auto format = session.shelf->format(session.files, session.data.boards, board.format);
  const std::vector<std::string> names = board.possible_generations();
  return format ? format->titles_of(names) : core::join(names, " or ");
}

std::string evidence(Session& session, const EmitRequest& request, const board::Board& of_tree) {
  const auto platform = sdk::find_platform(session.files, request.sdk, of_tree.soc);
  const auto format = session.shelf->format(session.files, session.data.boards, of_tree.format);
  return platform && format
             ? core::join(sdk::generation_of_tree(session.files, *platform, *format).evidence, ", ")
             : std::string{};
}

// What would work: the request with another board and further sizes.
std::string proposed(Session& session,
                     const EmitRequest& request,
                     const std::string& board,
                     const std::vector<std::string>& settings = {}) {
  if (session.propose) {
    return session.propose(request, board, settings);
  }
  return fmt::format("board {}{}{}",
                     core::shell_path(board),
                     settings.empty() ? "" : " with ",
                     core::join(settings, ", "));
}

}  // namespace

std::string board_of_generation(Session& session,
                                const std::string& soc,
                                const std::string& os,
                                const std::vector<std::string>& generations) {
  for (const board::Board& board :
       session.shelf->of_part(session.files, session.data.boards, soc)) {
    if (board.os == os && share_one(board.possible_generations(), generations)) {
      return board.name;
    }
  }
  return {};
}

std::string generation_hint(Session& session,
                            const EmitRequest& request,
                            const Analysis& analysis) {
  const board::Board& board = *analysis.board;
  const std::string again = fmt::format("trace the model under {}", titles(session, board));
  if (suggestions_of(analysis).empty()) {
    return again;
  }
  std::vector<std::string> ways;
  const std::string other =
      board.of_tree
          ? std::string{}
          : board_of_generation(session, board.soc, board.os, analysis.sizing.generations);
  if (!other.empty()) {
    ways.push_back(fmt::format("for the SDK of the trace: {}", proposed(session, request, other)));
  }
  EmitRequest accepting = request;
  accepting.verb = request.verb == kAnalyze ? "emit" : request.verb;
  accepting.accept_generation = true;
  const std::string own =
      board.of_tree
          ? board_of_generation(session, board.soc, board.os, board.possible_generations())
          : std::string{};
  ways.push_back(fmt::format("{}, or take the forecast: {}",
                             again,
                             proposed(session,
                                      accepting,
                                      own.empty() ? request.board.name : own,
                                      forecast_settings(analysis))));
  return core::join(ways, "; ");
}

void complete_hints(Session& session, Analysis& analysis) {
  for (core::Diagnostic& diagnostic : analysis.sizing.diagnostics) {
    if (diagnostic.code == Code::kSizingGeneration) {
      EmitRequest request{.verb = kAnalyze};
      request.trace = analysis.request;
      request.board = analysis.request.board;
      request.sdk = analysis.request.sdk;
      diagnostic.hint = generation_hint(session, request, analysis);
    }
  }
}

std::optional<core::Diagnostic> compare_with_tree(Session& session,
                                                  const EmitRequest& request,
                                                  const board::Board& of_tree) {
  const auto named = load_board(session, request.board);
  if (!named || named->possible_generations().empty()) {
    return std::nullopt;
  }
  const core::Place place{request.sdk};
  const std::vector<std::string> told = of_tree.possible_generations();
  if (told.empty()) {
    const std::string why = evidence(session, request, of_tree);
    return core::warning(
        Code::kSizingUnknownGeneration,
        fmt::format("of which SDK generation this tree is cannot be told{}: it is taken for {}, as "
                    "board '{}' is",
                    why.empty() ? "" : " (" + why + ")",
                    titles(session, *named),
                    named->name),
        place,
        "name the board of the tree's SDK; memsize board list shows them");
  }
  if (share_one(told, named->possible_generations())) {
    return std::nullopt;
  }
  core::Diagnostic differs = core::error(
      Code::kSizingGeneration,
      fmt::format("board '{}' is of {}, but this tree is of {} ({}): what the tree does not say "
                  "would be that of another SDK",
                  named->name,
                  titles(session, *named),
                  titles(session, of_tree),
                  evidence(session, request, of_tree)),
      place);
  const std::string other = board_of_generation(session, of_tree.soc, of_tree.os, told);
  const std::string file = fmt::format("{}-of-tree.toml", of_tree.soc);
  differs.hint = !other.empty()
                     ? proposed(session, request, other)
                     : fmt::format("memsize board import --sdk {} --soc {} --os {} -o {} && {}",
                                   core::shell_path(request.sdk),
                                   of_tree.soc,
                                   of_tree.os,
                                   file,
                                   proposed(session, request, file));
  if (request.accept_generation) {
    differs.severity = core::Severity::kWarning;
  }
  return differs;
}

std::optional<core::Diagnostic> compare_with_tree(Session& session,
                                                  const EmitRequest& request,
                                                  const sdk::Platform& platform,
                                                  const std::string& os) {
  const auto named = load_board(session, request.board);
  if (!named || named->format.empty()) {
    return std::nullopt;
  }
  const auto format = session.shelf->format(session.files, session.data.boards, named->format);
  if (!format) {
    return std::nullopt;
  }
  board::Board of_tree{
      .soc = platform.soc,
      .os = os,
      .format = named->format,
      .generations = sdk::generation_of_tree(session.files, platform, *format).generations};
  return of_tree.generations.empty() ? std::nullopt : compare_with_tree(session, request, of_tree);
}

board::Board with_generation(board::Board of_tree, const board::Board& named) {
  if (of_tree.possible_generations().empty()) {
    of_tree.generation = named.generation;
    of_tree.generations = named.generations;
    of_tree.of_tree = false;
  }
  return of_tree;
}

}  // namespace memsize::app
