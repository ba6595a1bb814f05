// Looks up the region of every record, heap and figure of a log; other maps of the tree are tried
// for what lies elsewhere. A record has its least size here, since prints are rounded.
#include "memsize/runtime/board_log.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/sizing/addresses.hpp"

#include "predicted.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::runtime {

namespace {

using board::DemandKey;
using core::Bytes;
using core::Code;
using core::VirtAddr;
using model::Block;
using model::HeapReport;
using HeldWhere = HeldRecord::Where;

// Of a finding's parties; more is for the document.
constexpr std::size_t kNamed = 6;

// The memory of a class on a core where a map has it.
struct Heap {
  DemandKey key;
  std::string region;
  std::string knob;
  core::VirtRange range;
};

// A size prints rounded: no true size that prints like this is smaller.
Bytes least_of(const Block& block) {
  const Bytes slack = block.size.upper - block.size.nearest;
  return std::max(block.size.nearest - std::min(slack, block.size.nearest), Bytes{1});
}

bool lies_in(const core::VirtRange& range, const Block& block) {
  return block.address->offset_from(range.base()) + least_of(block) <= range.size();
}

std::string shown(model::PrintedAddress address) {
  return core::format_hex(address.value());
}

std::vector<Heap> heaps_of(const layout::MemoryMap& map) {
  std::vector<Heap> heaps;
  for (const board::Core& core : map.board.cores) {
    for (const board::Knob& knob : map.board.knobs) {
      const layout::Region* region = map.find_by_knob(knob.name);
      if (knob.demand && knob.demand->core == core.name && region != nullptr &&
          region->virtual_range()) {
        heaps.push_back({*knob.demand, region->name, knob.name, *region->virtual_range()});
      }
    }
    for (const board::OnChip& memory : core.onchip) {
      const layout::Region* region = map.find_owned(memory.region);
      if (region != nullptr && region->virtual_range()) {
        heaps.push_back(
            {{core.name, memory.space, model::Cacheability::kOnChip, model::Lifetime::kScratch},
             region->name,
             {},
             *region->virtual_range()});
      }
    }
  }
  return heaps;
}

// On the chip, a core has one memory a space, whatever is kept there.
bool is_of(const DemandKey& heap, const DemandKey& key) {
  return heap == key || (heap.cacheability == model::Cacheability::kOnChip &&
                         heap.cacheability == key.cacheability && heap.core == key.core &&
                         heap.space == key.space);
}

const Heap* find(const std::vector<Heap>& heaps, const DemandKey& key) {
  return core::find_where(heaps, [&](const Heap& heap) { return is_of(heap.key, key); });
}

DemandKey key_of(const std::string& core, const Block& block) {
  return {core, block.space, block.cacheability, block.lifetime};
}

// Whether a heap that the log tells of is the region: statistics have no address, and one that was
// printed short has the low word.
bool is_like(const HeapReport& report, const Heap& heap) {
  if (report.size != heap.range.size()) {
    return false;
  }
  if (!report.address) {
    return true;
  }
  const std::uint64_t told = report.address->value();
  const std::uint64_t base = heap.range.base().value();
  return told == base || told == static_cast<std::uint32_t>(base);
}

class Holder {
 public:
  Holder(const layout::MemoryMap& map, const BoardLog& log, const std::vector<OtherMap>& others)
      : map_(map), log_(log), heaps_(heaps_of(map)), cores_(with_lifetimes()) {
    for (const OtherMap& other : others) {
      others_.push_back({other.name, heaps_of(*other.map)});
    }
  }

  BoardLogReport run() {
    report_.inputs = log_.recording.inputs;
    report_.generation = log_.sizing.generation;
    report_.generation_title = log_.sizing.generation_title;
    report_.generation_differs = log_.sizing.generation_differs;
    hold_records();
    hold_heaps();
    const core::Diagnostics shifted = hold_predictions(map_, log_, cores_);
    report_.findings.insert(report_.findings.end(), shifted.begin(), shifted.end());
    keep_what_sizing_found();
    hold_regions();
    look_for_silent_cores();
    pair_runs();
    return std::move(report_);
  }

 private:
  struct Known {
    std::string name;
    std::vector<Heap> heaps;
  };

  // A record and the block that it was made of.
  struct Placed {
    const Block* block = nullptr;
    std::size_t record = 0;
  };

  // The bytes of a block, at least.
  struct Extent {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    const Block* block = nullptr;
  };

  [[nodiscard]] core::Place place_of(std::size_t input, std::size_t line) const {
    return {log_.recording.inputs.at(input).path, line};
  }

  // The recording's models. Where rows do not say if a record is kept, what is known of it does.
  [[nodiscard]] std::vector<model::CoreRecording> with_lifetimes() const {
    std::vector<sizing::HeapRegion> regions;
    for (const Heap& heap : heaps_) {
      regions.push_back({heap.key, heap.region, heap.range});
    }
    const board::Generation* generation = log_.format.find_generation(log_.sizing.rules_of);
    std::vector<model::CoreRecording> cores = log_.recording.cores;
    for (model::CoreRecording& core : cores) {
      for (model::Instance& instance : core.instances) {
        if (!sizing::has_form_without_lifetime(log_.format, instance)) {
          continue;
        }
        for (Block& block : instance.blocks) {
          const auto known =
              sizing::lifetime_of(log_.format, generation, regions, core.core, block);
          block.lifetime = known ? known->lifetime : block.lifetime;
        }
      }
    }
    return cores;
  }

  void hold_records() {
    for (const model::CoreRecording& core : cores_) {
      // One run of a core is told once, however many models it has.
      std::map<std::size_t, std::vector<Placed>> runs;
      for (const model::Instance& instance : core.instances) {
        for (const Block& block : instance.blocks) {
          report_.records.push_back(hold(core.core, instance, block));
          runs[instance.input].push_back({&block, report_.records.size() - 1});
        }
        report_overlaps(core.core, instance);
      }
      for (const auto& [input, placed] : runs) {
        report_outside(core.core, input, placed);
      }
    }
  }

  [[nodiscard]] HeldRecord hold(const std::string& core,
                                const model::Instance& instance,
                                const Block& block) const {
    HeldRecord held{.input = instance.input,
                    .line = block.line,
                    .core = core,
                    .record = block.record,
                    .size = block.size.nearest,
                    .printed = block.address};
    if (block.address && block.address->is_whole()) {
      held.address = VirtAddr{block.address->value()};
    }
    const Heap* heap = find(heaps_, key_of(core, block));
    if (heap == nullptr) {
      held.where = HeldWhere::kNoRegion;
      return held;
    }
    held.region = heap->region;
    if (!block.address) {
      held.where = HeldWhere::kNoAddress;
    } else if (lies_in(heap->range, block)) {
      held.where = HeldWhere::kInside;
      const VirtAddr base = heap->range.base();
      held.address = base.plus(block.address->offset_from(base));
    } else {
      held.where = HeldWhere::kOutside;
      held.found_in = region_at(core, *heap, *block.address);
    }
    return held;
  }

  // The region of the core that has that address; of several, which low bits may mean, the one
  // nearest to where the record belongs.
  [[nodiscard]] std::string region_at(const std::string& core,
                                      const Heap& heap,
                                      model::PrintedAddress address) const {
    std::string name;
    std::uint64_t nearest = 0;
    for (const layout::Region& region : map_.regions) {
      const auto range = region.virtual_range();
      if (!range || !region.seen_by(core) || address.offset_from(range->base()) >= range->size()) {
        continue;
      }
      const std::uint64_t a = range->base().value();
      const std::uint64_t b = heap.range.base().value();
      const std::uint64_t distance = a < b ? b - a : a - b;
      if (name.empty() || distance < nearest) {
        name = region.name;
        nearest = distance;
      }
    }
    return name;
  }

  // The map in whose heaps all of a core's records of one run lie.
  [[nodiscard]] const Known* map_with(const std::string& core,
                                      const std::vector<Placed>& placed) const {
    for (const Known& other : others_) {
      const bool all = std::ranges::all_of(placed, [&](const Placed& one) {
        const Heap* heap = find(other.heaps, key_of(core, *one.block));
        return !one.block->address || heap == nullptr || lies_in(heap->range, *one.block);
      });
      if (all) {
        return &other;
      }
    }
    return nullptr;
  }

  static std::string firmware_hint(const std::string& core, const Known* other) {
    return other == nullptr
               ? fmt::format(
                     "was the firmware of {} built again with this map, and brought to the "
                     "board? Else name the sizes that it was built with",
                     core)
               : fmt::format(
                     "build the firmware of {} again with this map, bring it to the board, "
                     "and take the log again",
                     core);
  }

  static std::string firmware_fact(const std::string& core, const Known& other) {
    return fmt::format(
        "that is where {} has them: {} still runs the firmware of that map", other.name, core);
  }

  [[nodiscard]] std::string describe(const HeldRecord& record, const Block& block) const {
    const Heap& heap = *find(heaps_, key_of(record.core, block));
    return fmt::format("record {} of {} at {}: not in {} at {}, but {}",
                       record.record,
                       core::format_size(record.size),
                       shown(*record.printed),
                       heap.region,
                       core::format_range(heap.range),
                       record.found_in.empty()          ? std::string{"where no region is"}
                       : record.found_in == heap.region ? std::string{"beyond its end"}
                                                        : "in " + record.found_in);
  }

  void report_outside(const std::string& core,
                      std::size_t input,
                      const std::vector<Placed>& placed) {
    std::vector<std::string> details;
    std::size_t outside = 0;
    std::size_t line = 0;
    for (const Placed& one : placed) {
      const HeldRecord& record = report_.records[one.record];
      if (record.where != HeldWhere::kOutside) {
        continue;
      }
      line = outside == 0 ? record.line : line;
      if (++outside <= kNamed) {
        details.push_back(describe(record, *one.block));
      }
    }
    if (outside == 0) {
      return;
    }
    if (outside > kNamed) {
      details.push_back(fmt::format("and {} more", outside - kNamed));
    }
    const Known* other = map_with(core, placed);
    core::Diagnostic said =
        core::error(Code::kLogOutside,
                    fmt::format("{}: {} of {} {}",
                                sizing::core_name(core),
                                outside,
                                core::plural(placed.size(), "record"),
                                outside == 1 ? "lies outside of its heap's region"
                                             : "lie outside of their heaps' regions"),
                    place_of(input, line),
                    firmware_hint(core, other));
    said.details = std::move(details);
    if (other != nullptr) {
      said.details.push_back(firmware_fact(core, *other));
    }
    report_.findings.push_back(std::move(said));
  }

  // Records of one model are live together. Those of two models that share an address were not: a
  // model is deleted without a word.
  void report_overlaps(const std::string& core, const model::Instance& instance) {
    std::map<std::string, std::vector<Extent>> spaces;
    for (const Block& block : instance.blocks) {
      if (block.address) {
        const std::uint64_t begin = begin_of(core, block);
        const Bytes end = Bytes{begin} + least_of(block);
        spaces[block.space].push_back({begin, end.count(), &block});
      }
    }
    for (auto& [space, extents] : spaces) {
      std::ranges::stable_sort(extents, {}, &Extent::begin);
      const Extent* last = nullptr;
      for (const Extent& extent : extents) {
        if (last != nullptr && last->end > extent.begin) {
          report_overlap(core, instance, *last, extent);
        }
        if (last == nullptr || extent.end > last->end) {
          last = &extent;
        }
      }
    }
  }

  // The whole address; outside of its region, the upper half is that of the region.
  [[nodiscard]] std::uint64_t begin_of(const std::string& core, const Block& block) const {
    const Heap* heap = find(heaps_, key_of(core, block));
    if (heap == nullptr || block.address->is_whole()) {
      return block.address->value();
    }
    const std::uint64_t base = heap->range.base().value();
    const Bytes offset = block.address->offset_from(heap->range.base());
    return offset < heap->range.size() ? base + offset.count()
                                       : (base >> 32 << 32) + block.address->value();
  }

  void report_overlap(const std::string& core,
                      const model::Instance& instance,
                      const Extent& first,
                      const Extent& second) {
    core::Diagnostic said = core::error(
        Code::kLogOverlap,
        fmt::format("{}: records {} and {} of one model share {} from {} on",
                    sizing::core_name(core),
                    first.block->record,
                    second.block->record,
                    core::format_size(Bytes{std::min(first.end, second.end) - second.begin}),
                    shown(*second.block->address)),
        place_of(instance.input, second.block->line),
        "an allocator gave the same memory twice: two heaps of that firmware lie over each other, "
        "or one was freed while in use");
    for (const Block* block : {first.block, second.block}) {
      said.details.push_back(fmt::format("record {}: {} at {}, {} {} {}",
                                         block->record,
                                         core::format_size(block->size.nearest),
                                         shown(*block->address),
                                         block->space,
                                         model::name_of(block->cacheability),
                                         model::name_of(block->lifetime)));
    }
    report_.findings.push_back(std::move(said));
  }

  [[nodiscard]] std::optional<DemandKey> class_of(const HeapReport& report) const {
    const board::MemoryClass* memory = log_.format.find_heap(report.name);
    if (memory == nullptr) {
      return std::nullopt;
    }
    return DemandKey{report.core, memory->space, memory->cacheability, memory->lifetime};
  }

  // Heaps that a size of the map makes; a firmware may have less of the chip's memory for a heap.
  [[nodiscard]] const Heap* sized_heap(const std::vector<Heap>& heaps,
                                       const HeapReport& report) const {
    const auto key = class_of(report);
    const Heap* heap = key ? find(heaps, *key) : nullptr;
    return heap == nullptr || heap->knob.empty() ? nullptr : heap;
  }

  void hold_heaps() {
    std::map<std::string, std::vector<const HeapReport*>> cores;
    for (const HeapReport& report : log_.recording.heaps) {
      if (sized_heap(heaps_, report) != nullptr) {
        cores[report.core].push_back(&report);
      }
    }
    for (const auto& [core, reports] : cores) {
      report_heaps(core, reports);
    }
  }

  void report_heaps(const std::string& core, const std::vector<const HeapReport*>& reports) {
    std::vector<std::string> details;
    std::set<std::string> told;
    const HeapReport* first = nullptr;
    for (const HeapReport* report : reports) {
      const Heap& heap = *sized_heap(heaps_, *report);
      if (is_like(*report, heap)) {
        continue;
      }
      first = first == nullptr ? report : first;
      const std::string what = fmt::format(
          "{}: {}{} in the log, {} at {} in the map",
          heap.region,
          core::format_size(report->size),
          report->address ? " at " + core::format_address(*report->address) : std::string{},
          core::format_size(heap.range.size()),
          core::format_address(heap.range.base()));
      // Statistics are printed again and again.
      if (told.insert(what).second) {
        details.push_back(what);
      }
    }
    if (first == nullptr) {
      return;
    }
    const auto other = std::ranges::find_if(others_, [&](const Known& known) {
      return std::ranges::all_of(reports, [&](const HeapReport* report) {
        const Heap* heap = sized_heap(known.heaps, *report);
        return heap != nullptr && is_like(*report, *heap);
      });
    });
    const Known* known = other == others_.end() ? nullptr : &*other;
    core::Diagnostic said = core::error(Code::kLogHeap,
                                        fmt::format("{}: {} {} not what the map has",
                                                    sizing::core_name(core),
                                                    core::plural(details.size(), "heap"),
                                                    details.size() == 1 ? "is" : "are"),
                                        place_of(first->input, first->line),
                                        firmware_hint(core, known));
    said.details = std::move(details);
    if (known != nullptr) {
      said.details.push_back(firmware_fact(core, *known));
    }
    report_.findings.push_back(std::move(said));
  }

  // Failures are explained there, and what is missing from the log is said.
  void keep_what_sizing_found() {
    for (core::Diagnostic found : log_.sizing.diagnostics) {
      switch (found.code) {
        case Code::kSizingGeneration:
          report_.findings.push_back(other_generation());
          continue;
        // How the next sizes would be computed.
        case Code::kSizingUnknownGeneration:
        case Code::kSizingTotals:
        case Code::kSizingMargin:
          continue;
        // Records that share bytes were told as such.
        case Code::kSizingAddresses:
          if (has_overlap()) {
            continue;
          }
          break;
        case Code::kSizingEmulated:
          found.severity = core::Severity::kError;
          found.hint = "take the log on the board";
          break;
        default:
          break;
      }
      if (found.severity != core::Severity::kNote || found.code == Code::kTraceOther) {
        report_.findings.push_back(std::move(found));
      }
    }
  }

  [[nodiscard]] bool has_overlap() const {
    const auto& findings = report_.findings;
    return core::contains(findings, Code::kLogOverlap, &core::Diagnostic::code);
  }

  [[nodiscard]] core::Diagnostic other_generation() const {
    const board::Generation* own = log_.format.find_generation(map_.board.generation);
    return core::warning(
        Code::kSizingGeneration,
        fmt::format("firmware of {} printed this log, but board '{}' is of {}",
                    log_.sizing.generation_title,
                    map_.board.name,
                    own == nullptr ? map_.board.generation : own->title),
        {},
        fmt::format("{}; was it brought to the board? Else name the board of that SDK",
                    log_.sizing.generation_evidence));
  }

  [[nodiscard]] bool speaks_of(const std::string& core) const {
    const auto& recording = log_.recording;
    return has_table(recording, core) || core::contains(recording.heaps, core, &HeapReport::core) ||
           core::contains(recording.failures, core, &model::Failure::core);
  }

  static bool has_table(const model::Recording& recording, const std::string& core) {
    return std::ranges::any_of(recording.cores, [&](const auto& recorded) {
      return recorded.core == core && !recorded.instances.empty();
    });
  }

  void hold_regions() {
    for (const Heap& heap : heaps_) {
      if (!speaks_of(heap.key.core)) {
        continue;
      }
      HeldRegion region{.key = heap.key};
      region.region = heap.region;
      region.knob = heap.knob;
      region.range = heap.range;
      add_records(heap, region);
      add_statistics(heap, region);
      note_if_full(region);
      report_.regions.push_back(std::move(region));
    }
  }

  void add_records(const Heap& heap, HeldRegion& region) const {
    for (const model::CoreRecording& core : cores_) {
      for (const model::Instance& instance : core.instances) {
        for (const Block& block : instance.blocks) {
          if (is_of(heap.key, key_of(core.core, block))) {
            add_record(block, region);
          }
        }
      }
    }
  }

  static void add_record(const Block& block, HeldRegion& region) {
    region.records += 1;
    if (!region.largest_record || block.size.nearest > region.largest) {
      region.largest_record = block.record;
      region.largest = block.size.nearest;
    }
    if (!block.address || !lies_in(region.range, block)) {
      return;
    }
    region.inside += 1;
    const Bytes end =
        block.address->offset_from(region.range.base()) + std::max(block.size.ceiling, Bytes{1});
    region.used = std::max(region.used.value_or(Bytes{}), std::min(end, region.range.size()));
  }

  // Statistics of a heap of another size are those of another map.
  void add_statistics(const Heap& heap, HeldRegion& region) const {
    for (const HeapReport& report : log_.recording.heaps) {
      const auto key = class_of(report);
      if (!report.free || !key || !is_of(heap.key, *key) || report.size != heap.range.size()) {
        continue;
      }
      const Bytes used = report.size - std::min(*report.free, report.size);
      if (!region.used || used > *region.used) {
        region.used = used;
        region.source = HeldRegion::Source::kStatistics;
      }
    }
  }

  void note_if_full(const HeldRegion& region) {
    const auto left = region.left();
    if (!left || region.knob.empty()) {
      return;
    }
    for (const sizing::CoreSizing& core : log_.sizing.cores) {
      for (const sizing::Demand& demand : core.demands) {
        if (demand.key != region.key || *left >= demand.headroom) {
          continue;
        }
        report_.findings.push_back(
            core::note(Code::kLogFull,
                       fmt::format("{} has {} left ({} %), less than the headroom of {}",
                                   region.region,
                                   core::format_size(*left),
                                   *region.left_percent(),
                                   core::format_size(demand.headroom)),
                       {},
                       demand.suggested && *demand.suggested > region.range.size()
                           ? fmt::format("to have it: --set {}={}",
                                         region.knob,
                                         core::format_setting(*demand.suggested))
                           : std::string{"the next larger model may not fit"}));
      }
    }
  }

  // Cores that the map was made or changed for.
  [[nodiscard]] std::vector<std::string> expected_cores() const {
    std::vector<std::string> expected;
    for (const board::Core& core : map_.board.cores) {
      const bool traced = log_.before != nullptr && has_table(*log_.before, core.name);
      const bool changed = std::ranges::any_of(heaps_, [&](const Heap& heap) {
        return heap.key.core == core.name && std::ranges::any_of(others_, [&](const Known& other) {
                 const Heap* theirs = find(other.heaps, heap.key);
                 return theirs != nullptr && theirs->range.size() != heap.range.size();
               });
      });
      if (traced || changed) {
        expected.push_back(core.name);
      }
    }
    return expected;
  }

  void look_for_silent_cores() {
    // Lines without a core's name may be anyone's.
    if (has_table(log_.recording, {})) {
      return;
    }
    for (const std::string& core : expected_cores()) {
      if (has_table(log_.recording, core)) {
        continue;
      }
      report_.findings.push_back(core::warning(
          Code::kLogSilent,
          speaks_of(core)
              ? fmt::format("{} prints no table of records: whether they fit is not known", core)
              : fmt::format("{} does not appear in the log: whether it runs with this map is not "
                            "known",
                            core),
          {},
          fmt::format("take the log while {} loads its models, with the tables printed", core)));
    }
  }

  void pair_runs() {
    std::map<std::pair<std::string, std::size_t>, std::size_t> known;
    std::map<std::string, std::size_t> after;
    for (const model::RunReport& run : log_.recording.runs) {
      const std::size_t number = ++after[run.core];
      known[{run.core, number}] = report_.times.size();
      report_.times.push_back({run.core, number, std::nullopt, run});
    }
    if (log_.before == nullptr) {
      return;
    }
    std::map<std::string, std::size_t> before;
    for (const model::RunReport& run : log_.before->runs) {
      const std::size_t number = ++before[run.core];
      if (const auto pair = known.find({run.core, number}); pair != known.end()) {
        report_.times[pair->second].before = run;
      } else {
        report_.times.push_back({run.core, number, run, std::nullopt});
      }
    }
  }

  const layout::MemoryMap& map_;
  const BoardLog& log_;
  std::vector<Heap> heaps_;
  std::vector<model::CoreRecording> cores_;
  std::vector<Known> others_;
  BoardLogReport report_;
};

}  // namespace

std::optional<Bytes> HeldRegion::left() const {
  if (!used) {
    return std::nullopt;
  }
  return range.size() - std::min(*used, range.size());
}

std::optional<unsigned> HeldRegion::left_percent() const {
  const auto bytes = left();
  if (!bytes || range.empty()) {
    return std::nullopt;
  }
  const double share =
      100.0 * static_cast<double>(bytes->count()) / static_cast<double>(range.size().count());
  return static_cast<unsigned>(share);
}

std::size_t BoardLogReport::count(HeldRecord::Where where) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      records, [&](const HeldRecord& record) { return record.where == where; }));
}

BoardLogReport hold_log(const layout::MemoryMap& map,
                        const BoardLog& log,
                        const std::vector<OtherMap>& others) {
  return Holder{map, log, others}.run();
}

}  // namespace memsize::runtime
