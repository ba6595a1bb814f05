// Chooses the points of each core: both sides of every address where anything begins or ends, a
// word for each core in shared memory, faults beyond. What a machine cannot show is untried.
#include "plan.hpp"

#include "memsize/chip/limits.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::runtime {

namespace {

constexpr std::uint64_t kWordOfPoint = 8;
// The block that a driver maps in one piece: both of its ends are looked at.
constexpr std::uint64_t kSlot = 2ULL << 20U;

// Who uses one piece of memory on the bus: cores by number, with the row of their region.
using Sharers = std::map<std::size_t, std::uint32_t>;
using Shares = std::map<std::pair<std::uint64_t, std::uint64_t>, Sharers>;

std::pair<std::uint64_t, std::uint64_t> key_of(const core::PhysRange& range) {
  return {range.base().value(), range.size().count()};
}

std::uint64_t round_up(std::uint64_t value) {
  return (value + (kWordOfPoint - 1)) / kWordOfPoint * kWordOfPoint;
}

std::uint64_t round_down(std::uint64_t value) {
  return value / kWordOfPoint * kWordOfPoint;
}

// Below and above the range an address may have wrapped around.
bool holds_word(std::uint64_t begin, std::uint64_t end, std::uint64_t address) {
  return address >= begin && address < end && end - address >= kWordOfPoint;
}

// A region that this machine cannot show at all; empty: it can.
std::string_view missing(const SubjectCore& core, const CoreRegion& region, Where where) {
  const bool moved = region.physical && region.physical->value() != region.range.base().value();
  if (where == Where::kQemu && core.unit == Unit::kMpu && moved) {
    return "behind the core's address translation (RAT), which is not emulated";
  }
  if (where == Where::kHost && region.range.base().value() < kHostFirst) {
    return "below 64 KiB, where no process may map memory without privileges";
  }
  if (where == Where::kHost &&
      (region.range.base().value() > kHostEnd ||
       region.range.size().count() > kHostEnd - region.range.base().value())) {
    return "beyond 2^47, where no process has memory";
  }
  return {};
}

bool usable(const SubjectCore& core, const CoreRegion& region, Where where) {
  return runs(core, where) && missing(core, region, where).empty() &&
         region.range.size().count() >= kWordOfPoint;
}

Shares shares_of(const Subject& subject, Where where) {
  Shares shares;
  for (const SubjectCore& core : subject.cores) {
    for (std::size_t row = 0; row < core.regions.size(); ++row) {
      const auto range = core.regions[row].on_bus();
      if (range && usable(core, core.regions[row], where)) {
        shares[key_of(*range)].emplace(core.number, static_cast<std::uint32_t>(row));
      }
    }
  }
  return shares;
}

// Every address on the bus at which something begins or ends.
std::set<std::uint64_t> cuts_on_bus(const Subject& subject) {
  std::set<std::uint64_t> cuts;
  const auto add = [&](const core::PhysRange& range) {
    cuts.insert(range.base().value());
    cuts.insert(range.base().value() + range.size().count());
  };
  for (const SubjectCore& core : subject.cores) {
    for (const CoreRegion& region : core.regions) {
      if (const auto range = region.on_bus()) {
        add(*range);
      }
    }
  }
  for (const core::PhysRange& range : subject.linux_memory) {
    add(range);
  }
  return cuts;
}

map_region row_of(const CoreRegion& region) {
  map_region row{};
  const std::size_t length = std::min(region.name.size(), sizeof row.name - 1);
  std::memcpy(row.name, region.name.data(), length);
  row.virtual_base = region.range.base().value();
  row.physical_base = region.physical ? region.physical->value() : 0;
  row.size = region.range.size().count();
  row.align = region.align.value();
  row.flags = region.physical ? MAP_HAS_PHYSICAL : 0;
  row.kinds = region.kinds;
  return row;
}

std::vector<map_keep> kept_tables(const SubjectCore& core, const CoreTables& tables) {
  std::vector<map_keep> keeps;
  const auto range =
      core::PhysRange::make(core::PhysAddr{tables.base}, core::Bytes{tables.bytes.size()});
  for (const CoreRegion& region : core.regions) {
    const auto own = region.on_bus();
    if (!range || !own || !own->overlaps(*range)) {
      continue;
    }
    const core::PhysRange part = own->intersection(*range);
    keeps.push_back(
        {region.range.base().value() + (part.base() - own->base()).count(), part.size().count()});
  }
  return keeps;
}

// Who has a region on the bus, and whose heap it is: one of them, or nobody's.
struct Sharing {
  Sharers sharers;
  std::optional<std::size_t> owner;
};

Sharing sharing_of(const Subject& subject,
                   const std::vector<CoreReplay>& replays,
                   const Shares& shares,
                   const CoreRegion& region) {
  const auto range = region.on_bus();
  if (!range) {
    return {};
  }
  Sharing sharing{.sharers = shares.at(key_of(*range)), .owner = {}};
  for (const auto& [number, row] : sharing.sharers) {
    const std::string& name = subject.cores[number].regions[row].name;
    if (core::contains(replays[number].heaps, name, &HeapReplay::region)) {
      sharing.owner = number;
      break;
    }
  }
  return sharing;
}

// The points of a core that are tried for one of its regions.
class RegionPoints {
 public:
  RegionPoints(const SubjectCore& core, std::uint32_t row, std::vector<map_point>& points)
      : core_(core), row_(row), points_(points) {}

  void add(std::uint64_t address, std::uint32_t kind) {
    const CoreRegion& region = core_.regions[row_];
    map_point point{};
    point.virtual_base = address;
    point.physical = region.physical
                         ? region.physical->value() + (address - region.range.base().value())
                         : address;
    point.region = row_;
    point.kind = kind;
    points_.push_back(point);
  }

  // What another core wrote.
  void look_for(std::size_t writer, std::uint32_t writer_row, std::uint64_t address) {
    add(address, MAP_PEER);
    points_.back().writer = static_cast<std::uint32_t>(writer);
    points_.back().writer_region = writer_row;
  }

  // A fault is demanded where neither the board nor the linker map lets the core reach anything.
  void guard(std::uint64_t address) {
    const bool reaches = std::ranges::any_of(core_.reachable, [&](const core::VirtRange& range) {
      return range.contains(core::VirtAddr{address});
    });
    const bool told = std::ranges::any_of(points_, [&](const map_point& point) {
      return point.kind == MAP_FAULT && point.virtual_base == address;
    });
    if (address < kWordOfPoint || reaches || told || core_.region_at(address) != nullptr) {
      return;
    }
    add(address, MAP_FAULT);
    points_.back().physical = 0;
  }

  [[nodiscard]] bool is_full() const { return points_.size() > MAP_POINTS; }

 private:
  const SubjectCore& core_;
  std::uint32_t row_;
  std::vector<map_point>& points_;
};

// Where something may change inside of the region, its own ends included, as the core sees it.
std::set<std::uint64_t> cuts_of(const SubjectCore& core,
                                const CoreRegion& region,
                                const std::set<std::uint64_t>& on_bus) {
  const std::uint64_t begin = region.range.base().value();
  const std::uint64_t end = begin + region.range.size().count();
  std::set<std::uint64_t> cuts{begin, end};
  if (region.physical) {
    const std::uint64_t physical = region.physical->value();
    const std::uint64_t last = physical + region.range.size().count();
    for (auto cut = on_bus.lower_bound(physical); cut != on_bus.end() && *cut < last; ++cut) {
      cuts.insert(begin + (*cut - physical));
    }
  }
  const auto add = [&](std::uint64_t base, std::uint64_t size) {
    for (const std::uint64_t cut : {base, base + size}) {
      if (cut > begin && cut < end) {
        cuts.insert(cut);
      }
    }
  };
  for (const layout::MmuRange& entry : core.mmu.ranges) {
    add(entry.virtual_range.base().value(), entry.virtual_range.size().count());
  }
  for (const chip::MpuRegionFields& entry : core.mpu) {
    const std::uint64_t part = entry.size / chip::kMpuParts;
    for (std::uint64_t i = 0; i < chip::kMpuParts; ++i) {
      add(entry.base + i * part, part);
    }
  }
  return cuts;
}

// A word in the middle of a heap by which others know its owner. Blocks begin on multiples of 64
// (RTOS heaps) or more, so none begins here.
std::uint64_t mark_in(const CoreRegion& region) {
  constexpr std::uint64_t kBlocks = 1024;
  const std::uint64_t begin = region.range.base().value();
  const std::uint64_t half = region.range.size().count() / 2 / kBlocks * kBlocks;
  return round_up(begin) + half + kWordOfPoint;
}

void look_for_peers(const SubjectCore& core,
                    const CoreRegion& region,
                    const Sharers& sharers,
                    RegionPoints& points) {
  const std::uint64_t begin = region.range.base().value();
  const std::uint64_t end = begin + region.range.size().count();
  for (const auto& [writer, row] : sharers) {
    if (writer != core.number) {
      points.look_for(writer, row, round_up(begin) + kWordOfPoint * writer);
      points.look_for(writer, row, round_down(end) - kWordOfPoint - kWordOfPoint * writer);
    }
  }
}

// Both ends of each block that a driver maps, where nothing is accessed.
void look_at_slots(std::uint64_t begin,
                   std::uint64_t end,
                   const std::set<std::uint64_t>& accessed,
                   RegionPoints& points) {
  for (std::uint64_t slot = begin / kSlot * kSlot; slot < end && !points.is_full(); slot += kSlot) {
    for (const std::uint64_t address : {slot, slot + kSlot - kWordOfPoint}) {
      if (holds_word(begin, end, address) && !accessed.contains(address)) {
        points.add(address, MAP_LOOK);
      }
    }
  }
}

// `cores`: how many the board has.
void plan_region(const SubjectCore& core,
                 const CoreRegion& region,
                 const std::set<std::uint64_t>& cuts,
                 const Sharing& sharing,
                 std::size_t cores,
                 RegionPoints& points) {
  const std::uint64_t begin = region.range.base().value();
  const std::uint64_t end = begin + region.range.size().count();
  const auto& [sharers, owner] = sharing;
  const bool shared = sharers.size() > 1;
  // Each core has a word of its own at every cut of shared memory; into a heap, only the core
  // whose heap it is writes, because its blocks may be anywhere.
  const std::uint64_t lane = shared && !owner ? kWordOfPoint * core.number : 0;
  const std::uint64_t lanes = shared && !owner ? kWordOfPoint * cores : kWordOfPoint;
  const bool writes = region.range.size().count() >= 2 * lanes && (!owner || *owner == core.number);
  std::set<std::uint64_t> accessed;
  const auto access = [&](std::uint64_t address) {
    if (holds_word(begin, end, address) && accessed.insert(address).second) {
      points.add(address, writes ? MAP_ACCESS : MAP_LOOK);
    }
  };
  for (const std::uint64_t cut : cuts) {
    if (cut < end) {
      access(round_up(cut) + lane);
    }
    if (cut >= begin + kWordOfPoint + lane) {
      access(round_down(cut) - kWordOfPoint - lane);
    }
  }
  if (owner == core.number && shared) {
    access(mark_in(region));
  }
  if (core.unit == Unit::kMmu) {
    look_at_slots(begin, end, accessed, points);
  }
  if (region.no_execute && core.unit == Unit::kMpu) {
    points.add(round_up(begin), MAP_NO_EXECUTE);
  }
  if (core.unit != Unit::kNone) {
    if (begin >= kWordOfPoint) {
      points.guard(round_down(begin) - kWordOfPoint);
    }
    points.guard(round_up(end));
  }
  if (shared && owner && *owner != core.number) {
    points.look_for(*owner, sharers.at(*owner), mark_in(region));
  } else if (shared && !owner && writes) {
    look_for_peers(core, region, sharers, points);
  }
}

// An entry may reach beyond what the board wants: its own ends must not lead anywhere there.
void plan_entries(const SubjectCore& core, RegionPoints points) {
  for (const layout::MmuRange& entry : core.mmu.ranges) {
    const std::uint64_t begin = entry.virtual_range.base().value();
    const std::uint64_t size = entry.virtual_range.size().count();
    if (size >= kWordOfPoint) {
      points.guard(round_up(begin));
      points.guard(round_down(begin + size) - kWordOfPoint);
    }
  }
}

map_step step_row(const ReplayStep& step, std::size_t heap, std::uint32_t slots) {
  map_step out{};
  out.kind = step.kind == ReplayStep::Kind::kAllocate ? MAP_ALLOC
             : step.kind == ReplayStep::Kind::kFree   ? MAP_FREE
                                                      : MAP_RESET;
  out.heap = static_cast<std::uint32_t>(heap);
  out.slot = slots + static_cast<std::uint32_t>(step.slot);
  out.instance = static_cast<std::uint32_t>(step.instance);
  out.record = step.record.value_or(MAP_NO_RECORD);
  out.size = step.size.count();
  out.align = step.align.value() > 1 ? step.align.value() : 0;
  return out;
}

void plan_heaps(const SubjectCore& core,
                const CoreReplay& replay,
                Where where,
                CorePlan& plan,
                std::vector<Untried>& untried) {
  std::uint32_t slots = 0;
  for (const HeapReplay& heap : replay.heaps) {
    const auto found =
        std::ranges::find_if(core.regions, [&](const auto& r) { return r.name == heap.region; });
    if (found == core.regions.end() || !usable(core, *found, where)) {
      continue;
    }
    const auto blocks =
        static_cast<std::size_t>(std::ranges::count_if(heap.steps, [](const ReplayStep& step) {
          return step.kind == ReplayStep::Kind::kAllocate;
        }));
    if (blocks > MAP_SLOTS - slots || plan.heaps.size() == MAP_HEAPS) {
      untried.push_back(
          {core.name,
           heap.region,
           fmt::format("its {} are more than an image keeps", core::plural(blocks, "block"))});
      continue;
    }
    map_heap row{};
    row.region = static_cast<std::uint32_t>(found - core.regions.begin());
    row.kind = heap.rule.kind == board::HeapRule::Kind::kRtos ? MAP_RTOS : MAP_LINEAR;
    row.align = heap.rule.align.value();
    row.header = heap.rule.header.count();
    row.idle = heap.rule.idle.count();
    for (const ReplayStep& step : heap.steps) {
      plan.steps.push_back(step_row(step, plan.heaps.size(), slots));
    }
    plan.heaps.push_back(row);
    slots += static_cast<std::uint32_t>(blocks);
  }
}

// Why nothing is tried of a core that does not run.
std::string why_untried(const SubjectCore& core) {
  return !core.untried.empty()  ? core.untried
         : core.regions.empty() ? "no region in the linker map"
                                : "no emulated core stands for one without an MMU or MPU";
}

std::vector<Paint> paint_of(const Subject& subject, const std::set<std::uint64_t>& cuts) {
  std::vector<Paint> paint;
  const auto number = static_cast<std::uint32_t>(subject.cores.size());
  for (std::size_t i = 0; i < subject.linux_memory.size(); ++i) {
    const core::PhysRange& range = subject.linux_memory[i];
    const std::uint64_t begin = range.base().value();
    const std::uint64_t end = begin + range.size().count();
    std::set<std::uint64_t> places;
    const auto add = [&](std::uint64_t address) {
      if (holds_word(begin, end, address)) {
        places.insert(address);
      }
    };
    for (auto cut = cuts.lower_bound(begin); cut != cuts.end() && *cut <= end; ++cut) {
      for (std::uint64_t lane = 0; lane <= subject.cores.size(); ++lane) {
        add(round_up(*cut) + lane * kWordOfPoint);
        add(round_down(*cut) - kWordOfPoint - lane * kWordOfPoint);
      }
    }
    for (const std::uint64_t place : places) {
      paint.push_back({place, map_pattern(place, number, static_cast<std::uint32_t>(i)), range});
    }
  }
  return paint;
}

template <typename Row>
void append(std::string& bytes,
            const std::vector<Row>& rows,
            std::uint32_t& count,
            std::uint32_t& offset) {
  count = static_cast<std::uint32_t>(rows.size());
  offset = static_cast<std::uint32_t>(bytes.size());
  for (const Row& row : rows) {
    bytes.append(reinterpret_cast<const char*>(&row), sizeof row);
  }
}

}  // namespace

bool runs(const SubjectCore& core, Where where) {
  return core.untried.empty() && !core.regions.empty() &&
         (where == Where::kHost || core.unit != Unit::kNone);
}

Plan make_plan(const Subject& subject,
               const std::vector<CoreTables>& tables,
               const std::vector<CoreReplay>& replays,
               Where where) {
  const Shares shares = shares_of(subject, where);
  const std::set<std::uint64_t> cuts = cuts_on_bus(subject);
  Plan plan;
  for (const SubjectCore& core : subject.cores) {
    CorePlan& own = plan.cores.emplace_back();
    std::ranges::transform(core.regions, std::back_inserter(own.regions), row_of);
    if (!runs(core, where)) {
      plan.untried.push_back({core.name, "", why_untried(core)});
      continue;
    }
    own.keeps = kept_tables(core, tables[core.number]);
    for (std::size_t row = 0; row < core.regions.size(); ++row) {
      const CoreRegion& region = core.regions[row];
      if (const std::string_view why = missing(core, region, where); !why.empty()) {
        plan.untried.push_back({core.name, region.name, std::string{why}});
      } else if (usable(core, region, where)) {
        RegionPoints points{core, static_cast<std::uint32_t>(row), own.points};
        plan_region(core,
                    region,
                    cuts_of(core, region, cuts),
                    sharing_of(subject, replays, shares, region),
                    subject.cores.size(),
                    points);
      }
    }
    plan_entries(core, RegionPoints{core, 0, own.points});
    plan_heaps(core, replays[core.number], where, own, plan.untried);
    if (own.points.size() > MAP_POINTS) {
      plan.untried.push_back({core.name,
                              "",
                              fmt::format("{} of its {} places: an image tries no more",
                                          own.points.size() - MAP_POINTS,
                                          own.points.size())});
      own.points.resize(MAP_POINTS);
    }
  }
  plan.linux_paint = paint_of(subject, cuts);
  return plan;
}

std::string encode(const SubjectCore& core, const CorePlan& plan, std::size_t cores) {
  map_table header{};
  header.magic = MAP_MAGIC;
  std::memcpy(header.core, core.name.data(), std::min(core.name.size(), sizeof header.core - 1));
  header.core_number = static_cast<std::uint32_t>(core.number);
  header.core_count = static_cast<std::uint32_t>(cores);
  std::string bytes(sizeof header, '\0');
  append(bytes, plan.regions, header.region_count, header.region_offset);
  append(bytes, plan.keeps, header.keep_count, header.keep_offset);
  append(bytes, plan.points, header.point_count, header.point_offset);
  append(bytes, plan.heaps, header.heap_count, header.heap_offset);
  append(bytes, plan.steps, header.step_count, header.step_offset);
  header.bytes = bytes.size();
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

}  // namespace memsize::runtime
