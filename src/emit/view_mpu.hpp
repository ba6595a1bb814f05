// The views of what R5F cores' MPU and address translation hold.
#pragma once

#include "memsize/layout/memory_map.hpp"

#include "template.hpp"

namespace memsize::emit {

/// The core's table; nullptr where it has none.
[[nodiscard]] const layout::MpuTable* find_mpu(const layout::MemoryMap& map,
                                               const std::string& core);
[[nodiscard]] const layout::RatTable* find_rat(const layout::MemoryMap& map,
                                               const std::string& core);

/// `mpu` and `rat`: nullptr where the core's file has none.
[[nodiscard]] Json mpu_syscfg_view(const layout::MemoryMap& map,
                                   const std::string& core,
                                   const layout::MpuTable* mpu,
                                   const layout::RatTable* rat);

/// What a table of C says: of each region the word of each field, by the field's name in the table.
[[nodiscard]] Json mpu_source_view(const layout::MemoryMap& map, const layout::MpuTable& table);

/// The same as words of the MPU's registers.
[[nodiscard]] Json mpu_table_view(const layout::MemoryMap& map, const layout::MpuTable& table);

/// Members of the map's document.
[[nodiscard]] Json mpu_documents(const layout::MemoryMap& map);
[[nodiscard]] Json rat_documents(const layout::MemoryMap& map);

}  // namespace memsize::emit
