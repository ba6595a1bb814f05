// The table [log] of a format.
#pragma once

#include "memsize/board/trace_format.hpp"
#include "memsize/docs/fields.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace memsize::board {

/// Far above every record that a format has.
inline constexpr std::uint32_t kLargestRecord = 0xFFFF;

/// "cacheable persistent"; nothing where it is none.
[[nodiscard]] std::optional<MemoryClass> class_of(const std::string& words,
                                                  const std::string& space);

/// Where records are, unless something else is written.
inline constexpr const char* kMainMemory = "ddr";

/// What the lines look like; records and their names are read already.
[[nodiscard]] model::LogFormat read_log_format(docs::Value log,
                                               const TraceFormat& format,
                                               const std::string& title,
                                               core::Diagnostics& errors);

}  // namespace memsize::board
