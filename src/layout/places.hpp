// Where else a chain could be.
#pragma once

#include "memsize/layout/memory_map.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace memsize::layout {

/// Whether the region is in DRAM that the board does not have.
[[nodiscard]] bool is_outside(const MemoryMap& map, const Region& region);

/// The first address from `end` on where what begins at the knob's address may begin.
[[nodiscard]] std::string first_address(const board::Board& board,
                                        const board::Knob& knob,
                                        core::PhysAddr end);

/// That a chain needs more than its window, with the largest of what is in it; without a hint.
[[nodiscard]] core::Diagnostic too_small(const board::Chain& chain,
                                         const core::PhysRange& window,
                                         core::Bytes needed,
                                         std::vector<std::pair<std::string, core::Bytes>> sizes);

/// Where a chain that lies outside of every bank would do, if a knob says where it begins. An
/// address is only named if the whole map is better with it: what continues the chain moves too, a
/// limit may be the same knob, and the MMU may not be able to map it there.
class Places {
 public:
  explicit Places(const MemoryMap& map) : map_(map) {}

  /// "it fits at: --set KNOB=ADDRESS", or nothing.
  [[nodiscard]] std::string hint_for(const Region& region);

 private:
  [[nodiscard]] std::optional<std::uint64_t> find(const board::Chain& root,
                                                  const board::Knob& knob);
  [[nodiscard]] bool is_better_at(const board::Knob& knob, std::uint64_t address);

  const MemoryMap& map_;
  /// By the chain's name.
  std::map<std::string, std::string> hints_;
  /// What is wrong where nothing has moved; computed when it is first needed.
  std::optional<std::set<std::pair<core::Code, core::Parties>>> now_;
};

}  // namespace memsize::layout
