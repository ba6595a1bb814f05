// A key that stands twice in one object of a JSON text: it has two values, and whoever reads it
// takes one of them without a word.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace memsize::core {

struct RepeatedKey {
  std::string key;
  /// Of the second one; both count from 1.
  std::size_t line = 0;
  std::size_t column = 0;
};

/// The first key that its object has already. `text` is JSON (a parser has said so); of other texts
/// the answer means nothing.
[[nodiscard]] std::optional<RepeatedKey> repeated_key(std::string_view text);

}  // namespace memsize::core
