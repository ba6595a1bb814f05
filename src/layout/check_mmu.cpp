// Checks of what each core's MMU does: with the entries as the board lists them, and with the
// translation tables that the SDK's driver builds from them.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/layout/fit.hpp"
#include "memsize/layout/lens.hpp"

#include "checks.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace memsize::layout {

using core::Code;
using core::Severity;

namespace {

void check_granule(const MemoryMap& map, core::Diagnostics& found) {
  const bool limited = has_tables(map.board.mmu);
  const core::Align granule = map.board.mmu.granule;
  for (const MmuTable& table : map.mmu) {
    for (const MmuRange& range : table.ranges) {
      const bool aligned = core::is_aligned(range.virtual_range.base().value(), granule) &&
                           core::is_aligned(range.physical.base().value(), granule) &&
                           core::is_aligned(range.virtual_range.size(), granule);
      const bool empty = range.virtual_range.empty();
      const std::string shown = fmt::format("MMU entry '{}' of {} maps {} to {}",
                                            range.entry,
                                            table.core,
                                            core::format_range(range.virtual_range),
                                            core::format_range(range.physical));
      if (!aligned || empty) {
        found.push_back(core::error(Code::kMmuGranule,
                                    fmt::format("{}: not whole pages of {}",
                                                shown,
                                                core::format_size(core::Bytes{granule.value()})),
                                    range.place,
                                    "the driver stops at boot on such an entry")
                            .about({{"entry", range.entry}, {"core", table.core}}));
      } else if (limited && (range.virtual_range.last().value() >= kAddressLimit ||
                             range.physical.last().value() >= kAddressLimit)) {
        found.push_back(core::error(Code::kMmuGranule,
                                    fmt::format("{}: beyond the 48 bits of an address", shown),
                                    range.place,
                                    "the driver stops at boot on such an entry")
                            .about({{"entry", range.entry}, {"core", table.core}}));
      }
    }
  }
}

// A piece of a region as a core sees it.
struct Mapped {
  const MmuTable& table;
  const Region& region;
  core::VirtRange piece;
  /// Null where none maps it.
  const MmuRange* entry;
};

// Every piece of each region that a core sees: under the name that its linker map has, or because
// one of its entries is there for it.
std::vector<Mapped> mapped_pieces(const MemoryMap& map) {
  std::vector<Mapped> pieces;
  for (const MmuTable& table : map.mmu) {
    const chip::Lens lens = lens_of(table);
    std::set<std::string_view> covered;
    for (const MmuRange& range : table.ranges) {
      covered.insert(range.covers.begin(), range.covers.end());
    }
    // What the core knows under another name is not where its owner sees it.
    for (const Region& region : map.regions) {
      if (region.kind == RegionKind::kAlias && region.seen_by(table.core)) {
        covered.erase(region.of);
      }
    }
    for (const Region& region : map.regions) {
      const auto seen = region.virtual_range();
      const bool known = region.seen_by(table.core) ||
                         (region.kind == RegionKind::kRegion && covered.contains(region.name));
      if (!seen || seen->empty() || !region.physical_base || !known) {
        continue;
      }
      for (const chip::Piece& piece : lens.over(seen->base().value(), seen->size().count())) {
        pieces.push_back(
            {table,
             region,
             *core::VirtRange::make(core::VirtAddr{piece.base}, core::Bytes{piece.size()}),
             piece.layer ? &table.ranges[*piece.layer] : nullptr});
      }
    }
  }
  return pieces;
}

// An entry has one offset, so everything it covers must have that offset.
void check_span(const MemoryMap& map, core::Diagnostics& found) {
  for (const auto& [table, region, piece, entry] : mapped_pieces(map)) {
    if (entry == nullptr) {
      continue;
    }
    const std::uint64_t mapped =
        entry->physical.base().value() + (piece.base() - entry->virtual_range.base()).count();
    const std::uint64_t real =
        region.physical_base->value() + (piece.base() - *region.virtual_base).count();
    if (mapped == real) {
      continue;
    }
    core::Diagnostic wrong =
        core::error(Code::kMmuSpan,
                    fmt::format("MMU entry '{}' of {} maps {} of '{}' to {}, but it is at {}",
                                entry->entry,
                                table.core,
                                core::format_range(piece),
                                region.name,
                                core::format_hex(mapped),
                                core::format_hex(real)),
                    entry->place,
                    "cover only regions with one distance between virtual and physical address")
            .about({{"entry", entry->entry}, {"core", table.core}, {"region", region.name}});
    wrong.related.push_back(core::region_at(region.place, region.name, "is placed here"));
    found.push_back(std::move(wrong));
  }
}

void check_coverage(const MemoryMap& map, core::Diagnostics& found) {
  for (const auto& [table, region, piece, entry] : mapped_pieces(map)) {
    if (entry == nullptr) {
      found.push_back(
          core::error(Code::kMmuCoverage,
                      fmt::format("{} does not map {} of '{}' at {}",
                                  table.core,
                                  core::format_size(piece.size()),
                                  region.name,
                                  core::format_range(piece)),
                      region.place,
                      fmt::format("the first access to it would fault: let an MMU entry "
                                  "of {} cover it",
                                  table.core))
              .about({{"core", table.core}, {"region", region.name}}));
    }
  }
}

std::string mairs_of(const std::vector<unsigned>& numbers) {
  std::vector<std::string> names;
  names.reserve(numbers.size());
  for (const unsigned number : numbers) {
    names.push_back(chip::mair_name(number));
  }
  return names.empty() ? "none: the board allows no such entry" : core::join(names, " or ");
}

void check_mmu_cache(const MemoryMap& map, core::Diagnostics& found) {
  for (const auto& [table, region, piece, entry] : mapped_pieces(map)) {
    if (region.cache == chip::Cache::kAny || entry == nullptr) {
      continue;
    }
    const std::vector<unsigned>& good = map.board.mmu.mair.list(region.cache);
    if (core::contains(good, entry->mair)) {
      continue;
    }
    core::Diagnostic wrong =
        core::error(
            Code::kMmuCache,
            fmt::format("{} maps {} of '{}' with MAIR{}, but it must be {}",
                        table.core,
                        core::format_range(piece),
                        region.name,
                        entry->mair,
                        chip::name_of(region.cache)),
            entry->place,
            fmt::format("cores that cache a memory differently corrupt it; use {}", mairs_of(good)))
            .about({{"core", table.core}, {"region", region.name}, {"entry", entry->entry}});
    wrong.related.push_back(core::region_at(region.place, region.name, "is placed here"));
    found.push_back(std::move(wrong));
  }
}

// What an entry maps beside the regions it is there for.
void check_excess(const MemoryMap& map, core::Diagnostics& found) {
  for (const MmuTable& table : map.mmu) {
    for (const Translation& piece : effective(table)) {
      const MmuRange& entry = table.ranges.at(piece.instance - 1);
      if (entry.is_window) {
        continue;
      }
      for (const Region& region : map.regions) {
        const auto physical = region.physical();
        const bool stranger = region.kind == RegionKind::kRegion && physical &&
                              physical->overlaps(piece.physical) &&
                              std::ranges::find(entry.covers, region.name) == entry.covers.end();
        if (!stranger) {
          continue;
        }
        core::Diagnostic excess =
            core::error(Code::kMmuExcess,
                        fmt::format("MMU entry '{}' of {} also maps {} of '{}', with MAIR{}",
                                    entry.entry,
                                    table.core,
                                    core::format_range(physical->intersection(piece.physical)),
                                    region.name,
                                    entry.mair),
                        entry.place,
                        entry.covers.empty()
                            ? "map it with an entry of its own that stands later, or say in "
                              "'window' why this one may"
                            : "name it in 'covers', map it with an entry of its own that stands "
                              "later, or say in 'window' why this one may")
                .about({{"entry", entry.entry}, {"core", table.core}, {"region", region.name}});
        excess.related.push_back(core::region_at(region.place, region.name, "is placed here"));
        found.push_back(std::move(excess));
      }
    }
  }
}

std::string named_ranges(const MmuRange& entry) {
  return fmt::format("{:<40} {} -> {}",
                     entry.entry,
                     core::format_range(entry.virtual_range),
                     core::format_range(entry.physical));
}

void check_entries(const MemoryMap& map, core::Diagnostics& found) {
  const std::uint64_t most = map.board.mmu.max_entries;
  for (const MmuTable& table : map.mmu) {
    if (most == 0 || table.ranges.size() <= most) {
      continue;
    }
    found.push_back(
        core::error(
            Code::kMmuEntries,
            fmt::format(
                "{} has {} MMU entries, but {} are allowed", table.core, table.ranges.size(), most),
            table.ranges.at(most).place,
            fmt::format(
                "'{}' is the first too many: let one entry cover several regions that touch, or "
                "raise 'max_entries' if your configuration tool takes more",
                table.ranges.at(most).entry))
            .about({{"core", table.core}}));
  }
}

void check_entry_size(const MemoryMap& map, core::Diagnostics& found) {
  const core::Bytes most = map.board.mmu.max_entry;
  for (const MmuTable& table : map.mmu) {
    for (const MmuRange& range : table.ranges) {
      if (most.count() == 0 || range.virtual_range.size() < most) {
        continue;
      }
      found.push_back(
          core::error(
              Code::kMmuEntrySize,
              fmt::format("MMU entry '{}' of {} has {}, but an entry must be smaller than {}",
                          range.entry,
                          table.core,
                          core::format_size(range.virtual_range.size()),
                          core::format_size(most)),
              range.place,
              "the driver keeps sizes in 32 bits and would map the rest of the division: split it")
              .about({{"entry", range.entry}, {"core", table.core}}));
    }
  }
}

// Calls `visit` with the tables that each core's driver builds.
template <typename Visit>
void for_each_tables(const MemoryMap& map, Visit visit) {
  if (!has_tables(map.board.mmu)) {
    return;
  }
  for (const MmuTable& table : map.mmu) {
    visit(table, TranslationTables{table, map.board.mmu.blocks_replace_tables});
  }
}

// What a list shows of itself before it says how many more there are.
constexpr std::size_t kShown = 6;

std::vector<std::string> shortened(std::vector<std::string> lines) {
  if (lines.size() > kShown) {
    const std::size_t more = lines.size() - kShown;
    lines.resize(kShown);
    lines.push_back(fmt::format("and {} more", more));
  }
  return lines;
}

// One finding a core: the first block that goes wrong, and the entries that do.
void check_congruence(const MemoryMap& map, core::Diagnostics& found) {
  for_each_tables(map, [&](const MmuTable& table, const TranslationTables& tables) {
    if (tables.cut_blocks().empty()) {
      return;
    }
    const CutBlock& cut = tables.cut_blocks().front();
    const MmuRange& range = table.ranges.at(cut.instance - 1);
    core::Diagnostic wrong =
        core::error(
            Code::kMmuCongruence,
            fmt::format("{} maps '{}' at {} to {}, but the driver's block of {} there holds {}",
                        table.core,
                        range.entry,
                        core::format_address(cut.virtual_base),
                        core::format_address(cut.wanted),
                        core::format_size(cut.block),
                        core::format_address(cut.held)),
            range.place,
            cut.block == kSmallBlock
                ? fmt::format(
                      "virtual and physical address must be equal modulo {0}: give what stands "
                      "before it sizes that are multiples of {0}",
                      core::format_size(cut.block))
                : fmt::format(
                      "virtual and physical address must be equal modulo {}, because the entry "
                      "is large enough for such a block: map it with smaller entries",
                      core::format_size(cut.block)))
            .about({{"core", table.core}, {"entry", range.entry}});
    std::set<std::size_t> entries;
    for (const CutBlock& each : tables.cut_blocks()) {
      const MmuRange& entry = table.ranges.at(each.instance - 1);
      if (entries.insert(each.instance).second) {
        wrong.details.push_back(named_ranges(entry));
      }
    }
    wrong.details = shortened(std::move(wrong.details));
    found.push_back(std::move(wrong));
  });
}

// The edges that cost a table of pages, by address.
std::vector<std::string> edges_off_grid(const MmuTable& table) {
  std::map<std::uint64_t, std::vector<std::string>> edges;
  for (const MmuRange& range : table.ranges) {
    // A fixed entry costs what it costs.
    if (range.covers.empty()) {
      continue;
    }
    const std::uint64_t first = range.virtual_range.base().value();
    const std::uint64_t end = first + range.virtual_range.size().count();
    if (first % kSmallBlock.count() != 0) {
      edges[first].push_back(fmt::format("begins '{}'", range.entry));
    }
    if (end % kSmallBlock.count() != 0) {
      edges[end].push_back(fmt::format("ends '{}'", range.entry));
    }
  }
  std::vector<std::string> lines;
  lines.reserve(edges.size());
  for (const auto& [address, what] : edges) {
    lines.push_back(fmt::format("{} {}", core::format_hex(address), core::join(what, ", ")));
  }
  return lines;
}

void check_tables(const MemoryMap& map, core::Diagnostics& found) {
  for_each_tables(map, [&](const MmuTable& table, const TranslationTables& tables) {
    if (map.board.mmu.tables == 0 || tables.taken() <= map.board.mmu.tables) {
      return;
    }
    found.push_back(
        core::error(
            Code::kMmuTables,
            fmt::format("{} needs {}{} translation tables, but its driver has {}",
                        table.core,
                        tables.overflow() ? "more than " : "",
                        tables.taken(),
                        map.board.mmu.tables),
            table.place,
            fmt::format("every edge that is no multiple of {} may cost one: round sizes up to it",
                        core::format_size(kSmallBlock)))
            .about({{"core", table.core}})
            .with(shortened(edges_off_grid(table))));
  });
}

}  // namespace

const std::vector<Check>& mmu_checks() {
  static const std::vector<Check> checks = {
      {Code::kMmuGranule,
       Severity::kError,
       Code::kLayoutEmpty,
       "MMU entries map whole pages, virtually and physically",
       "MmuP_c75.c: 4 KiB pages, asserted at boot",
       check_granule},
      {Code::kMmuSpan,
       Severity::kError,
       Code::kLayoutOverlap,
       "an MMU entry maps every region under it to where the region is",
       "an entry has one distance between virtual and physical address",
       check_span},
      {Code::kMmuCoverage,
       Severity::kError,
       Code::kMmuSpan,
       "a core with an MMU maps everything that is in its linker map",
       "an address without an entry faults",
       check_coverage},
      {Code::kMmuCache,
       Severity::kError,
       Code::kMmuSpan,
       "a memory is cached by every core that maps it as its region says: not at all, "
       "write-through or "
       "write-back",
       "shipped trees had three quarters of the non-cacheable heaps cached",
       check_mmu_cache},
      {Code::kMmuExcess,
       Severity::kError,
       Code::kMmuSpan,
       "an MMU entry maps no region that it is not there for",
       "a neighbour's memory under the wrong attribute; fixed windows say why",
       check_excess},
      {Code::kMmuEntries,
       Severity::kError,
       Code::kMmuEntries,
       "a core has no more MMU entries than its configuration allows",
       "mmu_armv8.syscfg.js, maxInstances",
       check_entries},
      {Code::kMmuEntrySize,
       Severity::kError,
       Code::kMmuEntrySize,
       "an MMU entry is smaller than what the driver's size type holds",
       "MmuP_c75.c: uint32_t",
       check_entry_size},
      {Code::kMmuCongruence,
       Severity::kError,
       Code::kMmuGranule,
       "virtual and physical address are equal modulo 2 MiB (1 GiB) for every block that the "
       "driver "
       "uses",
       "MmuP_c75.c, csl Mmu.c: the block follows the virtual address, and the physical one is cut",
       check_congruence},
      {Code::kMmuTables,
       Severity::kError,
       Code::kMmuCongruence,
       "a core's entries need no more translation tables than its driver has",
       "Mmu_tableArray: 16 tables; one driver stops at boot, the other writes past the array",
       check_tables},
      {Code::kMmuCost,
       Severity::kNote,
       Code::kMmuTables,
       "no heap lacks a MiB or less to a multiple of 2 MiB that would save a translation table",
       "each table is 4 KiB of a fixed pool, and pages of 4 KiB fill the TLB",
       note_table_costs},
  };
  return checks;
}

}  // namespace memsize::layout
