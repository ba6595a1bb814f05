// What several cores see of one memory: views, aliases, chains that continue physically and begin
// anew virtually, memories that each core has for itself; and where MMU entries land then.
#include "memsize/layout/check.hpp"
#include "memsize/layout/memory_map.hpp"

#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::layout::views_test {

namespace {

using core::Bytes;
using core::Code;
using core::PhysAddr;
using core::VirtAddr;
using test::map_of;
using test::with;
using test::zx9_text;

constexpr std::uint64_t kMiB = 1048576;

// beta_1 sees three of alpha's arenas behind its tightly coupled memory, which ends at 0x10000; the
// first two there, the third behind another view.
constexpr const char* kViews = R"toml(
[view.beta_sees]
after = "tcm"
cores = ["beta_1"]
regions = [
  { name = "BETA_TEMP", of = "ARENA_TEMP" },
  { name = "BETA_RAW", of = "RAW_KEEP" },
]

[view.beta_sees_more]
after = "beta_sees"
cores = ["beta_1"]
regions = [ { name = "BETA_RAW_TEMP", of = "RAW_TEMP" } ]

[view.alpha_sees]
virtual = "0x300000000"
cores = ["alpha"]
regions = [ { name = "ALPHA_FW_BETA", of = "FW_BETA" } ]
)toml";

std::string viewed() {
  // alpha maps what it sees.
  return with(with(zx9_text(),
                   "LAKE = { name",
                   "PEEK = { mair = 7, covers = [\"FW_BETA\"] }\nLAKE = { name"),
              "\"RAW\", \"LAKE\"]",
              "\"RAW\", \"LAKE\", \"PEEK\"]") +
         kViews;
}

const Region& region(const MemoryMap& map, const std::string& name) {
  const auto found = std::ranges::find_if(
      map.regions, [&](const Region& candidate) { return candidate.name == name; });
  REQUIRE_MESSAGE(found != map.regions.end(), name);
  return *found;
}

const MmuRange& entry(const MemoryMap& map, const std::string& core, const std::string& name) {
  const MmuTable* table = map.find_mmu(core);
  REQUIRE(table != nullptr);
  const auto found = std::ranges::find_if(
      table->ranges, [&](const MmuRange& range) { return range.entry == name; });
  REQUIRE_MESSAGE(found != table->ranges.end(), name);
  return *found;
}

core::Diagnostics errors_of(const std::string& text) {
  const auto board = test::load_text(text);
  if (!board) {
    return board.error();
  }
  const auto map = resolve(*board, {});
  REQUIRE_FALSE(map.has_value());
  return map.error();
}

// The one error, which has a place in the board file.
core::Diagnostic only_error(const std::string& text) {
  const core::Diagnostics errors = errors_of(text);
  REQUIRE_MESSAGE(errors.size() == 1, test::all_text(errors));
  CHECK(errors.front().place.path == "boards/zx9.toml");
  CHECK(errors.front().place.line != 0);
  return errors.front();
}

// beta_1 with an MMU of its own, whose one entry covers `covers`.
std::string beta_maps(const std::string& covers) {
  return with(with(viewed(),
                   "LAKE = { name",
                   "BETA_ENTRY = { mair = 4, covers = [" + covers + "] }\nLAKE = { name"),
              "[mmu.core]\n",
              "[mmu.core]\nbeta_1 = [\"BETA_ENTRY\"]\n");
}

}  // namespace

TEST_SUITE("layout") {
  TEST_CASE("a view is a row of aliases in the virtual addresses of its cores") {
    const MemoryMap map = map_of(viewed());
    const core::Diagnostics found = check_map(map);
    CHECK_MESSAGE(found.empty(), test::all_text(found));
    const Region& first = region(map, "BETA_TEMP");
    CHECK(first.kind == RegionKind::kAlias);
    CHECK(first.of == "ARENA_TEMP");
    CHECK(first.virtual_base == VirtAddr{0x10000});
    CHECK(first.physical_base == region(map, "ARENA_TEMP").physical_base);
    CHECK(first.size == region(map, "ARENA_TEMP").size);
    CHECK(first.cache == chip::Cache::kCached);
    CHECK(first.knob == "temp_size");
    CHECK(first.seen_by("beta_1"));
    CHECK_FALSE(first.seen_by("alpha"));
    CHECK(first.place.line != 0);
    CHECK(test::contains(first.note, "activations"));
    CHECK(test::contains(first.note, "beta_1"));
    // The second follows the first, although physically another region stands between.
    CHECK(region(map, "BETA_RAW").virtual_base == VirtAddr{0x1010000});
    CHECK(region(map, "BETA_RAW").physical_base == region(map, "RAW_KEEP").physical_base);
    CHECK(region(map, "BETA_RAW").cache == chip::Cache::kNonCached);
    // A view behind a view, and one with a base of its own.
    CHECK(region(map, "BETA_RAW_TEMP").virtual_base == VirtAddr{0x2010000});
    CHECK(region(map, "ALPHA_FW_BETA").virtual_base == VirtAddr{0x300000000});
    CHECK(region(map, "ALPHA_FW_BETA").physical_base == PhysAddr{0x40300000});
    // Nothing of it belongs to a window or is reserved twice.
    CHECK(map.reserved() == map_of(zx9_text()).reserved());
    CHECK(map.find_owned("BETA_TEMP") == nullptr);
    CHECK(map.find_by_knob("temp_size")->name == "ARENA_TEMP");
  }

  TEST_CASE("a view moves with its owners' sizes and with what it continues") {
    const MemoryMap map = map_of(viewed(), {{"temp_size", 5 * kMiB}, {"keep_raw_size", 3 * kMiB}});
    CHECK(region(map, "BETA_TEMP").virtual_base == VirtAddr{0x10000});
    CHECK(region(map, "BETA_TEMP").size == Bytes{5 * kMiB});
    CHECK(region(map, "BETA_RAW").virtual_base == VirtAddr{0x510000});
    CHECK(region(map, "BETA_RAW_TEMP").virtual_base == VirtAddr{0x810000});
    const MemoryMap longer = map_of(
        with(viewed(), "name = \"TCM\", size = \"64KiB\"", "name = \"TCM\", size = \"1MiB\""));
    CHECK(region(longer, "BETA_TEMP").virtual_base == VirtAddr{0x100000});
    CHECK(region(longer, "BETA_RAW_TEMP").virtual_base == VirtAddr{0x2100000});
  }

  TEST_CASE("a view continues a chain or a view above it, nothing else") {
    const core::Diagnostic unknown =
        only_error(with(viewed(), "after = \"tcm\"", "after = \"tcn\""));
    CHECK(unknown.code == Code::kBoardReference);
    CHECK(unknown.hint == "did you mean 'tcm'?");
    // A view that stands further down, and the view itself.
    const core::Diagnostics later =
        errors_of(with(viewed(), "after = \"tcm\"", "after = \"beta_sees_more\""));
    CHECK(test::find(later, Code::kBoardReference) != nullptr);
    const core::Diagnostics self =
        errors_of(with(viewed(), "after = \"tcm\"", "after = \"beta_sees\""));
    CHECK(test::find(self, Code::kBoardReference) != nullptr);
    // A chain cannot continue a view.
    const core::Diagnostics chain =
        errors_of(viewed() +
                  "[chain.tail]\nafter = \"beta_sees\"\nregions = [ { gap = \"1MiB\", why = \"w\" "
                  "} ]\n");
    CHECK(test::find(chain, Code::kBoardReference) != nullptr);
  }

  TEST_CASE("a view has one beginning, and its aliases have names and owners") {
    CHECK(only_error(with(viewed(), "after = \"tcm\"\n", "after = \"tcm\"\nvirtual = \"0x0\"\n"))
              .code == Code::kTomlMissingKey);
    CHECK(only_error(with(viewed(), "virtual = \"0x300000000\"\n", "")).code ==
          Code::kTomlMissingKey);
    CHECK(only_error(with(viewed(), "after = \"tcm\"\ncores = [\"beta_1\"]\n", "after = \"tcm\"\n"))
              .code == Code::kTomlMissingKey);
    CHECK(only_error(with(viewed(), "{ name = \"BETA_TEMP\", of", "{ of")).code ==
          Code::kTomlMissingKey);
    CHECK(only_error(with(viewed(), "\"BETA_TEMP\", of = \"ARENA_TEMP\"", "\"BETA_TEMP\"")).code ==
          Code::kTomlMissingKey);
    CHECK(only_error(
              with(viewed(), "of = \"ARENA_TEMP\" }", "of = \"ARENA_TEMP\", size = \"1MiB\" }"))
              .code == Code::kTomlUnknownKey);
    const core::Diagnostic core = only_error(with(viewed(),
                                                  "after = \"tcm\"\ncores = [\"beta_1\"]",
                                                  "after = \"tcm\"\ncores = [\"beta_2\"]"));
    CHECK(core.code == Code::kBoardReference);
    CHECK(core.hint == "did you mean 'beta_1'?");
    const core::Diagnostics owner =
        errors_of(with(viewed(), "of = \"ARENA_TEMP\"", "of = \"ARENA_TMP\""));
    REQUIRE(test::find(owner, Code::kBoardReference) != nullptr);
    CHECK(owner.front().hint == "did you mean 'ARENA_TEMP'?");
    // Not an alias of an alias.
    CHECK(test::find(errors_of(with(viewed(), "of = \"RAW_TEMP\"", "of = \"BETA_RAW\"")),
                     Code::kBoardReference) != nullptr);
  }

  TEST_CASE("a view may end exactly at 2^64, not above") {
    const std::string at_end =
        with(viewed(), "virtual = \"0x300000000\"", "virtual = \"0xFFFFFFFFFFF00000\"");
    const MemoryMap map = map_of(with(at_end, "[mmu]\ngranule = \"4KiB\"\n", "[mmu]\n"));
    CHECK(region(map, "ALPHA_FW_BETA").virtual_range()->last() == VirtAddr{UINT64_MAX});
    CHECK(check_map(map).empty());
    const core::Diagnostic above =
        only_error(with(viewed(), "virtual = \"0x300000000\"", "virtual = \"0xFFFFFFFFFFF01000\""));
    CHECK(above.code == Code::kLayoutAddress);
    CHECK(test::contains(above.message, "ALPHA_FW_BETA"));
    // Where the chain before it ends on the bus is nothing to a view.
    const MemoryMap high = map_of(with(
        with(viewed(), "[view.beta_sees]\nafter = \"tcm\"", "[view.beta_sees]\nafter = \"top\""),
        "[view.beta_sees]",
        "[chain.top]\nspace = \"sram\"\nphysical = \"0xFFFFFFFFFFE00000\"\nvirtual = "
        "\"0x500000000\"\nregions = [ { name = \"TOP\", size = \"1MiB\", cores = [] } ]\n\n"
        "[view.beta_sees]"));
    CHECK(region(high, "BETA_TEMP").virtual_base == VirtAddr{0x500100000});
    CHECK(region(high, "BETA_RAW").virtual_base == VirtAddr{0x501100000});
    // Nothing can follow, not even behind a region that itself still fitted.
    const core::Diagnostics behind =
        errors_of(with(at_end,
                       "of = \"FW_BETA\" } ]",
                       "of = \"FW_BETA\" }, { name = \"X\", of = \"SCRATCHPAD\" } ]"));
    CHECK_MESSAGE(test::find(behind, Code::kLayoutAddress) != nullptr, test::all_text(behind));
  }

  TEST_CASE("names of a view stand in the linker maps of its cores, once") {
    const core::Diagnostics twice =
        check_map(map_of(with(viewed(), "\"BETA_RAW\", of", "\"FW_BETA\", of")));
    REQUIRE(test::find(twice, Code::kLayoutDuplicate) != nullptr);
    CHECK(test::contains(test::find(twice, Code::kLayoutDuplicate)->message, "FW_BETA"));
    // Where a view runs into something that its core has already.
    const core::Diagnostics over =
        check_map(map_of(with(viewed(),
                              "[view.beta_sees]\nafter = \"tcm\"",
                              "[view.beta_sees]\nvirtual = \"0x40000000\"")));
    const core::Diagnostic* overlap = test::find(over, Code::kLayoutVirtualOverlap);
    REQUIRE_MESSAGE(overlap != nullptr, test::all_text(over));
    CHECK(test::contains(overlap->message, "beta_1"));
    CHECK(test::contains(overlap->message, "BETA_TEMP"));
  }

  TEST_CASE("a chain may continue another physically and begin anew virtually") {
    const std::string text = zx9_text() + R"toml(
[chain.second]
after = "arenas"
virtual = "0x80000000"
limit = "pool_at"
limit_why = "the pool begins there"
regions = [ { name = "SECOND", size = "2MiB", cores = ["beta_1"] } ]

[chain.third]
after = "second"
regions = [ { name = "THIRD", size = "1MiB", cores = ["beta_1"] } ]
)toml";
    // beta_1's alias of the first arena stands where SECOND is now.
    const MemoryMap map = map_of(with(text, "BETA_KEEP = {", "# BETA_KEEP = {"));
    CHECK(region(map, "SECOND").physical_base == PhysAddr{0x1004000000});
    CHECK(region(map, "SECOND").virtual_base == VirtAddr{0x80000000});
    // Without a virtual address of its own, a chain continues both.
    CHECK(region(map, "THIRD").physical_base == PhysAddr{0x1004200000});
    CHECK(region(map, "THIRD").virtual_base == VirtAddr{0x80200000});
    CHECK(check_map(map).empty());
    // The window is physical, from where the chain begins.
    const auto window =
        std::ranges::find_if(map.windows, [](const Window& one) { return one.chain == "second"; });
    REQUIRE(window != map.windows.end());
    CHECK(window->range.base() == PhysAddr{0x1004000000});
    CHECK(window->placed == Bytes{2 * kMiB});
    CHECK(window->placed + window->free == window->range.size());
    const MemoryMap moved =
        map_of(with(text, "BETA_KEEP = {", "# BETA_KEEP = {"), {{"temp_size", 15 * kMiB}});
    CHECK(region(moved, "SECOND").physical_base == PhysAddr{0x1003F00000});
    CHECK(region(moved, "SECOND").virtual_base == VirtAddr{0x80000000});
    CHECK(region(moved, "THIRD").virtual_base == VirtAddr{0x80200000});
    // Two regions of one core at one virtual address are found, of two cores they are not.
    const core::Diagnostics both =
        check_map(map_of(with(with(text, "BETA_KEEP = {", "# BETA_KEEP = {"),
                              "size = \"2MiB\", cores = [\"beta_1\"]",
                              "size = \"2MiB\", cores = \"all\"")));
    CHECK(test::count(both, Code::kLayoutVirtualOverlap) == 1);
  }

  TEST_CASE("a chain seen by its own core only neither continues the bus nor is continued by it") {
    // It would give memory in DRAM no address there, or a core's own memory one.
    for (const char* chain :
         {"[chain.lost]\nafter = \"tcm\"\nregions = [ { name = \"LOST\", size = \"1MiB\", cores = "
          "[\"beta_1\"] } ]\n",
          "[chain.lost]\nspace = \"core\"\nafter = \"firmware\"\nvirtual = \"0x60000000\"\nregions "
          "= [ { name = \"LOST\", size = \"1MiB\", cores = [\"beta_1\"] } ]\n"}) {
      CAPTURE(chain);
      const auto board = test::load_text(zx9_text() + chain);
      const auto map =
          board ? resolve(*board, {}) : core::Result<MemoryMap>{tl::make_unexpected(board.error())};
      CHECK((!map || core::has_errors(check_map(*map))));
    }
  }

  TEST_CASE("several cores have a memory of their own at one address") {
    const std::string text = with(zx9_text(),
                                  "size = \"64KiB\", cores = [\"beta_1\"], header = false",
                                  "size = \"64KiB\", cores = \"all\", header = false");
    const MemoryMap map = map_of(text);
    CHECK(region(map, "TCM").seen_by("alpha"));
    CHECK(region(map, "TCM").seen_by("beta_1"));
    CHECK_FALSE(region(map, "TCM").physical_base.has_value());
    // It is no memory that two share: nothing overlaps, and no MMU entry is missing.
    CHECK(check_map(map).empty());
    // Two such chains with other cores may stand at one address, with a common core not.
    const std::string other =
        "[chain.tcm_alpha]\nspace = \"core\"\nvirtual = \"0x8000\"\nregions = [ { name = "
        "\"TCM_2\", "
        "size = \"64KiB\", cores = [\"alpha\"] } ]\n";
    CHECK(check_map(map_of(zx9_text() + other)).empty());
    const core::Diagnostics overlap = check_map(map_of(text + other));
    REQUIRE(overlap.size() == 1);
    CHECK(overlap.front().code == Code::kLayoutVirtualOverlap);
    CHECK(test::contains(overlap.front().message, "alpha"));
  }

  TEST_CASE("an MMU entry lands where its core sees what it covers") {
    // One entry for both cores: alpha sees it in the arenas, beta_1 in its view.
    const MemoryMap map = map_of(beta_maps("\"RAW_KEEP\""));
    const MmuRange& beta = entry(map, "beta_1", "BETA_ENTRY");
    CHECK(beta.virtual_range.base() == VirtAddr{0x1010000});
    CHECK(beta.virtual_range.size() == Bytes{16 * kMiB});
    CHECK(beta.physical.base() == PhysAddr{0x1002000000});
    CHECK(beta.covers == std::vector<std::string>{"RAW_KEEP"});
    CHECK(entry(map, "alpha", "RAW").virtual_range.base() == VirtAddr{0x82000000});
    CHECK(entry(map, "alpha", "PEEK").virtual_range.base() == VirtAddr{0x300000000});
    CHECK(entry(map, "alpha", "PEEK").physical.base() == PhysAddr{0x40300000});
    // Without the view, it is where its owner sees it.
    const MemoryMap plain = map_of(
        with(with(beta_maps("\"RAW_KEEP\""), "{ name = \"BETA_RAW\", of = \"RAW_KEEP\" },\n", ""),
             "after = \"tcm\"",
             "after = \"tcm\""));
    CHECK(entry(plain, "beta_1", "BETA_ENTRY").virtual_range.base() == VirtAddr{0x82000000});
    // An alias at the owner's own address.
    const MemoryMap alias = map_of(beta_maps("\"ARENA_KEEP\""));
    CHECK(entry(alias, "beta_1", "BETA_ENTRY").virtual_range.base() == VirtAddr{0x80000000});
  }

  TEST_CASE("an entry over several aliases needs them in their owners' order") {
    // RAW_KEEP and RAW_TEMP follow each other for their owner and in the views.
    const MemoryMap good = map_of(beta_maps("\"RAW_KEEP\", \"RAW_TEMP\""));
    const MmuRange& hull = entry(good, "beta_1", "BETA_ENTRY");
    CHECK(hull.virtual_range.base() == VirtAddr{0x1010000});
    CHECK(hull.virtual_range.size() == Bytes{32 * kMiB});
    CHECK(hull.physical.base() == PhysAddr{0x1002000000});
    CHECK(test::find(check_map(good), Code::kMmuSpan) == nullptr);
    // The other way round, one distance cannot serve both.
    const std::string reversed = with(with(beta_maps("\"RAW_KEEP\", \"RAW_TEMP\""),
                                           "{ name = \"BETA_RAW\", of = \"RAW_KEEP\" }",
                                           "{ name = \"BETA_RAW\", of = \"RAW_TEMP\" }"),
                                      "{ name = \"BETA_RAW_TEMP\", of = \"RAW_TEMP\" }",
                                      "{ name = \"BETA_RAW_TEMP\", of = \"RAW_KEEP\" }");
    const core::Diagnostics found = check_map(map_of(reversed));
    REQUIRE_MESSAGE(test::find(found, Code::kMmuSpan) != nullptr, test::all_text(found));
    CHECK(test::count(found, Code::kMmuSpan) >= 1);
  }

  TEST_CASE("an aliased region is held against the checks under its core's own name") {
    // beta_1 has an MMU now: what its linker map has must be mapped, under the alias's address.
    const core::Diagnostics found = check_map(map_of(beta_maps("\"RAW_KEEP\"")));
    bool view = false;
    for (const core::Diagnostic& missing : found) {
      // beta_1's memory is no multiple of 2 MiB, which is another check's to say.
      if (missing.code == Code::kMmuCongruence) {
        continue;
      }
      CHECK(missing.code == Code::kMmuCoverage);
      view = view || test::contains(missing.message, "'BETA_TEMP' at [0x10000, 0x1010000)");
      CHECK_FALSE(test::contains(missing.message, "BETA_RAW'"));
      CHECK_FALSE(test::contains(missing.message, "'RAW_KEEP'"));
    }
    CHECK_MESSAGE(view, test::all_text(found));
    // Its caching is the owner's.
    const core::Diagnostics cached = check_map(map_of(
        with(beta_maps("\"RAW_KEEP\""), "BETA_ENTRY = { mair = 4", "BETA_ENTRY = { mair = 7")));
    const core::Diagnostic* wrong = test::find(cached, Code::kMmuCache);
    REQUIRE(wrong != nullptr);
    CHECK(test::contains(wrong->message, "BETA_RAW"));
    CHECK(test::contains(wrong->message, "beta_1"));
  }

  TEST_CASE("an MMU entry that covers nothing") {
    // Only what is empty: there is no entry, and the others keep their order.
    const std::string empty = with(zx9_text(), "size = \"64KiB * 4\"", "size = \"page - page\"");
    const MemoryMap map = map_of(empty);
    CHECK(map.find_mmu("alpha")->ranges.size() == 6);
    CHECK(entry(map, "alpha", "WARM").instance == 4);
    CHECK(test::find(check_map(map), Code::kLayoutEmpty) != nullptr);
    // A fixed one of no size at all.
    const core::Diagnostics none = check_map(map_of(
        with(zx9_text(), "base = \"0x0\", size = \"1MiB\"", "base = \"0x0\", size = \"0\"")));
    REQUIRE(test::find(none, Code::kMmuGranule) != nullptr);
    CHECK(test::contains(test::find(none, Code::kMmuGranule)->message, "REGISTERS"));
    CHECK(test::find(none, Code::kMmuTables) == nullptr);
    // An empty list needs a base and a size.
    const core::Diagnostics bare = errors_of(with(zx9_text(),
                                                  "PAD = { mair = 0, covers = [\"SCRATCHPAD\"] }",
                                                  "PAD = { mair = 0, covers = [] }"));
    CHECK(test::find(bare, Code::kTomlMissingKey) != nullptr);
    // A window where there are no regions is fine, and needs no reason.
    CHECK(check_map(map_of(with(zx9_text(),
                                "base = \"0x0\", size = \"1MiB\"",
                                "base = \"0x7000000000\", size = \"1MiB\"")))
              .empty());
  }

  TEST_CASE("an entry beyond the 48 bits of the driver's addresses is refused") {
    for (const auto& [base, good] : {std::pair{"0xFFFFFFF00000", true},
                                     std::pair{"0xFFFFFFF01000", false},
                                     std::pair{"0x1000000000000", false}}) {
      const auto& shown_base = base;
      CAPTURE(shown_base);
      const core::Diagnostics found =
          check_map(map_of(with(zx9_text(),
                                "base = \"0x0\", size = \"1MiB\"",
                                "base = \"" + std::string{base} + "\", size = \"1MiB\"")));
      CHECK((test::find(found, Code::kMmuGranule) == nullptr) == good);
    }
  }
}

}  // namespace memsize::layout::views_test
