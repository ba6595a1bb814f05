// What an R5F core's memory protection unit and address translation hold.
#pragma once

#include "memsize/chip/limits.hpp"
#include "memsize/core/address.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memsize::layout {

struct MpuRegion {
  /// Where regions overlap, the higher number wins.
  unsigned number = 0;
  std::string name;
  core::VirtRange range;
  /// Bit n: the n-th eighth is switched off.
  std::uint8_t disabled = 0;
  /// One of the board's attributes.
  std::string attribute;
  /// The map's regions that it is there for; none for a fixed one.
  std::vector<std::string> covers;
  bool is_fixed = false;
  std::string note;
  core::Place place;
};

/// A part of the map that the core must see with an attribute.
struct MpuArea {
  std::string region;
  core::VirtRange range;
  std::string attribute;
  core::Place place;
};

struct MpuTable {
  std::string core;
  std::vector<MpuRegion> regions;
  std::vector<MpuArea> areas;
  /// Bytes outside of the map's regions that lose the board's own attribute, because with them
  /// the regions suffice.
  core::Bytes spare;
  core::Place place;
};

struct RatRange {
  std::string name;
  core::VirtAddr local;
  core::PhysAddr system;
  core::Bytes size;
  std::vector<std::string> covers;
  core::Place place;
};

struct RatTable {
  std::string core;
  std::vector<RatRange> ranges;
  core::Place place;
};

/// A stretch of the 4 GiB that a core sees, for the computation: what it shows below the regions
/// to be computed, and what it must show. Numbers stand for attributes.
struct MpuStretch {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  /// 0: nothing is mapped.
  std::uint8_t below = 0;
  /// Nothing: any attribute will do.
  std::optional<std::uint8_t> wanted;
};

/// A computed region.
struct MpuBlock {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  std::uint8_t disabled = 0;
  std::uint8_t attribute = 0;

  friend bool operator==(const MpuBlock&, const MpuBlock&) = default;
};

/// The fewest regions, each laid over those before it, that give every stretch what it wants;
/// where there is a choice, rather without switched-off parts. The stretches follow each other from
/// 0 to 4 GiB, on multiples of 32 bytes; attributes are numbers below 64. What is below may be
/// painted again as an attribute. Nothing where 0 is wanted over something. The search is bounded:
/// beyond some ten areas without any order, a region more than the fewest is possible.
[[nodiscard]] std::optional<std::vector<MpuBlock>> cover(const std::vector<MpuStretch>& stretches);

}  // namespace memsize::layout
