// Quotes where RFC 4180 asks for them; a formula becomes text by the apostrophe that spreadsheets
// know.
#include "memsize/core/csv.hpp"

#include "memsize/core/text.hpp"

#include <string_view>

namespace memsize::core {

std::string csv_cell(const std::string& cell) {
  std::string text = visible_text(cell);
  // A spreadsheet would take it for a formula, some even behind blanks; numbers are none.
  const std::size_t first = text.find_first_not_of(' ');
  if (first != std::string::npos &&
      std::string_view{"=+-@"}.find(text[first]) != std::string_view::npos) {
    text.insert(0, "'");
  }
  if (text.find_first_of(",\"") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

}  // namespace memsize::core
