// What collides is judged a second time, here, by looking at every pair.
#include "judge/collisions.hpp"

#include "memsize/plan/check_plan.hpp"

#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::plan::collisions_test {

namespace {

using Buffers = std::vector<PlacedBuffer>;

bool share(const PlacedBuffer& a, const PlacedBuffer& b) {
  const bool in_time =
      a.lower < a.upper && b.lower < b.upper && a.lower < b.upper && b.lower < a.upper;
  const bool in_bytes =
      a.size != 0 && b.size != 0 && a.offset < b.offset + b.size && b.offset < a.offset + a.size;
  return in_time && in_bytes;
}

std::uint64_t count_pairs(const Buffers& buffers) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    for (std::size_t j = i + 1; j < buffers.size(); ++j) {
      count += share(buffers[i], buffers[j]) ? 1U : 0U;
    }
  }
  return count;
}

// The first step at which two share a byte.
std::int64_t first_step(const Buffers& buffers) {
  std::int64_t first = INT64_MAX;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    for (std::size_t j = i + 1; j < buffers.size(); ++j) {
      if (share(buffers[i], buffers[j])) {
        first = std::min(first, std::max(buffers[i].lower, buffers[j].lower));
      }
    }
  }
  return first;
}

Peak slow_peak(const Buffers& buffers) {
  std::map<std::int64_t, std::uint64_t> at;
  for (const PlacedBuffer& buffer : buffers) {
    for (std::int64_t step = buffer.lower; step < buffer.upper; ++step) {
      at[step] += buffer.size;
    }
  }
  Peak peak;
  for (const auto& [step, bytes] : at) {
    if (bytes > peak.bytes) {
      peak = {bytes, step};
    }
  }
  return peak;
}

// First fit: nothing collides, and much of it touches.
Buffers packed(std::mt19937& random, std::size_t count, std::int64_t steps) {
  Buffers buffers;
  for (std::size_t i = 0; i < count; ++i) {
    PlacedBuffer buffer;
    buffer.lower = static_cast<std::int64_t>(random() % static_cast<unsigned>(steps));
    buffer.upper = buffer.lower + 1 + static_cast<std::int64_t>(random() % 4);
    buffer.size = 1 + random() % 8;
    while (std::ranges::any_of(buffers, [&](const auto& other) { return share(other, buffer); })) {
      ++buffer.offset;
    }
    buffers.push_back(buffer);
  }
  return buffers;
}

}  // namespace

TEST_SUITE("plan") {
  TEST_CASE("Random plans: overlaps are told exactly where two share bytes") {
    std::mt19937 random{11};
    for (int round = 0; round < test::rounds(500); ++round) {
      const Buffers buffers = packed(random, 12, 8);
      model::PlanReport plan;
      plan.path = "plan.json";
      Buffers moved = buffers;
      if (round % 2 == 0) {
        moved[random() % moved.size()].offset = random() % 24;
      }
      for (const PlacedBuffer& buffer : moved) {
        model::PlannedBlock block;
        block.id = std::to_string(plan.blocks.size());
        block.memory = "sram";
        block.live = model::Interval{buffer.lower, buffer.upper};
        block.offset = core::Bytes{buffer.offset};
        block.size = core::Bytes{buffer.size};
        plan.blocks.push_back(std::move(block));
      }
      const bool has_fault = core::has_errors(check_plan(plan, nullptr));
      CHECK(has_fault == (count_pairs(moved) != 0));
    }
  }

  TEST_CASE("Buffers that only touch do not collide") {
    // In time.
    CHECK_FALSE(find_collision({{0, 1, 0, 8}, {1, 2, 0, 8}}));
    CHECK_FALSE(find_collision({{1, 2, 0, 8}, {0, 1, 0, 8}}));
    // In bytes, from both sides.
    CHECK_FALSE(find_collision({{0, 9, 0, 8}, {0, 9, 8, 8}}));
    CHECK_FALSE(find_collision({{0, 9, 8, 8}, {0, 9, 0, 8}, {3, 4, 16, 1}}));
    // By a corner.
    CHECK_FALSE(find_collision({{0, 1, 0, 8}, {1, 2, 7, 8}}));
    // By one byte in one step.
    const auto found = find_collision({{1, 3, 7, 8}, {0, 2, 0, 8}});
    REQUIRE(found);
    CHECK(found->first == 1);
    CHECK(found->second == 0);
  }

  TEST_CASE("What has no bytes or no time shares nothing") {
    CHECK_FALSE(find_collision({{0, 9, 0, 8}, {0, 9, 4, 0}}));
    CHECK_FALSE(find_collision({{0, 9, 0, 8}, {4, 4, 0, 8}, {5, 4, 0, 8}}));
    CHECK_FALSE(find_collision({}));
    CHECK(peak_of({{0, 9, 0, 8}, {4, 4, 0, 8}, {5, 4, 0, 8}}).bytes == 8);
    CHECK(peak_of({}).bytes == 0);
  }

  TEST_CASE("Numbers at the edge of 64 bits") {
    CHECK(find_collision(
        {{INT64_MIN, INT64_MAX, UINT64_MAX - 1, UINT64_MAX}, {0, 1, 0, UINT64_MAX}}));
    CHECK_FALSE(find_collision({{INT64_MIN, 0, 0, UINT64_MAX}, {0, INT64_MAX, 0, UINT64_MAX}}));
    const Peak peak = peak_of({{0, 2, 0, UINT64_MAX}, {0, 1, 0, UINT64_MAX}, {3, 4, 0, 5}});
    CHECK(peak.bytes == UINT64_MAX);
    CHECK(peak.step == 0);
  }

  TEST_CASE("Random buffers against a look at every pair") {
    std::mt19937 random{9};
    std::size_t colliding = 0;
    for (int round = 0; round < test::rounds(3000); ++round) {
      Buffers buffers;
      const std::size_t count = 1 + random() % 14;
      const std::uint64_t room = 8 + random() % 60;
      // Times that are close together are sorted in another way than those that are not.
      const std::int64_t apart = round % 2 == 0 ? 1 : 1000;
      for (std::size_t i = 0; i < count; ++i) {
        const auto lower = static_cast<std::int64_t>(random() % 12) - 4;
        buffers.push_back({lower * apart,
                           (lower + static_cast<std::int64_t>(random() % 5)) * apart,
                           random() % room,
                           random() % 9});
      }
      CAPTURE(round);
      const std::uint64_t pairs = count_pairs(buffers);
      const auto first = find_collision(buffers);
      REQUIRE(first.has_value() == (pairs != 0));
      if (first) {
        ++colliding;
        const PlacedBuffer& a = buffers[first->first];
        const PlacedBuffer& b = buffers[first->second];
        REQUIRE(share(a, b));
        CHECK(a.lower <= b.lower);
        CHECK(b.lower == first_step(buffers));
      }
      const Collisions all = list_collisions(buffers, 1000);
      CHECK(all.count == pairs);
      CHECK(all.pairs.size() == pairs);
      for (const Collision& pair : all.pairs) {
        CHECK(share(buffers[pair.first], buffers[pair.second]));
      }
      CHECK(list_collisions(buffers, 2).pairs.size() == std::min<std::uint64_t>(pairs, 2));
      CHECK(list_collisions(buffers, 2).count == pairs);
      const Peak fast = peak_of(buffers);
      const Peak slow = slow_peak(buffers);
      CHECK(fast.bytes == slow.bytes);
      CHECK((fast.step == slow.step || slow.bytes == 0));
    }
    CHECK(colliding > test::rounds(1000));
    CHECK(colliding < test::rounds(2900));
  }

  TEST_CASE("Of a plan without holes, one moved buffer is found") {
    std::mt19937 random{7};
    for (int round = 0; round < test::rounds(200); ++round) {
      Buffers buffers = packed(random, 40, 20);
      REQUIRE_FALSE(find_collision(buffers));
      PlacedBuffer& moved = buffers[random() % buffers.size()];
      moved.offset = random() % 30;
      CHECK(find_collision(buffers).has_value() == (count_pairs(buffers) != 0));
    }
  }
}

}  // namespace memsize::plan::collisions_test
