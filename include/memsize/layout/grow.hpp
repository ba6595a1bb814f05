// What a board's map becomes when something of it is larger.
#pragma once

#include "memsize/layout/answer.hpp"
#include "memsize/layout/memory_map.hpp"

#include <string>

namespace memsize::layout {

/// What is made larger: a knob, a constant, or a region whose size is neither.
struct Change {
  std::string knob;
  std::string constant;
  const Region* region = nullptr;
};

/// Steps, what moves, and the largest size that works: `map` is the one that `set` leads to.
[[nodiscard]] Expansion grow(const MemoryMap& map,
                             const board::KnobValues& set,
                             const Change& change);

}  // namespace memsize::layout
