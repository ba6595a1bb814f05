// Lists: the one item that has a name or a number, and one text of each item. Maps: the value of a
// key.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace memsize::core {

/// The first item whose `member` is `value`; null where there is none.
template <typename Items, typename Value, typename Member = std::identity>
[[nodiscard]] constexpr auto* find_in(Items& items, const Value& value, Member member = {}) {
  const auto found = std::ranges::find(items, value, member);
  return found == std::ranges::end(items) ? nullptr : &*found;
}

/// The first item of which `is_it` holds; null where there is none.
template <typename Items, typename Test>
[[nodiscard]] constexpr auto* find_where(Items& items, Test is_it) {
  const auto found = std::ranges::find_if(items, is_it);
  return found == std::ranges::end(items) ? nullptr : &*found;
}

/// What a map has for a key; null where it has nothing.
template <typename Map, typename Key>
[[nodiscard]] constexpr auto* value_in(Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

/// Whether an item has such a `member`.
template <typename Items, typename Value, typename Member = std::identity>
[[nodiscard]] constexpr bool contains(const Items& items, const Value& value, Member member = {}) {
  return std::ranges::find(items, value, member) != std::ranges::end(items);
}

/// A text of each item: a member, or what a function makes of it.
template <typename Items, typename Text>
[[nodiscard]] std::vector<std::string> texts_of(const Items& items, Text text) {
  std::vector<std::string> texts;
  for (const auto& item : items) {
    texts.emplace_back(std::invoke(text, item));
  }
  return texts;
}

}  // namespace memsize::core
