// Layers to cut.
#pragma once

#include "memsize/network/tiles.hpp"

#include "support.hpp"

#include <algorithm>

namespace memsize::network::tiles_test {

inline std::uint64_t outputs(std::uint64_t in,
                             std::uint64_t kernel,
                             std::uint64_t stride,
                             std::uint64_t padding) {
  return (in + 2 * padding - kernel) / stride + 1;
}

/// As wide as high.
inline TileShape layer(TileKind kind,
                       std::uint64_t side,
                       std::uint64_t in,
                       std::uint64_t out,
                       std::uint64_t kernel,
                       std::uint64_t stride = 1,
                       std::uint64_t padding = 0) {
  const std::uint64_t made = outputs(side, kernel, stride, padding);
  return {.kind = kind,
          .in_rows = side,
          .in_columns = side,
          .in_channels = in,
          .out_rows = made,
          .out_columns = made,
          .out_channels = out,
          .kernel_rows = kernel,
          .kernel_columns = kernel,
          .stride_rows = stride,
          .stride_columns = stride,
          .padding_rows = padding,
          .padding_columns = padding,
          .groups = kind == TileKind::kDepthwise ? in : 1};
}

inline TileShape linear_layer(std::uint64_t in,
                              std::uint64_t out,
                              std::uint64_t tokens = 1,
                              std::uint64_t element = 1) {
  return {.kind = TileKind::kLinear,
          .in_rows = tokens,
          .in_channels = in,
          .out_rows = tokens,
          .out_channels = out,
          .out_element = element};
}

inline TileShape global_pool_layer(std::uint64_t rows, std::uint64_t columns, std::uint64_t all) {
  return {.kind = TileKind::kGlobalPool,
          .in_rows = rows,
          .in_columns = columns,
          .in_channels = all,
          .out_channels = all,
          .kernel_rows = rows,
          .kernel_columns = columns};
}

inline TileShape elements_layer(TileKind kind, std::uint64_t all) {
  return {.kind = kind, .in_channels = all, .out_channels = all};
}

inline TileShape concat_layer(std::uint64_t rows, std::uint64_t columns, std::uint64_t all) {
  return {.kind = TileKind::kConcat,
          .in_rows = rows,
          .in_columns = columns,
          .in_channels = all,
          .out_rows = rows,
          .out_columns = columns,
          .out_channels = all};
}

inline TileBudget budget_of(std::uint64_t l1, std::uint64_t l2 = 1126400) {
  return {.l1 = core::Bytes{l1}, .l2 = core::Bytes{l2}};
}

/// No side is longer than `side`, and there are at most so many channels.
inline TileShape random_layer(test::Random& random, std::uint64_t side, std::uint64_t channels) {
  const auto up_to = [&](std::uint64_t most) { return 1 + random.below(most); };
  switch (random.below(10)) {
    case 0:
      return linear_layer(up_to(channels * 4),
                          up_to(channels * 4),
                          random.below(2) == 0 ? 1 : up_to(side),
                          random.below(3) == 0 ? 4 : 1);
    case 1:
      return global_pool_layer(up_to(side), up_to(side), up_to(channels));
    case 2:
      return elements_layer(random.below(2) == 0 ? TileKind::kElementwise : TileKind::kAdd,
                            up_to(side * side * channels));
    case 3:
      return concat_layer(up_to(side), up_to(side), up_to(channels));
    default:
      break;
  }
  TileShape shape{.kind = TileKind::kConv};
  const auto axis = [&](std::uint64_t& in,
                        std::uint64_t& out,
                        std::uint64_t& kernel,
                        std::uint64_t& stride,
                        std::uint64_t& padding) {
    kernel = up_to(std::min<std::uint64_t>(side, 6));
    stride = up_to(3);
    padding = random.below(kernel);
    in = kernel + random.below(side - kernel + 1);
    out = outputs(in, kernel, stride, padding);
  };
  axis(shape.in_rows, shape.out_rows, shape.kernel_rows, shape.stride_rows, shape.padding_rows);
  axis(shape.in_columns,
       shape.out_columns,
       shape.kernel_columns,
       shape.stride_columns,
       shape.padding_columns);
  shape.in_channels = up_to(channels);
  shape.out_channels = up_to(channels);
  switch (random.below(4)) {
    case 0:
      shape.kind = TileKind::kPool;
      shape.out_channels = shape.in_channels;
      break;
    case 1:
      shape.kind = TileKind::kDepthwise;
      shape.groups = shape.in_channels;
      shape.out_channels = shape.in_channels * up_to(2);
      break;
    case 2:
      shape.groups = up_to(3);
      shape.in_channels *= shape.groups;
      shape.out_channels *= shape.groups;
      break;
    default:
      break;
  }
  return shape;
}

inline TileBudget random_budget(test::Random& random) {
  constexpr std::uint64_t kL1[] = {102400, 6000, 2600, 0};
  constexpr std::uint64_t kL2[] = {1126400, 60000, 5000, 0};
  constexpr std::uint64_t kLongest[] = {131071, 65535, 100, 7};
  const std::uint64_t l1 = kL1[random.below(4)];
  const std::uint64_t l2 = kL2[random.below(4)];
  return {.l1 = core::Bytes{l1 == 0 ? 16 + random.below(3000) : l1},
          .l2 = core::Bytes{l2 == 0 ? 16 + random.below(20000) : l2},
          .dma_longest = core::Bytes{kLongest[random.below(4)]}};
}

/// ARES' slabs may lose outputs, or bytes of L2.
inline bool ares_is_right(const TileShape& shape, const Tiles& tiles) {
  return tiles.slabs == 1 || shape.kind == TileKind::kLinear || shape.kind == TileKind::kPool ||
         (tiles.slabs * tiles.slab_rows >= shape.out_rows &&
          shape.in_columns / shape.stride_columns >= shape.out_columns);
}

}  // namespace memsize::network::tiles_test
