// The memories of a part that tensors are planned into: boards/memories/*.toml. The grammar is in
// boards/README.md.
#pragma once

#include "memsize/core/address.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memsize::board {

struct PartMemory {
  /// In lower case, as reports have it: "dtcm".
  std::string name;
  /// What the hardware has, and what the part's linker scripts give to programs. Memory that is
  /// not mapped (reached by DMA only) has no base.
  core::Bytes hardware;
  core::Bytes window;
  std::optional<core::PhysAddr> base;
  /// Kept back for stacks, heaps and code: a percentage of the window, then bytes.
  unsigned reserve_percent = 0;
  core::Bytes reserve;
  /// The base of every arena in it is a multiple.
  core::Align arena_alignment;
  bool writable = true;
  /// Holds nothing when the power comes: no constant can come from here.
  bool is_volatile = true;
  /// Nothing goes here, and no constant comes from here, unless a rule or a report says so: memory
  /// that an application sets up first, or that is meant for code.
  bool by_rule = false;
  /// What it costs to use one byte, against the part's cheapest memory, whose cost is 1.
  std::uint32_t cost = 1;
  /// Where the numbers come from.
  std::string source;
};

struct MemorySet {
  std::string name;
  std::string title;
  /// Every slot is a multiple: what the part's kernels need.
  core::Align alignment;
  /// Tensors go to the first that has room, unless a rule says otherwise: cheapest first.
  std::vector<PartMemory> memories;
  /// The files it was read from.
  std::vector<std::string> files;
};

/// What plans may use of the memory: the window less what is kept back.
[[nodiscard]] core::Bytes budget_of(const PartMemory& memory);

/// A bundled part, or a path to a .toml file (anything with a '/' or that ends in .toml). `folder`
/// is boards/memories. Errors: board.unknown for a part that is not there, toml.* and board.* for
/// what a file says.
[[nodiscard]] core::Result<MemorySet> load_memories(core::FileSystem& files,
                                                    const std::string& folder,
                                                    const std::string& name);

/// The bundled parts, by name.
[[nodiscard]] core::Result<std::vector<std::string>> bundled_memories(core::FileSystem& files,
                                                                      const std::string& folder);

}  // namespace memsize::board
