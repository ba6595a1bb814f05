// Reports of memory that a compiler planned. One file a format under src/readers, one row each in
// plan_registry.cpp.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/model/plan.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memsize::readers {

struct PlanReader {
  /// For `--format` and `memsize list readers`.
  std::string_view name;
  std::string_view description;
  /// Whether a text that begins so is of this format. Content decides, never a file's name. A long
  /// text is cut at kPlanHead, perhaps in the middle of a word.
  bool (*probe)(std::string_view head);
  /// Errors are of a text that cannot be used at all; what is only doubtful is among the report's
  /// own diagnostics.
  core::Result<model::PlanReport> (*read)(std::string_view text, const std::string& path);
  /// What tells may stand far behind the beginning, as in a log of everything: where no reader
  /// takes the beginning, its probe sees the whole text.
  bool begins_anywhere = false;
};

inline constexpr std::size_t kPlanHead = 65536;

[[nodiscard]] const std::vector<PlanReader>& all_plan_readers();

/// The reader of that text; null: it is no plan.
[[nodiscard]] const PlanReader* plan_reader_of(std::string_view text);

/// Reads with the reader called `format`, or with the first whose probe accepts the text. A byte
/// order mark is skipped.
[[nodiscard]] core::Result<model::PlanReport> read_plan(std::string_view text,
                                                        const std::string& path,
                                                        const std::string& format = {});

}  // namespace memsize::readers
