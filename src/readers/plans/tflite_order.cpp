// Whether each tensor of a .tflite is written once, and before it is read.
#include "tflite_order.hpp"

#include "tflite_kinds.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

void say_order(const TfliteGraph& of,
               std::size_t tensor,
               const std::string& what,
               PlanProblems& problems) {
  problems.error(core::Code::kPlanOrder,
                 {},
                 fmt::format("tensor {} {}", of.id(tensor), what),
                 "operators stand in the order in which they run, and one writes each tensor "
                 "that is no input, constant or variable: convert the model again");
}

// By tensor: the operator that writes it; only of those that one must write.
std::vector<std::optional<std::size_t>> writers_of(const TfliteGraph& of,
                                                   const std::vector<bool>& given,
                                                   PlanProblems& problems) {
  std::vector<std::optional<std::size_t>> writers(of.spans.size());
  for (std::size_t i = 0; i < of.graph->operators()->size(); ++i) {
    for (const std::int32_t index : numbers_in(of.op(i).outputs())) {
      const auto tensor = static_cast<std::size_t>(index);
      if (index < 0 || given[tensor]) {
        continue;
      }
      auto& writer = writers[tensor];
      if (writer) {
        say_order(
            of,
            tensor,
            fmt::format("is written by operator {} and again by {}", of.id(*writer), of.id(i)),
            problems);
      }
      writer = writer.value_or(i);
    }
  }
  return writers;
}

}  // namespace

void check_tflite_order(const TfliteCodes* codes,
                        const TfliteGraph& of,
                        std::vector<bool> given,
                        const std::vector<bool>& outputs,
                        PlanProblems& problems) {
  const auto writers = writers_of(of, given, problems);
  for (std::size_t i = 0; i < of.graph->operators()->size(); ++i) {
    const tflite::Operator& each = of.op(i);
    if (tflite_number(codes, each) == kCustomOperator) {
      continue;
    }
    for (const std::int32_t index : numbers_in(each.inputs())) {
      const auto tensor = static_cast<std::size_t>(index);
      if (index < 0 || given[tensor] || (writers[tensor] && *writers[tensor] < i)) {
        continue;
      }
      say_order(
          of,
          tensor,
          fmt::format("is read by operator {}, and {}",
                      of.id(i),
                      writers[tensor] ? fmt::format("written by {} first", of.id(*writers[tensor]))
                                      : std::string{"no operator writes it"}),
          problems);
      given[tensor] = true;
    }
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (outputs[i] && !given[i] && !writers[i]) {
      say_order(of, i, "is an output, and no operator writes it", problems);
    }
  }
}

}  // namespace memsize::readers
