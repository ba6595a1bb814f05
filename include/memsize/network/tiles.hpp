// How a layer is cut so that what works on it fits a cluster's own memory: slabs of rows between
// external memory (L3) and L2, tiles between L2 and L1. Elements are int8 and lie channel by
// channel (CHW), unless a layer says otherwise. Rules of ARES: codegen/gap9_model.py.
#pragma once

#include "memsize/core/bytes.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::network {

/// What tiles are cut for. What is not here (attention, norms) is not cut by memsize.
enum class TileKind : std::uint8_t {
  kNone,
  kConv,
  /// As many groups as input channels.
  kDepthwise,
  kLinear,
  /// Of maxima or averages.
  kPool,
  kGlobalPool,
  /// In place: ReLU, requantisation.
  kElementwise,
  kAdd,
  kConcat,
};

constexpr auto names_of(TileKind /*all*/) {
  return std::to_array<std::string_view>({"none",
                                          "conv",
                                          "depthwise",
                                          "linear",
                                          "pool",
                                          "global_pool",
                                          "elementwise",
                                          "add",
                                          "concat"});
}

/// What of a layer decides how it is cut.
struct TileShape {
  TileKind kind = TileKind::kNone;
  /// Of a linear layer: rows are tokens, channels are features, columns are 1. Element-wise and
  /// addition: everything is in channels. Concatenation: channels are those of the output.
  std::uint64_t in_rows = 1;
  std::uint64_t in_columns = 1;
  std::uint64_t in_channels = 1;
  std::uint64_t out_rows = 1;
  std::uint64_t out_columns = 1;
  std::uint64_t out_channels = 1;
  std::uint64_t kernel_rows = 1;
  std::uint64_t kernel_columns = 1;
  std::uint64_t stride_rows = 1;
  std::uint64_t stride_columns = 1;
  std::uint64_t padding_rows = 0;
  std::uint64_t padding_columns = 0;
  /// Inputs of a convolution go to outputs of their own group only.
  std::uint64_t groups = 1;
  /// Bytes of one element of a linear layer's output: 4 where a classifier gives fp32.
  std::uint64_t out_element = 1;

  friend bool operator==(const TileShape&, const TileShape&) = default;
};

/// What tiles may use, and what one DMA command can do: data of the part.
struct TileBudget {
  core::Bytes l1;
  core::Bytes l2;
  /// Bytes of one command: 131 071 where the length has 17 bits (MCHAN v7), 65 535 where 16 (v6).
  core::Bytes dma_longest{131071};
  /// Commands that are open at once; the next one hangs. That whoever sends them waits in time is
  /// no matter of tiles: each command can be sent by itself.
  std::uint64_t dma_open = 16;
};

enum class TileChoice : std::uint8_t {
  /// As ARES cuts, with its quirks: a layer that needs slabs has as many for its output rows as for
  /// its input rows, and a slab's output is as wide as input columns / stride. Where that loses
  /// outputs, or bytes of L2, check_tiles says so.
  kAres,
  /// Least bytes moved, then fewest commands, then the larger tile (most rows * columns * channels;
  /// of a global pool those of its input; then most rows, then most columns), then three buffers of
  /// weights, which need three channel tiles. As few slabs as fit, which are cut by output rows,
  /// evenly. Convolutions: every rows, columns, channels; pools, too, and a tile reads its own
  /// channels only; linear layers: every number of features; the rest: every size. A convolution's
  /// weights stay in L2 only where ARES leaves them there, or where nothing else fits: there they
  /// are read and not moved, so that with more L1, which fetches them, more may move. Where what
  /// ARES makes is right and costs less, since its slabs differ: that.
  kBest,
};

constexpr auto names_of(TileChoice /*all*/) {
  return std::to_array<std::string_view>({"ares", "best"});
}

/// One slab is the whole layer where nothing comes from L3; one tile is the whole slab.
struct Tiles {
  /// Of output rows; of a linear layer, of output features. Only layers with windows and linear
  /// ones are cut into slabs.
  std::uint64_t slabs = 1;
  std::uint64_t slab_rows = 0;
  /// Of input rows that a slab reads, with those that it shares with its neighbours: what there is
  /// room for. All of them where there is one slab, and of a linear layer.
  std::uint64_t slab_halo_rows = 0;
  /// What slabs, both buffers of each, take in L2, with a linear layer's input, which stays; 0
  /// where there is one.
  core::Bytes l2;

  /// Of the output: what one tile makes, full ones. A linear layer's rows are tokens. Positions of
  /// a concatenation are one row, whose columns are cut. A global pool's are 1.
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t channels = 0;
  /// Of the input of one tile, padding included; a pool's rows are never more than its slab has.
  std::uint64_t in_rows = 0;
  std::uint64_t in_columns = 0;
  /// How many there are in a slab; of a global pool, of its input.
  std::uint64_t row_tiles = 0;
  std::uint64_t column_tiles = 0;
  std::uint64_t channel_tiles = 0;

  /// One buffer each; of each there are two. A linear layer's input has one buffer and is there as
  /// a whole, or is 0, as its output is then: both are used where they lie, in L2. An input of a
  /// convolution has all input channels, its output all output channels, whatever `channels` is. An
  /// addition has both inputs here. Element-wise, addition, concatenation: output 0, it takes the
  /// input's place.
  core::Bytes input;
  core::Bytes output;
  core::Bytes weights;
  /// 0: weights are read where they lie, in L2, or there are none; else 2 or 3 take turns.
  std::uint64_t weight_buffers = 0;
  /// Everything of the layer in L1. A global pool's sums, four bytes a channel, are here, too, and
  /// its output once.
  core::Bytes l1;

  friend bool operator==(const Tiles&, const Tiles&) = default;
};

/// In L1 the weights of a convolution's output channel begin at a multiple. A linear layer's lie as
/// they lie in L2.
inline constexpr std::uint64_t kWeightRowAlignment = 4;

/// Bytes that move between L2 and L1 for one run of the layer, and DMA commands that it takes.
/// The order is ARES': a spatial tile's input comes once, then every channel tile's weights (all of
/// a layer once where one channel tile has them all), its output goes once. A command moves one row
/// of one channel of an input or output (of a linear layer's output: one token), or what is one run
/// of bytes: a part of an element-wise layer's or addition's operand, of a concatenation's channel,
/// a linear layer's input, once for each slab, a global pool's output. Weights of one tile are one
/// command where rows in L1 are as long as in L2, else one each channel. Padding is not moved.
/// Longer ones are cut at dma_longest. Numbers that do not fit 64 bits are the largest.
struct TileCost {
  std::uint64_t bytes = 0;
  std::uint64_t commands = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 stumbles over a defaulted <=>.
  friend auto operator<=>(const TileCost&, const TileCost&) = default;
};

/// Nothing: no tile fits, or it is not cut. A shape is one of a checked network: no side is 0,
/// products stay below 2^62.
[[nodiscard]] std::optional<Tiles> tiles_of(const TileShape& shape,
                                            const TileBudget& budget,
                                            TileChoice choice);

[[nodiscard]] TileCost cost_of(const TileShape& shape,
                               const Tiles& tiles,
                               const TileBudget& budget);

/// What is wrong with tiles, found without what made them: outputs that no tile makes, inputs
/// that a tile needs and does not have, buffers that do not fit or are not aligned, commands that
/// the engine cannot do. In words; nothing where nothing is. Slabs and tiles behind the last row
/// are empty, which is no fault.
[[nodiscard]] std::vector<std::string> check_tiles(const TileShape& shape,
                                                   const Tiles& tiles,
                                                   const TileBudget& budget);

}  // namespace memsize::network
