// What holds of every plan that a reader gives, whatever the text.
#pragma once

#include "memsize/core/text.hpp"
#include "memsize/model/plan.hpp"
#include "memsize/plan/check_plan.hpp"
#include "memsize/readers/plan_reader.hpp"

#include "check.hpp"

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace memsize::fuzz {

inline void require_plan(const model::PlanReport& report) {
  require(!core::has_errors(report.diagnostics), "a report has warnings only");
  std::set<std::string_view> ids;
  core::Bytes total;
  for (const model::PlannedBlock& block : report.blocks) {
    require(!block.id.empty() && ids.insert(block.id).second, "each block has an id of its own");
    require(core::is_utf8(block.id) && core::is_utf8(block.name), "names are texts");
    require(!block.memory.empty(), "each block has a memory");
    require(block.source_memory != block.memory, "a source is another memory");
    require(block.size <= model::kLargestPlan, "a size is that of a plan");
    total += block.size;
    if (block.offset) {
      require(*block.offset + block.size <= model::kLargestPlan, "a block ends in a plan");
    }
    if (block.live) {
      require(block.live->lower < block.live->upper, "a lifetime is not empty");
      require(block.live->lower >= -model::kLastStep && block.live->upper <= model::kLastStep,
              "a lifetime is of steps");
    }
  }
  const auto roots = model::roots_of(report.blocks);
  require(roots.size() == report.blocks.size(), "every block has a root or none");
  (void)plan::check_plan(report, nullptr);
  std::set<std::pair<std::string_view, model::Lifetime>> arenas;
  for (const model::PlannedArena& arena : report.arenas) {
    require(arenas.emplace(arena.memory, arena.role).second, "a role has one arena in a memory");
  }
}

/// Reads with that reader and returns the report, if there is one.
inline core::Result<model::PlanReport> read_as(std::string_view text, const char* format) {
  auto report = readers::read_plan(text, "p", format);
  if (report) {
    require_plan(*report);
    return report;
  }
  require(core::has_errors(report.error()), "a failure has errors");
  for (const core::Diagnostic& error : report.error()) {
    require(!error.message.empty(), "an error says something");
  }
  return report;
}

}  // namespace memsize::fuzz
