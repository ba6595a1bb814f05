// What the reports of all cores and a look from outside come to.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/runtime/report.hpp"
#include "memsize/runtime/run.hpp"

#include "machine.hpp"
#include "plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memsize::runtime {

/// The two runs of a core.
struct CoreReports {
  Report first;
  Report second;
};

struct JudgeInput {
  const Subject& subject;
  const Plan& plan;
  const BoardMemory& memory;
  const Machine& machine;
  /// By core number; those that did not run have no verdict.
  const std::vector<CoreReports>& reports;
};

/// What is wrong, a line for each core, region and kind of finding, with the first place of it.
[[nodiscard]] core::Diagnostics judge_reports(const JudgeInput& input);

/// What each core wrote must be where the map has it, and Linux's memory untouched: read from the
/// board's memory, not asked of any image. `looked` counts the places.
[[nodiscard]] core::Diagnostics judge_memory(const JudgeInput& input, std::uint64_t& looked);

}  // namespace memsize::runtime
