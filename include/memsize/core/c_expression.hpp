// Constant expressions of C: sums, differences, products, shifts and disjunctions of numbers and
// names, with parentheses and casts. A place that is not understood is an error, never a guess.
#pragma once

#include "memsize/core/cursor.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace memsize::core {

/// The number that a name stands for; nothing if it stands for none.
using CNames = std::function<std::optional<std::uint64_t>(const std::string&)>;

struct CExpressionRules {
  CNames names;
  /// Values above it are an error, in between too.
  std::uint64_t largest = UINT64_MAX;
  /// What `largest` is called in messages.
  unsigned bits = 64;
  /// What has the names, in messages: "the map or the PDK".
  std::string names_of = "the map";
  /// Numbers below 2^32 are of a type of 32 bits unless a cast widens them, as they are on every
  /// compiler that these files are for: a result that wraps around there is an error.
  bool narrow_types = false;
  /// As dtc computes: with all operators but assignments, in 64 bits without a sign, which wrap
  /// around; no casts; 010 is eight.
  bool wraps = false;
};

/// Takes the longest expression that begins at the cursor. Nothing after an error, which the cursor
/// has reported.
[[nodiscard]] std::optional<std::uint64_t> c_expression(Cursor& cursor,
                                                        const CExpressionRules& rules);

/// Takes one operand only: a number, a name or what stands in parentheses, with the casts before
/// it.
[[nodiscard]] std::optional<std::uint64_t> c_operand(Cursor& cursor, const CExpressionRules& rules);

/// What a text is by itself, without any name; nothing unless all of it is one expression.
[[nodiscard]] std::optional<std::uint64_t> c_constant(const std::string& text,
                                                      bool narrow_types = false);

/// The same as dtc computes it, or why there is no number.
[[nodiscard]] Result<std::uint64_t> dtc_constant(const std::string& text);

/// Whether the word is a type that a cast may name.
[[nodiscard]] bool is_c_type(std::string_view word);

}  // namespace memsize::core
