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

// There are no others, so one that is none is a damaged one.
bool is_allocation(docs::Value event, PlanFields& fields) {
  if (fields.text(event, "cat") == "memory_allocation" && fields.text(event, "ph") == "X") {
    return true;
  }
  if (!fields.failed()) {
    fields.error(Code::kPlanSyntax,
                 event.position(),
                 "this is no event of an allocation, which all of them are",
                 kTraceAgain);
  }
  return false;
}

// Memory and size are said twice.
void check_twice(docs::Value event, const char* key, const char* again, PlanFields& fields) {
  const auto first = fields.whole(event, key);
  const docs::Value args = fields.member(event, "args");
  const auto second = fields.is_object(args) ? fields.whole(args, again) : std::nullopt;
  if (first && second && *first != *second) {
    fields.error(Code::kPlanContradiction,
                 event.position(),
                 fmt::format("its {} is {}, and its {} {}", key, *first, again, *second),
                 kTraceAgain);
  }
}

// The operator and the size of a tensor are the same in each of its events.
void check_same(docs::Value event,
                const std::string& kind,
                Bytes size,
                const TracedTensor& tensor,
                PlanFields& fields) {
  if (tensor.kind != kind) {
    fields.error(Code::kPlanContradiction,
                 event.position(),
                 fmt::format("'{}' is made by another operator than in line {}",
                             core::printable(tensor.name, kLongestShown),
                             tensor.place.line),
                 kTraceAgain);
  }
  if (tensor.size != size) {
    fields.error(Code::kPlanContradiction,
                 event.position(),
                 fmt::format("'{}' has {} here, and {} in line {}",
                             core::printable(tensor.name, kLongestShown),
                             core::format_bytes(size),
                             core::format_bytes(tensor.size),
                             tensor.place.line),
                 kTraceAgain);
  }
}

/// Follows the tensors through the events, which come step by step.
class TracedTensors {
 public:
  explicit TracedTensors(PlanFields& fields) : fields_(fields) {}

  void read(docs::Value event) {
    const std::string name = fields_.text(event, "name");
    const auto memory = fields_.whole(event, "pid");
    const auto at = fields_.step(event, "tid");
    const auto start = fields_.whole(event, "ts");
    const auto bytes = fields_.size(event, "dur");
    if (name.empty() || !memory || !at || !start || !bytes) {
      return;
    }
    check_twice(event, "pid", "Memory ID", fields_);
    check_twice(event, "dur", "bytes", fields_);
    if (at != step_) {
      begin_step(event, *at);
    }
    if (fields_.failed()) {
      return;
    }
    is_stacked_ = is_stacked_ && *start == so_far_.count();
    so_far_ += *bytes;
    const std::string kind = fields_.text(event["args"], "op_name");
    const std::size_t number = in_step_[name]++;
    const auto [known, is_new] = index_.try_emplace({*memory, name, number}, tensors_.size());
    if (is_new && tensors_.size() == kMostPlanBlocks) {
      fields_.too_many(event.position());
      return;
    }
    if (is_new) {
      tensors_.push_back({.memory = *memory,
                          .name = name,
                          .kind = kind,
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
    check_same(event, kind, *bytes, tensor, fields_);
  }

  [[nodiscard]] const std::vector<TracedTensor>& all() const { return tensors_; }

  /// Where they begin is where they lie.
  [[nodiscard]] bool have_offsets() const {
    return !is_stacked_ || std::ranges::none_of(tensors_, [](const TracedTensor& tensor) {
      return tensor.moved.has_value();
    });
  }

 private:
  // Steps follow each other; those without a tensor are not counted.
  void begin_step(docs::Value event, std::int64_t at) {
    if (at != (step_ ? *step_ + 1 : 0)) {
      fields_.error(Code::kPlanLifetime,
                    event.position(),
                    step_ ? fmt::format("step {} comes behind step {}", at, *step_)
                          : fmt::format("the first step is {}", at),
                    kTraceAgain);
    }
    step_ = at;
    so_far_ = Bytes{};
    in_step_.clear();
  }

  PlanFields& fields_;
  std::vector<TracedTensor> tensors_;
  /// By memory, name, and which of the node's tensors it is.
  std::map<std::tuple<std::uint64_t, std::string, std::size_t>, std::size_t> index_;
  std::map<std::string, std::size_t> in_step_;
  std::optional<std::int64_t> step_;
  Bytes so_far_;
  /// Each begins where the one before it ends, step by step: if they move by that, these are no
  /// offsets.
  bool is_stacked_ = true;
};

void check_offsets(const std::vector<TracedTensor>& tensors, PlanFields& fields) {
  for (const TracedTensor& tensor : tensors) {
    if (tensor.moved) {
      fields.error(Code::kPlanContradiction,
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
void look_for_twins(const std::vector<TracedTensor>& tensors,
                    bool has_offsets,
                    PlanFields& fields) {
  const auto key = [&](const TracedTensor& tensor, std::int64_t step) {
    const std::uint64_t start = has_offsets ? tensor.start : 0;
    return std::tuple{tensor.memory, start, tensor.size, tensor.kind, step};
  };
  std::map<decltype(key(tensors.front(), 0)), const TracedTensor*> by_last;
  for (const TracedTensor& tensor : tensors) {
    by_last.emplace(key(tensor, tensor.last), &tensor);
  }
  for (const TracedTensor& tensor : tensors) {
    const auto before = by_last.find(key(tensor, tensor.first - 1));
    if (before == by_last.end() || (tensor.steps > 1 && before->second->steps > 1)) {
      continue;
    }
    fields.warn(
        Code::kPlanContradiction,
        tensor.place,
        fmt::format("'{}' begins where '{}' of line {} ends, and is its like: they may be one",
                    core::printable(tensor.name, kLongestShown),
                    core::printable(before->second->name, kLongestShown),
                    before->second->place.line),
        "look whether one of the names is damaged");
  }
}

// Nothing: an error says why.
std::optional<model::PlannedBlock> traced_block(const TracedTensor& tensor,
                                                bool has_offsets,
                                                PlanFields& fields) {
  const std::string shown = core::printable(tensor.name, kLongestShown);
  const auto live =
      fields.lifetime(tensor.first, tensor.last, LastStep::kInside, tensor.place, shown);
  if (!live) {
    return std::nullopt;
  }
  if (tensor.steps != live->upper - live->lower) {
    fields.error(Code::kPlanLifetime,
                 tensor.place,
                 fmt::format("'{}' is in {} from step {} to {}: it cannot come and go",
                             shown,
                             core::plural(static_cast<std::size_t>(tensor.steps), "event"),
                             tensor.first,
                             tensor.last),
                 kTraceAgain);
    return std::nullopt;
  }
  model::PlannedBlock block{
      .id = tensor.number == 0 ? tensor.name : fmt::format("{}:{}", tensor.name, tensor.number),
      .memory = fmt::format("memory{}", tensor.memory)};
  block.role = model::Lifetime::kScratch;
  block.size = tensor.size;
  block.line = tensor.place.line;
  block.live = live;
  if (has_offsets) {
    block.offset = Bytes{tensor.start};
    if (!fields.ends_in_plan(*block.offset, block.size, tensor.place, shown)) {
      return std::nullopt;
    }
  }
  return fields.is_new(block.id, tensor.place) ? std::optional{std::move(block)} : std::nullopt;
}

}  // namespace

bool probe_executorch(std::string_view head) {
  const auto has = [&](std::string_view word) { return head.find(word) != std::string_view::npos; };
  return has("\"traceEvents\"") && has("\"memory_allocation\"") && has("\"Memory ID\"");
}

PlanResult read_executorch(std::string_view text, const std::string& path) {
  const auto document = docs::parse_json(text, path, Code::kPlanSyntax);
  MEMSIZE_TRY(document);
  PlanFields fields{path};
  model::PlanReport report;
  report.lines = document->lines();
  report.planner = "ExecuTorch";
  report.missing = "constants and what delegates keep are not in ExecuTorch's trace";
  TracedTensors traced{fields};
  for (const docs::Value event : fields.items(fields.member(document->root(), "traceEvents"))) {
    if (fields.is_object(event) && is_allocation(event, fields)) {
      traced.read(event);
    }
  }
  const std::vector<TracedTensor>& tensors = traced.all();
  if (tensors.empty() && !fields.failed()) {
    fields.error(Code::kReadEmpty, {}, "no tensor is in this trace", kTraceAgain);
  }
  // Without an event, others are wrong that are not.
  if (fields.failed()) {
    return fields.finish(std::move(report), *document);
  }
  const bool has_offsets = traced.have_offsets();
  if (has_offsets) {
    check_offsets(tensors, fields);
  }
  look_for_twins(tensors, has_offsets, fields);
  for (std::size_t i = 0; i < tensors.size() && !fields.failed(); ++i) {
    if (auto block = traced_block(tensors[i], has_offsets, fields)) {
      report.blocks.push_back(std::move(*block));
    }
  }
  return fields.finish(std::move(report), *document);
}

}  // namespace memsize::readers
