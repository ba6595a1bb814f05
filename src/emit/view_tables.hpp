// The view of a core's translation tables.
#pragma once

#include "memsize/emit/armv8_tables.hpp"
#include "memsize/layout/memory_map.hpp"

#include "template.hpp"

#include <string>

namespace memsize::emit {

[[nodiscard]] Json mmu_tables_view(const layout::MemoryMap& map,
                                   const std::string& core,
                                   const Armv8Tables& tables);

}  // namespace memsize::emit
