#include "edit/follow.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::sdk::edit_follow_test {

namespace {

using Range = MovedRegion::Range;

constexpr std::uint64_t kMib = 1ULL << 20U;
constexpr std::uint64_t kOnBus = 0x780000000;

// What lies high for the core and higher on the bus.
Range high(std::uint64_t base, std::uint64_t size) {
  return {base, size, base + kOnBus};
}

Range low(std::uint64_t base, std::uint64_t size) {
  return {base, size, base};
}

// Two heaps of 64 MiB that become 16 and 32 MiB, and what is behind them, with an alias.
std::vector<MovedRegion> heaps() {
  return {{"A", high(0x100000000, 64 * kMib), high(0x100000000, 16 * kMib)},
          {"B", high(0x104000000, 64 * kMib), high(0x101000000, 32 * kMib)},
          {"B_TOO", high(0x104000000, 64 * kMib), high(0x101000000, 32 * kMib)},
          {"C", high(0x108000000, 64 * kMib), high(0x103000000, 64 * kMib)},
          // At the same address of another core: this one does not lead there.
          {"FOREIGN", low(0x100000000, 128 * kMib), low(0x100000000, 4 * kMib)}};
}

emit::WrittenMpuRegion mpu(unsigned number, std::uint64_t base, std::uint64_t size) {
  emit::WrittenMpuRegion region;
  region.fields.number = number;
  region.fields.name = "R" + std::to_string(number);
  region.fields.base = base;
  region.fields.size = size;
  region.fields.tex = 1;
  return region;
}

emit::WrittenMmuEntry mmu(const std::string& name, const Range& range) {
  emit::WrittenMmuEntry entry;
  entry.name = name;
  entry.virtual_base = range.base;
  entry.size = range.size;
  entry.physical = range.physical;
  return entry;
}

Range range_of(const emit::WrittenMmuEntry& entry) {
  return {entry.virtual_base, entry.size, entry.physical};
}

// Whether the regions show an address: the highest number that has it on.
bool shows(const std::vector<chip::MpuRegionFields>& regions, std::uint64_t address) {
  for (const chip::MpuRegionFields& region : regions) {
    if (address >= region.base && address - region.base < region.size &&
        (region.disabled >> ((address - region.base) / (region.size / 8)) & 1U) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

TEST_SUITE("sdk") {
  TEST_CASE("the hull of whole regions follows them") {
    const auto both = follow(heaps(), high(0x100000000, 128 * kMib));
    CHECK(both.fate == Fate::kFollows);
    CHECK(both.range == high(0x100000000, 48 * kMib));
    const auto behind = follow(heaps(), high(0x108000000, 64 * kMib));
    CHECK(behind.fate == Fate::kFollows);
    CHECK(behind.range == high(0x103000000, 64 * kMib));
    CHECK(follow(heaps(), high(0x10C000000, 64 * kMib)).fate == Fate::kStays);
  }

  TEST_CASE("a window holds what is still in it; a part of a region does not follow") {
    const auto window = follow(heaps(), high(0x100000000, 1024 * kMib));
    CHECK(window.fate == Fate::kStays);
    CHECK(window.range == high(0x100000000, 1024 * kMib));
    const auto torn = follow(heaps(), high(0x100000000, 32 * kMib));
    CHECK(torn.fate == Fate::kLost);
    CHECK(torn.is_torn);
    // Torn by nobody who moves.
    auto still = heaps();
    for (MovedRegion& each : still) {
      each.after = each.before;
    }
    CHECK(follow(still, high(0x100000000, 32 * kMib)).fate == Fate::kStays);
    CHECK(follow(still, high(0x100000000, 32 * kMib)).is_torn);
  }

  TEST_CASE("regions that part, or that lie elsewhere on the bus, are not one hull any more") {
    auto apart = heaps();
    apart[1].after.base += kMib;
    apart[1].after.physical += kMib;
    apart[2].after = apart[1].after;
    CHECK(follow(apart, high(0x100000000, 128 * kMib)).fate != Fate::kFollows);
    auto crossed = heaps();
    crossed[1].after.physical += kMib;
    CHECK(follow(crossed, high(0x100000000, 128 * kMib)).fate == Fate::kLost);
  }

  TEST_CASE("MMU entries that cannot follow get what the board has for their names") {
    layout::MmuTable table;
    layout::MmuRange known;
    known.entry = "HEAPS";
    known.covers = {"A"};
    known.virtual_range =
        *core::VirtRange::make(core::VirtAddr{0x100000000}, core::Bytes{16 * kMib});
    known.physical = *core::PhysRange::make(core::PhysAddr{0x880000000}, core::Bytes{16 * kMib});
    table.ranges.push_back(known);
    const std::vector<emit::WrittenMmuEntry> torn = {mmu("HEAPS", high(0x100000000, 32 * kMib))};
    const auto mended = follow_mmu(torn, heaps(), &table, false);
    CHECK(mended.lost.empty());
    CHECK(range_of(mended.entries.front()) == high(0x100000000, 16 * kMib));
    CHECK(follow_mmu(torn, heaps(), nullptr, false).lost == std::vector<std::size_t>{0});
    // Larger than the one region that it is named for.
    const std::vector<emit::WrittenMmuEntry> excess = {mmu("D", low(0x200000, 16 * kMib))};
    const std::vector<MovedRegion> small = {{"D", low(0x200000, kMib), low(0x200000, kMib)}};
    CHECK(range_of(follow_mmu(excess, small, nullptr, true).entries.front()) ==
          low(0x200000, kMib));
    CHECK(range_of(follow_mmu(excess, small, nullptr, false).entries.front()) ==
          low(0x200000, 16 * kMib));
  }

  TEST_CASE("a RAT entry keeps its kind of size") {
    emit::WrittenRatEntry entry;
    entry.fields.local = 0xC0000000;
    entry.fields.system = 0x900000000;
    entry.fields.size = 512 * kMib;
    const std::vector<MovedRegion> shared = {
        {"S", {0xC0000000, 512 * kMib, 0x900000000}, {0xC0000000, 300 * kMib, 0x8A0000000}}};
    const auto least = follow_rat({entry}, shared);
    REQUIRE(least.lost.empty());
    CHECK(least.entries.front().system == 0x8A0000000);
    CHECK(least.entries.front().size == 512 * kMib);
    entry.fields.size = 1024 * kMib;
    CHECK(follow_rat({entry}, shared).entries.front().size == 1024 * kMib);
    entry.fields.local -= kMib;
    entry.fields.system -= kMib;
    CHECK(follow_rat({entry}, shared).lost == std::vector<std::size_t>{0});
  }

  TEST_CASE("an MPU region becomes as few as show the new range, and nothing else") {
    const std::vector<MovedRegion> regions = {
        {"X", low(0xA4000000, 8 * kMib), low(0xA3900000, 8 * kMib)},
        {"Y", low(0xA6000000, kMib), low(0xA6000000, kMib)}};
    const std::vector<emit::WrittenMpuRegion> now = {
        mpu(2, 0x80000000, 2048 * kMib), mpu(3, 0xA4000000, 8 * kMib), mpu(4, 0xA6000000, kMib)};
    const auto wanted = follow_mpu(now, regions);
    REQUIRE(wanted);
    // 0xA3900000 is on a multiple of 1 MiB only: 7 MiB up to 0xA4000000, and 1 MiB.
    REQUIRE(wanted->size() == 4);
    CHECK((*wanted)[0] == now[0].fields);
    CHECK((*wanted)[1].number == 3);
    CHECK((*wanted)[1].name == "R3");
    CHECK((*wanted)[2].number == 4);
    CHECK((*wanted)[2].name == "R3_2");
    CHECK((*wanted)[3].number == 5);
    CHECK((*wanted)[3].base == 0xA6000000);
    const std::vector<chip::MpuRegionFields> pieces = {(*wanted)[1], (*wanted)[2]};
    for (std::uint64_t at = 0xA3000000; at < 0xA5000000; at += kMib / 2) {
      CHECK(shows(pieces, at) == (at >= 0xA3900000 && at < 0xA4100000));
    }
  }

  TEST_CASE("what a region above shows anyway makes an MPU region cheaper") {
    // A window over both, with the first of them shown otherwise above it.
    const std::vector<MovedRegion> regions = {
        {"X", low(0xA4000000, 8 * kMib), low(0xA3900000, 8 * kMib)},
        {"Y", low(0xA4800000, 24 * kMib), low(0xA4100000, 24 * kMib)}};
    const auto wanted =
        follow_mpu({mpu(11, 0xA4000000, 32 * kMib), mpu(12, 0xA4000000, 8 * kMib)}, regions);
    REQUIRE(wanted);
    // Alone, the window would take three.
    REQUIRE(wanted->size() == 4);
    const std::vector<chip::MpuRegionFields> window = {(*wanted)[0], (*wanted)[1]};
    const std::vector<chip::MpuRegionFields> above = {(*wanted)[2], (*wanted)[3]};
    CHECK((*wanted)[2].number == 13);
    for (std::uint64_t at = 0xA3000000; at < 0xA6800000; at += kMib / 2) {
      const bool is_above = at >= 0xA3900000 && at < 0xA4100000;
      CHECK(shows(above, at) == is_above);
      CHECK((is_above || shows(window, at) == (at >= 0xA4100000 && at < 0xA5900000)));
    }
  }

  TEST_CASE("through the holes of a region above, what is below is seen") {
    const std::vector<MovedRegion> regions = {
        {"X", low(0xA4000000, 4 * kMib), low(0xA4000000, 8 * kMib)}};
    emit::WrittenMpuRegion above = mpu(12, 0xA4000000, 8 * kMib);
    above.fields.disabled = 0x18;
    // What it shows lies over X too, and follows nothing: it is a window.
    above.fields.base = 0xA4800000;
    const auto wanted = follow_mpu({mpu(11, 0xA4000000, 4 * kMib), above}, regions);
    REQUIRE(wanted);
    CHECK(wanted->back() == above.fields);
    for (std::uint64_t at = 0xA4000000; at < 0xA4800000; at += kMib) {
      CHECK(shows({wanted->front()}, at));
    }
    // The same where it lies right over it.
    above.fields.base = 0xA4000000;
    const auto over = follow_mpu({mpu(11, 0xA4000000, 4 * kMib), above}, regions);
    REQUIRE(over);
    std::vector<chip::MpuRegionFields> below = *over;
    below.pop_back();
    CHECK(shows(below, 0xA4000000 + 4 * kMib));
  }

  TEST_CASE("an MPU region with parts off is what it shows") {
    emit::WrittenMpuRegion seven = mpu(3, 0xA3800000, 8 * kMib);
    seven.fields.disabled = 0x01;
    const std::vector<MovedRegion> still = {
        {"X", low(0xA3900000, 7 * kMib), low(0xA3900000, 7 * kMib)},
        {"Z", low(0xA3800000, kMib), low(0xA3000000, kMib)}};
    const auto same = follow_mpu({seven}, still);
    REQUIRE(same);
    CHECK(same->front() == seven.fields);
  }
}

}  // namespace memsize::sdk::edit_follow_test
