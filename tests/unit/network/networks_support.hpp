// Networks as ARES' extractor writes them, without their arrays.
#pragma once

#include "memsize/board/memories.hpp"
#include "memsize/network/layers.hpp"
#include "memsize/network/schedule.hpp"
#include "memsize/readers/plan_reader.hpp"

#include "support.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace memsize::network::networks_test {

/// Members stay in their order, as layers must.
using Json = nlohmann::ordered_json;

inline Json input_layer(const Json& shape) {
  return {{"type", "QuantIdentity"}, {"scale", 0.5}, {"output_shape", shape}};
}

inline Json conv_layer(std::uint64_t in,
                       std::uint64_t out,
                       std::uint64_t kernel,
                       std::uint64_t stride = 1,
                       std::uint64_t padding = 0) {
  return {{"type", "QuantConv2d"},
          {"in_channels", in},
          {"out_channels", out},
          {"kernel_size", kernel},
          {"stride", stride},
          {"padding", padding}};
}

inline Json fully_connected(std::uint64_t in, std::uint64_t out) {
  return {{"type", "QuantLinear"}, {"in_features", in}, {"out_features", out}};
}

inline Json relu_layer(double scale = 0.25) {
  return {{"type", "QuantReLU"}, {"scale", scale}};
}

inline Json quant_layer(double scale = 0.125) {
  return {{"type", "QuantIdentity"}, {"scale", scale}};
}

inline Json max_pool(std::uint64_t kernel) {
  return {{"type", "MaxPool2d"}, {"kernel_size", kernel}};
}

inline Json sum_of(const Json& inputs) {
  return {{"type", "Add"}, {"inputs", inputs}};
}

/// ARES' test of strides: 28x28, four convolutions of 3x3, a pool, ten classes.
inline Json stride2_net() {
  return {{"input_quant", input_layer({1, 1, 28, 28})},
          {"conv1", conv_layer(1, 16, 3, 1, 1)},
          {"relu1", relu_layer()},
          {"conv2", conv_layer(16, 32, 3, 2, 1)},
          {"relu2", relu_layer()},
          {"conv3", conv_layer(32, 32, 3, 1, 1)},
          {"relu3", relu_layer()},
          {"conv4", conv_layer(32, 16, 3, 2, 1)},
          {"relu4", relu_layer()},
          {"gap", {{"type", "GlobalAvgPool"}}},
          {"fc", fully_connected(16, 10)}};
}

inline model::PlanReport report_of(const Json& net) {
  auto report = readers::read_plan(net.dump(2), "net.json", "ares-network");
  REQUIRE_MESSAGE(report.has_value(), (report ? "" : test::all_text(report.error())));
  return std::move(*report);
}

inline std::vector<Layer> layers(const Json& net, const Shape& input = {}) {
  auto made = layers_of(report_of(net), input);
  REQUIRE_MESSAGE(made.has_value(), (made ? "" : test::all_text(made.error())));
  return std::move(*made);
}

/// The one error.
inline core::Diagnostic refusal(const Json& net, const Shape& input = {}) {
  const auto made = layers_of(report_of(net), input);
  REQUIRE_FALSE(made.has_value());
  REQUIRE(made.error().size() == 1);
  CHECK(made.error().front().code == core::Code::kPlanNetwork);
  CHECK(made.error().front().place.path.str() == "net.json");
  CHECK_FALSE(made.error().front().hint.empty());
  return made.error().front();
}

/// What ARES has of GAP9.
inline board::TileRules gap9_rules() {
  using core::Bytes;
  return {.l1 = Bytes{102400},
          .l2 = Bytes{1126400},
          .dma_longest = Bytes{131071},
          .dma_open = 16,
          .stage = std::nullopt,
          .stage_linear = Bytes{102400},
          .stage_attention = Bytes{32768},
          .activations = Bytes{1009664},
          .activation_spill = Bytes{716800},
          .workers = 8,
          .source = {}};
}

inline Schedule schedule(const Json& net, const board::TileRules& rules = gap9_rules()) {
  return schedule_of(layers(net), &rules);
}

inline const Buffer& buffer(const Schedule& schedule, const std::string& name) {
  const auto found = std::ranges::find(schedule.buffers, name, &Buffer::name);
  REQUIRE_MESSAGE(found != schedule.buffers.end(), name);
  return *found;
}

inline bool has_buffer(const Schedule& schedule, const std::string& name) {
  return std::ranges::find(schedule.buffers, name, &Buffer::name) != schedule.buffers.end();
}

/// The step in which the layer runs, alone or with others.
inline const Step& step_of(const Schedule& schedule, const std::string& name) {
  const auto found = std::ranges::find_if(schedule.steps, [&](const Step& step) {
    return std::ranges::any_of(
        step.layers, [&](std::size_t layer) { return schedule.layers[layer].name == name; });
  });
  REQUIRE_MESSAGE(found != schedule.steps.end(), name);
  return *found;
}

}  // namespace memsize::network::networks_test
