// A table of lifetimes, as minimalloc and the planners measured against it read and write them:
// one buffer a row, with the columns id, lower, upper and size in any order. A million rows are
// usual for traces of allocators, so that no row costs more than its block.
//
// Gaps are minimalloc's: "3-6" is no need of any byte in steps [3, 6), "3-6@0:2" a need of bytes
// [0, 2) alone; several stand apart by blanks. Where the column of the last step is inclusive,
// those of gaps are, too. Gaps that share a step each say bytes, and all of these are needed.
#include "memsize/core/cursor.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/model/id_order.hpp"

#include "plan_problems.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;

enum class Column {
  kId,
  kLower,
  kUpper,
  kSize,
  kOffset,
  kAlignment,
  kMemory,
  kRole,
  kSource,
  kName,
  kAliasOf,
  kInput,
  kOutput,
  kUses,
  kGaps,
  kIgnored,
};

struct ColumnName {
  std::string_view name;
  Column column;
  /// The last step inside, where the column's name says so.
  bool inclusive = false;
};

// With the second names that minimalloc knows; its "end" is the last step inside.
constexpr auto kColumns = std::to_array<ColumnName>({
    {"id", Column::kId},         {"lower", Column::kLower},      {"upper", Column::kUpper},
    {"size", Column::kSize},     {"offset", Column::kOffset},    {"alignment", Column::kAlignment},
    {"memory", Column::kMemory}, {"role", Column::kRole},        {"source_memory", Column::kSource},
    {"name", Column::kName},     {"alias_of", Column::kAliasOf}, {"input", Column::kInput},
    {"output", Column::kOutput}, {"uses", Column::kUses},        {"gaps", Column::kGaps},
    {"hint", Column::kIgnored},  {"buffer", Column::kId},        {"buffer_id", Column::kId},
    {"begin", Column::kLower},   {"start", Column::kLower},      {"end", Column::kUpper, true},
});

constexpr std::array kRequired = {Column::kId, Column::kLower, Column::kUpper, Column::kSize};
constexpr std::size_t kMostErrors = 20;
// What a reservation by the number of lines may ask for; a longer table grows as it comes.
constexpr std::size_t kMostReserved = std::size_t{1} << 20U;

struct Field {
  std::string_view text;
  std::size_t line = 0;
  std::size_t column = 0;
};

std::string_view name_of(Column column) {
  return std::ranges::find_if(kColumns,
                              [column](const ColumnName& known) { return known.column == column; })
      ->name;
}

const ColumnName* column_named(std::string_view text) {
  const std::string name = core::to_lower(text);
  return core::find_in(kColumns, name, &ColumnName::name);
}

bool is_blank_cell(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank_cell(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank_cell(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

/// Hands out the rows of a text, taken apart at commas. Blank lines are none.
class Rows {
 public:
  explicit Rows(std::string_view text) : text_(text) {}

  /// False: there are no more.
  bool next() {
    while (at_ < text_.size()) {
      std::size_t first = at_;
      while (first < text_.size() && is_blank_cell(text_[first])) {
        ++first;
      }
      if (first < text_.size() && text_[first] != '\n') {
        row_line_ = line_;
        split();
        return true;
      }
      line_begin_ = at_ = first + 1;
      ++line_;
    }
    return false;
  }

  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }

  /// Of its first field.
  [[nodiscard]] std::size_t line() const { return row_line_; }

  /// The field with a quote that nothing closes, or that is closed before the field ends.
  [[nodiscard]] const Field* broken() const { return is_broken_ ? &broken_ : nullptr; }

 private:
  void split() {
    fields_.clear();
    unquoted_.clear();
    ranges_.clear();
    is_broken_ = false;
    bool more = true;
    while (more) {
      const std::size_t begin = skip_blanks(at_);
      const Field field{{}, line_, begin - line_begin_ + 1};
      std::size_t end = begin;
      if (begin < text_.size() && text_[begin] == '"') {
        end = quoted(field, begin);
        fields_.push_back(field);
      } else {
        while (end < text_.size() && text_[end] != ',' && text_[end] != '\n') {
          ++end;
        }
        fields_.push_back(
            {without_blanks(text_.substr(begin, end - begin)), field.line, field.column});
      }
      more = end < text_.size() && text_[end] == ',';
      at_ = end + 1;
    }
    line_begin_ = at_;
    ++line_;
    // What was unquoted may have moved while there was more of it.
    for (const Range& range : ranges_) {
      fields_[range.field].text = std::string_view{unquoted_}.substr(range.begin, range.size);
    }
  }

  [[nodiscard]] std::size_t skip_blanks(std::size_t at) const {
    while (at < text_.size() && is_blank_cell(text_[at])) {
      ++at;
    }
    return at;
  }

  // Takes the field whose quote is at `at`; the place of what ends it.
  std::size_t quoted(const Field& field, std::size_t at) {
    const std::size_t first = unquoted_.size();
    bool closed = false;
    for (++at; at < text_.size() && !closed; ++at) {
      const char c = text_[at];
      closed = c == '"' && !(at + 1 < text_.size() && text_[at + 1] == '"');
      if (closed) {
        continue;
      }
      unquoted_.push_back(c);
      at += c == '"' ? 1U : 0U;
      if (c == '\n') {
        line_begin_ = at + 1;
        ++line_;
      }
    }
    ranges_.push_back({fields_.size(), first, unquoted_.size() - first});
    std::size_t end = skip_blanks(at);
    if (!is_broken_ &&
        (!closed || (end < text_.size() && text_[end] != ',' && text_[end] != '\n'))) {
      is_broken_ = true;
      broken_ = field;
    }
    while (end < text_.size() && text_[end] != ',' && text_[end] != '\n') {
      ++end;
    }
    return end;
  }

  struct Range {
    std::size_t field = 0;
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_begin_ = 0;
  std::size_t row_line_ = 0;
  std::vector<Field> fields_;
  std::string unquoted_;
  std::vector<Range> ranges_;
  bool is_broken_ = false;
  Field broken_;
};

class TableReader {
 public:
  TableReader(std::string_view text, const std::string& path)
      : text_(text), path_(path), rows_(text), problems_(path) {}

  PlanResult read() {
    report_.path = path_;
    report_.has_alignments = true;
    report_.lines = static_cast<std::size_t>(std::ranges::count(text_, '\n')) +
                    (text_.empty() || text_.back() == '\n' ? 0 : 1);
    report_.blocks.reserve(std::min(report_.lines, kMostReserved));
    if (read_header()) {
      while (errors_ < kMostErrors && rows_.next()) {
        if (report_.blocks.size() == kMostPlanBlocks) {
          errors_ = kMostErrors;
          problems_.too_many({rows_.line(), 0});
          break;
        }
        read_row();
      }
      if (errors_ < kMostErrors) {
        find_duplicates();
      }
      if (report_.blocks.empty() && errors_ == 0) {
        fail(Code::kPlanSyntax, {1, 0}, "the table has no rows", "write one row a buffer");
      }
    }
    PlanResult result = problems_.finish(std::move(report_));
    core::add_text(result ? result->diagnostics : result.error(), path_, text_);
    return result;
  }

 private:
  void fail(Code code, PlanPlace place, std::string message, std::string hint = {}) {
    ++errors_;
    problems_.error(code, place, std::move(message), std::move(hint));
  }

  [[nodiscard]] static PlanPlace place_of(const Field& field) { return {field.line, field.column}; }

  bool good_quotes() {
    if (rows_.broken() == nullptr) {
      return true;
    }
    fail(Code::kPlanSyntax,
         place_of(*rows_.broken()),
         "the quote that opens here does not end with its field",
         "a quote inside quotes is written twice");
    return false;
  }

  bool read_header() {
    if (!rows_.next()) {
      fail(Code::kPlanSyntax,
           {},
           "there is no line in the table",
           "its first line is: id,lower,upper,size");
      return false;
    }
    if (!good_quotes()) {
      return false;
    }
    std::vector<std::string> unknown;
    std::array<bool, static_cast<std::size_t>(Column::kIgnored)> seen{};
    for (const Field& field : rows_.fields()) {
      const ColumnName* const known = column_named(field.text);
      const Column column = known == nullptr ? Column::kIgnored : known->column;
      columns_.push_back(column);
      if (known == nullptr) {
        unknown_column(field);
        unknown.emplace_back(core::printable(field.text, kLongestShown));
      } else if (column != Column::kIgnored) {
        auto& before = seen[static_cast<std::size_t>(column)];
        if (before) {
          fail(Code::kPlanSyntax,
               place_of(field),
               fmt::format("there is a second column for '{}'", name_of(column)),
               "each column has a name of its own");
        }
        before = true;
        inclusive_ = inclusive_ || known->inclusive;
      }
    }
    for (const Column column : kRequired) {
      if (!seen[static_cast<std::size_t>(column)]) {
        const std::string guess = core::did_you_mean(name_of(column), unknown);
        fail(Code::kPlanSyntax,
             {rows_.line(), 0},
             fmt::format("the table has no column '{}'", name_of(column)),
             guess.empty() ? "its first line names the columns: id,lower,upper,size"
                           : fmt::format("the column '{}' is to be called '{}'",
                                         quoted_part(guess),
                                         name_of(column)));
      }
    }
    return errors_ == 0;
  }

  // The name in "did you mean 'x'?".
  static std::string quoted_part(const std::string& sentence) {
    const std::size_t first = sentence.find('\'');
    const std::size_t last = sentence.rfind('\'');
    return first == last ? sentence : sentence.substr(first + 1, last - first - 1);
  }

  void unknown_column(const Field& field) {
    const std::vector<std::string> names = core::texts_of(kColumns, &ColumnName::name);
    const std::string guess = core::did_you_mean(field.text, names);
    problems_.warn(Code::kPlanSyntax,
                   place_of(field),
                   fmt::format("the column '{}' says nothing to memsize",
                               core::printable(field.text, kLongestShown)),
                   guess.empty() ? "it is left out" : guess);
  }

  void read_row() {
    const auto& fields = rows_.fields();
    if (!good_quotes()) {
      return;
    }
    if (fields.size() != columns_.size()) {
      const bool more = fields.size() > columns_.size();
      fail(Code::kPlanSyntax,
           more ? place_of(fields[columns_.size()]) : PlanPlace{rows_.line(), 0},
           fmt::format("this row has {} where the first line names {}",
                       core::plural(fields.size(), "field"),
                       core::plural(columns_.size(), "column")),
           "write a text that has a comma in quotes");
      return;
    }
    model::PlannedBlock block{.memory = "default", .line = rows_.line()};
    const std::size_t before = errors_;
    lower_ = upper_ = gaps_ = Field{};
    for (std::size_t i = 0; i < fields.size(); ++i) {
      take(fields[i], columns_[i], block);
    }
    // What is read where it lies has no source.
    if (block.source_memory == block.memory) {
      block.source_memory.clear();
    }
    read_lifetime(block);
    if (!gaps_.text.empty() && errors_ == before) {
      read_gaps(block);
    }
    if (block.offset && *block.offset + block.size > model::kLargestPlan && errors_ == before) {
      ++errors_;
      problems_.ends_in_plan(*block.offset, block.size, {block.line, 0}, shown_id(block));
    }
    total_ += block.size;
    if (total_ > model::kLargestPlan && errors_ == before) {
      fail(Code::kPlanSize,
           {block.line, 0},
           "with this row, the sizes add up to more than any memory has",
           "sums of sizes go up to 2^62 B");
    }
    if (errors_ == before) {
      report_.blocks.push_back(std::move(block));
    }
  }

  static std::string shown_id(const model::PlannedBlock& block) {
    return fmt::format("'{}'", core::printable(block.id, kLongestShown));
  }

  void take(const Field& field, Column column, model::PlannedBlock& block) {
    const std::string_view text = field.text;
    switch (column) {
      case Column::kId:
        block.id = words(field);
        if (text.empty()) {
          fail(Code::kPlanSyntax, place_of(field), "this row has no id", "each buffer needs one");
        }
        break;
      case Column::kLower:
        lower_ = field;
        break;
      case Column::kUpper:
        upper_ = field;
        break;
      case Column::kSize:
        block.size = bytes(field, "size").value_or(core::Bytes{});
        break;
      default:
        if (!text.empty()) {
          take_optional(field, column, block);
        }
    }
  }

  std::string_view words(const Field& field) {
    if (!core::is_utf8(field.text)) {
      fail(Code::kPlanSyntax,
           place_of(field),
           fmt::format("'{}' is no text", core::printable(field.text, kLongestShown)),
           "texts are UTF-8");
    }
    return field.text;
  }

  void take_optional(const Field& field, Column column, model::PlannedBlock& block) {
    switch (column) {
      case Column::kOffset:
        block.offset = bytes(field, "offset");
        break;
      case Column::kAlignment:
        take_alignment(field, block);
        break;
      case Column::kMemory:
        block.memory = memory_name(words(field));
        break;
      case Column::kRole:
        take_role(field, block);
        break;
      case Column::kSource:
        block.source_memory = memory_name(words(field));
        break;
      case Column::kName:
        block.name = words(field);
        break;
      case Column::kAliasOf:
        block.alias_of = words(field);
        break;
      case Column::kInput:
        block.is_input = flag(field);
        break;
      case Column::kOutput:
        block.is_output = flag(field);
        break;
      case Column::kUses:
        block.uses = number(field, "uses");
        break;
      case Column::kGaps:
        gaps_ = field;
        break;
      default:
        break;
    }
  }

  void take_alignment(const Field& field, model::PlannedBlock& block) {
    const auto value = number(field, "alignment");
    if (!value) {
      return;
    }
    block.alignment = core::Align::make(*value);
    if (!block.alignment) {
      ++errors_;
      (void)problems_.alignment(*value, place_of(field), "alignment");
    }
  }

  void take_role(const Field& field, model::PlannedBlock& block) {
    const auto role = role_named(field.text);
    if (!role) {
      return fail(Code::kPlanSyntax,
                  place_of(field),
                  fmt::format("'{}' is no role", core::printable(field.text, kLongestShown)),
                  "the roles are: scratch, persistent, constant");
    }
    block.role = *role;
  }

  bool flag(const Field& field) {
    if (field.text == "1" || field.text == "true") {
      return true;
    }
    if (field.text != "0" && field.text != "false") {
      fail(
          Code::kPlanSyntax,
          place_of(field),
          fmt::format("'{}' is neither true nor false", core::printable(field.text, kLongestShown)),
          "write true or false, 1 or 0");
    }
    return false;
  }

  std::optional<std::uint64_t> number(const Field& field, std::string_view what) {
    std::uint64_t value = 0;
    const char* const end = field.text.data() + field.text.size();
    const auto [stop, failure] = std::from_chars(field.text.data(), end, value);
    if (failure == std::errc{} && stop == end) {
      return value;
    }
    const std::string shown = core::printable(field.text, kLongestShown);
    const bool digits = !field.text.empty() &&
                        field.text.find_first_not_of("0123456789", field.text[0] == '-' ? 1 : 0) ==
                            std::string_view::npos;
    if (digits && field.text.size() > 1 && field.text[0] == '-') {
      fail(Code::kPlanSize,
           place_of(field),
           fmt::format("the {} {} is negative", what, shown),
           what == "offset" ? "leave the offset of what is not planned empty"
                            : "it is a whole number from 0");
    } else if (digits) {
      fail(Code::kPlanSize,
           place_of(field),
           fmt::format("the {} {} is more than any memory has", what, shown),
           "sizes and offsets of plans go up to 2^62 B");
    } else if (field.text.empty()) {
      fail(Code::kPlanSyntax,
           place_of(field),
           fmt::format("the {} is missing", what),
           "each row has one");
    } else {
      fail(Code::kPlanSyntax,
           place_of(field),
           fmt::format("the {} '{}' is no whole number", what, shown),
           "numbers are decimal digits without a unit");
    }
    return std::nullopt;
  }

  std::optional<core::Bytes> bytes(const Field& field, std::string_view what) {
    const auto value = number(field, what);
    if (!value || core::Bytes{*value} <= model::kLargestPlan) {
      return value ? std::optional{core::Bytes{*value}} : std::nullopt;
    }
    ++errors_;
    return problems_.size(*value, place_of(field), what);
  }

  void read_lifetime(model::PlannedBlock& block) {
    // What lives all the time, or nobody knows when.
    if (lower_.text.empty() && upper_.text.empty()) {
      return;
    }
    const auto lower = step(lower_, "lower");
    const auto upper = step(upper_, "upper");
    if (!lower || !upper) {
      return;
    }
    const bool plain = *lower >= -model::kLastStep && *upper <= model::kLastStep && *lower < *upper;
    if (plain && !inclusive_) {
      block.live = model::Interval{*lower, *upper};
      return;
    }
    block.live = problems_.lifetime(*lower,
                                    *upper,
                                    inclusive_ ? LastStep::kInside : LastStep::kFirstAfter,
                                    place_of(lower_),
                                    shown_id(block));
    errors_ += block.live ? 0U : 1U;
  }

  struct Gap {
    model::Window window;
    bool has_bytes = false;
    Field field;
  };

  void read_gaps(model::PlannedBlock& block) {
    std::vector<Gap> gaps;
    for (std::size_t at = 0; at < gaps_.text.size(); ++at) {
      const std::size_t end = std::min(gaps_.text.find(' ', at), gaps_.text.size());
      if (end != at) {
        // A text that was quoted has no columns of its own.
        const auto gap =
            read_gap({gaps_.text.substr(at, end - at), gaps_.line, gaps_.column + at}, block);
        if (!gap) {
          return;
        }
        gaps.push_back(*gap);
      }
      at = end;
    }
    if (gaps.size() > model::kMostWindows) {
      return fail(Code::kPlanLifetime,
                  place_of(gaps_),
                  fmt::format("{} has {}", shown_id(block), core::plural(gaps.size(), "gap")),
                  fmt::format("a buffer has at most {}", model::kMostWindows));
    }
    std::ranges::stable_sort(
        gaps, [](const Gap& a, const Gap& b) { return a.window.live.lower < b.window.live.lower; });
    std::int64_t next = block.live->lower;
    bool has_bytes = true;
    for (const Gap& gap : gaps) {
      const model::Interval& live = gap.window.live;
      if (live.lower < next && !(has_bytes && gap.has_bytes)) {
        return fail(Code::kPlanLifetime,
                    place_of(gap.field),
                    fmt::format("the gap '{}' of {} begins before the one before it has ended",
                                core::printable(gap.field.text, kLongestShown),
                                shown_id(block)),
                    "gaps that share a step each say which bytes are needed: 3-6@0:2");
      }
      if (next < live.lower) {
        block.windows.push_back({{next, live.lower}, {}, block.size});
      }
      block.windows.push_back(gap.window);
      has_bytes = live.upper > next ? gap.has_bytes : has_bytes && gap.has_bytes;
      next = std::max(next, live.upper);
    }
    if (next < block.live->upper) {
      block.windows.push_back({{next, block.live->upper}, {}, block.size});
    }
    block.windows = model::united(block.windows);
  }

  // "3-6" or "3-6@0:2".
  std::optional<Gap> read_gap(const Field& field, const model::PlannedBlock& block) {
    const auto wrong = [&](std::string_view why, const char* hint) -> std::optional<Gap> {
      fail(Code::kPlanLifetime,
           place_of(field),
           fmt::format("the gap '{}' of {} {}",
                       core::printable(field.text, kLongestShown),
                       shown_id(block),
                       why),
           hint);
      return std::nullopt;
    };
    Gap gap{.field = field};
    const std::size_t at = std::min(field.text.find('@'), field.text.size());
    // A step may be negative.
    const std::size_t dash = field.text.find('-', 1);
    const std::string_view bytes = field.text.substr(std::min(at + 1, field.text.size()));
    const std::size_t colon = std::min(bytes.find(':'), bytes.size());
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    gap.has_bytes = at != field.text.size();
    const bool is_gap =
        dash < at && whole(field.text.substr(0, dash), gap.window.live.lower) &&
        whole(field.text.substr(dash + 1, at - dash - 1), gap.window.live.upper) &&
        (!gap.has_bytes || (colon != bytes.size() && whole(bytes.substr(0, colon), begin) &&
                            whole(bytes.substr(colon + 1), end)));
    if (!is_gap) {
      return wrong("is none", "write steps, then bytes if some are needed: 3-6 or 3-6@0:2");
    }
    if (gap.window.live.upper < model::kLastStep && inclusive_) {
      ++gap.window.live.upper;
    }
    if (!block.live || gap.window.live.lower >= gap.window.live.upper ||
        gap.window.live.lower < block.live->lower || gap.window.live.upper > block.live->upper) {
      return wrong("is not inside of its life", "a gap begins and ends while the buffer lives");
    }
    if (begin > end || end > block.size.count()) {
      return wrong(fmt::format("is not inside of its {} B", block.size.count()),
                   "bytes are counted from where the buffer begins");
    }
    gap.window.begin = core::Bytes{begin};
    gap.window.end = core::Bytes{end};
    return gap;
  }

  template <typename Number>
  static bool whole(std::string_view text, Number& value) {
    const char* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    return failure == std::errc{} && stop == end;
  }

  std::optional<std::int64_t> step(const Field& field, std::string_view what) {
    std::int64_t value = 0;
    const char* const end = field.text.data() + field.text.size();
    const auto [stop, failure] = std::from_chars(field.text.data(), end, value);
    if (failure == std::errc{} && stop == end) {
      return value;
    }
    const std::string shown = core::printable(field.text, kLongestShown);
    if (field.text.empty()) {
      fail(Code::kPlanLifetime,
           place_of(field),
           fmt::format("the step '{}' is missing", what),
           "a buffer lives from the beginning of step lower to the beginning of step upper");
    } else if (failure == std::errc::result_out_of_range && stop == end) {
      fail(Code::kPlanLifetime,
           place_of(field),
           fmt::format("the step {} is beyond any step of a network", shown),
           "steps go from -2^40 to 2^40");
    } else {
      fail(Code::kPlanSyntax,
           place_of(field),
           fmt::format("the step '{}' is no whole number", shown),
           "steps are decimal digits");
    }
    return std::nullopt;
  }

  void find_duplicates() {
    const auto& blocks = report_.blocks;
    for (const auto& [second, first] : model::order_by_id(blocks).repeated) {
      if (errors_ == kMostErrors) {
        return;
      }
      fail(Code::kPlanDuplicate,
           {blocks[second].line, 0},
           fmt::format("{} stands here again; it is in line {}, too",
                       shown_id(blocks[second]),
                       blocks[first].line),
           "each buffer needs an id of its own");
    }
  }

  std::string_view text_;
  const std::string& path_;
  Rows rows_;
  PlanProblems problems_;
  std::size_t errors_ = 0;
  model::PlanReport report_;
  std::vector<Column> columns_;
  // Of the row that is being read.
  Field lower_;
  Field upper_;
  Field gaps_;
  bool inclusive_ = false;
  core::Bytes total_;
};

}  // namespace

bool probe_lifetime_csv(std::string_view head) {
  Rows rows{head};
  // The first line counts, and no lines of data have these words: a spelling that is wrong is
  // better explained than not known.
  if (!rows.next() || rows.broken() != nullptr) {
    return false;
  }
  std::array<bool, static_cast<std::size_t>(Column::kIgnored) + 1> seen{};
  for (const Field& field : rows.fields()) {
    if (const ColumnName* known = column_named(field.text)) {
      seen[static_cast<std::size_t>(known->column)] = true;
    }
  }
  const auto found = std::ranges::count_if(
      kRequired, [&](Column column) { return seen[static_cast<std::size_t>(column)]; });
  return found + 1 >= static_cast<std::ptrdiff_t>(kRequired.size());
}

PlanResult read_lifetime_csv(std::string_view text, const std::string& path) {
  return TableReader{text, path}.read();
}

}  // namespace memsize::readers
