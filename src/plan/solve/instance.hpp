// The buffers of one arena as a search wants them: small integers.
#pragma once

#include "memsize/plan/pack.hpp"

#include <climits>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace memsize::plan {

/// Sizes, alignments and offsets in units: the largest number of bytes that divides all of them.
struct Item {
  /// Half-open, in slots: times at which something begins or ends, in order, from 0.
  std::int32_t lower = 0;
  std::int32_t upper = 0;
  /// In the caller's steps; saturates.
  std::int64_t duration = 1;
  std::int64_t size = 0;
  /// At least 1.
  std::int64_t alignment = 1;
  /// Below 0: free.
  std::int64_t fixed = -1;
};

/// Bytes that an item needs in some slots, counted from its offset.
struct ItemWindow {
  std::int32_t lower = 0;
  std::int32_t upper = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

struct Instance {
  /// In the caller's order; buffers of no bytes are left out.
  std::vector<Item> items;
  /// Of each item, what it needs when; empty: every item needs all of its bytes in all its slots.
  std::vector<std::vector<ItemWindow>> windows;
  /// The buffer that each item stands for.
  std::vector<std::size_t> buffers;
  std::int32_t slots = 0;
  std::uint64_t unit = 1;
  bool has_alignment = false;
  bool has_fixed = false;
};

[[nodiscard]] inline core::Bytes in_bytes(const Instance& instance, std::int64_t units) {
  return core::Bytes{static_cast<std::uint64_t>(units) * instance.unit};
}

/// Calls `use` for what the item needs.
template <typename Use>
void for_each_window(const Instance& instance, std::size_t item, Use use) {
  if (instance.windows.empty()) {
    const Item& all = instance.items[item];
    use(ItemWindow{all.lower, all.upper, 0, all.size});
    return;
  }
  for (const ItemWindow& window : instance.windows[item]) {
    use(window);
  }
}

/// Whether the item needs all of its bytes in all of its slots.
[[nodiscard]] bool is_plain(const Instance& instance, std::size_t item);

[[nodiscard]] Instance make_instance(const std::vector<Buffer>& buffers);

/// Whether fixed items share a byte while both are alive: then there is no plan. O(n log n).
[[nodiscard]] bool fixed_collide(const Instance& instance);

/// stacked.cpp: the largest of `bound` and of what the items of one slot come to with padding,
/// where these are few.
[[nodiscard]] std::int64_t most_stacked(const Instance& instance, std::int64_t bound);

/// In units; see plan::lower_bound.
[[nodiscard]] std::int64_t lower_bound(const Instance& instance);

/// A plan of an instance, in units.
struct Placement {
  std::vector<std::int64_t> offsets;
  std::int64_t height = 0;
  /// No plan is lower, as far as a search has proved; 0: nothing is.
  std::int64_t bound = 0;
};

/// Counts what searches do, and says when they have to end.
class Budget {
 public:
  /// Looks at `limits` as long as it lives.
  explicit Budget(const PackLimits& limits);
  explicit Budget(PackLimits&& limits) = delete;

  /// Takes `steps`; false when there are no more, the time is over, or somebody said stop. Cheap:
  /// the clock is looked at every few thousand steps.
  bool take(std::uint64_t steps = 1);

  [[nodiscard]] bool over() const { return over_; }

  [[nodiscard]] bool interrupted() const { return interrupted_; }

  /// Over because of the clock or somebody's word, not of the number of steps.
  [[nodiscard]] bool late() const { return late_; }

  [[nodiscard]] std::uint64_t taken() const { return taken_; }

  /// For progress.
  void report(core::Bytes height, core::Bytes bound);

 private:
  void look();

  const PackLimits& limits_;
  std::chrono::steady_clock::time_point end_;
  std::uint64_t taken_ = 0;
  std::uint64_t next_look_ = 0;
  bool over_ = false;
  bool interrupted_ = false;
  bool late_ = false;
  PackProgress progress_;
};

/// greedy.cpp: the lowest of a portfolio of orders and rules. Ends early where the height is at
/// most `target`. Every fixed item keeps its place. Never builds a graph of conflicts: for 62 000
/// items in well under a second, with memory in O(n).
[[nodiscard]] Placement pack_greedily(const Instance& instance,
                                      std::int64_t target,
                                      Budget& budget);

/// What an exact search came to.
enum class Searched { kFound, kExhausted, kOver };

/// search.cpp, and search_windows.cpp for instances with windows: looks for a plan of at most
/// `target`. `bound` is no higher than any plan; where it is the target, looks for the lowest plan.
/// `best` is the lowest plan known, before and after. kFound: best.height <= target. kExhausted: no
/// plan is that low, and where `bound` was the target, none is lower than `best`. kOver: the budget
/// is. Raises best.bound to what it proved.
[[nodiscard]] Searched search(const Instance& instance,
                              std::int64_t bound,
                              std::int64_t target,
                              Placement& best,
                              Budget& budget);

[[nodiscard]] Searched search_windows(const Instance& instance,
                                      std::int64_t bound,
                                      std::int64_t target,
                                      Placement& best,
                                      Budget& budget);

/// improve.cpp: for instances that are too large for search(): other orders of what sticks out, in
/// at most so many turns. Lowers `best`.
void improve(const Instance& instance,
             std::int64_t bound,
             std::int64_t target,
             Placement& best,
             Budget& budget,
             int turns = INT_MAX);

}  // namespace memsize::plan
