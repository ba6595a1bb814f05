// What of an arena is taken when: says where an item could lie without looking at every other one.
#pragma once

#include "instance.hpp"

#include <cstdint>
#include <vector>

namespace memsize::plan {

/// The addresses that are taken, by slots. A question takes time in what is taken in the item's
/// slots after merging; memory is in O(n log n), and in practice far below.
class Occupied {
 public:
  /// Looks at `instance` as long as it lives.
  explicit Occupied(const Instance& instance);

  /// Forgets every item.
  void clear();

  void add(std::size_t index, std::int64_t offset);

  /// The lowest offset at which the item meets nothing.
  [[nodiscard]] std::int64_t first_gap(std::size_t index) const;

  /// Within the smallest hole that has room for the item; above everything if there is none. With
  /// windows, the first gap.
  [[nodiscard]] std::int64_t best_gap(std::size_t index) const;

  /// The highest offset at which the item meets nothing and ends at `ceiling` or below; below 0 if
  /// there is none. With windows, the first gap.
  [[nodiscard]] std::int64_t last_gap(std::size_t index, std::int64_t ceiling) const;

  /// How often a list was looked at: what the answers so far have cost.
  [[nodiscard]] std::uint64_t work() const { return work_; }

 private:
  struct Run {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };

  /// In order, none touching the next.
  using Runs = std::vector<Run>;

  struct Cursor {
    const Run* next = nullptr;
    const Run* end = nullptr;
  };

  static void unite(Runs& runs, Run run);
  /// Passes what ends at `offset` or below.
  static void pass(Cursor& cursor, std::int64_t offset);
  template <typename Whole, typename Part>
  void walk(std::int32_t lower, std::int32_t upper, Whole whole, Part part) const;
  void collect(std::int32_t lower, std::int32_t upper) const;
  void add(const ItemWindow& window, std::int64_t offset);
  [[nodiscard]] std::int64_t first_gap(const Item& item, std::int64_t from) const;

  const Instance& instance_;
  std::size_t leaves_ = 1;
  /// By node of a binary tree over slots, with the root at 1: taken in some slot below the node.
  std::vector<Runs> within_;
  /// Taken by items that are alive in all slots below the node, and not in all of its parent's.
  std::vector<Runs> across_;
  /// Of the question that is being answered, the longest list first.
  mutable std::vector<Cursor> cursors_;
  mutable std::uint64_t work_ = 0;
};

}  // namespace memsize::plan
