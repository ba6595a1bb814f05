// Any bytes as placement rules, as YAML and as TOML: errors with a place, or rules by which a small
// model is planned; what comes out is a plan that the checker accepts, unless it says what does not
// fit.
#include "memsize/plan/check_plan.hpp"
#include "memsize/plan/planner.hpp"

#include "check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

using memsize::fuzz::require;

namespace {

using memsize::core::Bytes;
using memsize::model::Lifetime;

memsize::model::PlannedBlock block(
    std::string id, Lifetime role, std::int64_t lower, std::int64_t upper, std::uint64_t size) {
  memsize::model::PlannedBlock made;
  made.id = std::move(id);
  made.role = role;
  made.memory = "default";
  if (role == Lifetime::kScratch) {
    made.live = memsize::model::Interval{lower, upper};
  }
  made.size = Bytes{size};
  return made;
}

memsize::model::PlanReport model() {
  memsize::model::PlanReport report;
  report.path = "model";
  report.blocks = {block("1", Lifetime::kScratch, 0, 2, 96),
                   block("2", Lifetime::kScratch, 1, 3, 48),
                   block("3", Lifetime::kScratch, 2, 4, 80),
                   block("4", Lifetime::kConstant, 0, 0, 40),
                   block("5", Lifetime::kConstant, 0, 0, 24),
                   block("6", Lifetime::kPersistent, 0, 0, 16)};
  return report;
}

memsize::board::PartMemory memory(std::string name, std::uint64_t size, std::uint32_t cost) {
  memsize::board::PartMemory made;
  made.name = std::move(name);
  made.hardware = Bytes{size};
  made.window = Bytes{size};
  made.base = memsize::core::PhysAddr{std::uint64_t{cost} << 28};
  made.cost = cost;
  return made;
}

memsize::board::MemorySet part() {
  memsize::board::MemorySet set;
  set.name = "part";
  set.memories = {memory("dtcm", 160, 1),
                  memory("sram", 256, 2),
                  memory("mram", 256, 4),
                  memory("psram", 512, 8)};
  set.memories[2].writable = false;
  set.memories[2].is_volatile = false;
  set.memories[3].is_volatile = false;
  set.memories[3].by_rule = true;
  return set;
}

void check_said(const memsize::core::Diagnostics& said) {
  for (const auto& problem : said) {
    require(!problem.message.empty(), "a finding has a message");
    const std::string text = problem.message + problem.hint;
    require(std::ranges::none_of(
                text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }),
            "a finding is printable");
  }
}

void check_rules(const std::string& text, const char* path) {
  auto rules = memsize::plan::read_rules(text, path);
  if (!rules) {
    require(memsize::core::has_errors(rules.error()), "a failure has errors");
    check_said(rules.error());
    return;
  }
  check_said(rules->diagnostics);
  memsize::plan::PlanOptions options;
  options.rules = std::move(*rules);
  options.limits.steps = 10'000;
  const memsize::board::MemorySet set = part();
  const auto outcome = memsize::plan::make_plan(model(), set, options);
  if (!outcome) {
    require(memsize::core::has_errors(outcome.error()), "a failure has errors");
    check_said(outcome.error());
    return;
  }
  check_said(outcome->diagnostics);
  auto faults = memsize::plan::check_plan(outcome->plan, &set);
  if (!outcome->shortages.empty()) {
    std::erase_if(faults,
                  [](const auto& fault) { return fault.code == memsize::core::Code::kPlanBounds; });
  }
  require(!memsize::core::has_errors(faults), "a plan is right");
}

}  // namespace

MEMSIZE_FUZZ_TARGET(plan_rules) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  check_rules(text, "rules.yaml");
  check_rules(text, "rules.toml");
  return 0;
}
