// Words of documents and messages for the values of an enumeration, both ways.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace memsize::core {

/// An enumeration beside which `names_of` lists its words, in the order of its enumerators.
template <typename Word>
concept Named = std::is_enum_v<Word> && requires(Word word) {
  names_of(word);
};

template <Named Word>
[[nodiscard]] constexpr std::string_view name_of(Word word) {
  return names_of(word)[static_cast<std::size_t>(word)];
}

template <Named Word>
[[nodiscard]] constexpr std::optional<Word> named(std::string_view name) {
  const auto names = names_of(Word{});
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt
                              : std::optional{static_cast<Word>(found - names.begin())};
}

}  // namespace memsize::core
