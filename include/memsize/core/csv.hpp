// Cells of comma-separated values (RFC 4180) that no spreadsheet takes for a formula.
#pragma once

#include <string>

namespace memsize::core {

/// The text as a cell, with what commands a terminal or is no UTF-8 as visible escapes. One that a
/// spreadsheet would take for a formula has an apostrophe before it.
[[nodiscard]] std::string csv_cell(const std::string& cell);

}  // namespace memsize::core
