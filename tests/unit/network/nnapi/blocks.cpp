// Temporaries as blocks: alive from their first write to their last read.
#include "network/nnapi/nnapi_support.hpp"

#include <memory>
#include <string>
#include <utility>

#include <doctest/doctest.h>

namespace memsize::network::nnapi_blocks_test {

namespace {

using namespace nnapi_test;

model::PlanReport plan_of(model::NnModel model) {
  model::NnLog log;
  log.models = {std::move(model)};
  model::PlanReport report;
  report.nnapi = std::make_shared<const model::NnLog>(std::move(log));
  complete_nnapi(format(), report);
  return report;
}

// in -> 1 -> 2 -> out, and 1 is read again by the last.
model::NnModel chain() {
  model::NnModel made = whole_model();
  made.main.operands.items = {operand("TENSOR_FLOAT32", {4}, "SUBGRAPH_INPUT"),
                              temporary(3),
                              temporary(20),
                              operand("TENSOR_FLOAT32", {4}, "SUBGRAPH_OUTPUT")};
  made.main.operations.items = {{"A", numbers({0}), numbers({1})},
                                {"B", numbers({1}), numbers({2})},
                                {"C", numbers({1, 2}), numbers({3})}};
  made.main.inputs = numbers({0});
  made.main.outputs = numbers({3});
  return made;
}

}  // namespace

TEST_SUITE_BEGIN("network");

TEST_CASE("nnapi blocks: from first write to last read, at multiples of 16") {
  const model::PlanReport report = plan_of(chain());
  REQUIRE(report.blocks.size() == 2);
  CHECK(report.blocks[0].id == "1");
  CHECK(report.blocks[0].size == core::Bytes{3});
  CHECK(report.blocks[0].live == model::Interval{0, 3});
  CHECK(report.blocks[0].alignment == core::Align::make(16));
  CHECK(report.blocks[1].live == model::Interval{1, 3});
  CHECK_FALSE(report.abridged);
  CHECK(report.network.operators.size() == 3);
}

TEST_CASE("nnapi blocks: of a cut list only what all readers are there of") {
  model::NnModel cut = chain();
  cut.main.operations.items.pop_back();
  cut.main.operations.is_whole = false;
  cut.main.operands.items[1].consumers = 1;
  cut.main.operands.items[2].consumers = 1;
  const model::PlanReport report = plan_of(std::move(cut));
  REQUIRE(report.blocks.size() == 1);
  CHECK(report.blocks[0].live == model::Interval{0, 2});
  CHECK(report.abridged);
  CHECK(test::find(report.diagnostics, core::Code::kPlanAbridged) != nullptr);
}

TEST_CASE("nnapi blocks: what has no known size, and a log without its end, are told") {
  model::NnModel open = chain();
  open.main.operands.items[1].dimensions = numbers({0});
  const model::PlanReport report = plan_of(std::move(open));
  CHECK(report.blocks.size() == 1);
  CHECK(test::contains(test::all_text(report.diagnostics), "1 temporary of no known size"));
  model::NnModel large = chain();
  large.main.operands.items[1].dimensions = numbers({UINT32_MAX, UINT32_MAX, UINT32_MAX});
  CHECK(test::contains(test::all_text(plan_of(std::move(large)).diagnostics),
                       "1 temporary of more bytes than the runtime's 32 bits count"));
  model::NnModel without_end = chain();
  without_end.lacks_end = true;
  CHECK(test::contains(test::all_text(plan_of(std::move(without_end)).diagnostics),
                       "the log ends before this model's operandValues and pools"));
}

TEST_CASE("nnapi blocks: several models do not share a memory") {
  model::NnLog log;
  log.models = {chain(), chain()};
  log.models[1].main.operands.items[1] = temporary(7);
  model::PlanReport report;
  report.nnapi = std::make_shared<const model::NnLog>(std::move(log));
  complete_nnapi(format(), report);
  REQUIRE(report.blocks.size() == 4);
  CHECK(report.blocks[0].id == "m1.1");
  CHECK(report.blocks[0].memory == "model 1");
  CHECK(report.blocks[2].memory == "model 2");
}

TEST_SUITE_END();

}  // namespace memsize::network::nnapi_blocks_test
