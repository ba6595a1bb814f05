// What readers of printed plans share: a console's text line by line, and numbers in a line that
// may have anything before what a tool printed.
#pragma once

#include "plan_problems.hpp"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace memsize::readers {

/// Hands out lines without their ends and without a terminal's escape sequences.
class PlanLines {
 public:
  explicit PlanLines(std::string_view text) : text_(text) {}

  /// False: there are no more.
  [[nodiscard]] bool next();

  /// Good until the next call of next().
  [[nodiscard]] std::string_view line() const { return line_; }

  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::string_view line_;
  std::string cleaned_;
  std::size_t number_ = 0;
};

/// Takes a line apart from left to right. What does not follow as expected fails the scan, and
/// everything after it; ok() tells at the end.
class LineScan {
 public:
  explicit LineScan(std::string_view line) : line_(line) {}

  /// Moves behind the next `text`, wherever it is.
  LineScan& find(std::string_view text);
  /// Takes `text`; a blank in it stands for any number of blanks, none too.
  LineScan& take(std::string_view text);
  /// Numbers end where a blank or punctuation follows: "36B64" is none.
  LineScan& whole(std::uint64_t& value);
  LineScan& step(std::int64_t& value);
  /// Digits with or without 0x before them.
  LineScan& hex(std::uint64_t& value);
  /// Up to the next `stop`, without blanks around it; behind `stop`.
  LineScan& until(std::string_view stop, std::string_view& value);
  /// Nothing but blanks may follow.
  LineScan& end();
  /// Without blanks around it.
  LineScan& rest(std::string_view& value);

  [[nodiscard]] bool ok() const { return ok_; }

  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  template <typename Number>
  LineScan& number(Number& value, int base);

  void skip_blanks();

  std::string_view line_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

/// How many of these pieces of a row the line has. A row with one damaged byte has all but one or
/// two: who counts them tells a damaged row from somebody else's line.
[[nodiscard]] std::size_t pieces_in(std::string_view line,
                                    std::initializer_list<std::string_view> pieces);

/// A plan that is put together line by line. Sizes, lifetimes and ids are checked as they come.
class PlanText : public PlanProblems {
 public:
  PlanText(std::string_view text, const std::string& path)
      : PlanProblems(path), path_(path), text_(text) {}

  /// An error: the line looks like a row of what `row` names, and cannot be read.
  void damaged(std::size_t line, std::string_view row);

  /// Adds the block; its id gets "#2", "#3" where others have the same. False: no plan can have it,
  /// and an error says so.
  bool add(model::PlannedBlock block);

  /// The memory of that name, made where there is none yet.
  model::PlannedMemory& memory(const std::string& name, std::size_t line);
  /// The arena of that role in that memory, made where there is none yet.
  model::PlannedArena& arena(const std::string& name, model::Lifetime role, std::size_t line);

  [[nodiscard]] model::PlanReport& report() { return report_; }

  /// Whether anything was found.
  [[nodiscard]] bool empty() const;

  /// The report or the errors, each with the text of its line.
  [[nodiscard]] PlanResult done();

 private:
  std::string path_;
  std::string_view text_;
  model::PlanReport report_;
  // How often an id was asked for, and which ones there are.
  std::unordered_map<std::string, std::size_t> times_;
  std::unordered_set<std::string> ids_;
  std::map<std::string, std::size_t> memories_;
  std::map<std::pair<std::string, model::Lifetime>, std::size_t> arenas_;
  core::Bytes total_;
};

}  // namespace memsize::readers
