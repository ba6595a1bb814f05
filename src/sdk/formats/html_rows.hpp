// The table of an HTML page that shows a memory map.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/verify.hpp"

#include "script/source.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memsize::sdk {

/// One region: its cells are name, first byte, last byte, size, attributes, description.
struct HtmlRow {
  std::string name;
  std::uint64_t first = 0;
  /// Before `first` where it has no bytes.
  std::uint64_t last = 0;
  /// For people: "2.00 MB".
  std::string size;
  core::Place place;
  /// From "<tr" to behind "</tr>".
  Span row;
  /// The text of each cell, and the name of its class, which may be empty.
  std::vector<Span> cells;
  std::vector<Span> classes;
};

/// Rows without such cells, such as the head of the table, are passed over; one with cells of
/// another shape is an error.
[[nodiscard]] std::vector<HtmlRow> parse_html_rows(const emit::MapFile& file,
                                                   core::Diagnostics& errors);

}  // namespace memsize::sdk
