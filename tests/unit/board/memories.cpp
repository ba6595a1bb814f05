#include "memsize/board/memories.hpp"

#include "memsize/board/load.hpp"

#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::board::memories_test {

namespace {

using core::Code;
using test::with;

const std::string kFolder = "boards/memories";

const std::string kPart = R"toml(schema = 1
title = "A part that exists nowhere"
alignment = "8"

[memory.far]
base = "0x30000000"
hardware = "1MiB"
cost = 4
source = "made up"

[memory.near]
base = "0x20000000"
hardware = "64KiB"
window = "60KiB"
reserve_percent = 25
reserve = "1KiB"
arena_alignment = "32"
cost = 1
source = "made up"

[memory.flash]
hardware = "2MiB"
writable = false
volatile = false
by_rule = true
cost = 9
source = "made up"
)toml";

core::Result<MemorySet> load(const std::string& text) {
  core::MemFileSystem files;
  files.content[kFolder + "/part.toml"] = text;
  return load_memories(files, kFolder, "part");
}

core::Diagnostic only_error(std::string_view from, std::string_view to) {
  CAPTURE(std::string{to});
  const auto loaded = load(with(kPart, from, to));
  REQUIRE_FALSE(loaded.has_value());
  REQUIRE_MESSAGE(loaded.error().size() == 1, test::all_text(loaded.error()));
  return loaded.error().front();
}

const PartMemory& memory_named(const MemorySet& set, const std::string& name) {
  const auto found = std::ranges::find_if(
      set.memories, [&](const PartMemory& memory) { return memory.name == name; });
  REQUIRE(found != set.memories.end());
  return *found;
}

}  // namespace

TEST_SUITE_BEGIN("board");

TEST_CASE("a part's memories stand in the order of their cost") {
  const auto set = load(kPart);
  REQUIRE(set.has_value());
  CHECK(set->name == "part");
  CHECK(set->alignment.value() == 8);
  REQUIRE(set->memories.size() == 3);
  CHECK(set->memories[0].name == "near");
  CHECK(set->memories[1].name == "far");
  CHECK(set->memories[2].name == "flash");
  const PartMemory& near = set->memories[0];
  CHECK(near.hardware == core::Bytes{65536});
  CHECK(near.window == core::Bytes{61440});
  CHECK(near.base == core::PhysAddr{0x20000000});
  CHECK(near.arena_alignment.value() == 32);
  CHECK(near.writable);
  CHECK(near.is_volatile);
  CHECK_FALSE(near.by_rule);
  const PartMemory& flash = set->memories[2];
  CHECK_FALSE(flash.base.has_value());
  CHECK_FALSE(flash.writable);
  CHECK_FALSE(flash.is_volatile);
  CHECK(flash.by_rule);
  CHECK(flash.arena_alignment.value() == 16);
  CHECK(set->files == std::vector<std::string>{"boards/memories/part.toml"});
}

TEST_CASE("what plans may use is the window less its percentage, then less bytes") {
  const auto set = load(kPart);
  REQUIRE(set.has_value());
  CHECK(budget_of(set->memories[0]) == core::Bytes{61440 * 3 / 4 - 1024});
  CHECK(budget_of(set->memories[1]) == core::Bytes{1048576});
  PartMemory odd;
  odd.window = core::Bytes{101};
  odd.reserve_percent = 50;
  CHECK(budget_of(odd) == core::Bytes{50});
  odd.reserve = core::Bytes{51};
  CHECK(budget_of(odd) == core::Bytes{0});
  odd.reserve = {};
  odd.reserve_percent = 100;
  CHECK(budget_of(odd) == core::Bytes{0});
  // Near 2^64 nothing wraps.
  odd.window = core::Bytes{UINT64_MAX};
  odd.reserve_percent = 1;
  CHECK(budget_of(odd) == core::Bytes{UINT64_MAX / 100 * 99 + UINT64_MAX % 100 * 99 / 100});
}

TEST_CASE("mistakes in a part's file have a place and a way out") {
  CHECK(only_error("window = ", "windows = ").hint == "did you mean 'window'?");
  CHECK(only_error("window = ", "windows = ").code == Code::kTomlUnknownKey);
  CHECK(only_error("[memory.near]", "[memory.NEAR]").code == Code::kBoardName);
  CHECK(only_error("\"60KiB\"", "\"65KiB\"").code == Code::kBoardValue);
  CHECK(only_error("= 25", "= 101").code == Code::kBoardValue);
  CHECK(only_error("cost = 4", "cost = 0").code == Code::kBoardValue);
  CHECK(only_error("\"32\"", "\"24\"").code == Code::kBoardValue);
  CHECK(only_error("schema = 1", "schema = 2").code == Code::kBoardValue);
  CHECK(only_error("cost = 4\nsource = \"made up\"", "cost = 4").code == Code::kTomlMissingKey);
  const core::Diagnostic overlap = only_error("0x30000000", "0x2000EFFF");
  CHECK(overlap.code == Code::kBoardValue);
  CHECK(overlap.details ==
        std::vector<std::string>{"near [0x20000000, 0x2000F000)", "far [0x2000EFFF, 0x2010EFFF)"});
  CHECK(load(with(kPart, "0x30000000", "0x2000F000")).has_value());
}

TEST_CASE("a part that is not there") {
  core::MemFileSystem files;
  files.content[kFolder + "/zx9.toml"] = kPart;
  const auto loaded = load_memories(files, kFolder, "ZX8");
  REQUIRE_FALSE(loaded.has_value());
  CHECK(loaded.error().front().code == Code::kBoardUnknown);
  CHECK(loaded.error().front().hint == "did you mean 'zx9'?");
  const auto far = load_memories(files, kFolder, "something else");
  REQUIRE_FALSE(far.has_value());
  CHECK(far.error().front().hint ==
        "the parts are: zx9; a path to a .toml or .mpool file works too");
}

TEST_CASE("a board where a part is needed is told to be one") {
  core::MemFileSystem files;
  files.content[kFolder + "/part.toml"] = kPart;
  files.content["boards/zx9.toml"] = test::zx9_text();
  files.content["mine/zx10.toml"] = "schema = 1\ninherit = [\"zx9.toml\"]\n";
  files.content["mine/own.toml"] = "schema = 1\ninherit = [\"part.toml\"]\n";
  for (const std::string name : {"zx9", "mine/zx10.toml"}) {
    CAPTURE(name);
    const auto loaded = load_memories(files, kFolder, name);
    REQUIRE_FALSE(loaded.has_value());
    CHECK(loaded.error().front().code == Code::kBoardUnknown);
    CHECK(loaded.error().front().message == "'" + name +
                                                "' is a board, whose map is computed: it has no "
                                                "memories that tensors are planned into");
    CHECK(kind_of_board(files, "boards", name) == BoardKind::kBoard);
  }
  for (const std::string name : {"part", "mine/own.toml"}) {
    CAPTURE(name);
    CHECK(kind_of_board(files, "boards", name) == BoardKind::kPart);
    const auto loaded = load_board(files, "boards", name);
    REQUIRE_FALSE(loaded.has_value());
    CHECK(loaded.error().front().code == Code::kBoardUnknown);
    CHECK(loaded.error().front().message ==
          "'" + name + "' is a part, whose memories tensors are planned into: it has no map");
  }
  // Names of both kinds are proposed; a file that nobody can read is told of as a board's.
  CHECK(kind_of_board(files, "boards", "prat").error().front().hint == "did you mean 'part'?");
  CHECK(kind_of_board(files, "boards", "zx8").error().front().hint == "did you mean 'zx9'?");
  CHECK(kind_of_board(files, "boards", "else").error().front().hint ==
        "the boards are: zx9; the parts are: part; a path to a .toml file works too");
  CHECK(kind_of_board(files, "boards", "mine/none.toml") == BoardKind::kBoard);
}

TEST_CASE("every bundled part is read, and its numbers are those of the vendors' files") {
  core::RealFileSystem files;
  const std::string folder = test::source_folder() + "/boards/memories";
  const auto names = bundled_memories(files, folder);
  REQUIRE(names.has_value());
  CHECK(names->size() == 21);
  for (const std::string& name : *names) {
    CAPTURE(name);
    const auto set = load_memories(files, folder, name);
    REQUIRE_MESSAGE(set.has_value(), test::all_text(set.error()));
    for (const PartMemory& memory : set->memories) {
      CHECK(memory.window <= memory.hardware);
      CHECK_FALSE(memory.source.empty());
      // What programs keep: the fabric controller's banks, the cache's, heaps and stacks.
      static const std::map<std::string, std::uint64_t> kKept = {{"gap9 l2", 0x10000},
                                                                 {"esp32p4 sram", 0x40000},
                                                                 {"corstone-310 bram", 0xC0000},
                                                                 {"corstone-320 bram", 0xC0000},
                                                                 {"alif-e7-hp dtcm", 0x8000},
                                                                 {"alif-e7-he dtcm", 0x1800}};
      const auto found = kKept.find(name + " " + memory.name);
      const core::Bytes kept{found == kKept.end() ? 0 : found->second};
      CHECK(budget_of(memory) == memory.window - kept);
    }
    // Constants come from somewhere, and scratch goes somewhere, without a rule.
    CHECK(std::ranges::any_of(set->memories, [](const PartMemory& memory) {
      return !memory.is_volatile && !memory.by_rule;
    }));
    CHECK(std::ranges::any_of(set->memories, [](const PartMemory& memory) {
      return memory.writable && !memory.by_rule && memory.base;
    }));
  }
  const auto large = load_memories(files, folder, "apollo510b");
  REQUIRE(large.has_value());
  CHECK(memory_named(*large, "dtcm").window == core::Bytes{507904});
  CHECK(memory_named(*large, "dtcm").hardware == core::Bytes{524288});
  CHECK(memory_named(*large, "sram").base == core::PhysAddr{0x20080000});
  CHECK(memory_named(*large, "mram").window == core::Bytes{4128768});
  const auto small = load_memories(files, folder, "apollo510l");
  REQUIRE(small.has_value());
  CHECK(memory_named(*small, "dtcm").window == core::Bytes{245760});
  CHECK(memory_named(*small, "sram").window == core::Bytes{1835008});
  CHECK(std::ranges::none_of(small->memories,
                             [](const PartMemory& memory) { return memory.name == "itcm"; }));
  const auto lite = load_memories(files, folder, "apollo4l");
  REQUIRE(lite.has_value());
  CHECK(memory_named(*lite, "sram").hardware == core::Bytes{1048576});
  CHECK(memory_named(*lite, "dtcm").hardware == core::Bytes{393216});
}

TEST_SUITE_END();

}  // namespace memsize::board::memories_test
