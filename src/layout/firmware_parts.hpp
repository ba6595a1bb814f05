// What the checks of firmware share: which memory Linux knows as a core's own.
#pragma once

#include "memsize/layout/memory_map.hpp"
#include "memsize/model/image.hpp"

#include <string>
#include <vector>

namespace memsize::layout {

/// remoteproc has device addresses of 32 bits.
inline constexpr std::uint64_t kDeviceEnd = 1ULL << 32;

/// Entry 0 of the core's memory-region, from which Linux takes vrings and their buffers; null: the
/// map has none.
[[nodiscard]] const Carveout* vring_memory(const MemoryMap& map, const std::string& core);

/// Entry 1, into which Linux loads the core's program; null: the map has none.
[[nodiscard]] const Carveout* code_memory(const MemoryMap& map, const std::string& core);

/// Whether every region in it is that core's alone.
[[nodiscard]] bool is_own(const MemoryMap& map, const Carveout& carveout, const std::string& core);

/// What Linux would say when it loads and starts the image: of the file, its resource table, its
/// segments, its entry.
[[nodiscard]] core::Diagnostics check_loading(const MemoryMap& map,
                                              const std::string& core,
                                              const model::Image& image);

/// What Linux would say of its resource table, or that it has none.
[[nodiscard]] core::Diagnostics check_resources(const MemoryMap& map,
                                                const std::string& core,
                                                const model::Image& image);

}  // namespace memsize::layout
