// Reads a map from a folder or a tree, and finds the board that is behind it.
#include "shown_map.hpp"

#include "memsize/app/board.hpp"
#include "memsize/app/check.hpp"
#include "memsize/app/module.hpp"
#include "memsize/app/tree.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/sdk/tree.hpp"

#include "check_stages.hpp"
#include "validate_stages.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::app {

namespace {

core::Diagnostic unclear_map(std::string message, std::string hint) {
  return core::error(core::Code::kUsage, std::move(message), {}, std::move(hint));
}

// Who made the map is believed; what was edited in it is not what is compared or shown.
core::Diagnostic disagreement(const std::string& folder) {
  return core::warning(core::Code::kVerifyDisagree,
                       fmt::format("not all files in '{}' say what its memory_map.json says, which "
                                   "is what is read here",
                                   core::printable(folder)),
                       {folder},
                       fmt::format("memsize check --map {} lists them", core::shell_path(folder)));
}

}  // namespace

core::Result<void> name_board_of_tree(Session& session,
                                      const std::string& tree,
                                      const std::string& soc,
                                      const std::string& asked_os,
                                      BoardRequest& request) {
  if (!request.name.empty()) {
    return {};
  }
  const std::string os = asked_os.empty() ? std::string{sdk::kDefaultOs} : asked_os;
  std::vector<sdk::Platform> platforms;
  if (soc.empty()) {
    auto found = sdk::find_platforms(session.files, tree);
    MEMSIZE_TRY(found);
    platforms = std::move(*found);
  } else {
    auto found = sdk::find_platform(session.files, tree, soc);
    MEMSIZE_TRY(found);
    platforms.push_back(std::move(*found));
  }
  if (platforms.size() != 1) {
    const std::vector<std::string> names = core::texts_of(
        platforms, [](const sdk::Platform& platform) { return core::printable(platform.soc, 40); });
    return core::fail(unclear_map(
        "this SDK has several parts",
        fmt::format("name one with --soc, or a board with --board: {}", core::join(names, ", "))));
  }
  const auto board = bundled_board(session, platforms.front().soc, os);
  if (!board) {
    return core::fail(unclear_map(fmt::format("there is no bundled board for {} with {}",
                                              core::printable(platforms.front().soc, 40),
                                              core::printable(os, 40)),
                                  "name the file of one with --board"));
  }
  request.name = board->name;
  return {};
}

core::Result<core::Diagnostics> take_map(Session& session,
                                         const std::string& folder,
                                         BoardRequest& request) {
  if (const std::string report = written_module(session, folder); !report.empty()) {
    return core::fail(unclear_map(
        fmt::format("'{}' is a model's module: it has no map of memory", core::printable(folder)),
        fmt::format("memsize plan {} shows what it holds", core::shell_path(report))));
  }
  CheckReport found;
  const WrittenMap written = check_written(session, folder, found);
  if (written.files.empty()) {
    return tl::make_unexpected(found.diagnostics);
  }
  if (request.name.empty()) {
    request.name = bundled_board_of(session, written, found);
  }
  if (request.name.empty()) {
    return core::fail(
        unclear_map(fmt::format("'{}' is of a board that is not bundled", core::printable(folder)),
                    "name its file with --board FILE.toml"));
  }
  request.set.clear();
  for (const auto& [knob, value] : written.knobs) {
    request.set.push_back(fmt::format("{}={}", knob, core::format_hex(value)));
  }
  return core::has_errors(found.diagnostics) ? core::Diagnostics{disagreement(folder)}
                                             : core::Diagnostics{};
}

core::Result<ShownMap> map_of_folder(Session& session,
                                     const BoardRequest& board,
                                     const std::string& folder) {
  BoardRequest named = board;
  auto doubts = take_map(session, folder, named);
  MEMSIZE_TRY(doubts);
  ValidateRequest request{.map = folder};
  request.emit.board = board;
  request.emit.board.name = named.name;
  auto candidate = candidate_map(session, request);
  MEMSIZE_TRY(candidate);
  return ShownMap{.map = std::move(candidate->map),
                  .board = named.name,
                  .baseline = std::move(candidate->baseline),
                  .diagnostics = std::move(*doubts)};
}

core::Result<ShownMap> map_of_tree(Session& session,
                                   const EmitRequest& request,
                                   const std::string& soc,
                                   const std::string& os) {
  EmitRequest asked = request;
  asked.check = true;
  if (asked.board.name.empty()) {
    MEMSIZE_TRY(name_board_of_tree(session, asked.sdk, soc, os, asked.board));
    // The board only says what the tree does not; nobody asked for its generation.
    asked.accept_generation = true;
  }
  auto emission = render_tree(session, asked);
  MEMSIZE_TRY(emission);
  return ShownMap{.map = std::move(emission->map),
                  .board = asked.board.name,
                  .baseline = std::move(emission->baseline),
                  .baseline_name = "what the SDK has",
                  .affected = std::move(emission->affected),
                  .diagnostics = std::move(emission->diagnostics)};
}

}  // namespace memsize::app
