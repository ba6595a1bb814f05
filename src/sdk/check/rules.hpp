// The rules of a part that hold whoever laid out the map: what a board says about sizes, alignments
// and banks, and what the MMU's driver can build.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/sdk/view.hpp"

namespace memsize::sdk {

/// Adds layout.empty, layout.alignment, layout.bank, size.minimum, and of the MMU's entries
/// mmu.granule, mmu.entries, mmu.entry-size, mmu.congruence and mmu.tables. Nothing without a
/// board.
void check_rules(const View& view, core::Diagnostics& found);

}  // namespace memsize::sdk
