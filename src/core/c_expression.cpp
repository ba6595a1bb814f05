// Evaluates a constant expression where a cursor stands, by C's precedence. Every result is exact:
// what goes below zero or beyond the width, or would wrap in 32 bits, is an error at its operator.
#include "memsize/core/c_expression.hpp"

#include "memsize/core/text.hpp"

#include <cctype>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace memsize::core {

namespace {

constexpr unsigned kDeepestExpression = 16;

// C's precedence, from '|' on.
unsigned strength(std::string_view symbol) {
  return symbol == "|"                    ? 1
         : symbol == "<"                  ? 2
         : symbol == "+" || symbol == "-" ? 3
         : symbol == "*"                  ? 4
                                          : 0;
}

bool is_wide_type(std::string_view word) {
  return word == "uint64_t" || word == "int64_t" || word == "UInt64";
}

class Evaluator {
 public:
  Evaluator(Cursor& cursor, const CExpressionRules& rules) : cursor_(cursor), rules_(rules) {}

  std::optional<std::uint64_t> run(bool whole) {
    const std::optional<Value> value = whole ? expression(0, 0) : operand(0);
    return value ? std::optional<std::uint64_t>{value->number} : std::nullopt;
  }

 private:
  struct Value {
    std::uint64_t number = 0;
    bool wide = false;
  };

  std::optional<Value> expression(unsigned least, unsigned depth) {
    std::optional<Value> value = operand(depth);
    while (value && strength(cursor_.peek()) > least) {
      const Place place = cursor_.place();
      const std::string symbol = cursor_.take();
      if (symbol == "<" && !cursor_.expect("<")) {
        return std::nullopt;
      }
      const std::optional<Value> right = expression(strength(symbol), depth);
      value = right ? apply(symbol, *value, *right, place) : std::nullopt;
    }
    return value;
  }

  // The exact result; nothing if it is not between 0 and the largest.
  [[nodiscard]] std::optional<std::uint64_t> exact(const std::string& symbol,
                                                   std::uint64_t left,
                                                   std::uint64_t right) const {
    constexpr std::uint64_t kBits = 63;
    if (symbol == "|") {
      return left | right;
    }
    if (symbol == "+") {
      return left > rules_.largest - right ? std::nullopt : std::optional{left + right};
    }
    if (symbol == "-") {
      return left < right ? std::nullopt : std::optional{left - right};
    }
    if (symbol == "<") {
      return right > kBits || left > (rules_.largest >> right) ? std::nullopt
                                                               : std::optional{left << right};
    }
    return right != 0 && left > rules_.largest / right ? std::nullopt : std::optional{left * right};
  }

  std::optional<Value> apply(const std::string& symbol,
                             const Value& left,
                             const Value& right,
                             const Place& place) {
    const std::optional<std::uint64_t> result = exact(symbol, left.number, right.number);
    if (!result || *result > rules_.largest) {
      cursor_.wrong(symbol == "-" ? "this is below zero"
                                  : fmt::format("this does not fit {} bits", rules_.bits),
                    place);
      return std::nullopt;
    }
    const bool wide = left.wide || (right.wide && symbol != "<");
    if (rules_.narrow_types && !wide && *result > UINT32_MAX) {
      cursor_.wrong(
          fmt::format("both sides are of 32 bits, where {} wraps around", format_hex(*result)),
          place);
      return std::nullopt;
    }
    return Value{*result, wide};
  }

  std::optional<Value> operand(unsigned depth) {
    const Place place = cursor_.place();
    if (depth == kDeepestExpression) {
      cursor_.wrong("too many parentheses", place);
      return std::nullopt;
    }
    const std::string_view first = cursor_.peek();
    if (first == "(") {
      return is_c_type(cursor_.peek(1)) ? cast(depth) : parenthesis(depth);
    }
    if (!first.empty() &&
        (std::isalpha(static_cast<unsigned char>(first.front())) != 0 || first.front() == '_')) {
      return name(place);
    }
    const bool twice_long = to_lower(first).find("ll") != std::string::npos;
    const std::optional<std::uint64_t> written = number(place);
    std::optional<Value> value = written ? bounded(*written, place) : std::nullopt;
    if (value) {
      value->wide = value->wide || twice_long;
    }
    return value;
  }

  std::optional<Value> cast(unsigned depth) {
    cursor_.take();
    bool wide = false;
    while (is_c_type(cursor_.peek()) || cursor_.peek() == "*") {
      const bool twice_long = cursor_.peek() == "long" && cursor_.peek(1) == "long";
      wide = is_wide_type(cursor_.take()) || twice_long || wide;
    }
    if (!cursor_.expect(")")) {
      return std::nullopt;
    }
    std::optional<Value> value = operand(depth + 1);
    if (value) {
      value->wide = value->wide || wide;
    }
    return value;
  }

  std::optional<Value> parenthesis(unsigned depth) {
    cursor_.take();
    const std::optional<Value> value = expression(0, depth + 1);
    return value && cursor_.expect(")") ? value : std::nullopt;
  }

  std::optional<Value> name(const Place& place) {
    const std::string name = cursor_.take();
    const std::optional<std::uint64_t> value = rules_.names(name);
    if (!value) {
      cursor_.wrong(
          fmt::format(
              "'{}' is the name of nothing that {} has", printable(name, 60), rules_.names_of),
          place);
      return std::nullopt;
    }
    return bounded(*value, place);
  }

  // As Cursor::number(), which has no other way to say that there is none.
  std::optional<std::uint64_t> number(const Place& place) {
    const std::string word{cursor_.peek()};
    std::string_view digits = word;
    while (!digits.empty() && std::string_view{"uUlL"}.find(digits.back()) != digits.npos) {
      digits.remove_suffix(1);
    }
    const bool octal = digits.size() > 1 && digits.front() == '0' &&
                       std::isdigit(static_cast<unsigned char>(digits[1])) != 0 &&
                       digits.find_first_not_of('0') != digits.npos;
    if (octal && rules_.narrow_types) {
      cursor_.take();
      cursor_.wrong(fmt::format("'{}' is octal in C", printable(word, 40)), place);
      return std::nullopt;
    }
    const auto value = parse_address(digits, place);
    if (!value) {
      cursor_.number();
      return std::nullopt;
    }
    cursor_.take();
    return *value;
  }

  std::optional<Value> bounded(std::uint64_t value, const Place& place) {
    if (value > rules_.largest) {
      cursor_.wrong(fmt::format("{} does not fit {} bits", format_hex(value), rules_.bits), place);
      return std::nullopt;
    }
    return Value{value, value > UINT32_MAX};
  }

  Cursor& cursor_;
  const CExpressionRules& rules_;
};

}  // namespace

std::optional<std::uint64_t> c_expression(Cursor& cursor, const CExpressionRules& rules) {
  return Evaluator{cursor, rules}.run(true);
}

std::optional<std::uint64_t> c_operand(Cursor& cursor, const CExpressionRules& rules) {
  return Evaluator{cursor, rules}.run(false);
}

std::optional<std::uint64_t> c_constant(const std::string& text, bool narrow_types) {
  Diagnostics unused;
  Cursor cursor{"", text, Code::kVerifyParse, unused, Words::kC};
  CExpressionRules rules;
  rules.names = [](const std::string&) { return std::nullopt; };
  rules.narrow_types = narrow_types;
  const auto value = c_expression(cursor, rules);
  return value && cursor.done() ? value : std::nullopt;
}

bool is_c_type(std::string_view word) {
  static const std::set<std::string_view> types = {
      "uint8_t", "uint16_t", "uint32_t", "uint64_t", "int32_t", "int64_t",       "uintptr_t",
      "size_t",  "unsigned", "signed",   "int",      "long",    "char",          "void",
      "Ptr",     "UInt32",   "Int32",    "UInt64",   "const",   "portUInt32Type"};
  return types.contains(word);
}

}  // namespace memsize::core
