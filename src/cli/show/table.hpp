// Plain text tables, and the same rows as CSV and Markdown.
#pragma once

#include <string>
#include <vector>

namespace memsize::cli {

struct Table {
  struct Column {
    std::string title;
    bool right = false;
  };

  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;

  /// Aligned columns, two blanks apart, each line indented by `indent`.
  [[nodiscard]] std::string text(std::size_t indent) const;
  [[nodiscard]] std::string csv() const;
  [[nodiscard]] std::string markdown() const;
};

}  // namespace memsize::cli
