// What tiles of a part may use, and what takes bytes of its memories that no planner knows.
#pragma once

#include "memsize/board/memories.hpp"

#include "field_values.hpp"

#include <map>
#include <string>

namespace memsize::board {

/// The table [tiles].
[[nodiscard]] TileRules read_tile_rules(Fields reader);

/// One of a memory's consumers.
[[nodiscard]] PartConsumer read_consumer(Fields reader);

/// That tiles have memories to be in, with room for what they may use.
[[nodiscard]] core::Diagnostics check_tile_rules(const MemorySet& part, const core::Place& place);

/// That a knob turns one thing. `places` is of each memory.
[[nodiscard]] core::Diagnostics check_knobs(const MemorySet& part,
                                            const std::map<std::string, core::Place>& places);

}  // namespace memsize::board
