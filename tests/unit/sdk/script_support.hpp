// What the tests of generator scripts share.
#pragma once

#include "script/script.hpp"
#include "support.hpp"

#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::sdk {

/// An evaluation that must not fail.
inline Script script_of(std::string_view text, const ScriptRules& rules = {}) {
  CAPTURE(text);
  auto script = evaluate_script("gen.py", text, rules);
  REQUIRE_MESSAGE(script.has_value(), (script ? "" : test::all_text(script.error())));
  return std::move(*script);
}

/// The one error of an evaluation that must fail.
inline core::Diagnostic refused(std::string_view text) {
  CAPTURE(text);
  const auto script = evaluate_script("gen.py", text);
  REQUIRE_FALSE(script.has_value());
  REQUIRE(script.error().size() == 1);
  const core::Diagnostic& problem = script.error().front();
  CHECK(problem.severity == core::Severity::kError);
  CHECK(problem.place.path == core::SharedText{"gen.py"});
  CHECK(problem.place.line > 0);
  CHECK_FALSE(problem.hint.empty());
  return problem;
}

/// "2:5+3 message": line, column, length.
inline std::string brief(const core::Diagnostic& problem) {
  return fmt::format("{}:{}+{} {}",
                     problem.place.line,
                     problem.place.column,
                     problem.place.length,
                     problem.message);
}

/// The value of `x` as text: "12", "True", "'text'", or "-" where it is not listed.
inline std::string value_of(const Script& script, std::string_view name = "x") {
  const ScriptVariable* variable = find_variable(script, name);
  if (variable == nullptr) {
    return "-";
  }
  if (const auto* integer = std::get_if<Integer>(&variable->value())) {
    return fmt::format("{}", *integer);
  }
  if (const auto* flag = std::get_if<bool>(&variable->value())) {
    return *flag ? "True" : "False";
  }
  return fmt::format("'{}'", std::get<std::string>(variable->value()));
}

inline std::string value(const std::string& expression) {
  return value_of(script_of("import math\nx = " + expression + "\n"));
}

constexpr std::string_view kImport = "from ti_psdk_rtos_tools import *\n";

}  // namespace memsize::sdk
