// The C++ that EON (Edge Impulse), tflite_micro_compiler and XMOS' compiler make of a model: a
// table of tensors with their places in one arena, and one of nodes, in their order, from which
// lives follow.
//
//   constexpr int kTensorArenaSize = 144;
//   const TfArray<2, int> tensor_dimension7 = { 2, { 1,20 } };
//   const TfArray<3, int> inputs0 = { 3, { 0,4,1 } };
//     { kTfLiteArenaRw, kTfLiteInt8, tensor_arena + 48, (TfLiteIntArray*)&tensor_dimension7, 20,
//     {.. { (TfLiteIntArray*)&inputs0, (TfLiteIntArray*)&outputs0, .., OP_FULLY_CONNECTED, },
//
// Ids are places in the table. What kernels keep for themselves is cut from the arena's end when
// they are prepared, and is in no table.
#include "memsize/core/text.hpp"

#include "plan_formats.hpp"
#include "plan_lines.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Bytes;
using core::Code;

constexpr std::string_view kEonArenaSize = "kTensorArenaSize =";
constexpr std::string_view kEonTensor = "{ kTfLite";
constexpr std::string_view kEonDimension = "tensor_dimension";
constexpr std::string_view kEonInputs = "inputs";
constexpr std::string_view kEonOutputs = "outputs";
constexpr std::string_view kEonOperator = " OP_";
constexpr std::string_view kEonInput = "inTensorIndices[] =";
constexpr std::string_view kEonOutput = "outTensorIndices[] =";
constexpr const char* kEonWhole = "take the file as the compiler wrote it";

struct EonType {
  std::string_view name;
  std::uint64_t bytes;
  std::string_view numpy;
};

// By TfLiteType, as far as its elements have a size.
constexpr auto kEonSizes = std::to_array<EonType>({{"Float32", 4, "float32"},
                                                   {"Float16", 2, "float16"},
                                                   {"Float64", 8, "float64"},
                                                   {"Int8", 1, "int8"},
                                                   {"UInt8", 1, "uint8"},
                                                   {"Int16", 2, "int16"},
                                                   {"UInt16", 2, "uint16"},
                                                   {"Int32", 4, "int32"},
                                                   {"UInt32", 4, "uint32"},
                                                   {"Int64", 8, "int64"},
                                                   {"UInt64", 8, "uint64"},
                                                   {"Bool", 1, "bool"}});

struct EonTensor {
  std::string_view place;
  std::string_view type;
  /// In the arena; nothing: a constant.
  std::optional<std::uint64_t> offset;
  std::uint64_t shape = 0;
  std::uint64_t size = 0;
  std::size_t line = 0;
};

struct EonNode {
  std::uint64_t inputs = 0;
  std::uint64_t outputs = 0;
  std::string kind;
  std::size_t line = 0;
};

// "{ 3, { 0,4,1 } };": as many as it says.
std::optional<std::vector<std::int64_t>> eon_list(std::string_view text) {
  std::uint64_t count = 0;
  std::string_view items;
  LineScan scan{text};
  scan.take("{ ").whole(count).take(" , { ").until("}", items).take(" } ;");
  std::vector<std::int64_t> numbers;
  while (scan.ok() && !items.empty()) {
    const std::string_view item = items.substr(0, items.find(','));
    items.remove_prefix(std::min(item.size() + 1, items.size()));
    const auto number = signed_number(core::trim(item));
    if (!number) {
      // A comma may stand behind the last one.
      if (core::trim(item).empty() && core::trim(items).empty()) {
        break;
      }
      return std::nullopt;
    }
    numbers.push_back(*number);
  }
  return scan.ok() && numbers.size() == count ? std::optional{numbers} : std::nullopt;
}

// "const TfArray<3, int> inputs0 = ": the number behind `name`, and what follows.
bool eon_array(std::string_view line,
               std::string_view name,
               std::uint64_t& number,
               std::string_view& value) {
  LineScan scan{line};
  scan.find("TfArray<").find("> ").take(name).whole(number).take(" = ").rest(value);
  return scan.ok();
}

// "{ kTfLiteArenaRw, kTfLiteInt8, tensor_arena + 48, (TfLiteIntArray*)&tensor_dimension7, 20, {":
// casts and brackets stand around the place, or do not.
bool eon_tensor(std::string_view line, EonTensor& tensor) {
  std::string_view place;
  LineScan scan{line};
  scan.find(kEonTensor);
  // tflite_micro_compiler does not say where a tensor lives.
  if (line.find(", kTfLite") != std::string_view::npos) {
    scan.until(",", tensor.place).take(" kTfLite");
  }
  scan.until(",", tensor.type);
  scan.until("(TfLiteIntArray*)", place).find(kEonDimension).whole(tensor.shape).take(" , ");
  scan.whole(tensor.size);
  std::uint64_t offset = 0;
  LineScan arena{place};
  arena.find("tensor_arena + ").whole(offset);
  if (arena.ok()) {
    tensor.offset = offset;
  }
  return scan.ok() && (arena.ok() || place.find("tensor_data") != std::string_view::npos);
}

// "const int tensor_dimension8 = 0; /* empty TfLiteIntArray */".
bool scalar_in(std::string_view line, std::uint64_t& number) {
  LineScan scan{line};
  scan.find("const int ").take(kEonDimension).whole(number).take(" = 0 ;");
  return scan.ok();
}

bool eon_node(std::string_view line, EonNode& node) {
  std::string_view before;
  std::string_view kind;
  LineScan scan{line};
  scan.find(kEonInputs).whole(node.inputs).find(kEonOutputs).whole(node.outputs);
  scan.until(kEonOperator, before).until(",", kind);
  node.kind = kind;
  return scan.ok() && core::is_identifier(kind);
}

class EonReader {
 public:
  EonReader(std::string_view text, const std::string& path) : lines_(text), plan_(text, path) {}

  PlanResult read() {
    while (lines_.next()) {
      read_line(lines_.line());
    }
    // Without a row, others are wrong that are not.
    if (plan_.failed()) {
      return plan_.done();
    }
    if (tensors_.empty() || nodes_.empty()) {
      plan_.error(Code::kPlanSyntax,
                  {},
                  fmt::format("there is no table of {} in this text",
                              tensors_.empty() ? "tensors" : "nodes"),
                  kEonWhole);
      return plan_.done();
    }
    count_lives();
    for (std::size_t i = 0; i < tensors_.size() && !plan_.failed(); ++i) {
      add(i);
    }
    plan_.report().plans_scratch_alone = true;
    plan_.report().missing = "what kernels keep for themselves is in no table";
    return plan_.done();
  }

 private:
  struct Life {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = -1;
    std::uint64_t uses = 0;
  };

  void read_line(std::string_view line) {
    std::uint64_t number = 0;
    std::string_view value;
    if (indices_ != nullptr) {
      take_indices(line);
    } else if (line.find(kEonInput) != std::string_view::npos) {
      begin_indices(line, kEonInput, inputs_of_model_);
    } else if (line.find(kEonOutput) != std::string_view::npos) {
      begin_indices(line, kEonOutput, outputs_of_model_);
    } else if (line.find(kEonArenaSize) != std::string_view::npos) {
      read_arena(line);
    } else if (eon_array(line, kEonDimension, number, value)) {
      keep(shapes_, number, value);
    } else if (scalar_in(line, number)) {
      shapes_.try_emplace(number);
    } else if (eon_array(line, kEonInputs, number, value)) {
      keep(inputs_, number, value);
    } else if (eon_array(line, kEonOutputs, number, value)) {
      keep(outputs_, number, value);
    } else if (line.find("TfArray<") != std::string_view::npos &&
               pieces_in(line, {kEonInputs, kEonOutputs, kEonDimension}) != 0) {
      plan_.damaged(lines_.number(), "a list");
    } else {
      read_row(line);
    }
  }

  void read_row(std::string_view line) {
    EonTensor tensor{.line = lines_.number()};
    EonNode node{.line = lines_.number()};
    if (eon_tensor(line, tensor)) {
      tensors_.push_back(tensor);
    } else if (eon_node(line, node)) {
      nodes_.push_back(std::move(node));
    } else if (pieces_in(
                   line,
                   {kEonTensor, "TfLiteIntArray*", "tensor_arena", "tensor_data", kEonDimension}) >=
               3) {
      plan_.damaged(lines_.number(), "a tensor");
    } else if (pieces_in(line, {kEonInputs, kEonOutputs, kEonOperator}) >= 2 &&
               line.find("{ ") != std::string_view::npos) {
      plan_.damaged(lines_.number(), "a node");
    }
  }

  void read_arena(std::string_view line) {
    std::uint64_t bytes = 0;
    LineScan scan{line};
    scan.find(kEonArenaSize).whole(bytes).take(" ;");
    if (!scan.ok()) {
      plan_.damaged(lines_.number(), "an arena");
      return;
    }
    if (const auto size = plan_.size(bytes, {lines_.number()}, "kTensorArenaSize")) {
      plan_.arena(memory_name({}), model::Lifetime::kScratch, lines_.number()).total = *size;
    }
  }

  using Lists = std::map<std::uint64_t, std::vector<std::int64_t>>;

  void keep(Lists& lists, std::uint64_t number, std::string_view value) {
    auto list = eon_list(value);
    if (!list) {
      plan_.damaged(lines_.number(), "a list");
    } else if (!lists.emplace(number, std::move(*list)).second) {
      plan_.error(Code::kPlanDuplicate,
                  {lines_.number()},
                  fmt::format("there are two lists of that name with number {}", number),
                  "memsize reads models of one subgraph");
    }
  }

  // "static const int inTensorIndices[] = {", and numbers up to the bracket.
  void begin_indices(std::string_view line, std::string_view name, std::set<std::int64_t>& into) {
    indices_ = &into;
    line.remove_prefix(line.find(name) + name.size());
    line.remove_prefix(std::min(line.find('{'), line.size()));
    take_indices(line.substr(line.empty() ? 0 : 1));
  }

  void take_indices(std::string_view line) {
    const std::size_t end = line.find('}');
    std::string_view items = line.substr(0, end);
    while (!items.empty()) {
      const std::string_view item = items.substr(0, items.find(','));
      items.remove_prefix(std::min(item.size() + 1, items.size()));
      if (core::trim(item).empty()) {
        continue;
      }
      const auto number = signed_number(core::trim(item));
      if (!number) {
        plan_.damaged(lines_.number(), "a list of inputs or outputs");
        indices_ = nullptr;
        return;
      }
      indices_->insert(*number);
    }
    if (end != std::string_view::npos) {
      indices_ = nullptr;
    }
  }

  void count_lives() {
    lives_.resize(tensors_.size());
    for (std::size_t step = 0; step < nodes_.size(); ++step) {
      const EonNode& node = nodes_[step];
      model::Operator added{.id = fmt::format("{}", step), .kind = node.kind, .line = node.line};
      use(inputs_, node.inputs, step, added.reads);
      use(outputs_, node.outputs, step, added.writes);
      plan_.report().network.operators.push_back(std::move(added));
    }
    const std::int64_t last = static_cast<std::int64_t>(nodes_.size()) - 1;
    for (const std::int64_t index : inputs_of_model_) {
      if (Life* life = life_of(index, 0); life != nullptr) {
        life->first = 0;
        life->last = std::max<std::int64_t>(life->last, 0);
      }
    }
    for (const std::int64_t index : outputs_of_model_) {
      if (Life* life = life_of(index, 0); life != nullptr) {
        life->first = std::min(life->first, last);
        life->last = last;
      }
    }
  }

  Life* life_of(std::int64_t index, std::size_t line) {
    if (index >= 0 && static_cast<std::size_t>(index) < lives_.size()) {
      return &lives_[static_cast<std::size_t>(index)];
    }
    plan_.error(Code::kPlanSyntax,
                {line},
                fmt::format("there is no tensor {} (the table has {})",
                            index,
                            core::plural(lives_.size(), "tensor")),
                kEonWhole);
    return nullptr;
  }

  void use(const Lists& lists,
           std::uint64_t number,
           std::size_t step,
           std::vector<std::string>& ids) {
    const auto list = lists.find(number);
    const std::size_t line = nodes_[step].line;
    if (list == lists.end()) {
      plan_.error(Code::kPlanSyntax,
                  {line},
                  fmt::format("there is no list with number {} for this node", number),
                  kEonWhole);
      return;
    }
    for (const std::int64_t index : list->second) {
      // An optional input that this node does without.
      Life* const life = index == -1 ? nullptr : life_of(index, line);
      if (life == nullptr) {
        continue;
      }
      life->first = std::min(life->first, static_cast<std::int64_t>(step));
      life->last = std::max(life->last, static_cast<std::int64_t>(step));
      ++life->uses;
      ids.push_back(fmt::format("{}", index));
    }
  }

  void add(std::size_t index) {
    const EonTensor& tensor = tensors_[index];
    const Life& life = lives_[index];
    check_size(tensor);
    const auto number = static_cast<std::int64_t>(index);
    model::PlannedBlock block{.id = fmt::format("{}", index), .memory = memory_name({})};
    block.is_input = inputs_of_model_.contains(number);
    block.is_output = outputs_of_model_.contains(number);
    const auto size = plan_.size(tensor.size, {tensor.line}, "a tensor");
    // What nobody uses has a row all the same.
    if (!size || (life.last < 0 && tensor.offset)) {
      return;
    }
    block.size = *size;
    block.line = tensor.line;
    block.uses = life.uses;
    if (!tensor.offset) {
      block.role = model::Lifetime::kConstant;
    } else {
      block.offset = Bytes{*tensor.offset};
      if (tensor.place == "ArenaRwPersistent") {
        block.role = model::Lifetime::kPersistent;
      } else {
        block.live =
            plan_.lifetime(life.first, life.last, LastStep::kInside, {tensor.line}, "a tensor");
      }
    }
    add_elements(block.id, tensor);
    (void)plan_.add(std::move(block));
  }

  void add_elements(const std::string& id, const EonTensor& tensor) {
    const auto type = std::ranges::find(kEonSizes, tensor.type, &EonType::name);
    model::NetworkTensor added{.id = id};
    added.type = type == kEonSizes.end() ? std::string_view{} : type->numpy;
    for (const std::int64_t dimension : shapes_[tensor.shape]) {
      added.shape.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(dimension, 0)));
    }
    plan_.report().network.tensors.push_back(std::move(added));
  }

  // It is said twice: as bytes, and as type and shape.
  void check_size(const EonTensor& tensor) {
    const auto type = std::ranges::find(kEonSizes, tensor.type, &EonType::name);
    const auto shape = shapes_.find(tensor.shape);
    if (shape == shapes_.end()) {
      plan_.error(Code::kPlanSyntax,
                  {tensor.line},
                  fmt::format("there is no tensor_dimension{}", tensor.shape),
                  kEonWhole);
      return;
    }
    if (type == kEonSizes.end()) {
      return;
    }
    std::uint64_t bytes = type->bytes;
    for (const std::int64_t dimension : shape->second) {
      const bool fits =
          dimension >= 0 && (dimension == 0 || bytes <= model::kLargestPlan.count() /
                                                            static_cast<std::uint64_t>(dimension));
      bytes = fits ? bytes * static_cast<std::uint64_t>(dimension) : 0;
    }
    if (bytes != tensor.size) {
      plan_.error(
          Code::kPlanContradiction,
          {tensor.line},
          fmt::format(
              "the tensor has {} B here, and {} B by its shape and type", tensor.size, bytes),
          kEonWhole);
    }
  }

  PlanLines lines_;
  PlanText plan_;
  Lists shapes_;
  Lists inputs_;
  Lists outputs_;
  std::set<std::int64_t> inputs_of_model_;
  std::set<std::int64_t> outputs_of_model_;
  /// Where numbers of the lines that follow go; null: nowhere.
  std::set<std::int64_t>* indices_ = nullptr;
  std::vector<EonTensor> tensors_;
  std::vector<EonNode> nodes_;
  std::vector<Life> lives_;
};

}  // namespace

bool probe_eon(std::string_view head) {
  return head.find(kEonArenaSize) != std::string_view::npos &&
         head.find("TfArray") != std::string_view::npos;
}

PlanResult read_eon(std::string_view text, const std::string& path) {
  return EonReader{text, path}.read();
}

}  // namespace memsize::readers
