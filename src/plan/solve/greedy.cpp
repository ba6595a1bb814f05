// A plan by taking the buffers one by one: which next, and into which hole.
//
// No order is good for every program. Taking what is alive in the busiest slot first reaches the
// bound on nearly all large programs, taking the largest first is better for some, and a chain,
// each layer's output being the next one's input, needs the two ends of the arena in turns. So a
// portfolio is tried, the most promising first, and mostly the first is enough. What a plan leaves
// above the target says what should have come earlier: moving only those items up and planning
// again mends a good order in a round or two, where another order would begin from nothing. Where a
// large first plan is far above the target, nearly nothing is free anywhere: no order helps much
// there, rows do (rows.cpp), and one pass of them takes no longer than an order.
#include "greedy_builder.hpp"
#include "greedy_orders.hpp"
#include "instance.hpp"
#include "rows.hpp"

#include <array>
#include <limits>
#include <utility>

namespace memsize::plan {

namespace {

struct Attempt {
  Order order;
  Rule rule;
  int repairs;
};

// The most promising first.
constexpr std::array kAttempts = {
    Attempt{Order::kBreadth, Rule::kFirstGap, 2},
    Attempt{Order::kBreadthThenLifetime, Rule::kFirstGap, 2},
    Attempt{Order::kChain, Rule::kBothEnds, 0},
    Attempt{Order::kSizeThenBegin, Rule::kFirstGap, 1},
    Attempt{Order::kCompany, Rule::kFirstGap, 1},
    Attempt{Order::kBreadthThenArea, Rule::kFirstGap, 0},
    Attempt{Order::kLifetime, Rule::kFirstGap, 1},
    Attempt{Order::kSize, Rule::kFirstGap, 0},
    Attempt{Order::kArea, Rule::kFirstGap, 0},
    Attempt{Order::kBegin, Rule::kFirstGap, 0},
    Attempt{Order::kEnd, Rule::kFirstGap, 0},
    Attempt{Order::kBreadth, Rule::kBestGap, 0},
    Attempt{Order::kBreadthThenLifetime, Rule::kBestGap, 0},
    Attempt{Order::kLifetime, Rule::kBestGap, 0},
    Attempt{Order::kSizeThenBegin, Rule::kBestGap, 0},
    Attempt{Order::kSize, Rule::kBestGap, 0},
    Attempt{Order::kCompany, Rule::kBestGap, 0},
    Attempt{Order::kBegin, Rule::kBestGap, 0},
};

// Looking at every hole takes ten times as long as finding the first, and with more than so many
// items repairs are worth more.
constexpr std::size_t kManyItems = 5'000;

// The part of the target that a first plan is far above it by.
constexpr std::int64_t kShareOfFar = 8;
constexpr std::uint64_t kRowSeed = 3;

class Portfolio {
 public:
  Portfolio(const Instance& instance, std::int64_t target, Budget& budget)
      : instance_(instance),
        target_(target),
        budget_(budget),
        orders_(instance),
        builder_(instance, budget) {}

  Placement run() {
    const std::size_t count = instance_.items.size();
    for (const Attempt& attempt : kAttempts) {
      if (attempt.rule == Rule::kBestGap && count > kManyItems) {
        continue;
      }
      if (done()) {
        break;
      }
      try_order(attempt);
    }
    return std::move(best_);
  }

 private:
  [[nodiscard]] bool done() const {
    return !best_.offsets.empty() && (best_.height <= target_ || budget_.over());
  }

  void try_order(const Attempt& attempt) {
    std::vector<std::uint32_t> order = orders_.make(attempt.order);
    Random random(1);
    for (int round = 0; round <= attempt.repairs && !done(); ++round) {
      // Only a plan that is finished says what to repair.
      const bool is_first = best_.offsets.empty();
      const bool to_be_repaired = round < attempt.repairs;
      const std::int64_t limit =
          to_be_repaired || is_first ? std::numeric_limits<std::int64_t>::max() : best_.height - 1;
      if (!builder_.build(order, attempt.rule, target_, limit, is_first)) {
        return;
      }
      if (is_first || builder_.height() < best_.height) {
        best_.offsets = builder_.offsets();
        best_.height = builder_.height();
      }
      if (is_first) {
        lay_rows();
      }
      if (to_be_repaired && !done()) {
        order = promoted(order, builder_.failed(), Promotion::kFar, random);
      }
    }
  }

  void lay_rows() {
    if (instance_.items.size() > kManyItems && !budget_.late() &&
        best_.height - target_ > target_ / kShareOfFar) {
      RowSearch{instance_, target_, target_, best_, budget_, kRowSeed}.run(
          1, steps_of_pass(instance_));
    }
  }

  const Instance& instance_;
  std::int64_t target_;
  Budget& budget_;
  Orders orders_;
  Builder builder_;
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
