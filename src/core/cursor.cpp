// Cuts a text into tokens with places, which parsers then look at, take and expect. Comments,
// strings and templates are passed over whole, or a brace inside one would be taken for code.
#include "memsize/core/cursor.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace memsize::core {

namespace {

bool is_word(char c, Words words) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         (words == Words::kNames && (c == '-' || c == '@' || c == '.' || c == '#')) ||
         (words == Words::kScript && c == '.');
}

// Behind the comment that begins at `at`, or `at` where none does.
std::size_t behind_comment(std::string_view text, std::size_t at) {
  const char next = text[at] == '/' && at + 1 < text.size() ? text[at + 1] : '\0';
  if (next == '*') {
    const std::size_t end = text.find("*/", at + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  return next == '/' ? std::min(text.find('\n', at), text.size()) : at;
}

// Behind the string or character of C that begins at `at`; it ends with its line at the latest.
std::size_t behind_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == quote) {
      return at + 1;
    }
    at += text[at] == '\\' ? 1U : 0U;
  }
  return std::min(at, text.size());
}

// Behind the template of JavaScript that begins at `at`, on whatever line it ends.
std::size_t behind_template(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '`') {
      return at + 1;
    }
    at += text[at] == '\\' ? 1U : 0U;
  }
  return text.size();
}

// Behind the token that begins at `at`.
std::size_t behind_token(std::string_view text, std::size_t at, Words words) {
  if (words != Words::kNames && (text[at] == '"' || text[at] == '\'')) {
    return behind_literal(text, at);
  }
  if (words == Words::kScript && text[at] == '`') {
    return behind_template(text, at);
  }
  if (text[at] == '"') {
    return std::min(text.find('"', at + 1), text.size() - 1) + 1;
  }
  std::size_t end = at;
  while (end < text.size() && is_word(text[end], words)) {
    ++end;
  }
  return std::max(end, at + 1);
}

}  // namespace

std::vector<Cursor::Token> Cursor::tokens_of(std::string_view text, Words words) {
  std::vector<Token> tokens;
  std::size_t line = 1;
  std::size_t line_begin = 0;
  const auto pass = [&](std::size_t from, std::size_t to) {
    for (; from < to; ++from) {
      if (text[from] == '\n') {
        ++line;
        line_begin = from + 1;
      }
    }
    return to;
  };
  for (std::size_t at = text.size() - without_byte_order_mark(text).size(); at < text.size();) {
    const std::size_t behind = behind_comment(text, at);
    if (behind != at || std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      at = pass(at, std::max(behind, at + 1));
      continue;
    }
    const std::size_t end = behind_token(text, at, words);
    tokens.push_back({text.substr(at, end - at), line, at - line_begin + 1});
    at = pass(at, end);
  }
  return tokens;
}

Cursor::Cursor(std::string path, std::string_view text, Code code, Diagnostics& errors, Words words)
    : path_(std::move(path)), code_(code), tokens_(tokens_of(text, words)), errors_(errors) {}

std::string_view Cursor::peek(std::size_t ahead) const {
  return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead].text : std::string_view{};
}

std::string Cursor::take() {
  std::string text{peek()};
  at_ += done() ? 0U : 1U;
  return text;
}

Place Cursor::place(std::size_t ahead) const {
  Place place{path_};
  if (!tokens_.empty()) {
    const Token& token = tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
    place.line = token.line;
    place.column = token.column;
    place.length = std::min(token.text.size(), token.text.find('\n'));
  }
  return place;
}

Place Cursor::place_since(const Place& first) const {
  Place place = first;
  std::size_t last = at_;
  while (last > 0 && tokens_[last - 1].line > first.line) {
    --last;
  }
  if (last > 0 && tokens_[last - 1].line == first.line) {
    const Token& token = tokens_[last - 1];
    const std::size_t end = token.column + std::min(token.text.size(), token.text.find('\n'));
    place.length = std::max(place.length, end > first.column ? end - first.column : 0);
  }
  return place;
}

std::string Cursor::words_since(const Place& first) const {
  std::size_t begin = at_;
  while (begin > 0 &&
         (tokens_[begin - 1].line > first.line ||
          (tokens_[begin - 1].line == first.line && tokens_[begin - 1].column >= first.column))) {
    --begin;
  }
  std::string words;
  for (std::size_t i = begin; i < at_; ++i) {
    const bool touches = i > begin && tokens_[i].line == tokens_[i - 1].line &&
                         tokens_[i].column == tokens_[i - 1].column + tokens_[i - 1].text.size();
    words += words.empty() || touches ? "" : " ";
    words += tokens_[i].text;
  }
  return words;
}

bool Cursor::begins_line() const {
  return at_ == 0 || done() || tokens_[at_].line != tokens_[at_ - 1].line;
}

bool Cursor::expect(std::string_view text) {
  if (peek() == text) {
    ++at_;
    return true;
  }
  wrong(fmt::format(
            "'{}' is expected here, not '{}'", text, done() ? "the end" : printable(peek(), 40)),
        place());
  return false;
}

std::uint64_t Cursor::number() {
  std::string_view text = peek();
  while (!text.empty() &&
         (text.back() == 'u' || text.back() == 'U' || text.back() == 'l' || text.back() == 'L')) {
    text.remove_suffix(1);
  }
  const auto value = parse_address(text, place());
  if (!value) {
    wrong(fmt::format("a number is expected here, not '{}'", printable(peek(), 40)), place());
  }
  at_ += done() ? 0U : 1U;
  return value.value_or(0);
}

void Cursor::skip_past(std::string_view text) {
  while (!done() && take() != text) {
  }
}

void Cursor::wrong(const std::string& what, const Place& place) {
  errors_.push_back(error(code_, what, place));
}

std::string unquoted(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'');
  return std::string{is_quoted ? text.substr(1, text.size() - 2) : text};
}

void add_text(Diagnostics& diagnostics, const std::string& path, std::string_view text) {
  const auto is_here = [&](const Place& place) { return place.path.str() == path; };
  const bool wanted = std::ranges::any_of(diagnostics, [&](const Diagnostic& each) {
    return is_here(each.place) || std::ranges::any_of(each.related, [&](const Related& related) {
             return is_here(related.place);
           });
  });
  if (!wanted) {
    return;
  }
  std::vector<std::size_t> begins = {0};
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    begins.push_back(at + 1);
  }
  const auto complete = [&](Place& place) {
    if (place.line == 0 || place.line > begins.size() || !place.text.empty() || !is_here(place)) {
      return;
    }
    std::string_view line = text.substr(begins[place.line - 1]);
    line = line.substr(0, line.find('\n'));
    // A carriage return inside of a line ends nothing: columns count on behind it.
    line.remove_suffix(line.ends_with('\r') ? 1U : 0U);
    place.text = std::string{line};
  };
  for (Diagnostic& diagnostic : diagnostics) {
    complete(diagnostic.place);
    for (Related& related : diagnostic.related) {
      complete(related.place);
    }
  }
}

}  // namespace memsize::core
