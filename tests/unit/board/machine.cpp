#include "memsize/board/memories.hpp"

#include "part.hpp"
#include "support.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::board::machine_test {

namespace {

using test::with;

}  // namespace

TEST_SUITE_BEGIN("board");

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
  CHECK(message(loaded(placed("0xfffffffffffff000", "none"), machine)) == "'near' ends above 2^64");
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

TEST_SUITE_END();

}  // namespace memsize::board::machine_test
