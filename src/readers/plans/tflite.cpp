// A model of TensorFlow Lite (.tflite): tensors and the order of operators, of which follows what
// is alive when. Ids are the tensors' indices, which heliaAOT's reports have, too. Nothing is
// planned yet, and what kernels take for themselves is not in the file.
//
// Where a tensor's bytes are in the file, it is a constant; where it is a variable, it keeps them
// from run to run. Tensors of one buffer are one constant. FlatBuffers' verifier sees to it that no
// offset leads out of the file.
#include "memsize/core/text.hpp"
#include "memsize/readers/constants_reader.hpp"

#include "plan_formats.hpp"
#include "plan_problems.hpp"
#include "tflite_generated.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Bytes;
using core::Code;

constexpr std::uint32_t kTfliteSchema = 3;
constexpr std::size_t kTfliteIdentifier = 4;
constexpr std::size_t kLongestKind = 60;
constexpr const char* kCopyAgain = "convert the model again, or copy the file again";
constexpr const char* kNotInModels = "kernels' own scratch is not in a .tflite";

// Bits of an element, by tflite's TensorType; 0: it has no fixed size (string, resource, variant).
constexpr auto kBits = std::to_array<std::uint64_t>(
    {32, 16, 32, 8, 64, 0, 8, 16, 64, 8, 64, 128, 64, 0, 0, 32, 16, 4});

constexpr auto kTypes = std::to_array<std::string_view>({"float32",
                                                         "float16",
                                                         "int32",
                                                         "uint8",
                                                         "int64",
                                                         "",
                                                         "bool",
                                                         "int16",
                                                         "complex64",
                                                         "int8",
                                                         "float64",
                                                         "complex128",
                                                         "uint64",
                                                         "",
                                                         "",
                                                         "uint32",
                                                         "uint16",
                                                         "int4"});

// By tflite's BuiltinOperator, as far as models for microcontrollers go.
constexpr std::size_t kCustomOperator = 32;
constexpr auto kOperatorKinds = std::to_array<std::string_view>({"ADD",
                                                                 "AVERAGE_POOL_2D",
                                                                 "CONCATENATION",
                                                                 "CONV_2D",
                                                                 "DEPTHWISE_CONV_2D",
                                                                 "DEPTH_TO_SPACE",
                                                                 "DEQUANTIZE",
                                                                 "EMBEDDING_LOOKUP",
                                                                 "FLOOR",
                                                                 "FULLY_CONNECTED",
                                                                 "HASHTABLE_LOOKUP",
                                                                 "L2_NORMALIZATION",
                                                                 "L2_POOL_2D",
                                                                 "LOCAL_RESPONSE_NORMALIZATION",
                                                                 "LOGISTIC",
                                                                 "LSH_PROJECTION",
                                                                 "LSTM",
                                                                 "MAX_POOL_2D",
                                                                 "MUL",
                                                                 "RELU",
                                                                 "RELU_N1_TO_1",
                                                                 "RELU6",
                                                                 "RESHAPE",
                                                                 "RESIZE_BILINEAR",
                                                                 "RNN",
                                                                 "SOFTMAX",
                                                                 "SPACE_TO_DEPTH",
                                                                 "SVDF",
                                                                 "TANH",
                                                                 "CONCAT_EMBEDDINGS",
                                                                 "SKIP_GRAM",
                                                                 "CALL",
                                                                 "CUSTOM",
                                                                 "EMBEDDING_LOOKUP_SPARSE",
                                                                 "PAD",
                                                                 "UNIDIRECTIONAL_SEQUENCE_RNN",
                                                                 "GATHER",
                                                                 "BATCH_TO_SPACE_ND",
                                                                 "SPACE_TO_BATCH_ND",
                                                                 "TRANSPOSE",
                                                                 "MEAN",
                                                                 "SUB",
                                                                 "DIV",
                                                                 "SQUEEZE",
                                                                 "UNIDIRECTIONAL_SEQUENCE_LSTM",
                                                                 "STRIDED_SLICE",
                                                                 "BIDIRECTIONAL_SEQUENCE_RNN",
                                                                 "EXP",
                                                                 "TOPK_V2",
                                                                 "SPLIT",
                                                                 "LOG_SOFTMAX",
                                                                 "DELEGATE",
                                                                 "BIDIRECTIONAL_SEQUENCE_LSTM",
                                                                 "CAST",
                                                                 "PRELU",
                                                                 "MAXIMUM",
                                                                 "ARG_MAX",
                                                                 "MINIMUM",
                                                                 "LESS",
                                                                 "NEG",
                                                                 "PADV2",
                                                                 "GREATER",
                                                                 "GREATER_EQUAL",
                                                                 "LESS_EQUAL",
                                                                 "SELECT",
                                                                 "SLICE",
                                                                 "SIN",
                                                                 "TRANSPOSE_CONV",
                                                                 "SPARSE_TO_DENSE",
                                                                 "TILE",
                                                                 "EXPAND_DIMS",
                                                                 "EQUAL",
                                                                 "NOT_EQUAL",
                                                                 "LOG",
                                                                 "SUM",
                                                                 "SQRT",
                                                                 "RSQRT",
                                                                 "SHAPE",
                                                                 "POW",
                                                                 "ARG_MIN",
                                                                 "FAKE_QUANT",
                                                                 "REDUCE_PROD",
                                                                 "REDUCE_MAX",
                                                                 "PACK",
                                                                 "LOGICAL_OR",
                                                                 "ONE_HOT",
                                                                 "LOGICAL_AND",
                                                                 "LOGICAL_NOT",
                                                                 "UNPACK",
                                                                 "REDUCE_MIN",
                                                                 "FLOOR_DIV",
                                                                 "REDUCE_ANY",
                                                                 "SQUARE",
                                                                 "ZEROS_LIKE",
                                                                 "FILL",
                                                                 "FLOOR_MOD",
                                                                 "RANGE",
                                                                 "RESIZE_NEAREST_NEIGHBOR",
                                                                 "LEAKY_RELU",
                                                                 "SQUARED_DIFFERENCE",
                                                                 "MIRROR_PAD",
                                                                 "ABS",
                                                                 "SPLIT_V",
                                                                 "UNIQUE",
                                                                 "CEIL",
                                                                 "REVERSE_V2",
                                                                 "ADD_N",
                                                                 "GATHER_ND",
                                                                 "COS",
                                                                 "WHERE",
                                                                 "RANK",
                                                                 "ELU",
                                                                 "REVERSE_SEQUENCE",
                                                                 "MATRIX_DIAG",
                                                                 "QUANTIZE",
                                                                 "MATRIX_SET_DIAG",
                                                                 "ROUND",
                                                                 "HARD_SWISH"});

// Flatbuffers are read where they lie, so they lie as their numbers need it.
class Aligned {
 public:
  explicit Aligned(std::string_view text) : text_(text) {
    constexpr std::uintptr_t kLargest = alignof(std::max_align_t);
    if (reinterpret_cast<std::uintptr_t>(text.data()) % kLargest != 0) {
      copy_.resize(text.size() / sizeof(std::max_align_t) + 1);
      std::memcpy(copy_.data(), text.data(), text.size());
    }
  }

  [[nodiscard]] const std::uint8_t* data() const {
    return copy_.empty() ? reinterpret_cast<const std::uint8_t*>(text_.data())
                         : reinterpret_cast<const std::uint8_t*>(copy_.data());
  }

 private:
  std::string_view text_;
  std::vector<std::max_align_t> copy_;
};

class TfliteReader {
 public:
  explicit TfliteReader(const std::string& path) : problems_(path) {}

  PlanResult read(std::string_view text) {
    const Aligned bytes{text};
    flatbuffers::Verifier verifier{bytes.data(), text.size()};
    if (!tflite::VerifyModelBuffer(verifier)) {
      problems_.error(Code::kPlanSyntax,
                      {},
                      "the model is cut off, or damaged: it leads out of the file",
                      kCopyAgain);
      return problems_.finish({});
    }
    const tflite::Model& model = *tflite::GetModel(bytes.data());
    if (model.version() != kTfliteSchema) {
      problems_.error(Code::kPlanVersion,
                      {},
                      fmt::format("this is version {} of TensorFlow Lite's schema, and memsize "
                                  "reads version {}",
                                  model.version(),
                                  kTfliteSchema),
                      "convert the model again with TensorFlow 2");
      return problems_.finish({});
    }
    const std::size_t graphs = model.subgraphs() == nullptr ? 0 : model.subgraphs()->size();
    if (graphs != 1) {
      problems_.error(Code::kPlanSyntax,
                      {},
                      fmt::format("the model has {}, and memsize reads models of one",
                                  core::plural(graphs, "subgraph")),
                      "models with control flow (IF, WHILE, CALL_ONCE) have several: convert one "
                      "without, or name the compiler's report");
      return problems_.finish({});
    }
    buffers_ = model.buffers();
    codes_ = model.operator_codes();
    read_graph(*model.subgraphs()->Get(0));
    return problems_.finish(std::move(report_));
  }

 private:
  using Indices = flatbuffers::Vector<std::int32_t>;

  /// The first operator that uses or makes a tensor, and the last one.
  struct Span {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = -1;
    std::uint64_t uses = 0;
  };

  void read_graph(const tflite::SubGraph& graph) {
    const std::size_t tensors = graph.tensors() == nullptr ? 0 : graph.tensors()->size();
    const std::size_t operators = graph.operators() == nullptr ? 0 : graph.operators()->size();
    if (tensors == 0 || operators == 0) {
      problems_.error(Code::kReadEmpty,
                      {},
                      fmt::format("the model has no {}", tensors == 0 ? "tensors" : "operators"),
                      kCopyAgain);
      return;
    }
    if (tensors > kMostPlanBlocks) {
      problems_.too_many({});
      return;
    }
    spans_.resize(tensors);
    for (std::size_t i = 0; i < operators; ++i) {
      const tflite::Operator& each = *graph.operators()->Get(static_cast<unsigned>(i));
      const std::string what = fmt::format("operator {}", i);
      touch(each.inputs(), static_cast<std::int64_t>(i), what);
      touch(each.outputs(), static_cast<std::int64_t>(i), what);
      if (!problems_.failed()) {
        add_operator(i, each, *graph.tensors());
      }
    }
    std::vector<bool> inputs(tensors);
    std::vector<bool> outputs(tensors);
    mark(graph.inputs(), inputs, "the model's inputs");
    mark(graph.outputs(), outputs, "the model's outputs");
    const auto last = static_cast<std::int64_t>(operators) - 1;
    for (std::size_t i = 0; i < tensors && !problems_.failed(); ++i) {
      if (inputs[i]) {
        spans_[i].first = 0;
        spans_[i].last = std::max<std::int64_t>(spans_[i].last, 0);
      }
      if (outputs[i]) {
        spans_[i].first = std::min(spans_[i].first, last);
        spans_[i].last = last;
      }
      add(i, *graph.tensors()->Get(static_cast<unsigned>(i)), inputs[i], outputs[i]);
    }
    if (open_ != 0) {
      problems_.warn(Code::kPlanSize,
                     {},
                     fmt::format("{} of a shape that is known at run time only, the first is {}: "
                                 "they count as the file has them",
                                 core::plural(open_, "tensor"),
                                 first_open_),
                     "convert the model with a fixed shape of its inputs");
    }
    report_.missing = kNotInModels;
  }

  [[nodiscard]] bool is_tensor(std::int32_t index, const std::string& what) {
    if (index >= 0 && static_cast<std::size_t>(index) < spans_.size()) {
      return true;
    }
    problems_.error(Code::kPlanSyntax,
                    {},
                    fmt::format("{}: there is no tensor {} (the model has {})",
                                what,
                                index,
                                core::plural(spans_.size(), "tensor")),
                    kCopyAgain);
    return false;
  }

  void touch(const Indices* indices, std::int64_t step, const std::string& what) {
    if (indices == nullptr) {
      return;
    }
    for (const std::int32_t index : *indices) {
      // An optional input that this operator does without.
      if (index == -1 || !is_tensor(index, what)) {
        continue;
      }
      Span& span = spans_[static_cast<std::size_t>(index)];
      span.first = std::min(span.first, step);
      span.last = std::max(span.last, step);
      ++span.uses;
    }
  }

  using Tensors = flatbuffers::Vector<flatbuffers::Offset<tflite::Tensor>>;

  void add_operator(std::size_t index, const tflite::Operator& each, const Tensors& tensors) {
    model::Operator added{.id = fmt::format("{}", index), .kind = kind_of(each), .passes = 1};
    const auto list = [](const Indices* indices, std::vector<std::string>& ids) {
      for (std::size_t i = 0; indices != nullptr && i < indices->size(); ++i) {
        const std::int32_t tensor = indices->Get(static_cast<unsigned>(i));
        if (tensor >= 0) {
          ids.push_back(fmt::format("{}", tensor));
        }
      }
    };
    list(each.inputs(), added.reads);
    list(each.outputs(), added.writes);
    add_attributes(each, added);
    const bool has_output = each.outputs() != nullptr && each.outputs()->size() != 0;
    const std::int32_t first = has_output ? each.outputs()->Get(0) : -1;
    const Indices* const shape =
        first < 0 ? nullptr : tensors.Get(static_cast<unsigned>(first))->shape();
    // All but the last dimension, which is the channels'. A shape that cannot be is told of its
    // tensor.
    constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
    for (std::size_t i = 0; shape != nullptr && i + 1 < shape->size(); ++i) {
      const std::int32_t places = std::max(shape->Get(static_cast<unsigned>(i)), 1);
      added.passes = std::min(added.passes * static_cast<std::uint64_t>(places), kMost);
    }
    report_.network.operators.push_back(std::move(added));
  }

  // Names are the format's.
  static void add_attributes(const tflite::Operator& each, model::Operator& added) {
    const auto add = [&](const char* name, std::int64_t value) {
      added.attributes.emplace_back(name, value);
    };
    const auto add_strides = [&](const auto& options) {
      add("padding", options.padding());
      add("stride_h", options.stride_h());
      add("stride_w", options.stride_w());
    };
    if (const auto* conv = each.builtin_options_as_Conv2DOptions()) {
      add_strides(*conv);
      add("dilation_h_factor", conv->dilation_h_factor());
      add("dilation_w_factor", conv->dilation_w_factor());
      add("fused_activation_function", conv->fused_activation_function());
    } else if (const auto* depthwise = each.builtin_options_as_DepthwiseConv2DOptions()) {
      add_strides(*depthwise);
      add("depth_multiplier", depthwise->depth_multiplier());
      add("dilation_h_factor", depthwise->dilation_h_factor());
      add("dilation_w_factor", depthwise->dilation_w_factor());
      add("fused_activation_function", depthwise->fused_activation_function());
    } else if (const auto* pool = each.builtin_options_as_Pool2DOptions()) {
      add_strides(*pool);
      add("filter_height", pool->filter_height());
      add("filter_width", pool->filter_width());
      add("fused_activation_function", pool->fused_activation_function());
    } else if (const auto* dense = each.builtin_options_as_FullyConnectedOptions()) {
      add("fused_activation_function", dense->fused_activation_function());
    }
  }

  [[nodiscard]] std::string kind_of(const tflite::Operator& each) const {
    if (codes_ == nullptr || each.opcode_index() >= codes_->size()) {
      return {};
    }
    const tflite::OperatorCode& code = *codes_->Get(each.opcode_index());
    const auto number = static_cast<std::size_t>(
        std::max<std::int32_t>({code.deprecated_builtin_code(), code.builtin_code(), 0}));
    if (number == kCustomOperator && code.custom_code() != nullptr) {
      return core::printable(code.custom_code()->str(), kLongestKind);
    }
    return number < kOperatorKinds.size() ? std::string{kOperatorKinds[number]}
                                          : fmt::format("builtin {}", number);
  }

  void add_elements(const std::string& id, const tflite::Tensor& tensor) {
    const auto type = static_cast<std::size_t>(static_cast<std::uint8_t>(tensor.type()));
    model::NetworkTensor added{.id = id};
    if (type < kTypes.size()) {
      added.type = kTypes[type];
    }
    for (std::size_t i = 0; tensor.shape() != nullptr && i < tensor.shape()->size(); ++i) {
      const std::int32_t dimension = tensor.shape()->Get(static_cast<unsigned>(i));
      added.shape.push_back(static_cast<std::uint64_t>(std::max(dimension, 0)));
    }
    report_.network.tensors.push_back(std::move(added));
  }

  void mark(const Indices* indices, std::vector<bool>& marks, const std::string& what) {
    if (indices == nullptr) {
      return;
    }
    for (const std::int32_t index : *indices) {
      if (is_tensor(index, what)) {
        marks[static_cast<std::size_t>(index)] = true;
      }
    }
  }

  void add(std::size_t index, const tflite::Tensor& tensor, bool is_input, bool is_output) {
    model::PlannedBlock block;
    block.id = fmt::format("{}", index);
    block.name = tensor.name() == nullptr ? std::string{} : tensor.name()->str();
    if (!core::is_utf8(block.name)) {
      block.name = core::printable(block.name);
    }
    block.memory = memory_name({});
    block.is_input = is_input;
    block.is_output = is_output;
    const Span& span = spans_[index];
    const std::string what = fmt::format("tensor {}", block.id);
    const std::optional<Bytes> data = data_of(tensor, what);
    if (problems_.failed()) {
      return;
    }
    if (data && !tensor.is_variable()) {
      block.role = model::Lifetime::kConstant;
      block.size = *data;
      const auto [first, is_new] = constants_.emplace(tensor.buffer(), block.id);
      if (!is_new) {
        block.alias_of = first->second;
      }
    } else if (span.last < 0) {
      // Nobody uses it, so that nobody gives it bytes.
      return;
    } else {
      const auto size = size_of(tensor, what);
      if (!size) {
        return;
      }
      block.size = *size;
      block.role = tensor.is_variable() ? model::Lifetime::kPersistent : model::Lifetime::kScratch;
      if (!tensor.is_variable()) {
        block.live = problems_.lifetime(span.first, span.last, LastStep::kInside, {}, what);
      }
    }
    if (span.uses != 0) {
      block.uses = span.uses;
    }
    add_elements(block.id, tensor);
    report_.blocks.push_back(std::move(block));
  }

  // Of its bytes in the file; nothing: it has none there.
  std::optional<Bytes> data_of(const tflite::Tensor& tensor, const std::string& what) {
    const std::size_t buffers = buffers_ == nullptr ? 0 : buffers_->size();
    if (tensor.buffer() >= buffers && tensor.buffer() != 0) {
      problems_.error(Code::kPlanSyntax,
                      {},
                      fmt::format("{}: there is no buffer {} (the model has {})",
                                  what,
                                  tensor.buffer(),
                                  core::plural(buffers, "buffer")),
                      kCopyAgain);
      return std::nullopt;
    }
    if (tensor.buffer() == 0) {
      return std::nullopt;
    }
    const tflite::Buffer& buffer = *buffers_->Get(tensor.buffer());
    // Offsets 0 and 1 say that the bytes are here.
    const std::uint64_t size = buffer.offset() > 1        ? buffer.size()
                               : buffer.data() == nullptr ? 0
                                                          : buffer.data()->size();
    return size == 0 ? std::nullopt : problems_.size(size, {}, what);
  }

  std::optional<Bytes> size_of(const tflite::Tensor& tensor, const std::string& what) {
    const auto type = static_cast<std::size_t>(static_cast<std::uint8_t>(tensor.type()));
    const std::uint64_t bits = type < kBits.size() ? kBits[type] : 0;
    if (bits == 0) {
      problems_.error(Code::kPlanSize,
                      {},
                      fmt::format("{} has a type of no fixed size ({})", what, type),
                      "memsize cannot plan for strings, resources and types that came later");
      return std::nullopt;
    }
    const std::uint64_t most = model::kLargestPlan.count();
    const Indices* const signature = tensor.shape_signature();
    std::uint64_t elements = 1;
    bool is_open = false;
    for (std::size_t i = 0; tensor.shape() != nullptr && i < tensor.shape()->size(); ++i) {
      const std::int32_t dimension = tensor.shape()->Get(static_cast<unsigned>(i));
      if (dimension < 0 ||
          (dimension > 0 && elements > most / static_cast<std::uint64_t>(dimension))) {
        problems_.error(Code::kPlanSize,
                        {},
                        fmt::format("{}: its shape cannot be: {}", what, dimension),
                        kCopyAgain);
        return std::nullopt;
      }
      // The first is how many inputs run at once: usually open, and 1.
      is_open = is_open || (i > 0 && signature != nullptr && i < signature->size() &&
                            signature->Get(static_cast<unsigned>(i)) < 0);
      elements *= static_cast<std::uint64_t>(dimension);
    }
    if (is_open) {
      first_open_ = open_ == 0 ? what : first_open_;
      ++open_;
    }
    constexpr std::uint64_t kBitsOfByte = 8;
    const std::uint64_t whole = bits >= kBitsOfByte ? bits / kBitsOfByte : 1;
    if (elements > most / whole) {
      return problems_.size(std::numeric_limits<std::uint64_t>::max(), {}, what);
    }
    return problems_.size(
        bits >= kBitsOfByte ? elements * whole : (elements * bits + kBitsOfByte - 1) / kBitsOfByte,
        {},
        what);
  }

  PlanProblems problems_;
  model::PlanReport report_;
  const flatbuffers::Vector<flatbuffers::Offset<tflite::Buffer>>* buffers_ = nullptr;
  const flatbuffers::Vector<flatbuffers::Offset<tflite::OperatorCode>>* codes_ = nullptr;
  std::vector<Span> spans_;
  /// Tensors that may be larger at run time.
  std::size_t open_ = 0;
  std::string first_open_;
  /// The first tensor of each buffer.
  std::map<std::uint32_t, std::string> constants_;
};

}  // namespace

bool probe_tflite(std::string_view head) {
  return head.size() >= 2 * kTfliteIdentifier &&
         head.substr(kTfliteIdentifier, kTfliteIdentifier) == tflite::ModelIdentifier();
}

PlanResult read_tflite(std::string_view text, const std::string& path) {
  return TfliteReader{path}.read(text);
}

core::Result<std::map<std::string, std::string_view>> read_constants(std::string_view text,
                                                                     const std::string& path) {
  if (!probe_tflite(text)) {
    return core::fail(core::error(Code::kEmitData,
                                  "this is no .tflite, whose constants memsize could read",
                                  {path},
                                  "name the model, or a folder with ID.bin or ID.npy of each"));
  }
  const auto model = read_tflite(text, path);
  MEMSIZE_TRY(model);
  const Aligned bytes{text};
  const tflite::Model& root = *tflite::GetModel(bytes.data());
  const auto& tensors = *root.subgraphs()->Get(0)->tensors();
  std::map<std::string, std::string_view> constants;
  for (unsigned i = 0; i < tensors.size(); ++i) {
    const std::uint32_t number = tensors.Get(i)->buffer();
    if (number == 0 || tensors.Get(i)->is_variable()) {
      continue;
    }
    const tflite::Buffer& buffer = *root.buffers()->Get(number);
    const auto* const here = buffer.offset() > 1 ? nullptr : buffer.data();
    const std::uint64_t begin =
        here == nullptr ? buffer.offset() : static_cast<std::uint64_t>(here->data() - bytes.data());
    const std::uint64_t size = here != nullptr       ? here->size()
                               : buffer.offset() > 1 ? buffer.size()
                                                     : 0;
    if (size == 0) {
      continue;
    }
    if (begin > text.size() || size > text.size() - begin) {
      return core::fail(core::error(Code::kEmitData,
                                    fmt::format("the bytes of tensor {} lie outside the file", i),
                                    {path},
                                    kCopyAgain));
    }
    constants[fmt::format("{}", i)] = text.substr(begin, size);
  }
  return constants;
}

}  // namespace memsize::readers
