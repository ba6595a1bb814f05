// Entries that do not follow the map: registers, and memories of a core or of the chip. Where a
// tree moves one of them, what it was for is left to the entries below it.
#pragma once

#include "memsize/sdk/view.hpp"

#include "tree/reading.hpp"

namespace memsize::sdk {

/// Holds what the core programs against the fixed entries of the board: what it has one to one must
/// be one to one, what it has as memory must be memory, and run code where it runs code there.
/// Findings are mmu.coverage and mpu.cache.
void check_fixed(const View& view, const CoreReading& core, core::Diagnostics& found);

}  // namespace memsize::sdk
