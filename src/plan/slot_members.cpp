// Root and aliases keep their distances; to align an alias, the slot may begin below its root.
#include "slot_members.hpp"

#include <algorithm>

namespace memsize::plan {

using model::Lifetime;
using model::PlannedBlock;

void place_members(Slot& slot, const PlannedBlock& root, const std::vector<PlannedBlock>& blocks) {
  bool straight = true;
  for (const std::size_t index : slot.blocks) {
    const PlannedBlock& block = blocks[index];
    const bool inside = root.offset && block.offset && *block.offset >= *root.offset &&
                        *block.offset + block.size <= *root.offset + root.size;
    slot.begins.push_back(inside ? (*block.offset - *root.offset).count() : 0);
    straight =
        straight && core::is_aligned(slot.begins.back(), block.alignment.value_or(core::Align{}));
  }
  const std::uint64_t below = straight ? 0 : root.offset->count() % slot.alignment;
  const bool parted = slot.role == Lifetime::kScratch && (!root.windows.empty() || below != 0);
  for (std::size_t k = 0; k < slot.blocks.size(); ++k) {
    const PlannedBlock& block = blocks[slot.blocks[k]];
    const core::Bytes begin{slot.begins[k] += below};
    slot.size = std::max(slot.size, (begin + block.size).count());
    if (parted && block.windows.empty() && block.live) {
      slot.windows.push_back({*block.live, begin, begin + block.size});
    }
    for (std::size_t w = 0; parted && w < block.windows.size(); ++w) {
      const model::Window& window = block.windows[w];
      slot.windows.push_back({window.live, begin + window.begin, begin + window.end});
    }
  }
  slot.windows = model::united(slot.windows);
}

}  // namespace memsize::plan
