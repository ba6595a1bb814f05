// Greedy plans are plans, holes are those that a list of everything placed has, and what must reach
// the bound does.
#include "plan/packing_support.hpp"
#include "solve/greedy_occupied.hpp"
#include "solve/instance.hpp"
#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::plan::greedy_test {

namespace {

using test::buffer;

// Everything placed, by offset: looks at all of it for every question.
class PlacedList {
 public:
  void add(const Item& item, std::int64_t offset) {
    const auto at = std::upper_bound(
        placed_.begin(), placed_.end(), offset, [](std::int64_t value, const Placed& each) {
          return value < each.offset;
        });
    placed_.insert(at, Placed{item, offset});
  }

  // Holes in order, the last one without an end.
  [[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>> holes(const Item& item) const {
    std::vector<std::pair<std::int64_t, std::int64_t>> found;
    std::int64_t top = 0;
    for (const Placed& each : placed_) {
      if (each.item.lower >= item.upper || item.lower >= each.item.upper) {
        continue;
      }
      if (each.offset > top) {
        found.emplace_back(top, each.offset);
      }
      top = std::max(top, each.offset + each.item.size);
    }
    found.emplace_back(top, INT64_MAX);
    return found;
  }

 private:
  struct Placed {
    Item item;
    std::int64_t offset = 0;
  };

  std::vector<Placed> placed_;
};

// A budget looks at its limits as long as it lives.
const PackLimits kUnlimited;
const PackLimits kNoTime{.stop = [] { return true; }};

struct Planned {
  std::uint64_t height = 0;
  std::uint64_t bound = 0;
  std::string wrong;
};

Planned plan_of(const std::vector<Buffer>& buffers, const PackLimits& limits = kUnlimited) {
  const Instance instance = make_instance(buffers);
  const std::int64_t bound = lower_bound(instance);
  Budget budget(limits);
  (void)budget.take(0);
  const Placement placement = pack_greedily(instance, bound, budget);
  std::vector<std::uint64_t> offsets(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    offsets[i] = buffers[i].offset.value_or(core::Bytes{}).count();
  }
  for (std::size_t i = 0; i < placement.offsets.size(); ++i) {
    offsets[instance.buffers[i]] = static_cast<std::uint64_t>(placement.offsets[i]) * instance.unit;
  }
  Planned planned;
  planned.height = static_cast<std::uint64_t>(placement.height) * instance.unit;
  planned.bound = static_cast<std::uint64_t>(bound) * instance.unit;
  planned.wrong = test::wrong_with(buffers, offsets, planned.height);
  return planned;
}

TEST_SUITE("plan") {
  TEST_CASE("greedy: holes are those between everything placed") {
    test::Numbers numbers(4);
    for (int round = 0; round < test::rounds(200); ++round) {
      const auto slots = static_cast<std::int32_t>(1 + numbers.below(40));
      Instance instance;
      instance.slots = slots;
      Occupied occupied(instance);
      PlacedList list;
      for (std::size_t i = 0; i < 60; ++i) {
        Item item;
        item.lower = static_cast<std::int32_t>(numbers.below(static_cast<std::uint64_t>(slots)));
        item.upper = item.lower + 1 +
                     static_cast<std::int32_t>(
                         numbers.below(static_cast<std::uint64_t>(slots - item.lower)));
        item.size = static_cast<std::int64_t>(1 + numbers.below(20));
        item.alignment = std::int64_t{1} << numbers.below(round % 2 == 0 ? 1 : 5);
        const auto ceiling = static_cast<std::int64_t>(numbers.below(200));

        const auto align_up = [&](std::int64_t offset) {
          return (offset + item.alignment - 1) / item.alignment * item.alignment;
        };
        std::int64_t first = -1;
        std::int64_t best = -1;
        std::int64_t smallest = INT64_MAX;
        std::int64_t last = -1;
        for (const auto& [begin, end] : list.holes(item)) {
          const std::int64_t offset = align_up(begin);
          if (offset <= end - item.size) {
            first = first < 0 ? offset : first;
            if (best < 0 || end - begin < smallest) {
              best = offset;
              smallest = end == INT64_MAX ? INT64_MAX : end - begin;
            }
          }
          const std::int64_t room = std::min(end, ceiling) - item.size;
          if (room >= begin && room / item.alignment * item.alignment >= begin) {
            last = room / item.alignment * item.alignment;
          }
        }
        instance.items.push_back(item);
        REQUIRE(occupied.first_gap(i) == first);
        REQUIRE(occupied.best_gap(i) == best);
        const std::int64_t from_above = occupied.last_gap(i, ceiling);
        REQUIRE((from_above < 0 ? -1 : from_above) == last);

        const std::int64_t chosen = numbers.below(3) == 0   ? static_cast<std::int64_t>(ceiling)
                                    : numbers.below(2) == 0 ? first
                                                            : best;
        occupied.add(i, chosen);
        list.add(item, chosen);
      }
    }
  }

  TEST_CASE("greedy: what was forgotten is free") {
    Item item;
    item.upper = 3;
    item.size = 10;
    Instance instance;
    instance.slots = 3;
    instance.items.push_back(item);
    Occupied occupied(instance);
    occupied.add(0, 0);
    CHECK(occupied.first_gap(0) == 10);
    occupied.clear();
    CHECK(occupied.first_gap(0) == 0);
  }

  TEST_CASE("greedy: when somebody says stop, the first plan is no longer looked for") {
    std::vector<Buffer> many;
    for (std::int64_t i = 0; i < 5000; ++i) {
      Buffer next = buffer(i % 7, 7 + i % 5, 1 + static_cast<std::uint64_t>(i % 13));
      next.alignment = *core::Align::make(std::uint64_t{1} << (i % 3));
      many.push_back(next);
    }
    PackLimits limits;
    limits.steps = 1000;
    const Packing full = pack(many, limits);
    limits.stop = [] { return true; };
    std::size_t told = 0;
    limits.progress = [&](const PackProgress&) { ++told; };
    const Packing packing = pack(many, limits);
    CHECK(packing.steps < 3000);
    // Nor is it improved.
    CHECK(told == 1);
    CHECK(packing.height > full.height);
    CHECK(packing.height.count() < full.height.count() * 3 / 2);
    CHECK(packing.proof == Proof::kBest);
    std::vector<std::uint64_t> offsets;
    for (const core::Bytes offset : packing.offsets) {
      offsets.push_back(offset.count());
    }
    CHECK(test::wrong_with(many, offsets, packing.height.count()) == "");
  }

  TEST_CASE("greedy: a chain reaches its bound, whatever its sizes") {
    test::Numbers numbers(5);
    for (int round = 0; round < test::rounds(200); ++round) {
      std::vector<Buffer> chain;
      for (std::int64_t step = 0; step < 40; ++step) {
        chain.push_back(buffer(step, step + 2, 1 + numbers.below(1000)));
      }
      const Planned planned = plan_of(chain);
      CHECK(planned.wrong == "");
      CHECK(planned.height == planned.bound);
    }
  }

  TEST_CASE("greedy: nothing to plan, and one buffer") {
    CHECK(plan_of({}).height == 0);
    CHECK(plan_of({buffer(0, 1, 0)}).height == 0);
    CHECK(plan_of({buffer(0, 1, 17)}).height == 17);
    CHECK(plan_of({buffer(0, 1, 17, 1, 5)}).height == 22);
  }

  TEST_CASE("greedy: plans of random buffers, some aligned, some fixed, are plans") {
    test::Numbers numbers(6);
    int reached = 0;
    constexpr int kRounds = test::rounds(300);
    for (int round = 0; round < kRounds; ++round) {
      std::vector<Buffer> buffers;
      std::uint64_t fixed_end = 0;
      for (int i = 0; i < 40; ++i) {
        const auto lower = static_cast<std::int64_t>(numbers.below(30));
        const auto upper = lower + 1 + static_cast<std::int64_t>(numbers.below(10));
        const std::uint64_t size = numbers.below(100);
        const std::uint64_t alignment = round % 3 == 1 ? 1ULL << numbers.below(6) : 1;
        std::optional<std::uint64_t> offset;
        if (round % 3 == 2 && numbers.below(6) == 0) {
          // One above the other, so that they do not collide.
          offset = fixed_end + numbers.below(20);
          fixed_end = *offset + size;
        }
        buffers.push_back(buffer(lower, upper, size, alignment, offset));
      }
      const Planned planned = plan_of(buffers);
      CHECK(planned.wrong == "");
      CHECK(planned.height >= planned.bound);
      CHECK(plan_of(buffers, kNoTime).wrong == "");
      reached += planned.height == planned.bound ? 1 : 0;
    }
    // It is a greedy planner, but no bad one.
    CHECK(reached > kRounds / 5);
  }

  TEST_CASE("greedy: never below what is possible, and seldom above") {
    test::Numbers numbers(7);
    int best = 0;
    constexpr int kRounds = test::rounds(200);
    for (int round = 0; round < kRounds; ++round) {
      std::vector<Buffer> buffers;
      for (int i = 0; i < 6; ++i) {
        const auto lower = static_cast<std::int64_t>(numbers.below(6));
        const auto upper = lower + 1 + static_cast<std::int64_t>(numbers.below(4));
        const std::uint64_t alignment = round % 2 == 0 ? 1ULL << numbers.below(4) : 1;
        buffers.push_back(buffer(lower, upper, 1 + numbers.below(50), alignment));
      }
      const Planned planned = plan_of(buffers);
      const std::uint64_t least = test::least_height(buffers);
      CHECK(planned.wrong == "");
      CHECK(planned.height >= least);
      best += planned.height == least ? 1 : 0;
    }
    CHECK(best >= test::rounds(161));
  }

  TEST_CASE("greedy: a plan comes even without a budget, and the same one every time") {
    std::vector<Buffer> buffers;
    test::Numbers numbers(8);
    for (int i = 0; i < 3000; ++i) {
      const auto lower = static_cast<std::int64_t>(numbers.below(2000));
      const auto upper = lower + 1 + static_cast<std::int64_t>(numbers.below(200));
      buffers.push_back(buffer(lower, upper, 1 + numbers.below(5000)));
    }
    const Instance instance = make_instance(buffers);
    const std::int64_t bound = lower_bound(instance);
    PackLimits limits;
    limits.steps = 0;
    Budget none(limits);
    const Placement hasty = pack_greedily(instance, bound, none);
    REQUIRE(hasty.offsets.size() == buffers.size());
    CHECK(none.over());
    Budget first(kUnlimited);
    Budget second(kUnlimited);
    const Placement once = pack_greedily(instance, bound, first);
    const Placement again = pack_greedily(instance, bound, second);
    CHECK(once.offsets == again.offsets);
    CHECK(first.taken() == second.taken());
    CHECK(once.height <= hasty.height);
  }

  TEST_CASE("improve: lowers a plan, and the same steps give the same one") {
    std::vector<Buffer> buffers;
    test::Numbers numbers(9);
    for (int i = 0; i < 500; ++i) {
      const auto lower = static_cast<std::int64_t>(numbers.below(300));
      const auto upper = lower + 1 + static_cast<std::int64_t>(numbers.below(40));
      const std::uint64_t size = 1 + numbers.below(5000);
      const bool fixed = i % 100 == 0;
      buffers.push_back(fixed ? buffer(i, i + 1, size, 1, static_cast<std::uint64_t>(i))
                              : buffer(lower, upper, size, 1ULL << numbers.below(4)));
    }
    const Instance instance = make_instance(buffers);
    const std::int64_t bound = lower_bound(instance);
    Budget greedy(kUnlimited);
    const Placement before = pack_greedily(instance, bound, greedy);
    REQUIRE(before.height > bound);
    PackLimits limits;
    limits.steps = 300'000;
    std::vector<std::uint64_t> heights;
    limits.progress = [&](const PackProgress& progress) {
      heights.push_back(progress.height.count());
    };
    Budget budget(limits);
    Placement after = before;
    improve(instance, bound, bound, after, budget);
    CHECK(budget.over());
    CHECK(after.height < before.height);
    CHECK(after.height >= bound);
    CHECK(heights.back() == static_cast<std::uint64_t>(after.height) * instance.unit);
    CHECK(std::is_sorted(heights.rbegin(), heights.rend()));
    std::vector<std::uint64_t> offsets;
    for (const std::int64_t offset : after.offsets) {
      offsets.push_back(static_cast<std::uint64_t>(offset) * instance.unit);
    }
    CHECK(test::wrong_with(
              buffers, offsets, static_cast<std::uint64_t>(after.height) * instance.unit) == "");

    Budget same(limits);
    Placement again = before;
    improve(instance, bound, bound, again, same);
    CHECK(again.offsets == after.offsets);
    // Good enough is enough.
    Budget idle(limits);
    improve(instance, bound, after.height, again, idle);
    CHECK(idle.taken() == 0);
  }

  TEST_CASE("greedy: ends with the first plan that is low enough") {
    const std::vector<Buffer> buffers = {buffer(0, 2, 10), buffer(1, 3, 20), buffer(2, 4, 30)};
    const Instance instance = make_instance(buffers);
    Budget easy(kUnlimited);
    CHECK(pack_greedily(instance, 1000, easy).height <= 1000);
    CHECK(easy.taken() == buffers.size());
  }
}

}  // namespace

}  // namespace memsize::plan::greedy_test
