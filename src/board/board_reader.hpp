// Turns the merged tables of a board file into a Board, and collects every mistake.
#pragma once

#include "memsize/board/board.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/docs/value.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace memsize::board {

/// Names of cores and files become folders and file names; nothing that could leave them is let in.
[[nodiscard]] bool is_file_name(std::string_view name);

/// Errors are sorted by place.
/// `table` is what [mpu] names as its program; null where that is sysconfig.
[[nodiscard]] core::Result<Board> read_board(std::string name,
                                             docs::Value file,
                                             std::shared_ptr<const MpuProgram> table);

}  // namespace memsize::board
