// Where a size that somebody set makes a map impossible, the setting is what is wrong.
#pragma once

#include "memsize/board/board.hpp"
#include "memsize/core/diagnostic.hpp"

#include <string>
#include <vector>

namespace memsize::app {

/// Of errors that a map has with these "KNOB=SIZE" only: each is told of the first setting that
/// it names, else of the first that moves or sizes what it is about, or of the only one. Where the
/// map has it becomes a note. Where a setting leaves no room, the largest that the whole map takes
/// is told; `set` is what all knobs are set to.
void blame_settings(const board::Board& board,
                    const board::KnobValues& set,
                    const std::vector<std::string>& settings,
                    core::Diagnostics& errors);

}  // namespace memsize::app
