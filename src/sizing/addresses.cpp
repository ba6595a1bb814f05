// Finds the heap of a board around a block, and from it the lifetime of a record whose row does not
// say it. A record's known meaning comes first.
#include "memsize/sizing/addresses.hpp"

#include "memsize/core/find.hpp"

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

bool addresses_match(const model::Recording& recording,
                     const board::TraceFormat& format,
                     const std::vector<HeapRegion>& heaps) {
  bool any = false;
  for (const model::CoreRecording& core : recording.cores) {
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
