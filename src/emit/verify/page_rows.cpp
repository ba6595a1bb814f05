// Reads the table of regions of the page for people, and holds what it shows against
// memory_map.json. A page without such rows is somebody's own, and nothing to find.
#include "page_rows.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

struct PageRow {
  std::string_view name;
  /// As people read them, and as the page sorts by them.
  std::string_view physical;
  std::string_view size;
  std::string_view sort_physical;
  std::string_view sort_size;
  std::size_t line = 0;
};

// What stands between the next `begin` and the `end` behind it; `text` goes on there.
std::string_view take_between(std::string_view& text,
                              std::string_view begin,
                              std::string_view end) {
  const std::size_t at = text.find(begin);
  if (at == std::string_view::npos) {
    text = {};
    return {};
  }
  text.remove_prefix(at + begin.size());
  const std::size_t length = std::min(text.find(end), text.size());
  const std::string_view found = text.substr(0, length);
  text.remove_prefix(std::min(length + end.size(), text.size()));
  return found;
}

std::vector<PageRow> rows_of_page(std::string_view page) {
  std::vector<PageRow> rows;
  std::size_t line = 1;
  while (!page.empty()) {
    const std::string_view before = page;
    std::string_view row = take_between(page, "<tr ", "</tr>");
    const std::size_t begin =
        row.data() == nullptr ? 0 : static_cast<std::size_t>(row.data() - before.data());
    line += static_cast<std::size_t>(std::ranges::count(before.substr(0, begin), '\n'));
    PageRow read{.line = line};
    line += static_cast<std::size_t>(std::ranges::count(row, '\n'));
    read.name = take_between(row, "data-r=\"", "\"");
    read.sort_physical = take_between(row, "data-a=\"", "\"");
    read.sort_size = take_between(row, "data-n=\"", "\"");
    read.physical = take_between(row, "<td class=\"num\">", "</td>");
    read.size = take_between(row, "<td class=\"num\">", "</td>");
    if (!read.name.empty()) {
      rows.push_back(read);
    }
  }
  return rows;
}

bool is_shown(const MapRegion& region, const PageRow& row) {
  const std::string size = core::format_size(core::Bytes{region.size});
  if (row.size != size || row.sort_size != fmt::format("{}", region.size)) {
    return false;
  }
  if (!region.physical) {
    return row.physical.empty() && row.sort_physical.empty();
  }
  return row.physical == core::format_hex(*region.physical) &&
         row.sort_physical == fmt::format("{}", *region.physical);
}

}  // namespace

void verify_page(const WrittenMap& map,
                 const MapFile& page,
                 const std::string& root,
                 core::Diagnostics& found) {
  std::vector<PageRow> rows = rows_of_page(page.content);
  std::ranges::stable_sort(rows, {}, &PageRow::name);
  for (std::size_t i = 0; !rows.empty() && i < map.regions.size(); ++i) {
    const MapRegion& region = map.regions[i];
    core::Place place{page.path_under(root)};
    bool is_right = false;
    auto row = std::ranges::lower_bound(rows, std::string_view{region.name}, {}, &PageRow::name);
    for (; row != rows.end() && row->name == region.name && !is_right; ++row) {
      place.line = row->line;
      is_right = is_shown(region, *row);
    }
    if (!is_right) {
      found.push_back(disagreement(
          place,
          {{"region", region.name}},
          place.line == 0
              ? fmt::format("'{}' of memory_map.json has no row here", region.name)
              : fmt::format("the row of '{}' does not show what memory_map.json has: {}{}",
                            region.name,
                            core::format_size(core::Bytes{region.size}),
                            region.physical
                                ? fmt::format(" at {}", core::format_hex(*region.physical))
                                : "")));
    }
  }
}

}  // namespace memsize::emit
