// The memories of a part that tensors are planned into, the sections of its linker scripts that lie
// in each, and the machine that emulates it: boards/memories/*.toml. The grammar is in
// boards/README.md.
#pragma once

#include "memsize/core/address.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/core/names.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::board {

using core::name_of;

/// What a section is for; reserved memory, such as a heap, is never written by a program's image.
enum class SectionHolds : std::uint8_t { kCode, kConstant, kInitialised, kZeroed, kReserved };

constexpr auto names_of(SectionHolds /*all*/) {
  return std::to_array<std::string_view>({"code", "constant", "initialised", "zeroed", "reserved"});
}

/// What the part's start-up code does to a section before main: zeroed data that are copied cost
/// their size where the image lies, and those with neither hold anything.
enum class StartUp : std::uint8_t { kNone, kClears, kCopies };

constexpr auto names_of(StartUp /*all*/) {
  return std::to_array<std::string_view>({"none", "clears", "copies"});
}

struct PartSection {
  /// Of the part's linker script: ".sram_bss"; of a scatter file, its execution region.
  std::string name;
  SectionHolds holds = SectionHolds::kZeroed;
  StartUp start_up = StartUp::kNone;
  /// Input sections that go there, as source code names them; empty: the compiler's default.
  std::string attribute;
  /// "gcc", "armclang"; empty: all.
  std::string toolchain;
};

/// What takes bytes of a memory and no planner knows: a stack, an array of a runtime.
struct PartConsumer {
  /// For people: "stack of the cluster's controller".
  std::string name;
  core::Bytes size;
  /// What `--set` calls its size; empty: nobody can turn it.
  std::string knob;
  /// It is in a section of linked images: who has the image counts it there.
  bool in_image = false;
  std::string source;
  /// Whose programs have it, as the names of the readers of their plans begin: "ares"; empty: all.
  std::string of = {};
};

/// What tiles of a part whose cores work on tiles may use. The memories are l1, l2 and l3.
struct TileRules {
  /// Of tiles, and of slabs, both buffers of each.
  core::Bytes l1;
  core::Bytes l2;
  /// Bytes of one DMA command, and commands that are open at once.
  core::Bytes dma_longest;
  std::uint64_t dma_open = 1;
  /// Weights of any layer above it are staged from l3, those of a linear layer within the network
  /// and of attention at or above theirs; nothing: no size alone makes them.
  std::optional<core::Bytes> stage;
  std::optional<core::Bytes> stage_linear;
  std::optional<core::Bytes> stage_attention;
  /// Of l2 for activations before any goes to l3, and what goes then: a buffer at least so large.
  /// Nothing: none goes.
  std::optional<core::Bytes> activations;
  std::optional<core::Bytes> activation_spill;
  /// Cores that share a tile.
  std::uint64_t workers = 1;
  std::string source;
};

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
  /// What compilers' reports call it besides, in lower case: "hyperram".
  std::vector<std::string> also;
  std::vector<PartSection> sections;
  /// What the part's linker script for GNU ld calls it: "MCU_TCM"; and Zephyr's. Empty: it is in
  /// none, or nobody said.
  std::string region;
  std::string zephyr_region;
  /// Where it lies on the machine that emulates the part; empty: at its own address, or not at all
  /// where `machine` of the set is empty.
  std::optional<core::PhysAddr> emulated_base;
  /// False: the part's machine has no room for it.
  bool is_emulated = true;
  std::vector<PartConsumer> consumers;
};

struct MemorySet {
  std::string name;
  std::string title;
  /// Every slot is a multiple: what the part's kernels need.
  core::Align alignment;
  /// Tensors go to the first that has room, unless a rule says otherwise: cheapest first.
  std::vector<PartMemory> memories;
  /// Nothing: its cores do not work on tiles.
  std::optional<TileRules> tiles;
  /// The files it was read from.
  std::vector<std::string> files;
  /// As compilers call it: "cortex-m55"; empty where nobody said.
  std::string core;
  bool mve = false;
  /// QEMU's machine that stands in: "mps3-an547"; empty: none.
  std::string machine;
  /// Whether the machine is described, so that what it emulates was found to fit.
  bool machine_is_known = false;
  std::vector<std::string> sources;
};

/// What plans may use of the memory: the window less what is kept back.
[[nodiscard]] core::Bytes budget_of(const PartMemory& memory);

/// Where the memory begins on the part's machine; nothing where it is not there.
[[nodiscard]] std::optional<core::PhysAddr> emulated_at(const MemorySet& part,
                                                        const PartMemory& memory);

/// "l1=2600", "cc_stack=4KiB": a number of [tiles] or a consumer's size, as `--set` takes it.
/// Errors: knob.unknown, knob.syntax, and what a size is not.
[[nodiscard]] core::Result<void> set_of_part(MemorySet& part, const std::string& typed);

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
