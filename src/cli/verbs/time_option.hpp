// Times as people type them.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <chrono>
#include <string>

namespace memsize::cli {

/// "30s", "500ms", "30": seconds where no unit is named; up to a day. `option` is for the error.
[[nodiscard]] core::Result<std::chrono::milliseconds> parse_time(const char* option,
                                                                 const std::string& text);

}  // namespace memsize::cli
