// A network's report becomes what a planner can plan.
#pragma once

#include "memsize/app/session.hpp"
#include "memsize/board/memories.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/model/plan.hpp"
#include "memsize/network/schedule.hpp"

#include <string>
#include <vector>

namespace memsize::app {

/// Whether the report lists layers, and nothing of memory.
[[nodiscard]] bool is_network(const model::PlanReport& report);

/// Shapes and blocks of each layer, by what the report says and, where it lies in a folder, by the
/// arrays beside it: weights/LAYER_weight_int8.npy, LAYER_bias_fp32.npy, and the input of
/// test_cases/test_case_*. Nothing is cut or fused yet. Errors: those of network::layers_of(), and
/// arrays that are not the layers'.
[[nodiscard]] core::Result<void> complete_network(Session& session, model::PlanReport& report);

/// How a completed network runs on a part that has tiles; its blocks are those of the schedule
/// then.
[[nodiscard]] core::Result<network::Schedule> schedule_network(model::PlanReport& report,
                                                               const board::MemorySet& part,
                                                               network::TileChoice choice);

}  // namespace memsize::app
