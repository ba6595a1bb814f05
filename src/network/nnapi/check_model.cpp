// What drivers' validators look at in a model, as far as the log has it: where a list was cut,
// nothing is said of what may stand behind the cut. Alignment of what is copied is no rule: models
// pack it at odd offsets, and a driver must cope.
#include "memsize/core/find.hpp"

#include "nnapi/findings.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace memsize::network {

namespace {

using board::NnFormat;
using board::NnRole;
using core::Bytes;
using core::Code;

std::string count_text(std::uint64_t count) {
  const std::string text = core::format_bytes(Bytes{count});
  return text.substr(0, text.size() - 2);
}

// A graph of a model, and where what is wrong with it goes.
class CheckedGraph {
 public:
  /// `where`: "graph 0, " of one that others refer to.
  CheckedGraph(const model::NnSubgraph& graph, std::string where, NnFindings& found)
      : graph_(graph), where_(std::move(where)), found_(found) {}

  const model::NnSubgraph& operator*() const { return graph_; }

  const model::NnSubgraph* operator->() const { return &graph_; }

  void error(Code code,
             std::size_t line,
             const std::string& what,
             std::string hint = {},
             std::string_view status = kNnInvalid) const {
    found_.error(code, line, fmt::format("{}{}: {}", where_, what, status), std::move(hint));
  }

  void note(Code code, std::size_t line, const std::string& what, std::string hint) const {
    found_.note(code, line, where_ + what, std::move(hint));
  }

 private:
  const model::NnSubgraph& graph_;
  std::string where_;
  NnFindings& found_;
};

class CheckedOperand {
 public:
  CheckedOperand(const CheckedGraph& graph, std::size_t index) : graph_(graph), index_(index) {}

  const model::NnOperand& operator*() const { return graph_->operands.items[index_]; }

  const model::NnOperand* operator->() const { return &**this; }

  void error(Code code,
             std::string_view what,
             std::string hint = {},
             std::string_view status = kNnInvalid) const {
    const model::NnOperand& named = **this;
    graph_.error(code,
                 named.line,
                 fmt::format("operand {} ({}, {}) {}",
                             index_,
                             named.lifetime.empty() ? "?" : core::printable(named.lifetime, 40),
                             nn_shape(named.type, named.dimensions),
                             what),
                 std::move(hint),
                 status);
  }

 private:
  const CheckedGraph& graph_;
  std::size_t index_;
};

void check_hal(const CheckedOperand& operand, std::string_view hal, const NnFormat& format) {
  const board::NnType* const type = format.find_type(operand->type);
  const board::NnLifetime* const lifetime = format.find_lifetime(operand->lifetime);
  const auto came_later = [&](std::string_view what, std::string_view since) {
    operand.error(Code::kNnHal,
                  fmt::format("has a {} that HAL {} does not have: it came with {}",
                              what,
                              core::printable(hal, 12),
                              since));
  };
  if (!operand->type.empty() && type == nullptr && !format.is_extension(operand->type)) {
    operand.error(Code::kNnHal,
                  "has a type that no HAL has",
                  "a vendor's own types begin at 65536 (boards/networks/nnapi.toml)");
  } else if (type != nullptr && !format.has(hal, type->since)) {
    came_later("type", type->since);
  }
  if (!operand->lifetime.empty() && lifetime == nullptr) {
    operand.error(Code::kNnHal, "has a lifetime that no HAL has");
  } else if (lifetime != nullptr && !format.has(hal, lifetime->since)) {
    came_later("lifetime", lifetime->since);
  }
  const bool is_graph = lifetime != nullptr && lifetime->role == NnRole::kSubgraph;
  if (type != nullptr && lifetime != nullptr && type->is_subgraph && !is_graph) {
    operand.error(Code::kNnHal, "is a graph by its type, and none by its lifetime");
  } else if (type != nullptr && is_graph && !type->is_subgraph) {
    operand.error(Code::kNnHal, "is a graph by its lifetime, and none by its type");
  }
}

// Of these the offset is the number of a graph.
void check_graph_number(const CheckedOperand& operand, const model::NnModel& model) {
  const auto& offset = operand->location.offset;
  if (offset && *offset >= model.referenced.size() && nn_is_whole(model) &&
      model.skin != model::NnSkin::kHidl) {
    operand.error(
        Code::kNnBounds,
        fmt::format("is graph {}, of which the model has {}", *offset, model.referenced.size()));
  }
}

void check_length(const CheckedOperand& operand, const NnFormat& format) {
  const board::NnType* const type = format.find_type(operand->type);
  if (!operand->location.length || type == nullptr || type->is_free || type->is_subgraph ||
      !operand->dimensions.is_whole || operand->dimensions.has_negative ||
      nn_is_too_large(format, operand->type, operand->dimensions)) {
    return;
  }
  const auto bytes = nn_bytes(format, operand->type, operand->dimensions);
  if (!bytes) {
    operand.error(Code::kNnLength,
                  "is a constant of no known size",
                  "constants have a rank, and dimensions above 0");
  } else if (bytes->count() != *operand->location.length) {
    operand.error(Code::kNnLength,
                  fmt::format("takes {}, but its place has {}",
                              core::format_bytes(*bytes),
                              core::format_bytes(Bytes{*operand->location.length})));
  }
}

void check_constant(const CheckedOperand& operand, bool is_copied, const model::NnModel& model) {
  const model::NnLocation& at = operand->location;
  if (!at.offset || !at.length) {
    return;
  }
  const std::uint64_t offset = *at.offset;
  std::optional<std::uint64_t> size = model.values_size;
  std::string where = "operandValues";
  if (is_copied) {
    if (at.pool.value_or(0) != 0) {
      operand.error(Code::kNnBounds,
                    fmt::format("is copied, and names pool {}", *at.pool),
                    "operandValues is no pool: the index is 0");
    }
  } else {
    if (!at.pool || !model.pools) {
      return;
    }
    where = fmt::format("pool {}", *at.pool);
    if (*at.pool >= model.pools->items.size()) {
      if (model.pools->is_whole) {
        operand.error(
            Code::kNnBounds,
            fmt::format("lies in {}, of which the model has {}", where, model.pools->items.size()));
      }
      return;
    }
    size = model.pools->items[static_cast<std::size_t>(*at.pool)].size;
  }
  const auto end = core::checked_add(offset, *at.length);
  if (size && (!end || *end > *size)) {
    operand.error(Code::kNnBounds,
                  fmt::format("ends at {} in {}, which has {}",
                              end ? count_text(*end) : std::string{"more than 2^64"},
                              where,
                              core::format_bytes(Bytes{*size})));
  }
}

void check_location(const CheckedOperand& operand,
                    NnRole role,
                    const model::NnModel& model,
                    const NnFormat& format) {
  const model::NnLocation& at = operand->location;
  if (at.padding.value_or(0) != 0) {
    operand.error(Code::kNnLength,
                  fmt::format("has {} of padding", core::format_bytes(Bytes{*at.padding})),
                  "padding is for arguments of requests alone");
  }
  switch (role) {
    case NnRole::kCopy:
    case NnRole::kPool:
      check_length(operand, format);
      check_constant(operand, role == NnRole::kCopy, model);
      break;
    case NnRole::kPointer:
      check_length(operand, format);
      break;
    case NnRole::kSubgraph:
      check_graph_number(operand, model);
      break;
    default:
      if (at.pool.value_or(0) != 0 || at.offset.value_or(0) != 0 || at.length.value_or(0) != 0) {
        operand.error(Code::kNnLength,
                      fmt::format("has a place (pool {}, offset {}, length {})",
                                  at.pool.value_or(0),
                                  at.offset.value_or(0),
                                  at.length.value_or(0)),
                      "what has no constant lies nowhere: all of them are 0");
      }
  }
}

void check_channels(const CheckedOperand& operand, const board::NnType& type) {
  if (!operand->channel_scales || !operand->channel_dimension || !operand->dimensions.is_whole) {
    return;
  }
  const std::size_t rank = operand->dimensions.items.size();
  if (!type.is_per_channel) {
    operand.error(Code::kNnQuantisation, "has scales of channels, and its type has none");
  } else if (*operand->channel_dimension >= rank) {
    operand.error(
        Code::kNnQuantisation,
        fmt::format("has channels in dimension {} of {}", *operand->channel_dimension, rank));
  } else if (const std::uint64_t channels =
                 operand->dimensions.items[static_cast<std::size_t>(*operand->channel_dimension)];
             operand->channel_scales->is_whole &&
             operand->channel_scales->items.size() != channels) {
    operand.error(Code::kNnQuantisation,
                  fmt::format("has {} for {}",
                              core::plural(operand->channel_scales->items.size(), "scale"),
                              core::plural(channels, "channel")));
  } else if (std::ranges::any_of(operand->channel_scales->items,
                                 [](double scale) { return scale < 0; })) {
    operand.error(Code::kNnQuantisation, "has a channel whose scale is below 0");
  }
}

void check_quantisation(const CheckedOperand& operand, model::NnSkin skin, const NnFormat& format) {
  const board::NnType* const type = format.find_type(operand->type);
  if (type == nullptr || type->is_free) {
    return;
  }
  if (operand->scale) {
    const bool is_right = type->scale == board::NnScale::kPositive      ? *operand->scale > 0
                          : type->scale == board::NnScale::kNotNegative ? *operand->scale >= 0
                                                                        : *operand->scale == 0;
    // HIDL prints six decimals: a small scale looks like none.
    const bool may_be_small = skin != model::NnSkin::kCanonical && *operand->scale == 0 &&
                              type->scale == board::NnScale::kPositive;
    if (!is_right && !may_be_small) {
      operand.error(Code::kNnQuantisation,
                    fmt::format("has scale {}, which must be {}",
                                *operand->scale,
                                type->scale == board::NnScale::kPositive      ? "above 0"
                                : type->scale == board::NnScale::kNotNegative ? "0 or above"
                                                                              : "0"));
    }
  }
  if (operand->zero_point && (*operand->zero_point < type->least_zero_point ||
                              *operand->zero_point > type->largest_zero_point)) {
    operand.error(
        Code::kNnQuantisation,
        fmt::format(
            "has zero point {}, which must be {}",
            *operand->zero_point,
            type->least_zero_point == type->largest_zero_point
                ? std::string{"0"}
                : fmt::format("from {} to {}", type->least_zero_point, type->largest_zero_point)));
  }
  check_channels(operand, *type);
}

void check_consumers(const CheckedOperand& operand, std::size_t reads, bool has_operations) {
  const auto& announced = operand->consumers;
  if (announced && (has_operations ? *announced != reads : *announced < reads)) {
    operand.error(Code::kNnConsumers,
                  fmt::format("says that it has {}, and is read {}",
                              core::plural(*announced, "consumer"),
                              reads == 1 ? std::string{"once"} : fmt::format("{} times", reads)),
                  "a driver frees it when so many have read it");
  }
}

void check_writers(const CheckedOperand& operand,
                   NnRole role,
                   const NnUses& use,
                   bool has_operations) {
  const bool is_written = role == NnRole::kTemporary || role == NnRole::kOutput;
  if (use.writes > 1 && is_written) {
    operand.error(Code::kNnWriter, fmt::format("is written by {} operations", use.writes));
  } else if (use.writes != 0 && !is_written) {
    operand.error(Code::kNnWriter,
                  fmt::format("is written by operation {}", *use.first_write),
                  "only temporaries and outputs are");
  } else if (use.writes == 0 && is_written && has_operations) {
    operand.error(Code::kNnWriter, "is written by no operation");
  }
  if (is_written && use.first_read && use.first_write && *use.first_read <= *use.first_write) {
    operand.error(
        Code::kNnOrder,
        fmt::format(
            "is read by operation {} and written by {} first", *use.first_read, *use.first_write),
        "operations stand in the order in which they run");
  }
}

void check_operand(const CheckedOperand& operand,
                   const model::NnModel& model,
                   const NnFormat& format,
                   const NnUses& uses,
                   bool has_operations) {
  check_hal(operand, model.version, format);
  const auto role = nn_role(format, *operand);
  if (operand->dimensions.has_negative) {
    operand.error(Code::kNnLength, "has a dimension below 0");
  } else if (nn_is_too_large(format, operand->type, operand->dimensions)) {
    const auto bytes = nn_bytes(format, operand->type, operand->dimensions);
    operand.error(Code::kNnLength,
                  fmt::format("takes {}, and the runtime counts bytes in 32 bits",
                              bytes ? core::format_bytes(*bytes) : "more than any memory has"),
                  "give it a shape of 4 294 967 295 B at most, such as parts of it",
                  "OP_FAILED");
  }
  if (operand->location.is_negative) {
    operand.error(Code::kNnBounds, "has a pool, offset, length or padding below 0");
  } else if (role) {
    check_location(operand, *role, model, format);
  }
  check_quantisation(operand, model.skin, format);
  check_consumers(operand, uses.reads, has_operations);
  if (role) {
    check_writers(operand, *role, uses, has_operations);
  }
}

void check_operations(const CheckedGraph& graph) {
  if (!graph->operands.is_whole) {
    return;
  }
  const std::size_t count = graph->operands.items.size();
  for (std::size_t i = 0; i < graph->operations.items.size(); ++i) {
    const model::NnOperation& operation = graph->operations.items[i];
    const auto names = [&](const std::string& what) {
      graph.error(
          Code::kNnLists,
          operation.line,
          fmt::format("operation {} ({}) names {}", i, core::printable(operation.type, 60), what));
    };
    if (operation.inputs.has_negative || operation.outputs.has_negative) {
      names("an operand below 0");
    }
    for (const auto* list : {&operation.inputs, &operation.outputs}) {
      for (const std::uint64_t named : list->items) {
        if (named >= count) {
          names(fmt::format("operand {}, of which there are {}", named, count));
        }
      }
    }
  }
}

void check_list(const CheckedGraph& graph,
                const model::NnNumbers& list,
                NnRole role,
                std::string_view what,
                std::size_t line,
                const NnFormat& format) {
  std::vector<bool> is_listed(graph->operands.items.size(), false);
  if (list.has_negative) {
    return graph.error(Code::kNnLists, line, fmt::format("the {} name an operand below 0", what));
  }
  for (const std::uint64_t named : list.items) {
    if (named >= is_listed.size()) {
      if (graph->operands.is_whole) {
        graph.error(
            Code::kNnLists,
            line,
            fmt::format(
                "the {} name operand {}, of which there are {}", what, named, is_listed.size()));
      }
      continue;
    }
    const CheckedOperand operand{graph, static_cast<std::size_t>(named)};
    const auto found = nn_role(format, *operand);
    if (is_listed[named]) {
      operand.error(Code::kNnLists, fmt::format("stands twice among the {}", what));
    } else if (found && *found != role) {
      operand.error(Code::kNnLists, fmt::format("stands among the {}, and is none", what));
    }
    is_listed[named] = true;
  }
  for (std::size_t i = 0; list.is_whole && i < is_listed.size(); ++i) {
    const CheckedOperand operand{graph, i};
    if (!is_listed[i] && nn_role(format, *operand) == role) {
      operand.error(Code::kNnLists, fmt::format("does not stand among the {}", what));
    }
  }
}

// Constants where the runtime does not put them.
void note_alignment(const CheckedGraph& graph, const NnFormat& format) {
  const auto is_off_rule = [&](const model::NnOperand& operand) {
    const model::NnLocation& at = operand.location;
    return !at.is_negative && at.offset && at.length &&
           *at.offset % nn_alignment(*at.length) != 0 && nn_role(format, operand) == NnRole::kCopy;
  };
  const auto& operands = graph->operands.items;
  const auto first = std::ranges::find_if(operands, is_off_rule);
  if (first == operands.end()) {
    return;
  }
  const auto count = std::count_if(first, operands.end(), is_off_rule);
  graph.note(
      Code::kNnAlignment,
      first->line,
      fmt::format("{} in operandValues not at a multiple of 1, 2 or 4 by length, as the "
                  "runtime puts them; the first is operand {}",
                  core::plural(static_cast<std::uint64_t>(count), "constant lies", "constants lie"),
                  first - operands.begin()),
      "a driver must not read them as words where they lie");
}

void check_graph(const CheckedGraph& graph, const model::NnModel& model, const NnFormat& format) {
  const std::vector<NnUses> uses = nn_uses(*graph);
  const bool has_operations = nn_has_operations(*graph);
  for (std::size_t i = 0; i < graph->operands.items.size(); ++i) {
    check_operand({graph, i}, model, format, uses[i], has_operations);
  }
  check_operations(graph);
  check_list(graph, graph->inputs, NnRole::kInput, "inputs", model.line, format);
  check_list(graph, graph->outputs, NnRole::kOutput, "outputs", model.line, format);
  const auto is_empty = [](const auto& list) { return list.is_whole && list.items.empty(); };
  if (is_empty(graph->operands) || is_empty(graph->operations)) {
    graph.error(Code::kNnLists,
                model.line,
                fmt::format("there is no {}", is_empty(graph->operands) ? "operand" : "operation"),
                "a model has one operand and one operation at least");
  }
  note_alignment(graph, format);
}

}  // namespace

void check_nn_model(const model::NnModel& model, const NnFormat& format, NnFindings& found) {
  const auto graphs = nn_graphs(model);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const std::string where = i == 0 ? std::string{} : fmt::format("graph {}, ", i - 1);
    check_graph({*graphs[i], where, found}, model, format);
  }
  for (std::size_t i = 0; model.pools && i < model.pools->items.size(); ++i) {
    check_nn_pool(model.pools->items[i],
                  fmt::format("pool {} of the model", i),
                  model.version,
                  true,
                  format,
                  found);
  }
}

}  // namespace memsize::network
