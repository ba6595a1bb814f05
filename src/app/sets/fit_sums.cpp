// Of models that are loaded together, persistent memory is a constant and what each of them adds;
// scratch memory is that of the model that needs most with its headroom (sizing/demand.cpp). What
// a model adds is the difference of two sizings: where a and b are loaded already, and c comes.
// Then the sizing of all of them must say the same as the sums, else there are none.
#include "fit_sums.hpp"

#include "memsize/core/find.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace memsize::app {

namespace {

using core::Bytes;

// Whether nothing but its tables counts, and of these one a core.
bool is_plain(const model::Recording& recording) {
  const auto& cores = recording.cores;
  return recording.inputs.size() == 1 && recording.failures.empty() &&
         std::ranges::none_of(
             recording.heaps,
             [](const model::HeapReport& heap) { return heap.free.has_value(); }) &&
         std::ranges::all_of(cores, [](const model::CoreRecording& core) {
           return core.instances.size() == 1 && !core.instances.front().priority &&
                  !core.instances.front().blocks.empty();
         });
}

// Whether its addresses lie in the board's heaps.
bool lies_on_board(const sizing::Sizing& sizing) {
  return std::ranges::any_of(sizing.cores, [](const sizing::CoreSizing& core) {
    return std::ranges::any_of(core.demands, [](const sizing::Demand& demand) {
      return demand.heap && demand.heap->source == sizing::HeapUse::Source::kBoard;
    });
  });
}

Places at(std::size_t place, std::size_t places, Set set) {
  Places list(places, 0);
  list[place] = set;
  return list;
}

Bytes bound_in(const sizing::Sizing& sizing, const std::string& knob) {
  for (const sizing::CoreSizing& core : sizing.cores) {
    if (const auto* demand = core::find_in(core.demands, knob, &sizing::Demand::knob)) {
      return demand->bound;
    }
  }
  return {};
}

// Of numbers that grow with the set; 0 where they do not, which the sizing of all contradicts.
Bytes less(Bytes a, Bytes b) {
  return a > b ? a - b : Bytes{};
}

}  // namespace

std::optional<FitSums> FitSums::learn(const std::vector<FitInput>& inputs,
                                      const board::Board& board,
                                      const std::vector<std::string>& cores,
                                      const sizing::Options& options,
                                      std::size_t places,
                                      const Size& size) {
  const bool plain = std::ranges::all_of(
      inputs, [](const FitInput& input) { return std::ranges::all_of(input.on, is_plain); });
  if (!plain || !options.together || options.tight || options.one_priority) {
    return std::nullopt;
  }
  FitSums sums{board, cores, options};
  for (std::size_t place = 0; place < places; ++place) {
    if (!sums.learn_place(place, places, inputs.size(), size)) {
      return std::nullopt;
    }
  }
  return sums;
}

void FitSums::take(const sizing::Sizing& sizing,
                   std::size_t input,
                   std::vector<Heap>& heaps) const {
  for (const sizing::CoreSizing& core : sizing.cores) {
    const auto number = std::ranges::find(cores_, core.core) - cores_.begin();
    for (const sizing::Demand& demand : core.demands) {
      const board::Knob* knob = board_->find_knob(demand.knob);
      if (knob == nullptr || static_cast<std::size_t>(number) == cores_.size()) {
        continue;
      }
      Heap* heap = core::find_in(heaps, knob, &Heap::knob);
      if (heap == nullptr) {
        heap = &heaps.emplace_back(Heap{.core = static_cast<std::size_t>(number),
                                        .knob = knob,
                                        .region = demand.region,
                                        .adds = demand.key.lifetime != model::Lifetime::kScratch});
      }
      heap->parts.resize(std::max(heap->parts.size(), input + 1));
      heap->parts[input] = Part{.requested = demand.requested,
                                .bound = demand.bound,
                                .extent = demand.extent.value_or(Bytes{}),
                                .fixed = demand.fixed};
    }
  }
}

bool FitSums::learn_place(std::size_t place,
                          std::size_t places,
                          std::size_t inputs,
                          const Size& size) {
  std::vector<Heap>& heaps = heaps_.emplace_back();
  std::optional<std::tuple<std::vector<std::string>, std::string, bool>> first;
  for (std::size_t i = 0; i < inputs; ++i) {
    const sizing::Sizing alone = size(at(place, places, bit(i)));
    const std::tuple kind{alone.generations, alone.rules_of, lies_on_board(alone)};
    first = first.value_or(kind);
    if (alone.generations.empty() || kind != *first || !alone.complete()) {
      return false;
    }
    take(alone, i, heaps);
  }
  const auto bound = [&](const Heap& heap, Set set) {
    return bound_in(size(at(place, places, set)), heap.knob->name);
  };
  for (Heap& heap : heaps) {
    heap.parts.resize(inputs);
    std::vector<std::size_t> those;
    for (std::size_t i = 0; i < inputs; ++i) {
      if (heap.parts[i]) {
        those.push_back(i);
      }
    }
    if (!heap.adds || those.size() < 2) {
      continue;
    }
    const Set a = bit(those[0]);
    const Set b = bit(those[1]);
    const Bytes both = bound(heap, a | b);
    heap.base = both;
    if (those.size() > 2) {
      const Set c = bit(those[2]);
      const Bytes three = bound(heap, a | b | c);
      heap.parts[those[0]]->more = less(three, bound(heap, b | c));
      heap.parts[those[1]]->more = less(three, bound(heap, a | c));
      heap.base = less(less(both, heap.parts[those[0]]->more), heap.parts[those[1]]->more);
    }
    for (std::size_t i = 2; i < those.size(); ++i) {
      heap.parts[those[i]]->more = less(bound(heap, a | b | bit(those[i])), both);
    }
  }
  // In the order of the demands, as every set has them.
  const sizing::Sizing all = size(at(place, places, all_of(inputs)));
  std::size_t seen = 0;
  for (const sizing::CoreSizing& core : all.cores) {
    for (const sizing::Demand& demand : core.demands) {
      const auto heap = std::ranges::find_if(
          heaps, [&](const Heap& one) { return one.knob->name == demand.knob; });
      if (heap == heaps.end()) {
        continue;
      }
      if (need(*heap, all_of(inputs)) != demand.suggested) {
        return false;
      }
      std::iter_swap(heaps.begin() + static_cast<std::ptrdiff_t>(seen++), heap);
    }
  }
  return seen == heaps.size() && all.rules_of == std::get<1>(*first);
}

std::optional<Bytes> FitSums::need(const Heap& heap, Set set) const {
  Bytes requested;
  Bytes bound = heap.base;
  Bytes extent;
  Bytes fixed;
  const Part* last = nullptr;
  std::size_t count = 0;
  const std::uint64_t share = options_.headroom.is_percent ? options_.headroom.percent : 0;
  const auto weight = [&](const Part& part) {
    return std::tuple{100 * part.bound.count() + share * less(part.bound, part.fixed).count(),
                      part.requested};
  };
  for (; set != 0; set &= set - 1) {
    const auto& part = heap.parts[static_cast<std::size_t>(std::countr_zero(set))];
    if (!part) {
      continue;
    }
    ++count;
    extent = std::max(extent, part->extent);
    if (heap.adds) {
      requested += part->requested;
      bound += part->more;
      fixed += part->fixed;
      last = &*part;
      continue;
    }
    requested = std::max(requested, part->requested);
    bound = std::max(bound, part->bound);
    last = last == nullptr || weight(*part) > weight(*last) ? &*part : last;
    fixed = last->fixed;
  }
  if (count == 0) {
    return std::nullopt;
  }
  bound = heap.adds && count == 1 ? last->bound : bound;
  return sizing::suggestion_for(*heap.knob, std::max({requested, bound, extent}), fixed, options_);
}

std::vector<CoreNeed> FitSums::of(const Places& places) const {
  std::vector<CoreNeed> needs;
  for (const std::string& core : cores_) {
    needs.push_back({.core = core});
  }
  for (std::size_t place = 0; place < places.size(); ++place) {
    for (const Heap& heap : heaps_[place]) {
      if (const auto size = need(heap, places[place])) {
        needs[heap.core].heaps.push_back({heap.knob->name, heap.region, *size, {}});
      }
    }
  }
  return needs;
}

}  // namespace memsize::app
