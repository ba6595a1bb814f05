// What an expression of a script can be, and Python's operators on it.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include "script.hpp"
#include "tree.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace memsize::sdk {

__extension__ using Unsigned = unsigned __int128;

enum class ValueKind {
  kUndefined,
  kNone,
  kBoolean,
  kInteger,
  kQuotient,  // a float: the exact quotient of two integers below 2^53
  kText,
  kOpaque,       // a value that nothing in the map can depend on: other floats, formatted texts
  kEnvironment,  // known only where the script runs
  kSection,      // index: which one
  kMap,          // index: which one
  kExporter,     // index: which one
  kFunction,     // index: which one
  kBuiltin,      // index: a Builtin; text: its name
  kClass,        // index: a LibraryClass; text: its name
  kModule,       // text: its name
};

enum class Builtin { kPrint, kInt, kAbs, kMin, kMax, kStr, kHex, kCeil, kFloor, kExit };

enum class LibraryClass { kSection, kMap, kExporter, kHeaderExporter, kLocalExporter };

struct Value {
  ValueKind kind = ValueKind::kUndefined;
  std::size_t index = 0;
  /// kBoolean: 0 or 1; kQuotient: the dividend.
  Integer number = 0;
  /// kQuotient: above 0.
  Integer divisor = 1;
  std::shared_ptr<const std::string> text;

  [[nodiscard]] bool is(ValueKind other) const { return kind == other; }

  [[nodiscard]] bool is_integer() const {
    return kind == ValueKind::kInteger || kind == ValueKind::kBoolean;
  }

  [[nodiscard]] bool is_number() const { return is_integer() || kind == ValueKind::kQuotient; }
};

[[nodiscard]] Value make_none();
[[nodiscard]] Value make_boolean(bool boolean);
[[nodiscard]] Value make_integer(Integer number);
[[nodiscard]] Value make_text(std::string text);
[[nodiscard]] Value make_unknown(ValueKind kind);

/// Python's name of the type, such as 'int'.
[[nodiscard]] std::string type_name(const Value& value);

/// For people: "67108864 (0x4000000)", "'text'", "a MemSection".
[[nodiscard]] std::string show(const Value& value);

/// A value, or why there is none.
using Computed = tl::expected<Value, std::string>;

/// kPlus, kMinus, kInvert
[[nodiscard]] Computed unary(Op op, const Value& operand);

/// The arithmetic operators. What comes from the environment stays so.
[[nodiscard]] Computed binary(Op op, const Value& left, const Value& right);

/// kLess to kNotIn
[[nodiscard]] Computed compare(Op op, const Value& left, const Value& right);

/// True, false, or what cannot be decided: kEnvironment as it is, kOpaque as an error.
[[nodiscard]] Computed truth(const Value& value);

/// math.ceil(), math.floor() and int() of a number.
enum class Rounding { kUp, kDown, kToZero };
[[nodiscard]] Computed to_integer(const Value& value, Rounding rounding);

}  // namespace memsize::sdk
