// The first and the last eighth that are on give the range, and gaps between are noted. Regions
// below 256 bytes have no eighths.
#include "mpu_shown.hpp"

#include "memsize/layout/mpu.hpp"

namespace memsize::sdk {

ShownRange shown_by(const emit::MpuRegionFields& region) {
  const std::uint64_t part = region.size / layout::kMpuParts;
  const auto is_off = [&](std::uint64_t i) { return (region.disabled >> i & 1U) != 0; };
  std::uint64_t first = 0;
  std::uint64_t end = layout::kMpuParts;
  while (first < end && is_off(first)) {
    ++first;
  }
  while (end > first && is_off(end - 1)) {
    --end;
  }
  // Regions below 256 B have no eighths.
  ShownRange shown{region.base + first * part,
                   end == layout::kMpuParts ? region.base + region.size : region.base + end * part,
                   false};
  for (std::uint64_t i = first; i < end; ++i) {
    shown.has_holes = shown.has_holes || is_off(i);
  }
  return shown;
}

}  // namespace memsize::sdk
