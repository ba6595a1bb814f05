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
  /// Whether PlanFileOptions::prefix is in it.
  bool has_prefix = false;
};

/// json, residency, helia-yaml, tflite, csv, c-header, chart, svg, html, chrome-trace.
[[nodiscard]] const std::vector<PlanFormat>& plan_formats();

struct PlanFileOptions {
  /// What C names begin with; checked to be an identifier.
  std::string prefix = "memsize";
  /// Columns of the terminal chart.
  std::size_t width = 80;
  /// Where templates are; the first folder that has one counts.
  std::vector<std::string> templates;
  /// For "tflite": the bytes of the model that the plan is of, and where they come from.
  std::string_view model;
  std::string path;
};

/// The document of `memsize.plan/1` without diagnostics, which the caller adds.
[[nodiscard]] std::string plan_json(const model::PlanReport& plan);

/// The plan in one of plan_formats(); "json" is plan_json(). A table of lifetimes has the columns
/// id,lower,upper,size,offset, then as far as the plan needs them alignment, memory, role,
/// source_memory and alias_of. A residency report has heliaAOT's keys but plan_hash and
/// tensor_layout_hash, which only heliaAOT can make; memsize's own hashes are
/// memsize_envelope_hash, memsize_layout_hash and memsize_content_hash. A header's assertions fail
/// for a plan that is wrong. Errors: an unknown format, a prefix that is no identifier, a template
/// that is missing or broken.
[[nodiscard]] core::Result<std::string> plan_file(core::FileSystem& files,
                                                  std::string_view format,
                                                  const model::PlanReport& plan,
                                                  const PlanFileOptions& options);

}  // namespace memsize::emit
