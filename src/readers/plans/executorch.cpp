// What ExecuTorch's generate_memory_trace() writes of a planned program
// (util/activation_memory_profiler.py), for Chrome's trace viewer: an event for each step and each
// tensor that is alive then.
//
//   {"name": "aten_add", "cat": "memory_allocation", "ph": "X", "ts": 64, "dur": 128, "pid": 1,
//    "tid": 3, "args": {"op_name": ..., "Memory ID": 1, ..., "bytes": 128}}
//
// There `tid` is the step, `pid` the memory, `dur` the size, and `ts` the offset, where its caller
// asked for offsets (enable_memory_offsets=True); else it is what the events before it of the step
// come to. Steps without a tensor are left out. A node with several tensors has an event for each
// of them, in its order. Constants and what delegates keep for themselves are not in it.
#include "memsize/core/text.hpp"

#include "plan_fields.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Bytes;
using core::Code;

constexpr const char* kTraceAgain = "write the trace again with generate_memory_trace()";

/// A tensor, from its first event on.
struct TracedTensor {
  std::uint64_t memory = 0;
  std::string name;
  std::string kind;
  std::size_t number = 0;
  Bytes size;
  std::uint64_t start = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t steps = 0;
  PlanPlace place;
  /// Another event has another `ts`.
  std::optional<PlanPlace> moved;
};

class TraceReader : private PlanFields {
 public:
  explicit TraceReader(const std::string& path) : PlanFields(path) {}

  PlanResult read(const docs::Document& document) {
    report_.lines = document.lines();
    report_.planner = "ExecuTorch";
    report_.missing = "constants and what delegates keep are not in ExecuTorch's trace";
    for (const docs::Value event : items(member(document.root(), "traceEvents"))) {
      if (is_object(event) && is_allocation(event)) {
        read_event(event);
      }
    }
    if (tensors_.empty() && !failed()) {
      error(Code::kReadEmpty, {}, "no tensor is in this trace", kTraceAgain);
    }
    // Without an event, others are wrong that are not.
    if (failed()) {
      return finish(std::move(report_), document);
    }
    has_offsets_ = !is_stacked_ || std::ranges::none_of(tensors_, [](const TracedTensor& tensor) {
      return tensor.moved.has_value();
    });
    if (has_offsets_) {
      check_offsets();
    }
    look_for_twins();
    for (std::size_t i = 0; i < tensors_.size() && !failed(); ++i) {
      add(tensors_[i]);
    }
    return finish(std::move(report_), document);
  }

 private:
  // There are no others, so one that is none is a damaged one.
  bool is_allocation(docs::Value event) {
    if (text(event, "cat") == "memory_allocation" && text(event, "ph") == "X") {
      return true;
    }
    if (!failed()) {
      error(Code::kPlanSyntax,
            event.position(),
            "this is no event of an allocation, which all of them are",
            kTraceAgain);
    }
    return false;
  }

  // Memory and size are said twice.
  void check_twice(docs::Value event, const char* key, const char* again) {
    const auto first = whole(event, key);
    const docs::Value args = member(event, "args");
    const auto second = is_object(args) ? whole(args, again) : std::nullopt;
    if (first && second && *first != *second) {
      error(Code::kPlanContradiction,
            event.position(),
            fmt::format("its {} is {}, and its {} {}", key, *first, again, *second),
            kTraceAgain);
    }
  }

  // Steps follow each other; those without a tensor are not counted.
  void begin_step(docs::Value event, std::int64_t at) {
    if (at != (step_ ? *step_ + 1 : 0)) {
      error(Code::kPlanLifetime,
            event.position(),
            step_ ? fmt::format("step {} comes behind step {}", at, *step_)
                  : fmt::format("the first step is {}", at),
            kTraceAgain);
    }
    step_ = at;
    so_far_ = Bytes{};
    in_step_.clear();
  }

  void read_event(docs::Value event) {
    const std::string name = text(event, "name");
    const auto memory = whole(event, "pid");
    const auto at = step(event, "tid");
    const auto start = whole(event, "ts");
    const auto bytes = size(event, "dur");
    if (name.empty() || !memory || !at || !start || !bytes) {
      return;
    }
    check_twice(event, "pid", "Memory ID");
    check_twice(event, "dur", "bytes");
    if (at != step_) {
      begin_step(event, *at);
    }
    if (failed()) {
      return;
    }
    is_stacked_ = is_stacked_ && *start == so_far_.count();
    so_far_ += *bytes;
    const std::size_t number = in_step_[name]++;
    const auto [known, is_new] = index_.try_emplace({*memory, name, number}, tensors_.size());
    if (is_new && tensors_.size() == kMostPlanBlocks) {
      too_many(event.position());
      return;
    }
    if (is_new) {
      tensors_.push_back({.memory = *memory,
                          .name = name,
                          .kind = text(event["args"], "op_name"),
                          .number = number,
                          .size = *bytes,
                          .start = *start,
                          .first = *at,
                          .last = *at,
                          .place = event.position()});
    }
    TracedTensor& tensor = tensors_[known->second];
    tensor.last = *at;
    ++tensor.steps;
    if (tensor.start != *start && !tensor.moved) {
      tensor.moved = event.position();
    }
    if (tensor.kind != text(event["args"], "op_name")) {
      error(Code::kPlanContradiction,
            event.position(),
            fmt::format("'{}' is made by another operator than in line {}",
                        core::printable(name, kLongestShown),
                        tensor.place.line),
            kTraceAgain);
    }
    if (tensor.size != *bytes) {
      error(Code::kPlanContradiction,
            event.position(),
            fmt::format("'{}' has {} here, and {} in line {}",
                        core::printable(name, kLongestShown),
                        core::format_bytes(*bytes),
                        core::format_bytes(tensor.size),
                        tensor.place.line),
            kTraceAgain);
    }
  }

  void check_offsets() {
    for (const TracedTensor& tensor : tensors_) {
      if (tensor.moved) {
        error(Code::kPlanContradiction,
              *tensor.moved,
              fmt::format("'{}' lies elsewhere than at {}, as it does in line {}",
                          core::printable(tensor.name, kLongestShown),
                          tensor.start,
                          tensor.place.line),
              kTraceAgain);
      }
    }
  }

  // A tensor of a single step, beside one that is the same but for its name: one letter of it may
  // have become another one.
  void look_for_twins() {
    const auto key = [&](const TracedTensor& tensor, std::int64_t step) {
      const std::uint64_t start = has_offsets_ ? tensor.start : 0;
      return std::tuple{tensor.memory, start, tensor.size, tensor.kind, step};
    };
    std::map<decltype(key(tensors_.front(), 0)), const TracedTensor*> by_last;
    for (const TracedTensor& tensor : tensors_) {
      by_last.emplace(key(tensor, tensor.last), &tensor);
    }
    for (const TracedTensor& tensor : tensors_) {
      const auto before = by_last.find(key(tensor, tensor.first - 1));
      if (before == by_last.end() || (tensor.steps > 1 && before->second->steps > 1)) {
        continue;
      }
      warn(Code::kPlanContradiction,
           tensor.place,
           fmt::format("'{}' begins where '{}' of line {} ends, and is its like: they may be one",
                       core::printable(tensor.name, kLongestShown),
                       core::printable(before->second->name, kLongestShown),
                       before->second->place.line),
           "look whether one of the names is damaged");
    }
  }

  void add(const TracedTensor& tensor) {
    const std::string shown = core::printable(tensor.name, kLongestShown);
    const auto live = lifetime(tensor.first, tensor.last, LastStep::kInside, tensor.place, shown);
    if (!live) {
      return;
    }
    if (tensor.steps != live->upper - live->lower) {
      error(Code::kPlanLifetime,
            tensor.place,
            fmt::format("'{}' is in {} from step {} to {}: it cannot come and go",
                        shown,
                        core::plural(static_cast<std::size_t>(tensor.steps), "event"),
                        tensor.first,
                        tensor.last),
            kTraceAgain);
      return;
    }
    model::PlannedBlock block{
        .id = tensor.number == 0 ? tensor.name : fmt::format("{}:{}", tensor.name, tensor.number),
        .memory = fmt::format("memory{}", tensor.memory)};
    block.role = model::Lifetime::kScratch;
    block.size = tensor.size;
    block.line = tensor.place.line;
    block.live = live;
    if (has_offsets_) {
      block.offset = Bytes{tensor.start};
      if (!ends_in_plan(*block.offset, block.size, tensor.place, shown)) {
        return;
      }
    }
    if (is_new(block.id, tensor.place)) {
      report_.blocks.push_back(std::move(block));
    }
  }

  model::PlanReport report_;
  std::vector<TracedTensor> tensors_;
  /// By memory, name, and which of the node's tensors it is.
  std::map<std::tuple<std::uint64_t, std::string, std::size_t>, std::size_t> index_;
  std::map<std::string, std::size_t> in_step_;
  std::optional<std::int64_t> step_;
  Bytes so_far_;
  /// Each begins where the one before it ends, step by step: if they move by that, these are no
  /// offsets.
  bool is_stacked_ = true;
  bool has_offsets_ = true;
};

}  // namespace

bool probe_executorch(std::string_view head) {
  const auto has = [&](std::string_view word) { return head.find(word) != std::string_view::npos; };
  return has("\"traceEvents\"") && has("\"memory_allocation\"") && has("\"Memory ID\"");
}

PlanResult read_executorch(std::string_view text, const std::string& path) {
  const auto document = docs::parse_json(text, path, Code::kPlanSyntax);
  MEMSIZE_TRY(document);
  return TraceReader{path}.read(*document);
}

}  // namespace memsize::readers
