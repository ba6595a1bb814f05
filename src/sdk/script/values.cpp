// Python's operators on integers of limited size, texts and objects: what grows beyond is an error,
// never wrapped. An unknown operand makes an unknown result.
#include "values.hpp"

#include "memsize/core/text.hpp"

#include "limits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using Kind = ValueKind;

tl::unexpected<std::string> no(std::string why) {
  return tl::make_unexpected(std::move(why));
}

Integer magnitude(Integer value) {
  return value < 0 ? -value : value;
}

int bits(Integer value) {
  const Integer rest = magnitude(value);
  const auto high = static_cast<std::uint64_t>(rest >> 64);
  const auto low = static_cast<std::uint64_t>(rest);
  return high != 0 ? 128 - std::countl_zero(high) : 64 - std::countl_zero(low);
}

Computed checked(Integer value) {
  if (magnitude(value) >> kMostBits != 0) {
    return no(fmt::format("an integer of 2^{} or more", kMostBits));
  }
  return make_integer(value);
}

Computed too_large() {
  return checked(Integer{1} << kMostBits);
}

// Towards minus infinity.
Integer floor_quotient(Integer left, Integer right) {
  const Integer quotient = left / right;
  const bool rest = left % right != 0;
  return rest && (left < 0) != (right < 0) ? quotient - 1 : quotient;
}

Computed multiply(Integer left, Integer right) {
  // Beyond the sum of their bits - 2, which is still below 128.
  return bits(left) + bits(right) > kMostBits + 2 ? too_large() : checked(left * right);
}

Computed shift_left(Integer left, Integer right) {
  if (right < 0) {
    return no("a negative shift count");
  }
  if (left == 0) {
    return make_integer(0);
  }
  return right >= kMostBits ? too_large() : multiply(left, Integer{1} << static_cast<int>(right));
}

Computed shift_right(Integer left, Integer right) {
  if (right < 0) {
    return no("a negative shift count");
  }
  return make_integer(left >> static_cast<int>(std::min<Integer>(right, 126)));
}

Computed power(Integer base, Integer exponent) {
  if (exponent < 0) {
    return base == 0 ? Computed{no("0 to a negative power")} : make_unknown(Kind::kOpaque);
  }
  if (base == 0 || base == 1 || exponent == 0) {
    return make_integer(exponent == 0 ? 1 : base);
  }
  if (base == -1) {
    return make_integer(exponent % 2 == 0 ? 1 : -1);
  }
  if (exponent > kMostBits) {
    return too_large();
  }
  Computed result = make_integer(1);
  for (Integer i = 0; result && i < exponent; ++i) {
    result = multiply(result->number, base);
  }
  return result;
}

Computed divide(Integer left, Integer right) {
  if (right == 0) {
    return no("a division by zero");
  }
  if (std::max(bits(left), bits(right)) > kExactBits) {
    return no(
        fmt::format("a division '/' of integers of 2^{} or more, which Python rounds", kExactBits));
  }
  Value value = make_unknown(Kind::kQuotient);
  value.number = right < 0 ? -left : left;
  value.divisor = magnitude(right);
  return value;
}

Computed integers(Op op, Integer left, Integer right) {
  switch (op) {
    case Op::kAdd:
      return checked(left + right);
    case Op::kSubtract:
      return checked(left - right);
    case Op::kMultiply:
      return multiply(left, right);
    case Op::kDivide:
      return divide(left, right);
    case Op::kFloorDivide:
      return right == 0 ? Computed{no("a division by zero")}
                        : make_integer(floor_quotient(left, right));
    case Op::kModulo:
      return right == 0 ? Computed{no("a division by zero")}
                        : make_integer(left - floor_quotient(left, right) * right);
    case Op::kPower:
      return power(left, right);
    case Op::kShiftLeft:
      return shift_left(left, right);
    case Op::kShiftRight:
      return shift_right(left, right);
    case Op::kBitAnd:
      return checked(left & right);
    case Op::kBitOr:
      return checked(left | right);
    case Op::kBitXor:
      return checked(left ^ right);
    default:
      return no(fmt::format("'{}' between integers", op_text(op)));
  }
}

bool is_bitwise(Op op) {
  return op == Op::kBitAnd || op == Op::kBitOr || op == Op::kBitXor;
}

// "a <op> b" for texts, numbers and what has only an identity.
int order(Integer left, Integer right) {
  return left < right ? -1 : left > right ? 1 : 0;
}

bool is_order(Op op, int order) {
  switch (op) {
    case Op::kLess:
      return order < 0;
    case Op::kLessEqual:
      return order <= 0;
    case Op::kGreater:
      return order > 0;
    case Op::kGreaterEqual:
      return order >= 0;
    case Op::kEqual:
      return order == 0;
    default:
      return order != 0;
  }
}

// Of an integer, too: its divisor is 1.
int order_of_quotient(const Value& quotient, Integer number) {
  const Integer down = floor_quotient(quotient.number, quotient.divisor);
  const bool rest = quotient.number % quotient.divisor != 0;
  return rest ? (down >= number ? 1 : -1) : order(down, number);
}

Computed compare_numbers(Op op, const Value& left, const Value& right) {
  if (left.is(Kind::kQuotient) && right.is(Kind::kQuotient)) {
    return no("a comparison of two quotients is not understood");
  }
  if (right.is(Kind::kQuotient)) {
    return make_boolean(is_order(op, -order_of_quotient(right, left.number)));
  }
  return make_boolean(is_order(op, order_of_quotient(left, right.number)));
}

bool same_object(const Value& left, const Value& right) {
  if (left.kind != right.kind || left.index != right.index) {
    return false;
  }
  return (left.text == nullptr) == (right.text == nullptr) &&
         (left.text == nullptr || *left.text == *right.text);
}

Computed compare_identity(Op op, const Value& left, const Value& right) {
  const bool none = left.is(Kind::kNone) || right.is(Kind::kNone);
  if (!none && (left.is_number() || left.is(Kind::kText))) {
    return no(fmt::format("'{}' between values is not understood", op_text(op)));
  }
  return make_boolean(same_object(left, right) == (op == Op::kIs));
}

}  // namespace

Value make_unknown(ValueKind kind) {
  return {.kind = kind};
}

Value make_none() {
  return make_unknown(Kind::kNone);
}

Value make_boolean(bool boolean) {
  Value value = make_unknown(Kind::kBoolean);
  value.number = boolean ? 1 : 0;
  return value;
}

Value make_integer(Integer number) {
  Value value = make_unknown(Kind::kInteger);
  value.number = number;
  return value;
}

Value make_text(std::string text) {
  Value value = make_unknown(Kind::kText);
  value.text = std::make_shared<const std::string>(std::move(text));
  return value;
}

std::string type_name(const Value& value) {
  static constexpr std::string_view kNotFollowed = "value that is not followed";
  // In the order of ValueKind.
  static constexpr std::array<std::string_view, 15> kNames = {kNotFollowed,
                                                              "NoneType",
                                                              "bool",
                                                              "int",
                                                              "float",
                                                              "str",
                                                              kNotFollowed,
                                                              "value of the environment",
                                                              "MemSection",
                                                              "MemoryMap",
                                                              "exporter",
                                                              "function",
                                                              "function",
                                                              "type",
                                                              "module"};
  return std::string{kNames.at(static_cast<std::size_t>(value.kind))};
}

std::string show(const Value& value) {
  switch (value.kind) {
    case Kind::kNone:
      return "None";
    case Kind::kBoolean:
      return value.number != 0 ? "True" : "False";
    case Kind::kInteger:
      return value.number < 0
                 ? fmt::format("{}", value.number)
                 : fmt::format("{} (0x{:X})", value.number, static_cast<Unsigned>(value.number));
    case Kind::kQuotient:
      return fmt::format("{} / {}", value.number, value.divisor);
    case Kind::kText:
      return fmt::format("'{}'", core::printable(*value.text, 60));
    default:
      return "a " + type_name(value);
  }
}

Computed unary(Op op, const Value& operand) {
  if (operand.is(Kind::kEnvironment) || operand.is(Kind::kOpaque)) {
    return operand;
  }
  if (operand.is(Kind::kQuotient) && op != Op::kInvert) {
    Value value = operand;
    value.number = op == Op::kMinus ? -value.number : value.number;
    return value;
  }
  if (!operand.is_integer()) {
    return no(fmt::format("'{}' before a '{}'", op_text(op), type_name(operand)));
  }
  switch (op) {
    case Op::kMinus:
      return make_integer(-operand.number);
    case Op::kInvert:
      return checked(-operand.number - 1);
    default:
      return make_integer(operand.number);
  }
}

Computed binary(Op op, const Value& left, const Value& right) {
  if (left.is(Kind::kEnvironment) || right.is(Kind::kEnvironment)) {
    return make_unknown(Kind::kEnvironment);
  }
  if (left.is(Kind::kBoolean) && right.is(Kind::kBoolean) && is_bitwise(op)) {
    return make_boolean(integers(op, left.number, right.number)->number != 0);
  }
  if (left.is_integer() && right.is_integer()) {
    return integers(op, left.number, right.number);
  }
  if (left.is(Kind::kText) && op == Op::kModulo) {
    return make_unknown(Kind::kOpaque);
  }
  if (left.is(Kind::kText) && right.is(Kind::kText) && op == Op::kAdd) {
    if (left.text->size() + right.text->size() > kLongestText) {
      return no(fmt::format("a text of more than {} bytes", kLongestText));
    }
    return make_text(*left.text + *right.text);
  }
  const auto follows = [](const Value& value) {
    return value.is_number() || value.is(Kind::kOpaque) || value.is(Kind::kText);
  };
  const bool opaque = left.is(Kind::kOpaque) || right.is(Kind::kOpaque);
  if (opaque && follows(left) && follows(right)) {
    return make_unknown(Kind::kOpaque);
  }
  if (left.is_number() && right.is_number() && !is_bitwise(op) && op != Op::kShiftLeft &&
      op != Op::kShiftRight) {
    return make_unknown(Kind::kOpaque);
  }
  return no(fmt::format(
      "'{}' between a '{}' and a '{}'", op_text(op), type_name(left), type_name(right)));
}

Computed compare(Op op, const Value& left, const Value& right) {
  if (left.is(Kind::kEnvironment) || right.is(Kind::kEnvironment)) {
    return make_unknown(Kind::kEnvironment);
  }
  if (left.is(Kind::kOpaque) || right.is(Kind::kOpaque) || op == Op::kIn || op == Op::kNotIn) {
    return no(fmt::format("'{}' between a '{}' and a '{}' is not understood",
                          op_text(op),
                          type_name(left),
                          type_name(right)));
  }
  if (op == Op::kIs || op == Op::kIsNot) {
    return compare_identity(op, left, right);
  }
  if (left.is_number() && right.is_number()) {
    return compare_numbers(op, left, right);
  }
  if (left.is(Kind::kText) && right.is(Kind::kText)) {
    return make_boolean(is_order(op, left.text->compare(*right.text)));
  }
  if (op != Op::kEqual && op != Op::kNotEqual) {
    return no(fmt::format(
        "'{}' between a '{}' and a '{}'", op_text(op), type_name(left), type_name(right)));
  }
  return make_boolean(same_object(left, right) == (op == Op::kEqual));
}

Computed truth(const Value& value) {
  switch (value.kind) {
    case Kind::kNone:
      return make_boolean(false);
    case Kind::kBoolean:
    case Kind::kInteger:
    case Kind::kQuotient:
      return make_boolean(value.number != 0);
    case Kind::kText:
      return make_boolean(!value.text->empty());
    case Kind::kEnvironment:
      return value;
    case Kind::kOpaque:
      return no("a condition on a value that is not followed");
    default:
      return make_boolean(true);
  }
}

Computed to_integer(const Value& value, Rounding rounding) {
  if (value.is(Kind::kEnvironment)) {
    return value;
  }
  if (!value.is_number()) {
    return no(fmt::format("a whole number from a '{}' is not understood", type_name(value)));
  }
  const Integer down = floor_quotient(value.number, value.divisor);
  const bool rest = value.number % value.divisor != 0;
  const bool up =
      rest && (rounding == Rounding::kUp || (rounding == Rounding::kToZero && value.number < 0));
  return make_integer(up ? down + 1 : down);
}

}  // namespace memsize::sdk
