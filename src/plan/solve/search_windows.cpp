// Exact search where items need some of their bytes some of the time.
//
// The order of offsets, on which search.cpp rests, means nothing here: an item that needs only its
// uppermost bytes rests on others that begin above it. So nothing is placed one after the other.
// What a plan has to decide is, for each two items that meet in some slot, by how much one begins
// above the other: their windows forbid open ranges of that difference, one for each two that meet,
// and the allowed ranges between are the choices. Two plain items have two, above and below; where
// windows leave holes, there are more.
//
// A node knows the lowest and the highest offset of each item and of each difference. They are
// narrowed by each other, by alignments, and by what a slot has room for: of windows that begin at
// x at the earliest and end at y at the latest, the sum is at most y - x. Of those that begin at
// multiples of an alignment, each but the topmost takes its size rounded up. If all items at their
// lowest offsets make a plan, that is one. Else two of them collide, and a node has two children:
// the difference is below the forbidden range, or above it. Nothing else is assumed, so that a
// search that ends within its steps is a proof, with alignments and fixed items as without.
//
// To find plans, other orders of a greedy planner are better, and come first.
#include "instance.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace memsize::plan {

namespace {

// Turns of improve() before the search.
constexpr int kTurns = 4;
// Steps of the first search at each height.
constexpr std::uint64_t kFirstSteps = 2000;
// More pairs that meet are left to local improvement.
constexpr std::size_t kMostPairs = 50'000;
// How many looks at a pair or a window cost as much as a step of search().
constexpr std::uint64_t kLooksPerStep = 64;
// Above all differences, below what could overflow.
constexpr std::int64_t kFar = std::int64_t{1} << 62;

struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// Two items that meet: by how much the second may begin above the first, in order.
struct Pair {
  std::size_t first = 0;
  std::size_t second = 0;
  std::vector<Range> allowed;
};

// The ranges between the forbidden ones, which are open.
std::vector<Range> allowed_between(std::vector<Range> forbidden) {
  std::ranges::sort(forbidden, {}, &Range::low);
  std::vector<Range> allowed;
  std::int64_t low = -kFar;
  for (const Range& range : forbidden) {
    if (range.low >= low) {
      allowed.push_back({low, range.low});
    }
    low = std::max(low, range.high);
  }
  allowed.push_back({low, kFar});
  return allowed;
}

// The largest power of two that divides any offset that the item may have.
std::int64_t alignment_of(const Item& item) {
  return item.fixed < 0 ? item.alignment : item.fixed == 0 ? kFar : item.fixed & -item.fixed;
}

std::vector<Pair> pairs_of(const Instance& instance) {
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < instance.items.size(); ++a) {
    for (std::size_t b = a + 1; b < instance.items.size() && pairs.size() <= kMostPairs; ++b) {
      std::vector<Range> forbidden;
      for (const ItemWindow& of_a : instance.windows[a]) {
        for (const ItemWindow& of_b : instance.windows[b]) {
          if (of_a.lower < of_b.upper && of_b.lower < of_a.upper) {
            forbidden.push_back({of_a.begin - of_b.end, of_a.end - of_b.begin});
          }
        }
      }
      const std::int64_t alignment =
          std::min(alignment_of(instance.items[a]), alignment_of(instance.items[b]));
      // What lies between the multiples is forbidden, too.
      for (Range& range : forbidden) {
        range.low = range.low & -alignment;
        range.high = (range.high + alignment - 1) & -alignment;
      }
      if (!forbidden.empty()) {
        pairs.push_back({a, b, allowed_between(std::move(forbidden))});
      }
    }
  }
  return pairs;
}

/// What one slot has to have room for.
struct Need {
  std::size_t item = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  /// Its place is a multiple.
  std::int64_t alignment = 1;
};

class Search {
 public:
  Search(const Instance& instance, std::vector<Pair> pairs, Budget& budget)
      : instance_(instance),
        pairs_(std::move(pairs)),
        budget_(budget),
        pairs_of_(instance.items.size()),
        needs_(static_cast<std::size_t>(instance.slots)),
        offsets_(instance.items.size()),
        differences_(pairs_.size()) {
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      pairs_of_[pairs_[k].first].push_back(k);
      pairs_of_[pairs_[k].second].push_back(k);
    }
    for (std::size_t i = 0; i < instance.items.size(); ++i) {
      const std::int64_t own = alignment_of(instance.items[i]);
      for (const ItemWindow& window : instance.windows[i]) {
        const std::int64_t alignment =
            window.begin == 0 ? own : std::min(own, window.begin & -window.begin);
        for (std::int32_t s = window.lower; s < window.upper; ++s) {
          needs_[static_cast<std::size_t>(s)].push_back({i, window.begin, window.end, alignment});
        }
      }
      if (instance.items[i].fixed < 0) {
        alignments_.push_back(own);
      }
    }
    std::ranges::sort(alignments_);
    alignments_.erase(std::unique(alignments_.begin(), alignments_.end()), alignments_.end());
  }

  // Looks for a plan of at most `height`.
  Searched run(std::int64_t height, std::uint64_t steps) {
    steps_ = steps;
    work_ = 0;
    over_ = false;
    changes_.clear();
    queue_.clear();
    queued_.assign(instance_.items.size(), true);
    for (std::size_t i = 0; i < instance_.items.size(); ++i) {
      const Item& item = instance_.items[i];
      const std::int64_t highest = (height - item.size) & -item.alignment;
      offsets_[i] = item.fixed < 0 ? Range{0, highest} : Range{item.fixed, item.fixed};
      queue_.push_back(i);
      if (offsets_[i].low > highest && item.fixed < 0) {
        return Searched::kExhausted;
      }
    }
    std::ranges::fill(differences_, Range{-kFar, kFar});
    if (solve()) {
      return Searched::kFound;
    }
    return over_ ? Searched::kOver : Searched::kExhausted;
  }

  [[nodiscard]] std::int64_t lowest(std::size_t item) const { return offsets_[item].low; }

 private:
  struct Change {
    Range* range = nullptr;
    Range before;
  };

  bool solve() {
    while (true) {
      if (!narrow() || !has_room() || over_) {
        return false;
      }
      const std::size_t pair = branching_pair();
      if (pair == pairs_.size()) {
        return true;
      }
      const auto [below, above] = around(pairs_[pair], lowest_difference(pair));
      const Range known = differences_[pair];
      const Range possible = possible_differences(pair);
      const bool above_first = possible.high - above >= below - possible.low;
      const Range first = above_first ? Range{above, known.high} : Range{known.low, below};
      const Range second = above_first ? Range{known.low, below} : Range{above, known.high};
      const std::size_t mark = changes_.size();
      decide(pair, first);
      if (solve()) {
        return true;
      }
      undo(mark);
      if (over_) {
        return false;
      }
      // The other child, without another frame.
      decide(pair, second);
    }
  }

  void decide(std::size_t pair, Range range) {
    set(differences_[pair], range);
    enqueue(pairs_[pair].first);
  }

  void set(Range& range, Range value) {
    changes_.push_back({&range, range});
    range = value;
  }

  void undo(std::size_t mark) {
    while (changes_.size() > mark) {
      *changes_.back().range = changes_.back().before;
      changes_.pop_back();
    }
    for (const std::size_t item : queue_) {
      queued_[item] = false;
    }
    queue_.clear();
  }

  void enqueue(std::size_t item) {
    if (!queued_[item]) {
      queued_[item] = true;
      queue_.push_back(item);
    }
  }

  void spend(std::uint64_t work) {
    work_ += work;
    if (work_ >= kLooksPerStep) {
      const std::uint64_t steps = work_ / kLooksPerStep;
      work_ %= kLooksPerStep;
      over_ = over_ || !budget_.take(steps) || steps >= steps_;
      steps_ -= std::min(steps, steps_);
    }
  }

  [[nodiscard]] std::int64_t lowest_difference(std::size_t pair) const {
    return offsets_[pairs_[pair].second].low - offsets_[pairs_[pair].first].low;
  }

  [[nodiscard]] Range possible_differences(std::size_t pair) const {
    const Range& a = offsets_[pairs_[pair].first];
    const Range& b = offsets_[pairs_[pair].second];
    return {std::max(differences_[pair].low, b.low - a.high),
            std::min(differences_[pair].high, b.high - a.low)};
  }

  // The allowed differences that are next to one, below and above; twice itself if it is allowed.
  [[nodiscard]] static std::pair<std::int64_t, std::int64_t> around(const Pair& pair,
                                                                    std::int64_t difference) {
    const auto above = std::ranges::find_if(
        pair.allowed, [&](const Range& range) { return range.high >= difference; });
    return above->low <= difference ? std::pair(difference, difference)
                                    : std::pair(std::prev(above)->high, above->low);
  }

  // False: some item or difference has no value left.
  bool narrow() {
    while (!queue_.empty()) {
      const std::size_t item = queue_.back();
      queue_.pop_back();
      queued_[item] = false;
      spend(pairs_of_[item].size());
      for (const std::size_t pair : pairs_of_[item]) {
        if (over_ || !narrow_pair(pair)) {
          return false;
        }
      }
    }
    return true;
  }

  bool narrow_pair(std::size_t pair) {
    Range possible = possible_differences(pair);
    if (possible.low > possible.high) {
      return false;
    }
    possible.low = around(pairs_[pair], possible.low).second;
    possible.high = around(pairs_[pair], possible.high).first;
    if (possible.low > possible.high) {
      return false;
    }
    Range& known = differences_[pair];
    if (possible.low > known.low || possible.high < known.high) {
      set(known, possible);
    }
    const std::size_t a = pairs_[pair].first;
    const std::size_t b = pairs_[pair].second;
    return narrow_item(b, offsets_[a].low + possible.low, offsets_[a].high + possible.high) &&
           narrow_item(a, offsets_[b].low - possible.high, offsets_[b].high - possible.low);
  }

  bool narrow_item(std::size_t item, std::int64_t low, std::int64_t high) {
    Range& known = offsets_[item];
    if (low <= known.low && high >= known.high) {
      return true;
    }
    const std::int64_t alignment = instance_.items[item].alignment;
    const Range narrowed{std::max(known.low, (low + alignment - 1) & -alignment),
                         std::min(known.high, high & -alignment)};
    if (narrowed.low != known.low || narrowed.high != known.high) {
      set(known, narrowed);
      enqueue(item);
    }
    return narrowed.low <= narrowed.high;
  }

  // False: in some slot, what has to be between two places is more than fits there.
  bool has_room() {
    return std::ranges::all_of(needs_, [&](const std::vector<Need>& needs) {
      return std::ranges::all_of(
          alignments_, [&](std::int64_t alignment) { return has_room(needs, alignment); });
    });
  }

  bool has_room(const std::vector<Need>& needs, std::int64_t alignment) {
    by_end_.clear();
    for (const Need& need : needs) {
      if (need.alignment >= alignment) {
        const Range& offset = offsets_[need.item];
        const std::int64_t size = need.end - need.begin;
        const std::int64_t rounded = (size + alignment - 1) & -alignment;
        by_end_.push_back(
            {offset.low + need.begin, offset.high + need.end, rounded, rounded - size});
      }
    }
    spend(by_end_.size() * by_end_.size());
    std::ranges::sort(by_end_, {}, &Span::latest_end);
    for (const Span& first : by_end_) {
      std::int64_t sum = 0;
      std::int64_t most_padding = 0;
      for (const Span& span : by_end_) {
        if (span.earliest < first.earliest) {
          continue;
        }
        sum += span.rounded;
        most_padding = std::max(most_padding, span.padding);
        if (sum - most_padding > span.latest_end - first.earliest) {
          return false;
        }
      }
    }
    return true;
  }

  // Of those that collide at their lowest offsets, the pair with the least freedom.
  std::size_t branching_pair() {
    std::size_t best = pairs_.size();
    std::int64_t least = INT64_MAX;
    spend(pairs_.size() / 4);
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const auto [below, above] = around(pairs_[k], lowest_difference(k));
      if (below == above) {
        continue;
      }
      const Range possible = possible_differences(k);
      const std::int64_t freedom = (possible.high - above) + (below - possible.low);
      if (freedom < least) {
        least = freedom;
        best = k;
      }
    }
    return best;
  }

  struct Span {
    std::int64_t earliest = 0;
    std::int64_t latest_end = 0;
    std::int64_t rounded = 0;
    std::int64_t padding = 0;
  };

  const Instance& instance_;
  std::vector<Pair> pairs_;
  Budget& budget_;
  // Of each item, indices of its pairs.
  std::vector<std::vector<std::size_t>> pairs_of_;
  // Of each slot.
  std::vector<std::vector<Need>> needs_;
  // Of items that are not fixed.
  std::vector<std::int64_t> alignments_;
  std::vector<Range> offsets_;
  std::vector<Range> differences_;
  std::vector<Change> changes_;
  std::vector<std::size_t> queue_;
  std::vector<bool> queued_;
  std::vector<Span> by_end_;
  std::uint64_t steps_ = 0;
  std::uint64_t work_ = 0;
  bool over_ = false;
};

// As search.cpp's: a tight height cuts the most, and is not always to be had. A height that is
// known when its turn comes is passed.
std::vector<std::int64_t> heights(std::int64_t bound, std::int64_t target, std::int64_t best) {
  if (bound != target) {
    return {target};
  }
  return {bound, bound + (best - bound) / 4, best - 1};
}

}  // namespace

Searched search_windows(const Instance& instance,
                        std::int64_t bound,
                        std::int64_t target,
                        Placement& best,
                        Budget& budget) {
  const bool lowest = bound == target;
  std::vector<Pair> pairs = pairs_of(instance);
  const bool is_large = pairs.size() > kMostPairs;
  improve(instance, bound, target, best, budget, is_large ? INT_MAX : kTurns);
  if (best.height <= target || is_large || budget.over()) {
    return best.height <= target ? Searched::kFound : Searched::kOver;
  }
  Search search(instance, std::move(pairs), budget);
  for (std::uint64_t steps = kFirstSteps;; steps *= 2) {
    for (const std::int64_t height : heights(bound, lowest ? bound : target, best.height)) {
      if (height < bound || height >= best.height) {
        continue;
      }
      const Searched searched = search.run(height, steps);
      if (searched == Searched::kExhausted) {
        bound = height + 1;
        best.bound = std::max(best.bound, bound);
      } else if (searched == Searched::kFound) {
        best.height = 0;
        for (std::size_t i = 0; i < best.offsets.size(); ++i) {
          best.offsets[i] = search.lowest(i);
          best.height = std::max(best.height, best.offsets[i] + instance.items[i].size);
        }
      }
      if (best.height <= target) {
        return Searched::kFound;
      }
      if (bound > (lowest ? best.height - 1 : target)) {
        return Searched::kExhausted;
      }
      if (budget.over()) {
        return Searched::kOver;
      }
    }
  }
}

}  // namespace memsize::plan
