// A program's tables: every place is the plan's, nothing lies in anything else, and what cannot be
// written says why.
#include "memsize/core/file_system.hpp"
#include "memsize/emit/network.hpp"
#include "memsize/plan/planner.hpp"

#include "network/networks_support.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::emit::program_test {

namespace {

namespace networks = network::networks_test;
using networks::Json;

board::MemorySet cluster() {
  board::MemorySet part;
  part.memories.push_back(
      {.name = "l1", .hardware = core::Bytes{131072}, .window = core::Bytes{131068}});
  part.memories.back().consumers.push_back(
      {.name = "stack", .size = core::Bytes{8192}, .knob = "cc_stack", .source = {}});
  part.memories.push_back({.name = "l2", .window = core::Bytes{1 << 21}});
  part.memories.push_back({.name = "l3", .window = core::Bytes{1 << 23}, .is_volatile = false});
  part.tiles = networks::gap9_rules();
  return part;
}

struct Made {
  network::Schedule schedule;
  model::PlanReport plan;
  NetworkData data;
};

Made made(const networks::Json& net) {
  Made all{.schedule = networks::schedule(net), .plan = {}, .data = {}};
  model::PlanReport wanted;
  wanted.blocks = network::blocks_of(all.schedule);
  plan::PlanOptions options;
  options.keep_memories = true;
  auto outcome = plan::make_plan(wanted, cluster(), options);
  REQUIRE(outcome.has_value());
  all.plan = std::move(outcome->plan);
  for (const network::Layer& layer : all.schedule.layers) {
    all.data.weights[layer.name] = std::string(layer.weights.count(), '\1');
    all.data.biases[layer.name] = std::vector<float>(layer.bias.count() / 4, 2.5F);
  }
  const auto input = std::ranges::find(all.schedule.buffers, true, &network::Buffer::is_input);
  all.data.input = std::string(input->size.count(), '\2');
  return all;
}

core::Result<NetworkProgram> program(const Made& all) {
  return make_program(all.schedule, all.plan, cluster(), all.data);
}

bool has(const ProgramStep& step, const std::string& field) {
  return std::ranges::find(step.fields, field) != step.fields.end();
}

}  // namespace

TEST_SUITE_BEGIN("emit");

TEST_CASE("program: files lie where the plan has their blocks, and none in another") {
  const Made all = made(networks::stride2_net());
  const auto found = program(all);
  REQUIRE_MESSAGE(found.has_value(), (found ? "" : test::all_text(found.error())));
  CHECK(found->steps.size() == all.schedule.steps.size());
  for (const ProgramFile& file : found->files) {
    CAPTURE(file.name);
    CHECK_FALSE(file.bytes.empty());
    for (const ProgramFile& other : found->files) {
      const bool is_apart = &file == &other || file.memory != other.memory ||
                            file.offset + file.bytes.size() <= other.offset ||
                            other.offset + other.bytes.size() <= file.offset;
      CHECK(is_apart);
    }
    const core::Bytes room = file.memory == "NET_L2"            ? found->l2
                             : file.memory == "NET_L2_CONSTANT" ? found->l2_constants
                             : file.memory == "NET_L3"          ? found->l3
                                                                : found->l3_constants;
    CHECK(file.offset + file.bytes.size() <= room.count());
  }
  CHECK(found->files.back().name == "input_test1.bin");
  CHECK(found->stack == core::Bytes{8192});
  CHECK(std::ranges::is_sorted(found->sources));
}

TEST_CASE("program: biases are in steps of sums, of two the even one; a classifier's are floats") {
  const Made all = made(networks::stride2_net());
  const auto found = program(all);
  REQUIRE(found.has_value());
  for (std::size_t i = 0; i < all.schedule.layers.size(); ++i) {
    const network::Layer& layer = all.schedule.layers[i];
    const auto file =
        std::ranges::find(found->files, all.schedule.c_names[i] + "_bias.bin", &ProgramFile::name);
    if (layer.bias == core::Bytes{}) {
      CHECK(file == found->files.end());
      continue;
    }
    REQUIRE(file != found->files.end());
    CAPTURE(layer.name);
    const bool is_float = layer.element != 1;
    // 2.5 in steps of scale_in * scale_weight, which are powers of two here; 0x40200000 is 2.5F.
    const double steps = 2.5 / (layer.scale_in * layer.scale_weight);
    const auto rounded = static_cast<int>(steps) + (steps - static_cast<int>(steps) > 0.5 ? 1 : 0);
    const std::string expected = is_float ? std::string{"\0\0\x20\x40", 4}
                                          : std::string{static_cast<char>(rounded & 0xFF),
                                                        static_cast<char>(rounded >> 8 & 0xFF),
                                                        static_cast<char>(rounded >> 16 & 0xFF),
                                                        static_cast<char>(rounded >> 24 & 0xFF)};
    CHECK(file->bytes.substr(0, 4) == expected);
  }
}

TEST_CASE("program: what only names its input does nothing, and a layer without data is told") {
  Made all = made(networks::stride2_net());
  const auto found = program(all);
  REQUIRE(found.has_value());
  CHECK(found->steps.front().operands.empty());
  CHECK_FALSE(has(found->steps.front(), ".run = net_conv"));
  CHECK(has(found->steps[1], ".run = net_conv"));

  const std::string conv = all.schedule.layers[1].name;
  all.data.weights.erase(conv);
  all.data.input.clear();
  const auto missing = program(all);
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().front().code == core::Code::kEmitData);
  CHECK(missing.error().front().message ==
        "'" + conv + "_weight_int8.npy' is not among the data, nor are 1 more");
}

TEST_CASE("program: a budget without room for the controller's stack is refused") {
  Made all = made(networks::stride2_net());
  board::MemorySet part = cluster();
  part.memories.front().consumers.front().size = core::Bytes{131000};
  const auto found = make_program(all.schedule, all.plan, part, all.data);
  REQUIRE_FALSE(found.has_value());
  CHECK(found.error().front().code == core::Code::kEmitNetwork);
  CHECK(test::contains(found.error().front().message, "the controller's stack"));
}

TEST_SUITE_END();

}  // namespace memsize::emit::program_test
