// Exact packing, by restarting depth-first searches.
#include "search_dive.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

namespace memsize::plan {

namespace {

/// What decides between items that could lie equally low: the first that differs, the larger first.
enum class Key : std::uint8_t {
  /// Of the busiest slot in which the item is alive.
  kTotal,
  /// How long it is alive, in the caller's steps, or in slots.
  kDuration,
  kWidth,
  /// The size times that.
  kDurationArea,
  kWidthArea,
  /// With how many others it is alive.
  kCompany,
};

struct Arm {
  std::array<Key, 3> keys;
  bool jump = false;
};

constexpr std::array kArms = {
    Arm{{Key::kTotal, Key::kDuration, Key::kDurationArea}, true},
    Arm{{Key::kTotal, Key::kWidthArea, Key::kWidth}, false},
    Arm{{Key::kTotal, Key::kCompany, Key::kWidth}, true},
    Arm{{Key::kDuration, Key::kDurationArea, Key::kTotal}, false},
};

// Of the first round; twice as many in each round after.
constexpr std::uint64_t kFirstSteps = 2000;

std::vector<double> totals_of(const Instance& instance) {
  std::vector<double> totals(static_cast<std::size_t>(instance.slots));
  for (const Item& item : instance.items) {
    for (std::int32_t s = item.lower; s < item.upper; ++s) {
      totals[static_cast<std::size_t>(s)] += static_cast<double>(item.size);
    }
  }
  return totals;
}

double value_of(Key key,
                const Item& item,
                const Instance& instance,
                const std::vector<double>& totals) {
  const auto size = static_cast<double>(item.size);
  const auto duration = static_cast<double>(item.duration);
  const auto width = static_cast<double>(item.upper - item.lower);
  switch (key) {
    case Key::kTotal:
      return *std::max_element(totals.begin() + item.lower, totals.begin() + item.upper);
    case Key::kDuration:
      return duration;
    case Key::kWidth:
      return width;
    case Key::kDurationArea:
      return size * duration;
    case Key::kWidthArea:
      return size * width;
    case Key::kCompany:
      return static_cast<double>(
          std::count_if(instance.items.begin(), instance.items.end(), [&](const Item& other) {
            return other.lower < item.upper && item.lower < other.upper;
          }));
  }
  return 0;
}

std::vector<std::int32_t> ranks_of(const Arm& arm, const Instance& instance) {
  const std::vector<double> totals = totals_of(instance);
  std::vector<std::tuple<bool, double, double, double, std::size_t>> order;
  for (std::size_t i = 0; i < instance.items.size(); ++i) {
    const Item& item = instance.items[i];
    order.emplace_back(item.fixed < 0,
                       -value_of(arm.keys[0], item, instance, totals),
                       -value_of(arm.keys[1], item, instance, totals),
                       -value_of(arm.keys[2], item, instance, totals),
                       i);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::int32_t> ranks(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    ranks[std::get<4>(order[k])] = static_cast<std::int32_t>(k);
  }
  return ranks;
}

template <class Unit>
class Portfolio {
 public:
  Portfolio(const Instance& instance,
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
      ranks_.push_back(ranks_of(arm, instance));
    }
  }

  Searched run() {
    for (std::uint64_t steps = kFirstSteps;; steps += std::min(steps, UINT64_MAX - steps)) {
      for (std::size_t arm = 0; arm < kArms.size(); ++arm) {
        for (const std::int64_t height : heights()) {
          try_height(arm, height, steps);
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
  std::vector<std::int64_t> heights() const {
    if (!lowest_) {
      return {bound_, target_};
    }
    const std::int64_t gap = best_.height - bound_;
    std::vector<std::int64_t> heights = {
        bound_, bound_ + gap / 8, bound_ + gap / 4, best_.height - 1};
    heights.erase(std::unique(heights.begin(), heights.end()), heights.end());
    return heights;
  }

  void try_height(std::size_t arm, std::int64_t height, std::uint64_t steps) {
    if (height < bound_ || height >= best_.height) {
      return;
    }
    dive_.rank(ranks_[arm]);
    const Searched searched = dive_.run(DiveTask{height, steps, kArms[arm].jump}, budget_);
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
  std::vector<std::vector<std::int32_t>> ranks_;
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
  if (fits_int32(instance, best.height)) {
    return Portfolio<std::int32_t>(instance, bound, target, best, budget).run();
  }
  return Portfolio<std::int64_t>(instance, bound, target, best, budget).run();
}

}  // namespace memsize::plan
