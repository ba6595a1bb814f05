// Steps are moved behind those of the model before, so that lifetimes of two models never meet.
#include "memsize/model/several.hpp"

#include "memsize/core/find.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace memsize::model {

namespace {

std::string name_of_model(const PlanReport& report) {
  if (!report.prefix.empty()) {
    return report.prefix;
  }
  const std::size_t folder = report.path.rfind('/');
  const std::string name =
      folder == std::string::npos ? report.path : report.path.substr(folder + 1);
  const std::size_t point = name.rfind('.');
  return point == std::string::npos || point == 0 ? name : name.substr(0, point);
}

void rename(PlanReport& report, const std::string& name) {
  const auto of_model = [&](std::string& id) { id = fmt::format("{}/{}", name, id); };
  for (PlannedBlock& block : report.blocks) {
    of_model(block.id);
    if (!block.alias_of.empty()) {
      of_model(block.alias_of);
    }
  }
  for (NetworkTensor& tensor : report.network.tensors) {
    of_model(tensor.id);
  }
  for (Operator& each : report.network.operators) {
    of_model(each.id);
    if (!each.caller.empty()) {
      of_model(each.caller);
    }
    std::ranges::for_each(each.reads, of_model);
    std::ranges::for_each(each.writes, of_model);
  }
}

// So that its first step is `first`; gives the step behind its last.
std::int64_t move_steps(PlanReport& report, std::int64_t first) {
  std::int64_t lowest = kLastStep;
  for (const PlannedBlock& block : report.blocks) {
    lowest = block.live ? std::min(lowest, block.live->lower) : lowest;
  }
  std::int64_t end = first;
  const auto move = [&](Interval& live) {
    live = {live.lower - lowest + first, live.upper - lowest + first};
  };
  for (PlannedBlock& block : report.blocks) {
    if (block.live) {
      move(*block.live);
      end = std::max(end, block.live->upper);
    }
    for (Window& window : block.windows) {
      move(window.live);
    }
    block.offset.reset();
    // A line is of its own file.
    block.line = 0;
  }
  return end;
}

template <typename Item>
void append(std::vector<Item>& to, std::vector<Item>& from) {
  std::ranges::move(from, std::back_inserter(to));
}

}  // namespace

std::vector<std::string> names_of_models(const std::vector<PlanReport>& models) {
  std::vector<std::string> names;
  for (const PlanReport& model : models) {
    const std::string name = name_of_model(model);
    std::string unique = name;
    for (std::size_t number = 2; core::contains(names, unique); ++number) {
      unique = fmt::format("{}-{}", name, number);
    }
    names.push_back(std::move(unique));
  }
  return names;
}

PlanReport one_after_another(std::vector<PlanReport> models,
                             const std::vector<std::string>& names) {
  PlanReport all;
  std::int64_t step = 0;
  for (std::size_t i = 0; i < models.size(); ++i) {
    PlanReport& model = models[i];
    rename(model, names[i]);
    step = move_steps(model, step);
    all.lines += model.lines;
    all.abridged = all.abridged || model.abridged;
    if (all.missing.empty()) {
      all.missing = std::move(model.missing);
    }
    for (PlannedMemory& memory : model.memories) {
      if (core::contains(model.blocks, memory.name, &PlannedBlock::memory)) {
        memory.used.reset();
      }
      auto* const known = core::find_in(all.memories, memory.name, &PlannedMemory::name);
      if (known == nullptr) {
        all.memories.push_back(std::move(memory));
      } else if (memory.used) {
        // What is only read stays while the other model runs.
        const core::Bytes before = known->used.value_or(core::Bytes{});
        known->used =
            memory.writable.value_or(true) ? std::max(before, *memory.used) : before + *memory.used;
      }
    }
    append(all.blocks, model.blocks);
    append(all.network.tensors, model.network.tensors);
    append(all.network.operators, model.network.operators);
    append(all.diagnostics, model.diagnostics);
  }
  all.has_alignments =
      std::ranges::all_of(models, [](const PlanReport& model) { return model.has_alignments; });
  all.path = models.front().path;
  all.format = models.front().format;
  return all;
}

}  // namespace memsize::model
