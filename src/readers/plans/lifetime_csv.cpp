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

/// Counts errors: a table that is wrong in many rows is left after some of them.
class TableProblems : public PlanProblems {
 public:
  using PlanProblems::PlanProblems;

  void fail(Code code, PlanPlace place, std::string message, std::string hint = {}) {
    ++errors_;
    error(code, place, std::move(message), std::move(hint));
  }

  /// What another member gave, which has told an error where there is nothing.
  template <typename Checked>
  Checked counted(Checked checked) {
    errors_ += checked ? 0U : 1U;
    return checked;
  }

  [[nodiscard]] std::size_t errors() const { return errors_; }

 private:
  std::size_t errors_ = 0;
};

PlanPlace place_of(const Field& field) {
  return {field.line, field.column};
}

std::string shown_cell(const Field& field) {
  return core::printable(field.text, kLongestShown);
}

std::string shown_id(const model::PlannedBlock& block) {
  return fmt::format("'{}'", core::printable(block.id, kLongestShown));
}

bool good_quotes(const Rows& rows, TableProblems& problems) {
  if (rows.broken() == nullptr) {
    return true;
  }
  problems.fail(Code::kPlanSyntax,
                place_of(*rows.broken()),
                "the quote that opens here does not end with its field",
                "a quote inside quotes is written twice");
  return false;
}

void warn_of_unknown(const Field& field, TableProblems& problems) {
  const std::vector<std::string> names = core::texts_of(kColumns, &ColumnName::name);
  const std::string guess = core::did_you_mean(field.text, names);
  problems.warn(Code::kPlanSyntax,
                place_of(field),
                fmt::format("the column '{}' says nothing to memsize", shown_cell(field)),
                guess.empty() ? "it is left out" : guess);
}

// The name in "did you mean 'x'?".
std::string quoted_part(const std::string& sentence) {
  const std::size_t first = sentence.find('\'');
  const std::size_t last = sentence.rfind('\'');
  return first == last ? sentence : sentence.substr(first + 1, last - first - 1);
}

struct TableHead {
  std::vector<Column> columns;
  /// The last step is inside, by the name of its column.
  bool inclusive = false;
};

// Good where no error is told.
TableHead read_head(Rows& rows, TableProblems& problems) {
  TableHead head;
  if (!rows.next()) {
    problems.fail(Code::kPlanSyntax,
                  {},
                  "there is no line in the table",
                  "its first line is: id,lower,upper,size");
    return head;
  }
  if (!good_quotes(rows, problems)) {
    return head;
  }
  std::vector<std::string> unknown;
  std::array<bool, static_cast<std::size_t>(Column::kIgnored)> seen{};
  for (const Field& field : rows.fields()) {
    const ColumnName* const known = column_named(field.text);
    const Column column = known == nullptr ? Column::kIgnored : known->column;
    head.columns.push_back(column);
    if (known == nullptr) {
      warn_of_unknown(field, problems);
      unknown.push_back(shown_cell(field));
    } else if (column != Column::kIgnored) {
      if (std::exchange(seen[static_cast<std::size_t>(column)], true)) {
        problems.fail(Code::kPlanSyntax,
                      place_of(field),
                      fmt::format("there is a second column for '{}'", name_of(column)),
                      "each column has a name of its own");
      }
      head.inclusive = head.inclusive || known->inclusive;
    }
  }
  for (const Column column : kRequired) {
    if (!seen[static_cast<std::size_t>(column)]) {
      const std::string guess = core::did_you_mean(name_of(column), unknown);
      problems.fail(Code::kPlanSyntax,
                    {rows.line(), 0},
                    fmt::format("the table has no column '{}'", name_of(column)),
                    guess.empty() ? "its first line names the columns: id,lower,upper,size"
                                  : fmt::format("the column '{}' is to be called '{}'",
                                                quoted_part(guess),
                                                name_of(column)));
    }
  }
  return head;
}

template <typename Number>
std::errc whole_cell(std::string_view text, Number& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  return stop == end ? failure : std::errc::invalid_argument;
}

std::string_view words_in(const Field& field, TableProblems& problems) {
  if (!core::is_utf8(field.text)) {
    problems.fail(Code::kPlanSyntax,
                  place_of(field),
                  fmt::format("'{}' is no text", shown_cell(field)),
                  "texts are UTF-8");
  }
  return field.text;
}

std::optional<model::Lifetime> role_in(const Field& field, TableProblems& problems) {
  const auto role = role_named(field.text);
  if (!role) {
    problems.fail(Code::kPlanSyntax,
                  place_of(field),
                  fmt::format("'{}' is no role", shown_cell(field)),
                  "the roles are: scratch, persistent, constant");
  }
  return role;
}

bool flag_in(const Field& field, TableProblems& problems) {
  if (field.text == "1" || field.text == "true") {
    return true;
  }
  if (field.text != "0" && field.text != "false") {
    problems.fail(Code::kPlanSyntax,
                  place_of(field),
                  fmt::format("'{}' is neither true nor false", shown_cell(field)),
                  "write true or false, 1 or 0");
  }
  return false;
}

std::optional<std::uint64_t> number_in(const Field& field,
                                       std::string_view what,
                                       TableProblems& problems) {
  std::uint64_t value = 0;
  if (whole_cell(field.text, value) == std::errc{}) {
    return value;
  }
  const PlanPlace place = place_of(field);
  const std::string shown = shown_cell(field);
  const bool digits = !field.text.empty() &&
                      field.text.find_first_not_of("0123456789", field.text[0] == '-' ? 1 : 0) ==
                          std::string_view::npos;
  if (digits && field.text.size() > 1 && field.text[0] == '-') {
    problems.fail(Code::kPlanSize,
                  place,
                  fmt::format("the {} {} is negative", what, shown),
                  what == "offset" ? "leave the offset of what is not planned empty"
                                   : "it is a whole number from 0");
  } else if (digits) {
    problems.fail(Code::kPlanSize,
                  place,
                  fmt::format("the {} {} is more than any memory has", what, shown),
                  "sizes and offsets of plans go up to 2^62 B");
  } else if (field.text.empty()) {
    problems.fail(
        Code::kPlanSyntax, place, fmt::format("the {} is missing", what), "each row has one");
  } else {
    problems.fail(Code::kPlanSyntax,
                  place,
                  fmt::format("the {} '{}' is no whole number", what, shown),
                  "numbers are decimal digits without a unit");
  }
  return std::nullopt;
}

std::optional<core::Bytes> bytes_in(const Field& field,
                                    std::string_view what,
                                    TableProblems& problems) {
  const auto value = number_in(field, what, problems);
  if (!value || core::Bytes{*value} <= model::kLargestPlan) {
    return value ? std::optional{core::Bytes{*value}} : std::nullopt;
  }
  return problems.counted(problems.size(*value, place_of(field), what));
}

std::optional<core::Align> alignment_in(const Field& field, TableProblems& problems) {
  const auto value = number_in(field, "alignment", problems);
  const auto alignment = value ? core::Align::make(*value) : std::nullopt;
  return !value || alignment
             ? alignment
             : problems.counted(problems.alignment(*value, place_of(field), "alignment"));
}

std::optional<std::int64_t> step_in(const Field& field,
                                    std::string_view what,
                                    TableProblems& problems) {
  std::int64_t value = 0;
  const std::errc failure = whole_cell(field.text, value);
  if (failure == std::errc{}) {
    return value;
  }
  const PlanPlace place = place_of(field);
  if (field.text.empty()) {
    problems.fail(Code::kPlanLifetime,
                  place,
                  fmt::format("the step '{}' is missing", what),
                  "a buffer lives from the beginning of step lower to the beginning of step upper");
  } else if (failure == std::errc::result_out_of_range) {
    problems.fail(Code::kPlanLifetime,
                  place,
                  fmt::format("the step {} is beyond any step of a network", shown_cell(field)),
                  "steps go from -2^40 to 2^40");
  } else {
    problems.fail(Code::kPlanSyntax,
                  place,
                  fmt::format("the step '{}' is no whole number", shown_cell(field)),
                  "steps are decimal digits");
  }
  return std::nullopt;
}

/// A row, and the cells of it that say something only together.
struct TableRow {
  model::PlannedBlock block;
  Field lower;
  Field upper;
  Field gaps;
};

void take_cell(const Field& field, Column column, TableRow& row, TableProblems& problems) {
  if (field.text.empty() && !core::contains(kRequired, column)) {
    return;
  }
  model::PlannedBlock& block = row.block;
  switch (column) {
    case Column::kId:
      block.id = words_in(field, problems);
      if (field.text.empty()) {
        problems.fail(
            Code::kPlanSyntax, place_of(field), "this row has no id", "each buffer needs one");
      }
      break;
    case Column::kLower:
      row.lower = field;
      break;
    case Column::kUpper:
      row.upper = field;
      break;
    case Column::kSize:
      block.size = bytes_in(field, "size", problems).value_or(core::Bytes{});
      break;
    case Column::kOffset:
      block.offset = bytes_in(field, "offset", problems);
      break;
    case Column::kAlignment:
      block.alignment = alignment_in(field, problems);
      break;
    case Column::kMemory:
      block.memory = memory_name(words_in(field, problems));
      break;
    case Column::kRole:
      block.role = role_in(field, problems).value_or(block.role);
      break;
    case Column::kSource:
      block.source_memory = memory_name(words_in(field, problems));
      break;
    case Column::kName:
      block.name = words_in(field, problems);
      break;
    case Column::kAliasOf:
      block.alias_of = words_in(field, problems);
      break;
    case Column::kInput:
      block.is_input = flag_in(field, problems);
      break;
    case Column::kOutput:
      block.is_output = flag_in(field, problems);
      break;
    case Column::kUses:
      block.uses = number_in(field, "uses", problems);
      break;
    case Column::kGaps:
      row.gaps = field;
      break;
    case Column::kIgnored:
      break;
  }
}

std::optional<model::Interval> lifetime_of(const TableRow& row,
                                           bool inclusive,
                                           TableProblems& problems) {
  // What lives all the time, or nobody knows when.
  if (row.lower.text.empty() && row.upper.text.empty()) {
    return std::nullopt;
  }
  const auto lower = step_in(row.lower, "lower", problems);
  const auto upper = step_in(row.upper, "upper", problems);
  if (!lower || !upper) {
    return std::nullopt;
  }
  const bool plain = *lower >= -model::kLastStep && *upper <= model::kLastStep && *lower < *upper;
  if (plain && !inclusive) {
    return model::Interval{*lower, *upper};
  }
  return problems.counted(problems.lifetime(*lower,
                                            *upper,
                                            inclusive ? LastStep::kInside : LastStep::kFirstAfter,
                                            place_of(row.lower),
                                            shown_id(row.block)));
}

struct Gap {
  model::Window window;
  bool has_bytes = false;
  Field field;
};

// "3-6" or "3-6@0:2".
std::optional<Gap> gap_in(const Field& field,
                          const model::PlannedBlock& block,
                          bool inclusive,
                          TableProblems& problems) {
  const auto wrong = [&](std::string_view why, const char* hint) -> std::optional<Gap> {
    problems.fail(Code::kPlanLifetime,
                  place_of(field),
                  fmt::format("the gap '{}' of {} {}", shown_cell(field), shown_id(block), why),
                  hint);
    return std::nullopt;
  };
  const auto is_whole = [](std::string_view text, auto& value) {
    return whole_cell(text, value) == std::errc{};
  };
  Gap gap{.field = field};
  model::Interval& live = gap.window.live;
  const std::size_t at = std::min(field.text.find('@'), field.text.size());
  // A step may be negative.
  const std::size_t dash = field.text.find('-', 1);
  const std::string_view bytes = field.text.substr(std::min(at + 1, field.text.size()));
  const std::size_t colon = std::min(bytes.find(':'), bytes.size());
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  gap.has_bytes = at != field.text.size();
  const bool is_gap =
      dash < at && is_whole(field.text.substr(0, dash), live.lower) &&
      is_whole(field.text.substr(dash + 1, at - dash - 1), live.upper) &&
      (!gap.has_bytes || (colon != bytes.size() && is_whole(bytes.substr(0, colon), begin) &&
                          is_whole(bytes.substr(colon + 1), end)));
  if (!is_gap) {
    return wrong("is none", "write steps, then bytes if some are needed: 3-6 or 3-6@0:2");
  }
  if (live.upper < model::kLastStep && inclusive) {
    ++live.upper;
  }
  if (!block.live || live.lower >= live.upper || live.lower < block.live->lower ||
      live.upper > block.live->upper) {
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

// By their first steps; none where one of them is wrong.
std::vector<Gap> gaps_in(const TableRow& row, bool inclusive, TableProblems& problems) {
  const Field& cell = row.gaps;
  std::vector<Gap> gaps;
  for (std::size_t at = 0; at < cell.text.size(); ++at) {
    const std::size_t end = std::min(cell.text.find(' ', at), cell.text.size());
    if (end != at) {
      // A text that was quoted has no columns of its own.
      const Field field{cell.text.substr(at, end - at), cell.line, cell.column + at};
      const auto gap = gap_in(field, row.block, inclusive, problems);
      if (!gap) {
        return {};
      }
      gaps.push_back(*gap);
    }
    at = end;
  }
  if (gaps.size() > model::kMostWindows) {
    problems.fail(Code::kPlanLifetime,
                  place_of(cell),
                  fmt::format("{} has {}", shown_id(row.block), core::plural(gaps.size(), "gap")),
                  fmt::format("a buffer has at most {}", model::kMostWindows));
    return {};
  }
  std::ranges::stable_sort(gaps, {}, [](const Gap& gap) { return gap.window.live.lower; });
  return gaps;
}

// What the block needs between the gaps and in them.
std::vector<model::Window> windows_between(const std::vector<Gap>& gaps,
                                           const model::PlannedBlock& block,
                                           TableProblems& problems) {
  std::vector<model::Window> windows;
  std::int64_t next = block.live->lower;
  bool has_bytes = true;
  for (const Gap& gap : gaps) {
    const model::Interval& live = gap.window.live;
    if (live.lower < next && !(has_bytes && gap.has_bytes)) {
      problems.fail(Code::kPlanLifetime,
                    place_of(gap.field),
                    fmt::format("the gap '{}' of {} begins before the one before it has ended",
                                shown_cell(gap.field),
                                shown_id(block)),
                    "gaps that share a step each say which bytes are needed: 3-6@0:2");
      return {};
    }
    if (next < live.lower) {
      windows.push_back({{next, live.lower}, {}, block.size});
    }
    windows.push_back(gap.window);
    has_bytes = live.upper > next ? gap.has_bytes : has_bytes && gap.has_bytes;
    next = std::max(next, live.upper);
  }
  if (next < block.live->upper) {
    windows.push_back({{next, block.live->upper}, {}, block.size});
  }
  return model::united(windows);
}

// The row's block; nothing: an error says why. `total` is what the rows come to.
std::optional<model::PlannedBlock> read_row(const Rows& rows,
                                            const TableHead& head,
                                            core::Bytes& total,
                                            TableProblems& problems) {
  const auto& fields = rows.fields();
  const PlanPlace place{rows.line(), 0};
  if (!good_quotes(rows, problems)) {
    return std::nullopt;
  }
  if (fields.size() != head.columns.size()) {
    const bool more = fields.size() > head.columns.size();
    problems.fail(Code::kPlanSyntax,
                  more ? place_of(fields[head.columns.size()]) : place,
                  fmt::format("this row has {} where the first line names {}",
                              core::plural(fields.size(), "field"),
                              core::plural(head.columns.size(), "column")),
                  "write a text that has a comma in quotes");
    return std::nullopt;
  }
  TableRow row{.block = {.memory = "default", .line = place.line}};
  model::PlannedBlock& block = row.block;
  const auto is_good = [&problems, before = problems.errors()] {
    return problems.errors() == before;
  };
  for (std::size_t i = 0; i < fields.size(); ++i) {
    take_cell(fields[i], head.columns[i], row, problems);
  }
  // What is read where it lies has no source.
  if (block.source_memory == block.memory) {
    block.source_memory.clear();
  }
  block.live = lifetime_of(row, head.inclusive, problems);
  if (!row.gaps.text.empty() && is_good()) {
    const std::vector<Gap> gaps = gaps_in(row, head.inclusive, problems);
    if (is_good() && block.live) {
      block.windows = windows_between(gaps, block, problems);
    }
  }
  if (block.offset && *block.offset + block.size > model::kLargestPlan && is_good()) {
    problems.counted(problems.ends_in_plan(*block.offset, block.size, place, shown_id(block)));
  }
  total += block.size;
  if (is_good()) {
    problems.counted(problems.adds_up(total, place, "this row"));
  }
  return is_good() ? std::optional{std::move(block)} : std::nullopt;
}

void find_duplicates(const std::vector<model::PlannedBlock>& blocks, TableProblems& problems) {
  for (const auto& [second, first] : model::order_by_id(blocks).repeated) {
    if (problems.errors() == kMostErrors) {
      return;
    }
    problems.fail(Code::kPlanDuplicate,
                  {blocks[second].line, 0},
                  fmt::format("{} stands here again; it is in line {}, too",
                              shown_id(blocks[second]),
                              blocks[first].line),
                  "each buffer needs an id of its own");
  }
}

void read_rows(Rows& rows,
               const TableHead& head,
               TableProblems& problems,
               std::vector<model::PlannedBlock>& blocks) {
  core::Bytes total;
  while (problems.errors() < kMostErrors && rows.next()) {
    if (blocks.size() == kMostPlanBlocks) {
      return problems.too_many({rows.line(), 0});
    }
    if (auto block = read_row(rows, head, total, problems)) {
      blocks.push_back(std::move(*block));
    }
  }
  find_duplicates(blocks, problems);
  if (blocks.empty() && problems.errors() == 0) {
    problems.fail(Code::kPlanSyntax, {1, 0}, "the table has no rows", "write one row a buffer");
  }
}

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
  model::PlanReport report;
  report.path = path;
  report.has_alignments = true;
  report.lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) +
                 (text.empty() || text.back() == '\n' ? 0 : 1);
  report.blocks.reserve(std::min(report.lines, kMostReserved));
  TableProblems problems{path};
  Rows rows{text};
  const TableHead head = read_head(rows, problems);
  if (problems.errors() == 0) {
    read_rows(rows, head, problems, report.blocks);
  }
  PlanResult result = problems.finish(std::move(report));
  core::add_text(result ? result->diagnostics : result.error(), path, text);
  return result;
}

}  // namespace memsize::readers
