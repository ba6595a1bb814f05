// What one core makes of its linker map: its MMU, MPU, RAT and cache registers, the addresses that
// it converts for others, and the sections that its linker places.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/sdk/view.hpp"

#include "tree/reading.hpp"

namespace memsize::sdk {

/// Adds to `found` what sdk/check.hpp names for cores.
void check_core(const View& view, const CoreReading& core, core::Diagnostics& found);

}  // namespace memsize::sdk
