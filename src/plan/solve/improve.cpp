// What is too large to search exactly.
//
// Considered: taking items that stick out and making room for them by moving what is in their way.
// With thousands of items that are alive together, moving one evicts several, which evict others:
// thousands of moves later more sticks out than before. Also considered: swapping neighbours in the
// order of a greedy planner, which mostly changes nothing, at the price of a whole plan.
//
// Chosen: to take what stuck out earlier and plan again, as the greedy portfolio does a few times,
// but for as long as the budget lasts. What an order leaves above the ceiling is a handful of items
// that it underrated; after some rounds it has learned them, or keeps exchanging one for another
// and another order does better. So orders take turns, each for a few rounds, then for more. The
// ceiling varies between the target and the best plan: a high one names only the worst. Where
// nothing is free anywhere that learns nothing, and rows do better (rows.cpp): between turns some
// are laid.
#include "greedy_builder.hpp"
#include "greedy_orders.hpp"
#include "instance.hpp"
#include "rows.hpp"

#include <array>
#include <limits>

namespace memsize::plan {

namespace {

constexpr std::array kStarts = {
    Order::kBreadthThenLifetime,
    Order::kLifetime,
    Order::kBreadth,
    Order::kCompany,
    Order::kSizeThenBegin,
    Order::kBreadthThenArea,
    Order::kBegin,
    Order::kArea,
};

// Rows take as many times as many steps as a turn did where they helped, and a part of them where
// they did not.
constexpr std::uint64_t kRowsMore = 4;
// Not the rows that pack() laid before.
constexpr std::uint64_t kSeed = 2;

// Of an order's first turn; each later turn has as many more.
constexpr int kRounds = 8;

class Improver {
 public:
  Improver(const Instance& instance,
           std::int64_t bound,
           std::int64_t target,
           Placement& best,
           Budget& budget)
      : instance_(instance),
        bound_(bound),
        target_(target),
        best_(best),
        budget_(budget),
        orders_(instance),
        builder_(instance, budget),
        rows_(instance, bound, target, best, budget, kSeed) {}

  void run(int turns) {
    bool rows_help = true;
    for (int turn = 1; turn <= turns && best_.height > target_ && !budget_.over(); ++turn) {
      const std::uint64_t begin = budget_.taken();
      for (const Order start : kStarts) {
        // Every other turn in short steps.
        const Promotion promotion = turn % 2 != 0 ? Promotion::kFar : Promotion::kSteady;
        if (!learn(orders_.make(start), promotion, turn * kRounds)) {
          return;
        }
      }
      const std::uint64_t learned = budget_.taken() - begin;
      rows_help = rows_.run(std::numeric_limits<std::uint64_t>::max(),
                            rows_help ? learned * kRowsMore : learned / kRowsMore);
    }
  }

 private:
  // False when there is nothing left to do.
  bool learn(std::vector<std::uint32_t> order, Promotion promotion, int rounds) {
    for (int round = 0; round < rounds && best_.height > target_; ++round) {
      const std::int64_t ceiling = round % 2 == 0 ? target_ : between();
      // A round costs something even where every item is fixed.
      if (!budget_.take() ||
          !builder_.build(
              order, Rule::kFirstGap, ceiling, std::numeric_limits<std::int64_t>::max(), false)) {
        return false;
      }
      if (builder_.height() < best_.height) {
        best_.offsets = builder_.offsets();
        best_.height = builder_.height();
        budget_.report(in_bytes(instance_, best_.height), in_bytes(instance_, bound_));
      }
      order = promoted(order, builder_.failed(), promotion, random_);
    }
    return best_.height > target_;
  }

  [[nodiscard]] std::int64_t between() {
    constexpr std::int64_t kParts = 1024;
    const std::int64_t room = best_.height - 1 - target_;
    return target_ + room / kParts * random_.below(kParts) + random_.below(room % kParts + 1);
  }

  const Instance& instance_;
  std::int64_t bound_;
  std::int64_t target_;
  Placement& best_;
  Budget& budget_;
  Orders orders_;
  Builder builder_;
  RowSearch rows_;
  Random random_{1};
};

}  // namespace

void improve(const Instance& instance,
             std::int64_t bound,
             std::int64_t target,
             Placement& best,
             Budget& budget,
             int turns) {
  if (!instance.items.empty()) {
    Improver(instance, bound, target, best, budget).run(turns);
  }
}

}  // namespace memsize::plan
