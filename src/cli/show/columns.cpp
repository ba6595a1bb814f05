// Counts UTF-16 units up to a column and over its piece. Nothing comes out for a place without a
// line, or with a column that its text does not have.
#include "columns.hpp"

#include <algorithm>
#include <string_view>

namespace memsize::cli {

namespace {

// A character of UTF-8 is a leading byte and its followers; one of four bytes is two units.
std::size_t utf16_units(std::string_view text) {
  constexpr unsigned kFollowerMask = 0xC0;
  constexpr unsigned kFollower = 0x80;
  constexpr unsigned kFirstOfFour = 0xF0;
  std::size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & kFollowerMask) != kFollower) {
      units += byte >= kFirstOfFour ? 2 : 1;
    }
  }
  return units;
}

}  // namespace

std::optional<Columns> columns_of(const core::Place& place) {
  const std::string_view text = place.text.str();
  if (place.line == 0 || place.column == 0 || place.column > text.size() + 1) {
    return std::nullopt;
  }
  const std::size_t from = place.column - 1;
  const std::size_t length = std::clamp<std::size_t>(place.length, 1, text.size() - from + 1);
  Columns columns{.first = utf16_units(text.substr(0, from)) + 1};
  columns.end = columns.first + std::max<std::size_t>(1, utf16_units(text.substr(from, length)));
  return columns;
}

}  // namespace memsize::cli
