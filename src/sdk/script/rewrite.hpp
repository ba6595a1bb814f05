// How a script would write another value where one stands.
#pragma once

#include "known.hpp"
#include "script.hpp"
#include "source.hpp"
#include "tree.hpp"

#include <string>
#include <vector>

namespace memsize::sdk {

/// Bytes of the script, and what stands there afterwards.
struct ScriptEdit {
  Span span;
  std::string text;
};

/// What makes the variable's last assignment `wanted`, which is not negative and not its value yet;
/// `statement` is that assignment. In the order of their places, without overlaps.
[[nodiscard]] std::vector<ScriptEdit> rewrite(const KnownScript& known,
                                              const ScriptVariable& variable,
                                              const Statement& statement,
                                              Integer wanted);

}  // namespace memsize::sdk
