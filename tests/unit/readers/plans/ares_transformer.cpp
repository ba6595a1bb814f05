// ARES' checkpoints of a transformer before its plan is made, and what layers say of themselves.
#include "memsize/readers/plan_reader.hpp"

#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <doctest/doctest.h>

namespace memsize::readers::ares_transformer_test {

namespace {

const std::string kTransformer = R"({
  "schema_version": "1.0", "stage": "post_tiling", "metadata": {},
  "state": {
    "activation_buffers": [{"name": "input_quant", "c_name": "input_quant", "ctype": "int8_t", "numel": 64},
                           {"name": "last_out", "c_name": "last_out", "ctype": "int8_t", "numel": 64}],
    "shared_activation_pool": [
      {"name": "block_norm_out_pool", "c_name": "block_norm_out_pool", "ctype": "int8_t", "numel": 64, "is_pool": true},
      {"name": "block_mlp_fc1_out_pool", "c_name": "block_mlp_fc1_out_pool", "ctype": "int8_t", "numel": 256, "is_pool": true}],
    "layer_specs": [
      {"name": "input_quant", "op": "requantize", "buffer": "input_quant"},
      {"name": "blocks.0.norm1", "op": "layernorm", "input_buffer": "input_quant", "output_buffer": "blocks_0_norm1_out"},
      {"name": "blocks.0.mlp.fc1", "op": "linear_int8", "input_buffer": "blocks_0_norm1_out",
       "output_buffer": "blocks_0_mlp_fc1_out", "weight_elements": 16384, "weight_residency": "L3_STAGED",
       "memory_tier": "L1_TILED", "tile_config": {"l1_input_bytes": 64, "l3_tiling_enabled": false}},
      {"name": "blocks.0.norm2", "op": "layernorm", "input_buffer": "blocks_0_mlp_fc1_out", "output_buffer": "blocks_0_norm2_out"},
      {"name": "last", "op": "linear_int8", "input_buffer": "blocks_0_norm2_out", "output_buffer": "last_out"}]}
})";

model::PlanReport read(const std::string& text) {
  auto report = read_plan(text, "post_tiling.json");
  REQUIRE_MESSAGE(report.has_value(), (report ? "" : test::all_text(report.error())));
  return std::move(*report);
}

}  // namespace

TEST_SUITE_BEGIN("readers");

TEST_CASE("ares: pools of a transformer live as long as what its blocks write there") {
  const model::PlanReport report = read(kTransformer);
  CHECK_MESSAGE(report.diagnostics.empty(), test::all_text(report.diagnostics));
  const auto block = [&](const std::string& id) {
    const auto found = std::ranges::find(report.blocks, id, &model::PlannedBlock::id);
    REQUIRE_MESSAGE(found != report.blocks.end(), id);
    return *found;
  };
  // Both norms share one pool; a role keeps its points as underscores.
  CHECK(block("blocks_0_norm1_out").alias_of == "block_norm_out_pool");
  CHECK(block("blocks_0_norm2_out").alias_of == "block_norm_out_pool");
  CHECK(block("blocks_0_mlp_fc1_out").alias_of == "block_mlp_fc1_out_pool");
  CHECK(block("block_norm_out_pool").live == model::Interval{1, 5});
  CHECK(block("block_mlp_fc1_out_pool").live == model::Interval{2, 4});
  CHECK(block("last_out").is_output);
}

TEST_CASE("ares: a layer's numbers and its tiles' are attributes of an operator") {
  const model::PlanReport report = read(kTransformer);
  REQUIRE(report.network.operators.size() == 5);
  const model::Operator& op = report.network.operators[2];
  CHECK(op.id == "blocks.0.mlp.fc1");
  CHECK(op.kind == "linear_int8");
  const auto has = [&](const std::string& name, std::int64_t value) {
    return std::ranges::count(op.attributes, std::pair{name, value}) == 1;
  };
  CHECK(has("weight_elements", 16384));
  CHECK(has("tile_config.l1_input_bytes", 64));
  CHECK(has("tile_config.l3_tiling_enabled", 0));
  CHECK(std::ranges::count(
            op.words, std::pair<std::string, std::string>{"weight_residency", "L3_STAGED"}) == 1);
}

TEST_CASE("ares: a checkpoint without buffers says where they are") {
  const auto report = read_plan(
      R"({"schema_version": "1.0", "stage": "pre_fusion", "state": {"layer_specs": [], "activation_buffers": []}})",
      "pre_fusion.json");
  REQUIRE_FALSE(report.has_value());
  CHECK(test::contains(report.error().front().hint, "post_memory_plan.json"));
}

TEST_SUITE_END();

}  // namespace memsize::readers::ares_transformer_test
