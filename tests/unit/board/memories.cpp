#include "memsize/board/memories.hpp"

#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
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

TEST_CASE("sections say what a memory takes, and what start-up does to it") {
  const auto set = load(with(kPart, "cost = 1\n", R"toml(cost = 1
sections = [
  { name = ".bss", holds = "zeroed", start_up = "clears", source = "made up" },
  { name = ".fast", holds = "initialised", start_up = "copies", attribute = ".hot", toolchain = "gcc", source = "made up" },
  { name = "NEAR", holds = "initialised", start_up = "copies", attribute = ".hot", toolchain = "armclang", source = "made up" },
  { name = ".heap", holds = "reserved", source = "made up" },
  { name = ".stack", holds = "reserved", source = "made up" },
]
)toml"));
  REQUIRE_MESSAGE(set.has_value(), test::all_text(set.error()));
  const std::vector<PartSection>& sections = set->memories[0].sections;
  REQUIRE(sections.size() == 5);
  CHECK(sections[0].name == ".bss");
  CHECK(sections[0].holds == SectionHolds::kZeroed);
  CHECK(sections[0].start_up == StartUp::kClears);
  CHECK(sections[0].attribute.empty());
  CHECK(sections[0].toolchain.empty());
  CHECK(sections[1].holds == SectionHolds::kInitialised);
  CHECK(sections[1].start_up == StartUp::kCopies);
  CHECK(sections[2].attribute == ".hot");
  CHECK(sections[2].toolchain == "armclang");
  CHECK(sections[3].start_up == StartUp::kNone);
  CHECK(set->core.empty());
  CHECK_FALSE(set->mve);
}

TEST_CASE("sections of one toolchain are not at odds") {
  const auto told = [](const std::string& first, const std::string& second) {
    const std::string text =
        with(kPart, "cost = 1\n", "cost = 1\nsections = [{" + first + ", source = 's'}]\n");
    const auto set =
        load(with(text, "cost = 4\n", "cost = 4\nsections = [{" + second + ", source = 's'}]\n"));
    return set ? std::string{} : set.error().front().message;
  };
  const std::string bss = "name = '.bss', holds = 'zeroed'";
  const std::string hot = "name = '.a', holds = 'zeroed', attribute = '.hot'";
  CHECK(told(bss, bss) == "section '.bss' lies in 'far' and in 'near'");
  CHECK(told(bss + ", toolchain = 'gcc'", bss + ", toolchain = 'armclang'").empty());
  CHECK(told(bss, "name = '.far_bss', holds = 'zeroed'") ==
        "zeroed data without an attribute go to '.far_bss' and to '.bss'");
  CHECK(told(hot, "name = '.b', holds = 'zeroed', attribute = '.hot'") ==
        "zeroed data of '.hot' go to '.b' and to '.a'");
  CHECK(told(hot, "name = '.b', holds = 'initialised', attribute = '.hot'") ==
        "'.hot' goes to 'far' and to 'near'");
  CHECK(told(bss, "name = '.data', holds = 'initialised', start_up = 'clears'") ==
        "section '.data' is one that start-up clears, but it holds initialised data");
  CHECK(told(bss, "name = '.heap', holds = 'reserved', start_up = 'copies'") ==
        "section '.heap' is one that start-up copies, but nothing is in reserved memory");
  CHECK(told(bss, "name = '.x y', holds = 'reserved'") == "'.x y' is not the name of a section");
  const auto twice = load(
      with(kPart,
           "cost = 1\n",
           "cost = 1\nsections = [{" + bss + ", source = 's'}, {" + bss + ", source = 's'}]\n"));
  REQUIRE_FALSE(twice.has_value());
  CHECK(twice.error().front().message == "section '.bss' stands here twice");
  const auto flash = load(with(kPart,
                               "cost = 9\n",
                               "cost = 9\nsections = [{name = '.x', holds = 'code', start_up = "
                               "'copies', source = 's'}]\n"));
  REQUIRE_FALSE(flash.has_value());
  CHECK(flash.error().front().message ==
        "section '.x' is one that start-up copies, but its memory is not writable");
}

TEST_CASE("what a machine emulates fits it") {
  const std::string machine = R"toml(schema = 1
title = "A machine that exists nowhere"
[window.ram]
base = "0x10000000"
size = "1MiB"
source = "made up"
[window.rom]
base = "0x20000000"
size = "2MiB"
writable = false
source = "made up"
)toml";
  const auto loaded = [&](const std::string& part, const std::string& of_machine) {
    core::MemFileSystem files;
    files.content[kFolder + "/part.toml"] =
        with(part, "schema = 1\n", "schema = 1\nmachine = \"toy\"\n");
    files.content[kFolder + "/machines/toy.toml"] = of_machine;
    return load_memories(files, kFolder, "part");
  };
  const auto placed = [&](const std::string& near, const std::string& far) {
    return with(with(kPart, "cost = 1\n", "cost = 1\nemulated = \"" + near + "\"\n"),
                "cost = 4\n",
                "cost = 4\nemulated = \"" + far + "\"\n");
  };
  const auto set = loaded(placed("0x100f1000", "none"), machine);
  REQUIRE_MESSAGE(set.has_value(), test::all_text(set.error()));
  CHECK(set->machine == "toy");
  CHECK(set->machine_is_known);
  CHECK(emulated_at(*set, set->memories[0]) == core::PhysAddr{0x100f1000});
  CHECK(set->memories[0].emulated_base == core::PhysAddr{0x100f1000});
  CHECK_FALSE(emulated_at(*set, set->memories[1]).has_value());
  CHECK_FALSE(set->memories[1].is_emulated);
  // It has no address of its own, either.
  CHECK_FALSE(emulated_at(*set, set->memories[2]).has_value());
  const auto message = [&](const core::Result<MemorySet>& wrong) {
    REQUIRE_FALSE(wrong.has_value());
    return wrong.error().front().message;
  };
  CHECK(message(loaded(placed("0x100f1001", "none"), machine)) ==
        "'near' is at [0x100F1001, 0x10100001) on toy, which has no memory that holds it");
  CHECK(message(loaded(placed("0x20000000", "none"), machine)) ==
        "'near' is at [0x20000000, 0x2000F000) on toy, where 'rom' is read-only");
  CHECK(message(loaded(placed("0x10000000", "0x10000000"), machine)) ==
        "the memories 'near' and 'far' share addresses on toy");
  CHECK(message(loaded(placed("0x10000000", "none"), with(machine, "1MiB", "0"))) ==
        "window 'ram' has no byte, or ends above 2^64");
  // What is not described is not judged.
  const auto other =
      load(with(placed("0x1", "none"), "schema = 1\n", "schema = 1\nmachine = \"q35\"\n"));
  REQUIRE(other.has_value());
  CHECK_FALSE(other->machine_is_known);
  CHECK(message(load(placed("0x1", "none"))) ==
        "'emulated' of memory 'far' needs the part's 'machine'");
  CHECK(message(load(with(kPart, "schema = 1\n", "schema = 1\nmachine = \"../q35\"\n"))) ==
        "'machine' of the part is not '../q35'");
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
  CHECK(far.error().front().hint == "the parts are: zx9; a path to a .toml file works too");
}

TEST_CASE("every bundled part is read, and its numbers are those of the vendors' files") {
  core::RealFileSystem files;
  const std::string folder = test::source_folder() + "/boards/memories";
  const auto names = bundled_memories(files, folder);
  REQUIRE(names.has_value());
  CHECK(names->size() == 11);
  for (const std::string& name : *names) {
    CAPTURE(name);
    const auto set = load_memories(files, folder, name);
    REQUIRE_MESSAGE(set.has_value(), test::all_text(set.error()));
    for (const PartMemory& memory : set->memories) {
      CHECK(memory.window <= memory.hardware);
      CHECK_FALSE(memory.source.empty());
      CHECK(budget_of(memory) == memory.window);
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
