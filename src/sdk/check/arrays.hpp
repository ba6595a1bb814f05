// The heaps and other memory that a core's C code declares, against the regions of its linker map.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include "tree/reading.hpp"

namespace memsize::sdk {

/// Adds sdk.disagree where an array does not fit the region that its section goes to, or has the
/// size of another region of the core; a warning where it leaves a part of the region that nothing
/// else goes to. Nothing for a section that goes to no region, or to several.
void check_arrays(const CoreReading& core, core::Diagnostics& found);

}  // namespace memsize::sdk
