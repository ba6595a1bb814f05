// What is wrong with tiles. Tiles are the same for every value of the other axes, so each output is
// made once where each axis is covered once. What windows read, what buffers take and what fits is
// counted anew here, and shares nothing with what makes tiles.
#include "memsize/network/tiles.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::network {

namespace {

// Of an axis: so many slabs of one size.
struct SlabCut {
  std::uint64_t count = 1;
  std::uint64_t size = 0;
};

// From, and up to but not including.
struct Interval {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

// a * b + c, which is the largest number where it does not fit.
std::uint64_t checked(std::uint64_t a, std::uint64_t b, std::uint64_t c = 0) {
  return (core::Bytes{core::checked_mul(a, b).value_or(UINT64_MAX)} + core::Bytes{c}).count();
}

// What is wrong, in the order in which it is found.
class TileFaults {
 public:
  void add(std::string fault) { faults_.push_back(std::move(fault)); }

  void equal(std::string_view what, std::uint64_t said, std::uint64_t is) {
    if (said != is) {
      add(fmt::format("{}: {}, where it is {}", what, said, is));
    }
  }

  [[nodiscard]] std::vector<std::string> take() && { return std::move(faults_); }

 private:
  std::vector<std::string> faults_;
};

bool slides(const TileShape& shape) {
  return shape.kind == TileKind::kConv || shape.kind == TileKind::kDepthwise ||
         shape.kind == TileKind::kPool;
}

bool is_linear(const TileShape& shape) {
  return shape.kind == TileKind::kLinear;
}

// Tiles stand side by side in a slab, and slabs on the axis: what is not made is behind the last
// tile of a slab, or behind the last slab.
void check_cover(TileFaults& faults,
                 std::string_view what,
                 std::uint64_t extent,
                 SlabCut slabs,
                 std::uint64_t count,
                 std::uint64_t size) {
  if (checked(count - 1, size) >= slabs.size) {
    faults.add(fmt::format(
        "{}: the last of {} tiles of {} begins behind {}", what, count, size, slabs.size));
  }
  if (size > slabs.size) {
    faults.add(fmt::format("{}: a tile of {} is larger than {}", what, size, slabs.size));
  }
  const std::uint64_t made = checked(count, size);
  if (made < std::min(slabs.size, extent)) {
    faults.add(fmt::format("{}: no tile makes {}", what, made));
  }
  if (checked(slabs.count, slabs.size) < extent) {
    faults.add(
        fmt::format("{}: {} of {} are made", what, checked(slabs.count, slabs.size), extent));
  }
}

void check_axes(const TileShape& shape, const Tiles& tiles, TileFaults& faults) {
  const SlabCut slabs{tiles.slabs, tiles.slab_rows};
  const auto rows = [&](std::uint64_t extent, SlabCut cut, std::uint64_t size) {
    check_cover(faults, "rows", extent, cut, tiles.row_tiles, size);
  };
  const auto columns = [&](std::uint64_t extent, std::uint64_t size) {
    check_cover(faults, "columns", extent, {1, extent}, tiles.column_tiles, size);
  };
  switch (shape.kind) {
    case TileKind::kLinear:
      rows(shape.out_rows, {1, shape.out_rows}, tiles.rows);
      columns(1, tiles.columns);
      check_cover(
          faults, "features", shape.out_channels, slabs, tiles.channel_tiles, tiles.channels);
      return;
    case TileKind::kGlobalPool:
      rows(shape.in_rows, {1, shape.in_rows}, tiles.in_rows);
      columns(shape.in_columns, tiles.in_columns);
      faults.equal("rows of a tile", tiles.rows, 1);
      faults.equal("columns of a tile", tiles.columns, 1);
      break;
    case TileKind::kConcat:
      rows(1, {1, 1}, tiles.rows);
      columns(shape.out_rows * shape.out_columns, tiles.columns);
      break;
    default:
      rows(shape.out_rows, slides(shape) ? slabs : SlabCut{1, shape.out_rows}, tiles.rows);
      columns(shape.out_columns, tiles.columns);
  }
  check_cover(faults,
              "channels",
              shape.out_channels,
              {1, shape.out_channels},
              tiles.channel_tiles,
              tiles.channels);
}

// Bytes of L2 of a slab's part: input rows, output rows, or features.
std::uint64_t l2_of_slab(const TileShape& shape, std::uint64_t in_rows, std::uint64_t out) {
  if (is_linear(shape)) {
    return checked(out, shape.in_channels, checked(out, shape.in_rows * shape.out_element));
  }
  return checked(in_rows,
                 shape.in_columns * shape.in_channels,
                 checked(out, shape.out_columns * shape.out_channels));
}

void check_slabs(const TileShape& shape, const Tiles& tiles, core::Bytes l2, TileFaults& faults) {
  const std::uint64_t extent = is_linear(shape) ? shape.out_channels : shape.out_rows;
  const std::uint64_t tokens = is_linear(shape) ? shape.in_rows * shape.in_channels : 0;
  if (is_linear(shape) || tiles.slabs == 1) {
    faults.equal("input rows of a slab", tiles.slab_halo_rows, shape.in_rows);
  }
  std::uint64_t need = 0;
  if (tiles.slabs == 1) {
    faults.equal("rows of the only slab", tiles.slab_rows, extent);
    faults.equal("bytes of slabs", tiles.l2.count(), 0);
    need =
        slides(shape) || is_linear(shape)
            ? (core::Bytes{tokens} + core::Bytes{l2_of_slab(shape, shape.in_rows, extent)}).count()
            : 0;
  } else {
    if (!slides(shape) && !is_linear(shape)) {
      faults.add("slabs of a layer that has none");
    }
    need = checked(2, l2_of_slab(shape, tiles.slab_halo_rows, tiles.slab_rows), tokens);
    // ARES makes an output that has no padding wider than it is.
    const std::uint64_t wide = shape.in_columns / shape.stride_columns;
    const std::uint64_t more =
        slides(shape) && wide > shape.out_columns
            ? checked(2 * tiles.slab_rows, (wide - shape.out_columns) * shape.out_channels, need)
            : need;
    need = tiles.l2.count() == more ? more : need;
    faults.equal("bytes of slabs", tiles.l2.count(), need);
  }
  if (need > l2.count()) {
    faults.add(fmt::format("{} bytes of L2, of {}", need, l2.count()));
  }
}

// Rows, without padding, that make outputs from one to another.
std::uint64_t parts_read(Interval made,
                         std::uint64_t stride,
                         std::uint64_t kernel,
                         std::uint64_t padding,
                         std::uint64_t extent) {
  const std::uint64_t begin = made.from * stride;
  const std::uint64_t end = (made.to - 1) * stride + kernel;
  const std::uint64_t first = begin > padding ? std::min(begin - padding, extent) : 0;
  const std::uint64_t last = end > padding ? std::min(end - padding, extent) : 0;
  return last - first;
}

void check_windows(const TileShape& shape,
                   const Tiles& tiles,
                   std::uint64_t tile_rows,
                   TileFaults& faults) {
  std::uint64_t tile_columns = 0;
  const std::uint64_t most = checked(tiles.columns - 1, shape.stride_columns, shape.kernel_columns);
  for (std::uint64_t c = 0;
       c < shape.out_columns && tile_columns < std::min(most, shape.in_columns);
       c += tiles.columns) {
    tile_columns = std::max(tile_columns,
                            parts_read({c, std::min(c + tiles.columns, shape.out_columns)},
                                       shape.stride_columns,
                                       shape.kernel_columns,
                                       shape.padding_columns,
                                       shape.in_columns));
  }
  if (tile_rows > tiles.in_rows || tile_columns > tiles.in_columns) {
    faults.add(fmt::format("a tile reads {} rows and {} columns, and has {} and {}",
                           tile_rows,
                           tile_columns,
                           tiles.in_rows,
                           tiles.in_columns));
  }
  if (shape.kind != TileKind::kPool) {
    faults.equal("input rows of a tile",
                 tiles.in_rows,
                 checked(tiles.rows - 1, shape.stride_rows, shape.kernel_rows));
    faults.equal("input columns of a tile",
                 tiles.in_columns,
                 checked(tiles.columns - 1, shape.stride_columns, shape.kernel_columns));
  }
}

// What slabs and a pool's tiles read is there; a convolution's tiles hold whole windows.
void check_inputs(const TileShape& shape, const Tiles& tiles, TileFaults& faults) {
  if (!slides(shape)) {
    if (shape.kind != TileKind::kGlobalPool) {
      faults.equal("input rows of a tile", tiles.in_rows, tiles.rows);
      faults.equal("input columns of a tile", tiles.in_columns, tiles.columns);
    }
    return;
  }
  const auto read_rows = [&](Interval made) {
    return parts_read(
        made, shape.stride_rows, shape.kernel_rows, shape.padding_rows, shape.in_rows);
  };
  std::uint64_t slab = 0;
  std::uint64_t tile = 0;
  // None reads more than whole windows, or than there is: what is behind the first that does need
  // not be seen.
  const std::uint64_t most = checked(tiles.rows - 1, shape.stride_rows, shape.kernel_rows);
  const std::uint64_t all = checked(tiles.slab_rows - 1, shape.stride_rows, shape.kernel_rows);
  for (std::uint64_t start = 0; start < shape.out_rows && (slab < std::min(all, shape.in_rows) ||
                                                           tile < std::min(most, shape.in_rows));
       start += tiles.slab_rows) {
    const std::uint64_t end = std::min(start + tiles.slab_rows, shape.out_rows);
    slab = std::max(slab, read_rows({start, end}));
    for (std::uint64_t row = start; row < end && tile < std::min(most, shape.in_rows);
         row += tiles.rows) {
      tile = std::max(tile, read_rows({row, std::min(row + tiles.rows, end)}));
    }
  }
  if (slab > tiles.slab_halo_rows) {
    faults.add(fmt::format("a slab reads {} input rows, and has {}", slab, tiles.slab_halo_rows));
  }
  check_windows(shape, tiles, tile, faults);
}

// Bytes of the weights of one output channel, without what aligns them.
std::uint64_t filter_of(const TileShape& shape, bool of_group) {
  if (is_linear(shape)) {
    return shape.in_channels;
  }
  const std::uint64_t inputs = shape.kind == TileKind::kDepthwise ? 1
                               : of_group                         ? shape.in_channels / shape.groups
                                                                  : shape.in_channels;
  return checked(inputs, shape.kernel_rows * shape.kernel_columns);
}

void check_weights(const TileShape& shape, const Tiles& tiles, TileFaults& faults) {
  const bool has_some = is_linear(shape) || (slides(shape) && shape.kind != TileKind::kPool);
  const std::uint64_t buffers = tiles.weight_buffers;
  if (buffers != 0 && (!has_some || (buffers != 2 && buffers != 3))) {
    faults.add(fmt::format("{} buffers of weights", buffers));
  }
  if (is_linear(shape) && buffers == 0) {
    faults.add("a linear layer's weights have no buffer");
  }
  if (buffers == 0) {
    faults.equal("bytes of weights", tiles.weights.count(), 0);
    return;
  }
  const std::uint64_t row = tiles.weights.count() / tiles.channels;
  if (tiles.weights.count() % tiles.channels != 0 ||
      (!is_linear(shape) && row % kWeightRowAlignment != 0)) {
    faults.add(
        fmt::format("{} bytes of weights for {} channels: a channel's do not begin "
                    "at a multiple of {}",
                    tiles.weights.count(),
                    tiles.channels,
                    kWeightRowAlignment));
  }
  // ARES gives groups the room of a layer that has none.
  const std::uint64_t slack = is_linear(shape) ? 0 : kWeightRowAlignment - 1;
  if (row < filter_of(shape, true) ||
      row > (core::Bytes{filter_of(shape, false)} + core::Bytes{slack}).count()) {
    faults.add(
        fmt::format("{} bytes for a channel's weights, which are {}", row, filter_of(shape, true)));
  }
}

void check_buffers(const TileShape& shape,
                   const Tiles& tiles,
                   core::Bytes most,
                   TileFaults& faults) {
  check_weights(shape, tiles, faults);
  const core::Bytes weights{checked(tiles.weight_buffers, tiles.weights.count())};
  const std::uint64_t area = checked(tiles.in_rows, tiles.in_columns);
  std::uint64_t input = checked(area, tiles.channels);
  std::uint64_t output = 0;
  switch (shape.kind) {
    case TileKind::kConv:
    case TileKind::kDepthwise:
      input = checked(area, shape.in_channels);
      output = checked(checked(tiles.rows, tiles.columns), shape.out_channels);
      break;
    case TileKind::kPool:
      output = checked(checked(tiles.rows, tiles.columns), tiles.channels);
      break;
    case TileKind::kLinear:
      if (tiles.input.count() == 0 && shape.in_rows > 1) {
        // Where it lies, in L2.
        input = 0;
        break;
      }
      input = checked(shape.in_rows, shape.in_channels);
      output = checked(tiles.channels, shape.in_rows * shape.out_element);
      break;
    case TileKind::kGlobalPool:
      output = tiles.channels;
      break;
    case TileKind::kAdd:
      input = checked(input, 2);
      break;
    default:
      break;
  }
  faults.equal("bytes of an input buffer", tiles.input.count(), input);
  faults.equal("bytes of an output buffer", tiles.output.count(), output);
  const std::uint64_t sums = checked(tiles.channels, 4);
  const core::Bytes l1 =
      weights + (shape.kind == TileKind::kGlobalPool
                     ? core::Bytes{checked(2, input, output)} + core::Bytes{sums}
                 : is_linear(shape) ? core::Bytes{checked(2, output, input)}
                                    : core::Bytes{checked(2, input, checked(2, output))});
  faults.equal("bytes of L1", tiles.l1.count(), l1.count());
  if (l1 > most) {
    faults.add(fmt::format("{} bytes of L1, of {}", l1.count(), most.count()));
  }
}

}  // namespace

std::vector<std::string> check_tiles(const TileShape& shape,
                                     const Tiles& tiles,
                                     const TileBudget& budget) {
  if (shape.kind == TileKind::kNone) {
    return {"such a layer is not cut"};
  }
  for (const std::uint64_t number : {tiles.slabs,
                                     tiles.slab_rows,
                                     tiles.rows,
                                     tiles.columns,
                                     tiles.channels,
                                     tiles.in_rows,
                                     tiles.in_columns,
                                     tiles.row_tiles,
                                     tiles.column_tiles,
                                     tiles.channel_tiles}) {
    if (number == 0) {
      return {"slabs and tiles are nothing"};
    }
  }
  TileFaults faults;
  if (budget.dma_longest.count() == 0 || budget.dma_open == 0) {
    faults.add("the DMA engine can do no command");
  }
  check_axes(shape, tiles, faults);
  check_slabs(shape, tiles, budget.l2, faults);
  check_inputs(shape, tiles, faults);
  check_buffers(shape, tiles, budget.l1, faults);
  return std::move(faults).take();
}

}  // namespace memsize::network
