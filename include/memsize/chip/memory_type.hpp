// What hardware is told of a memory: the bits of an Armv7-R MPU region and the attribute index of
// an Armv8 MMU entry, and what either means for caches.
#pragma once

#include "memsize/core/names.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::chip {

using core::name_of;

/// How a memory is cached, or must be.
enum class Cache { kAny, kNonCached, kWriteThrough, kCached };

constexpr auto names_of(Cache /*all*/) {
  return std::to_array<std::string_view>({"any", "non-cached", "write-through", "cached"});
}

/// The part of a region's access control register that says what kind of memory it is (DDI 0406C,
/// B4.1.40 DRACR, B5.4).
struct MpuBits {
  unsigned tex = 0;
  bool cacheable = false;
  bool bufferable = false;
  bool shareable = false;
  bool execute = false;

  friend bool operator==(const MpuBits&, const MpuBits&) = default;
};

/// From here on TEX has a policy of the outer cache in it, and C and B are the inner one's.
inline constexpr unsigned kMpuPolicies = 4;
inline constexpr unsigned kLastTex = 7;

/// What the inner cache does with an access: the table of TEX, C and B (DDI 0406C, B5.4).
[[nodiscard]] Cache cache_of(const MpuBits& bits);

/// Not a device: accesses need not be aligned, and code may run there (DDI 0406C, B5.2).
[[nodiscard]] bool is_memory(const MpuBits& bits);

/// The index of "MAIR7", the attribute that an MMU entry selects: 0 to 7 (DDI 0487, D17.2.97).
[[nodiscard]] std::optional<unsigned> mair_of(std::string_view attribute);

/// "MAIR7".
[[nodiscard]] std::string mair_name(unsigned mair);

/// Which attributes a board's firmware has set up for each kind of caching.
struct MairKinds {
  std::vector<unsigned> non_cached;
  std::vector<unsigned> write_through;
  std::vector<unsigned> cached;

  /// kAny where it is in no list.
  [[nodiscard]] Cache of(unsigned mair) const;
  /// Not for kAny.
  [[nodiscard]] const std::vector<unsigned>& list(Cache cache) const;
  /// Whether memory that must be cached so may have the attribute, as it is written; where nothing
  /// is known of the kind, any may.
  [[nodiscard]] bool allow(Cache cache, std::string_view attribute) const;
};

}  // namespace memsize::chip
