// Where the buffers of one arena lie: no two need the same byte at the same time, and the arena
// is as small as can be found, with what that finding proves.
#pragma once

#include "memsize/core/bytes.hpp"
#include "memsize/core/names.hpp"
#include "memsize/model/plan.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace memsize::plan {

/// One buffer of an arena. It lives from the beginning of step `lower` to the beginning of step
/// `upper`, so that [0, 1) and [1, 2) may share bytes; lower < upper.
struct Buffer {
  std::int64_t lower = 0;
  std::int64_t upper = 1;
  core::Bytes size;
  core::Align alignment;
  /// Where it must lie, if somebody decided already.
  std::optional<core::Bytes> offset;
  /// As model::PlannedBlock::windows: what it needs when. It ends at its size all the same. Empty:
  /// all of its bytes, all the time.
  std::vector<model::Window> windows;
};

/// What the height of an arena is known to be.
enum class Proof {
  /// The least possible: it equals the lower bound.
  kBound,
  /// The least possible: a complete search found nothing lower.
  kExhausted,
  /// The least that was found.
  kBest,
  /// There is no plan: fixed buffers collide, or nothing stays within the capacity.
  kInfeasible,
};

using core::name_of;

constexpr auto names_of(Proof /*all*/) {
  return std::to_array<std::string_view>({"bound", "exhausted", "best", "infeasible"});
}

struct PackProgress {
  core::Bytes height;
  core::Bytes lower_bound;
  std::uint64_t steps = 0;
};

struct PackLimits {
  /// Any height up to here is as good as another; nothing: the least.
  std::optional<core::Bytes> capacity;
  /// How many steps a search may take. What a step is, is the search's own; the same steps give the
  /// same plan on every machine.
  std::uint64_t steps = 20'000'000;
  /// Instead of steps, which makes the plan depend on the machine.
  std::optional<std::chrono::milliseconds> time;
  /// Asked now and then; true: the best so far is the answer.
  std::function<bool()> stop;
  /// Told now and then.
  std::function<void(const PackProgress&)> progress;
};

struct Packing {
  /// One for each buffer, in their order. Of an infeasible problem: the best that is known, above
  /// the capacity, or empty where fixed buffers collide.
  std::vector<core::Bytes> offsets;
  core::Bytes height;
  /// No plan can be lower.
  core::Bytes lower_bound;
  Proof proof = Proof::kBest;
  std::uint64_t steps = 0;
  /// `stop` ended it.
  bool interrupted = false;
};

/// The sum of what is needed at the busiest step, and of what fixed and aligned buffers
/// need at least. O(n log n).
[[nodiscard]] core::Bytes lower_bound(const std::vector<Buffer>& buffers);

/// The plan is the same for the same buffers in the same order. Sizes and offsets must stay below
/// 2^62 together (the caller checks); buffers of no bytes lie at their fixed offset or at 0.
///
/// Example:
///     const std::vector<plan::Buffer> buffers = {
///         {.lower = 0, .upper = 2, .size = core::Bytes{100}},
///         {.lower = 1, .upper = 3, .size = core::Bytes{60}},
///         {.lower = 2, .upper = 4, .size = core::Bytes{40}}};
///     const plan::Packing packing = plan::pack(buffers, {});
///     assert(packing.height == core::Bytes{160});
///     assert(packing.proof == plan::Proof::kBound);
[[nodiscard]] Packing pack(const std::vector<Buffer>& buffers, const PackLimits& limits);

}  // namespace memsize::plan
