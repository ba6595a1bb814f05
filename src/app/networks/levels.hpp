// Every consumer of a cluster's memories.
#pragma once

#include "memsize/app/check.hpp"
#include "memsize/board/memories.hpp"
#include "memsize/model/plan.hpp"
#include "memsize/network/schedule.hpp"

#include <optional>

namespace memsize::app {

/// A network's report becomes a plan of the part, and its schedule is returned; others stay as they
/// are. What planning says goes to the report.
[[nodiscard]] std::optional<network::Schedule> plan_to_check(Session& session,
                                                             const CheckRequest& request,
                                                             model::PlanReport& plan,
                                                             CheckReport& report);

/// Counts what the plan, the part and report.images take of each memory, where the part has tiles.
void count_levels(const model::PlanReport& plan,
                  const std::optional<network::Schedule>& schedule,
                  const board::MemorySet& part,
                  CheckReport& report);

}  // namespace memsize::app
