// An image in the memories of a part.
#pragma once

#include "memsize/plan/check_image.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::plan {

/// Where the address is: in what programs may use, or in what the hardware has besides. Null: in no
/// memory of the part.
[[nodiscard]] const board::PartMemory* memory_at(const board::MemorySet& part,
                                                 std::uint64_t address);
[[nodiscard]] const board::PartMemory* memory_called(const board::MemorySet& part,
                                                     std::string_view name);

/// Heaps and stacks: what the section is for, which nobody writes at start.
[[nodiscard]] bool is_reserved(const model::ImageSection& section);

[[nodiscard]] std::vector<MemoryUse> use_of(const model::Image& image,
                                            const board::MemorySet& part);

/// Sections that lie outside of every memory, reach beyond a window, or are loaded where nothing
/// stays without power.
[[nodiscard]] core::Diagnostics check_sections(const model::Image& image,
                                               const board::MemorySet& part);

/// "'.data' (0x20000000)".
[[nodiscard]] std::string shown_section(const model::ImageSection& section);

}  // namespace memsize::plan
