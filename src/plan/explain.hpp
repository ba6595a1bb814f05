// Why a plan does not fit, and what would help.
#pragma once

#include "arenas.hpp"

#include <vector>

namespace memsize::plan {

/// What the planner came to.
struct Planned {
  /// An index into each slot's homes.
  std::vector<std::size_t> homes;
  /// Packed, by bank.
  std::vector<Arena> arenas;
  /// By bank, without scratch.
  std::vector<Load> loads;
  /// By bank, everything.
  std::vector<std::uint64_t> used;
};

/// Of every bank that holds more than it may. O(n log n); the remedies take a bounded number of
/// plans and searches more.
[[nodiscard]] std::vector<Shortage> explain(const Problem& problem,
                                            const model::PlanReport& wanted,
                                            const Planned& planned,
                                            bool with_remedies,
                                            Packer& packer);

}  // namespace memsize::plan
