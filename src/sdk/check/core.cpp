// Lays what a core programs over its linker map, entry by entry and region by region. The MAR
// registers of a C66x have pages of 16 MiB (SPRUGW0), and the last call for a page counts.
#include "core.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/reach.hpp"

#include "arrays.hpp"
#include "fixed.hpp"
#include "formats/claims.hpp"
#include "shared.hpp"
#include "tree/reading.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;

constexpr std::uint64_t kMarPage = 1ULL << 24U;

// Whether the board has an entry as large at that address, for a reason that it says.
bool board_maps(const layout::MemoryMap* board,
                const std::string& core,
                const emit::WrittenMmuEntry& entry) {
  for (std::size_t i = 0; board != nullptr && i < board->mmu.size(); ++i) {
    const auto& ranges = board->mmu[i].ranges;
    if (board->mmu[i].core == core &&
        std::ranges::any_of(ranges, [&](const layout::MmuRange& range) {
          return range.virtual_range.base().value() == entry.virtual_base &&
                 range.virtual_range.size().count() >= entry.size;
        })) {
      return true;
    }
  }
  return false;
}

// An entry with the name of a region is there for it alone.
void check_named_entries(const layout::MemoryMap* board,
                         const emit::Core& core,
                         const std::vector<emit::WrittenMmuEntry>& entries,
                         core::Diagnostics& found) {
  for (const emit::WrittenMmuEntry& entry : entries) {
    for (const emit::Reach& region : core.regions) {
      if (region.name != entry.name || region.address != entry.virtual_base ||
          entry.size <= region.size || board_maps(board, core.name, entry)) {
        continue;
      }
      core::Diagnostic wrong =
          core::error(Code::kMmuExcess,
                      fmt::format("MMU entry '{}' of {} maps {}, but '{}' has {}",
                                  entry.name,
                                  core.name,
                                  core::format_size(core::Bytes{entry.size}),
                                  region.name,
                                  core::format_size(core::Bytes{region.size})),
                      entry.place,
                      core.hint)
              .about({{"entry", entry.name}, {"core", core.name}, {"region", region.name}});
      wrong.related.push_back(core::region_at(region.place, region.name));
      found.push_back(std::move(wrong));
    }
  }
}

// Whether an entry of the board leads to where a region is in the board's own map.
bool board_leads_to(const layout::MmuTable& table, const layout::Region& region) {
  return std::ranges::any_of(table.ranges, [&](const layout::MmuRange& range) {
    return range.physical.contains(*region.physical_base);
  });
}

// DRAM that the linker maps of other cores have, and that no entry of the board leads this core to.
std::vector<emit::Reach> strangers_of(const View& view, const CoreReading& core) {
  std::vector<emit::Reach> strangers;
  const layout::MmuTable* table =
      view.board() == nullptr ? nullptr : view.board()->find_mmu(core.name);
  for (std::size_t i = 0; table != nullptr && i < view.reading().cores.size(); ++i) {
    const CoreReading& owner = view.reading().cores[i];
    for (const emit::WrittenRange& range : owner.linker) {
      const auto physical = view.physical_of(range.name, range.base, owner.name);
      const layout::Region* known = view.board_region(range.name, owner.name);
      if (range.size != 0 && physical && view.in_dram(*physical) && known != nullptr &&
          known->physical_base && !board_leads_to(*table, *known) &&
          !core::contains(core.linker, range.name, &emit::WrittenRange::name)) {
        strangers.push_back(
            {.name = range.name, .physical = physical, .size = range.size, .place = range.place});
      }
    }
  }
  return strangers;
}

// What an entry that grew maps of other cores' memory, whose caches know nothing of it.
void check_strangers(const View& view,
                     const CoreReading& core,
                     const emit::Core& reach,
                     const std::vector<emit::WrittenMmuEntry>& entries,
                     core::Diagnostics& found) {
  const auto strangers = strangers_of(view, core);
  const chip::Lens lens = emit::lens_of(entries);
  for (const chip::Piece& piece : lens.shown()) {
    const emit::WrittenMmuEntry& entry = entries[*piece.layer];
    const std::uint64_t base = entry.physical + (piece.base - entry.virtual_base);
    const auto met = std::ranges::find_if(strangers, [&](const emit::Reach& region) {
      return base < *region.physical ? *region.physical - base < piece.size()
                                     : base - *region.physical < region.size;
    });
    const bool is_told = std::ranges::any_of(found, [&](const core::Diagnostic& each) {
      return each.code == Code::kMmuExcess && each.place == entry.place;
    });
    if (met != strangers.end() && !is_told) {
      found.push_back(
          core::error(Code::kMmuExcess,
                      fmt::format("MMU entry '{}' of {} maps '{}', which no entry of {} is there "
                                  "for",
                                  core::printable(entry.name, 60),
                                  core.name,
                                  met->name,
                                  core.name),
                      entry.place,
                      reach.hint)
              .about({{"entry", entry.name}, {"core", core.name}, {"region", met->name}})
              .beside(met->place, fmt::format("'{}' is here", met->name)));
    }
  }
}

// Of two regions that touch, an entry was meant for one, and the other was left to a larger entry
// below it: where the board says nothing about caches, both should be alike.
void check_neighbours(const emit::Core& core,
                      const std::vector<emit::WrittenMmuEntry>& entries,
                      core::Diagnostics& found) {
  const chip::Lens lens = emit::lens_of(entries);
  for (std::size_t i = 1; i < core.regions.size(); ++i) {
    const emit::Reach& before = core.regions[i - 1];
    const emit::Reach& region = core.regions[i];
    if (region.cache != chip::Cache::kAny || before.cache != chip::Cache::kAny ||
        region.size == 0 || before.size == 0 || before.address + before.size != region.address) {
      continue;
    }
    const auto own_at = lens.at(before.address);
    const auto rest_at = lens.at(region.address);
    if (!own_at || !rest_at) {
      continue;
    }
    const emit::WrittenMmuEntry& own = entries[*own_at];
    const emit::WrittenMmuEntry& rest = entries[*rest_at];
    if (own.attribute == rest.attribute || own.virtual_base != before.address ||
        rest.virtual_base >= before.address) {
      continue;
    }
    core::Diagnostic left_out =
        core::warning(Code::kMmuCache,
                      fmt::format("{} maps '{}' with {} as a part of '{}', but '{}' before it "
                                  "has an entry of its own with {}",
                                  core.name,
                                  region.name,
                                  core::printable(rest.attribute, 20),
                                  core::printable(rest.name, 60),
                                  before.name,
                                  core::printable(own.attribute, 20)),
                      own.place,
                      "let the entry cover both regions")
            .about({{"core", core.name}, {"region", region.name}, {"region", before.name}});
    left_out.related.push_back(core::region_at(region.place, region.name));
    found.push_back(std::move(left_out));
  }
}

// Of a file with comments that are not true, one warning.
template <typename Entry>
void check_comments(const View& view,
                    const std::string& path,
                    const std::vector<Entry>& entries,
                    core::Diagnostics& found) {
  const emit::MapFile& file = *view.sources().find(path);
  const auto wrong = wrong_claims(parse_claims(file, view.sources().platform.folder), entries);
  if (!wrong.empty()) {
    found.push_back(wrong_claims_news(wrong));
  }
}

// What C code has of a region.
std::optional<emit::WrittenRange> range_in_header(const Reading& reading, const std::string& name) {
  const auto* address = core::value_in(reading.macros, name + "_ADDR");
  const auto* size = core::value_in(reading.macros, name + "_SIZE");
  if (address == nullptr || size == nullptr) {
    return std::nullopt;
  }
  return emit::WrittenRange{
      .name = name, .base = address->value, .size = size->value, .place = address->place};
}

// The core's own range of that name, else any core's, else what C code has of it.
std::optional<emit::WrittenRange> find_range(const Reading& reading,
                                             const std::string& core,
                                             const std::string& name) {
  const emit::WrittenRange* found = nullptr;
  for (const CoreReading& owner : reading.cores) {
    for (const emit::WrittenRange& range : owner.linker) {
      if (range.name == name && (found == nullptr || owner.name == core)) {
        found = &range;
      }
    }
  }
  if (found != nullptr) {
    return *found;
  }
  return range_in_header(reading, name);
}

// What the board says that the core must not cache, beside what its linker map has.
std::vector<emit::Reach> areas_of(const View& view, const CoreReading& core) {
  std::vector<emit::Reach> areas;
  const layout::MemoryMap* board = view.board();
  for (std::size_t i = 0; board != nullptr && i < board->mpu.size(); ++i) {
    const layout::MpuTable& table = board->mpu[i];
    for (std::size_t j = 0; table.core == core.name && j < table.areas.size(); ++j) {
      const layout::MpuArea& area = table.areas[j];
      const board::MpuAttribute* attribute = board->board.mpu.find_attribute(area.attribute);
      const auto range = find_range(view.reading(), core.name, area.region);
      if (attribute == nullptr || !range) {
        continue;
      }
      areas.push_back({.name = area.region,
                       .address = range->base,
                       .size = range->size,
                       .cache = cache_of(*attribute),
                       .place = range->place});
    }
  }
  return areas;
}

// What the board's MMU entries are there for and no linker map has: C code takes its address, which
// is that on the bus, from the header.
std::vector<emit::Reach> mapped_regions_of(const View& view, const CoreReading& core) {
  std::vector<emit::Reach> regions;
  const layout::MemoryMap* board = view.board();
  const layout::MmuTable* table = board == nullptr ? nullptr : board->find_mmu(core.name);
  for (std::size_t i = 0; table != nullptr && i < table->ranges.size(); ++i) {
    for (const std::string& name : table->ranges[i].covers) {
      const layout::Region* known = view.board_region(name, core.name);
      const auto range = range_in_header(view.reading(), name);
      const bool is_linked = std::ranges::any_of(view.reading().cores, [&](const auto& each) {
        return core::contains(each.linker, name, &emit::WrittenRange::name);
      });
      if (known != nullptr && range && !is_linked) {
        regions.push_back({.name = name,
                           .address = range->base,
                           .physical = range->base,
                           .size = range->size,
                           .cache = known->cache,
                           .place = range->place});
      }
    }
  }
  return regions;
}

void check_mmu(const View& view,
               const CoreReading& core,
               const MmuReading& mmu,
               core::Diagnostics& found) {
  const emit::Core reach = view.reach_of(core, mmu.path);
  emit::Core all = reach;
  const auto mapped = mapped_regions_of(view, core);
  all.regions.insert(all.regions.end(), mapped.begin(), mapped.end());
  emit::hold_mmu(all, view.mair_kinds(), mmu.entries, found);
  check_named_entries(view.board(), reach, mmu.entries, found);
  check_strangers(view, core, reach, mmu.entries, found);
  check_neighbours(reach, mmu.entries, found);
  check_comments(view, mmu.path, mmu.entries, found);
}

void check_mpu(const View& view,
               const CoreReading& core,
               const MpuReading& mpu,
               core::Diagnostics& found) {
  const layout::MemoryMap* board = view.board();
  const auto numbers = board == nullptr
                           ? emit::MpuNumbers{}
                           : emit::MpuNumbers{board->board.mpu.first, board->board.mpu.last};
  emit::Core reach = view.reach_of(core, mpu.path);
  const auto areas = areas_of(view, core);
  reach.regions.insert(reach.regions.end(), areas.begin(), areas.end());
  emit::hold_mpu(reach, numbers, mpu.regions, found);
  check_comments(view, mpu.path, mpu.regions, found);
}

// A C66x caches what its MAR registers say, 16 MiB each (SPRUGW0, memory attribute registers); of
// several calls for one page, the last one counts, and a page without any is not cached.
void check_mar(const View& view, const CoreReading& core, core::Diagnostics& found) {
  const chip::Lens lens = chip::lens_of(core.mar, [](const MarCall& call) -> chip::Layer {
    const std::uint64_t first = call.base.value / kMarPage * kMarPage;
    const std::uint64_t last = call.base.value + (call.size.value - 1);
    return call.size.value == 0 ? chip::Layer{}
                                : chip::Layer{first, last / kMarPage * kMarPage + kMarPage - first};
  });
  for (const emit::Reach& region : view.reach_of(core, core.mar_path).regions) {
    if (region.cache != chip::Cache::kNonCached) {
      continue;
    }
    for (const chip::Piece& piece : lens.over(region.address, region.size)) {
      if (!piece.layer || !core.mar[*piece.layer].is_cached) {
        continue;
      }
      core::Diagnostic cached =
          core::error(
              Code::kMmuCache,
              fmt::format("{} caches {} of '{}', but it must be non-cached",
                          core.name,
                          emit::range_text(piece.base / kMarPage * kMarPage, kMarPage),
                          region.name),
              core.mar[*piece.layer].place,
              "switch the cache of its pages off, and give them to nothing that must be cached")
              .about({{"core", core.name}, {"region", region.name}});
      cached.related.push_back(core::region_at(region.place, region.name));
      found.push_back(std::move(cached));
      break;
    }
  }
}

// A section that wants a larger alignment than its region has wastes the bytes before it, or does
// not fit.
void check_sections(const CoreReading& core, core::Diagnostics& found) {
  for (const emit::WrittenRange& range : core.linker) {
    const OutputSection* section = most_aligned(core.sections, range.name);
    if (section == nullptr || section->alignment->value == 0 ||
        range.base % section->alignment->value == 0) {
      continue;
    }
    const std::uint64_t lost = section->alignment->value - range.base % section->alignment->value;
    if (lost < range.size) {
      continue;
    }
    core::Diagnostic wrong =
        core::error(Code::kLayoutSection,
                    fmt::format("'{}' of {} wants a multiple of {} in '{}', but {} has none",
                                core::printable(section->name, 60),
                                core.name,
                                core::format_size(core::Bytes{section->alignment->value}),
                                range.name,
                                emit::range_text(range.base, range.size)),
                    section->place,
                    "move the region in the script, or lower the alignment")
            .about({{"section", section->name}, {"core", core.name}, {"region", range.name}});
    wrong.related.push_back(core::region_at(range.place, range.name));
    found.push_back(std::move(wrong));
  }
}

// A section that is bound to a number is where no region is, once the regions have moved.
void check_bound_sections(const CoreReading& core, core::Diagnostics& found) {
  for (const OutputSection& section : core.sections) {
    const bool lost = section.address && !core.linker.empty() &&
                      std::ranges::none_of(core.linker, [&](const auto& range) {
                        return section.address->value >= range.base &&
                               section.address->value - range.base < range.size;
                      });
    if (lost) {
      found.push_back(
          core::error(Code::kSdkDisagree,
                      fmt::format("'{}' of {} is bound to {}, which is in no region of its "
                                  "linker map",
                                  core::printable(section.name, 60),
                                  core.name,
                                  core::format_hex(section.address->value)),
                      section.address->place,
                      "place the section into a region, so that it follows when that moves")
              .about({{"section", section.name}, {"core", core.name}})
              .beside(core.linker.front().place, "the linker map is here"));
    }
  }
}

}  // namespace

void check_core(const View& view, const CoreReading& core, core::Diagnostics& found) {
  for (const MmuReading& mmu : core.mmu) {
    check_mmu(view, core, mmu, found);
  }
  for (const MpuReading& mpu : core.mpu) {
    check_mpu(view, core, mpu, found);
  }
  for (const RatReading& rat : core.rat) {
    emit::hold_rat(view.reach_of(core, rat.path), rat.entries, found);
  }
  // A core with an MPU has a RAT, programmed or not.
  if (!core.mpu.empty() && core.rat.empty()) {
    emit::hold_rat(view.reach_of(core, core.name), {}, found);
  }
  check_mar(view, core, found);
  check_fixed(view, core, found);
  check_shared(view, core, found);
  check_sections(core, found);
  check_arrays(core, found);
  check_bound_sections(core, found);
}

}  // namespace memsize::sdk
