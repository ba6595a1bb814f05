#include "cursor.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace memsize::emit {

std::vector<Cursor::Token> Cursor::tokens_of(const std::string& text) {
  std::vector<Token> tokens;
  std::size_t line = 1;
  std::size_t at = 0;
  const auto word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '-' ||
           c == '@' || c == '.' || c == '#';
  };
  while (at < text.size()) {
    const char c = text[at];
    if (c == '\n') {
      ++line;
      ++at;
    } else if (text.compare(at, 2, "/*") == 0) {
      const std::size_t end = std::min(text.find("*/", at + 2), text.size());
      line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                                  text.begin() + static_cast<std::ptrdiff_t>(end),
                                                  '\n'));
      at = std::min(end + 2, text.size());
    } else if (text.compare(at, 2, "//") == 0) {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '"') {
      const std::size_t end = std::min(text.find('"', at + 1), text.size() - 1);
      tokens.push_back({text.substr(at, end - at + 1), line});
      at = end + 1;
    } else if (word(c)) {
      const std::size_t start = at;
      while (at < text.size() && word(text[at])) {
        ++at;
      }
      tokens.push_back({text.substr(start, at - start), line});
    } else {
      if (std::isspace(static_cast<unsigned char>(c)) == 0) {
        tokens.push_back({std::string(1, c), line});
      }
      ++at;
    }
  }
  return tokens;
}

Cursor::Cursor(const MapFile& file, const std::string& root, core::Diagnostics& errors)
    : path_(root.empty() ? file.path : root + "/" + file.path),
      tokens_(tokens_of(file.content)),
      errors_(errors) {}

const std::string& Cursor::peek(std::size_t ahead) const {
  static const std::string end_text;
  return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead].text : end_text;
}

std::string Cursor::take() {
  std::string text = peek();
  at_ += done() ? 0U : 1U;
  return text;
}

core::Place Cursor::place() const {
  core::Place place;
  place.path = path_;
  place.line = tokens_.empty() ? 0 : tokens_[std::min(at_, tokens_.size() - 1)].line;
  return place;
}

bool Cursor::expect(const std::string& text) {
  if (peek() == text) {
    ++at_;
    return true;
  }
  wrong(fmt::format("'{}' is expected here, not '{}'",
                    text,
                    done() ? "the end" : core::printable(peek(), 40)),
        place());
  return false;
}

std::uint64_t Cursor::number() {
  std::string text = peek();
  while (!text.empty() &&
         (text.back() == 'u' || text.back() == 'U' || text.back() == 'l' || text.back() == 'L')) {
    text.pop_back();
  }
  const auto value = core::parse_address(text, place());
  if (!value) {
    wrong(fmt::format("a number is expected here, not '{}'", core::printable(peek(), 40)), place());
  }
  at_ += done() ? 0U : 1U;
  return value.value_or(0);
}

void Cursor::skip_past(const std::string& text) {
  while (!done() && take() != text) {
  }
}

void Cursor::wrong(const std::string& what, const core::Place& place) {
  errors_.push_back(core::error(core::Code::kVerifyParse, what, place));
}

std::string unquoted(const std::string& text) {
  return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

}  // namespace memsize::emit
