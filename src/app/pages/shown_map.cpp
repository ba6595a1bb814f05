// Reads a map from a folder or a tree, and finds the board that is behind it.
#include "shown_map.hpp"

#include "memsize/app/check.hpp"
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

// The bundled board for the tree's part.
core::Result<std::string> board_of(Session& session,
                                   const std::string& tree,
                                   const std::string& soc,
                                   const std::string& asked_os) {
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
    return core::fail(unclear_map("this SDK has several parts",
                                  fmt::format("name one with --soc: {}", core::join(names, ", "))));
  }
  const auto board = bundled_board(session, platforms.front().soc, os);
  if (!board) {
    return core::fail(unclear_map(fmt::format("there is no bundled board for {} with {}",
                                              core::printable(platforms.front().soc, 40),
                                              core::printable(os, 40)),
                                  "name the file of one with --board"));
  }
  return board->name;
}

}  // namespace

core::Result<ShownMap> map_of_folder(Session& session,
                                     const BoardRequest& board,
                                     const std::string& folder) {
  ValidateRequest request{.map = folder};
  request.emit.board = board;
  std::string& name = request.emit.board.name;
  if (name.empty()) {
    CheckReport found;
    const WrittenMap written = check_written(session, folder, found);
    if (written.files.empty()) {
      return tl::make_unexpected(found.diagnostics);
    }
    name = bundled_board_of(session, written, found);
  }
  if (name.empty()) {
    return core::fail(
        unclear_map(fmt::format("'{}' is of a board that is not bundled", core::printable(folder)),
                    "name its file with --board FILE.toml"));
  }
  auto candidate = candidate_map(session, request);
  MEMSIZE_TRY(candidate);
  CheckRequest checked{.map = folder};
  checked.board.name = name;
  return ShownMap{.map = std::move(candidate->map),
                  .baseline = std::move(candidate->baseline),
                  .findings = check(session, checked).diagnostics};
}

core::Result<ShownMap> map_of_tree(Session& session,
                                   const EmitRequest& request,
                                   const std::string& soc,
                                   const std::string& os) {
  EmitRequest asked = request;
  asked.check = true;
  if (asked.board.name.empty()) {
    auto name = board_of(session, asked.sdk, soc, os);
    MEMSIZE_TRY(name);
    asked.board.name = std::move(*name);
    // The board only says what the tree does not; nobody asked for its generation.
    asked.accept_generation = true;
  }
  auto emission = render_tree(session, asked);
  MEMSIZE_TRY(emission);
  CheckRequest checked{.sdk = asked.sdk};
  checked.board.name = asked.board.name;
  return ShownMap{.map = std::move(emission->map),
                  .baseline = std::move(emission->baseline),
                  .baseline_name = "what the SDK has",
                  .affected = std::move(emission->affected),
                  .diagnostics = std::move(emission->diagnostics),
                  .findings = check(session, checked).diagnostics};
}

}  // namespace memsize::app
