// Looks things up in a resolved map: a region's ranges, who sees it, regions by name or knob, and
// how much all carve-outs have.
#include "memsize/layout/memory_map.hpp"

#include "memsize/core/find.hpp"

namespace memsize::layout {

std::optional<core::PhysRange> Region::physical() const {
  return physical_base ? core::PhysRange::make(*physical_base, size) : std::nullopt;
}

std::optional<core::VirtRange> Region::virtual_range() const {
  return virtual_base ? core::VirtRange::make(*virtual_base, size) : std::nullopt;
}

bool Region::seen_by(std::string_view core) const {
  return core::contains(cores, core);
}

const Region* MemoryMap::find_owned(std::string_view name) const {
  return core::find_where(regions, [&](const Region& region) {
    return region.kind == RegionKind::kRegion && region.name == name;
  });
}

const Region* MemoryMap::find_by_knob(std::string_view knob) const {
  return core::find_where(regions, [&](const Region& region) {
    return region.kind == RegionKind::kRegion && region.knob == knob;
  });
}

const MmuTable* MemoryMap::find_mmu(std::string_view core) const {
  return core::find_in(mmu, core, &MmuTable::core);
}

core::Bytes MemoryMap::reserved() const {
  core::Bytes total;
  for (const Carveout& carveout : carveouts) {
    total += carveout.range.size();
  }
  return total;
}

}  // namespace memsize::layout
