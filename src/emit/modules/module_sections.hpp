// Which section of a part's linker scripts an arena goes to.
#pragma once

#include "memsize/board/memories.hpp"
#include "memsize/emit/module.hpp"

#include <string_view>

namespace memsize::emit {

inline constexpr std::string_view kGcc = "gcc";
inline constexpr std::string_view kArmclang = "armclang";

/// Null: the part has none.
[[nodiscard]] const board::PartMemory* find_memory(const board::MemorySet& part,
                                                   std::string_view name);

/// The first that the toolchain has for it in the memory; null: none.
[[nodiscard]] const board::PartSection* section_for(const board::PartMemory& memory,
                                                    board::SectionHolds holds,
                                                    std::string_view toolchain);

/// What the image has of the arena: constants that are read in place are part of it.
[[nodiscard]] board::SectionHolds holds_of(const ModuleArena& arena,
                                           const board::PartMemory& memory);

}  // namespace memsize::emit
