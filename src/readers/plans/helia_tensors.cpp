// Takes touches of tensors operator by operator. Lifetimes reach from first to last touch; what is
// only read lives from the beginning, what is only written to the end. A second touch must agree.
#include "helia_tensors.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;

constexpr std::size_t kLongestTensor = 60;
constexpr const char* kOneBuild =
    "the file is of two builds, or was edited: convert the model again";

std::string bytes_shown(const std::optional<core::Bytes>& bytes) {
  return bytes ? fmt::format("{}", bytes->count()) : std::string{"not known"};
}

std::string quoted(std::string_view text) {
  return text.empty() ? std::string{"not known"}
                      : fmt::format("'{}'", core::printable(text, kLongestTensor));
}

// Operators whose output is their input with another shape: it lies in the same bytes.
bool is_view(std::string_view type) {
  constexpr auto kViews =
      std::to_array<std::string_view>({"bitcast", "expand_dims", "reshape", "squeeze"});
  return std::ranges::find(kViews, core::to_lower(type)) != kViews.end();
}

bool same_bytes(const model::PlannedBlock& a, const model::PlannedBlock& b) {
  return a.offset && a.offset == b.offset && a.role == b.role && a.memory == b.memory;
}

}  // namespace

std::string helia_source(const std::string& memory, const std::string& source) {
  return source == memory ? std::string{} : source;
}

void HeliaTensors::begin_operator(std::int64_t index,
                                  std::string id,
                                  std::string_view type,
                                  PlanPlace place) {
  find_views();
  network_.operators.push_back(
      {.id = id.empty() ? fmt::format("{}", index) : std::move(id), .kind = std::string{type}});
  const auto step = problems_.lifetime(index, index, LastStep::kInside, place, "the operator");
  operator_ = step ? index : 0;
  is_view_ = is_view(type);
  first_ = has_operator_ ? std::min(first_, operator_) : operator_;
  last_ = has_operator_ ? std::max(last_, operator_) : operator_;
  has_operator_ = true;
}

void HeliaTensors::disagree(const Tensor& tensor,
                            const HeliaTouch& touch,
                            std::string_view what,
                            const std::string& now,
                            const std::string& before) {
  problems_.warn(Code::kPlanContradiction,
                 touch.place,
                 fmt::format("tensor '{}': its {} is {} here and {} in line {}; that one holds",
                             core::printable(touch.id, kLongestTensor),
                             what,
                             now,
                             before,
                             tensor.block.line),
                 kOneBuild);
}

void HeliaTensors::compare(const Tensor& tensor, const HeliaTouch& touch) {
  const model::PlannedBlock& block = tensor.block;
  if (block.role != touch.role) {
    disagree(tensor,
             touch,
             "role",
             quoted(model::name_of(touch.role)),
             quoted(model::name_of(block.role)));
  }
  if (block.memory != touch.memory) {
    disagree(tensor, touch, "memory", quoted(touch.memory), quoted(block.memory));
  }
  const std::string source = helia_source(touch.memory, touch.source_memory);
  if (block.source_memory != source) {
    disagree(tensor, touch, "source memory", quoted(source), quoted(block.source_memory));
  }
  if (block.offset != touch.offset) {
    disagree(tensor, touch, "offset", bytes_shown(touch.offset), bytes_shown(block.offset));
  }
  if (block.size != touch.size) {
    disagree(tensor, touch, "size", bytes_shown(touch.size), bytes_shown(block.size));
  }
}

void HeliaTensors::take_arena(const HeliaTouch& touch) {
  // What has no place is in no arena.
  if (!touch.offset) {
    return;
  }
  const auto [found, fresh] =
      arena_of_.emplace(std::pair{touch.role, touch.memory}, arenas_.size());
  if (fresh) {
    arenas_.push_back({.memory = touch.memory,
                       .role = touch.role,
                       .source_memory = helia_source(touch.memory, touch.source_memory),
                       .line = touch.place.line});
  }
  if (!touch.region_id) {
    return;
  }
  model::PlannedArena& arena = arenas_[found->second];
  const auto [owner, new_region] = arena_of_region_.emplace(*touch.region_id, found->second);
  if (!arena.region_id && new_region) {
    arena.region_id = touch.region_id;
  } else if (arena.region_id != touch.region_id || owner->second != found->second) {
    const model::PlannedArena& other = arenas_[owner->second];
    problems_.warn(Code::kPlanContradiction,
                   touch.place,
                   fmt::format("region {} is '{}' in {} here, but '{}' in {} in line {}",
                               *touch.region_id,
                               model::name_of(touch.role),
                               quoted(touch.memory),
                               model::name_of(other.role),
                               quoted(other.memory),
                               other.line),
                   "one role in one memory is one region");
  }
}

void HeliaTensors::take(HeliaTouch touch) {
  const bool staged = !helia_source(touch.memory, touch.source_memory).empty();
  if (touch.staged && *touch.staged != staged && !touch.source_memory.empty()) {
    problems_.warn(Code::kPlanContradiction,
                   touch.place,
                   fmt::format("tensor '{}' is said to be {}, but lies in {} and comes from {}",
                               core::printable(touch.id, kLongestTensor),
                               *touch.staged ? "staged" : "not staged",
                               quoted(touch.memory),
                               quoted(touch.source_memory)),
                   "staged is what comes from another memory than it lies in");
  }
  if (touch.offset) {
    (void)problems_.ends_in_plan(*touch.offset, touch.size, touch.place, "the tensor");
  }
  take_arena(touch);
  if (!network_.operators.empty()) {
    model::Operator& now = network_.operators.back();
    (touch.side == HeliaTouch::Side::kOutput ? now.writes : now.reads).push_back(touch.id);
  }
  const auto [found, fresh] = by_id_.emplace(touch.id, tensors_.size());
  if (fresh) {
    network_.tensors.push_back({touch.id, std::move(touch.type), std::move(touch.shape)});
    Tensor tensor;
    tensor.block.id = touch.id;
    tensor.block.name = std::move(touch.name);
    tensor.block.role = touch.role;
    tensor.block.memory = touch.memory;
    tensor.block.source_memory = helia_source(touch.memory, touch.source_memory);
    tensor.block.size = touch.size;
    tensor.block.offset = touch.offset;
    tensor.block.uses = 0;
    tensor.block.line = touch.place.line;
    tensor.first = operator_;
    tensor.last = operator_;
    tensors_.push_back(std::move(tensor));
  } else {
    compare(tensors_[found->second], touch);
  }
  Tensor& tensor = tensors_[found->second];
  tensor.block.uses = tensor.block.uses.value_or(0) + 1;
  if (touch.side == HeliaTouch::Side::kOutput && !tensor.written && !tensor.read) {
    made_here_.push_back(found->second);
  } else if (touch.side == HeliaTouch::Side::kInput) {
    read_here_.push_back(found->second);
  }
  tensor.first = std::min(tensor.first, operator_);
  tensor.last = std::max(tensor.last, operator_);
  tensor.read = tensor.read || touch.side == HeliaTouch::Side::kInput;
  tensor.written = tensor.written || touch.side == HeliaTouch::Side::kOutput;
}

// The files have no column for it: a view is an output that lies where an input of its operator
// does. Of other operators that is a fault, which the check of the plan is to find.
void HeliaTensors::find_views() {
  if (is_view_ && made_here_.size() == 1) {
    model::PlannedBlock& made = tensors_[made_here_.front()].block;
    const auto viewed = std::ranges::find_if(read_here_, [&](std::size_t read) {
      return read != made_here_.front() && same_bytes(tensors_[read].block, made);
    });
    if (viewed != read_here_.end()) {
      made.alias_of = tensors_[*viewed].block.id;
    }
  }
  read_here_.clear();
  made_here_.clear();
}

void HeliaTensors::finish(model::PlanReport& report) {
  find_views();
  for (Tensor& tensor : tensors_) {
    model::PlannedBlock& block = tensor.block;
    if (block.role == model::Lifetime::kScratch) {
      block.is_input = tensor.read && !tensor.written;
      block.is_output = tensor.written && !tensor.read;
      block.live = model::Interval{block.is_input ? first_ : tensor.first,
                                   (block.is_output ? last_ : tensor.last) + 1};
    }
    report.blocks.push_back(std::move(block));
  }
  for (model::PlannedArena& arena : arenas_) {
    report.arenas.push_back(std::move(arena));
  }
  report.network = std::move(network_);
  tensors_.clear();
  arenas_.clear();
}

}  // namespace memsize::readers
