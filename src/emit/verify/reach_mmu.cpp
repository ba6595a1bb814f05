// Walks each region that a core must reach from piece to piece: every byte must lead to the region,
// by an attribute that it allows.
#include "memsize/chip/lens.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/reach.hpp"

#include "mmu_pieces.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;

class MmuHolder {
 public:
  MmuHolder(const Core& core,
            const chip::MairKinds& kinds,
            const std::vector<WrittenMmuEntry>& entries,
            core::Diagnostics& found)
      : core_(core), kinds_(kinds), entries_(entries), lens_(lens_of(entries)), found_(found) {}

  void run() {
    for (const Reach& region : core_.regions) {
      if (region.physical && region.size != 0) {
        check_region(region);
      }
    }
  }

 private:
  void wrong(Code code, const core::Place& place, const Reach& region, const std::string& what) {
    core::Diagnostic diagnostic = core::error(code, what, place, core_.hint)
                                      .about({{"core", core_.name}, {"region", region.name}});
    if (!region.place.path.empty()) {
      diagnostic.related.push_back(core::region_at(region.place, region.name));
    }
    found_.push_back(std::move(diagnostic));
  }

  // From piece to piece until the region's end, or to the first that is wrong.
  void check_region(const Reach& region) {
    for (const chip::Piece& piece : lens_.over(region.address, region.size)) {
      if (!piece.layer) {
        wrong(Code::kMmuCoverage,
              core_.file,
              region,
              fmt::format("{} does not map '{}' at {}",
                          core_.name,
                          region.name,
                          core::format_hex(piece.base)));
        return;
      }
      if (!leads_home(entries_[*piece.layer], region, piece.base, piece.size())) {
        return;
      }
    }
  }

  bool leads_home(const WrittenMmuEntry& entry,
                  const Reach& region,
                  std::uint64_t address,
                  std::uint64_t size) {
    const std::uint64_t physical = *region.physical + (address - region.address);
    const std::uint64_t reached = entry.physical + (address - entry.virtual_base);
    if (reached != physical) {
      wrong(Code::kMmuSpan,
            entry.place,
            region,
            fmt::format("{} maps '{}' at {} to {}, but it is at {}",
                        core_.name,
                        region.name,
                        core::format_hex(address),
                        core::format_hex(reached),
                        core::format_hex(physical)));
      return false;
    }
    if (!kinds_.allow(region.cache, entry.attribute)) {
      const auto range = core::VirtRange::make(core::VirtAddr{address}, core::Bytes{size});
      wrong(Code::kMmuCache,
            entry.place,
            region,
            fmt::format("{} maps {} of '{}' with {}, but it must be {}",
                        core_.name,
                        range ? core::format_range(*range) : core::format_hex(address),
                        region.name,
                        core::printable(entry.attribute, 20),
                        chip::name_of(region.cache)));
      return false;
    }
    return true;
  }

  const Core& core_;
  const chip::MairKinds& kinds_;
  const std::vector<WrittenMmuEntry>& entries_;
  chip::Lens lens_;
  core::Diagnostics& found_;
};

}  // namespace

std::vector<MmuPiece> paint(const std::vector<WrittenMmuEntry>& entries) {
  const chip::Lens lens = lens_of(entries);
  std::vector<MmuPiece> pieces;
  for (const chip::Piece& piece : lens.shown()) {
    const WrittenMmuEntry& winner = entries[*piece.layer];
    pieces.push_back({winner.instance,
                      piece.base,
                      winner.physical + (piece.base - winner.virtual_base),
                      piece.size(),
                      winner.attribute,
                      winner.name,
                      winner.place});
  }
  return pieces;
}

void hold_mmu(const Core& core,
              const chip::MairKinds& kinds,
              const std::vector<WrittenMmuEntry>& entries,
              core::Diagnostics& found) {
  MmuHolder{core, kinds, entries, found}.run();
}

}  // namespace memsize::emit
