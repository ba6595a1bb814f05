// Lists: the one item that has a name or a number, and one text of each item. Maps: the value of a
// key.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
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

/// The items of a list by a name of theirs, for whoever asks for many. Refers to the list, whose
/// items and names must stay where they are.
template <typename Item>
class ByName {
 public:
  ByName(const std::vector<Item>& items, std::string Item::*name) {
    for (const Item& item : items) {
      by_name_[item.*name].push_back(&item);
    }
  }

  /// In the list's order; none where no item is called so.
  [[nodiscard]] const std::vector<const Item*>& all(std::string_view name) const {
    static const std::vector<const Item*> none;
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? none : found->second;
  }

  /// The first; null where there is none.
  [[nodiscard]] const Item* find(std::string_view name) const {
    return all(name).empty() ? nullptr : all(name).front();
  }

 private:
  std::unordered_map<std::string_view, std::vector<const Item*>> by_name_;
};

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
