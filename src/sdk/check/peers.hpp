// Cores of one part against each other, and the sections of each against its linker map.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/sdk/view.hpp"

namespace memsize::sdk {

/// Adds sdk.disagree for a region that stands in the linker map of another core than it is named
/// after, for an MMU entry that other cores have with another size, and for a section that is
/// placed into a region that its linker map lacks.
void check_peers(const View& view, core::Diagnostics& found);

}  // namespace memsize::sdk
