// The cores of a board whose heaps a trace sizes.
#pragma once

#include "memsize/board/board.hpp"
#include "memsize/core/diagnostic.hpp"

#include <string>
#include <vector>

namespace memsize::app {

/// In the board's order.
[[nodiscard]] std::vector<std::string> cores_with_heaps(const board::Board& board);

/// That `core` is none of them.
[[nodiscard]] core::Diagnostic without_heaps(const board::Board& board,
                                             const std::string& core,
                                             core::Place place = {});

}  // namespace memsize::app
