// A board as its file describes it: nothing is resolved yet, because knobs may still change. The
// file's grammar is in boards/README.md; layout/ turns a board and knob values into a map.
#pragma once

#include "memsize/board/accepted.hpp"
#include "memsize/board/expression.hpp"
#include "memsize/board/knob.hpp"
#include "memsize/board/mmu.hpp"
#include "memsize/board/mpu.hpp"
#include "memsize/board/sections.hpp"
#include "memsize/chip/memory_type.hpp"
#include "memsize/core/address.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/names.hpp"
#include "memsize/model/block.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memsize::board {

/// An on-chip memory of a core that a trace's records of `space` use.
struct OnChip {
  std::string space;
  std::string region;
  core::Place place;
};

struct Core {
  std::string name;
  std::string title;
  /// File name of its linker map; empty: the board's.
  std::string linker_file;
  std::vector<OnChip> onchip;
  /// What names of its regions call it; empty: its name.
  std::string region_word;
  /// What Linux calls it, by its node in the device tree: "78400000.r5f". Empty: nobody says.
  std::string device;
  /// The file that Linux loads for it, below /lib/firmware; empty: nobody says, or it loads none.
  std::string firmware;
  core::Place place;
};

struct Bank {
  std::string name;
  core::PhysRange range;
  core::Place place;
};

/// Memory that Linux' own device tree keeps for somebody else, whatever this map says.
struct Keep {
  std::string name;
  core::PhysRange range;
  std::string why;
  core::Place place;
};

/// A region, or a gap that is kept on purpose.
struct Item {
  bool is_gap = false;
  std::string name;
  Expression size;
  /// Cores whose linker map has the region.
  std::vector<std::string> cores;
  std::string attributes;
  /// How every core that maps the region must cache it.
  chip::Cache cache = chip::Cache::kAny;
  core::Align align;
  /// The multiple at which the firmware's linker script begins the region's first section.
  core::Align section_align;
  bool in_header = true;
  bool in_html = true;
  /// Whether the C header also has NAME_PHYS with the physical address.
  bool has_physical_name = false;
  /// Whether that name is in the HTML map too.
  bool physical_name_in_html = true;
  /// What the region holds, or why the gap is kept.
  std::string note;
  core::Place place;
};

/// kDdr must lie in a bank; kSram is on the bus; kCore is seen by its own core alone.
enum class Space { kDdr, kSram, kCore };

struct Chain {
  std::string name;
  Space space = Space::kDdr;
  /// The chain that this one continues; then it has no physical address of its own, and a virtual
  /// one only where the cores see it elsewhere.
  std::string after;
  core::Place after_place;
  Expression physical;
  /// Empty text: the cores see the chain at its physical addresses.
  Expression virtual_base;
  /// The first physical address that the chain must not reach; empty text: none.
  Expression limit;
  std::string limit_why;
  std::vector<Item> items;
  core::Place place;
};

/// A region under another name, as other cores see it.
struct Alias {
  std::string name;
  std::string of;
  core::Place of_place;
  std::vector<std::string> cores;
  core::Place place;
};

/// Aliases that follow each other in the virtual addresses of some cores: what they see of
/// memories whose owner sees them elsewhere.
struct View {
  std::string name;
  /// The chain or view whose virtual end is where this one begins; empty: it has its own base.
  std::string after;
  core::Place after_place;
  Expression virtual_base;
  std::vector<Alias> aliases;
  core::Place place;
};

struct Carveout {
  std::string label;
  std::string node;
  std::string name;
  std::string attributes;
  std::vector<std::string> covers;
  /// Where each of `covers` was written.
  std::vector<core::Place> cover_places;
  /// Empty: the node has none.
  std::string compatible;
  /// The node's own `alignment` property; 0: it has none.
  core::Bytes alignment;
  bool no_map = true;
  bool unit_address = true;
  bool in_header = false;
  core::Place place;
};

struct RebuildStep {
  std::string when;
  std::string what;
  std::string why;
  std::string run;
  /// Puts what memsize wrote elsewhere into the SDK: not needed where it edits the SDK itself.
  bool by_hand = false;
};

struct Board {
  std::string name;
  /// What the user called it: its name or a path.
  std::string asked_as;
  /// The paths that it was read from: its file and those that it inherits.
  std::vector<std::string> files;
  std::string title;
  std::string soc;
  /// What the chip is sold as.
  std::vector<std::string> part_numbers;
  /// The operating system of the remote cores, as the SDK names it in its files: "freertos".
  std::string os;
  std::string sdk;
  std::string format;
  std::string generation;
  /// Where nobody knows which of these it is.
  std::vector<std::string> generations;
  /// Made of an SDK tree in this run: what is said of its generation is said of the tree.
  bool of_tree = false;
  /// The RTOS layer of the SDK, whose allocators its heaps have; empty: nobody says.
  std::string rtos_family;
  /// Why the board is not final; empty where it is.
  std::string provisional;
  std::vector<std::string> sources;
  std::string linker_file;
  std::string header_file;
  std::string dts_file;
  std::vector<Core> cores;
  std::vector<Bank> banks;
  std::vector<Keep> kept;
  std::vector<std::pair<std::string, Expression>> constants;
  std::vector<Knob> knobs;
  std::vector<Chain> chains;
  std::vector<Alias> aliases;
  std::vector<View> views;
  std::vector<Carveout> carveouts;
  std::vector<Carveout> groups;
  std::vector<std::pair<std::string, Expression>> header_bases;
  Accepted accepted;
  /// Where each name of `header_bases` was written.
  std::vector<core::Place> header_base_places;
  Mmu mmu;
  Mpu mpu;
  Rat rat;
  /// Of the cores whose sections the board places.
  std::vector<CoreSections> sections;
  std::vector<RebuildStep> rebuild;

  [[nodiscard]] const Knob* find_knob(std::string_view knob) const;
  [[nodiscard]] const Core* find_core(std::string_view core) const;
  /// Of which generations its SDK may be; none: nobody says.
  [[nodiscard]] std::vector<std::string> possible_generations() const;
  /// nullptr: the board does not say where the core's sections go.
  [[nodiscard]] const CoreSections* find_sections(std::string_view core) const;
  [[nodiscard]] const Chain* find_chain(std::string_view chain) const;
  /// The chain that this one continues, over any number of steps: it has the address that moves
  /// all of them. A chain that continues none is its own.
  [[nodiscard]] const Chain* root_of(std::string_view chain) const;
  /// The file name of that core's linker map.
  [[nodiscard]] const std::string& linker_file_of(std::string_view core) const;
};

/// Gives the board that much DRAM: the banks are filled in their order, each but the last with no
/// more than it has, and banks that stay empty are dropped. Errors: nothing, or more than the
/// address space above the last bank's base.
[[nodiscard]] core::Result<void> set_dram(Board& board, core::Bytes size);

/// Knob values by name: what the user set over the board's defaults.
using KnobValues = Values;

/// Constants and knobs, with `set` over the defaults. Errors: an unknown knob, a size that is no
/// multiple of the hard granule, zero, or below its minimum.
[[nodiscard]] core::Result<Values> evaluate_knobs(const Board& board, const KnobValues& set);

}  // namespace memsize::board
