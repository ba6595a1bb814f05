// Plans the memory of a whole model: which block goes to which memory, and where in there.
#pragma once

#include "memsize/board/memories.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/model/plan.hpp"
#include "memsize/plan/pack.hpp"
#include "memsize/plan/rules.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memsize::plan {

struct PlanOptions {
  PackLimits limits;
  /// Of named_planners.hpp; empty: the least height that can be found.
  std::string planner;
  /// Blocks stay in the memories that the report names, and constants come from where it says,
  /// unless a rule says otherwise; else each goes to the cheapest memory that has room.
  bool keep_memories = false;
  /// Offsets that the report has already are kept; else only those of blocks with `fixed` ids.
  bool keep_offsets = false;
  std::vector<std::string> fixed;
  Rules rules;
  /// By memory, what lies at its beginning and is somebody else's: arenas begin behind it.
  std::map<std::string, core::Bytes> taken;
  /// Whether shortages come with remedies, which takes planning again and again.
  bool with_remedies = true;
  /// Parts to try, for "would fit on"; asked for where the plan does not fit.
  std::function<std::vector<board::MemorySet>()> others;
};

/// A memory that has not enough room, and what would help.
struct Shortage {
  std::string memory;
  /// By the best plan that is known.
  core::Bytes needed;
  /// It is proved that no plan needs less.
  bool is_least = false;
  core::Bytes budget;
  /// The busiest step of its scratch arena, and who is alive then, largest first.
  std::int64_t step = 0;
  std::vector<std::size_t> live;
  /// The largest blocks of the memory, at most five; indices into the plan's blocks.
  std::vector<std::size_t> largest;
  /// The smallest changes that were found to do, in words. Where slots have a choice of memories,
  /// they are changes to the whole plan: the same for all its shortages.
  std::vector<std::string> remedies;
};

struct PlanOutcome {
  /// The wanted blocks with memories and offsets, and the arenas that they make: scratch, then
  /// persistent, then constant, each by memory name (heliaAOT's order of region ids).
  model::PlanReport plan;
  /// Empty: it fits.
  std::vector<Shortage> shortages;
  /// It is proved that no plan fits; else none was found.
  bool infeasible = false;
  /// The parts among `others` that it would fit on.
  std::vector<std::string> fits_on;
  /// Warnings and notes: those of the rules, what could not be kept, what was assumed.
  core::Diagnostics diagnostics;
  /// By memory, where its arenas begin: 0, or behind what options.taken says.
  std::map<std::string, core::Bytes> begins;
  std::uint64_t steps = 0;
  bool interrupted = false;
};

/// Plans `wanted` into the memories of `part`. A part without memories means one memory called
/// "default" without a limit but that of the options. Errors are of input that nobody can plan:
/// scratch blocks without a lifetime, rules that ask for a memory that is not there.
[[nodiscard]] core::Result<PlanOutcome> make_plan(const model::PlanReport& wanted,
                                                  const board::MemorySet& part,
                                                  const PlanOptions& options);

}  // namespace memsize::plan
