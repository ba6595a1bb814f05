// Chooses the points of each core: both sides of every address where anything begins or ends, a
// word for each core in shared memory, faults beyond. What a machine cannot show is untried.
#include "plan.hpp"

#include "memsize/chip/limits.hpp"
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

class Planner {
 public:
  Planner(const Subject& subject,
          const std::vector<CoreTables>& tables,
          const std::vector<CoreReplay>& replays,
          Where where)
      : subject_(subject), tables_(tables), replays_(replays), where_(where) {}

  Plan make() {
    find_shares();
    find_cuts();
    for (const SubjectCore& core : subject_.cores) {
      plan_.cores.push_back(plan_core(core));
    }
    paint_linux();
    return std::move(plan_);
  }

 private:
  // A region that this machine cannot show at all; empty: it can.
  [[nodiscard]] std::string_view missing(const SubjectCore& core, const CoreRegion& region) const {
    const bool moved = region.physical && region.physical->value() != region.range.base().value();
    if (where_ == Where::kQemu && core.unit == Unit::kMpu && moved) {
      return "behind the core's address translation (RAT), which is not emulated";
    }
    if (where_ == Where::kHost && region.range.base().value() < kHostFirst) {
      return "below 64 KiB, where no process may map memory without privileges";
    }
    return {};
  }

  [[nodiscard]] bool usable(const SubjectCore& core, const CoreRegion& region) const {
    return runs(core, where_) && missing(core, region).empty() &&
           region.range.size().count() >= kWordOfPoint;
  }

  void find_shares() {
    for (const SubjectCore& core : subject_.cores) {
      for (std::size_t row = 0; row < core.regions.size(); ++row) {
        const auto range = core.regions[row].on_bus();
        if (range && usable(core, core.regions[row])) {
          shares_[key_of(*range)].emplace(core.number, static_cast<std::uint32_t>(row));
        }
      }
    }
  }

  // Every address on the bus at which something begins or ends.
  void find_cuts() {
    const auto add = [&](const core::PhysRange& range) {
      cuts_.insert(range.base().value());
      cuts_.insert(range.base().value() + range.size().count());
    };
    for (const SubjectCore& core : subject_.cores) {
      for (const CoreRegion& region : core.regions) {
        if (const auto range = region.on_bus()) {
          add(*range);
        }
      }
    }
    for (const core::PhysRange& range : subject_.linux_memory) {
      add(range);
    }
  }

  CorePlan plan_core(const SubjectCore& core) {
    CorePlan plan;
    for (const CoreRegion& region : core.regions) {
      plan.regions.push_back(row_of(region));
    }
    if (!runs(core, where_)) {
      plan_.untried.push_back({core.name,
                               "",
                               !core.untried.empty() ? core.untried
                               : core.regions.empty()
                                   ? "no region in the linker map"
                                   : "no emulated core stands for one without an MMU or MPU"});
      return plan;
    }
    keep_tables(core, plan);
    for (std::size_t row = 0; row < core.regions.size(); ++row) {
      const CoreRegion& region = core.regions[row];
      if (const std::string_view why = missing(core, region); !why.empty()) {
        plan_.untried.push_back({core.name, region.name, std::string{why}});
      } else if (usable(core, region)) {
        plan_region(core, static_cast<std::uint32_t>(row), plan);
      }
    }
    plan_entries(core, plan);
    plan_heaps(core, plan);
    if (plan.points.size() > MAP_POINTS) {
      plan_.untried.push_back({core.name,
                               "",
                               fmt::format("{} of its {} places: an image tries no more",
                                           plan.points.size() - MAP_POINTS,
                                           plan.points.size())});
      plan.points.resize(MAP_POINTS);
    }
    return plan;
  }

  static map_region row_of(const CoreRegion& region) {
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

  void keep_tables(const SubjectCore& core, CorePlan& plan) const {
    const CoreTables& tables = tables_[core.number];
    const auto range =
        core::PhysRange::make(core::PhysAddr{tables.base}, core::Bytes{tables.bytes.size()});
    for (const CoreRegion& region : core.regions) {
      const auto own = region.on_bus();
      if (!range || !own || !own->overlaps(*range)) {
        continue;
      }
      const core::PhysRange part = own->intersection(*range);
      plan.keeps.push_back(
          {region.range.base().value() + (part.base() - own->base()).count(), part.size().count()});
    }
  }

  void plan_region(const SubjectCore& core, std::uint32_t row, CorePlan& plan) {
    const CoreRegion& region = core.regions[row];
    const std::uint64_t begin = region.range.base().value();
    const std::uint64_t end = begin + region.range.size().count();
    const auto on_bus = region.on_bus();
    const Sharers* sharers = on_bus ? &shares_.at(key_of(*on_bus)) : nullptr;
    const bool shared = sharers != nullptr && sharers->size() > 1;
    const std::optional<std::size_t> owner = on_bus ? heap_owner(*on_bus) : std::nullopt;
    // Each core has a word of its own at every cut of shared memory; into a heap, only the core
    // whose heap it is writes, because its blocks may be anywhere.
    const std::uint64_t lane = shared && !owner ? kWordOfPoint * core.number : 0;
    const std::uint64_t lanes =
        shared && !owner ? kWordOfPoint * subject_.cores.size() : kWordOfPoint;
    const bool writes =
        region.range.size().count() >= 2 * lanes && (!owner || *owner == core.number);
    std::set<std::uint64_t> accessed;
    const auto access = [&](std::uint64_t address) {
      if (address >= begin && address + kWordOfPoint <= end && accessed.insert(address).second) {
        add_point(region, row, address, writes ? MAP_ACCESS : MAP_LOOK, plan);
      }
    };
    for (const std::uint64_t cut : cuts_of(core, region)) {
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
      for (std::uint64_t slot = begin / kSlot * kSlot;
           slot < end && plan.points.size() <= MAP_POINTS;
           slot += kSlot) {
        for (const std::uint64_t address : {slot, slot + kSlot - kWordOfPoint}) {
          if (address >= begin && address + kWordOfPoint <= end && !accessed.contains(address)) {
            add_point(region, row, address, MAP_LOOK, plan);
          }
        }
      }
    }
    if (region.no_execute && core.unit == Unit::kMpu) {
      add_point(region, row, round_up(begin), MAP_NO_EXECUTE, plan);
    }
    if (core.unit != Unit::kNone) {
      if (begin >= kWordOfPoint) {
        guard(core, row, round_down(begin) - kWordOfPoint, plan);
      }
      guard(core, row, round_up(end), plan);
    }
    if (shared && owner && *owner != core.number) {
      look_for(region, row, *owner, sharers->at(*owner), mark_in(region), plan);
    } else if (shared && !owner && writes) {
      look_for_peers(core, row, *sharers, plan);
    }
  }

  // The core whose heap the range is; nothing: no heap.
  [[nodiscard]] std::optional<std::size_t> heap_owner(const core::PhysRange& range) const {
    const auto sharers = shares_.find(key_of(range));
    for (const auto& [number, row] : sharers->second) {
      const std::string& name = subject_.cores[number].regions[row].name;
      for (const HeapReplay& heap : replays_[number].heaps) {
        if (heap.region == name) {
          return number;
        }
      }
    }
    return std::nullopt;
  }

  // A word in the middle of a heap by which others know its owner. Blocks begin on multiples of 64
  // (RTOS heaps) or more, so none begins here.
  static std::uint64_t mark_in(const CoreRegion& region) {
    constexpr std::uint64_t kBlocks = 1024;
    const std::uint64_t begin = region.range.base().value();
    const std::uint64_t half = region.range.size().count() / 2 / kBlocks * kBlocks;
    return round_up(begin) + half + kWordOfPoint;
  }

  // Where something may change inside of the region, its own ends included, as the core sees it.
  [[nodiscard]] std::set<std::uint64_t> cuts_of(const SubjectCore& core,
                                                const CoreRegion& region) const {
    const std::uint64_t begin = region.range.base().value();
    const std::uint64_t end = begin + region.range.size().count();
    std::set<std::uint64_t> cuts{begin, end};
    if (region.physical) {
      const std::uint64_t physical = region.physical->value();
      const std::uint64_t last = physical + region.range.size().count();
      for (auto cut = cuts_.lower_bound(physical); cut != cuts_.end() && *cut < last; ++cut) {
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

  static void add_point(const CoreRegion& region,
                        std::uint32_t row,
                        std::uint64_t address,
                        std::uint32_t kind,
                        CorePlan& plan) {
    map_point point{};
    point.virtual_base = address;
    point.physical = region.physical
                         ? region.physical->value() + (address - region.range.base().value())
                         : address;
    point.region = row;
    point.kind = kind;
    plan.points.push_back(point);
  }

  // A fault is demanded where neither the board nor the linker map lets the core reach anything.
  void guard(const SubjectCore& core, std::uint32_t row, std::uint64_t address, CorePlan& plan) {
    const bool reaches = std::ranges::any_of(core.reachable, [&](const core::VirtRange& range) {
      return range.contains(core::VirtAddr{address});
    });
    const bool told = std::ranges::any_of(plan.points, [&](const auto& point) {
      return point.kind == MAP_FAULT && point.virtual_base == address;
    });
    if (address < kWordOfPoint || reaches || told || core.region_at(address) != nullptr) {
      return;
    }
    map_point point{};
    point.virtual_base = address;
    point.region = row;
    point.kind = MAP_FAULT;
    plan.points.push_back(point);
  }

  // An entry may reach beyond what the board wants: its own ends must not lead anywhere there.
  void plan_entries(const SubjectCore& core, CorePlan& plan) {
    if (core.regions.empty()) {
      return;
    }
    for (const layout::MmuRange& entry : core.mmu.ranges) {
      const std::uint64_t begin = entry.virtual_range.base().value();
      const std::uint64_t size = entry.virtual_range.size().count();
      if (size >= kWordOfPoint) {
        guard(core, 0, round_up(begin), plan);
        guard(core, 0, round_down(begin + size) - kWordOfPoint, plan);
      }
    }
  }

  void look_for_peers(const SubjectCore& core,
                      std::uint32_t row,
                      const Sharers& sharers,
                      CorePlan& plan) const {
    const CoreRegion& region = core.regions[row];
    const std::uint64_t begin = region.range.base().value();
    const std::uint64_t end = begin + region.range.size().count();
    for (const auto& [writer, writer_row] : sharers) {
      if (writer == core.number) {
        continue;
      }
      look_for(region, row, writer, writer_row, round_up(begin) + kWordOfPoint * writer, plan);
      look_for(region,
               row,
               writer,
               writer_row,
               round_down(end) - kWordOfPoint - kWordOfPoint * writer,
               plan);
    }
  }

  static void look_for(const CoreRegion& region,
                       std::uint32_t row,
                       std::size_t writer,
                       std::uint32_t writer_row,
                       std::uint64_t address,
                       CorePlan& plan) {
    add_point(region, row, address, MAP_PEER, plan);
    plan.points.back().writer = static_cast<std::uint32_t>(writer);
    plan.points.back().writer_region = writer_row;
  }

  void plan_heaps(const SubjectCore& core, CorePlan& plan) {
    std::uint32_t slots = 0;
    const CoreReplay& replay = replays_[core.number];
    for (const HeapReplay& heap : replay.heaps) {
      const auto found =
          std::ranges::find_if(core.regions, [&](const auto& r) { return r.name == heap.region; });
      if (found == core.regions.end() || !usable(core, *found)) {
        continue;
      }
      const auto blocks =
          static_cast<std::size_t>(std::ranges::count_if(heap.steps, [](const ReplayStep& step) {
            return step.kind == ReplayStep::Kind::kAllocate;
          }));
      if (blocks > MAP_SLOTS - slots || plan.heaps.size() == MAP_HEAPS) {
        plan_.untried.push_back(
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
        map_step out{};
        out.kind = step.kind == ReplayStep::Kind::kAllocate ? MAP_ALLOC
                   : step.kind == ReplayStep::Kind::kFree   ? MAP_FREE
                                                            : MAP_RESET;
        out.heap = static_cast<std::uint32_t>(plan.heaps.size());
        out.slot = slots + static_cast<std::uint32_t>(step.slot);
        out.instance = static_cast<std::uint32_t>(step.instance);
        out.record = step.record.value_or(MAP_NO_RECORD);
        out.size = step.size.count();
        out.align = step.align.value() > 1 ? step.align.value() : 0;
        plan.steps.push_back(out);
      }
      plan.heaps.push_back(row);
      slots += static_cast<std::uint32_t>(blocks);
    }
  }

  void paint_linux() {
    const auto number = static_cast<std::uint32_t>(subject_.cores.size());
    for (std::size_t i = 0; i < subject_.linux_memory.size(); ++i) {
      const core::PhysRange& range = subject_.linux_memory[i];
      const std::uint64_t begin = range.base().value();
      const std::uint64_t end = begin + range.size().count();
      std::set<std::uint64_t> places;
      const auto add = [&](std::uint64_t address) {
        if (address >= begin && address + kWordOfPoint <= end) {
          places.insert(address);
        }
      };
      for (auto cut = cuts_.lower_bound(begin); cut != cuts_.end() && *cut <= end; ++cut) {
        for (std::uint64_t lane = 0; lane <= subject_.cores.size(); ++lane) {
          add(round_up(*cut) + lane * kWordOfPoint);
          add(round_down(*cut) - kWordOfPoint - lane * kWordOfPoint);
        }
      }
      for (const std::uint64_t place : places) {
        plan_.linux_paint.push_back(
            {place, map_pattern(place, number, static_cast<std::uint32_t>(i)), range});
      }
    }
  }

  const Subject& subject_;
  const std::vector<CoreTables>& tables_;
  const std::vector<CoreReplay>& replays_;
  Where where_;
  Shares shares_;
  std::set<std::uint64_t> cuts_;
  Plan plan_;
};

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
  return Planner{subject, tables, replays, where}.make();
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
