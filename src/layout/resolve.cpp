// From a board and knob values to addresses.
//
// Chains come first (resolve_chains.cpp), then other names for their regions: aliases, views,
// physical names. Carve-outs and MMU entries name regions; their ranges are the hulls of what they
// name. Whether such a hull hides something is not decided here but by the checks, which share no
// code with this file.
#include "memsize/board/mmu.hpp"
#include "memsize/chip/limits.hpp"
#include "memsize/core/bug.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/layout/memory_map.hpp"

#include "program_mpu.hpp"
#include "resolve_chains.hpp"
#include "resolver.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include <fmt/format.h>

namespace memsize::layout {

namespace {

using core::Bytes;
using core::Code;
using core::Diagnostics;
using core::PhysAddr;
using core::VirtAddr;

// --- names

std::vector<std::string> names_of_regions(const MemoryMap& map) {
  std::vector<std::string> names;
  for (const Region& region : map.regions) {
    if (region.kind == RegionKind::kRegion) {
      names.push_back(region.name);
    }
  }
  for (const auto* list : {&map.groups, &map.carveouts}) {
    for (const Carveout& known : *list) {
      names.push_back(known.name);
    }
  }
  return names;
}

core::Diagnostic unknown_region(const MemoryMap& map,
                                const std::string& name,
                                const core::Place& place) {
  if (const auto* other = core::find_in(map.regions, name, &Region::name); other != nullptr) {
    return core::error(Code::kBoardReference,
                       fmt::format("'{}' is another name of '{}'", name, other->of),
                       place,
                       fmt::format("name the region itself: \"{}\"", other->of));
  }
  return core::error(Code::kBoardReference,
                     fmt::format("there is no region '{}'", core::printable(name)),
                     place,
                     core::did_you_mean(name, names_of_regions(map)));
}

// What the names of regions, groups and carve-outs stand for. Regions must stay where they are;
// groups and carve-outs may be added to the map.
class RegionNames {
 public:
  explicit RegionNames(const MemoryMap& named)
      : map(named), regions_(named.regions, &Region::name) {}

  const MemoryMap& map;

  /// The owned regions behind a list of names.
  std::vector<const Region*> members_of(const std::vector<std::string>& names,
                                        const std::vector<core::Place>& places,
                                        Diagnostics& errors) const {
    std::vector<const Region*> members;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string& name = names[i];
      if (const Region* region = owned(name); region != nullptr) {
        members.push_back(region);
        continue;
      }
      const std::vector<std::string>* inner = inner_of(name);
      if (inner == nullptr) {
        errors.push_back(unknown_region(map, name, places.at(i)));
        continue;
      }
      for (const std::string& member : *inner) {
        members.push_back(owned(member));
      }
    }
    return members;
  }

  /// As MemoryMap::find_owned.
  [[nodiscard]] const Region* owned(const std::string& name) const {
    for (const Region* region : regions_.all(name)) {
      if (region->kind == RegionKind::kRegion) {
        return region;
      }
    }
    return nullptr;
  }

 private:
  // Of a group or a carve-out; null: there is none.
  [[nodiscard]] const std::vector<std::string>* inner_of(const std::string& name) const {
    for (const auto* list : {&map.groups, &map.carveouts}) {
      if (const auto* known = core::find_in(*list, name, &Carveout::name); known != nullptr) {
        return &known->members;
      }
    }
    return nullptr;
  }

  core::ByName<Region> regions_;
};

// --- aliases, views, physical names

// The region that was added, or nothing where it has no owner.
Region* add_alias(MemoryMap& map, const board::Alias& alias, Diagnostics& errors) {
  const Region* owner = map.find_owned(alias.of);
  if (owner == nullptr) {
    errors.push_back(unknown_region(map, alias.of, alias.of_place));
    return nullptr;
  }
  if (owner->space == board::Space::kCore) {
    errors.push_back(core::error(
        Code::kBoardReference,
        fmt::format("'{}' is seen by its own core only: no other core can have an alias of it",
                    alias.of),
        alias.of_place));
    return nullptr;
  }
  Region region = *owner;
  region.kind = RegionKind::kAlias;
  region.name = alias.name;
  region.of = alias.of;
  region.cores = alias.cores;
  region.note = fmt::format("{}, as {} maps it", owner->note, core::join(alias.cores, " and "));
  region.place = alias.place;
  return &map.regions.emplace_back(std::move(region));
}

// What stands before a view but has no end was reported already.
bool stands_before(const board::View& view, const std::vector<board::View>& all) {
  const auto end = std::ranges::find(all, view.name, &board::View::name);
  return std::any_of(
      all.begin(), end, [&](const board::View& other) { return other.name == view.after; });
}

// Aliases one behind the other, virtually; physically each is where its owner is.
void add_view(MemoryMap& map,
              const board::View& view,
              std::map<std::string, Cursor>& ends,
              Diagnostics& errors) {
  const Cursor* const before = core::value_in(ends, view.after);
  if (!view.after.empty() && before == nullptr) {
    if (!stands_before(view, map.board.views)) {
      errors.push_back(core::error(
          Code::kBoardReference,
          fmt::format("view '{}' continues '{}', which is neither a chain nor a view before it",
                      view.name,
                      core::printable(view.after)),
          view.after_place,
          core::did_you_mean(view.after,
                             core::texts_of(ends, [](const auto& end) { return end.first; }))));
    }
    return;
  }
  Cursor cursor = view.after.empty()
                      ? Cursor{{}, VirtAddr{value_of(view.virtual_base, map.values, errors)}}
                      : *before;
  cursor.physical.reset();
  for (const board::Alias& alias : view.aliases) {
    Region* region = add_alias(map, alias, errors);
    if (region == nullptr) {
      return;
    }
    if (cursor.full || !core::VirtRange::make(cursor.virtual_base, region->size)) {
      errors.push_back(core::error(
          Code::kLayoutAddress,
          fmt::format("'{}' of {} ends above 2^64", alias.name, core::format_size(region->size)),
          alias.place));
      return;
    }
    region->virtual_base = cursor.virtual_base;
    cursor = cursor.behind(region->size);
  }
  ends[view.name] = cursor;
}

void add_physical_name(MemoryMap& map, const board::Item& item, Diagnostics& errors) {
  Region region = *map.find_owned(item.name);
  if (!region.physical_base) {
    errors.push_back(core::error(
        Code::kBoardValue,
        fmt::format("'{}' is seen by its own core only and has no physical name", item.name),
        region.place,
        "leave 'phys' out"));
    return;
  }
  region.kind = RegionKind::kPhysicalName;
  region.of = item.name;
  region.name = item.name + "_PHYS";
  region.note = fmt::format("{}: physical address", region.note);
  region.cores.clear();
  region.virtual_base.reset();
  region.in_header = true;
  region.in_html = item.physical_name_in_html;
  map.regions.push_back(std::move(region));
}

// `ends`: of chains; views continue them.
void add_other_names(MemoryMap& map, std::map<std::string, Cursor> ends, Diagnostics& errors) {
  for (const board::Alias& alias : map.board.aliases) {
    add_alias(map, alias, errors);
  }
  for (const board::View& view : map.board.views) {
    add_view(map, view, ends, errors);
  }
  for (const board::Chain& chain : map.board.chains) {
    for (const board::Item& item : chain.items) {
      if (item.has_physical_name && !item.is_gap) {
        add_physical_name(map, item, errors);
      }
    }
  }
}

// --- carve-outs

Carveout hull_of(const board::Carveout& described, const RegionNames& names, Diagnostics& errors) {
  Carveout carveout;
  carveout.name = described.name;
  carveout.label = described.label;
  carveout.node = described.node;
  carveout.attributes = described.attributes;
  carveout.compatible = described.compatible;
  carveout.alignment = described.alignment;
  carveout.no_map = described.no_map;
  carveout.unit_address = described.unit_address;
  carveout.in_header = described.in_header;
  carveout.place = described.place;
  std::optional<PhysAddr> first;
  std::optional<PhysAddr> last;
  for (const Region* member : names.members_of(described.covers, described.cover_places, errors)) {
    carveout.members.push_back(member->name);
    if (!member->physical_base) {
      errors.push_back(core::error(
          Code::kBoardReference,
          fmt::format("'{}' covers '{}', which is not on the bus", described.name, member->name),
          described.place,
          "Linux can only reserve memory that it could use"));
      continue;
    }
    const auto range = member->physical();
    if (!range || range->empty()) {
      continue;
    }
    first = std::min(first.value_or(range->base()), range->base());
    last = std::max(last.value_or(range->last()), range->last());
  }
  if (!first) {
    errors.push_back(
        core::error(Code::kBoardReference,
                    fmt::format("'{}' covers nothing that is on the bus", described.name),
                    described.place));
    return carveout;
  }
  const auto range = core::PhysRange::make(*first, (*last - *first) + Bytes{1});
  core::bug_if(!range, "a hull of ranges is a range");
  carveout.range = *range;
  return carveout;
}

void add_carveouts(MemoryMap& map, Diagnostics& errors) {
  const RegionNames names{map};
  for (const board::Carveout& group : map.board.groups) {
    map.groups.push_back(hull_of(group, names, errors));
  }
  for (const board::Carveout& carveout : map.board.carveouts) {
    map.carveouts.push_back(hull_of(carveout, names, errors));
  }
}

// The order of the file is kept where two things begin at the same place.
void sort_by_address(MemoryMap& map) {
  const auto address = [](const Region& region) {
    return region.virtual_base ? region.virtual_base->value() : region.physical_base->value();
  };
  std::ranges::stable_sort(map.regions, {}, address);
  std::ranges::stable_sort(
      map.carveouts, {}, [](const Carveout& carveout) { return carveout.range.base(); });
}

// --- what cores are told

// Where a core sees a region: under its own name or an alias, else as its chain says.
VirtAddr seen_from(const MemoryMap& map, const Region& region, const std::string& core) {
  for (const Region& view : map.regions) {
    const bool alias = view.kind == RegionKind::kAlias && view.of == region.name;
    if (alias && view.seen_by(core)) {
      return *view.virtual_base;
    }
  }
  return *region.virtual_base;
}

std::optional<MmuRange> mapped_range(const board::MmuEntry& entry,
                                     VirtAddr virtual_base,
                                     PhysAddr physical,
                                     Bytes size,
                                     Diagnostics& errors) {
  const auto seen = core::VirtRange::make(virtual_base, size);
  const auto real = core::PhysRange::make(physical, size);
  if (!seen || !real) {
    errors.push_back(core::error(
        Code::kLayoutAddress, fmt::format("entry '{}' ends above 2^64", entry.name), entry.place));
    return std::nullopt;
  }
  return MmuRange{.virtual_range = *seen, .physical = *real};
}

std::optional<MmuRange> fixed_range(const board::MmuEntry& entry,
                                    const board::Values& values,
                                    Diagnostics& errors) {
  const std::uint64_t base = value_of(entry.base, values, errors);
  const Bytes size{value_of(entry.size, values, errors)};
  return mapped_range(entry, VirtAddr{base}, PhysAddr{base}, size, errors);
}

std::optional<MmuRange> covering_range(const RegionNames& names,
                                       const board::MmuEntry& entry,
                                       const std::string& core,
                                       Diagnostics& errors) {
  const auto members = names.members_of(entry.covers, entry.cover_places, errors);
  std::optional<VirtAddr> low;
  VirtAddr last;
  PhysAddr physical;
  bool on_bus = members.empty();
  for (const Region* member : members) {
    const VirtAddr base = seen_from(names.map, *member, core);
    const auto range = core::VirtRange::make(base, member->size);
    on_bus = on_bus || member->physical_base.has_value();
    if (!member->physical_base || !range || range->empty()) {
      continue;
    }
    if (!low || base < *low) {
      physical = *member->physical_base;
    }
    last = low ? std::max(last, range->last()) : range->last();
    low = std::min(low.value_or(base), base);
  }
  if (!on_bus) {
    errors.push_back(
        core::error(Code::kBoardReference,
                    fmt::format("entry '{}' covers nothing that is on the bus", entry.name),
                    entry.place));
  }
  if (!low) {
    // Empty regions are a check's to report.
    return std::nullopt;
  }
  auto hull = mapped_range(entry, *low, physical, (last - *low) + Bytes{1}, errors);
  if (hull) {
    hull->covers = core::texts_of(members, &Region::name);
  }
  return hull;
}

MmuTable mmu_table(const RegionNames& names, const board::MmuList& list, Diagnostics& errors) {
  MmuTable table{.core = list.core, .place = list.place};
  for (const std::string& key : list.keys) {
    const auto* entry = core::find_in(names.map.board.mmu.entries, key, &board::MmuEntry::key);
    core::bug_if(entry == nullptr, "an MMU entry was not checked at load");
    auto range = entry->covers.empty() ? fixed_range(*entry, names.map.values, errors)
                                       : covering_range(names, *entry, list.core, errors);
    if (range) {
      range->instance = table.ranges.size() + 1;
      range->entry = entry->name;
      range->mair = entry->mair;
      range->is_window = !entry->window_why.empty();
      range->place = entry->place;
      table.ranges.push_back(std::move(*range));
    }
  }
  return table;
}

std::vector<MpuRegion> fixed_regions(const MemoryMap& map,
                                     const board::MpuList& list,
                                     Diagnostics& errors) {
  std::vector<MpuRegion> regions;
  for (const std::string& key : list.fixed) {
    const auto* fixed =
        core::find_where(map.board.mpu.fixed, [&](const auto& each) { return each.key == key; });
    core::bug_if(fixed == nullptr, "an MPU region was not checked at load");
    const VirtAddr base{value_of(fixed->base, map.values, errors)};
    const auto range =
        core::VirtRange::make(base, Bytes{value_of(fixed->size, map.values, errors)});
    if (!range || range->empty()) {
      errors.push_back(
          core::error(Code::kMpuRegion,
                      fmt::format("MPU region '{}' is empty or ends above 2^64", fixed->name),
                      fixed->place));
      continue;
    }
    regions.push_back({.number = map.board.mpu.first + static_cast<unsigned>(regions.size()),
                       .name = fixed->name,
                       .range = *range,
                       .attribute = fixed->attribute,
                       .is_fixed = true,
                       .note = fixed->note,
                       .place = fixed->place});
  }
  return regions;
}

MpuTable mpu_table(const RegionNames& names, const board::MpuList& list, Diagnostics& errors) {
  MpuTable table{.core = list.core, .place = list.place};
  table.regions = fixed_regions(names.map, list, errors);
  for (const board::MpuWish& wish : list.wishes) {
    for (const Region* member : names.members_of({wish.region}, {wish.place}, errors)) {
      const auto seen =
          core::VirtRange::make(seen_from(names.map, *member, list.core), member->size);
      // Empty regions are a check's to report.
      if (seen && !seen->empty()) {
        table.areas.push_back({member->name, *seen, wish.attribute, wish.place});
      }
    }
  }
  if (errors.empty()) {
    program_mpu(names.map, table);
  }
  return table;
}

RatTable rat_table(const RegionNames& names, const board::RatList& list, Diagnostics& errors) {
  // What a core sees where it is needs no translation.
  const auto is_translated = [&](const std::string& name) {
    const Region* region = names.map.find_owned(name);
    return region != nullptr && region->physical_base &&
           region->physical_base->value() != seen_from(names.map, *region, list.core).value();
  };
  RatTable table{.core = list.core, .place = list.place};
  for (const std::string& name : list.names) {
    const auto* entry = core::find_where(names.map.board.rat.entries,
                                         [&](const auto& each) { return each.name == name; });
    core::bug_if(entry == nullptr, "a RAT entry was not checked at load");
    board::MmuEntry hull{.name = entry->name,
                         .covers = entry->covers,
                         .cover_places = entry->cover_places,
                         .place = entry->place};
    const auto range = covering_range(names, hull, list.core, errors);
    if (!range || std::ranges::none_of(range->covers, is_translated)) {
      continue;
    }
    const std::uint64_t spans = range->virtual_range.size().count();
    const Bytes size{!entry->size.text.empty() ? value_of(entry->size, names.map.values, errors)
                     : spans > chip::kMpuSpace ? spans
                                               : std::bit_ceil(spans)};
    table.ranges.push_back({entry->name,
                            range->virtual_range.base(),
                            range->physical.base(),
                            size,
                            range->covers,
                            entry->place});
  }
  return table;
}

void add_tables(MemoryMap& map, bool mmu_only, Diagnostics& errors) {
  const RegionNames names{map};
  for (const board::MmuList& list : map.board.mmu.cores) {
    map.mmu.push_back(mmu_table(names, list, errors));
  }
  if (mmu_only) {
    return;
  }
  for (const board::MpuList& list : map.board.mpu.cores) {
    map.mpu.push_back(mpu_table(names, list, errors));
  }
  for (const board::RatList& list : map.board.rat.cores) {
    map.rat.push_back(rat_table(names, list, errors));
  }
}

core::Result<MemoryMap> resolve_with(const board::Board& board,
                                     const board::KnobValues& set,
                                     bool mmu_only) {
  auto values = board::evaluate_knobs(board, set);
  MEMSIZE_TRY(values);
  auto chains = place_chains(board, *values);
  MEMSIZE_TRY(chains);
  MemoryMap map{.board = board,
                .set = set,
                .values = std::move(*values),
                .regions = std::move(chains->regions),
                .gaps = std::move(chains->gaps),
                .windows = std::move(chains->windows)};
  Diagnostics errors;
  add_other_names(map, std::move(chains->ends), errors);
  add_carveouts(map, errors);
  sort_by_address(map);
  add_tables(map, mmu_only, errors);
  for (const auto& [name, expression] : map.board.header_bases) {
    map.header_bases.emplace_back(name, value_of(expression, map.values, errors));
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return map;
}

}  // namespace

core::Result<MemoryMap> resolve(const board::Board& board, const board::KnobValues& set) {
  return resolve_with(board, set, false);
}

core::Result<MemoryMap> resolve_for_mmu(const board::Board& board, const board::KnobValues& set) {
  return resolve_with(board, set, true);
}

}  // namespace memsize::layout
