// A part of boards/memories, for people and as a document.
#pragma once

#include "memsize/board/memories.hpp"
#include "memsize/core/json.hpp"

#include <string>

namespace memsize::cli {

[[nodiscard]] std::string part_text(const board::MemorySet& part);

/// An item of "parts" in memsize.board/1.
[[nodiscard]] core::Json part_document(const board::MemorySet& part);

/// What `board check` says of a part whose file holds.
[[nodiscard]] std::string part_passed(const board::MemorySet& part);

}  // namespace memsize::cli
