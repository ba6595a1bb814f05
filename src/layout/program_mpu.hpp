// From what a core must see to the regions of its MPU.
#pragma once

#include "memsize/layout/memory_map.hpp"

namespace memsize::layout {

/// Adds the computed regions behind the fixed ones that the table has, where its areas can be
/// expressed at all.
void program_mpu(const MemoryMap& map, MpuTable& table);

/// Whether the area can be part of a region: below 4 GiB, on multiples of 32 bytes.
[[nodiscard]] bool is_expressible(const MpuArea& area);

/// Whether the region is a power of two from 32 bytes to 4 GiB, on a multiple of its size.
[[nodiscard]] bool is_legal(const MpuRegion& region);

}  // namespace memsize::layout
