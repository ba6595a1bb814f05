// Whether a linked program has a plan's arenas where the plan has them.
#pragma once

#include "memsize/board/memories.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/model/image.hpp"
#include "memsize/model/plan.hpp"

#include <string>
#include <vector>

namespace memsize::plan {

/// What an image has in one memory.
struct MemoryUse {
  std::string memory;
  /// Code and constants, read where they lie.
  core::Bytes constant;
  core::Bytes zeroed;
  core::Bytes data;
  /// Of what lies in other memories: its bytes are here until start-up copies them.
  core::Bytes copied;
  /// Nobody clears or copies it: heaps and stacks, which linker scripts give all that is left.
  core::Bytes reserved;
  /// Of `reserved`, what is called a stack and not a heap.
  core::Bytes stacks;
  core::Bytes window;

  friend bool operator==(const MemoryUse&, const MemoryUse&) = default;
};

/// A symbol of the plan's.
struct FoundSymbol {
  std::string name;
  /// Where the plan has it.
  std::string memory;
  model::Lifetime role = model::Lifetime::kScratch;
  std::uint64_t address = 0;
  std::optional<core::Bytes> size;
  std::string section;
};

struct ImageReport {
  /// Of the part, in its order; without those that have nothing.
  std::vector<MemoryUse> memories;
  std::vector<FoundSymbol> symbols;
  /// Something in the image is called after the plan's module.
  bool has_module = false;
  /// Codes image.*. Notes are what could not be seen.
  core::Diagnostics diagnostics;
};

/// Judges by addresses and by what the file says of sections; names of sections only tell what is
/// reserved from what is cleared.
[[nodiscard]] ImageReport check_image(const model::Image& image,
                                      const model::PlanReport& plan,
                                      const board::MemorySet& part);

}  // namespace memsize::plan
