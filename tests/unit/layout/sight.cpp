// What entries laid over each other show, worked out by hand, and byte by byte against a model.
#include "memsize/layout/sight.hpp"

#include "support.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::layout::sight_test {

namespace {

HardwareEntry entry(const std::string& label,
                    std::uint64_t base,
                    std::uint64_t target,
                    std::uint64_t size,
                    const std::string& cached = "cached",
                    unsigned disabled = 0) {
  return {label, {}, base, target, size, cached, disabled};
}

CoreHardware mmu_of(std::vector<HardwareEntry> entries) {
  CoreHardware core;
  core.core = "c";
  core.has_mmu = true;
  core.entries = std::move(entries);
  return core;
}

// Where a byte leads, and who says so: the last entry that shows it.
struct Byte {
  bool is_mapped = false;
  std::uint64_t physical = 0;
  std::string by;
};

Byte byte_of(const CoreHardware& core, std::uint64_t address) {
  Byte byte{!core.has_mmu && !core.has_mpu, address, ""};
  for (const HardwareEntry& each : core.entries) {
    const bool inside = address >= each.base && address < each.base + each.size;
    const std::uint64_t part =
        inside && each.size >= 256 ? (address - each.base) / (each.size / 8) : 0;
    const bool is_off = each.size >= 256 && (each.disabled & 1U << part) != 0;
    if (inside && !is_off) {
      byte = {true, each.target + address - each.base, each.label};
    }
  }
  for (const HardwareEntry& each : core.rat) {
    if (byte.is_mapped && address >= each.base && address < each.base + each.size) {
      byte.physical = each.target + address - each.base;
    }
  }
  return byte;
}

CoreHardware random_core(test::Random& random) {
  CoreHardware core;
  core.core = "c";
  core.has_mmu = random.below(2) == 0;
  core.has_mpu = !core.has_mmu && random.below(4) != 0;
  for (std::uint64_t i = 0; i < random.below(6); ++i) {
    const std::uint64_t base = random.below(24) * 64;
    const std::uint64_t target = core.has_mmu ? random.below(24) * 64 : base;
    const auto disabled = static_cast<unsigned>(core.has_mpu ? random.below(256) : 0);
    core.entries.push_back(
        entry("E" + std::to_string(i), base, target, random.below(8) * 64, "cached", disabled));
  }
  for (std::uint64_t i = 0; i < random.below(2); ++i) {
    core.rat.push_back(entry("R", random.below(24) * 64, random.below(24) * 64, 256, ""));
  }
  return core;
}

}  // namespace

TEST_SUITE("layout") {
  TEST_CASE("a later entry wins where it is, and what lies around it keeps the earlier one") {
    const CoreHardware core = mmu_of({entry("whole", 0x1000, 0x81000, 0x3000),
                                      entry("middle", 0x2000, 0x92000, 0x1000, "non-cached")});
    const auto sights = look_at(core, 0x1800, 0x3000);
    REQUIRE(sights.size() == 4);
    CHECK(sights[0].address == 0x1800);
    CHECK(sights[0].size == 0x800);
    CHECK(sights[0].physical == 0x81800);
    CHECK(sights[0].by == "whole");
    CHECK(sights[1].address == 0x2000);
    CHECK(sights[1].physical == 0x92000);
    CHECK(sights[1].cached == "non-cached");
    CHECK(sights[2].physical == 0x83000);
    CHECK_FALSE(sights[3].is_mapped);
    CHECK(sights[3].address == 0x4000);
    CHECK(sights[3].size == 0x800);
    CHECK_FALSE(sights[3].physical.has_value());
  }

  TEST_CASE("an eighth that is off shows what lies below, and RAT entries move what is shown") {
    CoreHardware core;
    core.core = "r";
    core.has_mpu = true;
    core.limit = 1ULL << 32;
    core.entries = {entry("all", 0, 0, 1ULL << 32),
                    entry("top", 0x8000, 0x8000, 0x800, "non-cached", 0x02)};
    core.rat = {entry("away", 0x8000, 0x900000000, 0x400, "")};
    const auto sights = look_at(core, 0x8000, 0x800);
    REQUIRE(sights.size() == 4);
    CHECK(sights[0].cached == "non-cached");
    CHECK(sights[0].size == 0x100);
    CHECK(sights[0].moved_by == "away");
    CHECK(sights[1].cached == "cached");
    CHECK(sights[1].size == 0x100);
    CHECK(sights[1].physical == 0x900000100);
    CHECK(sights[2].size == 0x200);
    CHECK(sights[3].address == 0x8400);
    CHECK(sights[3].size == 0x400);
    CHECK(sights[3].physical == 0x8400);
    const auto beyond = look_at(core, 0xFFFFFFFF, 2);
    REQUIRE(beyond.size() == 2);
    CHECK(beyond[0].is_mapped);
    CHECK_FALSE(beyond[1].is_mapped);
  }

  TEST_CASE("the last byte of the address space is a byte") {
    const CoreHardware core = mmu_of({entry("end", UINT64_MAX - 0xFFF, 0x1000, 0x1000)});
    const auto sights = look_at(core, UINT64_MAX - 0x1FFF, 0x2000);
    REQUIRE(sights.size() == 2);
    CHECK_FALSE(sights[0].is_mapped);
    CHECK(sights[1].size == 0x1000);
    CHECK(look_at(core, UINT64_MAX, 1).front().physical == 0x1FFF);
    CHECK(look_at(core, 5, 0).empty());
    CHECK(look_for(core, 0x1800, 0x100).front().address == UINT64_MAX - 0x7FF);
  }

  TEST_CASE("random entries show each byte as a model of one byte does, in both directions") {
    test::Random random{7};
    constexpr std::uint64_t kSpace = 2560;
    for (int round = 0; round < test::rounds(400); ++round) {
      const CoreHardware core = random_core(random);
      CAPTURE(round);
      std::uint64_t next = 0;
      for (const Sight& sight : look_at(core, 0, kSpace)) {
        REQUIRE(sight.address == next);
        next += sight.size;
        for (std::uint64_t at = 0; at < sight.size; ++at) {
          const Byte byte = byte_of(core, sight.address + at);
          REQUIRE(sight.is_mapped == byte.is_mapped);
          if (byte.is_mapped) {
            REQUIRE(*sight.physical + at == byte.physical);
            REQUIRE(sight.by == byte.by);
          }
        }
      }
      REQUIRE(next == kSpace);
      const std::uint64_t base = random.below(1200);
      const std::uint64_t size = 1 + random.below(800);
      std::vector<bool> reaches(8192, false);
      for (const Sight& sight : look_for(core, base, size)) {
        for (std::uint64_t at = 0; at < sight.size; ++at) {
          REQUIRE_FALSE(reaches.at(sight.address + at));
          reaches.at(sight.address + at) = true;
        }
      }
      for (std::uint64_t address = 0; address < reaches.size(); ++address) {
        const Byte byte = byte_of(core, address);
        const bool expected =
            byte.is_mapped && byte.physical >= base && byte.physical - base < size;
        CAPTURE(address);
        REQUIRE(reaches.at(address) == expected);
      }
    }
  }
}

}  // namespace memsize::layout::sight_test
