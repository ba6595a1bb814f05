// Each number of tiles that is one off is found.
#include "memsize/network/tiles.hpp"

#include "tiles_support.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::network::tiles_test {

namespace {

struct Field {
  const char* name;
  std::function<void(Tiles&, std::uint64_t)> add;
};

Field number(const char* name, std::uint64_t Tiles::*member) {
  return {name, [member](Tiles& tiles, std::uint64_t delta) { tiles.*member += delta; }};
}

Field size(const char* name, core::Bytes Tiles::*member) {
  return {name, [member](Tiles& tiles, std::uint64_t delta) {
            tiles.*member = core::Bytes{(tiles.*member).count() + delta};
          }};
}

std::vector<Field> fields() {
  return {number("slabs", &Tiles::slabs),
          number("slab_rows", &Tiles::slab_rows),
          number("slab_halo_rows", &Tiles::slab_halo_rows),
          size("l2", &Tiles::l2),
          number("rows", &Tiles::rows),
          number("columns", &Tiles::columns),
          number("channels", &Tiles::channels),
          number("in_rows", &Tiles::in_rows),
          number("in_columns", &Tiles::in_columns),
          number("row_tiles", &Tiles::row_tiles),
          number("column_tiles", &Tiles::column_tiles),
          number("channel_tiles", &Tiles::channel_tiles),
          size("input", &Tiles::input),
          size("output", &Tiles::output),
          size("weights", &Tiles::weights),
          number("weight_buffers", &Tiles::weight_buffers),
          size("l1", &Tiles::l1)};
}

void check_mutations(const TileShape& shape, const TileBudget& budget, const Tiles& tiles) {
  CAPTURE(names_of(shape.kind)[static_cast<std::size_t>(shape.kind)]);
  REQUIRE(check_tiles(shape, tiles, budget).empty());
  for (const Field& field : fields()) {
    for (const std::uint64_t delta : {std::uint64_t{1}, UINT64_MAX}) {
      CAPTURE(field.name);
      CAPTURE(delta);
      // An empty slab more is no fault.
      if (field.name == std::string("slabs") && delta == 1 && tiles.slabs > 1) {
        continue;
      }
      Tiles other = tiles;
      field.add(other, delta);
      CHECK_FALSE(check_tiles(shape, other, budget).empty());
    }
  }
}

}  // namespace

TEST_SUITE("network") {
  TEST_CASE("each number of tiles that is one off is found") {
    const std::pair<TileShape, TileBudget> layers[] = {
        {layer(TileKind::kConv, 28, 1, 16, 3, 1, 1), budget_of(102400)},
        {layer(TileKind::kConv, 28, 16, 32, 3, 2, 1), budget_of(6000)},
        {layer(TileKind::kConv, 112, 32, 64, 3, 1, 1), budget_of(102400)},
        {layer(TileKind::kConv, 7, 512, 512, 3, 1, 1), budget_of(102400)},
        {layer(TileKind::kDepthwise, 28, 24, 24, 3, 1, 1), budget_of(6000)},
        {layer(TileKind::kPool, 112, 64, 64, 2, 2), budget_of(102400)},
        {layer(TileKind::kPool, 30, 8, 8, 3, 2, 1), budget_of(2600, 8000)},
        {linear_layer(784, 256), budget_of(102400)},
        {linear_layer(4096, 1000), budget_of(102400)},
        {linear_layer(768, 192, 400), budget_of(102400)},
        {linear_layer(64, 10, 5, 4), budget_of(2600)},
        {global_pool_layer(7, 7, 1280), budget_of(102400)},
        {elements_layer(TileKind::kElementwise, 60000), budget_of(102400)},
        {elements_layer(TileKind::kAdd, 60000), budget_of(102400)},
        {concat_layer(28, 28, 96), budget_of(102400)}};
    for (const auto& [shape, budget] : layers) {
      for (const TileChoice choice : {TileChoice::kAres, TileChoice::kBest}) {
        CAPTURE(static_cast<int>(choice));
        const auto tiles = tiles_of(shape, budget, choice);
        REQUIRE(tiles);
        check_mutations(shape, budget, *tiles);
      }
    }
  }

  TEST_CASE("a budget that is too small is found") {
    const TileShape shape = layer(TileKind::kConv, 112, 32, 64, 3, 1, 1);
    const Tiles tiles = *tiles_of(shape, budget_of(102400), TileChoice::kAres);
    CHECK(check_tiles(shape, tiles, {tiles.l1, tiles.l2}).empty());
    CHECK(check_tiles(shape, tiles, {tiles.l1 - core::Bytes{1}, tiles.l2}).size() == 1);
    CHECK(check_tiles(shape, tiles, {tiles.l1, tiles.l2 - core::Bytes{1}}).size() == 1);
    // One slab, too, takes L2.
    const TileShape small = layer(TileKind::kConv, 28, 1, 16, 3, 1, 1);
    const Tiles one = *tiles_of(small, budget_of(102400), TileChoice::kAres);
    CHECK(check_tiles(small, one, budget_of(102400, 784 + 12544)).empty());
    CHECK(check_tiles(small, one, budget_of(102400, 784 + 12543)).size() == 1);
  }

  TEST_CASE("an engine that can do no command, and layers that are not cut") {
    const TileShape shape = elements_layer(TileKind::kAdd, 100);
    TileBudget budget = budget_of(102400);
    const Tiles tiles = *tiles_of(shape, budget, TileChoice::kAres);
    budget.dma_open = 0;
    CHECK(check_tiles(shape, tiles, budget).size() == 1);
    CHECK_FALSE(tiles_of(shape, budget, TileChoice::kBest));
    budget.dma_open = 16;
    budget.dma_longest = core::Bytes{0};
    CHECK(check_tiles(shape, tiles, budget).size() == 1);
    CHECK_FALSE(tiles_of(shape, budget, TileChoice::kAres));
    CHECK(check_tiles({}, tiles, budget_of(102400)).size() == 1);
    CHECK_FALSE(tiles_of({}, budget_of(102400), TileChoice::kBest));
  }

  TEST_CASE("what ARES' slabs lose is found") {
    // 29 columns at stride 2 make 15, and ARES counts 14 in L2.
    const TileShape wide = layer(TileKind::kConv, 29, 8, 8, 3, 2, 1);
    const TileBudget budget = budget_of(102400, 7000);
    const auto narrow = tiles_of(wide, budget, TileChoice::kAres);
    REQUIRE(narrow);
    const auto said = check_tiles(wide, *narrow, budget);
    REQUIRE_FALSE(said.empty());
    CHECK(said[0].starts_with("bytes of slabs: "));
    const auto best = tiles_of(wide, budget, TileChoice::kBest);
    REQUIRE(best);
    CHECK(check_tiles(wide, *best, budget).empty());
    // 8 rows and a padding of 2 make 12, of which three slabs of three have 9.
    const TileShape high = layer(TileKind::kConv, 8, 8, 8, 1, 1, 2);
    const TileBudget less = budget_of(102400, 1000);
    const auto cut = tiles_of(high, less, TileChoice::kAres);
    REQUIRE(cut);
    CHECK(check_tiles(high, *cut, less)[0] == "rows: 9 of 12 are made");
  }
}

}  // namespace memsize::network::tiles_test
