// Banks of DRAM as strips to scale: whose each byte is, before and now.
#pragma once

#include "memsize/core/address.hpp"
#include "memsize/core/find.hpp"
#include "memsize/layout/memory_map.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace memsize::emit {

/// A stretch of a bank.
struct Segment {
  /// kFree: a region that grows could take it without moving another; Linux has it until then.
  /// kGap: the board keeps it unused.
  enum class Kind { kRegion, kLinux, kFree, kGap };

  Kind kind = Kind::kLinux;
  core::PhysRange range;
  /// Of a region; of a gap, why it is kept.
  std::string name = {};
  /// Into owners_of().
  std::size_t owner = 0;
  /// It is not, or not so, in the other map.
  bool changed = false;
};

struct Strip {
  /// "before", "now", "same"; empty where no bank differs.
  std::string title;
  std::vector<Segment> segments;
};

struct BankStrips {
  std::string name;
  core::PhysRange range;
  /// What is drawn of it: where regions lie, with a margin.
  core::PhysRange view;
  std::vector<Strip> strips = {};
};

/// Cores that alone see a region in their linker map, in the board's order, then "shared".
[[nodiscard]] std::vector<std::string> owners_of(const layout::MemoryMap& map);

/// Into owners_of().
[[nodiscard]] std::size_t owner_of(const std::vector<std::string>& owners,
                                   const layout::Region& region);

using RegionsByName = core::ByName<layout::Region>;

/// The region of another map that is the same one to its cores; null where there is none.
[[nodiscard]] const layout::Region* region_in(const RegionsByName& other,
                                              const layout::Region& region);

/// Whether the other map has such a region elsewhere, of another size, or not at all.
[[nodiscard]] bool is_changed(const layout::Region& region, const RegionsByName& other);

/// Banks without a region are left out.
[[nodiscard]] std::vector<BankStrips> strips_of(const layout::MemoryMap& map,
                                                const layout::MemoryMap& baseline);

/// An <svg> of one strip, as wide as what it stands in. What is wide enough has its name.
[[nodiscard]] std::string strip_svg(const BankStrips& bank, const Strip& strip);

/// Fills of owners, of which later ones begin again with the first: black text can be read on each.
inline constexpr std::array kOwnerFills = {"#8ab8f0",
                                           "#f5ad62",
                                           "#8fcf8a",
                                           "#cfa5e0",
                                           "#7fd3cb",
                                           "#e8cf5d",
                                           "#f0a3b4",
                                           "#b3b9f2",
                                           "#c5d86d",
                                           "#d9b38c",
                                           "#9fd4f0",
                                           "#e3a5d0"};
/// Of regions that several cores see.
inline constexpr const char* kSharedFill = "#f28f86";

}  // namespace memsize::emit
