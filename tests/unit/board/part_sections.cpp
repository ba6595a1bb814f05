#include "memsize/board/memories.hpp"

#include "part.hpp"
#include "support.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::board::part_sections_test {

namespace {

using test::with;

}  // namespace

TEST_SUITE_BEGIN("board");

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

TEST_SUITE_END();

}  // namespace memsize::board::part_sections_test
