// Other attributes for some of what a core's MPU regions show, by as few changes of the regions as
// that takes: what nobody asks about is shown as it was, and so are regions that stay.
#pragma once

#include "memsize/chip/entry.hpp"
#include "memsize/chip/lens.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memsize::sdk {

/// What a core sees through regions in the order of their numbers; a layer is an index.
[[nodiscard]] chip::Lens lens_of(const std::vector<chip::MpuRegionFields>& regions);

/// Memory that must be shown with these bits.
struct MpuPatch {
  std::string name;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  chip::MpuBits bits;
};

/// The regions with the patches over them, later ones on top. One that only gets another size keeps
/// its name; a new one is named after its patch. No number is above `last`; nothing where that does
/// not suffice, or where a patch is not on multiples of 32 bytes.
[[nodiscard]] std::optional<std::vector<chip::MpuRegionFields>> repaint_mpu(
    const std::vector<chip::MpuRegionFields>& regions,
    const std::vector<MpuPatch>& patches,
    unsigned last);

}  // namespace memsize::sdk
