// Finds which regions lie under an entry, and moves and resizes it with them as long as they stay
// side by side; over regions that are torn apart it is lost. An MPU takes the fewest pieces for it.
#include "follow.hpp"

#include "memsize/chip/limits.hpp"
#include "memsize/core/bug.hpp"
#include "memsize/emit/mpu_words.hpp"

#include "formats/mpu_shown.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using Range = MovedRegion::Range;
using chip::MpuRegionFields;
using chip::RatEntryFields;
using layout::MemoryMap;
using layout::Region;
using layout::RegionKind;

std::optional<Range> range_of(const Region& region) {
  if (!region.virtual_base || region.size.count() == 0) {
    return std::nullopt;
  }
  const std::uint64_t base = region.virtual_base->value();
  return Range{
      base, region.size.count(), region.physical_base ? region.physical_base->value() : base};
}

// By name: what the core has itself, else what somebody has who shows it to all.
std::map<std::string, Range> seen_by(const MemoryMap& map, const std::string& core) {
  std::map<std::string, Range> seen;
  for (const bool own : {true, false}) {
    for (const Region& region : map.regions) {
      const bool usable = region.kind != RegionKind::kPhysicalName &&
                          (own ? region.seen_by(core) : region.space != board::Space::kCore);
      if (const auto range = usable ? range_of(region) : std::nullopt) {
        seen.emplace(region.name, *range);
      }
    }
  }
  return seen;
}

// The regions that the range is over, of those that it leads to.
struct Under {
  std::vector<const MovedRegion*> whole;
  std::vector<const MovedRegion*> torn;

  [[nodiscard]] bool changed() const {
    const auto differs = [](const MovedRegion* each) { return !(each->before == each->after); };
    return std::ranges::any_of(whole, differs) || std::ranges::any_of(torn, differs);
  }
};

Under regions_under(const std::vector<MovedRegion>& regions, const Range& range) {
  Under under;
  for (const MovedRegion& each : regions) {
    const bool apart = each.before.base >= range.end() || each.before.end() <= range.base;
    // What other cores see at these addresses is none of this one's.
    const bool leads_there = each.before.physical - each.before.base == range.physical - range.base;
    if (apart || !leads_there) {
      continue;
    }
    const bool inside = each.before.base >= range.base && each.before.end() <= range.end();
    (inside ? under.whole : under.torn).push_back(&each);
  }
  return under;
}

Range hull_of(const std::vector<const MovedRegion*>& regions, Range MovedRegion::*when) {
  const auto* first = *std::ranges::min_element(
      regions, [&](const auto* a, const auto* b) { return (a->*when).base < (b->*when).base; });
  std::uint64_t end = 0;
  for (const MovedRegion* each : regions) {
    end = std::max(end, (each->*when).end());
  }
  const Range& range = first->*when;
  return {range.base, end - range.base, range.physical};
}

// Of a hull, the bytes that none of the regions has; several may have the same ones.
std::uint64_t gaps_of(const std::vector<const MovedRegion*>& regions, Range MovedRegion::*when) {
  std::vector<Range> ranges;
  for (const MovedRegion* each : regions) {
    ranges.push_back(each->*when);
  }
  std::ranges::sort(ranges, {}, &Range::base);
  std::uint64_t gaps = 0;
  std::uint64_t end = ranges.front().base;
  for (const Range& each : ranges) {
    gaps += each.base > end ? each.base - end : 0;
    end = std::max(end, each.end());
  }
  return gaps;
}

// They still lie side by side, with no more between them than before, on one stretch of the bus.
bool stay_together(const std::vector<const MovedRegion*>& regions) {
  const Range hull = hull_of(regions, &MovedRegion::after);
  return gaps_of(regions, &MovedRegion::after) <= gaps_of(regions, &MovedRegion::before) &&
         std::ranges::all_of(regions, [&](const MovedRegion* each) {
           return each->after.physical - each->after.base == hull.physical - hull.base;
         });
}

Range shown_range(const MpuRegionFields& region) {
  const ShownRange shown = shown_by(region);
  return {shown.base, shown.end - shown.base, shown.base};
}

// 0, 4 GiB and the ends of all ranges, sorted.
std::vector<std::uint64_t> ends_of(const Range& range, const std::vector<Range>& others) {
  std::vector<std::uint64_t> ends = {0, chip::kMpuSpace, range.base, range.end()};
  for (const Range& other : others) {
    ends.push_back(std::min(other.base, chip::kMpuSpace));
    ends.push_back(std::min(other.end(), chip::kMpuSpace));
  }
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

// The fewest regions that show the range, and nothing else, as `like` does, but for what regions
// above show anyway; the later ones have names of their own. Empty where there are none.
std::vector<MpuRegionFields> pieces_over(const Range& range,
                                         const MpuRegionFields& like,
                                         const std::vector<Range>& above) {
  constexpr std::uint8_t kBelow = 1;
  constexpr std::uint8_t kShown = 2;
  if (range.size == 0 || range.end() > chip::kMpuSpace || range.base % chip::kMpuSmallest != 0 ||
      range.size % chip::kMpuSmallest != 0) {
    return {};
  }
  const std::vector<std::uint64_t> ends = ends_of(range, above);
  std::vector<layout::MpuStretch> stretches(ends.size() - 1);
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const std::uint64_t base = ends[i];
    const auto has = [&](const Range& each) { return base >= each.base && base < each.end(); };
    const bool is_hidden = std::ranges::any_of(above, has);
    stretches[i].base = base;
    stretches[i].size = ends[i + 1] - base;
    stretches[i].below = kBelow;
    if (!is_hidden) {
      stretches[i].wanted = has(range) ? kShown : kBelow;
    }
  }
  const auto blocks = layout::cover(stretches);
  std::vector<MpuRegionFields> pieces;
  for (std::size_t i = 0; blocks && i < blocks->size(); ++i) {
    const layout::MpuBlock& block = (*blocks)[i];
    if (block.attribute != kShown) {
      return {};
    }
    MpuRegionFields piece = like;
    piece.base = block.base;
    piece.size = block.size;
    piece.disabled = block.disabled;
    piece.name += i == 0 || like.name.empty() ? "" : fmt::format("_{}", i + 1);
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

// The board's entry of that name, where it is there for regions.
const layout::MmuRange* covering_entry(const layout::MmuTable* table, const std::string& name) {
  for (std::size_t i = 0; table != nullptr && i < table->ranges.size(); ++i) {
    if (table->ranges[i].entry == name && !table->ranges[i].covers.empty()) {
      return &table->ranges[i];
    }
  }
  return nullptr;
}

Range range_of(const layout::MmuRange& range) {
  return {range.virtual_range.base().value(),
          range.virtual_range.size().count(),
          range.physical.base().value()};
}

}  // namespace

std::vector<MovedRegion> moved_regions(const MemoryMap& before,
                                       const MemoryMap& after,
                                       const std::string& core) {
  const auto old_ranges = seen_by(before, core);
  const auto new_ranges = seen_by(after, core);
  std::vector<MovedRegion> regions;
  for (const auto& [name, range] : old_ranges) {
    if (const auto found = new_ranges.find(name); found != new_ranges.end()) {
      regions.push_back({name, range, found->second});
    }
  }
  return regions;
}

FollowedRange follow(const std::vector<MovedRegion>& regions, const Range& range) {
  const Under under = regions_under(regions, range);
  FollowedRange followed{Fate::kStays, range, !under.torn.empty()};
  if (!under.changed()) {
    return followed;
  }
  const auto same_extent = [&](const Range& hull) {
    return hull.base == range.base && hull.size == range.size;
  };
  if (under.torn.empty() && same_extent(hull_of(under.whole, &MovedRegion::before)) &&
      stay_together(under.whole)) {
    followed.fate = Fate::kFollows;
    followed.range = hull_of(under.whole, &MovedRegion::after);
    return followed;
  }
  // A window over more than the regions holds them where they are now, too.
  const bool holds =
      under.torn.empty() && std::ranges::all_of(under.whole, [&](const MovedRegion* each) {
        return each->after.base >= range.base && each->after.end() <= range.end() &&
               each->after.physical - each->after.base == range.physical - range.base;
      });
  followed.fate = holds ? Fate::kStays : Fate::kLost;
  return followed;
}

Followed<emit::WrittenMmuEntry> follow_mmu(const std::vector<emit::WrittenMmuEntry>& entries,
                                           const std::vector<MovedRegion>& regions,
                                           const layout::MmuTable* table,
                                           bool mends) {
  Followed<emit::WrittenMmuEntry> all{entries, {}};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    emit::WrittenMmuEntry& entry = all.entries[i];
    const Range old{entry.virtual_base, entry.size, entry.physical};
    FollowedRange followed = follow(regions, old);
    const layout::MmuRange* known = covering_entry(table, entry.name);
    const bool is_lost = followed.fate == Fate::kLost;
    if (is_lost && known == nullptr) {
      all.lost.push_back(i);
    }
    if (known != nullptr && (is_lost || (mends && followed.is_torn))) {
      followed.range = range_of(*known);
    }
    // Named as the one region under it, with which it begins, it is there for that one alone.
    const Under under = regions_under(regions, old);
    if (mends && under.torn.empty() && under.whole.size() == 1 &&
        under.whole.front()->name == entry.name && under.whole.front()->before.base == old.base) {
      followed.range = under.whole.front()->after;
    }
    entry.virtual_base = followed.range.base;
    entry.size = followed.range.size;
    entry.physical = followed.range.physical;
  }
  return all;
}

Followed<RatEntryFields> follow_rat(const std::vector<emit::WrittenRatEntry>& entries,
                                    const std::vector<MovedRegion>& regions) {
  Followed<RatEntryFields> all;
  for (const emit::WrittenRatEntry& entry : entries) {
    RatEntryFields fields = entry.fields;
    const Under under = regions_under(regions, {fields.local, fields.size, fields.system});
    if (under.changed()) {
      const bool follows = !under.whole.empty() && stay_together(under.whole) &&
                           hull_of(under.whole, &MovedRegion::before).base == fields.local;
      if (!follows) {
        all.lost.push_back(all.entries.size());
      } else {
        const Range before = hull_of(under.whole, &MovedRegion::before);
        const Range after = hull_of(under.whole, &MovedRegion::after);
        const bool is_least = std::bit_ceil(before.size) == fields.size;
        fields.system = after.physical;
        fields.local = after.base;
        fields.size = is_least ? std::bit_ceil(after.size) : fields.size;
      }
    }
    all.entries.push_back(std::move(fields));
  }
  return all;
}

std::optional<std::vector<MpuRegionFields>> follow_mpu(
    const std::vector<emit::WrittenMpuRegion>& entries, const std::vector<MovedRegion>& regions) {
  // Where each of them is to be.
  std::vector<Range> ranges;
  for (const emit::WrittenMpuRegion& entry : entries) {
    const Range now = shown_range(entry.fields);
    const FollowedRange followed = follow(regions, now);
    Under under = regions_under(regions, now);
    under.whole.insert(under.whole.end(), under.torn.begin(), under.torn.end());
    ranges.push_back(followed.fate == Fate::kLost ? hull_of(under.whole, &MovedRegion::after)
                                                  : followed.range);
  }
  std::vector<MpuRegionFields> wanted;
  unsigned shift = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const MpuRegionFields& fields = entries[i].fields;
    std::vector<MpuRegionFields> pieces = {fields};
    if (!(ranges[i] == shown_range(fields))) {
      std::vector<Range> above;
      for (std::size_t j = i + 1; j < entries.size(); ++j) {
        // Through holes, what is below is seen.
        if (!shown_by(entries[j].fields).has_holes) {
          above.push_back(ranges[j]);
        }
      }
      pieces = pieces_over(ranges[i], fields, above);
    }
    if (pieces.empty()) {
      return std::nullopt;
    }
    for (std::size_t j = 0; j < pieces.size(); ++j) {
      shift += j == 0 ? 0U : 1U;
      pieces[j].number = fields.number + shift;
      wanted.push_back(std::move(pieces[j]));
    }
  }
  return wanted;
}

std::vector<MpuRegionFields> computed_mpu(const MemoryMap& map, const std::string& core) {
  for (const layout::MpuTable& table : map.mpu) {
    if (table.core == core) {
      return emit::mpu_fields(table, map.board.mpu);
    }
  }
  return {};
}

}  // namespace memsize::sdk
