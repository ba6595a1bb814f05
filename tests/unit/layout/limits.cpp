// Much of everything, hints that must be right, and numbers at the edge of 64 bits.
#include "memsize/core/text.hpp"
#include "memsize/layout/check.hpp"
#include "memsize/layout/memory_map.hpp"

#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::layout::limits_test {

namespace {

using core::Bytes;
using core::Code;
using core::PhysAddr;
using test::map_of;
using test::with;
using test::zx9_text;

constexpr std::uint64_t kMiB = 1048576;
constexpr std::uint64_t kGiB = 1073741824;

board::Board real_board(const std::string& name) {
  core::RealFileSystem files;
  return board::load_board(files, test::source_folder() + "/boards", name).value();
}

std::vector<std::string> real_boards() {
  core::RealFileSystem files;
  return board::bundled_boards(files, test::source_folder() + "/boards").value();
}

// What "... --set NAME=VALUE" in a hint sets; empty where there is none.
board::KnobValues set_by(const std::string& hint) {
  const std::size_t at = hint.find("--set ");
  const std::size_t equals = hint.find('=', at);
  if (at == std::string::npos || equals == std::string::npos) {
    return {};
  }
  const std::string value = hint.substr(equals + 1, hint.find(' ', equals) - equals - 1);
  const auto size = core::parse_bytes(value);
  return {{hint.substr(at + 6, equals - at - 6), size ? size->count() : 0}};
}

// The findings of layout.bank, and of the map that their hint leads to.
struct Moved {
  core::Diagnostics outside;
  std::string hint;
  core::Diagnostics after;
};

Moved follow_hint(const board::Board& board) {
  Moved moved;
  const auto map = resolve(board, {});
  REQUIRE_MESSAGE(map.has_value(), (map ? "" : test::all_text(map.error())));
  for (const core::Diagnostic& found : check_map(*map)) {
    if (found.code == Code::kLayoutBank) {
      moved.outside.push_back(found);
      moved.hint = found.hint;
    }
  }
  const board::KnobValues values = set_by(moved.hint);
  if (!values.empty()) {
    const auto other = resolve(board, values);
    moved.after = other ? check_map(*other) : other.error();
  }
  return moved;
}

// A board of `count` regions of 4 KiB in one chain, all under one carve-out and one MMU entry.
std::string board_of(std::size_t count) {
  std::string regions;
  std::string names;
  for (std::size_t i = 0; i < count; ++i) {
    regions += fmt::format(
        "  {{ name = \"R{}\", size = \"4KiB\", cores = [\"c\"], cache = \"cached\" }},\n", i);
    names += fmt::format("\"R{}\", ", i);
  }
  return fmt::format(
      "schema = 1\ntitle = \"many\"\nsoc = \"s\"\n"
      "[files]\nlinker = \"l.cmd\"\nheader = \"h.h\"\ndts = \"d.dtsi\"\n"
      "[core.c]\n[bank.b]\nbase = \"0x80000000\"\nsize = \"1GiB\"\n"
      "[chain.all]\nphysical = \"0x80000000\"\nlimit = \"0xC0000000\"\nlimit_why = \"w\"\n"
      "regions = [\n{}]\n"
      "[carveout]\nnode = {{ node = \"n\", name = \"ALL\", covers = [{}] }}\n"
      "[mmu]\ngranule = \"4KiB\"\ntables = 16\nmair_cached = [7]\n"
      "[mmu.entry]\nALL_OF_IT = {{ mair = 7, covers = [\"ALL\"] }}\n"
      "[mmu.core]\nc = [\"ALL_OF_IT\"]\n",
      regions,
      names);
}

}  // namespace

TEST_SUITE("layout") {
  TEST_CASE(
      "ten thousand regions load, resolve and pass the checks; all misplaced, all are found") {
    constexpr std::size_t kMany = test::rounds(std::size_t{10000});
    MemoryMap map = map_of(board_of(kMany));
    REQUIRE(map.regions.size() == kMany);
    CHECK(map.regions.back().physical()->last() == PhysAddr{0x80000000 + kMany * 4096 - 1});
    REQUIRE(map.carveouts.size() == 1);
    CHECK(map.carveouts.front().range.size() == Bytes{kMany * 4096});
    REQUIRE(map.mmu.size() == 1);
    CHECK(map.mmu.front().ranges.front().virtual_range.size() == Bytes{kMany * 4096});
    CHECK(map.windows.front().free == Bytes{kGiB - kMany * 4096});
    const core::Diagnostics found = check_map(map);
    CHECK_MESSAGE(found.empty(), found.size());
    // A bank that ends before all of them.
    map.board.banks.front().range =
        core::PhysRange::make(PhysAddr{0x40000000}, Bytes{0x40000000}).value();
    CHECK(test::count(check_map(map), Code::kLayoutBank) == kMany);
  }

  TEST_CASE("a section that begins on a multiple of its alignment skips what lies before it") {
    // FW_BETA of 1 MiB at 0x40300000.
    for (const auto& [align, good] : {std::pair{"1MiB", true},
                                      std::pair{"64KiB", true},
                                      std::pair{"2MiB", false},
                                      std::pair{"4MiB", false},
                                      std::pair{"1GiB", false}}) {
      const auto& shown_align = align;
      CAPTURE(shown_align);
      const std::string text = with(zx9_text(),
                                    "note = \"beta code\"",
                                    fmt::format("section_align = \"{}\", note = \"\"", align));
      const core::Diagnostics found = check_map(map_of(text));
      CHECK((test::find(found, Code::kLayoutSection) == nullptr) == good);
      // 4 KiB more than what is skipped are enough: 1 MiB before a multiple of 2 or 4 MiB.
      const core::Diagnostics more = check_map(map_of(text, {{"beta_code", kMiB + 4096}}));
      CHECK((test::find(more, Code::kLayoutSection) == nullptr) == (std::string{align} != "1GiB"));
    }
    // A memory of one core alone has sections too: 64 KiB at 0.
    const std::string tcm = with(
        zx9_text(), "header = false, html", "section_align = \"128KiB\", header = false, html");
    CHECK(check_map(map_of(tcm)).empty());
    CHECK(test::count(check_map(map_of(with(tcm, "virtual = \"0x0\"", "virtual = \"0x10000\""))),
                      Code::kLayoutSection) == 1);
  }

  TEST_CASE("a default below its minimum is a finding of the board, a setting below it an error") {
    const std::string text = with(zx9_text(), "minimum = \"512KiB\"", "minimum = \"1028KiB\"");
    const core::Diagnostics found = check_map(map_of(text));
    REQUIRE_MESSAGE(found.size() == 1, test::all_text(found));
    CHECK(found.front().code == Code::kSizeMinimum);
    CHECK(test::contains(found.front().message, "its vectors"));
    CHECK(test::contains(found.front().hint, "beta_code"));
    CHECK(test::contains(found.front().hint, "1028KiB"));
    const auto set = resolve(test::load_text(text).value(), {{"beta_code", 512 * 1024}});
    REQUIRE_FALSE(set.has_value());
    CHECK(set.error().front().code == Code::kKnobRule);
    CHECK(check_map(map_of(text, {{"beta_code", 1028 * 1024}})).empty());
  }

  TEST_CASE("J722S with 4 GiB: the shared memory fits behind the heaps, at 0x8A0000000") {
    board::Board board = real_board("j722s");
    REQUIRE(board::set_dram(board, Bytes{4 * kGiB}).has_value());
    const Moved moved = follow_hint(board);
    REQUIRE(moved.outside.size() == 1);
    CHECK(test::contains(moved.outside.front().message, "DDR_SHARED_MEM"));
    CHECK(test::contains(moved.hint, "=0x8A0000000"));
    CHECK_MESSAGE(moved.after.empty(), test::all_text(moved.after));
  }

  TEST_CASE("where a hint says that a region fits, it fits: every board, any amount of DRAM" *
            doctest::skip(test::rounds(1) == 0)) {
    std::size_t followed = 0;
    for (const std::string& name : real_boards()) {
      for (const std::uint64_t gib : {2U, 3U, 4U, 5U, 6U, 8U, 12U, 16U, 32U}) {
        CAPTURE(name);
        CAPTURE(gib);
        board::Board board = real_board(name);
        REQUIRE(board::set_dram(board, Bytes{gib * kGiB}).has_value());
        const Moved moved = follow_hint(board);
        if (set_by(moved.hint).empty()) {
          continue;
        }
        ++followed;
        // What fits nowhere, because there is no bank for it at all, stays outside.
        for (const core::Diagnostic& left : moved.after) {
          const bool stays =
              std::ranges::any_of(moved.outside, [&](const core::Diagnostic& before) {
                return before.message == left.message && before.hint != moved.hint;
              });
          CHECK_MESSAGE((left.severity != core::Severity::kError || stays),
                        moved.hint,
                        "\n",
                        test::all_text(moved.after));
        }
      }
    }
    CHECK(followed >= 5);
  }

  TEST_CASE("the place for a chain has room for its gaps and for what continues it") {
    // In a far bank of 5 GiB the pool of 4 GiB fits behind the arenas, what belongs to it does not.
    const std::string small = with(with(zx9_text(),
                                        "base = \"0x1000000000\"\nsize = \"8GiB\"",
                                        "base = \"0x1000000000\"\nsize = \"5GiB\""),
                                   "cores = \"all\", attributes = \"\", cache = \"cached\"",
                                   "cores = \"all\", align = \"1GiB\", attributes = \"\", cache = "
                                   "\"cached\"");
    const auto outcome = [](const std::string& text) {
      return follow_hint(test::load_text(text).value());
    };
    const Moved alone = outcome(small);
    REQUIRE(alone.outside.size() == 1);
    CHECK(set_by(alone.hint) == board::KnobValues{{"pool_at", 0x1040000000}});
    CHECK_MESSAGE(alone.after.empty(), test::all_text(alone.after));
    const Moved gap =
        outcome(with(small,
                     "cache = \"cached\", note = \"shared\" },\n",
                     "cache = \"cached\", note = \"shared\" },\n  { gap = \"1GiB\", why "
                     "= \"w\" },\n  { name = \"BEHIND\", size = \"4KiB\", cores = [] },\n"));
    CHECK_FALSE(gap.outside.empty());
    CHECK_MESSAGE(gap.after.empty(), gap.hint, "\n", test::all_text(gap.after));
    const Moved tail = outcome(small +
                               "[chain.tail]\nafter = \"pool\"\nregions = [ { name = \"TAIL\", "
                               "size = \"1GiB\", cores = [] } ]\n");
    CHECK_FALSE(tail.outside.empty());
    CHECK_MESSAGE(tail.after.empty(), tail.hint, "\n", test::all_text(tail.after));
  }

  TEST_CASE("where a hint says which sizes align a region, they do") {
    // Each "--set NAME=VALUE" of the hint of layout.alignment leads to a map without that finding.
    const auto follow_all = [](const board::Board& board, const board::KnobValues& values) {
      std::size_t followed = 0;
      const auto map = resolve(board, values);
      REQUIRE_MESSAGE(map.has_value(), (map ? "" : test::all_text(map.error())));
      for (const core::Diagnostic& found : check_map(*map)) {
        if (found.code != Code::kLayoutAlignment) {
          continue;
        }
        for (std::size_t at = found.hint.find("--set "); at != std::string::npos;
             at = found.hint.find("--set ", at + 1)) {
          board::KnobValues other = values;
          for (const auto& [knob, value] : set_by(found.hint.substr(at))) {
            other[knob] = value;
          }
          const auto moved = resolve(board, other);
          REQUIRE_MESSAGE(moved.has_value(), found.hint);
          CHECK_MESSAGE(test::find(check_map(*moved), Code::kLayoutAlignment) == nullptr,
                        found.hint);
          ++followed;
        }
      }
      return followed;
    };
    const board::Board j722s = real_board("j722s");
    const std::uint64_t code = board::evaluate_knobs(j722s, {})->at("c7x_1_ddr_size");
    CHECK(follow_all(j722s, {{"c7x_1_ddr_size", code - kMiB}}) > 0);
    const std::string pool = with(zx9_text(),
                                  "cores = \"all\", attributes = \"\", cache = \"cached\"",
                                  "cores = \"all\", align = \"1GiB\", attributes = \"\", cache = "
                                  "\"cached\"");
    CHECK(follow_all(test::load_text(pool).value(), {{"pool_at", 0x1100001000}}) == 2);
    // Only the virtual address is off: no physical one mends that.
    const std::string seen = with(pool, "virtual = \"0x200000000\"", "virtual = \"0x200100000\"");
    CHECK(follow_all(test::load_text(seen).value(), {}) == 0);
    const core::Diagnostics off = check_map(map_of(seen));
    REQUIRE(test::find(off, Code::kLayoutAlignment) != nullptr);
    CHECK(test::contains(test::find(off, Code::kLayoutAlignment)->message, "0x200100000"));
    CHECK(test::contains(test::find(off, Code::kLayoutAlignment)->hint, "1 MiB past 0x200000000"));
  }

  TEST_CASE("a chain that no knob places has no hint with a knob") {
    const core::Diagnostics found =
        check_map(map_of(with(zx9_text(),
                              "base = \"0x40000000\"\nsize = \"1GiB\"",
                              "base = \"0x40000000\"\nsize = \"2MiB\"")));
    REQUIRE(test::count(found, Code::kLayoutBank) == 2);
    for (const core::Diagnostic& outside : found) {
      CHECK_FALSE(test::contains(outside.hint, "--set"));
      CHECK_FALSE(outside.hint.empty());
      REQUIRE(outside.details.size() == 2);
      CHECK(test::contains(outside.details[0], "[0x40000000, 0x40200000)"));
    }
  }

  TEST_CASE("sums above 2^64 are errors with a place, wherever a map is computed") {
    const std::string most = "0xFFFFFFFFFFFFF000";
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             // Two regions that each fit, together not.
             {"pool_size = { default = \"4GiB\" }", "pool_size = { default = \"" + most + "\" }"},
             {"gap = \"1MiB\"", "gap = \"" + most + "\""},
             {"gap = \"1MiB\"", "gap = \"" + most + " * 2\""},
             {"virtual = \"0x80000000\"\nlimit", "virtual = \"" + most + "\"\nlimit"},
             {"limit = \"0x44000000\"", "limit = \"" + most + " + 0x2000\""},
             {"FAR_PADDR = \"0x1000000000\"", "FAR_PADDR = \"" + most + " * 2\""},
             {"base = \"0x0\", size = \"1MiB\"", "base = \"" + most + "\", size = \"1MiB\""},
             {"base = \"0x0\", size = \"1MiB\"", "base = \"0\", size = \"16 * " + most + "\""}}) {
      const auto& shown_to = to;
      CAPTURE(shown_to);
      const auto map = resolve(test::load_text(with(zx9_text(), from, to)).value(), {});
      REQUIRE_FALSE(map.has_value());
      CHECK(map.error().front().place.path == "boards/zx9.toml");
      CHECK(map.error().front().place.line != 0);
    }
  }

  TEST_CASE("MMU entries without end need no more time than tables that any driver has") {
    std::string entries;
    std::string keys;
    for (int i = 0; i < 3000; ++i) {
      entries += fmt::format(
          "M{0} = {{ mair = 0, base = \"0x7000000000 + {0} * 2MiB\", size = \"4KiB\" }}\n", i);
      keys += fmt::format("\"M{}\", ", i);
    }
    std::string text = with(zx9_text(), "[mmu.entry]\n", "[mmu.entry]\n" + entries);
    text = with(text, "alpha = [\"REGISTERS\"", "alpha = [" + keys + "\"REGISTERS\"");
    text = with(text, "mair_non_cached = [0, 4]", "tables = 16\nmair_non_cached = [0, 4]");
    const core::Diagnostics found = check_map(map_of(text));
    const core::Diagnostic* tables = test::find(found, Code::kMmuTables);
    REQUIRE(tables != nullptr);
    CHECK(test::contains(tables->message, "more than 1024"));
  }
}

}  // namespace memsize::layout::limits_test
