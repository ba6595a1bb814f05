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
  const layout::MmuTable* mmu = nullptr;
  const layout::MpuTable* mpu = nullptr;
  std::vector<layout::Translation> translations;
};

class SubjectMaker {
 public:
  SubjectMaker(const layout::MemoryMap& map, const emit::MapFiles& files)
      : map_(map),
        files_(files),
        regions_(map.regions, &layout::Region::name),
        written_(files.map.regions, &emit::MapRegion::name) {}

  core::Result<Subject> make() {
    subject_.board = map_.board.name;
    for (const board::Core& core : map_.board.cores) {
      make_core(core.name, subject_.cores.size());
    }
    make_memories();
    make_linux();
    if (!errors_.empty()) {
      return tl::make_unexpected(std::move(errors_));
    }
    return std::move(subject_);
  }

 private:
  void make_core(const std::string& name, std::size_t number) {
    SubjectCore core{.name = name, .number = number};
    const auto own =
        std::ranges::find_if(files_.cores, [&](const auto& files) { return files.core == name; });
    Wanted wanted{.mmu = map_.find_mmu(name)};
    const auto mpu =
        std::ranges::find_if(map_.mpu, [&](const auto& table) { return table.core == name; });
    if (own != files_.cores.end()) {
      if (wanted.mmu != nullptr && layout::has_tables(map_.board.mmu)) {
        core.unit = Unit::kMmu;
        wanted.translations = layout::effective(*wanted.mmu);
        make_mmu(*own, *wanted.mmu, core);
      } else if (mpu != map_.mpu.end()) {
        core.unit = Unit::kMpu;
        wanted.mpu = &*mpu;
        make_mpu(*own, *mpu, core);
      }
      core.rat = own->rat;
      check_rat(*own);
      core.program_path = own->program_path;
      for (const emit::WrittenRange& range : own->linker) {
        make_region(range, wanted, core);
      }
      find_missing(*own);
    }
    subject_.cores.push_back(std::move(core));
  }

  void make_mmu(const emit::CoreFiles& files, const layout::MmuTable& wanted, SubjectCore& core) {
    core.mmu.core = files.core;
    core.mmu.place = wanted.place;
    for (const emit::WrittenMmuEntry& entry : files.mmu) {
      const auto virtual_range =
          core::VirtRange::make(core::VirtAddr{entry.virtual_base}, core::Bytes{entry.size});
      const auto physical =
          core::PhysRange::make(core::PhysAddr{entry.physical}, core::Bytes{entry.size});
      const auto mair = chip::mair_of(entry.attribute);
      if (!virtual_range || !physical || !mair) {
        errors_.push_back(core::error(Code::kVerifyParse,
                                      fmt::format("'{}' is no entry: {} to {} as {}",
                                                  core::printable(entry.name),
                                                  emit::range_text(entry.virtual_base, entry.size),
                                                  core::format_hex(entry.physical),
                                                  core::printable(entry.attribute)),
                                      entry.place,
                                      std::string{emit::kWriteAgain}));
        continue;
      }
      check_permissions(files.core, entry);
      core.mmu.ranges.push_back({.instance = core.mmu.ranges.size() + 1,
                                 .entry = entry.name,
                                 .virtual_range = *virtual_range,
                                 .physical = *physical,
                                 .mair = *mair,
                                 .place = entry.place});
    }
    for (const layout::MmuRange& range : wanted.ranges) {
      core.reachable.push_back(range.virtual_range);
    }
    const std::uint64_t most = map_.board.mmu.max_entries;
    if (most != 0 && files.mmu.size() > most) {
      disagree(files,
               Code::kMmuEntries,
               fmt::format(
                   "{} has {} MMU entries, but may have {}", files.core, files.mmu.size(), most));
    }
    // Registers and the like: no region lies there, so that no place of theirs is tried.
    const std::vector<layout::Translation> there = layout::effective(core.mmu);
    std::set<std::string> told;
    for (const layout::Translation& piece : layout::effective(wanted)) {
      const bool is_fixed = wanted.ranges.at(piece.instance - 1).covers.empty();
      if (is_fixed && !leads_alike(there, piece) && told.insert(piece.entry).second) {
        disagree(files,
                 Code::kValidateTranslation,
                 fmt::format("{}: no entry leads where the board's '{}' does, {} to {} as MAIR{}",
                             files.core,
                             piece.entry,
                             emit::range_text(piece.virtual_range.base().value(),
                                              piece.virtual_range.size().count()),
                             core::format_hex(piece.physical.base().value()),
                             piece.mair));
      }
    }
  }

  // Whether all of a piece leads to the same bytes, with the same attribute.
  static bool leads_alike(const std::vector<layout::Translation>& there,
                          const layout::Translation& piece) {
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

  void disagree(const emit::CoreFiles& files, Code code, std::string what) {
    subject_.findings.push_back(
        core::error(code, std::move(what), {files.program_path}, std::string{emit::kWriteAgain}));
  }

  // Permissions are the board's, the same for every entry: the firmware reads, writes and executes.
  void check_permissions(const std::string& core, const emit::WrittenMmuEntry& entry) {
    for (const auto& [property, value] : map_.board.mmu.properties) {
      const auto said = entry.others.find(property);
      if (said != entry.others.end() && said->second != core::unquoted(value)) {
        subject_.findings.push_back(
            core::error(Code::kValidateGuard,
                        fmt::format("{}: '{}' has {} = {}, but the firmware needs {}",
                                    core,
                                    core::printable(entry.name),
                                    property,
                                    core::printable(said->second, 60),
                                    value),
                        entry.place,
                        std::string{emit::kWriteAgain}));
      }
    }
  }

  void make_mpu(const emit::CoreFiles& files, const layout::MpuTable& wanted, SubjectCore& core) {
    std::set<unsigned> numbers;
    for (const emit::WrittenMpuRegion& region : files.mpu) {
      const chip::MpuRegionFields& fields = region.fields;
      const bool possible = std::has_single_bit(fields.size) && fields.size >= chip::kMpuSmallest &&
                            fields.size <= chip::kMpuSpace && fields.base < chip::kMpuSpace &&
                            fields.number < chip::kMostMpuRegions &&
                            numbers.insert(fields.number).second;
      if (!possible) {
        errors_.push_back(core::error(
            Code::kMpuRegion,
            fmt::format("no MPU can have region {} '{}', {} at {}",
                        fields.number,
                        core::printable(fields.name),
                        core::format_size(core::Bytes{fields.size}),
                        core::format_hex(fields.base)),
            region.place,
            "a size is a power of two from 32 B to 4 GiB, a number below 16 and given once"));
        continue;
      }
      if (!region.permissions.empty()) {
        subject_.findings.push_back(core::error(
            Code::kValidateGuard,
            fmt::format("{}: region {} '{}' has accessPermissions \"{}\", but the firmware needs "
                        "full access",
                        files.core,
                        fields.number,
                        core::printable(fields.name),
                        core::printable(region.permissions, 60)),
            region.place,
            std::string{emit::kWriteAgain}));
      }
      core.mpu.push_back(fields);
    }
    const std::vector<chip::MpuRegionFields> fields = emit::mpu_fields(wanted, map_.board.mpu);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const bool is_there = std::ranges::any_of(core.mpu, [&](chip::MpuRegionFields region) {
        region.name = fields[i].name;
        return region == fields[i];
      });
      if (wanted.regions[i].is_fixed && !is_there) {
        disagree(files,
                 Code::kMpuRegion,
                 fmt::format("{}: no region is what the board has as {} '{}', {}",
                             files.core,
                             fields[i].number,
                             fields[i].name,
                             emit::range_text(fields[i].base, fields[i].size)));
      }
    }
    for (const layout::MpuRegion& region : wanted.regions) {
      for (std::uint64_t i = 0; i < chip::kMpuParts; ++i) {
        const core::Bytes part{region.range.size().count() / chip::kMpuParts};
        const auto range = core::VirtRange::make(
            core::VirtAddr{region.range.base().value() + i * part.count()}, part);
        if (((region.disabled >> i) & 1U) == 0 && range) {
          core.reachable.push_back(*range);
        }
      }
    }
  }

  // What the map gives to the core, but its linker does not know.
  void find_missing(const emit::CoreFiles& files) {
    core::Place place;
    if (!files.linker.empty()) {
      place.path = files.linker.front().place.path;
    }
    const core::ByName<emit::WrittenRange> linker{files.linker, &emit::WrittenRange::name};
    for (const emit::MapRegion& region : files_.map.regions) {
      const bool has = core::contains(region.cores, files.core);
      const bool known = linker.find(region.name) != nullptr;
      if (has && !known) {
        errors_.push_back(
            core::error(Code::kVerifyDisagree,
                        fmt::format("'{}' is in the map of {} but not in its linker map",
                                    core::printable(region.name),
                                    files.core),
                        place,
                        std::string{emit::kWriteAgain}));
      }
    }
  }

  // Where a region lies on the bus; an alias where the region does that it is another name for.
  [[nodiscard]] std::optional<std::uint64_t> physical_of(const emit::MapRegion& written,
                                                         const std::string& core) const {
    const auto& named = regions_.all(written.name);
    const auto alias = std::ranges::find_if(named, [&](const layout::Region* region) {
      return region->kind == layout::RegionKind::kAlias && region->seen_by(core);
    });
    const emit::MapRegion* own = alias == named.end() ? nullptr : written_.find((*alias)->of);
    return own == nullptr ? written.physical : own->physical;
  }

  // Two entries over one address have no meaning that could be tried.
  void check_rat(const emit::CoreFiles& files) {
    const core::Place place{files.program_path};
    if (files.rat.size() > chip::kRatEntries) {
      errors_.push_back(core::error(Code::kRatEntries,
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
          errors_.push_back(core::error(Code::kRatOverlap,
                                        fmt::format("{}: RAT entries '{}' and '{}' overlap",
                                                    files.core,
                                                    core::printable(other.name),
                                                    core::printable(entry.name)),
                                        place,
                                        std::string{emit::kWriteAgain}));
        }
      }
    }
  }

  void make_region(const emit::WrittenRange& range, const Wanted& wanted, SubjectCore& core) {
    const auto* const* found = core::find_where(
        written_.all(range.name),
        [&](const emit::MapRegion* region) { return core::contains(region->cores, core.name); });
    const emit::MapRegion* written = found == nullptr ? nullptr : *found;
    const auto virtual_range =
        core::VirtRange::make(core::VirtAddr{range.base}, core::Bytes{range.size});
    if (written == nullptr || !virtual_range) {
      errors_.push_back(core::error(
          Code::kVerifyDisagree,
          written == nullptr
              ? fmt::format("'{}' is in the linker map of {} but not in memory_map.json",
                            core::printable(range.name),
                            core.name)
              : fmt::format("'{}' ends above 2^64", core::printable(range.name)),
          range.place,
          std::string{emit::kWriteAgain}));
      return;
    }
    if (range.base != written->address || range.size != written->size) {
      subject_.findings.push_back(
          core::error(Code::kVerifyDisagree,
                      fmt::format("'{}' is {} in the linker map of {}, but {} in memory_map.json",
                                  core::printable(range.name),
                                  emit::range_text(range.base, range.size),
                                  core.name,
                                  emit::range_text(written->address, written->size)),
                      range.place,
                      std::string{emit::kWriteAgain}));
    }
    CoreRegion region{.name = range.name, .range = *virtual_range};
    if (const auto physical = physical_of(*written, core.name)) {
      region.physical = core::PhysAddr{*physical};
    }
    for (const layout::Region* own : regions_.all(range.name)) {
      if (own->seen_by(core.name)) {
        region.align = own->align;
        check_place(core.name, *written, *own);
      }
    }
    region.kinds = kinds_of(written->cache);
    if (region.kinds == kAllKinds) {
      region.kinds = wanted_kinds(wanted, region.range);
    }
    if (wanted.mpu != nullptr) {
      region.no_execute = never_executes(*wanted.mpu, region.range);
    }
    core.regions.push_back(std::move(region));
  }

  // What memory_map.json says must be what the board makes of the same sizes.
  void check_place(const std::string& core,
                   const emit::MapRegion& written,
                   const layout::Region& own) {
    const core::Place place{"memory_map.json"};
    const bool same = written.size == own.size.count() && own.virtual_base &&
                      written.address == own.virtual_base->value() &&
                      (!own.physical_base || written.physical == own.physical_base->value());
    if (!same) {
      subject_.findings.push_back(core::error(
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
          place,
          std::string{emit::kWriteAgain}));
    }
    const auto range = own.physical();
    const bool in_bank =
        range && std::ranges::any_of(map_.board.banks, [&](const board::Bank& bank) {
          return bank.range.contains(*range);
        });
    if (own.space == board::Space::kDdr && range && !range->empty() && !in_bank &&
        outside_.insert(own.name).second) {
      subject_.findings.push_back(
          core::error(Code::kLayoutBank,
                      fmt::format("'{}' lies outside of the DRAM, at {} on the bus",
                                  own.name,
                                  core::format_hex(range->base().value())),
                      place,
                      "write the map again with: memsize emit --dram SIZE"));
    }
  }

  // The one kind that the board's own unit shows all over the range; all kinds where there are
  // several.
  std::uint32_t wanted_kinds(const Wanted& wanted, const core::VirtRange& range) const {
    std::uint32_t kinds = 0;
    for (const layout::Translation& piece : wanted.translations) {
      if (piece.virtual_range.overlaps(range)) {
        kinds |= kinds_of(map_.board.mmu.mair.of(piece.mair));
      }
    }
    if (wanted.mpu != nullptr) {
      for (const auto* attribute : shown_over(*wanted.mpu, map_.board.mpu, range)) {
        kinds |= attribute == nullptr ? kAllKinds : kinds_of(cache_of(*attribute));
      }
    }
    const bool one = kinds != 0 && (kinds & (kinds - 1)) == 0;
    return one ? kinds : kAllKinds;
  }

  [[nodiscard]] bool never_executes(const layout::MpuTable& table,
                                    const core::VirtRange& range) const {
    const auto shown = shown_over(table, map_.board.mpu, range);
    return std::ranges::all_of(shown, [](const board::MpuAttribute* attribute) {
      return attribute != nullptr && !attribute->execute;
    });
  }

  void make_memories() {
    for (const board::Bank& bank : map_.board.banks) {
      subject_.memories.push_back({bank.name, bank.range});
    }
    // SRAM: what regions lie in, in whole pages; what touches is one.
    std::vector<Memory> sram;
    for (const SubjectCore& core : subject_.cores) {
      for (const CoreRegion& region : core.regions) {
        const auto range = region.on_bus();
        if (!range || range->empty() ||
            std::ranges::any_of(map_.board.banks,
                                [&](const auto& bank) { return bank.range.overlaps(*range); })) {
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
      Memory* last =
          subject_.memories.size() > map_.board.banks.size() ? &subject_.memories.back() : nullptr;
      if (last == nullptr || piece.range.base().value() > last->range.last().value() + 1) {
        subject_.memories.push_back(piece);
      } else if (piece.range.last() > last->range.last()) {
        last->range = *core::PhysRange::make(
            last->range.base(), (piece.range.last() - last->range.base()) + core::Bytes{1});
      }
    }
  }

  // The banks without what the nodes reserve.
  void make_linux() {
    for (const board::Bank& bank : map_.board.banks) {
      std::uint64_t next = bank.range.base().value();
      const std::uint64_t end = next + bank.range.size().count();
      std::vector<emit::WrittenNode> nodes = files_.nodes;
      std::ranges::sort(nodes, {}, &emit::WrittenNode::base);
      for (const emit::WrittenNode& node : nodes) {
        if (!node.is_reserved() || node.base >= end || node.base + node.size <= next) {
          continue;
        }
        add_linux(next, std::max(next, node.base));
        next = std::max(next, node.base + node.size);
      }
      add_linux(next, std::max(next, end));
    }
  }

  void add_linux(std::uint64_t begin, std::uint64_t end) {
    const auto range = core::PhysRange::make(core::PhysAddr{begin}, core::Bytes{end - begin});
    if (range && !range->empty()) {
      subject_.linux_memory.push_back(*range);
    }
  }

  const layout::MemoryMap& map_;
  const emit::MapFiles& files_;
  core::ByName<layout::Region> regions_;
  core::ByName<emit::MapRegion> written_;
  Subject subject_;
  /// Regions that were told to lie outside of the DRAM.
  std::set<std::string> outside_;
  core::Diagnostics errors_;
};

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
  return SubjectMaker{map, files}.make();
}

}  // namespace memsize::runtime
