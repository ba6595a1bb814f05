// Descends through a sum and evaluates it on the way, in 64 bits: what is negative or too large is
// an error at the text, and so is a name that has no value yet.
#include "memsize/board/expression.hpp"

#include "memsize/core/bytes.hpp"
#include "memsize/core/text.hpp"

#include <cctype>
#include <vector>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;

// expression := term { ('+' | '-') term } ; term := factor { '*' factor }
// factor := size | name | '(' expression ')'
class Parser {
 public:
  Parser(const Expression& expression, const Values& values, const NamesWithoutValue& missing)
      : expression_(expression), rest_(expression.text), values_(values), missing_(missing) {}

  core::Result<std::uint64_t> parse() {
    auto value = sum(0);
    if (value && !next().empty()) {
      return wrong(fmt::format("'{}' is not expected here", core::printable(rest_, 20)));
    }
    return value;
  }

 private:
  static constexpr int kDeepest = 32;

  [[nodiscard]] tl::unexpected<core::Diagnostics> wrong(const std::string& what,
                                                        std::string hint = {}) const {
    return core::fail(
        core::error(Code::kBoardExpression,
                    fmt::format("{} in '{}'", what, core::printable(expression_.text)),
                    expression_.place,
                    std::move(hint)));
  }

  std::string_view next() {
    rest_ = core::trim(rest_);
    return rest_.substr(0, 1);
  }

  core::Result<std::uint64_t> sum(int depth) {
    auto left = product(depth);
    while (left && (next() == "+" || next() == "-")) {
      const bool plus = next() == "+";
      rest_.remove_prefix(1);
      auto right = product(depth);
      MEMSIZE_TRY(right);
      if (!plus && *right > *left) {
        return wrong(fmt::format("{} - {} is negative", *left, *right));
      }
      const auto value = plus ? core::checked_add(*left, *right) : *left - *right;
      if (!value) {
        return wrong("the result is larger than 2^64 - 1");
      }
      left = *value;
    }
    return left;
  }

  core::Result<std::uint64_t> product(int depth) {
    auto left = factor(depth);
    while (left && next() == "*") {
      rest_.remove_prefix(1);
      auto right = factor(depth);
      MEMSIZE_TRY(right);
      const auto value = core::checked_mul(*left, *right);
      if (!value) {
        return wrong("the result is larger than 2^64 - 1");
      }
      left = *value;
    }
    return left;
  }

  core::Result<std::uint64_t> factor(int depth) {
    if (depth > kDeepest) {
      return wrong("brackets are nested too deeply");
    }
    if (next() == "(") {
      rest_.remove_prefix(1);
      auto value = sum(depth + 1);
      if (value && next() != ")") {
        return wrong("a ')' is missing");
      }
      if (value) {
        rest_.remove_prefix(1);
      }
      return value;
    }
    const std::string word = take_word();
    if (word.empty()) {
      return wrong(rest_.empty() ? std::string{"a value is missing"}
                                 : fmt::format("'{}' is not expected", core::printable(rest_, 20)));
    }
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
      return size(word);
    }
    return named(word);
  }

  std::string take_word() {
    std::size_t length = 0;
    while (length < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[length])) != 0 ||
                                     rest_[length] == '_' || rest_[length] == '.')) {
      ++length;
    }
    std::string word{rest_.substr(0, length)};
    rest_.remove_prefix(length);
    return word;
  }

  // A unit may stand behind a blank.
  core::Result<std::uint64_t> size(std::string text) {
    const std::string_view following = next();
    if (!following.empty() && std::isalpha(static_cast<unsigned char>(following[0])) != 0) {
      text += fmt::format(" {}", take_word());
    }
    const auto bytes = core::parse_bytes(text, expression_.place);
    MEMSIZE_TRY(bytes);
    return bytes->count();
  }

  core::Result<std::uint64_t> named(const std::string& word) {
    const auto known = values_.find(word);
    if (known != values_.end()) {
      return known->second;
    }
    if (missing_.broken.contains(word)) {
      return tl::make_unexpected(core::Diagnostics{});
    }
    if (missing_.later.contains(word)) {
      return wrong(fmt::format("'{}' stands further down", word),
                   "a value may use only constants and knobs that stand before it");
    }
    std::vector<std::string> names;
    for (const auto& [name, value] : values_) {
      names.push_back(name);
    }
    return wrong(fmt::format("'{}' is neither a constant nor a knob", word),
                 core::did_you_mean(word, names));
  }

  const Expression& expression_;
  std::string_view rest_;
  const Values& values_;
  const NamesWithoutValue& missing_;
};

}  // namespace

std::vector<std::string> names_in(const Expression& expression) {
  std::vector<std::string> names;
  std::string word;
  const auto finish = [&] {
    if (core::is_identifier(word)) {
      names.push_back(word);
    }
    word.clear();
  };
  for (const char c : expression.text) {
    const bool part = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    if (part) {
      word += c;
    } else {
      finish();
    }
  }
  finish();
  return names;
}

core::Result<std::uint64_t> evaluate(const Expression& expression,
                                     const Values& values,
                                     const NamesWithoutValue& missing) {
  return Parser{expression, values, missing}.parse();
}

}  // namespace memsize::board
