// Layers over each other, by hand and against a model of one byte at a time.
#include "memsize/chip/lens.hpp"

#include "memsize/chip/limits.hpp"

#include "support.hpp"

#include <vector>

#include <doctest/doctest.h>

namespace memsize::chip::lens_test {

namespace {

// What shows an address: the last layer that has it, and its eighth on.
std::optional<std::size_t> shown_at(const std::vector<Layer>& layers, std::uint64_t address) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    if (address < layer.base || address - layer.base >= layer.size) {
      continue;
    }
    const std::uint64_t part = (address - layer.base) / std::max<std::uint64_t>(layer.size / 8, 1);
    const bool is_off =
        layer.size >= 256 && (layer.disabled & 1U << std::min<std::uint64_t>(part, 7)) != 0;
    found = is_off ? found : std::optional{i};
  }
  return found;
}

}  // namespace

TEST_SUITE("chip") {
  TEST_CASE("the later layer wins, and what lies around it keeps the earlier one") {
    const Lens lens{{{0x1000, 0x3000}, {0x2000, 0x1000}}};
    CHECK(lens.shown() ==
          std::vector<Piece>{{0x1000, 0x1FFF, 0}, {0x2000, 0x2FFF, 1}, {0x3000, 0x3FFF, 0}});
    CHECK(lens.over(0x800, 0x4000) == std::vector<Piece>{{0x800, 0xFFF, std::nullopt},
                                                         {0x1000, 0x1FFF, 0},
                                                         {0x2000, 0x2FFF, 1},
                                                         {0x3000, 0x3FFF, 0},
                                                         {0x4000, 0x47FF, std::nullopt}});
    CHECK(lens.over(0x2800, 0x100) == std::vector<Piece>{{0x2800, 0x28FF, 1}});
    CHECK(lens.over(0x9000, 1) == std::vector<Piece>{{0x9000, 0x9000, std::nullopt}});
    CHECK(lens.over(0x2000, 0).empty());
    CHECK(lens.at(0xFFF) == std::nullopt);
    CHECK(lens.at(0x2FFF) == 1);
    CHECK(lens.at(0x3000) == 0);
  }

  TEST_CASE("eighths that are off show what lies below, and the smallest regions have none") {
    const Lens lens{{{0, kMpuSpace}, {0x8000, 0x800, 0b0000'0110}, {0x100, 128, 0xFF}}};
    CHECK(lens.at(0x8000) == 1);
    CHECK(lens.at(0x8100) == 0);
    CHECK(lens.at(0x82FF) == 0);
    CHECK(lens.at(0x8300) == 1);
    CHECK(lens.at(0x100) == 2);
    CHECK(Lens{{{0, 256, 0xFF}}}.at(0) == std::nullopt);
  }

  TEST_CASE("the last byte of the address space is a byte, and there is nothing behind it") {
    const Lens lens{{{0, UINT64_MAX}, {UINT64_MAX - 0xFFF, 0x9000}}};
    CHECK(lens.at(UINT64_MAX) == 1);
    CHECK(lens.over(UINT64_MAX - 1, 100) == std::vector<Piece>{{UINT64_MAX - 1, UINT64_MAX, 1}});
    CHECK(lens.over(UINT64_MAX - 0x1FFF, 0x2000).size() == 2);
  }

  TEST_CASE("random layers show each byte as the model does") {
    test::Random random{11};
    constexpr std::uint64_t kSpace = 3000;
    for (int round = 0; round < test::rounds(300); ++round) {
      CAPTURE(round);
      std::vector<Layer> layers;
      for (std::uint64_t i = random.below(8); i > 0; --i) {
        layers.push_back({random.below(2000),
                          random.below(3) == 0 ? random.below(40) : random.below(900),
                          random.below(2) == 0 ? 0U : static_cast<unsigned>(random.below(256))});
      }
      const Lens lens{layers};
      std::uint64_t next = 0;
      for (const Piece& piece : lens.over(0, kSpace)) {
        REQUIRE(piece.base == next);
        for (; next <= piece.last; ++next) {
          REQUIRE(piece.layer == shown_at(layers, next));
          REQUIRE(lens.at(next) == piece.layer);
        }
      }
      REQUIRE(next == kSpace);
    }
  }
}

}  // namespace memsize::chip::lens_test
