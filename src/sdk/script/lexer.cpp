// Cuts a script into tokens, with indents and dedents. Columns are counted with wide and with
// narrow tabs: indentation whose depth depends on the width is an error, as in Python.
#include "lexer.hpp"

#include "memsize/core/text.hpp"

#include "limits.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

constexpr std::size_t kTabWidth = 8;

// Longest first.
constexpr std::array<std::string_view, 47> kOperators = {
    "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==",
    "!=",  "->",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "@=", ":=",
    "+",   "-",   "*",   "/",   "%",   "@",  "&",  "|",  "^",  "~",  "<",  ">",
    "(",   ")",   "[",   "]",   "{",   "}",  ",",  ":",  ".",  ";",  "=",
};

bool is_python_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_python_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_word(char c) {
  return is_python_letter(c) || is_python_digit(c);
}

bool is_line_end(char c) {
  return c == '\n' || c == '\r';
}

char closing(char open) {
  switch (open) {
    case '(':
      return ')';
    case '[':
      return ']';
    default:
      return '}';
  }
}

bool is_string_prefix(std::string_view word) {
  const std::string lower = core::to_lower(word);
  constexpr std::array<std::string_view, 8> kPrefixes = {
      "r", "u", "b", "f", "br", "rb", "fr", "rf"};
  return std::ranges::find(kPrefixes, lower) != kPrefixes.end();
}

class Lexer {
 public:
  explicit Lexer(const ScriptSource& source)
      : source_(source), text_(source.text()), at_(source.begin()) {
    tokens_.list.reserve(text_.size() / 6 + 4);
  }

  Tokens run() {
    while (!tokens_.problem && step()) {
    }
    if (!tokens_.problem) {
      finish();
    }
    if (tokens_.problem) {
      add(TokenKind::kWrong, at_, at_);
    }
    return std::move(tokens_);
  }

 private:
  // A number of columns twice: with a tab that fills up to the next eighth column, and with one
  // that is a single column. Where both grow alike, it does not matter how wide a tab is.
  struct Indent {
    std::size_t columns = 0;
    std::size_t narrow = 0;
  };

  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void add(TokenKind kind, std::size_t begin, std::size_t end) {
    tokens_.list.push_back({kind, text_.substr(begin, end - begin)});
  }

  void wrong(std::string message, Span span, std::string hint = std::string{kBundledHint}) {
    tokens_.problem = source_.error(std::move(message), span, std::move(hint));
  }

  // One token, or the blanks and comments before one.
  bool step() {
    if (at_ >= text_.size()) {
      return false;
    }
    if (fresh_line_ && brackets_.empty()) {
      begin_line();
      return true;
    }
    const char c = peek();
    if (c == ' ' || c == '\t' || c == '\f') {
      ++at_;
    } else if (c == '#') {
      skip_comment();
    } else if (is_line_end(c)) {
      end_line();
    } else if (c == '\\') {
      join_line();
    } else {
      token(c);
    }
    return true;
  }

  void token(char c) {
    if (is_python_letter(c)) {
      word();
    } else if (is_python_digit(c) || (c == '.' && is_python_digit(peek(1)))) {
      number();
    } else if (c == '"' || c == '\'') {
      string(at_);
    } else {
      sign();
    }
  }

  void skip_comment() {
    while (at_ < text_.size() && !is_line_end(text_[at_])) {
      ++at_;
    }
  }

  void skip_line_end() { at_ += peek() == '\r' && peek(1) == '\n' ? 2U : 1U; }

  void end_line() {
    const std::size_t begin = at_;
    skip_line_end();
    if (brackets_.empty()) {
      add(TokenKind::kNewline, begin, at_);
      fresh_line_ = true;
    }
  }

  void join_line() {
    const std::size_t begin = at_++;
    if (at_ >= text_.size()) {
      wrong("the script ends behind a backslash", {begin, at_});
    } else if (is_line_end(peek())) {
      skip_line_end();
      if (at_ >= text_.size()) {
        wrong("the script ends behind a backslash", {begin, begin + 1});
      }
    } else {
      wrong("only the end of the line may follow a backslash", {begin, begin + 1});
    }
  }

  // Lines that are blank or only a comment have no indentation.
  void begin_line() {
    const std::size_t begin = at_;
    Indent indent;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == ' ') {
        ++indent.columns;
        ++indent.narrow;
      } else if (text_[at_] == '\t') {
        indent.columns = (indent.columns / kTabWidth + 1) * kTabWidth;
        ++indent.narrow;
      } else if (text_[at_] == '\f') {
        indent = {};
      } else {
        break;
      }
    }
    if (peek() == '#') {
      skip_comment();
    }
    if (at_ >= text_.size()) {
      return;
    }
    if (is_line_end(peek())) {
      skip_line_end();
      return;
    }
    fresh_line_ = false;
    change_indent(indent, begin);
  }

  void change_indent(const Indent& indent, std::size_t begin) {
    const Span span{begin, at_};
    const Indent& top = indents_.back();
    const bool deeper = indent.columns > top.columns;
    const bool same = indent.columns == top.columns;
    if ((same && indent.narrow != top.narrow) || (deeper && indent.narrow <= top.narrow)) {
      return wrong("tabs and spaces are mixed in the indentation", span);
    }
    if (deeper) {
      if (indents_.size() > static_cast<std::size_t>(kDeepest)) {
        return wrong(fmt::format("blocks are nested deeper than {}", kDeepest), span);
      }
      indents_.push_back(indent);
      add(TokenKind::kIndent, begin, at_);
      return;
    }
    while (indent.columns < indents_.back().columns) {
      indents_.pop_back();
      add(TokenKind::kDedent, at_, at_);
    }
    if (indent.columns != indents_.back().columns) {
      return wrong("the indentation matches none of the lines above", span);
    }
    if (indent.narrow != indents_.back().narrow) {
      return wrong("tabs and spaces are mixed in the indentation", span);
    }
  }

  void word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) {
      ++at_;
    }
    const std::string_view text = text_.substr(begin, at_ - begin);
    if ((peek() == '"' || peek() == '\'') && text.size() <= 2 && is_string_prefix(text)) {
      return string(begin);
    }
    add(TokenKind::kName, begin, at_);
  }

  // Everything that hangs together, so that a wrong number is shown as a whole.
  void number() {
    const std::size_t begin = at_;
    const bool hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool exponent = !hex && (c == 'e' || c == 'E') && (peek(1) == '+' || peek(1) == '-') &&
                            is_python_digit(peek(2));
      if (exponent) {
        ++at_;
      } else if (!is_word(c) && (hex || c != '.')) {
        break;
      }
      ++at_;
    }
    add(TokenKind::kNumber, begin, at_);
  }

  void string(std::size_t begin) {
    const char quote = peek();
    const bool triple = peek(1) == quote && peek(2) == quote;
    const std::size_t open = at_;
    at_ += triple ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == quote && (!triple || (peek(1) == quote && peek(2) == quote))) {
        at_ += triple ? 3 : 1;
        return add(TokenKind::kString, begin, at_);
      }
      if (is_line_end(c) && !triple) {
        break;
      }
      if (c == '\\') {
        ++at_;
        if (at_ == text_.size()) {
          break;
        }
        if (is_line_end(text_[at_])) {
          skip_line_end();
          continue;
        }
      }
      ++at_;
    }
    wrong("the text that begins here is never closed", {open, open + (triple ? 3U : 1U)});
  }

  void sign() {
    const std::string_view rest = text_.substr(at_, 3);
    const auto* found = std::ranges::find_if(kOperators, [&](const auto& op) {
      return op.front() == rest.front() && rest.starts_with(op);
    });
    if (found == kOperators.end()) {
      return wrong(fmt::format("'{}' is not expected here", core::printable(rest.substr(0, 1))),
                   {at_, at_ + 1});
    }
    const std::size_t begin = at_;
    at_ += found->size();
    const char c = found->front();
    if (*found == "(" || *found == "[" || *found == "{") {
      brackets_.push_back(begin);
    } else if (*found == ")" || *found == "]" || *found == "}") {
      close(c, begin);
    }
    if (!tokens_.problem) {
      add(TokenKind::kOperator, begin, at_);
    }
  }

  void close(char c, std::size_t at) {
    if (brackets_.empty()) {
      return wrong(fmt::format("a '{}' that closes nothing", c), {at, at + 1});
    }
    const char open = text_[brackets_.back()];
    if (closing(open) != c) {
      return wrong(
          fmt::format("a '{}' closes the '{}' of line {}", c, open, source_.line(brackets_.back())),
          {at, at + 1});
    }
    brackets_.pop_back();
  }

  void finish() {
    if (!brackets_.empty()) {
      const Span open{brackets_.back(), brackets_.back() + 1};
      tokens_.unclosed = open;
      return wrong(fmt::format("this '{}' is never closed", text_[open.begin]), open);
    }
    if (!fresh_line_) {
      add(TokenKind::kNewline, at_, at_);
    }
    for (; indents_.size() > 1; indents_.pop_back()) {
      add(TokenKind::kDedent, at_, at_);
    }
    add(TokenKind::kEnd, at_, at_);
  }

  const ScriptSource& source_;
  std::string_view text_;
  std::size_t at_;
  bool fresh_line_ = true;
  std::vector<Indent> indents_ = {{}};
  std::vector<std::size_t> brackets_;
  Tokens tokens_;
};

}  // namespace

Tokens split(const ScriptSource& source) {
  return Lexer{source}.run();
}

}  // namespace memsize::sdk
