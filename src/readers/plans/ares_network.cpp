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

class NetworkReader : private PlanFields {
 public:
  using PlanFields::PlanFields;

  PlanResult read(const docs::Document& document) {
    const docs::Value root = document.root();
    report_.lines = document.lines();
    if (!is_object(root)) {
      return finish(std::move(report_), document);
    }
    report_.prefix = text_if_any(root, "__model_name__");
    const std::vector<docs::Value> layers = layers_in_order(root);
    if (layers.empty() && !failed()) {
      error(Code::kPlanSyntax, {}, "this network has no layers", kExtractAgain);
    }
    for (const docs::Value layer : layers) {
      if (is_object(layer)) {
        read_layer(layer);
      }
    }
    return finish(std::move(report_), document);
  }

 private:
  // By "__layer_order__" where there is one, else as they stand.
  std::vector<docs::Value> layers_in_order(docs::Value root) {
    std::vector<docs::Value> layers;
    std::map<std::string_view, docs::Value> by_name;
    for (const docs::Value layer : root) {
      if (!layer.key().starts_with("__")) {
        layers.push_back(layer);
        by_name.emplace(layer.key(), layer);
      }
    }
    if (layers.size() > kMostLayers) {
      error(Code::kReadLimit,
            layers[kMostLayers].position(),
            fmt::format("this network has more than {} layers", kMostLayers),
            kExtractAgain);
      return {};
    }
    const docs::Value order = items(root["__layer_order__"]);
    if (!order) {
      return layers;
    }
    layers.clear();
    for (const docs::Value name : order) {
      const auto found = by_name.find(name.is(docs::Kind::kText) ? name.text() : "");
      if (found == by_name.end()) {
        warn(Code::kPlanContradiction,
             name.position(),
             fmt::format("{} names {}, which is no layer", name.path(), name.shown()),
             "ARES leaves it out, too; " + std::string{kExtractAgain});
      } else if (found->second) {
        layers.push_back(found->second);
        found->second = {};
      } else {
        wrong(name, fmt::format("{} stands twice in the order", name.shown()), kExtractAgain);
      }
    }
    for (const auto& [name, layer] : by_name) {
      if (layer) {
        warn(Code::kPlanContradiction,
             layer.position(),
             fmt::format("layer '{}' is not in __layer_order__: it does not run",
                         core::printable(name, kLongestShown)),
             kExtractAgain);
      }
    }
    return layers;
  }

  void read_layer(docs::Value layer) {
    model::Operator op;
    op.id = layer.name();
    op.line = layer.position().line;
    if (op.id.empty()) {
      wrong(layer, "a layer needs a name", kExtractAgain);
      return;
    }
    op.kind = text(layer, "type");
    read_attributes(layer, op);
    read_inputs(layer, op);
    op.writes.push_back(op.id);
    report_.network.tensors.push_back({op.id, {}, dimensions(layer["output_shape"])});
    read_arrays(layer, op);
    if (layer["bias_fp32"].is(docs::Kind::kNull)) {
      op.attributes.emplace_back("bias_fp32", 0);
    }
    for (const char* const word : {"weight_residency", "activation_residency", "block_id"}) {
      if (const docs::Value value = layer[word]) {
        op.words.emplace_back(word, as_id(value));
      }
    }
    was_written_.emplace(op.id, report_.network.operators.size());
    report_.network.operators.push_back(std::move(op));
  }

  // Numbers, and what stands for a pair of them.
  void read_attributes(docs::Value layer, model::Operator& op) {
    for (const char* const key : kNumbers) {
      if (const docs::Value value = layer[key]) {
        add_number(op, key, value);
      }
    }
    for (const char* const key : kPairs) {
      add_pair(op, key, layer[key]);
    }
    for (const char* const key : kLists) {
      std::size_t place = 0;
      for (const docs::Value item : layer[key].is(docs::Kind::kList) ? layer[key] : docs::Value{}) {
        add_number(op, fmt::format("{}_{}", key, place++), item);
      }
    }
    add_padding(op, layer["padding"]);
    for (const char* const key : kScales) {
      add_scale(op, key, layer[key]);
    }
  }

  void add_number(model::Operator& op, std::string name, docs::Value value) {
    // A dimension may be counted from the end, and a shape may have one that follows.
    const std::optional<std::int64_t> number =
        value.is(docs::Kind::kNull) ? std::nullopt : as_step(value);
    if (number && (*number > kLargestNumber || *number < -1 * kLargestNumber)) {
      wrong(value, fmt::format("{} is larger than any network's", value.shown()), kExtractAgain);
    } else if (number) {
      op.attributes.emplace_back(std::move(name), *number);
    }
  }

  void add_pair(model::Operator& op, const std::string& key, docs::Value value) {
    if (!value) {
      return;
    }
    const bool is_pair = value.is(docs::Kind::kList);
    if (is_pair && (value.size() == 0 || value.size() > 2)) {
      wrong(value, "it must be a number or a pair of them (rows, columns)", kExtractAgain);
      return;
    }
    const docs::Value rows = is_pair ? *value.begin() : value;
    docs::Value columns = rows;
    for (const docs::Value item : is_pair ? value : docs::Value{}) {
      columns = item;
    }
    add_number(op, key + "_rows", rows);
    add_number(op, key + "_columns", columns);
  }

  // Of four numbers (left, right, top, bottom) for a layer of its own, else as the other pairs.
  void add_padding(model::Operator& op, docs::Value value) {
    constexpr std::size_t kSides = 4;
    if (!value.is(docs::Kind::kList) || value.size() != kSides) {
      add_pair(op, "padding", value);
      return;
    }
    constexpr auto kNames = std::to_array<const char*>(
        {"padding_left", "padding_right", "padding_top", "padding_bottom"});
    std::size_t side = 0;
    for (const docs::Value item : value) {
      add_number(op, kNames[side++], item);
    }
  }

  void add_scale(model::Operator& op, const char* key, docs::Value value) {
    if (!value) {
      return;
    }
    const bool is_number = value.is(docs::Kind::kReal) || value.is(docs::Kind::kWhole);
    const double scale = value.is(docs::Kind::kReal) ? value.real()
                         : is_number                 ? static_cast<double>(value.whole())
                                                     : 0;
    if (!(scale > 0)) {
      wrong(value, fmt::format("a scale is a number above 0, not {}", value.shown()));
      return;
    }
    op.scales.emplace_back(key, scale);
  }

  void read_inputs(docs::Value layer, model::Operator& op) {
    std::vector<docs::Value> named;
    for (const docs::Value input : items(layer["inputs"])) {
      named.push_back(input);
    }
    for (const char* const key : {"input", "input1", "input2"}) {
      if (layer[key]) {
        named.push_back(layer[key]);
      }
    }
    for (const docs::Value input : named) {
      const std::string source = layer_named(input);
      if (source.empty()) {
        wrong(input,
              fmt::format("{} is no layer that runs before '{}'",
                          input.shown(),
                          core::printable(op.id, kLongestShown)),
              "layers are named as in __layer_order__, which has those first that others read");
      } else {
        op.reads.push_back(source);
      }
    }
    if (named.empty()) {
      read_by_convention(op);
    }
  }

  // "relu2_out" is what "relu2" writes.
  std::string layer_named(docs::Value input) {
    std::string name = input.is(docs::Kind::kText) ? input.string() : std::string{};
    if (!was_written_.contains(name) && name.ends_with("_out")) {
      name.resize(name.size() - 4);
    }
    return was_written_.contains(name) ? name : std::string{};
  }

  void read_by_convention(model::Operator& op) {
    const std::string_view name = op.id;
    std::string sibling;
    if (const std::size_t at = name.find(".shortcut"); at != std::string_view::npos) {
      // The shortcut's first layer; its others follow it.
      const std::string block{name.substr(0, at)};
      const bool is_first = report_.network.operators.empty() ||
                            !report_.network.operators.back().id.starts_with(block + ".shortcut");
      sibling = is_first ? block + ".conv1" : std::string{};
    } else if (name.ends_with(".w3") && name.find(".ffn.") != std::string_view::npos) {
      sibling = std::string{name.substr(0, name.size() - 1)} + "1";
    }
    const auto known = was_written_.find(sibling);
    if (known != was_written_.end()) {
      op.reads = activations_of(report_.network.operators[known->second]);
    } else if (!report_.network.operators.empty()) {
      op.reads.push_back(report_.network.operators.back().id);
    }
  }

  // Without its weights.
  std::vector<std::string> activations_of(const model::Operator& op) {
    std::vector<std::string> reads;
    std::ranges::copy_if(op.reads, std::back_inserter(reads), [&](const std::string& id) {
      return was_written_.contains(id);
    });
    return reads;
  }

  std::vector<std::uint64_t> dimensions(docs::Value shape) {
    std::vector<std::uint64_t> all;
    for (const docs::Value dimension : items(shape)) {
      const auto count = as_whole(dimension);
      if (count && (*count == 0 || *count > static_cast<std::uint64_t>(kLargestNumber))) {
        wrong(dimension, fmt::format("no tensor has {} there", dimension.shown()), kExtractAgain);
      } else if (count) {
        all.push_back(*count);
      }
    }
    if (all.size() > kMostDimensions) {
      wrong(shape, fmt::format("a shape has at most {} dimensions", kMostDimensions));
      all.clear();
    }
    return all;
  }

  // Each array is a constant that the layer reads: "conv1_weight_int8".
  void read_arrays(docs::Value layer, model::Operator& op) {
    for (const docs::Value array : layer) {
      if (!is_array_key(array.key()) || !array.is(docs::Kind::kList)) {
        continue;
      }
      const bool is_int8 = array.key().ends_with("int8");
      model::NetworkTensor tensor{
          fmt::format("{}_{}", op.id, array.key()), is_int8 ? "int8" : "float32", {}};
      if (measure(array, 0, is_int8, tensor.shape)) {
        op.reads.push_back(tensor.id);
        report_.network.tensors.push_back(std::move(tensor));
      }
    }
  }

  // Whether the nested lists are an array; its shape.
  bool measure(docs::Value list,
               std::size_t depth,
               bool is_int8,
               std::vector<std::uint64_t>& shape) {
    const std::uint64_t size = list.size();
    if (shape.size() == depth) {
      shape.push_back(size);
    }
    if (size != shape[depth] || depth == kMostDimensions) {
      wrong(list,
            fmt::format("it has {} where the lists beside it have {}", size, shape[depth]),
            "rows of an array are equally long; " + std::string{kExtractAgain});
      return false;
    }
    const bool is_innermost = size == 0 || !(*list.begin()).is(docs::Kind::kList);
    for (const docs::Value item : list) {
      if (is_innermost ? !is_element(item, is_int8)
                       : !measure_row(item, depth + 1, is_int8, shape)) {
        return false;
      }
    }
    return true;
  }

  bool measure_row(docs::Value row,
                   std::size_t depth,
                   bool is_int8,
                   std::vector<std::uint64_t>& shape) {
    return is_array(row) && measure(row, depth, is_int8, shape);
  }

  bool is_element(docs::Value item, bool is_int8) {
    const bool is_number = item.is_integer() || (item.is(docs::Kind::kReal) && !is_int8);
    const bool fits =
        !is_int8 || (item.is(docs::Kind::kWhole) ? item.whole() <= 127 : item.integer() >= -128);
    if (is_number && fits) {
      return true;
    }
    wrong(item,
          fmt::format("an array of {} cannot hold {}", is_int8 ? "int8" : "fp32", item.shown()),
          kExtractAgain);
    return false;
  }

  model::PlanReport report_;
  // Where in the network the layer is that writes a tensor.
  std::map<std::string, std::size_t> was_written_;
};

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
  return NetworkReader{path}.read(*document);
}

}  // namespace memsize::readers
