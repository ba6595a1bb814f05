// What is wrong with a report of planned memory: every reader of plans checks its values here, so
// that a size or a lifetime is refused with the same words whatever the format.
#pragma once

#include "memsize/docs/value.hpp"

#include "plan_formats.hpp"
#include "tidl_rows.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace memsize::readers {

using PlanPlace = docs::Position;
using docs::kLongestShown;

/// What a report may list. A block costs about a kilobyte on its way to a plan, and one million of
/// them some seconds; ten times as many would take all memory, and hours.
inline constexpr std::size_t kMostPlanBlocks = 2'000'000;

/// What the last step of a lifetime means in a format.
enum class LastStep { kInside, kFirstAfter };

/// What PlanProblems::lifetime takes without an error.
[[nodiscard]] bool is_lifetime(std::int64_t first, std::int64_t last, LastStep meaning);

/// Gathers errors and warnings of one text. A text with one mistake often has it a million times:
/// of one code the first twenty are kept, and how many more there are.
class PlanProblems {
 public:
  explicit PlanProblems(const std::string& path) : path_(path) {}

  /// The text cannot be used.
  void error(core::Code code, PlanPlace place, std::string message, std::string hint = {});
  /// The text is doubtful.
  void warn(core::Code code, PlanPlace place, std::string message, std::string hint = {});

  /// The report lists more than kMostPlanBlocks.
  void too_many(PlanPlace place);

  /// Whether one more of this code would be kept: its message is worth making.
  [[nodiscard]] bool wants(core::Severity severity, core::Code code) const;

  [[nodiscard]] bool failed() const { return !errors_.empty(); }

  /// The errors, or the report with the warnings.
  [[nodiscard]] PlanResult finish(model::PlanReport report);

  /// Each of these says an error (`what` is its subject: "tensors[3].size") and gives nothing for a
  /// value that no plan can have.
  [[nodiscard]] std::optional<core::Bytes> size(std::uint64_t bytes,
                                                PlanPlace place,
                                                std::string_view what);
  [[nodiscard]] std::optional<core::Align> alignment(std::uint64_t bytes,
                                                     PlanPlace place,
                                                     std::string_view what);
  /// Empty, reversed and beyond model::kLastStep are errors.
  [[nodiscard]] std::optional<model::Interval> lifetime(std::int64_t first,
                                                        std::int64_t last,
                                                        LastStep meaning,
                                                        PlanPlace place,
                                                        std::string_view what);
  /// Whether a block ends where a plan may end.
  bool ends_in_plan(core::Bytes offset, core::Bytes size, PlanPlace place, std::string_view what);
  /// Whether the sizes so far add up to what a plan may have; `what` was added last: "this row".
  bool adds_up(core::Bytes total, PlanPlace place, std::string_view what);
  /// Whether no block had this id before.
  bool is_new(std::string_view id, PlanPlace place);

  [[nodiscard]] core::Place in_file(PlanPlace place) const;

 private:
  void keep(core::Diagnostics& list, core::Diagnostic diagnostic);

  core::SharedText path_;
  core::Diagnostics errors_;
  core::Diagnostics warnings_;
  std::map<std::pair<core::Severity, core::Code>, std::size_t> counts_;
  std::unordered_map<std::string, std::size_t> ids_;
};

/// In lower case, without blanks around it; "default" where the report names none.
[[nodiscard]] std::string memory_name(std::string_view text);
/// "SCRATCH", "persistent", "Constant".
[[nodiscard]] std::optional<model::Lifetime> role_named(std::string_view text);
/// As whole_number of tidl_rows.hpp, with or without a minus before it.
[[nodiscard]] std::optional<std::int64_t> signed_number(std::string_view text);

}  // namespace memsize::readers
