// Finds where each heap began, from its boot line, the board or the blocks themselves, and how far
// the blocks of one run reach. Then what statistics saw in use, against what was counted.
#include "heaps.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sizing {

namespace {

using board::DemandKey;
using core::Bytes;
using core::Code;
using model::HeapReport;

constexpr model::Cacheability kOnChip = model::Cacheability::kOnChip;

Bytes used_of(const HeapReport& report) {
  return report.free ? report.size - *report.free : Bytes{};
}

// A core whose heaps are those of an accelerator: only these have a scratch heap.
bool runs_models(const Work& work, const std::string& core) {
  if (work.view != nullptr) {
    const auto& knobs = work.view->board->knobs;
    return std::ranges::any_of(
        knobs, [&](const board::Knob& knob) { return knob.demand && knob.demand->core == core; });
  }
  const auto& heaps = work.recording.heaps;
  return std::ranges::any_of(heaps, [&](const HeapReport& heap) {
    const auto key = key_of(work, heap);
    return heap.core == core && key && key->cacheability != kOnChip &&
           key->lifetime == model::Lifetime::kScratch;
  });
}

// A boot line may have been printed short: then it has the low bits.
model::PrintedAddress as_printed(core::VirtAddr address) {
  const auto low = model::PrintedAddress::low(address.value());
  return low.value() == address.value() ? low : model::PrintedAddress::whole(address.value());
}

// A heap that a run had, and where it begins.
struct Base {
  model::PrintedAddress address = model::PrintedAddress::low(0);
  HeapUse use;
  bool implied = false;
};

// The blocks of one run in one class. Scratch memory begins anew with each model.
struct Run {
  std::size_t input = 0;
  std::vector<BlockList> instances;
  std::vector<std::size_t> indices;
};

struct Mark {
  Bytes extent;
  Base base;
  const Run* run = nullptr;
};

class Measurer {
 public:
  Measurer(const Work& work, const DemandKey& key, const board::HeapRule& rule)
      : work_(work), key_(key), rule_(rule) {}

  // The highest end less the heap's base. Nothing where the base is unknown, and where it is only
  // implied, nothing unless every address is known: the missing one could be the lowest.
  [[nodiscard]] std::optional<Mark> mark_of(const Run& run) const {
    const std::optional<Base> base = base_of(run);
    if (!base) {
      return std::nullopt;
    }
    Mark mark{.base = *base, .run = &run};
    bool any = false;
    for (const BlockList& blocks : run.instances) {
      for (const model::Block* block : blocks) {
        if (block->address) {
          const Bytes offset = block->address->offset_from(base->address);
          mark.extent = std::max(mark.extent, offset + std::max(block->size.ceiling, Bytes{1}));
          any = true;
        }
      }
    }
    return any ? std::optional{mark} : std::nullopt;
  }

  [[nodiscard]] Bytes lowest_offset(const Mark& mark) const {
    std::optional<Bytes> lowest;
    for (const BlockList& blocks : mark.run->instances) {
      for (const model::Block* block : blocks) {
        if (block->address) {
          const Bytes offset = block->address->offset_from(mark.base.address);
          lowest = std::min(lowest.value_or(offset), offset);
        }
      }
    }
    return lowest.value_or(Bytes{});
  }

 private:
  [[nodiscard]] std::optional<Base> base_of(const Run& run) const {
    if (auto boot = booted(run); boot) {
      return boot;
    }
    if (work_.view != nullptr) {
      for (const HeapRegion& heap : work_.view->heaps) {
        if (heap.key == key_) {
          Base base;
          base.address = model::PrintedAddress::whole(heap.range.base().value());
          base.use.size = heap.range.size();
          base.use.address = heap.range.base();
          base.use.source = HeapUse::Source::kBoard;
          return base;
        }
      }
    }
    const auto implied = implied_base(rule_, run.instances);
    if (!implied) {
      return std::nullopt;
    }
    return Base{.address = *implied, .implied = true};
  }

  // The boot line of the run's heap, if the run's blocks lie in that heap.
  [[nodiscard]] std::optional<Base> booted(const Run& run) const {
    for (const HeapReport& report : work_.recording.heaps) {
      if (report.input != run.input || report.source != HeapReport::Source::kBoot ||
          !report.address || key_of(work_, report) != key_) {
        continue;
      }
      Base base{.address = as_printed(*report.address)};
      base.use.size = report.size;
      base.use.address = report.address;
      base.use.source = HeapUse::Source::kBoot;
      if (lie_in(run, base)) {
        return base;
      }
    }
    return std::nullopt;
  }

  static bool lie_in(const Run& run, const Base& base) {
    for (const BlockList& blocks : run.instances) {
      for (const model::Block* block : blocks) {
        if (block->address) {
          const Bytes offset = block->address->offset_from(base.address);
          if (offset + block->size.nearest > base.use.size) {
            return false;
          }
        }
      }
    }
    return true;
  }

  const Work& work_;
  const DemandKey& key_;
  const board::HeapRule& rule_;
};

std::vector<Run> runs_of(const model::CoreRecording& recorded,
                         const std::vector<Candidate>& candidates,
                         const DemandKey& key) {
  std::map<std::pair<std::size_t, std::size_t>, Run> runs;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    BlockList blocks = blocks_of(candidates[i], key);
    if (!blocks.empty()) {
      Run& run =
          runs[{recorded.instances[i].input, key.lifetime == model::Lifetime::kScratch ? i : 0}];
      run.input = recorded.instances[i].input;
      run.instances.push_back(std::move(blocks));
      run.indices.push_back(i);
    }
  }
  std::vector<Run> list;
  for (auto& [begin, run] : runs) {
    list.push_back(std::move(run));
  }
  return list;
}

// Whether all blocks of the run lay in the heap at one time, so that gaps between them are gaps.
bool all_live(const Run& run, const LiveModels& live, const DemandKey& key) {
  if (run.indices.size() == 1) {
    return true;
  }
  if (key.lifetime == model::Lifetime::kScratch) {
    return false;
  }
  return std::ranges::none_of(live.groups(), [&](const auto& group) {
    return std::ranges::any_of(group, [&](std::size_t member) {
      return std::ranges::find(run.indices, member) != run.indices.end();
    });
  });
}

Bytes sum_of(const Run& run) {
  Bytes sum;
  for (const BlockList& blocks : run.instances) {
    for (const model::Block* block : blocks) {
      sum += block->size.nearest;
    }
  }
  return sum;
}

// The most that statistics saw in use, in one input or in all.
std::optional<Bytes> most_used(const Work& work,
                               const DemandKey& key,
                               std::optional<std::size_t> input) {
  std::optional<Bytes> most;
  for (const HeapReport& report : work.recording.heaps) {
    if (report.source == HeapReport::Source::kStatistics && report.free &&
        (!input || *input == report.input) && key_of(work, report) == key) {
      most = std::max(most.value_or(Bytes{}), used_of(report));
    }
  }
  return most;
}

// The heap whose name differs in one letter, where none is called so; else empty. Printed names may
// be cut.
std::string name_like(const board::TraceFormat& format, const std::string& printed) {
  std::string like;
  for (const board::HeapName& heap : format.heap_names) {
    for (const std::string& known : heap.names) {
      constexpr std::size_t kCut = 15;
      // A letter stands in the blanks before it.
      if (printed.size() == known.size() + 1 && printed.ends_with(known)) {
        like = known;
      }
      if (printed.size() != known.size() &&
          (printed.size() < kCut || printed.size() > known.size())) {
        continue;
      }
      const auto wrong = std::inner_product(
          printed.begin(), printed.end(), known.begin(), 0, std::plus<>{}, std::not_equal_to<>{});
      if (wrong == 0) {
        return {};
      }
      like = wrong == 1 ? known : like;
    }
  }
  return like;
}

std::string source_of_base(const Base& base) {
  if (base.implied) {
    return "the base that the first record implies";
  }
  return base.use.source == HeapUse::Source::kBoot ? "the base that the boot line has"
                                                   : "the base that the board's map has";
}

}  // namespace

std::optional<DemandKey> key_of(const Work& work, const HeapReport& report) {
  const board::MemoryClass* memory = work.format.find_heap(report.name);
  if (memory == nullptr) {
    return std::nullopt;
  }
  return DemandKey{report.core, memory->space, memory->cacheability, memory->lifetime};
}

std::vector<DemandKey> used_classes(const Work& work, const std::string& core) {
  std::vector<DemandKey> keys;
  if (!runs_models(work, core)) {
    return keys;
  }
  for (const HeapReport& report : work.recording.heaps) {
    const auto key = key_of(work, report);
    if (!key || key->core != core || key->cacheability == kOnChip ||
        used_of(report) <= rule_of(work, *work.generation, *key).idle ||
        std::ranges::find(keys, *key) != keys.end()) {
      continue;
    }
    if (work.view == nullptr || knob_of(work, *key) != nullptr) {
      keys.push_back(*key);
    }
  }
  return keys;
}

std::optional<KnownHeap> known_heap(const Work& work,
                                    const DemandKey& key,
                                    std::optional<std::size_t> input) {
  std::optional<KnownHeap> known;
  for (const HeapReport& report : work.recording.heaps) {
    if ((input && *input != report.input) || key_of(work, report) != key) {
      continue;
    }
    const auto source = report.source == HeapReport::Source::kBoot ? HeapUse::Source::kBoot
                                                                   : HeapUse::Source::kStatistics;
    const bool better = !known || (source == known->source ? report.size < known->size
                                                           : source == HeapUse::Source::kBoot);
    if (better) {
      known = KnownHeap{report.size, source};
    }
  }
  return known;
}

void measure_heap(const Work& work,
                  const model::CoreRecording& recorded,
                  const std::vector<Candidate>& candidates,
                  const LiveModels& live,
                  const board::HeapRule& rule,
                  Demand& demand) {
  const Measurer measurer{work, demand.key, rule};
  const std::vector<Run> runs = runs_of(recorded, candidates, demand.key);
  std::optional<Mark> highest;
  for (const Run& run : runs) {
    const auto mark = measurer.mark_of(run);
    if (mark && (!highest || mark->extent > highest->extent)) {
      highest = mark;
    }
  }
  demand.statistics = most_used(work, demand.key, std::nullopt);
  if (highest) {
    demand.extent = highest->extent;
    if (highest->base.use.address) {
      demand.base = highest->base.use.address;
    }
    demand.reasons.push_back(
        {"extent",
         highest->extent,
         fmt::format("from {} to the end of the highest record", source_of_base(highest->base))});
  }
  if (demand.statistics) {
    demand.reasons.push_back(
        {"statistics", *demand.statistics, "the heap's size less what its statistics call free"});
  }
  HeapUse use;
  const std::optional<std::size_t> input =
      highest ? std::optional{highest->run->input} : std::nullopt;
  if (highest && !highest->base.implied) {
    use = highest->base.use;
  } else if (const auto known = known_heap(work, demand.key, input); known) {
    use.size = known->size;
    use.source = known->source;
  } else {
    return;
  }
  Bytes peak = most_used(work, demand.key, input).value_or(Bytes{});
  if (highest) {
    peak = std::max(peak, highest->extent);
    const Bytes before = measurer.lowest_offset(*highest);
    use.before = before;
    if (all_live(*highest->run, live, demand.key)) {
      use.gaps = highest->extent - before - sum_of(*highest->run);
    }
  }
  if (peak > Bytes{}) {
    use.left = use.size - peak;
  }
  demand.heap = use;
}

void report_damaged_names(const Work& work) {
  std::set<std::pair<std::string, std::string>> told;
  for (const HeapReport& report : work.recording.heaps) {
    const std::string known = name_like(work.format, report.name);
    if (known.empty() || !told.emplace(report.core, report.name).second) {
      continue;
    }
    work.say(core::warning(
        Code::kSizingAddresses,
        fmt::format("{}: no heap is called {}, but {} is: it is not known whose size this is",
                    core_name(report.core),
                    report.name,
                    known),
        work.place_of(report.input, report.line),
        "a letter of the line was damaged on the way"));
  }
}

void report_statistics(const Work& work) {
  std::map<std::string, bool> idle;
  for (const HeapReport& report : work.recording.heaps) {
    const auto key = key_of(work, report);
    if (report.source != HeapReport::Source::kStatistics || !report.free || !key ||
        key->cacheability == kOnChip || !runs_models(work, report.core)) {
      continue;
    }
    const bool unused = used_of(report) <= rule_of(work, *work.generation, *key).idle;
    const auto [core, first] = idle.try_emplace(report.core, unused);
    core->second = core->second && unused;
  }
  for (const auto& [core, unused] : idle) {
    if (unused) {
      work.say(core::note(
          Code::kSizingStatistics,
          fmt::format("{}: the statistics show nothing in use in its heaps: that proves nothing "
                      "about what a model needs",
                      core_name(core)),
          {},
          "print them while the application runs; a heap that was freed counts as unused"));
    }
  }
  for (const CoreSizing& core : work.sizing.cores) {
    for (const Demand& demand : core.demands) {
      if (!demand.statistics || *demand.statistics <= demand.bound ||
          *demand.statistics <= demand.extent.value_or(Bytes{})) {
        continue;
      }
      work.say(core::note(
          Code::kSizingStatistics,
          demand.records == 0 && !demand.totals_only
              ? fmt::format("{} {}: the statistics show {} in use, and no table tells by what: at "
                            "least that is needed",
                            core_name(core.core),
                            class_name(demand.key),
                            core::format_bytes(*demand.statistics))
              : fmt::format(
                    "{} {}: the statistics show {} in use, more than the {} that the "
                    "tables explain: the larger counts",
                    core_name(core.core),
                    class_name(demand.key),
                    core::format_bytes(*demand.statistics),
                    core::format_bytes(std::max(demand.bound, demand.extent.value_or(Bytes{})))),
          {},
          demand.records == 0 ? "trace the models of this core as well"
                              : "models that were not traced, or other kernels, share the heap"));
    }
  }
}

}  // namespace memsize::sizing
