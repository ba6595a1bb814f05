// How messages name MPU regions and RAT entries.
#pragma once

#include "memsize/chip/entry.hpp"
#include "memsize/emit/written.hpp"

#include <string>

namespace memsize::emit {

/// "3 'DRAM'".
[[nodiscard]] std::string named(const chip::MpuRegionFields& region);

/// "[0xC0000000, 0xE0000000) to 0x900000000".
[[nodiscard]] std::string entry_text(const chip::RatEntryFields& entry);

/// "'SHARED', [0xC0000000, 0xE0000000) to 0x900000000,".
[[nodiscard]] std::string entry_named(const WrittenRatEntry& entry);

}  // namespace memsize::emit
