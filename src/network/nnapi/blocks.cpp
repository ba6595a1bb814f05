// A log's temporaries as blocks that a planner may place: alive from the operation that writes them
// first to the one that reads them last. Of a model that was cut, an operand's life is known where
// all of its consumers are there, which HIDL counts.
#include "memsize/core/text.hpp"

#include "nnapi/operands.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::network {

namespace {

using board::NnFormat;
using board::NnRole;
using core::Code;

struct Life {
  std::optional<model::Interval> live;
  bool is_known = false;
};

std::optional<model::Interval> life_of(const model::NnOperand& operand,
                                       const NnUses& uses,
                                       bool has_operations) {
  const bool has_all = has_operations || (operand.consumers && *operand.consumers == uses.reads);
  if (!uses.first_write || !has_all) {
    return std::nullopt;
  }
  const auto first = static_cast<std::int64_t>(
      std::min(*uses.first_write, uses.first_read.value_or(*uses.first_write)));
  const auto last = static_cast<std::int64_t>(
      std::max(*uses.first_write, uses.last_read.value_or(*uses.first_write)));
  return model::Interval{first, last + 1};
}

struct Left {
  std::size_t without_size = 0;
  std::size_t without_type = 0;
  /// What has the first type that has no size, and where it stands.
  std::string first_without_type;
  std::size_t line_without_type = 0;
  std::size_t too_large = 0;
};

void add_blocks(const NnFormat& format,
                const model::NnSubgraph& graph,
                const std::string& prefix,
                const std::string& memory,
                model::PlanReport& report,
                Left& left) {
  const auto uses = nn_uses(graph);
  const bool has_operations = nn_has_operations(graph);
  for (std::size_t i = 0; i < graph.operands.items.size(); ++i) {
    const model::NnOperand& operand = graph.operands.items[i];
    if (nn_role(format, operand) != NnRole::kTemporary) {
      continue;
    }
    const board::NnType* const type = format.find_type(operand.type);
    if (type == nullptr || !type->bytes) {
      if (left.without_type++ == 0) {
        left.first_without_type =
            fmt::format("operand {}{} ({})", prefix, i, nn_shape(operand.type, operand.dimensions));
        left.line_without_type = operand.line;
      }
      continue;
    }
    const auto bytes = nn_bytes(format, operand.type, operand.dimensions);
    const auto live = life_of(operand, uses[i], has_operations);
    const bool is_too_large = nn_is_too_large(format, operand.type, operand.dimensions);
    left.too_large += is_too_large ? 1U : 0U;
    left.without_size += bytes || is_too_large ? 0U : 1U;
    if (!bytes || is_too_large || !live) {
      continue;
    }
    model::PlannedBlock block;
    block.id = fmt::format("{}{}", prefix, i);
    block.name = nn_shape(operand.type, operand.dimensions);
    block.memory = memory;
    block.live = live;
    block.size = *bytes;
    block.alignment = format.least_alignment;
    block.uses = uses[i].reads + uses[i].writes;
    block.line = operand.line;
    report.blocks.push_back(std::move(block));
  }
}

void add_network(const model::NnModel& model, model::PlanReport& report) {
  for (std::size_t i = 0; i < model.main.operands.items.size(); ++i) {
    const model::NnOperand& operand = model.main.operands.items[i];
    report.network.tensors.push_back(
        {fmt::format("{}", i), operand.type, operand.dimensions.items});
  }
  const auto ids = [](const model::NnNumbers& numbers) {
    std::vector<std::string> texts;
    for (const std::uint64_t number : numbers.items) {
      texts.push_back(fmt::format("{}", number));
    }
    return texts;
  };
  for (std::size_t i = 0; i < model.main.operations.items.size(); ++i) {
    const model::NnOperation& operation = model.main.operations.items[i];
    model::Operator added;
    added.id = fmt::format("{}", i);
    added.kind = operation.type;
    added.reads = ids(operation.inputs);
    added.writes = ids(operation.outputs);
    added.line = operation.line;
    report.network.operators.push_back(std::move(added));
  }
}

template <typename Item>
std::string how_many(const model::NnList<Item>& list, std::string_view what) {
  const std::size_t found = list.items.size();
  if (found == 0 && !list.is_whole && !list.announced) {
    return fmt::format("no {}", what);
  }
  if (list.is_whole) {
    return core::plural(found, what);
  }
  return list.announced ? fmt::format("{} of {}", found, core::plural(*list.announced, what))
                        : fmt::format("{} and more", core::plural(found, what));
}

void warn_of_cut(const model::NnModel& model, model::PlanReport& report) {
  const model::NnSubgraph& main = model.main;
  if (model.lacks_end && nn_is_whole(main)) {
    report.diagnostics.push_back(
        core::warning(Code::kPlanAbridged,
                      "the log ends before this model's operandValues and pools, or lacks them",
                      {report.path, model.line},
                      "copy the whole log; adb logcat -d prints all that there is"));
    report.abridged = true;
    return;
  }
  std::string why = model.is_cut_by_log ? ": the log cuts lines at about 4 060 bytes"
                    : model.skin == model::NnSkin::kCanonical
                        ? ": this form prints twenty items of a list at most"
                        : "";
  const bool has_both = main.operands.is_whole && main.operations.is_whole;
  core::Diagnostic warning = core::warning(
      Code::kPlanAbridged,
      fmt::format("the log has {} and {} of this model{}{}",
                  how_many(main.operands, "operand"),
                  how_many(main.operations, "operation"),
                  has_both ? ", and not all that they or its graphs list" : "",
                  why),
      {report.path, model.line},
      "have the driver print to a file, or read the runtime's own events: debug.nn.vlog with "
      "\"model\" before the model is built");
  report.diagnostics.push_back(std::move(warning));
  report.abridged = true;
}

void say_left(const Left& left, const model::NnModel& model, model::PlanReport& report) {
  if (left.too_large != 0) {
    report.diagnostics.push_back(core::warning(
        Code::kPlanAbridged,
        fmt::format("{} of more bytes than the runtime's 32 bits count: the plan has none of them",
                    core::plural(left.too_large, "temporary", "temporaries")),
        {report.path, model.line},
        "memsize check names each"));
    report.abridged = true;
  }
  if (left.without_type != 0) {
    report.diagnostics.push_back(core::warning(
        Code::kPlanAbridged,
        fmt::format("{} of a type whose size memsize does not know, the first {}: the plan has "
                    "none of them",
                    core::plural(left.without_type, "temporary", "temporaries"),
                    left.first_without_type),
        {report.path, left.line_without_type},
        "where its vendor says it, add the type to boards/networks/nnapi.toml: a [[type]] with "
        "name, value (its number) and bytes (of an element)"));
    report.abridged = true;
  }
  if (left.without_size != 0) {
    report.diagnostics.push_back(core::warning(
        Code::kPlanAbridged,
        fmt::format("{} of no known size, which a request or a run decides: the plan has none of "
                    "them",
                    core::plural(left.without_size, "temporary", "temporaries")),
        {report.path, model.line},
        "give every input a fixed shape, and compile the model again"));
    report.abridged = true;
  }
}

}  // namespace

void complete_nnapi(const NnFormat& format, model::PlanReport& report) {
  const model::NnLog& log = *report.nnapi;
  const auto distinct = nn_distinct(log);
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    const model::NnModel& model = log.models[distinct[i].index];
    const bool is_alone = distinct.size() == 1;
    const std::string which = is_alone ? std::string{} : fmt::format("model {}", i + 1);
    const std::string prefix = is_alone ? std::string{} : fmt::format("m{}.", i + 1);
    Left left;
    const auto graphs = nn_graphs(model);
    for (std::size_t graph = 0; graph < graphs.size(); ++graph) {
      const bool is_main = graph == 0;
      const std::string inner = is_main ? std::string{} : fmt::format("g{}.", graph - 1);
      std::string memory =
          is_main ? which : fmt::format("{}graph {}", is_alone ? "" : which + " ", graph - 1);
      memory = memory.empty() ? "temporaries" : memory;
      add_blocks(format, *graphs[graph], prefix + inner, memory, report, left);
    }
    if (is_alone) {
      add_network(model, report);
    }
    if (!nn_is_whole(model)) {
      warn_of_cut(model, report);
    }
    say_left(left, model, report);
  }
  if (nn_lacks_values(log)) {
    report.diagnostics.push_back(core::warning(
        Code::kPlanAbridged,
        "values of constants are missing: the runtime's pool of large values is of "
        "another size than those that the log has, so that nobody knows their offsets",
        {report.path},
        "copy the whole log; adb logcat -d prints all that there is"));
    report.abridged = true;
  }
  if (log.is_cut && !report.abridged) {
    report.diagnostics.push_back(
        core::warning(Code::kPlanAbridged,
                      "the log ends, or a line of it, before what it says does",
                      {report.path},
                      "copy the whole log; adb logcat -d prints all that there is"));
    report.abridged = true;
  }
}

}  // namespace memsize::network
