// The sections of a part's linker scripts: what one is, and what no two of them may share.
#pragma once

#include "memsize/board/memories.hpp"

#include "field_values.hpp"

#include <string>
#include <vector>

namespace memsize::board {

struct MemorySection {
  std::string memory;
  PartSection section;
  core::Place place;
};

/// One table of [[memory.NAME.section]]; start-up writes nothing where `writable` is false.
[[nodiscard]] MemorySection read_part_section(Fields reader,
                                              const std::string& memory,
                                              bool writable);

/// A section lies in one memory, and what source code names goes to one section.
[[nodiscard]] core::Diagnostics check_sections(const std::vector<MemorySection>& sections);

}  // namespace memsize::board
