// A board with every address known.
#pragma once

#include "memsize/board/board.hpp"
#include "memsize/chip/memory_type.hpp"
#include "memsize/core/address.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/names.hpp"
#include "memsize/layout/mpu.hpp"
#include "memsize/layout/need.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memsize::layout {

enum class RegionKind {
  kRegion,        // memory with an owner
  kAlias,         // a region under another core's name for it
  kPhysicalName,  // NAME_PHYS in the C header
};

using core::name_of;

constexpr auto names_of(RegionKind /*all*/) {
  return std::to_array<std::string_view>({"region", "alias", "physical"});
}

/// A named range. Two regions may share a name if no core has both: a region is identified by name
/// and core.
struct Region {
  RegionKind kind = RegionKind::kRegion;
  std::string name;
  /// The region behind an alias or a physical name.
  std::string of;
  std::string chain;
  board::Space space = board::Space::kDdr;
  std::string attributes;
  chip::Cache cache = chip::Cache::kAny;
  core::Align align;
  /// The multiple at which the firmware's linker script begins its first section.
  core::Align section_align;
  bool in_header = false;
  bool in_html = false;
  std::string note;
  /// The knob that is this region's size, where the size is nothing but a knob.
  std::string knob;
  /// Cores whose linker map has the region.
  std::vector<std::string> cores;
  /// Where its cores see it; nothing for a physical name.
  std::optional<core::VirtAddr> virtual_base;
  /// Where it is on the bus; nothing for memory that only its own core sees.
  std::optional<core::PhysAddr> physical_base;
  core::Bytes size;
  core::Place place;

  [[nodiscard]] std::optional<core::PhysRange> physical() const;
  [[nodiscard]] std::optional<core::VirtRange> virtual_range() const;
  [[nodiscard]] bool seen_by(std::string_view core) const;
};

/// Bytes that the board leaves unused on purpose.
struct Gap {
  std::string chain;
  core::PhysRange physical;
  std::string why;
};

/// What Linux reserves as one node; a group is a carve-out without a label.
struct Carveout {
  std::string name;
  std::string label;
  std::string node;
  std::string attributes;
  /// Empty: the node has none.
  std::string compatible;
  /// The node's own `alignment` property; 0: it has none.
  core::Bytes alignment;
  bool no_map = true;
  bool unit_address = true;
  bool in_header = false;
  std::vector<std::string> members;
  core::PhysRange range;
  core::Place place;
};

struct MmuRange {
  /// From 1, in the driver's order: where entries overlap, the later one wins.
  std::size_t instance = 0;
  std::string entry;
  core::VirtRange virtual_range;
  core::PhysRange physical;
  unsigned mair = 0;
  /// The regions that the entry is there for; none for a fixed one.
  std::vector<std::string> covers;
  /// The board says why it may map more than that.
  bool is_window = false;
  core::Place place;
};

struct MmuTable {
  std::string core;
  std::vector<MmuRange> ranges;
  core::Place place;
};

/// What is left of a chain's window.
struct Window {
  std::string chain;
  core::PhysRange range;
  core::Bytes placed;
  core::Bytes padding;
  core::Bytes free;
};

struct MemoryMap {
  /// The board that it came from, for names and rules that do not depend on sizes.
  board::Board board;
  /// What was set over the board's defaults, and what everything has.
  board::KnobValues set;
  board::Values values;
  std::vector<Region> regions;
  std::vector<Gap> gaps;
  std::vector<Carveout> carveouts;
  std::vector<Carveout> groups;
  std::vector<MmuTable> mmu;
  std::vector<MpuTable> mpu;
  std::vector<RatTable> rat;
  std::vector<Window> windows;
  std::vector<std::pair<std::string, std::uint64_t>> header_bases;
  /// Why regions have sizes that neither the board nor a trace gave them.
  std::vector<Need> needs;
  /// What the checks noted although nothing is wrong.
  core::Diagnostics remarks;

  /// The region of that name with an owner.
  [[nodiscard]] const Region* find_owned(std::string_view name) const;
  /// The region whose size is the knob.
  [[nodiscard]] const Region* find_by_knob(std::string_view knob) const;
  [[nodiscard]] const MmuTable* find_mmu(std::string_view core) const;
  /// The bytes that Linux does not get.
  [[nodiscard]] core::Bytes reserved() const;
};

/// Gives every region of the board its addresses, with `set` over the default knobs. Errors: a knob
/// that breaks a rule, a chain that outgrows its window (with what would fit), an address beyond 64
/// bits, a name that nothing has.
///
/// Example:
///     const auto board = board::load_board(session.files, session.data.boards, "j722s");
///     MEMSIZE_TRY(board);
///     const auto standard = layout::resolve(*board, {});
///     MEMSIZE_TRY(standard);
///     // A heap of 32 MiB instead: Linux gets the rest.
///     const std::uint64_t mebibytes = std::uint64_t{32} << 20U;
///     const auto smaller = layout::resolve(*board, {{"c7x_1_ddr_scratch_size", mebibytes}});
///     MEMSIZE_TRY(smaller);
///     assert(smaller->reserved() < standard->reserved());
[[nodiscard]] core::Result<MemoryMap> resolve(const board::Board& board,
                                              const board::KnobValues& set);

}  // namespace memsize::layout
