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

class GraphChecker {
 public:
  GraphChecker(const model::NnModel& model,
               const model::NnSubgraph& graph,
               std::string where,
               const NnFormat& format,
               NnFindings& found)
      : model_(model),
        graph_(graph),
        where_(std::move(where)),
        format_(format),
        found_(found),
        uses_(nn_uses(graph)),
        has_operations_(nn_has_operations(graph)) {}

  void check() {
    for (std::size_t i = 0; i < graph_.operands.items.size(); ++i) {
      check_operand(i);
    }
    check_operations();
    check_list(graph_.inputs, NnRole::kInput, "inputs");
    check_list(graph_.outputs, NnRole::kOutput, "outputs");
    if (graph_.operands.is_whole && graph_.operands.items.empty()) {
      found_.error(Code::kNnLists,
                   model_.line,
                   fmt::format("{}there is no operand: {}", where_, kNnInvalid),
                   "a model has one operand and one operation at least");
    } else if (graph_.operations.is_whole && graph_.operations.items.empty()) {
      found_.error(Code::kNnLists,
                   model_.line,
                   fmt::format("{}there is no operation: {}", where_, kNnInvalid),
                   "a model has one operand and one operation at least");
    }
    if (off_rule_ != 0) {
      found_.note(Code::kNnAlignment,
                  off_rule_line_,
                  fmt::format("{}{} in operandValues not at a multiple of 1, 2 or 4 by length, as "
                              "the runtime puts them; the first is operand {}",
                              where_,
                              core::plural(off_rule_, "constant lies", "constants lie"),
                              first_off_rule_),
                  "a driver must not read them as words where they lie");
    }
  }

 private:
  const model::NnOperand& operand(std::size_t index) const { return graph_.operands.items[index]; }

  [[nodiscard]] std::string name_of(std::size_t index) const {
    const model::NnOperand& named = operand(index);
    return fmt::format("{}operand {} ({}, {})",
                       where_,
                       index,
                       named.lifetime.empty() ? "?" : core::printable(named.lifetime, 40),
                       nn_shape(named.type, named.dimensions));
  }

  void error(Code code, std::size_t index, const std::string& what, std::string hint = {}) {
    found_.error(code,
                 operand(index).line,
                 fmt::format("{} {}: {}", name_of(index), what, kNnInvalid),
                 std::move(hint));
  }

  void check_operand(std::size_t index) {
    check_hal(index);
    const auto role = nn_role(format_, operand(index));
    if (operand(index).dimensions.has_negative) {
      error(Code::kNnLength, index, "has a dimension below 0");
    } else if (is_too_large(index)) {
      const auto bytes = nn_bytes(format_, operand(index).type, operand(index).dimensions);
      found_.error(Code::kNnLength,
                   operand(index).line,
                   fmt::format("{} takes {}, and the runtime counts bytes in 32 bits: OP_FAILED",
                               name_of(index),
                               bytes ? core::format_bytes(*bytes) : "more than any memory has"),
                   "give it a shape of 4 294 967 295 B at most, such as parts of it");
    }
    if (operand(index).location.is_negative) {
      error(Code::kNnBounds, index, "has a pool, offset, length or padding below 0");
    } else if (role) {
      check_location(index, *role);
    }
    check_quantisation(index);
    check_consumers(index);
    if (role) {
      check_writers(index, *role);
    }
  }

  [[nodiscard]] bool is_too_large(std::size_t index) const {
    return nn_is_too_large(format_, operand(index).type, operand(index).dimensions);
  }

  void check_hal(std::size_t index) {
    const model::NnOperand& one = operand(index);
    const board::NnType* const type = format_.find_type(one.type);
    const board::NnLifetime* const lifetime = format_.find_lifetime(one.lifetime);
    if (!one.type.empty() && type == nullptr && !format_.is_extension(one.type)) {
      error(Code::kNnHal,
            index,
            "has a type that no HAL has",
            "a vendor's own types begin at 65536 (boards/networks/nnapi.toml)");
    } else if (type != nullptr && !format_.has(model_.version, type->since)) {
      error(Code::kNnHal,
            index,
            fmt::format("has a type that HAL {} does not have: it came with {}",
                        core::printable(model_.version, 12),
                        type->since));
    }
    if (!one.lifetime.empty() && lifetime == nullptr) {
      error(Code::kNnHal, index, "has a lifetime that no HAL has");
    } else if (lifetime != nullptr && !format_.has(model_.version, lifetime->since)) {
      error(Code::kNnHal,
            index,
            fmt::format("has a lifetime that HAL {} does not have: it came with {}",
                        core::printable(model_.version, 12),
                        lifetime->since));
    }
    const bool is_graph = lifetime != nullptr && lifetime->role == NnRole::kSubgraph;
    if (type != nullptr && lifetime != nullptr && type->is_subgraph && !is_graph) {
      error(Code::kNnHal, index, "is a graph by its type, and none by its lifetime");
    } else if (type != nullptr && is_graph && !type->is_subgraph) {
      error(Code::kNnHal, index, "is a graph by its lifetime, and none by its type");
    }
  }

  void check_location(std::size_t index, NnRole role) {
    const model::NnLocation& at = operand(index).location;
    if (at.padding.value_or(0) != 0) {
      error(Code::kNnLength,
            index,
            fmt::format("has {} of padding", core::format_bytes(Bytes{*at.padding})),
            "padding is for arguments of requests alone");
    }
    switch (role) {
      case NnRole::kCopy:
        check_constant(index, true);
        break;
      case NnRole::kPool:
        check_constant(index, false);
        break;
      case NnRole::kPointer:
        check_length(index);
        break;
      case NnRole::kSubgraph:
        check_graph_number(index);
        break;
      default:
        if (at.pool.value_or(0) != 0 || at.offset.value_or(0) != 0 || at.length.value_or(0) != 0) {
          error(Code::kNnLength,
                index,
                fmt::format("has a place (pool {}, offset {}, length {})",
                            at.pool.value_or(0),
                            at.offset.value_or(0),
                            at.length.value_or(0)),
                "what has no constant lies nowhere: all of them are 0");
        }
    }
  }

  // Of these the offset is the number of a graph.
  void check_graph_number(std::size_t index) {
    const auto& offset = operand(index).location.offset;
    if (offset && *offset >= model_.referenced.size() && nn_is_whole(model_) &&
        model_.skin != model::NnSkin::kHidl) {
      error(
          Code::kNnBounds,
          index,
          fmt::format("is graph {}, of which the model has {}", *offset, model_.referenced.size()));
    }
  }

  void check_length(std::size_t index) {
    const model::NnOperand& one = operand(index);
    const board::NnType* const type = format_.find_type(one.type);
    if (!one.location.length || type == nullptr || type->is_free || type->is_subgraph ||
        !one.dimensions.is_whole || one.dimensions.has_negative || is_too_large(index)) {
      return;
    }
    const auto bytes = nn_bytes(format_, one.type, one.dimensions);
    if (!bytes) {
      error(Code::kNnLength,
            index,
            "is a constant of no known size",
            "constants have a rank, and dimensions above 0");
    } else if (bytes->count() != *one.location.length) {
      error(Code::kNnLength,
            index,
            fmt::format("takes {}, but its place has {}",
                        core::format_bytes(*bytes),
                        core::format_bytes(Bytes{*one.location.length})));
    }
  }

  void check_constant(std::size_t index, bool is_copied) {
    check_length(index);
    const model::NnLocation& at = operand(index).location;
    if (!at.offset || !at.length) {
      return;
    }
    const std::uint64_t offset = *at.offset;
    std::optional<std::uint64_t> size = model_.values_size;
    std::string where = "operandValues";
    if (is_copied) {
      note_alignment(index);
      if (at.pool.value_or(0) != 0) {
        error(Code::kNnBounds,
              index,
              fmt::format("is copied, and names pool {}", *at.pool),
              "operandValues is no pool: the index is 0");
      }
    } else {
      if (!at.pool || !model_.pools) {
        return;
      }
      where = fmt::format("pool {}", *at.pool);
      if (*at.pool >= model_.pools->items.size()) {
        if (model_.pools->is_whole) {
          error(Code::kNnBounds,
                index,
                fmt::format(
                    "lies in {}, of which the model has {}", where, model_.pools->items.size()));
        }
        return;
      }
      size = model_.pools->items[static_cast<std::size_t>(*at.pool)].size;
    }
    const auto end = core::checked_add(offset, *at.length);
    if (size && (!end || *end > *size)) {
      error(Code::kNnBounds,
            index,
            fmt::format("ends at {} in {}, which has {}",
                        end ? count_text(*end) : std::string{"more than 2^64"},
                        where,
                        core::format_bytes(Bytes{*size})));
    }
  }

  void note_alignment(std::size_t index) {
    const model::NnLocation& at = operand(index).location;
    if (*at.offset % nn_alignment(*at.length) == 0) {
      return;
    }
    if (off_rule_ == 0) {
      off_rule_line_ = operand(index).line;
      first_off_rule_ = index;
    }
    ++off_rule_;
  }

  void check_quantisation(std::size_t index) {
    const model::NnOperand& one = operand(index);
    const board::NnType* const type = format_.find_type(one.type);
    if (type == nullptr || type->is_free) {
      return;
    }
    if (one.scale) {
      const bool is_right = type->scale == board::NnScale::kPositive      ? *one.scale > 0
                            : type->scale == board::NnScale::kNotNegative ? *one.scale >= 0
                                                                          : *one.scale == 0;
      // HIDL prints six decimals: a small scale looks like none.
      const bool may_be_small = model_.skin != model::NnSkin::kCanonical && *one.scale == 0 &&
                                type->scale == board::NnScale::kPositive;
      if (!is_right && !may_be_small) {
        error(Code::kNnQuantisation,
              index,
              fmt::format("has scale {}, which must be {}",
                          *one.scale,
                          type->scale == board::NnScale::kPositive      ? "above 0"
                          : type->scale == board::NnScale::kNotNegative ? "0 or above"
                                                                        : "0"));
      }
    }
    if (one.zero_point &&
        (*one.zero_point < type->least_zero_point || *one.zero_point > type->largest_zero_point)) {
      error(Code::kNnQuantisation,
            index,
            fmt::format(
                "has zero point {}, which must be {}",
                *one.zero_point,
                type->least_zero_point == type->largest_zero_point
                    ? std::string{"0"}
                    : fmt::format(
                          "from {} to {}", type->least_zero_point, type->largest_zero_point)));
    }
    check_channels(index, *type);
  }

  void check_channels(std::size_t index, const board::NnType& type) {
    const model::NnOperand& one = operand(index);
    if (!one.channel_scales || !one.channel_dimension || !one.dimensions.is_whole) {
      return;
    }
    const std::size_t rank = one.dimensions.items.size();
    if (!type.is_per_channel) {
      error(Code::kNnQuantisation, index, "has scales of channels, and its type has none");
    } else if (*one.channel_dimension >= rank) {
      error(Code::kNnQuantisation,
            index,
            fmt::format("has channels in dimension {} of {}", *one.channel_dimension, rank));
    } else if (const std::uint64_t channels =
                   one.dimensions.items[static_cast<std::size_t>(*one.channel_dimension)];
               one.channel_scales->is_whole && one.channel_scales->items.size() != channels) {
      error(Code::kNnQuantisation,
            index,
            fmt::format("has {} for {}",
                        core::plural(one.channel_scales->items.size(), "scale"),
                        core::plural(channels, "channel")));
    } else if (std::ranges::any_of(one.channel_scales->items,
                                   [](double scale) { return scale < 0; })) {
      error(Code::kNnQuantisation, index, "has a channel whose scale is below 0");
    }
  }

  void check_consumers(std::size_t index) {
    const auto& announced = operand(index).consumers;
    const std::size_t reads = uses_[index].reads;
    if (announced && (has_operations_ ? *announced != reads : *announced < reads)) {
      error(Code::kNnConsumers,
            index,
            fmt::format("says that it has {}, and is read {}",
                        core::plural(*announced, "consumer"),
                        reads == 1 ? std::string{"once"} : fmt::format("{} times", reads)),
            "a driver frees it when so many have read it");
    }
  }

  void check_writers(std::size_t index, NnRole role) {
    const NnUses& use = uses_[index];
    const bool is_written = role == NnRole::kTemporary || role == NnRole::kOutput;
    if (use.writes > 1 && is_written) {
      error(Code::kNnWriter, index, fmt::format("is written by {} operations", use.writes));
    } else if (use.writes != 0 && !is_written) {
      error(Code::kNnWriter,
            index,
            fmt::format("is written by operation {}", *use.first_write),
            "only temporaries and outputs are");
    } else if (use.writes == 0 && is_written && has_operations_) {
      error(Code::kNnWriter, index, "is written by no operation");
    }
    if (is_written && use.first_read && use.first_write && *use.first_read <= *use.first_write) {
      error(
          Code::kNnOrder,
          index,
          fmt::format(
              "is read by operation {} and written by {} first", *use.first_read, *use.first_write),
          "operations stand in the order in which they run");
    }
  }

  void check_operations() {
    if (!graph_.operands.is_whole) {
      return;
    }
    const std::size_t count = graph_.operands.items.size();
    for (std::size_t i = 0; i < graph_.operations.items.size(); ++i) {
      const model::NnOperation& operation = graph_.operations.items[i];
      if (operation.inputs.has_negative || operation.outputs.has_negative) {
        found_.error(Code::kNnLists,
                     operation.line,
                     fmt::format("{}operation {} ({}) names an operand below 0: {}",
                                 where_,
                                 i,
                                 core::printable(operation.type, 60),
                                 kNnInvalid));
      }
      for (const auto* list : {&operation.inputs, &operation.outputs}) {
        for (const std::uint64_t named : list->items) {
          if (named >= count) {
            found_.error(Code::kNnLists,
                         operation.line,
                         fmt::format("{}operation {} ({}) names operand {}, of which there are {}: "
                                     "{}",
                                     where_,
                                     i,
                                     core::printable(operation.type, 60),
                                     named,
                                     count,
                                     kNnInvalid));
          }
        }
      }
    }
  }

  void check_list(const model::NnNumbers& list, NnRole role, std::string_view what) {
    std::vector<bool> is_listed(graph_.operands.items.size(), false);
    if (list.has_negative) {
      return found_.error(
          Code::kNnLists,
          model_.line,
          fmt::format("{}the {} name an operand below 0: {}", where_, what, kNnInvalid));
    }
    for (const std::uint64_t named : list.items) {
      if (named >= is_listed.size()) {
        if (graph_.operands.is_whole) {
          found_.error(Code::kNnLists,
                       model_.line,
                       fmt::format("{}the {} name operand {}, of which there are {}: {}",
                                   where_,
                                   what,
                                   named,
                                   is_listed.size(),
                                   kNnInvalid));
        }
        continue;
      }
      const auto index = static_cast<std::size_t>(named);
      const auto found = nn_role(format_, operand(index));
      if (is_listed[index]) {
        error(Code::kNnLists, index, fmt::format("stands twice among the {}", what));
      } else if (found && *found != role) {
        error(Code::kNnLists, index, fmt::format("stands among the {}, and is none", what));
      }
      is_listed[index] = true;
    }
    for (std::size_t i = 0; list.is_whole && i < is_listed.size(); ++i) {
      if (!is_listed[i] && nn_role(format_, operand(i)) == role) {
        error(Code::kNnLists, i, fmt::format("does not stand among the {}", what));
      }
    }
  }

  const model::NnModel& model_;
  const model::NnSubgraph& graph_;
  std::string where_;
  const NnFormat& format_;
  NnFindings& found_;
  std::vector<NnUses> uses_;
  bool has_operations_ = false;
  std::size_t off_rule_ = 0;
  std::size_t first_off_rule_ = 0;
  std::size_t off_rule_line_ = 0;
};

}  // namespace

void check_nn_model(const model::NnModel& model, const NnFormat& format, NnFindings& found) {
  const auto graphs = nn_graphs(model);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const std::string where = i == 0 ? std::string{} : fmt::format("graph {}, ", i - 1);
    GraphChecker{model, *graphs[i], where, format, found}.check();
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
