// What is added to a figure before it is rounded.
#pragma once

#include "memsize/sizing/sizing.hpp"

namespace memsize::sizing {

/// The headroom on top of bytes that can vary, rounded up to a whole byte.
[[nodiscard]] core::Bytes headroom_for(const Headroom& headroom, core::Bytes variable);

}  // namespace memsize::sizing
