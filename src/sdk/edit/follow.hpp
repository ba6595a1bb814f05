// How the entries of a core's MMU, MPU and RAT follow the regions that they are there for.
#pragma once

#include "memsize/chip/entry.hpp"
#include "memsize/emit/written.hpp"
#include "memsize/layout/memory_map.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memsize::sdk {

/// A region as a core sees it, before and after a change.
struct MovedRegion {
  struct Range {
    std::uint64_t base = 0;
    std::uint64_t size = 0;
    /// On the bus.
    std::uint64_t physical = 0;

    [[nodiscard]] std::uint64_t end() const { return base + size; }

    friend bool operator==(const Range&, const Range&) = default;
  };

  std::string name;
  Range before;
  Range after;
};

/// All that a core sees: its own regions, and those of others that are where they are seen.
[[nodiscard]] std::vector<MovedRegion> moved_regions(const layout::MemoryMap& before,
                                                     const layout::MemoryMap& after,
                                                     const std::string& core);

/// What becomes of an entry.
enum class Fate {
  /// Nothing that it is there for has changed.
  kStays,
  /// It is the hull of whole regions, and of the same ones afterwards.
  kFollows,
  /// Regions under it changed, and it is neither their hull nor a window that still holds them.
  kLost,
};

struct FollowedRange {
  Fate fate = Fate::kStays;
  MovedRegion::Range range;
  /// It lies over a part of a region: it was not changed with it, or never right.
  bool is_torn = false;
};

/// `range` as an entry maps it; for an MPU, which translates nothing, the bus address is the base.
[[nodiscard]] FollowedRange follow(const std::vector<MovedRegion>& regions,
                                   const MovedRegion::Range& range);

template <typename Entry>
struct Followed {
  std::vector<Entry> entries;
  /// Of those that cannot follow, which stay: the index.
  std::vector<std::size_t> lost;
};

/// The MMU entries of one file after the change. Entries that cannot follow, and those that are
/// torn if `mends`, get the range that the board has for their names.
[[nodiscard]] Followed<emit::WrittenMmuEntry> follow_mmu(
    const std::vector<emit::WrittenMmuEntry>& entries,
    const std::vector<MovedRegion>& regions,
    const layout::MmuTable* table,
    bool mends);

[[nodiscard]] Followed<chip::RatEntryFields> follow_rat(
    const std::vector<emit::WrittenRatEntry>& entries, const std::vector<MovedRegion>& regions);

/// Regions that cannot follow as what they are become as many as it takes, and those behind them
/// get higher numbers, however high. Empty where no regions are what one would have to be.
[[nodiscard]] std::optional<std::vector<chip::MpuRegionFields>> follow_mpu(
    const std::vector<emit::WrittenMpuRegion>& entries, const std::vector<MovedRegion>& regions);

/// The regions that the map computes for the core; empty where it has none.
[[nodiscard]] std::vector<chip::MpuRegionFields> computed_mpu(const layout::MemoryMap& map,
                                                              const std::string& core);

}  // namespace memsize::sdk
