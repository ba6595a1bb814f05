// Sums of a script's variables: what an address or a size of it is made of.
#pragma once

#include "script.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace memsize::sdk {

/// constant + factor * name + ... No factor is zero.
struct Linear {
  Integer constant = 0;
  std::map<std::string, Integer> terms;

  friend bool operator==(const Linear&, const Linear&) = default;
};

[[nodiscard]] Linear constant_of(Integer value);
[[nodiscard]] Linear name_of(const std::string& name);
[[nodiscard]] Linear plus(Linear a, const Linear& b, Integer factor = 1);

/// The name that it is and nothing else; empty where it is more.
[[nodiscard]] std::string only_name(const Linear& form);

using Forms = std::map<std::string, Linear>;

/// An expression of the script over variables whose forms are known. Nothing for one that is no
/// sum of multiples: a call, a product of two variables, a comparison.
[[nodiscard]] std::optional<Linear> parse_linear(std::string_view text, const Forms& variables);

using Numbers = std::map<std::string, Integer>;

/// Nothing for a name without a value.
[[nodiscard]] std::optional<Integer> value_of(const Linear& form, const Numbers& values);

/// As a board's expression: "16MiB - app_log_mem_size", "14MiB - 1KiB", "0".
[[nodiscard]] std::string text_of(const Linear& form);

/// A size as people write it: the nearest larger unit where little is missing ("64MiB - 16KiB"),
/// else a sum of units.
[[nodiscard]] std::string size_text(Integer size);

}  // namespace memsize::sdk
