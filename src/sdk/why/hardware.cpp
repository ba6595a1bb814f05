// A tree's MMU entries, MPU regions and RAT entries in the form of layout/sight.hpp, build by
// build, and MPU regions by number, since the higher one wins.
#include "memsize/chip/limits.hpp"
#include "memsize/layout/mpu.hpp"
#include "memsize/sdk/why.hpp"

#include "tree/reading.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using layout::CoreHardware;

// What the board calls an attribute's effect; the attribute where it does not say.
std::string effect_of(const chip::MairKinds& kinds, const std::string& attribute) {
  const auto mair = chip::mair_of(attribute);
  const chip::Cache cache = mair ? kinds.of(*mair) : chip::Cache::kAny;
  return cache == chip::Cache::kAny ? attribute : std::string{chip::name_of(cache)};
}

CoreHardware mmu_hardware(const View& view, const CoreReading& core, const MmuReading& mmu) {
  CoreHardware hardware{.core = core.name, .build = mmu.path, .has_mmu = true};
  const chip::MairKinds kinds = view.mair_kinds();
  for (const emit::WrittenMmuEntry& entry : mmu.entries) {
    hardware.entries.push_back({fmt::format("MMU {} '{}'", entry.instance, entry.name),
                                entry.place,
                                entry.virtual_base,
                                entry.physical,
                                entry.size,
                                effect_of(kinds, entry.attribute),
                                0});
  }
  return hardware;
}

void add_rat(const RatReading& rat, CoreHardware& hardware) {
  for (const emit::WrittenRatEntry& entry : rat.entries) {
    hardware.rat.push_back({fmt::format("RAT '{}'", entry.fields.name),
                            entry.place,
                            entry.fields.local,
                            entry.fields.system,
                            entry.fields.size,
                            "",
                            0});
  }
}

CoreHardware mpu_hardware(const CoreReading& core, const MpuReading& mpu) {
  CoreHardware hardware{
      .core = core.name, .build = mpu.path, .has_mpu = true, .limit = chip::kMpuSpace};
  std::vector<const emit::WrittenMpuRegion*> regions;
  for (const emit::WrittenMpuRegion& region : mpu.regions) {
    regions.push_back(&region);
  }
  std::ranges::stable_sort(
      regions, [](const auto* a, const auto* b) { return a->fields.number < b->fields.number; });
  for (const emit::WrittenMpuRegion* region : regions) {
    const chip::MpuRegionFields& fields = region->fields;
    hardware.entries.push_back({fields.name.empty()
                                    ? fmt::format("MPU {}", fields.number)
                                    : fmt::format("MPU {} '{}'", fields.number, fields.name),
                                region->place,
                                fields.base,
                                fields.base,
                                fields.size,
                                std::string{chip::name_of(cache_of(fields))},
                                fields.disabled});
  }
  // Those of the core's own file, or what all cores do at start-up.
  for (const RatReading& rat : core.rat) {
    const bool is_build =
        std::ranges::any_of(core.mpu, [&](const auto& each) { return each.path == rat.path; });
    if (rat.path == mpu.path || !is_build) {
      add_rat(rat, hardware);
    }
  }
  return hardware;
}

CoreHardware plain_hardware(const CoreReading& core) {
  CoreHardware hardware{.core = core.name, .build = core.mar_path};
  for (const MarCall& call : core.mar) {
    hardware.entries.push_back({fmt::format("Cache_setMar '{}'", call.base.text),
                                call.place,
                                call.base.value,
                                call.base.value,
                                call.size.value,
                                call.is_cached ? "cached" : "non-cached",
                                0});
  }
  return hardware;
}

}  // namespace

std::vector<CoreHardware> hardware_of(const View& view, const CoreReading& core) {
  std::vector<CoreHardware> builds;
  for (const MmuReading& mmu : core.mmu) {
    builds.push_back(mmu_hardware(view, core, mmu));
  }
  if (builds.empty()) {
    for (const MpuReading& mpu : core.mpu) {
      builds.push_back(mpu_hardware(core, mpu));
    }
  }
  if (builds.empty()) {
    builds.push_back(plain_hardware(core));
  }
  return builds;
}

}  // namespace memsize::sdk
