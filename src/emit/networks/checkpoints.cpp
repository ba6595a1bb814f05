// ARES' checkpoints (codegen/checkpoints: schema 1.0): one for each stage of its pipeline, keys
// sorted, lifetimes with both ends inside. Unlike ARES, which fills the lists of buffers only in
// the last file, all four have them: each can be read alone.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "networks/network_emitters.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using network::Buffer;
using network::Schedule;
using network::Step;

constexpr std::string_view kPreFusion = "pre_fusion";
constexpr std::string_view kMemoryPlan = "post_memory_plan";
constexpr auto kStages =
    std::to_array<std::string_view>({kPreFusion, "post_fusion", "post_tiling", kMemoryPlan});

Json with_sorted_keys(const Json& json) {
  if (json.is_array()) {
    return Json::array(json.items(), with_sorted_keys);
  }
  if (!json.is_object()) {
    return json;
  }
  std::map<std::string, const Json*> members;
  for (const auto& [key, value] : json.members()) {
    members.emplace(key, &value);
  }
  Json sorted = Json::object();
  for (const auto& [key, value] : members) {
    sorted.append(key, with_sorted_keys(*value));
  }
  return sorted;
}

// Of each layer's weights, in what a program loads: the input is the first file.
std::vector<std::size_t> weight_indices(const Schedule& schedule) {
  std::vector<std::size_t> indices;
  std::size_t next = 1;
  for (const network::Layer& layer : schedule.layers) {
    indices.push_back(next);
    next += (layer.weights == core::Bytes{} ? 0U : 1U) + (layer.bias == core::Bytes{} ? 0U : 1U);
  }
  return indices;
}

std::string comment_of(const Buffer& buffer) {
  if (buffer.is_input) {
    return "Quantized network input";
  }
  if (buffer.is_slab) {
    return "L2 slab";
  }
  return buffer.name.ends_with("_out") ? buffer.name.substr(0, buffer.name.size() - 4) + " output"
                                       : "network output";
}

class CheckpointWriter {
 public:
  explicit CheckpointWriter(const NetworkInput& input)
      : input_(input), schedule_(input.schedule), indices_(weight_indices(input.schedule)) {
    for (const model::PlannedBlock& block : input.plan.blocks) {
      blocks_.emplace(block.id, &block);
    }
  }

  Json write(std::string_view stage) const {
    const bool is_fused = stage != kPreFusion;
    const auto& steps = is_fused ? schedule_.steps : schedule_.unfused;
    Json json = {{"schema_version", "1.0"}, {"stage", stage}};
    json.set_if_any("created_utc", input_.created_utc);
    Json& state = json["state"];
    state["layer_specs"] = specs_of(steps, false);
    state["layer_count"] = steps.size();
    state["activation_buffers"] = buffers(stage == kMemoryPlan);
    state["shared_activation_pool"] = Json::array();
    state["param_layers"] = specs_of(steps, true);
    state["fused_layers"] = is_fused ? Json(fusions()) : Json::array();
    state["l1_tiled_layers"] = names_in(network::Tier::kL1Tiled);
    state["l2_fallback_layers"] = names_in(network::Tier::kL2Full);
    if (stage == kMemoryPlan) {
      add_plan(state);
    }
    json["metadata"] = {{"fusion_enabled", true},
                        {"pipeline_v2_enabled", true},
                        {"fused_layers_count", is_fused ? fusions().size() : 0},
                        {"test_case_dir", Json{}},
                        {"output_dir", Json{}}};
    return with_sorted_keys(json);
  }

 private:
  [[nodiscard]] Json specs_of(const std::vector<Step>& steps, bool only_weights) const {
    Json list = Json::array();
    for (const Step& step : steps) {
      const std::size_t base = step.layers.front();
      if (!only_weights || schedule_.layers[base].weights != core::Bytes{}) {
        list.push_back(layer_spec(schedule_, step, indices_[base]));
      }
    }
    return list;
  }

  [[nodiscard]] Json buffers(bool is_planned) const {
    Json list = Json::array();
    for (const Buffer& buffer : schedule_.buffers) {
      const auto block = blocks_.find(buffer.name);
      if (block == blocks_.end()) {
        // Fusion leaves it nothing to do.
        continue;
      }
      const char* const role = buffer.is_input    ? "input"
                               : buffer.is_output ? "output"
                               : buffer.is_slab   ? "scratch"
                                                  : "activation";
      Json entry = {{"name", buffer.name},
                    {"c_name", buffer.c_name},
                    {"ctype", buffer.type},
                    {"numel", buffer.elements},
                    {"comment", comment_of(buffer)},
                    {"l2_required", buffer.is_slab},
                    {"preferred_level", buffer.is_in_l3 ? "L3" : "L2"},
                    {"required_level", buffer.is_slab ? Json("L2") : Json{}},
                    {"spill_allowed", !buffer.is_slab},
                    {"streaming_role", role}};
      if (buffer.is_in_l3) {
        entry["use_l3_fallback"] = true;
      } else if (is_planned && block->second->offset) {
        entry["offset"] = block->second->offset->count();
      }
      list.push_back(std::move(entry));
    }
    return list;
  }

  [[nodiscard]] std::vector<std::string> fusions() const {
    std::vector<std::string> all;
    for (const Step& step : schedule_.steps) {
      if (step.fusion == network::Fusion::kNone) {
        continue;
      }
      const std::vector<std::string> names = core::texts_of(
          step.layers, [&](std::size_t layer) { return schedule_.layers[layer].name; });
      all.push_back(fmt::format("{} ({})", core::join(names, "+"), core::name_of(step.fusion)));
    }
    return all;
  }

  [[nodiscard]] Json names_in(network::Tier tier) const {
    Json names = Json::array();
    for (const Step& step : schedule_.unfused) {
      if (step.tier == tier) {
        names.push_back(schedule_.layers[step.layers.front()].name);
      }
    }
    return names;
  }

  void add_plan(Json& state) const {
    constexpr std::uint64_t kArenaAlignment = 4;
    Json& offsets = state["planner_offsets"] = Json::object();
    Json& lifetimes = state["planner_lifetimes"] = Json::object();
    core::Bytes height;
    for (const Buffer& buffer : schedule_.buffers) {
      const auto found = blocks_.find(buffer.name);
      if (found == blocks_.end() || buffer.is_in_l3 || !found->second->offset) {
        continue;
      }
      const model::PlannedBlock& block = *found->second;
      offsets.append(block.id, block.offset->count());
      lifetimes.append(block.id,
                       {{"start", block.live->lower},
                        {"end", block.live->upper - 1},
                        {"size", block.size.count()}});
      height = std::max(height, *block.offset + block.size);
    }
    state["l2_arena_size"] = core::align_up(height, *core::Align::make(kArenaAlignment)).count();
    state["planner_policy"] = input_.plan.planner.empty() ? "memsize" : input_.plan.planner;
    state["planner_unresolved_conflicts"] = Json::array();
  }

  const NetworkInput& input_;
  const Schedule& schedule_;
  std::vector<std::size_t> indices_;
  std::map<std::string, const model::PlannedBlock*> blocks_;
};

}  // namespace

core::Result<std::vector<Artifact>> render_checkpoints(const NetworkInput& input) {
  const CheckpointWriter writer{input};
  std::vector<Artifact> artifacts;
  for (const std::string_view stage : kStages) {
    artifacts.push_back({fmt::format("checkpoints/{}.json", stage),
                         "checkpoints",
                         writer.write(stage).pretty() + "\n"});
  }
  return artifacts;
}

}  // namespace memsize::emit
