// The numbers of a written file against those of the file that its board gives.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/verify.hpp"

#include <string>

namespace memsize::emit {

/// The first number that is another one where the words are those of `wanted`, what the board
/// gives; of a linker script and of the C++ header also the first line that is gone where all else
/// is there. Comments do not count, nor does a page. Other words are another template's or
/// somebody's, and no finding; bytes that are no text must be the same.
[[nodiscard]] core::Diagnostics verify_numbers(const MapFile& file,
                                               const MapFile& wanted,
                                               const std::string& root,
                                               const std::string& board);

}  // namespace memsize::emit
