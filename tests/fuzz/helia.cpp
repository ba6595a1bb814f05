// Any bytes as each of heliaAOT's reports: errors, or blocks that every check and planner may take.
#include "memsize/plan/check_plan.hpp"
#include "memsize/readers/plan_reader.hpp"

#include "check.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

using memsize::fuzz::require;

namespace {

using memsize::core::Bytes;
using memsize::model::PlanReport;

void require_sound(const PlanReport& report) {
  namespace model = memsize::model;
  require(!memsize::core::has_errors(report.diagnostics), "a report has warnings only");
  std::set<std::string_view> ids;
  for (const model::PlannedBlock& block : report.blocks) {
    require(!block.id.empty() && ids.insert(block.id).second, "ids are there once");
    require(!block.memory.empty(), "a block is in a memory");
    require(block.source_memory != block.memory, "a source is another memory");
    require(block.size <= model::kLargestPlan, "no size is too large");
    require(!block.offset || *block.offset + block.size <= model::kLargestPlan,
            "no block ends too far");
    require(!block.live ||
                (block.live->lower < block.live->upper && block.live->lower >= -model::kLastStep &&
                 block.live->upper <= model::kLastStep),
            "a lifetime is one");
  }
  for (const model::PlannedArena& arena : report.arenas) {
    require(!arena.memory.empty(), "an arena is in a memory");
  }
  const auto roots = model::roots_of(report.blocks);
  require(roots.size() == report.blocks.size(), "every block has a root or none");
  for (const model::PlannedBlock* root : roots) {
    require(root == nullptr || root->alias_of.empty(), "a root is no alias");
  }
}

}  // namespace

MEMSIZE_FUZZ_TARGET(helia) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  for (const char* format :
       {"", "helia-residency", "helia-manifest", "helia-layers", "helia-log"}) {
    const auto report = memsize::readers::read_plan(text, "plan.json", format);
    if (!report) {
      require(memsize::core::has_errors(report.error()), "a failure has errors");
      continue;
    }
    require_sound(*report);
    (void)memsize::plan::check_plan(*report, nullptr);
    const PlanReport twice = memsize::model::combine({*report, *report});
    require_sound(twice);
    require(twice.blocks.size() == report->blocks.size(), "a report adds nothing to itself");
    require(twice.diagnostics.size() == 2 * report->diagnostics.size(),
            "a report does not contradict itself");
  }
  return 0;
}
