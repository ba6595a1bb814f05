// What a region of an MPU shows: all of it but the eighths that are switched off.
#pragma once

#include "memsize/chip/entry.hpp"
#include "memsize/emit/written.hpp"

#include <cstdint>

namespace memsize::sdk {

/// From the first to behind the last eighth that is on.
struct ShownRange {
  std::uint64_t base = 0;
  std::uint64_t end = 0;
  /// Eighths between them are off.
  bool has_holes = false;
};

[[nodiscard]] ShownRange shown_by(const chip::MpuRegionFields& region);

}  // namespace memsize::sdk
