// How layers are cut: ARES' figures, and the best of everything that fits, by trying all of it.
#include "memsize/network/tiles.hpp"

#include "tiles_support.hpp"

#include <chrono>
#include <string>
#include <tuple>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::network::tiles_test {

namespace {

constexpr std::uint64_t kL1 = 102400;

Tiles ares(const TileShape& shape, const TileBudget& budget = budget_of(kL1)) {
  const auto tiles = tiles_of(shape, budget, TileChoice::kAres);
  REQUIRE(tiles);
  CHECK(check_tiles(shape, *tiles, budget).empty());
  return *tiles;
}

std::tuple<std::uint64_t, std::uint64_t, std::uint64_t> buffers_of(const Tiles& tiles) {
  return {tiles.input.count(), tiles.output.count(), tiles.weights.count()};
}

std::uint64_t part(std::uint64_t from, std::uint64_t size, std::uint64_t end) {
  return from >= end ? 0 : std::min(size, end - from);
}

// Inputs of an axis that outputs [from, from + count) read.
std::uint64_t walked_inputs(std::uint64_t from,
                            std::uint64_t count,
                            std::uint64_t kernel,
                            std::uint64_t stride,
                            std::uint64_t padding,
                            std::uint64_t extent) {
  std::uint64_t inputs = 0;
  for (std::uint64_t at = from * stride; at < (from + count - 1) * stride + kernel; ++at) {
    inputs += at >= padding && at - padding < extent ? 1 : 0;
  }
  return inputs;
}

// What is moved, transfer by transfer.
class Walk {
 public:
  Walk(const TileShape& shape, const Tiles& tiles, const TileBudget& budget)
      : shape_(shape), tiles_(tiles), longest_(budget.dma_longest.count()) {}

  TileCost all() {
    switch (shape_.kind) {
      case TileKind::kNone:
        break;
      case TileKind::kConv:
      case TileKind::kDepthwise:
      case TileKind::kPool:
        windows();
        break;
      case TileKind::kLinear:
        linear();
        break;
      case TileKind::kGlobalPool:
        global_pool();
        break;
      case TileKind::kElementwise:
      case TileKind::kAdd:
        each(tiles_.channel_tiles, tiles_.channels, shape_.out_channels, [&](auto n) {
          move(shape_.kind == TileKind::kAdd ? 3 : 2, n);
        });
        break;
      case TileKind::kConcat:
        each(
            tiles_.column_tiles, tiles_.columns, shape_.out_rows * shape_.out_columns, [&](auto n) {
              move(2 * shape_.out_channels, n);
            });
        break;
    }
    return cost_;
  }

 private:
  template <typename Do>
  static void each(std::uint64_t count, std::uint64_t size, std::uint64_t end, const Do& done) {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (const std::uint64_t n = part(i * size, size, end); n > 0) {
        done(n);
      }
    }
  }

  void move(std::uint64_t times, std::uint64_t bytes) {
    cost_.bytes += times * bytes;
    cost_.commands += times * ((bytes + longest_ - 1) / longest_);
  }

  void weights() {
    const std::uint64_t inputs =
        shape_.kind == TileKind::kDepthwise ? 1 : shape_.in_channels / shape_.groups;
    const std::uint64_t row = inputs * shape_.kernel_rows * shape_.kernel_columns;
    each(tiles_.channel_tiles, tiles_.channels, shape_.out_channels, [&](auto n) {
      if (tiles_.weights.count() == tiles_.channels * row) {
        move(1, n * row);
      } else {
        move(n, row);
      }
    });
  }

  void windows() {
    if (tiles_.weight_buffers > 0 && tiles_.channel_tiles == 1) {
      weights();
    }
    for (std::uint64_t s = 0; s < tiles_.slabs; ++s) {
      const std::uint64_t first = s * tiles_.slab_rows;
      const std::uint64_t end = first + part(first, tiles_.slab_rows, shape_.out_rows);
      for (std::uint64_t row = first; row < end; row += tiles_.rows) {
        for (std::uint64_t c = 0; c < shape_.out_columns; c += tiles_.columns) {
          spatial(row, part(row, tiles_.rows, end), c, part(c, tiles_.columns, shape_.out_columns));
        }
      }
    }
  }

  void spatial(std::uint64_t row, std::uint64_t rows, std::uint64_t column, std::uint64_t columns) {
    const std::uint64_t in_rows = walked_inputs(
        row, rows, shape_.kernel_rows, shape_.stride_rows, shape_.padding_rows, shape_.in_rows);
    const std::uint64_t in_columns = walked_inputs(column,
                                                   columns,
                                                   shape_.kernel_columns,
                                                   shape_.stride_columns,
                                                   shape_.padding_columns,
                                                   shape_.in_columns);
    move(in_rows * shape_.in_channels, in_columns);
    if (tiles_.weight_buffers > 0 && tiles_.channel_tiles > 1) {
      weights();
    }
    move(rows * shape_.out_channels, columns);
  }

  void linear() {
    each(tiles_.slabs, tiles_.slab_rows, shape_.out_channels, [&](auto slab) {
      const bool in_l1 = tiles_.input.count() > 0;
      if (in_l1) {
        move(1, shape_.in_rows * shape_.in_channels);
      }
      each(tiles_.channel_tiles, tiles_.channels, slab, [&](auto n) {
        move(1, n * shape_.in_channels);
        if (in_l1) {
          move(shape_.in_rows, n * shape_.out_element);
        }
      });
    });
  }

  void global_pool() {
    each(tiles_.channel_tiles, tiles_.channels, shape_.in_channels, [&](auto channels) {
      each(tiles_.row_tiles, tiles_.in_rows, shape_.in_rows, [&](auto rows) {
        each(tiles_.column_tiles, tiles_.in_columns, shape_.in_columns, [&](auto columns) {
          move(channels * rows, columns);
        });
      });
      move(1, channels);
    });
  }

  const TileShape& shape_;
  const Tiles& tiles_;
  std::uint64_t longest_;
  TileCost cost_;
};

std::uint64_t up(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

std::uint64_t covered(std::uint64_t outputs, std::uint64_t stride, std::uint64_t kernel) {
  return (outputs - 1) * stride + kernel;
}

bool has_slabs(const TileShape& shape) {
  return shape.kind == TileKind::kConv || shape.kind == TileKind::kDepthwise ||
         shape.kind == TileKind::kPool || shape.kind == TileKind::kLinear;
}

// As few slabs as fit, evenly.
std::optional<Tiles> slabs_by_trying(const TileShape& shape, const TileBudget& budget) {
  const bool linear = shape.kind == TileKind::kLinear;
  const std::uint64_t extent = linear ? shape.out_channels : shape.out_rows;
  const std::uint64_t input = linear ? shape.in_rows * shape.in_channels : 0;
  const auto bytes = [&](std::uint64_t in, std::uint64_t out) {
    return linear ? out * (shape.in_channels + shape.in_rows * shape.out_element)
                  : in * shape.in_columns * shape.in_channels +
                        out * shape.out_columns * shape.out_channels;
  };
  Tiles tiles;
  tiles.slab_rows = extent;
  tiles.slab_halo_rows = shape.in_rows;
  if (!has_slabs(shape) || input + bytes(shape.in_rows, extent) <= budget.l2.count()) {
    return tiles;
  }
  if (input > budget.l2.count() / 2) {
    return std::nullopt;
  }
  for (tiles.slabs = 2; tiles.slabs <= std::max<std::uint64_t>(extent, 2); ++tiles.slabs) {
    tiles.slab_rows = up(extent, tiles.slabs);
    if (!linear) {
      tiles.slab_halo_rows =
          std::min(shape.in_rows, covered(tiles.slab_rows, shape.stride_rows, shape.kernel_rows));
    }
    tiles.l2 = core::Bytes{input + 2 * bytes(tiles.slab_halo_rows, tiles.slab_rows)};
    if (tiles.l2 <= budget.l2) {
      return tiles;
    }
  }
  return std::nullopt;
}

// Every tile there is, small and large, right or not.
class Everything {
 public:
  Everything(const TileShape& shape, const TileBudget& budget) : shape_(shape), budget_(budget) {}

  std::optional<Tiles> best() {
    const auto slabs = slabs_by_trying(shape_, budget_);
    const auto ares = tiles_of(shape_, budget_, TileChoice::kAres);
    const bool conv = shape_.kind == TileKind::kConv || shape_.kind == TileKind::kDepthwise;
    const bool weighs = conv || shape_.kind == TileKind::kLinear;
    if (slabs) {
      if (weighs && !(ares && ares->weight_buffers == 0)) {
        try_all(*slabs, 2);
        try_all(*slabs, 3);
      }
      if (!best_ && shape_.kind != TileKind::kLinear) {
        try_all(*slabs, 0);
      }
    }
    if (ares && check_tiles(shape_, *ares, budget_).empty() &&
        (!best_ || cost(*ares) < cost(*best_))) {
      return ares;
    }
    return best_;
  }

 private:
  [[nodiscard]] TileCost cost(const Tiles& tiles) const {
    return Walk(shape_, tiles, budget_).all();
  }

  void try_all(const Tiles& slabs, std::uint64_t buffers) {
    const bool global = shape_.kind == TileKind::kGlobalPool;
    const bool linear = shape_.kind == TileKind::kLinear;
    const bool concat = shape_.kind == TileKind::kConcat;
    const std::uint64_t rows = global ? shape_.in_rows : linear || concat ? 1 : slabs.slab_rows;
    const std::uint64_t columns = global   ? shape_.in_columns
                                  : concat ? shape_.out_rows * shape_.out_columns
                                           : shape_.out_columns;
    const std::uint64_t channels = linear ? slabs.slab_rows : shape_.out_channels;
    for (std::uint64_t r = rows; r > 0; --r) {
      for (std::uint64_t c = columns; c > 0; --c) {
        for (std::uint64_t n = channels; n > 0; --n) {
          try_one(slabs, buffers, {r, c, n});
        }
      }
    }
  }

  struct Size {
    std::uint64_t rows;
    std::uint64_t columns;
    std::uint64_t channels;
  };

  void try_one(Tiles tiles, std::uint64_t buffers, Size size) {
    const bool linear = shape_.kind == TileKind::kLinear;
    tiles.rows = linear ? shape_.in_rows : size.rows;
    tiles.columns = size.columns;
    tiles.channels = size.channels;
    tiles.weight_buffers = buffers;
    tiles.channel_tiles = up(linear ? tiles.slab_rows : shape_.out_channels, size.channels);
    if (buffers == 3 && tiles.channel_tiles < 3) {
      return;
    }
    shaped(tiles);
    tiles.l1 = core::Bytes{tiles.l1.count() + buffers * tiles.weights.count()};
    if (tiles.l1 > budget_.l1 || !check_tiles(shape_, tiles, budget_).empty()) {
      return;
    }
    const auto key = std::tuple(cost(tiles),
                                ~(size.rows * size.columns * size.channels),
                                ~size.rows,
                                ~size.columns,
                                ~buffers);
    if (!best_ || key < key_) {
      best_ = tiles;
      key_ = key;
    }
  }

  void shaped(Tiles& tiles) const {
    tiles.in_rows = tiles.rows;
    tiles.in_columns = tiles.columns;
    tiles.row_tiles = up(tiles.slab_rows, tiles.rows);
    tiles.column_tiles = up(shape_.out_columns, tiles.columns);
    std::uint64_t row = 0;
    switch (shape_.kind) {
      case TileKind::kConv:
      case TileKind::kDepthwise:
      case TileKind::kPool: {
        const bool pool = shape_.kind == TileKind::kPool;
        tiles.in_rows = covered(tiles.rows, shape_.stride_rows, shape_.kernel_rows);
        tiles.in_columns = covered(tiles.columns, shape_.stride_columns, shape_.kernel_columns);
        if (pool) {
          tiles.in_rows = std::min(tiles.in_rows, tiles.slab_halo_rows);
        }
        const std::uint64_t inputs = pool ? tiles.channels : shape_.in_channels;
        const std::uint64_t made = pool ? tiles.channels : shape_.out_channels;
        tiles.input = core::Bytes{tiles.in_rows * tiles.in_columns * inputs};
        tiles.output = core::Bytes{tiles.rows * tiles.columns * made};
        const std::uint64_t own =
            shape_.kind == TileKind::kDepthwise ? 1 : shape_.in_channels / shape_.groups;
        row = up(own * shape_.kernel_rows * shape_.kernel_columns, 4) * 4;
        tiles.l1 = core::Bytes{2 * (tiles.input.count() + tiles.output.count())};
        break;
      }
      case TileKind::kLinear: {
        const bool in_l1 = shape_.in_rows == 1 || shape_.out_element > 1;
        row = shape_.in_channels;
        tiles.row_tiles = 1;
        tiles.input = core::Bytes{in_l1 ? shape_.in_rows * row : 0};
        tiles.output =
            core::Bytes{in_l1 ? shape_.in_rows * tiles.channels * shape_.out_element : 0};
        tiles.l1 = core::Bytes{tiles.input.count() + 2 * tiles.output.count()};
        break;
      }
      case TileKind::kGlobalPool:
        tiles.row_tiles = up(shape_.in_rows, tiles.rows);
        tiles.column_tiles = up(shape_.in_columns, tiles.columns);
        tiles.input = core::Bytes{tiles.rows * tiles.columns * tiles.channels};
        tiles.rows = 1;
        tiles.columns = 1;
        tiles.output = core::Bytes{tiles.channels};
        tiles.l1 = core::Bytes{2 * tiles.input.count() + 5 * tiles.channels};
        break;
      default: {
        const std::uint64_t operands = shape_.kind == TileKind::kAdd ? 2 : 1;
        if (shape_.kind == TileKind::kConcat) {
          tiles.row_tiles = 1;
          tiles.column_tiles = up(shape_.out_rows * shape_.out_columns, tiles.columns);
        }
        tiles.input = core::Bytes{operands * tiles.columns * tiles.channels};
        tiles.l1 = core::Bytes{2 * tiles.input.count()};
      }
    }
    if (tiles.weight_buffers > 0) {
      tiles.weights = core::Bytes{tiles.channels * row};
    }
  }

  using Key = std::tuple<TileCost, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;

  const TileShape& shape_;
  const TileBudget& budget_;
  std::optional<Tiles> best_;
  Key key_;
};

std::string described(const TileShape& s, const TileBudget& b) {
  return fmt::format(
      "{} in {}x{}x{} out {}x{}x{} k {}x{} s {}x{} p {}x{} g {} e {} l1 {} l2 {} dma {}",
      names_of(s.kind)[static_cast<std::size_t>(s.kind)],
      s.in_rows,
      s.in_columns,
      s.in_channels,
      s.out_rows,
      s.out_columns,
      s.out_channels,
      s.kernel_rows,
      s.kernel_columns,
      s.stride_rows,
      s.stride_columns,
      s.padding_rows,
      s.padding_columns,
      s.groups,
      s.out_element,
      b.l1.count(),
      b.l2.count(),
      b.dma_longest.count());
}

bool check_random(const TileShape& shape, const TileBudget& budget, bool walked) {
  CAPTURE(described(shape, budget));
  const auto ares = tiles_of(shape, budget, TileChoice::kAres);
  const auto best = tiles_of(shape, budget, TileChoice::kBest);
  const bool right = ares && ares_is_right(shape, *ares);
  if (ares) {
    CHECK(check_tiles(shape, *ares, budget).empty() == right);
    if (walked && right) {
      CHECK(cost_of(shape, *ares, budget) == Walk(shape, *ares, budget).all());
    }
  }
  if (right) {
    REQUIRE(best);
    CHECK(cost_of(shape, *best, budget) <= cost_of(shape, *ares, budget));
  }
  if (best) {
    const auto wrong = check_tiles(shape, *best, budget);
    CAPTURE(wrong.empty() ? "" : wrong[0]);
    CHECK(wrong.empty());
    if (walked) {
      CHECK(cost_of(shape, *best, budget) == Walk(shape, *best, budget).all());
    }
  }
  return best.has_value();
}

}  // namespace

TEST_SUITE("network") {
  TEST_CASE("convolutions as ARES cuts them") {
    SUBCASE("one tile") {
      const Tiles first = ares(layer(TileKind::kConv, 28, 1, 16, 3, 1, 1));
      CHECK(buffers_of(first) == std::tuple(900, 12544, 192));
      CHECK(first.rows == 28);
      CHECK(first.in_rows == 30);
      CHECK(first.row_tiles == 1);
      CHECK(first.weight_buffers == 2);
      CHECK(first.l1.count() == 2 * (900 + 12544 + 192));
      const Tiles second = ares(layer(TileKind::kConv, 28, 16, 32, 3, 2, 1));
      CHECK(buffers_of(second) == std::tuple(13456, 6272, 4608));
      CHECK(second.in_rows == 29);
      CHECK(second.rows == 14);
      const Tiles third = ares(layer(TileKind::kConv, 14, 32, 32, 3, 1, 1));
      CHECK(buffers_of(third) == std::tuple(8192, 6272, 9216));
    }
    SUBCASE("channels are cut") {
      const Tiles tiles = ares(layer(TileKind::kConv, 4, 128, 128, 3, 1, 1));
      CHECK(tiles.row_tiles == 1);
      CHECK(tiles.channel_tiles == 6);
      CHECK(tiles.channels == 25);
      CHECK(tiles.weight_buffers == 3);
      CHECK(tiles.weights.count() == 28800);
    }
    SUBCASE("rows and channels are cut") {
      const Tiles tiles = ares(layer(TileKind::kConv, 56, 32, 32, 3, 1, 1));
      CHECK(tiles.row_tiles == 5);
      CHECK(tiles.rows == 12);
      CHECK(tiles.channel_tiles == 4);
      CHECK(tiles.channels == 8);
      CHECK(tiles.weight_buffers == 3);
      CHECK(buffers_of(tiles) == std::tuple(25984, 21504, 2304));
      const Tiles wider = ares(layer(TileKind::kConv, 28, 64, 64, 3, 1, 1));
      CHECK(wider.row_tiles == 3);
      CHECK(wider.rows == 11);
      CHECK(wider.channel_tiles == 6);
      CHECK(wider.channels == 11);
      CHECK(wider.weight_buffers == 2);
    }
    SUBCASE("slabs") {
      const Tiles tiles = ares(layer(TileKind::kConv, 112, 32, 64, 3, 1, 1));
      CHECK(tiles.slabs == 3);
      CHECK(tiles.slab_rows == 38);
      CHECK(tiles.slab_halo_rows == 40);
      CHECK(tiles.l2.count() == 831488);
      CHECK(tiles.row_tiles == 13);
      CHECK(tiles.rows == 3);
      CHECK(tiles.channel_tiles == 2);
      CHECK(tiles.channels == 39);
    }
    SUBCASE("weights stay in L2") {
      const Tiles tiles = ares(layer(TileKind::kConv, 7, 512, 512, 3, 1, 1));
      CHECK(tiles.weight_buffers == 0);
      CHECK(tiles.weights.count() == 0);
      CHECK(tiles.row_tiles == 2);
      CHECK(tiles.rows == 5);
      CHECK(tiles.channels == 512);
    }
    SUBCASE("depthwise: short weights, all input channels") {
      const Tiles tiles = ares(layer(TileKind::kDepthwise, 28, 16, 16, 3, 1, 1));
      CHECK(buffers_of(tiles) == std::tuple(14400, 12544, 192));
    }
    SUBCASE("smaller budgets") {
      const TileShape shape = layer(TileKind::kConv, 28, 1, 16, 3, 1, 1);
      // Of 3000 bytes, a row takes 30 + 448, two more 60, and all weights 192.
      const Tiles tiles = ares(shape, budget_of(6000));
      CHECK(tiles.rows == 5);
      CHECK(buffers_of(tiles) == std::tuple(210, 2240, 192));
      CHECK(tiles.row_tiles == 6);
      const Tiles least = ares(shape, budget_of(2600));
      CHECK(least.rows == 2);
      CHECK(buffers_of(least) == std::tuple(120, 896, 192));
      CHECK_FALSE(tiles_of(shape, budget_of(1000), TileChoice::kAres));
    }
  }

  TEST_CASE("linear layers as ARES cuts them") {
    const Tiles first = ares(linear_layer(784, 256));
    CHECK(first.channel_tiles == 4);
    CHECK(first.channels == 64);
    CHECK(first.l1.count() == 784 + 2 * (64 * 784 + 64));
    const Tiles second = ares(linear_layer(256, 128));
    CHECK(second.channel_tiles == 1);
    const Tiles slabs = ares(linear_layer(4096, 1000));
    CHECK(slabs.slabs == 8);
    CHECK(slabs.slab_rows == 125);
    CHECK(slabs.channel_tiles == 12);
    CHECK(slabs.channels == 11);
    CHECK(slabs.l2.count() == 4096 + 2 * 125 * 4097);
    const Tiles tokens = ares(linear_layer(768, 192, 400));
    CHECK(tokens.channel_tiles == 3);
    CHECK(buffers_of(tokens) == std::tuple(0, 0, 64 * 768));
    // 66 fit: 64. Of 10 features, 8 and 2; of 3, all.
    CHECK(ares(linear_layer(100, 10, 5)).channels == 8);
    CHECK(ares(linear_layer(100, 3, 5)).channels == 3);
    CHECK_FALSE(tiles_of(linear_layer(13000, 8, 2), budget_of(kL1), TileChoice::kAres));
    // fp32 goes to L1 with its tokens.
    CHECK(buffers_of(ares(linear_layer(64, 10, 5, 4))) == std::tuple(320, 200, 640));
    CHECK_FALSE(tiles_of(linear_layer(600000, 4), budget_of(kL1), TileChoice::kAres));
  }

  TEST_CASE("pools as ARES cuts them") {
    const Tiles one = ares(layer(TileKind::kPool, 28, 16, 16, 2, 2));
    CHECK(one.l1.count() == 31360);
    CHECK(one.row_tiles == 1);
    const Tiles wide = ares(layer(TileKind::kPool, 112, 64, 64, 2, 2));
    CHECK(wide.rows == 56);
    CHECK(wide.columns == 2);
    CHECK(wide.row_tiles * wide.column_tiles == 28);
    // The rows of padding have no room.
    CHECK(ares(layer(TileKind::kPool, 28, 4, 4, 3, 1, 1)).in_rows == 28);
    const Tiles global = ares(global_pool_layer(7, 7, 1280));
    CHECK(global.in_rows == 7);
    CHECK(global.in_columns == 5);
    CHECK(global.row_tiles * global.column_tiles == 2);
    CHECK(global.l1.count() == 2 * 35 * 1280 + 5 * 1280);
  }

  TEST_CASE("element-wise layers as ARES cuts them") {
    CHECK(ares(elements_layer(TileKind::kElementwise, 60000)).channels == kL1 / 2);
    CHECK(ares(elements_layer(TileKind::kElementwise, 300)).channels == 300);
    CHECK(ares(elements_layer(TileKind::kAdd, 60000)).channels == kL1 / 4);
    CHECK(ares(elements_layer(TileKind::kAdd, 60000)).channel_tiles == 3);
    const Tiles concat = ares(concat_layer(28, 28, 96));
    CHECK(concat.columns == kL1 / 2 / 96);
    CHECK(concat.column_tiles == 2);
    CHECK_FALSE(tiles_of(concat_layer(2, 2, 51201), budget_of(kL1), TileChoice::kAres));
  }

  TEST_CASE("what is best, by hand") {
    // Pools: all rows and columns of some channels, where ARES moves two columns at a time.
    const TileShape pool = layer(TileKind::kPool, 112, 64, 64, 2, 2);
    const Tiles tiles = *tiles_of(pool, budget_of(kL1), TileChoice::kBest);
    CHECK(tiles.columns == 56);
    CHECK(cost_of(pool, tiles, budget_of(kL1)) == TileCost{1003520, 64 * (112 + 56)});
    CHECK(cost_of(pool, ares(pool), budget_of(kL1)).commands == 28 * 64 * (112 + 56));
    // Weights are ten times the input: as few spatial tiles as can be.
    const TileShape conv = layer(TileKind::kConv, 56, 32, 32, 3, 1, 1);
    const TileBudget budget = budget_of(kL1);
    CHECK(cost_of(conv, *tiles_of(conv, budget, TileChoice::kBest), budget) <
          cost_of(conv, ares(conv), budget));
    // 100 bytes a command: two of 100, and no third for a rest of 20.
    TileBudget cut = budget_of(240);
    cut.dma_longest = core::Bytes{100};
    const TileShape elements = elements_layer(TileKind::kElementwise, 400);
    CHECK(tiles_of(elements, cut, TileChoice::kBest)->channels == 100);
    CHECK(cost_of(elements, *tiles_of(elements, cut, TileChoice::kBest), cut).commands == 8);
  }

  TEST_CASE("random layers") {
    test::Random random(20261123);
    int found = 0;
    for (int round = 0; round < test::rounds(10000); ++round) {
      const bool large = round % 20 == 0;
      const TileShape shape = random_layer(random, large ? 112 : 24, large ? 256 : 32);
      found += check_random(shape, random_budget(random), !large) ? 1 : 0;
    }
    CHECK(found > test::rounds(6000));
  }

  TEST_CASE("nothing that is tried is better") {
    test::Random random(7);
    int found = 0;
    for (int round = 0; round < test::rounds(4000); ++round) {
      const TileShape shape = random_layer(random, 8, 6);
      const TileBudget budget{.l1 = core::Bytes{8 + random.below(1500)},
                              .l2 = core::Bytes{20 + random.below(2000)},
                              .dma_longest = core::Bytes{random.below(2) == 0 ? 131071U : 5U}};
      CAPTURE(described(shape, budget));
      const auto best = tiles_of(shape, budget, TileChoice::kBest);
      CHECK(best == Everything(shape, budget).best());
      found += best ? 1 : 0;
    }
    CHECK(found > test::rounds(1000));
  }

  TEST_CASE("more L1 moves more only where weights no longer stay in L2") {
    test::Random random(1580);
    int fetched = 0;
    for (int round = 0; round < 300; ++round) {
      const TileShape shape = random_layer(random, 12, 16);
      TileBudget budget = random_budget(random);
      std::optional<Tiles> less;
      TileCost before;
      for (budget.l1 = core::Bytes{8}; budget.l1 < core::Bytes{6000};
           budget.l1 += core::Bytes{1 + random.below(100)}) {
        CAPTURE(described(shape, budget));
        const auto more = tiles_of(shape, budget, TileChoice::kBest);
        REQUIRE((more || !less));
        const TileCost cost = more ? cost_of(shape, *more, budget) : TileCost{};
        if (less && cost > before) {
          CHECK(less->weight_buffers == 0);
          CHECK(more->weight_buffers != 0);
          ++fetched;
        }
        less = more;
        before = cost;
      }
    }
    CHECK(fetched > 0);
  }

  TEST_CASE("what is large takes no time") {
    const auto begin = std::chrono::steady_clock::now();
    TileBudget budget = budget_of(kL1, std::uint64_t{1} << 40);
    for (const TileShape& shape : {layer(TileKind::kConv, 112, 512, 512, 3, 1, 1),
                                   layer(TileKind::kConv, 112, 1, 1, 1, 1, 0),
                                   layer(TileKind::kPool, 112, 512, 512, 3, 2, 1),
                                   layer(TileKind::kConv, 1 << 20, 1, 1, 3, 2, 1),
                                   concat_layer(1 << 10, 1 << 10, 1 << 10),
                                   global_pool_layer(1 << 16, 1 << 16, 1 << 10),
                                   elements_layer(TileKind::kAdd, std::uint64_t{1} << 60)}) {
      CAPTURE(described(shape, budget));
      const auto best = tiles_of(shape, budget, TileChoice::kBest);
      REQUIRE(best);
      CHECK(check_tiles(shape, *best, budget).empty());
    }
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  }
}

}  // namespace memsize::network::tiles_test
