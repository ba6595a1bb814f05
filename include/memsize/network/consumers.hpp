// What a network takes of its memories besides the arenas that a planner places.
#pragma once

#include "memsize/model/network.hpp"
#include "memsize/network/levels.hpp"
#include "memsize/network/schedule.hpp"

#include <string>
#include <utility>
#include <vector>

namespace memsize::network {

/// By memory, as LevelInputs::own has them.
using Consumers = std::vector<std::pair<std::string, LevelConsumer>>;

/// The tiles of the layer that needs most of L1; weights and slabs are blocks of the plan.
[[nodiscard]] Consumers consumers_of(const Schedule& schedule);

/// The same of the layers of a checkpoint, by the keys of ARES, whose plan has activations only:
/// weights that are in L2, the largest of those that are staged, and what NE16 has of its own.
[[nodiscard]] Consumers consumers_of(const model::Network& checkpoint);

}  // namespace memsize::network
