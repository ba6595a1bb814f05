// What logs say of the heaps themselves: where one lies, how full it was. Statistics never lower a
// demand: they may raise or contradict one, and those of an idle core prove nothing.
#pragma once

#include "candidate.hpp"
#include "live.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memsize::sizing {

/// The class of the heap that a report is about, or nothing where the format does not know it.
[[nodiscard]] std::optional<board::DemandKey> key_of(const Work& work,
                                                     const model::HeapReport& report);

/// The classes of which the statistics of a core show memory in use; only those that a model can
/// use there: with a board the classes that drive a knob, else those of cores with a scratch heap.
[[nodiscard]] std::vector<board::DemandKey> used_classes(const Work& work, const std::string& core);

/// The size of the heap of a class in a recording: its boot lines, else its statistics; of several
/// the smallest.
struct KnownHeap {
  core::Bytes size;
  HeapUse::Source source = HeapUse::Source::kBoot;
};

[[nodiscard]] std::optional<KnownHeap> known_heap(const Work& work,
                                                  const board::DemandKey& key,
                                                  std::optional<std::size_t> input = std::nullopt);

/// Fills `extent`, `base`, `statistics` and `heap` of a demand.
void measure_heap(const Work& work,
                  const model::CoreRecording& recorded,
                  const std::vector<Candidate>& candidates,
                  const LiveModels& live,
                  const board::HeapRule& rule,
                  Demand& demand);

/// Says which lines tell of a heap that nothing is called, but one is nearly.
void report_damaged_names(const Work& work);

/// Says which cores' statistics show nothing in use, which heaps hold more than the tables explain.
void report_statistics(const Work& work);

}  // namespace memsize::sizing
