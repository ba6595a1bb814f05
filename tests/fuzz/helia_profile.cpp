// Any bytes as a profile: errors with a place, or cycles by which constants of a small model are
// staged; what comes out is a plan that the checker accepts.
#include "memsize/plan/check_plan.hpp"
#include "memsize/plan/stage_advice.hpp"
#include "memsize/readers/profile_reader.hpp"

#include "check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

using memsize::fuzz::require;

namespace {

using memsize::core::Bytes;

memsize::model::PlanReport profiled_model() {
  memsize::model::PlanReport report{.path = "model"};
  for (const auto& [id, size] : {std::pair{"4", 400}, std::pair{"5", 24}, std::pair{"6", 1000}}) {
    report.blocks.push_back({.id = id,
                             .role = memsize::model::Lifetime::kConstant,
                             .memory = "default",
                             .size = Bytes{static_cast<std::uint64_t>(size)}});
  }
  report.network.operators = {{.id = "0", .reads = {"4", "5"}, .passes = 1},
                              {.id = "1", .reads = {"6"}, .passes = 7}};
  return report;
}

memsize::board::MemorySet profiled_part() {
  memsize::board::MemorySet set{.name = "part"};
  set.memories.push_back({.name = "near",
                          .hardware = Bytes{1200},
                          .window = Bytes{1200},
                          .base = memsize::core::PhysAddr{0x20000000},
                          .cost = 1});
  set.memories.push_back({.name = "flash",
                          .hardware = Bytes{1 << 16},
                          .window = Bytes{1 << 16},
                          .base = memsize::core::PhysAddr{0},
                          .writable = false,
                          .is_volatile = false,
                          .cost = 4});
  return set;
}

}  // namespace

MEMSIZE_FUZZ_TARGET(helia_profile) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto profile = memsize::readers::read_profile(text, "profile.csv");
  if (!profile) {
    require(!profile.error().empty(), "a profile fails without an error");
    return 0;
  }
  const auto staged = memsize::plan::plan_staged(
      profiled_model(), profiled_part(), {}, {.memories = {{}}, .profiles = {*profile}});
  if (staged) {
    const auto set = profiled_part();
    const auto faults = memsize::plan::check_plan(staged->outcome.plan, &set);
    require(!memsize::core::has_errors(faults), "a plan with staged constants is wrong");
  }
  return 0;
}
