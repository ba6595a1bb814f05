// Evaluates a constant expression where a cursor stands, by C's precedence. Every result is exact:
// what goes below zero or beyond the width, or would wrap in 32 bits, is an error at its operator,
// unless the rules are dtc's.
#include "memsize/core/c_expression.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace memsize::core {

namespace {

constexpr unsigned kDeepestExpression = 16;

struct Operator {
  std::string_view text;
  /// C's precedence.
  unsigned strength = 0;
};

// What begins another one stands behind it.
constexpr Operator kOperators[] = {{"||", 1},
                                   {"&&", 2},
                                   {"==", 6},
                                   {"!=", 6},
                                   {"<<", 8},
                                   {">>", 8},
                                   {"<=", 7},
                                   {">=", 7},
                                   {"<", 7},
                                   {">", 7},
                                   {"|", 3},
                                   {"^", 4},
                                   {"&", 5},
                                   {"+", 9},
                                   {"-", 9},
                                   {"*", 10},
                                   {"/", 10},
                                   {"%", 10}};

// Nothing where the right side of a division is 0.
std::optional<std::uint64_t> wrapped(std::string_view symbol, std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kBits = 64;
  if (symbol == "/" || symbol == "%") {
    return b == 0 ? std::nullopt : std::optional{symbol == "/" ? a / b : a % b};
  }
  const bool is_left = symbol == "<<";
  if (is_left || symbol == ">>") {
    return b >= kBits ? 0 : is_left ? a << b : a >> b;
  }
  return symbol == "||"   ? std::uint64_t{a != 0 || b != 0}
         : symbol == "&&" ? std::uint64_t{a != 0 && b != 0}
         : symbol == "==" ? std::uint64_t{a == b}
         : symbol == "!=" ? std::uint64_t{a != b}
         : symbol == "<=" ? std::uint64_t{a <= b}
         : symbol == ">=" ? std::uint64_t{a >= b}
         : symbol == "<"  ? std::uint64_t{a < b}
         : symbol == ">"  ? std::uint64_t{a > b}
         : symbol == "|"  ? a | b
         : symbol == "^"  ? a ^ b
         : symbol == "&"  ? a & b
         : symbol == "+"  ? a + b
         : symbol == "-"  ? a - b
                          : a * b;
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
    for (const Operator* next = next_operator(); value && next != nullptr && next->strength > least;
         next = next_operator()) {
      const Place place = cursor_.place();
      for (const char c : next->text) {
        if (!cursor_.expect({&c, 1})) {
          return std::nullopt;
        }
      }
      const std::optional<Value> right = expression(next->strength, depth);
      value = right ? apply(next->text, *value, *right, place) : std::nullopt;
    }
    return value && least == 0 && rules_.wraps && cursor_.peek() == "?" ? choice(*value, depth)
                                                                        : value;
  }

  // Both sides must be numbers.
  std::optional<Value> choice(const Value& condition, unsigned depth) {
    cursor_.take();
    const std::optional<Value> yes = expression(0, depth + 1);
    if (!yes || !cursor_.expect(":")) {
      return std::nullopt;
    }
    const std::optional<Value> no = expression(0, depth + 1);
    return no ? std::optional{condition.number != 0 ? *yes : *no} : std::nullopt;
  }

  // Null where none comes next.
  [[nodiscard]] const Operator* next_operator() const {
    const auto* found = std::ranges::find_if(kOperators, [&](const Operator& each) {
      const std::string_view first = each.text.substr(0, 1);
      if (!rules_.wraps) {
        return cursor_.peek() == first && is_one_of(each.text, "| << + - *");
      }
      const bool is_beside = cursor_.place(1).line == cursor_.place().line &&
                             cursor_.place(1).column == cursor_.place().column + 1;
      return cursor_.peek() == first &&
             (each.text.size() == 1 || (is_beside && cursor_.peek(1) == each.text.substr(1)));
    });
    return found == std::end(kOperators) ? nullptr : found;
  }

  // The exact result; nothing if it is not between 0 and the largest.
  [[nodiscard]] std::optional<std::uint64_t> exact(std::string_view symbol,
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
    if (symbol == "<<") {
      return right > kBits || left > (rules_.largest >> right) ? std::nullopt
                                                               : std::optional{left << right};
    }
    return right != 0 && left > rules_.largest / right ? std::nullopt : std::optional{left * right};
  }

  std::optional<Value> apply(std::string_view symbol,
                             const Value& left,
                             const Value& right,
                             const Place& place) {
    if (rules_.wraps) {
      const auto number = wrapped(symbol, left.number, right.number);
      if (!number) {
        cursor_.wrong("this divides by zero", place);
      }
      return number ? std::optional{Value{*number}} : std::nullopt;
    }
    const std::optional<std::uint64_t> result = exact(symbol, left.number, right.number);
    if (!result || *result > rules_.largest) {
      cursor_.wrong(symbol == "-" ? "this is below zero"
                                  : fmt::format("this does not fit {} bits", rules_.bits),
                    place);
      return std::nullopt;
    }
    const bool wide = left.wide || (right.wide && symbol != "<<");
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
      return is_c_type(cursor_.peek(1)) && !rules_.wraps ? cast(depth) : parenthesis(depth);
    }
    if (rules_.wraps && is_one_of(first, "- ~ !")) {
      const std::string sign = cursor_.take();
      const std::optional<Value> value = operand(depth + 1);
      return !value        ? value
             : sign == "-" ? Value{0 - value->number}
             : sign == "~" ? Value{~value->number}
                           : Value{std::uint64_t{value->number == 0}};
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
    if (octal && rules_.wraps) {
      std::uint64_t value = 0;
      const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
      if (end.ec == std::errc{} && end.ptr == digits.data() + digits.size()) {
        cursor_.take();
        return value;
      }
    }
    if (octal && (rules_.narrow_types || rules_.wraps)) {
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

Result<std::uint64_t> dtc_constant(const std::string& text) {
  Diagnostics errors;
  Cursor cursor{"", text, Code::kVerifyParse, errors, Words::kC};
  CExpressionRules rules;
  rules.names = [](const std::string&) { return std::nullopt; };
  rules.names_of = "this file";
  rules.wraps = true;
  const auto value = c_expression(cursor, rules);
  if (value && !cursor.done()) {
    cursor.wrong(
        fmt::format("an operator is expected here, not '{}'", printable(cursor.peek(), 40)),
        cursor.place());
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return *value;
}

bool is_c_type(std::string_view word) {
  static const std::set<std::string_view> types = {
      "uint8_t", "uint16_t", "uint32_t", "uint64_t", "int32_t", "int64_t",       "uintptr_t",
      "size_t",  "unsigned", "signed",   "int",      "long",    "char",          "void",
      "Ptr",     "UInt32",   "Int32",    "UInt64",   "const",   "portUInt32Type"};
  return types.contains(word);
}

}  // namespace memsize::core
