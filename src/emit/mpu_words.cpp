// Packs a region's fields into three register words, and a map's regions and attributes into
// fields. A bit that is set in the eighths switches its part off.
#include "memsize/emit/mpu_words.hpp"

#include "memsize/chip/limits.hpp"
#include "memsize/core/bug.hpp"

#include <bit>

namespace memsize::emit {

namespace {

constexpr unsigned kPartsShift = 8;
constexpr std::uint32_t kEnable = 1;
constexpr std::uint32_t kBaseBits = ~31U;
constexpr std::uint32_t kFullAccess = 3U << 8;

std::uint32_t bit(bool value, unsigned at) {
  return static_cast<std::uint32_t>(value) << at;
}

}  // namespace

std::vector<MpuWords> mpu_words(const std::vector<chip::MpuRegionFields>& regions) {
  std::vector<MpuWords> words;
  for (const chip::MpuRegionFields& region : regions) {
    core::bug_if(!std::has_single_bit(region.size) || region.size < chip::kMpuSmallest ||
                     region.size > chip::kMpuSpace || region.base >= chip::kMpuSpace,
                 "an MPU region that the hardware cannot have");
    const auto power = static_cast<std::uint32_t>(std::countr_zero(region.size));
    words.push_back({region.number,
                     static_cast<std::uint32_t>(region.base) & kBaseBits,
                     (region.disabled & 0xFFU) << kPartsShift | (power - 1) << 1 | kEnable,
                     bit(!region.execute, 12) | kFullAccess | (region.tex & 7U) << 3 |
                         bit(region.shareable, 2) | bit(region.cacheable, 1) |
                         bit(region.bufferable, 0)});
  }
  return words;
}

std::vector<chip::MpuRegionFields> mpu_fields(const layout::MpuTable& table,
                                              const board::Mpu& mpu) {
  std::vector<chip::MpuRegionFields> fields;
  for (const layout::MpuRegion& region : table.regions) {
    const board::MpuAttribute* attribute = mpu.find_attribute(region.attribute);
    core::bug_if(attribute == nullptr, "an MPU region has an attribute that the board has not");
    fields.push_back({*attribute,
                      region.number,
                      region.name,
                      region.range.base().value(),
                      region.range.size().count(),
                      region.disabled});
  }
  return fields;
}

}  // namespace memsize::emit
