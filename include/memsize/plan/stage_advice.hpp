// Which constants are worth a copy in faster memory: what is read where it lies in flash (cold)
// costs time at every read, what start-up copies (staged) costs room twice.
#pragma once

#include "memsize/board/memories.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/names.hpp"
#include "memsize/model/plan.hpp"
#include "memsize/plan/planner.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::plan {

/// A memory to copy constants to.
struct StageWish {
  /// Empty: the part's cheapest that can be written.
  std::string memory;
  /// Of all copies there; nothing: what the rest of the plan leaves.
  std::optional<core::Bytes> limit;
};

struct StageWishes {
  /// In this order; none: nothing is copied but what rules say.
  std::vector<StageWish> memories;
  /// Cycles by operator. None: by the part's ranks. One: of a run in which all constants were cold,
  /// or as they are. Two: all cold, then all staged, whose difference is what staging saves.
  std::vector<std::vector<model::LayerTime>> profiles;
};

/// What gains are counted in.
enum class StageMeasure : std::uint8_t {
  /// Bytes, times how often a run reads them; which memory is the faster, the part's costs say.
  kRanks,
  /// Cycles of the operators that read the constants.
  kCycles,
  /// Cycles that a second run took less.
  kSavedCycles,
};

constexpr auto names_of(StageMeasure) {
  return std::to_array<std::string_view>({"ranks", "cycles", "saved cycles"});
}

struct StagedConstant {
  /// Index into the report's blocks.
  std::size_t block = 0;
  /// With the padding behind it.
  core::Bytes size;
  double gain = 0;
};

/// What goes to one memory.
struct StageAdvice {
  std::string memory;
  /// Empty: nothing was worth it.
  std::string source_memory;
  std::vector<StagedConstant> staged;
  /// The best that stays cold because there is no room for it, and how much is missing.
  std::optional<StagedConstant> next;
  core::Bytes missing;
  /// It is proved that no other choice gains more.
  bool is_best = true;
};

struct StagedPlan {
  PlanOutcome outcome;
  StageMeasure measure = StageMeasure::kRanks;
  /// One a wish.
  std::vector<StageAdvice> advice;
  /// All that there is to gain: of a profile its cycles.
  double whole = 0;
};

/// Plans `wanted` with the constants staged that gain most. A constant has the gain of the
/// operators whose largest constant it is: what is small beside it stays cold. Constants that a
/// rule is about are the rule's. Everything else stays in the memory that it would have without
/// copies. Errors: those of make_plan; plan.memory for wishes that the part cannot fulfil;
/// plan.rule where profiles are of another model.
[[nodiscard]] core::Result<StagedPlan> plan_staged(const model::PlanReport& wanted,
                                                   const board::MemorySet& part,
                                                   const PlanOptions& options,
                                                   const StageWishes& wishes);

}  // namespace memsize::plan
