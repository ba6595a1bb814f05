// Goes through a source directive by directive and blanks out what is not compiled. A condition
// that only a build decides stays with the lines under it. Macros has the values of names.
#include "c_source.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v' || c == '\\';
}

// The words of a piece of text with one blank between those that had any.
std::string squeezed(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (!is_blank(c)) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  return std::string{core::trim(result)};
}

// The condition of an #if, with names that may be open: nothing where it depends on one.
class Condition {
 public:
  using Known = std::function<std::optional<bool>(const std::string&)>;

  Condition(const std::string& text, const Known& is_defined, const core::CNames& values)
      : cursor_("", text, Code::kVerifyParse, unused_, core::Words::kC),
        is_defined_(is_defined),
        values_(values) {}

  std::optional<bool> run() {
    const Truth truth = either(0);
    const bool whole = cursor_.done() && unused_.empty() && !failed_;
    return whole && truth ? std::optional{*truth != 0} : std::nullopt;
  }

 private:
  using Truth = std::optional<std::uint64_t>;

  static constexpr unsigned kDeepest = 16;

  bool take_twice(std::string_view symbol) {
    if (cursor_.peek() != symbol || cursor_.peek(1) != symbol) {
      return false;
    }
    cursor_.take();
    cursor_.take();
    return true;
  }

  Truth either(unsigned depth) {
    Truth left = both(depth);
    while (take_twice("|")) {
      const Truth right = both(depth);
      left = left && right            ? Truth{(*left | *right) != 0 ? 1U : 0U}
             : left.value_or(0) != 0  ? Truth{1}
             : right.value_or(0) != 0 ? Truth{1}
                                      : std::nullopt;
    }
    return left;
  }

  Truth both(unsigned depth) {
    Truth left = single(depth);
    while (take_twice("&")) {
      const Truth right = single(depth);
      left = left && right            ? Truth{*left != 0 && *right != 0 ? 1U : 0U}
             : left.value_or(1) == 0  ? Truth{0}
             : right.value_or(1) == 0 ? Truth{0}
                                      : std::nullopt;
    }
    return left;
  }

  Truth single(unsigned depth) {
    if (depth == kDeepest) {
      failed_ = true;
      return std::nullopt;
    }
    if (cursor_.peek() == "!") {
      cursor_.take();
      const Truth truth = single(depth + 1);
      return truth ? Truth{*truth == 0 ? 1U : 0U} : std::nullopt;
    }
    if (cursor_.peek() == "(") {
      cursor_.take();
      const Truth truth = either(depth + 1);
      cursor_.expect(")");
      return truth;
    }
    if (cursor_.peek() == "defined") {
      cursor_.take();
      const bool bracket = cursor_.peek() == "(";
      if (bracket) {
        cursor_.take();
      }
      const std::optional<bool> defined = is_defined_(cursor_.take());
      failed_ = failed_ || (bracket && !cursor_.expect(")"));
      return defined ? Truth{*defined ? 1U : 0U} : std::nullopt;
    }
    return operand();
  }

  Truth operand() {
    const std::string word{cursor_.peek()};
    if (!core::is_identifier(word)) {
      return cursor_.number();
    }
    cursor_.take();
    const std::optional<bool> defined = is_defined_(word);
    return !defined ? std::nullopt : *defined ? values_(word) : Truth{0};
  }

  core::Diagnostics unused_;
  core::Cursor cursor_;
  const Known& is_defined_;
  const core::CNames& values_;
  bool failed_ = false;
};

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    char& c = text[i];
    c = c == '\n' || c == '\r' || c == '\t' ? c : ' ';
  }
}

core::Place place_at(const std::string& path,
                     std::string_view text,
                     std::size_t at,
                     std::size_t length) {
  core::Place place{path};
  const std::string_view before = text.substr(0, at);
  place.line = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::size_t newline = before.rfind('\n');
  place.column = newline == std::string_view::npos ? at + 1 : at - newline;
  place.length = length;
  return place;
}

std::size_t behind_literal(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin + 1; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == text[begin]) {
      return at + 1;
    }
    at += text[at] == '\\' ? 1U : 0U;
  }
  return begin + 1;
}

// A literal ends with its line at the latest; one that is not closed is left alone, because the
// text of an #error or of a branch that is not compiled may have an apostrophe.
void blank_comments(const std::string& path, std::string& text, core::Diagnostics& errors) {
  for (std::size_t at = 0; at < text.size();) {
    const char next = text[at] == '/' && at + 1 < text.size() ? text[at + 1] : '\0';
    if (next == '*') {
      const std::size_t end = text.find("*/", at + 2);
      if (end == std::string::npos) {
        errors.push_back(core::error(
            Code::kVerifyParse, "this comment is not closed", place_at(path, text, at, 2)));
      }
      const std::size_t behind = end == std::string::npos ? text.size() : end + 2;
      blank(text, at, behind);
      at = behind;
    } else if (next == '/') {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      blank(text, at, end);
      at = end;
    } else if (text[at] == '"' || text[at] == '\'') {
      at = behind_literal(text, at);
    } else {
      ++at;
    }
  }
}

// What is open of an #if: one of its branches.
struct Branch {
  /// The conditions of the branches before, in their order.
  std::vector<std::string> before;
  /// This one's; empty after #else.
  std::string text;
  std::optional<bool> holds;
  /// A branch before holds for certain.
  bool is_decided = false;
  core::Place place;
};

bool is_kept(const std::vector<Branch>& branches) {
  return std::ranges::none_of(branches, [](const Branch& branch) {
    return branch.is_decided || !branch.holds.value_or(true);
  });
}

Conditions open_conditions(const std::vector<Branch>& branches) {
  Conditions conditions;
  for (const Branch& branch : branches) {
    std::vector<std::string> parts =
        core::texts_of(branch.before, [&](const std::string& text) { return "!(" + text + ")"; });
    if (!branch.text.empty() && !branch.holds) {
      parts.push_back(branch.text);
    }
    if (!parts.empty()) {
      conditions.push_back(core::join(parts, " && "));
    }
  }
  return conditions;
}

// The names that a build defines, and those that a source does so far.
class Names {
 public:
  explicit Names(const BuildFlags& flags) : flags_(flags) {}

  /// What one of the source's directives makes of a name: whether it is defined then, and its body
  /// where that is a number.
  struct Own {
    std::optional<bool> defined;
    std::optional<std::uint64_t> number = {};
  };

  void set(const std::string& name, Own own) { own_.insert_or_assign(name, own); }

  // Whether the condition of an #if holds; nothing where a name in it is open.
  [[nodiscard]] std::optional<bool> holds(const std::string& text) const {
    const Condition::Known is_defined = [this](const std::string& name) { return defined(name); };
    const core::CNames values = [this](const std::string& name) { return number(name); };
    return Condition{text, is_defined, values}.run();
  }

 private:
  [[nodiscard]] std::optional<bool> defined(const std::string& name) const {
    if (const Own* own = core::value_in(own_, name)) {
      return own->defined;
    }
    if (flags_.defined.contains(name)) {
      return true;
    }
    const bool in_family = std::ranges::any_of(
        flags_.families, [&](const std::string& beginning) { return name.starts_with(beginning); });
    return in_family || flags_.undefined.contains(name) || name == "__cplusplus"
               ? std::optional{false}
               : std::nullopt;
  }

  // Of a macro of this file whose body is a number.
  [[nodiscard]] std::optional<std::uint64_t> number(const std::string& name) const {
    const Own* own = core::value_in(own_, name);
    return own == nullptr ? std::nullopt : own->number;
  }

  const BuildFlags& flags_;
  std::map<std::string, Own> own_;
};

bool continues(std::string_view text, std::size_t begin, std::size_t end) {
  const std::size_t last = end > begin && text[end - 1] == '\r' ? end - 1 : end;
  return last > begin && text[last - 1] == '\\';
}

// Whether the line behind `end` defines the name, as that of an include guard does.
bool defines_next(std::string_view text, std::size_t end, const std::string& name) {
  const std::string_view rest = core::trim(text.substr(std::min(end, text.size())));
  const std::string line = squeezed(rest.substr(0, rest.find('\n')));
  return line == "#define " + name;
}

struct Preprocessed {
  std::string text;
  std::vector<Define> defines;
  /// Each with the first line that it holds for.
  std::map<std::size_t, Conditions> conditions = {{0, {}}};
};

// Goes through a source once, directive by directive.
class Preprocessor {
 public:
  Preprocessor(const std::string& path,
               std::string content,
               const BuildFlags& flags,
               core::Diagnostics& errors)
      : path_(path), names_(flags), errors_(errors), made_{.text = std::move(content)} {}

  Preprocessed run() {
    blank_comments(path_, made_.text, errors_);
    std::string& text = made_.text;
    std::size_t line = 1;
    for (std::size_t at = 0; at < text.size(); ++line) {
      std::size_t end = std::min(text.find('\n', at), text.size());
      const std::size_t first = text.find_first_not_of(" \t", at);
      const bool is_directive = first != std::string::npos && first < end && text[first] == '#';
      const std::size_t first_line = line;
      while (is_directive && continues(text, at, end) && end < text.size()) {
        end = std::min(text.find('\n', end + 1), text.size());
        ++line;
      }
      if (is_directive) {
        const std::size_t before = changes_;
        directive(first, end, first_line, first - at + 1);
        if (changes_ != before) {
          made_.conditions.insert_or_assign(line + 1, open_conditions(branches_));
        }
        if (is_lost_) {
          return std::move(made_);
        }
      }
      if (is_directive || !is_kept(branches_)) {
        blank(text, at, end);
      }
      at = end + 1;
    }
    for (const Branch& branch : branches_) {
      wrong("this condition has no #endif", branch.place);
    }
    return std::move(made_);
  }

 private:
  static constexpr std::size_t kDeepest = 32;
  static constexpr std::size_t kLongest = 500;
  static constexpr std::size_t kMostBranches = 64;

  void directive(std::size_t begin, std::size_t end, std::size_t line, std::size_t column) {
    const std::string_view whole = std::string_view{made_.text}.substr(begin, end - begin);
    std::size_t at = 1;
    while (at < whole.size() && is_blank(whole[at])) {
      ++at;
    }
    std::size_t behind = at;
    while (behind < whole.size() && std::isalpha(static_cast<unsigned char>(whole[behind])) != 0) {
      ++behind;
    }
    const std::string_view word = whole.substr(at, behind - at);
    const std::string_view rest = whole.substr(behind);
    const core::Place place{
        path_, line, column, std::min(whole.find_first_of("\r\n"), whole.size())};
    if (word == "if" || word == "ifdef" || word == "ifndef") {
      open(word, squeezed(rest), end, place);
    } else if (word == "elif" || word == "else" || word == "endif") {
      next(word, squeezed(rest), place);
    } else if (word == "define" && is_kept(branches_)) {
      define(whole, behind, place);
    } else if (word == "undef" && is_kept(branches_)) {
      names_.set(squeezed(rest),
                 {open_conditions(branches_).empty() ? std::optional{false} : std::nullopt});
    }
  }

  void open(std::string_view word,
            const std::string& rest,
            std::size_t end,
            const core::Place& place) {
    if (branches_.size() == kDeepest || rest.size() > kLongest) {
      give_up("conditions are too deep or too long from here on", place);
      return;
    }
    ++changes_;
    Branch branch{.place = place};
    branch.text = word == "if" ? rest : (word == "ifdef" ? "defined(" : "!defined(") + rest + ")";
    const bool guard = word == "ifndef" && defines_next(made_.text, end, rest);
    branch.holds = guard ? std::optional{true} : names_.holds(branch.text);
    branches_.push_back(std::move(branch));
  }

  void wrong(const std::string& what, const core::Place& place) {
    errors_.push_back(core::error(Code::kVerifyParse, what, place));
  }

  void give_up(const std::string& what, const core::Place& place) {
    wrong(what, place);
    is_lost_ = true;
    branches_.clear();
  }

  void next(std::string_view word, const std::string& rest, const core::Place& place) {
    if (branches_.empty()) {
      return wrong(fmt::format("this #{} has no #if", word), place);
    }
    ++changes_;
    if (word == "endif") {
      branches_.pop_back();
      return;
    }
    Branch& branch = branches_.back();
    if (branch.before.size() == kMostBranches || rest.size() > kLongest) {
      give_up("this condition has too many branches, or too long ones", place);
      return;
    }
    if (branch.text.empty()) {
      return wrong(fmt::format("this #{} comes behind an #else", word), place);
    }
    branch.is_decided = branch.is_decided || branch.holds.value_or(false);
    if (!branch.holds) {
      branch.before.push_back(branch.text);
    }
    branch.text = word == "else" ? "" : rest;
    branch.holds = word == "else" ? std::optional{true} : names_.holds(rest);
  }

  // The `whole` directive begins at `place`; its name comes `behind` so many characters.
  void define(std::string_view whole, std::size_t behind, const core::Place& place) {
    const std::string_view rest = whole.substr(behind);
    std::size_t begin = 0;
    while (begin < rest.size() && is_blank(rest[begin])) {
      ++begin;
    }
    std::size_t end = begin;
    while (end < rest.size() &&
           (std::isalnum(static_cast<unsigned char>(rest[end])) != 0 || rest[end] == '_')) {
      ++end;
    }
    const std::string name{rest.substr(begin, end - begin)};
    if (!core::is_identifier(name)) {
      return wrong("a #define without a name", place);
    }
    Define define{
        .name = name, .body = squeezed(rest.substr(end)), .conditions = open_conditions(branches_)};
    define.place = place;
    const std::string_view before = whole.substr(0, behind + begin);
    const std::size_t newline = before.rfind('\n');
    define.place.line += static_cast<std::size_t>(std::ranges::count(before, '\n'));
    define.place.column =
        newline == std::string_view::npos ? place.column + before.size() : before.size() - newline;
    define.place.length = name.size();
    const bool has_parameters = end < rest.size() && rest[end] == '(';
    names_.set(name,
               {define.conditions.empty() ? std::optional{true} : std::nullopt,
                has_parameters ? std::nullopt : Macros::number_in(define.body)});
    if (!has_parameters) {
      made_.defines.push_back(std::move(define));
    }
  }

  const std::string& path_;
  Names names_;
  core::Diagnostics& errors_;
  Preprocessed made_;
  std::vector<Branch> branches_;
  // Counts what may change the open conditions.
  std::size_t changes_ = 0;
  bool is_lost_ = false;
};

}  // namespace

CSource::CSource(const emit::MapFile& file,
                 const std::string& root,
                 const BuildFlags& flags,
                 core::Diagnostics& errors)
    : path_(file.path_under(root)) {
  Preprocessed made = Preprocessor{path_, file.content, flags, errors}.run();
  text_ = std::move(made.text);
  defines_ = std::move(made.defines);
  conditions_ = std::move(made.conditions);
}

const Conditions& CSource::conditions(std::size_t line) const {
  return std::prev(conditions_.upper_bound(line))->second;
}

core::Cursor CSource::cursor(core::Diagnostics& errors) const {
  return {path_, text_, Code::kVerifyParse, errors, core::Words::kC};
}

std::string joined(const Conditions& conditions) {
  return core::join(conditions, " && ");
}

bool covers(const Conditions& outer, const Conditions& inner) {
  return outer.size() <= inner.size() && std::equal(outer.begin(), outer.end(), inner.begin());
}

Macros::Macros(const emit::Constants& constants) {
  for (const auto& [name, value] : constants) {
    bodies_.emplace(name, Body{core::format_hex(value), false});
  }
}

void Macros::add(const CSource& source) {
  values_.clear();
  for (const Define& define : source.defines()) {
    const auto [known, fresh] = bodies_.try_emplace(define.name, Body{define.body, false});
    if (!fresh && known->second.text != define.body) {
      const auto before = number_in(known->second.text);
      known->second.is_ambiguous =
          known->second.is_ambiguous || !before || before != number_in(define.body);
    }
  }
}

std::optional<std::uint64_t> Macros::number_in(const std::string& body) {
  return core::c_constant(body, true);
}

std::string Macros::last_name(std::string name) const {
  for (unsigned depth = 0; depth < kDeepest; ++depth) {
    const auto found = bodies_.find(name);
    std::string_view body = found == bodies_.end() ? std::string_view{} : found->second.text;
    while (body.starts_with('(') && body.ends_with(')')) {
      body = core::trim(body.substr(1, body.size() - 2));
    }
    if (!bodies_.contains(std::string{body})) {
      break;
    }
    name = body;
  }
  return name;
}

std::optional<std::uint64_t> Macros::value(const std::string& name) const {
  if (const auto known = values_.find(name); known != values_.end()) {
    return known->second;
  }
  if (depth_ == kDeepest) {
    return std::nullopt;
  }
  // A name that stands for itself has none.
  values_.emplace(name, std::nullopt);
  ++depth_;
  const std::optional<std::uint64_t> value = evaluated(name);
  --depth_;
  values_.insert_or_assign(name, value);
  return value;
}

std::optional<std::uint64_t> Macros::evaluated(const std::string& name) const {
  const auto found = bodies_.find(name);
  if (found == bodies_.end() || found->second.is_ambiguous) {
    return std::nullopt;
  }
  core::Diagnostics unused;
  core::Cursor cursor{"", found->second.text, Code::kVerifyParse, unused, core::Words::kC};
  const auto value = core::c_expression(cursor, rules());
  return value && cursor.done() ? value : std::nullopt;
}

BuildFlags Macros::with_names(BuildFlags flags) const {
  for (const auto& [name, body] : bodies_) {
    flags.defined.insert(name);
  }
  return flags;
}

core::CExpressionRules Macros::rules() const {
  core::CExpressionRules rules;
  rules.names = [this](const std::string& name) { return value(name); };
  rules.narrow_types = true;
  return rules;
}

}  // namespace memsize::sdk
