// Sizes by NNAPI's rules: a scalar has its element, a tensor all of its elements; where a dimension
// is 0 or there is none, nobody knows how many, and the size is absent.
#include "operands.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::network {

namespace {

// Nothing: unknown. UINT64_MAX: that, or more.
std::optional<std::uint64_t> count_bytes(const board::NnFormat& format,
                                         std::string_view printed,
                                         const model::NnNumbers& dimensions) {
  const board::NnType* const type = format.find_type(printed);
  if (type == nullptr || !type->bytes) {
    return std::nullopt;
  }
  if (type->is_scalar) {
    return type->bytes;
  }
  if (!dimensions.is_whole || dimensions.has_negative || dimensions.items.empty()) {
    return std::nullopt;
  }
  std::uint64_t bytes = *type->bytes;
  for (const std::uint64_t dimension : dimensions.items) {
    if (dimension == 0) {
      return std::nullopt;
    }
    bytes = core::checked_mul(bytes, dimension).value_or(UINT64_MAX);
  }
  return bytes;
}

}  // namespace

std::optional<core::Bytes> nn_bytes(const board::NnFormat& format,
                                    std::string_view printed,
                                    const model::NnNumbers& dimensions) {
  const auto bytes = count_bytes(format, printed, dimensions);
  return bytes && core::Bytes{*bytes} <= model::kLargestPlan ? std::optional{core::Bytes{*bytes}}
                                                             : std::nullopt;
}

bool nn_is_too_large(const board::NnFormat& format,
                     std::string_view type,
                     const model::NnNumbers& dimensions) {
  return count_bytes(format, type, dimensions) > UINT32_MAX;
}

std::optional<board::NnRole> nn_role(const board::NnFormat& format,
                                     const model::NnOperand& operand) {
  const board::NnLifetime* const lifetime = format.find_lifetime(operand.lifetime);
  return lifetime == nullptr ? std::nullopt : std::optional{lifetime->role};
}

std::string nn_hal(const model::NnModel& model) {
  switch (model.skin) {
    case model::NnSkin::kAidl:
      return "AIDL";
    case model::NnSkin::kCanonical:
      return "the runtime's own form";
    default:
      return model.version.empty() ? std::string{"HIDL"}
                                   : fmt::format("HIDL {}", core::printable(model.version, 12));
  }
}

std::string nn_shape(std::string_view type, const model::NnNumbers& dimensions) {
  std::string text = type.empty() ? std::string{"?"} : core::printable(type, 60);
  for (std::size_t i = 0; i < dimensions.items.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? ' ' : 'x', dimensions.items[i]);
  }
  return text + (dimensions.is_whole && !dimensions.has_negative ? "" : " ...");
}

std::vector<const model::NnSubgraph*> nn_graphs(const model::NnModel& model) {
  std::vector<const model::NnSubgraph*> graphs = {&model.main};
  for (const model::NnSubgraph& graph : model.referenced) {
    graphs.push_back(&graph);
  }
  return graphs;
}

bool nn_is_whole(const model::NnSubgraph& graph) {
  return graph.operands.is_whole && nn_has_operations(graph) && graph.inputs.is_whole &&
         graph.outputs.is_whole;
}

bool nn_is_whole(const model::NnModel& model) {
  return !model.lacks_end &&
         std::ranges::all_of(nn_graphs(model), [](const model::NnSubgraph* graph) {
           return nn_is_whole(*graph) &&
                  std::ranges::all_of(graph->operands.items,
                                      [](const auto& each) { return each.dimensions.is_whole; });
         });
}

bool nn_has_operations(const model::NnSubgraph& graph) {
  return graph.operations.is_whole &&
         std::ranges::all_of(graph.operations.items, [](const model::NnOperation& operation) {
           return operation.inputs.is_whole && operation.outputs.is_whole;
         });
}

std::vector<NnUses> nn_uses(const model::NnSubgraph& graph) {
  std::vector<NnUses> uses(graph.operands.items.size());
  for (std::size_t step = 0; step < graph.operations.items.size(); ++step) {
    const model::NnOperation& operation = graph.operations.items[step];
    for (const std::uint64_t operand : operation.inputs.items) {
      if (operand < uses.size()) {
        NnUses& use = uses[static_cast<std::size_t>(operand)];
        use.first_read = use.first_read.value_or(step);
        use.last_read = step;
        ++use.reads;
      }
    }
    for (const std::uint64_t operand : operation.outputs.items) {
      if (operand < uses.size()) {
        NnUses& use = uses[static_cast<std::size_t>(operand)];
        use.first_write = use.first_write.value_or(step);
        ++use.writes;
      }
    }
  }
  return uses;
}

std::uint64_t nn_alignment(std::uint64_t length) {
  constexpr std::uint64_t kWord = 4;
  return length < 2 ? 1 : length < kWord ? 2 : kWord;
}

}  // namespace memsize::network
