// A schedule and its plan as the tables of struct net_step (src/runtime/target/net/net.h). Scales
// are made in double and rounded once, to the float that the program has.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/network.hpp"

#include "networks/network_emitters.hpp"
#include "plans/c_names.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Bytes;
using network::Fusion;
using network::Layer;
using network::Op;
using network::Schedule;
using network::Step;
using network::TileKind;
using network::Tiles;

constexpr std::uint64_t kWord = 4;
constexpr std::uint64_t kTable = 256;
constexpr const char* kStaging = "l3_staging";

struct OperatorRow {
  Op op;
  const char* run;
  const char* source;
};

constexpr auto kOperators = std::to_array<OperatorRow>({
    {Op::kConv, "net_conv", "net_conv.c"},
    {Op::kLinear, "net_linear", "net_linear.c"},
    {Op::kRelu, "net_elements", "net_elements.c"},
    {Op::kRequantise, "net_elements", "net_elements.c"},
    {Op::kMaxPool, "net_max_pool", "net_pool.c"},
    {Op::kAvgPool, "net_average_pool", "net_pool.c"},
    {Op::kGlobalPool, "net_global_pool", "net_global_pool.c"},
    {Op::kAdd, "net_add", "net_elements.c"},
    {Op::kConcat, "net_concat", "net_concat.c"},
    {Op::kPad, "net_pad", "net_pad.c"},
});

std::uint64_t up(std::uint64_t size) {
  return (size + kWord - 1) / kWord * kWord;
}

// Every float as C has it to the bit.
std::string real(double value) {
  return fmt::format("{:a}F", static_cast<double>(static_cast<float>(value)));
}

struct Place {
  std::string memory;
  std::uint64_t offset = 0;
};

std::string text_of(const Place& place) {
  return fmt::format("{{{}, {}}}", place.memory, place.offset);
}

std::string axis(std::uint64_t in,
                 std::uint64_t out,
                 std::uint64_t kernel,
                 std::uint64_t stride,
                 std::uint64_t padding,
                 std::uint64_t tile) {
  return fmt::format("{{{}, {}, {}, {}, {}, {}}}", in, out, kernel, stride, padding, tile);
}

// What C looks up in a table: quantisers, one behind the other.
std::string chain_of(const std::vector<std::string>& changes) {
  return fmt::format("{{{}, {{{}}}}}", changes.size(), core::join(changes, ", "));
}

std::string rescaled(double from, double to) {
  return fmt::format("{{NET_RESCALED, {}, 0.0F}}", real(from / to));
}

core::Diagnostic not_written(const Layer& layer, const std::string& path, const std::string& why) {
  return core::error(core::Code::kEmitNetwork,
                     fmt::format("layer '{}' ({}): {}",
                                 core::printable(layer.name, 60),
                                 core::printable(layer.kind, 40),
                                 why),
                     {path, layer.line},
                     "its memory is planned and checked all the same; the README lists the kernels "
                     "that are written");
}

// Initialisers of struct net_step.
class StepFields {
 public:
  void set(std::string_view name, const std::string& value) {
    fields_.push_back(fmt::format(".{} = {}", name, value));
  }

  // What is 0 need not be said.
  void set(std::string_view name, std::uint64_t value) {
    if (value != 0) {
      set(name, fmt::format("{}", value));
    }
  }

  [[nodiscard]] std::vector<std::string> take() { return std::move(fields_); }

 private:
  std::vector<std::string> fields_;
};

std::string net_memory_of(const model::PlannedBlock& block) {
  const bool is_constant = block.role == model::Lifetime::kConstant;
  if (block.memory == "l3") {
    return is_constant ? "NET_L3_CONSTANT" : "NET_L3";
  }
  return is_constant ? "NET_L2_CONSTANT" : "NET_L2";
}

// Where the plan has its blocks.
class BlockPlaces {
 public:
  explicit BlockPlaces(const model::PlanReport& plan) {
    for (const model::PlannedBlock& block : plan.blocks) {
      blocks_.emplace(block.id, &block);
    }
  }

  [[nodiscard]] const model::PlannedBlock* find(const std::string& id) const {
    const auto* const found = core::value_in(blocks_, id);
    return found == nullptr ? nullptr : *found;
  }

  [[nodiscard]] Place of(const std::string& id) const {
    const model::PlannedBlock* const block = find(id);
    if (block == nullptr || !block->offset) {
      return {"NET_L2", 0};
    }
    return {net_memory_of(*block), block->offset->count()};
  }

 private:
  std::map<std::string, const model::PlannedBlock*> blocks_;
};

const Layer& base_layer(const Schedule& schedule, const Step& step) {
  return schedule.layers[step.layers.front()];
}

const Layer& last_layer(const Schedule& schedule, const Step& step) {
  return schedule.layers[step.layers.back()];
}

const network::Buffer* slab_of(const Schedule& schedule, const Step& step, std::string_view what) {
  for (const std::size_t index : step.slabs) {
    if (schedule.buffers[index].name ==
        fmt::format("{}_{}_slab", base_layer(schedule, step).name, what)) {
      return &schedule.buffers[index];
    }
  }
  return nullptr;
}

// The others follow, place by place, what comes first.
bool concatenates_channels(const Schedule& schedule, const Layer& layer) {
  std::uint64_t channels = 0;
  for (const std::size_t read : layer.reads) {
    const network::Shape& in = schedule.layers[read].out;
    if (in.size() != layer.out.size() ||
        !std::equal(in.begin() + 2, in.end(), layer.out.begin() + 2)) {
      return false;
    }
    channels += in[1];
  }
  return channels == layer.out[1];
}

// Why C cannot be made of it; empty: it can.
std::string refusal(const Schedule& schedule, const Step& step) {
  const Layer& layer = base_layer(schedule, step);
  if (core::find_in(kOperators, layer.op, &OperatorRow::op) == nullptr) {
    return "its kernel is not among those that memsize writes";
  }
  const network::TileShape& shape = step.shape;
  const bool is_grouped = shape.kind == TileKind::kConv && shape.groups != 1;
  if (is_grouped) {
    return fmt::format("{} groups: only depthwise ones and those of one group are written",
                       shape.groups);
  }
  const std::uint64_t fan_in = shape.kind == TileKind::kDepthwise ? 1 : shape.in_channels;
  if ((layer.op == Op::kConv || layer.op == Op::kLinear) &&
      layer.weights.count() !=
          fan_in * shape.out_channels * shape.kernel_rows * shape.kernel_columns) {
    return "its weights are not a byte each";
  }
  if (layer.op == Op::kAdd &&
      (step.reads.size() != 2 ||
       schedule.buffers[step.reads[0]].size != schedule.buffers[step.reads[1]].size)) {
    return "it adds other than two tensors of one size";
  }
  if (layer.op == Op::kConcat && layer.in.size() > 1 && !concatenates_channels(schedule, layer)) {
    return "it does not concatenate channels";
  }
  for (std::size_t i = 1; i < step.layers.size(); ++i) {
    if (schedule.layers[step.layers[i]].element != 1) {
      return "something follows its floats";
    }
  }
  if (step.tiles) {
    const auto wrong = network::check_tiles(shape, *step.tiles, schedule.budget);
    if (!wrong.empty()) {
      return fmt::format("as it is cut, {} (--tiles best cuts it right)", wrong.front());
    }
  }
  if (!step.tiles && !network::works_uncut(layer)) {
    return std::string{network::kNotWrittenUncut};
  }
  return network::out_of_reach(schedule, step);
}

// What quantisers behind the first layer, or it itself, do to a value.
std::vector<std::string> changes_of(const Schedule& schedule, const Step& step) {
  std::vector<std::string> changes;
  for (const std::size_t index : step.layers) {
    const Layer& layer = schedule.layers[index];
    const bool is_same = layer.scale_in == layer.scale_out;
    if (layer.op == Op::kRelu) {
      changes.push_back(is_same ? std::string{"{NET_RELU, 0.0F, 0.0F}"}
                                : fmt::format("{{NET_RELU_QUANTISED, {}, {}}}",
                                              real(layer.scale_in),
                                              real(layer.scale_out)));
    } else if (layer.op == Op::kRequantise && !is_same) {
      changes.push_back(
          fmt::format("{{NET_REQUANTISED, {}, 0.0F}}", real(layer.scale_in / layer.scale_out)));
    }
  }
  return changes;
}

bool has_table(const Schedule& schedule, const Step& step) {
  const Layer& layer = base_layer(schedule, step);
  return !changes_of(schedule, step).empty() ||
         (layer.op == Op::kConcat && std::ranges::any_of(layer.read_scales, [&](double scale) {
            return scale != layer.scale_out;
          }));
}

std::vector<std::string> operands_of(const Schedule& schedule,
                                     const BlockPlaces& places,
                                     const Step& step) {
  const Layer& layer = base_layer(schedule, step);
  std::vector<std::string> operands;
  for (std::size_t i = 0; i < step.reads.size(); ++i) {
    const Layer& from = schedule.layers[layer.reads[i]];
    const double scale = layer.read_scales[i];
    const bool is_same = layer.op != Op::kConcat || scale == layer.scale_out;
    operands.push_back(
        fmt::format("{{{}, {}, {}, {}}}",
                    text_of(places.of(schedule.buffers[step.reads[i]].name)),
                    from.out.size() > 1 ? from.out[1] : 1,
                    real(scale),
                    is_same ? chain_of({}) : chain_of({rescaled(scale, layer.scale_out)})));
  }
  return operands;
}

void set_pad(const Layer& layer, StepFields& fields) {
  const std::size_t rows = layer.in.size() - 2;
  const network::TileShape& shape = layer.tile_shape;
  fields.set("rows", axis(layer.in[rows], layer.out[rows], 1, 1, shape.padding_rows, 0));
  fields.set("columns",
             axis(layer.in[rows + 1], layer.out[rows + 1], 1, 1, shape.padding_columns, 0));
}

void set_shape(const Schedule& schedule, const Step& step, StepFields& fields) {
  const network::TileShape& shape = step.shape;
  const Layer& layer = base_layer(schedule, step);
  const Tiles tiles = step.tiles.value_or(Tiles{});
  fields.set("in_channels", shape.in_channels);
  fields.set("out_channels", shape.out_channels);
  fields.set("channel_tile", tiles.channels);
  fields.set("is_depthwise", shape.kind == TileKind::kDepthwise ? 1 : 0);
  fields.set("is_float", layer.element == 1 ? 0 : 1);
  fields.set("stays", layer.op == Op::kLinear && tiles.input == Bytes{} ? 1 : 0);
  switch (layer.op) {
    case Op::kConv:
    case Op::kMaxPool:
    case Op::kAvgPool:
      fields.set("rows",
                 axis(shape.in_rows,
                      shape.out_rows,
                      shape.kernel_rows,
                      shape.stride_rows,
                      shape.padding_rows,
                      tiles.rows));
      fields.set("columns",
                 axis(shape.in_columns,
                      shape.out_columns,
                      shape.kernel_columns,
                      shape.stride_columns,
                      shape.padding_columns,
                      tiles.columns));
      break;
    case Op::kGlobalPool:
      fields.set("rows", axis(shape.in_rows, 1, 1, 1, 0, tiles.in_rows));
      fields.set("columns", axis(shape.in_columns, 1, 1, 1, 0, tiles.in_columns));
      break;
    case Op::kConcat: {
      const std::uint64_t places = shape.out_rows * shape.out_columns;
      fields.set("columns", axis(places, places, 1, 1, 0, tiles.columns));
      break;
    }
    case Op::kPad:
      set_pad(layer, fields);
      break;
    default:
      fields.set("rows", axis(shape.in_rows, shape.in_rows, 1, 1, 0, shape.in_rows));
      break;
  }
}

void set_pool(const Layer& layer, StepFields& fields) {
  const network::TileShape& pool = layer.tile_shape;
  fields.set("pool", "net_max_pool_work");
  fields.set("pool_rows",
             axis(pool.in_rows,
                  pool.out_rows,
                  pool.kernel_rows,
                  pool.stride_rows,
                  pool.padding_rows,
                  pool.out_rows));
  fields.set("pool_columns",
             axis(pool.in_columns,
                  pool.out_columns,
                  pool.kernel_columns,
                  pool.stride_columns,
                  pool.padding_columns,
                  pool.out_columns));
}

void set_slabs(const Schedule& schedule,
               const BlockPlaces& places,
               const Step& step,
               StepFields& fields) {
  if (step.tiles && step.tiles->slabs > 1) {
    fields.set("slab", step.tiles->slab_rows);
    fields.set("slab_in", step.tiles->slab_halo_rows);
  }
  for (const char* const what : {"in", "out", "weight", "bias"}) {
    if (const network::Buffer* const slab = slab_of(schedule, step, what)) {
      fields.set(fmt::format("{}_slab", what), text_of(places.of(slab->name)));
      if (what == std::string_view{"in"} || what == std::string_view{"out"}) {
        fields.set(fmt::format("has_{}_slab", what), 1);
      }
    }
  }
  if (const model::PlannedBlock* const staging = places.find(kStaging)) {
    fields.set("staging", text_of(places.of(kStaging)));
    fields.set("staging_size", staging->size.count());
  }
}

void set_weights(const Schedule& schedule,
                 const BlockPlaces& places,
                 std::size_t index,
                 StepFields& fields) {
  const Step& step = schedule.steps[index];
  const Layer& layer = base_layer(schedule, step);
  if (layer.weights == Bytes{}) {
    return;
  }
  fields.set("weights", text_of(places.of(layer.name + "_weight")));
  if (layer.bias != Bytes{}) {
    fields.set("bias", text_of(places.of(layer.name + "_bias")));
    fields.set("has_bias", 1);
  }
  if (step.residency == network::Residency::kL3Staged) {
    fields.set("staged", layer.weights.count());
  }
  if (index + 1 < schedule.steps.size()) {
    const Step& next = schedule.steps[index + 1];
    const network::Buffer* const slab = next.residency == network::Residency::kL3Staged
                                            ? slab_of(schedule, next, "weight")
                                            : nullptr;
    fields.set("stages_next",
               slab != nullptr && slab->live.lower <= static_cast<std::int64_t>(index));
  }
}

// How much of L1 it takes. Sums and floats first, which are words; then weights, whose rows are,
// where they have rows.
Bytes set_l1(const Schedule& schedule, const Step& step, StepFields& fields) {
  if (!step.tiles) {
    return Bytes{has_table(schedule, step) ? kTable : 0};
  }
  const Layer& layer = base_layer(schedule, step);
  const Tiles& tiles = *step.tiles;
  std::uint64_t at = 0;
  const auto take = [&](std::uint64_t size) { return std::exchange(at, at + size); };
  const auto two = [&](Bytes size) {
    const std::uint64_t first = take(size.count());
    return fmt::format("{{{}, {}}}", first, take(size.count()));
  };
  // A pool behind the only tile writes the other buffer, and may make more than it reads.
  const Bytes pooled = step.fusion == Fusion::kConvReluMaxpool
                           ? network::size_of(last_layer(schedule, step))
                           : Bytes{};
  if (layer.op == Op::kGlobalPool) {
    fields.set("sums", take(kWord * tiles.channels));
    fields.set("output", fmt::format("{{{0}, {0}}}", take(tiles.output.count())));
  } else if (tiles.output != Bytes{} && layer.element != 1) {
    fields.set("output", two(tiles.output));
  }
  if (tiles.weight_buffers != 0) {
    std::vector<std::string> buffers;
    for (std::uint64_t i = 0; i < tiles.weight_buffers; ++i) {
      buffers.push_back(fmt::format("{}", take(tiles.weights.count())));
    }
    fields.set("weight", fmt::format("{{{}}}", core::join(buffers, ", ")));
    fields.set("weight_buffers", tiles.weight_buffers);
  }
  if (layer.op == Op::kLinear && tiles.input != Bytes{}) {
    fields.set("input", fmt::format("{{{0}, {0}}}", take(tiles.input.count())));
  } else if (tiles.input != Bytes{}) {
    fields.set("input", two(tiles.input));
  }
  if (layer.op != Op::kGlobalPool && tiles.output != Bytes{} && layer.element == 1) {
    fields.set("output", two(tiles.output));
    at += (std::max(pooled, tiles.output) - tiles.output).count();
  }
  at = up(at);
  if (layer.bias != Bytes{}) {
    fields.set("bias_copy", take(kWord * tiles.channels));
  }
  if (has_table(schedule, step)) {
    fields.set("table", take(kTable));
  }
  return Bytes{at};
}

void set_scales(const Schedule& schedule, const Step& step, StepFields& fields) {
  const Layer& layer = base_layer(schedule, step);
  const double weighted = layer.scale_in * layer.scale_weight;
  switch (layer.op) {
    case Op::kConv:
    case Op::kLinear:
      fields.set("scale", real(layer.element == 1 ? weighted / layer.scale_out : weighted));
      break;
    case Op::kAvgPool:
    case Op::kGlobalPool:
      fields.set("scale", real(layer.scale_in / layer.scale_out));
      break;
    case Op::kAdd:
      fields.set("scale_out", real(layer.scale_out));
      fields.set("is_exact", std::ranges::all_of(layer.read_scales, [&](double scale) {
                   return scale == layer.scale_out;
                 }));
      break;
    default:
      break;
  }
  if (layer.op == Op::kConv) {
    const bool is_depthwise = step.shape.kind == TileKind::kDepthwise;
    const std::uint64_t filter = step.shape.kernel_rows * step.shape.kernel_columns *
                                 (is_depthwise ? 1 : step.shape.in_channels);
    const bool is_copied = step.tiles && step.tiles->weight_buffers != 0;
    fields.set("weight_row",
               is_copied ? step.tiles->weights.count() / step.tiles->channels : filter);
  }
  if (const auto changes = changes_of(schedule, step); !changes.empty()) {
    fields.set("chain", chain_of(changes));
  }
}

// A step, and what the program needs for it.
struct WrittenStep {
  ProgramStep row;
  Bytes l1;
  std::vector<const char*> sources;
};

WrittenStep written_step(const Schedule& schedule, const BlockPlaces& places, std::size_t index) {
  const Step& step = schedule.steps[index];
  WrittenStep written{.row = {.name = last_layer(schedule, step).name,
                              .cost = step.does_nothing ? network::TileCost{} : step.cost}};
  StepFields fields;
  fields.set("writes", text_of(places.of(schedule.buffers[step.writes].name)));
  fields.set("size", schedule.buffers[step.writes].size.count());
  if (!step.does_nothing) {
    const Op op = base_layer(schedule, step).op;
    const OperatorRow& kernel = *core::find_in(kOperators, op, &OperatorRow::op);
    written.sources.push_back(kernel.source);
    written.row.operands = operands_of(schedule, places, step);
    fields.set("run", kernel.run);
    fields.set("read_count", step.reads.size());
    set_shape(schedule, step, fields);
    if (step.fusion == Fusion::kConvReluMaxpool) {
      written.sources.push_back("net_pool.c");
      set_pool(last_layer(schedule, step), fields);
    }
    set_slabs(schedule, places, step, fields);
    set_weights(schedule, places, index, fields);
    written.l1 = set_l1(schedule, step, fields);
    set_scales(schedule, step, fields);
  }
  written.row.fields = fields.take();
  return written;
}

void add_step(WrittenStep step, NetworkProgram& program) {
  program.l1 = std::max(program.l1, step.l1);
  for (const char* const source : step.sources) {
    if (!core::contains(program.sources, source)) {
      program.sources.emplace_back(source);
    }
  }
  program.steps.push_back(std::move(step.row));
}

void make_room(const model::PlanReport& plan, NetworkProgram& program) {
  for (const model::PlannedBlock& block : plan.blocks) {
    if (!block.offset) {
      continue;
    }
    const std::string memory = net_memory_of(block);
    Bytes& size = memory == "NET_L2"            ? program.l2
                  : memory == "NET_L2_CONSTANT" ? program.l2_constants
                  : memory == "NET_L3"          ? program.l3
                                                : program.l3_constants;
    size = std::max(size, *block.offset + block.size);
  }
}

std::optional<core::Diagnostic> too_much_l1(const NetworkProgram& program,
                                            const board::MemorySet& part,
                                            const std::string& path) {
  const board::PartMemory* l1 = core::find_in(part.memories, "l1", &board::PartMemory::name);
  if (l1 != nullptr && program.l1 + program.stack > l1->window) {
    return core::error(
        core::Code::kEmitNetwork,
        fmt::format("tiles with their biases take {} of l1, the controller's stack {}, of {}",
                    core::format_bytes(program.l1),
                    core::format_bytes(program.stack),
                    core::format_bytes(l1->window)),
        {path},
        "--set l1=SIZE makes tiles smaller");
  }
  return std::nullopt;
}

// The first few layers stand for all.
void shorten(core::Diagnostics& errors) {
  constexpr std::size_t kMost = 8;
  if (errors.size() > kMost) {
    errors[kMost - 1].details.push_back(
        fmt::format("and {} more like this", core::plural(errors.size() - kMost, "layer")));
    errors.resize(kMost, errors.front());
  }
}

// To the nearest, of two the even one.
std::int32_t quantised_bias(float bias, const Layer& layer) {
  const float step = static_cast<float>(layer.scale_in * layer.scale_weight);
  const float value = std::nearbyint(bias / step);
  constexpr double kLeast = std::numeric_limits<std::int32_t>::min();
  constexpr double kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(
      std::clamp(std::isnan(value) ? 0.0 : static_cast<double>(value), kLeast, kMost));
}

// As int32 in steps of what is summed up; a classifier's stay floats. Smallest byte first.
std::string biases_of(const Layer& layer, const std::vector<float>& biases) {
  std::string bytes;
  for (const float bias : biases) {
    std::uint32_t word = 0;
    if (layer.element != 1) {
      std::memcpy(&word, &bias, sizeof word);
    } else {
      word = static_cast<std::uint32_t>(quantised_bias(bias, layer));
    }
    for (unsigned byte = 0; byte < kWord; ++byte) {
      bytes += static_cast<char>(word >> (8 * byte) & 0xFFU);
    }
  }
  return bytes;
}

core::Diagnostic no_data(const std::vector<std::string>& missing, const std::string& path) {
  return core::error(
      core::Code::kEmitData,
      fmt::format("'{}' is not among the data{}",
                  core::printable(missing.front()),
                  missing.size() == 1 ? std::string{}
                                      : fmt::format(", nor are {} more", missing.size() - 1)),
      {path},
      "--data names the folder that has weights/ and test_cases/");
}

ProgramFile constant_file(const std::string& c_name,
                          std::string_view what,
                          const Place& place,
                          std::string bytes) {
  return {fmt::format("{}_{}.bin", c_name, what),
          upper_case(fmt::format("{}_{}", c_name, what)),
          place.memory,
          place.offset,
          std::move(bytes)};
}

// Constants, then the input.
core::Result<std::vector<ProgramFile>> files_of(const Schedule& schedule,
                                                const BlockPlaces& places,
                                                const NetworkData& data,
                                                const std::string& path) {
  std::vector<ProgramFile> files;
  // What nobody gave.
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < schedule.layers.size(); ++i) {
    const Layer& layer = schedule.layers[i];
    if (layer.weights != Bytes{}) {
      const auto weights = data.weights.find(layer.name);
      if (weights == data.weights.end() || weights->second.size() != layer.weights.count()) {
        missing.push_back(layer.name + "_weight_int8.npy");
      } else {
        files.push_back(constant_file(
            schedule.c_names[i], "weight", places.of(layer.name + "_weight"), weights->second));
      }
    }
    if (layer.bias != Bytes{}) {
      const auto biases = data.biases.find(layer.name);
      if (biases == data.biases.end() || biases->second.size() * kWord != layer.bias.count()) {
        missing.push_back(layer.name + "_bias_fp32.npy");
      } else {
        files.push_back(constant_file(schedule.c_names[i],
                                      "bias",
                                      places.of(layer.name + "_bias"),
                                      biases_of(layer, biases->second)));
      }
    }
  }
  const network::Buffer& input =
      *std::ranges::find(schedule.buffers, true, &network::Buffer::is_input);
  if (data.input.size() != input.size.count()) {
    missing.push_back("test_cases/test_case_1/input_int8.npy");
  } else {
    const Place place = places.of(input.name);
    files.push_back({"input_test1.bin", "INPUT_TEST1", place.memory, place.offset, data.input});
  }
  if (!missing.empty()) {
    return core::fail(no_data(missing, path));
  }
  return files;
}

std::vector<NetworkProgram::Golden> goldens_of(const Schedule& schedule, const NetworkData& data) {
  std::vector<NetworkProgram::Golden> goldens;
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    const Step& step = schedule.steps[i];
    const auto golden = data.goldens.find(last_layer(schedule, step).name);
    if (golden != data.goldens.end() &&
        golden->second.size() == schedule.buffers[step.writes].size.count()) {
      const std::string& name = schedule.c_names[step.layers.back()];
      goldens.push_back(
          {i, {name + "_golden.bin", upper_case(name) + "_GOLDEN", "NET_L2", 0, golden->second}});
    }
  }
  return goldens;
}

}  // namespace

core::Result<NetworkProgram> make_program(const network::Schedule& schedule,
                                          const model::PlanReport& plan,
                                          const board::MemorySet& part,
                                          const NetworkData& data) {
  const BlockPlaces places{plan};
  core::Diagnostics errors;
  NetworkProgram program{.name = plan.path.substr(plan.path.rfind('/') + 1),
                         .budget = schedule.budget,
                         .workers = part.tiles->workers,
                         .sources = {"net_move.c", "net_pipeline.c", "net_run.c"}};
  for (const board::PartMemory& memory : part.memories) {
    for (const board::PartConsumer& consumer : memory.consumers) {
      program.stack = consumer.knob == "cc_stack" ? consumer.size : program.stack;
    }
  }
  make_room(plan, program);
  if (std::ranges::count(schedule.layers, Op::kInput, &Layer::op) != 1) {
    errors.push_back(not_written(
        schedule.layers.front(), plan.path, "a program has one input, and this is not it"));
  }
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    const Step& step = schedule.steps[i];
    const std::string why = step.does_nothing ? std::string{} : refusal(schedule, step);
    if (why.empty()) {
      add_step(written_step(schedule, places, i), program);
    } else {
      errors.push_back(not_written(base_layer(schedule, step), plan.path, why));
    }
  }
  if (auto error = too_much_l1(program, part, plan.path); error) {
    errors.push_back(std::move(*error));
  }
  if (!errors.empty()) {
    shorten(errors);
    return tl::make_unexpected(std::move(errors));
  }
  auto files = files_of(schedule, places, data, plan.path);
  MEMSIZE_TRY(files);
  program.files = std::move(*files);
  program.goldens = goldens_of(schedule, data);
  std::ranges::sort(program.sources);
  return program;
}

}  // namespace memsize::emit
