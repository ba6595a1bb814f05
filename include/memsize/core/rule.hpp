// What a check holds something against, as `list checks` tells it.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <string_view>

namespace memsize::core {

/// A code may have several.
struct Rule {
  Code code{};
  Severity severity = Severity::kError;
  std::string_view rule;
  /// Where the rule comes from: a manual, a file of an SDK, the code of a loader.
  std::string_view source;
};

}  // namespace memsize::core
