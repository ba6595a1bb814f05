// The registers that an R5F's MPU regions come to: PMSAv7, DDI 0406C, B5.4 and B4.1.
//   DRBAR  bits 31:5   base
//   DRSR   bits 15:8   sub-regions: bit n of them switches the n-th eighth off
//          bits 5:1    the size as a power of two, less one
//          bit 0       enable
//   DRACR  bit 12      XN, execute never
//          bits 10:8   AP: 3, full access at every level
//          bits 5:3    TEX; bit 2, S; bit 1, C; bit 0, B
#pragma once

#include "memsize/board/mpu.hpp"
#include "memsize/chip/entry.hpp"
#include "memsize/layout/memory_map.hpp"

#include <cstdint>
#include <vector>

namespace memsize::emit {

struct MpuWords {
  /// For RGNR.
  unsigned number = 0;
  /// DRBAR, DRSR, DRACR.
  std::uint32_t base = 0;
  std::uint32_t size = 0;
  std::uint32_t access = 0;

  friend bool operator==(const MpuWords&, const MpuWords&) = default;
};

/// A region's size must be what the hardware can have: a power of two from 32 bytes to 4 GiB. Its
/// base must lie below 4 GiB; one that is no multiple of the size becomes what the register holds,
/// with which the hardware may do anything.
[[nodiscard]] std::vector<MpuWords> mpu_words(const std::vector<chip::MpuRegionFields>& regions);

/// A core's regions with the bits of the board's attributes.
[[nodiscard]] std::vector<chip::MpuRegionFields> mpu_fields(const layout::MpuTable& table,
                                                            const board::Mpu& mpu);

}  // namespace memsize::emit
