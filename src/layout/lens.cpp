// A map's tables under the lens, and what they show held against the tables that a driver builds.
#include "memsize/layout/lens.hpp"

#include "memsize/core/bug.hpp"

#include <algorithm>

namespace memsize::layout {

chip::Lens lens_of(const MmuTable& table) {
  return chip::lens_of(table.ranges, [](const MmuRange& range) -> chip::Layer {
    return {range.virtual_range.base().value(), range.virtual_range.size().count()};
  });
}

chip::Lens lens_of(const MpuTable& table) {
  return chip::lens_of(table.regions, [](const MpuRegion& region) -> chip::Layer {
    return {region.range.base().value(), region.range.size().count(), region.disabled};
  });
}

chip::Lens lens_of_fixed(const MpuTable& table) {
  return chip::lens_of(table.regions, [](const MpuRegion& region) -> chip::Layer {
    return region.is_fixed ? chip::Layer{region.range.base().value(),
                                         region.range.size().count(),
                                         region.disabled}
                           : chip::Layer{};
  });
}

std::vector<Translation> effective(const MmuTable& table) {
  std::vector<Translation> pieces;
  const chip::Lens lens = lens_of(table);
  for (const chip::Piece& piece : lens.shown()) {
    const MmuRange& winner = table.ranges[*piece.layer];
    const std::uint64_t into = piece.base - winner.virtual_range.base().value();
    const core::Bytes size{piece.size()};
    const auto seen = core::VirtRange::make(core::VirtAddr{piece.base}, size);
    const auto there =
        core::PhysRange::make(core::PhysAddr{winner.physical.base().value() + into}, size);
    core::bug_if(!seen || !there, "an MMU entry ends above 2^64");
    pieces.push_back({*seen, *there, winner.mair, winner.entry, winner.instance});
  }
  return pieces;
}

bool tables_agree(const MemoryMap& map) {
  return std::ranges::all_of(map.mmu, [&](const MmuTable& table) {
    std::vector<Translation> from_entries;
    for (Translation piece : effective(table)) {
      piece.entry.clear();
      piece.instance = 0;
      append_piece(from_entries, std::move(piece));
    }
    const TranslationTables tables{table, map.board.mmu.blocks_replace_tables};
    if (tables.overflow()) {
      return true;
    }
    const std::vector<Translation> found = tables.walk();
    return std::equal(from_entries.begin(),
                      from_entries.end(),
                      found.begin(),
                      found.end(),
                      [](const Translation& a, const Translation& b) {
                        return a.virtual_range == b.virtual_range && a.physical == b.physical &&
                               a.mair == b.mair;
                      });
  });
}

}  // namespace memsize::layout
