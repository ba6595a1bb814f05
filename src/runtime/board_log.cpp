// Looks up the region of every record, heap and figure of a log; other maps of the tree are tried
// for what lies elsewhere. A record has its least size here, since prints are rounded.
#include "memsize/runtime/board_log.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/sizing/addresses.hpp"

#include "predicted.hpp"

#include <algorithm>
#include <iterator>
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

// The recording's models. Where rows do not say if a record is kept, what is known of it does.
std::vector<model::CoreRecording> with_lifetimes(const BoardLog& log,
                                                 const std::vector<Heap>& heaps) {
  std::vector<sizing::HeapRegion> regions;
  for (const Heap& heap : heaps) {
    regions.push_back({heap.key, heap.region, heap.range});
  }
  const board::Generation* generation = log.format.find_generation(log.sizing.rules_of);
  std::vector<model::CoreRecording> cores = log.recording.cores;
  for (model::CoreRecording& core : cores) {
    for (model::Instance& instance : core.instances) {
      if (!sizing::has_form_without_lifetime(log.format, instance)) {
        continue;
      }
      for (Block& block : instance.blocks) {
        const auto known = sizing::lifetime_of(log.format, generation, regions, core.core, block);
        block.lifetime = known ? known->lifetime : block.lifetime;
      }
    }
  }
  return cores;
}

// A map that a core's firmware may be built with.
struct KnownMap {
  std::string name;
  std::vector<Heap> heaps;
};

// A record, the block that it is made of, and the heap of its class; null: the map has none.
struct PlacedRecord {
  HeldRecord record;
  const Block* block = nullptr;
  const Heap* heap = nullptr;
};

// The region of the core that has that address; of several, which low bits may mean, the one
// nearest to where the record belongs.
std::string region_with(const layout::MemoryMap& map,
                        const std::string& core,
                        const Heap& heap,
                        model::PrintedAddress address) {
  std::string name;
  std::uint64_t nearest = 0;
  for (const layout::Region& region : map.regions) {
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

PlacedRecord placed_record(const layout::MemoryMap& map,
                           const std::vector<Heap>& heaps,
                           const std::string& core,
                           std::size_t input,
                           const Block& block) {
  HeldRecord held{.input = input,
                  .line = block.line,
                  .core = core,
                  .record = block.record,
                  .size = block.size.nearest,
                  .printed = block.address};
  if (block.address && block.address->is_whole()) {
    held.address = VirtAddr{block.address->value()};
  }
  const Heap* heap = find(heaps, key_of(core, block));
  held.region = heap == nullptr ? std::string{} : heap->region;
  if (heap == nullptr) {
    held.where = HeldWhere::kNoRegion;
  } else if (!block.address) {
    held.where = HeldWhere::kNoAddress;
  } else if (lies_in(heap->range, block)) {
    held.where = HeldWhere::kInside;
    const VirtAddr base = heap->range.base();
    held.address = base.plus(block.address->offset_from(base));
  } else {
    held.where = HeldWhere::kOutside;
    held.found_in = region_with(map, core, *heap, *block.address);
  }
  return {std::move(held), &block, heap};
}

// The bytes of a block, at least.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  const Block* block = nullptr;
};

// The whole address; outside of its region, the upper half is that of the region.
std::uint64_t begin_of(const Block& block, const Heap* heap) {
  if (heap == nullptr || block.address->is_whole()) {
    return block.address->value();
  }
  const std::uint64_t base = heap->range.base().value();
  const Bytes offset = block.address->offset_from(heap->range.base());
  return offset < heap->range.size() ? base + offset.count()
                                     : (base >> 32 << 32) + block.address->value();
}

core::Place place_in(const BoardLog& log, std::size_t input, std::size_t line) {
  return {log.recording.inputs.at(input).path, line};
}

core::Diagnostic overlap_of(const BoardLog& log,
                            const std::string& core,
                            std::size_t input,
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
      place_in(log, input, second.block->line),
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
  return said;
}

// Records of one model are live together. Those of two models that share an address were not: a
// model is deleted without a word.
core::Diagnostics overlaps_of(const BoardLog& log,
                              const std::string& core,
                              std::size_t input,
                              const std::vector<PlacedRecord>& records) {
  core::Diagnostics found;
  std::map<std::string, std::vector<Extent>> spaces;
  for (const PlacedRecord& placed : records) {
    const Block& block = *placed.block;
    if (block.address) {
      const std::uint64_t begin = begin_of(block, placed.heap);
      const Bytes end = Bytes{begin} + least_of(block);
      spaces[block.space].push_back({begin, end.count(), &block});
    }
  }
  for (auto& [space, extents] : spaces) {
    std::ranges::stable_sort(extents, {}, &Extent::begin);
    const Extent* last = nullptr;
    for (const Extent& extent : extents) {
      if (last != nullptr && last->end > extent.begin) {
        found.push_back(overlap_of(log, core, input, *last, extent));
      }
      if (last == nullptr || extent.end > last->end) {
        last = &extent;
      }
    }
  }
  return found;
}

std::string describe_outside(const HeldRecord& record, const Heap& heap) {
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

// The map in whose heaps all of a core's records of one run lie.
const KnownMap* map_with(const std::vector<KnownMap>& others,
                         const std::string& core,
                         const std::vector<PlacedRecord>& placed) {
  return core::find_where(others, [&](const KnownMap& other) {
    return std::ranges::all_of(placed, [&](const PlacedRecord& one) {
      const Heap* heap = find(other.heaps, key_of(core, *one.block));
      return !one.block->address || heap == nullptr || lies_in(heap->range, *one.block);
    });
  });
}

// With what to do about a core's firmware: it is that of `other`, where there is one.
core::Diagnostic with_way_out(core::Diagnostic said,
                              const std::string& core,
                              const KnownMap* other) {
  if (other == nullptr) {
    said.hint = fmt::format(
        "was the firmware of {} built again with this map, and brought to the board? Else name the "
        "sizes that it was built with",
        core);
    return said;
  }
  said.hint = fmt::format(
      "build the firmware of {} again with this map, bring it to the board, and take the log again",
      core);
  said.details.push_back(fmt::format(
      "that is where {} has them: {} still runs the firmware of that map", other->name, core));
  return said;
}

// What of a run's records lies outside; nothing: all lie in their heaps.
std::optional<core::Diagnostic> outside_of(const BoardLog& log,
                                           const std::vector<KnownMap>& others,
                                           const std::string& core,
                                           std::size_t input,
                                           const std::vector<PlacedRecord>& placed) {
  std::vector<std::string> details;
  std::size_t outside = 0;
  std::size_t line = 0;
  for (const auto& [record, block, heap] : placed) {
    if (record.where != HeldWhere::kOutside) {
      continue;
    }
    line = outside == 0 ? record.line : line;
    if (++outside <= kNamed) {
      details.push_back(describe_outside(record, *heap));
    }
  }
  if (outside == 0) {
    return std::nullopt;
  }
  if (outside > kNamed) {
    details.push_back(fmt::format("and {} more", outside - kNamed));
  }
  return with_way_out(core::error(Code::kLogOutside,
                                  fmt::format("{}: {} of {} {}",
                                              sizing::core_name(core),
                                              outside,
                                              core::plural(placed.size(), "record"),
                                              outside == 1 ? "lies outside of its heap's region"
                                                           : "lie outside of their heaps' regions"),
                                  place_in(log, input, line))
                          .with(std::move(details)),
                      core,
                      map_with(others, core, placed));
}

std::optional<DemandKey> class_of(const board::TraceFormat& format, const HeapReport& report) {
  const board::MemoryClass* memory = format.find_heap(report.name);
  if (memory == nullptr) {
    return std::nullopt;
  }
  return DemandKey{report.core, memory->space, memory->cacheability, memory->lifetime};
}

// Heaps that a size of the map makes; a firmware may have less of the chip's memory for a heap.
const Heap* sized_heap(const std::vector<Heap>& heaps,
                       const board::TraceFormat& format,
                       const HeapReport& report) {
  const auto key = class_of(format, report);
  const Heap* heap = key ? find(heaps, *key) : nullptr;
  return heap == nullptr || heap->knob.empty() ? nullptr : heap;
}

// What a core says of its heaps that the map has otherwise; nothing: it is as in the map.
std::optional<core::Diagnostic> unlike_heaps_of(const BoardLog& log,
                                                const std::vector<Heap>& heaps,
                                                const std::vector<KnownMap>& others,
                                                const std::string& core,
                                                const std::vector<const HeapReport*>& reports) {
  std::vector<std::string> details;
  std::set<std::string> told;
  const HeapReport* first = nullptr;
  for (const HeapReport* report : reports) {
    const Heap& heap = *sized_heap(heaps, log.format, *report);
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
    return std::nullopt;
  }
  const KnownMap* known = core::find_where(others, [&](const KnownMap& map) {
    return std::ranges::all_of(reports, [&](const HeapReport* report) {
      const Heap* heap = sized_heap(map.heaps, log.format, *report);
      return heap != nullptr && is_like(*report, *heap);
    });
  });
  return with_way_out(core::error(Code::kLogHeap,
                                  fmt::format("{}: {} {} not what the map has",
                                              sizing::core_name(core),
                                              core::plural(details.size(), "heap"),
                                              details.size() == 1 ? "is" : "are"),
                                  place_in(log, first->input, first->line))
                          .with(details),
                      core,
                      known);
}

core::Diagnostics unlike_heaps(const BoardLog& log,
                               const std::vector<Heap>& heaps,
                               const std::vector<KnownMap>& others) {
  std::map<std::string, std::vector<const HeapReport*>> cores;
  for (const HeapReport& report : log.recording.heaps) {
    if (sized_heap(heaps, log.format, report) != nullptr) {
      cores[report.core].push_back(&report);
    }
  }
  core::Diagnostics found;
  for (const auto& [core, reports] : cores) {
    if (auto said = unlike_heaps_of(log, heaps, others, core, reports)) {
      found.push_back(std::move(*said));
    }
  }
  return found;
}

core::Diagnostic other_generation(const layout::MemoryMap& map, const BoardLog& log) {
  const board::Generation* own = log.format.find_generation(map.board.generation);
  return core::warning(
      Code::kSizingGeneration,
      fmt::format("firmware of {} printed this log, but board '{}' is of {}",
                  log.sizing.generation_title,
                  map.board.name,
                  own == nullptr ? map.board.generation : own->title),
      {},
      fmt::format("{}; was it brought to the board? Else name the board of that SDK",
                  log.sizing.generation_evidence));
}

// Failures are explained there, and what is missing from the log is said.
// Where an allocation failed, what lacks is what would have come after it.
bool lacks_records(const BoardLog& log) {
  return std::ranges::any_of(log.sizing.cores, [&](const sizing::CoreSizing& core) {
    return !core::contains(log.recording.failures, core.core, &model::Failure::core) &&
           !std::ranges::all_of(core.instances,
                                [](const auto& instance) { return instance.missing.empty(); });
  });
}

core::Diagnostics found_by_sizing(const layout::MemoryMap& map,
                                  const BoardLog& log,
                                  bool has_overlap) {
  core::Diagnostics kept;
  for (core::Diagnostic found : log.sizing.diagnostics) {
    switch (found.code) {
      case Code::kSizingGeneration:
        kept.push_back(other_generation(map, log));
        continue;
      // How the next sizes would be computed.
      case Code::kSizingUnknownGeneration:
      case Code::kSizingTotals:
      case Code::kSizingMargin:
        continue;
      // Records that share bytes were told as such.
      case Code::kSizingAddresses:
        if (has_overlap) {
          continue;
        }
        break;
      // A record that is not there is not known to be inside of its region.
      case Code::kSizingIncomplete:
        found.severity = lacks_records(log) ? core::Severity::kError : found.severity;
        break;
      case Code::kSizingEmulated:
        found.severity = core::Severity::kError;
        found.hint = "take the log on the board";
        break;
      default:
        break;
    }
    if (found.severity != core::Severity::kNote || found.code == Code::kTraceOther) {
      kept.push_back(std::move(found));
    }
  }
  return kept;
}

bool has_table(const model::Recording& recording, const std::string& core) {
  return std::ranges::any_of(recording.cores, [&](const auto& recorded) {
    return recorded.core == core && !recorded.instances.empty();
  });
}

bool speaks_of(const model::Recording& recording, const std::string& core) {
  return has_table(recording, core) || core::contains(recording.heaps, core, &HeapReport::core) ||
         core::contains(recording.failures, core, &model::Failure::core);
}

void add_record(const Block& block, HeldRegion& region) {
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

void add_records(const std::vector<model::CoreRecording>& cores, HeldRegion& region) {
  for (const model::CoreRecording& core : cores) {
    for (const model::Instance& instance : core.instances) {
      for (const Block& block : instance.blocks) {
        if (is_of(region.key, key_of(core.core, block))) {
          add_record(block, region);
        }
      }
    }
  }
}

// Statistics of a heap of another size are those of another map.
void add_statistics(const BoardLog& log, HeldRegion& region) {
  for (const HeapReport& report : log.recording.heaps) {
    const auto key = class_of(log.format, report);
    if (!report.free || !key || !is_of(region.key, *key) || report.size != region.range.size()) {
      continue;
    }
    const Bytes used = report.size - std::min(*report.free, report.size);
    if (!region.used || used > *region.used) {
      region.used = used;
      region.source = HeldRegion::Source::kStatistics;
    }
  }
}

core::Diagnostics full_notes(const sizing::Sizing& sizing, const HeldRegion& region) {
  core::Diagnostics notes;
  const auto left = region.left();
  if (!left || region.knob.empty()) {
    return notes;
  }
  for (const sizing::CoreSizing& core : sizing.cores) {
    for (const sizing::Demand& demand : core.demands) {
      if (demand.key != region.key || *left >= demand.headroom) {
        continue;
      }
      notes.push_back(core::note(
          Code::kLogFull,
          fmt::format("{} has {} left ({} %), less than the headroom of {}",
                      region.region,
                      core::format_size(*left),
                      *region.left_percent(),
                      core::format_size(demand.headroom)),
          {},
          demand.suggested && *demand.suggested > region.range.size()
              ? fmt::format(
                    "to have it: --set {}={}", region.knob, core::format_setting(*demand.suggested))
              : std::string{"the next larger model may not fit"}));
    }
  }
  return notes;
}

std::vector<HeldRegion> held_regions(const BoardLog& log,
                                     const std::vector<Heap>& heaps,
                                     const std::vector<model::CoreRecording>& cores) {
  std::vector<HeldRegion> regions;
  for (const Heap& heap : heaps) {
    if (speaks_of(log.recording, heap.key.core)) {
      HeldRegion& region = regions.emplace_back();
      region.key = heap.key;
      region.region = heap.region;
      region.knob = heap.knob;
      region.range = heap.range;
      add_records(cores, region);
      add_statistics(log, region);
    }
  }
  return regions;
}

// Cores that the map was made or changed for.
std::vector<std::string> expected_cores(const layout::MemoryMap& map,
                                        const BoardLog& log,
                                        const std::vector<Heap>& heaps,
                                        const std::vector<KnownMap>& others) {
  std::vector<std::string> expected;
  for (const board::Core& core : map.board.cores) {
    const bool traced = log.before != nullptr && has_table(*log.before, core.name);
    const bool changed = std::ranges::any_of(heaps, [&](const Heap& heap) {
      return heap.key.core == core.name && std::ranges::any_of(others, [&](const KnownMap& other) {
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

core::Diagnostics silent_cores(const model::Recording& recording,
                               const std::vector<std::string>& expected) {
  core::Diagnostics found;
  // Lines without a core's name may be anyone's.
  if (has_table(recording, {})) {
    return found;
  }
  for (const std::string& core : expected) {
    if (has_table(recording, core)) {
      continue;
    }
    found.push_back(core::warning(
        Code::kLogSilent,
        speaks_of(recording, core)
            ? fmt::format("{} prints no table of records: whether they fit is not known", core)
            : fmt::format("{} does not appear in the log: whether it runs with this map is not "
                          "known",
                          core),
        {},
        fmt::format("take the log while {} loads its models, with the tables printed", core)));
  }
  return found;
}

std::vector<RunPair> paired_runs(const BoardLog& log) {
  std::vector<RunPair> times;
  std::map<std::pair<std::string, std::size_t>, std::size_t> known;
  std::map<std::string, std::size_t> after;
  for (const model::RunReport& run : log.recording.runs) {
    const std::size_t number = ++after[run.core];
    known[{run.core, number}] = times.size();
    times.push_back({run.core, number, std::nullopt, run});
  }
  if (log.before == nullptr) {
    return times;
  }
  std::map<std::string, std::size_t> before;
  for (const model::RunReport& run : log.before->runs) {
    const std::size_t number = ++before[run.core];
    if (const auto pair = known.find({run.core, number}); pair != known.end()) {
      times[pair->second].before = run;
    } else {
      times.push_back({run.core, number, run, std::nullopt});
    }
  }
  return times;
}

void add_findings(BoardLogReport& report, core::Diagnostics more) {
  std::ranges::move(more, std::back_inserter(report.findings));
}

void hold_records(const layout::MemoryMap& map,
                  const BoardLog& log,
                  const std::vector<Heap>& heaps,
                  const std::vector<KnownMap>& others,
                  const model::CoreRecording& core,
                  BoardLogReport& report) {
  // One run of a core is told once, however many models it has.
  std::map<std::size_t, std::vector<PlacedRecord>> runs;
  for (const model::Instance& instance : core.instances) {
    std::vector<PlacedRecord> placed;
    for (const Block& block : instance.blocks) {
      placed.push_back(placed_record(map, heaps, core.core, instance.input, block));
      report.records.push_back(placed.back().record);
    }
    add_findings(report, overlaps_of(log, core.core, instance.input, placed));
    std::ranges::move(placed, std::back_inserter(runs[instance.input]));
  }
  for (const auto& [input, placed] : runs) {
    if (auto said = outside_of(log, others, core.core, input, placed)) {
      report.findings.push_back(std::move(*said));
    }
  }
}

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
  const std::vector<Heap> heaps = heaps_of(map);
  const std::vector<model::CoreRecording> cores = with_lifetimes(log, heaps);
  std::vector<KnownMap> known;
  for (const OtherMap& other : others) {
    known.push_back({other.name, heaps_of(*other.map)});
  }
  BoardLogReport report{
      .inputs = log.recording.inputs,
      .generation = log.sizing.generation,
      .generation_title = log.sizing.generation_title,
      .generation_differs = log.sizing.generation_differs,
  };
  for (const model::CoreRecording& core : cores) {
    hold_records(map, log, heaps, known, core, report);
  }
  const bool has_overlap =
      core::contains(report.findings, Code::kLogOverlap, &core::Diagnostic::code);
  add_findings(report, unlike_heaps(log, heaps, known));
  add_findings(report, hold_predictions(map, log, cores));
  add_findings(report, found_by_sizing(map, log, has_overlap));
  report.regions = held_regions(log, heaps, cores);
  for (const HeldRegion& region : report.regions) {
    add_findings(report, full_notes(log.sizing, region));
  }
  add_findings(report, silent_cores(log.recording, expected_cores(map, log, heaps, known)));
  report.times = paired_runs(log);
  return report;
}

}  // namespace memsize::runtime
