// Which buffers of one arena share bytes at the same time, for check_plan.cpp.
#pragma once

#include "memsize/plan/check_plan.hpp"

#include <cstdint>
#include <vector>

namespace memsize::plan {

struct Collisions {
  /// In order of time; `first` begins no later than `second`.
  std::vector<Collision> pairs;
  /// Of all pairs, also of those that are not listed.
  std::uint64_t count = 0;
};

/// Lists at most `most` pairs; each costs O(n) at worst, and counting all of them O(n log n).
[[nodiscard]] Collisions list_collisions(const std::vector<PlacedBuffer>& buffers,
                                         std::size_t most);

/// Whether they share a byte at the same time.
[[nodiscard]] bool collide(const PlacedBuffer& a, const PlacedBuffer& b);

/// The end of its bytes; saturates.
[[nodiscard]] std::uint64_t end_of(const PlacedBuffer& buffer);

}  // namespace memsize::plan
