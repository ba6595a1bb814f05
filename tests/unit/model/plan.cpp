#include "memsize/model/plan.hpp"

#include "memsize/model/id_order.hpp"

#include "support.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::model::plan_test {

namespace {

using core::Bytes;
using core::Code;

PlannedBlock block(std::string id, std::uint64_t size) {
  PlannedBlock block;
  block.id = std::move(id);
  block.memory = "dtcm";
  block.size = Bytes{size};
  block.line = 7;
  return block;
}

PlannedBlock alias(std::string id, std::string of) {
  PlannedBlock block;
  block.id = std::move(id);
  block.alias_of = std::move(of);
  return block;
}

PlanReport report(std::string path, std::vector<PlannedBlock> blocks) {
  PlanReport report;
  report.path = std::move(path);
  report.lines = 10;
  report.blocks = std::move(blocks);
  return report;
}

// The ids of the roots, "-" for none.
std::string roots(const std::vector<PlannedBlock>& blocks) {
  std::string ids;
  for (const PlannedBlock* root : roots_of(blocks)) {
    ids += root == nullptr ? "-" : root->id;
  }
  return ids;
}

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("what one report does not say the other does") {
    PlannedBlock planned = block("a", 64);
    planned.offset = Bytes{128};
    PlannedBlock alive = block("a", 64);
    alive.memory = "default";
    alive.live = Interval{1, 3};
    alive.is_output = true;
    alive.name = "softmax";
    alive.uses = 2;
    PlanReport first = report("plan.json", {planned});
    first.prefix = "net";
    PlannedArena arena;
    arena.memory = "dtcm";
    arena.total = Bytes{256};
    first.arenas.push_back(arena);
    PlanReport second = report("operators.json", {block("b", 32), alive});
    second.planner = "somebody";
    arena.total.reset();
    arena.region_id = 4;
    second.arenas.push_back(arena);
    arena.role = Lifetime::kConstant;
    second.arenas.push_back(arena);

    const PlanReport all = combine({first, second});
    CHECK(all.diagnostics.empty());
    CHECK(all.path == "plan.json");
    CHECK(all.lines == 20);
    CHECK(all.prefix == "net");
    CHECK(all.planner == "somebody");
    REQUIRE(all.blocks.size() == 2);
    CHECK(all.blocks[0].id == "a");
    CHECK(all.blocks[0].name == "softmax");
    CHECK(all.blocks[0].memory == "dtcm");
    CHECK(all.blocks[0].offset == Bytes{128});
    CHECK(all.blocks[0].live == Interval{1, 3});
    CHECK(all.blocks[0].is_output);
    CHECK(all.blocks[0].uses == 2);
    CHECK(all.blocks[0].line == 7);
    // Its line is one of another file.
    CHECK(all.blocks[1].id == "b");
    CHECK(all.blocks[1].line == 0);
    REQUIRE(all.arenas.size() == 2);
    CHECK(all.arenas[0].total == Bytes{256});
    CHECK(all.arenas[0].region_id == 4);
    CHECK(all.arenas[1].role == Lifetime::kConstant);
  }

  TEST_CASE("where reports contradict each other the first holds") {
    PlannedBlock one = block("a", 64);
    one.offset = Bytes{0};
    one.live = Interval{0, 2};
    PlannedBlock other = block("a", 80);
    other.offset = Bytes{16};
    other.live = Interval{0, 3};
    other.memory = "sram";
    other.role = Lifetime::kConstant;
    // Two more are as in the other report: they are of one model.
    PlanReport first = report("first.json", {one, block("b", 8), block("c", 8)});
    first.foreign_plan_hash = "0123456789abcdef";
    PlanReport second = report("second.json", {other, block("b", 8), block("c", 8)});
    second.foreign_plan_hash = "fedcba9876543210";
    const PlanReport all = combine({first, second});
    REQUIRE(all.blocks.size() == 3);
    CHECK(all.blocks[0].size == Bytes{64});
    CHECK(all.blocks[0].live == Interval{0, 2});
    CHECK(all.diagnostics.size() == 6);
    CHECK(test::count(all.diagnostics, Code::kPlanContradiction) == 6);
    CHECK(!core::has_errors(all.diagnostics));
    const std::string text = test::all_text(all.diagnostics);
    CHECK(test::contains(text, "'a': its size is 64 B, but 80 B here; the first holds"));
    CHECK(test::contains(text, "'a': its lifetime is [0, 2), but [0, 3) here; the first holds"));
    CHECK(test::contains(text, "'a': its memory is 'dtcm', but 'sram' here; the first holds"));
    CHECK(test::contains(text, "'a': its role is 'scratch', but 'constant' here"));
    CHECK(all.diagnostics.front().place.path.str() == "second.json");
  }

  TEST_CASE("what elements need is the least that another report may ask for") {
    PlannedBlock wide = block("a", 64);
    wide.alignment = core::Align::make(16);
    PlannedBlock words = block("a", 64);
    words.alignment = core::Align::make(4);
    PlanReport model = report("m.tflite", {words});
    model.aligns_elements = true;
    for (const auto& reports :
         {std::vector{report("a", {wide}), model}, std::vector{model, report("a", {wide})}}) {
      const PlanReport all = combine(reports);
      CHECK(all.diagnostics.empty());
      CHECK(all.aligns_elements);
      CHECK(all.blocks.front().alignment == core::Align::make(16));
    }
  }

  TEST_CASE("two builds of a large model are told in few words") {
    std::vector<PlannedBlock> small;
    std::vector<PlannedBlock> large;
    for (int i = 0; i < 1000; ++i) {
      small.push_back(block(fmt::format("{}", i), 16));
      large.push_back(block(fmt::format("{}", i), 16));
      small.back().offset = Bytes{0};
      large.back().offset = Bytes{16};
    }
    const PlanReport all = combine({report("a", small), report("b", large)});
    REQUIRE(all.diagnostics.size() == 21);
    CHECK(all.diagnostics.back().message == "the reports contradict each other in 980 places more");
    CHECK_FALSE(core::has_errors(all.diagnostics));
  }

  TEST_CASE("reports of different models are an error") {
    const PlanReport one = report("a", {block("0", 16), block("1", 32), block("2", 64)});
    // Ids are numbers, which every model has.
    const PlanReport sizes =
        combine({one, report("b", {block("0", 16), block("1", 8), block("2", 9)})});
    REQUIRE(core::has_errors(sizes.diagnostics));
    CHECK(sizes.diagnostics.front().message ==
          "of 3 blocks that this report shares with 'a', 2 are of another size: they are of "
          "different models");
    const PlanReport ids = combine({one, report("b", {block("x", 16)})});
    REQUIRE(core::has_errors(ids.diagnostics));
    CHECK(ids.diagnostics.front().message ==
          "no block of this report is in 'a': they are of different models");
    CHECK_FALSE(core::has_errors(
        combine({one, report("b", {block("0", 16), block("1", 8), block("2", 64)})}).diagnostics));
  }

  TEST_CASE("what memsize planned lies where memsize says, whatever reports say of before") {
    PlannedBlock before = block("a", 64);
    before.offset = Bytes{0};
    before.live = Interval{0, 2};
    PlannedBlock after = block("a", 64);
    after.offset = Bytes{128};
    after.memory = "sram";
    PlannedArena arena;
    arena.memory = "dtcm";
    PlanReport old = report("manifest.json", {before});
    old.arenas.push_back(arena);
    arena.memory = "sram";
    PlanReport planned = report("plan.json", {after});
    planned.arenas.push_back(arena);
    planned.is_replanned = true;
    for (const PlanReport& all : {combine({planned, old}), combine({old, planned})}) {
      CHECK(all.diagnostics.empty());
      REQUIRE(all.blocks.size() == 1);
      CHECK(all.blocks[0].offset == Bytes{128});
      CHECK(all.blocks[0].memory == "sram");
      CHECK(all.blocks[0].live == Interval{0, 2});
      CHECK(all.arenas.size() == 1);
    }
    // Its size is no matter of planning.
    old.blocks[0].size = Bytes{32};
    CHECK(!combine({planned, old}).diagnostics.empty());
  }

  TEST_CASE("a complete report makes up for an abridged one") {
    PlanReport abridged = report("a", {block("x", 16)});
    abridged.abridged = true;
    PlanReport totals = report("log", {});
    totals.abridged = true;
    const PlanReport complete = report("b", {block("x", 16), block("y", 16)});
    CHECK(combine({abridged}).abridged);
    CHECK(combine({abridged, totals}).abridged);
    CHECK(!combine({abridged, complete}).abridged);
    CHECK(!combine({complete, totals}).abridged);
    CHECK(combine({}).blocks.empty());
  }

  TEST_CASE("an alias lies at last in its root") {
    CHECK(roots({block("a", 1), alias("b", "a"), alias("c", "b")}) == "aaa");
    CHECK(roots({alias("c", "b"), alias("b", "a"), block("a", 1)}) == "aaa");
    CHECK(roots({alias("a", "z"), alias("b", "a")}) == "--");
    CHECK(roots({alias("a", "a")}) == "-");
    CHECK(roots({alias("a", "b"), alias("b", "c"), alias("c", "b"), block("d", 1)}) == "---d");
    CHECK(roots({}).empty());
  }

  TEST_CASE("long chains of aliases take no stack and no square") {
    constexpr int kLong = 200'000;
    std::vector<PlannedBlock> blocks;
    for (int i = 0; i < kLong; ++i) {
      blocks.push_back(alias(fmt::format("{}", i), fmt::format("{}", i + 1)));
    }
    CHECK(roots_of(blocks).front() == nullptr);
    blocks.push_back(block(fmt::format("{}", kLong), 1));
    const auto roots = roots_of(blocks);
    CHECK(roots.front() == &blocks.back());
    CHECK(roots.back() == &blocks.back());
  }

  TEST_CASE("blocks by their ids: as texts are ordered, equal ones as the report has them") {
    const std::vector<PlannedBlock> blocks = {block("tensor/10", 1),
                                              block("b", 1),
                                              block("tensor/1", 1),
                                              block("\xC3\xA9", 1),
                                              block("b", 1),
                                              block("tensor/10", 1),
                                              block("b", 1),
                                              block("", 1)};
    const IdOrder order = order_by_id(blocks);
    CHECK(order.blocks == std::vector<std::size_t>{7, 1, 4, 6, 2, 0, 5, 3});
    CHECK(order.repeated ==
          std::vector<std::pair<std::size_t, std::size_t>>{{4, 1}, {5, 0}, {6, 4}});
    CHECK(order_by_id({}).blocks.empty());
  }
}

}  // namespace memsize::model::plan_test
