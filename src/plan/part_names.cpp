// A look-up by every name that a part's memories have, over all that a report says of memories.
#include "memsize/plan/part_names.hpp"

#include "memsize/core/find.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memsize::plan {

namespace {

template <typename Value>
void complete(std::optional<Value>& known, const std::optional<Value>& other) {
  if (!known) {
    known = other;
  }
}

// The order of the report stays.
void unite_rows(std::vector<model::PlannedMemory>& memories) {
  std::vector<model::PlannedMemory> rows;
  for (model::PlannedMemory& memory : memories) {
    auto* const row = core::find_in(rows, memory.name, &model::PlannedMemory::name);
    if (row == nullptr) {
      rows.push_back(std::move(memory));
      continue;
    }
    row->used = std::max(row->used, memory.used);
    complete(row->capacity, memory.capacity);
    complete(row->base, memory.base);
    complete(row->alignment, memory.alignment);
    complete(row->writable, memory.writable);
  }
  memories = std::move(rows);
}

}  // namespace

void name_as_part(model::PlanReport& report, const board::MemorySet& part) {
  std::map<std::string, std::string> names;
  for (const board::PartMemory& memory : part.memories) {
    for (const std::string& also : memory.also) {
      names.emplace(also, memory.name);
    }
  }
  const auto rename = [&](std::string& name) {
    if (const std::string* const ours = core::value_in(names, name)) {
      name = *ours;
    }
  };
  for (model::PlannedBlock& block : report.blocks) {
    rename(block.memory);
    rename(block.source_memory);
  }
  for (model::PlannedArena& arena : report.arenas) {
    rename(arena.memory);
    rename(arena.source_memory);
  }
  for (model::PlannedMemory& memory : report.memories) {
    rename(memory.name);
  }
  unite_rows(report.memories);
}

}  // namespace memsize::plan
