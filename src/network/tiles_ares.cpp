// Tiles as ARES cuts them (codegen/gap9_model.py), with its quirks. It tries sizes from the
// largest down; what fits is monotone, so the same one is found by halving.
#include "tiling.hpp"

#include <algorithm>

namespace memsize::network {

namespace {

// Fewer channels in a tile are not worth a pass over the input.
constexpr std::uint64_t kFewestChannels = 8;

// Rows of a slab are counted as input rows and used as output rows; the output's width is that of
// the input by the stride.
std::optional<Slabs> ares_slabs(const TileShape& shape, core::Bytes l2) {
  const std::uint64_t all = sum({product({shape.in_rows, shape.in_columns, shape.in_channels}),
                                 product({shape.out_rows, shape.out_columns, shape.out_channels})});
  if (all <= l2.count()) {
    return Slabs{1, shape.out_rows, shape.in_rows, 0};
  }
  return fewest_slabs(shape.in_rows, l2, [&](std::uint64_t count) {
    const std::uint64_t rows = ceil_div(shape.in_rows, count);
    const std::uint64_t halo =
        std::min(rows * shape.stride_rows + shape.kernel_rows - 1, shape.in_rows);
    const std::uint64_t bytes =
        sum({product({halo, shape.in_columns, shape.in_channels}),
             product({rows, shape.in_columns / shape.stride_columns, shape.out_channels})});
    return Slabs{count, rows, halo, product({2, bytes})};
  });
}

Tiles in_slabs(const Slabs& slabs) {
  Tiles tiles;
  tiles.slabs = slabs.count;
  tiles.slab_rows = slabs.rows;
  tiles.slab_halo_rows = slabs.halo;
  tiles.l2 = core::Bytes{slabs.l2};
  return tiles;
}

// A convolution's tile of so many rows, as wide as the output.
class ConvTile {
 public:
  ConvTile(const TileShape& shape, std::uint64_t rows, std::uint64_t l1)
      : in_rows(window(rows, shape.stride_rows, shape.kernel_rows)),
        in_columns(window(shape.out_columns, shape.stride_columns, shape.kernel_columns)),
        input(product({in_rows, in_columns, shape.in_channels})),
        output(product({rows, shape.out_columns, shape.out_channels})),
        fits(sum({input, output}) <= l1 / 2) {
    // Groups make a channel's weights no shorter, but for a depthwise layer's.
    row = aligned_row(product({shape.kind == TileKind::kDepthwise ? 1 : shape.in_channels,
                               shape.kernel_rows,
                               shape.kernel_columns}));
    if (fits) {
      two = (l1 / 2 - input - output) / row;
      three = (l1 - 2 * (input + output)) / row / 3;
    }
  }

  std::uint64_t in_rows;
  std::uint64_t in_columns;
  std::uint64_t input;
  std::uint64_t output;
  bool fits;
  // Bytes of one channel's weights, and how many channels fit two buffers, and three.
  std::uint64_t row = 0;
  std::uint64_t two = 0;
  std::uint64_t three = 0;
};

void set_weights(Tiles& tiles, const ConvTile& tile, std::uint64_t all) {
  tiles.weight_buffers = 2;
  tiles.channels = std::min(tile.two, all);
  if (ceil_div(all, tiles.channels) >= kTilesForThree && tile.three >= kFewestChannels &&
      ceil_div(all, tile.three) >= kTilesForThree) {
    tiles.weight_buffers = 3;
    tiles.channels = tile.three;
  }
  tiles.weights = core::Bytes{tiles.channels * tile.row};
}

std::optional<Tiles> conv(const TileShape& shape, const TileBudget& budget) {
  const auto slabs = ares_slabs(shape, budget.l2);
  if (!slabs) {
    return std::nullopt;
  }
  Tiles tiles = in_slabs(*slabs);
  const std::uint64_t l1 = budget.l1.count();
  const std::uint64_t all = shape.out_channels;
  tiles.rows = largest(tiles.slab_rows, [&](std::uint64_t rows) {
    return ConvTile(shape, rows, l1).two >= std::min(all, kFewestChannels);
  });
  const bool cached = tiles.rows > 0;
  if (!cached) {
    tiles.rows = largest(tiles.slab_rows,
                         [&](std::uint64_t rows) { return ConvTile(shape, rows, l1).fits; });
  }
  if (tiles.rows == 0) {
    return std::nullopt;
  }
  const ConvTile tile(shape, tiles.rows, l1);
  tiles.channels = all;
  if (cached) {
    set_weights(tiles, tile, all);
  }
  tiles.columns = shape.out_columns;
  tiles.in_rows = tile.in_rows;
  tiles.in_columns = tile.in_columns;
  tiles.row_tiles = ceil_div(tiles.slab_rows, tiles.rows);
  tiles.column_tiles = 1;
  tiles.channel_tiles = ceil_div(all, tiles.channels);
  tiles.input = core::Bytes{tile.input};
  tiles.output = core::Bytes{tile.output};
  tiles.l1 =
      core::Bytes{2 * (tile.input + tile.output) + tiles.weight_buffers * tiles.weights.count()};
  return tiles;
}

// With tokens and int8 outputs, inputs and outputs stay in L2.
std::uint64_t features_of_tokens(std::uint64_t slab, std::uint64_t features, std::uint64_t l1) {
  constexpr std::uint64_t kSteps[] = {64, 32, 16, 4};
  const std::uint64_t most = l1 / 2 / features / 4 * 4;
  const std::uint64_t tile = std::min(slab, most);
  for (const std::uint64_t step : kSteps) {
    if (tile >= step) {
      return tile / step * step;
    }
  }
  return tile;
}

std::optional<Tiles> linear(const TileShape& shape, const TileBudget& budget) {
  const auto slabs = slabs_of_features(shape, budget.l2);
  if (!slabs) {
    return std::nullopt;
  }
  Tiles tiles = in_slabs(*slabs);
  const std::uint64_t l1 = budget.l1.count();
  std::uint64_t output = 0;
  if (shape.in_rows > 1 && shape.out_element == 1) {
    tiles.channels = features_of_tokens(slabs->rows, shape.in_channels, l1);
  } else {
    const std::uint64_t input = product({shape.in_rows, shape.in_channels});
    output = product({shape.in_rows, shape.out_element});
    const std::uint64_t feature = sum({shape.in_channels, output});
    tiles.input = core::Bytes{input};
    tiles.channels = input > l1 ? 0 : std::min((l1 - input) / 2 / feature, slabs->rows);
  }
  if (tiles.channels == 0) {
    return std::nullopt;
  }
  tiles.rows = shape.in_rows;
  tiles.columns = 1;
  tiles.in_rows = shape.in_rows;
  tiles.in_columns = 1;
  tiles.row_tiles = 1;
  tiles.column_tiles = 1;
  tiles.channel_tiles = ceil_div(tiles.slab_rows, tiles.channels);
  tiles.output = core::Bytes{tiles.channels * output};
  tiles.weights = core::Bytes{tiles.channels * shape.in_channels};
  tiles.weight_buffers = 2;
  tiles.l1 = core::Bytes{tiles.input.count() + 2 * tiles.channels * (shape.in_channels + output)};
  return tiles;
}

std::optional<Tiles> pool(const TileShape& shape, const TileBudget& budget) {
  const auto slabs = slabs_of_rows(shape, budget.l2);
  if (!slabs) {
    return std::nullopt;
  }
  Tiles tiles = in_slabs(*slabs);
  const auto set = [&](std::uint64_t rows, std::uint64_t columns) {
    tiles.rows = rows;
    tiles.columns = columns;
    tiles.in_rows = std::min(window(rows, shape.stride_rows, shape.kernel_rows), slabs->halo);
    tiles.in_columns = std::min(window(columns, shape.stride_columns, shape.kernel_columns),
                                shape.in_columns + 2 * shape.padding_columns);
    const std::uint64_t input = product({tiles.in_rows, tiles.in_columns, shape.in_channels});
    const std::uint64_t output = product({rows, columns, shape.out_channels});
    tiles.input = core::Bytes{input};
    tiles.output = core::Bytes{output};
    tiles.l1 = core::Bytes{product({2, sum({input, output})})};
    return tiles.l1 <= budget.l1;
  };
  // Rows come first: as many as fit with one column.
  const std::uint64_t rows = largest(slabs->rows, [&](std::uint64_t some) { return set(some, 1); });
  if (rows == 0) {
    return std::nullopt;
  }
  set(rows, largest(shape.out_columns, [&](std::uint64_t some) { return set(rows, some); }));
  tiles.channels = shape.out_channels;
  tiles.row_tiles = ceil_div(tiles.slab_rows, rows);
  tiles.column_tiles = ceil_div(shape.out_columns, tiles.columns);
  tiles.channel_tiles = 1;
  return tiles;
}

std::optional<Tiles> global_pool(const TileShape& shape, const TileBudget& budget) {
  // The output, and a sum of four bytes.
  const std::uint64_t fixed = product({5, shape.in_channels});
  const auto bytes = [&](std::uint64_t rows, std::uint64_t columns) {
    return sum({product({2, rows, columns, shape.in_channels}), fixed});
  };
  Tiles tiles = in_slabs({1, 1, shape.in_rows, 0});
  tiles.in_rows = largest(shape.in_rows,
                          [&](std::uint64_t rows) { return bytes(rows, 1) <= budget.l1.count(); });
  tiles.in_columns = largest(shape.in_columns, [&](std::uint64_t columns) {
    return bytes(tiles.in_rows, columns) <= budget.l1.count();
  });
  if (tiles.in_rows == 0 || tiles.in_columns == 0) {
    return std::nullopt;
  }
  tiles.rows = 1;
  tiles.columns = 1;
  tiles.channels = shape.in_channels;
  tiles.row_tiles = ceil_div(shape.in_rows, tiles.in_rows);
  tiles.column_tiles = ceil_div(shape.in_columns, tiles.in_columns);
  tiles.channel_tiles = 1;
  tiles.input = core::Bytes{tiles.in_rows * tiles.in_columns * shape.in_channels};
  tiles.output = core::Bytes{shape.in_channels};
  tiles.l1 = core::Bytes{bytes(tiles.in_rows, tiles.in_columns)};
  return tiles;
}

// Operands of which so many lie in L1.
std::optional<Tiles> elements(const TileShape& shape,
                              const TileBudget& budget,
                              std::uint64_t operands) {
  Tiles tiles = in_slabs({1, 1, 1, 0});
  tiles.channels = std::min(shape.out_channels, budget.l1.count() / 2 / operands);
  if (tiles.channels == 0) {
    return std::nullopt;
  }
  tiles.rows = 1;
  tiles.columns = 1;
  tiles.in_rows = 1;
  tiles.in_columns = 1;
  tiles.row_tiles = 1;
  tiles.column_tiles = 1;
  tiles.channel_tiles = ceil_div(shape.out_channels, tiles.channels);
  tiles.input = core::Bytes{operands * tiles.channels};
  tiles.l1 = core::Bytes{2 * tiles.input.count()};
  return tiles;
}

std::optional<Tiles> concat(const TileShape& shape, const TileBudget& budget) {
  const std::uint64_t places = shape.out_rows * shape.out_columns;
  Tiles tiles = in_slabs({1, shape.out_rows, shape.in_rows, 0});
  tiles.columns = std::min(places, budget.l1.count() / 2 / shape.out_channels);
  if (tiles.columns == 0) {
    return std::nullopt;
  }
  tiles.rows = 1;
  tiles.channels = shape.out_channels;
  tiles.in_rows = 1;
  tiles.in_columns = tiles.columns;
  tiles.row_tiles = 1;
  tiles.column_tiles = ceil_div(places, tiles.columns);
  tiles.channel_tiles = 1;
  tiles.input = core::Bytes{tiles.columns * shape.out_channels};
  tiles.l1 = core::Bytes{2 * tiles.input.count()};
  return tiles;
}

}  // namespace

std::optional<Tiles> ares_tiles(const TileShape& shape, const TileBudget& budget) {
  switch (shape.kind) {
    case TileKind::kNone:
      return std::nullopt;
    case TileKind::kConv:
    case TileKind::kDepthwise:
      return conv(shape, budget);
    case TileKind::kLinear:
      return linear(shape, budget);
    case TileKind::kPool:
      return pool(shape, budget);
    case TileKind::kGlobalPool:
      return global_pool(shape, budget);
    case TileKind::kElementwise:
      return elements(shape, budget, 1);
    case TileKind::kAdd:
      return elements(shape, budget, 2);
    case TileKind::kConcat:
      return concat(shape, budget);
  }
  return std::nullopt;
}

}  // namespace memsize::network
