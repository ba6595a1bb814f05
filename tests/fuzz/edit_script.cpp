// Any bytes as a generator script whose constants are set: an error, or a script that has these
// values, that differs only where they stand, and that is left alone when they are set again.
#include "script/edit_script.hpp"

#include "check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace sdk = memsize::sdk;
using memsize::fuzz::require;

namespace {

constexpr std::size_t kMostValues = 3;

// FNV-1a: what is set depends on the script.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return hash;
}

// Whole KiB and MiB, any bytes, and what is there already.
sdk::Integer wanted(std::uint64_t hash, const sdk::ScriptVariable& variable) {
  const auto* now = std::get_if<sdk::Integer>(&variable.value());
  const sdk::Integer value = static_cast<sdk::Integer>(hash >> 24);
  switch (hash % 5) {
    case 0:
      return (value % 4096) << 20;
    case 1:
      return (value % 4096) << 10;
    case 2:
      return value;
    case 3:
      return value % 1000;
    default:
      return now == nullptr ? 0 : *now + (value % 64 << 20);
  }
}

void check_result(const std::string& text, const std::map<std::string, sdk::Integer>& values) {
  const auto edited = sdk::set_constants("gen.py", text, nullptr, values);
  if (!edited) {
    require(!edited.error().empty(), "a failure has an error");
    return;
  }
  const auto script = sdk::evaluate_script("gen.py", *edited);
  require(script.has_value(), "an edited script runs, if it did");
  for (const auto& [name, value] : values) {
    const sdk::ScriptVariable* variable = sdk::find_variable(*script, name);
    require(variable != nullptr && variable->value() == sdk::ScriptValue{value},
            "an edited script has the value");
  }
  const auto again = sdk::set_constants("gen.py", *edited, &*script, values);
  require(again.has_value() && *again == *edited, "nothing is edited twice");
}

}  // namespace

MEMSIZE_FUZZ_TARGET(edit_script) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  const auto script = sdk::evaluate_script("gen.py", text);
  if (!script) {
    // What cannot be run is passed over, and may be all there is.
    (void)sdk::set_constants("gen.py", text, nullptr, {{"x", 1}});
    return 0;
  }
  std::map<std::string, sdk::Integer> values;
  for (const sdk::ScriptVariable& variable : script->variables) {
    const std::uint64_t hash = hash_of(text + variable.name);
    if (values.size() < kMostValues && hash % 3 != 0) {
      values[variable.name] = wanted(hash / 3, variable);
    }
  }
  check_result(text, values);
  for (const auto& [name, value] : values) {
    check_result(text, {{name, value}});
  }
  return 0;
}
