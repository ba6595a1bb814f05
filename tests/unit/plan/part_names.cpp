#include "memsize/plan/part_names.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::plan::part_names_test {

using core::Bytes;

TEST_SUITE_BEGIN("plan");

TEST_CASE("a report's memories are called as the part calls them") {
  board::MemorySet part{.name = "cluster"};
  part.memories = {{.name = "l2"}, {.name = "l3", .also = {"hyperram", "ospiram"}}};
  model::PlanReport report;
  report.blocks = {{.id = "a", .memory = "l2", .source_memory = "ospiram"},
                   {.id = "b", .memory = "hyperram"},
                   {.id = "c", .memory = "elsewhere"}};
  report.arenas = {{.memory = "hyperram", .source_memory = "elsewhere"},
                   {.memory = "l2", .source_memory = "hyperram"}};
  report.memories = {{.name = "l3", .used = Bytes{7}},
                     {.name = "l2", .used = Bytes{5}},
                     {.name = "hyperram", .capacity = Bytes{100}, .used = Bytes{9}}};
  name_as_part(report, part);
  CHECK(report.blocks[0].memory == "l2");
  CHECK(report.blocks[0].source_memory == "l3");
  CHECK(report.blocks[1].memory == "l3");
  CHECK(report.blocks[1].source_memory.empty());
  CHECK(report.blocks[2].memory == "elsewhere");
  CHECK(report.arenas[0].memory == "l3");
  CHECK(report.arenas[0].source_memory == "elsewhere");
  CHECK(report.arenas[1].source_memory == "l3");
  // Two rows of one memory are one: the larger use, and what either says.
  REQUIRE(report.memories.size() == 2);
  CHECK(report.memories[0].name == "l3");
  CHECK(report.memories[0].used == Bytes{9});
  CHECK(report.memories[0].capacity == Bytes{100});
  CHECK(report.memories[1].name == "l2");
  CHECK(report.memories[1].used == Bytes{5});
}

TEST_SUITE_END();

}  // namespace memsize::plan::part_names_test
