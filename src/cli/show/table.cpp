// Cells into columns as wide as their contents need, or into CSV, where a cell must not look like a
// formula to a spreadsheet, or into Markdown.
#include "table.hpp"

#include "memsize/core/csv.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::cli {

std::string Table::text(std::size_t indent) const {
  std::vector<std::vector<std::string>> cells = rows;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t width = core::text_width(columns[i].title);
    for (auto& row : cells) {
      row.at(i) = core::visible_text(row.at(i));
      width = std::max(width, core::text_width(row.at(i)));
    }
    widths.push_back(width);
  }
  std::string out;
  const auto line = [&](auto cell) {
    std::string built(indent, ' ');
    for (std::size_t i = 0; i < columns.size(); ++i) {
      built += i == 0 ? "" : "  ";
      const std::string rest(widths[i] - core::text_width(cell(i)), ' ');
      built += columns[i].right ? rest + cell(i) : cell(i) + rest;
    }
    built.erase(built.find_last_not_of(' ') + 1);
    out += built + "\n";
  };
  line([&](std::size_t i) { return columns[i].title; });
  for (const auto& row : cells) {
    line([&](std::size_t i) { return row.at(i); });
  }
  return out;
}

std::string Table::csv() const {
  std::vector<std::string> cells =
      core::texts_of(columns, [&](const Column& column) { return core::csv_cell(column.title); });
  std::string out = core::join(cells, ",") + "\n";
  for (const auto& row : rows) {
    cells.clear();
    for (const std::string& cell : row) {
      cells.push_back(core::csv_cell(cell));
    }
    out += core::join(cells, ",") + "\n";
  }
  return out;
}

std::string Table::markdown() const {
  std::vector<std::string> titles;
  std::vector<std::string> rules;
  for (const Column& column : columns) {
    titles.push_back(core::escape_markdown(column.title));
    rules.emplace_back(column.right ? "---:" : "---");
  }
  std::string out =
      fmt::format("| {} |\n|{}|\n", core::join(titles, " | "), core::join(rules, "|"));
  for (const auto& row : rows) {
    const std::vector<std::string> cells =
        core::texts_of(row, [&](const std::string& cell) { return core::escape_markdown(cell); });
    out += fmt::format("| {} |\n", core::join(cells, " | "));
  }
  return out;
}

}  // namespace memsize::cli
