// resolve() for the search that looks at thousands of maps.
#pragma once

#include "memsize/layout/memory_map.hpp"

namespace memsize::layout {

/// resolve() without what cores that have no MMU program: the map has no MPU and no RAT tables.
[[nodiscard]] core::Result<MemoryMap> resolve_for_mmu(const board::Board& board,
                                                      const board::KnobValues& set);

}  // namespace memsize::layout
