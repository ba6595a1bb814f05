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

class ProgramBuilder {
 public:
  ProgramBuilder(const Schedule& schedule,
                 const model::PlanReport& plan,
                 const board::MemorySet& part,
                 const NetworkData& data)
      : schedule_(schedule), plan_(plan), part_(part), data_(data) {
    for (const model::PlannedBlock& block : plan.blocks) {
      blocks_.emplace(block.id, &block);
    }
  }

  core::Result<NetworkProgram> run() {
    program_.name = plan_.path.substr(plan_.path.rfind('/') + 1);
    program_.budget = schedule_.budget;
    program_.workers = part_.tiles->workers;
    program_.sources = {"net_move.c", "net_pipeline.c", "net_run.c"};
    for (const board::PartMemory& memory : part_.memories) {
      for (const board::PartConsumer& consumer : memory.consumers) {
        program_.stack = consumer.knob == "cc_stack" ? consumer.size : program_.stack;
      }
    }
    add_memories();
    if (std::ranges::count(schedule_.layers, Op::kInput, &Layer::op) != 1) {
      errors_.push_back(not_written(
          schedule_.layers.front(), plan_.path, "a program has one input, and this is not it"));
    }
    for (std::size_t i = 0; i < schedule_.steps.size(); ++i) {
      add_step(i);
    }
    check_l1();
    if (errors_.empty()) {
      add_files();
    }
    if (!errors_.empty()) {
      shorten();
      return tl::make_unexpected(std::move(errors_));
    }
    std::ranges::sort(program_.sources);
    return std::move(program_);
  }

 private:
  [[nodiscard]] const Layer& base_of(const Step& step) const {
    return schedule_.layers[step.layers.front()];
  }

  [[nodiscard]] const Layer& last_of(const Step& step) const {
    return schedule_.layers[step.layers.back()];
  }

  static std::string memory_of(const model::PlannedBlock& block) {
    const bool is_constant = block.role == model::Lifetime::kConstant;
    if (block.memory == "l3") {
      return is_constant ? "NET_L3_CONSTANT" : "NET_L3";
    }
    return is_constant ? "NET_L2_CONSTANT" : "NET_L2";
  }

  [[nodiscard]] Place place_of(const std::string& id) const {
    const auto found = blocks_.find(id);
    if (found == blocks_.end() || !found->second->offset) {
      return {"NET_L2", 0};
    }
    return {memory_of(*found->second), found->second->offset->count()};
  }

  [[nodiscard]] Place place_of(std::size_t buffer) const {
    return place_of(schedule_.buffers[buffer].name);
  }

  void add_memories() {
    for (const model::PlannedBlock& block : plan_.blocks) {
      if (!block.offset) {
        continue;
      }
      const std::string memory = memory_of(block);
      Bytes& size = memory == "NET_L2"            ? program_.l2
                    : memory == "NET_L2_CONSTANT" ? program_.l2_constants
                    : memory == "NET_L3"          ? program_.l3
                                                  : program_.l3_constants;
      size = std::max(size, *block.offset + block.size);
    }
  }

  [[nodiscard]] const network::Buffer* slab_of(const Step& step, std::string_view what) const {
    for (const std::size_t index : step.slabs) {
      if (schedule_.buffers[index].name == fmt::format("{}_{}_slab", base_of(step).name, what)) {
        return &schedule_.buffers[index];
      }
    }
    return nullptr;
  }

  // Why C cannot be made of it; empty: it can.
  [[nodiscard]] std::string refusal(const Step& step) const {
    const Layer& layer = base_of(step);
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
    if (layer.op == Op::kAdd && (step.reads.size() != 2 || different_sizes(step))) {
      return "it adds other than two tensors of one size";
    }
    if (layer.op == Op::kConcat && layer.in.size() > 1 && !concatenates_channels(layer)) {
      return "it does not concatenate channels";
    }
    for (std::size_t i = 1; i < step.layers.size(); ++i) {
      if (schedule_.layers[step.layers[i]].element != 1) {
        return "something follows its floats";
      }
    }
    if (step.tiles) {
      const auto wrong = network::check_tiles(shape, *step.tiles, schedule_.budget);
      if (!wrong.empty()) {
        return fmt::format("as it is cut, {} (--tiles best cuts it right)", wrong.front());
      }
    }
    const bool works_uncut = layer.op == Op::kConv || layer.op == Op::kLinear ||
                             layer.op == Op::kMaxPool || layer.op == Op::kAvgPool ||
                             layer.op == Op::kPad;
    if (!step.tiles && !works_uncut) {
      return "no tile of it fits into L1, and it is not written without";
    }
    return network::out_of_reach(schedule_, step);
  }

  [[nodiscard]] bool different_sizes(const Step& step) const {
    return schedule_.buffers[step.reads.front()].size != schedule_.buffers[step.reads.back()].size;
  }

  // The others follow, place by place, what comes first.
  [[nodiscard]] bool concatenates_channels(const Layer& layer) const {
    std::uint64_t channels = 0;
    for (const std::size_t read : layer.reads) {
      const network::Shape& in = schedule_.layers[read].out;
      if (in.size() != layer.out.size() ||
          !std::equal(in.begin() + 2, in.end(), layer.out.begin() + 2)) {
        return false;
      }
      channels += in[1];
    }
    return channels == layer.out[1];
  }

  void add_step(std::size_t index) {
    const Step& step = schedule_.steps[index];
    ProgramStep row{.name = last_of(step).name,
                    .cost = step.does_nothing ? network::TileCost{} : step.cost};
    fields_ = &row.fields;
    set("writes", text_of(place_of(step.writes)));
    set("size", schedule_.buffers[step.writes].size.count());
    if (step.does_nothing) {
      program_.steps.push_back(std::move(row));
      return;
    }
    if (const std::string why = refusal(step); !why.empty()) {
      errors_.push_back(not_written(base_of(step), plan_.path, why));
      return;
    }
    const OperatorRow& kernel = *core::find_in(kOperators, base_of(step).op, &OperatorRow::op);
    use_source(kernel.source);
    set("run", kernel.run);
    add_operands(step, row);
    add_shape(step);
    add_slabs(step);
    add_weights(index);
    add_l1(step);
    add_scales(step);
    program_.steps.push_back(std::move(row));
  }

  void use_source(const char* name) {
    if (!core::contains(program_.sources, name)) {
      program_.sources.emplace_back(name);
    }
  }

  void set(const char* name, const std::string& value) {
    fields_->push_back(fmt::format(".{} = {}", name, value));
  }

  // What is 0 need not be said.
  void set(const char* name, std::uint64_t value) {
    if (value != 0) {
      set(name, fmt::format("{}", value));
    }
  }

  void add_operands(const Step& step, ProgramStep& row) {
    const Layer& layer = base_of(step);
    for (std::size_t i = 0; i < step.reads.size(); ++i) {
      const Layer& from = schedule_.layers[layer.reads[i]];
      const double scale = layer.read_scales[i];
      const bool is_same = layer.op != Op::kConcat || scale == layer.scale_out;
      row.operands.push_back(
          fmt::format("{{{}, {}, {}, {}}}",
                      text_of(place_of(step.reads[i])),
                      from.out.size() > 1 ? from.out[1] : 1,
                      real(scale),
                      is_same ? chain_of({}) : chain_of({rescaled(scale, layer.scale_out)})));
    }
    set("read_count", step.reads.size());
  }

  void add_shape(const Step& step) {
    const network::TileShape& shape = step.shape;
    const Layer& layer = base_of(step);
    const Tiles tiles = step.tiles.value_or(Tiles{});
    set("in_channels", shape.in_channels);
    set("out_channels", shape.out_channels);
    set("channel_tile", tiles.channels);
    set("is_depthwise", shape.kind == TileKind::kDepthwise ? 1 : 0);
    set("is_float", layer.element == 1 ? 0 : 1);
    set("stays", layer.op == Op::kLinear && tiles.input == Bytes{} ? 1 : 0);
    switch (layer.op) {
      case Op::kConv:
      case Op::kMaxPool:
      case Op::kAvgPool:
        set("rows",
            axis(shape.in_rows,
                 shape.out_rows,
                 shape.kernel_rows,
                 shape.stride_rows,
                 shape.padding_rows,
                 tiles.rows));
        set("columns",
            axis(shape.in_columns,
                 shape.out_columns,
                 shape.kernel_columns,
                 shape.stride_columns,
                 shape.padding_columns,
                 tiles.columns));
        break;
      case Op::kGlobalPool:
        set("rows", axis(shape.in_rows, 1, 1, 1, 0, tiles.in_rows));
        set("columns", axis(shape.in_columns, 1, 1, 1, 0, tiles.in_columns));
        break;
      case Op::kConcat: {
        const std::uint64_t places = shape.out_rows * shape.out_columns;
        set("columns", axis(places, places, 1, 1, 0, tiles.columns));
        break;
      }
      case Op::kPad:
        add_pad(layer);
        break;
      default:
        set("rows", axis(shape.in_rows, shape.in_rows, 1, 1, 0, shape.in_rows));
        break;
    }
    if (step.fusion == Fusion::kConvReluMaxpool) {
      const network::TileShape& pool = last_of(step).tile_shape;
      use_source("net_pool.c");
      set("pool", "net_max_pool_work");
      set("pool_rows",
          axis(pool.in_rows,
               pool.out_rows,
               pool.kernel_rows,
               pool.stride_rows,
               pool.padding_rows,
               pool.out_rows));
      set("pool_columns",
          axis(pool.in_columns,
               pool.out_columns,
               pool.kernel_columns,
               pool.stride_columns,
               pool.padding_columns,
               pool.out_columns));
    }
  }

  void add_pad(const Layer& layer) {
    const std::size_t rows = layer.in.size() - 2;
    const network::TileShape& shape = layer.tile_shape;
    set("rows", axis(layer.in[rows], layer.out[rows], 1, 1, shape.padding_rows, 0));
    set("columns", axis(layer.in[rows + 1], layer.out[rows + 1], 1, 1, shape.padding_columns, 0));
  }

  void add_slabs(const Step& step) {
    if (step.tiles && step.tiles->slabs > 1) {
      set("slab", step.tiles->slab_rows);
      set("slab_in", step.tiles->slab_halo_rows);
    }
    for (const char* const what : {"in", "out", "weight", "bias"}) {
      if (const network::Buffer* const slab = slab_of(step, what)) {
        set(fmt::format("{}_slab", what).c_str(), text_of(place_of(slab->name)));
        if (what == std::string_view{"in"} || what == std::string_view{"out"}) {
          set(fmt::format("has_{}_slab", what).c_str(), 1);
        }
      }
    }
    const auto staging = blocks_.find(kStaging);
    if (staging != blocks_.end()) {
      set("staging", text_of(place_of(std::string{kStaging})));
      set("staging_size", staging->second->size.count());
    }
  }

  void add_weights(std::size_t index) {
    const Step& step = schedule_.steps[index];
    const Layer& layer = base_of(step);
    if (layer.weights == Bytes{}) {
      return;
    }
    set("weights", text_of(place_of(layer.name + "_weight")));
    if (layer.bias != Bytes{}) {
      set("bias", text_of(place_of(layer.name + "_bias")));
      set("has_bias", 1);
    }
    if (step.residency == network::Residency::kL3Staged) {
      set("staged", layer.weights.count());
    }
    if (index + 1 < schedule_.steps.size()) {
      const Step& next = schedule_.steps[index + 1];
      const network::Buffer* const slab =
          next.residency == network::Residency::kL3Staged ? slab_of(next, "weight") : nullptr;
      set("stages_next", slab != nullptr && slab->live.lower <= static_cast<std::int64_t>(index));
    }
  }

  // Sums and floats first, which are words; then weights, whose rows are, where they have rows.
  void add_l1(const Step& step) {
    if (!step.tiles) {
      program_.l1 = std::max(program_.l1, Bytes{has_table(step) ? kTable : 0});
      return;
    }
    const Layer& layer = base_of(step);
    const Tiles& tiles = *step.tiles;
    std::uint64_t at = 0;
    const auto take = [&](std::uint64_t size) { return std::exchange(at, at + size); };
    const auto two = [&](Bytes size) {
      const std::uint64_t first = take(size.count());
      return fmt::format("{{{}, {}}}", first, take(size.count()));
    };
    // A pool behind the only tile writes the other buffer, and may make more than it reads.
    const Bytes pooled =
        step.fusion == Fusion::kConvReluMaxpool ? network::size_of(last_of(step)) : Bytes{};
    if (layer.op == Op::kGlobalPool) {
      set("sums", take(kWord * tiles.channels));
      set("output", fmt::format("{{{0}, {0}}}", take(tiles.output.count())));
    } else if (tiles.output != Bytes{} && layer.element != 1) {
      set("output", two(tiles.output));
    }
    if (tiles.weight_buffers != 0) {
      std::vector<std::string> buffers;
      for (std::uint64_t i = 0; i < tiles.weight_buffers; ++i) {
        buffers.push_back(fmt::format("{}", take(tiles.weights.count())));
      }
      set("weight", fmt::format("{{{}}}", core::join(buffers, ", ")));
      set("weight_buffers", tiles.weight_buffers);
    }
    if (layer.op == Op::kLinear && tiles.input != Bytes{}) {
      set("input", fmt::format("{{{0}, {0}}}", take(tiles.input.count())));
    } else if (tiles.input != Bytes{}) {
      set("input", two(tiles.input));
    }
    if (layer.op != Op::kGlobalPool && tiles.output != Bytes{} && layer.element == 1) {
      set("output", two(tiles.output));
      at += (std::max(pooled, tiles.output) - tiles.output).count();
    }
    at = up(at);
    if (layer.bias != Bytes{}) {
      set("bias_copy", take(kWord * tiles.channels));
    }
    if (has_table(step)) {
      set("table", take(kTable));
    }
    program_.l1 = std::max(program_.l1, Bytes{at});
  }

  [[nodiscard]] bool has_table(const Step& step) const {
    const Layer& layer = base_of(step);
    return !changes_of(step).empty() ||
           (layer.op == Op::kConcat && std::ranges::any_of(layer.read_scales, [&](double scale) {
              return scale != layer.scale_out;
            }));
  }

  // What quantisers behind the first layer, or it itself, do to a value.
  [[nodiscard]] std::vector<std::string> changes_of(const Step& step) const {
    std::vector<std::string> changes;
    for (const std::size_t index : step.layers) {
      const Layer& layer = schedule_.layers[index];
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

  void add_scales(const Step& step) {
    const Layer& layer = base_of(step);
    const double weighted = layer.scale_in * layer.scale_weight;
    switch (layer.op) {
      case Op::kConv:
      case Op::kLinear:
        set("scale", real(layer.element == 1 ? weighted / layer.scale_out : weighted));
        break;
      case Op::kAvgPool:
      case Op::kGlobalPool:
        set("scale", real(layer.scale_in / layer.scale_out));
        break;
      case Op::kAdd:
        set("scale_out", real(layer.scale_out));
        set("is_exact", std::ranges::all_of(layer.read_scales, [&](double scale) {
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
      set("weight_row", is_copied ? step.tiles->weights.count() / step.tiles->channels : filter);
    }
    if (const auto changes = changes_of(step); !changes.empty()) {
      set("chain", chain_of(changes));
    }
  }

  void check_l1() {
    const board::PartMemory* l1 = core::find_in(part_.memories, "l1", &board::PartMemory::name);
    if (l1 != nullptr && program_.l1 + program_.stack > l1->window) {
      errors_.push_back(core::error(
          core::Code::kEmitNetwork,
          fmt::format("tiles with their biases take {} of l1, the controller's stack {}, of {}",
                      core::format_bytes(program_.l1),
                      core::format_bytes(program_.stack),
                      core::format_bytes(l1->window)),
          {plan_.path},
          "--set l1=SIZE makes tiles smaller"));
    }
  }

  // The first few layers stand for all.
  void shorten() {
    constexpr std::size_t kMost = 8;
    if (errors_.size() > kMost) {
      errors_[kMost - 1].details.push_back(
          fmt::format("and {} more like this", core::plural(errors_.size() - kMost, "layer")));
      errors_.resize(kMost, errors_.front());
    }
  }

  void say_what_is_missing() {
    if (!missing_.empty()) {
      errors_.push_back(core::error(
          core::Code::kEmitData,
          fmt::format("'{}' is not among the data{}",
                      core::printable(missing_.front()),
                      missing_.size() == 1 ? std::string{}
                                           : fmt::format(", nor are {} more", missing_.size() - 1)),
          {plan_.path},
          "--data names the folder that has weights/ and test_cases/"));
    }
  }

  void add_file(const std::string& c_name,
                const char* what,
                const Place& place,
                std::string bytes) {
    program_.files.push_back({fmt::format("{}_{}.bin", c_name, what),
                              upper_case(fmt::format("{}_{}", c_name, what)),
                              place.memory,
                              place.offset,
                              std::move(bytes)});
  }

  void add_files() {
    for (std::size_t i = 0; i < schedule_.layers.size(); ++i) {
      const Layer& layer = schedule_.layers[i];
      if (layer.weights != Bytes{}) {
        const auto weights = data_.weights.find(layer.name);
        if (weights == data_.weights.end() || weights->second.size() != layer.weights.count()) {
          missing_.push_back(layer.name + "_weight_int8.npy");
        } else {
          add_file(
              schedule_.c_names[i], "weight", place_of(layer.name + "_weight"), weights->second);
        }
      }
      if (layer.bias != Bytes{}) {
        const auto biases = data_.biases.find(layer.name);
        if (biases == data_.biases.end() || biases->second.size() * kWord != layer.bias.count()) {
          missing_.push_back(layer.name + "_bias_fp32.npy");
        } else {
          add_file(schedule_.c_names[i],
                   "bias",
                   place_of(layer.name + "_bias"),
                   biases_of(layer, biases->second));
        }
      }
    }
    const network::Buffer& input =
        *std::ranges::find(schedule_.buffers, true, &network::Buffer::is_input);
    if (data_.input.size() != input.size.count()) {
      missing_.push_back("test_cases/test_case_1/input_int8.npy");
    } else {
      const Place place = place_of(input.name);
      program_.files.push_back(
          {"input_test1.bin", "INPUT_TEST1", place.memory, place.offset, data_.input});
    }
    say_what_is_missing();
    for (std::size_t i = 0; i < schedule_.steps.size(); ++i) {
      const Step& step = schedule_.steps[i];
      const auto golden = data_.goldens.find(last_of(step).name);
      if (golden != data_.goldens.end() &&
          golden->second.size() == schedule_.buffers[step.writes].size.count()) {
        const std::string& name = schedule_.c_names[step.layers.back()];
        program_.goldens.push_back(
            {i, {name + "_golden.bin", upper_case(name) + "_GOLDEN", "NET_L2", 0, golden->second}});
      }
    }
  }

  // As int32 in steps of what is summed up; a classifier's stay floats. Smallest byte first.
  static std::string biases_of(const Layer& layer, const std::vector<float>& biases) {
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

  // To the nearest, of two the even one.
  static std::int32_t quantised_bias(float bias, const Layer& layer) {
    const float step = static_cast<float>(layer.scale_in * layer.scale_weight);
    const float value = std::nearbyint(bias / step);
    constexpr double kLeast = std::numeric_limits<std::int32_t>::min();
    constexpr double kMost = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(
        std::clamp(std::isnan(value) ? 0.0 : static_cast<double>(value), kLeast, kMost));
  }

  const Schedule& schedule_;
  const model::PlanReport& plan_;
  const board::MemorySet& part_;
  const NetworkData& data_;
  std::map<std::string, const model::PlannedBlock*> blocks_;
  NetworkProgram program_;
  std::vector<std::string>* fields_ = nullptr;
  // Files that nobody gave.
  std::vector<std::string> missing_;
  core::Diagnostics errors_;
};

}  // namespace

core::Result<NetworkProgram> make_program(const network::Schedule& schedule,
                                          const model::PlanReport& plan,
                                          const board::MemorySet& part,
                                          const NetworkData& data) {
  return ProgramBuilder{schedule, plan, part, data}.run();
}

}  // namespace memsize::emit
