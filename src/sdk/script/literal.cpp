// Decodes Python's numbers and strings: bases, underscores, exponents, escapes, raw and triple
// quotes. Escapes that Python leaves alone stay both characters.
#include "memsize/core/text.hpp"

#include "lexer.hpp"
#include "limits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

int digit_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  if (c >= 'A' && c <= 'Z') {
    return c - 'A' + 10;
  }
  return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 36;
}

Literal wrong_literal(std::string problem, Span where) {
  return {.problem = std::move(problem), .where = where};
}

Literal not_a_number(std::string_view text) {
  return wrong_literal(fmt::format("'{}' is not a number", core::printable(text, 40)),
                       {0, text.size()});
}

// Digits with single '_' between them.
Literal decode_integer(std::string_view whole, std::string_view digits, int base) {
  Literal literal;
  char before = base == 10 ? '_' : '0';
  for (const char c : digits) {
    if (c == '_' ? before == '_' : digit_value(c) >= base) {
      return not_a_number(whole);
    }
    before = c;
    if (c == '_') {
      continue;
    }
    literal.number = literal.number * base + digit_value(c);
    if (literal.number >> kMostBits != 0) {
      return wrong_literal(fmt::format("an integer of 2^{} or more", kMostBits), {0, whole.size()});
    }
  }
  return digits.empty() || before == '_' ? not_a_number(whole) : literal;
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.front() != '_' && text.back() != '_' &&
         text.find("__") == std::string_view::npos &&
         std::ranges::all_of(text, [](char c) { return c == '_' || (c >= '0' && c <= '9'); });
}

// [digits] '.' [digits] [exponent] | digits exponent
Literal decode_float(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  std::string_view mantissa = text.substr(0, e);
  if (e != std::string_view::npos) {
    std::string_view exponent = text.substr(e + 1);
    if (exponent.starts_with('+') || exponent.starts_with('-')) {
      exponent.remove_prefix(1);
    }
    if (!is_digits(exponent)) {
      return not_a_number(text);
    }
  }
  const std::size_t dot = mantissa.find('.');
  const std::string_view whole = mantissa.substr(0, dot);
  const std::string_view part =
      dot == std::string_view::npos ? std::string_view{} : mantissa.substr(dot + 1);
  const bool good = (whole.empty() || is_digits(whole)) && (part.empty() || is_digits(part)) &&
                    !(whole.empty() && part.empty());
  if (!good) {
    return not_a_number(text);
  }
  return {.is_float = true};
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | code >> 6);
    add(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  } else {
    add(0xF0 | code >> 18);
    add(0x80 | (code >> 12 & 0x3F));
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  }
}

class StringDecoder {
 public:
  explicit StringDecoder(std::string_view text) : text_(text) {}

  Literal run() {
    at_ = text_.find_first_of("'\"");
    const std::string prefix = core::to_lower(text_.substr(0, at_));
    if (prefix.find('b') != std::string::npos) {
      return wrong_literal("bytes are not understood", {0, text_.size()});
    }
    const bool raw = prefix.find('r') != std::string::npos;
    const bool triple =
        text_.size() >= at_ + 6 && text_[at_ + 1] == text_[at_] && text_[at_ + 2] == text_[at_];
    const std::size_t quotes = triple ? 3 : 1;
    at_ += quotes;
    end_ = text_.size() - quotes;
    const std::size_t plain = std::min(text_.find_first_of("\\\r", at_), end_);
    literal_.text = text_.substr(at_, plain - at_);
    at_ = plain;
    while (at_ < end_ && literal_.problem.empty()) {
      const char c = text_[at_++];
      if (c == '\\' && !raw) {
        escape();
      } else if (c == '\r') {
        at_ += text_[at_] == '\n' ? 1U : 0U;
        literal_.text += '\n';
      } else {
        literal_.text += c;
      }
    }
    literal_.is_formatted = prefix.find('f') != std::string::npos &&
                            literal_.text.find_first_of("{}") != std::string::npos;
    if (literal_.text.size() > kLongestText) {
      return wrong_literal(fmt::format("a text of more than {} bytes", kLongestText), {0, quotes});
    }
    return std::move(literal_);
  }

 private:
  void wrong(std::string problem, std::size_t begin) {
    literal_ = wrong_literal(std::move(problem), {begin, at_});
  }

  void escape() {
    const std::size_t begin = at_ - 1;
    const char c = text_[at_++];
    constexpr std::string_view kLetters = "\\'\"abfnrtv";
    constexpr std::string_view kValues = "\\'\"\a\b\f\n\r\t\v";
    const std::size_t known = kLetters.find(c);
    if (known != std::string_view::npos) {
      literal_.text += kValues[known];
    } else if (c == '\n') {
      return;
    } else if (c == '\r') {
      at_ += text_[at_] == '\n' ? 1U : 0U;
    } else if (c >= '0' && c <= '7') {
      --at_;
      code(begin, 8, 1, 3);
    } else if (c == 'x') {
      code(begin, 16, 2, 2);
    } else if (c == 'u') {
      code(begin, 16, 4, 4);
    } else if (c == 'U') {
      code(begin, 16, 8, 8);
    } else if (c == 'N') {
      wrong("a character by its name is not understood", begin);
    } else {
      // Python keeps both characters.
      literal_.text += '\\';
      literal_.text += c;
    }
  }

  void code(std::size_t begin, int base, int least, int most) {
    std::uint32_t value = 0;
    int digits = 0;
    while (digits < most && at_ < end_ && digit_value(text_[at_]) < base) {
      value = value * static_cast<std::uint32_t>(base) +
              static_cast<std::uint32_t>(digit_value(text_[at_]));
      ++digits;
      ++at_;
    }
    if (digits < least) {
      return wrong(fmt::format("an escape with fewer than {} digits", least), begin);
    }
    if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) {
      return wrong("an escape that is not a character", begin);
    }
    append_utf8(literal_.text, value);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  Literal literal_;
};

}  // namespace

Literal decode_number(std::string_view text) {
  const std::string prefix = core::to_lower(text.substr(0, 2));
  if (prefix == "0x" || prefix == "0o" || prefix == "0b") {
    const int base = prefix == "0x" ? 16 : prefix == "0o" ? 8 : 2;
    return decode_integer(text, text.substr(2), base);
  }
  if (text.find_first_of(".eE") != std::string_view::npos) {
    return decode_float(text);
  }
  Literal literal = decode_integer(text, text, 10);
  if (literal.problem.empty() && text.front() == '0' && literal.number != 0) {
    return wrong_literal("a decimal number that begins with 0", {0, text.size()});
  }
  return literal;
}

Literal decode_string(std::string_view text) {
  return StringDecoder{text}.run();
}

}  // namespace memsize::sdk
