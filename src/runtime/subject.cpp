// Takes from the files what each core is told, and from the board what it wants: regions and the
// kinds of memory they may be, what the MMU or MPU leads where, and which memory is Linux's.
#include "memsize/runtime/subject.hpp"

#include "memsize/chip/limits.hpp"
#include "memsize/core/cursor.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/mpu_words.hpp"
#include "memsize/emit/reach.hpp"
#include "memsize/emit/written_map.hpp"
#include "memsize/layout/lens.hpp"

#include "target/map_table.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::runtime {

namespace {

using core::Code;

constexpr std::uint32_t kNonCached = MAP_NON_CACHED;
constexpr std::uint32_t kWriteThrough = MAP_WRITE_THROUGH;
constexpr std::uint32_t kWriteBack = MAP_WRITE_BACK;

constexpr std::uint32_t kAllKinds = kNonCached | kWriteThrough | kWriteBack;

std::uint32_t kinds_of(chip::Cache cache) {
  return cache == chip::Cache::kNonCached      ? kNonCached
         : cache == chip::Cache::kWriteThrough ? kWriteThrough
         : cache == chip::Cache::kCached       ? kWriteBack
                                               : kAllKinds;
}

// What the board's own MPU regions show over a range; null: nothing.
std::vector<const board::MpuAttribute*> shown_over(const layout::MpuTable& table,
                                                   const board::Mpu& mpu,
                                                   const core::VirtRange& range) {
  std::vector<const board::MpuAttribute*> shown;
  const chip::Lens lens = layout::lens_of(table);
  for (const chip::Piece& piece : lens.over(range.base().value(), range.size().count())) {
    shown.push_back(piece.layer ? mpu.find_attribute(table.regions[*piece.layer].attribute)
                                : nullptr);
  }
  return shown;
}

// What the board wants of a core's unit.
struct Wanted {
  const layout::MpuTable* mpu = nullptr;
  std::vector<layout::Translation> translations;
};

// The regions of a map by their names: as the board has them, and as memory_map.json says.
class RegionNames {
 public:
  RegionNames(const layout::MemoryMap& map, const emit::WrittenMap& written)
      : own_(map.regions, &layout::Region::name),
        written_(written.regions, &emit::MapRegion::name) {}

  [[nodiscard]] const std::vector<const layout::Region*>& own(const std::string& name) const {
    return own_.all(name);
  }

  // What memory_map.json gives a core by that name; nullptr: nothing.
  [[nodiscard]] const emit::MapRegion* written(const std::string& name,
                                               const std::string& core) const {
    const auto* const* found = core::find_where(
        written_.all(name),
        [&](const emit::MapRegion* region) { return core::contains(region->cores, core); });
    return found == nullptr ? nullptr : *found;
  }

  // Where a region lies on the bus; an alias where the region does that it is another name for.
  [[nodiscard]] std::optional<std::uint64_t> physical_of(const emit::MapRegion& region,
                                                         const std::string& core) const {
    const auto* const* alias = core::find_where(own(region.name), [&](const layout::Region* named) {
      return named->kind == layout::RegionKind::kAlias && named->seen_by(core);
    });
    const emit::MapRegion* of = alias == nullptr ? nullptr : written_.find((*alias)->of);
    return of == nullptr ? region.physical : of->physical;
  }

 private:
  core::ByName<layout::Region> own_;
  core::ByName<emit::MapRegion> written_;
};

core::Diagnostic disagreement(Code code, std::string what, core::Place place) {
  return core::error(code, std::move(what), std::move(place), std::string{emit::kWriteAgain});
}

// Permissions are the board's, the same for every entry: the firmware reads, writes and executes.
void find_permissions(const board::Mmu& mmu,
                      const std::string& core,
                      const emit::WrittenMmuEntry& entry,
                      core::Diagnostics& found) {
  for (const auto& [property, value] : mmu.properties) {
    const auto said = entry.others.find(property);
    if (said != entry.others.end() && said->second != core::unquoted(value)) {
      found.push_back(disagreement(Code::kValidateGuard,
                                   fmt::format("{}: '{}' has {} = {}, but the firmware needs {}",
                                               core,
                                               core::printable(entry.name),
                                               property,
                                               core::printable(said->second, 60),
                                               value),
                                   entry.place));
    }
  }
}

// Whether all of a piece leads to the same bytes, with the same attribute.
bool leads_alike(const std::vector<layout::Translation>& there, const layout::Translation& piece) {
  const std::uint64_t begin = piece.virtual_range.base().value();
  const std::uint64_t end = begin + piece.virtual_range.size().count();
  std::uint64_t at = begin;
  for (const layout::Translation& other : there) {
    const std::uint64_t base = other.virtual_range.base().value();
    if (at < end && other.virtual_range.contains(core::VirtAddr{at})) {
      if (other.mair != piece.mair || other.physical.base().value() + (at - base) !=
                                          piece.physical.base().value() + (at - begin)) {
        return false;
      }
      at = base + other.virtual_range.size().count();
    }
  }
  return at >= end;
}

layout::MmuTable mmu_table(const emit::CoreFiles& files,
                           const core::Place& place,
                           core::Diagnostics& errors) {
  layout::MmuTable table{.core = files.core, .ranges = {}, .place = place};
  for (const emit::WrittenMmuEntry& entry : files.mmu) {
    const auto virtual_range =
        core::VirtRange::make(core::VirtAddr{entry.virtual_base}, core::Bytes{entry.size});
    const auto physical =
        core::PhysRange::make(core::PhysAddr{entry.physical}, core::Bytes{entry.size});
    const auto mair = chip::mair_of(entry.attribute);
    if (!virtual_range || !physical || !mair) {
      errors.push_back(disagreement(Code::kVerifyParse,
                                    fmt::format("'{}' is no entry: {} to {} as {}",
                                                core::printable(entry.name),
                                                emit::range_text(entry.virtual_base, entry.size),
                                                core::format_hex(entry.physical),
                                                core::printable(entry.attribute)),
                                    entry.place));
      continue;
    }
    table.ranges.push_back({.instance = table.ranges.size() + 1,
                            .entry = entry.name,
                            .virtual_range = *virtual_range,
                            .physical = *physical,
                            .mair = *mair,
                            .place = entry.place});
  }
  return table;
}

// Where the entries are not what the board needs beside its regions.
core::Diagnostics mmu_findings(const board::Mmu& mmu,
                               const emit::CoreFiles& files,
                               const layout::MmuTable& table,
                               const layout::MmuTable& wanted) {
  core::Diagnostics found;
  for (const emit::WrittenMmuEntry& entry : files.mmu) {
    find_permissions(mmu, files.core, entry, found);
  }
  if (mmu.max_entries != 0 && files.mmu.size() > mmu.max_entries) {
    found.push_back(disagreement(Code::kMmuEntries,
                                 fmt::format("{} has {} MMU entries, but may have {}",
                                             files.core,
                                             files.mmu.size(),
                                             mmu.max_entries),
                                 {files.program_path}));
  }
  // Registers and the like: no region lies there, so that no place of theirs is tried.
  const std::vector<layout::Translation> there = layout::effective(table);
  std::set<std::string> told;
  for (const layout::Translation& piece : layout::effective(wanted)) {
    const bool is_fixed = wanted.ranges.at(piece.instance - 1).covers.empty();
    if (is_fixed && !leads_alike(there, piece) && told.insert(piece.entry).second) {
      found.push_back(disagreement(
          Code::kValidateTranslation,
          fmt::format("{}: no entry leads where the board's '{}' does, {} to {} as MAIR{}",
                      files.core,
                      piece.entry,
                      emit::range_text(piece.virtual_range.base().value(),
                                       piece.virtual_range.size().count()),
                      core::format_hex(piece.physical.base().value()),
                      piece.mair),
          {files.program_path}));
    }
  }
  return found;
}

std::vector<chip::MpuRegionFields> mpu_regions(const emit::CoreFiles& files,
                                               core::Diagnostics& errors) {
  std::vector<chip::MpuRegionFields> regions;
  std::set<unsigned> numbers;
  for (const emit::WrittenMpuRegion& region : files.mpu) {
    const chip::MpuRegionFields& fields = region.fields;
    const bool is_possible =
        std::has_single_bit(fields.size) && fields.size >= chip::kMpuSmallest &&
        fields.size <= chip::kMpuSpace && fields.base < chip::kMpuSpace &&
        fields.number < chip::kMostMpuRegions && numbers.insert(fields.number).second;
    if (!is_possible) {
      errors.push_back(core::error(
          Code::kMpuRegion,
          fmt::format("no MPU can have region {} '{}', {} at {}",
                      fields.number,
                      core::printable(fields.name),
                      core::format_size(core::Bytes{fields.size}),
                      core::format_hex(fields.base)),
          region.place,
          "a size is a power of two from 32 B to 4 GiB, a number below 16 and given once"));
    } else {
      regions.push_back(fields);
    }
  }
  return regions;
}

// Where the MPU's regions are not what the board needs beside its own.
core::Diagnostics mpu_findings(const board::Mpu& mpu,
                               const emit::CoreFiles& files,
                               const layout::MpuTable& wanted) {
  core::Diagnostics found;
  for (const emit::WrittenMpuRegion& region : files.mpu) {
    if (!region.permissions.empty()) {
      found.push_back(disagreement(
          Code::kValidateGuard,
          fmt::format("{}: region {} '{}' has accessPermissions \"{}\", but the firmware needs "
                      "full access",
                      files.core,
                      region.fields.number,
                      core::printable(region.fields.name),
                      core::printable(region.permissions, 60)),
          region.place));
    }
  }
  const std::vector<chip::MpuRegionFields> fields = emit::mpu_fields(wanted, mpu);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const bool is_there = std::ranges::any_of(files.mpu, [&](const emit::WrittenMpuRegion& region) {
      chip::MpuRegionFields there = region.fields;
      there.name = fields[i].name;
      return there == fields[i];
    });
    if (wanted.regions[i].is_fixed && !is_there) {
      found.push_back(disagreement(Code::kMpuRegion,
                                   fmt::format("{}: no region is what the board has as {} '{}', {}",
                                               files.core,
                                               fields[i].number,
                                               fields[i].name,
                                               emit::range_text(fields[i].base, fields[i].size)),
                                   {files.program_path}));
    }
  }
  return found;
}

std::vector<core::VirtRange> reachable_by(const layout::MpuTable& wanted) {
  std::vector<core::VirtRange> reachable;
  for (const layout::MpuRegion& region : wanted.regions) {
    for (std::uint64_t i = 0; i < chip::kMpuParts; ++i) {
      const core::Bytes part{region.range.size().count() / chip::kMpuParts};
      const auto range = core::VirtRange::make(
          core::VirtAddr{region.range.base().value() + i * part.count()}, part);
      if (((region.disabled >> i) & 1U) == 0 && range) {
        reachable.push_back(*range);
      }
    }
  }
  return reachable;
}

// Two entries over one address have no meaning that could be tried.
core::Diagnostics rat_errors(const emit::CoreFiles& files) {
  core::Diagnostics errors;
  const core::Place place{files.program_path};
  if (files.rat.size() > chip::kRatEntries) {
    errors.push_back(core::error(Code::kRatEntries,
                                 fmt::format("{} has {} RAT entries, but there are {}",
                                             files.core,
                                             files.rat.size(),
                                             chip::kRatEntries),
                                 place));
  }
  for (std::size_t i = 0; i < files.rat.size(); ++i) {
    const chip::RatEntryFields& entry = files.rat[i];
    for (std::size_t j = 0; j < i; ++j) {
      const chip::RatEntryFields& other = files.rat[j];
      if (entry.local - other.local < other.size || other.local - entry.local < entry.size) {
        errors.push_back(disagreement(Code::kRatOverlap,
                                      fmt::format("{}: RAT entries '{}' and '{}' overlap",
                                                  files.core,
                                                  core::printable(other.name),
                                                  core::printable(entry.name)),
                                      place));
      }
    }
  }
  return errors;
}

// What memory_map.json says must be what the board makes of the same sizes.
std::optional<core::Diagnostic> other_place(const std::string& core,
                                            const emit::MapRegion& written,
                                            const layout::Region& own) {
  const bool same = written.size == own.size.count() && own.virtual_base &&
                    written.address == own.virtual_base->value() &&
                    (!own.physical_base || written.physical == own.physical_base->value());
  if (same) {
    return std::nullopt;
  }
  return disagreement(
      Code::kVerifyDisagree,
      fmt::format(
          "'{}' of {} is {}, but with these sizes the board has it as {}{}",
          own.name,
          core,
          emit::range_text(written.address, written.size),
          own.virtual_base ? emit::range_text(own.virtual_base->value(), own.size.count())
                           : "nothing",
          own.physical_base && written.physical != own.physical_base->value()
              ? fmt::format(" at {} on the bus", core::format_hex(own.physical_base->value()))
              : ""),
      {"memory_map.json"});
}

bool lies_outside(const std::vector<board::Bank>& banks, const layout::Region& own) {
  const auto range = own.physical();
  return own.space == board::Space::kDdr && range && !range->empty() &&
         std::ranges::none_of(banks,
                              [&](const board::Bank& bank) { return bank.range.contains(*range); });
}

core::Diagnostic outside_of_dram(const layout::Region& own) {
  return core::error(Code::kLayoutBank,
                     fmt::format("'{}' lies outside of the DRAM, at {} on the bus",
                                 own.name,
                                 core::format_hex(own.physical_base->value())),
                     {"memory_map.json"},
                     "write the map again with: memsize emit --dram SIZE");
}

// The one kind that the board's own unit shows all over the range; all kinds where there are
// several.
std::uint32_t wanted_kinds(const board::Board& board,
                           const Wanted& wanted,
                           const core::VirtRange& range) {
  std::uint32_t kinds = 0;
  for (const layout::Translation& piece : wanted.translations) {
    if (piece.virtual_range.overlaps(range)) {
      kinds |= kinds_of(board.mmu.mair.of(piece.mair));
    }
  }
  if (wanted.mpu != nullptr) {
    for (const auto* attribute : shown_over(*wanted.mpu, board.mpu, range)) {
      kinds |= attribute == nullptr ? kAllKinds : kinds_of(cache_of(*attribute));
    }
  }
  const bool one = kinds != 0 && (kinds & (kinds - 1)) == 0;
  return one ? kinds : kAllKinds;
}

bool never_executes(const board::Mpu& mpu,
                    const layout::MpuTable& table,
                    const core::VirtRange& range) {
  const auto shown = shown_over(table, mpu, range);
  return std::ranges::all_of(shown, [](const board::MpuAttribute* attribute) {
    return attribute != nullptr && !attribute->execute;
  });
}

// A region of a core's linker map, which memory_map.json has for that core, too.
core::Result<CoreRegion> core_region(const board::Board& board,
                                     const RegionNames& names,
                                     const Wanted& wanted,
                                     const std::string& core,
                                     const emit::WrittenRange& range) {
  const emit::MapRegion* written = names.written(range.name, core);
  const auto virtual_range =
      core::VirtRange::make(core::VirtAddr{range.base}, core::Bytes{range.size});
  if (written == nullptr || !virtual_range) {
    return core::fail(
        disagreement(Code::kVerifyDisagree,
                     written == nullptr
                         ? fmt::format("'{}' is in the linker map of {} but not in memory_map.json",
                                       core::printable(range.name),
                                       core)
                         : fmt::format("'{}' ends above 2^64", core::printable(range.name)),
                     range.place));
  }
  CoreRegion region{.name = range.name, .range = *virtual_range};
  if (const auto physical = names.physical_of(*written, core)) {
    region.physical = core::PhysAddr{*physical};
  }
  for (const layout::Region* own : names.own(range.name)) {
    region.align = own->seen_by(core) ? own->align : region.align;
  }
  region.kinds = kinds_of(written->cache);
  if (region.kinds == kAllKinds) {
    region.kinds = wanted_kinds(board, wanted, region.range);
  }
  region.no_execute = wanted.mpu != nullptr && never_executes(board.mpu, *wanted.mpu, region.range);
  return region;
}

// Where the files and the board have a region at different places. `told`: the regions that were
// said to lie outside of the DRAM.
core::Diagnostics region_findings(const board::Board& board,
                                  const RegionNames& names,
                                  const std::string& core,
                                  const emit::WrittenRange& range,
                                  std::set<std::string>& told) {
  const emit::MapRegion& written = *names.written(range.name, core);
  core::Diagnostics found;
  if (range.base != written.address || range.size != written.size) {
    found.push_back(
        disagreement(Code::kVerifyDisagree,
                     fmt::format("'{}' is {} in the linker map of {}, but {} in memory_map.json",
                                 core::printable(range.name),
                                 emit::range_text(range.base, range.size),
                                 core,
                                 emit::range_text(written.address, written.size)),
                     range.place));
  }
  for (const layout::Region* own : names.own(range.name)) {
    if (!own->seen_by(core)) {
      continue;
    }
    if (auto said = other_place(core, written, *own)) {
      found.push_back(std::move(*said));
    }
    if (lies_outside(board.banks, *own) && told.insert(own->name).second) {
      found.push_back(outside_of_dram(*own));
    }
  }
  return found;
}

// What the map gives to the core, but its linker does not know.
core::Diagnostics missing_regions(const emit::WrittenMap& map, const emit::CoreFiles& files) {
  core::Diagnostics errors;
  core::Place place;
  if (!files.linker.empty()) {
    place.path = files.linker.front().place.path;
  }
  const core::ByName<emit::WrittenRange> linker{files.linker, &emit::WrittenRange::name};
  for (const emit::MapRegion& region : map.regions) {
    const bool has = core::contains(region.cores, files.core);
    const bool known = linker.find(region.name) != nullptr;
    if (has && !known) {
      errors.push_back(
          disagreement(Code::kVerifyDisagree,
                       fmt::format("'{}' is in the map of {} but not in its linker map",
                                   core::printable(region.name),
                                   files.core),
                       place));
    }
  }
  return errors;
}

// What is said of the files, in their order. Findings count where there are no errors.
struct Said {
  core::Diagnostics errors;
  core::Diagnostics findings;
  // Regions that were told to lie outside of the DRAM.
  std::set<std::string> outside;

  void refuse(core::Diagnostics more) { std::ranges::move(more, std::back_inserter(errors)); }

  void find(core::Diagnostics more) { std::ranges::move(more, std::back_inserter(findings)); }
};

// What the unit of a core is given, and what the board lets it reach.
Wanted take_unit(const layout::MemoryMap& map,
                 const emit::CoreFiles& files,
                 SubjectCore& core,
                 Said& said) {
  const auto* mmu = map.find_mmu(core.name);
  const auto* mpu = core::find_in(map.mpu, core.name, &layout::MpuTable::core);
  if (mmu != nullptr && layout::has_tables(map.board.mmu)) {
    core.unit = Unit::kMmu;
    core.mmu = mmu_table(files, mmu->place, said.errors);
    said.find(mmu_findings(map.board.mmu, files, core.mmu, *mmu));
    for (const layout::MmuRange& range : mmu->ranges) {
      core.reachable.push_back(range.virtual_range);
    }
    return {.translations = layout::effective(*mmu)};
  }
  if (mpu != nullptr) {
    core.unit = Unit::kMpu;
    core.mpu = mpu_regions(files, said.errors);
    said.find(mpu_findings(map.board.mpu, files, *mpu));
    core.reachable = reachable_by(*mpu);
  }
  return {.mpu = mpu, .translations = {}};
}

void take_files(const layout::MemoryMap& map,
                const emit::WrittenMap& written,
                const RegionNames& names,
                const emit::CoreFiles& files,
                SubjectCore& core,
                Said& said) {
  const Wanted wanted = take_unit(map, files, core, said);
  core.rat = files.rat;
  said.refuse(rat_errors(files));
  core.program_path = files.program_path;
  for (const emit::WrittenRange& range : files.linker) {
    if (auto region = core_region(map.board, names, wanted, core.name, range)) {
      core.regions.push_back(std::move(*region));
      said.find(region_findings(map.board, names, core.name, range, said.outside));
    } else {
      said.refuse(std::move(region.error()));
    }
  }
  said.refuse(missing_regions(written, files));
}

// The banks, and the other memory that regions lie in.
std::vector<Memory> memories_of(const std::vector<board::Bank>& banks,
                                const std::vector<SubjectCore>& cores) {
  std::vector<Memory> memories;
  for (const board::Bank& bank : banks) {
    memories.push_back({bank.name, bank.range});
  }
  // SRAM: what regions lie in, in whole pages; what touches is one.
  std::vector<Memory> sram;
  for (const SubjectCore& core : cores) {
    for (const CoreRegion& region : core.regions) {
      const auto range = region.on_bus();
      if (!range || range->empty() || std::ranges::any_of(banks, [&](const auto& bank) {
            return bank.range.overlaps(*range);
          })) {
        continue;
      }
      constexpr std::uint64_t kPage = 4096;
      const std::uint64_t first = range->base().value() / kPage * kPage;
      const std::uint64_t last = range->last().value() / kPage * kPage + (kPage - 1);
      if (const auto pages = core::PhysRange::make(core::PhysAddr{first},
                                                   core::Bytes{last - first} + core::Bytes{1})) {
        sram.push_back({region.name, *pages});
      }
    }
  }
  std::ranges::sort(
      sram, [](const Memory& a, const Memory& b) { return a.range.base() < b.range.base(); });
  for (const Memory& piece : sram) {
    Memory* last = memories.size() > banks.size() ? &memories.back() : nullptr;
    if (last == nullptr || piece.range.base().value() > last->range.last().value() + 1) {
      memories.push_back(piece);
    } else if (piece.range.last() > last->range.last()) {
      last->range = *core::PhysRange::make(
          last->range.base(), (piece.range.last() - last->range.base()) + core::Bytes{1});
    }
  }
  return memories;
}

// The banks without what the nodes reserve.
std::vector<core::PhysRange> linux_memory(const std::vector<board::Bank>& banks,
                                          std::vector<emit::WrittenNode> nodes) {
  std::vector<core::PhysRange> memory;
  const auto add = [&](std::uint64_t begin, std::uint64_t end) {
    const auto range = core::PhysRange::make(core::PhysAddr{begin}, core::Bytes{end - begin});
    if (range && !range->empty()) {
      memory.push_back(*range);
    }
  };
  std::ranges::sort(nodes, {}, &emit::WrittenNode::base);
  // What goes on behind 64 bits ends with them, as Linux has it.
  const auto end_of = [](std::uint64_t base, std::uint64_t size) {
    return core::checked_add(base, size).value_or(UINT64_MAX);
  };
  for (const board::Bank& bank : banks) {
    std::uint64_t next = bank.range.base().value();
    const std::uint64_t end = end_of(next, bank.range.size().count());
    for (const emit::WrittenNode& node : nodes) {
      const std::uint64_t behind = end_of(node.base, node.size);
      if (!node.is_reserved() || node.base >= end || behind <= next) {
        continue;
      }
      add(next, std::max(next, node.base));
      next = std::max(next, behind);
    }
    add(next, std::max(next, end));
  }
  return memory;
}

}  // namespace

std::optional<core::PhysRange> CoreRegion::on_bus() const {
  return physical ? core::PhysRange::make(*physical, range.size()) : std::nullopt;
}

const CoreRegion* SubjectCore::region_at(std::uint64_t address) const {
  return core::find_where(regions, [&](const CoreRegion& region) {
    return region.range.contains(core::VirtAddr{address});
  });
}

const SubjectCore* Subject::find_core(std::string_view name) const {
  return core::find_in(cores, name, &SubjectCore::name);
}

core::Result<Subject> make_subject(const layout::MemoryMap& map, const emit::MapFiles& files) {
  const RegionNames names{map, files.map};
  Said said;
  Subject subject;
  subject.board = map.board.name;
  for (const board::Core& named : map.board.cores) {
    SubjectCore core{.name = named.name, .number = subject.cores.size()};
    if (const auto* own = core::find_in(files.cores, core.name, &emit::CoreFiles::core)) {
      take_files(map, files.map, names, *own, core, said);
    }
    subject.cores.push_back(std::move(core));
  }
  if (!said.errors.empty()) {
    return tl::make_unexpected(std::move(said.errors));
  }
  subject.memories = memories_of(map.board.banks, subject.cores);
  subject.linux_memory = linux_memory(map.board.banks, files.nodes);
  subject.findings = std::move(said.findings);
  return subject;
}

}  // namespace memsize::runtime
