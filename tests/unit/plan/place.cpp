// Two memories against brute force.
#include "memsize/plan/check_plan.hpp"
#include "memsize/plan/planner.hpp"

#include "support.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::plan::place_test {

namespace {

struct Piece {
  bool persistent = false;
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  std::uint64_t size = 0;
  std::uint64_t alignment = 1;
  std::uint64_t uses = 1;
};

std::uint64_t up(std::uint64_t value, std::uint64_t by) {
  return (value + by - 1) / by * by;
}

// Of every order, each piece as low as it can be: one of them is the lowest plan of all.
std::uint64_t least_height(const std::vector<Piece>& pieces) {
  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::uint64_t least = UINT64_MAX;
  do {
    std::vector<std::uint64_t> at(pieces.size(), 0);
    std::uint64_t height = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Piece& piece = pieces[order[i]];
      std::uint64_t offset = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t j = 0; j < i; ++j) {
          const Piece& other = pieces[order[j]];
          const bool together =
              piece.persistent || (piece.lower < other.upper && other.lower < piece.upper);
          const bool share =
              offset < at[order[j]] + other.size && at[order[j]] < offset + piece.size;
          if (together && share) {
            offset = up(at[order[j]] + other.size, piece.alignment);
            moved = true;
          }
        }
      }
      at[order[i]] = offset;
      height = std::max(height, offset + piece.size);
    }
    least = std::min(least, height);
  } while (std::ranges::next_permutation(order).found);
  return pieces.empty() ? 0 : least;
}

// What a bank holds: persistent pieces, and scratch from the next multiple of 16.
std::uint64_t needed_by(const std::vector<Piece>& pieces, unsigned chosen) {
  std::array<std::vector<Piece>, 2> kinds;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if ((chosen >> i & 1U) != 0) {
      kinds[pieces[i].persistent ? 1 : 0].push_back(pieces[i]);
    }
  }
  const std::uint64_t steady = least_height(kinds[1]);
  return kinds[0].empty() ? steady : up(steady, 16) + least_height(kinds[0]);
}

model::PlannedBlock block_of(const Piece& piece, std::string id) {
  model::PlannedBlock block;
  block.id = std::move(id);
  block.memory = "default";
  block.size = core::Bytes{piece.size};
  block.alignment = core::Align::make(piece.alignment);
  block.uses = piece.uses;
  if (piece.persistent) {
    block.role = model::Lifetime::kPersistent;
  } else {
    block.live = model::Interval{piece.lower, piece.upper};
  }
  return block;
}

board::PartMemory memory(std::string name, std::uint64_t size, std::uint32_t cost) {
  board::PartMemory made;
  made.name = std::move(name);
  made.hardware = core::Bytes{size};
  made.window = core::Bytes{size};
  made.base = core::PhysAddr{std::uint64_t{cost} << 28};
  made.cost = cost;
  return made;
}

}  // namespace

TEST_SUITE_BEGIN("plan");

TEST_CASE("two memories: fits exactly where brute force says so, at the least cost") {
  test::Random random{42};
  std::size_t fitting = 0;
  constexpr int kProblems = 1500;
  for (int problem = 0; problem < kProblems; ++problem) {
    CAPTURE(problem);
    const std::size_t count = 1 + random.below(6);
    std::vector<Piece> pieces;
    model::PlanReport report;
    report.path = "model.csv";
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Piece piece;
      piece.persistent = random.below(5) == 0;
      piece.lower = static_cast<std::int64_t>(random.below(5));
      piece.upper = piece.lower + 1 + static_cast<std::int64_t>(random.below(3));
      piece.size = 1 + random.below(40);
      piece.alignment = std::uint64_t{1} << random.below(4);
      piece.uses = random.below(6);
      sum += piece.size;
      pieces.push_back(piece);
      report.blocks.push_back(block_of(piece, "t" + std::to_string(i)));
    }
    const std::uint64_t near = random.below(sum + 4);
    const std::uint64_t far = random.below(sum + 4);
    std::optional<std::uint64_t> least;
    const unsigned all = (1U << count) - 1;
    for (unsigned chosen = 0; chosen <= all; ++chosen) {
      if (needed_by(pieces, chosen) <= near && needed_by(pieces, all & ~chosen) <= far) {
        std::uint64_t price = 0;
        for (std::size_t i = 0; i < count; ++i) {
          price += (chosen >> i & 1U) != 0 ? 0 : pieces[i].uses * pieces[i].size;
        }
        least = std::min(least.value_or(price), price);
      }
    }
    board::MemorySet set;
    set.name = "zx9";
    set.memories = {memory("near", near, 1), memory("far", far, 2)};
    const auto outcome = make_plan(report, set, {});
    REQUIRE_MESSAGE(outcome.has_value(), test::all_text(outcome.error()));
    REQUIRE(outcome->shortages.empty() == least.has_value());
    // It is claimed only where the order of the arenas in a memory cannot matter.
    REQUIRE((!outcome->infeasible || !least.has_value()));
    if (!least) {
      continue;
    }
    ++fitting;
    // The checker shares no code with the planner.
    const core::Diagnostics faults = check_plan(outcome->plan, &set);
    CHECK_MESSAGE(!core::has_errors(faults), test::all_text(faults));
    std::uint64_t price = 0;
    for (std::size_t i = 0; i < count; ++i) {
      price += outcome->plan.blocks[i].memory == "far" ? pieces[i].uses * pieces[i].size : 0;
    }
    REQUIRE(price == *least);
  }
  // Both kinds were met often.
  CHECK(fitting > kProblems / 5);
  CHECK(fitting < kProblems * 4 / 5);
}

TEST_SUITE_END();

}  // namespace memsize::plan::place_test
