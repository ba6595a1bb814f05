// From layers to steps and buffers. Quantisers and views work in the buffer that they read, unless
// somebody still reads what was in there; ARES lets them write over it, which is told. Then each
// step is cut, steps are fused, and what does not stay in L2 goes to L3.
#include "memsize/network/schedule.hpp"

#include "memsize/core/text.hpp"

#include "fuse.hpp"
#include "layer_kinds.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::network {

namespace {

using core::Bytes;
using core::Code;

// What ARES copies through where a buffer in L3 is used as a whole (its argument template).
constexpr Bytes kStaging{65536};
constexpr const char* kStagingName = "l3_staging";
constexpr const char* kLogits = "output_fp32";
constexpr auto kEndings = std::to_array<std::string_view>({"_out", "_slab", "_weight", "_bias"});

std::string c_name_of(std::string_view name, std::map<std::string, std::size_t>& known) {
  std::string made{name};
  std::ranges::replace_if(
      made,
      [](char c) {
        return !core::is_identifier(std::string_view{&c, 1}) && (c < '0' || c > '9');
      },
      '_');
  std::string unique = made;
  // "a.b", "a_b" and "a_b_1" are three.
  while (!known.emplace(unique, 1).second) {
    unique = fmt::format("{}_{}", made, known[made]++);
  }
  return unique;
}

class Scheduler {
 public:
  Scheduler(std::vector<Layer> layers, const board::TileRules* rules, TileChoice choice)
      : rules_(rules) {
    schedule_.layers = std::move(layers);
    schedule_.choice = choice;
    if (rules != nullptr) {
      schedule_.budget = {rules->l1, rules->l2, rules->dma_longest, rules->dma_open};
    }
  }

  Schedule run() {
    find_last_readers();
    std::map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < schedule_.layers.size(); ++i) {
      schedule_.c_names.push_back(c_name_of(schedule_.layers[i].name, known));
      add_step(i);
    }
    schedule_.buffers[schedule_.unfused.back().writes].is_output = true;
    schedule_.steps = rules_ == nullptr ? schedule_.unfused : fused(schedule_.unfused);
    settle_pools();
    find_lives();
    if (rules_ != nullptr) {
      choose_l3();
      add_slabs();
    }
    return std::move(schedule_);
  }

 private:
  [[nodiscard]] const Layer& layer_of(const Step& step) const {
    return schedule_.layers[step.layers.front()];
  }

  void find_last_readers() {
    last_reader_.resize(schedule_.layers.size());
    for (std::size_t i = 0; i < schedule_.layers.size(); ++i) {
      for (const std::size_t read : schedule_.layers[i].reads) {
        last_reader_[read] = i;
      }
    }
  }

  std::size_t add_buffer(std::string name, std::uint64_t elements, std::uint64_t element) {
    Buffer buffer{.name = std::move(name), .elements = elements};
    buffer.c_name = c_name_of(buffer.name, c_names_);
    buffer.type = element == 1 ? "int8_t" : "float";
    buffer.size = Bytes{elements * element};
    schedule_.buffers.push_back(std::move(buffer));
    return schedule_.buffers.size() - 1;
  }

  std::string name_of_output(std::size_t index) const {
    const Layer& layer = schedule_.layers[index];
    if (layer.op == Op::kInput) {
      // Other blocks' names end so.
      const bool is_taken =
          layer.name == kLogits || layer.name == kStagingName ||
          std::ranges::any_of(kEndings, [&](auto end) { return layer.name.ends_with(end); });
      return is_taken ? layer.name + "_input" : layer.name;
    }
    return layer.op == Op::kLinear && layer.element != 1 ? kLogits : layer.name + "_out";
  }

  void add_step(std::size_t index) {
    const Layer& layer = schedule_.layers[index];
    const LayerKind kind = kind_of(layer.kind);
    Step step{.layers = {index}, .shape = layer.tile_shape};
    step.op = step_name(layer, kind);
    for (const std::size_t read : layer.reads) {
      step.reads.push_back(buffer_of_[read]);
    }
    const bool quantises = layer.op == Op::kRequantise || layer.op == Op::kRelu;
    step.does_nothing = layer.op == Op::kInput || layer.op == Op::kView ||
                        (layer.op == Op::kRequantise && layer.scale_in == layer.scale_out);
    const bool may_stay =
        quantises || layer.op == Op::kView || (layer.op == Op::kOther && kind.is_in_place);
    step.is_in_place = layer.op == Op::kInput || (may_stay && is_free(step, index));
    step.writes = step.is_in_place && layer.op != Op::kInput
                      ? step.reads.front()
                      : add_buffer(name_of_output(index), elements_of(layer.out), layer.element);
    if (layer.op == Op::kInput) {
      schedule_.buffers[step.writes].is_input = true;
    }
    last_use_.resize(schedule_.buffers.size());
    last_use_[step.writes] = std::max(last_use_[step.writes], last_reader_[index]);
    buffer_of_.push_back(step.writes);
    if (rules_ != nullptr) {
      cut(step);
      settle_weights(step);
    }
    schedule_.unfused.push_back(std::move(step));
  }

  static std::string step_name(const Layer& layer, const LayerKind& kind) {
    if (layer.op == Op::kGlobalPool) {
      return "global_avgpool";
    }
    if (layer.op == Op::kLinear && layer.element != 1) {
      return "linear_fp32";
    }
    return std::string{kind.step.empty() ? core::to_lower(layer.kind) : std::string{kind.step}};
  }

  // Nobody behind this layer reads what the buffer has before it.
  bool is_free(const Step& step, std::size_t index) {
    if (step.does_nothing || last_use_[step.reads.front()] <= index) {
      return true;
    }
    const Layer& reader = schedule_.layers[last_use_[step.reads.front()]];
    schedule_.diagnostics.push_back(core::note(
        Code::kPlanNetwork,
        fmt::format("'{}' gets a buffer of its own: '{}' still reads what '{}' holds before it",
                    core::printable(schedule_.layers[index].name, 60),
                    core::printable(reader.name, 60),
                    core::printable(schedule_.buffers[step.reads.front()].name, 60)),
        {},
        "ARES writes over it"));
    return false;
  }

  void cut(Step& step) {
    const Layer& layer = layer_of(step);
    const bool has_tokens = layer.op == Op::kLinear && step.shape.in_rows > 1;
    if (step.shape.kind == TileKind::kNone || (has_tokens && layer.element != 1)) {
      step.tier = step.shape.kind == TileKind::kNone ? Tier::kNone : Tier::kL2Full;
      return;
    }
    step.tiles = tiles_of(step.shape, schedule_.budget, schedule_.choice);
    step.tier = !step.tiles             ? Tier::kL2Full
                : step.tiles->slabs > 1 ? Tier::kL3Tiled
                                        : Tier::kL1Tiled;
    if (step.tiles && !step.does_nothing) {
      step.cost = network::cost_of(step.shape, *step.tiles, schedule_.budget);
    }
  }

  // ARES' extractor wins; then what has no room in L2, then thresholds of the part.
  void settle_weights(Step& step) const {
    const Layer& layer = layer_of(step);
    if (layer.weights == Bytes{}) {
      return;
    }
    const bool is_attention = layer.kind.find("Attention") != std::string::npos;
    const bool is_staged =
        (rules_->stage && layer.weights > *rules_->stage) ||
        (is_attention && rules_->stage_attention && layer.weights >= *rules_->stage_attention) ||
        (layer.op == Op::kLinear && layer.element == 1 && rules_->stage_linear &&
         layer.weights >= *rules_->stage_linear);
    step.residency = is_staged ? Residency::kL3Staged : Residency::kL2;
    const auto said = core::named<Residency>(layer.residency);
    if (said && *said != Residency::kNone) {
      step.residency = *said;
    }
    // Only a linear layer's weights come in slabs; others come as a whole.
    const bool has_slabs = layer.op == Op::kLinear && step.tier == Tier::kL3Tiled;
    if (has_slabs || step.residency == Residency::kL3Tiled) {
      step.residency = has_slabs ? Residency::kL3Tiled : Residency::kL3Staged;
    }
  }

  // What a convolution makes goes nowhere where a pool behind it takes it.
  void settle_pools() {
    for (Step& step : schedule_.steps) {
      if (step.fusion != Fusion::kConvReluMaxpool) {
        continue;
      }
      const TileCost own = cost_of_output(step.shape);
      const TileCost pooled = cost_of_output(schedule_.layers[step.layers.back()].tile_shape);
      step.cost.bytes += pooled.bytes - own.bytes;
      step.cost.commands += pooled.commands - own.commands;
    }
  }

  [[nodiscard]] TileCost cost_of_output(const TileShape& shape) const {
    const std::uint64_t rows = shape.out_rows * shape.out_channels;
    const std::uint64_t longest = schedule_.budget.dma_longest.count();
    return {rows * shape.out_columns, rows * ((shape.out_columns + longest - 1) / longest)};
  }

  // Steps are counted after fusion. The input is there from the start, the output stays after the
  // end, when somebody reads it.
  void find_lives() {
    const auto count = static_cast<std::int64_t>(schedule_.steps.size());
    for (Buffer& buffer : schedule_.buffers) {
      buffer.live = {count, 0};
    }
    for (std::int64_t i = 0; i < count; ++i) {
      const Step& step = schedule_.steps[static_cast<std::size_t>(i)];
      std::set<std::size_t> used{step.reads.begin(), step.reads.end()};
      used.insert(step.writes);
      for (const std::size_t index : used) {
        Buffer& buffer = schedule_.buffers[index];
        buffer.live = {std::min(buffer.live.lower, i), std::max(buffer.live.upper, i + 1)};
        ++buffer.uses;
      }
    }
    for (Buffer& buffer : schedule_.buffers) {
      buffer.live.upper = buffer.is_output ? count + 1 : buffer.live.upper;
    }
  }

  // What all readers and the writer take in slabs needs no room in L2. Where activations have more
  // than their share of it, the large ones go as well.
  void choose_l3() {
    Bytes all;
    std::vector<bool> in_slabs(schedule_.buffers.size(), true);
    for (const Step& step : schedule_.steps) {
      for (const std::size_t read : step.reads) {
        in_slabs[read] = in_slabs[read] && step.tier == Tier::kL3Tiled;
      }
      in_slabs[step.writes] = in_slabs[step.writes] && step.tier == Tier::kL3Tiled;
    }
    for (std::size_t i = 0; i < schedule_.buffers.size(); ++i) {
      Buffer& buffer = schedule_.buffers[i];
      buffer.is_in_l3 = in_slabs[i] && buffer.uses != 0 && !buffer.is_input && !buffer.is_output;
      all += buffer.is_in_l3 ? Bytes{} : buffer.size;
    }
    if (!rules_->activations || !rules_->activation_spill || all <= *rules_->activations) {
      return;
    }
    bool is_spilt = false;
    for (Buffer& buffer : schedule_.buffers) {
      const bool is_large = buffer.size >= *rules_->activation_spill && buffer.uses != 0;
      is_spilt = is_spilt || (is_large && !buffer.is_in_l3);
      buffer.is_in_l3 = buffer.is_in_l3 || is_large;
    }
    if (is_spilt) {
      Buffer& staging = schedule_.buffers[add_buffer(kStagingName, kStaging.count(), 1)];
      staging.is_slab = true;
      staging.uses = 1;
      staging.live = {0, static_cast<std::int64_t>(schedule_.steps.size())};
    }
  }

  void add_slab(std::size_t at, const char* what, std::uint64_t bytes, std::int64_t before) {
    const std::size_t index =
        add_buffer(fmt::format("{}_{}_slab", layer_of(schedule_.steps[at]).name, what), bytes, 1);
    Buffer& slab = schedule_.buffers[index];
    const auto step = static_cast<std::int64_t>(at);
    slab.is_slab = true;
    slab.uses = 1;
    slab.live = {std::max<std::int64_t>(step - before, 0), step + 1};
    schedule_.steps[at].slabs.push_back(index);
  }

  // Two of each, so that one moves while the other is worked on; weights that are staged come while
  // the layer before runs, unless it has staged weights itself: ARES has one slab for all.
  void add_slabs() {
    constexpr std::uint64_t kBuffers = 2;
    constexpr std::uint64_t kBytesOfBias = 4;
    for (std::size_t i = 0; i < schedule_.steps.size(); ++i) {
      const Step step = schedule_.steps[i];
      const TileShape& shape = step.shape;
      if (step.residency == Residency::kL3Staged) {
        const bool is_free = i == 0 || schedule_.steps[i - 1].residency != Residency::kL3Staged;
        add_slab(i, "weight", layer_of(step).weights.count(), is_free ? 1 : 0);
      }
      if (step.tier != Tier::kL3Tiled) {
        continue;
      }
      const Tiles& tiles = *step.tiles;
      if (shape.kind == TileKind::kLinear) {
        add_slab(i, "weight", kBuffers * tiles.slab_rows * shape.in_channels, 0);
        add_slab(i, "bias", kBuffers * tiles.slab_rows * kBytesOfBias, 0);
        continue;
      }
      if (schedule_.buffers[step.reads.front()].is_in_l3) {
        add_slab(
            i, "in", kBuffers * tiles.slab_halo_rows * shape.in_columns * shape.in_channels, 0);
      }
      if (schedule_.buffers[step.writes].is_in_l3) {
        add_slab(i, "out", kBuffers * tiles.slab_rows * shape.out_columns * shape.out_channels, 0);
      }
    }
  }

  const board::TileRules* rules_;
  Schedule schedule_;
  std::map<std::string, std::size_t> c_names_;
  // By layer.
  std::vector<std::size_t> last_reader_;
  std::vector<std::size_t> buffer_of_;
  // By buffer: the last layer that reads something which was in it.
  std::vector<std::size_t> last_use_;
};

}  // namespace

Schedule schedule_of(std::vector<Layer> layers, const board::TileRules* rules, TileChoice choice) {
  return Scheduler{std::move(layers), rules, choice}.run();
}

std::vector<model::PlannedBlock> blocks_of(const Schedule& schedule) {
  std::vector<model::PlannedBlock> blocks;
  for (const Buffer& buffer : schedule.buffers) {
    if (buffer.uses == 0) {
      continue;
    }
    model::PlannedBlock block{.id = buffer.name,
                              .memory = buffer.is_in_l3 ? "l3" : "l2",
                              .live = buffer.live,
                              .size = buffer.size};
    block.is_input = buffer.is_input;
    block.is_output = buffer.is_output;
    block.uses = buffer.uses;
    blocks.push_back(std::move(block));
  }
  for (const Step& step : schedule.steps) {
    const Layer& layer = schedule.layers[step.layers.front()];
    const bool is_in_l3 =
        step.residency == Residency::kL3Staged || step.residency == Residency::kL3Tiled;
    const auto add = [&](const char* what, Bytes size, bool is_staged) {
      if (size == Bytes{}) {
        return;
      }
      model::PlannedBlock block{.id = fmt::format("{}_{}", layer.name, what),
                                .role = model::Lifetime::kConstant,
                                .memory = is_staged ? "l3" : "l2",
                                .source_memory = is_staged ? "" : "l3",
                                .size = size};
      block.uses = 1;
      block.line = layer.line;
      blocks.push_back(std::move(block));
    };
    add("weight", layer.weights, is_in_l3);
    add("bias", layer.bias, step.residency == Residency::kL3Tiled);
  }
  return blocks;
}

std::string out_of_reach(const Schedule& schedule, const Step& step) {
  const bool is_whole_input =
      step.tiles && step.shape.kind == TileKind::kLinear && step.tiles->input == Bytes{};
  const auto is_in_l3 = [&](std::size_t buffer) { return schedule.buffers[buffer].is_in_l3; };
  const bool is_uncut =
      step.tier == Tier::kL2Full || schedule.layers[step.layers.front()].op == Op::kPad;
  const bool misses = !step.does_nothing && (is_uncut || is_whole_input) &&
                      (is_in_l3(step.writes) || std::ranges::any_of(step.reads, is_in_l3));
  return misses ? "it works in L2, and what it reads or makes lies in L3" : "";
}

TileCost cost_of(const Schedule& schedule) {
  TileCost all;
  for (const Step& step : schedule.steps) {
    all.bytes += step.cost.bytes;
    all.commands += step.cost.commands;
  }
  return all;
}

LargestTiles largest_tiles(const Schedule& schedule) {
  LargestTiles largest;
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    if (schedule.steps[i].tiles && schedule.steps[i].tiles->l1 > largest.bytes) {
      largest = {schedule.steps[i].tiles->l1, i};
    }
  }
  return largest;
}

}  // namespace memsize::network
