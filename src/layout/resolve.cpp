// From a board and knob values to addresses.
//
// A chain is placed from its base upwards, virtual and physical side by side, because the two
// differ by one constant per chain. A chain may continue another one, and must stop below its
// limit: nothing behind a chain moves out of its way, so growing a region past the limit is an
// error that says by how much, who is large, and what would fit.
//
//      chain base                                limit
//          |  region  | gap |  region  |   free    |
//          +----------+-----+----------+-----------+
//
// Carve-outs and MMU entries name regions; their ranges are the hulls of what they name. Whether
// such a hull hides something is not decided here but by the checks, which share no code with this
// file.
#include "memsize/board/expression.hpp"
#include "memsize/board/mmu.hpp"
#include "memsize/chip/limits.hpp"
#include "memsize/core/bug.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/layout/memory_map.hpp"

#include "places.hpp"
#include "program_mpu.hpp"
#include "resolver.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>

#include <fmt/format.h>

namespace memsize::layout {

namespace {

using core::Bytes;
using core::Code;
using core::PhysAddr;
using core::VirtAddr;

// Where a chain has got to.
struct Cursor {
  std::optional<PhysAddr> physical;
  VirtAddr virtual_base;
  // The last region ended exactly at 2^64.
  bool full = false;
};

Cursor after(const Cursor& cursor, Bytes size) {
  const auto next_virtual = cursor.virtual_base.plus(size);
  const auto next_physical = cursor.physical ? cursor.physical->plus(size) : std::nullopt;
  const bool full = !next_virtual || (cursor.physical && !next_physical);
  return full ? Cursor{cursor.physical, cursor.virtual_base, true}
              : Cursor{next_physical, *next_virtual, false};
}

class Resolver {
 public:
  Resolver(const board::Board& board, board::Values values, bool mmu_only) : mmu_only_(mmu_only) {
    map_.board = board;
    map_.values = std::move(values);
  }

  core::Result<MemoryMap> resolve() {
    for (const board::Chain& chain : map_.board.chains) {
      place_chain(chain);
    }
    if (errors_.empty()) {
      add_aliases();
      add_physical_names();
      for (const board::Carveout& group : map_.board.groups) {
        map_.groups.push_back(hull_of(group));
      }
      for (const board::Carveout& carveout : map_.board.carveouts) {
        map_.carveouts.push_back(hull_of(carveout));
      }
      sort_by_address();
      for (const board::MmuList& list : map_.board.mmu.cores) {
        map_.mmu.push_back(mmu_table(list));
      }
      if (!mmu_only_) {
        add_mpu_and_rat();
      }
      for (const auto& [name, expression] : map_.board.header_bases) {
        map_.header_bases.emplace_back(name, evaluate(expression));
      }
    }
    if (!errors_.empty()) {
      name_ends();
      return tl::make_unexpected(std::move(errors_));
    }
    return std::move(map_);
  }

 private:
  std::uint64_t evaluate(const board::Expression& expression) {
    const auto value = board::evaluate(expression, map_.values);
    if (!value) {
      std::ranges::copy(value.error(), std::back_inserter(errors_));
      return 0;
    }
    return *value;
  }

  void wrong(Code code,
             const std::string& message,
             const core::Place& place,
             std::string hint = {}) {
    errors_.push_back(core::error(code, message, place, std::move(hint)));
  }

  std::optional<Cursor> start_of(const board::Chain& chain) {
    Cursor cursor;
    if (!chain.after.empty()) {
      const auto before = ends_.find(chain.after);
      if (before == ends_.end()) {
        unknown_chain(chain);
        return std::nullopt;
      }
      cursor = before->second;
      if (cursor.physical.has_value() == (chain.space == board::Space::kCore)) {
        wrong(Code::kBoardReference,
              fmt::format("chain '{}' continues '{}', but only one of them is on the bus",
                          chain.name,
                          chain.after),
              chain.after_place,
              "a memory that its cores alone see has no physical address to continue from or at");
        return std::nullopt;
      }
      if (!chain.virtual_base.text.empty()) {
        cursor.virtual_base = VirtAddr{evaluate(chain.virtual_base)};
      }
      return cursor;
    }
    if (chain.space == board::Space::kCore) {
      cursor.virtual_base = VirtAddr{evaluate(chain.virtual_base)};
      return cursor;
    }
    const std::uint64_t physical = evaluate(chain.physical);
    cursor.physical = PhysAddr{physical};
    // The one place where a physical address becomes a virtual one: the chain is the mapping.
    cursor.virtual_base =
        VirtAddr{chain.virtual_base.text.empty() ? physical : evaluate(chain.virtual_base)};
    return cursor;
  }

  // A chain that stands before this one but has no end was reported already.
  void unknown_chain(const board::Chain& chain) {
    std::vector<std::string> before;
    for (const board::Chain& other : map_.board.chains) {
      if (&other == &chain) {
        break;
      }
      before.push_back(other.name);
    }
    if (core::contains(before, chain.after)) {
      return;
    }
    wrong(Code::kBoardReference,
          fmt::format("chain '{}' continues '{}', which does not stand before it",
                      chain.name,
                      core::printable(chain.after)),
          chain.after_place,
          core::did_you_mean(chain.after, before));
  }

  void place_chain(const board::Chain& chain) {
    auto cursor = start_of(chain);
    if (!cursor) {
      return;
    }
    const Cursor start = *cursor;
    Window window{.chain = chain.name};
    std::vector<std::pair<std::string, Bytes>> sizes;
    for (const board::Item& item : chain.items) {
      const Bytes size{evaluate(item.size)};
      const bool fits = core::VirtRange::make(cursor->virtual_base, size) &&
                        (!cursor->physical || core::PhysRange::make(*cursor->physical, size)) &&
                        (!cursor->full || size.count() == 0);
      if (!fits) {
        return wrong(Code::kLayoutAddress,
                     fmt::format("'{}' of {} ends above 2^64",
                                 item.is_gap ? "a gap" : item.name,
                                 core::format_size(size)),
                     item.place);
      }
      sizes.emplace_back(item.is_gap ? "(gap)" : item.name, size);
      if (item.is_gap) {
        window.padding += size;
        add_gap(chain, item, *cursor, size);
      } else {
        window.placed += size;
        add_region(chain, item, *cursor, size);
      }
      cursor = after(*cursor, size);
    }
    ends_[chain.name] = *cursor;
    if (!chain.limit.text.empty() && start.physical) {
      check_window(chain, *start.physical, window, sizes);
    }
  }

  void add_gap(const board::Chain& chain,
               const board::Item& item,
               const Cursor& cursor,
               Bytes size) {
    const auto range =
        cursor.physical ? core::PhysRange::make(*cursor.physical, size) : std::nullopt;
    if (range && !range->empty()) {
      map_.gaps.push_back({chain.name, *range, item.note});
    }
  }

  void add_region(const board::Chain& chain,
                  const board::Item& item,
                  const Cursor& cursor,
                  Bytes size) {
    Region region{.name = item.name,
                  .chain = chain.name,
                  .space = chain.space,
                  .attributes = item.attributes,
                  .cache = item.cache,
                  .align = item.align,
                  .section_align = item.section_align,
                  .in_header = item.in_header,
                  .in_html = item.in_html,
                  .note = item.note,
                  .cores = item.cores,
                  .virtual_base = cursor.virtual_base,
                  .physical_base = cursor.physical,
                  .size = size,
                  .place = item.place};
    if (map_.board.find_knob(item.size.text) != nullptr) {
      region.knob = item.size.text;
    }
    if (item.has_physical_name) {
      named_physically_.emplace_back(item.name, item.physical_name_in_html);
    }
    map_.regions.push_back(std::move(region));
  }

  // Needs no more than its window, or an error with the whole account.
  void check_window(const board::Chain& chain,
                    PhysAddr start,
                    Window window,
                    std::vector<std::pair<std::string, Bytes>> sizes) {
    const std::size_t errors_before = errors_.size();
    PhysAddr limit{evaluate(chain.limit)};
    const Bytes needed = window.placed + window.padding;
    const auto end = start.plus(needed);
    if (end) {
      PhysAddr& last = window_ends_.try_emplace(chain.limit.text, *end).first->second;
      last = std::max(last, *end);
    }
    // What begins at an address that a user set below all of the chain does not end it.
    const board::Chain* root = map_.board.root_of(chain.name);
    const auto first = std::ranges::find_if(map_.regions, [&](const auto& each) {
      return each.chain == root->name && each.physical_base;
    });
    const PhysAddr base = first == map_.regions.end() ? start : *first->physical_base;
    if (limit < base && end && map_.board.find_knob(chain.limit.text) != nullptr) {
      limit = *end;
    }
    if (limit < start) {
      if (errors_.size() == errors_before) {
        starts_too_late(chain, start, limit);
      }
      return;
    }
    const Bytes room = limit - start;
    const auto range = core::PhysRange::make(start, room);
    core::bug_if(!range, "a window ends above 2^64");
    window.range = *range;
    window.free = room - needed;
    map_.windows.push_back(window);
    if (needed <= room) {
      return;
    }
    core::Diagnostic misfit = too_small(chain, *range, needed, std::move(sizes));
    say_what_would_fit(chain, needed - room, misfit);
    note_end(chain);
    errors_.push_back(std::move(misfit));
  }

  // The next error is that the chain ends too late: where a knob may put that off, it says so.
  void note_end(const board::Chain& chain) {
    if (map_.board.find_knob(chain.limit.text) != nullptr &&
        window_ends_.contains(chain.limit.text)) {
      late_.emplace_back(errors_.size(), chain.limit.text);
    }
  }

  // Several chains may end at one address: it must be behind the last of them.
  void name_ends() {
    for (const auto& [index, border] : late_) {
      errors_[index].parties.push_back({"knob", border});
      std::string& hint = errors_[index].hint;
      hint += fmt::format(
          "{}raise what ends the window: --set {}={}",
          hint.empty() ? "" : "; or ",
          border,
          first_address(map_.board, *map_.board.find_knob(border), window_ends_.at(border)));
    }
  }

  // The chain begins behind its own limit: sizes pushed it there, or the board file is wrong.
  void starts_too_late(const board::Chain& chain, PhysAddr start, PhysAddr limit) {
    const board::Knob* border = map_.board.find_knob(chain.limit.text);
    const bool pushed = !chain.after.empty() || border != nullptr;
    core::Diagnostic late =
        core::error(pushed ? Code::kLayoutWindow : Code::kBoardValue,
                    fmt::format("chain '{}' begins at {}, which is {} behind its limit {}",
                                chain.name,
                                core::format_address(start),
                                core::format_size(start - limit),
                                core::format_address(limit)),
                    chain.limit.place)
            .about({{"chain", chain.name}});
    if (!chain.limit_why.empty()) {
      late.details.push_back(
          fmt::format("{} ends the window: {}", core::format_address(limit), chain.limit_why));
    }
    if (!chain.after.empty()) {
      late.hint = fmt::format("make what stands in chain '{}' smaller", chain.after);
    }
    note_end(chain);
    errors_.push_back(std::move(late));
  }

  // The largest knob of the chain that can give back what is too much.
  void say_what_would_fit(const board::Chain& chain, Bytes excess, core::Diagnostic& misfit) const {
    const board::Knob* best = nullptr;
    for (const board::Item& item : chain.items) {
      const board::Knob* knob = map_.board.find_knob(item.size.text);
      if (knob != nullptr && (best == nullptr || size_of(*knob) > size_of(*best))) {
        best = knob;
      }
    }
    if (best == nullptr) {
      misfit.hint = "no knob sizes a region here: make one smaller in the board file";
      return;
    }
    misfit.parties.push_back({"knob", best->name});
    const std::uint64_t largest = (size_of(*best) - excess).count();
    const std::uint64_t rounded = largest - largest % best->hard_granule.value();
    misfit.hint =
        rounded == 0 || Bytes{rounded} < best->minimum
            ? "no single knob can give back that much: make several smaller"
            : fmt::format(
                  "the largest {} that fits is {}", best->name, core::format_size(Bytes{rounded}));
  }

  [[nodiscard]] Bytes size_of(const board::Knob& knob) const {
    return Bytes{map_.values.at(knob.name)};
  }

  // The region that was added, or nothing where it has no owner.
  Region* add_alias(const board::Alias& alias) {
    const Region* owner = map_.find_owned(alias.of);
    if (owner == nullptr) {
      unknown_region(alias.of, alias.of_place);
      return nullptr;
    }
    if (owner->space == board::Space::kCore) {
      wrong(Code::kBoardReference,
            fmt::format("'{}' is seen by its own core only: no other core can have an alias of it",
                        alias.of),
            alias.of_place);
      return nullptr;
    }
    Region region = *owner;
    region.kind = RegionKind::kAlias;
    region.name = alias.name;
    region.of = alias.of;
    region.cores = alias.cores;
    region.note = fmt::format("{}, as {} maps it", owner->note, core::join(alias.cores, " and "));
    region.place = alias.place;
    return &map_.regions.emplace_back(std::move(region));
  }

  void add_aliases() {
    for (const board::Alias& alias : map_.board.aliases) {
      add_alias(alias);
    }
    for (const board::View& view : map_.board.views) {
      place_view(view);
    }
  }

  // What stands before a view but has no end was reported already.
  [[nodiscard]] bool stands_before(const board::View& view) const {
    const auto end = std::ranges::find_if(
        map_.board.views, [&](const board::View& other) { return other.name == view.name; });
    return std::any_of(map_.board.views.begin(), end, [&](const board::View& other) {
      return other.name == view.after;
    });
  }

  // Aliases one behind the other, virtually; physically each is where its owner is.
  void place_view(const board::View& view) {
    const auto before = ends_.find(view.after);
    if (!view.after.empty() && before == ends_.end()) {
      if (stands_before(view)) {
        return;
      }
      return wrong(
          Code::kBoardReference,
          fmt::format("view '{}' continues '{}', which is neither a chain nor a view before it",
                      view.name,
                      core::printable(view.after)),
          view.after_place,
          core::did_you_mean(view.after, names_of_ends()));
    }
    Cursor cursor =
        view.after.empty() ? Cursor{{}, VirtAddr{evaluate(view.virtual_base)}} : before->second;
    cursor.physical.reset();
    for (const board::Alias& alias : view.aliases) {
      Region* region = add_alias(alias);
      if (region == nullptr) {
        return;
      }
      if (cursor.full || !core::VirtRange::make(cursor.virtual_base, region->size)) {
        return wrong(
            Code::kLayoutAddress,
            fmt::format("'{}' of {} ends above 2^64", alias.name, core::format_size(region->size)),
            alias.place);
      }
      region->virtual_base = cursor.virtual_base;
      cursor = after(cursor, region->size);
    }
    ends_[view.name] = cursor;
  }

  [[nodiscard]] std::vector<std::string> names_of_ends() const {
    std::vector<std::string> names;
    for (const auto& [name, end] : ends_) {
      names.push_back(name);
    }
    return names;
  }

  void add_physical_names() {
    for (const auto& [name, in_html] : named_physically_) {
      Region region = *map_.find_owned(name);
      if (!region.physical_base) {
        wrong(Code::kBoardValue,
              fmt::format("'{}' is seen by its own core only and has no physical name", name),
              region.place,
              "leave 'phys' out");
        continue;
      }
      region.kind = RegionKind::kPhysicalName;
      region.of = name;
      region.name = name + "_PHYS";
      region.note = fmt::format("{}: physical address", region.note);
      region.cores.clear();
      region.virtual_base.reset();
      region.in_header = true;
      region.in_html = in_html;
      map_.regions.push_back(std::move(region));
    }
  }

  void unknown_region(const std::string& name, const core::Place& place) {
    std::vector<std::string> names;
    for (const Region& region : map_.regions) {
      if (region.name == name) {
        return wrong(Code::kBoardReference,
                     fmt::format("'{}' is another name of '{}'", name, region.of),
                     place,
                     fmt::format("name the region itself: \"{}\"", region.of));
      }
      if (region.kind == RegionKind::kRegion) {
        names.push_back(region.name);
      }
    }
    for (const auto* list : {&map_.groups, &map_.carveouts}) {
      for (const Carveout& known : *list) {
        names.push_back(known.name);
      }
    }
    wrong(Code::kBoardReference,
          fmt::format("there is no region '{}'", core::printable(name)),
          place,
          core::did_you_mean(name, names));
  }

  // Once all regions are there; as find_owned().
  const Region* owned(const std::string& name) {
    if (!regions_) {
      regions_.emplace(map_.regions, &Region::name);
    }
    for (const Region* region : regions_->all(name)) {
      if (region->kind == RegionKind::kRegion) {
        return region;
      }
    }
    return nullptr;
  }

  // The owned regions behind a list of names of regions, groups and carve-outs.
  std::vector<const Region*> members_of(const std::vector<std::string>& names,
                                        const std::vector<core::Place>& places) {
    std::vector<const Region*> members;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string& name = names[i];
      if (const Region* region = owned(name); region != nullptr) {
        members.push_back(region);
        continue;
      }
      const std::vector<std::string>* inner = members_by_name(name);
      if (inner == nullptr) {
        unknown_region(name, places.at(i));
        continue;
      }
      for (const std::string& member : *inner) {
        members.push_back(owned(member));
      }
    }
    return members;
  }

  [[nodiscard]] const std::vector<std::string>* members_by_name(const std::string& name) const {
    for (const auto* list : {&map_.groups, &map_.carveouts}) {
      for (const Carveout& known : *list) {
        if (known.name == name) {
          return &known.members;
        }
      }
    }
    return nullptr;
  }

  Carveout hull_of(const board::Carveout& described) {
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
    for (const Region* member : members_of(described.covers, described.cover_places)) {
      carveout.members.push_back(member->name);
      if (!member->physical_base) {
        wrong(
            Code::kBoardReference,
            fmt::format("'{}' covers '{}', which is not on the bus", described.name, member->name),
            described.place,
            "Linux can only reserve memory that it could use");
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
      wrong(Code::kBoardReference,
            fmt::format("'{}' covers nothing that is on the bus", described.name),
            described.place);
      return carveout;
    }
    const auto range = core::PhysRange::make(*first, (*last - *first) + Bytes{1});
    core::bug_if(!range, "a hull of ranges is a range");
    carveout.range = *range;
    return carveout;
  }

  // The order of the file is kept where two things begin at the same place.
  void sort_by_address() {
    const auto address = [](const Region& region) {
      return region.virtual_base ? region.virtual_base->value() : region.physical_base->value();
    };
    std::ranges::stable_sort(
        map_.regions, [&](const Region& a, const Region& b) { return address(a) < address(b); });
    regions_.reset();
    std::ranges::stable_sort(map_.carveouts, [](const Carveout& a, const Carveout& b) {
      return a.range.base() < b.range.base();
    });
  }

  // Where a core sees a region: under its own name or an alias, else as its chain says.
  [[nodiscard]] VirtAddr seen_from(const Region& region, const std::string& core) const {
    for (const Region& view : map_.regions) {
      const bool alias = view.kind == RegionKind::kAlias && view.of == region.name;
      if (alias && view.seen_by(core)) {
        return *view.virtual_base;
      }
    }
    return *region.virtual_base;
  }

  MmuTable mmu_table(const board::MmuList& list) {
    MmuTable table{.core = list.core, .place = list.place};
    for (const std::string& key : list.keys) {
      const auto* entry = core::find_in(map_.board.mmu.entries, key, &board::MmuEntry::key);
      core::bug_if(entry == nullptr, "an MMU entry was not checked at load");
      auto range = entry->covers.empty() ? fixed_range(*entry) : covering_range(*entry, list.core);
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

  std::optional<MmuRange> fixed_range(const board::MmuEntry& entry) {
    const std::uint64_t base = evaluate(entry.base);
    const Bytes size{evaluate(entry.size)};
    return make_range(entry, VirtAddr{base}, PhysAddr{base}, size);
  }

  std::optional<MmuRange> covering_range(const board::MmuEntry& entry, const std::string& core) {
    const auto members = members_of(entry.covers, entry.cover_places);
    std::optional<VirtAddr> low;
    VirtAddr last;
    PhysAddr physical;
    bool on_bus = members.empty();
    for (const Region* member : members) {
      const VirtAddr base = seen_from(*member, core);
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
      wrong(Code::kBoardReference,
            fmt::format("entry '{}' covers nothing that is on the bus", entry.name),
            entry.place);
    }
    if (!low) {
      // Empty regions are a check's to report.
      return std::nullopt;
    }
    auto hull = make_range(entry, *low, physical, (last - *low) + Bytes{1});
    for (const Region* member : members) {
      if (hull) {
        hull->covers.push_back(member->name);
      }
    }
    return hull;
  }

  std::optional<MmuRange> make_range(const board::MmuEntry& entry,
                                     VirtAddr virtual_base,
                                     PhysAddr physical,
                                     Bytes size) {
    const auto seen = core::VirtRange::make(virtual_base, size);
    const auto real = core::PhysRange::make(physical, size);
    if (!seen || !real) {
      wrong(
          Code::kLayoutAddress, fmt::format("entry '{}' ends above 2^64", entry.name), entry.place);
      return std::nullopt;
    }
    return MmuRange{.virtual_range = *seen, .physical = *real};
  }

  void add_mpu_and_rat() {
    for (const board::MpuList& list : map_.board.mpu.cores) {
      map_.mpu.push_back(mpu_table(list));
    }
    for (const board::RatList& list : map_.board.rat.cores) {
      map_.rat.push_back(rat_table(list));
    }
  }

  MpuTable mpu_table(const board::MpuList& list) {
    MpuTable table{.core = list.core, .place = list.place};
    for (const std::string& key : list.fixed) {
      const auto& all = map_.board.mpu.fixed;
      const auto fixed =
          std::ranges::find_if(all, [&](const auto& each) { return each.key == key; });
      core::bug_if(fixed == all.end(), "an MPU region was not checked at load");
      const auto range =
          core::VirtRange::make(VirtAddr{evaluate(fixed->base)}, Bytes{evaluate(fixed->size)});
      if (!range || range->empty()) {
        wrong(Code::kMpuRegion,
              fmt::format("MPU region '{}' is empty or ends above 2^64", fixed->name),
              fixed->place);
        continue;
      }
      table.regions.push_back(
          {.number = map_.board.mpu.first + static_cast<unsigned>(table.regions.size()),
           .name = fixed->name,
           .range = *range,
           .attribute = fixed->attribute,
           .is_fixed = true,
           .note = fixed->note,
           .place = fixed->place});
    }
    for (const board::MpuWish& wish : list.wishes) {
      for (const Region* member : members_of({wish.region}, {wish.place})) {
        const auto seen = core::VirtRange::make(seen_from(*member, list.core), member->size);
        // Empty regions are a check's to report.
        if (seen && !seen->empty()) {
          table.areas.push_back({member->name, *seen, wish.attribute, wish.place});
        }
      }
    }
    if (errors_.empty()) {
      program_mpu(map_, table);
    }
    return table;
  }

  // What a core sees where it is needs no translation.
  [[nodiscard]] bool is_translated(const std::vector<std::string>& names,
                                   const std::string& core) const {
    return std::ranges::any_of(names, [&](const std::string& name) {
      const Region* region = map_.find_owned(name);
      return region != nullptr && region->physical_base &&
             region->physical_base->value() != seen_from(*region, core).value();
    });
  }

  RatTable rat_table(const board::RatList& list) {
    RatTable table{.core = list.core, .place = list.place};
    for (const std::string& name : list.names) {
      const auto& all = map_.board.rat.entries;
      const auto entry =
          std::ranges::find_if(all, [&](const auto& each) { return each.name == name; });
      core::bug_if(entry == all.end(), "a RAT entry was not checked at load");
      board::MmuEntry hull{.name = entry->name,
                           .covers = entry->covers,
                           .cover_places = entry->cover_places,
                           .place = entry->place};
      const auto range = covering_range(hull, list.core);
      if (!range || !is_translated(range->covers, list.core)) {
        continue;
      }
      const std::uint64_t spans = range->virtual_range.size().count();
      const Bytes size{!entry->size.text.empty() ? evaluate(entry->size)
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

  bool mmu_only_;
  MemoryMap map_;
  std::optional<core::ByName<Region>> regions_;
  std::map<std::string, Cursor> ends_;
  // Region and whether its physical name is in the HTML map.
  std::vector<std::pair<std::string, bool>> named_physically_;
  core::Diagnostics errors_;
  // By the expression that ends the window: the end of the last chain in it.
  std::map<std::string, PhysAddr> window_ends_;
  std::vector<std::pair<std::size_t, std::string>> late_;  // errors that name it, by knob
};

core::Result<MemoryMap> resolve_with(const board::Board& board,
                                     const board::KnobValues& set,
                                     bool mmu_only) {
  auto values = board::evaluate_knobs(board, set);
  MEMSIZE_TRY(values);
  return Resolver{board, std::move(*values), mmu_only}.resolve();
}

}  // namespace

core::Result<MemoryMap> resolve(const board::Board& board, const board::KnobValues& set) {
  return resolve_with(board, set, false);
}

core::Result<MemoryMap> resolve_for_mmu(const board::Board& board, const board::KnobValues& set) {
  return resolve_with(board, set, true);
}

}  // namespace memsize::layout
