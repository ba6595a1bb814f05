// Slots and units keep what matters, bounds are never above what can be reached, and budgets end
// where they were told to.
#include "solve/instance.hpp"

#include "plan/packing_support.hpp"
#include "support.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::plan::instance_test {

namespace {

using core::Bytes;
using test::buffer;

TEST_SUITE("plan") {
  TEST_CASE("instance: a slot is a moment at which the most are alive") {
    // A chain: each beginning is an end.
    const Instance chain =
        make_instance({buffer(10, 30, 8), buffer(20, 40, 16), buffer(30, 50, 24)});
    CHECK(chain.slots == 2);
    CHECK(chain.items[0].lower == 0);
    CHECK(chain.items[0].upper == 1);
    CHECK(chain.items[1].lower == 0);
    CHECK(chain.items[1].upper == 2);
    CHECK(chain.items[2].lower == 1);
    CHECK(chain.items[2].upper == 2);
    // Everything begins before anything ends: one slot, however many times there are.
    CHECK(make_instance({buffer(0, 9, 1), buffer(1, 8, 1), buffer(2, 7, 1)}).slots == 1);
    CHECK(make_instance({}).slots == 0);
    CHECK(make_instance({buffer(0, 1, 0)}).slots == 0);
  }

  TEST_CASE("instance: times may be anywhere") {
    const Instance ends = make_instance(
        {buffer(INT64_MIN, 0, 1), buffer(0, INT64_MAX, 1), buffer(INT64_MIN, INT64_MAX, 1)});
    CHECK(ends.slots == 2);
    CHECK(lower_bound(ends) == 2);
  }

  TEST_CASE("instance: buffers of no bytes are left out") {
    const Instance instance = make_instance({buffer(0, 1, 0), buffer(0, 1, 6), buffer(0, 2, 0)});
    REQUIRE(instance.items.size() == 1);
    CHECK(instance.buffers == std::vector<std::size_t>{1});
    CHECK(instance.unit == 6);
    CHECK(instance.items[0].size == 1);
  }

  TEST_CASE("instance: two items share a slot if and only if they are alive together") {
    test::Numbers numbers(1);
    for (int round = 0; round < test::rounds(300); ++round) {
      std::vector<Buffer> buffers;
      for (std::uint64_t i = 0; i < 12; ++i) {
        const auto lower = static_cast<std::int64_t>(numbers.below(15));
        buffers.push_back(
            buffer(lower, lower + 1 + static_cast<std::int64_t>(numbers.below(6)), 1));
      }
      const Instance instance = make_instance(buffers);
      std::vector<bool> used(static_cast<std::size_t>(instance.slots));
      for (std::size_t i = 0; i < buffers.size(); ++i) {
        const Item& a = instance.items[i];
        REQUIRE(0 <= a.lower);
        REQUIRE(a.lower < a.upper);
        REQUIRE(a.upper <= instance.slots);
        used[static_cast<std::size_t>(a.lower)] = true;
        for (std::size_t j = 0; j < i; ++j) {
          const Item& b = instance.items[j];
          CHECK((a.lower < b.upper && b.lower < a.upper) ==
                test::alive_together(buffers[i], buffers[j]));
        }
      }
      // Something begins in each.
      CHECK(std::ranges::count(used, false) == 0);
    }
  }

  TEST_CASE("instance: the unit divides sizes, fixed offsets, and alignments that bind") {
    CHECK(make_instance({buffer(0, 1, 48), buffer(0, 1, 96)}).unit == 48);
    // 16 divides 48: a plan in multiples of 48 keeps it for nothing.
    const Instance free = make_instance({buffer(0, 1, 48, 16), buffer(0, 1, 96, 8)});
    CHECK(free.unit == 48);
    CHECK_FALSE(free.has_alignment);
    CHECK(free.items[0].alignment == 1);
    // 64 does not.
    const Instance bound = make_instance({buffer(0, 1, 48, 16), buffer(0, 1, 96, 64)});
    CHECK(bound.unit == 16);
    CHECK(bound.has_alignment);
    CHECK(bound.items[0].alignment == 1);
    CHECK(bound.items[1].alignment == 4);
    CHECK(bound.items[1].size == 6);
    // Nobody moves a fixed buffer, so its alignment binds nothing.
    const Instance fixed = make_instance({buffer(0, 1, 48, 64, 72), buffer(0, 1, 96)});
    CHECK(fixed.unit == 24);
    CHECK(fixed.has_fixed);
    CHECK_FALSE(fixed.has_alignment);
    CHECK(fixed.items[0].fixed == 3);
    CHECK(fixed.items[1].fixed < 0);
  }

  TEST_CASE("bound: what is alive together, and where fixed buffers end") {
    CHECK(lower_bound(std::vector<Buffer>{}) == Bytes{0});
    CHECK(lower_bound({buffer(0, 2, 100), buffer(1, 3, 50), buffer(2, 4, 120)}) == Bytes{170});
    // An end and a beginning at the same time.
    CHECK(lower_bound({buffer(0, 1, 100), buffer(1, 2, 100)}) == Bytes{100});
    CHECK(lower_bound({buffer(0, 1, 100), buffer(5, 6, 10, 1, 200)}) == Bytes{210});
  }

  TEST_CASE("bound: every aligned buffer but the topmost takes its size rounded up") {
    // 64 + 64 + 10: the one that leaves the most is on top.
    CHECK(lower_bound({buffer(0, 1, 40, 64), buffer(0, 1, 60, 64), buffer(0, 1, 10, 64)}) ==
          Bytes{138});
    // One that is not aligned may lie in between: no more than the sum is certain.
    CHECK(lower_bound({buffer(0, 1, 40, 64), buffer(0, 1, 60, 64), buffer(0, 1, 24)}) ==
          Bytes{124});
    // They are not alive together.
    CHECK(lower_bound({buffer(0, 1, 40, 64), buffer(1, 2, 60, 64)}) == Bytes{60});
  }

  TEST_CASE("bound: few items of mixed alignments are stacked in every order") {
    // 7 B are alive, and the aligned ones come to 5. But what lies between them ends at 6 at best.
    const std::vector<Buffer> three = {buffer(0, 1, 5), buffer(0, 1, 1, 4), buffer(0, 1, 1, 4)};
    CHECK(plan::lower_bound(three) == Bytes{9});
    const Packing packing = pack(three, {});
    CHECK(packing.height == Bytes{9});
    CHECK(packing.proof == Proof::kBound);
  }

  TEST_CASE("bound: windows count where they are, and their buffer in all of its bytes") {
    Buffer part = buffer(0, 4, 10);
    part.windows = {{{0, 1}, Bytes{2}, Bytes{6}}, {{2, 4}, Bytes{0}, Bytes{3}}};
    CHECK(plan::lower_bound({part}) == Bytes{10});
    CHECK(plan::lower_bound({part, buffer(0, 1, 7), buffer(1, 2, 9), buffer(3, 4, 6)}) ==
          Bytes{11});
    const Packing packing = pack({part, buffer(1, 2, 10)}, {});
    CHECK(packing.height == Bytes{10});
    CHECK(packing.proof == Proof::kBound);
  }

  TEST_CASE("bound: no plan is lower") {
    test::Numbers numbers(2);
    int reached = 0;
    constexpr int kRounds = test::rounds(400);
    for (int round = 0; round < kRounds; ++round) {
      std::vector<Buffer> buffers;
      const std::uint64_t count = 1 + numbers.below(6);
      const bool aligned = round % 2 == 0;
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto lower = static_cast<std::int64_t>(numbers.below(5));
        const auto upper = lower + 1 + static_cast<std::int64_t>(numbers.below(3));
        buffers.push_back(
            buffer(lower, upper, 1 + numbers.below(40), aligned ? 1ULL << numbers.below(6) : 1));
      }
      const std::uint64_t least = test::least_height(buffers);
      CHECK(lower_bound(buffers).count() <= least);
      reached += lower_bound(buffers).count() == least ? 1 : 0;
    }
    // It is worth having.
    CHECK(reached > kRounds * 8 / 10);
  }

  TEST_CASE("bound: sizes near the largest that are allowed") {
    constexpr std::uint64_t kHuge = 1ULL << 61;
    CHECK(lower_bound({buffer(0, 1, kHuge - 1), buffer(0, 1, kHuge - 3)}) == Bytes{2 * kHuge - 4});
    CHECK(lower_bound({buffer(0, 1, 3, 1ULL << 63)}) == Bytes{3});
  }

  TEST_CASE("budget: ends after its steps, on every machine") {
    PackLimits limits;
    limits.steps = 10'000;
    Budget budget(limits);
    CHECK(budget.take(9'999));
    CHECK(budget.take());
    CHECK_FALSE(budget.over());
    CHECK_FALSE(budget.take());
    CHECK(budget.over());
    CHECK_FALSE(budget.interrupted());
    CHECK_FALSE(budget.take(0));
  }

  TEST_CASE("budget: a time limit replaces the steps") {
    PackLimits limits;
    limits.steps = 1;
    limits.time = std::chrono::hours{1};
    Budget patient(limits);
    CHECK(patient.take(1'000'000));
    limits.time = std::chrono::milliseconds{0};
    Budget hasty(limits);
    CHECK_FALSE(hasty.take(1'000'000));
    CHECK_FALSE(hasty.interrupted());
    // So far ahead that a clock cannot say it.
    limits.time = std::chrono::milliseconds::max();
    Budget endless(limits);
    CHECK(endless.take(1'000'000));
  }

  TEST_CASE("budget: somebody may say stop") {
    PackLimits limits;
    int asked = 0;
    limits.stop = [&] { return ++asked == 3; };
    Budget budget(limits);
    std::uint64_t steps = 0;
    while (budget.take()) {
      REQUIRE(++steps < 100'000);
    }
    CHECK(budget.interrupted());
    CHECK(asked == 3);
  }

  TEST_CASE("budget: progress is told with every better plan, and now and then") {
    PackLimits limits;
    std::vector<PackProgress> told;
    limits.progress = [&](const PackProgress& progress) { told.push_back(progress); };
    Budget budget(limits);
    budget.take(7);
    budget.report(Bytes{200}, Bytes{100});
    REQUIRE(told.size() == 1);
    CHECK(told[0].height == Bytes{200});
    CHECK(told[0].lower_bound == Bytes{100});
    CHECK(told[0].steps == 7);
    for (int i = 0; i < 1'000'000; ++i) {
      budget.take();
    }
    CHECK(told.size() > 2);
    CHECK(told.size() < 1'000);
    CHECK(told.back().height == Bytes{200});
    CHECK(told.back().steps > 500'000);
  }
}

}  // namespace

}  // namespace memsize::plan::instance_test
