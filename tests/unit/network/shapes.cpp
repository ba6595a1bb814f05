// Each kind of layer, what it makes and what it refuses; scales, the classifier, and the MACs that
// ARES itself counted.
#include "memsize/network/layers.hpp"

#include "networks_support.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::network::shapes_test {

namespace {

using namespace networks_test;

// Of a layer behind an input of that shape; a ReLU follows, so that it is no classifier.
Layer made(const Json& shape, const Json& layer) {
  return layers({{"in", input_layer(shape)}, {"x", layer}, {"after", relu_layer()}})[1];
}

std::string refused(const Json& shape, const Json& layer) {
  const core::Diagnostic error = refusal({{"in", input_layer(shape)}, {"x", layer}});
  CHECK(error.message.starts_with("layer 'x': "));
  // Each dimension of the input stands on a line of its own.
  CHECK(error.place.line == 8 + shape.size());
  return error.message.substr(std::string{"layer 'x': "}.size());
}

Json with_keys(Json layer, const Json& more) {
  layer.update(more);
  return layer;
}

std::uint64_t macs_of(const Json& net) {
  std::uint64_t all = 0;
  for (const Layer& layer : layers(net)) {
    all += layer.macs;
  }
  return all;
}

const Json kImage = {1, 16, 8, 10};

}  // namespace

TEST_SUITE_BEGIN("network");

TEST_CASE("shapes: what each kind of layer makes") {
  struct Row {
    Json in;
    Json layer;
    Op op;
    std::string out;
  };

  const Row rows[] = {
      {kImage, quant_layer(), Op::kRequantise, "1x16x8x10"},
      {kImage, relu_layer(), Op::kRelu, "1x16x8x10"},
      {kImage, conv_layer(16, 4, 3), Op::kConv, "1x4x6x8"},
      {kImage, conv_layer(16, 4, 3, 2, 1), Op::kConv, "1x4x4x5"},
      {{1, 128}, fully_connected(128, 10), Op::kLinear, "1x10"},
      {{1, 5, 128}, fully_connected(128, 10), Op::kLinear, "1x5x10"},
      {{1, 5, 128}, fully_connected(640, 10), Op::kLinear, "1x10"},
      {kImage, fully_connected(1280, 10), Op::kLinear, "1x10"},
      {kImage, max_pool(2), Op::kMaxPool, "1x16x4x5"},
      {kImage, with_keys(max_pool(3), {{"stride", 1}, {"padding", 1}}), Op::kMaxPool, "1x16x8x10"},
      {kImage, {{"type", "AvgPool2d"}, {"kernel_size", {2, 5}}}, Op::kAvgPool, "1x16x4x2"},
      {kImage, {{"type", "AvgPool2d"}, {"kernel_size", {8, 10}}}, Op::kGlobalPool, "1x16x1x1"},
      // That key is a GlobalAvgPool's alone.
      {kImage,
       {{"type", "AvgPool2d"}, {"kernel_size", {8, 10}}, {"output_size", {2, 5}}},
       Op::kGlobalPool,
       "1x16x1x1"},
      {kImage, {{"type", "GlobalAvgPool"}}, Op::kGlobalPool, "1x16x1x1"},
      {kImage, {{"type", "AdaptiveAvgPool2d"}, {"output_size", 1}}, Op::kGlobalPool, "1x16x1x1"},
      {kImage, {{"type", "GlobalAvgPool"}, {"output_size", {2, 5}}}, Op::kOther, "1x16x2x5"},
      {kImage, {{"type", "ZeroPad2d"}, {"padding", {1, 2, 3, 4}}}, Op::kPad, "1x16x15x13"},
      {kImage, {{"type", "ZeroPad2d"}, {"padding", {1, 3}}}, Op::kPad, "1x16x14x12"},
      {kImage, {{"type", "ZeroPad2d"}, {"padding", 2}}, Op::kPad, "1x16x12x14"},
      {kImage, {{"type", "Flatten"}}, Op::kView, "1x1280"},
      {kImage, {{"type", "Flatten"}, {"start_dim", -2}}, Op::kView, "1x16x80"},
      {kImage, {{"type", "Reshape"}, {"shape", {1, -1, 80}}}, Op::kView, "1x16x80"},
      {kImage, {{"type", "Reshape"}, {"shape", {1, 1280}}}, Op::kView, "1x1280"},
      {{1, 16, 1, 1}, {{"type", "Squeeze"}}, Op::kView, "1x16"},
      {{1, 16, 1, 1}, {{"type", "Squeeze"}, {"dim", -1}}, Op::kView, "1x16x1"},
      {{1, 16, 2, 1}, {{"type", "Squeeze"}, {"dim", 2}}, Op::kView, "1x16x2x1"},
      {{1, 16, 5}, {{"type", "Permute"}, {"dims", {0, 2, 1}}}, Op::kOther, "1x5x16"},
      // No element moves where one of the two is 1.
      {{1, 16, 1}, {{"type", "Permute"}, {"dims", {0, 2, 1}}}, Op::kView, "1x1x16"},
      {{1, 5, 16}, {{"type", "LayerNorm"}}, Op::kOther, "1x5x16"},
      {{1, 5, 16}, {{"type", "GELU"}}, Op::kOther, "1x5x16"},
      {{1, 5, 16},
       {{"type", "MultiheadSelfAttention"}, {"output_shape", {1, 16}}},
       Op::kOther,
       "1x16"},
      {{1, 5, 16}, {{"type", "Of another day"}, {"output_shape", {1, 3}}}, Op::kOther, "1x3"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.layer.dump());
    const Layer layer = made(row.in, row.layer);
    CHECK(shape_text(layer.out) == row.out);
    CHECK(layer.op == row.op);
    CHECK(layer.reads == std::vector<std::size_t>{0});
    CHECK(layer.in == row.in.get<Shape>());
  }
}

TEST_CASE("shapes: layers of two inputs") {
  const Json net = {{"in", input_layer({1, 4, 6, 6})},
                    {"a", conv_layer(4, 8, 3, 1, 1)},
                    {"b", with_keys(conv_layer(4, 8, 1), {{"inputs", {"in"}}})},
                    {"add", sum_of({"a", "b"})},
                    {"cat", {{"type", "Concatenate"}, {"inputs", {"add", "in"}}}},
                    {"side", {{"type", "Concatenate"}, {"inputs", {"cat", "cat"}}, {"dim", -1}}}};
  const auto all = layers(net);
  CHECK(all[3].op == Op::kAdd);
  CHECK(all[3].reads == std::vector<std::size_t>{1, 2});
  CHECK(shape_text(all[3].out) == "1x8x6x6");
  CHECK(all[4].op == Op::kConcat);
  CHECK(shape_text(all[4].out) == "1x12x6x6");
  // ARES joins channels only.
  CHECK(all[5].op == Op::kOther);
  CHECK(shape_text(all[5].out) == "1x12x6x12");
}

TEST_CASE("shapes: weights, biases and multiplications") {
  const Layer conv = made({1, 16, 8, 8}, conv_layer(16, 4, 3));
  CHECK(conv.weights.count() == 576);
  CHECK(conv.bias.count() == 16);
  CHECK(conv.macs == 576 * 36);
  CHECK(conv.tile_shape.kind == TileKind::kConv);
  const Layer packed =
      made({1, 16, 8, 8}, with_keys(conv_layer(16, 4, 3), {{"weight_bit_width", 2}}));
  CHECK(packed.weights.count() == 144);
  CHECK(packed.macs == conv.macs);
  const Layer grouped = made({1, 16, 8, 8}, with_keys(conv_layer(16, 4, 3), {{"groups", 4}}));
  CHECK(grouped.weights.count() == 144);
  CHECK(grouped.tile_shape.kind == TileKind::kConv);
  const Layer depthwise = made({1, 16, 8, 8}, with_keys(conv_layer(16, 16, 3), {{"groups", 16}}));
  CHECK(depthwise.weights.count() == 144);
  CHECK(depthwise.macs == 144 * 36);
  CHECK(depthwise.tile_shape.kind == TileKind::kDepthwise);
  const Layer tokens = made({1, 5, 128}, fully_connected(128, 10));
  CHECK(tokens.weights.count() == 1280);
  CHECK(tokens.macs == 6400);
  CHECK(tokens.tile_shape.in_rows == 5);
  const Layer bare = made({1, 128}, with_keys(fully_connected(128, 10), {{"bias_fp32", nullptr}}));
  CHECK(bare.bias.count() == 0);
  const Layer norm =
      made({1, 5, 2}, {{"type", "LayerNorm"}, {"weight", {1.0, 2.0}}, {"bias", {0.0, 0.5}}});
  CHECK(norm.weights.count() == 8);
  CHECK(norm.bias.count() == 8);
  const Layer told =
      made({1, 5}, {{"type", "Other"}, {"output_shape", {1, 5}}, {"weight_size_bytes", 99}});
  CHECK(told.weights.count() == 99);
}

TEST_CASE("shapes: multiplications of ARES' tests are half of what its table of runs says") {
  CHECK(macs_of({{"in", input_layer({1, 1, 28, 28})},
                 {"conv1", conv_layer(1, 16, 3, 1, 1)},
                 {"pool1", max_pool(2)},
                 {"conv2", conv_layer(16, 32, 3, 1, 1)},
                 {"pool2", max_pool(2)},
                 {"fc", fully_connected(1568, 10)}}) == 2063488 / 2);
  CHECK(macs_of({{"in", input_layer({1, 1, 28, 28})},
                 {"conv1", conv_layer(1, 8, 5, 1, 2)},
                 {"pool1", max_pool(2)},
                 {"fc", fully_connected(1568, 10)}}) == 344960 / 2);
  CHECK(macs_of({{"in", input_layer({1, 784})},
                 {"fc1", fully_connected(784, 256)},
                 {"fc2", fully_connected(256, 128)},
                 {"fc3", fully_connected(128, 10)}}) == 469504 / 2);
  CHECK(macs_of(stride2_net()) == 6096704 / 2);
}

TEST_CASE("shapes: the last linear layer gives fp32, unless somebody computes with it") {
  const auto element_of_fc = [](const Json& after) {
    Json net = {{"in", input_layer({1, 8})}, {"fc", fully_connected(8, 4)}};
    net.update(after);
    const auto all = layers(net);
    CHECK(all.back().element == all[1].element);
    CHECK(size_of(all[1]).count() == 4 * all[1].element);
    return all[1].element;
  };
  CHECK(element_of_fc(Json::object()) == 4);
  CHECK(element_of_fc({{"flat", {{"type", "Flatten"}}}}) == 4);
  CHECK(element_of_fc({{"relu", relu_layer()}}) == 1);
  CHECK(element_of_fc({{"norm", {{"type", "LayerNorm"}}}}) == 1);
}

TEST_CASE("shapes: a layer that says no scale has that of the next that quantises") {
  const auto all = layers({{"in", input_layer({1, 4, 6, 6})},
                           {"conv1", with_keys(conv_layer(4, 4, 1), {{"scale_weight", 0.01}})},
                           {"pool", max_pool(2)},
                           {"relu", relu_layer(0.25)},
                           {"conv2", with_keys(conv_layer(4, 4, 1), {{"scale_output", 0.75}})},
                           {"conv3", with_keys(conv_layer(4, 4, 1), {{"scale_input", 0.7}})},
                           {"flat", {{"type", "Flatten"}}},
                           {"fc", fully_connected(36, 4)}});
  CHECK(all[0].scale_out == 0.5);
  CHECK(all[1].scale_in == 0.5);
  CHECK(all[1].scale_weight == 0.01);
  CHECK(all[1].scale_out == 0.25);
  CHECK(all[2].scale_in == 0.25);
  CHECK(all[2].scale_out == 0.25);
  CHECK(all[3].scale_in == 0.25);
  CHECK(all[4].scale_out == 0.75);
  CHECK(all[5].scale_in == 0.7);
  // Nobody quantises behind it.
  CHECK(all[5].scale_out == 1);
  CHECK(all[5].scale_weight == 1);
  CHECK(all[7].scale_in == 1);
}

TEST_CASE("shapes: residency and block are what the extractor says") {
  const auto all = layers(
      {{"in", input_layer({1, 8})},
       {"fc",
        with_keys(fully_connected(8, 4), {{"weight_residency", "L3_STAGED"}, {"block_id", 3}})}});
  CHECK(all[1].residency == "L3_STAGED");
  CHECK(all[1].block == "3");
  CHECK(all[1].kind == "QuantLinear");
  CHECK(all[1].line == 10);
}

TEST_CASE("shapes: the input's shape may come from beside the file") {
  const Json net = {{"in", quant_layer()}, {"relu", relu_layer()}};
  CHECK(shape_text(layers(net, {1, 3, 4, 5})[1].out) == "1x3x4x5");
  CHECK(refusal(net).message == "layer 'in': nobody says what shape the network's input has");
  // What the file says wins.
  CHECK(shape_text(layers({{"in", input_layer({1, 2})}}, {1, 3})[0].out) == "1x2");
  CHECK(refusal(net, {4, 3}).message ==
        "layer 'in': 4x3 is a batch of 4: ARES runs one input at a time");
  CHECK(refusal(net, {1, 0, 3}).message == "layer 'in': 1x0x3 has no elements");
  CHECK(refusal({{"conv", conv_layer(1, 1, 1)}}).message ==
        "layer 'conv': a network begins with a QuantIdentity, which quantises its input; this "
        "begins with a QuantConv2d");
}

TEST_CASE("shapes: what does not go together is refused, with both sides") {
  CHECK(refused(kImage, conv_layer(8, 4, 3)) == "in_channels is 8, and 'in' writes 1x16x8x10");
  CHECK(refused(kImage, with_keys(conv_layer(16, 4, 3), {{"groups", 3}})) ==
        "3 groups do not divide 16 channels in and 4 out");
  CHECK(refused(kImage, with_keys(conv_layer(16, 4, 3), {{"dilation", 2}})) ==
        "its kernel is dilated, which ARES does not have");
  CHECK(refused({1, 16}, conv_layer(16, 4, 3)) ==
        "a convolution reads 1xCxHxW, and 'in' writes 1x16");
  CHECK(refused(kImage, conv_layer(16, 4, 9)) ==
        "a kernel of 9x9 is larger than what it reads, 1x16x8x10 with its padding");
  CHECK(refused(kImage, max_pool(11)) ==
        "a window of 11x11 is larger than what it reads, 1x16x8x10 with its padding");
  CHECK(refused(kImage, conv_layer(16, 4, 3, 0)) == "'stride_rows' is 0, which is below 1");
  CHECK(refused(kImage, with_keys(conv_layer(16, 4, 3), {{"padding", -1}})) ==
        "'padding_rows' is -1, which is below 0");
  CHECK(refused(kImage, {{"type", "QuantConv2d"}, {"out_channels", 4}}) ==
        "'kernel_size_rows' is missing");
  CHECK(refused(kImage, with_keys(conv_layer(16, 4, 3), {{"weight_bit_width", 3}})) ==
        "weights of 3 bits are not of int8 or packed into it");
  CHECK(refused({1, 128}, fully_connected(100, 10)) == "in_features is 100, and 'in' writes 1x128");
  CHECK(refused({1, 128}, {{"type", "QuantLinear"}, {"in_features", 128}}) ==
        "'out_features' is missing");
  CHECK(refused({1, 128}, {{"type", "GlobalAvgPool"}}) ==
        "a pool reads 1xCxHxW, and 'in' writes 1x128");
  CHECK(refused(kImage, {{"type", "GlobalAvgPool"}, {"output_size", 0}}) ==
        "its output_size is not above 0");
  CHECK(refused(kImage, sum_of({"in"})) == "it adds two inputs, and reads one");
  CHECK(refused({1, 128}, {{"type", "ZeroPad2d"}, {"padding", 1}}) ==
        "padding reads 1xCxHxW, and 'in' writes 1x128");
  CHECK(refused(kImage, {{"type", "Flatten"}, {"start_dim", 4}}) == "1x16x8x10 has no dimension 4");
  CHECK(refused(kImage, {{"type", "Squeeze"}, {"dim", -5}}) == "1x16x8x10 has no dimension -5");
  CHECK(refused(kImage, {{"type", "Concatenate"}, {"dim", 4}}) == "1x16x8x10 has no dimension 4");
  CHECK(refused(kImage, {{"type", "Reshape"}, {"shape", {1, 100}}}) ==
        "1280 elements (1x16x8x10) cannot have the shape 1x100");
  CHECK(refused(kImage, {{"type", "Reshape"}, {"shape", {1, 0}}}) == "a shape cannot have 0");
  CHECK(refused(kImage, {{"type", "Permute"}, {"dims", {0, 1, 2, 2}}}) ==
        "its dims do not name each dimension of 1x16x8x10 once");
  CHECK(refused(kImage, {{"type", "Permute"}, {"dims", {0, 1, 2, 4}}}) ==
        "1x16x8x10 has no dimension 4");
  CHECK(refused(kImage, {{"type", "Fold"}}) ==
        "what a Fold makes of 1x16x8x10 is not known, and it says no output_shape");
  CHECK(refused(kImage, {{"type", "Fold"}, {"output_shape", {2, 5}}}) ==
        "2x5 is a batch of 2: ARES runs one input at a time");
  CHECK(refused(kImage, with_keys(relu_layer(), {{"output_shape", {1, 1280}}})) ==
        "it makes 1x16x8x10 of 1x16x8x10, and its output_shape is 1x1280");
}

TEST_CASE("shapes: inputs of a sum are alike, those of a join but for its dimension") {
  const auto error = [](const char* type) {
    return refusal({{"in", input_layer({1, 4, 6, 6})},
                    {"a", conv_layer(4, 8, 3)},
                    {"x", {{"type", type}, {"inputs", {"a", "in"}}}}})
        .message;
  };
  CHECK(error("Add") ==
        "layer 'x': 'a' writes 1x8x4x4, and 'in' writes 1x4x6x6: they cannot be added");
  CHECK(error("Concatenate") ==
        "layer 'x': 'in' writes 1x4x6x6, which cannot stand beside 1x8x4x4 in dimension 1");
}

TEST_CASE("shapes: arrays have as many elements as their layer needs") {
  CHECK(refused({1, 2}, with_keys(fully_connected(2, 2), {{"weight_int8", {{1, 2}}}})) ==
        "its weights are 2x2, and weight_int8 has 1x2");
  CHECK(refused({1, 2}, with_keys(fully_connected(2, 2), {{"bias_fp32", {1.5}}})) ==
        "it has 2 channels, and bias_fp32 has 1");
}

TEST_CASE("shapes: what no memory has is refused before anything wraps around") {
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 40U;
  const auto is_refused = [](const Json& shape, const Json& layer) {
    return test::contains(refused(shape, layer), "more than any memory has");
  };
  CHECK(refusal({{"in", input_layer({1, kHuge, kHuge})}}).message ==
        "layer 'in': 1x1099511627776x1099511627776 is more than any memory has");
  CHECK(is_refused({1, kHuge}, fully_connected(kHuge, kHuge)));
  CHECK(is_refused({1, 1, 1, 1}, conv_layer(1, kHuge, 1, 1, kHuge)));
  // Its output is small, but not the input with its padding.
  CHECK(is_refused({1, kHuge, 1, 1}, conv_layer(kHuge, 1, 1, kHuge, kHuge)));
  CHECK(is_refused(
      {1, kHuge, 1, 1},
      {{"type", "MaxPool2d"}, {"kernel_size", 1}, {"stride", kHuge}, {"padding", kHuge}}));
  CHECK(is_refused({1, 1, kHuge, 1}, {{"type", "ZeroPad2d"}, {"padding", kHuge}}));
  CHECK(is_refused({1, 2}, {{"type", "Fold"}, {"output_shape", {1, kHuge, kHuge}}}));
}

TEST_SUITE_END();

}  // namespace memsize::network::shapes_test
