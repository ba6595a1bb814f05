// Lays MMU entries over each other, the later one on top, and walks each region that a core must
// reach from piece to piece: every byte must lead to the region, by an attribute that it allows.
#include "memsize/core/text.hpp"
#include "memsize/emit/reach.hpp"

#include "mmu_pieces.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;

class MmuHolder {
 public:
  MmuHolder(const Core& core,
            const MairKinds& kinds,
            const std::vector<WrittenMmuEntry>& entries,
            core::Diagnostics& found)
      : core_(core), kinds_(kinds), pieces_(paint(entries)), found_(found) {}

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
    std::uint64_t done = 0;
    while (done < region.size) {
      const std::uint64_t address = region.address + done;
      const auto piece = std::ranges::find_if(pieces_, [&](const MmuPiece& candidate) {
        return address >= candidate.virtual_base &&
               address - candidate.virtual_base < candidate.size;
      });
      if (piece == pieces_.end()) {
        wrong(
            Code::kMmuCoverage,
            core_.file,
            region,
            fmt::format(
                "{} does not map '{}' at {}", core_.name, region.name, core::format_hex(address)));
        return;
      }
      const std::uint64_t size =
          std::min(piece->size - (address - piece->virtual_base), region.size - done);
      if (!leads_home(*piece, region, address, size)) {
        return;
      }
      done += size;
    }
  }

  bool leads_home(const MmuPiece& piece,
                  const Reach& region,
                  std::uint64_t address,
                  std::uint64_t size) {
    const std::uint64_t physical = *region.physical + (address - region.address);
    const std::uint64_t reached = piece.physical + (address - piece.virtual_base);
    if (reached != physical) {
      wrong(Code::kMmuSpan,
            piece.place,
            region,
            fmt::format("{} maps '{}' at {} to {}, but it is at {}",
                        core_.name,
                        region.name,
                        core::format_hex(address),
                        core::format_hex(reached),
                        core::format_hex(physical)));
      return false;
    }
    const auto allowed = kinds_.find(region.cache);
    if (allowed != kinds_.end() && !allowed->second.contains(piece.attribute)) {
      const auto range = core::VirtRange::make(core::VirtAddr{address}, core::Bytes{size});
      wrong(Code::kMmuCache,
            piece.place,
            region,
            fmt::format("{} maps {} of '{}' with {}, but it must be {}",
                        core_.name,
                        range ? core::format_range(*range) : core::format_hex(address),
                        region.name,
                        core::printable(piece.attribute, 20),
                        region.cache));
      return false;
    }
    return true;
  }

  const Core& core_;
  const MairKinds& kinds_;
  std::vector<MmuPiece> pieces_;
  core::Diagnostics& found_;
};

}  // namespace

std::vector<MmuPiece> paint(const std::vector<WrittenMmuEntry>& entries) {
  std::set<std::uint64_t> edges;
  for (const WrittenMmuEntry& entry : entries) {
    edges.insert(entry.virtual_base);
    // An entry may end at 2^64, where there is no edge.
    if (entry.virtual_base + entry.size > entry.virtual_base) {
      edges.insert(entry.virtual_base + entry.size);
    }
  }
  std::vector<MmuPiece> pieces;
  for (auto edge = edges.begin(); edge != edges.end(); ++edge) {
    const auto winner =
        std::find_if(entries.rbegin(), entries.rend(), [&](const WrittenMmuEntry& entry) {
          return *edge >= entry.virtual_base && *edge - entry.virtual_base < entry.size;
        });
    if (winner == entries.rend()) {
      continue;
    }
    const std::uint64_t into = *edge - winner->virtual_base;
    const auto next = std::next(edge);
    const std::uint64_t size = next == edges.end() ? winner->size - into : *next - *edge;
    const bool continues = !pieces.empty() && pieces.back().instance == winner->instance &&
                           pieces.back().virtual_base + pieces.back().size == *edge;
    if (continues) {
      pieces.back().size += size;
    } else {
      pieces.push_back({winner->instance,
                        *edge,
                        winner->physical + into,
                        size,
                        winner->attribute,
                        winner->name,
                        winner->place});
    }
  }
  return pieces;
}

void hold_mmu(const Core& core,
              const MairKinds& kinds,
              const std::vector<WrittenMmuEntry>& entries,
              core::Diagnostics& found) {
  MmuHolder{core, kinds, entries, found}.run();
}

}  // namespace memsize::emit
