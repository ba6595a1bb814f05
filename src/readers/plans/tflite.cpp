// A model of TensorFlow Lite (.tflite): tensors and the order of operators, of which follows what
// is alive when. Ids are the tensors' indices, which heliaAOT's reports have, too. Nothing is
// planned yet, and what kernels take for themselves is not in the file.
//
// Where a tensor's bytes are in the file, it is a constant; where it is a variable, it keeps them
// from run to run. Tensors of one buffer are one constant. FlatBuffers' verifier sees to it that no
// offset leads out of the file.
//
// Models of streams (tf.lite's resource variables) have a second subgraph, which CALL_ONCE runs
// before the first run to give variables their values; its operators' steps follow that operator's,
// as TensorFlow Lite Micro counts them (micro_allocation_info.cc). A variable is memory of its own,
// which READ_VARIABLE and ASSIGN_VARIABLE copy; what VAR_HANDLE gives lies with the kernel
// (kernels/var_handle.cc).
#include "memsize/core/aligned.hpp"
#include "memsize/core/text.hpp"
#include "memsize/readers/constants_reader.hpp"

#include "plan_formats.hpp"
#include "plan_problems.hpp"
#include "tflite_generated.h"
#include "tflite_kinds.hpp"
#include "tflite_operators.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
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
constexpr std::uint64_t kBitsOfByte = 8;
constexpr const char* kCopyAgain = "convert the model again, or copy the file again";
constexpr const char* kNotInModels = "kernels' own scratch is not in a .tflite";

// Where in the file a buffer's bytes begin, and how many there are.
std::pair<std::uint64_t, std::uint64_t> stored_in(const tflite::Buffer& buffer,
                                                  const std::uint8_t* file) {
  // Offsets 0 and 1 say that the bytes are here.
  if (buffer.offset() > 1) {
    return {buffer.offset(), buffer.size()};
  }
  const auto* const here = buffer.data();
  return here == nullptr ? std::pair<std::uint64_t, std::uint64_t>{}
                         : std::pair{static_cast<std::uint64_t>(here->data() - file),
                                     std::uint64_t{here->size()}};
}

class TfliteReader {
 public:
  explicit TfliteReader(const std::string& path) : problems_(path) {}

  PlanResult read(std::string_view text) {
    const core::AlignedText bytes{text};
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
    if (model.subgraphs() == nullptr || model.subgraphs()->size() == 0) {
      problems_.error(Code::kReadEmpty, {}, "the model has no subgraph", kCopyAgain);
      return problems_.finish({});
    }
    file_ = bytes.data();
    buffers_ = model.buffers();
    codes_ = model.operator_codes();
    metadata_ = model.metadata();
    graphs_.resize(model.subgraphs()->size());
    for (std::size_t i = 0; i < graphs_.size(); ++i) {
      graphs_[i].index = i;
      graphs_[i].graph = model.subgraphs()->Get(static_cast<unsigned>(i));
    }
    read_graphs();
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

  struct Graph {
    std::size_t index = 0;
    const tflite::SubGraph* graph = nullptr;
    /// By tensor; empty: nobody runs it.
    std::vector<Span> spans;
    /// Its steps are [begin, end).
    std::int64_t begin = 0;
    std::int64_t end = 0;
    /// By tensor: the variable that it is the handle of.
    std::map<std::int32_t, std::size_t> handles;
  };

  struct Variable {
    std::string name;
    Bytes size;
    std::optional<core::Align> alignment;
    std::uint64_t uses = 0;
  };

  void read_graphs() {
    run(graphs_.front(), {});
    for (const Graph& each : graphs_) {
      if (each.spans.empty() && !problems_.failed()) {
        problems_.error(Code::kPlanSyntax,
                        {},
                        fmt::format("the model has {}, and nobody calls number {}",
                                    core::plural(graphs_.size(), "subgraph"),
                                    each.index),
                        "memsize reads models of one subgraph and of those that CALL_ONCE calls: "
                        "convert one signature alone");
      }
    }
    for (const Graph& each : graphs_) {
      if (!problems_.failed()) {
        add_tensors(each);
      }
    }
    if (!problems_.failed()) {
      read_offsets();
    }
    for (std::size_t i = 0; i < variables_.size() && !problems_.failed(); ++i) {
      add_variable(i);
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
    report_.aligns_elements = true;
  }

  // Its operators follow those that are there; `caller` is the one that runs it.
  void run(Graph& each, const std::string& caller) {
    const tflite::SubGraph& graph = *each.graph;
    const std::size_t tensors = graph.tensors() == nullptr ? 0 : graph.tensors()->size();
    const std::size_t operators = graph.operators() == nullptr ? 0 : graph.operators()->size();
    if (tensors == 0 || operators == 0) {
      problems_.error(Code::kReadEmpty,
                      {},
                      fmt::format("{} has no {}",
                                  each.index == 0 ? std::string{"the model"}
                                                  : fmt::format("subgraph {}", each.index),
                                  tensors == 0 ? "tensors" : "operators"),
                      kCopyAgain);
      return;
    }
    tensors_ += tensors;
    if (tensors_ > kMostPlanBlocks) {
      problems_.too_many({});
      return;
    }
    each.spans.resize(tensors);
    each.begin = steps_;
    for (std::size_t i = 0; i < operators && !problems_.failed(); ++i) {
      run_operator(each, i, caller);
    }
    each.end = steps_;
  }

  void run_operator(Graph& of, std::size_t index, const std::string& caller) {
    const tflite::Operator& each = *of.graph->operators()->Get(static_cast<unsigned>(index));
    const std::string id = model::tflite_id(of.index, index);
    const std::string what = "operator " + id;
    touch(of, each.inputs(), what);
    touch(of, each.outputs(), what);
    if (problems_.failed()) {
      return;
    }
    add_operator(
        of, each, {.id = id, .kind = tflite_kind(codes_, each), .caller = caller, .passes = 1});
    ++steps_;
    switch (tflite_number(codes_, each)) {
      case kCallOnce:
        call(of, each, id);
        break;
      case kVarHandle:
        name_variable(of, each, what);
        break;
      case kReadVariable:
      case kAssignVariable:
        use_variable(of, each, what);
        break;
      default:
        break;
    }
  }

  // Only the model itself calls.
  void call(const Graph& of, const tflite::Operator& each, const std::string& id) {
    const auto* const options = each.builtin_options_as_CallOnceOptions();
    const std::int32_t called = options == nullptr ? 0 : options->init_subgraph_index();
    if (of.index != 0 || called <= 0 || static_cast<std::size_t>(called) >= graphs_.size() ||
        !graphs_[static_cast<std::size_t>(called)].spans.empty()) {
      problems_.error(
          Code::kPlanSyntax,
          {},
          fmt::format("operator {} calls subgraph {}, which it cannot (the model has {}, and "
                      "only its own operators call each once)",
                      id,
                      called,
                      core::plural(graphs_.size(), "subgraph")),
          kCopyAgain);
      return;
    }
    run(graphs_[static_cast<std::size_t>(called)], id);
  }

  void name_variable(Graph& of, const tflite::Operator& each, const std::string& what) {
    const auto* const options = each.builtin_options_as_VarHandleOptions();
    if (options == nullptr || each.outputs() == nullptr || each.outputs()->size() != 1) {
      problems_.error(Code::kPlanSyntax, {}, what + " names no variable", kCopyAgain);
      return;
    }
    const auto text = [](const flatbuffers::String* said) {
      return said == nullptr ? std::string{} : core::printable(said->str());
    };
    const std::string name = text(options->shared_name());
    const auto [known, is_new] =
        variable_of_.try_emplace({text(options->container()), name}, variables_.size());
    of.handles[each.outputs()->Get(0)] = known->second;
    if (is_new) {
      variables_.push_back({.name = name});
    }
  }

  // The size is that of what is read from it, or assigned to it.
  void use_variable(Graph& of, const tflite::Operator& each, const std::string& what) {
    const bool reads = tflite_number(codes_, each) == kReadVariable;
    const Indices* const value = reads ? each.outputs() : each.inputs();
    const unsigned at = reads ? 0 : 1;
    const auto handle = each.inputs() == nullptr || each.inputs()->size() == 0
                            ? of.handles.end()
                            : of.handles.find(each.inputs()->Get(0));
    if (handle == of.handles.end() || value == nullptr || value->size() <= at ||
        value->Get(at) < 0) {
      problems_.error(
          Code::kPlanSyntax,
          {},
          fmt::format("{} {} a variable that nobody names", what, reads ? "reads" : "assigns"),
          "memsize follows handles from VAR_HANDLE of the same subgraph");
      return;
    }
    const tflite::Tensor& tensor = *of.graph->tensors()->Get(static_cast<unsigned>(value->Get(at)));
    Variable& variable = variables_[handle->second];
    variable.size = std::max(variable.size, size_of(tensor, what).value_or(Bytes{}));
    variable.alignment = std::max(variable.alignment, alignment_of(tensor));
    ++variable.uses;
    model::Operator& added = report_.network.operators.back();
    (reads ? added.reads : added.writes).push_back(id_of_variable(handle->second));
  }

  // A plan that is in the model: of each tensor, subgraph by subgraph, its place in the one arena.
  void read_offsets() {
    const tflite::Buffer* planned = nullptr;
    for (std::size_t i = 0; metadata_ != nullptr && i < metadata_->size(); ++i) {
      const tflite::Metadata& each = *metadata_->Get(static_cast<unsigned>(i));
      if (each.name() != nullptr && each.name()->string_view() == model::kTflitePlan &&
          buffers_ != nullptr && each.buffer() < buffers_->size()) {
        planned = buffers_->Get(each.buffer());
      }
    }
    if (planned == nullptr) {
      return;
    }
    constexpr std::size_t kHead = model::kTflitePlanHead;
    const std::size_t words =
        planned->data() == nullptr ? 0 : planned->data()->size() / sizeof(std::int32_t);
    const auto word = [&](std::size_t at) {
      return flatbuffers::ReadScalar<std::int32_t>(planned->data()->data() +
                                                   at * sizeof(std::int32_t));
    };
    if (words < kHead + tensors_ || word(kHead - 1) != static_cast<std::int64_t>(tensors_)) {
      problems_.error(
          Code::kPlanSyntax,
          {},
          fmt::format(
              "its metadata {} is not of {}", model::kTflitePlan, core::plural(tensors_, "tensor")),
          "the interpreter refuses it too: write the plan again");
      return;
    }
    report_.plans_scratch_alone = true;
    std::map<std::string, std::int32_t> offsets;
    std::size_t at = kHead;
    for (const Graph& each : graphs_) {
      for (std::size_t i = 0; i < each.spans.size(); ++i) {
        offsets[model::tflite_id(each.index, i)] = word(at++);
      }
    }
    for (model::PlannedBlock& block : report_.blocks) {
      const auto offset = offsets.find(block.id);
      if (offset != offsets.end() && offset->second >= 0 &&
          block.role != model::Lifetime::kConstant) {
        block.offset = Bytes{static_cast<std::uint64_t>(offset->second)};
      }
    }
  }

  static std::string id_of_variable(std::size_t number) { return fmt::format("v{}", number); }

  void add_variable(std::size_t number) {
    const Variable& variable = variables_[number];
    model::PlannedBlock block;
    block.id = id_of_variable(number);
    block.name = variable.name;
    block.memory = memory_name({});
    block.role = model::Lifetime::kPersistent;
    block.size = variable.size;
    block.alignment = variable.alignment;
    if (variable.uses == 0) {
      return;
    }
    block.uses = variable.uses;
    report_.blocks.push_back(std::move(block));
  }

  void add_tensors(const Graph& each) {
    const std::size_t tensors = each.spans.size();
    std::vector<Span> spans = each.spans;
    std::vector<bool> inputs(tensors);
    std::vector<bool> outputs(tensors);
    mark(each.graph->inputs(), inputs, "the model's inputs");
    mark(each.graph->outputs(), outputs, "the model's outputs");
    if (!problems_.failed()) {
      check_order(each, inputs, outputs);
    }
    const std::int64_t last = each.end - 1;
    for (std::size_t i = 0; i < tensors && !problems_.failed(); ++i) {
      if (inputs[i]) {
        spans[i].first = each.begin;
        spans[i].last = std::max(spans[i].last, each.begin);
      }
      if (outputs[i]) {
        spans[i].first = std::min(spans[i].first, last);
        spans[i].last = last;
      }
      if (!each.handles.contains(static_cast<std::int32_t>(i))) {
        add(each, i, spans[i], inputs[i] && each.index == 0, outputs[i] && each.index == 0);
      }
    }
  }

  // It has bytes without an operator that writes them, or none.
  [[nodiscard]] bool is_given(const tflite::Tensor& tensor) const {
    const Indices* const shape = tensor.shape();
    const std::uint32_t buffer = tensor.buffer();
    return tensor.is_variable() ||
           (shape != nullptr && std::find(shape->begin(), shape->end(), 0) != shape->end()) ||
           (buffer != 0 && (buffers_ == nullptr || buffer >= buffers_->size() ||
                            stored_in(*buffers_->Get(buffer), file_).second != 0));
  }

  // By tensor: the operator that writes it; only of those that one must write.
  std::vector<std::optional<std::size_t>> writers_of(const Graph& of,
                                                     const std::vector<bool>& given) {
    std::vector<std::optional<std::size_t>> writers(of.spans.size());
    for (std::size_t i = 0; i < of.graph->operators()->size(); ++i) {
      const Indices* const outputs =
          of.graph->operators()->Get(static_cast<unsigned>(i))->outputs();
      for (std::size_t k = 0; outputs != nullptr && k < outputs->size(); ++k) {
        const std::int32_t tensor = outputs->Get(static_cast<unsigned>(k));
        if (tensor < 0 || given[static_cast<std::size_t>(tensor)]) {
          continue;
        }
        auto& writer = writers[static_cast<std::size_t>(tensor)];
        if (writer) {
          say_order(of,
                    static_cast<std::size_t>(tensor),
                    fmt::format("is written by operator {} and again by {}",
                                model::tflite_id(of.index, *writer),
                                model::tflite_id(of.index, i)));
        }
        writer = writer.value_or(i);
      }
    }
    return writers;
  }

  // One operator writes a tensor, before others read it. A custom one may read what is its own
  // scratch, as that of Vela does.
  void check_order(const Graph& of, std::vector<bool> given, const std::vector<bool>& outputs) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      given[i] = given[i] || is_given(*of.graph->tensors()->Get(static_cast<unsigned>(i)));
    }
    const auto writers = writers_of(of, given);
    for (std::size_t i = 0; i < of.graph->operators()->size(); ++i) {
      const tflite::Operator& each = *of.graph->operators()->Get(static_cast<unsigned>(i));
      const bool is_custom = tflite_number(codes_, each) == kCustomOperator;
      for (std::size_t k = 0; !is_custom && each.inputs() != nullptr && k < each.inputs()->size();
           ++k) {
        const std::int32_t index = each.inputs()->Get(static_cast<unsigned>(k));
        const auto tensor = static_cast<std::size_t>(index);
        if (index < 0 || given[tensor] || (writers[tensor] && *writers[tensor] < i)) {
          continue;
        }
        say_order(
            of,
            tensor,
            fmt::format("is read by operator {}, and {}",
                        model::tflite_id(of.index, i),
                        writers[tensor] ? fmt::format("written by {} first",
                                                      model::tflite_id(of.index, *writers[tensor]))
                                        : std::string{"no operator writes it"}));
        given[tensor] = true;
      }
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (outputs[i] && !given[i] && !writers[i]) {
        say_order(of, i, "is an output, and no operator writes it");
      }
    }
  }

  void say_order(const Graph& of, std::size_t tensor, const std::string& what) {
    problems_.error(Code::kPlanOrder,
                    {},
                    fmt::format("tensor {} {}", model::tflite_id(of.index, tensor), what),
                    "operators stand in the order in which they run, and one writes each tensor "
                    "that is no input, constant or variable: convert the model again");
  }

  [[nodiscard]] bool is_tensor(std::size_t tensors, std::int32_t index, const std::string& what) {
    if (index >= 0 && static_cast<std::size_t>(index) < tensors) {
      return true;
    }
    problems_.error(Code::kPlanSyntax,
                    {},
                    fmt::format("{}: there is no tensor {} (the model has {})",
                                what,
                                index,
                                core::plural(tensors, "tensor")),
                    kCopyAgain);
    return false;
  }

  void touch(Graph& of, const Indices* indices, const std::string& what) {
    if (indices == nullptr) {
      return;
    }
    for (const std::int32_t index : *indices) {
      // An optional input that this operator does without.
      if (index == -1 || !is_tensor(of.spans.size(), index, what)) {
        continue;
      }
      Span& span = of.spans[static_cast<std::size_t>(index)];
      span.first = std::min(span.first, steps_);
      span.last = std::max(span.last, steps_);
      ++span.uses;
    }
  }

  void add_operator(const Graph& of, const tflite::Operator& each, model::Operator added) {
    const auto list = [&](const Indices* indices, std::vector<std::string>& ids) {
      for (std::size_t i = 0; indices != nullptr && i < indices->size(); ++i) {
        const std::int32_t tensor = indices->Get(static_cast<unsigned>(i));
        if (tensor >= 0) {
          ids.push_back(model::tflite_id(of.index, static_cast<std::size_t>(tensor)));
        }
      }
    };
    list(each.inputs(), added.reads);
    list(each.outputs(), added.writes);
    add_tflite_attributes(each, added);
    const bool has_output = each.outputs() != nullptr && each.outputs()->size() != 0;
    const std::int32_t first = has_output ? each.outputs()->Get(0) : -1;
    const Indices* const shape =
        first < 0 ? nullptr : of.graph->tensors()->Get(static_cast<unsigned>(first))->shape();
    // All but the last dimension, which is the channels'. A shape that cannot be is told of its
    // tensor.
    constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
    for (std::size_t i = 0; shape != nullptr && i + 1 < shape->size(); ++i) {
      const std::int32_t places = std::max(shape->Get(static_cast<unsigned>(i)), 1);
      added.passes = std::min(added.passes * static_cast<std::uint64_t>(places), kMost);
    }
    report_.network.operators.push_back(std::move(added));
  }

  void add_elements(const std::string& id, const tflite::Tensor& tensor) {
    const auto type = static_cast<std::size_t>(static_cast<std::uint8_t>(tensor.type()));
    model::NetworkTensor added{.id = id};
    if (type < kTfliteTypes.size()) {
      added.type = kTfliteTypes[type];
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
      if (is_tensor(marks.size(), index, what)) {
        marks[static_cast<std::size_t>(index)] = true;
      }
    }
  }

  void add(const Graph& of, std::size_t index, const Span& span, bool is_input, bool is_output) {
    const tflite::Tensor& tensor = *of.graph->tensors()->Get(static_cast<unsigned>(index));
    model::PlannedBlock block;
    block.id = model::tflite_id(of.index, index);
    block.name = tensor.name() == nullptr ? std::string{} : tensor.name()->str();
    if (!core::is_utf8(block.name)) {
      block.name = core::printable(block.name);
    }
    block.memory = memory_name({});
    block.is_input = is_input;
    block.is_output = is_output;
    block.alignment = alignment_of(tensor);
    const std::string what = fmt::format("tensor {}", block.id);
    const std::optional<Bytes> data = data_of(tensor, what);
    if (problems_.failed()) {
      return;
    }
    if (data && !tensor.is_variable()) {
      check_data(tensor, *data, what);
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
    const std::uint64_t size = stored_in(*buffers_->Get(tensor.buffer()), file_).second;
    return size == 0 ? std::nullopt : problems_.size(size, {}, what);
  }

  // As many as its elements take. Strings, what is sparse and shapes that are open take what they
  // have, and elements of less than a byte may have one each.
  void check_data(const tflite::Tensor& tensor, Bytes stored, const std::string& what) {
    const auto is_open = [](const Indices* shape) {
      return shape != nullptr && std::any_of(shape->begin(), shape->end(), [](auto dimension) {
               return dimension < 1;
             });
    };
    const std::uint64_t bits = bits_of(tensor);
    if (bits == 0 || tensor.sparsity() != nullptr || is_open(tensor.shape()) ||
        is_open(tensor.shape_signature())) {
      return;
    }
    const auto needed = size_of(tensor, what);
    if (needed && stored != *needed && (stored < *needed || bits >= kBitsOfByte)) {
      problems_.error(Code::kPlanSize,
                      {},
                      fmt::format("{} takes {}, and its buffer in the model has {}",
                                  what,
                                  core::format_bytes(*needed),
                                  core::format_bytes(stored)),
                      "TensorFlow Lite refuses that, and kernels of TFLM read what is behind: "
                      "convert the model again, or copy the file again");
    }
  }

  // Of an element; 0: it has no fixed size.
  static std::uint64_t bits_of(const tflite::Tensor& tensor) {
    const auto type = static_cast<std::size_t>(static_cast<std::uint8_t>(tensor.type()));
    return type < kTfliteBits.size() ? kTfliteBits[type] : 0;
  }

  // What loads of its elements need; nothing: any byte will do.
  static std::optional<core::Align> alignment_of(const tflite::Tensor& tensor) {
    const std::uint64_t bytes = bits_of(tensor) / kBitsOfByte;
    return bytes > 1 ? core::Align::make(bytes) : std::nullopt;
  }

  std::optional<Bytes> size_of(const tflite::Tensor& tensor, const std::string& what) {
    const std::uint64_t bits = bits_of(tensor);
    if (bits == 0) {
      problems_.error(Code::kPlanSize,
                      {},
                      fmt::format("{} has a type of no fixed size ({})",
                                  what,
                                  static_cast<std::uint8_t>(tensor.type())),
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
  const std::uint8_t* file_ = nullptr;
  const flatbuffers::Vector<flatbuffers::Offset<tflite::Buffer>>* buffers_ = nullptr;
  const TfliteCodes* codes_ = nullptr;
  const flatbuffers::Vector<flatbuffers::Offset<tflite::Metadata>>* metadata_ = nullptr;
  std::vector<Graph> graphs_;
  std::vector<Variable> variables_;
  /// By container and name.
  std::map<std::pair<std::string, std::string>, std::size_t> variable_of_;
  std::int64_t steps_ = 0;
  std::size_t tensors_ = 0;
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
  const core::AlignedText bytes{text};
  const tflite::Model& root = *tflite::GetModel(bytes.data());
  std::map<std::string, std::string_view> constants;
  for (unsigned graph = 0; graph < root.subgraphs()->size(); ++graph) {
    const auto& tensors = *root.subgraphs()->Get(graph)->tensors();
    for (unsigned i = 0; i < tensors.size(); ++i) {
      const std::uint32_t number = tensors.Get(i)->buffer();
      if (number == 0 || tensors.Get(i)->is_variable()) {
        continue;
      }
      const auto stored = stored_in(*root.buffers()->Get(number), bytes.data());
      if (stored.second == 0) {
        continue;
      }
      const std::string id = model::tflite_id(graph, i);
      if (stored.first > text.size() || stored.second > text.size() - stored.first) {
        return core::fail(
            core::error(Code::kEmitData,
                        fmt::format("the bytes of tensor {} lie outside the file", id),
                        {path},
                        kCopyAgain));
      }
      constants[id] = text.substr(stored.first, stored.second);
    }
  }
  return constants;
}

}  // namespace memsize::readers
