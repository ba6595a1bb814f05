// The smallest sizes that the MMU can map. Rounding a heap to a step that suits the user can leave
// edges that no block of 2 MiB reaches: each costs a translation table, of which the driver has
// few, and where virtual and physical addresses drift apart the driver maps the wrong memory.
#pragma once

#include "memsize/board/board.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/layout/memory_map.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memsize::layout {

/// Translation tables by core, as the driver builds them.
using TableCounts = std::vector<std::pair<std::string, std::size_t>>;

/// Empty where the board's MMU does not say how tables are built.
[[nodiscard]] TableCounts table_counts(const MemoryMap& map);

/// What must grow so that every core can map its heaps.
struct Growth {
  /// The new sizes of the knobs that grew.
  board::KnobValues values;
  /// The bytes that they grew by, together.
  core::Bytes cost;
  TableCounts before;
  TableCounts after;
  /// Whether every cheaper growth, each knob by less than 2 MiB, was looked at and none will do.
  bool proved = false;
};

/// The cheapest growth of the knobs that traces size that a search finds, in steps of
/// `tight ? hard granule : granule`, after which no block is cut and no core has too many tables.
/// Nothing where the MMU can map the values as they are, where they cannot be placed at all, or
/// where no growth helps.
[[nodiscard]] std::optional<Growth> grow_for_mmu(const board::Board& board,
                                                 const board::KnobValues& values,
                                                 bool tight);

/// Notes: heaps that would save a translation table if they had a little more.
void note_table_costs(const MemoryMap& map, core::Diagnostics& found);

}  // namespace memsize::layout
