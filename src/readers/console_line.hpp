// One line of a console log, taken apart into what each core said.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::readers {

/// Between words.
inline constexpr std::string_view kBlank = " \t";

/// What one core printed. A log whose line ends were lost has several of them in a line.
struct Piece {
  /// In lower case, printable; empty where nothing names a core.
  std::string core;
  /// Behind the prefix, part of the line that split_line() got.
  std::string_view text;
  /// Bytes from the time stamp to the end of the text: what the core wrote at once. 0 without one.
  std::size_t written = 0;
};

/// The length of "  52.423106 s:" at the start of `text`, or 0.
[[nodiscard]] std::size_t stamp_length(std::string_view text);

/// Splits at prefixes such as "[C7x_2 ]     52.423106 s: ", of which the '[' of the first may be
/// lost. A prompt or a host's words may stand before; they are a piece without a core.
[[nodiscard]] std::vector<Piece> split_line(std::string_view line);

/// The line without escape sequences of a terminal, and without NULs. False: there were none.
[[nodiscard]] bool clean_line(std::string_view line, std::string& cleaned);

}  // namespace memsize::readers
