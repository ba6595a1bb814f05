// Writes the steps of a heap model by model: objects, transient ones, records, then the transient
// ones are freed. Scratch begins anew with each model, as does any heap of models loaded apart.
#include "memsize/runtime/replay.hpp"

#include <algorithm>
#include <utility>

namespace memsize::runtime {

namespace {

class HeapScript {
 public:
  explicit HeapScript(HeapReplay& heap) : heap_(heap) {}

  std::size_t allocate(std::size_t instance,
                       std::optional<std::uint32_t> record,
                       core::Bytes size,
                       core::Align align) {
    // What a log rounds down to nothing has a byte at least.
    heap_.steps.push_back({ReplayStep::Kind::kAllocate,
                           slots_,
                           instance,
                           record,
                           std::max(size, core::Bytes{1}),
                           align});
    return slots_++;
  }

  void free(std::size_t slot) {
    heap_.steps.push_back({ReplayStep::Kind::kFree, slot, 0, std::nullopt, {}, {}});
  }

  void reset() { heap_.steps.push_back({ReplayStep::Kind::kReset, 0, 0, std::nullopt, {}, {}}); }

 private:
  HeapReplay& heap_;
  std::size_t slots_ = 0;
};

// The records of a demand, model by model.
void replay_demand(const sizing::Demand& demand, bool together, HeapReplay& heap) {
  const bool is_scratch = demand.key.lifetime == model::Lifetime::kScratch;
  HeapScript script{heap};
  std::size_t i = 0;
  while (i < demand.counted.size()) {
    const std::size_t instance = demand.counted[i].instance;
    if (i != 0 && (is_scratch || !together)) {
      script.reset();
    }
    for (const core::Bytes object : heap.rule.objects) {
      script.allocate(instance, std::nullopt, object, {});
    }
    std::vector<std::size_t> transient;
    for (const core::Bytes object : heap.rule.transient) {
      transient.push_back(script.allocate(instance, std::nullopt, object, {}));
    }
    for (; i < demand.counted.size() && demand.counted[i].instance == instance; ++i) {
      const sizing::Counted& counted = demand.counted[i];
      script.allocate(instance,
                      counted.from_total ? std::nullopt : std::optional{counted.block.record},
                      counted.block.size.nearest,
                      counted.block.alignment);
    }
    for (const std::size_t slot : transient) {
      script.free(slot);
    }
  }
}

// What a core's models put into one of its on-chip memories: each begins with an empty one.
void replay_onchip(const sizing::CoreSizing& core, const std::string& space, HeapReplay& heap) {
  HeapScript script{heap};
  for (std::size_t i = 0; i < core.instances.size(); ++i) {
    bool first = true;
    for (const model::Block& block : core.instances[i].instance.blocks) {
      if (block.space != space || block.cacheability != model::Cacheability::kOnChip) {
        continue;
      }
      if (first && !heap.steps.empty()) {
        script.reset();
      }
      first = false;
      script.allocate(i, block.record, block.size.nearest, block.alignment);
    }
  }
}

}  // namespace

std::vector<CoreReplay> make_replays(const layout::MemoryMap& map,
                                     const sizing::Sizing* sizing,
                                     const board::Generation* generation) {
  std::vector<CoreReplay> replays;
  for (const board::Core& core : map.board.cores) {
    CoreReplay replay{core.name, {}};
    const sizing::CoreSizing* sized = nullptr;
    for (std::size_t i = 0; sizing != nullptr && i < sizing->cores.size(); ++i) {
      sized = sizing->cores[i].core == core.name ? &sizing->cores[i] : sized;
    }
    for (const board::Knob& knob : map.board.knobs) {
      const layout::Region* region = map.find_by_knob(knob.name);
      if (!knob.demand || knob.demand->core != core.name || region == nullptr) {
        continue;
      }
      HeapReplay heap{.region = region->name};
      const sizing::Demand* demand = nullptr;
      for (std::size_t i = 0; sized != nullptr && i < sized->demands.size(); ++i) {
        demand = sized->demands[i].key == *knob.demand ? &sized->demands[i] : demand;
      }
      if (demand != nullptr && !demand->counted.empty()) {
        const board::HeapRule* rule =
            generation == nullptr
                ? nullptr
                : generation->find_heap(
                      knob.demand->cacheability, knob.demand->lifetime, map.board.rtos_family);
        heap.rule = rule == nullptr ? board::HeapRule{} : *rule;
        replay_demand(*demand, sizing->together, heap);
      } else {
        HeapScript{heap}.allocate(0, std::nullopt, region->size, {});
      }
      replay.heaps.push_back(std::move(heap));
    }
    for (const board::OnChip& onchip : core.onchip) {
      HeapReplay heap{.region = onchip.region};
      if (sized != nullptr) {
        replay_onchip(*sized, onchip.space, heap);
      }
      if (!heap.steps.empty()) {
        replay.heaps.push_back(std::move(heap));
      }
    }
    replays.push_back(std::move(replay));
  }
  return replays;
}

}  // namespace memsize::runtime
