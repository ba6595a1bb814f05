// Loads the board of a request, takes KNOB=SIZE apart, and has the map that they give checked.
#include "board_now.hpp"

#include "memsize/board/load.hpp"
#include "memsize/core/bug.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/layout/check.hpp"
#include "memsize/layout/lens.hpp"

#include "blame_settings.hpp"

#include <utility>

#include <fmt/format.h>

namespace memsize::app {

using core::Code;

std::optional<board::Board> bundled_board(Session& session,
                                          const std::string& soc,
                                          const std::string& os) {
  auto boards = session.shelf->newest(session.files, session.data.boards, soc);
  const auto found = boards.find(os);
  return found == boards.end() ? std::nullopt : std::optional{std::move(found->second)};
}

std::optional<layout::MemoryMap> bundled_map(Session& session,
                                             const std::string& soc,
                                             const std::string& os) {
  const auto board = bundled_board(session, soc, os);
  auto map = board ? layout::resolve(*board, {}) : tl::make_unexpected(core::Diagnostics{});
  return map ? std::optional{std::move(*map)} : std::nullopt;
}

core::Result<board::Board> load_board(Session& session, const BoardRequest& request) {
  if (request.of_tree) {
    return *request.of_tree;
  }
  auto board = session.shelf->load(session.files, session.data.boards, request.name);
  if (!board || request.dram.empty()) {
    return board;
  }
  const auto size = core::parse_bytes(request.dram);
  if (!size) {
    core::Diagnostics errors = size.error();
    errors.front().message = fmt::format("--dram: {}", errors.front().message);
    errors.front().option = "--dram";
    return tl::make_unexpected(std::move(errors));
  }
  const auto populated = board::set_dram(*board, *size);
  MEMSIZE_TRY(populated);
  return board;
}

core::Result<BoardNow> board_now(Session& session, const BoardRequest& request) {
  if (request.now) {
    return *request.now;
  }
  auto board = load_board(session, request);
  MEMSIZE_TRY(board);
  auto settings = parse_settings(*board, request.set);
  MEMSIZE_TRY(settings);
  auto map = request.of_tree ? layout::resolve(*board, *settings)
                             : checked_map(*board, *settings, request.set);
  MEMSIZE_TRY(map);
  return BoardNow{std::move(*board), std::move(*settings), std::move(*map)};
}

board::KnobValues over(board::KnobValues values, const board::KnobValues& settings) {
  for (const auto& [knob, value] : settings) {
    values[knob] = value;
  }
  return values;
}

core::Result<board::KnobValues> parse_settings(const board::Board& board,
                                               const std::vector<std::string>& settings) {
  board::KnobValues values;
  core::Diagnostics errors;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      errors.push_back(core::error(
          Code::kKnobSyntax,
          fmt::format("'{}' does not set a knob", core::printable(setting, 80)),
          {},
          fmt::format("write --set KNOB=SIZE; memsize board show {} lists the knobs",
                      core::shell_path(board.asked_as.empty() ? board.name : board.asked_as))));
      continue;
    }
    const std::string name = setting.substr(0, equals);
    const std::string text = setting.substr(equals + 1);
    const board::Knob* knob = board.find_knob(name);
    core::Result<std::uint64_t> value = 0;
    if (knob != nullptr && knob->is_address) {
      value = core::parse_address(text);
    } else {
      value = core::parse_bytes(text).map([](core::Bytes size) { return size.count(); });
    }
    if (!value) {
      for (core::Diagnostic& problem : value.error()) {
        problem.message = fmt::format("--set {}: {}", core::printable(name, 60), problem.message);
        problem.option = "--set " + name;
        errors.push_back(std::move(problem));
      }
      continue;
    }
    values[name] = *value;
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return values;
}

core::Result<layout::MemoryMap> checked_map(const board::Board& board,
                                            const board::KnobValues& set,
                                            const std::vector<std::string>& typed) {
  auto map = layout::resolve(board, set);
  core::Diagnostics found = map ? layout::check_and_accept(*map) : map.error();
  if (core::has_errors(found)) {
    if (!typed.empty() && checked_map(board, {})) {
      blame_settings(board, set, typed, found);
    }
    return tl::make_unexpected(std::move(found));
  }
  // An accepted one is what makes them differ.
  const bool congruent = !core::contains(found, Code::kMmuCongruence, &core::Diagnostic::code);
  core::bug_if(congruent && layout::has_tables(board.mmu) && !layout::tables_agree(*map),
               "the MMU entries and the translation tables built from them differ");
  if (!board.provisional.empty()) {
    found.push_back(
        core::warning(core::Code::kBoardProvisional,
                      fmt::format("board '{}' is provisional: {}", board.name, board.provisional)));
  }
  map->remarks = std::move(found);
  return map;
}

}  // namespace memsize::app
