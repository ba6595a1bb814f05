// What the cores of a map see through what they are told.
#pragma once

#include "memsize/chip/lens.hpp"
#include "memsize/layout/memory_map.hpp"
#include "memsize/layout/translation.hpp"

#include <vector>

namespace memsize::layout {

/// A layer is an index of `ranges`, or of `regions`, whose order is that of their numbers.
[[nodiscard]] chip::Lens lens_of(const MmuTable& table);
[[nodiscard]] chip::Lens lens_of(const MpuTable& table);
/// As if there were no other regions than fixed ones.
[[nodiscard]] chip::Lens lens_of_fixed(const MpuTable& table);

/// The entries of a core after later ones have overridden earlier ones, by virtual address.
[[nodiscard]] std::vector<Translation> effective(const MmuTable& table);

/// Whether the entries and the tables that the driver builds from them say the same, for every
/// core; tables that overflow say nothing. Where the checks found nothing, a difference is a
/// mistake of memsize.
[[nodiscard]] bool tables_agree(const MemoryMap& map);

}  // namespace memsize::layout
