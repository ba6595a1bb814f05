#include "edit/repaint.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::sdk::edit_repaint_test {

namespace {

using chip::MpuBits;
using chip::MpuRegionFields;
using Regions = std::vector<MpuRegionFields>;

constexpr std::uint64_t kMib = 1ULL << 20U;
constexpr MpuBits kCached{1, true, true, false, true};
constexpr MpuBits kOpen{1, false, false, false, false};
constexpr MpuBits kShared{1, false, false, true, false};
constexpr MpuBits kThrough{6, true, false, false, false};

Regions table() {
  return {{kCached, 6, "", 0x80000000, 2048 * kMib, 0},
          {kOpen, 7, "", 0xAC000000, 64 * kMib, 0},
          {kOpen, 8, "", 0xB1000000, 16 * kMib, 0},
          {kShared, 9, "", 0xBE000000, 2 * kMib, 0},
          {kThrough, 10, "", 0xBB600000, 2 * kMib, 0}};
}

// The end of what begins below the 16 MiB, and is not cached there.
const MpuPatch kEnd{"END", 0xB0000000, 16 * kMib, kOpen};

MpuBits seen(const Regions& regions, std::uint64_t address) {
  const auto layer = lens_of(regions).at(address);
  REQUIRE(layer);
  return regions[*layer];
}

// Each MiB of DRAM is seen as before, but for the patches.
void hold(const Regions& made, const std::vector<MpuPatch>& patches) {
  const Regions before = table();
  for (std::uint64_t at = 0x80000000; at < 0x100000000; at += kMib) {
    MpuBits wanted = seen(before, at);
    for (const MpuPatch& patch : patches) {
      wanted = at >= patch.base && at - patch.base < patch.size ? patch.bits : wanted;
    }
    REQUIRE(seen(made, at) == wanted);
  }
}

}  // namespace

TEST_SUITE("sdk") {
  TEST_CASE("nothing to repaint, and numbers for it") {
    CHECK(repaint_mpu(table(), {}, 15) == table());
    CHECK_FALSE(repaint_mpu(table(), {}, 9));
    CHECK_FALSE(repaint_mpu({}, {}, 15));
    CHECK_FALSE(repaint_mpu(table(), {{"ODD", 0xB0000001, kMib, kOpen}}, 15));
  }

  TEST_CASE("a patch is one region more, above those that stay") {
    const auto made = repaint_mpu(table(), {kEnd}, 15);
    REQUIRE(made);
    hold(*made, {kEnd});
    Regions wanted = table();
    wanted.push_back({kOpen, 11, "END", 0xB0000000, 16 * kMib, 0});
    CHECK(*made == wanted);
  }

  TEST_CASE("a region that may be larger is, and keeps what it is") {
    const MpuPatch rest{"REST", 0xBE200000, 6 * kMib, kShared};
    const auto made = repaint_mpu(table(), {rest}, 15);
    REQUIRE(made);
    hold(*made, {rest});
    Regions wanted = table();
    wanted[3].size = 8 * kMib;
    CHECK(*made == wanted);
  }

  TEST_CASE("without a number, a region takes the place of one that it holds") {
    const auto made = repaint_mpu(table(), {kEnd}, 10);
    REQUIRE(made);
    hold(*made, {kEnd});
    Regions wanted = table();
    wanted[2] = {kOpen, 8, "END", 0xB0000000, 32 * kMib, 0};
    CHECK(*made == wanted);
    // Memory of another kind has none.
    CHECK_FALSE(repaint_mpu(table(), {kEnd, {"MORE", 0xA0000000, kMib, kThrough}}, 10));
  }

  TEST_CASE("too many regions become fewer that show the same") {
    Regions halves = table();
    halves[1].size = 32 * kMib;
    halves.insert(halves.begin() + 2, {kOpen, 8, "", 0xAE000000, 32 * kMib, 0});
    for (std::size_t i = 3; i < halves.size(); ++i) {
      ++halves[i].number;
    }
    const auto made = repaint_mpu(halves, {}, 10);
    REQUIRE(made);
    hold(*made, {});
    CHECK(made->size() == 5);
    CHECK(made->back().number == 10);
  }
}

}  // namespace memsize::sdk::edit_repaint_test
