// Mistakes that were typed, shown where they were typed.
#pragma once

#include "memsize/board/board.hpp"
#include "memsize/core/diagnostic.hpp"

#include <string>
#include <vector>

namespace memsize::cli {

/// Of errors that a map has with these "KNOB=SIZE" only: each is told of the first setting that
/// it names, else of the first that moves or sizes what it is about, or of the only one. Where the
/// map has it becomes a note.
void blame_settings(const board::Board& board,
                    const std::vector<std::string>& settings,
                    core::Diagnostics& errors);

/// Where `Diagnostic::option` stands in the words of the command line, for a caret below it.
void point_at_arguments(const std::vector<std::string>& words, core::Diagnostics& diagnostics);

}  // namespace memsize::cli
