// A plan by taking the buffers one by one: which next, and into which hole.
//
// No order is good for every program. Taking what is alive in the busiest slot first reaches the
// bound on nearly all large programs; taking the largest first is the better one on some; a chain,
// each layer's output being the next one's input, needs neither but the two ends of the arena in
// turns. So a portfolio is tried, the most promising first, and mostly the first of it is enough.
#include "greedy_occupied.hpp"
#include "greedy_orders.hpp"
#include "instance.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace memsize::plan {

namespace {

enum class Rule : std::uint8_t {
  kFirstGap,
  kBestGap,
  /// The lowest hole and the highest below the target, in turns.
  kBothEnds,
};

struct Attempt {
  Order order;
  Rule rule;
};

// The most promising first.
constexpr std::array kAttempts = {
    Attempt{Order::kBreadth, Rule::kFirstGap},
    Attempt{Order::kSize, Rule::kFirstGap},
    Attempt{Order::kBegin, Rule::kBothEnds},
    Attempt{Order::kBreadthThenArea, Rule::kFirstGap},
    Attempt{Order::kSize, Rule::kBestGap},
    Attempt{Order::kArea, Rule::kFirstGap},
    Attempt{Order::kSizeThenBegin, Rule::kFirstGap},
    Attempt{Order::kBreadthThenLifetime, Rule::kFirstGap},
    Attempt{Order::kLifetime, Rule::kFirstGap},
    Attempt{Order::kCompany, Rule::kFirstGap},
    Attempt{Order::kBegin, Rule::kFirstGap},
    Attempt{Order::kEnd, Rule::kFirstGap},
    Attempt{Order::kBreadth, Rule::kBestGap},
    Attempt{Order::kSizeThenBegin, Rule::kBestGap},
    Attempt{Order::kBreadthThenArea, Rule::kBestGap},
    Attempt{Order::kBreadthThenLifetime, Rule::kBestGap},
    Attempt{Order::kArea, Rule::kBestGap},
    Attempt{Order::kLifetime, Rule::kBestGap},
    Attempt{Order::kCompany, Rule::kBestGap},
    Attempt{Order::kBegin, Rule::kBestGap},
    Attempt{Order::kEnd, Rule::kBestGap},
};

// Above so many items, an attempt takes seconds and the first ones have to do.
constexpr std::size_t kManyItems = 200'000;
constexpr std::size_t kAttemptsOfMany = 3;

// Items between two looks at the budget.
constexpr std::size_t kItemsPerLook = 1024;

class Portfolio {
 public:
  Portfolio(const Instance& instance, std::int64_t target, Budget& budget)
      : instance_(instance),
        target_(target),
        budget_(budget),
        orders_(instance),
        occupied_(instance.slots),
        offsets_(instance.items.size()) {}

  Placement run() {
    const std::size_t attempts =
        instance_.items.size() > kManyItems ? kAttemptsOfMany : kAttempts.size();
    best_.height = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < attempts && best_.height > target_; ++i) {
      if (i != 0 && budget_.over()) {
        break;
      }
      attempt(kAttempts.at(i));
    }
    return std::move(best_);
  }

 private:
  void attempt(Attempt attempt) {
    occupied_.clear();
    std::int64_t height = 0;
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      const Item& item = instance_.items[i];
      if (item.fixed >= 0) {
        place(i, item.fixed, height);
      }
    }
    const bool is_first = best_.offsets.empty();
    std::size_t count = 0;
    for (const std::uint32_t i : orders_.make(attempt.order)) {
      if (++count % kItemsPerLook == 0) {
        // The first plan is finished in any case: there must be one.
        if (!budget_.take(kItemsPerLook) && !is_first) {
          return;
        }
      }
      const Item& item = instance_.items[i];
      place(i, hole(item, attempt.rule, count % 2 == 0), height);
      if (height >= best_.height) {
        return;
      }
    }
    budget_.take(count % kItemsPerLook);
    best_.offsets = offsets_;
    best_.height = height;
  }

  std::int64_t hole(const Item& item, Rule rule, bool from_above) const {
    switch (rule) {
      case Rule::kFirstGap:
        break;
      case Rule::kBestGap:
        return occupied_.best_gap(item);
      case Rule::kBothEnds: {
        const std::int64_t offset = from_above ? occupied_.last_gap(item, target_) : -1;
        if (offset >= 0) {
          return offset;
        }
        break;
      }
    }
    return occupied_.first_gap(item);
  }

  void place(std::size_t i, std::int64_t offset, std::int64_t& height) {
    const Item& item = instance_.items[i];
    offsets_[i] = offset;
    occupied_.add(item, offset);
    height = std::max(height, offset + item.size);
  }

  const Instance& instance_;
  std::int64_t target_;
  Budget& budget_;
  Orders orders_;
  Occupied occupied_;
  std::vector<std::int64_t> offsets_;
  Placement best_;
};

}  // namespace

Placement pack_greedily(const Instance& instance, std::int64_t target, Budget& budget) {
  if (instance.items.empty()) {
    return {};
  }
  return Portfolio(instance, target, budget).run();
}

}  // namespace memsize::plan
