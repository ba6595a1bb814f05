#include "memsize/readers/plan_reader.hpp"

#include "support.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memsize::readers::ares_test {

namespace {

using core::Code;
using model::Lifetime;
using nlohmann::json;

model::PlanReport read(const json& document, std::string_view format = "ares-checkpoint") {
  auto report = read_plan(document.dump(2), "c.json");
  REQUIRE_MESSAGE(report.has_value(), (report ? "" : test::all_text(report.error())));
  CHECK(report->format == format);
  return std::move(*report);
}

core::Diagnostics refused(const json& document) {
  auto report = read_plan(document.dump(2), "c.json", "ares-checkpoint");
  REQUIRE_FALSE(report.has_value());
  return std::move(report.error());
}

const model::PlannedBlock& block(const model::PlanReport& report, std::string_view id) {
  const auto found =
      std::ranges::find_if(report.blocks, [&](const auto& each) { return each.id == id; });
  REQUIRE_MESSAGE(found != report.blocks.end(), id);
  return *found;
}

// A network of six layers, as ARES fuses and plans it: name, elements, type, first step, last step,
// offset. The lifetimes, offsets and the total were worked out by hand with ARES's rule.
struct Row {
  const char* name;
  int count;
  const char* type;
  int first;
  int last;
  int offset;
};

constexpr std::array<Row, 7> kRows = {{
    {"input_quant", 784, "int8_t", 0, 0, 12544},
    {"conv1", 12544, "int8_t", 0, 1, 0},
    {"conv2", 6272, "int8_t", 1, 2, 12544},
    {"conv3", 6272, "uint8_t", 2, 3, 0},
    {"conv4", 784, "int8_t", 3, 4, 6272},
    {"gap", 16, "int8_t", 4, 5, 0},
    {"fc", 10, "float", 5, 5, 16},
}};

json checkpoint(const char* stage) {
  json buffers = json::array();
  json layers = json::array();
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    buffers.push_back(
        {{"name", kRows[i].name}, {"ctype", kRows[i].type}, {"numel", kRows[i].count}});
    if (i > 0) {
      layers.push_back({{"name", kRows[i].name},
                        {"input_buffer", kRows[i - 1].name},
                        {"output_buffer", kRows[i].name}});
    }
  }
  return {{"schema_version", "1.0"},
          {"stage", stage},
          {"state", {{"layer_specs", layers}, {"activation_buffers", buffers}}},
          {"metadata", json::object()}};
}

json planned() {
  json document = checkpoint("post_memory_plan");
  json& state = document["state"];
  for (const Row& row : kRows) {
    const int size = row.count * (std::string_view{row.type} == "float" ? 4 : 1);
    state["planner_lifetimes"][row.name] = {
        {"start", row.first}, {"end", row.last}, {"size", size}};
    state["planner_offsets"][row.name] = row.offset;
  }
  state["l2_arena_size"] = 18816;
  state["planner_policy"] = "arena_first_fit";
  state["planner_unresolved_conflicts"] = json::array();
  return document;
}

}  // namespace

TEST_SUITE_BEGIN("readers");

TEST_CASE("ares: the memory plan's checkpoint") {
  const auto report = read(planned());
  CHECK(report.planner == "arena_first_fit");
  REQUIRE(report.blocks.size() == kRows.size());
  for (const Row& row : kRows) {
    const auto& found = block(report, row.name);
    CHECK(found.live == model::Interval{row.first, row.last + 1});
    CHECK(found.offset == core::Bytes{static_cast<std::uint64_t>(row.offset)});
    CHECK(found.memory == "l2");
    CHECK(found.role == Lifetime::kScratch);
  }
  CHECK(block(report, "fc").size == core::Bytes{40});
  CHECK(block(report, "input_quant").is_input);
  CHECK(block(report, "fc").is_output);
  CHECK_FALSE(block(report, "gap").is_output);
  CHECK(block(report, "conv1").uses == 2U);
  REQUIRE(report.arenas.size() == 1);
  CHECK(report.arenas[0].total == core::Bytes{18816});
  CHECK(report.diagnostics.empty());
}

TEST_CASE("ares: earlier stages have lifetimes, but no offsets") {
  for (const char* const stage : {"pre_fusion", "post_fusion", "post_tiling"}) {
    const auto report = read(checkpoint(stage));
    for (const Row& row : kRows) {
      CHECK(block(report, row.name).live == model::Interval{row.first, row.last + 1});
      CHECK_FALSE(block(report, row.name).offset.has_value());
    }
    CHECK(report.arenas.empty());
  }
}

TEST_CASE("ares: what layers read and write in their other forms") {
  json document = checkpoint("pre_fusion");
  document["state"]["activation_buffers"] = json::array();
  for (const char* const name : {"input_quant", "a", "b", "q", "sum", "lost"}) {
    document["state"]["activation_buffers"].push_back({{"name", name}, {"numel", 8}});
  }
  document["state"]["layer_specs"] = json::parse(R"([
    {"name": "c", "input_buffer": "input_quant", "output_buffer": "a"},
    {"name": "relu", "buffer": "a"},
    {"name": "att", "q_buffer": "a", "k_buffer": "input_quant", "output_buffer": "q"},
    {"name": "add", "input1_buffer": "q", "input2_buffer": "a", "output_buffer": "b"},
    {"name": "cat", "input_buffers": ["b", "q"], "output_buffer": "sum"}
  ])");
  const auto report = read(document);
  CHECK(block(report, "input_quant").live == model::Interval{0, 3});
  CHECK(block(report, "a").live == model::Interval{0, 4});
  CHECK(block(report, "a").uses == 5U);
  CHECK(block(report, "q").live == model::Interval{2, 5});
  CHECK(block(report, "b").live == model::Interval{3, 5});
  CHECK(block(report, "sum").live == model::Interval{4, 5});
  CHECK(block(report, "sum").is_output);
  // Nobody writes it: all the time.
  CHECK(block(report, "lost").live == model::Interval{0, 6});
}

TEST_CASE("ares: layers name buffers by their names in C") {
  const json document = {
      {"schema_version", "1.0"},
      {"stage", "post_tiling"},
      {"state",
       {{"layer_specs",
         {{{"name", "a"}, {"input_buffer", "input_quant"}, {"output_buffer", "layer1_0_out"}},
          {{"name", "b"}, {"input_buffer", "layer1_0_out"}, {"output_buffer", "fc_out"}}}},
        {"activation_buffers",
         {{{"name", "input_quant"}, {"c_name", "input_quant"}, {"numel", 8}},
          {{"name", "layer1.0.out"}, {"c_name", "layer1_0_out"}, {"numel", 8}},
          {{"name", "fc.out"}, {"c_name", "fc_out"}, {"numel", 8}}}}}}};
  const auto report = read(document);
  CHECK(block(report, "layer1.0.out").live == model::Interval{0, 2});
  CHECK(block(report, "fc.out").live == model::Interval{1, 2});
  CHECK(block(report, "fc.out").is_output);
  CHECK(report.diagnostics.empty());

  // Without that name nobody writes it, which is told.
  json nameless = document;
  nameless["state"]["activation_buffers"][1].erase("c_name");
  const auto told = read(nameless);
  CHECK(block(told, "layer1.0.out").live == model::Interval{0, 3});
  REQUIRE(told.diagnostics.size() == 2);
  CHECK(told.diagnostics[0].message ==
        "state.layer_specs[0].output_buffer writes 'layer1_0_out', which is no buffer of the list");
  CHECK(told.diagnostics[1].message ==
        "no layer writes 'layer1.0.out': taken to be alive all the time");
}

TEST_CASE("ares: the state of its own unit test, in a checkpoint") {
  // From ARES's test of checkpoints: a state, which the program wraps.
  const auto report = read(json::parse(R"({
    "schema_version": "1.0", "stage": "post_memory_plan",
    "state": {
      "layer_specs": [{"name": "conv1"}],
      "activation_buffers": [{"name": "buf0", "numel": 16}],
      "shared_activation_pool": [{"name": "pool0", "numel": 8}],
      "param_layers": ["conv1"],
      "l2_arena_size": 2048,
      "planner_offsets": {"buf0": 0},
      "planner_lifetimes": {"buf0": {"start": 0, "end": 1, "size": 16}}
    }, "metadata": {}})"));
  REQUIRE(report.blocks.size() == 2);
  CHECK(block(report, "buf0").live == model::Interval{0, 2});
  CHECK(block(report, "buf0").offset == core::Bytes{0});
  CHECK(report.arenas[0].total == core::Bytes{2048});
}

TEST_CASE("ares: what lies in L3 is not in the arena, and blocks of a transformer share a pool") {
  json document = checkpoint("post_tiling");
  document["state"]["activation_buffers"] = json::parse(R"([
    {"name": "input_quant", "numel": 8}, {"name": "blocks_0_mlp", "numel": 64},
    {"name": "blocks_1_mlp", "numel": 64}, {"name": "big", "numel": 800000, "use_l3_fallback": true},
    {"name": "block_mlp_out_pool", "numel": 64, "is_pool": true, "ctype": "int16_t"}
  ])");
  document["state"]["layer_specs"] = json::parse(R"([
    {"input_buffer": "input_quant", "output_buffer": "blocks_0_mlp"},
    {"input_buffer": "blocks_0_mlp", "output_buffer": "big"},
    {"input_buffer": "big", "output_buffer": "blocks_1_mlp"}
  ])");
  const auto report = read(document);
  CHECK(block(report, "big").memory == "l3");
  CHECK(block(report, "blocks_0_mlp").alias_of == "block_mlp_out_pool");
  CHECK(block(report, "blocks_1_mlp").alias_of == "block_mlp_out_pool");
  CHECK(block(report, "block_mlp_out_pool").live == model::Interval{0, 3});
  CHECK(block(report, "block_mlp_out_pool").size == core::Bytes{128});
}

TEST_CASE("ares: contradictions are warnings") {
  json document = planned();
  document["state"]["planner_lifetimes"]["gap"]["size"] = 32;
  document["state"]["activation_buffers"][1]["offset"] = 4;
  document["state"]["planner_offsets"]["nobody"] = 0;
  document["state"]["planner_unresolved_conflicts"] =
      json::array({json::array({"conv1", "conv2"})});
  const auto report = read(document);
  CHECK(test::count(report.diagnostics, Code::kPlanContradiction) == 4);
  CHECK(block(report, "gap").size == core::Bytes{32});
  CHECK(block(report, "conv1").offset == core::Bytes{0});
  CHECK(test::contains(test::all_text(report.diagnostics), "'conv1', 'conv2'"));
  json without = planned();
  without["state"].erase("planner_offsets");
  const auto bare = read(without);
  CHECK(bare.abridged);
  CHECK(test::count(bare.diagnostics, Code::kPlanAbridged) == 1);
}

TEST_CASE("ares: what no plan can have is an error") {
  const auto code_of = [](const json& document) { return refused(document).front().code; };
  json document = planned();
  document["schema_version"] = "2.0";
  CHECK(code_of(document) == Code::kPlanVersion);
  document = planned();
  document["state"]["planner_lifetimes"]["gap"]["end"] = 3;
  CHECK(code_of(document) == Code::kPlanLifetime);
  document = planned();
  document["state"]["planner_lifetimes"]["gap"].erase("size");
  CHECK(code_of(document) == Code::kPlanSyntax);
  document = planned();
  document["state"]["planner_offsets"]["gap"] = -4;
  CHECK(code_of(document) == Code::kPlanSize);
  document = planned();
  document["state"]["activation_buffers"][0]["numel"] = 1ULL << 62U;
  document["state"]["activation_buffers"][0]["ctype"] = "float";
  CHECK(code_of(document) == Code::kPlanSize);
  document = planned();
  document["state"]["activation_buffers"][0]["name"] = "gap";
  CHECK(code_of(document) == Code::kPlanDuplicate);
  document = planned();
  document["state"] = json::object();
  CHECK(code_of(document) == Code::kPlanSyntax);
  document.erase("state");
  CHECK(code_of(document) == Code::kPlanSyntax);
}

TEST_CASE("ares: the planner's dump beside the checkpoint") {
  const json state = planned()["state"];
  const auto report = read({{"policy", "arena_first_fit"},
                            {"backend", "python"},
                            {"peak_arena_bytes", 18816},
                            {"lifetimes", state["planner_lifetimes"]},
                            {"offsets", state["planner_offsets"]},
                            {"unresolved_conflicts", json::array()}});
  CHECK(report.blocks.size() == kRows.size());
  CHECK(report.arenas[0].total == core::Bytes{18816});
  CHECK(block(report, "conv4").offset == core::Bytes{6272});
  CHECK(report.planner == "arena_first_fit");
}

TEST_CASE("ares: the report of memory levels") {
  const auto report = read(json::parse(R"({
    "phase": "phase3_memory_level_model",
    "memory_hierarchy": {"levels": [{"name": "L1", "size_bytes": 131072}, {"name": "L2"}]},
    "buffers": [
      {"name": "in", "ctype": "int8_t", "numel": 784, "preferred_level": "L2",
       "required_level": "L2", "streaming_role": "input"},
      {"name": "mid", "ctype": "int32_t", "numel": 10, "preferred_level": "L1",
       "required_level": null, "streaming_role": "activation"},
      {"name": "slab", "numel": 64, "preferred_level": "L2", "streaming_role": "scratch"},
      {"name": "w", "numel": 90, "preferred_level": "L3", "streaming_role": "weight"},
      {"name": "out", "ctype": "float", "numel": 2, "preferred_level": "L2",
       "required_level": "L2", "streaming_role": "output"}],
    "layers": [
      {"name": "conv", "inputs": ["in", "w"], "outputs": ["mid"], "scratch": ["slab"]},
      {"name": "fc", "inputs": ["mid"], "outputs": ["out"], "scratch": []}]
  })"),
                           "ares-levels");
  REQUIRE(report.memories.size() == 2);
  CHECK(report.memories[0].name == "l1");
  CHECK(report.memories[0].capacity == core::Bytes{131072});
  CHECK(block(report, "in").is_input);
  CHECK(block(report, "out").is_output);
  CHECK(block(report, "mid").memory == "l1");
  CHECK(block(report, "mid").size == core::Bytes{40});
  CHECK(block(report, "mid").live == model::Interval{0, 2});
  CHECK(block(report, "slab").live == model::Interval{0, 1});
  CHECK(block(report, "w").role == Lifetime::kConstant);
  CHECK(block(report, "w").memory == "l3");
  CHECK_FALSE(block(report, "w").live.has_value());
}

TEST_SUITE_END();

}  // namespace memsize::readers::ares_test
