// Files of a network that is planned on a cluster.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/artifact.hpp"
#include "memsize/model/plan.hpp"
#include "memsize/network/schedule.hpp"

#include <string>
#include <vector>

namespace memsize::emit {

struct NetworkInput {
  const network::Schedule& schedule;
  /// Of the schedule's blocks.
  const model::PlanReport& plan;
  /// When the files are made, as ARES writes it ("2026-11-24T08:00:00Z"); empty: they do not say.
  std::string created_utc;
};

using NetworkEmitter = EmitterOf<NetworkInput>;

[[nodiscard]] const std::vector<NetworkEmitter>& all_network_emitters();

/// As render_module() of a module.
[[nodiscard]] core::Result<std::vector<Artifact>> render_network(
    const NetworkInput& input, const std::vector<std::string>& only);

}  // namespace memsize::emit
