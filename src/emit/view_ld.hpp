// The view of a core's linker script for GNU ld and lld.
#pragma once

#include "memsize/board/sections.hpp"
#include "memsize/layout/memory_map.hpp"

#include "template.hpp"

namespace memsize::emit {

[[nodiscard]] Json gnu_ld_view(const layout::MemoryMap& map, const board::CoreSections& sections);

}  // namespace memsize::emit
