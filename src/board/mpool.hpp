// The memory pools that ST Edge AI plans into, as a part.
#pragma once

#include "memsize/board/memories.hpp"

#include <string>
#include <string_view>

namespace memsize::board {

/// What ends the name of such a file.
inline constexpr std::string_view kMpoolExtension = ".mpool";

/// The pools that have room, as memories. Errors have codes of boards' files, with their places.
[[nodiscard]] core::Result<MemorySet> read_mpool(std::string_view text,
                                                 const std::string& path,
                                                 const std::string& name);

}  // namespace memsize::board
