// What is written into a core's MPU or RAT, however the file that says it spells it.
#pragma once

#include "memsize/chip/memory_type.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace memsize::chip {

/// The addresses of one entry.
struct Layer {
  std::uint64_t base = 0;
  /// What would lie above 2^64 is not there.
  std::uint64_t size = 0;
  /// Bit n: the n-th eighth shows nothing. Below kMpuSmallestWithParts there are no eighths.
  unsigned disabled = 0;
};

/// A region of an MPU.
struct MpuRegionFields : MpuBits {
  MpuRegionFields() = default;

  MpuRegionFields(const MpuBits& bits,
                  unsigned region_number,
                  std::string region_name,
                  std::uint64_t region_base,
                  std::uint64_t region_size,
                  unsigned parts_off)
      : MpuBits(bits),
        number(region_number),
        name(std::move(region_name)),
        base(region_base),
        size(region_size),
        disabled(parts_off) {}

  unsigned number = 0;
  std::string name;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  /// Bit n: the n-th eighth is off.
  unsigned disabled = 0;

  [[nodiscard]] Layer layer() const { return {base, size, disabled}; }

  friend bool operator==(const MpuRegionFields&, const MpuRegionFields&) = default;
};

/// An entry of a RAT.
struct RatEntryFields {
  std::string name;
  std::uint64_t local = 0;
  std::uint64_t system = 0;
  std::uint64_t size = 0;

  [[nodiscard]] Layer layer() const { return {local, size}; }

  friend bool operator==(const RatEntryFields&, const RatEntryFields&) = default;
};

}  // namespace memsize::chip
