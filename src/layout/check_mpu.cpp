// Checks of what each R5F core's MPU and address translation do, by what the MPU's regions show,
// without a look at how they were found.
#include "memsize/chip/limits.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/layout/lens.hpp"

#include "checks.hpp"
#include "program_mpu.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include <fmt/format.h>

namespace memsize::layout {

using core::Code;
using core::Severity;

namespace {

constexpr std::string_view kArmManual = "Armv7-R manual (DDI 0406C), B5";

// A piece of address space with the region that decides over it, and the fixed one that would
// without the computed ones; nullptr for none.
struct Piece {
  std::uint64_t base = 0;
  std::uint64_t end = 0;
  const MpuRegion* winner = nullptr;
  const MpuRegion* fixed = nullptr;

  [[nodiscard]] core::VirtRange range() const {
    return *core::VirtRange::make(core::VirtAddr{base}, core::Bytes{end - base});
  }
};

// A core's MPU regions, with and without the computed ones.
class MpuView {
 public:
  explicit MpuView(const MpuTable& table)
      : table_(table), all_(lens_of(table)), fixed_(lens_of_fixed(table)) {}

  [[nodiscard]] std::vector<Piece> over(const core::VirtRange& range) const {
    std::vector<Piece> pieces;
    for (const chip::Piece& piece : all_.over(range.base().value(), range.size().count())) {
      for (const chip::Piece& under : fixed_.over(piece.base, piece.size())) {
        pieces.push_back({under.base, under.last + 1, region(piece.layer), region(under.layer)});
      }
    }
    return pieces;
  }

 private:
  [[nodiscard]] const MpuRegion* region(std::optional<std::size_t> layer) const {
    return layer ? &table_.regions[*layer] : nullptr;
  }

  const MpuTable& table_;
  chip::Lens all_;
  chip::Lens fixed_;
};

void check_fixed(const MemoryMap& map, core::Diagnostics& found) {
  const board::MpuProgram* program = map.board.mpu.table.get();
  const std::uint64_t largest = program == nullptr ? chip::kMpuSpace : program->largest;
  std::set<std::pair<std::string, std::size_t>> told;
  for (const MpuTable& table : map.mpu) {
    for (const MpuRegion& region : table.regions) {
      const std::uint64_t size = region.range.size().count();
      if ((is_legal(region) && size <= largest) ||
          !told.emplace(region.place.path.str(), region.place.line).second) {
        continue;
      }
      const std::uint64_t legal =
          std::clamp(std::bit_ceil(std::min(size, largest)), chip::kMpuSmallest, largest);
      const std::uint64_t base = region.range.base().value();
      found.push_back(
          core::error(
              Code::kMpuRegion,
              fmt::format("MPU region '{}' {} of {} cannot be programmed: {} at {}",
                          region.name,
                          core::format_range(region.range),
                          table.core,
                          core::format_size(region.range.size()),
                          core::format_hex(base)),
              region.place,
              base >= chip::kMpuSpace
                  ? std::string{"a core sees 4 GiB: begin below 0x100000000"}
                  : fmt::format(
                        "a region is a power of two from 32 B to {} on a multiple of its size: "
                        "{} at {}",
                        fmt::format("{}{}",
                                    core::format_size(core::Bytes{largest}),
                                    largest == chip::kMpuSpace ? "" : " under " + program->title),
                        core::format_size(core::Bytes{legal}),
                        core::format_hex(base - base % legal)))
              .about({{"entry", region.name}, {"core", table.core}}));
    }
  }
}

void check_areas(const MemoryMap& map, core::Diagnostics& found) {
  for (const MpuTable& table : map.mpu) {
    for (auto area = table.areas.begin(); area != table.areas.end(); ++area) {
      if (area->range.last().value() >= chip::kMpuSpace) {
        found.push_back(
            core::error(
                Code::kMpuArea,
                fmt::format("{} must see '{}' as {}, but {} ends above the 4 GiB that it sees",
                            table.core,
                            area->region,
                            area->attribute,
                            core::format_range(area->range)),
                area->place,
                "give its chain a 'virtual' address below 4 GiB, and a RAT entry")
                .about({{"core", table.core}, {"region", area->region}}));
      } else if (!is_expressible(*area)) {
        const std::uint64_t base = area->range.base().value();
        const std::uint64_t end = area->range.last().value() + 1;
        found.push_back(
            core::error(
                Code::kMpuArea,
                fmt::format("{} must see '{}' {} as {}, but no MPU region begins or ends there: {}",
                            table.core,
                            area->region,
                            core::format_range(area->range),
                            area->attribute,
                            base % chip::kMpuSmallest != 0
                                ? fmt::format("it begins {} B behind a multiple of 32 B", base % 32)
                                : fmt::format("it ends {} B behind a multiple of 32 B", end % 32)),
                area->place,
                "make it whole multiples of 32 B")
                .about({{"core", table.core}, {"region", area->region}}));
      }
      for (auto other = table.areas.begin(); other != area; ++other) {
        if (other->attribute == area->attribute || !other->range.overlaps(area->range)) {
          continue;
        }
        core::Diagnostic both =
            core::error(Code::kMpuArea,
                        fmt::format("{} must see {} as {} for '{}' and as {} for '{}'",
                                    table.core,
                                    core::format_range(other->range.intersection(area->range)),
                                    other->attribute,
                                    other->region,
                                    area->attribute,
                                    area->region),
                        area->place,
                        other->region == area->region
                            ? "it is listed under both: take it out of one"
                            : "move one of the regions, or give both the same attribute")
                .about({{"core", table.core}, {"region", other->region}, {"region", area->region}});
        both.related.push_back(core::region_at(other->place, other->region));
        found.push_back(std::move(both));
      }
    }
  }
}

std::size_t count_with(const MemoryMap& map, const MpuTable& table, std::vector<MpuArea> areas) {
  MpuTable other{.areas = std::move(areas)};
  std::ranges::copy_if(table.regions,
                       std::back_inserter(other.regions),
                       [](const MpuRegion& region) { return region.is_fixed; });
  program_mpu(map, other);
  return other.regions.size();
}

std::vector<MpuArea> by_address(std::vector<MpuArea> areas) {
  std::ranges::sort(
      areas, [](const MpuArea& a, const MpuArea& b) { return a.range.base() < b.range.base(); });
  return areas;
}

// Areas of one attribute that follow each other without a gap, from the first to the last.
std::vector<std::vector<MpuArea>> rows_of(const MpuTable& table) {
  std::vector<std::vector<MpuArea>> rows;
  for (const MpuArea& area : by_address(table.areas)) {
    const bool continues = !rows.empty() && rows.back().back().attribute == area.attribute &&
                           rows.back().back().range.last().value() + 1 == area.range.base().value();
    if (!continues) {
      rows.emplace_back();
    }
    rows.back().push_back(area);
  }
  return rows;
}

// What a row costs alone, and where it would cost one region.
std::string arithmetic_of(const MemoryMap& map,
                          const MpuTable& table,
                          const std::vector<MpuArea>& row) {
  const std::uint64_t base = row.front().range.base().value();
  const std::uint64_t size = row.back().range.last().value() + 1 - base;
  const std::uint64_t block = std::bit_ceil(size);
  const std::uint64_t past = base % block;
  const std::size_t fixed = count_with(map, table, {});
  const std::size_t cost = count_with(map, table, row) - fixed;
  std::string text = fmt::format(
      "{} {} {}: {}",
      row.size() == 1 ? row.front().region
                      : fmt::format("{} to {}", row.front().region, row.back().region),
      core::format_range(*core::VirtRange::make(core::VirtAddr{base}, core::Bytes{size})),
      core::format_size(core::Bytes{size}),
      core::plural(cost, "region"));
  if (cost > 1) {
    text +=
        fmt::format("; one if it {}{}{}",
                    block == size ? std::string{}
                                  : fmt::format("had {}", core::format_size(core::Bytes{block})),
                    block == size || past == 0 ? "" : " and ",
                    past == 0 ? std::string{}
                              : fmt::format("moved up by {} to {}",
                                            core::format_size(core::Bytes{block - past}),
                                            core::format_hex(base - past + block)));
  }
  return text;
}

bool is_empty_between(const MemoryMap& map, std::uint64_t from, std::uint64_t to) {
  return std::ranges::none_of(map.regions, [&](const Region& region) {
    const auto seen = region.virtual_range();
    return seen && !seen->empty() && seen->base().value() < to && seen->last().value() >= from;
  });
}

// Areas of one attribute with nothing between them: how many regions do if they were one.
std::vector<std::string> mergers_of(const MemoryMap& map, const MpuTable& table) {
  std::vector<std::string> lines;
  const std::vector<MpuArea> areas = by_address(table.areas);
  for (std::size_t i = 1; i < areas.size(); ++i) {
    const std::uint64_t end = areas[i - 1].range.last().value() + 1;
    const std::uint64_t base = areas[i].range.base().value();
    if (areas[i].attribute != areas[i - 1].attribute || base <= end ||
        !is_empty_between(map, end, base)) {
      continue;
    }
    std::vector<MpuArea> merged = areas;
    merged.push_back(areas[i]);
    merged.back().range = *core::VirtRange::make(core::VirtAddr{end}, core::Bytes{base - end});
    const std::size_t fewer = count_with(map, table, std::move(merged));
    if (fewer >= table.regions.size()) {
      continue;
    }
    lines.push_back(
        fmt::format("{} regions if '{}' were {} lower, next to '{}', or what is "
                    "between them were {} too",
                    fewer,
                    areas[i].region,
                    core::format_size(core::Bytes{base - end}),
                    areas[i - 1].region,
                    areas[i].attribute));
  }
  return lines;
}

void check_regions(const MemoryMap& map, core::Diagnostics& found) {
  const std::size_t limit = map.board.mpu.last - map.board.mpu.first + 1;
  const auto most = std::ranges::max_element(map.mpu, [](const MpuTable& a, const MpuTable& b) {
    return a.regions.size() < b.regions.size();
  });
  for (auto table = map.mpu.begin(); table != map.mpu.end(); ++table) {
    if (table->regions.size() <= limit) {
      continue;
    }
    const auto fixed = static_cast<std::size_t>(std::ranges::count_if(
        table->regions, [](const MpuRegion& region) { return region.is_fixed; }));
    core::Diagnostic many =
        core::error(
            Code::kMpuRegions,
            fmt::format(
                "{} needs {} MPU regions, {} fixed and {} for its areas, but may use {}: {} to "
                "{}",
                table->core,
                table->regions.size(),
                fixed,
                table->regions.size() - fixed,
                limit,
                map.board.mpu.first,
                map.board.mpu.last),
            table->place,
            "put areas of one attribute side by side, begin them on a multiple of their size, or "
            "drop "
            "a "
            "fixed region")
            .about({{"core", table->core}});
    // Cores share most areas: the one that needs the most shows them.
    if (table == most) {
      for (const std::vector<MpuArea>& row : rows_of(*table)) {
        many.details.push_back(arithmetic_of(map, *table, row));
      }
      for (std::string& line : mergers_of(map, *table)) {
        many.details.push_back(std::move(line));
      }
    }
    found.push_back(std::move(many));
  }
}

class CacheCheck {
 public:
  CacheCheck(const MemoryMap& map, const MpuTable& table, core::Diagnostics& found)
      : map_(map), table_(table), view_(table), found_(found) {}

  void run() {
    std::set<std::string_view> areas;
    for (const MpuArea& area : table_.areas) {
      areas.insert(area.region);
      for (const Piece& piece : view_.over(area.range)) {
        if (piece.winner == nullptr || piece.winner->attribute != area.attribute) {
          wrong(area.region, piece, fmt::format("its areas say {}", area.attribute), area.place);
        }
      }
    }
    for (const Region& region : map_.regions) {
      const auto seen = region.virtual_range();
      if (!seen || seen->empty() || seen->last().value() >= chip::kMpuSpace) {
        continue;
      }
      const std::string_view owner = region.of.empty() ? region.name : region.of;
      if (region.seen_by(table_.core)) {
        check_seen(region, *seen);
      }
      if (!areas.contains(owner) && region.kind == RegionKind::kRegion) {
        check_untouched(region.name, *seen, region.place);
      }
    }
    check_exceptions();
  }

 private:
  void wrong(const std::string& name,
             const Piece& piece,
             const std::string& wanted,
             const core::Place& place) {
    const bool listed = core::contains(table_.areas, name, &MpuArea::region);
    if (!told_.emplace(name, piece.base).second) {
      return;
    }
    found_.push_back(
        core::error(
            Code::kMpuCache,
            fmt::format("{} sees {} of '{}' {}, but {}",
                        table_.core,
                        core::format_range(piece.range()),
                        name,
                        piece.winner == nullptr ? "not at all"
                                                : fmt::format("as {} through MPU region {} '{}'",
                                                              piece.winner->attribute,
                                                              piece.winner->number,
                                                              piece.winner->name),
                        wanted),
            place,
            listed
                ? fmt::format("list it under another attribute in the 'areas' of {}", table_.core)
                : fmt::format("list it in the 'areas' of {} with an attribute that fits",
                              table_.core))
            .about({{"core", table_.core}, {"region", name}}));
  }

  // The linker puts things there, so the core must reach it, cached as the region says.
  void check_seen(const Region& region, const core::VirtRange& seen) {
    for (const Piece& piece : view_.over(seen)) {
      const board::MpuAttribute* attribute =
          piece.winner == nullptr ? nullptr
                                  : map_.board.mpu.find_attribute(piece.winner->attribute);
      if (attribute == nullptr ||
          (region.cache != chip::Cache::kAny && cache_of(*attribute) != region.cache)) {
        wrong(region.name,
              piece,
              region.cache == chip::Cache::kAny
                  ? "its linker map has it"
                  : fmt::format("it must be {}", chip::name_of(region.cache)),
              region.place);
      }
    }
  }

  // What the core has no wish for stays as the fixed regions show it.
  void check_untouched(const std::string& name,
                       const core::VirtRange& seen,
                       const core::Place& place) {
    for (const Piece& piece : view_.over(seen)) {
      if (piece.winner != nullptr && piece.fixed != nullptr &&
          piece.winner->attribute != piece.fixed->attribute && !is_area(piece)) {
        wrong(name, piece, fmt::format("the fixed regions say {}", piece.fixed->attribute), place);
      }
    }
  }

  [[nodiscard]] bool is_area(const Piece& piece) const {
    return std::ranges::any_of(
        table_.areas, [&](const MpuArea& area) { return area.range.overlaps(piece.range()); });
  }

  // A fixed region for a part of the DRAM is there on purpose.
  void check_exceptions() {
    for (const MpuRegion& region : table_.regions) {
      const bool is_part = std::ranges::any_of(map_.board.banks, [&](const board::Bank& bank) {
        return region.range.base().value() >= bank.range.base().value() &&
               region.range.last().value() <= bank.range.last().value() &&
               region.range.size() != bank.range.size();
      });
      if (region.is_fixed && is_part) {
        check_untouched(region.name, region.range, region.place);
      }
    }
  }

  const MemoryMap& map_;
  const MpuTable& table_;
  MpuView view_;
  std::set<std::pair<std::string, std::uint64_t>> told_;
  core::Diagnostics& found_;
};

void check_mpu_cache(const MemoryMap& map, core::Diagnostics& found) {
  for (const MpuTable& table : map.mpu) {
    CacheCheck{map, table, found}.run();
  }
}

void note_spare(const MemoryMap& map, core::Diagnostics& found) {
  for (const MpuTable& table : map.mpu) {
    if (table.spare.count() == 0) {
      continue;
    }
    found.push_back(
        core::note(
            Code::kMpuSpare,
            fmt::format("{} has no more than {} MPU regions, so {} beside its areas are seen like "
                        "them: no region of the map lies there",
                        table.core,
                        map.board.mpu.last - map.board.mpu.first + 1,
                        core::format_size(table.spare)),
            table.place,
            "keep other uses of that memory away from this core")
            .about({{"core", table.core}}));
  }
}

std::string named_entry(const RatTable& table, const RatRange& range) {
  return fmt::format("RAT entry '{}' of {}, {} at {} to {},",
                     range.name,
                     table.core,
                     core::format_size(range.size),
                     core::format_hex(range.local.value()),
                     core::format_hex(range.system.value()));
}

void check_rat_size(const MemoryMap& map, core::Diagnostics& found) {
  for (const RatTable& table : map.rat) {
    for (const RatRange& range : table.ranges) {
      const std::uint64_t size = range.size.count();
      if (range.local.value() >= chip::kMpuSpace) {
        found.push_back(core::error(Code::kRatSize,
                                    fmt::format("{} begins above the 4 GiB that a core sees",
                                                named_entry(table, range)),
                                    range.place,
                                    "give its chain a 'virtual' address below 4 GiB")
                            .about({{"entry", range.name}, {"core", table.core}}));
        continue;
      }
      if (std::has_single_bit(size) && size >= chip::kMpuSmallest && size <= chip::kMpuSpace) {
        continue;
      }
      const std::uint64_t up = std::bit_ceil(std::clamp(size, chip::kMpuSmallest, chip::kMpuSpace));
      found.push_back(
          core::error(
              Code::kRatSize,
              fmt::format("{} is no power of two from 32 B to 4 GiB", named_entry(table, range)),
              range.place,
              size > chip::kMpuSpace ? std::string{"a core sees 4 GiB: let the entry cover less"}
                                     : fmt::format("the next one is {}, {} more",
                                                   core::format_size(core::Bytes{up}),
                                                   core::format_size(core::Bytes{up - size})))
              .about({{"entry", range.name}, {"core", table.core}}));
    }
  }
}

void check_rat_alignment(const MemoryMap& map, core::Diagnostics& found) {
  for (const RatTable& table : map.rat) {
    for (const RatRange& range : table.ranges) {
      const std::uint64_t size = range.size.count();
      const std::uint64_t local = range.local.value() % size;
      const std::uint64_t system = range.system.value() % size;
      if (local == 0 && system == 0) {
        continue;
      }
      const std::uint64_t address = local != 0 ? range.local.value() : range.system.value();
      const std::uint64_t past = local != 0 ? local : system;
      found.push_back(
          core::error(Code::kRatAlignment,
                      fmt::format("{} begins {} behind a multiple of its size on the {} side",
                                  named_entry(table, range),
                                  core::format_size(core::Bytes{past}),
                                  local != 0 ? "core's" : "bus's"),
                      range.place,
                      fmt::format("the nearest multiples are {} and {}",
                                  core::format_hex(address - past),
                                  core::format_hex(address - past + size)))
              .about({{"entry", range.name}, {"core", table.core}}));
    }
  }
}

bool ranges_overlap(const RatRange& a, const RatRange& b) {
  const std::uint64_t first = std::max(a.local.value(), b.local.value());
  return first - a.local.value() < a.size.count() && first - b.local.value() < b.size.count();
}

void check_rat_overlap(const MemoryMap& map, core::Diagnostics& found) {
  for (const RatTable& table : map.rat) {
    for (auto range = table.ranges.begin(); range != table.ranges.end(); ++range) {
      for (auto other = table.ranges.begin(); other != range; ++other) {
        if (ranges_overlap(*other, *range)) {
          found.push_back(
              core::error(Code::kRatOverlap,
                          fmt::format("{} overlaps {} which the RAT does not allow",
                                      named_entry(table, *range),
                                      named_entry(table, *other)),
                          range->place,
                          "move one of them, or let one entry cover both")
                  .about({{"entry", range->name}, {"entry", other->name}, {"core", table.core}}));
        }
      }
    }
  }
}

void check_rat_entries(const MemoryMap& map, core::Diagnostics& found) {
  for (const RatTable& table : map.rat) {
    if (table.ranges.size() > chip::kRatEntries) {
      found.push_back(core::error(Code::kRatEntries,
                                  fmt::format("{} has {} RAT entries, but the RAT has {}",
                                              table.core,
                                              table.ranges.size(),
                                              chip::kRatEntries),
                                  table.place,
                                  "let one entry cover what lies side by side")
                          .about({{"core", table.core}}));
    }
  }
}

// What a core sees through its RAT, with what its linker map has.
class ReachCheck {
 public:
  ReachCheck(const MemoryMap& map, const RatTable& table, core::Diagnostics& found)
      : map_(map), table_(table), found_(found) {}

  void run() {
    for (const Region& region : map_.regions) {
      const auto seen = region.virtual_range();
      if (!seen || seen->empty() || !region.physical_base ||
          !(region.seen_by(table_.core) || is_covered(region.name))) {
        continue;
      }
      if (seen->last().value() >= chip::kMpuSpace) {
        // Of an area, its own check says so.
        if (is_area(region.name)) {
          continue;
        }
        wrong(region,
              fmt::format("{} has '{}' at {}, but it sees no more than 4 GiB",
                          table_.core,
                          region.name,
                          core::format_range(*seen)),
              "give its chain a 'virtual' address below 4 GiB, and a RAT entry");
      } else {
        check(region, *seen);
      }
    }
  }

 private:
  void wrong(const Region& region, const std::string& what, const std::string& hint) {
    found_.push_back(core::error(Code::kRatMissing, what, region.place, hint)
                         .about({{"core", table_.core}, {"region", region.name}}));
  }

  [[nodiscard]] bool is_area(const std::string& name) const {
    return std::ranges::any_of(map_.mpu, [&](const MpuTable& table) {
      return table.core == table_.core && core::contains(table.areas, name, &MpuArea::region);
    });
  }

  [[nodiscard]] bool is_covered(const std::string& name) const {
    return std::ranges::any_of(
        table_.ranges, [&](const RatRange& range) { return core::contains(range.covers, name); });
  }

  void check(const Region& region, const core::VirtRange& seen) {
    const std::uint64_t from = seen.base().value();
    std::uint64_t reached = from;
    std::uint64_t through = 0;
    for (const RatRange& range : table_.ranges) {
      const std::uint64_t local = range.local.value();
      if (from >= local && from - local < range.size.count()) {
        reached = range.system.value() + (from - local);
        through = local + range.size.count();
      }
    }
    const bool leads_there = reached == region.physical_base->value();
    const bool cut = through != 0 && seen.last().value() >= through;
    if (leads_there && !cut) {
      return;
    }
    const std::string way =
        leads_there ? fmt::format("but the RAT entry that leads there ends at {}",
                                  core::format_hex(through))
        : through == 0
            ? fmt::format("which is {} on the bus without a RAT entry", core::format_hex(reached))
            : fmt::format("which a RAT entry leads to {}", core::format_hex(reached));
    wrong(region,
          fmt::format("{} sees '{}' at {}, {}{}",
                      table_.core,
                      region.name,
                      core::format_range(seen),
                      way,
                      leads_there ? std::string{}
                                  : fmt::format(", but it is at {}",
                                                core::format_range(*region.physical()))),
          leads_there ? "make the entry larger, or leave out its size"
                      : "give it a RAT entry of its own that covers all of it");
  }

  const MemoryMap& map_;
  const RatTable& table_;
  core::Diagnostics& found_;
};

// What a core sees elsewhere than it is on the bus needs an entry that leads there, and no other.
void check_rat_missing(const MemoryMap& map, core::Diagnostics& found) {
  for (const RatTable& table : map.rat) {
    ReachCheck{map, table, found}.run();
  }
  for (const MpuTable& core : map.mpu) {
    const bool has_rat = core::contains(map.rat, core.core, &RatTable::core);
    if (!has_rat) {
      const RatTable none{core.core, {}, core.place};
      ReachCheck{map, none, found}.run();
    }
  }
}

}  // namespace

const std::vector<Check>& mpu_checks() {
  static const std::vector<Check> checks = {
      {Code::kMpuRegion,
       Severity::kError,
       Code::kMpuRegion,
       "a fixed MPU region is a power of two on a multiple of its size",
       kArmManual,
       check_fixed},
      {Code::kMpuArea,
       Severity::kError,
       Code::kMpuRegion,
       "what an R5F must see with an attribute can be cut out of its 4 GiB",
       kArmManual,
       check_areas},
      {Code::kMpuRegions,
       Severity::kError,
       Code::kMpuArea,
       "an R5F has enough MPU regions for its areas",
       "16 in hardware; SafeRTOS keeps 0 and 11 to 15 for itself",
       check_regions},
      {Code::kMpuCache,
       Severity::kError,
       Code::kMpuArea,
       "an R5F sees each region cached as it must be, and nothing else differently",
       "what one core caches and another does not is corrupt when they share it",
       check_mpu_cache},
      {Code::kMpuSpare,
       Severity::kNote,
       Code::kMpuArea,
       "memory that no region uses loses its cache where MPU regions are scarce",
       kArmManual,
       note_spare},
      {Code::kRatSize,
       Severity::kError,
       Code::kRatSize,
       "a RAT entry is a power of two",
       "addr_translate.syscfg.js",
       check_rat_size},
      {Code::kRatAlignment,
       Severity::kError,
       Code::kRatSize,
       "a RAT entry begins on a multiple of its size on both sides",
       "addr_translate.syscfg.js",
       check_rat_alignment},
      {Code::kRatOverlap,
       Severity::kError,
       Code::kRatSize,
       "RAT entries of a core do not overlap",
       "addr_translate.syscfg.js",
       check_rat_overlap},
      {Code::kRatEntries,
       Severity::kError,
       Code::kRatEntries,
       "a core has at most 16 RAT entries",
       "addr_translate.syscfg.js",
       check_rat_entries},
      {Code::kRatMissing,
       Severity::kError,
       Code::kRatSize,
       "what an R5F sees elsewhere than it is on the bus has a RAT entry that leads there",
       "an R5F has no MMU",
       check_rat_missing},
  };
  return checks;
}

}  // namespace memsize::layout
