// The allocations of a trace, to be done again in the heaps of a map.
#pragma once

#include "memsize/board/trace_format.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/layout/memory_map.hpp"
#include "memsize/sizing/sizing.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memsize::runtime {

struct ReplayStep {
  enum class Kind { kAllocate, kFree, kReset };

  Kind kind = Kind::kAllocate;
  /// Which block is meant; each is allocated once.
  std::size_t slot = 0;
  std::size_t instance = 0;
  /// Nothing: an object of the instance's own.
  std::optional<std::uint32_t> record;
  core::Bytes size;
  core::Align align;
};

/// One heap: a region, how it places blocks, and what happens in it.
struct HeapReplay {
  std::string region;
  board::HeapRule rule;
  std::vector<ReplayStep> steps;
};

struct CoreReplay {
  std::string core;
  std::vector<HeapReplay> heaps;
};

/// Every record that was counted, in its heap, in the order of the log: scratch heaps are emptied
/// before each model; with models loaded apart, all heaps are. `generation` says how heaps place
/// blocks; nullptr: one after another. A heap without a demand is filled by one block.
[[nodiscard]] std::vector<CoreReplay> make_replays(const layout::MemoryMap& map,
                                                   const sizing::Sizing* sizing,
                                                   const board::Generation* generation);

}  // namespace memsize::runtime
