// Finds the heap of a board around a block, and from it the lifetime of a record whose row does not
// say it. A record's known meaning comes first.
#include "memsize/sizing/addresses.hpp"

#include "memsize/core/find.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

namespace memsize::sizing {

using core::Bytes;
using model::Block;

bool has_form_without_lifetime(const board::TraceFormat& format, const model::Instance& instance) {
  const auto& forms = format.forms_without_lifetime;
  return core::contains(forms, instance.form);
}

std::optional<KnownLifetime> lifetime_of(const board::TraceFormat& format,
                                         const board::Generation* generation,
                                         const std::vector<HeapRegion>& heaps,
                                         const std::string& core,
                                         const Block& block) {
  const auto meaning = format.records.find(block.record);
  if (generation != nullptr && generation->records != 0 && meaning != format.records.end() &&
      meaning->second.memory) {
    return KnownLifetime{meaning->second.memory->lifetime};
  }
  const HeapRegion* heap = heap_around(heaps, core, block, true);
  return heap == nullptr ? std::nullopt : std::optional{KnownLifetime{heap->key.lifetime, heap}};
}

const HeapRegion* heap_around(const std::vector<HeapRegion>& heaps,
                              const std::string& core,
                              const Block& block,
                              bool any_lifetime) {
  if (!block.address) {
    return nullptr;
  }
  return core::find_where(heaps, [&](const HeapRegion& candidate) {
    const auto& key = candidate.key;
    const Bytes offset = block.address->offset_from(candidate.range.base());
    return key.core == core && key.space == block.space && key.cacheability == block.cacheability &&
           (any_lifetime || key.lifetime == block.lifetime) &&
           offset + block.size.nearest <= candidate.range.size();
  });
}

namespace {

// No map moves a heap by less than what an MMU maps.
constexpr Bytes kPage{4096};

// Whether no record is missing between others, so that the lowest address of a class is known:
// records are allocated in their order.
bool has_no_hole(const model::Instance& instance) {
  std::uint32_t next = 0;
  return std::ranges::all_of(instance.blocks, [&](const Block& block) {
    return block.record == next++ &&
           (block.cacheability == model::Cacheability::kOnChip || block.address);
  });
}

// Scratch is given back before each model is made (tivxMemResetScratchHeap in TI's
// tivxKernelTIDLCreate), so that its first record begins where the heap begins. Heaps that moved by
// less than their size still have all records in them, but this one not there.
bool scratch_begins(const model::CoreRecording& core,
                    const board::TraceFormat& format,
                    const HeapRegion& heap) {
  if (heap.key.core != core.core || heap.key.lifetime != model::Lifetime::kScratch) {
    return true;
  }
  std::map<std::size_t, Bytes> lowest_of_input;
  for (const model::Instance& instance : core.instances) {
    if (!has_no_hole(instance) || has_form_without_lifetime(format, instance)) {
      continue;
    }
    for (const Block& block : instance.blocks) {
      if (block.address && block.space == heap.key.space &&
          block.cacheability == heap.key.cacheability && block.lifetime == heap.key.lifetime) {
        const Bytes offset = block.address->offset_from(heap.range.base());
        Bytes& lowest = lowest_of_input.try_emplace(instance.input, offset).first->second;
        lowest = std::min(lowest, offset);
      }
    }
  }
  return std::ranges::all_of(lowest_of_input,
                             [](const auto& lowest) { return lowest.second < kPage; });
}

}  // namespace

bool addresses_match(const model::Recording& recording,
                     const board::TraceFormat& format,
                     const std::vector<HeapRegion>& heaps) {
  bool any = false;
  for (const model::CoreRecording& core : recording.cores) {
    if (!std::ranges::all_of(
            heaps, [&](const HeapRegion& heap) { return scratch_begins(core, format, heap); })) {
      return false;
    }
    for (const model::Instance& instance : core.instances) {
      const bool any_lifetime = has_form_without_lifetime(format, instance);
      for (const Block& block : instance.blocks) {
        if (block.cacheability == model::Cacheability::kOnChip || !block.address) {
          continue;
        }
        if (heap_around(heaps, core.core, block, any_lifetime) == nullptr) {
          return false;
        }
        any = true;
      }
    }
  }
  return any;
}

}  // namespace memsize::sizing
