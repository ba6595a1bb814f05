#include "memsize/core/bytes.hpp"
#include "memsize/readers/plan_reader.hpp"

#include "support.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

namespace memsize::readers::eon_test {

namespace {

using core::Bytes;
using core::Code;
using model::Interval;
using model::Lifetime;
using test::with;

const std::string kModel = R"(constexpr int kTensorArenaSize = 144;
const TfArray<2, int> tensor_dimension0 = { 2, { 1,33 } };
const ALIGN(8) int8_t tensor_data1[40] = { -56, 2, };
const TfArray<2, int> tensor_dimension1 = { 2, { 10,1 } };
const TfArray<2, int> tensor_dimension2 = { 2, { 1,20 } };
const TfArray<2, int> tensor_dimension3 = { 2, { 1,3 } };
const TfArray<3, int> inputs0 = { 3, { 0,1,-1 } };
const TfArray<1, int> outputs0 = { 1, { 2 } };
const TfArray<1, int> inputs1 = { 1, { 2 } };
const TfArray<1, int> outputs1 = { 1, { 3 } };
const TensorInfo_t tensorData[] = {
  { kTfLiteArenaRw, kTfLiteInt8, (int32_t*)(tensor_arena + 0), (TfLiteIntArray*)&tensor_dimension0, 33, {kTfLiteAffineQuantization, const_cast<void*>(static_cast<const void*>(&quant0))}, },
  { kTfLiteMmapRo, kTfLiteInt32, (void*)tensor_data1, (TfLiteIntArray*)&tensor_dimension1, 40, {kTfLiteNoQuantization, nullptr}, },
  { kTfLiteArenaRw, kTfLiteInt8, tensor_arena + 48, (TfLiteIntArray*)&g0::tensor_dimension2, 20, {kTfLiteNoQuantization, nullptr}, },
  { kTfLiteArenaRw, kTfLiteInt8, tensor_arena + 0, (TfLiteIntArray*)&tensor_dimension3, 3, {kTfLiteNoQuantization, nullptr}, },
};const NodeInfo_t nodeData[] = {
  { (TfLiteIntArray*)&inputs0, (TfLiteIntArray*)&outputs0, const_cast<void*>(static_cast<const void*>(&opdata0)), OP_FULLY_CONNECTED, },
  { (TfLiteIntArray*)&g0::inputs1, (TfLiteIntArray*)&g0::outputs1, const_cast<void*>(static_cast<const void*>(&opdata1)), OP_SOFTMAX, },
};
    tflNodes[i].inputs = nodeData[i].inputs;
static const int inTensorIndices[] = {
  0, 
};
static const int outTensorIndices[] = { 3, };
)";

model::PlanReport read(const std::string& text) {
  auto report = read_plan(text, "model.cpp");
  REQUIRE_MESSAGE(report.has_value(), (report ? "" : test::all_text(report.error())));
  CHECK(report->format == "eon");
  return std::move(*report);
}

core::Diagnostic refused(std::string_view from, std::string_view to) {
  CAPTURE(std::string{to});
  const auto report = read_plan(with(kModel, from, to), "model.cpp", "eon");
  REQUIRE_FALSE(report.has_value());
  return report.error().front();
}

}  // namespace

TEST_SUITE_BEGIN("readers");

TEST_CASE("eon: tensors lie where the table says, and live as the nodes say") {
  const model::PlanReport report = read(kModel);
  REQUIRE(report.blocks.size() == 4);
  CHECK(report.blocks[0].is_input);
  CHECK(report.blocks[0].live == Interval{0, 1});
  CHECK(report.blocks[0].size == Bytes{33});
  CHECK(report.blocks[0].line == 12);
  CHECK(report.blocks[1].role == Lifetime::kConstant);
  CHECK(report.blocks[1].size == Bytes{40});
  CHECK_FALSE(report.blocks[1].offset.has_value());
  CHECK(report.blocks[2].offset == Bytes{48});
  CHECK(report.blocks[2].live == Interval{0, 2});
  CHECK(report.blocks[3].is_output);
  CHECK(report.blocks[3].live == Interval{1, 2});
  REQUIRE(report.network.operators.size() == 2);
  CHECK(report.network.operators[0].kind == "FULLY_CONNECTED");
  CHECK(report.network.operators[0].reads == std::vector<std::string>{"0", "1"});
  CHECK(report.network.tensors[1] == model::NetworkTensor{"1", "int32", {10, 1}});
  REQUIRE(report.arenas.size() == 1);
  CHECK(report.arenas[0].total == Bytes{144});
  CHECK(report.plans_scratch_alone);
}

TEST_CASE("eon: tables without a place, scalars, and variables") {
  std::string text =
      with(kModel, "kTfLiteArenaRw, kTfLiteInt8, (int32_t*)", "kTfLiteInt8, (int32_t*)");
  CHECK(read(text).blocks[0].offset == Bytes{0});
  text = with(kModel,
              "const TfArray<2, int> tensor_dimension3 = { 2, { 1,3 } };",
              "const int tensor_dimension3 = 0; /* empty TfLiteIntArray */");
  text = with(text, "tensor_dimension3, 3,", "tensor_dimension3, 1,");
  CHECK(read(text).blocks[3].size == Bytes{1});
  text = with(kModel,
              "kTfLiteArenaRw, kTfLiteInt8, tensor_arena + 48",
              "kTfLiteArenaRwPersistent, kTfLiteInt8, tensor_arena + 48");
  CHECK(read(text).blocks[2].role == Lifetime::kPersistent);
}

TEST_CASE("eon: what has a place, and no node uses, is told") {
  CHECK(read(kModel).diagnostics.empty());
  const model::PlanReport report =
      read(with(kModel, "inputs1 = { 1, { 2 } }", "inputs1 = { 1, { 0 } }"));
  CHECK(report.diagnostics.empty());
  const model::PlanReport lost =
      read(with(with(kModel, "inputs1 = { 1, { 2 } }", "inputs1 = { 1, { 0 } }"),
                "outputs0 = { 1, { 2 } }",
                "outputs0 = { 1, { 3 } }"));
  CHECK(lost.blocks.size() == 3);
  CHECK(lost.abridged);
  REQUIRE(lost.diagnostics.size() == 1);
  CHECK(lost.diagnostics[0].place.line == 14);
  CHECK(test::contains(lost.diagnostics[0].message, "1 tensor has a place"));
}

TEST_CASE("eon: lines that a console coloured are read as the others are") {
  std::string text = with(kModel, "{ kTfLiteMmapRo", "\x1b[32m{ kTfLiteMmapRo");
  text = with(text,
              "{ kTfLiteArenaRw, kTfLiteInt8, tensor_arena + 48",
              "\x1b[32m{ kTfLiteArenaRw, kTfLiteInt8, tensor_arena + 48");
  CHECK(read(text).network == read(kModel).network);
}

TEST_CASE("eon: what is damaged is told where it stands") {
  CHECK(refused("tensor_dimension0, 33", "tensor_dimension0, 34").code == Code::kPlanContradiction);
  CHECK(refused("{ 1,33 }", "{ 1,32 }").message ==
        "the tensor has 33 B here, and 32 B by its shape and type");
  CHECK(refused("tensor_dimension0, 33", "tensor_dimension0, x33").place.line == 12);
  CHECK(refused("(TfLiteIntArray*)&inputs0", "(TfLiteIntArray*)&inputs_").code ==
        Code::kPlanSyntax);
  CHECK(refused("outputs0, const", "outputs7, const").message ==
        "there is no list with number 7 for this node");
  CHECK(refused("{ 0,1,-1 }", "{ 0,9,-1 }").message ==
        "there is no tensor 9 (the table has 4 tensors)");
  CHECK(refused("{ 0,1,-1 }", "{ 0,1 }").place.line == 7);
  CHECK(refused("{ 0,1,-1 }", "{ 0,1,? }").place.line == 7);
  CHECK(refused("inputs1 = { 1,", "inputs0 = { 1,").code == Code::kPlanDuplicate);
  CHECK(refused("= 144;", "= many;").place.line == 1);
  CHECK(refused("  0, \n", "  0, x\n").code == Code::kPlanSyntax);
  CHECK(refused("{ 3, };", "{ 4, };").code == Code::kPlanSyntax);
  CHECK(refused("tensor_dimension3 = { 2", "tensor_dimension4 = { 2").message ==
        "there is no tensor_dimension3");
  const std::string nodes = kModel.substr(0, kModel.find("  { (TfLiteIntArray*)&inputs0"));
  const auto cut = read_plan(nodes, "model.cpp");
  REQUIRE_FALSE(cut.has_value());
  CHECK(cut.error().front().message == "there is no table of nodes in this text");
}

TEST_SUITE_END();

}  // namespace memsize::readers::eon_test
