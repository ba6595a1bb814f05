// Any bytes as a TensorFlow Lite model: errors, or blocks that every check may take, which go back
// into the model as a plan and are read out of it again.
#include "memsize/emit/plan_tflite.hpp"
#include "memsize/plan/order.hpp"

#include "check.hpp"
#include "plan_check.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace {

using memsize::core::Bytes;
using memsize::fuzz::require;
using memsize::model::Lifetime;

// One behind the other.
void place(memsize::model::PlanReport& plan) {
  Bytes next;
  for (auto& block : plan.blocks) {
    if (block.role == Lifetime::kScratch) {
      block.offset = next;
      next = align_up(next + block.size,
                      memsize::core::Align::make(memsize::emit::kTfliteSlot).value());
    }
  }
}

}  // namespace

MEMSIZE_FUZZ_TARGET(tflite) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  auto report = memsize::fuzz::read_as(text, "tflite");
  if (!report) {
    return 0;
  }
  const auto order = memsize::plan::reorder(*report, {.steps = 1000});
  if (order) {
    require(order->found <= order->given, "no order is worse than that of the report");
    require(order->operators.size() == report->network.operators.size(), "each operator runs");
  }
  place(*report);
  const auto written = memsize::emit::plan_tflite(text, "p", *report);
  if (!written) {
    require(memsize::core::has_errors(written.error()), "a failure has errors");
    return 0;
  }
  const auto again = memsize::fuzz::read_as(*written, "tflite");
  require(again.has_value(), "what was written is a model");
  require(again->blocks.size() == report->blocks.size(), "it has the same blocks");
  for (std::size_t i = 0; i < report->blocks.size(); ++i) {
    const auto& block = report->blocks[i];
    require(again->blocks[i].id == block.id && again->blocks[i].size == block.size &&
                again->blocks[i].live == block.live,
            "a block is what it was");
    require(block.role != Lifetime::kScratch || again->blocks[i].offset == block.offset,
            "a block lies where it was put");
  }
  return 0;
}
