// A console log of the board against a map, for people and as a document.
#pragma once

#include "memsize/core/json.hpp"
#include "memsize/runtime/board_log.hpp"

#include <string>

namespace memsize::cli {

/// Without what is wrong, which is for standard error; with the notes.
[[nodiscard]] std::string board_log_text(const runtime::BoardLogReport& report);
/// The value of "log" in a document of 'validate'.
[[nodiscard]] core::Json board_log_document(const runtime::BoardLogReport& report);

}  // namespace memsize::cli
