// Planners of other tools give what those tools are known to give.
#include "memsize/plan/named_planners.hpp"

#include "plan/packing_support.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::plan::named_planners_test {

namespace {

using core::Bytes;
using test::buffer;

std::vector<std::uint64_t> offsets_of(const Packing& packing) {
  std::vector<std::uint64_t> offsets;
  for (const Bytes offset : packing.offsets) {
    offsets.push_back(offset.count());
  }
  return offsets;
}

// The network that ARES publishes a plan of.
std::vector<Buffer> published_network() {
  return {buffer(0, 1, 784),
          buffer(0, 2, 12544),
          buffer(1, 3, 6272),
          buffer(2, 4, 6272),
          buffer(3, 5, 784),
          buffer(4, 6, 16),
          buffer(5, 6, 40)};
}

// The activations of MLPerf Tiny's visual wake words model: a chain of 32 buffers.
std::vector<Buffer> visual_wake_words() {
  const std::vector<std::uint64_t> sizes = {27648, 18432, 18432, 36864, 9216, 18432, 18432, 18432,
                                            4608,  9216,  9216,  9216,  2304, 4608,  4608,  4608,
                                            4608,  4608,  4608,  4608,  4608, 4608,  4608,  4608,
                                            1152,  2304,  2304,  2304,  256,  256,   16,    16};
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto step = static_cast<std::int64_t>(i);
    buffers.push_back(buffer(i == 0 ? 0 : step - 1, step + 1, sizes[i]));
  }
  return buffers;
}

TEST_SUITE("plan") {
  TEST_CASE("named planners: names lead to planners") {
    CHECK(planner_named("first-fit") == NamedPlanner::kFirstFit);
    CHECK(planner_named("greedy") == NamedPlanner::kGreedy);
    CHECK(planner_named("by-size") == NamedPlanner::kBySize);
    CHECK_FALSE(planner_named("").has_value());
    CHECK_FALSE(planner_named("Greedy").has_value());
    CHECK(named_planners().size() == 3);
    for (const NamedPlannerRow& row : named_planners()) {
      CHECK(planner_named(row.name) == row.planner);
      CHECK_FALSE(row.description.empty());
    }
  }

  TEST_CASE("first-fit: the plan that ARES publishes") {
    const std::vector<Buffer> buffers = published_network();
    std::uint64_t sum = 0;
    for (const Buffer& each : buffers) {
      sum += each.size.count();
    }
    CHECK(sum == 26712);
    const Packing packing = pack_with(NamedPlanner::kFirstFit, buffers);
    CHECK(offsets_of(packing) == std::vector<std::uint64_t>{12544, 0, 12544, 0, 6272, 0, 16});
    CHECK(packing.height == Bytes{18816});
    CHECK(packing.lower_bound == Bytes{18816});
    CHECK(packing.proof == Proof::kBound);
  }

  TEST_CASE("first-fit: the arena is a multiple of 4, offsets need not be aligned") {
    const Packing packing =
        pack_with(NamedPlanner::kFirstFit, {buffer(0, 1, 7, 16), buffer(0, 1, 2, 16)});
    CHECK(offsets_of(packing) == std::vector<std::uint64_t>{0, 7});
    CHECK(packing.height == Bytes{12});
    // Lower than any plan that keeps the alignments (56 B): that proves nothing.
    const Packing crooked =
        pack_with(NamedPlanner::kFirstFit, {buffer(0, 1, 24, 16), buffer(0, 1, 24, 16)});
    CHECK(crooked.height == Bytes{48});
    CHECK(crooked.lower_bound <= crooked.height);
    CHECK(crooked.proof == Proof::kBest);
  }

  TEST_CASE("by-size: what TensorFlow Lite Micro needs for a chain that needs less") {
    const std::vector<Buffer> buffers = visual_wake_words();
    const Packing packing = pack_with(NamedPlanner::kBySize, buffers);
    CHECK(packing.height == Bytes{64512});
    CHECK(packing.lower_bound == Bytes{55296});
    CHECK(packing.proof == Proof::kBest);
    CHECK(test::wrong_with(buffers, offsets_of(packing), 64512) == "");
  }

  TEST_CASE("by-size: holes are used, equal sizes keep their order") {
    // The second lies on the first; the third, alive with the second only, below it.
    const Packing packing =
        pack_with(NamedPlanner::kBySize, {buffer(0, 2, 30), buffer(1, 4, 20), buffer(3, 5, 10)});
    CHECK(offsets_of(packing) == std::vector<std::uint64_t>{0, 30, 0});
    const Packing equal =
        pack_with(NamedPlanner::kBySize, {buffer(0, 1, 8), buffer(0, 1, 8), buffer(0, 1, 9)});
    CHECK(offsets_of(equal) == std::vector<std::uint64_t>{9, 17, 0});
  }

  TEST_CASE("greedy: in the order of the first steps, the caller's within one") {
    const Packing packing =
        pack_with(NamedPlanner::kGreedy, {buffer(1, 2, 50), buffer(0, 1, 10), buffer(0, 2, 20)});
    // 10 and 20; the 10 has ended, but is too small.
    CHECK(offsets_of(packing) == std::vector<std::uint64_t>{30, 0, 10});
    // The largest first would have needed less.
    CHECK(packing.height == Bytes{80});
    CHECK(packing.lower_bound == Bytes{70});
  }

  TEST_CASE("greedy: free blocks melt together, and the topmost grows") {
    // 10 and 20 end; 30 fits where both were.
    const Packing merged =
        pack_with(NamedPlanner::kGreedy,
                  {buffer(0, 1, 10), buffer(0, 1, 20), buffer(0, 2, 5), buffer(1, 2, 30)});
    CHECK(offsets_of(merged) == std::vector<std::uint64_t>{0, 10, 30, 0});
    // 20 ends on top; 40 begins there and needs 20 more.
    const Packing grown =
        pack_with(NamedPlanner::kGreedy, {buffer(0, 2, 10), buffer(0, 1, 20), buffer(1, 2, 40)});
    CHECK(offsets_of(grown) == std::vector<std::uint64_t>{0, 10, 10});
    CHECK(grown.height == Bytes{50});
  }

  TEST_CASE("greedy and by-size: alignments are kept") {
    const std::vector<Buffer> buffers = {
        buffer(0, 2, 10, 16), buffer(0, 3, 5, 4), buffer(1, 3, 7, 32), buffer(2, 4, 3, 1)};
    for (const NamedPlanner planner : {NamedPlanner::kGreedy, NamedPlanner::kBySize}) {
      const Packing packing = pack_with(planner, buffers);
      CHECK(test::wrong_with(buffers, offsets_of(packing), packing.height.count()) == "");
    }
  }

  TEST_CASE("all: buffers with an offset keep it, and those that collide are told") {
    for (const NamedPlannerRow& row : named_planners()) {
      const std::vector<Buffer> buffers = {buffer(0, 2, 16),
                                           buffer(1, 3, 16, 1, 8),
                                           buffer(2, 4, 16),
                                           buffer(0, 1, 0, 1, 40),
                                           buffer(0, 1, 0)};
      const Packing packing = pack_with(row.planner, buffers);
      CHECK(test::wrong_with(buffers, offsets_of(packing), packing.height.count()) == "");
      CHECK(offsets_of(packing) == std::vector<std::uint64_t>{24, 8, 24, 40, 0});
      const Packing collision =
          pack_with(row.planner, {buffer(0, 2, 16, 1, 0), buffer(1, 3, 16, 1, 15)});
      CHECK(collision.proof == Proof::kInfeasible);
      CHECK(collision.offsets.empty());
      // One after the other, they may share their bytes.
      CHECK(pack_with(row.planner, {buffer(0, 2, 16, 1, 0), buffer(2, 3, 16, 1, 15)}).proof !=
            Proof::kInfeasible);
    }
  }

  TEST_CASE("all: no buffers, and plans of random ones") {
    test::Numbers numbers(3);
    for (const NamedPlannerRow& row : named_planners()) {
      CHECK(pack_with(row.planner, {}).height == Bytes{0});
      for (int round = 0; round < 100; ++round) {
        std::vector<Buffer> buffers;
        for (int i = 0; i < 30; ++i) {
          const auto lower = static_cast<std::int64_t>(numbers.below(20));
          const auto upper = lower + 1 + static_cast<std::int64_t>(numbers.below(8));
          buffers.push_back(buffer(lower, upper, 4 * numbers.below(30)));
        }
        const Packing packing = pack_with(row.planner, buffers);
        CHECK(test::wrong_with(buffers, offsets_of(packing), packing.height.count()) == "");
        CHECK(packing.height >= packing.lower_bound);
        CHECK((packing.proof == Proof::kBound) == (packing.height == packing.lower_bound));
      }
    }
  }
}

}  // namespace

}  // namespace memsize::plan::named_planners_test
