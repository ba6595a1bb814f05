// Exact packing: restarts of a depth-first search that places one item after the other.
//
// Canonical plans. Of all plans of the least height, take one whose offsets have the least sum: no
// item can be lowered alone. Name its items in order of their offsets, ties by rank. Then each lies
// at the lowest aligned place above those named before it that share its time (clear of fixed
// items): it could be lowered to there, since everything that comes later and shares its time
// begins above it. So it suffices to place items in this order, each at that place, and a node's
// children are the unplaced items whose lowest place comes after the last placement. A fixed item
// takes its turn at its own offset, before others of that offset.
//
// What else a node need not try, with `height` the highest end allowed:
// - A place at or above the end that some unplaced item would have at its own lowest place: in the
//   end that item could be lowered to there. For fixed items, a place above its offset.
// - A place above height - total, for the total of unplaced sizes in any slot: everything unplaced
//   comes to lie at or above it.
// - What makes a slot impossible: for any offset, the unplaced items of a slot whose lowest places
//   are not below it have to fit between it and the height.
// - An item of which a twin (same slots, size, alignment) with a lower rank is unplaced: swapping
//   the two gives the same plans.
// Where nothing unplaced is alive on both sides of a slot's beginning, the sides are searched
// apart. All of this holds with alignments and fixed items, because a lowest place only ever rises;
// so a search that ends within its steps is a proof.
//
// Ranks. Searches have heavy tails: with the right order of equally low items, a plan is found in
// as many steps as there are items, with a wrong one never. No single order is right often, so that
// several take turns, with restarts of Luby's lengths; and each of them learns, by counting in
// which slots it failed: items of those slots come earlier next time. That matters more than
// anything else here. Some arms also jump: a choice that shares no time with the items of the
// failure below it is given up without trying its siblings. That is no proof, as other choices
// there could have moved those items; such arms may only find.
//
// Heights. A tight height cuts the most. Where the lowest plan is wanted, searches take turns at
// the bound, just above it, and just below the best plan. What a search exhausts raises the bound.
#include "search_dive.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <tuple>
#include <vector>

namespace memsize::plan {

namespace {

/// What decides between items that could lie equally low.
enum class Key : std::uint8_t {
  /// How busy the busiest slot is in which the item is alive, and how often searches failed there.
  kBusy,
  /// How often searches failed in its slots.
  kFailures,
  /// In how many slots it is alive, or for how many of the caller's steps.
  kWidth,
  kDuration,
  /// The size times that.
  kArea,
  kDurationArea,
  /// With how many others it is alive.
  kCompany,
};

struct Arm {
  /// The first that differs decides, the larger first.
  std::array<Key, 3> keys;
  bool jump = false;
};

constexpr std::array kArms = {
    Arm{{Key::kBusy, Key::kDuration, Key::kDurationArea}, false},
    Arm{{Key::kBusy, Key::kArea, Key::kWidth}, true},
    Arm{{Key::kBusy, Key::kCompany, Key::kWidth}, true},
    Arm{{Key::kFailures, Key::kWidth, Key::kArea}, true},
};

// Steps of the first search of each arm.
constexpr std::uint64_t kFirstDiveSteps = 1000;

// What all failures of a search weigh together, and a slot that is as busy as the bound.
constexpr std::int64_t kFailureWeight = 3 << 20;
constexpr double kBusyWeight = 1 << 20;

// Spreads numbers that follow each other.
constexpr std::uint64_t kScatter = 0x9E3779B97F4A7C15ULL;

/// Ranks items for one arm, and learns from its failures. Plans must not depend on the machine:
/// sums are of integers, so that no compiler may fuse them with a product.
class Ranking {
 public:
  Ranking(const Arm& arm, const Instance& instance, std::int64_t bound)
      : arm_(arm), instance_(instance), busy_(slots()), weights_(slots()) {
    std::vector<std::int64_t> totals(slots());
    for (const Item& item : instance.items) {
      for (std::int32_t s = item.lower; s < item.upper; ++s) {
        totals[static_cast<std::size_t>(s)] += item.size;
      }
    }
    for (std::size_t s = 0; s < slots(); ++s) {
      busy_[s] = static_cast<std::int64_t>(static_cast<double>(totals[s]) /
                                           static_cast<double>(bound) * kBusyWeight);
    }
  }

  void learn(const std::vector<std::uint32_t>& failures) {
    const std::int64_t sum = std::accumulate(failures.begin(), failures.end(), std::int64_t{0});
    for (std::size_t s = 0; s < slots() && sum != 0; ++s) {
      weights_[s] = weights_[s] * 7 / 10 + failures[s] * kFailureWeight / sum;
    }
  }

  // Items that are equal in all keys take turns: their order may decide, and no key tells them
  // apart.
  [[nodiscard]] std::vector<std::int32_t> ranks(std::uint64_t round) const {
    std::vector<std::tuple<bool, double, double, double, std::uint64_t, std::size_t>> order;
    for (std::size_t i = 0; i < instance_.items.size(); ++i) {
      const Item& item = instance_.items[i];
      order.emplace_back(item.fixed < 0,
                         -value_of(arm_.keys[0], item),
                         -value_of(arm_.keys[1], item),
                         -value_of(arm_.keys[2], item),
                         round == 1 ? 0 : (i + round) * kScatter >> 32U,
                         i);
    }
    std::ranges::sort(order);
    std::vector<std::int32_t> ranks(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      ranks[std::get<5>(order[k])] = static_cast<std::int32_t>(k);
    }
    return ranks;
  }

 private:
  [[nodiscard]] std::size_t slots() const { return static_cast<std::size_t>(instance_.slots); }

  [[nodiscard]] double value_of(Key key, const Item& item) const {
    const auto first = static_cast<std::size_t>(item.lower);
    const auto last = static_cast<std::size_t>(item.upper);
    switch (key) {
      case Key::kBusy: {
        std::int64_t most = 0;
        for (std::size_t s = first; s < last; ++s) {
          most = std::max(most, busy_[s] + weights_[s]);
        }
        return static_cast<double>(most);
      }
      case Key::kFailures: {
        std::int64_t sum = 0;
        for (std::size_t s = first; s < last; ++s) {
          sum += weights_[s];
        }
        return static_cast<double>(sum);
      }
      case Key::kWidth:
        return static_cast<double>(last - first);
      case Key::kDuration:
        return static_cast<double>(item.duration);
      case Key::kArea:
        return static_cast<double>(last - first) * static_cast<double>(item.size);
      case Key::kDurationArea:
        return static_cast<double>(item.duration) * static_cast<double>(item.size);
      case Key::kCompany:
        return static_cast<double>(std::ranges::count_if(instance_.items, [&](const Item& other) {
          return other.lower < item.upper && item.lower < other.upper;
        }));
    }
    return 0;
  }

  Arm arm_;
  const Instance& instance_;
  std::vector<std::int64_t> busy_;
  std::vector<std::int64_t> weights_;
};

// Luby's sequence, counted from 1: 1, 1, 2, 1, 1, 2, 4, 1, 1, 2, ...
std::uint64_t luby(std::uint64_t index) {
  while (true) {
    const std::uint64_t ones = std::bit_floor(index + 1) - 1;
    if (index == ones) {
      return (ones + 1) / 2;
    }
    index -= ones;
  }
}

template <class Unit>
class SearchPortfolio {
 public:
  SearchPortfolio(const Instance& instance,
                  std::int64_t bound,
                  std::int64_t target,
                  Placement& best,
                  Budget& budget)
      : dive_(instance),
        instance_(instance),
        bound_(bound),
        target_(target),
        lowest_(bound == target),
        best_(best),
        budget_(budget) {
    for (const Arm& arm : kArms) {
      rankings_.emplace_back(arm, instance, bound);
    }
  }

  Searched run() {
    for (std::uint64_t round = 1;; ++round) {
      const std::uint64_t steps = kFirstDiveSteps * luby(round);
      for (std::size_t arm = 0; arm < kArms.size(); ++arm) {
        for (const std::int64_t height : heights(round)) {
          try_height(arm, round, height, steps);
          if (best_.height <= target_) {
            return Searched::kFound;
          }
          if (bound_ > (lowest_ ? best_.height - 1 : target_)) {
            return Searched::kExhausted;
          }
          if (budget_.over()) {
            return Searched::kOver;
          }
        }
      }
    }
  }

 private:
  // A tight height prunes the most, and is not always to be had.
  std::vector<std::int64_t> heights(std::uint64_t round) const {
    if (!lowest_) {
      return round == 1 ? std::vector{bound_, target_} : std::vector{target_};
    }
    const std::int64_t gap = best_.height - bound_;
    std::vector<std::int64_t> heights = {
        bound_, bound_ + gap / 8, bound_ + gap / 4, best_.height - 1};
    heights.erase(std::unique(heights.begin(), heights.end()), heights.end());
    return heights;
  }

  void try_height(std::size_t arm, std::uint64_t round, std::int64_t height, std::uint64_t steps) {
    if (height < bound_ || height >= best_.height) {
      return;
    }
    dive_.rank(rankings_[arm].ranks(round));
    const Searched searched = dive_.run(DiveTask{height, steps, kArms[arm].jump}, budget_);
    rankings_[arm].learn(dive_.failures());
    if (searched == Searched::kExhausted) {
      bound_ = height + 1;
      best_.bound = std::max(best_.bound, bound_);
    } else if (searched == Searched::kFound) {
      best_.offsets = dive_.offsets();
      best_.height = 0;
      for (std::size_t i = 0; i < best_.offsets.size(); ++i) {
        best_.height = std::max(best_.height, best_.offsets[i] + instance_.items[i].size);
      }
    }
  }

  Dive<Unit> dive_;
  const Instance& instance_;
  std::int64_t bound_;
  std::int64_t target_;
  bool lowest_;
  Placement& best_;
  Budget& budget_;
  std::vector<Ranking> rankings_;
};

// Whether nothing that a search adds up leaves 32 bits.
bool fits_int32(const Instance& instance, std::int64_t height) {
  std::int64_t most = height;
  for (const Item& item : instance.items) {
    most = std::max(most, item.alignment);
  }
  return most < Dive<std::int32_t>::kMost;
}

}  // namespace

Searched search(const Instance& instance,
                std::int64_t bound,
                std::int64_t target,
                Placement& best,
                Budget& budget) {
  if (!instance.windows.empty()) {
    return search_windows(instance, bound, target, best, budget);
  }
  if (fits_int32(instance, best.height)) {
    return SearchPortfolio<std::int32_t>(instance, bound, target, best, budget).run();
  }
  return SearchPortfolio<std::int64_t>(instance, bound, target, best, budget).run();
}

}  // namespace memsize::plan
