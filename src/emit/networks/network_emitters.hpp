// The emitters of networks that network_registry.cpp lists, and what they share.
#pragma once

#include "memsize/core/json.hpp"
#include "memsize/emit/network.hpp"

#include <vector>

namespace memsize::emit {

using core::Json;

core::Result<std::vector<Artifact>> render_checkpoints(const NetworkInput& input);
/// Its tables, with the Makefile.
core::Result<std::vector<Artifact>> render_tables(const NetworkInput& input);
/// What the tables are over, as it is, with a main() that compares layer by layer.
core::Result<std::vector<Artifact>> render_runtime(const NetworkInput& input);
/// What it loads and compares with.
core::Result<std::vector<Artifact>> render_binaries(const NetworkInput& input);

/// A step as ARES' layer_specs have it. `index` is that of its weights in the list of files which a
/// program loads; its bias is the next one.
[[nodiscard]] Json layer_spec(const network::Schedule& schedule,
                              const network::Step& step,
                              std::size_t index);

/// Tiles under the keys of ARES' calculators (codegen/gap9_model.py).
[[nodiscard]] Json tile_config(const network::Step& step);

}  // namespace memsize::emit
