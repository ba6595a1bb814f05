// Finds the rows of six cells in a page, each with its name, first and last address and where these
// stand. It knows no other HTML.
#include "html_rows.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

constexpr std::string_view kRow = "<tr";
constexpr std::string_view kRowEnd = "</tr>";
constexpr std::string_view kCell = "<td";
constexpr std::string_view kCellEnd = "</td>";
constexpr std::string_view kClass = "class=\"";
constexpr std::size_t kCells = 6;
constexpr std::size_t kFirst = 1;
constexpr std::size_t kLast = 2;
constexpr std::size_t kSizeCell = 3;
// What the SDK's library writes before the address 0: the sign among the zeros.
constexpr std::string_view kBeforeZero = "0x-0000001";

class RowParser {
 public:
  RowParser(const emit::MapFile& file, core::Diagnostics& errors)
      : path_(file.path), text_(file.content), errors_(errors) {}

  std::vector<HtmlRow> run() {
    std::vector<HtmlRow> rows;
    std::size_t at = text_.find(kRow);
    while (at != std::string_view::npos) {
      const std::size_t end = text_.find(kRowEnd, at);
      if (end == std::string_view::npos) {
        wrong("this row is not closed", at, kRow.size());
        break;
      }
      HtmlRow row{.row = {at, end + kRowEnd.size()}};
      if (read(row)) {
        rows.push_back(std::move(row));
      }
      at = text_.find(kRow, end);
    }
    return rows;
  }

 private:
  // Whether it is the row of a region.
  bool read(HtmlRow& row) {
    std::size_t at = text_.find(kCell, row.row.begin);
    while (at < row.row.end) {
      const std::size_t open = text_.find('>', at);
      const std::size_t close = text_.find(kCellEnd, at);
      if (open == std::string_view::npos || close == std::string_view::npos || close < open ||
          close >= row.row.end) {
        wrong("this cell is not closed", at, kCell.size());
        return false;
      }
      row.classes.push_back(class_in({at, open}));
      row.cells.push_back({open + 1, close});
      at = text_.find(kCell, close);
    }
    if (row.cells.empty()) {
      return false;
    }
    if (row.cells.size() != kCells) {
      wrong(fmt::format("this row has {}, not {}", core::plural(row.cells.size(), "cell"), kCells),
            row.row.begin,
            kRow.size());
      return false;
    }
    const Span name = row.cells.front();
    row.name = text_in(name);
    row.size = core::trim(text_in(row.cells[kSizeCell]));
    row.place = place(name.begin, name.end - name.begin);
    const auto first = number(row.cells[kFirst]);
    const auto last = number(row.cells[kLast]);
    row.first = first.value_or(0);
    row.last = last.value_or(0);
    return first && last;
  }

  [[nodiscard]] std::string_view text_in(Span span) const {
    return text_.substr(span.begin, span.end - span.begin);
  }

  [[nodiscard]] Span class_in(Span tag) const {
    const std::size_t at = text_.substr(0, tag.end).find(kClass, tag.begin);
    if (at == std::string_view::npos) {
      return {tag.end, tag.end};
    }
    const std::size_t begin = at + kClass.size();
    return {begin, std::min(text_.find('"', begin), tag.end)};
  }

  std::optional<std::uint64_t> number(Span span) {
    if (text_in(span) == kBeforeZero) {
      return UINT64_MAX;
    }
    const auto value = core::parse_address(text_in(span));
    if (!value) {
      wrong("this is no address", span.begin, span.end - span.begin);
      return std::nullopt;
    }
    return *value;
  }

  // Counts lines from the last place on: rows come one after the other.
  [[nodiscard]] core::Place place(std::size_t offset, std::size_t length) {
    if (offset < counted_) {
      counted_ = 0;
      line_ = 1;
    }
    const std::string_view since = text_.substr(counted_, offset - counted_);
    line_ += static_cast<std::size_t>(std::ranges::count(since, '\n'));
    counted_ = offset;
    return {path_, line_, offset - (text_.substr(0, offset).rfind('\n') + 1) + 1, length};
  }

  void wrong(std::string message, std::size_t offset, std::size_t length) {
    errors_.push_back(core::error(core::Code::kVerifyParse,
                                  std::move(message),
                                  place(offset, length),
                                  "run the script that writes this page"));
  }

  core::SharedText path_;
  std::string_view text_;
  core::Diagnostics& errors_;
  /// Up to where newlines were counted, and the line that is there.
  std::size_t counted_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

std::vector<HtmlRow> parse_html_rows(const emit::MapFile& file, core::Diagnostics& errors) {
  return RowParser{file, errors}.run();
}

}  // namespace memsize::sdk
