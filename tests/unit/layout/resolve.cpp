#include "memsize/layout/check.hpp"
#include "memsize/layout/memory_map.hpp"

#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::layout::resolve_test {

namespace {

using core::Bytes;
using core::Code;
using core::PhysAddr;
using core::VirtAddr;
using test::map_of;
using test::with;
using test::zx9_text;

constexpr std::uint64_t kMiB = 1048576;

const Region& region(const MemoryMap& map, const std::string& name) {
  for (const Region& candidate : map.regions) {
    if (candidate.name == name) {
      return candidate;
    }
  }
  FAIL("no region ", name);
  return map.regions.front();
}

core::Diagnostics errors_of(const std::string& text, const board::KnobValues& set = {}) {
  const auto board = test::load_text(text);
  REQUIRE_MESSAGE(board.has_value(), (board ? "" : test::all_text(board.error())));
  const auto map = resolve(*board, set);
  REQUIRE_FALSE(map.has_value());
  REQUIRE(core::has_errors(map.error()));
  return map.error();
}

void check_accounts(const MemoryMap& map) {
  for (const Window& window : map.windows) {
    CAPTURE(window.chain);
    CHECK(window.placed + window.padding + window.free == window.range.size());
    Bytes placed;
    for (const Region& owned : map.regions) {
      if (owned.kind == RegionKind::kRegion && owned.chain == window.chain) {
        placed += owned.size;
        CHECK(window.range.contains(*owned.physical()));
      }
    }
    CHECK(placed == window.placed);
    Bytes padding;
    for (const Gap& gap : map.gaps) {
      if (gap.chain == window.chain) {
        padding += gap.physical.size();
        CHECK(window.range.contains(gap.physical));
      }
    }
    CHECK(padding == window.padding);
  }
}

}  // namespace

TEST_SUITE("layout") {
  TEST_CASE("regions follow each other in their chain, physical and virtual side by side") {
    const MemoryMap map = map_of(zx9_text());
    CHECK(region(map, "FW_ALPHA").physical_base == PhysAddr{0x40000000});
    // 2 MiB of it, then 1 MiB kept free.
    CHECK(region(map, "FW_BETA").physical_base == PhysAddr{0x40300000});
    CHECK(region(map, "FW_BETA").virtual_base == VirtAddr{0x40300000});
    CHECK(region(map, "MAILBOX").physical_base == PhysAddr{0x40400000});
    CHECK(region(map, "MAILBOX").size == Bytes{256 * 1024});
    CHECK(region(map, "RAW_TEMP").physical_base == PhysAddr{0x1003000000});
    CHECK(region(map, "RAW_TEMP").virtual_base == VirtAddr{0x83000000});
    CHECK(region(map, "POOL").virtual_base == VirtAddr{0x200000000});
    CHECK_FALSE(region(map, "TCM").physical_base.has_value());
    CHECK(region(map, "TCM").virtual_base == VirtAddr{0});
    CHECK(region(map, "ARENA_TEMP").knob == "temp_size");
    CHECK(map.find_by_knob("temp_size") == &region(map, "ARENA_TEMP"));
    CHECK(region(map, "MAILBOX").knob.empty());
    check_accounts(map);
    CHECK(check_map(map).empty());
  }

  TEST_CASE("a knob moves everything behind it in its chain and nothing else") {
    const MemoryMap map = map_of(zx9_text(), {{"temp_size", 5 * kMiB}});
    CHECK(region(map, "ARENA_TEMP").physical_base == PhysAddr{0x1001000000});
    CHECK(region(map, "ARENA_TEMP").size == Bytes{5 * kMiB});
    CHECK(region(map, "RAW_KEEP").physical_base == PhysAddr{0x1001500000});
    CHECK(region(map, "RAW_KEEP").virtual_base == VirtAddr{0x81500000});
    CHECK(region(map, "FW_BETA").physical_base == PhysAddr{0x40300000});
    check_accounts(map);
  }

  TEST_CASE("aliases, physical names, groups, carve-outs and MMU entries follow their regions") {
    const MemoryMap map = map_of(zx9_text(), {{"temp_size", 5 * kMiB}});
    const Region& alias = region(map, "BETA_KEEP");
    CHECK(alias.kind == RegionKind::kAlias);
    CHECK(alias.of == "ARENA_KEEP");
    CHECK(alias.virtual_base == VirtAddr{0x80000000});
    CHECK(alias.seen_by("beta_1"));
    CHECK_FALSE(alias.seen_by("alpha"));
    const Region& physical = region(map, "ARENA_KEEP_PHYS");
    CHECK(physical.kind == RegionKind::kPhysicalName);
    CHECK(physical.physical_base == PhysAddr{0x1000000000});
    CHECK_FALSE(physical.virtual_base.has_value());
    CHECK(physical.cores.empty());
    REQUIRE(map.carveouts.size() == 4);
    // In the order of their addresses; the third is the hull of four regions of 16, 5, 16, 16 MiB.
    CHECK(map.carveouts[2].label == "arena_region");
    CHECK(map.carveouts[2].range.base() == PhysAddr{0x1000000000});
    CHECK(map.carveouts[2].range.size() == Bytes{53 * kMiB});
    CHECK(map.carveouts[2].members.size() == 4);
    // 2 MiB, 1.25 MiB, 53 MiB and 4 GiB.
    CHECK(map.reserved() == Bytes{2 * kMiB + 5 * kMiB / 4 + 53 * kMiB + 4096 * kMiB});
    const MmuTable* table = map.find_mmu("alpha");
    REQUIRE(table != nullptr);
    REQUIRE(table->ranges.size() == 7);
    CHECK(table->ranges[0].instance == 1);
    CHECK(table->ranges[5].entry == "RAW");
    CHECK(table->ranges[5].virtual_range.base() == VirtAddr{0x81500000});
    CHECK(table->ranges[5].physical.base() == PhysAddr{0x1001500000});
    CHECK(table->ranges[5].physical.size() == Bytes{32 * kMiB});
    CHECK(map.find_mmu("beta_1") == nullptr);
    CHECK(map.header_bases.size() == 2);
  }

  TEST_CASE("a chain may continue another one") {
    const std::string text = with(
        zx9_text(),
        "[chain.arenas]",
        "[chain.tail]\nafter = \"firmware\"\nlimit = \"0x44000000\"\nlimit_why = \"w\"\nregions = "
        "[ { name = \"TAIL\", size = \"1MiB\", cores = [\"beta_1\"] } ]\n\n[chain.arenas]");
    const MemoryMap map = map_of(text);
    CHECK(region(map, "TAIL").physical_base == PhysAddr{0x40440000});
    check_accounts(map);
    const core::Diagnostics early =
        errors_of(with(text, "after = \"firmware\"", "after = \"pool\""));
    CHECK(test::find(early, Code::kBoardReference) != nullptr);
  }

  TEST_CASE("a chain that outgrows its window says by how much, who is large, what would fit") {
    // 64 MiB hold 2 + 1 + 1.25 MiB; 62 MiB of alpha's code are 2.25 too many.
    const core::Diagnostics errors = errors_of(zx9_text(), {{"alpha_code", 64 * kMiB}});
    REQUIRE(errors.size() == 1);
    const core::Diagnostic& misfit = errors.front();
    CHECK(misfit.code == Code::kLayoutWindow);
    CHECK(core::exit_status(errors) == core::ExitStatus::kDoesNotFit);
    // 64 + 1 + 1 + 0.25 MiB in 64 MiB.
    CHECK(test::contains(misfit.message, "firmware"));
    CHECK(test::contains(misfit.message, "66.25 MiB"));
    CHECK(test::contains(misfit.message, "[0x40000000, 0x44000000)"));
    CHECK(test::contains(misfit.message, "holds 64 MiB"));
    CHECK(test::contains(misfit.message, "2304 KiB too much"));
    CHECK(misfit.place.path == "boards/zx9.toml");
    REQUIRE(misfit.details.size() == 5);
    CHECK(test::contains(misfit.details[0], "0x44000000"));
    CHECK(test::contains(misfit.details[0], "the test ends there"));
    // From the largest to the smallest.
    CHECK(misfit.details[1] == "FW_ALPHA has 64 MiB");
    CHECK(test::contains(misfit.details[4], "MAILBOX has 256 KiB"));
    CHECK(test::contains(misfit.hint, "alpha_code that fits is 63232KiB"));
    CHECK(map_of(zx9_text(), {{"alpha_code", 63232 * 1024}}).windows.front().free == Bytes{0});
  }

  TEST_CASE("where no single knob can give back enough, that is the hint") {
    const core::Diagnostics errors = errors_of(zx9_text(), {{"pool_at", 0x1000002000}});
    REQUIRE(test::find(errors, Code::kLayoutWindow) != nullptr);
    // 64 MiB in 8 KiB.
    CHECK(test::contains(test::find(errors, Code::kLayoutWindow)->hint, "no single knob"));
  }

  TEST_CASE("a limit below the chain's base: somebody set it there, or the board is wrong") {
    // The limit is a knob: what begins there ends no window above it.
    const MemoryMap map = map_of(zx9_text(), {{"pool_at", 0x80000000}});
    const auto window =
        std::ranges::find_if(map.windows, [](const auto& each) { return each.chain == "arenas"; });
    REQUIRE(window != map.windows.end());
    CHECK(window->free == Bytes{0});
    check_accounts(map);
    // It is none: nothing that a user sets could help.
    const core::Diagnostics wrong =
        errors_of(with(zx9_text(), "limit = \"0x44000000\"", "limit = \"0x3FFFFFFF\""));
    CHECK(test::find(wrong, Code::kBoardValue) != nullptr);
    CHECK(test::find(wrong, Code::kLayoutWindow) == nullptr);
  }

  TEST_CASE("a window of size zero holds what is empty, and nothing else") {
    const std::string none = with(zx9_text(), "limit = \"0x44000000\"", "limit = \"0x40000000\"");
    const core::Diagnostics full = errors_of(none);
    const core::Diagnostic* misfit = test::find(full, Code::kLayoutWindow);
    REQUIRE(misfit != nullptr);
    CHECK(test::contains(misfit->message, "[0x40000000, 0x40000000)"));
    CHECK(test::contains(misfit->message, "holds 0 B"));
    // A chain without regions fits, and its account closes.
    const MemoryMap map = map_of(zx9_text() +
                                 "[chain.nothing]\nphysical = \"0x50000000\"\nlimit = "
                                 "\"0x50000000\"\nlimit_why = \"w\"\nregions = []\n");
    REQUIRE(map.windows.back().chain == "nothing");
    CHECK(map.windows.back().range.empty());
    CHECK(map.windows.back().free == Bytes{0});
    check_accounts(map);
    CHECK(check_map(map).empty());
  }

  TEST_CASE("a region may end exactly at 2^64, not one byte above") {
    // Without names behind it: the pool alone, its last byte the last there is.
    std::string text = with(zx9_text(),
                            "base = \"0x1000000000\"\nsize = \"8GiB\"",
                            "base = \"0x1000000000\"\nsize = \"0xFFFFFFF000000000\"");
    text = with(text, "limit = \"pool_at\"", "limit = \"0x1100000000\"");
    text = with(text, "virtual = \"0x200000000\"\n", "");
    // The C7x driver's addresses have 48 bits: this is a core with another MMU.
    text = with(text, "[mmu]\ngranule = \"4KiB\"\n", "[mmu]\n");
    const auto board = test::load_text(text);
    REQUIRE_MESSAGE(board.has_value(), (board ? "" : test::all_text(board.error())));
    const std::uint64_t base = UINT64_MAX - 4 * 1024 * kMiB + 1;
    const auto map = resolve(*board, {{"pool_at", base}});
    REQUIRE_MESSAGE(map.has_value(), (map ? "" : test::all_text(map.error())));
    CHECK(map->find_owned("POOL")->physical()->last() == PhysAddr{UINT64_MAX});
    const MmuTable* table = map->find_mmu("alpha");
    REQUIRE(table != nullptr);
    CHECK(table->ranges.back().virtual_range.size() == Bytes{4096 * kMiB});
    CHECK(check_map(*map).empty());
    const auto above = resolve(*board, {{"pool_at", base + 4096}});
    REQUIRE_FALSE(above.has_value());
    CHECK(above.error().front().code == Code::kLayoutAddress);
  }

  TEST_CASE("names that nothing has are refused where they are used") {
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"of = \"ARENA_KEEP\"", "of = \"ARENA_KEPT\""},
             {"\"alpha-memory\", covers = [\"FW_ALPHA\"]",
              "\"alpha-memory\", covers = [\"FW_ALPH\"]"},
             {"CODE = { mair = 7, covers = [\"FW_ALPHA\"] }",
              "CODE = { mair = 7, covers = [\"FW_ALPA\"] }"},
             {"covers = [\"ARENAS\"]", "covers = [\"ARENA\"]"}}) {
      const auto& shown_to = to;
      CAPTURE(shown_to);
      const core::Diagnostics errors = errors_of(with(zx9_text(), from, to));
      CHECK(test::find(errors, Code::kBoardReference) != nullptr);
      CHECK(errors.front().place.line != 0);
    }
    CHECK(errors_of(with(zx9_text(), "of = \"ARENA_KEEP\"", "of = \"ARENA_KEPT\"")).front().hint ==
          "did you mean 'ARENA_KEEP'?");
  }

  TEST_CASE("memory that is not on the bus has no physical name and is in no carve-out") {
    const core::Diagnostics named =
        errors_of(with(zx9_text(), "name = \"TCM\",", "name = \"TCM\", phys = true,"));
    CHECK(named.front().place.line != 0);
    const core::Diagnostics covered =
        errors_of(with(zx9_text(),
                       "covers = [\"FW_BETA\", \"MAILBOX\"]",
                       "covers = [\"FW_BETA\", \"MAILBOX\", \"TCM\"]"));
    CHECK(covered.front().place.line != 0);
    // Alone it is refused today; together with others it must be too.
    const core::Diagnostics alone = errors_of(with(zx9_text(),
                                                   "\"alpha-memory\", covers = [\"FW_ALPHA\"]",
                                                   "\"alpha-memory\", covers = [\"TCM\"]"));
    CHECK(alone.front().code == Code::kBoardReference);
  }

  TEST_CASE("an MMU entry over memory that is not on the bus is refused, never dropped") {
    const core::Diagnostics errors = errors_of(with(zx9_text(),
                                                    "CODE = { mair = 7, covers = [\"FW_ALPHA\"] }",
                                                    "CODE = { mair = 7, covers = [\"TCM\"] }"));
    CHECK(errors.front().place.line != 0);
  }

  TEST_CASE("the same board and knobs give the same map, whatever the order of the settings") {
    const MemoryMap one = map_of(zx9_text(), {{"keep_size", kMiB}, {"temp_size", 2 * kMiB}});
    const MemoryMap other = map_of(zx9_text(), {{"temp_size", 2 * kMiB}, {"keep_size", kMiB}});
    REQUIRE(one.regions.size() == other.regions.size());
    for (std::size_t i = 0; i < one.regions.size(); ++i) {
      CHECK(one.regions[i].name == other.regions[i].name);
      CHECK(one.regions[i].virtual_base == other.regions[i].virtual_base);
      CHECK(one.regions[i].size == other.regions[i].size);
    }
  }

  TEST_CASE("every byte of the real boards' windows is accounted for, with any legal knobs") {
    core::RealFileSystem files;
    const std::string folder = test::source_folder() + "/boards";
    test::Random random{5};
    const std::vector<std::string> names = board::bundled_boards(files, folder).value();
    for (const std::string& name : names) {
      CAPTURE(name);
      const board::Board board = board::load_board(files, folder, name).value();
      const auto map = resolve(board, {});
      REQUIRE_MESSAGE(map.has_value(), (map ? "" : test::all_text(map.error())));
      CHECK_FALSE(map->windows.empty());
      check_accounts(*map);
      // A board may be right and yet have something to note: where MPU regions are scarce.
      const core::Diagnostics found = check_map(*map);
      CHECK_MESSAGE(test::count(found, Code::kMpuSpare) == found.size(), test::all_text(found));
      CHECK_FALSE(core::has_errors(found));
      for (int round = 0; round < test::rounds(50); ++round) {
        board::KnobValues set;
        for (const board::Knob& knob : board.knobs) {
          if (knob.demand) {
            set[knob.name] = (1 + random.below(80)) * knob.granule.value();
          }
        }
        const auto other = resolve(board, set);
        if (other) {
          check_accounts(*other);
          for (const auto& [knob, value] : set) {
            CHECK(other->find_by_knob(knob)->size == Bytes{value});
          }
        } else {
          CHECK(test::find(other.error(), Code::kLayoutWindow) != nullptr);
        }
      }
    }
  }
}

}  // namespace memsize::layout::resolve_test
