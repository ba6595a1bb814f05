// What a map may take at most, as a project says.
#pragma once

#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/layout/memory_map.hpp"

#include <string>
#include <vector>

namespace memsize::app {

struct Budget {
  /// The core whose heaps are meant, those that traces size; empty: all that Linux may lose.
  std::string core;
  core::Bytes most;
  /// Of the size, and of its key.
  core::Place place;
  core::Place key_place;
};

/// What the map takes more than it may, with what is largest in it; and budgets of cores that have
/// no such heaps.
[[nodiscard]] core::Diagnostics over_budget(const std::vector<Budget>& budgets,
                                            const layout::MemoryMap& map);

}  // namespace memsize::app
