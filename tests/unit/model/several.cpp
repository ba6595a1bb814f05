#include "memsize/model/several.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::model::several_test {

namespace {

PlanReport report_of(std::string path, std::int64_t lower, std::int64_t upper) {
  PlanReport report{.path = std::move(path)};
  PlannedBlock block;
  block.id = "1";
  block.live = Interval{lower, upper};
  block.windows = {{{lower, lower + 1}, core::Bytes{0}, core::Bytes{4}}};
  block.size = core::Bytes{8};
  block.offset = core::Bytes{64};
  report.blocks.push_back(block);
  block.id = "2";
  block.alias_of = "1";
  block.live.reset();
  block.windows.clear();
  report.blocks.push_back(block);
  report.network.operators = {
      {.id = "0", .kind = "CONV_2D", .reads = {"1"}, .writes = {"2"}, .passes = 1}};
  return report;
}

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("models are called by their prefix or file, and two of one name are told apart") {
    std::vector<PlanReport> models = {{.path = "a/kws.tflite"},
                                      {.path = "kws.csv"},
                                      {.path = ".x"},
                                      {.path = "y.json", .prefix = "wake"}};
    CHECK(names_of_models(models) == std::vector<std::string>{"kws", "kws-2", ".x", "wake"});
  }

  TEST_CASE("of what reports list no block of, the most is used, and all that is only read") {
    PlanReport first = report_of("a.txt", 0, 1);
    first.blocks.front().memory = "l2";
    first.memories = {{.name = "l1", .used = core::Bytes{40}},
                      {.name = "l2", .used = core::Bytes{72}},
                      {.name = "flash", .used = core::Bytes{5}, .writable = false}};
    PlanReport second = first;
    second.memories[0].used = core::Bytes{90};
    const PlanReport all = one_after_another({first, second}, {"a", "b"});
    REQUIRE(all.memories.size() == 3);
    CHECK(all.memories[0].used == core::Bytes{90});
    CHECK_FALSE(all.memories[1].used.has_value());
    CHECK(all.memories[2].used == core::Bytes{10});
  }

  TEST_CASE("steps of one model follow those of the one before, and ids are told apart") {
    const PlanReport all =
        one_after_another({report_of("a.csv", -5, 3), report_of("b.csv", 100, 102)}, {"a", "b"});
    REQUIRE(all.blocks.size() == 4);
    CHECK(all.path == "a.csv");
    CHECK(all.blocks[0].id == "a/1");
    CHECK(all.blocks[0].live == Interval{0, 8});
    CHECK(all.blocks[2].live == Interval{8, 10});
    CHECK(all.blocks[2].windows.front().live == Interval{8, 9});
    CHECK(all.blocks[3].alias_of == "b/1");
    CHECK(!all.blocks[3].live);
    CHECK(!all.blocks[0].offset);
    CHECK(
        all.network.operators[1] ==
        Operator{.id = "b/0", .kind = "CONV_2D", .reads = {"b/1"}, .writes = {"b/2"}, .passes = 1});
  }
}

}  // namespace memsize::model::several_test
