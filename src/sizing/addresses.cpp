#include "memsize/sizing/addresses.hpp"

#include <algorithm>
#include <cstdint>

namespace memsize::sizing {

using core::Bytes;
using model::Block;

bool has_form_without_lifetime(const board::TraceFormat& format, const model::Instance& instance) {
  const auto& forms = format.forms_without_lifetime;
  return std::find(forms.begin(), forms.end(), instance.form) != forms.end();
}

const HeapRegion* heap_around(const std::vector<HeapRegion>& heaps,
                              const std::string& core,
                              const Block& block,
                              bool any_lifetime) {
  if (!block.address_low) {
    return nullptr;
  }
  const auto heap = std::find_if(heaps.begin(), heaps.end(), [&](const HeapRegion& candidate) {
    const auto& key = candidate.key;
    const Bytes offset{static_cast<std::uint32_t>(
        *block.address_low - static_cast<std::uint32_t>(candidate.range.base().value()))};
    return key.core == core && key.space == block.space && key.cacheability == block.cacheability &&
           (any_lifetime || key.lifetime == block.lifetime) &&
           offset + block.size.nearest <= candidate.range.size();
  });
  return heap == heaps.end() ? nullptr : &*heap;
}

bool addresses_match(const model::Recording& recording,
                     const board::TraceFormat& format,
                     const std::vector<HeapRegion>& heaps) {
  bool any = false;
  for (const model::CoreRecording& core : recording.cores) {
    for (const model::Instance& instance : core.instances) {
      const bool any_lifetime = has_form_without_lifetime(format, instance);
      for (const Block& block : instance.blocks) {
        if (block.cacheability == model::Cacheability::kOnChip || !block.address_low) {
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
