// Which buffers a network takes, when they are alive, and what is kept in L3.
#include "memsize/network/schedule.hpp"

#include "memsize/network/consumers.hpp"
#include "memsize/network/levels.hpp"
#include "memsize/plan/named_planners.hpp"
#include "memsize/plan/planner.hpp"

#include "networks_support.hpp"

#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::network::schedule_test {

namespace {

using namespace networks_test;
using core::Bytes;

std::string lives(const Schedule& schedule) {
  std::string text;
  for (const Buffer& buffer : schedule.buffers) {
    if (buffer.uses != 0) {
      text += fmt::format("{} {} [{},{}] ",
                          buffer.name,
                          buffer.size.count(),
                          buffer.live.lower,
                          buffer.live.upper - 1);
    }
  }
  return text;
}

// A vector of 64 that a linear layer makes, a branch around what works in place, and their sum.
Json residual(const Json& between) {
  return {{"in", input_layer({1, 64})},
          {"fc1", fully_connected(64, 64)},
          {"x", between},
          {"fc2", fully_connected(64, 64)},
          {"sum", sum_of({"fc2", "fc1"})},
          {"last", relu_layer()}};
}

const model::PlannedBlock& block(const std::vector<model::PlannedBlock>& blocks,
                                 const std::string& id) {
  const auto found = std::ranges::find(blocks, id, &model::PlannedBlock::id);
  REQUIRE_MESSAGE(found != blocks.end(), id);
  return *found;
}

}  // namespace

TEST_SUITE_BEGIN("network");

TEST_CASE("schedule: ARES' network of strides, fused, from the input to an output that stays") {
  const Schedule made = schedule(stride2_net());
  CHECK(made.unfused.size() == 11);
  CHECK(made.steps.size() == 7);
  CHECK(lives(made) ==
        "input_quant 784 [0,1] conv1_out 12544 [1,2] conv2_out 6272 [2,3] conv3_out 6272 [3,4] "
        "conv4_out 784 [4,5] gap_out 16 [5,6] output_fp32 40 [6,7] ");
  CHECK(step_of(made, "conv1").op == "conv2d");
  CHECK(step_of(made, "fc").op == "linear_fp32");
  CHECK(step_of(made, "conv1").does_nothing == false);
  CHECK(made.steps.front().does_nothing);
}

TEST_CASE("schedule: ARES' first-fit planner comes to the offsets that its rules give") {
  // Its own lifetimes: the output is alive in its step only.
  model::PlanReport wanted;
  wanted.blocks = blocks_of(schedule(stride2_net()));
  std::erase_if(wanted.blocks,
                [](const auto& each) { return each.role != model::Lifetime::kScratch; });
  block(wanted.blocks, "output_fp32");
  for (model::PlannedBlock& each : wanted.blocks) {
    each.live->upper = std::min<std::int64_t>(each.live->upper, 7);
  }
  plan::PlanOptions options;
  options.planner = "first-fit";
  options.keep_memories = true;
  board::MemorySet part;
  part.memories.push_back({.name = "l2", .window = Bytes{1 << 20}});
  const auto outcome = plan::make_plan(wanted, part, options);
  REQUIRE(outcome.has_value());
  std::map<std::string, std::uint64_t> offsets;
  for (const model::PlannedBlock& each : outcome->plan.blocks) {
    offsets[each.id] = each.offset->count();
  }
  CHECK(offsets == std::map<std::string, std::uint64_t>{{"input_quant", 0},
                                                        {"conv1_out", 784},
                                                        {"conv2_out", 13328},
                                                        {"conv3_out", 0},
                                                        {"conv4_out", 6272},
                                                        {"gap_out", 0},
                                                        {"output_fp32", 16}});
  REQUIRE(outcome->plan.arenas.size() == 1);
  CHECK(outcome->plan.arenas.front().used == Bytes{19600});
}

TEST_CASE("schedule: what a later layer still reads is not written over") {
  const Schedule apart = schedule(residual(relu_layer()));
  CHECK(has_buffer(apart, "x_out"));
  REQUIRE(apart.diagnostics.size() == 1);
  CHECK(
      test::contains(apart.diagnostics.front().message, "'sum' still reads what 'fc1_out' holds"));
  // Nobody reads it, or nothing changes: in place.
  Json chain = residual(relu_layer());
  chain["sum"] = sum_of({"fc2", "x"});
  CHECK_FALSE(has_buffer(schedule(chain), "x_out"));
  Json same = residual(quant_layer(0.5));
  same["fc1"]["scale_output"] = 0.5;
  CHECK_FALSE(has_buffer(schedule(same), "x_out"));
  CHECK(step_of(schedule(same), "x").does_nothing);
}

TEST_CASE("schedule: weights are staged by what the report says, then by thresholds") {
  const auto net = [](std::uint64_t inner, std::uint64_t outer) {
    return Json{{"in", input_layer({1, inner})},
                {"fc", fully_connected(inner, outer)},
                {"relu", relu_layer()}};
  };
  CHECK(step_of(schedule(net(320, 319)), "fc").residency == Residency::kL2);
  const Schedule large = schedule(net(320, 320));
  CHECK(step_of(large, "fc").residency == Residency::kL3Staged);
  CHECK(buffer(large, "fc_weight_slab").size == Bytes{102400});
  // While the step before runs, too.
  CHECK(buffer(large, "fc_weight_slab").live == model::Interval{0, 2});
  const auto blocks = blocks_of(large);
  CHECK(block(blocks, "fc_weight").memory == "l3");
  CHECK(block(blocks, "fc_bias").memory == "l2");
  CHECK(block(blocks, "fc_bias").source_memory == "l3");

  // Behind another one only when that is done: there is one slab for all.
  const Schedule chain = schedule({{"in", input_layer({1, 320})},
                                   {"a", fully_connected(320, 320)},
                                   {"b", fully_connected(320, 320)},
                                   {"relu", relu_layer()}});
  CHECK(buffer(chain, "a_weight_slab").live == model::Interval{0, 2});
  CHECK(buffer(chain, "b_weight_slab").live == model::Interval{2, 3});

  Json said = net(64, 64);
  said["fc"]["weight_residency"] = "L3_STAGED";
  CHECK(step_of(schedule(said), "fc").residency == Residency::kL3Staged);
  board::TileRules seed = gap9_rules();
  seed.stage = Bytes{36864};
  CHECK(step_of(schedule(net(192, 192), seed), "fc").residency == Residency::kL2);
  CHECK(step_of(schedule(net(192, 193), seed), "fc").residency == Residency::kL3Staged);
}

TEST_CASE("schedule: slabs of a linear layer, and activations that go to L3") {
  const Schedule linear = schedule({{"in", input_layer({1, 4096})},
                                    {"fc", fully_connected(4096, 1000)},
                                    {"relu", relu_layer()}});
  const Step& step = step_of(linear, "fc");
  CHECK(step.tier == Tier::kL3Tiled);
  CHECK(step.residency == Residency::kL3Tiled);
  CHECK(step.tiles->slabs == 8);
  CHECK(buffer(linear, "fc_weight_slab").size == Bytes{std::uint64_t{2} * 125 * 4096});
  CHECK(buffer(linear, "fc_bias_slab").size == Bytes{2 * 125 * 4});

  const Json wide = {{"in", input_layer({1, 32, 112, 112})},
                     {"conv", conv_layer(32, 64, 3, 1, 1)},
                     {"pool", max_pool(4)},
                     {"relu", relu_layer()}};
  const Schedule spilt = schedule(wide);
  CHECK(buffer(spilt, "conv_out").is_in_l3);
  CHECK(has_buffer(spilt, "conv_out_slab"));
  CHECK(buffer(spilt, "l3_staging").size == Bytes{65536});
  CHECK_FALSE(buffer(spilt, "in").is_in_l3);
  board::TileRules roomy = gap9_rules();
  roomy.activations = std::nullopt;
  CHECK_FALSE(buffer(schedule(wide, roomy), "conv_out").is_in_l3);
}

TEST_CASE("schedule: what is too wide for tiles cannot run where its output is in L3") {
  const auto made = [](std::uint64_t columns) {
    return schedule({{"in", input_layer({1, 3, 16, columns})},
                     {"c", conv_layer(3, 64, 3, 1, 1)},
                     {"d", conv_layer(64, 64, 3, 1, 1)}});
  };
  const core::Diagnostics found = check_reach(made(8192), "net.json");
  REQUIRE(found.size() == 2);
  CHECK(found.front().severity == core::Severity::kError);
  CHECK(found.front().message.find("'c'") != std::string::npos);
  CHECK(check_reach(made(128), "net.json").empty());
}

TEST_CASE("schedule: without a part nothing is cut, fused or staged") {
  const Schedule plain = schedule_of(layers(stride2_net()), nullptr);
  CHECK(plain.steps.size() == 11);
  for (const Step& step : plain.steps) {
    CHECK_FALSE(step.tiles);
    CHECK(step.fusion == Fusion::kNone);
  }
}

TEST_CASE("schedule: names of hostile layers stay apart in C") {
  const Schedule made = schedule({{"in", input_layer({1, 4})},
                                  {"a.b", fully_connected(4, 4)},
                                  {"a-b", fully_connected(4, 4)},
                                  {"1; x", fully_connected(4, 4)},
                                  {"relu", relu_layer()}});
  CHECK(made.c_names[1] == "a_b");
  CHECK(made.c_names[2] == "a_b_1");
  CHECK(made.c_names[3] == "1__x");
}

TEST_CASE("consumers: the layer that needs most of L1, and what lies beside tiles") {
  const Schedule made = schedule(stride2_net());
  const Consumers own = consumers_of(made);
  REQUIRE(own.size() == 2);
  CHECK(own.front().first == "l1");
  // conv2: 2 * (29 * 29 * 16 + 14 * 14 * 32 + 32 * 144).
  CHECK(own.front().second.size == Bytes{2 * (13456 + 6272 + 4608)});
  CHECK(own.front().second.name == "tiles of 'conv2'");
  CHECK(own.front().second.knob == "l1");
  // 32 biases of four bytes, and the table of a ReLU.
  CHECK(own.back().second.size == Bytes{32 * 4 + 256});
}

TEST_CASE("consumers: a checkpoint's tiles, weights and NE16's copies") {
  model::Network network;
  network.operators = {{.id = "a",
                        .kind = "conv2d",
                        .attributes = {{"weight_size_bytes", 1000},
                                       {"bias_elements", 16},
                                       {"tile_config.l1_input_bytes", 100},
                                       {"tile_config.l1_output_bytes", 50},
                                       {"tile_config.l1_weight_bytes", 30},
                                       {"tile_config.triple_buffer_weights", 1}}},
                       {.id = "b",
                        .kind = "linear_int8",
                        .attributes = {{"weight_elements", 5000}, {"bias_elements", 10}},
                        .words = {{"weight_residency", "L3_STAGED"}}},
                       {.id = "c",
                        .kind = "conv2d_1x1_ne16",
                        .attributes = {{"in_ch", 20}, {"out_ch", 8}, {"weight_elements", 160}}}};
  std::map<std::string, std::uint64_t> sizes;
  for (const auto& [memory, consumer] : consumers_of(network)) {
    sizes[memory + " " + consumer.name] = consumer.size.count();
  }
  CHECK(sizes == std::map<std::string, std::uint64_t>{
                     {"l1 tiles of 'a'", 2 * 100 + 2 * 50 + 3 * 30},
                     {"l2 weights and biases", 1000 + 64 + 160},
                     {"l2 the largest weights that are staged", 5040},
                     {"l2 weights as NE16 packs them", 8 * 2 * 16 + 8 * 4 + 8 * 2}});
}

TEST_SUITE_END();

}  // namespace memsize::network::schedule_test
