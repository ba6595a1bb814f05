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
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/readers/constants_reader.hpp"

#include "plan_formats.hpp"
#include "plan_problems.hpp"
#include "tflite_generated.h"
#include "tflite_kinds.hpp"
#include "tflite_operators.hpp"
#include "tflite_order.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
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

using Indices = TfliteIndices;

void say_damaged(PlanProblems& problems, std::string message) {
  problems.error(Code::kPlanSyntax, {}, std::move(message), kCopyAgain);
}

// How many bytes of a buffer are in the file; 0 and 1 are no offsets of them.
std::uint64_t stored_size(const tflite::Buffer& buffer) {
  if (buffer.offset() > 1) {
    return buffer.size();
  }
  return buffer.data() == nullptr ? 0 : buffer.data()->size();
}

// Of an element; 0: it has no fixed size.
std::uint64_t bits_of(const tflite::Tensor& tensor) {
  const auto type = static_cast<std::size_t>(static_cast<std::uint8_t>(tensor.type()));
  return type < kTfliteBits.size() ? kTfliteBits[type] : 0;
}

// What loads of its elements need; nothing: any byte will do.
std::optional<core::Align> alignment_of(const tflite::Tensor& tensor) {
  const std::uint64_t bytes = bits_of(tensor) / kBitsOfByte;
  return bytes > 1 ? core::Align::make(bytes) : std::nullopt;
}

/// Measures tensors, and remembers those that may be larger at run time.
class TfliteSizes {
 public:
  TfliteSizes(const tflite::Model& model, PlanProblems& problems)
      : buffers_(model.buffers()), problems_(problems) {}

  /// By its elements; nothing: an error says why.
  std::optional<Bytes> of(const tflite::Tensor& tensor, const std::string& what) {
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
    for (unsigned i = 0; tensor.shape() != nullptr && i < tensor.shape()->size(); ++i) {
      const std::int32_t dimension = tensor.shape()->Get(i);
      if (dimension < 0 ||
          (dimension > 0 && elements > most / static_cast<std::uint64_t>(dimension))) {
        problems_.error(Code::kPlanSize,
                        {},
                        fmt::format("{}: its shape cannot be: {}", what, dimension),
                        kCopyAgain);
        return std::nullopt;
      }
      // The first is how many inputs run at once: usually open, and 1.
      is_open = is_open ||
                (i > 0 && signature != nullptr && i < signature->size() && signature->Get(i) < 0);
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

  /// Of its bytes in the file; nothing: it has none there.
  std::optional<Bytes> stored(const tflite::Tensor& tensor, const std::string& what) {
    const std::size_t buffers = buffers_ == nullptr ? 0 : buffers_->size();
    if (tensor.buffer() >= buffers && tensor.buffer() != 0) {
      say_damaged(problems_,
                  fmt::format("{}: there is no buffer {} (the model has {})",
                              what,
                              tensor.buffer(),
                              core::plural(buffers, "buffer")));
      return std::nullopt;
    }
    const std::uint64_t size = stored_in_buffer(tensor.buffer());
    return size == 0 ? std::nullopt : problems_.size(size, {}, what);
  }

  /// Stored are as many bytes as its elements take. Strings, what is sparse and shapes that are
  /// open take what they have, and elements of less than a byte may have one each.
  void check_stored(const tflite::Tensor& tensor, Bytes stored, const std::string& what) {
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
    const auto needed = of(tensor, what);
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

  /// It has bytes without an operator that writes them, or none.
  [[nodiscard]] bool is_given(const tflite::Tensor& tensor) const {
    const Indices* const shape = tensor.shape();
    const std::uint32_t buffer = tensor.buffer();
    return tensor.is_variable() ||
           (shape != nullptr && std::find(shape->begin(), shape->end(), 0) != shape->end()) ||
           (buffer != 0 &&
            (buffers_ == nullptr || buffer >= buffers_->size() || stored_in_buffer(buffer) != 0));
  }

  void warn_of_open() {
    if (open_ != 0) {
      problems_.warn(Code::kPlanSize,
                     {},
                     fmt::format("{} of a shape that is known at run time only, the first is {}: "
                                 "they count as the file has them",
                                 core::plural(open_, "tensor"),
                                 first_open_),
                     "convert the model with a fixed shape of its inputs");
    }
  }

 private:
  // Number 0 is that of tensors without one.
  [[nodiscard]] std::uint64_t stored_in_buffer(std::uint32_t number) const {
    return number == 0 ? 0 : stored_size(*buffers_->Get(number));
  }

  const flatbuffers::Vector<flatbuffers::Offset<tflite::Buffer>>* buffers_;
  PlanProblems& problems_;
  std::size_t open_ = 0;
  std::string first_open_;
};

/// Variables under their names, of all subgraphs. One is as large as the largest tensor that is
/// read from it, or assigned to it.
class TfliteVariables {
 public:
  TfliteVariables(TfliteSizes& sizes, PlanProblems& problems)
      : sizes_(sizes), problems_(problems) {}

  /// The operator gives a handle of one.
  void name(TfliteGraph& of, const tflite::Operator& each, const std::string& what) {
    const auto* const options = each.builtin_options_as_VarHandleOptions();
    if (options == nullptr || each.outputs() == nullptr || each.outputs()->size() != 1) {
      say_damaged(problems_, what + " names no variable");
      return;
    }
    const auto text = [](const flatbuffers::String* said) {
      return said == nullptr ? std::string{} : core::printable(said->str());
    };
    const std::string name = text(options->shared_name());
    const auto [known, is_new] =
        by_name_.try_emplace({text(options->container()), name}, blocks_.size());
    of.handles[each.outputs()->Get(0)] = known->second;
    if (is_new) {
      blocks_.push_back({.id = fmt::format("v{}", known->second),
                         .name = name,
                         .role = model::Lifetime::kPersistent,
                         .memory = memory_name({})});
    }
  }

  /// The operator reads one or assigns to one, which `added` gets.
  void use(const TfliteGraph& of,
           const tflite::Operator& each,
           bool reads,
           const std::string& what,
           model::Operator& added) {
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
    const tflite::Tensor& tensor = of.tensor(static_cast<std::size_t>(value->Get(at)));
    model::PlannedBlock& block = blocks_[handle->second];
    block.size = std::max(block.size, sizes_.of(tensor, what).value_or(Bytes{}));
    block.alignment = std::max(block.alignment, alignment_of(tensor));
    block.uses = block.uses.value_or(0) + 1;
    (reads ? added.reads : added.writes).push_back(block.id);
  }

  /// Of those that are used.
  [[nodiscard]] std::vector<model::PlannedBlock> blocks() && {
    std::erase_if(blocks_, [](const model::PlannedBlock& block) { return !block.uses; });
    return std::move(blocks_);
  }

 private:
  TfliteSizes& sizes_;
  PlanProblems& problems_;
  std::vector<model::PlannedBlock> blocks_;
  /// By container and name.
  std::map<std::pair<std::string, std::string>, std::size_t> by_name_;
};

bool is_tensor(std::size_t tensors,
               std::int32_t index,
               const std::string& what,
               PlanProblems& problems) {
  if (index >= 0 && static_cast<std::size_t>(index) < tensors) {
    return true;
  }
  say_damaged(problems,
              fmt::format("{}: there is no tensor {} (the model has {})",
                          what,
                          index,
                          core::plural(tensors, "tensor")));
  return false;
}

// An operator uses or makes these tensors in this step.
void touch(TfliteGraph& of,
           const Indices* indices,
           std::int64_t step,
           const std::string& what,
           PlanProblems& problems) {
  for (const std::int32_t index : numbers_in(indices)) {
    // An optional input that this operator does without.
    if (index == -1 || !is_tensor(of.spans.size(), index, what, problems)) {
      continue;
    }
    TfliteSpan& span = of.spans[static_cast<std::size_t>(index)];
    span.first = std::min(span.first, step);
    span.last = std::max(span.last, step);
    ++span.uses;
  }
}

// All dimensions of its output but the last, which is the channels'. A shape that cannot be is told
// of its tensor.
std::uint64_t passes_of(const TfliteGraph& of, const tflite::Operator& each) {
  const bool has_output = each.outputs() != nullptr && each.outputs()->size() != 0;
  const std::int32_t first = has_output ? each.outputs()->Get(0) : -1;
  const Indices* const shape =
      first < 0 ? nullptr : of.tensor(static_cast<std::size_t>(first)).shape();
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
  std::uint64_t passes = 1;
  for (unsigned i = 0; shape != nullptr && i + 1 < shape->size(); ++i) {
    passes = std::min(passes * static_cast<std::uint64_t>(std::max(shape->Get(i), 1)), kMost);
  }
  return passes;
}

std::vector<std::string> ids_in(const TfliteGraph& of, const Indices* indices) {
  std::vector<std::string> ids;
  for (const std::int32_t tensor : numbers_in(indices)) {
    if (tensor >= 0) {
      ids.push_back(of.id(static_cast<std::size_t>(tensor)));
    }
  }
  return ids;
}

/// Counts the steps of a model: its operators, each with the subgraph that it calls behind it.
class TfliteSteps {
 public:
  TfliteSteps(const tflite::Model& model, TfliteVariables& variables, PlanProblems& problems)
      : codes_(model.operator_codes()), variables_(variables), problems_(problems) {
    for (unsigned i = 0; i < model.subgraphs()->size(); ++i) {
      graphs_.push_back({.index = i, .graph = model.subgraphs()->Get(i)});
    }
  }

  void run() {
    run(graphs_.front(), {});
    for (const TfliteGraph& each : graphs_) {
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
  }

  [[nodiscard]] const std::vector<TfliteGraph>& graphs() const { return graphs_; }

  [[nodiscard]] std::vector<model::Operator> operators() && { return std::move(operators_); }

 private:
  // Its operators follow those that are there; `caller` is the one that runs it.
  void run(TfliteGraph& each, const std::string& caller) {
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

  void run_operator(TfliteGraph& of, std::size_t index, const std::string& caller) {
    const tflite::Operator& each = of.op(index);
    const std::string id = of.id(index);
    const std::string what = "operator " + id;
    touch(of, each.inputs(), steps_, what, problems_);
    touch(of, each.outputs(), steps_, what, problems_);
    if (problems_.failed()) {
      return;
    }
    operators_.push_back({.id = id,
                          .kind = tflite_kind(codes_, each),
                          .caller = caller,
                          .reads = ids_in(of, each.inputs()),
                          .writes = ids_in(of, each.outputs()),
                          .passes = passes_of(of, each)});
    add_tflite_attributes(each, operators_.back());
    ++steps_;
    const std::size_t number = tflite_number(codes_, each);
    if (number == kCallOnce) {
      call(of, each, id);
    } else if (number == kVarHandle) {
      variables_.name(of, each, what);
    } else if (number == kReadVariable || number == kAssignVariable) {
      variables_.use(of, each, number == kReadVariable, what, operators_.back());
    }
  }

  // Only the model itself calls.
  void call(const TfliteGraph& of, const tflite::Operator& each, const std::string& id) {
    const auto* const options = each.builtin_options_as_CallOnceOptions();
    const std::int32_t called = options == nullptr ? 0 : options->init_subgraph_index();
    if (of.index != 0 || called <= 0 || static_cast<std::size_t>(called) >= graphs_.size() ||
        !graphs_[static_cast<std::size_t>(called)].spans.empty()) {
      say_damaged(
          problems_,
          fmt::format("operator {} calls subgraph {}, which it cannot (the model has {}, and "
                      "only its own operators call each once)",
                      id,
                      called,
                      core::plural(graphs_.size(), "subgraph")));
      return;
    }
    run(graphs_[static_cast<std::size_t>(called)], id);
  }

  const TfliteCodes* codes_;
  TfliteVariables& variables_;
  PlanProblems& problems_;
  std::vector<TfliteGraph> graphs_;
  std::vector<model::Operator> operators_;
  std::int64_t steps_ = 0;
  std::size_t tensors_ = 0;
};

model::NetworkTensor elements_of(const tflite::Tensor& tensor, const std::string& id) {
  const auto type = static_cast<std::size_t>(static_cast<std::uint8_t>(tensor.type()));
  model::NetworkTensor elements{.id = id};
  if (type < kTfliteTypes.size()) {
    elements.type = kTfliteTypes[type];
  }
  for (const std::int32_t dimension : numbers_in(tensor.shape())) {
    elements.shape.push_back(static_cast<std::uint64_t>(std::max(dimension, 0)));
  }
  return elements;
}

// Nothing: nobody gives it bytes, or an error says why.
std::optional<model::PlannedBlock> block_of(const tflite::Tensor& tensor,
                                            std::string id,
                                            const TfliteSpan& span,
                                            TfliteSizes& sizes,
                                            PlanProblems& problems) {
  model::PlannedBlock block{.id = std::move(id), .memory = memory_name({})};
  block.name = tensor.name() == nullptr ? std::string{} : tensor.name()->str();
  if (!core::is_utf8(block.name)) {
    block.name = core::printable(block.name);
  }
  block.alignment = alignment_of(tensor);
  const std::string what = fmt::format("tensor {}", block.id);
  const std::optional<Bytes> data = sizes.stored(tensor, what);
  if (problems.failed()) {
    return std::nullopt;
  }
  if (data && !tensor.is_variable()) {
    sizes.check_stored(tensor, *data, what);
    block.role = model::Lifetime::kConstant;
    block.size = *data;
  } else {
    // Nobody uses it, so that nobody gives it bytes.
    const auto size = span.last < 0 ? std::nullopt : sizes.of(tensor, what);
    if (!size) {
      return std::nullopt;
    }
    block.size = *size;
    block.role = tensor.is_variable() ? model::Lifetime::kPersistent : model::Lifetime::kScratch;
    if (!tensor.is_variable()) {
      block.live = problems.lifetime(span.first, span.last, LastStep::kInside, {}, what);
    }
  }
  if (span.uses != 0) {
    block.uses = span.uses;
  }
  return block;
}

std::vector<bool> marked(const Indices* indices,
                         std::size_t tensors,
                         const std::string& what,
                         PlanProblems& problems) {
  std::vector<bool> marks(tensors);
  for (const std::int32_t index : numbers_in(indices)) {
    if (is_tensor(tensors, index, what, problems)) {
      marks[static_cast<std::size_t>(index)] = true;
    }
  }
  return marks;
}

// The subgraph's tensors. `constants` has the first of each buffer.
void add_tensors(const TfliteCodes* codes,
                 const TfliteGraph& each,
                 std::map<std::uint32_t, std::string>& constants,
                 TfliteSizes& sizes,
                 PlanProblems& problems,
                 model::PlanReport& report) {
  const std::size_t tensors = each.spans.size();
  const auto inputs = marked(each.graph->inputs(), tensors, "the model's inputs", problems);
  const auto outputs = marked(each.graph->outputs(), tensors, "the model's outputs", problems);
  if (!problems.failed()) {
    std::vector<bool> given = inputs;
    for (std::size_t i = 0; i < tensors; ++i) {
      given[i] = given[i] || sizes.is_given(each.tensor(i));
    }
    check_tflite_order(codes, each, std::move(given), outputs, problems);
  }
  const std::int64_t last = each.end - 1;
  for (std::size_t i = 0; i < tensors && !problems.failed(); ++i) {
    TfliteSpan span = each.spans[i];
    if (inputs[i]) {
      span.first = each.begin;
      span.last = std::max(span.last, each.begin);
    }
    if (outputs[i]) {
      span.first = std::min(span.first, last);
      span.last = last;
    }
    if (each.handles.contains(static_cast<std::int32_t>(i))) {
      continue;
    }
    const tflite::Tensor& tensor = each.tensor(i);
    auto block = block_of(tensor, each.id(i), span, sizes, problems);
    if (!block) {
      continue;
    }
    block->is_input = inputs[i] && each.index == 0;
    block->is_output = outputs[i] && each.index == 0;
    if (block->role == model::Lifetime::kConstant) {
      const auto [first, is_new] = constants.emplace(tensor.buffer(), block->id);
      block->alias_of = is_new ? std::string{} : first->second;
    }
    report.network.tensors.push_back(elements_of(tensor, block->id));
    report.blocks.push_back(std::move(*block));
  }
}

// A plan that is in the model; null: it has none.
const tflite::Buffer* plan_in(const tflite::Model& model) {
  const tflite::Buffer* planned = nullptr;
  for (unsigned i = 0; model.metadata() != nullptr && i < model.metadata()->size(); ++i) {
    const tflite::Metadata& each = *model.metadata()->Get(i);
    if (each.name() != nullptr && each.name()->string_view() == model::kTflitePlan &&
        model.buffers() != nullptr && each.buffer() < model.buffers()->size()) {
      planned = model.buffers()->Get(each.buffer());
    }
  }
  return planned;
}

// Of each tensor, subgraph by subgraph, its place in the one arena.
void place_tensors(const tflite::Buffer& planned,
                   const std::vector<TfliteGraph>& graphs,
                   PlanProblems& problems,
                   model::PlanReport& report) {
  constexpr std::size_t kHead = model::kTflitePlanHead;
  std::size_t tensors = 0;
  for (const TfliteGraph& each : graphs) {
    tensors += each.spans.size();
  }
  const std::size_t words =
      planned.data() == nullptr ? 0 : planned.data()->size() / sizeof(std::int32_t);
  const auto word = [&](std::size_t at) {
    return flatbuffers::ReadScalar<std::int32_t>(planned.data()->data() +
                                                 at * sizeof(std::int32_t));
  };
  if (words < kHead + tensors || word(kHead - 1) != static_cast<std::int64_t>(tensors)) {
    problems.error(
        Code::kPlanSyntax,
        {},
        fmt::format(
            "its metadata {} is not of {}", model::kTflitePlan, core::plural(tensors, "tensor")),
        "the interpreter refuses it too: write the plan again");
    return;
  }
  report.plans_scratch_alone = true;
  std::map<std::string, std::int32_t> offsets;
  std::size_t at = kHead;
  for (const TfliteGraph& each : graphs) {
    for (std::size_t i = 0; i < each.spans.size(); ++i) {
      offsets[each.id(i)] = word(at++);
    }
  }
  for (model::PlannedBlock& block : report.blocks) {
    const std::int32_t* const offset = core::value_in(offsets, block.id);
    if (offset != nullptr && *offset >= 0 && block.role != model::Lifetime::kConstant) {
      block.offset = Bytes{static_cast<std::uint64_t>(*offset)};
    }
  }
}

// Null: no model that memsize reads is in these bytes, and an error says why.
const tflite::Model* model_in(const core::AlignedText& bytes,
                              std::size_t size,
                              PlanProblems& problems) {
  flatbuffers::Verifier verifier{bytes.data(), size};
  if (!tflite::VerifyModelBuffer(verifier)) {
    say_damaged(problems, "the model is cut off, or damaged: it leads out of the file");
    return nullptr;
  }
  const tflite::Model& model = *tflite::GetModel(bytes.data());
  if (model.version() != kTfliteSchema) {
    problems.error(Code::kPlanVersion,
                   {},
                   fmt::format("this is version {} of TensorFlow Lite's schema, and memsize "
                               "reads version {}",
                               model.version(),
                               kTfliteSchema),
                   "convert the model again with TensorFlow 2");
    return nullptr;
  }
  if (model.subgraphs() == nullptr || model.subgraphs()->size() == 0) {
    problems.error(Code::kReadEmpty, {}, "the model has no subgraph", kCopyAgain);
    return nullptr;
  }
  return &model;
}

model::PlanReport report_of(const tflite::Model& model, PlanProblems& problems) {
  model::PlanReport report;
  report.missing = "kernels' own scratch is not in a .tflite";
  report.aligns_elements = true;
  TfliteSizes sizes{model, problems};
  TfliteVariables variables{sizes, problems};
  TfliteSteps steps{model, variables, problems};
  steps.run();
  std::map<std::uint32_t, std::string> constants;
  for (const TfliteGraph& each : steps.graphs()) {
    if (!problems.failed()) {
      add_tensors(model.operator_codes(), each, constants, sizes, problems, report);
    }
  }
  const tflite::Buffer* const planned = problems.failed() ? nullptr : plan_in(model);
  if (planned != nullptr) {
    place_tensors(*planned, steps.graphs(), problems, report);
  }
  std::ranges::move(std::move(variables).blocks(), std::back_inserter(report.blocks));
  sizes.warn_of_open();
  report.network.operators = std::move(steps).operators();
  return report;
}

}  // namespace

bool probe_tflite(std::string_view head) {
  return head.size() >= 2 * kTfliteIdentifier &&
         head.substr(kTfliteIdentifier, kTfliteIdentifier) == tflite::ModelIdentifier();
}

PlanResult read_tflite(std::string_view text, const std::string& path) {
  PlanProblems problems{path};
  const core::AlignedText bytes{text};
  const tflite::Model* const model = model_in(bytes, text.size(), problems);
  return problems.finish(model == nullptr ? model::PlanReport{} : report_of(*model, problems));
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
      const tflite::Buffer& buffer = *root.buffers()->Get(number);
      const std::uint64_t size = stored_size(buffer);
      if (size == 0) {
        continue;
      }
      const std::uint64_t begin =
          buffer.offset() > 1 ? buffer.offset()
                              : static_cast<std::uint64_t>(buffer.data()->data() - bytes.data());
      const std::string id = model::tflite_id(graph, i);
      if (begin > text.size() || size > text.size() - begin) {
        return core::fail(
            core::error(Code::kEmitData,
                        fmt::format("the bytes of tensor {} lie outside the file", id),
                        {path},
                        kCopyAgain));
      }
      constants[id] = text.substr(begin, size);
    }
  }
  return constants;
}

}  // namespace memsize::readers
