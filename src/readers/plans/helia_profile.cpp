// helia-profiler's table of operators. Source of the columns: facts that AmbiqAI/helia-profiler
// states of profile_results.csv (`id,op,...,cycles`, with the manifest's ids).
#include "memsize/core/text.hpp"
#include "memsize/readers/profile_reader.hpp"

#include "plan_problems.hpp"
#include "quoted_rows.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;

// Whole numbers up to here are exact wherever tables are computed with (IEEE 754 doubles).
constexpr double kMostCycles = 9007199254740992.0;

// Means of several runs have a fraction, which counts for nothing.
std::optional<std::uint64_t> cycles_in(std::string_view text) {
  double value = -1;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || !(value >= 0) ||
      value > kMostCycles) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(std::llround(value));
}

class ProfileReader {
 public:
  explicit ProfileReader(const std::string& path) : problems_(path) {}

  core::Result<std::vector<model::LayerTime>> read(std::string_view text) {
    QuotedRows rows{text};
    if (!rows.next()) {
      problems_.error(Code::kReadEmpty, {}, "the profile is empty", kRunAgain);
    } else if (read_header(rows)) {
      while (rows.next()) {
        read_row(rows);
      }
      if (layers_.empty() && !problems_.failed()) {
        problems_.error(Code::kReadEmpty, {}, "the profile has no rows", kRunAgain);
      }
    }
    const auto done = problems_.finish({});
    MEMSIZE_TRY(done);
    return std::move(layers_);
  }

 private:
  static constexpr const char* kRunAgain = "give the profile_results.csv of a run that ended";

  bool read_header(const QuotedRows& rows) {
    count_ = rows.fields().size();
    for (std::size_t i = 0; i < count_; ++i) {
      const std::string name = core::to_lower(core::trim(rows.fields()[i]));
      std::optional<std::size_t>* const column = name == "id"       ? &id_
                                                 : name == "cycles" ? &cycles_
                                                                    : nullptr;
      if (column == nullptr) {
        continue;
      }
      if (*column) {
        problems_.error(
            Code::kPlanSyntax, {rows.line()}, fmt::format("the column '{}' stands twice", name));
      }
      *column = i;
    }
    for (const auto& [name, column] : {std::pair{"id", &id_}, std::pair{"cycles", &cycles_}}) {
      if (!*column) {
        problems_.error(Code::kPlanSyntax,
                        {rows.line()},
                        fmt::format("the column '{}' is missing", name),
                        "the first line of a profile names its columns: id,op,...,cycles");
      }
    }
    return !problems_.failed();
  }

  void read_row(const QuotedRows& rows) {
    const PlanPlace place{rows.line()};
    if (rows.unclosed() || rows.fields().size() != count_) {
      problems_.error(Code::kPlanSyntax,
                      place,
                      rows.unclosed() ? "a quoted field does not end"
                                      : fmt::format("the row has {}, the first line {}",
                                                    core::plural(rows.fields().size(), "field"),
                                                    count_),
                      "the file was cut off, or edited: " + std::string{kRunAgain});
      return;
    }
    const std::string id{core::trim(rows.fields()[*id_])};
    const std::string_view text = core::trim(rows.fields()[*cycles_]);
    const auto cycles = cycles_in(text);
    if (id.empty() || !cycles) {
      problems_.error(Code::kPlanSyntax,
                      place,
                      id.empty() ? std::string{"the row has no id"}
                                 : fmt::format("cycles must be a number from 0, not '{}'",
                                               core::printable(text, kLongestShown)),
                      kRunAgain);
      return;
    }
    if (!seen_.insert(id).second) {
      problems_.error(Code::kPlanDuplicate,
                      place,
                      fmt::format("operator '{}' stands twice", core::printable(id, kLongestShown)),
                      "give the profile of one run");
      return;
    }
    if (layers_.size() >= kMostPlanBlocks) {
      problems_.too_many(place);
      return;
    }
    layers_.push_back({.name = id, .total = *cycles, .line = rows.line()});
  }

  PlanProblems problems_;
  std::vector<model::LayerTime> layers_;
  std::optional<std::size_t> id_;
  std::optional<std::size_t> cycles_;
  std::size_t count_ = 0;
  std::set<std::string> seen_;
};

}  // namespace

core::Result<std::vector<model::LayerTime>> read_profile(std::string_view text,
                                                         const std::string& path) {
  return ProfileReader{path}.read(core::without_byte_order_mark(text));
}

}  // namespace memsize::readers
