// What those who cut layers share: how windows read an axis, and what moving tiles costs. What
// checks tiles does not use it.
#pragma once

#include "memsize/network/tiles.hpp"

#include <initializer_list>

namespace memsize::network {

[[nodiscard]] std::optional<Tiles> ares_tiles(const TileShape& shape, const TileBudget& budget);
[[nodiscard]] std::optional<Tiles> best_tiles(const TileShape& shape, const TileBudget& budget);

/// The largest number stands for what does not fit.
[[nodiscard]] std::uint64_t product(std::initializer_list<std::uint64_t> factors);
[[nodiscard]] std::uint64_t sum(std::initializer_list<std::uint64_t> terms);

[[nodiscard]] constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b == 0 ? 0 : 1);
}

/// What `outputs` neighbours along one axis read, padding included.
[[nodiscard]] constexpr std::uint64_t window(std::uint64_t outputs,
                                             std::uint64_t stride,
                                             std::uint64_t kernel) {
  return (outputs - 1) * stride + kernel;
}

/// The largest of 1 to `most` for which something holds that holds for every smaller one; 0 where
/// it holds for none.
template <typename Holds>
[[nodiscard]] std::uint64_t largest(std::uint64_t most, const Holds& holds) {
  std::uint64_t yes = 0;
  while (yes < most) {
    const std::uint64_t middle = yes + (most - yes + 1) / 2;
    if (holds(middle)) {
      yes = middle;
    } else {
      most = middle - 1;
    }
  }
  return yes;
}

/// Slabs of a layer.
struct Slabs {
  std::uint64_t count = 1;
  std::uint64_t rows = 0;
  std::uint64_t halo = 0;
  std::uint64_t l2 = 0;
};

/// The fewest slabs, at least two, that fit, and at most `parts` (never less than two are tried).
/// `made(count)` cuts into as many; more of them never need more.
template <typename Made>
[[nodiscard]] std::optional<Slabs> fewest_slabs(std::uint64_t parts,
                                                core::Bytes l2,
                                                const Made& made) {
  const std::uint64_t most = parts < 2 ? 2 : parts;
  const auto too_few = [&](std::uint64_t count) {
    return count < 2 || made(count).l2 > l2.count();
  };
  const std::uint64_t last = largest(most, too_few);
  if (last == most) {
    return std::nullopt;
  }
  return made(last + 1);
}

/// Of pools, and of what is best: by output rows. One where all fits.
[[nodiscard]] std::optional<Slabs> slabs_of_rows(const TileShape& shape, core::Bytes l2);
/// Of output features.
[[nodiscard]] std::optional<Slabs> slabs_of_features(const TileShape& shape, core::Bytes l2);

/// Weights of one output channel, as they lie in L2, and those that a tile has in L1.
[[nodiscard]] std::uint64_t weights_of_channel(const TileShape& shape);

[[nodiscard]] constexpr std::uint64_t aligned_row(std::uint64_t weights) {
  return ceil_div(weights, kWeightRowAlignment) * kWeightRowAlignment;
}

/// Three buffers of weights want as many tiles.
inline constexpr std::uint64_t kTilesForThree = 3;

/// One axis of a layer with windows.
struct Axis {
  std::uint64_t in = 1;
  std::uint64_t out = 1;
  std::uint64_t kernel = 1;
  std::uint64_t stride = 1;
  std::uint64_t padding = 0;
  /// Outputs of one slab.
  std::uint64_t slab = 1;
};

[[nodiscard]] Axis rows_of(const TileShape& shape, std::uint64_t slab_rows);
[[nodiscard]] Axis columns_of(const TileShape& shape);

/// What tiles of one size along an axis read, without padding, all together; how many there are
/// that make something.
struct Reads {
  std::uint64_t inputs = 0;
  std::uint64_t tiles = 0;
};

[[nodiscard]] Reads reads_of(const Axis& axis, std::uint64_t tile);

/// Commands for one line of the inputs, and of the outputs, of an axis without slabs.
struct Pieces {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
};

[[nodiscard]] Pieces pieces_of(const Axis& axis, std::uint64_t tile, std::uint64_t longest);

/// Commands for a run of `total` bytes that is moved `tile` by `tile`.
[[nodiscard]] std::uint64_t commands_of(std::uint64_t total,
                                        std::uint64_t tile,
                                        std::uint64_t longest);

/// Inputs and outputs of a layer with windows.
[[nodiscard]] TileCost cost_of_windows(const TileShape& shape,
                                       const Reads& rows,
                                       const Reads& columns,
                                       const Pieces& pieces);

/// All weights once, `channels` by `channels`, of which each takes `row` bytes in L1.
[[nodiscard]] TileCost cost_of_weights(const TileShape& shape,
                                       std::uint64_t channels,
                                       std::uint64_t row,
                                       std::uint64_t longest);

}  // namespace memsize::network
