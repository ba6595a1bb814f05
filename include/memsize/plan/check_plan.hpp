// Whether a plan is right, whoever made it. Shares no code with the planner.
#pragma once

#include "memsize/board/memories.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/rule.hpp"
#include "memsize/model/plan.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memsize::plan {

/// A block that has a place: half-open in time and in bytes.
struct PlacedBuffer {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// Indices of two buffers that share a byte at the same time, the first in order of time; nothing:
/// there are none. O(n log n). Empty lifetimes and sizes share nothing.
struct Collision {
  std::size_t first = 0;
  std::size_t second = 0;
};

[[nodiscard]] std::optional<Collision> find_collision(const std::vector<PlacedBuffer>& buffers);

/// The largest sum of sizes alive at one step, and the first such step. O(n log n).
struct Peak {
  std::uint64_t bytes = 0;
  std::int64_t step = 0;
};

[[nodiscard]] Peak peak_of(const std::vector<PlacedBuffer>& buffers);

/// The least that blocks take, placed or not, by role and memory: of scratch what lives at once, of
/// the others all that have bytes of their own.
using LeastBytes = std::map<std::pair<model::Lifetime, std::string>, core::Bytes>;

[[nodiscard]] LeastBytes least_sizes(const model::PlanReport& report);
/// As if there were one memory, whose name is empty.
[[nodiscard]] LeastBytes least_sizes_together(const model::PlanReport& report);

/// How high an arena is, and how low it could be.
struct ArenaHeight {
  model::Lifetime role = model::Lifetime::kScratch;
  std::string memory;
  /// Blocks that have bytes of their own.
  std::size_t blocks = 0;
  /// Up to the end of the highest block.
  core::Bytes height;
  /// No plan of these blocks is lower; it may be that none reaches it. At least what lives at
  /// `step`, the first of the busiest ones.
  core::Bytes least;
  std::int64_t step = 0;
  /// Every block has an offset and a lifetime, so that the two can be compared.
  bool is_complete = false;
};

/// Of each arena that has blocks: scratch, persistent, constant, each by the memory's name.
[[nodiscard]] std::vector<ArenaHeight> heights_of(const model::PlanReport& report);

/// Every fault of the plan, as errors and warnings (codes plan.*): blocks alive together that share
/// bytes, alignment of base and slot, bounds against capacity, more than one source of a constant
/// arena, constants from volatile memory, staged constants that are not charged in their source,
/// aliases that lead nowhere or lie elsewhere, an output that dies before the end, totals against
/// sums. Of a part the capacities and properties of memories are taken; null: those of the report.
/// At most kPlanFaults a kind, then how many more there are. Notes (plan.gap) say which arenas are
/// higher than a bound. What the readers said stays in the report's own diagnostics.
inline constexpr std::size_t kPlanFaults = 20;

[[nodiscard]] core::Diagnostics check_plan(const model::PlanReport& report,
                                           const board::MemorySet* part);

/// What check_plan and check_image hold plans against.
[[nodiscard]] const std::vector<core::Rule>& plan_rules();

}  // namespace memsize::plan
