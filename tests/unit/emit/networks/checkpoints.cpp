// Checkpoints as ARES' schema has them, and as memsize's own reader reads them back.
#include "memsize/core/file_system.hpp"
#include "memsize/emit/network.hpp"
#include "memsize/plan/planner.hpp"
#include "memsize/readers/plan_reader.hpp"

#include "network/networks_support.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace memsize::emit::checkpoints_test {

namespace {

namespace networks = network::networks_test;
using Net = networks::Json;

struct Made {
  network::Schedule schedule;
  model::PlanReport plan;
  std::map<std::string, nlohmann::json> files;
  std::map<std::string, std::string> texts;
};

Made made(const Net& net, const std::string& created = {}) {
  Made all{.schedule = networks::schedule(net), .plan = {}, .files = {}, .texts = {}};
  model::PlanReport wanted;
  wanted.blocks = network::blocks_of(all.schedule);
  plan::PlanOptions options;
  options.keep_memories = true;
  board::MemorySet part;
  part.memories.push_back({.name = "l2", .window = core::Bytes{1 << 21}});
  part.memories.push_back({.name = "l3", .window = core::Bytes{1 << 23}, .is_volatile = false});
  auto outcome = plan::make_plan(wanted, part, options);
  REQUIRE_MESSAGE(outcome.has_value(), (outcome ? "" : test::all_text(outcome.error())));
  all.plan = std::move(outcome->plan);
  core::MemFileSystem disk;
  const auto artifacts = render_network({.schedule = all.schedule,
                                         .plan = all.plan,
                                         .files = disk,
                                         .template_folders = {},
                                         .runtime_folder = {},
                                         .program = std::nullopt,
                                         .why_no_program = {},
                                         .created_utc = created},
                                        {});
  REQUIRE(artifacts.has_value());
  for (const Artifact& artifact : *artifacts) {
    all.files[artifact.path] = nlohmann::json::parse(artifact.content);
    all.texts[artifact.path] = artifact.content;
  }
  return all;
}

constexpr const char* kPlan = "checkpoints/post_memory_plan.json";

}  // namespace

TEST_SUITE_BEGIN("emit");

TEST_CASE("checkpoints: four stages, keys sorted, no clock unless somebody gives one") {
  const Made all = made(networks::stride2_net());
  REQUIRE(all.files.size() == 4);
  for (const auto& entry : all.files) {
    const std::string& path = entry.first;
    const nlohmann::json& json = entry.second;
    CAPTURE(path);
    // nlohmann's own objects are sorted, too.
    CHECK(json.dump(2) + "\n" == all.texts.at(path));
    CHECK_FALSE(json.contains("created_utc"));
    CHECK(json["schema_version"] == "1.0");
    CHECK(json["state"]["layer_count"] == json["state"]["layer_specs"].size());
  }
  CHECK(all.files.at("checkpoints/pre_fusion.json")["state"]["layer_count"] == 11);
  CHECK(all.files.at(kPlan)["state"]["layer_count"] == 7);
  const Made dated = made(networks::stride2_net(), "2026-01-02T03:04:05Z");
  CHECK(dated.files.at(kPlan)["created_utc"] == "2026-01-02T03:04:05Z");
}

TEST_CASE("checkpoints: layers by their keys, buffers by their names in C") {
  const Made all = made(networks::stride2_net());
  const auto& specs = all.files.at(kPlan)["state"]["layer_specs"];
  CHECK(specs[0]["op"] == "requantize");
  CHECK(specs[0]["skip_requant"] == true);
  CHECK(specs[1]["op"] == "conv2d");
  CHECK(specs[1]["input_buffer"] == "input_quant");
  CHECK(specs[1]["output_buffer"] == "conv1_out");
  CHECK(specs[1]["fusion_relu"] == true);
  CHECK(specs[1]["weight_index"] == 1);
  CHECK(specs[1]["bias_index"] == 2);
  CHECK(specs[2]["weight_index"] == 3);
  CHECK(specs[2]["tile_config"]["tile_h_with_halo"] == 29);
  CHECK(specs[2]["tile_config"]["l1_weight_bytes"] == 4608);
  CHECK(specs[6]["op"] == "linear_fp32");
  CHECK(specs[6]["scale_output"].is_null());
  CHECK(specs[6]["bias_type"] == "fp32");
  CHECK(all.files.at(kPlan)["state"]["fused_layers"] == nlohmann::json{"conv1+relu1 (conv_relu)",
                                                                       "conv2+relu2 (conv_relu)",
                                                                       "conv3+relu3 (conv_relu)",
                                                                       "conv4+relu4 (conv_relu)"});
}

TEST_CASE("checkpoints: what is read back is what was planned") {
  for (const Net& net : {networks::stride2_net(),
                         Net{{"in.put", networks::input_layer({1, 32, 112, 112})},
                             {"a.conv1", networks::conv_layer(32, 64, 3, 1, 1)},
                             {"a.pool", networks::max_pool(4)},
                             {"b.conv1", networks::conv_layer(64, 64, 3, 1, 1)},
                             {"b.relu1", networks::relu_layer()},
                             {"b.sum", networks::sum_of({"a.pool", "b.relu1"})},
                             {"last", networks::relu_layer()}}}) {
    const Made all = made(net);
    for (const auto& entry : all.texts) {
      const std::string& path = entry.first;
      CAPTURE(path);
      const auto read = readers::read_plan(entry.second, path);
      REQUIRE_MESSAGE(read.has_value(), (read ? "" : test::all_text(read.error())));
      CHECK(read->format == "ares-checkpoint");
      // Before there is a plan, nobody says when what everything is staged through is alive.
      for (const core::Diagnostic& said : read->diagnostics) {
        CHECK_MESSAGE(test::contains(said.message, "no layer writes 'l3_staging'"), said.message);
        CHECK(path != kPlan);
      }
      CHECK(read->network.operators.size() == all.files.at(path)["state"]["layer_count"]);
      for (const model::PlannedBlock& block : read->blocks) {
        const auto own = std::ranges::find(all.plan.blocks, block.id, &model::PlannedBlock::id);
        REQUIRE_MESSAGE(own != all.plan.blocks.end(), block.id);
        CHECK(block.size == own->size);
        CHECK(block.memory == own->memory);
        if (path == kPlan && block.memory == "l2") {
          CHECK(block.offset == own->offset);
          CHECK(block.live == own->live);
        }
      }
    }
  }
}

TEST_SUITE_END();

}  // namespace memsize::emit::checkpoints_test
