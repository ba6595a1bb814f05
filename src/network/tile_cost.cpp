// What tiles move, and in how many commands: closed forms, since `best` asks for every size. Tiles
// differ at the borders only, where they read less.
#include "tiling.hpp"

#include <algorithm>

namespace memsize::network {

namespace {

// The sum of `count` terms from `first`, each `step` more than the one before, those below 0 as 0
// and those above `limit` as `limit`. It may wrap: what is asked for is a difference, which fits.
std::uint64_t sum_of_clamped(std::int64_t first,
                             std::uint64_t step,
                             std::uint64_t count,
                             std::uint64_t limit) {
  // Terms before the first that is above `bound`, or on it.
  const auto below = [&](std::int64_t bound) {
    return first >= bound
               ? std::uint64_t{0}
               : std::min(count, ceil_div(static_cast<std::uint64_t>(bound - first), step));
  };
  const std::uint64_t from = below(0);
  const std::uint64_t to = below(static_cast<std::int64_t>(limit));
  const auto before = [&](std::uint64_t n) {
    const std::uint64_t pairs = n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
    return n * static_cast<std::uint64_t>(first) + pairs * step;
  };
  return before(to) - before(from) + (count - to) * limit;
}

// Of `count` tiles that make [start, end), the next one `step` outputs behind: inputs they read.
std::uint64_t inputs_of(const Axis& axis,
                        std::uint64_t start,
                        std::uint64_t end,
                        std::uint64_t step,
                        std::uint64_t count) {
  const auto padding = static_cast<std::int64_t>(axis.padding);
  const std::int64_t first = static_cast<std::int64_t>(start * axis.stride) - padding;
  const std::int64_t last =
      static_cast<std::int64_t>((end - 1) * axis.stride + axis.kernel) - padding;
  return sum_of_clamped(last, step * axis.stride, count, axis.in) -
         sum_of_clamped(first, step * axis.stride, count, axis.in);
}

TileCost cost_of_linear(const TileShape& shape, const Tiles& tiles, std::uint64_t longest) {
  const std::uint64_t full = shape.out_channels / tiles.slab_rows;
  const std::uint64_t rest = shape.out_channels % tiles.slab_rows;
  // Of what has `element` bytes for each feature: tiles begin anew with each slab.
  const auto in_slabs = [&](std::uint64_t element) {
    const std::uint64_t tile = product({tiles.channels, element});
    const std::uint64_t slab = commands_of(product({tiles.slab_rows, element}), tile, longest);
    return sum({product({full, slab}), commands_of(product({rest, element}), tile, longest)});
  };
  TileCost cost{product({shape.in_channels, shape.out_channels}), in_slabs(shape.in_channels)};
  if (tiles.input.count() > 0) {
    const std::uint64_t slabs = full + (rest == 0 ? 0 : 1);
    const std::uint64_t input = product({shape.in_rows, shape.in_channels});
    cost.bytes = sum({cost.bytes,
                      product({slabs, input}),
                      product({shape.in_rows, shape.out_channels, shape.out_element})});
    cost.commands = sum({cost.commands,
                         product({slabs, ceil_div(input, longest)}),
                         product({shape.in_rows, in_slabs(shape.out_element)})});
  }
  return cost;
}

TileCost cost_of_global_pool(const TileShape& shape, const Tiles& tiles, std::uint64_t longest) {
  return {product({shape.in_rows * shape.in_columns + 1, shape.in_channels}),
          sum({product({shape.in_rows,
                        shape.in_channels,
                        commands_of(shape.in_columns, tiles.in_columns, longest)}),
               commands_of(shape.in_channels, tiles.channels, longest)})};
}

// Each operand is as many runs as there are; they are cut alike.
TileCost cost_of_runs(std::uint64_t runs, std::uint64_t run, std::uint64_t commands) {
  return {product({runs, run}), product({runs, commands})};
}

TileCost cost_of_layer_with_windows(const TileShape& shape,
                                    const Tiles& tiles,
                                    std::uint64_t longest) {
  const Reads rows = reads_of(rows_of(shape, tiles.slab_rows), tiles.rows);
  const Reads columns = reads_of(columns_of(shape), tiles.columns);
  const TileCost cost =
      cost_of_windows(shape, rows, columns, pieces_of(columns_of(shape), tiles.columns, longest));
  if (tiles.weight_buffers == 0) {
    return cost;
  }
  const TileCost weights =
      cost_of_weights(shape, tiles.channels, tiles.weights.count() / tiles.channels, longest);
  const std::uint64_t times = tiles.channel_tiles == 1 ? 1 : product({rows.tiles, columns.tiles});
  return {sum({cost.bytes, product({times, weights.bytes})}),
          sum({cost.commands, product({times, weights.commands})})};
}

}  // namespace

std::uint64_t product(std::initializer_list<std::uint64_t> factors) {
  // A zero wins over what did not fit.
  if (std::ranges::find(factors, std::uint64_t{0}) != factors.end()) {
    return 0;
  }
  std::uint64_t all = 1;
  for (const std::uint64_t factor : factors) {
    all = core::checked_mul(all, factor).value_or(UINT64_MAX);
  }
  return all;
}

std::uint64_t sum(std::initializer_list<std::uint64_t> terms) {
  core::Bytes all;
  for (const std::uint64_t term : terms) {
    all += core::Bytes{term};
  }
  return all.count();
}

std::optional<Slabs> slabs_of_rows(const TileShape& shape, core::Bytes l2) {
  const auto bytes = [&](std::uint64_t in_rows, std::uint64_t out_rows) {
    return sum({product({in_rows, shape.in_columns, shape.in_channels}),
                product({out_rows, shape.out_columns, shape.out_channels})});
  };
  if (bytes(shape.in_rows, shape.out_rows) <= l2.count()) {
    return Slabs{1, shape.out_rows, shape.in_rows, 0};
  }
  return fewest_slabs(shape.out_rows, l2, [&](std::uint64_t count) {
    const std::uint64_t rows = ceil_div(shape.out_rows, count);
    const std::uint64_t halo =
        std::min(window(rows, shape.stride_rows, shape.kernel_rows), shape.in_rows);
    return Slabs{count, rows, halo, product({2, bytes(halo, rows)})};
  });
}

std::optional<Slabs> slabs_of_features(const TileShape& shape, core::Bytes l2) {
  const std::uint64_t input = product({shape.in_rows, shape.in_channels});
  const auto bytes = [&](std::uint64_t features) {
    return sum({product({features, shape.in_channels}),
                product({features, shape.in_rows, shape.out_element})});
  };
  if (sum({input, bytes(shape.out_channels)}) <= l2.count()) {
    return Slabs{1, shape.out_channels, shape.in_rows, 0};
  }
  if (input > l2.count() / 2) {
    return std::nullopt;
  }
  return fewest_slabs(shape.out_channels, l2, [&](std::uint64_t count) {
    const std::uint64_t features = ceil_div(shape.out_channels, count);
    return Slabs{count, features, shape.in_rows, sum({input, product({2, bytes(features)})})};
  });
}

std::uint64_t weights_of_channel(const TileShape& shape) {
  switch (shape.kind) {
    case TileKind::kConv:
      return product({shape.in_channels / shape.groups, shape.kernel_rows, shape.kernel_columns});
    case TileKind::kDepthwise:
      return product({shape.kernel_rows, shape.kernel_columns});
    case TileKind::kLinear:
      return shape.in_channels;
    default:
      return 0;
  }
}

Axis rows_of(const TileShape& shape, std::uint64_t slab_rows) {
  return {shape.in_rows,
          shape.out_rows,
          shape.kernel_rows,
          shape.stride_rows,
          shape.padding_rows,
          slab_rows};
}

Axis columns_of(const TileShape& shape) {
  return {shape.in_columns,
          shape.out_columns,
          shape.kernel_columns,
          shape.stride_columns,
          shape.padding_columns,
          shape.out_columns};
}

Reads reads_of(const Axis& axis, std::uint64_t tile) {
  const std::uint64_t full = axis.out / axis.slab;
  Reads reads;
  // The tiles that stand at one place of each full slab, then those of the last one, alike.
  const auto add = [&](std::uint64_t slab, std::uint64_t start, std::uint64_t count) {
    const std::uint64_t whole = slab / tile;
    if (count == 1) {
      reads.inputs += whole == 0 ? 0 : inputs_of(axis, start, start + tile, tile, whole);
    } else {
      for (std::uint64_t i = 0; i < whole; ++i) {
        reads.inputs += inputs_of(axis, i * tile, (i + 1) * tile, slab, count);
      }
    }
    if (slab % tile != 0) {
      reads.inputs += inputs_of(axis, start + whole * tile, start + slab, slab, count);
    }
    reads.tiles += ceil_div(slab, tile) * count;
  };
  if (full > 0) {
    add(axis.slab, 0, full);
  }
  if (axis.out % axis.slab != 0) {
    add(axis.out % axis.slab, full * axis.slab, 1);
  }
  return reads;
}

Pieces pieces_of(const Axis& axis, std::uint64_t tile, std::uint64_t longest) {
  Pieces pieces{0, commands_of(axis.out, tile, longest)};
  const bool all_read =
      axis.padding < axis.kernel && (axis.out - 1) * axis.stride < axis.in + axis.padding;
  if (all_read && window(tile, axis.stride, axis.kernel) <= longest) {
    pieces.in = ceil_div(axis.out, tile);
    return pieces;
  }
  for (std::uint64_t start = 0; start < axis.out; start += tile) {
    const std::uint64_t end = std::min(start + tile, axis.out);
    pieces.in += ceil_div(inputs_of(axis, start, end, tile, 1), longest);
  }
  return pieces;
}

std::uint64_t commands_of(std::uint64_t total, std::uint64_t tile, std::uint64_t longest) {
  return total / tile * ceil_div(tile, longest) + ceil_div(total % tile, longest);
}

TileCost cost_of_windows(const TileShape& shape,
                         const Reads& rows,
                         const Reads& columns,
                         const Pieces& pieces) {
  return {sum({product({rows.inputs, columns.inputs, shape.in_channels}),
               product({shape.out_rows, shape.out_columns, shape.out_channels})}),
          sum({product({rows.inputs, pieces.in, shape.in_channels}),
               product({shape.out_rows, pieces.out, shape.out_channels})})};
}

TileCost cost_of_weights(const TileShape& shape,
                         std::uint64_t channels,
                         std::uint64_t row,
                         std::uint64_t longest) {
  const std::uint64_t there = weights_of_channel(shape);
  const std::uint64_t all = product({shape.out_channels, there});
  return {all,
          row == there ? commands_of(all, product({channels, there}), longest)
                       : product({shape.out_channels, ceil_div(there, longest)})};
}

TileCost cost_of(const TileShape& shape, const Tiles& tiles, const TileBudget& budget) {
  const std::uint64_t longest = budget.dma_longest.count();
  switch (shape.kind) {
    case TileKind::kNone:
      return {};
    case TileKind::kConv:
    case TileKind::kDepthwise:
    case TileKind::kPool:
      return cost_of_layer_with_windows(shape, tiles, longest);
    case TileKind::kLinear:
      return cost_of_linear(shape, tiles, longest);
    case TileKind::kGlobalPool:
      return cost_of_global_pool(shape, tiles, longest);
    case TileKind::kElementwise:
    case TileKind::kAdd: {
      const std::uint64_t size = shape.out_channels;
      return cost_of_runs(
          shape.kind == TileKind::kAdd ? 3 : 2, size, commands_of(size, tiles.channels, longest));
    }
    case TileKind::kConcat: {
      const std::uint64_t places = shape.out_rows * shape.out_columns;
      return cost_of_runs(
          product({2, shape.out_channels}), places, commands_of(places, tiles.columns, longest));
    }
  }
  return {};
}

}  // namespace memsize::network
