// What a terminal shows, and how much of it a user asked for.
#pragma once

#include <cstddef>
#include <string>

namespace memsize::cli {

struct Screen {
  /// --color: "auto", "always", "never".
  std::string color = "auto";
  /// Errors, and what was asked for, but no notes, warnings and summaries.
  bool quiet = false;
  /// Every figure.
  bool verbose = false;
  /// Whether anybody may watch: without one, text is as for a file.
  bool attended = true;

  /// Whether text for that stream is coloured. By itself: on a terminal that can show it, unless
  /// NO_COLOR is set (no-color.org).
  [[nodiscard]] bool colour(int stream) const;
  /// Columns of standard output; 80 where it is no terminal, so that files do not depend on one.
  [[nodiscard]] std::size_t width() const;
};

}  // namespace memsize::cli
