#include "memsize/core/bytes.hpp"
#include "memsize/readers/constants_reader.hpp"
#include "memsize/readers/plan_reader.hpp"

#include "support.hpp"
#include "tflite_generated.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::readers::tflite_test {

namespace {

using core::Bytes;
using core::Code;
using model::Interval;
using model::Lifetime;

constexpr std::int8_t kFloat32 = 0;
constexpr std::int8_t kString = 5;
constexpr std::int8_t kInt8 = 9;
constexpr std::int8_t kInt4 = 17;

struct Tensor {
  std::vector<int> shape;
  std::int8_t type = kInt8;
  unsigned buffer = 0;
  bool is_variable = false;
  std::vector<int> signature = {};
  bool is_sparse = false;
};

struct Operator {
  std::vector<int> inputs;
  std::vector<int> outputs;
  /// Of the model's codes.
  unsigned code = 0;
  /// A convolution's, each another number: the width's dilation is left at its default.
  bool has_options = false;
  /// CALL_ONCE's subgraph, or VAR_HANDLE's name.
  int calls = -1;
  std::string variable = {};
};

struct OperatorCode {
  std::int8_t deprecated = 0;
  std::int32_t builtin = 0;
  std::string custom = {};
};

struct Model {
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;
  /// Of the model.
  std::vector<int> inputs;
  std::vector<int> outputs;
  /// How many bytes each buffer has; the first has none.
  std::vector<std::size_t> buffers = {0};
  /// Where in the file, and how many bytes, of buffers that lie behind the flatbuffer.
  std::map<std::size_t, std::pair<std::uint64_t, std::uint64_t>> behind = {};
  unsigned version = 3;
  std::size_t graphs = 1;
  std::vector<OperatorCode> codes = {};
  /// Tensors and operators of further subgraphs.
  std::vector<Model> others = {};
  /// Words of its metadata OfflineMemoryAllocation.
  std::vector<std::int32_t> offsets = {};
};

using Options = std::pair<tflite::BuiltinOptions, flatbuffers::Offset<void>>;

Options options_of(const Operator& each, flatbuffers::FlatBufferBuilder& out) {
  if (each.has_options) {
    return {tflite::BuiltinOptions_Conv2DOptions,
            tflite::CreateConv2DOptions(out, 1, 2, 3, 4, 1, 5).Union()};
  }
  if (each.calls >= 0) {
    return {tflite::BuiltinOptions_CallOnceOptions,
            tflite::CreateCallOnceOptions(out, each.calls).Union()};
  }
  if (!each.variable.empty()) {
    return {tflite::BuiltinOptions_VarHandleOptions,
            tflite::CreateVarHandleOptionsDirect(out, "", each.variable.c_str()).Union()};
  }
  return {tflite::BuiltinOptions_NONE, 0};
}

std::string text_of(const Model& model) {
  flatbuffers::FlatBufferBuilder out;
  std::vector<flatbuffers::Offset<tflite::Buffer>> buffers;
  for (const std::size_t size : model.buffers) {
    // 17, 18, 19 in the first, 33, 34, 35 in the second.
    std::vector<std::uint8_t> bytes(size);
    std::iota(bytes.begin(), bytes.end(), static_cast<std::uint8_t>(16 * buffers.size() + 1));
    const auto behind = model.behind.find(buffers.size());
    const auto [offset, length] =
        behind == model.behind.end() ? std::pair<std::uint64_t, std::uint64_t>{} : behind->second;
    buffers.push_back(tflite::CreateBuffer(
        out, size == 0 ? 0 : out.CreateVector(bytes.data(), bytes.size()), offset, length));
  }
  std::vector<flatbuffers::Offset<tflite::SubGraph>> graphs;
  for (std::size_t i = 0; i < model.graphs + model.others.size(); ++i) {
    const Model& graph = i < model.graphs ? model : model.others[i - model.graphs];
    std::vector<flatbuffers::Offset<tflite::Tensor>> tensors;
    for (const Tensor& each : graph.tensors) {
      tensors.push_back(
          tflite::CreateTensorDirect(out,
                                     &each.shape,
                                     each.type,
                                     each.buffer,
                                     "layer",
                                     each.is_variable,
                                     each.is_sparse ? tflite::CreateSparsity(out) : 0,
                                     each.signature.empty() ? nullptr : &each.signature));
    }
    std::vector<flatbuffers::Offset<tflite::Operator>> operators;
    for (const Operator& each : graph.operators) {
      const auto [kind, options] = options_of(each, out);
      operators.push_back(
          tflite::CreateOperatorDirect(out, each.code, &each.inputs, &each.outputs, kind, options));
    }
    graphs.push_back(
        tflite::CreateSubGraphDirect(out, &tensors, &graph.inputs, &graph.outputs, &operators));
  }
  std::vector<flatbuffers::Offset<tflite::OperatorCode>> codes;
  for (const OperatorCode& each : model.codes) {
    codes.push_back(
        tflite::CreateOperatorCodeDirect(out,
                                         each.deprecated,
                                         each.custom.empty() ? nullptr : each.custom.c_str(),
                                         1,
                                         each.builtin));
  }
  std::vector<flatbuffers::Offset<tflite::Metadata>> metadata;
  if (!model.offsets.empty()) {
    metadata.push_back(tflite::CreateMetadataDirect(
        out, "OfflineMemoryAllocation", static_cast<unsigned>(buffers.size())));
    out.ForceVectorAlignment(model.offsets.size() * sizeof(std::int32_t), 1, 16);
    buffers.push_back(tflite::CreateBuffer(
        out,
        out.CreateVector(reinterpret_cast<const std::uint8_t*>(model.offsets.data()),
                         model.offsets.size() * sizeof(std::int32_t))));
  }
  tflite::FinishModelBuffer(out,
                            tflite::CreateModelDirect(out,
                                                      model.version,
                                                      &codes,
                                                      &graphs,
                                                      "made by a test",
                                                      &buffers,
                                                      nullptr,
                                                      metadata.empty() ? nullptr : &metadata));
  return {reinterpret_cast<const char*>(out.GetBufferPointer()), out.GetSize()};
}

// A convolution with weights and a state, and a shape that an operator does without.
Model small() {
  Model model;
  model.tensors = {{{1, 4, 4, 2}},
                   {{8, 2}, kInt8, 1},
                   {{1, 4, 4, 8}},
                   {{1, 8}, kFloat32, 0, true},
                   {{1, 3}},
                   {{1, 9}}};
  model.operators = {{{0, 1, -1}, {2}}, {{2, 3}, {4}}};
  model.inputs = {0};
  model.outputs = {4};
  model.buffers = {0, 16};
  return model;
}

// A variable of 8 bytes that a subgraph gives its value, and the model reads and assigns.
Model stream() {
  constexpr std::int8_t kResource = 13;
  Model model;
  model.codes = {{0, 0}, {127, 129}, {127, 142}, {127, 143}, {127, 144}};
  model.tensors = {{{8}}, {{}, kResource}, {{8}}, {{8}}};
  model.operators = {{{}, {}, 1, false, 1},
                     {{}, {1}, 2, false, -1, "state"},
                     {{1}, {2}, 3},
                     {{0, 2}, {3}},
                     {{1, 3}, {}, 4}};
  model.inputs = {0};
  model.outputs = {3};
  model.buffers = {0, 8};
  Model once;
  once.tensors = {{{}, kResource}, {{8}, kInt8, 1}};
  once.operators = {{{}, {0}, 2, false, -1, "state"}, {{0, 1}, {}, 4}};
  model.others = {once};
  return model;
}

model::PlanReport read(const std::string& text) {
  auto report = read_plan(text, "m.tflite");
  REQUIRE_MESSAGE(report.has_value(), (report ? "" : test::all_text(report.error())));
  CHECK(report->format == "tflite");
  return std::move(*report);
}

core::Diagnostic refused(const Model& model) {
  const auto report = read_plan(text_of(model), "m.tflite");
  REQUIRE_FALSE(report.has_value());
  CHECK(report.error().front().place.path == "m.tflite");
  return report.error().front();
}

}  // namespace

TEST_SUITE("readers") {
  TEST_CASE("tflite: operators have a kind, and tensors elements") {
    Model model = small();
    // The same twice, since the format had more than 127 kinds.
    model.operators[0].has_options = true;
    model.codes = {{3, 3}, {127, 180}, {32, 32, "DETECT\n"}, {0, 9}};
    const model::Network network = read(text_of(model)).network;
    REQUIRE(network.operators.size() == 2);
    CHECK(network.operators[0].kind == "CONV_2D");
    CHECK(network.operators[0].reads == std::vector<std::string>{"0", "1"});
    CHECK(network.operators[0].writes == std::vector<std::string>{"2"});
    using Attributes = std::vector<std::pair<std::string, std::int64_t>>;
    CHECK(network.operators[0].attributes == Attributes{{"padding", 1},
                                                        {"stride_h", 3},
                                                        {"stride_w", 2},
                                                        {"dilation_h_factor", 5},
                                                        {"dilation_w_factor", 1},
                                                        {"fused_activation_function", 4}});
    CHECK(network.operators[1].attributes.empty());
    const auto kind_of = [&](unsigned code) {
      model.operators[0].code = code;
      return read(text_of(model)).network.operators[0].kind;
    };
    CHECK(kind_of(1) == "builtin 180");
    CHECK(kind_of(2) == "DETECT\\x0A");
    CHECK(kind_of(3) == "FULLY_CONNECTED");
    CHECK(kind_of(4).empty());
    REQUIRE(network.tensors.size() == 5);
    CHECK(network.tensors[1] == model::NetworkTensor{"1", "int8", {8, 2}});
    CHECK(network.tensors[3] == model::NetworkTensor{"3", "float32", {1, 8}});
  }

  TEST_CASE("tflite: what is alive follows from the order of the operators") {
    const model::PlanReport report = read(text_of(small()));
    // Nobody uses tensor 5.
    REQUIRE(report.blocks.size() == 5);
    const auto& [input, weights, made, state, output] = std::tie(
        report.blocks[0], report.blocks[1], report.blocks[2], report.blocks[3], report.blocks[4]);
    CHECK(input.id == "0");
    CHECK(input.name == "layer");
    CHECK(input.is_input);
    CHECK(input.role == Lifetime::kScratch);
    CHECK(input.live == Interval{0, 1});
    CHECK(input.size == Bytes{32});
    CHECK(weights.role == Lifetime::kConstant);
    CHECK_FALSE(weights.live.has_value());
    CHECK(weights.size == Bytes{16});
    CHECK(made.live == Interval{0, 2});
    CHECK(made.size == Bytes{128});
    CHECK(made.uses == 2);
    CHECK(state.role == Lifetime::kPersistent);
    CHECK(state.size == Bytes{32});
    CHECK(output.is_output);
    CHECK(output.live == Interval{1, 2});
    CHECK(report.missing == "kernels' own scratch is not in a .tflite");
    CHECK(report.diagnostics.empty());
  }

  TEST_CASE("tflite: inputs live from the beginning, outputs to the end") {
    Model model = small();
    model.inputs = {0, 2};
    model.outputs = {0, 4};
    model.operators = {{{0}, {5}}, {{5, 2}, {4}}, {{4, 1}, {3}}};
    const model::PlanReport report = read(text_of(model));
    const auto live = [&](std::string_view id) {
      return std::ranges::find_if(report.blocks, [&](const auto& each) { return each.id == id; })
          ->live;
    };
    CHECK(live("0") == Interval{0, 3});
    CHECK(live("2") == Interval{0, 2});
    CHECK(live("4") == Interval{1, 3});
    CHECK(live("5") == Interval{0, 2});
  }

  TEST_CASE("tflite: tensors of one buffer are one constant") {
    Model model = small();
    model.tensors.push_back({{16}, kInt8, 1});
    model.operators[1].inputs.push_back(6);
    const model::PlanReport report = read(text_of(model));
    CHECK(report.blocks.back().id == "6");
    CHECK(report.blocks.back().alias_of == "1");
  }

  TEST_CASE("tflite: elements of less than a byte, and shapes that are open") {
    Model model = small();
    model.tensors[2] = {{1, 3, 5}, kInt4};
    model.tensors[4].signature = {-1, 3};
    CHECK(read(text_of(model)).blocks[2].size == Bytes{8});
    CHECK(read(text_of(model)).diagnostics.empty());
    model.tensors[2].signature = {-1, -1, -1};
    const model::PlanReport report = read(text_of(model));
    const core::Diagnostic* const open = test::find(report.diagnostics, Code::kPlanSize);
    REQUIRE(open != nullptr);
    CHECK(open->message ==
          "1 tensor of a shape that is known at run time only, the first is tensor 2: they count "
          "as the file has them");
  }

  TEST_CASE("tflite: a tensor begins at a multiple of its elements") {
    constexpr std::int8_t kInt64 = 4;
    Model model = stream();
    model.tensors[2].type = kFloat32;
    model.tensors[0] = {{3}, kInt64};
    const model::PlanReport report = read(text_of(model));
    const auto alignment = [&](std::string_view id) {
      return std::ranges::find(report.blocks, id, &model::PlannedBlock::id)->alignment;
    };
    CHECK(report.aligns_elements);
    CHECK(alignment("0") == core::Align::make(8));
    CHECK(alignment("2") == core::Align::make(4));
    CHECK_FALSE(alignment("3").has_value());
    CHECK(alignment("v0") == core::Align::make(4));
  }

  TEST_CASE("tflite: a constant has the bytes that its elements take") {
    Model model = small();
    const auto takes = [&](Tensor tensor) {
      model.tensors[1] = std::move(tensor);
      return read_plan(text_of(model), "m.tflite").has_value();
    };
    CHECK(takes({{2, 2}, kFloat32, 1}));
    CHECK_FALSE(takes({{17}, kInt8, 1}));
    CHECK(refused(model).message == "tensor 1 takes 17 B, and its buffer in the model has 16 B");
    CHECK_FALSE(takes({{15}, kInt8, 1}));
    CHECK_FALSE(takes({{}, kFloat32, 1}));
    // In halves of bytes, or a byte each.
    CHECK(takes({{31}, kInt4, 1}));
    CHECK(takes({{16}, kInt4, 1}));
    CHECK_FALSE(takes({{33}, kInt4, 1}));
    CHECK(takes({{99}, kString, 1}));
    CHECK(takes({{99}, 19, 1}));
    CHECK(takes({{0, 9}, kInt8, 1}));
    CHECK(takes({{9, 9}, kInt8, 1, false, {-1, 9}}));
    CHECK(takes({{99}, kInt8, 1, false, {}, true}));
    // Its bytes are its first value, and it keeps others.
    CHECK(takes({{99}, kInt8, 1, true}));
  }

  TEST_CASE("tflite: one operator writes a tensor, before others read it") {
    Model model = small();
    model.operators = {{{0, 1}, {2}}, {{4}, {5}}, {{2, 3}, {4}}};
    CHECK(refused(model).message == "tensor 4 is read by operator 1, and written by 2 first");
    model.operators = {{{0, 1}, {2}}, {{2, 5}, {4}}};
    CHECK(refused(model).message == "tensor 5 is read by operator 1, and no operator writes it");
    model.operators = {{{0, 1}, {2}}, {{2, 3}, {4}}, {{0}, {2}}};
    CHECK(refused(model).message == "tensor 2 is written by operator 0 and again by 2");
    model.operators = {{{0, 1}, {2}}};
    CHECK(refused(model).message == "tensor 4 is an output, and no operator writes it");
    // A variable in place, an output that is an input, a shape of nothing.
    model.operators = {{{0, 1, 3}, {2, 3}}, {{2, 3, 5}, {4, 3}}};
    model.tensors[5].shape = {0};
    model.outputs = {0, 1, 3, 4};
    CHECK(read(text_of(model)).blocks.size() == 6);
    // Scratch that a custom operator takes as an input.
    model.tensors[5].shape = {64};
    model.codes = {{32, 32, "ethos-u"}};
    CHECK(read(text_of(model)).blocks.size() == 6);
  }

  TEST_CASE("tflite: a variable is memory of its own, and what gives it its value runs first") {
    const model::PlanReport report = read(text_of(stream()));
    std::vector<std::string> ids;
    for (const model::Operator& each : report.network.operators) {
      ids.push_back(each.id);
      CHECK(each.caller == (each.id.starts_with("1.") ? "0" : ""));
    }
    CHECK(ids == std::vector<std::string>{"0", "1.0", "1.1", "1", "2", "3", "4"});
    CHECK(report.network.operators[2].writes == std::vector<std::string>{"v0"});
    CHECK(report.network.operators[4].reads == std::vector<std::string>{"1", "v0"});
    CHECK(report.network.operators[6].writes == std::vector<std::string>{"v0"});
    const auto block = [&](std::string_view id) {
      return *std::ranges::find(report.blocks, id, &model::PlannedBlock::id);
    };
    // Handles lie with the kernels.
    REQUIRE(report.blocks.size() == 5);
    CHECK(block("0").live == Interval{0, 6});
    CHECK(block("2").live == Interval{4, 6});
    CHECK(block("3").live == Interval{5, 7});
    CHECK(block("1.1").role == Lifetime::kConstant);
    CHECK(block("v0").role == Lifetime::kPersistent);
    CHECK(block("v0").name == "state");
    CHECK(block("v0").size == Bytes{8});
    CHECK(block("v0").uses == 3);
    const std::string text = text_of(stream());
    const auto constants = read_constants(text, "m.tflite");
    REQUIRE(constants.has_value());
    CHECK(constants->contains("1.1"));
  }

  TEST_CASE("tflite: subgraphs and variables that nobody knows are refused") {
    Model model = stream();
    model.operators[0].calls = 2;
    CHECK(refused(model).message ==
          "operator 0 calls subgraph 2, which it cannot (the model has 2 subgraphs, and only its "
          "own operators call each once)");
    model.operators[0].calls = 0;
    CHECK(refused(model).code == Code::kPlanSyntax);
    model = stream();
    model.operators.push_back(model.operators[0]);
    CHECK(refused(model).code == Code::kPlanSyntax);
    model = stream();
    model.others[0].operators.push_back(model.operators[0]);
    CHECK(refused(model).message.starts_with("operator 1.2 calls subgraph 1"));
    model = stream();
    model.operators[1].variable.clear();
    CHECK(refused(model).message == "operator 1 names no variable");
    model = stream();
    model.operators[2].inputs = {0};
    CHECK(refused(model).message == "operator 2 reads a variable that nobody names");
    model.operators[2].inputs = {};
    CHECK(refused(model).message == "operator 2 reads a variable that nobody names");
    model = stream();
    model.operators[4].inputs = {1};
    CHECK(refused(model).message == "operator 4 assigns a variable that nobody names");
    model = stream();
    model.others[0].tensors.clear();
    model.others[0].operators.clear();
    CHECK(refused(model).message == "subgraph 1 has no tensors");
  }

  TEST_CASE("tflite: a plan that is in the model") {
    Model model = stream();
    // Version, subgraphs, tensors, then those of both.
    model.offsets = {1, 2, 6, 16, -1, 0, 32, -1, -1};
    const model::PlanReport report = read(text_of(model));
    const auto offset = [&](std::string_view id) {
      return std::ranges::find(report.blocks, id, &model::PlannedBlock::id)->offset;
    };
    CHECK(report.plans_scratch_alone);
    CHECK(offset("0") == Bytes{16});
    CHECK(offset("2") == Bytes{0});
    CHECK(offset("3") == Bytes{32});
    CHECK_FALSE(offset("1.1").has_value());
    CHECK_FALSE(offset("v0").has_value());
    model.offsets = {1, 2, 5, 16, -1, 0, 32, -1};
    CHECK(refused(model).message == "its metadata OfflineMemoryAllocation is not of 6 tensors");
    model.offsets = {1, 2, 6, 16, -1, 0, 32, -1};
    CHECK(refused(model).code == Code::kPlanSyntax);
    model.offsets = {1};
    CHECK(refused(model).code == Code::kPlanSyntax);
  }

  TEST_CASE("tflite: what a model cannot say is refused") {
    Model model = small();
    model.version = 4;
    CHECK(refused(model).code == Code::kPlanVersion);
    model = small();
    model.graphs = 2;
    CHECK(refused(model).message == "the model has 2 subgraphs, and nobody calls number 1");
    model.graphs = 0;
    CHECK(refused(model).message == "the model has no subgraph");
    model = small();
    model.operators.clear();
    CHECK(refused(model).message == "the model has no operators");
    model = small();
    model.operators[1].inputs = {9};
    CHECK(refused(model).message == "operator 1: there is no tensor 9 (the model has 6 tensors)");
    model = small();
    model.outputs = {-1};
    CHECK(refused(model).message ==
          "the model's outputs: there is no tensor -1 (the model has 6 tensors)");
    model = small();
    model.tensors[1].buffer = 2;
    CHECK(refused(model).message == "tensor 1: there is no buffer 2 (the model has 2 buffers)");
    model = small();
    model.tensors[2].type = kString;
    CHECK(refused(model).message == "tensor 2 has a type of no fixed size (5)");
    model.tensors[2].type = -1;
    CHECK(refused(model).code == Code::kPlanSize);
    for (const std::vector<int>& shape :
         {std::vector{1, -4}, std::vector(9, 1 << 30), std::vector{1 << 30, 1 << 30, 1 << 3}}) {
      model = small();
      model.tensors[2].shape = shape;
      CHECK(refused(model).code == Code::kPlanSize);
    }
  }

  TEST_CASE("tflite: the bytes of each constant") {
    Model model = small();
    model.buffers = {3, 3, 2, 0, 1};
    model.tensors[1].shape = {3};
    model.tensors.push_back({{3}, kInt8, 1});
    model.tensors.push_back({{2}, kInt8, 2});
    // Without bytes, or a variable's: no constant.
    model.tensors.push_back({{2}, kInt8, 3});
    model.tensors.push_back({{1}, kInt8, 4, true});
    const std::map<std::string, std::string_view> wanted = {
        {"1", "\x11\x12\x13"}, {"6", "\x11\x12\x13"}, {"7", "\x21\x22"}};
    const std::string text = text_of(model);
    // As they lie in the file, wherever that lies itself.
    for (std::size_t shift = 0; shift < 16; ++shift) {
      const std::string moved = std::string(shift, '\0') + text;
      const auto constants = read_constants(std::string_view{moved}.substr(shift), "m.tflite");
      REQUIRE(constants.has_value());
      CHECK(*constants == wanted);
      for (const auto& [id, bytes] : *constants) {
        CHECK(bytes.data() >= moved.data());
        CHECK(bytes.data() + bytes.size() <= moved.data() + moved.size());
      }
    }
  }

  TEST_CASE("tflite: constants behind the flatbuffer") {
    Model model = small();
    model.buffers = {0, 0};
    // As many as there are; an input, where there are none.
    model.tensors[1].signature = {-1, 2};
    model.inputs = {0, 1};
    model.behind[1] = {1, 100};
    std::string text;
    const auto constants = [&](std::uint64_t offset, std::uint64_t size) {
      model.behind[1] = {offset, size};
      text = text_of(model) + "sixteen bytes...";
      return read_constants(text, "m.tflite");
    };
    const std::size_t all = text_of(model).size() + 16;
    auto read = constants(all - 16, 16);
    REQUIRE(read.has_value());
    CHECK(*read == std::map<std::string, std::string_view>{{"1", "sixteen bytes..."}});
    read = constants(all - 5, 2);
    REQUIRE(read.has_value());
    CHECK(read->at("1") == "es");
    // Offsets 0 and 1 say that there are none there.
    for (const std::uint64_t offset : {0U, 1U}) {
      read = constants(offset, 4);
      REQUIRE(read.has_value());
      CHECK(read->empty());
    }
    CHECK(constants(all, 0)->empty());
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    for (const auto& [offset, size] : {std::pair<std::uint64_t, std::uint64_t>{all - 16, 17},
                                       {all, 1},
                                       {all + 1, 1},
                                       {kMost, 1},
                                       {2, std::uint64_t{1} << 61}}) {
      const auto outside = constants(offset, size);
      REQUIRE_FALSE(outside.has_value());
      CHECK(outside.error().front().code == Code::kEmitData);
      CHECK(outside.error().front().message == "the bytes of tensor 1 lie outside the file");
    }
  }

  TEST_CASE("tflite: constants of what is no model, or a wrong one") {
    for (const char* text : {"", "TFL3", "{\"schema\": \"memsize.plan/1\"}"}) {
      const auto none = read_constants(text, "m.tflite");
      REQUIRE_FALSE(none.has_value());
      CHECK(none.error().front().code == Code::kEmitData);
      CHECK(none.error().front().message ==
            "this is no .tflite, whose constants memsize could read");
    }
    Model model = small();
    model.version = 4;
    CHECK(read_constants(text_of(model), "m.tflite").error().front().code == Code::kPlanVersion);
    model = small();
    model.tensors[1].buffer = 2;
    CHECK(read_constants(text_of(model), "m.tflite").error().front().code == Code::kPlanSyntax);
    const std::string text = text_of(small());
    for (std::size_t size = 0; size < text.size(); ++size) {
      const auto cut = read_constants(std::string_view{text}.substr(0, size), "m.tflite");
      CHECK((!cut.has_value() || size + 16 > text.size()));
    }
  }

  TEST_CASE("tflite: a model that is cut off is an error, wherever it lies") {
    const std::string text = text_of(small());
    for (std::size_t size = 8; size < text.size(); ++size) {
      const auto report = read_plan(text.substr(0, size), "m.tflite");
      // Padding at the end may be missing.
      CHECK((!report.has_value() || size + 16 > text.size()));
    }
    for (std::size_t shift = 1; shift < 16; ++shift) {
      const std::string moved = std::string(shift, '\0') + text;
      const auto report = read_plan(std::string_view{moved}.substr(shift), "m.tflite");
      REQUIRE(report.has_value());
      CHECK(report->blocks.size() == 5);
    }
  }
}

}  // namespace memsize::readers::tflite_test
