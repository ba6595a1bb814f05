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
constexpr std::int64_t kMissing = INT64_MIN;
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

using Tensors = core::ByName<model::NetworkTensor>;

// The operator of a layer as the report has it; what is wrong with it is told at its place.
class Described {
 public:
  Described(const model::Operator& op, const std::string& path) : op_(op), path_(path) {}

  [[nodiscard]] const model::Operator& op() const { return op_; }

  [[nodiscard]] tl::unexpected<core::Diagnostics> wrong(std::string_view message,
                                                        std::string hint = kExtract) const {
    return core::fail(core::error(Code::kPlanNetwork,
                                  fmt::format("layer {}: {}", shown(op_.id), message),
                                  {path_, op_.line},
                                  std::move(hint)));
  }

  [[nodiscard]] std::int64_t number(std::string_view name, std::int64_t fallback) const {
    const auto* const found =
        core::find_in(op_.attributes, name, &std::pair<std::string, std::int64_t>::first);
    return found == nullptr ? fallback : found->second;
  }

  // At least `least`, and no more than sums of it stay below 2^64; an error otherwise.
  [[nodiscard]] core::Result<void> take(std::string_view name,
                                        std::int64_t fallback,
                                        std::int64_t least,
                                        std::uint64_t& out) const {
    const std::int64_t value = number(name, fallback);
    if (value < least) {
      return wrong(value == kMissing
                       ? fmt::format("'{}' is missing", name)
                       : fmt::format("'{}' is {}, which is below {}", name, value, least));
    }
    out = static_cast<std::uint64_t>(value);
    if (out > kMostElements) {
      return wrong(fmt::format("'{}' is {}, which is more than any memory has", name, value));
    }
    return {};
  }

 private:
  const model::Operator& op_;
  const std::string& path_;
};

// What an operator reads: layers before it, the first of which it computes on, and arrays.
struct Inputs {
  std::vector<const Layer*> layers;
  std::vector<const model::NetworkTensor*> arrays;
};

std::string what_writes(const Layer& layer) {
  return fmt::format("{} writes {}", shown(layer.name), shape_text(layer.out));
}

core::Result<void> needs_image(const Described& said, const Layer& read, const char* what) {
  if (read.out.size() == kDimensionsOfImage) {
    return {};
  }
  return said.wrong(fmt::format("{} reads 1xCxHxW, and {}", what, what_writes(read)));
}

// The functions make_...() give the layer with what the operator makes: its shapes and sizes.

// `shape` is the input's where somebody says it.
core::Result<Layer> make_input(const Described& said, const Shape& shape) {
  if (kind_of(said.op().kind).op != Op::kRequantise) {
    return said.wrong(
        fmt::format("a network begins with a QuantIdentity, which quantises its input; "
                    "this begins with a {}",
                    core::printable(said.op().kind, 60)),
        "put a QuantIdentity before it, or mend __layer_order__");
  }
  if (shape.empty()) {
    return said.wrong("nobody says what shape the network's input has",
                      "add \"output_shape\": [1, channels, rows, columns] to it, or keep the "
                      "folder test_cases beside the file");
  }
  return Layer{.op = Op::kInput, .in = shape, .out = shape};
}

// Kernel, stride and padding; what it makes of rows and columns.
core::Result<TileShape> slide(const Described& said, const Layer& read, bool is_conv) {
  MEMSIZE_TRY(needs_image(said, read, is_conv ? "a convolution" : "a pool"));
  TileShape shape{.in_rows = read.out[2], .in_columns = read.out[3], .in_channels = read.out[1]};
  MEMSIZE_TRY(said.take("kernel_size_rows", kMissing, 1, shape.kernel_rows));
  MEMSIZE_TRY(said.take("kernel_size_columns", kMissing, 1, shape.kernel_columns));
  // A pool's windows stand side by side where nobody says otherwise.
  const auto step = [&](std::uint64_t kernel) {
    return is_conv ? 1 : static_cast<std::int64_t>(kernel);
  };
  MEMSIZE_TRY(said.take("stride_rows", step(shape.kernel_rows), 1, shape.stride_rows));
  MEMSIZE_TRY(said.take("stride_columns", step(shape.kernel_columns), 1, shape.stride_columns));
  MEMSIZE_TRY(said.take("padding_rows", 0, 0, shape.padding_rows));
  MEMSIZE_TRY(said.take("padding_columns", 0, 0, shape.padding_columns));
  const auto rows =
      positions(shape.in_rows, shape.padding_rows, shape.kernel_rows, shape.stride_rows);
  const auto columns = positions(
      shape.in_columns, shape.padding_columns, shape.kernel_columns, shape.stride_columns);
  if (!rows || !columns) {
    return said.wrong(fmt::format("{} of {}x{} is larger than what it reads, {} with its padding",
                                  is_conv ? "a kernel" : "a window",
                                  shape.kernel_rows,
                                  shape.kernel_columns,
                                  shape_text(read.out)));
  }
  shape.out_rows = *rows;
  shape.out_columns = *columns;
  // Tiles have the padding, too: a large stride makes little of much.
  const Shape padded = {shape.in_channels,
                        shape.in_rows + 2 * shape.padding_rows,
                        shape.in_columns + 2 * shape.padding_columns};
  if (elements_of(padded) > kMostElements) {
    return said.wrong(
        fmt::format("{} with its padding is more than any memory has", shape_text(read.out)));
  }
  return shape;
}

// The layer with weights of that shape, each used for `uses` outputs; a bias for the first
// dimension.
core::Result<Layer> weighed(const Described& said,
                            const Tensors& tensors,
                            const Shape& weights,
                            std::uint64_t uses,
                            Layer layer) {
  const std::uint64_t count = elements_of(weights);
  std::uint64_t bits = 0;
  MEMSIZE_TRY(said.take("weight_bit_width", kBitsOfByte, 1, bits));
  if (bits > kBitsOfByte || kBitsOfByte % bits != 0) {
    return said.wrong(fmt::format("weights of {} bits are not of int8 or packed into it", bits));
  }
  const auto macs = core::checked_mul(count, uses);
  if (!macs || count > kMostElements) {
    return said.wrong(fmt::format("{} weights are more than any memory has", shape_text(weights)));
  }
  layer.macs = *macs;
  const std::uint64_t a_byte = kBitsOfByte / bits;
  layer.weights = core::Bytes{count / a_byte + (count % a_byte == 0 ? 0 : 1)};
  layer.bias = core::Bytes{said.number("bias_fp32", 1) == 0 ? 0 : weights.front() * kBytesOfBias};
  const auto* const array = tensors.find(said.op().id + "_weight_int8");
  if (array != nullptr && elements_of(array->shape) != count) {
    return said.wrong(fmt::format("its weights are {}, and weight_int8 has {}",
                                  shape_text(weights),
                                  shape_text(array->shape)));
  }
  const auto* const bias = tensors.find(said.op().id + "_bias_fp32");
  if (bias != nullptr && elements_of(bias->shape) != weights.front()) {
    return said.wrong(fmt::format(
        "it has {} channels, and bias_fp32 has {}", weights.front(), shape_text(bias->shape)));
  }
  return layer;
}

core::Result<Layer> make_conv(const Described& said, const Layer& read, const Tensors& tensors) {
  auto slid = slide(said, read, true);
  MEMSIZE_TRY(slid);
  TileShape& shape = *slid;
  std::uint64_t channels = 0;
  MEMSIZE_TRY(said.take("out_channels", kMissing, 1, shape.out_channels));
  MEMSIZE_TRY(said.take("in_channels", static_cast<std::int64_t>(shape.in_channels), 1, channels));
  MEMSIZE_TRY(said.take("groups", 1, 1, shape.groups));
  if (channels != shape.in_channels) {
    return said.wrong(fmt::format("in_channels is {}, and {}", channels, what_writes(read)));
  }
  if (channels % shape.groups != 0 || shape.out_channels % shape.groups != 0) {
    return said.wrong(fmt::format("{} groups do not divide {} channels in and {} out",
                                  shape.groups,
                                  channels,
                                  shape.out_channels));
  }
  if (said.number("dilation_rows", 1) != 1 || said.number("dilation_columns", 1) != 1) {
    return said.wrong("its kernel is dilated, which ARES does not have", "give it a plain kernel");
  }
  shape.kind = shape.groups > 1 && shape.groups == channels && shape.out_channels == channels
                   ? TileKind::kDepthwise
                   : TileKind::kConv;
  return weighed(
      said,
      tensors,
      {shape.out_channels, channels / shape.groups, shape.kernel_rows, shape.kernel_columns},
      elements_of({shape.out_rows, shape.out_columns}),
      {.op = Op::kConv,
       .out = {1, shape.out_channels, shape.out_rows, shape.out_columns},
       .tile_shape = shape});
}

// On 1xTxK each of T tokens; everything else is one row of K.
core::Result<Layer> make_linear(const Described& said, const Layer& read, const Tensors& tensors) {
  TileShape shape{.kind = TileKind::kLinear};
  MEMSIZE_TRY(said.take("in_features", kMissing, 1, shape.in_channels));
  MEMSIZE_TRY(said.take("out_features", kMissing, 1, shape.out_channels));
  const bool has_tokens = read.out.size() == 3 && read.out.back() == shape.in_channels;
  if (!has_tokens && elements_of(read.out) != shape.in_channels) {
    return said.wrong(
        fmt::format("in_features is {}, and {}", shape.in_channels, what_writes(read)));
  }
  shape.in_rows = has_tokens ? read.out[1] : 1;
  shape.out_rows = shape.in_rows;
  return weighed(said,
                 tensors,
                 {shape.out_channels, shape.in_channels},
                 shape.in_rows,
                 {.op = Op::kLinear,
                  .out = has_tokens ? Shape{1, shape.in_rows, shape.out_channels}
                                    : Shape{1, shape.out_channels},
                  .tile_shape = shape});
}

// The mean of each channel.
Layer whole_mean(const Layer& read) {
  const std::uint64_t channels = read.out[1];
  return {.op = Op::kGlobalPool,
          .out = {1, channels, 1, 1},
          .tile_shape = {.kind = TileKind::kGlobalPool,
                         .in_rows = read.out[2],
                         .in_columns = read.out[3],
                         .in_channels = channels,
                         .out_channels = channels,
                         .kernel_rows = read.out[2],
                         .kernel_columns = read.out[3]}};
}

core::Result<Layer> make_global_pool(const Described& said, const Layer& read) {
  MEMSIZE_TRY(needs_image(said, read, "a pool"));
  const std::int64_t rows = said.number("output_size_rows", 1);
  const std::int64_t columns = said.number("output_size_columns", 1);
  if (rows < 1 || columns < 1) {
    return said.wrong("its output_size is not above 0");
  }
  if (rows == 1 && columns == 1) {
    return whole_mean(read);
  }
  return Layer{
      .op = Op::kOther,
      .out = {
          1, read.out[1], static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns)}};
}

core::Result<Layer> make_pool(const Described& said, const Layer& read, Op op) {
  auto slid = slide(said, read, false);
  MEMSIZE_TRY(slid);
  TileShape& shape = *slid;
  shape.kind = TileKind::kPool;
  shape.out_channels = shape.in_channels;
  const bool is_whole = shape.kernel_rows == shape.in_rows &&
                        shape.kernel_columns == shape.in_columns && shape.padding_rows == 0 &&
                        shape.padding_columns == 0;
  if (op == Op::kAvgPool && is_whole) {
    return whole_mean(read);
  }
  return Layer{.op = op,
               .out = {1, shape.out_channels, shape.out_rows, shape.out_columns},
               .tile_shape = shape};
}

// Element by element.
Layer keeping_shape(const Layer& read, Op op, TileKind kind) {
  const std::uint64_t elements = elements_of(read.out);
  return {.op = op,
          .out = read.out,
          .tile_shape = {.kind = kind, .in_channels = elements, .out_channels = elements}};
}

core::Result<Layer> make_add(const Described& said, const std::vector<const Layer*>& reads) {
  const Layer& first = *reads.front();
  for (const Layer* const read : reads) {
    if (read->out != first.out) {
      return said.wrong(
          fmt::format("{}, and {}: they cannot be added", what_writes(first), what_writes(*read)),
          "a shortcut has the shape of what it passes by");
    }
  }
  if (reads.size() < 2) {
    return said.wrong("it adds two inputs, and reads one", "name both: \"inputs\": [\"a\", \"b\"]");
  }
  return keeping_shape(first, Op::kAdd, TileKind::kAdd);
}

core::Result<Layer> make_concat(const Described& said, const std::vector<const Layer*>& reads) {
  const Shape& in = reads.front()->out;
  const std::int64_t dim = said.number("dim", 1);
  // It may be counted from the end.
  const auto count = static_cast<std::int64_t>(in.size());
  if (dim < -1 * count || dim >= count) {
    return said.wrong(fmt::format("{} has no dimension {}", shape_text(in), dim));
  }
  const auto along = static_cast<std::size_t>(dim < 0 ? dim + count : dim);
  Shape out = in;
  out[along] = 0;
  for (const Layer* const read : reads) {
    Shape other = read->out;
    const std::uint64_t more = other.size() == in.size() ? other[along] : 0;
    if (more != 0) {
      other[along] = in[along];
    }
    if (more == 0 || other != in) {
      return said.wrong(fmt::format("{}, which cannot stand beside {} in dimension {}",
                                    what_writes(*read),
                                    shape_text(in),
                                    dim));
    }
    out[along] = core::checked_add(out[along], more).value_or(UINT64_MAX);
  }
  if (out.size() != kDimensionsOfImage || along != 1) {
    return Layer{.op = Op::kOther, .out = out};
  }
  return Layer{.op = Op::kConcat,
               .out = out,
               .tile_shape = {.kind = TileKind::kConcat,
                              .in_rows = in[2],
                              .in_columns = in[3],
                              .in_channels = out[1],
                              .out_rows = in[2],
                              .out_columns = in[3],
                              .out_channels = out[1]}};
}

core::Result<Layer> make_pad(const Described& said, const Layer& read) {
  MEMSIZE_TRY(needs_image(said, read, "padding"));
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  std::uint64_t top = 0;
  std::uint64_t bottom = 0;
  // A number or a pair is of both sides: columns first, as PyTorch has it.
  const std::int64_t first = said.number("padding_rows", 0);
  const std::int64_t second = said.number("padding_columns", 0);
  MEMSIZE_TRY(said.take("padding_left", first, 0, left));
  MEMSIZE_TRY(said.take("padding_right", first, 0, right));
  MEMSIZE_TRY(said.take("padding_top", second, 0, top));
  MEMSIZE_TRY(said.take("padding_bottom", second, 0, bottom));
  const Shape& in = read.out;
  return Layer{.op = Op::kPad,
               .out = {1, in[1], in[2] + top + bottom, in[3] + left + right},
               .tile_shape = {.in_channels = in[1],
                              .out_channels = in[1],
                              .padding_rows = top,
                              .padding_columns = left}};
}

core::Result<Layer> make_view(const Described& said, const Layer& read) {
  const ViewShape view = view_of(said.op(), read.out);
  if (!view.why_not.empty()) {
    return said.wrong(view.why_not);
  }
  // Where the elements change places, bytes move.
  return Layer{.op = view.moves ? Op::kOther : Op::kView, .out = view.shape};
}

// `shape` is what the report says that it makes.
core::Result<Layer> make_other(const Described& said,
                               const Layer& read,
                               const Shape& shape,
                               bool keeps_shape) {
  if (!shape.empty() || keeps_shape) {
    return Layer{.op = Op::kOther, .out = shape.empty() ? read.out : shape};
  }
  return said.wrong(fmt::format("what a {} makes of {} is not known, and it says no output_shape",
                                core::printable(said.op().kind, 60),
                                shape_text(read.out)),
                    "add its output_shape: memory can be planned then, whatever it computes");
}

core::Result<Layer> make_layer(const Described& said,
                               const std::vector<const Layer*>& reads,
                               const Shape& said_shape,
                               const Tensors& tensors) {
  if (reads.empty()) {
    return said.wrong("it reads nothing");
  }
  const Layer& read = *reads.front();
  const LayerKind kind = kind_of(said.op().kind);
  switch (kind.op) {
    case Op::kConv:
      return make_conv(said, read, tensors);
    case Op::kLinear:
      return make_linear(said, read, tensors);
    case Op::kMaxPool:
    case Op::kAvgPool:
      return make_pool(said, read, kind.op);
    case Op::kGlobalPool:
      return make_global_pool(said, read);
    case Op::kAdd:
      return make_add(said, reads);
    case Op::kConcat:
      return make_concat(said, reads);
    case Op::kPad:
      return make_pad(said, read);
    case Op::kView:
      return make_view(said, read);
    case Op::kRelu:
    case Op::kRequantise:
      return keeping_shape(read, kind.op, TileKind::kElementwise);
    case Op::kInput:
    case Op::kOther:
      break;
  }
  return make_other(said, read, said_shape, kind.keeps_shape);
}

// What was inferred is what the report says, and a size that memory can have.
core::Result<void> check_shape(const Described& said, const Layer& layer, const Shape& said_shape) {
  if (!said_shape.empty() && said_shape != layer.out) {
    return said.wrong(fmt::format("it makes {} of {}, and its output_shape is {}",
                                  shape_text(layer.out),
                                  shape_text(layer.in),
                                  shape_text(said_shape)));
  }
  if (layer.out.front() != 1) {
    return said.wrong(fmt::format("{} is a batch of {}: ARES runs one input at a time",
                                  shape_text(layer.out),
                                  layer.out.front()),
                      "extract the network with a batch of 1");
  }
  const std::uint64_t elements = elements_of(layer.out);
  if (elements == 0 || elements > kMostElements) {
    return said.wrong(
        fmt::format("{} {}",
                    shape_text(layer.out),
                    elements == 0 ? "has no elements" : "is more than any memory has"));
  }
  return {};
}

// The layer with the arrays that there are, where its shape does not say its weights.
core::Result<Layer> with_arrays(const Described& said,
                                const std::vector<const model::NetworkTensor*>& arrays,
                                Layer layer) {
  if (layer.op == Op::kConv || layer.op == Op::kLinear) {
    return layer;
  }
  for (const model::NetworkTensor* const array : arrays) {
    const std::uint64_t element = array->type == "int8" ? 1 : kBytesOfBias;
    const bool is_weight = array->id.ends_with("weight_int8") || array->id.ends_with("_weight");
    (is_weight ? layer.weights : layer.bias) +=
        core::Bytes{core::checked_mul(elements_of(array->shape), element).value_or(UINT64_MAX)};
  }
  if (layer.weights == core::Bytes{}) {
    std::uint64_t bytes = 0;
    MEMSIZE_TRY(said.take("weight_size_bytes", 0, 0, bytes));
    layer.weights = core::Bytes{bytes};
  }
  if (layer.weights + layer.bias > model::kLargestPlan) {
    return said.wrong("its constants are more than any memory has");
  }
  return layer;
}

// What stands in the layers before, by their names, and in arrays.
Inputs inputs_of(const model::Operator& op,
                 const std::vector<Layer>& layers,
                 const std::map<std::string_view, std::size_t>& index,
                 const Tensors& tensors) {
  Inputs inputs;
  for (const std::string& id : op.reads) {
    if (const auto* const layer = core::value_in(index, id); layer != nullptr) {
      inputs.layers.push_back(&layers[*layer]);
    } else if (const auto* const array = tensors.find(id); array != nullptr) {
      inputs.arrays.push_back(array);
    }
  }
  return inputs;
}

// The last linear layer gives fp32, unless somebody computes with what it gives.
void find_classifier(std::vector<Layer>& layers) {
  for (std::size_t i = layers.size(); i-- > 0 && layers[i].op != Op::kOther;) {
    if (layers[i].op == Op::kLinear) {
      constexpr std::uint64_t kFloat = 4;
      layers[i].tile_shape.out_element = kFloat;
      for (std::size_t view = i; view < layers.size(); ++view) {
        layers[view].element = kFloat;
      }
      return;
    }
    if (layers[i].op != Op::kView) {
      return;
    }
  }
}

double scale_of(const model::Operator& op, std::string_view name) {
  const auto found = std::ranges::find(
      op.scales, name, [](const auto& scale) -> std::string_view { return scale.first; });
  return found == op.scales.end() ? 0 : found->second;
}

// A layer that says none has the scale of the next that quantises; without one, it is 1.
void find_output_scales(const std::vector<model::Operator>& operators, std::vector<Layer>& layers) {
  double next = 1;
  for (std::size_t i = layers.size(); i-- > 0;) {
    const double own = scale_of(operators[i], "scale");
    const double out = scale_of(operators[i], "scale_output");
    layers[i].scale_out = out > 0 ? out : own > 0 ? own : 0;
    const bool quantises = layers[i].op == Op::kRequantise || layers[i].op == Op::kRelu;
    if (layers[i].scale_out == 0 && (layers[i].op == Op::kConv || layers[i].op == Op::kLinear)) {
      layers[i].scale_out = next;
    }
    // An average is quantised once, by the quantiser behind it.
    const bool averages = layers[i].op == Op::kAvgPool || layers[i].op == Op::kGlobalPool;
    if (averages && layers[i].scale_out == 0 && i + 1 < layers.size() &&
        layers[i + 1].op == Op::kRequantise && layers[i + 1].reads == std::vector{i}) {
      layers[i].scale_out = layers[i + 1].scale_out;
    }
    next = quantises && layers[i].scale_out > 0 ? layers[i].scale_out : next;
  }
}

// Where nobody says them, they are those of what it reads; then its output has that, too.
void find_input_scales(const std::vector<model::Operator>& operators, std::vector<Layer>& layers) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const double before = layers[i].reads.empty() ? 1 : layers[layers[i].reads.front()].scale_out;
    const double said = scale_of(operators[i], "scale_input");
    const double weight = scale_of(operators[i], "scale_weight");
    layers[i].scale_in = said > 0 ? said : before;
    layers[i].scale_weight = weight > 0 ? weight : 1;
    layers[i].scale_out = layers[i].scale_out > 0 ? layers[i].scale_out : layers[i].scale_in;
    for (std::size_t j = 0; j < layers[i].reads.size(); ++j) {
      const double own = scale_of(operators[i], fmt::format("scale{}", j + 1));
      layers[i].read_scales.push_back(own > 0 ? own : layers[layers[i].reads[j]].scale_out);
    }
  }
}

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
  const Tensors tensors{report.network.tensors, &model::NetworkTensor::id};
  std::map<std::string_view, std::size_t> index;
  std::vector<Layer> layers;
  layers.reserve(report.network.operators.size());
  for (const model::Operator& op : report.network.operators) {
    const Described said{op, report.path};
    const Inputs inputs = inputs_of(op, layers, index, tensors);
    const auto* const output = tensors.find(op.id);
    const Shape shape = output != nullptr && !output->shape.empty() ? output->shape
                        : layers.empty()                            ? input
                                                                    : Shape{};
    auto made =
        layers.empty() ? make_input(said, shape) : make_layer(said, inputs.layers, shape, tensors);
    // What comes of a shape that is wrong would be wrong, too.
    MEMSIZE_TRY(made);
    if (!inputs.layers.empty()) {
      made->in = inputs.layers.front()->out;
    }
    MEMSIZE_TRY(check_shape(said, *made, shape));
    auto layer = with_arrays(said, inputs.arrays, std::move(*made));
    MEMSIZE_TRY(layer);
    layer->name = op.id;
    layer->kind = op.kind;
    layer->line = op.line;
    for (const Layer* const read : inputs.layers) {
      layer->reads.push_back(static_cast<std::size_t>(read - layers.data()));
    }
    for (const auto& [word, value] : op.words) {
      if (word == "weight_residency") {
        layer->residency = value;
      } else if (word == "block_id") {
        layer->block = value;
      }
    }
    index.emplace(op.id, layers.size());
    layers.push_back(std::move(*layer));
  }
  find_classifier(layers);
  find_output_scales(report.network.operators, layers);
  find_input_scales(report.network.operators, layers);
  return layers;
}

}  // namespace memsize::network
