// Small packing problems made of a seed, of every kind that plans have.
#pragma once

#include "plan_judge.hpp"

#include <cstddef>
#include <cstdint>
#include <random>

namespace memsize::judge {

class RandomPlans {
 public:
  /// The same seed makes the same problems on every machine.
  explicit RandomPlans(std::uint64_t seed) : random_(seed) {}

  /// One to `most` buffers: crowded and sparse, with alignments, fixed offsets, equal twins,
  /// buffers of no bytes, lifetimes that touch, sizes from bytes to petabytes.
  [[nodiscard]] Buffers small(std::size_t most);

  /// So small that every offset of every buffer can be tried.
  [[nodiscard]] Buffers tiny();

  /// As tiny, with buffers that need some of their bytes, or none, at some of their steps.
  [[nodiscard]] Buffers windowed();

  /// Buffers that no greedy planner packs well: a tight plan cut into pieces.
  [[nodiscard]] Buffers puzzle(std::size_t pieces);

  /// The same buffers in another order: `order[i]` is the place that was the i-th's.
  [[nodiscard]] std::vector<std::size_t> order(std::size_t size);

  /// A number below `end`, which is above 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t end) { return random_() % end; }

  [[nodiscard]] bool chance(std::uint64_t percent) { return below(100) < percent; }

 private:
  [[nodiscard]] plan::Buffer buffer(std::uint64_t steps, std::uint64_t largest);

  std::mt19937_64 random_;
};

}  // namespace memsize::judge
