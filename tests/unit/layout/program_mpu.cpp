// From what an R5F must see to its MPU's regions and its RAT's entries, and the checks of both.
// What a table shows is painted here once more, by its regions alone.
#include "memsize/chip/limits.hpp"
#include "memsize/layout/check.hpp"
#include "memsize/layout/mpu.hpp"

#include "mpu_support.hpp"
#include "support.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::layout::mpu_test {

namespace {

using core::Code;
using test::all_text;
using test::board_with;
using test::chain;
using test::contains;
using test::Item;
using test::kR5Board;
using test::with;

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;

const MpuTable& table_of(const MemoryMap& map) {
  REQUIRE(map.mpu.size() == 1);
  CHECK(map.mpu.front().core == "r5");
  return map.mpu.front();
}

// The computed regions, each as "name base size disabled attribute".
std::vector<std::string> computed(const MemoryMap& map) {
  std::vector<std::string> list;
  for (const MpuRegion& region : table_of(map).regions) {
    if (!region.is_fixed) {
      list.push_back(fmt::format("{} 0x{:X} 0x{:X} {:08b} {}",
                                 region.name,
                                 region.range.base().value(),
                                 region.range.size().count(),
                                 region.disabled,
                                 region.attribute));
    }
  }
  return list;
}

using Lines = std::vector<std::string>;

core::Diagnostics findings(const MemoryMap& map) {
  return check_map(map);
}

// The one finding.
core::Diagnostic only_finding(const MemoryMap& map, Code code) {
  const core::Diagnostics found = findings(map);
  REQUIRE_MESSAGE(found.size() == 1, all_text(found));
  CHECK_MESSAGE(found.front().code == code, all_text(found));
  CHECK(found.front().place.line != 0);
  CHECK_FALSE(found.front().hint.empty());
  return found.front();
}

void check_silent(const MemoryMap& map) {
  const core::Diagnostics found = findings(map);
  CHECK_MESSAGE(found.empty(), all_text(found));
}

void check_says(const core::Diagnostic& finding, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    CHECK_MESSAGE(contains(finding.message, part), finding.message, " lacks ", part);
  }
}

}  // namespace

TEST_SUITE("layout") {
  TEST_CASE("MPU table: fixed regions in the board's order, computed ones behind them") {
    const MemoryMap map =
        test::map_of(board_with("non-cached = [\"BOX\"]",
                                chain("box", "0xA1000000", {{"BOX", "16MiB", "non-cached"}}),
                                "first = 1\nlast = 10\n"));
    const MpuTable& table = table_of(map);
    REQUIRE(table.regions.size() == 3);
    CHECK(table.regions[0].name == "REGISTERS");
    CHECK(table.regions[0].number == 1);
    CHECK(table.regions[0].is_fixed);
    CHECK(table.regions[0].attribute == "device");
    CHECK(table.regions[0].covers.empty());
    CHECK(table.regions[1].name == "DRAM");
    CHECK(table.regions[1].note == "all of it");
    CHECK(table.regions[2].name == "BOX");
    CHECK(table.regions[2].number == 3);
    CHECK_FALSE(table.regions[2].is_fixed);
    CHECK(table.regions[2].covers == Lines{"BOX"});
    CHECK(computed(map) == Lines{"BOX 0xA1000000 0x1000000 00000000 non-cached"});
    REQUIRE(table.areas.size() == 1);
    CHECK(table.areas[0].region == "BOX");
    CHECK(table.areas[0].attribute == "non-cached");
    CHECK(table.spare.count() == 0);
    check_silent(map);
  }

  TEST_CASE("MPU table: a core without areas, and an area that shows right already") {
    check_silent(test::map_of(kR5Board));
    CHECK(computed(test::map_of(kR5Board)).empty());
    const MemoryMap map = test::map_of(board_with("cached = [\"CODE\"]", ""));
    CHECK(computed(map).empty());
    CHECK(table_of(map).areas.size() == 1);
    check_silent(map);
    // The other core has no table at all.
    CHECK(test::map_of(with(kR5Board, "[mpu.core.r5]", "[mpu.core.other]")).mpu.front().core ==
          "other");
  }

  TEST_CASE("MPU table: the later of two fixed regions wins") {
    const std::string both = with(kR5Board,
                                  "fixed = [\"REGISTERS\", \"DRAM\"]",
                                  "fixed = [\"REGISTERS\", \"DRAM\", \"HOLE\"]");
    const std::string hole =
        with(both,
             "[mpu.core.r5]",
             "HOLE = { base = \"0xA0000000\", size = \"64KiB\", attribute = \"non-cached\" }\n\n"
             "[mpu.core.r5]");
    check_says(
        only_finding(test::map_of(hole), Code::kMpuCache),
        {"r5 sees [0xA0000000, 0xA0010000) of 'CODE'", "non-cached", "region 2 'HOLE'", "cached"});
    const std::string below = with(hole, "\"DRAM\", \"HOLE\"", "\"HOLE\", \"DRAM\"");
    check_silent(test::map_of(below));
    // An area repairs it.
    const MemoryMap map =
        test::map_of(with(hole, "\"HOLE\"]", "\"HOLE\"]\nareas = { cached = [\"CODE\"] }"));
    CHECK(computed(map) == Lines{"CODE 0xA0000000 0x10000 00000000 cached"});
    check_silent(map);
  }

  TEST_CASE("MPU table: an area with switched-off parts, and several areas in one region") {
    // Parts of 8 MiB: two of eight are code.
    const MemoryMap map = test::map_of(
        board_with("non-cached = [\"RINGS\", \"LOGS\"]",
                   chain("box",
                         "0xA1000000",
                         {{"RINGS", "16MiB", "non-cached"}, {"LOGS", "32MiB", "non-cached"}})));
    CHECK(computed(map) == Lines{"RINGS 0xA0000000 0x4000000 00000011 non-cached"});
    CHECK(table_of(map).regions.back().covers == Lines{"RINGS", "LOGS"});
    check_silent(map);
    // A group is its members.
    const MemoryMap group = test::map_of(
        board_with("non-cached = [\"BOTH\"]",
                   chain("box",
                         "0xA1000000",
                         {{"RINGS", "16MiB", "non-cached"}, {"LOGS", "32MiB", "non-cached"}}) +
                       "\n[group]\nBOTH = { covers = [\"RINGS\", \"LOGS\"] }\n"));
    CHECK(computed(group) == computed(map));
    CHECK(table_of(group).areas.size() == 2);
    check_silent(group);
  }

  TEST_CASE("MPU table: each attribute has regions of its own") {
    const MemoryMap map = test::map_of(
        board_with("non-cached = [\"BOX\"], write-through = [\"HEAP\"]",
                   chain("box",
                         "0xA1000000",
                         {{"BOX", "16MiB", "non-cached"}, {"HEAP", "4MiB", "write-through"}})));
    CHECK(computed(map) == Lines{"BOX 0xA1000000 0x1000000 00000000 non-cached",
                                 "HEAP 0xA2000000 0x400000 00000000 write-through"});
    check_silent(map);
    // The other way round neither is right, and both are told.
    const MemoryMap swapped = test::map_of(
        board_with("write-through = [\"BOX\"], non-cached = [\"HEAP\"]",
                   chain("box",
                         "0xA1000000",
                         {{"BOX", "16MiB", "non-cached"}, {"HEAP", "4MiB", "write-through"}})));
    const core::Diagnostics found = findings(swapped);
    REQUIRE(found.size() == 2);
    CHECK(test::count(found, Code::kMpuCache) == 2);
    check_says(found.front(),
               {"r5", "[0xA1000000, 0xA2000000)", "BOX", "write-through", "must be non-cached"});
    check_says(found.back(), {"r5", "[0xA2000000, 0xA2400000)", "HEAP", "must be write-through"});
  }

  TEST_CASE("MPU table: areas outside of DRAM and at both ends of 4 GiB") {
    const std::string sram = "space = \"sram\"\n";
    const MemoryMap map = test::map_of(
        board_with("cached = [\"FIRST\", \"OCRAM\"], non-cached = [\"LAST\"]",
                   chain("first", "0x0", {{"FIRST", "64KiB", "cached"}}, sram) +
                       chain("ocram", "0x3600000", {{"OCRAM", "256KiB", "cached"}}, sram) +
                       chain("last", "0xFFFF0000", {{"LAST", "64KiB", "non-cached"}}, sram)));
    Lines list = computed(map);
    std::ranges::sort(list);
    CHECK(list == Lines{"FIRST 0x0 0x10000 00000000 cached",
                        "LAST 0xFFFF0000 0x10000 00000000 non-cached",
                        "OCRAM 0x3600000 0x40000 00000000 cached"});
    check_silent(map);
    // Where nothing is mapped below, too.
    const MemoryMap bare = test::map_of(
        with(board_with("cached = [\"OCRAM\"]",
                        chain("ocram", "0x3600000", {{"OCRAM", "256KiB", "cached"}}, sram)),
             "fixed = [\"REGISTERS\", \"DRAM\"]",
             "fixed = [\"DRAM\"]"));
    CHECK(computed(bare) == Lines{"OCRAM 0x3600000 0x40000 00000000 cached"});
    check_silent(bare);
  }

  TEST_CASE("MPU table: spare memory is covered only where regions are scarce") {
    // 260 KiB are 256 and 4 KiB, or one region of 512 KiB.
    const auto text = [](unsigned last, const std::string& behind) {
      return board_with("non-cached = [\"BOX\"]",
                        chain("box", "0xB0000000", {{"BOX", "260KiB", "non-cached"}}) + behind,
                        fmt::format("first = 0\nlast = {}\n", last));
    };
    const MemoryMap strict = test::map_of(text(3, ""));
    CHECK(computed(strict).size() == 2);
    CHECK(table_of(strict).spare.count() == 0);
    check_silent(strict);
    const MemoryMap spare = test::map_of(text(2, ""));
    CHECK(computed(spare).size() == 1);
    CHECK(table_of(spare).spare.count() == 252 * kKiB);
    const core::Diagnostic note = only_finding(spare, Code::kMpuSpare);
    CHECK(note.severity == core::Severity::kNote);
    check_says(note, {"r5", "no more than 3 MPU regions", "252 KiB"});
    // What a region lies in is never spare; up to there it is.
    const MemoryMap narrow =
        test::map_of(text(2, chain("next", "0xB0060000", {{"NEXT", "64KiB", "cached"}})));
    CHECK(computed(narrow) == Lines{"BOX 0xB0000000 0x80000 11100000 non-cached"});
    CHECK(table_of(narrow).spare.count() == 60 * kKiB);
    // Seen there by translation, or there on the bus and seen elsewhere, too.
    for (const auto& [real, seen] : std::vector<std::pair<std::string, std::string>>{
             {"0x900000000", "0xB0060000"}, {"0xB0060000", "0xD0000000"}}) {
      const auto& shown_real = real;
      CAPTURE(shown_real);
      const MemoryMap moved = test::map_of(text(
          2,
          chain("next", real, {{"NEXT", "64KiB", ""}}, fmt::format("virtual = \"{}\"\n", seen))));
      CHECK(computed(moved) == computed(narrow));
    }
    const MemoryMap taken =
        test::map_of(text(2, chain("next", "0xB0041000", {{"NEXT", "64KiB", "cached"}})));
    CHECK(table_of(taken).spare.count() == 0);
    check_says(only_finding(taken, Code::kMpuRegions),
               {"r5 needs 4", "2 fixed and 2", "may use 3: 0 to 2"});
  }

  TEST_CASE("MPU table: as many regions as the hardware or the kernel leaves, and one more") {
    // Each area is 4 KiB and has 60 KiB of somebody's behind it, so that each takes a region.
    const auto text = [](unsigned areas, const std::string& keys) {
      std::vector<Item> items;
      std::string names;
      for (unsigned i = 0; i < areas; ++i) {
        items.push_back({fmt::format("A{}", i), "4KiB", "non-cached"});
        items.push_back({fmt::format("B{}", i), "60KiB", "cached"});
        names += fmt::format("{}\"A{}\"", i == 0 ? "" : ", ", i);
      }
      return board_with(
          fmt::format("non-cached = [{}]", names), chain("box", "0xB0000000", items), keys);
    };
    for (const auto& [keys, room, numbers] :
         std::vector<std::tuple<std::string, unsigned, std::string>>{
             {"first = 0\nlast = 15\n", 14, "may use 16: 0 to 15"},
             {"first = 1\nlast = 10\n", 8, "may use 10: 1 to 10"},
             {"program = \"safertos\"\nfirst = 1\nlast = 10\n", 8, "may use 10: 1 to 10"}}) {
      const auto& shown_keys = keys;
      CAPTURE(shown_keys);
      const MemoryMap full = test::map_of(text(room, keys));
      CHECK(computed(full).size() == room);
      check_silent(full);
      const MemoryMap over = test::map_of(text(room + 1, keys));
      const core::Diagnostic many = only_finding(over, Code::kMpuRegions);
      check_says(many, {fmt::format("r5 needs {} MPU regions", room + 3), "2 fixed", numbers});
      // Each area with what it would cost alone.
      REQUIRE(many.details.size() > room);
      CHECK(contains(many.details.front(), "A0"));
      CHECK(contains(many.details.front(), "[0xB0000000, 0xB0001000) 4 KiB: 1 region"));
    }
  }

  TEST_CASE("MPU table: regions above 4 GiB are areas where the RAT shows them") {
    const std::string far = chain(
        "far", "0x900000000", {{"SHARED", "512MiB", "non-cached"}}, "virtual = \"0xC0000000\"\n");
    const std::string rat =
        "\n[rat.entry]\nFAR = { covers = [\"SHARED\"] }\n\n[rat.core]\nr5 = [\"FAR\"]\n";
    const MemoryMap map = test::map_of(board_with("non-cached = [\"SHARED\"]", far + rat));
    CHECK(computed(map) == Lines{"SHARED 0xC0000000 0x20000000 00000000 non-cached"});
    REQUIRE(map.rat.size() == 1);
    CHECK(map.rat[0].core == "r5");
    REQUIRE(map.rat[0].ranges.size() == 1);
    const RatRange& range = map.rat[0].ranges[0];
    CHECK(range.name == "FAR");
    CHECK(range.local.value() == 0xC0000000);
    CHECK(range.system.value() == 0x900000000);
    CHECK(range.size.count() == 512 * kMiB);
    CHECK(range.covers == Lines{"SHARED"});
    check_silent(map);
    // Seen where it is, it is out of reach.
    const MemoryMap high =
        test::map_of(board_with("non-cached = [\"SHARED\"]",
                                chain("far", "0x900000000", {{"SHARED", "512MiB", "non-cached"}})));
    CHECK(computed(high).empty());
    check_says(only_finding(high, Code::kMpuArea),
               {"r5", "SHARED", "non-cached", "[0x900000000, 0x920000000)", "4 GiB"});
  }

  TEST_CASE("mpu.region: fixed regions that cannot be programmed, each once") {
    const auto with_dram = [](const std::string& base, const std::string& size) {
      // Nothing else looks at the DRAM then.
      return test::map_of(
          with(with(kR5Board,
                    "DRAM = { base = \"0x80000000\", size = \"2GiB\"",
                    fmt::format("DRAM = {{ base = \"{}\", size = \"{}\"", base, size)),
               "  { name = \"CODE\", size = \"16MiB\", cores = [\"r5\"], cache = \"cached\" },",
               "  { name = \"CODE\", size = \"16MiB\", cores = [\"other\"] },"));
    };
    for (const auto& [base, size] :
         std::vector<std::pair<std::string, std::string>>{{"0x80000000", "2GiB"},
                                                          {"0x0", "4GiB"},
                                                          {"0xFFFFFFE0", "32"},
                                                          {"0x20", "32"},
                                                          {"0x0", "256"}}) {
      const auto& shown_base = base;
      CAPTURE(shown_base);
      const auto& shown_size = size;
      CAPTURE(shown_size);
      check_silent(with_dram(base, size));
    }
    for (const auto& [base, size, range, hint] :
         std::vector<std::tuple<std::string, std::string, std::string, std::string>>{
             {"0x80000000", "3GiB", "[0x80000000, 0x140000000)", "4 GiB at 0x0"},
             {"0x80000000", "48MiB", "[0x80000000, 0x83000000)", "64 MiB at 0x80000000"},
             {"0x80400000", "32MiB", "[0x80400000, 0x82400000)", "32 MiB at 0x80000000"},
             {"0x80000000", "16", "[0x80000000, 0x80000010)", "32 B at 0x80000000"},
             {"0x0", "8GiB", "[0x0, 0x200000000)", "4 GiB at 0x0"}}) {
      const auto& shown_base = base;
      CAPTURE(shown_base);
      const auto& shown_size = size;
      CAPTURE(shown_size);
      const core::Diagnostic finding = only_finding(with_dram(base, size), Code::kMpuRegion);
      check_says(finding, {"DRAM", range, "r5"});
      CHECK_MESSAGE(contains(finding.hint, hint), finding.hint);
    }
    // Two cores share the mistake: it is told once.
    const MemoryMap two = test::map_of(
        with(kR5Board, "DRAM = { base = \"0x80000000\"", "DRAM = { base = \"0x81000000\"") +
        "\n[mpu.core.other]\nfixed = [\"DRAM\"]\n");
    CHECK(test::count(findings(two), Code::kMpuRegion) == 1);
    // Under SafeRTOS the size has 32 bits.
    const std::string all = with(
        with(kR5Board, "first = 0\nlast = 15\n", "first = 1\nlast = 10\nprogram = \"safertos\"\n"),
        "REGISTERS = { base = \"0x0\", size = \"2GiB\"",
        "REGISTERS = { base = \"0x0\", size = \"4GiB\"");
    check_says(only_finding(test::map_of(all), Code::kMpuRegion),
               {"REGISTERS", "[0x0, 0x100000000)", "4 GiB at 0x0"});
    check_silent(test::map_of(with(all, "program = \"safertos\"", "program = \"csl\"")));
  }

  TEST_CASE("mpu.region: empty, or beyond all addresses") {
    for (const char* size : {"0", "0xFFFFFFFFFFFFF000"}) {
      CAPTURE(size);
      const auto board =
          test::load_text(with(kR5Board,
                               "base = \"0x80000000\", size = \"2GiB\"",
                               fmt::format("base = \"0x80000000\", size = \"{}\"", size)));
      REQUIRE(board.has_value());
      const auto map = resolve(*board, {});
      REQUIRE_FALSE(map.has_value());
      REQUIRE(map.error().size() == 1);
      CHECK(map.error().front().code == Code::kMpuRegion);
      check_says(map.error().front(), {"DRAM"});
    }
  }

  TEST_CASE("mpu.area: what begins or ends between multiples of 32 bytes") {
    const std::string sram = "space = \"sram\"\n";
    const auto at = [&](const std::string& address, const std::string& size) {
      return test::map_of(
          board_with("cached = [\"OCRAM\"]", chain("ocram", address, {{"OCRAM", size, ""}}, sram)));
    };
    check_silent(at("0x3600020", "96"));
    check_says(only_finding(at("0x3600004", "96"), Code::kMpuArea),
               {"r5", "OCRAM", "[0x3600004, 0x3600064)", "begins 4 B behind a multiple of 32 B"});
    check_says(only_finding(at("0x3600020", "100"), Code::kMpuArea),
               {"r5", "[0x3600020, 0x3600084)", "ends 4 B behind a multiple of 32 B"});
    // The last that the core sees, and one that goes beyond.
    check_silent(at("0xFFFFFFE0", "32"));
    check_says(only_finding(at("0xFFFFFFE0", "64"), Code::kMpuArea),
               {"[0xFFFFFFE0, 0x100000020)", "ends above the 4 GiB"});
  }

  TEST_CASE("mpu.area: one address, two attributes") {
    const std::string chains =
        chain("box", "0xB0000000", {{"BOX", "1MiB", ""}, {"LOG", "1MiB", ""}}) +
        "\n[group]\nBOTH = { covers = [\"BOX\", \"LOG\"] }\n";
    check_silent(test::map_of(board_with("non-cached = [\"BOTH\"]", chains)));
    check_silent(test::map_of(board_with("non-cached = [\"BOTH\", \"LOG\"]", chains)));
    const MemoryMap map =
        test::map_of(board_with("non-cached = [\"BOTH\"], write-through = [\"LOG\"]", chains));
    CHECK(computed(map).empty());
    const core::Diagnostic finding = only_finding(map, Code::kMpuArea);
    check_says(finding, {"r5", "[0xB0100000, 0xB0200000)", "non-cached", "write-through", "'LOG'"});
    REQUIRE(finding.related.size() == 1);
    CHECK(contains(finding.related.front().message, "LOG"));
  }

  TEST_CASE("mpu.cache: every byte that shows wrong, and the core that sees it") {
    const MemoryMap good = test::map_of(board_with(
        "non-cached = [\"BOX\"]", chain("box", "0xA1000000", {{"BOX", "48MiB", "non-cached"}})));
    check_silent(good);
    REQUIRE(computed(good) == Lines{"BOX 0xA0000000 0x4000000 00000011 non-cached"});
    // Its region is gone.
    MemoryMap map = good;
    map.mpu[0].regions.pop_back();
    core::Diagnostics found = findings(map);
    REQUIRE(found.size() == 1);
    check_says(found[0],
               {"r5 sees [0xA1000000, 0xA4000000) of 'BOX'", "cached through MPU region 1 'DRAM'"});
    // One part more is switched off: exactly that eighth.
    map = good;
    map.mpu[0].regions.back().disabled |= 0b10000;
    found = findings(map);
    REQUIRE(found.size() == 1);
    check_says(found[0], {"r5 sees [0xA2000000, 0xA2800000) of 'BOX'"});
    // One part fewer: the end of the code.
    map = good;
    map.mpu[0].regions.back().disabled = 0b01;
    found = findings(map);
    REQUIRE(found.size() == 1);
    check_says(
        found[0],
        {"r5 sees [0xA0800000, 0xA1000000) of 'CODE'", "non-cached through MPU region 2 'BOX'"});
    // Nothing there at all.
    map = good;
    map.mpu[0].regions.erase(map.mpu[0].regions.begin() + 1);
    found = findings(map);
    CHECK_FALSE(found.empty());
    check_says(found[0],
               {"r5 sees [0xA0000000, 0xA1000000) of 'CODE' not at all", "must be cached"});
    // Below the DRAM's region it counts for nothing.
    map = good;
    std::swap(map.mpu[0].regions[1], map.mpu[0].regions[2]);
    found = findings(map);
    REQUIRE_FALSE(found.empty());
    for (const core::Diagnostic& finding : found) {
      check_says(finding, {"r5 sees [0xA", "of 'BOX' as cached", "'DRAM'"});
    }
  }

  TEST_CASE("mpu.cache: a fixed region over another stays, however scarce the regions are") {
    // Free memory may be shown otherwise where regions are scarce, but not this.
    MemoryMap map = test::map_of(board_with(
        "non-cached = [\"BOX\"]", chain("box", "0xA1000000", {{"BOX", "48MiB", "non-cached"}})));
    MpuRegion hole = map.mpu[0].regions[1];
    hole.name = "HOLE";
    hole.range = *core::VirtRange::make(core::VirtAddr{0xC0000000}, core::Bytes{0x8000});
    hole.attribute = "device";
    map.mpu[0].regions.insert(map.mpu[0].regions.begin() + 2, hole);
    check_silent(map);
    map.mpu[0].regions.back().range =
        *core::VirtRange::make(core::VirtAddr{0xC0000000}, core::Bytes{0x1000000});
    map.mpu[0].regions.back().disabled = 0;
    map.mpu[0].areas.clear();
    const core::Diagnostics found = findings(map);
    CHECK(std::ranges::any_of(found, [](const core::Diagnostic& finding) {
      return contains(finding.message, "r5 sees [0xC0000000, 0xC0008000) of 'HOLE'");
    }));
  }

  TEST_CASE("mpu.cache: policies of the attributes, and what the linker has without one") {
    const auto box_is = [](const std::string& bits, const std::string& cache) {
      const std::string attribute = "write-through = { tex = 6, cacheable = true }";
      return findings(
          test::map_of(with(board_with("write-through = [\"BOX\"]",
                                       chain("box", "0xA1000000", {{"BOX", "1MiB", cache}})),
                            attribute,
                            fmt::format("write-through = {{ {} }}", bits))));
    };
    const std::string b = ", bufferable = true";
    const std::string c = ", cacheable = true";
    for (const auto& [bits, policy] :
         std::vector<std::pair<std::string, std::string>>{{"tex = 0", "non-cached"},
                                                          {"tex = 0" + b, "non-cached"},
                                                          {"tex = 0" + c, "write-through"},
                                                          {"tex = 0" + c + b, "cached"},
                                                          {"tex = 1", "non-cached"},
                                                          {"tex = 1" + c + b, "cached"},
                                                          {"tex = 2", "non-cached"},
                                                          {"tex = 4", "non-cached"},
                                                          {"tex = 4" + b, "cached"},
                                                          {"tex = 6" + c, "write-through"},
                                                          {"tex = 7" + c + b, "cached"},
                                                          {"tex = 5" + c, "write-through"}}) {
      for (const char* cache : {"cached", "non-cached", "write-through"}) {
        const auto& shown_bits = bits;
        CAPTURE(shown_bits);
        CAPTURE(cache);
        const core::Diagnostics found = box_is(bits, cache);
        CHECK_MESSAGE(found.size() == (policy == cache ? 0 : 1), all_text(found));
      }
      CHECK(box_is(bits, "").empty());
    }
  }

  TEST_CASE("rat.size and rat.alignment: the least step away from right") {
    const auto far = [](const std::string& seen, const std::string& real, const std::string& size) {
      return test::map_of(board_with(
          "cached = []",
          chain("far", real, {{"SHARED", "512MiB", ""}}, fmt::format("virtual = \"{}\"\n", seen)) +
              fmt::format("\n[rat.entry]\nFAR = {{ covers = [\"SHARED\"]{} }}\n\n[rat.core]\nr5 = "
                          "[\"FAR\"]\n",
                          size)));
    };
    check_silent(far("0xC0000000", "0x900000000", ""));
    check_silent(far("0xC0000000", "0x900000000", ", size = \"512MiB\""));
    check_silent(far("0xC0000000", "0x940000000", ", size = \"1GiB\""));
    // Seen where it is: no entry is needed, whatever it would be.
    CHECK(far("0x900000000", "0x900000000", ", size = \"3\"").rat.front().ranges.empty());
    check_says(
        only_finding(far("0xC0000000", "0x900000000", ", size = \"513MiB\""), Code::kRatSize),
        {"FAR", "r5", "513 MiB at 0xC0000000 to 0x900000000"});
    check_says(only_finding(far("0xC0000000", "0x900000000", ", size = \"8GiB\""), Code::kRatSize),
               {"8 GiB"});
    check_says(only_finding(far("0xC0000000", "0x900000000", ", size = \"0\""), Code::kRatSize),
               {"0 B"});
    // On the core's side, then on the bus's.
    const core::Diagnostic local =
        only_finding(far("0xC1000000", "0x900000000", ""), Code::kRatAlignment);
    check_says(local, {"FAR", "r5", "begins 16 MiB behind", "core's side"});
    CHECK(contains(local.hint, "0xC0000000 and 0xE0000000"));
    const core::Diagnostic system =
        only_finding(far("0xC0000000", "0x901000000", ""), Code::kRatAlignment);
    check_says(system, {"FAR", "r5", "begins 16 MiB behind", "bus's side"});
    CHECK(contains(system.hint, "0x900000000 and 0x920000000"));
  }

  TEST_CASE("rat.overlap, rat.entries and rat.missing") {
    const auto chains = [](const std::string& second) {
      return chain("one", "0x900000000", {{"ONE", "16MiB", ""}}, "virtual = \"0xC0000000\"\n") +
             chain("two",
                   "0x940000000",
                   {{"TWO", "16MiB", ""}},
                   fmt::format("virtual = \"{}\"\n", second));
    };
    const auto text =
        [&](const std::string& second, const std::string& size, const std::string& list) {
          return board_with("cached = []", chains(second)) +
                 fmt::format(
                     "\n[rat.entry]\nFIRST = {{ covers = [\"ONE\"]{} }}\n"
                     "SECOND = {{ covers = [\"TWO\"] }}\n\n[rat.core]\nr5 = [{}]\n",
                     size,
                     list);
        };
    const std::string both = "\"FIRST\", \"SECOND\"";
    check_silent(test::map_of(text("0xC1000000", "", both)));
    check_silent(test::map_of(text("0xC1000000", "", "\"SECOND\", \"FIRST\"")));
    // One ends where the other begins; twice as large it does not. What the core reaches is still
    // right, because the later entry is the right one.
    check_says(only_finding(test::map_of(text("0xC1000000", ", size = \"32MiB\"", both)),
                            Code::kRatOverlap),
               {"'SECOND' of r5, 16 MiB at 0xC1000000 to 0x940000000",
                "'FIRST' of r5, 32 MiB at 0xC0000000 to 0x900000000"});
    check_silent(test::map_of(text("0xC2000000", ", size = \"32MiB\"", both)));
    // Too small: the rest of the region.
    check_says(only_finding(test::map_of(text("0xC1000000", ", size = \"8MiB\"", both)),
                            Code::kRatMissing),
               {"r5 sees 'ONE' at [0xC0000000, 0xC1000000)",
                "the RAT entry that leads there ends at 0xC0800000"});
    check_says(only_finding(test::map_of(text("0xC1000000", "", "\"FIRST\"")), Code::kRatMissing),
               {"r5 sees 'TWO' at [0xC1000000, 0xC2000000)",
                "which is 0xC1000000 on the bus without a RAT entry",
                "[0x940000000, 0x941000000)"});
    // Through the other one's entry.
    check_says(only_finding(test::map_of(text("0xC1000000", ", size = \"32MiB\"", "\"FIRST\"")),
                            Code::kRatMissing),
               {"r5 sees 'TWO'", "a RAT entry leads to 0x901000000", "[0x940000000, 0x941000000)"});
    // A core that does not see them needs no entry.
    MemoryMap map = test::map_of(text("0xC1000000", "", "\"FIRST\""));
    for (Region& region : map.regions) {
      if (region.name == "TWO") {
        region.cores = {"other"};
      }
    }
    check_silent(map);
    map = test::map_of(text("0xC1000000", "", both));
    const RatRange range = map.rat[0].ranges[0];
    for (std::uint64_t i = map.rat[0].ranges.size(); i < chip::kRatEntries + 1; ++i) {
      RatRange more = range;
      more.local = core::VirtAddr{0x10000000 * i};
      map.rat[0].ranges.push_back(more);
      if (i + 1 == chip::kRatEntries) {
        CHECK(test::count(findings(map), Code::kRatEntries) == 0);
      }
    }
    check_says(*test::find(findings(map), Code::kRatEntries), {"r5 has 17 RAT entries", "16"});
  }
}

}  // namespace memsize::layout::mpu_test
