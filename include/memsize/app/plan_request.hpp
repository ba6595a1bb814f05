// What `plan` is asked for, and what comes of it.
#pragma once

#include "memsize/board/memories.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/model/plan.hpp"
#include "memsize/plan/planner.hpp"

#include <string>
#include <vector>

namespace memsize::app {

struct PlanRequest {
  /// Reports of one model, as compilers wrote them.
  std::vector<std::string> reports;
  std::string format;
  /// A part whose memories are planned into; empty: those that the reports know.
  std::string board;
  /// As typed; empty: no limit.
  std::string capacity;
  /// A file; empty: none.
  std::string rules;
  /// A peer by name; empty: the least that can be found.
  std::string planner;
  bool keep_offsets = false;
  std::vector<std::string> fixed;
  plan::PackLimits limits;
};

struct Planning {
  /// What the reports said.
  model::PlanReport wanted;
  /// The plan that they have is wrong, which is no measure for another.
  bool own_is_wrong = false;
  /// Offsets are kept that were not chosen here.
  bool keeps_offsets = false;
  board::MemorySet part;
  plan::PlanOutcome outcome;
  core::Diagnostics diagnostics;
};

}  // namespace memsize::app
