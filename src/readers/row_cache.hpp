// Rows that were read already, by their texts. A board that runs for days loads the same models
// again and again; a look at a table that stays in the processor's caches is faster than reading
// the row.
#pragma once

#include "tidl_rows.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace memsize::readers {

class RowCache {
 public:
  /// A longer text is not kept. Rows are printed with some 75 characters.
  static constexpr std::size_t kLongestText = 112;
  /// Of hundreds of models; more are read as if there were no cache.
  static constexpr std::size_t kMostRows = 16384;

  /// Nothing where the text was not put in. Valid until the next put().
  [[nodiscard]] const Row* find(std::string_view text) const;

  void put(std::string_view text, const Row& row);

 private:
  // The text stands beside the row: one place in memory to wait for.
  struct Entry {
    std::size_t size = 0;
    std::array<char, kLongestText> text{};
    Row row;
  };

  // So sparse that a search ends after one or two slots.
  static constexpr std::size_t kSlots = 2 * kMostRows;

  // The entry's number from 1 in the low bits, of the text's hash the high ones; 0: free.
  static constexpr std::uint32_t kNumber = kSlots - 1;

  std::vector<std::uint32_t> slots_;
  std::vector<Entry> entries_;
};

}  // namespace memsize::readers
