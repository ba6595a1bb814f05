// Where the regions of chains are, and where each chain ends.
#pragma once

#include "memsize/board/expression.hpp"
#include "memsize/layout/memory_map.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memsize::layout {

/// Where a chain has got to.
struct Cursor {
  std::optional<core::PhysAddr> physical;
  core::VirtAddr virtual_base;
  /// The last region ended exactly at 2^64.
  bool full = false;

  [[nodiscard]] Cursor behind(core::Bytes size) const;
};

struct PlacedChains {
  std::vector<Region> regions;
  std::vector<Gap> gaps;
  std::vector<Window> windows;
  /// By the chain's name.
  std::map<std::string, Cursor> ends;
};

[[nodiscard]] core::Result<PlacedChains> place_chains(const board::Board& board,
                                                      const board::Values& values);

/// What has no value is an error and counts as 0.
[[nodiscard]] std::uint64_t value_of(const board::Expression& expression,
                                     const board::Values& values,
                                     core::Diagnostics& errors);

}  // namespace memsize::layout
