// Columns as editors and code hosts count them. A place counts bytes.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <cstddef>
#include <optional>

namespace memsize::cli {

/// In UTF-16 code units, from 1; `end` is the one behind the last.
struct Columns {
  std::size_t first = 0;
  std::size_t end = 0;
};

/// Nothing where the place has no column, or no text to count in. A place without a length is one
/// character wide, and none is wider than its line.
[[nodiscard]] std::optional<Columns> columns_of(const core::Place& place);

}  // namespace memsize::cli
