// What no part can do more of, whatever its board says.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memsize::chip {

/// The Armv7-R MPU's limits (DDI 0406C, B5.3): regions are powers of two from 32 bytes, on a
/// multiple of their size; those of 256 bytes and more have eight parts that can be switched off.
inline constexpr std::uint64_t kMpuSmallest = 32;
inline constexpr std::uint64_t kMpuParts = 8;
inline constexpr std::uint64_t kMpuSmallestWithParts = 256;
inline constexpr std::uint64_t kMpuSpace = 1ULL << 32;
/// A Cortex-R5 can be built with 12 or 16 (MPUIR).
inline constexpr std::size_t kMostMpuRegions = 16;

/// The RAT's limits: addr_translate.syscfg.js of the SDK.
inline constexpr std::size_t kRatEntries = 16;

}  // namespace memsize::chip
