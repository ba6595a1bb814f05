// The tiles that move least. Every number of rows and columns that fits L1 is tried, each in a few
// steps: what an axis reads is counted once for each size (reads_of), and costs of a tile are
// products of those counts. Of channels only those are tried that can be best:
// - A pool's, a global pool's and a concatenation's cost, but for a global pool's output, does not
//   depend on them: each channel is moved in rows of its own. The most that fit are the largest
//   tile. A global pool's output is one run a tile: see best_run.
// - A convolution's weights move once where one tile has all channels, else once for each spatial
//   tile, whatever their number. So all, where they fit: that is the least, and the largest. Else
//   only commands can differ, and only where a tile's weights are one run: best_run.
#include "tiling.hpp"

#include <algorithm>
#include <tuple>

namespace memsize::network {

namespace {

// `total` units of `unit` bytes, moved by at most `most`: the largest number that takes the fewest
// commands. Fewer than ceil(bytes / longest) are not possible, and where no tile is longer than a
// command the largest is best; so more than a few are seldom tried.
std::uint64_t best_run(std::uint64_t total,
                       std::uint64_t unit,
                       std::uint64_t most,
                       std::uint64_t longest) {
  const std::uint64_t bytes = product({total, unit});
  const std::uint64_t least = ceil_div(bytes, longest);
  std::uint64_t best = most;
  std::uint64_t fewest = UINT64_MAX;
  for (std::uint64_t tile = most; tile > 0 && fewest > least; --tile) {
    const std::uint64_t commands = commands_of(bytes, product({tile, unit}), longest);
    if (commands < fewest) {
      fewest = commands;
      best = tile;
    }
    if (product({tile, unit}) <= longest) {
      break;
    }
  }
  return best;
}

// What is best so far.
class Best {
 public:
  [[nodiscard]] bool may_win(std::uint64_t bytes) const { return !found_ || bytes <= cost_.bytes; }

  void offer(const Tiles& tiles, const TileCost& cost, std::uint64_t size) {
    const auto key = [](const TileCost& c, std::uint64_t s, const Tiles& t) {
      return std::tuple(c.bytes,
                        c.commands,
                        ~s,
                        ~t.rows,
                        ~t.columns,
                        ~t.in_rows,
                        ~t.in_columns,
                        ~t.weight_buffers);
    };
    if (!found_ || key(cost, size, tiles) < key(cost_, size_, tiles_)) {
      found_ = true;
      tiles_ = tiles;
      cost_ = cost;
      size_ = size;
    }
  }

  [[nodiscard]] std::optional<Tiles> tiles() const {
    return found_ ? std::optional(tiles_) : std::nullopt;
  }

 private:
  bool found_ = false;
  Tiles tiles_;
  TileCost cost_;
  std::uint64_t size_ = 0;
};

// Layers with windows, in slabs that are given.
class WindowSearch {
 public:
  WindowSearch(const TileShape& shape, const TileBudget& budget, const Slabs& slabs)
      : shape_(shape), budget_(budget), row_(aligned_row(weights_of_channel(shape))) {
    base_.slabs = slabs.count;
    base_.slab_rows = slabs.rows;
    base_.slab_halo_rows = slabs.halo;
    base_.l2 = core::Bytes{slabs.l2};
  }

  std::optional<Tiles> find(bool cached) {
    cached_ = cached;
    best_ = {};
    const Axis columns = columns_of(shape_);
    // No more columns than fit with one row.
    column_costs_.clear();
    for (std::uint64_t c = 1; c <= shape_.out_columns && sized(1, c); ++c) {
      column_costs_.push_back(
          {reads_of(columns, c), pieces_of(columns, c, budget_.dma_longest.count())});
    }
    for (std::uint64_t r = 1; r <= base_.slab_rows; ++r) {
      if (!sized(r, 1)) {
        break;
      }
      const Reads reads = reads_of(rows_of(shape_, base_.slab_rows), r);
      for (std::uint64_t c = 1; c <= column_costs_.size(); ++c) {
        const auto tiles = sized(r, c);
        if (!tiles) {
          break;
        }
        const auto& [column_reads, pieces] = column_costs_[c - 1];
        try_one(*tiles,
                cost_of_windows(shape_, reads, column_reads, pieces),
                product({reads.tiles, column_reads.tiles}));
      }
    }
    return best_.tiles();
  }

 private:
  // Tiles without weights; nothing where even the fewest channels do not fit.
  [[nodiscard]] std::optional<Tiles> sized(std::uint64_t rows, std::uint64_t columns) const {
    Tiles tiles = base_;
    const bool pool = shape_.kind == TileKind::kPool;
    tiles.rows = rows;
    tiles.columns = columns;
    tiles.in_rows = window(rows, shape_.stride_rows, shape_.kernel_rows);
    tiles.in_columns = window(columns, shape_.stride_columns, shape_.kernel_columns);
    if (pool) {
      tiles.in_rows = std::min(tiles.in_rows, base_.slab_halo_rows);
      tiles.in_columns = std::min(tiles.in_columns, shape_.in_columns + 2 * shape_.padding_columns);
    }
    const std::uint64_t input = product({tiles.in_rows, tiles.in_columns});
    const std::uint64_t output = product({rows, columns});
    const std::uint64_t half = budget_.l1.count() / 2;
    tiles.channels =
        pool ? std::min(shape_.out_channels, half / sum({input, output})) : shape_.out_channels;
    tiles.input = core::Bytes{product({input, pool ? tiles.channels : shape_.in_channels})};
    tiles.output = core::Bytes{product({output, tiles.channels})};
    if (tiles.channels == 0 || tiles.input + tiles.output > core::Bytes{half}) {
      return std::nullopt;
    }
    tiles.row_tiles = ceil_div(base_.slab_rows, rows);
    tiles.column_tiles = ceil_div(shape_.out_columns, columns);
    tiles.channel_tiles = ceil_div(shape_.out_channels, tiles.channels);
    tiles.l1 = core::Bytes{2 * (tiles.input.count() + tiles.output.count())};
    return tiles;
  }

  void try_one(Tiles tiles, const TileCost& windows, std::uint64_t spatial) {
    TileCost cost = windows;
    if (cached_) {
      const std::uint64_t longest = budget_.dma_longest.count();
      const std::uint64_t all = shape_.out_channels;
      const std::uint64_t left = budget_.l1.count() - tiles.l1.count();
      const std::uint64_t most = left / 2 / row_;
      const std::uint64_t times = most < all ? spatial : 1;
      const std::uint64_t there = weights_of_channel(shape_);
      cost.bytes = sum({cost.bytes, product({times, all, there})});
      if (most == 0 || !best_.may_win(cost.bytes)) {
        return;
      }
      const bool one_run = row_ == there;
      tiles.channels = most >= all ? all : one_run ? best_run(all, there, most, longest) : most;
      tiles.channel_tiles = ceil_div(all, tiles.channels);
      tiles.weights = core::Bytes{tiles.channels * row_};
      const bool three =
          tiles.channel_tiles >= kTilesForThree && product({3, tiles.weights.count()}) <= left;
      tiles.weight_buffers = three ? 3 : 2;
      tiles.l1 += core::Bytes{tiles.weight_buffers * tiles.weights.count()};
      cost.commands =
          sum({cost.commands,
               product({times, cost_of_weights(shape_, tiles.channels, row_, longest).commands})});
    }
    best_.offer(tiles, cost, product({tiles.rows, tiles.columns, tiles.channels}));
  }

  struct ColumnCost {
    Reads reads;
    Pieces pieces;
  };

  const TileShape& shape_;
  const TileBudget& budget_;
  std::uint64_t row_;
  Tiles base_;
  bool cached_ = false;
  std::vector<ColumnCost> column_costs_;
  Best best_;
};

// ARES' slabs make every output, and are as large as it says.
bool is_right(const TileShape& shape, const Tiles& ares) {
  return ares.slabs == 1 || (product({ares.slabs, ares.slab_rows}) >= shape.out_rows &&
                             shape.in_columns / shape.stride_columns >= shape.out_columns);
}

std::optional<Tiles> best_windows(const TileShape& shape,
                                  const TileBudget& budget,
                                  const std::optional<Tiles>& ares) {
  std::optional<Tiles> best;
  if (const auto slabs = slabs_of_rows(shape, budget.l2)) {
    WindowSearch search(shape, budget, *slabs);
    const bool weighs = shape.kind != TileKind::kPool;
    if (weighs && !(ares && ares->weight_buffers == 0)) {
      best = search.find(true);
    }
    if (!best) {
      best = search.find(false);
    }
  }
  const bool instead = ares && is_right(shape, *ares) &&
                       (!best || cost_of(shape, *ares, budget) < cost_of(shape, *best, budget));
  return instead ? ares : best;
}

// Bytes are the same for each number of features.
std::optional<Tiles> best_linear(const TileShape& shape, const TileBudget& budget) {
  const auto slabs = slabs_of_features(shape, budget.l2);
  if (!slabs) {
    return std::nullopt;
  }
  const bool in_l2 = shape.in_rows > 1 && shape.out_element == 1;
  const std::uint64_t input = in_l2 ? 0 : product({shape.in_rows, shape.in_channels});
  const std::uint64_t output = in_l2 ? 0 : product({shape.in_rows, shape.out_element});
  const std::uint64_t l1 = budget.l1.count();
  const std::uint64_t most =
      input > l1 ? 0 : std::min(slabs->rows, (l1 - input) / 2 / sum({shape.in_channels, output}));
  Best best;
  // Where no tile is longer than a command, the largest is best.
  bool may_be_cut = true;
  for (std::uint64_t features = most; features > 0 && may_be_cut; --features) {
    Tiles tiles;
    tiles.slabs = slabs->count;
    tiles.slab_rows = slabs->rows;
    tiles.slab_halo_rows = slabs->halo;
    tiles.l2 = core::Bytes{slabs->l2};
    tiles.rows = shape.in_rows;
    tiles.columns = 1;
    tiles.channels = features;
    tiles.in_rows = shape.in_rows;
    tiles.in_columns = 1;
    tiles.row_tiles = 1;
    tiles.column_tiles = 1;
    tiles.channel_tiles = ceil_div(slabs->rows, features);
    tiles.input = core::Bytes{input};
    tiles.output = core::Bytes{features * output};
    tiles.weights = core::Bytes{features * shape.in_channels};
    const std::uint64_t others = input + 2 * tiles.output.count();
    const bool three =
        tiles.channel_tiles >= kTilesForThree && others + 3 * tiles.weights.count() <= l1;
    tiles.weight_buffers = three ? 3 : 2;
    tiles.l1 = core::Bytes{others + tiles.weight_buffers * tiles.weights.count()};
    best.offer(tiles, cost_of(shape, tiles, budget), product({tiles.rows, features}));
    const std::uint64_t run = in_l2 ? 0 : product({features, shape.out_element});
    may_be_cut = std::max(tiles.weights.count(), run) > budget.dma_longest.count();
  }
  return best.tiles();
}

std::optional<Tiles> best_global_pool(const TileShape& shape, const TileBudget& budget) {
  const std::uint64_t l1 = budget.l1.count();
  // Two buffers of a channel's input, a sum of four bytes, the output.
  const auto channel = [](std::uint64_t rows, std::uint64_t columns) {
    return sum({product({2, rows, columns}), 5});
  };
  Best best;
  for (std::uint64_t r = 1; r <= shape.in_rows && channel(r, 1) <= l1; ++r) {
    for (std::uint64_t c = 1; c <= shape.in_columns && channel(r, c) <= l1; ++c) {
      Tiles tiles;
      tiles.slab_rows = 1;
      tiles.slab_halo_rows = shape.in_rows;
      tiles.rows = 1;
      tiles.columns = 1;
      tiles.channels = best_run(shape.in_channels,
                                1,
                                std::min(shape.in_channels, l1 / channel(r, c)),
                                budget.dma_longest.count());
      tiles.in_rows = r;
      tiles.in_columns = c;
      tiles.row_tiles = ceil_div(shape.in_rows, r);
      tiles.column_tiles = ceil_div(shape.in_columns, c);
      tiles.channel_tiles = ceil_div(shape.in_channels, tiles.channels);
      tiles.input = core::Bytes{r * c * tiles.channels};
      tiles.output = core::Bytes{tiles.channels};
      tiles.l1 = core::Bytes{channel(r, c) * tiles.channels};
      best.offer(tiles, cost_of(shape, tiles, budget), r * c * tiles.channels);
    }
  }
  return best.tiles();
}

// ARES' tile is the largest; a smaller one is better only where that is cut badly.
std::optional<Tiles> best_elements(const TileShape& shape,
                                   const TileBudget& budget,
                                   std::optional<Tiles> tiles) {
  if (tiles) {
    const std::uint64_t operands = tiles->input.count() / tiles->channels;
    tiles->channels = best_run(shape.out_channels, 1, tiles->channels, budget.dma_longest.count());
    tiles->channel_tiles = ceil_div(shape.out_channels, tiles->channels);
    tiles->input = core::Bytes{operands * tiles->channels};
    tiles->l1 = core::Bytes{2 * tiles->input.count()};
  }
  return tiles;
}

std::optional<Tiles> best_concat(const TileShape& shape, const TileBudget& budget) {
  const std::uint64_t places = shape.out_rows * shape.out_columns;
  const std::uint64_t half = budget.l1.count() / 2;
  Best best;
  // All of them: one that is narrower may be larger, with more channels.
  for (std::uint64_t columns = std::min(places, half); columns > 0; --columns) {
    Tiles tiles;
    tiles.slab_rows = shape.out_rows;
    tiles.slab_halo_rows = shape.in_rows;
    tiles.rows = 1;
    tiles.columns = columns;
    tiles.channels = std::min(shape.out_channels, half / columns);
    tiles.in_rows = 1;
    tiles.in_columns = columns;
    tiles.row_tiles = 1;
    tiles.column_tiles = ceil_div(places, columns);
    tiles.channel_tiles = ceil_div(shape.out_channels, tiles.channels);
    tiles.input = core::Bytes{columns * tiles.channels};
    tiles.l1 = core::Bytes{2 * tiles.input.count()};
    best.offer(tiles, cost_of(shape, tiles, budget), columns * tiles.channels);
  }
  return best.tiles();
}

}  // namespace

std::optional<Tiles> best_tiles(const TileShape& shape, const TileBudget& budget) {
  switch (shape.kind) {
    case TileKind::kNone:
      return std::nullopt;
    case TileKind::kConv:
    case TileKind::kDepthwise:
    case TileKind::kPool:
      return best_windows(shape, budget, ares_tiles(shape, budget));
    case TileKind::kLinear:
      return best_linear(shape, budget);
    case TileKind::kGlobalPool:
      return best_global_pool(shape, budget);
    case TileKind::kElementwise:
    case TileKind::kAdd:
      return best_elements(shape, budget, ares_tiles(shape, budget));
    case TileKind::kConcat:
      return best_concat(shape, budget);
  }
  return std::nullopt;
}

std::optional<Tiles> tiles_of(const TileShape& shape, const TileBudget& budget, TileChoice choice) {
  if (budget.dma_longest.count() == 0 || budget.dma_open == 0) {
    return std::nullopt;
  }
  return choice == TileChoice::kAres ? ares_tiles(shape, budget) : best_tiles(shape, budget);
}

}  // namespace memsize::network
