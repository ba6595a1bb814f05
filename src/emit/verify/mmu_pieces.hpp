// What MMU entries do, laid over each other.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/written.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memsize::emit {

/// A piece of address space, and the entry that decides over it.
struct MmuPiece {
  unsigned instance = 0;
  std::uint64_t virtual_base = 0;
  std::uint64_t physical = 0;
  std::uint64_t size = 0;
  std::string attribute;
  std::string entry;
  core::Place place;
};

/// The last entry that covers an address wins.
[[nodiscard]] std::vector<MmuPiece> paint(const std::vector<WrittenMmuEntry>& entries);

}  // namespace memsize::emit
