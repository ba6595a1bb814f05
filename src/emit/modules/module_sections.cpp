// Looks sections up in the rows of a part's board file. The first row that fits is the one that its
// file means for data of programs.
#include "modules/module_sections.hpp"

#include "memsize/core/find.hpp"

#include <algorithm>
#include <string>

namespace memsize::emit {

const board::PartMemory* find_memory(const board::MemorySet& part, std::string_view name) {
  return core::find_in(part.memories, name, &board::PartMemory::name);
}

const board::PartSection* section_for(const board::PartMemory& memory,
                                      board::SectionHolds holds,
                                      std::string_view toolchain) {
  const auto found = std::ranges::find_if(memory.sections, [&](const board::PartSection& row) {
    return row.holds == holds && (row.toolchain.empty() || row.toolchain == toolchain);
  });
  return found == memory.sections.end() ? nullptr : &*found;
}

board::SectionHolds holds_of(const ModuleArena& arena, const board::PartMemory& memory) {
  if (arena.role != model::Lifetime::kConstant || !arena.source_memory.empty()) {
    return board::SectionHolds::kZeroed;
  }
  return memory.writable ? board::SectionHolds::kInitialised : board::SectionHolds::kConstant;
}

}  // namespace memsize::emit
