// ARES' network_info.json, in the keys of its extractor and of its README.
#include "memsize/readers/plan_reader.hpp"

#include "support.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::readers::ares_network_test {

namespace {

model::Network network(const std::string& text) {
  const auto report = read_plan(text, "net.json", "ares-network");
  REQUIRE_MESSAGE(report.has_value(), (report ? "" : test::all_text(report.error())));
  return report->network;
}

core::Diagnostic refused(const std::string& text) {
  const auto report = read_plan(text, "net.json", "ares-network");
  REQUIRE_FALSE(report.has_value());
  CHECK(report.error().front().place.path.str() == "net.json");
  return report.error().front();
}

std::int64_t number(const model::Operator& op, const std::string& name) {
  for (const auto& [key, value] : op.attributes) {
    if (key == name) {
      return value;
    }
  }
  FAIL(name);
  return 0;
}

const std::string kInput =
    R"("in": {"type": "QuantIdentity", "scale": 0.5, "output_shape": [1, 4]},)";

}  // namespace

TEST_SUITE_BEGIN("readers");

TEST_CASE("ares network: content tells it, whatever the file is called") {
  const auto report = read_plan("{" + kInput + R"("fc": {"type": "QuantLinear"}})", "x.txt");
  REQUIRE(report.has_value());
  CHECK(report->format == "ares-network");
  CHECK(report->blocks.empty());
}

TEST_CASE("ares network: the order is __layer_order__'s, else the file's") {
  const std::string layers = kInput + R"("a": {"type": "Flatten"}, "b": {"type": "QuantReLU"})";
  CHECK(network("{" + layers + "}").operators[1].id == "a");
  const model::Network ordered =
      network("{" + layers + R"(, "__layer_order__": ["in", "b", "a"]})");
  CHECK(ordered.operators[1].id == "b");
  CHECK(ordered.operators[2].reads == std::vector<std::string>{"b"});
  const auto odd =
      read_plan("{" + layers + R"(, "__layer_order__": ["in", "b", "none"]})", "net.json");
  REQUIRE(odd.has_value());
  REQUIRE(odd->diagnostics.size() == 2);
  CHECK(odd->diagnostics[0].code == core::Code::kPlanContradiction);
  CHECK(test::contains(test::all_text(odd->diagnostics), "'a' is not in __layer_order__"));
  CHECK(test::contains(refused("{" + layers + R"(, "__layer_order__": ["in", "b", "b"]})").message,
                       "stands twice"));
}

TEST_CASE("ares network: a number stands for a pair, four numbers for the sides of a padding") {
  const model::Network net = network(
      "{" + kInput +
      R"("c": {"type": "QuantConv2d", "kernel_size": 3, "stride": [2, 1], "padding": [1, 0]},
         "p": {"type": "ZeroPad2d", "padding": [1, 2, 3, 4]}})");
  CHECK(number(net.operators[1], "kernel_size_rows") == 3);
  CHECK(number(net.operators[1], "kernel_size_columns") == 3);
  CHECK(number(net.operators[1], "stride_rows") == 2);
  CHECK(number(net.operators[1], "stride_columns") == 1);
  CHECK(number(net.operators[1], "padding_columns") == 0);
  CHECK(number(net.operators[2], "padding_right") == 2);
  CHECK(number(net.operators[2], "padding_top") == 3);
}

TEST_CASE("ares network: inputs by name in both spellings, by convention, else the layer before") {
  const model::Network net = network("{" + kInput + R"(
    "b.conv1": {"type": "QuantConv2d"},
    "b.relu1": {"type": "QuantReLU"},
    "b.shortcut.0": {"type": "QuantConv2d"},
    "b.shortcut.1": {"type": "QuantIdentity"},
    "sum": {"type": "QuantAdd", "input1": "b.relu1_out", "input2": "b.shortcut.1"},
    "cat": {"type": "Concatenate", "inputs": ["sum", "in"]},
    "m.ffn.0.w1": {"type": "QuantLinear"},
    "m.ffn.0.act": {"type": "SiLU"},
    "m.ffn.0.w3": {"type": "QuantLinear"}})");
  const auto reads = [&](std::size_t op) { return net.operators[op].reads; };
  using Ids = std::vector<std::string>;
  CHECK(reads(0).empty());
  CHECK(reads(1) == Ids{"in"});
  CHECK(reads(3) == Ids{"in"});
  CHECK(reads(4) == Ids{"b.shortcut.0"});
  CHECK(reads(5) == Ids{"b.relu1", "b.shortcut.1"});
  CHECK(reads(6) == Ids{"sum", "in"});
  CHECK(reads(9) == Ids{"cat"});
}

TEST_CASE("ares network: arrays in the text are constants with a shape") {
  const model::Network net = network("{" + kInput + R"(
    "fc": {"type": "QuantLinear", "weight_int8": [[1, -128, 127], [0, 0, 0]], "bias_fp32": [0.5, 1e9]}})");
  CHECK(net.operators[1].reads == std::vector<std::string>{"in", "fc_weight_int8", "fc_bias_fp32"});
  const auto tensor = std::ranges::find(net.tensors, "fc_weight_int8", &model::NetworkTensor::id);
  REQUIRE(tensor != net.tensors.end());
  CHECK(tensor->shape == std::vector<std::uint64_t>{2, 3});
  CHECK(tensor->type == "int8");
}

TEST_CASE("ares network: every mistake has its place") {
  const auto of = [](const std::string& layer) {
    return refused("{\n" + kInput + "\n\"x\": " + layer + "}");
  };
  const auto check = [&](const std::string& layer, const std::string& words) {
    CAPTURE(layer);
    const core::Diagnostic error = of(layer);
    CHECK(error.place.line == 3);
    CHECK_MESSAGE(test::contains(error.message, words), error.message);
  };
  check(R"({"kernel_size": 3})", "'type' is missing");
  check(R"({"type": "A", "kernel_size": [1, 2, 3]})", "a number or a pair");
  check(R"({"type": "A", "kernel_size": "x"})", "whole number");
  check(R"({"type": "A", "in_channels": 2000000000000})", "larger than any network's");
  check(R"({"type": "A", "scale": 0})", "a scale is a number above 0");
  check(R"({"type": "A", "scale": -0.5})", "a scale is a number above 0");
  check(R"({"type": "A", "inputs": ["later"]})", "no layer that runs before 'x'");
  check(R"({"type": "A", "output_shape": [1, 0]})", "no tensor has 0 there");
  check(R"({"type": "A", "output_shape": [1,1,1,1,1,1,1,1,1]})", "at most 8 dimensions");
  check(R"({"type": "A", "weight_int8": [[1, 2], [3]]})",
        "it has 1 where the lists beside it have 2");
  check(R"({"type": "A", "weight_int8": [1, 128]})", "an array of int8 cannot hold 128");
  check(R"({"type": "A", "weight_int8": [1, 18446744073709551615]})", "cannot hold");
  check(R"({"type": "A", "weight_int8": [1, [2]]})", "cannot hold");
  check(R"({"type": "A", "bias_fp32": [true]})", "cannot hold true");
  CHECK(test::contains(refused("{\"__layer_order__\": []}").message, "no layers"));
  CHECK(test::contains(refused("[]").message, "must be an object"));
}

TEST_SUITE_END();

}  // namespace memsize::readers::ares_network_test
