// Goes through a network in the order in which it runs: what each layer makes of what it reads.
// What a report says of a shape is held against that; layers that memsize does not know have the
// shape that they say.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/network/layers.hpp"

#include "layer_kinds.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::network {

namespace {

using core::Code;

constexpr const char* kExtract = "run ARES' pytorch_extractor.py again, or mend the file";
constexpr std::size_t kDimensionsOfImage = 4;
constexpr std::uint64_t kBytesOfBias = 4;
constexpr std::uint64_t kBitsOfByte = 8;
// Each of 4 bytes, and no sum leaves 64 bits.
constexpr std::uint64_t kMostElements = model::kLargestPlan.count() / kBytesOfBias;

std::string shown(std::string_view name) {
  return fmt::format("'{}'", core::printable(name, 60));
}

// floor((in + 2 * padding - kernel) / stride) + 1; nothing where the kernel is larger than that.
std::optional<std::uint64_t> positions(std::uint64_t in,
                                       std::uint64_t padding,
                                       std::uint64_t kernel,
                                       std::uint64_t stride) {
  const std::uint64_t padded = in + 2 * padding;
  return padded < kernel ? std::nullopt : std::optional{(padded - kernel) / stride + 1};
}

class LayerBuilder {
 public:
  LayerBuilder(const model::PlanReport& report, const Shape& input)
      : report_(report), input_(input) {
    for (const model::NetworkTensor& tensor : report.network.tensors) {
      tensors_.emplace(tensor.id, &tensor);
    }
    layers_.reserve(report.network.operators.size());
  }

  core::Result<std::vector<Layer>> run() {
    const auto& operators = report_.network.operators;
    for (op_ = operators.data(); op_ != operators.data() + operators.size(); ++op_) {
      Layer layer{.name = op_->id, .kind = op_->kind, .line = op_->line};
      layer_ = &layer;
      // What comes of a shape that is wrong would be wrong, too.
      if (!read_layer()) {
        return tl::make_unexpected(std::move(errors_));
      }
      index_.emplace(layer.name, layers_.size());
      layers_.push_back(std::move(layer));
    }
    find_classifier();
    find_scales();
    return std::move(layers_);
  }

 private:
  bool fail(std::string message, std::string hint = kExtract) {
    errors_.push_back(core::error(Code::kPlanNetwork,
                                  fmt::format("layer {}: {}", shown(op_->id), message),
                                  {report_.path, op_->line},
                                  std::move(hint)));
    return false;
  }

  [[nodiscard]] std::int64_t number(std::string_view name, std::int64_t fallback) const {
    const auto found =
        std::ranges::find(op_->attributes, name, [](const auto& attribute) -> std::string_view {
          return attribute.first;
        });
    return found == op_->attributes.end() ? fallback : found->second;
  }

  // At least `least`; an error otherwise.
  bool take(std::string_view name, std::int64_t fallback, std::int64_t least, std::uint64_t& out) {
    const std::int64_t value = number(name, fallback);
    if (value < least) {
      return fail(value == kMissing
                      ? fmt::format("'{}' is missing", name)
                      : fmt::format("'{}' is {}, which is below {}", name, value, least));
    }
    out = static_cast<std::uint64_t>(value);
    return true;
  }

  [[nodiscard]] const model::NetworkTensor* tensor(const std::string& id) const {
    const auto found = tensors_.find(id);
    return found == tensors_.end() ? nullptr : found->second;
  }

  bool read_layer() {
    const LayerKind kind = kind_of(op_->kind);
    layer_->op = op_ == report_.network.operators.data() ? Op::kInput : kind.op;
    for (const std::string& id : op_->reads) {
      if (const auto found = index_.find(id); found != index_.end()) {
        layer_->reads.push_back(found->second);
      }
    }
    for (const auto& [word, value] : op_->words) {
      if (word == "weight_residency") {
        layer_->residency = value;
      } else if (word == "block_id") {
        layer_->block = value;
      }
    }
    if (layer_->op != Op::kInput && layer_->reads.empty()) {
      return fail("it reads nothing");
    }
    if (layer_->op != Op::kInput) {
      layer_->in = layers_[layer_->reads.front()].out;
    }
    return make_shape(kind) && check_shape() && read_constants();
  }

  bool make_shape(const LayerKind& kind) {
    switch (layer_->op) {
      case Op::kInput:
        return make_input();
      case Op::kConv:
        return make_conv();
      case Op::kLinear:
        return make_linear();
      case Op::kMaxPool:
      case Op::kAvgPool:
        return make_pool();
      case Op::kGlobalPool:
        return make_global_pool();
      case Op::kAdd:
        return make_add();
      case Op::kConcat:
        return make_concat();
      case Op::kPad:
        return make_pad();
      case Op::kView:
        return make_view();
      case Op::kRelu:
      case Op::kRequantise:
        layer_->tile_shape = {.kind = TileKind::kElementwise,
                              .in_channels = elements_of(layer_->in),
                              .out_channels = elements_of(layer_->in)};
        layer_->out = layer_->in;
        return true;
      case Op::kOther:
        return make_other(kind);
    }
    return true;
  }

  bool make_input() {
    if (kind_of(op_->kind).op != Op::kRequantise) {
      return fail(fmt::format("a network begins with a QuantIdentity, which quantises its input; "
                              "this begins with a {}",
                              core::printable(op_->kind, 60)),
                  "put a QuantIdentity before it, or mend __layer_order__");
    }
    const model::NetworkTensor* const said = tensor(op_->id);
    layer_->out = said != nullptr && !said->shape.empty() ? said->shape : input_;
    layer_->in = layer_->out;
    if (layer_->out.empty()) {
      return fail("nobody says what shape the network's input has",
                  "add \"output_shape\": [1, channels, rows, columns] to it, or keep the folder "
                  "test_cases beside the file");
    }
    return true;
  }

  bool needs_image(const char* what) {
    if (layer_->in.size() == kDimensionsOfImage) {
      return true;
    }
    return fail(fmt::format("{} reads 1xCxHxW, and {} writes {}",
                            what,
                            shown(layers_[layer_->reads.front()].name),
                            shape_text(layer_->in)));
  }

  // Kernel, stride and padding; what it makes of rows and columns.
  bool slide(const char* what) {
    TileShape& shape = layer_->tile_shape;
    shape.in_channels = layer_->in[1];
    shape.in_rows = layer_->in[2];
    shape.in_columns = layer_->in[3];
    const bool is_conv = layer_->op == Op::kConv;
    const bool is_read = take("kernel_size_rows", kMissing, 1, shape.kernel_rows) &&
                         take("kernel_size_columns", kMissing, 1, shape.kernel_columns);
    if (!is_read) {
      return false;
    }
    // A pool's windows stand side by side where nobody says otherwise.
    const auto step = [&](std::uint64_t kernel) {
      return is_conv ? 1 : static_cast<std::int64_t>(kernel);
    };
    if (!take("stride_rows", step(shape.kernel_rows), 1, shape.stride_rows) ||
        !take("stride_columns", step(shape.kernel_columns), 1, shape.stride_columns) ||
        !take("padding_rows", 0, 0, shape.padding_rows) ||
        !take("padding_columns", 0, 0, shape.padding_columns)) {
      return false;
    }
    const auto rows =
        positions(shape.in_rows, shape.padding_rows, shape.kernel_rows, shape.stride_rows);
    const auto columns = positions(
        shape.in_columns, shape.padding_columns, shape.kernel_columns, shape.stride_columns);
    if (!rows || !columns) {
      return fail(fmt::format("{} of {}x{} is larger than what it reads, {} with its padding",
                              what,
                              shape.kernel_rows,
                              shape.kernel_columns,
                              shape_text(layer_->in)));
    }
    shape.out_rows = *rows;
    shape.out_columns = *columns;
    // Tiles have the padding, too: a large stride makes little of much.
    const Shape padded = {shape.in_channels,
                          shape.in_rows + 2 * shape.padding_rows,
                          shape.in_columns + 2 * shape.padding_columns};
    return elements_of(padded) <= kMostElements ||
           fail(fmt::format("{} with its padding is more than any memory has",
                            shape_text(layer_->in)));
  }

  bool make_conv() {
    TileShape& shape = layer_->tile_shape;
    std::uint64_t channels = 0;
    if (!needs_image("a convolution") || !slide("a kernel") ||
        !take("out_channels", kMissing, 1, shape.out_channels) ||
        !take("in_channels", static_cast<std::int64_t>(layer_->in[1]), 1, channels) ||
        !take("groups", 1, 1, shape.groups)) {
      return false;
    }
    if (channels != layer_->in[1]) {
      return fail(fmt::format("in_channels is {}, and {} writes {}",
                              channels,
                              shown(layers_[layer_->reads.front()].name),
                              shape_text(layer_->in)));
    }
    if (channels % shape.groups != 0 || shape.out_channels % shape.groups != 0) {
      return fail(fmt::format("{} groups do not divide {} channels in and {} out",
                              shape.groups,
                              channels,
                              shape.out_channels));
    }
    if (number("dilation_rows", 1) != 1 || number("dilation_columns", 1) != 1) {
      return fail("its kernel is dilated, which ARES does not have", "give it a plain kernel");
    }
    shape.kind = shape.groups > 1 && shape.groups == channels && shape.out_channels == channels
                     ? TileKind::kDepthwise
                     : TileKind::kConv;
    layer_->out = {1, shape.out_channels, shape.out_rows, shape.out_columns};
    return weigh(
        {shape.out_channels, channels / shape.groups, shape.kernel_rows, shape.kernel_columns},
        elements_of({shape.out_rows, shape.out_columns}));
  }

  // On 1xTxK each of T tokens; everything else is one row of K.
  bool make_linear() {
    TileShape& shape = layer_->tile_shape;
    shape.kind = TileKind::kLinear;
    if (!take("in_features", kMissing, 1, shape.in_channels) ||
        !take("out_features", kMissing, 1, shape.out_channels)) {
      return false;
    }
    const bool has_tokens = layer_->in.size() == 3 && layer_->in.back() == shape.in_channels;
    if (!has_tokens && elements_of(layer_->in) != shape.in_channels) {
      return fail(fmt::format("in_features is {}, and {} writes {}",
                              shape.in_channels,
                              shown(layers_[layer_->reads.front()].name),
                              shape_text(layer_->in)));
    }
    shape.in_rows = has_tokens ? layer_->in[1] : 1;
    shape.out_rows = shape.in_rows;
    layer_->out =
        has_tokens ? Shape{1, shape.in_rows, shape.out_channels} : Shape{1, shape.out_channels};
    return weigh({shape.out_channels, shape.in_channels}, shape.in_rows);
  }

  bool make_pool() {
    TileShape& shape = layer_->tile_shape;
    if (!needs_image("a pool") || !slide("a window")) {
      return false;
    }
    shape.kind = TileKind::kPool;
    shape.out_channels = shape.in_channels;
    layer_->out = {1, shape.out_channels, shape.out_rows, shape.out_columns};
    const bool is_whole = shape.kernel_rows == shape.in_rows &&
                          shape.kernel_columns == shape.in_columns && shape.padding_rows == 0 &&
                          shape.padding_columns == 0;
    if (layer_->op == Op::kAvgPool && is_whole) {
      layer_->op = Op::kGlobalPool;
      return make_global_pool();
    }
    return true;
  }

  bool make_global_pool() {
    if (!needs_image("a pool")) {
      return false;
    }
    const std::int64_t rows = number("output_size_rows", 1);
    const std::int64_t columns = number("output_size_columns", 1);
    if (rows < 1 || columns < 1) {
      return fail("its output_size is not above 0");
    }
    layer_->out = {
        1, layer_->in[1], static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns)};
    if (rows != 1 || columns != 1) {
      layer_->op = Op::kOther;
      return true;
    }
    layer_->tile_shape = {.kind = TileKind::kGlobalPool,
                          .in_rows = layer_->in[2],
                          .in_columns = layer_->in[3],
                          .in_channels = layer_->in[1],
                          .out_channels = layer_->in[1],
                          .kernel_rows = layer_->in[2],
                          .kernel_columns = layer_->in[3]};
    return true;
  }

  bool make_add() {
    for (const std::size_t read : layer_->reads) {
      if (layers_[read].out != layer_->in) {
        return fail(fmt::format("{} writes {}, and {} writes {}: they cannot be added",
                                shown(layers_[layer_->reads.front()].name),
                                shape_text(layer_->in),
                                shown(layers_[read].name),
                                shape_text(layers_[read].out)),
                    "a shortcut has the shape of what it passes by");
      }
    }
    if (layer_->reads.size() < 2) {
      return fail("it adds two inputs, and reads one", "name both: \"inputs\": [\"a\", \"b\"]");
    }
    layer_->out = layer_->in;
    layer_->tile_shape = {.kind = TileKind::kAdd,
                          .in_channels = elements_of(layer_->in),
                          .out_channels = elements_of(layer_->in)};
    return true;
  }

  bool make_concat() {
    const std::int64_t dim = number("dim", 1);
    // It may be counted from the end.
    const auto count = static_cast<std::int64_t>(layer_->in.size());
    if (dim < -1 * count || dim >= count) {
      return fail(fmt::format("{} has no dimension {}", shape_text(layer_->in), dim));
    }
    const auto along = static_cast<std::size_t>(dim < 0 ? dim + count : dim);
    layer_->out = layer_->in;
    layer_->out[along] = 0;
    for (const std::size_t read : layer_->reads) {
      Shape other = layers_[read].out;
      const std::uint64_t more = other.size() == layer_->in.size() ? other[along] : 0;
      if (more != 0) {
        other[along] = layer_->in[along];
      }
      if (more == 0 || other != layer_->in) {
        return fail(fmt::format("{} writes {}, which cannot stand beside {} in dimension {}",
                                shown(layers_[read].name),
                                shape_text(layers_[read].out),
                                shape_text(layer_->in),
                                dim));
      }
      layer_->out[along] = core::checked_add(layer_->out[along], more).value_or(UINT64_MAX);
    }
    const bool is_image = layer_->out.size() == kDimensionsOfImage && along == 1;
    layer_->op = is_image ? Op::kConcat : Op::kOther;
    if (is_image) {
      layer_->tile_shape = {.kind = TileKind::kConcat,
                            .in_rows = layer_->in[2],
                            .in_columns = layer_->in[3],
                            .in_channels = layer_->out[1],
                            .out_rows = layer_->in[2],
                            .out_columns = layer_->in[3],
                            .out_channels = layer_->out[1]};
    }
    return true;
  }

  bool make_pad() {
    if (!needs_image("padding")) {
      return false;
    }
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    std::uint64_t top = 0;
    std::uint64_t bottom = 0;
    // A number or a pair is of both sides: columns first, as PyTorch has it.
    const std::int64_t first = number("padding_rows", 0);
    const std::int64_t second = number("padding_columns", 0);
    if (!take("padding_left", first, 0, left) || !take("padding_right", first, 0, right) ||
        !take("padding_top", second, 0, top) || !take("padding_bottom", second, 0, bottom)) {
      return false;
    }
    layer_->out = {1, layer_->in[1], layer_->in[2] + top + bottom, layer_->in[3] + left + right};
    layer_->tile_shape = {.in_channels = layer_->in[1],
                          .out_channels = layer_->in[1],
                          .padding_rows = top,
                          .padding_columns = left};
    return true;
  }

  bool make_view() {
    const ViewShape view = view_of(*op_, layer_->in);
    if (!view.why_not.empty()) {
      return fail(view.why_not);
    }
    layer_->out = view.shape;
    // Where the elements change places, bytes move.
    layer_->op = view.moves ? Op::kOther : Op::kView;
    return true;
  }

  bool make_other(const LayerKind& kind) {
    const model::NetworkTensor* const said = tensor(op_->id);
    if (said != nullptr && !said->shape.empty()) {
      layer_->out = said->shape;
      return true;
    }
    if (kind.keeps_shape) {
      layer_->out = layer_->in;
      return true;
    }
    return fail(fmt::format("what a {} makes of {} is not known, and it says no output_shape",
                            core::printable(op_->kind, 60),
                            shape_text(layer_->in)),
                "add its output_shape: memory can be planned then, whatever it computes");
  }

  // What was inferred is what the report says, and a size that memory can have.
  bool check_shape() {
    const model::NetworkTensor* const said = tensor(op_->id);
    if (said != nullptr && !said->shape.empty() && said->shape != layer_->out) {
      return fail(fmt::format("it makes {} of {}, and its output_shape is {}",
                              shape_text(layer_->out),
                              shape_text(layer_->in),
                              shape_text(said->shape)));
    }
    if (layer_->out.front() != 1) {
      return fail(fmt::format("{} is a batch of {}: ARES runs one input at a time",
                              shape_text(layer_->out),
                              layer_->out.front()),
                  "extract the network with a batch of 1");
    }
    const std::uint64_t elements = elements_of(layer_->out);
    return (elements > 0 && elements <= kMostElements) ||
           fail(fmt::format("{} {}",
                            shape_text(layer_->out),
                            elements == 0 ? "has no elements" : "is more than any memory has"));
  }

  // Weights of that shape, each used for `uses` outputs; a bias for the first dimension.
  bool weigh(const Shape& weights, std::uint64_t uses) {
    const std::uint64_t count = elements_of(weights);
    std::uint64_t bits = 0;
    if (!take("weight_bit_width", kBitsOfByte, 1, bits)) {
      return false;
    }
    const auto macs = core::checked_mul(count, uses);
    if (!macs || count > kMostElements || bits > kBitsOfByte || kBitsOfByte % bits != 0) {
      return fail(
          bits > kBitsOfByte || kBitsOfByte % bits != 0
              ? fmt::format("weights of {} bits are not of int8 or packed into it", bits)
              : fmt::format("{} weights are more than any memory has", shape_text(weights)));
    }
    layer_->macs = *macs;
    const std::uint64_t a_byte = kBitsOfByte / bits;
    layer_->weights = core::Bytes{count / a_byte + (count % a_byte == 0 ? 0 : 1)};
    layer_->bias = core::Bytes{number("bias_fp32", 1) == 0 ? 0 : weights.front() * kBytesOfBias};
    const auto* const array = tensor(op_->id + "_weight_int8");
    if (array != nullptr && elements_of(array->shape) != count) {
      return fail(fmt::format("its weights are {}, and weight_int8 has {}",
                              shape_text(weights),
                              shape_text(array->shape)));
    }
    const auto* const bias = tensor(op_->id + "_bias_fp32");
    if (bias != nullptr && elements_of(bias->shape) != weights.front()) {
      return fail(fmt::format(
          "it has {} channels, and bias_fp32 has {}", weights.front(), shape_text(bias->shape)));
    }
    return true;
  }

  // Of layers without weights of their own shape: what arrays there are.
  bool read_constants() {
    if (layer_->op == Op::kConv || layer_->op == Op::kLinear) {
      return true;
    }
    for (const std::string& id : op_->reads) {
      const model::NetworkTensor* const array = index_.contains(id) ? nullptr : tensor(id);
      if (array == nullptr) {
        continue;
      }
      const std::uint64_t element = array->type == "int8" ? 1 : kBytesOfBias;
      core::Bytes& sum =
          id.ends_with("weight_int8") || id.ends_with("_weight") ? layer_->weights : layer_->bias;
      sum +=
          core::Bytes{core::checked_mul(elements_of(array->shape), element).value_or(UINT64_MAX)};
    }
    if (layer_->weights == core::Bytes{}) {
      std::uint64_t said = 0;
      if (!take("weight_size_bytes", 0, 0, said)) {
        return false;
      }
      layer_->weights = core::Bytes{said};
    }
    return layer_->weights + layer_->bias <= model::kLargestPlan ||
           fail("its constants are more than any memory has");
  }

  // The last linear layer gives fp32, unless somebody computes with what it gives.
  void find_classifier() {
    for (std::size_t i = layers_.size(); i-- > 0 && layers_[i].op != Op::kOther;) {
      if (layers_[i].op == Op::kLinear) {
        constexpr std::uint64_t kFloat = 4;
        layers_[i].element = kFloat;
        layers_[i].tile_shape.out_element = kFloat;
        for (std::size_t view = i + 1; view < layers_.size(); ++view) {
          layers_[view].element = kFloat;
        }
        return;
      }
      if (layers_[i].op != Op::kView) {
        return;
      }
    }
  }

  [[nodiscard]] static double scale_of(const model::Operator& op, std::string_view name) {
    const auto found = std::ranges::find(
        op.scales, name, [](const auto& scale) -> std::string_view { return scale.first; });
    return found == op.scales.end() ? 0 : found->second;
  }

  // A layer that says none has the scale of the next that quantises; without one, it is 1.
  void find_scales() {
    const auto& operators = report_.network.operators;
    double next = 1;
    for (std::size_t i = layers_.size(); i-- > 0;) {
      const double own = scale_of(operators[i], "scale");
      const double out = scale_of(operators[i], "scale_output");
      layers_[i].scale_out = out > 0 ? out : own > 0 ? own : 0;
      const bool quantises = layers_[i].op == Op::kRequantise || layers_[i].op == Op::kRelu;
      if (layers_[i].scale_out == 0 &&
          (layers_[i].op == Op::kConv || layers_[i].op == Op::kLinear)) {
        layers_[i].scale_out = next;
      }
      // An average is quantised once, by the quantiser behind it.
      const bool averages = layers_[i].op == Op::kAvgPool || layers_[i].op == Op::kGlobalPool;
      if (averages && layers_[i].scale_out == 0 && i + 1 < layers_.size() &&
          layers_[i + 1].op == Op::kRequantise && layers_[i + 1].reads == std::vector{i}) {
        layers_[i].scale_out = layers_[i + 1].scale_out;
      }
      next = quantises && layers_[i].scale_out > 0 ? layers_[i].scale_out : next;
    }
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const double before =
          layers_[i].reads.empty() ? 1 : layers_[layers_[i].reads.front()].scale_out;
      const double said = scale_of(operators[i], "scale_input");
      const double weight = scale_of(operators[i], "scale_weight");
      layers_[i].scale_in = said > 0 ? said : before;
      layers_[i].scale_weight = weight > 0 ? weight : 1;
      layers_[i].scale_out = layers_[i].scale_out > 0 ? layers_[i].scale_out : layers_[i].scale_in;
      for (std::size_t j = 0; j < layers_[i].reads.size(); ++j) {
        const double own = scale_of(operators[i], fmt::format("scale{}", j + 1));
        layers_[i].read_scales.push_back(own > 0 ? own : layers_[layers_[i].reads[j]].scale_out);
      }
    }
  }

  static constexpr std::int64_t kMissing = INT64_MIN;

  const model::PlanReport& report_;
  const Shape& input_;
  std::map<std::string_view, const model::NetworkTensor*> tensors_;
  std::map<std::string, std::size_t> index_;
  std::vector<Layer> layers_;
  const model::Operator* op_ = nullptr;
  Layer* layer_ = nullptr;
  core::Diagnostics errors_;
};

}  // namespace

core::Bytes size_of(const Layer& layer) {
  return core::Bytes{core::checked_mul(elements_of(layer.out), layer.element).value_or(UINT64_MAX)};
}

std::string shape_text(const Shape& shape) {
  return core::join(
      core::texts_of(shape, [](std::uint64_t dimension) { return fmt::format("{}", dimension); }),
      "x");
}

std::uint64_t elements_of(const Shape& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t dimension : shape) {
    count = core::checked_mul(count, dimension).value_or(UINT64_MAX);
  }
  return count;
}

core::Result<std::vector<Layer>> layers_of(const model::PlanReport& report, const Shape& input) {
  return LayerBuilder{report, input}.run();
}

}  // namespace memsize::network
