// One demand: which models count, and what each figure is.
#pragma once

#include "candidate.hpp"
#include "failures.hpp"
#include "live.hpp"

#include <vector>

namespace memsize::sizing {

/// Everything known of one core.
struct CoreWork {
  const model::CoreRecording& recorded;
  const std::vector<Candidate>& candidates;
  const std::vector<SharedContext>& contexts;
  const LiveModels& live;
  const std::vector<FailedRecord>& failed;
};

[[nodiscard]] Demand make_demand(const Work& work,
                                 const CoreWork& core,
                                 const board::DemandKey& key);

/// Of a space that no knob sizes: the model that needs most.
[[nodiscard]] OnChipDemand make_onchip_demand(const Work& work,
                                              const CoreWork& core,
                                              const board::DemandKey& key);

}  // namespace memsize::sizing
