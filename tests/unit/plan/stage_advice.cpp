#include "memsize/plan/stage_advice.hpp"

#include "memsize/core/find.hpp"
#include "memsize/plan/check_plan.hpp"
#include "memsize/plan/rules.hpp"

#include "support.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::plan::stage_advice_test {

namespace {

using core::Bytes;
using core::Code;
using model::Lifetime;
using model::PlannedBlock;
using model::PlanReport;

board::PartMemory memory(std::string name, std::uint64_t size, std::uint32_t cost) {
  return {.name = std::move(name),
          .hardware = Bytes{size},
          .window = Bytes{size},
          .base = core::PhysAddr{std::uint64_t{cost} << 28},
          .cost = cost};
}

// Slots of 16 B; near, far, flash.
board::MemorySet part(std::uint64_t near_size) {
  board::MemorySet set{.name = "zx9", .alignment = *core::Align::make(16)};
  set.memories = {
      memory("near", near_size, 1), memory("far", 4096, 2), memory("flash", 1 << 20, 4)};
  set.memories[2].writable = false;
  set.memories[2].is_volatile = false;
  return set;
}

PlannedBlock block(std::string id, Lifetime role, std::uint64_t size) {
  PlannedBlock made;
  made.id = std::move(id);
  made.role = role;
  made.memory = "default";
  made.size = Bytes{size};
  if (role == Lifetime::kScratch) {
    made.live = model::Interval{0, 1};
  }
  return made;
}

// Two layers with weights and a bias each; the second runs 100 times over its weights.
PlanReport model() {
  PlanReport report;
  report.path = "model.tflite";
  report.blocks = {block("in", Lifetime::kScratch, 512),
                   block("w0", Lifetime::kConstant, 400),
                   block("b0", Lifetime::kConstant, 16),
                   block("w1", Lifetime::kConstant, 300),
                   block("b1", Lifetime::kConstant, 16)};
  report.network.operators = {
      {.id = "0", .kind = "CONV_2D", .reads = {"in", "w0", "b0"}, .passes = 10},
      {.id = "1", .kind = "CONV_2D", .reads = {"in", "w1", "b1"}, .passes = 100}};
  return report;
}

StagedPlan staged(const PlanReport& report,
                  const board::MemorySet& set,
                  const StageWishes& wishes,
                  const PlanOptions& options = {}) {
  const auto made = plan_staged(report, set, options, wishes);
  REQUIRE_MESSAGE(made.has_value(), test::all_text(made.error()));
  const core::Diagnostics faults = check_plan(made->outcome.plan, &set);
  CHECK_MESSAGE(!core::has_errors(faults), test::all_text(faults));
  return *made;
}

std::vector<std::string> names(const StagedPlan& plan, std::size_t wish = 0) {
  std::vector<std::string> ids;
  for (const StagedConstant& one : plan.advice.at(wish).staged) {
    ids.push_back(plan.outcome.plan.blocks[one.block].id);
  }
  return ids;
}

std::string memory_of(const StagedPlan& plan, const std::string& id) {
  return core::find_in(plan.outcome.plan.blocks, id, &PlannedBlock::id)->memory;
}

using Names = std::vector<std::string>;

const StageWish kCheapest{};

}  // namespace

TEST_SUITE("plan") {
  TEST_CASE("without a profile, what is read most goes first, and biases stay cold") {
    CHECK(names(staged(model(), part(2048), {.memories = {kCheapest}})) == Names{"w0", "w1"});
    const StagedPlan small = staged(model(), part(512 + 304), {.memories = {kCheapest}});
    CHECK(names(small) == Names{"w1"});
    CHECK(small.advice.front().source_memory == "flash");
    REQUIRE(small.advice.front().next);
    CHECK(small.advice.front().next->size == Bytes{400});
    CHECK(small.advice.front().missing == Bytes{400});
    CHECK(memory_of(small, "in") == "near");
    CHECK(memory_of(small, "b1") == "flash");
  }

  TEST_CASE("a profile decides where there is one, and two by what the second saves") {
    StageWishes wishes{.memories = {{"near", Bytes{416}}}};
    wishes.profiles = {{{.name = "0", .total = 900}, {.name = "1", .total = 800}}};
    const StagedPlan one = staged(model(), part(4096), wishes);
    CHECK(names(one) == Names{"w0"});
    CHECK(one.whole == 1700);
    wishes.profiles.push_back({{.name = "0", .total = 890}, {.name = "1", .total = 500}});
    const StagedPlan two = staged(model(), part(4096), wishes);
    CHECK(names(two) == Names{"w1"});
    CHECK(two.advice.front().staged.front().gain == 300);
    CHECK(two.measure == StageMeasure::kSavedCycles);
  }

  TEST_CASE("copies push nothing out of the memory, and none are made where nothing is faster") {
    const StagedPlan full = staged(model(), part(512), {.memories = {kCheapest}});
    CHECK(names(full).empty());
    CHECK(memory_of(full, "in") == "near");
    CHECK(memory_of(full, "w1") == "flash");
    board::MemorySet slow = part(4096);
    slow.memories[2].cost = 1;
    CHECK(names(staged(model(), slow, {.memories = {kCheapest}})).empty());
  }

  TEST_CASE("what the report stages stays cold without a wish, and what a rule stages does not") {
    PlanReport report = model();
    for (PlannedBlock& each : report.blocks) {
      if (each.role == Lifetime::kConstant) {
        each.memory = "near";
        each.source_memory = "flash";
      }
    }
    CHECK(memory_of(staged(report, part(4096), {}), "w0") == "flash");
    PlanOptions options;
    const auto rules = read_rules(
        "memory:\n  tensors:\n    - {type: constant, id: b0, attributes: "
        "{memory: flash, constant_destination_memory: near}}\n",
        "rules.yaml");
    REQUIRE(rules);
    options.rules = *rules;
    const StagedPlan ruled =
        staged(report, part(4096), {.memories = {{"near", Bytes{304}}}}, options);
    CHECK(memory_of(ruled, "b0") == "near");
    CHECK(names(ruled) == Names{"w1"});
  }

  TEST_CASE("several memories are filled one after the other") {
    const StagedPlan both =
        staged(model(), part(4096), {.memories = {{"near", Bytes{304}}, {"far", Bytes{1000}}}});
    CHECK(names(both, 0) == Names{"w1"});
    CHECK(names(both, 1) == Names{"w0"});
    CHECK(memory_of(both, "w0") == "far");
  }

  TEST_CASE("where a table counts uses and knows no operators, these count") {
    PlanReport report = model();
    report.network.operators.clear();
    report.blocks[1].uses = 1;
    report.blocks[3].uses = 9;
    CHECK(names(staged(report, part(4096), {.memories = {{"near", Bytes{304}}}})) == Names{"w1"});
  }

  TEST_CASE("wishes that nobody can fulfil are errors") {
    const auto code = [](const PlanReport& report, const StageWishes& wishes) {
      const auto made = plan_staged(report, part(4096), {}, wishes);
      REQUIRE(!made);
      return made.error().front().code;
    };
    CHECK(code(model(), {.memories = {{"nowhere", {}}}}) == Code::kPlanMemory);
    CHECK(code(model(), {.memories = {{"flash", {}}}}) == Code::kPlanMemory);
    const std::vector<model::LayerTime> other = {{.name = "77", .total = 1}};
    CHECK(code(model(), {.memories = {kCheapest}, .profiles = {other}}) == Code::kPlanRule);
    PlanReport table = model();
    table.network.operators.clear();
    CHECK(code(table, {.memories = {kCheapest}, .profiles = {other}}) == Code::kPlanRule);
  }
}

}  // namespace memsize::plan::stage_advice_test
