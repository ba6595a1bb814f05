// The board of a request with the sizes that the user set.
#pragma once

#include "memsize/app/board.hpp"

#include <string>
#include <vector>

namespace memsize::app {

/// Knob values from "KNOB=SIZE".
[[nodiscard]] core::Result<board::KnobValues> parse_settings(
    const board::Board& board, const std::vector<std::string>& settings);

/// A board as it is now: with the sizes that the user set.
struct BoardNow {
  board::Board board;
  board::KnobValues settings;
  layout::MemoryMap map;
};

/// Every check must pass, but for the map of an SDK tree, which may break a rule.
[[nodiscard]] core::Result<BoardNow> board_now(Session& session, const BoardRequest& request);

/// Values, with other ones over them.
[[nodiscard]] board::KnobValues over(board::KnobValues values, const board::KnobValues& settings);

}  // namespace memsize::app
