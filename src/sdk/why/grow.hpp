// What a generator script makes of a larger size: the script with an expression edited in memory,
// evaluated and held against what it makes now.
#pragma once

#include "memsize/layout/answer.hpp"
#include "memsize/sdk/view.hpp"

#include "script/script.hpp"

#include <cstdint>
#include <string>

namespace memsize::sdk {

/// An expression of the script that decides a size, and the section that it is the size of.
struct SizeSource {
  /// The variable whose last assignment the expression is; empty for an argument.
  std::string variable;
  ScriptExpression expression;
  /// Null where the variable is the size of none, or of several.
  const ScriptSection* section = nullptr;
};

/// The expression that a user would edit to make the section larger: behind variables that are only
/// other names for it.
[[nodiscard]] SizeSource size_source(const Script& script, const ScriptSection& section);

/// The script's text with the expression larger by `step` bytes.
[[nodiscard]] std::string text_with(const std::string& text,
                                    const ScriptExpression& expression,
                                    std::uint64_t step);

[[nodiscard]] layout::Expansion grow(const View& view,
                                     const SizeSource& source,
                                     std::uint64_t step);

}  // namespace memsize::sdk
