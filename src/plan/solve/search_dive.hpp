// One depth-first search for a plan below a given height, for search.cpp, which says what it rests
// on.
#pragma once

#include "instance.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memsize::plan {

/// What one search is told.
struct DiveTask {
  /// The highest end that is allowed; no less than what any slot needs.
  std::int64_t height = 0;
  /// How many placements it may try.
  std::uint64_t steps = 0;
  /// Give up choices that seem to have nothing to do with the failure below them. Finds plans
  /// sooner, or not at all: what it exhausts proves nothing.
  bool jump = false;
};

/// Unit is std::int32_t where heights, sizes and alignments stay below kMost, else std::int64_t.
template <class Unit>
class Dive {
 public:
  /// Above any offset that is reached, so that a placed item is never the lowest of anything.
  static constexpr Unit kPlaced = Unit{1} << (8 * sizeof(Unit) - 2);
  static constexpr Unit kMost = kPlaced / 4;

  explicit Dive(const Instance& instance);

  /// The place of each item among those that could lie equally low; a permutation.
  void rank(const std::vector<std::int32_t>& ranks);

  /// kFound: offsets() is the plan. kOver: the steps are, or the budget.
  [[nodiscard]] Searched run(const DiveTask& task, Budget& budget);

  /// In the instance's order.
  [[nodiscard]] std::vector<std::int64_t> offsets() const;

  /// How often the last run failed in each slot.
  [[nodiscard]] const std::vector<std::uint32_t>& failures() const { return failures_; }

 private:
  /// Items and slots that nothing unplaced connects to others.
  struct Part {
    std::int32_t first_item = 0;
    std::int32_t last_item = 0;  // exclusive, like all ends here
    std::int32_t first_slot = 0;
    std::int32_t last_slot = 0;
  };

  struct Slots {
    std::int32_t first = 0;
    std::int32_t last = 0;
  };

  /// Where the canonical order stands: later placements come after it.
  struct Position {
    Unit offset = 0;
    std::int32_t rank = -1;

    friend bool operator<(const Position& a, const Position& b) {
      return a.offset != b.offset ? a.offset < b.offset : a.rank < b.rank;
    }
  };

  /// What a placement changed.
  struct Change {
    std::int32_t item = 0;
    std::int32_t first = 0;
    std::int32_t last = 0;
    std::size_t saved = 0;
  };

  void reset();
  void find_obstacles(const Instance& instance);
  void find_members();
  void split_into(const Part& part, std::vector<Part>& parts) const;

  bool solve(Part part, Position position);
  bool solve_below(const Part& part, Position position, bool apart);
  [[nodiscard]] Unit lowest_of(std::int32_t block) const;
  void collect(const Part& part, const Position& position, Unit highest);
  bool place(const Part& part, std::int32_t item, Unit offset, bool& apart);
  void undo(std::size_t mark);
  Slots raise(std::int32_t first, std::int32_t last, std::int32_t begin, Unit top, Unit& end);
  Unit settle(std::int32_t item, Unit offset) const;
  bool holds(std::int32_t slot, Unit top);
  bool spend();
  Slots unplaced_of(std::int32_t slot) const;

  // Of items, in order of their first slot.
  std::vector<std::size_t> origin_;
  std::vector<std::int32_t> lower_;
  std::vector<std::int32_t> upper_;
  std::vector<Unit> size_;
  /// What may lie no higher than so far above the item's offset without being above it: the size;
  /// 1 of fixed items.
  std::vector<Unit> reach_;
  std::vector<Unit> alignment_;
  std::vector<Unit> fixed_;
  std::vector<std::int32_t> rank_;
  /// The item of each rank.
  std::vector<std::int32_t> ranked_;
  /// The item of the same slots, size and alignment that is taken before; or -1.
  std::vector<std::int32_t> twin_;
  /// Items that share a slot are in [first_neighbour_, last_neighbour_).
  std::vector<std::int32_t> first_neighbour_;
  std::vector<std::int32_t> last_neighbour_;
  /// Fixed items that share a slot, by offset: obstacles_[obstacles_of_[i]..obstacles_of_[i + 1]).
  std::vector<std::int32_t> obstacles_;
  std::vector<std::size_t> obstacles_of_;
  bool plain_ = true;

  // Of slots.
  std::int32_t slots_ = 0;
  /// The items alive, the largest first: members_[members_of_[s]..members_of_[s + 1]).
  std::vector<std::int32_t> members_;
  std::vector<std::size_t> members_of_;

  // What a search changes: kPlaced, or the lowest place that is left above what is placed.
  std::vector<Unit> offset_;
  std::vector<Unit> placed_;
  /// Of slots: the sizes of unplaced items.
  std::vector<Unit> total_;
  /// Of slots: unplaced items alive there and in the slot before.
  std::vector<std::int32_t> across_;
  /// Of slots: an item that lies low enough, as far as known.
  std::vector<std::int32_t> witness_;
  std::vector<std::uint32_t> failures_;
  std::vector<Change> changes_;
  std::vector<Unit> saved_;
  std::vector<Part> parts_;
  std::vector<Position> candidates_;

  DiveTask task_;
  Unit height_ = 0;
  Budget* budget_ = nullptr;
  std::uint64_t steps_ = 0;
  bool over_ = false;
  /// Where the last failure was seen.
  Slots failure_;
};

extern template class Dive<std::int32_t>;
extern template class Dive<std::int64_t>;

}  // namespace memsize::plan
