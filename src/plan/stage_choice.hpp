// Which of several things gain most in so much room: the knapsack problem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memsize::plan {

struct StageItem {
  std::uint64_t size = 0;
  /// A whole number from 1; exact up to 2^53.
  double gain = 0;
};

struct StageChoice {
  /// Indices, ascending.
  std::vector<std::size_t> taken;
  /// It is proved that no other choice gains more.
  bool is_best = true;
};

/// Of all choices that fit `room` one with the highest gain.
[[nodiscard]] StageChoice choose_staged(const std::vector<StageItem>& items, std::uint64_t room);

}  // namespace memsize::plan
