// How messages name MPU regions, RAT entries and ranges.
#pragma once

#include "memsize/emit/written.hpp"

#include <cstdint>
#include <string>

namespace memsize::emit {

[[nodiscard]] std::string range_text(std::uint64_t base, std::uint64_t size);

/// "3 'DRAM'".
[[nodiscard]] std::string named(const MpuRegionFields& region);

/// "[0xC0000000, 0xE0000000) to 0x900000000".
[[nodiscard]] std::string entry_text(const RatEntryFields& entry);

/// "'SHARED', [0xC0000000, 0xE0000000) to 0x900000000,".
[[nodiscard]] std::string entry_named(const WrittenRatEntry& entry);

}  // namespace memsize::emit
