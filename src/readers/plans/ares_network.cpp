// ARES' network_info.json: layer by layer, by name, what a quantised PyTorch model is made of, and
// the order in which its layers run. Arrays stand in it as nested lists; what they weigh is taken,
// their bytes are in files beside it. A layer reads what it names ("input", "inputs"), else what
// the layer before it wrote; by convention a block's shortcut reads what its first convolution
// read, and a gated feed-forward's "w3" what its "w1" read. Each layer writes one tensor, which has
// its name.
//
// Keys are those of ARES' extractor and those of its README, which say some things in other words.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "plan_fields.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;

constexpr const char* kExtractAgain =
    "run ARES' pytorch_extractor.py again, and give the whole file";
constexpr std::size_t kMostLayers = 100'000;
constexpr std::size_t kMostDimensions = 8;

// Keys of one number, and of one number or a pair (rows, then columns).
constexpr auto kNumbers = std::to_array<const char*>({"in_channels",
                                                      "out_channels",
                                                      "groups",
                                                      "weight_bit_width",
                                                      "in_features",
                                                      "out_features",
                                                      "start_dim",
                                                      "dim",
                                                      "num_heads",
                                                      "head_dim",
                                                      "embed_dim",
                                                      "sequence_length",
                                                      "weight_size_bytes"});
constexpr auto kPairs =
    std::to_array<const char*>({"kernel_size", "stride", "output_size", "dilation"});
constexpr auto kLists = std::to_array<const char*>({"shape", "dims", "normalized_shape"});
constexpr auto kScales = std::to_array<const char*>(
    {"scale", "scale_input", "scale_output", "scale_weight", "scale1", "scale2"});

// What a number may be: shapes beyond are mistakes, and their products would leave 64 bits.
constexpr std::int64_t kLargestNumber = std::int64_t{1} << 40;

bool is_array_key(std::string_view key) {
  return key.ends_with("weight_int8") || key.ends_with("bias_fp32") || key == "weight" ||
         key == "bias";
}

// By "__layer_order__" where there is one, else as they stand.
std::vector<docs::Value> layers_in_order(docs::Value root, PlanFields& fields) {
  std::vector<docs::Value> layers;
  std::map<std::string_view, docs::Value> by_name;
  for (const docs::Value layer : root) {
    if (!layer.key().starts_with("__")) {
      layers.push_back(layer);
      by_name.emplace(layer.key(), layer);
    }
  }
  if (layers.size() > kMostLayers) {
    fields.error(Code::kReadLimit,
                 layers[kMostLayers].position(),
                 fmt::format("this network has more than {} layers", kMostLayers),
                 kExtractAgain);
    return {};
  }
  const docs::Value order = fields.items(root["__layer_order__"]);
  if (!order) {
    return layers;
  }
  layers.clear();
  for (const docs::Value name : order) {
    const auto found = by_name.find(name.is(docs::Kind::kText) ? name.text() : "");
    if (found == by_name.end()) {
      fields.warn(Code::kPlanContradiction,
                  name.position(),
                  fmt::format("{} names {}, which is no layer", name.path(), name.shown()),
                  "ARES leaves it out, too; " + std::string{kExtractAgain});
    } else if (found->second) {
      layers.push_back(found->second);
      found->second = {};
    } else {
      fields.wrong(name, fmt::format("{} stands twice in the order", name.shown()), kExtractAgain);
    }
  }
  for (const auto& [name, layer] : by_name) {
    if (layer) {
      fields.warn(Code::kPlanContradiction,
                  layer.position(),
                  fmt::format("layer '{}' is not in __layer_order__: it does not run",
                              core::printable(name, kLongestShown)),
                  kExtractAgain);
    }
  }
  return layers;
}

void add_number(model::Operator& op, std::string name, docs::Value value, PlanFields& fields) {
  // A dimension may be counted from the end, and a shape may have one that follows.
  const std::optional<std::int64_t> number =
      value.is(docs::Kind::kNull) ? std::nullopt : fields.as_step(value);
  if (number && (*number > kLargestNumber || *number < -1 * kLargestNumber)) {
    fields.wrong(
        value, fmt::format("{} is larger than any network's", value.shown()), kExtractAgain);
  } else if (number) {
    op.attributes.emplace_back(std::move(name), *number);
  }
}

void add_pair(model::Operator& op, const std::string& key, docs::Value value, PlanFields& fields) {
  if (!value) {
    return;
  }
  const bool is_pair = value.is(docs::Kind::kList);
  if (is_pair && (value.size() == 0 || value.size() > 2)) {
    fields.wrong(value, "it must be a number or a pair of them (rows, columns)", kExtractAgain);
    return;
  }
  const docs::Value rows = is_pair ? *value.begin() : value;
  docs::Value columns = rows;
  for (const docs::Value item : is_pair ? value : docs::Value{}) {
    columns = item;
  }
  add_number(op, key + "_rows", rows, fields);
  add_number(op, key + "_columns", columns, fields);
}

// Of four numbers (left, right, top, bottom) for a layer of its own, else as the other pairs.
void add_padding(model::Operator& op, docs::Value value, PlanFields& fields) {
  constexpr std::size_t kSides = 4;
  if (!value.is(docs::Kind::kList) || value.size() != kSides) {
    add_pair(op, "padding", value, fields);
    return;
  }
  constexpr auto kNames = std::to_array<const char*>(
      {"padding_left", "padding_right", "padding_top", "padding_bottom"});
  std::size_t side = 0;
  for (const docs::Value item : value) {
    add_number(op, kNames[side++], item, fields);
  }
}

void add_scale(model::Operator& op, const char* key, docs::Value value, PlanFields& fields) {
  if (!value) {
    return;
  }
  const bool is_number = value.is(docs::Kind::kReal) || value.is(docs::Kind::kWhole);
  const double scale = value.is(docs::Kind::kReal) ? value.real()
                       : is_number                 ? static_cast<double>(value.whole())
                                                   : 0;
  if (!(scale > 0)) {
    fields.wrong(value, fmt::format("a scale is a number above 0, not {}", value.shown()));
    return;
  }
  op.scales.emplace_back(key, scale);
}

// Numbers, and what stands for a pair of them.
void read_attributes(docs::Value layer, model::Operator& op, PlanFields& fields) {
  for (const char* const key : kNumbers) {
    if (const docs::Value value = layer[key]) {
      add_number(op, key, value, fields);
    }
  }
  for (const char* const key : kPairs) {
    add_pair(op, key, layer[key], fields);
  }
  for (const char* const key : kLists) {
    std::size_t place = 0;
    for (const docs::Value item : layer[key].is(docs::Kind::kList) ? layer[key] : docs::Value{}) {
      add_number(op, fmt::format("{}_{}", key, place++), item, fields);
    }
  }
  add_padding(op, layer["padding"], fields);
  for (const char* const key : kScales) {
    add_scale(op, key, layer[key], fields);
  }
}

/// The layers that have run, which those behind them read.
class RunLayers {
 public:
  [[nodiscard]] bool contains(const std::string& name) const { return by_name_.contains(name); }

  /// "relu2_out" is what "relu2" writes; empty: no layer has run that the input could name.
  [[nodiscard]] std::string named(docs::Value input) const {
    std::string name = input.is(docs::Kind::kText) ? input.string() : std::string{};
    if (!contains(name) && name.ends_with("_out")) {
      name.resize(name.size() - 4);
    }
    return contains(name) ? name : std::string{};
  }

  /// What a layer reads that names nothing.
  [[nodiscard]] std::vector<std::string> read_by_convention(std::string_view name) const {
    std::string sibling;
    if (const std::size_t at = name.find(".shortcut"); at != std::string_view::npos) {
      // The shortcut's first layer; its others follow it.
      const std::string block{name.substr(0, at)};
      const bool is_first =
          operators_.empty() || !operators_.back().id.starts_with(block + ".shortcut");
      sibling = is_first ? block + ".conv1" : std::string{};
    } else if (name.ends_with(".w3") && name.find(".ffn.") != std::string_view::npos) {
      sibling = std::string{name.substr(0, name.size() - 1)} + "1";
    }
    if (const std::size_t* const known = core::value_in(by_name_, sibling)) {
      return activations_of(operators_[*known]);
    }
    return operators_.empty() ? std::vector<std::string>{} : std::vector{operators_.back().id};
  }

  void add(model::Operator op) {
    by_name_.emplace(op.id, operators_.size());
    operators_.push_back(std::move(op));
  }

  [[nodiscard]] std::vector<model::Operator> operators() && { return std::move(operators_); }

 private:
  // Without its weights.
  [[nodiscard]] std::vector<std::string> activations_of(const model::Operator& op) const {
    std::vector<std::string> reads;
    std::ranges::copy_if(
        op.reads, std::back_inserter(reads), [&](const std::string& id) { return contains(id); });
    return reads;
  }

  std::vector<model::Operator> operators_;
  std::map<std::string, std::size_t> by_name_;
};

void read_inputs(docs::Value layer,
                 const RunLayers& layers,
                 model::Operator& op,
                 PlanFields& fields) {
  std::vector<docs::Value> named;
  for (const docs::Value input : fields.items(layer["inputs"])) {
    named.push_back(input);
  }
  for (const char* const key : {"input", "input1", "input2"}) {
    if (layer[key]) {
      named.push_back(layer[key]);
    }
  }
  for (const docs::Value input : named) {
    const std::string source = layers.named(input);
    if (source.empty()) {
      fields.wrong(
          input,
          fmt::format("{} is no layer that runs before '{}'",
                      input.shown(),
                      core::printable(op.id, kLongestShown)),
          "layers are named as in __layer_order__, which has those first that others read");
    } else {
      op.reads.push_back(source);
    }
  }
  if (named.empty()) {
    op.reads = layers.read_by_convention(op.id);
  }
}

std::vector<std::uint64_t> dimensions_in(docs::Value shape, PlanFields& fields) {
  std::vector<std::uint64_t> all;
  for (const docs::Value dimension : fields.items(shape)) {
    const auto count = fields.as_whole(dimension);
    if (count && (*count == 0 || *count > static_cast<std::uint64_t>(kLargestNumber))) {
      fields.wrong(
          dimension, fmt::format("no tensor has {} there", dimension.shown()), kExtractAgain);
    } else if (count) {
      all.push_back(*count);
    }
  }
  if (all.size() > kMostDimensions) {
    fields.wrong(shape, fmt::format("a shape has at most {} dimensions", kMostDimensions));
    all.clear();
  }
  return all;
}

bool is_element(docs::Value item, bool is_int8, PlanFields& fields) {
  const bool is_number = item.is_integer() || (item.is(docs::Kind::kReal) && !is_int8);
  const bool fits =
      !is_int8 || (item.is(docs::Kind::kWhole) ? item.whole() <= 127 : item.integer() >= -128);
  if (is_number && fits) {
    return true;
  }
  fields.wrong(
      item,
      fmt::format("an array of {} cannot hold {}", is_int8 ? "int8" : "fp32", item.shown()),
      kExtractAgain);
  return false;
}

// Whether the nested lists are an array; its shape.
bool measure(docs::Value list,
             std::size_t depth,
             bool is_int8,
             std::vector<std::uint64_t>& shape,
             PlanFields& fields) {
  const std::uint64_t size = list.size();
  if (shape.size() == depth) {
    shape.push_back(size);
  }
  if (size != shape[depth] || depth == kMostDimensions) {
    fields.wrong(list,
                 fmt::format("it has {} where the lists beside it have {}", size, shape[depth]),
                 "rows of an array are equally long; " + std::string{kExtractAgain});
    return false;
  }
  const bool is_innermost = size == 0 || !(*list.begin()).is(docs::Kind::kList);
  for (const docs::Value item : list) {
    const bool is_good =
        is_innermost ? is_element(item, is_int8, fields)
                     : fields.is_array(item) && measure(item, depth + 1, is_int8, shape, fields);
    if (!is_good) {
      return false;
    }
  }
  return true;
}

// Each array is a constant that the layer reads: "conv1_weight_int8".
void read_arrays(docs::Value layer,
                 model::Operator& op,
                 std::vector<model::NetworkTensor>& tensors,
                 PlanFields& fields) {
  for (const docs::Value array : layer) {
    if (!is_array_key(array.key()) || !array.is(docs::Kind::kList)) {
      continue;
    }
    const bool is_int8 = array.key().ends_with("int8");
    model::NetworkTensor tensor{
        fmt::format("{}_{}", op.id, array.key()), is_int8 ? "int8" : "float32", {}};
    if (measure(array, 0, is_int8, tensor.shape, fields)) {
      op.reads.push_back(tensor.id);
      tensors.push_back(std::move(tensor));
    }
  }
}

void read_layer(docs::Value layer,
                RunLayers& layers,
                std::vector<model::NetworkTensor>& tensors,
                PlanFields& fields) {
  model::Operator op;
  op.id = layer.name();
  op.line = layer.position().line;
  if (op.id.empty()) {
    fields.wrong(layer, "a layer needs a name", kExtractAgain);
    return;
  }
  op.kind = fields.text(layer, "type");
  read_attributes(layer, op, fields);
  read_inputs(layer, layers, op, fields);
  op.writes.push_back(op.id);
  tensors.push_back({op.id, {}, dimensions_in(layer["output_shape"], fields)});
  read_arrays(layer, op, tensors, fields);
  if (layer["bias_fp32"].is(docs::Kind::kNull)) {
    op.attributes.emplace_back("bias_fp32", 0);
  }
  for (const char* const word : {"weight_residency", "activation_residency", "block_id"}) {
    if (const docs::Value value = layer[word]) {
      op.words.emplace_back(word, fields.as_id(value));
    }
  }
  layers.add(std::move(op));
}

model::Network read_network(docs::Value root, PlanFields& fields) {
  model::Network network;
  RunLayers run;
  const std::vector<docs::Value> layers = layers_in_order(root, fields);
  if (layers.empty() && !fields.failed()) {
    fields.error(Code::kPlanSyntax, {}, "this network has no layers", kExtractAgain);
  }
  for (const docs::Value layer : layers) {
    if (fields.is_object(layer)) {
      read_layer(layer, run, network.tensors, fields);
    }
  }
  network.operators = std::move(run).operators();
  return network;
}

}  // namespace

bool probe_ares_network(std::string_view head) {
  if (!core::trim(head).starts_with('{')) {
    return false;
  }
  constexpr auto kKinds = std::to_array<std::string_view>(
      {"\"QuantIdentity\"", "\"QuantConv2d\"", "\"QuantLinear\"", "\"__layer_order__\""});
  return head.find("\"type\"") != std::string_view::npos &&
         std::ranges::any_of(kKinds, [&](std::string_view kind) {
           return head.find(kind) != std::string_view::npos;
         });
}

PlanResult read_ares_network(std::string_view text, const std::string& path) {
  const auto document = docs::parse_json(text, path, Code::kPlanSyntax);
  MEMSIZE_TRY(document);
  PlanFields fields{path};
  model::PlanReport report;
  report.lines = document->lines();
  const docs::Value root = document->root();
  if (fields.is_object(root)) {
    report.prefix = fields.text_if_any(root, "__model_name__");
    report.network = read_network(root, fields);
  }
  return fields.finish(std::move(report), *document);
}

}  // namespace memsize::readers
