// A network's report becomes what a planner can plan.
#pragma once

#include "memsize/app/session.hpp"
#include "memsize/board/memories.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/network.hpp"
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

/// What a network's program loads, and what its layers must make.
struct NetworkArrays {
  emit::NetworkData data;
  /// The files that were read.
  std::vector<std::string> paths;
};

/// Of a folder as ARES' extractor leaves it: weights/LAYER_weight_int8.npy, LAYER_bias_fp32.npy,
/// test_cases/test_case_3 or test_case_1 with input_int8.npy (or input_fp32.npy, which is
/// quantised), intermediate_int8/LAYER_int8.npy and output_fp32.npy. What is not there is left
/// out. Errors: arrays of other types.
[[nodiscard]] core::Result<NetworkArrays> read_network_arrays(Session& session,
                                                              const std::string& folder,
                                                              const network::Schedule& schedule);

}  // namespace memsize::app
