// The third translation beside linker map and MMU: the addresses that a core's C code converts
// before it hands them to other cores, and back.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/sdk/view.hpp"

#include "tree/reading.hpp"

namespace memsize::sdk {

/// Adds sdk.disagree where a region of the core's linker map is converted to another address than
/// it has on the bus, or back to another than the core sees it at; a warning where it is not
/// converted at all. Nothing for a core without such code.
void check_shared(const View& view, const CoreReading& core, core::Diagnostics& found);

}  // namespace memsize::sdk
