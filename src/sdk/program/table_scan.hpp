// Where the elements of an MPU table of C stand, for changing the table in place.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/written.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memsize::sdk {

struct TableElement {
  core::Place open;
  core::Place close;
  bool has_comma = false;
  /// Of its last word, the comma included.
  std::size_t last_line = 0;
  /// Whether no other word stands on its lines.
  bool is_alone = false;
};

/// The definition of a table.
struct TableScan {
  /// The brace that opens the table.
  core::Place open;
  std::vector<TableElement> elements;
  /// How many elements the definition has room for, if it says so by a number.
  std::optional<std::size_t> room;
  /// The words before the table and behind it.
  std::vector<std::string> others;

  /// The element of a region.
  [[nodiscard]] std::optional<std::size_t> element_of(const emit::WrittenMpuRegion& region) const;
};

/// A file of which emit::parse_mpu_source() understands the table.
[[nodiscard]] TableScan scan_table(const emit::MapFile& file,
                                   const std::string& root,
                                   const std::string& table);

/// The word behind a value; empty if the value goes on on other lines.
[[nodiscard]] std::string word_behind(const emit::MapFile& file, const core::Place& value);

/// The text with blanks for every comment; each character stands where it stood.
[[nodiscard]] std::string without_comments(const std::string& text);

}  // namespace memsize::sdk
