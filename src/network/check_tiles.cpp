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

class TileCheck {
 public:
  TileCheck(const TileShape& shape, const Tiles& tiles, const TileBudget& budget)
      : shape_(shape), tiles_(tiles), budget_(budget) {}

  std::vector<std::string> all() {
    if (shape_.kind == TileKind::kNone) {
      return {"such a layer is not cut"};
    }
    if (budget_.dma_longest.count() == 0 || budget_.dma_open == 0) {
      wrong_.emplace_back("the DMA engine can do no command");
    }
    for (const std::uint64_t number : {tiles_.slabs,
                                       tiles_.slab_rows,
                                       tiles_.rows,
                                       tiles_.columns,
                                       tiles_.channels,
                                       tiles_.in_rows,
                                       tiles_.in_columns,
                                       tiles_.row_tiles,
                                       tiles_.column_tiles,
                                       tiles_.channel_tiles}) {
      if (number == 0) {
        return {"slabs and tiles are nothing"};
      }
    }
    axes();
    slabs();
    inputs();
    buffers();
    return wrong_;
  }

 private:
  [[nodiscard]] bool slides() const {
    return shape_.kind == TileKind::kConv || shape_.kind == TileKind::kDepthwise ||
           shape_.kind == TileKind::kPool;
  }

  [[nodiscard]] bool linear() const { return shape_.kind == TileKind::kLinear; }

  void equal(std::string_view what, std::uint64_t said, std::uint64_t is) {
    if (said != is) {
      wrong_.push_back(fmt::format("{}: {}, where it is {}", what, said, is));
    }
  }

  // Tiles stand side by side in a slab, and slabs on the axis: what is not made is behind the last
  // tile of a slab, or behind the last slab.
  void cover(std::string_view what,
             std::uint64_t extent,
             SlabCut slabs,
             std::uint64_t count,
             std::uint64_t size) {
    if (checked(count - 1, size) >= slabs.size) {
      wrong_.push_back(fmt::format(
          "{}: the last of {} tiles of {} begins behind {}", what, count, size, slabs.size));
    }
    if (size > slabs.size) {
      wrong_.push_back(fmt::format("{}: a tile of {} is larger than {}", what, size, slabs.size));
    }
    const std::uint64_t made = checked(count, size);
    if (made < std::min(slabs.size, extent)) {
      wrong_.push_back(fmt::format("{}: no tile makes {}", what, made));
    }
    if (checked(slabs.count, slabs.size) < extent) {
      wrong_.push_back(
          fmt::format("{}: {} of {} are made", what, checked(slabs.count, slabs.size), extent));
    }
  }

  void axes() {
    const SlabCut slabs{tiles_.slabs, tiles_.slab_rows};
    const auto rows = [&](std::uint64_t extent, SlabCut cut, std::uint64_t size) {
      cover("rows", extent, cut, tiles_.row_tiles, size);
    };
    const auto columns = [&](std::uint64_t extent, std::uint64_t size) {
      cover("columns", extent, {1, extent}, tiles_.column_tiles, size);
    };
    switch (shape_.kind) {
      case TileKind::kLinear:
        rows(shape_.out_rows, {1, shape_.out_rows}, tiles_.rows);
        columns(1, tiles_.columns);
        cover("features", shape_.out_channels, slabs, tiles_.channel_tiles, tiles_.channels);
        return;
      case TileKind::kGlobalPool:
        rows(shape_.in_rows, {1, shape_.in_rows}, tiles_.in_rows);
        columns(shape_.in_columns, tiles_.in_columns);
        equal("rows of a tile", tiles_.rows, 1);
        equal("columns of a tile", tiles_.columns, 1);
        break;
      case TileKind::kConcat:
        rows(1, {1, 1}, tiles_.rows);
        columns(shape_.out_rows * shape_.out_columns, tiles_.columns);
        break;
      default:
        rows(shape_.out_rows, slides() ? slabs : SlabCut{1, shape_.out_rows}, tiles_.rows);
        columns(shape_.out_columns, tiles_.columns);
    }
    cover("channels",
          shape_.out_channels,
          {1, shape_.out_channels},
          tiles_.channel_tiles,
          tiles_.channels);
  }

  // Bytes of L2 of a slab's part: input rows, output rows, or features.
  [[nodiscard]] std::uint64_t l2_of(std::uint64_t in_rows, std::uint64_t out) const {
    if (linear()) {
      return checked(out, shape_.in_channels, checked(out, shape_.in_rows * shape_.out_element));
    }
    return checked(in_rows,
                   shape_.in_columns * shape_.in_channels,
                   checked(out, shape_.out_columns * shape_.out_channels));
  }

  void slabs() {
    const std::uint64_t extent = linear() ? shape_.out_channels : shape_.out_rows;
    const std::uint64_t tokens = linear() ? shape_.in_rows * shape_.in_channels : 0;
    if (linear() || tiles_.slabs == 1) {
      equal("input rows of a slab", tiles_.slab_halo_rows, shape_.in_rows);
    }
    std::uint64_t need = 0;
    if (tiles_.slabs == 1) {
      equal("rows of the only slab", tiles_.slab_rows, extent);
      equal("bytes of slabs", tiles_.l2.count(), 0);
      need = slides() || linear()
                 ? (core::Bytes{tokens} + core::Bytes{l2_of(shape_.in_rows, extent)}).count()
                 : 0;
    } else {
      if (!slides() && !linear()) {
        wrong_.emplace_back("slabs of a layer that has none");
      }
      need = checked(2, l2_of(tiles_.slab_halo_rows, tiles_.slab_rows), tokens);
      // ARES makes an output that has no padding wider than it is.
      const std::uint64_t wide = shape_.in_columns / shape_.stride_columns;
      const std::uint64_t more =
          slides() && wide > shape_.out_columns
              ? checked(
                    2 * tiles_.slab_rows, (wide - shape_.out_columns) * shape_.out_channels, need)
              : need;
      need = tiles_.l2.count() == more ? more : need;
      equal("bytes of slabs", tiles_.l2.count(), need);
    }
    if (need > budget_.l2.count()) {
      wrong_.push_back(fmt::format("{} bytes of L2, of {}", need, budget_.l2.count()));
    }
  }

  // Rows, without padding, that make outputs from one to another.
  static std::uint64_t read(Interval made,
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

  [[nodiscard]] std::uint64_t read_rows(Interval made) const {
    return read(made, shape_.stride_rows, shape_.kernel_rows, shape_.padding_rows, shape_.in_rows);
  }

  // What slabs and a pool's tiles read is there; a convolution's tiles hold whole windows.
  void inputs() {
    if (!slides()) {
      if (shape_.kind != TileKind::kGlobalPool) {
        equal("input rows of a tile", tiles_.in_rows, tiles_.rows);
        equal("input columns of a tile", tiles_.in_columns, tiles_.columns);
      }
      return;
    }
    std::uint64_t slab = 0;
    std::uint64_t tile = 0;
    // None reads more than whole windows, or than there is: what is behind the first that does need
    // not be seen.
    const std::uint64_t most = checked(tiles_.rows - 1, shape_.stride_rows, shape_.kernel_rows);
    const std::uint64_t all = checked(tiles_.slab_rows - 1, shape_.stride_rows, shape_.kernel_rows);
    for (std::uint64_t start = 0;
         start < shape_.out_rows &&
         (slab < std::min(all, shape_.in_rows) || tile < std::min(most, shape_.in_rows));
         start += tiles_.slab_rows) {
      const std::uint64_t end = std::min(start + tiles_.slab_rows, shape_.out_rows);
      slab = std::max(slab, read_rows({start, end}));
      for (std::uint64_t row = start; row < end && tile < std::min(most, shape_.in_rows);
           row += tiles_.rows) {
        tile = std::max(tile, read_rows({row, std::min(row + tiles_.rows, end)}));
      }
    }
    if (slab > tiles_.slab_halo_rows) {
      wrong_.push_back(
          fmt::format("a slab reads {} input rows, and has {}", slab, tiles_.slab_halo_rows));
    }
    windows(tile);
  }

  void windows(std::uint64_t tile_rows) {
    std::uint64_t tile_columns = 0;
    const std::uint64_t most =
        checked(tiles_.columns - 1, shape_.stride_columns, shape_.kernel_columns);
    for (std::uint64_t c = 0;
         c < shape_.out_columns && tile_columns < std::min(most, shape_.in_columns);
         c += tiles_.columns) {
      tile_columns = std::max(tile_columns,
                              read({c, std::min(c + tiles_.columns, shape_.out_columns)},
                                   shape_.stride_columns,
                                   shape_.kernel_columns,
                                   shape_.padding_columns,
                                   shape_.in_columns));
    }
    if (tile_rows > tiles_.in_rows || tile_columns > tiles_.in_columns) {
      wrong_.push_back(fmt::format("a tile reads {} rows and {} columns, and has {} and {}",
                                   tile_rows,
                                   tile_columns,
                                   tiles_.in_rows,
                                   tiles_.in_columns));
    }
    if (shape_.kind != TileKind::kPool) {
      equal("input rows of a tile",
            tiles_.in_rows,
            checked(tiles_.rows - 1, shape_.stride_rows, shape_.kernel_rows));
      equal("input columns of a tile",
            tiles_.in_columns,
            checked(tiles_.columns - 1, shape_.stride_columns, shape_.kernel_columns));
    }
  }

  // Bytes of the weights of one output channel, without what aligns them.
  [[nodiscard]] std::uint64_t filter(bool of_group) const {
    if (linear()) {
      return shape_.in_channels;
    }
    const std::uint64_t inputs = shape_.kind == TileKind::kDepthwise ? 1
                                 : of_group ? shape_.in_channels / shape_.groups
                                            : shape_.in_channels;
    return checked(inputs, shape_.kernel_rows * shape_.kernel_columns);
  }

  void weights() {
    const bool has_some = linear() || (slides() && shape_.kind != TileKind::kPool);
    const std::uint64_t buffers = tiles_.weight_buffers;
    if (buffers != 0 && (!has_some || (buffers != 2 && buffers != 3))) {
      wrong_.push_back(fmt::format("{} buffers of weights", buffers));
    }
    if (linear() && buffers == 0) {
      wrong_.emplace_back("a linear layer's weights have no buffer");
    }
    if (buffers == 0) {
      equal("bytes of weights", tiles_.weights.count(), 0);
      return;
    }
    const std::uint64_t row = tiles_.weights.count() / tiles_.channels;
    if (tiles_.weights.count() % tiles_.channels != 0 ||
        (!linear() && row % kWeightRowAlignment != 0)) {
      wrong_.push_back(
          fmt::format("{} bytes of weights for {} channels: a channel's do not begin "
                      "at a multiple of {}",
                      tiles_.weights.count(),
                      tiles_.channels,
                      kWeightRowAlignment));
    }
    // ARES gives groups the room of a layer that has none.
    const std::uint64_t slack = linear() ? 0 : kWeightRowAlignment - 1;
    if (row < filter(true) || row > (core::Bytes{filter(false)} + core::Bytes{slack}).count()) {
      wrong_.push_back(
          fmt::format("{} bytes for a channel's weights, which are {}", row, filter(true)));
    }
  }

  void buffers() {
    weights();
    const core::Bytes weights{checked(tiles_.weight_buffers, tiles_.weights.count())};
    const std::uint64_t area = checked(tiles_.in_rows, tiles_.in_columns);
    std::uint64_t input = checked(area, tiles_.channels);
    std::uint64_t output = 0;
    switch (shape_.kind) {
      case TileKind::kConv:
      case TileKind::kDepthwise:
        input = checked(area, shape_.in_channels);
        output = checked(checked(tiles_.rows, tiles_.columns), shape_.out_channels);
        break;
      case TileKind::kPool:
        output = checked(checked(tiles_.rows, tiles_.columns), tiles_.channels);
        break;
      case TileKind::kLinear:
        if (tiles_.input.count() == 0 && shape_.in_rows > 1) {
          // Where it lies, in L2.
          input = 0;
          break;
        }
        input = checked(shape_.in_rows, shape_.in_channels);
        output = checked(tiles_.channels, shape_.in_rows * shape_.out_element);
        break;
      case TileKind::kGlobalPool:
        output = tiles_.channels;
        break;
      case TileKind::kAdd:
        input = checked(input, 2);
        break;
      default:
        break;
    }
    equal("bytes of an input buffer", tiles_.input.count(), input);
    equal("bytes of an output buffer", tiles_.output.count(), output);
    const std::uint64_t sums = checked(tiles_.channels, 4);
    const core::Bytes l1 =
        weights + (shape_.kind == TileKind::kGlobalPool
                       ? core::Bytes{checked(2, input, output)} + core::Bytes{sums}
                   : linear() ? core::Bytes{checked(2, output, input)}
                              : core::Bytes{checked(2, input, checked(2, output))});
    equal("bytes of L1", tiles_.l1.count(), l1.count());
    if (l1 > budget_.l1) {
      wrong_.push_back(fmt::format("{} bytes of L1, of {}", l1.count(), budget_.l1.count()));
    }
  }

  const TileShape& shape_;
  const Tiles& tiles_;
  const TileBudget& budget_;
  std::vector<std::string> wrong_;
};

}  // namespace

std::vector<std::string> check_tiles(const TileShape& shape,
                                     const Tiles& tiles,
                                     const TileBudget& budget) {
  return TileCheck(shape, tiles, budget).all();
}

}  // namespace memsize::network
