// What each line of a console log says, found in the most obvious way: one regular expression a
// kind of line. Slow, and sharing nothing with the readers that it is compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::slow {

/// One thing that one line says. Two readers agree where both find the same ones.
struct Said {
  std::size_t line = 0;
  std::string core;
  /// "row", "total", "heap", "failure", "run".
  std::string kind;
  /// Everything that was printed of it, in one form: "5 ddr cacheable persistent 128 2755.41 ...".
  std::string what;

  friend auto operator<=>(const Said&, const Said&) = default;
};

struct Log {
  std::vector<Said> said;
  /// Lines with what surely was a row, and is none any more.
  std::vector<std::size_t> broken;
  /// Lines that may be called so: they hold something of a row's beginning.
  std::vector<std::size_t> doubtful;
};

[[nodiscard]] Log read(std::string_view text);

}  // namespace memsize::slow
