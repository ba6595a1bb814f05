// Checks of regions, gaps and carve-outs. Each looks at finished ranges only, in 64 bits, and knows
// nothing of how they came about: a mistake in resolve() and one in a board file look the same
// here.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "checks.hpp"
#include "places.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::layout {

using core::Code;
using core::Severity;

namespace {

template <typename A>
struct Named {
  std::string name;
  core::Range<A> range;
  core::Place place;
};

std::string named_range(const std::string& name, const std::string& range) {
  return fmt::format("{:<40} {}", name, range);
}

// Pairs of ranges that overlap: each range against the one that reaches furthest so far, which
// names at least one culprit for every range that is in the way.
template <typename A, typename Report>
void find_overlaps(std::vector<Named<A>> list, Report report) {
  std::erase_if(list, [](const Named<A>& item) { return item.range.empty(); });
  std::ranges::stable_sort(
      list, [](const Named<A>& a, const Named<A>& b) { return a.range.base() < b.range.base(); });
  const Named<A>* furthest = nullptr;
  for (const Named<A>& item : list) {
    if (furthest != nullptr && furthest->range.overlaps(item.range)) {
      report(*furthest, item);
    }
    if (furthest == nullptr || item.range.last() > furthest->range.last()) {
      furthest = &item;
    }
  }
}

template <typename A>
core::Diagnostic overlap(Code code,
                         const Named<A>& first,
                         const Named<A>& second,
                         const std::string& where) {
  const core::Bytes shared = first.range.intersection(second.range).size();
  core::Diagnostic found = core::error(code,
                                       fmt::format("'{}' and '{}' overlap by {} in {}",
                                                   first.name,
                                                   second.name,
                                                   core::format_size(shared),
                                                   where),
                                       second.place)
                               .about({{"region", first.name}, {"region", second.name}});
  found.details.push_back(named_range(first.name, core::format_range(first.range)));
  found.details.push_back(named_range(second.name, core::format_range(second.range)));
  found.related.push_back(core::region_at(first.place, first.name, "is placed here"));
  const core::Bytes room = second.range.base() - first.range.base();
  found.hint =
      room.count() == 0
          ? fmt::format("both begin at the same address: move one of them")
          : fmt::format("'{}' may have {} where it is", first.name, core::format_setting(room));
  return found;
}

void check_overlap(const MemoryMap& map, core::Diagnostics& found) {
  std::vector<Named<core::PhysAddr>> list;
  for (const Region& region : map.regions) {
    const auto range = region.physical();
    if (region.kind == RegionKind::kRegion && range) {
      list.push_back({region.name, *range, region.place});
    }
  }
  find_overlaps(std::move(list), [&](const auto& first, const auto& second) {
    found.push_back(overlap(Code::kLayoutOverlap, first, second, "physical memory"));
  });
}

void check_virtual_overlap(const MemoryMap& map, core::Diagnostics& found) {
  for (const board::Core& core : map.board.cores) {
    std::vector<Named<core::VirtAddr>> list;
    for (const Region& region : map.regions) {
      const auto range = region.virtual_range();
      if (range && region.seen_by(core.name)) {
        list.push_back({region.name, *range, region.place});
      }
    }
    find_overlaps(std::move(list), [&](const auto& first, const auto& second) {
      found.push_back(overlap(Code::kLayoutVirtualOverlap,
                              first,
                              second,
                              fmt::format("the address space of {}", core.name))
                          .about({{"core", core.name}}));
    });
  }
}

void check_banks(const MemoryMap& map, core::Diagnostics& found) {
  const std::vector<std::string> banks =
      core::texts_of(map.board.banks, [&](const board::Bank& bank) {
        return fmt::format("{} {}", bank.name, core::format_range(bank.range));
      });
  Places places{map};
  for (const Region& region : map.regions) {
    if (!is_outside(map, region)) {
      continue;
    }
    const std::string place = places.hint_for(region);
    found.push_back(
        core::error(Code::kLayoutBank,
                    fmt::format("'{}' {} is not in any DRAM bank of this board",
                                region.name,
                                core::format_range(*region.physical())),
                    region.place,
                    place.empty()
                        ? "move it, or correct what the board carries: its banks, or --dram"
                        : place)
            .about({{"region", region.name}})
            .with(banks));
  }
}

// Linux says that two nodes overlap, and goes on.
void check_kept(const MemoryMap& map, core::Diagnostics& found) {
  for (const board::Keep& kept : map.board.kept) {
    const auto* region = core::find_where(map.regions, [&](const Region& each) {
      return each.kind == RegionKind::kRegion && each.physical() &&
             each.physical()->overlaps(kept.range);
    });
    if (region == nullptr) {
      continue;
    }
    found.push_back(
        core::warning(Code::kLayoutKept,
                      fmt::format("'{}' {} lies where Linux' own device tree keeps {}: {}",
                                  region->name,
                                  core::format_range(*region->physical()),
                                  core::format_range(kept.range),
                                  kept.why),
                      region->place,
                      "leave what stands before it as large as it was, or take the node out of "
                      "that device tree's source: an overlay cannot")
            .about({{"region", region->name}, {"kept", kept.name}})
            .beside(kept.place, fmt::format("'{}' is kept here", kept.name)));
  }
}

using Misplaced = std::map<std::string, std::vector<const Region*>>;

// By chain.
Misplaced misplaced_in(const MemoryMap& map) {
  Misplaced misplaced;
  for (const Region& region : map.regions) {
    const bool placed = region.kind == RegionKind::kRegion && region.physical_base;
    if (placed && !(core::is_aligned(region.physical_base->value(), region.align) &&
                    core::is_aligned(region.virtual_base->value(), region.align))) {
      misplaced[region.chain].push_back(&region);
    }
  }
  return misplaced;
}

// What another size may break; without alignments, which have this hint.
std::set<Code> broken_by_size(const MemoryMap& map) {
  std::set<Code> codes;
  if (std::ranges::any_of(map.regions, [&](const auto& each) { return is_outside(map, each); })) {
    codes.insert(Code::kLayoutBank);
  }
  for (const core::Diagnostic& each : check_map(
           map,
           {Code::kLayoutEmpty, Code::kLayoutOverlap, Code::kLayoutSection, Code::kSizeMinimum})) {
    if (each.severity == core::Severity::kError) {
      codes.insert(each.code);
    }
  }
  return codes;
}

// Lays the map out with another value of a knob, while there is work left: in large maps a few
// times only.
class Trials {
 public:
  Trials(const MemoryMap& map, std::string chain, const Misplaced& misplaced)
      : map_(map), chain_(std::move(chain)), misplaced_(misplaced), known_(broken_by_size(map)) {
    // An alignment that is wrong hides it.
    known_.erase(Code::kLayoutSection);
  }

  /// Whether that puts the chain's regions right, and nothing else wrong.
  bool puts_right(const std::string& knob, std::uint64_t value) {
    board::KnobValues set = map_.set;
    set[knob] = value;
    left_ -= std::min(left_, map_.regions.size());
    const auto other = resolve(map_.board, set);
    if (!other) {
      return false;
    }
    const Misplaced after = misplaced_in(*other);
    const bool is_better =
        !after.contains(chain_) && std::ranges::all_of(after, [&](const auto& each) {
          return misplaced_.contains(each.first);
        });
    return is_better && std::ranges::includes(known_, broken_by_size(*other));
  }

  [[nodiscard]] bool over() const { return left_ == 0; }

 private:
  const MemoryMap& map_;
  std::string chain_;
  const Misplaced& misplaced_;
  std::set<Code> known_;
  // Regions that may be laid out.
  std::size_t left_ = 50'000;
};

// The knobs that may move the region: what its chain begins at, else what stands before it in the
// chain, the nearest first; what was set comes before what was not.
std::vector<const board::Knob*> knobs_before(const MemoryMap& map, const Region& region) {
  const board::Chain* chain = map.board.find_chain(region.chain);
  std::vector<const board::Knob*> knobs;
  const auto add = [&](const board::Expression& expression) {
    for (const std::string& name : board::names_in(expression)) {
      const board::Knob* knob = map.board.find_knob(name);
      if (knob != nullptr && !core::contains(knobs, knob)) {
        knobs.push_back(knob);
      }
    }
  };
  const auto begin = map.board.find_knob(chain->physical.text);
  if (begin != nullptr && map.values.at(begin->name) == region.physical_base->value()) {
    return {begin};
  }
  const auto end = std::ranges::find_if(
      chain->items, [&](const board::Item& item) { return item.name == region.name; });
  for (auto item = std::make_reverse_iterator(end); item != chain->items.rend(); ++item) {
    add(item->size);
  }
  std::stable_partition(knobs.begin(), knobs.end(), [&](const board::Knob* knob) {
    return map.set.contains(knob->name);
  });
  return knobs;
}

// The nearest values of one knob before a chain's misplaced regions that put all of them right.
std::string values_that_align(const MemoryMap& map,
                              const std::string& chain,
                              const Misplaced& misplaced) {
  // Where only its virtual address is off, moving it does not mend that; and what no board placed
  // cannot be placed again.
  const auto& regions = misplaced.at(chain);
  const Region& first = *regions.front();
  if (core::is_aligned(first.physical_base->value(), first.align) || map.values.empty()) {
    return {};
  }
  constexpr std::uint64_t kMostSteps = 4;
  const Region& strictest = **std::ranges::max_element(regions, {}, &Region::align);
  const std::uint64_t step = strictest.align.value();
  const std::uint64_t past = strictest.physical_base->value() % step;
  Trials trials{map, chain, misplaced};
  for (const board::Knob* knob : knobs_before(map, first)) {
    std::vector<std::string> settings;
    for (const bool up : {false, true}) {
      for (std::uint64_t i = 0; i < kMostSteps && !trials.over(); ++i) {
        const std::uint64_t value =
            map.values.at(knob->name) + (up ? step * (i + 1) - past : 0 - step * i - past);
        if (value < UINT64_MAX / 2 && trials.puts_right(knob->name, value)) {
          settings.push_back(fmt::format("--set {}={}",
                                         knob->name,
                                         knob->is_address
                                             ? core::format_hex(value)
                                             : core::format_setting(core::Bytes{value})));
          break;
        }
      }
    }
    if (!settings.empty()) {
      return "the nearest that fit: " + core::join(settings, " or ");
    }
  }
  return {};
}

// Whether the chain continues, over any number of steps, one that is misplaced itself.
bool continues_one_of(const MemoryMap& map, const std::string& name, const Misplaced& misplaced) {
  for (const board::Chain& chain : map.board.chains) {
    if (chain.name == name && !chain.after.empty()) {
      return misplaced.contains(chain.after) || continues_one_of(map, chain.after, misplaced);
    }
  }
  return false;
}

// One finding a chain: what is behind the first misplaced region is so because of it.
void check_alignment(const MemoryMap& map, core::Diagnostics& found) {
  const Misplaced misplaced = misplaced_in(map);
  for (const auto& [chain, regions] : misplaced) {
    if (continues_one_of(map, chain, misplaced)) {
      continue;
    }
    const Region& region = *regions.front();
    const std::uint64_t physical = region.physical_base->value();
    const std::uint64_t base =
        core::is_aligned(physical, region.align) ? region.virtual_base->value() : physical;
    const std::uint64_t step = region.align.value();
    const std::string values = values_that_align(map, chain, misplaced);
    core::Diagnostic wrong =
        core::error(Code::kLayoutAlignment,
                    fmt::format("'{}' at {} must begin on a multiple of {}",
                                region.name,
                                core::format_hex(base),
                                core::format_size(core::Bytes{step})),
                    region.place,
                    !values.empty() ? values
                                    : fmt::format("it is {} past {}: resize what stands before it",
                                                  core::format_size(core::Bytes{base % step}),
                                                  core::format_hex(base - base % step)))
            .about({{"region", region.name}});
    for (std::size_t i = 1; i < regions.size(); ++i) {
      wrong.details.push_back(
          fmt::format("{:<40} {}, multiple of {}",
                      regions[i]->name,
                      core::format_address(*regions[i]->physical_base),
                      core::format_size(core::Bytes{regions[i]->align.value()})));
    }
    found.push_back(std::move(wrong));
  }
}

// The firmware's linker script skips to this multiple before it places anything.
void check_sections(const MemoryMap& map, core::Diagnostics& found) {
  for (const Region& region : map.regions) {
    const bool placed = region.kind == RegionKind::kRegion && region.virtual_base.has_value();
    if (!placed || region.section_align.value() == 1) {
      continue;
    }
    const std::uint64_t base = region.virtual_base->value();
    const core::Bytes skipped{core::align_up(base, region.section_align).value_or(base) - base};
    if (region.size > skipped) {
      continue;
    }
    found.push_back(
        core::error(
            Code::kLayoutSection,
            fmt::format(
                "'{}' at {} has {}, but its first section begins {} further, at a multiple of {}",
                region.name,
                core::format_hex(base),
                core::format_size(region.size),
                core::format_size(skipped),
                core::format_size(core::Bytes{region.section_align.value()})),
            region.place,
            fmt::format("give it more than {}: code and data come on top",
                        core::format_setting(skipped)))
            .about({{"region", region.name}}));
  }
}

void check_minimums(const MemoryMap& map, core::Diagnostics& found) {
  for (const board::Knob& knob : map.board.knobs) {
    const Region* region = map.find_by_knob(knob.name);
    if (region == nullptr || knob.is_address || region->size >= knob.minimum) {
      continue;
    }
    found.push_back(core::error(Code::kSizeMinimum,
                                fmt::format("'{}' has {}, but needs {}{}{}",
                                            region->name,
                                            core::format_size(region->size),
                                            core::format_size(knob.minimum),
                                            knob.minimum_why.empty() ? "" : ": ",
                                            knob.minimum_why),
                                knob.default_value.place,
                                fmt::format("give {} at least {}",
                                            knob.name,
                                            core::format_setting(
                                                core::align_up(knob.minimum, knob.hard_granule))))
                        .about({{"region", region->name}, {"knob", knob.name}}));
  }
}

void check_empty(const MemoryMap& map, core::Diagnostics& found) {
  for (const Region& region : map.regions) {
    if (region.kind == RegionKind::kRegion && region.size.count() == 0) {
      found.push_back(
          core::error(Code::kLayoutEmpty,
                      fmt::format("'{}' is empty", region.name),
                      region.place,
                      "a section without room does not link; give it a size or remove it")
              .about({{"region", region.name}}));
    }
  }
}

// Names by where they stand; the second of two is reported.
class Names {
 public:
  Names(std::string where, core::Diagnostics& found) : where_(std::move(where)), found_(found) {}

  void add(const std::string& name, const core::Place& place, const std::string& shown) {
    const auto [known, added] = places_.try_emplace(name, place);
    if (added) {
      return;
    }
    found_.push_back(
        core::error(Code::kLayoutDuplicate,
                    fmt::format("'{}' stands twice in {}", shown, where_),
                    place,
                    "the later one would silently replace the first: rename one of them")
            .about({{"region", shown}, {"file", where_}})
            .beside(known->second, "it was here before"));
  }

 private:
  std::string where_;
  core::Diagnostics& found_;
  std::map<std::string, core::Place> places_;
};

void check_duplicates(const MemoryMap& map, core::Diagnostics& found) {
  for (const board::Core& core : map.board.cores) {
    Names linker{fmt::format("the linker map of {}", core.name), found};
    for (const Region& region : map.regions) {
      if (region.seen_by(core.name)) {
        linker.add(region.name, region.place, region.name);
      }
    }
  }
  Names header{"the C header", found};
  for (const Region& region : map.regions) {
    if (region.in_header) {
      header.add(region.name + "_ADDR", region.place, region.name);
    }
  }
  for (const Carveout& carveout : map.carveouts) {
    if (carveout.in_header) {
      header.add(carveout.name + "_ADDR", carveout.place, carveout.name);
    }
  }
  const auto& bases = map.board.header_bases;
  for (std::size_t i = 0; i < bases.size(); ++i) {
    header.add(bases[i].first, map.board.header_base_places.at(i), bases[i].first);
  }
}

// Owned regions on the bus, by address.
class OnBus {
 public:
  explicit OnBus(const MemoryMap& map) {
    for (const Region& region : map.regions) {
      const auto range = region.physical();
      if (region.kind == RegionKind::kRegion && range && !range->empty()) {
        regions_.push_back(&region);
      }
    }
    std::ranges::stable_sort(
        regions_, {}, [](const Region* region) { return *region->physical_base; });
    for (const Region* region : regions_) {
      const core::PhysAddr last = region->physical()->last();
      furthest_.push_back(furthest_.empty() ? last : std::max(furthest_.back(), last));
    }
  }

  // Those that have a byte of the range.
  [[nodiscard]] std::vector<const Region*> in(const core::PhysRange& range) const {
    std::vector<const Region*> found;
    const auto first = std::ranges::lower_bound(furthest_, range.base()) - furthest_.begin();
    for (auto each = regions_.begin() + first;
         each != regions_.end() && *(*each)->physical_base <= range.last();
         ++each) {
      if ((*each)->physical()->overlaps(range)) {
        found.push_back(*each);
      }
    }
    return found;
  }

 private:
  std::vector<const Region*> regions_;
  // The last byte of this and of all before it: an accepted overlap may reach far.
  std::vector<core::PhysAddr> furthest_;
};

// Every byte of a hull belongs to a member or to a gap that the board keeps on purpose.
void check_holes(const MemoryMap& map, core::Diagnostics& found) {
  const OnBus on_bus{map};
  for (const Carveout& carveout : map.carveouts) {
    std::vector<Named<core::PhysAddr>> inside;
    for (const Gap& gap : map.gaps) {
      if (carveout.range.contains(gap.physical)) {
        inside.push_back({"a gap", gap.physical, carveout.place});
      }
    }
    // Its members; what belongs to somebody else is check_members' business.
    for (const Region* region : on_bus.in(carveout.range)) {
      inside.push_back({region->name, *region->physical(), region->place});
    }
    std::ranges::stable_sort(
        inside, [](const auto& a, const auto& b) { return a.range.base() < b.range.base(); });
    core::PhysAddr covered = carveout.range.base();
    for (const auto& part : inside) {
      if (part.range.base() > covered) {
        const auto hole = core::PhysRange::make(covered, part.range.base() - covered);
        found.push_back(core::error(Code::kCarveoutHole,
                                    fmt::format("carve-out '{}' {} hides a hole of {} at {}",
                                                carveout.label,
                                                core::format_range(carveout.range),
                                                core::format_size(hole->size()),
                                                core::format_range(*hole)),
                                    carveout.place,
                                    fmt::format("it ends before '{}': split the carve-out there, "
                                                "or keep the hole as a gap with "
                                                "a reason",
                                                part.name))
                            .about({{"carve-out", carveout.label}, {"region", part.name}}));
      }
      covered = std::max(covered, part.range.base().plus(part.range.size()).value_or(covered));
    }
  }
}

// Linux refuses reserved-memory nodes that overlap.
void check_two_carveouts(const MemoryMap& map, core::Diagnostics& found) {
  std::map<std::string, const Carveout*> owners;
  for (const Carveout& carveout : map.carveouts) {
    for (const std::string& member : carveout.members) {
      const auto [known, added] = owners.try_emplace(member, &carveout);
      if (added || !map.find_owned(member)->physical()) {
        continue;
      }
      found.push_back(
          core::error(Code::kCarveoutMember,
                      fmt::format("'{}' {} is a member of two carve-outs, '{}' and '{}'",
                                  member,
                                  core::format_range(*map.find_owned(member)->physical()),
                                  known->second->label,
                                  carveout.label),
                      carveout.place,
                      "Linux refuses reserved-memory nodes that overlap: keep it in one of them")
              .about({{"region", member},
                      {"carve-out", known->second->label},
                      {"carve-out", carveout.label}})
              .beside(known->second->place,
                      fmt::format("'{}' covers it here", known->second->label)));
    }
  }
}

void check_members(const MemoryMap& map, core::Diagnostics& found) {
  check_two_carveouts(map, found);
  const OnBus on_bus{map};
  for (const Carveout& carveout : map.carveouts) {
    for (const Region* stranger : on_bus.in(carveout.range)) {
      const Region& region = *stranger;
      if (!core::contains(carveout.members, region.name)) {
        core::Diagnostic forgotten =
            core::error(Code::kCarveoutMember,
                        fmt::format("'{}' {} lies in carve-out '{}' but is not one of its members",
                                    region.name,
                                    core::format_range(*region.physical()),
                                    carveout.label),
                        carveout.place,
                        fmt::format("add \"{}\" to its 'covers'", region.name))
                .about({{"region", region.name}, {"carve-out", carveout.label}});
        forgotten.related.push_back(core::region_at(region.place, region.name, "is placed here"));
        found.push_back(std::move(forgotten));
      }
    }
  }
}

}  // namespace

const std::vector<Check>& region_checks() {
  static const std::vector<Check> checks = {
      {Code::kLayoutEmpty,
       Severity::kError,
       Code::kLayoutEmpty,
       "no region is empty",
       "the firmware's linker scripts place a section into each of them",
       check_empty},
      {Code::kLayoutOverlap,
       Severity::kError,
       Code::kLayoutOverlap,
       "no two regions share a physical byte, over all 64 bits",
       "physical memory has one owner; the SDK's own check ignores addresses from 4 GiB on",
       check_overlap},
      {Code::kLayoutVirtualOverlap,
       Severity::kError,
       Code::kLayoutVirtualOverlap,
       "no two regions share an address on one core",
       "a linker places what overlaps without a word",
       check_virtual_overlap},
      {Code::kLayoutBank,
       Severity::kError,
       Code::kLayoutBank,
       "every DDR region lies whole in one of the board's DRAM banks",
       "boards of one chip carry different amounts of memory",
       check_banks},
      {Code::kLayoutKept,
       Severity::kWarning,
       Code::kLayoutKept,
       "no region lies where Linux' own device tree keeps memory for somebody else",
       "nodes of TI's base trees (k3-*.dtsi), which an overlay cannot delete",
       check_kept},
      {Code::kLayoutAlignment,
       Severity::kError,
       Code::kLayoutAlignment,
       "a region begins on the multiple that its sections need",
       "ALIGN() in the firmware's linker scripts; remoteproc's vrings",
       check_alignment},
      {Code::kLayoutDuplicate,
       Severity::kError,
       Code::kLayoutDuplicate,
       "a name stands once in each linker map and once in the C header",
       "a generator that keeps regions by name replaces the first one silently",
       check_duplicates},
      {Code::kCarveoutHole,
       Severity::kError,
       Code::kLayoutOverlap,
       "a carve-out hides no hole: what lies between its members is a gap with a reason",
       "a hull over a hole takes memory from Linux that nobody uses",
       check_holes},
      {Code::kCarveoutMember,
       Severity::kError,
       Code::kLayoutOverlap,
       "a region that lies in a carve-out is one of its members, and of no other's",
       "members that are covered by chance are lost when the order changes",
       check_members},
      {Code::kLayoutSection,
       Severity::kError,
       Code::kLayoutAlignment,
       "a region is larger than what its first section's alignment skips",
       "ALIGN() in the firmware's linker scripts",
       check_sections},
      {Code::kSizeMinimum,
       Severity::kError,
       Code::kLayoutEmpty,
       "an area has at least what the firmware takes from it at run time",
       "the board file names the source of each minimum",
       check_minimums},
  };
  return checks;
}

}  // namespace memsize::layout
