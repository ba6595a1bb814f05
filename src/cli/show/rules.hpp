// Every named rule that memsize holds something against: what `list checks` prints and what SARIF
// says of its rules.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace memsize::cli {

struct Rule {
  core::Code code;
  core::Severity severity;
  /// The check that must pass first; nothing where there is none.
  std::optional<core::Code> after;
  std::string_view rule;
  /// Why it is one.
  std::string_view why;
};

/// A code may have several: of a board's map, of a written map, of an SDK tree.
[[nodiscard]] std::vector<Rule> all_rules();

}  // namespace memsize::cli
