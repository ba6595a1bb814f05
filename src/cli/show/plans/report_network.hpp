// A network on a cluster, for people and as JSON.
#pragma once

#include "memsize/app/plan.hpp"
#include "memsize/app/sweep.hpp"
#include "memsize/core/json.hpp"

#include <string>
#include <vector>

namespace memsize::cli {

/// "23 layers, input 1x16x8x8; 2 fusions, ...".
[[nodiscard]] std::string network_head(const network::Schedule& schedule);

/// A line each step that computes something.
[[nodiscard]] std::string network_text(const network::Schedule& schedule);

/// A line each value of the knob.
[[nodiscard]] std::string sweep_text(const app::Sweep& sweep, const std::vector<app::Swept>& rows);
[[nodiscard]] core::Json sweep_json(const app::Sweep& sweep, const std::vector<app::Swept>& rows);

[[nodiscard]] core::Json network_json(const network::Schedule& schedule);

}  // namespace memsize::cli
