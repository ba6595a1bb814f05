// Layers that run as one: the patterns of ARES (codegen/optimization), in its order.
#pragma once

#include "memsize/network/schedule.hpp"

#include <vector>

namespace memsize::network {

/// The steps with those that can run together as one. What a pattern reads must be what the step
/// before it wrote, in the same buffer; a convolution takes a pool only where it is one tile.
[[nodiscard]] std::vector<Step> fused(const std::vector<Step>& steps);

}  // namespace memsize::network
