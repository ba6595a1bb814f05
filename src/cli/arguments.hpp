// Mistakes that were typed, shown where they were typed.
#pragma once

#include "memsize/board/board.hpp"
#include "memsize/core/diagnostic.hpp"

#include <string>
#include <vector>

namespace memsize::cli {

/// Where `Diagnostic::option` stands in the words of the command line, for a caret below it.
void point_at_arguments(const std::vector<std::string>& words, core::Diagnostics& diagnostics);

}  // namespace memsize::cli
