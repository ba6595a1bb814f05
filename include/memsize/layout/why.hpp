// Answers about a board's map.
#pragma once

#include "memsize/layout/answer.hpp"
#include "memsize/layout/memory_map.hpp"

namespace memsize::layout {

/// `map` is `resolve(board, set)`. Errors: a name that the board does not have (why.unknown, with
/// the nearest), a core that it does not have, a number that is no address (both usage).
[[nodiscard]] core::Result<Answer> answer(const MemoryMap& map,
                                          const board::KnobValues& set,
                                          const Question& question);

/// A core of the map as its MMU, MPU and RAT are programmed.
[[nodiscard]] CoreHardware hardware_of(const MemoryMap& map, const std::string& core);

}  // namespace memsize::layout
