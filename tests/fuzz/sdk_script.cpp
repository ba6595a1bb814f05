// Any bytes as a generator script: one error inside of it, or values whose places hold their texts,
// and that brackets around them do not change.
#include "check.hpp"
#include "script/script.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sdk = memsize::sdk;
using memsize::fuzz::require;

namespace {

std::string_view at(std::string_view text, const sdk::ScriptPiece& piece) {
  require(piece.offset + piece.length <= text.size(), "a piece is inside of the file");
  require(piece.line > 0 && piece.column > 0, "a piece has a place");
  return text.substr(piece.offset, piece.length);
}

void check_sections(std::string_view text, const sdk::Script& script) {
  for (const sdk::ScriptSectionPointer& section : script.sections) {
    for (const auto* argument : {&section->origin_argument, &section->length_argument}) {
      require(at(text, argument->place) == argument->text, "an argument is where it says");
    }
    (void)at(text, section->place);
    (void)at(text, section->name_place);
  }
  for (const sdk::ScriptMap& map : script.maps) {
    for (const sdk::ScriptMapEntry& entry : map.entries) {
      require(std::ranges::find(script.sections, entry.section) != script.sections.end(),
              "what a map ends with is among the sections");
      (void)at(text, entry.place);
    }
  }
}

}  // namespace

MEMSIZE_FUZZ_TARGET(sdk_script) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  const auto script = sdk::evaluate_script("gen.py", text);
  if (!script) {
    require(script.error().size() == 1, "a failure is one error");
    const auto lines =
        1 + std::ranges::count_if(text, [](char c) { return c == '\n' || c == '\r'; });
    const std::size_t line = script.error().front().place.line;
    require(line > 0 && line <= static_cast<std::size_t>(lines), "the error is in the script");
    return 0;
  }
  check_sections(text, *script);
  std::string edited = text;
  for (auto variable = script->variables.rbegin(); variable != script->variables.rend();
       ++variable) {
    require(!variable->assignments.empty(), "a variable is assigned");
    for (const sdk::ScriptAssignment& assignment : variable->assignments) {
      require(at(text, assignment.name_place) == variable->name, "a name is where it says");
      require(at(text, assignment.expression.place) == assignment.expression.text,
              "an expression is where it says");
    }
  }
  if (!script->variables.empty()) {
    const sdk::ScriptVariable& last = script->variables.back();
    const sdk::ScriptExpression& expression = last.assignments.back().expression;
    edited.insert(expression.place.offset + expression.place.length, ")");
    edited.insert(expression.place.offset, "(");
    const auto again = sdk::evaluate_script("gen.py", edited);
    // Only the deepest nesting may refuse one more.
    require(again ? sdk::find_variable(*again, last.name) != nullptr &&
                        sdk::find_variable(*again, last.name)->value() == last.value()
                  : expression.text.find_first_of("([-+~n*fi") != std::string::npos,
            "brackets change nothing");
  }
  return 0;
}
