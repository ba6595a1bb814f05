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

// What steps read and write, each with a name of its own in C.
class BufferTable {
 public:
  std::size_t add(std::string name, std::uint64_t elements, std::uint64_t element) {
    Buffer buffer{.name = std::move(name), .elements = elements};
    buffer.c_name = c_name_of(buffer.name, c_names_);
    buffer.type = element == 1 ? "int8_t" : "float";
    buffer.size = Bytes{elements * element};
    buffers_.push_back(std::move(buffer));
    return buffers_.size() - 1;
  }

  [[nodiscard]] Buffer& operator[](std::size_t index) { return buffers_[index]; }

  [[nodiscard]] std::vector<Buffer>& all() { return buffers_; }

 private:
  std::vector<Buffer> buffers_;
  std::map<std::string, std::size_t> c_names_;
};

// The buffer that has the output of each layer, and until when somebody reads it.
class OutputBuffers {
 public:
  explicit OutputBuffers(const std::vector<Layer>& layers) : last_reader_(layers.size()) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      for (const std::size_t read : layers[i].reads) {
        last_reader_[read] = i;
      }
    }
  }

  // That of the next layer.
  void put(std::size_t buffer) {
    last_use_.resize(std::max(last_use_.size(), buffer + 1));
    last_use_[buffer] = std::max(last_use_[buffer], last_reader_[buffer_of_.size()]);
    buffer_of_.push_back(buffer);
  }

  [[nodiscard]] std::size_t of(std::size_t layer) const { return buffer_of_[layer]; }

  // The last layer that reads something which was in it.
  [[nodiscard]] std::size_t last_use(std::size_t buffer) const { return last_use_[buffer]; }

 private:
  std::vector<std::size_t> last_reader_;
  std::vector<std::size_t> buffer_of_;
  std::vector<std::size_t> last_use_;
};

std::string name_of_output(const Layer& layer) {
  if (layer.op == Op::kInput) {
    // Other blocks' names end so.
    const bool is_taken =
        layer.name == kLogits || layer.name == kStagingName ||
        std::ranges::any_of(kEndings, [&](auto end) { return layer.name.ends_with(end); });
    return is_taken ? layer.name + "_input" : layer.name;
  }
  return layer.op == Op::kLinear && layer.element != 1 ? kLogits : layer.name + "_out";
}

std::string step_name(const Layer& layer, const LayerKind& kind) {
  if (layer.op == Op::kGlobalPool) {
    return "global_avgpool";
  }
  if (layer.op == Op::kLinear && layer.element != 1) {
    return "linear_fp32";
  }
  return std::string{kind.step.empty() ? core::to_lower(layer.kind) : std::string{kind.step}};
}

// Its buffers, and what it does to them. A note: ARES would write over what somebody still reads.
Step step_of(std::size_t index,
             const std::vector<Layer>& layers,
             BufferTable& buffers,
             OutputBuffers& outputs,
             core::Diagnostics& notes) {
  const Layer& layer = layers[index];
  const LayerKind kind = kind_of(layer.kind);
  const bool is_input = layer.op == Op::kInput;
  Step step{.layers = {index}, .op = step_name(layer, kind), .shape = layer.tile_shape};
  for (const std::size_t read : layer.reads) {
    step.reads.push_back(outputs.of(read));
  }
  step.does_nothing = is_input || layer.op == Op::kView ||
                      (layer.op == Op::kRequantise && layer.scale_in == layer.scale_out);
  bool may_stay = layer.op == Op::kRequantise || layer.op == Op::kRelu || layer.op == Op::kView ||
                  (layer.op == Op::kOther && kind.is_in_place);
  if (may_stay && !step.does_nothing && outputs.last_use(step.reads.front()) > index) {
    may_stay = false;
    notes.push_back(core::note(
        Code::kPlanNetwork,
        fmt::format("'{}' gets a buffer of its own: '{}' still reads what '{}' holds before it",
                    core::printable(layer.name, 60),
                    core::printable(layers[outputs.last_use(step.reads.front())].name, 60),
                    core::printable(buffers[step.reads.front()].name, 60)),
        {},
        "ARES writes over it"));
  }
  step.is_in_place = is_input || may_stay;
  step.writes = may_stay
                    ? step.reads.front()
                    : buffers.add(name_of_output(layer), elements_of(layer.out), layer.element);
  buffers[step.writes].is_input = buffers[step.writes].is_input || is_input;
  outputs.put(step.writes);
  return step;
}

void cut(Step& step, const Layer& layer, const TileBudget& budget, TileChoice choice) {
  const bool has_tokens = layer.op == Op::kLinear && step.shape.in_rows > 1;
  if (step.shape.kind == TileKind::kNone || (has_tokens && layer.element != 1)) {
    step.tier = step.shape.kind == TileKind::kNone ? Tier::kNone : Tier::kL2Full;
    return;
  }
  step.tiles = tiles_of(step.shape, budget, choice);
  step.tier = !step.tiles ? Tier::kL2Full : step.tiles->slabs > 1 ? Tier::kL3Tiled : Tier::kL1Tiled;
  if (step.tiles && !step.does_nothing) {
    step.cost = network::cost_of(step.shape, *step.tiles, budget);
  }
}

// ARES' extractor wins; then what has no room in L2, then thresholds of the part.
Residency residency_of(const Layer& layer, Tier tier, const board::TileRules& rules) {
  if (layer.weights == Bytes{}) {
    return Residency::kNone;
  }
  const bool is_attention = layer.kind.find("Attention") != std::string::npos;
  const bool is_staged =
      (rules.stage && layer.weights > *rules.stage) ||
      (is_attention && rules.stage_attention && layer.weights >= *rules.stage_attention) ||
      (layer.op == Op::kLinear && layer.element == 1 && rules.stage_linear &&
       layer.weights >= *rules.stage_linear);
  const auto said = core::named<Residency>(layer.residency);
  const Residency wanted = said && *said != Residency::kNone ? *said
                           : is_staged                       ? Residency::kL3Staged
                                                             : Residency::kL2;
  // Only a linear layer's weights come in slabs; others come as a whole.
  const bool has_slabs = layer.op == Op::kLinear && tier == Tier::kL3Tiled;
  return has_slabs                       ? Residency::kL3Tiled
         : wanted == Residency::kL3Tiled ? Residency::kL3Staged
                                         : wanted;
}

TileCost cost_of_output(const TileShape& shape, std::uint64_t longest) {
  const std::uint64_t rows = shape.out_rows * shape.out_channels;
  return {rows * shape.out_columns, rows * ((shape.out_columns + longest - 1) / longest)};
}

// What a convolution makes goes nowhere where a pool behind it takes it.
void settle_pools(const std::vector<Layer>& layers,
                  std::uint64_t longest,
                  std::vector<Step>& steps) {
  for (Step& step : steps) {
    if (step.fusion != Fusion::kConvReluMaxpool) {
      continue;
    }
    const TileCost own = cost_of_output(step.shape, longest);
    const TileCost pooled = cost_of_output(layers[step.layers.back()].tile_shape, longest);
    step.cost.bytes += pooled.bytes - own.bytes;
    step.cost.commands += pooled.commands - own.commands;
  }
}

// Steps are counted after fusion. The input is there from the start, the output stays after the
// end, when somebody reads it.
void find_lives(const std::vector<Step>& steps, std::vector<Buffer>& buffers) {
  const auto count = static_cast<std::int64_t>(steps.size());
  for (Buffer& buffer : buffers) {
    buffer.live = {count, 0};
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const Step& step = steps[static_cast<std::size_t>(i)];
    std::set<std::size_t> used{step.reads.begin(), step.reads.end()};
    used.insert(step.writes);
    for (const std::size_t index : used) {
      Buffer& buffer = buffers[index];
      buffer.live = {std::min(buffer.live.lower, i), std::max(buffer.live.upper, i + 1)};
      ++buffer.uses;
    }
  }
  for (Buffer& buffer : buffers) {
    buffer.live.upper = buffer.is_output ? count + 1 : buffer.live.upper;
  }
}

// What all readers and the writer take in slabs needs no room in L2. Where activations have more
// than their share of it, the large ones go as well.
void choose_l3(const board::TileRules& rules,
               const std::vector<Step>& steps,
               BufferTable& buffers) {
  Bytes all;
  std::vector<bool> in_slabs(buffers.all().size(), true);
  for (const Step& step : steps) {
    for (const std::size_t read : step.reads) {
      in_slabs[read] = in_slabs[read] && step.tier == Tier::kL3Tiled;
    }
    in_slabs[step.writes] = in_slabs[step.writes] && step.tier == Tier::kL3Tiled;
  }
  for (std::size_t i = 0; i < buffers.all().size(); ++i) {
    Buffer& buffer = buffers[i];
    buffer.is_in_l3 = in_slabs[i] && buffer.uses != 0 && !buffer.is_input && !buffer.is_output;
    all += buffer.is_in_l3 ? Bytes{} : buffer.size;
  }
  if (!rules.activations || !rules.activation_spill || all <= *rules.activations) {
    return;
  }
  bool is_spilt = false;
  for (Buffer& buffer : buffers.all()) {
    const bool is_large = buffer.size >= *rules.activation_spill && buffer.uses != 0;
    is_spilt = is_spilt || (is_large && !buffer.is_in_l3);
    buffer.is_in_l3 = buffer.is_in_l3 || is_large;
  }
  if (is_spilt) {
    Buffer& staging = buffers[buffers.add(kStagingName, kStaging.count(), 1)];
    staging.is_slab = true;
    staging.uses = 1;
    staging.live = {0, static_cast<std::int64_t>(steps.size())};
  }
}

// Two of each, so that one moves while the other is worked on; weights that are staged come while
// the layer before runs, unless it has staged weights itself: ARES has one slab for all.
void add_slabs(const std::vector<Layer>& layers, std::vector<Step>& steps, BufferTable& buffers) {
  constexpr std::uint64_t kBuffers = 2;
  constexpr std::uint64_t kBytesOfBias = 4;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Step& step = steps[i];
    const TileShape& shape = step.shape;
    const Layer& layer = layers[step.layers.front()];
    const auto add = [&](const char* what, std::uint64_t bytes, std::size_t begin) {
      step.slabs.push_back(buffers.add(fmt::format("{}_{}_slab", layer.name, what), bytes, 1));
      Buffer& slab = buffers[step.slabs.back()];
      slab.is_slab = true;
      slab.uses = 1;
      slab.live = {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(i) + 1};
    };
    if (step.residency == Residency::kL3Staged) {
      const bool is_early = i != 0 && steps[i - 1].residency != Residency::kL3Staged;
      add("weight", layer.weights.count(), is_early ? i - 1 : i);
    }
    if (step.tier != Tier::kL3Tiled) {
      continue;
    }
    const Tiles& tiles = *step.tiles;
    if (shape.kind == TileKind::kLinear) {
      add("weight", kBuffers * tiles.slab_rows * shape.in_channels, i);
      add("bias", kBuffers * tiles.slab_rows * kBytesOfBias, i);
      continue;
    }
    if (buffers[step.reads.front()].is_in_l3) {
      add("in", kBuffers * tiles.slab_halo_rows * shape.in_columns * shape.in_channels, i);
    }
    if (buffers[step.writes].is_in_l3) {
      add("out", kBuffers * tiles.slab_rows * shape.out_columns * shape.out_channels, i);
    }
  }
}

}  // namespace

Schedule schedule_of(std::vector<Layer> layers, const board::TileRules* rules, TileChoice choice) {
  Schedule schedule{.layers = std::move(layers), .choice = choice};
  if (rules != nullptr) {
    schedule.budget = {rules->l1, rules->l2, rules->dma_longest, rules->dma_open};
  }
  BufferTable buffers;
  OutputBuffers outputs{schedule.layers};
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < schedule.layers.size(); ++i) {
    const Layer& layer = schedule.layers[i];
    schedule.c_names.push_back(c_name_of(layer.name, known));
    Step step = step_of(i, schedule.layers, buffers, outputs, schedule.diagnostics);
    if (rules != nullptr) {
      cut(step, layer, schedule.budget, choice);
      step.residency = residency_of(layer, step.tier, *rules);
    }
    schedule.unfused.push_back(std::move(step));
  }
  buffers[schedule.unfused.back().writes].is_output = true;
  schedule.steps = rules == nullptr ? schedule.unfused : fused(schedule.unfused);
  settle_pools(schedule.layers, schedule.budget.dma_longest.count(), schedule.steps);
  find_lives(schedule.steps, buffers.all());
  if (rules != nullptr) {
    choose_l3(*rules, schedule.steps, buffers);
    add_slabs(schedule.layers, schedule.steps, buffers);
  }
  schedule.buffers = std::move(buffers.all());
  return schedule;
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

bool works_uncut(const Layer& layer) {
  return layer.op == Op::kConv || layer.op == Op::kLinear || layer.op == Op::kMaxPool ||
         layer.op == Op::kAvgPool || layer.op == Op::kPad;
}

std::vector<std::size_t> uncut_layers(const Schedule& schedule) {
  std::vector<std::size_t> uncut;
  for (const Step& step : schedule.steps) {
    if (step.tier == Tier::kL2Full && !step.does_nothing) {
      uncut.push_back(step.layers.front());
    }
  }
  return uncut;
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
    const Step& step = schedule.steps[i];
    if (step.tiles && !step.does_nothing && step.tiles->l1 > largest.bytes) {
      largest = {step.tiles->l1, i};
    }
  }
  return largest;
}

}  // namespace memsize::network
