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
#include "memsize/core/find.hpp"
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
  std::string place;
  std::string type;
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
  std::string_view kept;
  std::string_view type;
  std::string_view place;
  LineScan scan{line};
  scan.find(kEonTensor);
  // tflite_micro_compiler does not say where a tensor lives.
  if (line.find(", kTfLite") != std::string_view::npos) {
    scan.until(",", kept).take(" kTfLite");
  }
  scan.until(",", type);
  scan.until("(TfLiteIntArray*)", place).find(kEonDimension).whole(tensor.shape).take(" , ");
  scan.whole(tensor.size);
  tensor.place = kept;
  tensor.type = type;
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

using EonLists = std::map<std::uint64_t, std::vector<std::int64_t>>;

/// What the text says.
struct EonTables {
  /// By their numbers.
  EonLists shapes;
  EonLists inputs;
  EonLists outputs;
  std::set<std::int64_t> inputs_of_model;
  std::set<std::int64_t> outputs_of_model;
  std::vector<EonTensor> tensors;
  std::vector<EonNode> nodes;
};

void read_eon_arena(std::string_view line, std::size_t number, PlanText& plan) {
  std::uint64_t bytes = 0;
  LineScan scan{line};
  scan.find(kEonArenaSize).whole(bytes).take(" ;");
  if (!scan.ok()) {
    plan.damaged(number, "an arena");
    return;
  }
  if (const auto size = plan.size(bytes, {number}, "kTensorArenaSize")) {
    plan.arena(memory_name({}), model::Lifetime::kScratch, number).total = *size;
  }
}

/// Reads the tables line by line.
class EonLines {
 public:
  EonLines(std::string_view text, PlanText& plan) : lines_(text), plan_(plan) {}

  EonTables read() {
    while (lines_.next()) {
      read_line(lines_.line());
    }
    return std::move(tables_);
  }

 private:
  void read_line(std::string_view line) {
    std::uint64_t number = 0;
    std::string_view value;
    if (indices_ != nullptr) {
      take_indices(line);
    } else if (line.find(kEonInput) != std::string_view::npos) {
      begin_indices(line, kEonInput, tables_.inputs_of_model);
    } else if (line.find(kEonOutput) != std::string_view::npos) {
      begin_indices(line, kEonOutput, tables_.outputs_of_model);
    } else if (line.find(kEonArenaSize) != std::string_view::npos) {
      read_eon_arena(line, lines_.number(), plan_);
    } else if (eon_array(line, kEonDimension, number, value)) {
      keep(tables_.shapes, number, value);
    } else if (scalar_in(line, number)) {
      tables_.shapes.try_emplace(number);
    } else if (eon_array(line, kEonInputs, number, value)) {
      keep(tables_.inputs, number, value);
    } else if (eon_array(line, kEonOutputs, number, value)) {
      keep(tables_.outputs, number, value);
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
      tables_.tensors.push_back(std::move(tensor));
    } else if (eon_node(line, node)) {
      tables_.nodes.push_back(std::move(node));
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

  void keep(EonLists& lists, std::uint64_t number, std::string_view value) {
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

  PlanLines lines_;
  PlanText& plan_;
  EonTables tables_;
  /// Where numbers of the lines that follow go; null: nowhere.
  std::set<std::int64_t>* indices_ = nullptr;
};

struct EonLife {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = -1;
  std::uint64_t uses = 0;
};

/// When each tensor of the table is alive.
class EonLives {
 public:
  EonLives(std::size_t tensors, PlanText& plan) : lives_(tensors), plan_(plan) {}

  [[nodiscard]] const EonLife& operator[](std::size_t index) const { return lives_[index]; }

  /// Null: there is no such tensor, and an error says so.
  EonLife* find(std::int64_t index, std::size_t line) {
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

  /// The node of this step uses the tensors of a list; their ids.
  std::vector<std::string> use(const EonLists& lists,
                               std::uint64_t number,
                               std::int64_t step,
                               std::size_t line) {
    const std::vector<std::int64_t>* const list = core::value_in(lists, number);
    std::vector<std::string> ids;
    if (list == nullptr) {
      plan_.error(Code::kPlanSyntax,
                  {line},
                  fmt::format("there is no list with number {} for this node", number),
                  kEonWhole);
      return ids;
    }
    for (const std::int64_t index : *list) {
      // An optional input that this node does without.
      if (EonLife* const life = index == -1 ? nullptr : find(index, line)) {
        life->first = std::min(life->first, step);
        life->last = std::max(life->last, step);
        ++life->uses;
        ids.push_back(fmt::format("{}", index));
      }
    }
    return ids;
  }

 private:
  std::vector<EonLife> lives_;
  PlanText& plan_;
};

// Its size is said twice: as bytes, and as type and shape.
void check_size(const EonTensor& tensor, const EonLists& shapes, PlanText& plan) {
  const EonType* const type = core::find_in(kEonSizes, tensor.type, &EonType::name);
  const std::vector<std::int64_t>* const shape = core::value_in(shapes, tensor.shape);
  if (shape == nullptr) {
    plan.error(Code::kPlanSyntax,
               {tensor.line},
               fmt::format("there is no tensor_dimension{}", tensor.shape),
               kEonWhole);
    return;
  }
  if (type == nullptr) {
    return;
  }
  std::uint64_t bytes = type->bytes;
  for (const std::int64_t dimension : *shape) {
    const bool fits =
        dimension >= 0 && (dimension == 0 || bytes <= model::kLargestPlan.count() /
                                                          static_cast<std::uint64_t>(dimension));
    bytes = fits ? bytes * static_cast<std::uint64_t>(dimension) : 0;
  }
  if (bytes != tensor.size) {
    plan.error(
        Code::kPlanContradiction,
        {tensor.line},
        fmt::format("the tensor has {} B here, and {} B by its shape and type", tensor.size, bytes),
        kEonWhole);
  }
}

model::NetworkTensor eon_elements(const EonTensor& tensor,
                                  const EonLists& shapes,
                                  const std::string& id) {
  const EonType* const type = core::find_in(kEonSizes, tensor.type, &EonType::name);
  model::NetworkTensor elements{.id = id};
  elements.type = type == nullptr ? std::string_view{} : type->numpy;
  if (const std::vector<std::int64_t>* const shape = core::value_in(shapes, tensor.shape)) {
    for (const std::int64_t dimension : *shape) {
      elements.shape.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(dimension, 0)));
    }
  }
  return elements;
}

void add_tensor(const EonTables& tables, std::size_t index, const EonLife& life, PlanText& plan) {
  const EonTensor& tensor = tables.tensors[index];
  check_size(tensor, tables.shapes, plan);
  const auto number = static_cast<std::int64_t>(index);
  model::PlannedBlock block{.id = fmt::format("{}", index), .memory = memory_name({})};
  block.is_input = tables.inputs_of_model.contains(number);
  block.is_output = tables.outputs_of_model.contains(number);
  const auto size = plan.size(tensor.size, {tensor.line}, "a tensor");
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
          plan.lifetime(life.first, life.last, LastStep::kInside, {tensor.line}, "a tensor");
    }
  }
  plan.report().network.tensors.push_back(eon_elements(tensor, tables.shapes, block.id));
  (void)plan.add(std::move(block));
}

// What such a node keeps from run to run is a tensor that it alone reads, and that none writes.
bool keeps_state(std::string_view kind) {
  return kind == "SVDF" || kind.ends_with("LSTM") || kind.ends_with("RNN");
}

// What is read has been written before: by a node, or by who runs the model. The compiler writes
// the outputs of the model last.
void check_whole(const EonTables& tables, PlanText& plan) {
  std::set<std::int64_t> written = tables.inputs_of_model;
  for (const EonNode& node : tables.nodes) {
    if (const auto* const list = core::value_in(tables.outputs, node.outputs)) {
      written.insert(list->begin(), list->end());
    }
  }
  std::string missing;
  std::size_t line = tables.nodes.back().line;
  if (tables.outputs_of_model.empty()) {
    missing = "there are no outTensorIndices: the end of this file may be missing";
  }
  for (const EonNode& node : tables.nodes) {
    const std::vector<std::int64_t>* const list = core::value_in(tables.inputs, node.inputs);
    if (!missing.empty() || list == nullptr || keeps_state(node.kind)) {
      continue;
    }
    const auto unwritten = std::ranges::find_if(*list, [&](std::int64_t index) {
      return index >= 0 && static_cast<std::size_t>(index) < tables.tensors.size() &&
             tables.tensors[static_cast<std::size_t>(index)].place == "ArenaRw" &&
             !written.contains(index);
    });
    if (unwritten != list->end()) {
      line = node.line;
      missing = fmt::format("this node reads tensor {}, which no node writes", *unwritten);
    }
  }
  if (!missing.empty()) {
    plan.report().abridged = true;
    plan.warn(Code::kPlanAbridged, {line}, std::move(missing), kEonWhole);
  }
}

// The compiler gives bytes to what nodes use: a tensor with a place that none uses may be one whose
// node, or whose number in a list, was lost.
void warn_of_unused(const EonTables& tables, const EonLives& lives, PlanText& plan) {
  std::vector<std::size_t> unused;
  for (std::size_t i = 0; i < tables.tensors.size(); ++i) {
    if (lives[i].last < 0 && tables.tensors[i].offset) {
      unused.push_back(i);
    }
  }
  if (!unused.empty()) {
    plan.report().abridged = true;
    plan.warn(Code::kPlanAbridged,
              {tables.tensors[unused.front()].line},
              fmt::format("{} a place in the arena, and no node uses {}: left out, tensor {} first",
                          core::plural(unused.size(), "tensor has", "tensors have"),
                          unused.size() == 1 ? "it" : "them",
                          unused.front()),
              kEonWhole);
  }
}

void add_tables(const EonTables& tables, PlanText& plan) {
  EonLives lives{tables.tensors.size(), plan};
  std::int64_t step = 0;
  for (const EonNode& node : tables.nodes) {
    model::Operator added{.id = fmt::format("{}", step), .kind = node.kind, .line = node.line};
    added.reads = lives.use(tables.inputs, node.inputs, step, node.line);
    added.writes = lives.use(tables.outputs, node.outputs, step, node.line);
    plan.report().network.operators.push_back(std::move(added));
    ++step;
  }
  for (const std::int64_t index : tables.inputs_of_model) {
    if (EonLife* const life = lives.find(index, 0)) {
      life->first = 0;
      life->last = std::max<std::int64_t>(life->last, 0);
    }
  }
  for (const std::int64_t index : tables.outputs_of_model) {
    if (EonLife* const life = lives.find(index, 0)) {
      life->first = std::min(life->first, step - 1);
      life->last = step - 1;
    }
  }
  warn_of_unused(tables, lives, plan);
  for (std::size_t i = 0; i < tables.tensors.size() && !plan.failed(); ++i) {
    add_tensor(tables, i, lives[i], plan);
  }
  plan.report().plans_scratch_alone = true;
  plan.report().missing = "what kernels keep for themselves is in no table";
}

}  // namespace

bool probe_eon(std::string_view head) {
  return head.find(kEonArenaSize) != std::string_view::npos &&
         head.find("TfArray") != std::string_view::npos;
}

PlanResult read_eon(std::string_view text, const std::string& path) {
  PlanText plan{text, path};
  const EonTables tables = EonLines{text, plan}.read();
  // Without a row, others are wrong that are not.
  if (plan.failed()) {
    return plan.done();
  }
  if (tables.tensors.empty() || tables.nodes.empty()) {
    plan.error(Code::kPlanSyntax,
               {},
               fmt::format("there is no table of {} in this text",
                           tables.tensors.empty() ? "tensors" : "nodes"),
               kEonWhole);
    return plan.done();
  }
  check_whole(tables, plan);
  add_tables(tables, plan);
  return plan.done();
}

}  // namespace memsize::readers
