// A plan as files: for other tools, for a C compiler, for people.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/model/plan.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memsize::emit {

struct PlanFormat {
  /// For `--as`.
  std::string_view name;
  std::string_view description;
};

/// json, residency, csv, c-header, chart, svg, html, chrome-trace.
[[nodiscard]] const std::vector<PlanFormat>& plan_formats();

struct PlanFileOptions {
  /// What C names begin with; checked to be an identifier.
  std::string prefix = "memsize";
  /// Columns of the terminal chart.
  std::size_t width = 80;
  /// Where templates are; the first folder that has one counts.
  std::vector<std::string> templates;
};

/// The document of `memsize.plan/1` without diagnostics, which the caller adds.
[[nodiscard]] std::string plan_json(const model::PlanReport& plan);

[[nodiscard]] core::Result<std::string> plan_file(core::FileSystem& files,
                                                  std::string_view format,
                                                  const model::PlanReport& plan,
                                                  const PlanFileOptions& options);

}  // namespace memsize::emit
