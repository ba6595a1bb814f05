// A hash table with open addressing whose slots hold an entry's number and bits of its hash, so
// that it stays small. It is never emptied: when it is full, new rows are read each time.
#include "row_cache.hpp"

#include <algorithm>
#include <functional>

namespace memsize::readers {

const Row* RowCache::find(std::string_view text) const {
  if (slots_.empty()) {
    return nullptr;
  }
  const std::size_t hash = std::hash<std::string_view>{}(text);
  for (std::size_t at = hash % kSlots; slots_[at] != 0; at = (at + 1) % kSlots) {
    const std::uint32_t slot = slots_[at];
    if (((slot ^ hash) & ~std::size_t{kNumber} & ~std::uint32_t{0}) == 0) {
      const Entry& entry = entries_[(slot & kNumber) - 1];
      if (std::string_view{entry.text.data(), entry.size} == text) {
        return &entry.row;
      }
    }
  }
  return nullptr;
}

void RowCache::put(std::string_view text, const Row& row) {
  if (text.size() > kLongestText || entries_.size() == kMostRows || find(text) != nullptr) {
    return;
  }
  slots_.resize(kSlots);
  Entry& entry = entries_.emplace_back();
  entry.size = text.size();
  std::ranges::copy(text, entry.text.begin());
  entry.row = row;
  const std::size_t hash = std::hash<std::string_view>{}(text);
  std::size_t at = hash % kSlots;
  while (slots_[at] != 0) {
    at = (at + 1) % kSlots;
  }
  slots_[at] =
      (static_cast<std::uint32_t>(hash) & ~kNumber) | static_cast<std::uint32_t>(entries_.size());
}

}  // namespace memsize::readers
