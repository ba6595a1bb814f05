// The table [log] of a format.
#pragma once

#include "memsize/board/trace_format.hpp"
#include "memsize/docs/fields.hpp"

#include <optional>
#include <string>

namespace memsize::board {

/// "cacheable persistent"; nothing where it is none.
[[nodiscard]] std::optional<MemoryClass> class_of(const std::string& words,
                                                  const std::string& space);

/// Where records are, unless something else is written.
inline constexpr const char* kMainMemory = "ddr";

/// What the lines look like; records and their names are read already.
[[nodiscard]] model::LogFormat read_log_format(docs::Value log,
                                               const TraceFormat& format,
                                               const std::string& title,
                                               core::Diagnostics& errors,
                                               std::uint32_t& complete);

}  // namespace memsize::board
