// Rows keep their word on how high they come, and pack what was cut out of a full arena, whose
// least height is known because it was.
#include "solve/rows.hpp"

#include "plan/packing_support.hpp"
#include "solve/instance.hpp"
#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::plan::rows_test {

namespace {

using test::buffer;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// An arena of 2^16 bytes, full at every step, cut into so many buffers: the largest first, across
// or along.
std::vector<Buffer> cut_arena(std::size_t count, std::int64_t steps, std::uint64_t seed) {
  struct Cut {
    std::int64_t lower, upper;
    std::uint64_t begin, end;

    [[nodiscard]] std::uint64_t area() const {
      return static_cast<std::uint64_t>(upper - lower) * (end - begin);
    }
  };

  test::Numbers numbers(seed);
  std::vector<Cut> cuts = {{0, steps, 0, 1 << 16}};
  while (cuts.size() < count) {
    std::ranges::pop_heap(cuts, {}, &Cut::area);
    const Cut cut = cuts.back();
    cuts.pop_back();
    const auto life = static_cast<std::uint64_t>(cut.upper - cut.lower);
    const std::uint64_t size = cut.end - cut.begin;
    // The first cuts go along, so that all lives hang together.
    Cut one = cut;
    Cut two = cut;
    if (life > 1 && cuts.size() > 2 && (numbers.below(2) == 0 || size < 2)) {
      one.upper = cut.lower + 1 + static_cast<std::int64_t>(numbers.below(life - 1));
      two.lower = one.upper;
    } else {
      one.end = cut.begin + 1 + numbers.below(size - 1);
      two.begin = one.end;
    }
    for (const Cut& part : {one, two}) {
      cuts.push_back(part);
      std::ranges::push_heap(cuts, {}, &Cut::area);
    }
  }
  std::vector<Buffer> buffers;
  for (const Cut& cut : cuts) {
    buffers.push_back(buffer(cut.lower, cut.upper, cut.end - cut.begin));
  }
  return buffers;
}

// Each as low as it can lie, by looking at every place above another one.
std::int64_t height_of(const Instance& instance, const std::vector<std::uint32_t>& order) {
  struct Placed {
    const Item* item;
    std::int64_t offset;
  };

  std::vector<Placed> all;
  std::int64_t height = 0;
  for (const std::uint32_t index : order) {
    const Item& item = instance.items[index];
    const auto is_free = [&](std::int64_t offset) {
      return std::ranges::none_of(all, [&](const Placed& other) {
        return other.item->lower < item.upper && item.lower < other.item->upper &&
               other.offset < offset + item.size && offset < other.offset + other.item->size;
      });
    };
    std::int64_t best = is_free(0) ? 0 : kNoLimit;
    for (const Placed& other : all) {
      const std::int64_t top = other.offset + other.item->size;
      const std::int64_t offset = (top + item.alignment - 1) / item.alignment * item.alignment;
      best = offset < best && is_free(offset) ? offset : best;
    }
    all.push_back({&item, best});
    height = std::max(height, best + item.size);
  }
  return height;
}

constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

const PackLimits kUnlimited;

}  // namespace

TEST_SUITE("plan") {
  TEST_CASE("rows: hold every item once, and come no higher than they say") {
    test::Numbers numbers(3);
    for (int round = 0; round < 60; ++round) {
      std::vector<Buffer> buffers;
      const std::uint64_t count = 1 + numbers.below(60);
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto lower = static_cast<std::int64_t>(numbers.below(30));
        const auto life = 1 + static_cast<std::int64_t>(numbers.below(12));
        buffers.push_back(
            buffer(lower, lower + life, 1 + numbers.below(300), 1ULL << numbers.below(4)));
      }
      const Instance instance = make_instance(buffers);
      Budget budget(kUnlimited);
      Rows rows{instance, budget};
      const RowRule rule{.covered = round % 2 == 0 ? 0 : 5000, .noise = round % 3};
      Random random(1);
      const std::vector<std::uint32_t> order = rows.make(rule, kNoLimit, kNoEnd, random);
      std::vector<std::uint32_t> sorted = order;
      std::ranges::sort(sorted);
      std::vector<std::uint32_t> every(instance.items.size());
      std::iota(every.begin(), every.end(), 0U);
      REQUIRE(sorted == every);
      // Below the height that this order comes to, it says that it would reach the limit.
      const std::int64_t height = height_of(instance, order);
      random = Random(1);
      CHECK(rows.make(rule, height, kNoEnd, random).empty());
      // And once it says that it stays below one, it does.
      for (std::int64_t limit = height + 1; limit < 2 * height; limit += 1 + height / 16) {
        random = Random(1);
        const std::vector<std::uint32_t> again = rows.make(rule, limit, kNoEnd, random);
        CHECK((again.empty() || again == order));
      }
    }
  }

  TEST_CASE("rows: what is cut to fit is laid without a gap") {
    // Two along, and each of them in two across: one row upon the other.
    const std::vector<Buffer> buffers = {
        buffer(0, 7, 40), buffer(3, 9, 60), buffer(0, 3, 60), buffer(7, 9, 40)};
    const Instance instance = make_instance(buffers);
    Budget budget(kUnlimited);
    Placement best;
    best.height = kNoLimit;
    RowSearch rows{instance, 1, 1, best, budget, 1};
    CHECK(rows.run(1, 1000));
    CHECK(static_cast<std::uint64_t>(best.height) * instance.unit == 100);
  }

  TEST_CASE("rows: a full arena of a thousand buffers comes within a fourth of its height") {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const std::vector<Buffer> buffers = cut_arena(1000, 500, seed);
      PackLimits limits;
      limits.steps = 300'000;
      const Packing packing = pack(buffers, limits);
      REQUIRE(packing.lower_bound == core::Bytes{1 << 16});
      CAPTURE(packing.height.count());
      CHECK(packing.height.count() * 4 <= packing.lower_bound.count() * 5);
      std::vector<std::uint64_t> offsets;
      for (const core::Bytes offset : packing.offsets) {
        offsets.push_back(offset.count());
      }
      CHECK(test::wrong_with(buffers, offsets, packing.height.count()).empty());
      CHECK(pack(buffers, limits).offsets == packing.offsets);
    }
  }

  TEST_CASE("rows: come among the first orders of what is large and full") {
    const std::vector<Buffer> buffers = cut_arena(6000, 3000, 7);
    const Instance instance = make_instance(buffers);
    const std::int64_t bound = lower_bound(instance);
    PackLimits limits;
    // One order and one pass.
    limits.steps = 300'000;
    Budget budget(limits);
    const Placement plan = pack_greedily(instance, bound, budget);
    CAPTURE(plan.height);
    CHECK(plan.height * 4 <= bound * 5);
  }

  TEST_CASE("rows: end with their steps, and where somebody says stop") {
    const Instance instance = make_instance(cut_arena(2000, 1000, 5));
    PackLimits limits;
    limits.steps = 10;
    Budget budget(limits);
    Random random(1);
    CHECK(Rows{instance, budget}.make({}, kNoLimit, kNoEnd, random).empty());
    CHECK(budget.over());
    Budget idle(kUnlimited);
    CHECK(Rows{instance, idle}.make({}, kNoLimit, 10, random).empty());
    CHECK(idle.taken() < 100);
    CHECK(Rows{instance, idle}.make({}, kNoLimit, steps_of_pass(instance), random).size() ==
          instance.items.size());
    const std::uint64_t taken = idle.taken();
    Placement best;
    best.height = kNoLimit;
    RowSearch rows{instance, 1, 1, best, idle, 1};
    CHECK_FALSE(rows.run(10, 0));
    CHECK(idle.taken() == taken);
  }
}

}  // namespace memsize::plan::rows_test
