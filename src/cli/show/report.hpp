// An analysis for people and for tables.
#pragma once

#include "memsize/app/analyze.hpp"

#include <cstddef>
#include <string>

namespace memsize::cli {

/// How much of a report is shown.
struct Detail {
  /// Every figure and region, and every table.
  bool wide = false;
  /// Every note, and for every number its lines and its rule.
  bool explain = false;
  /// How close the map comes to what is allowed; empty where nothing is said of that.
  std::string budget = {};
  /// Columns that text is wrapped to.
  std::size_t width = 80;
};

/// The verdict, tables, notes, and what to do next.
[[nodiscard]] std::string report_text(const app::Analysis& analysis, const Detail& detail);
/// One row a demand, sizes in bytes.
[[nodiscard]] std::string report_csv(const app::Analysis& analysis);
[[nodiscard]] std::string report_markdown(const app::Analysis& analysis);
}  // namespace memsize::cli
