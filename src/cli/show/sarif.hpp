// Findings as SARIF 2.1.0, the format in which code hosts and editors take them.
#pragma once

#include "memsize/app/baseline.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/json.hpp"

#include "rules.hpp"

#include <string>
#include <vector>

namespace memsize::cli {

/// One run. What could not be looked at is a notification of the invocation, everything else a
/// result; what a baseline accepts is a result too, suppressed. Columns are UTF-16 code units, and
/// absent where the line's text is not known.
[[nodiscard]] core::Json to_sarif(const core::Diagnostics& found,
                                  const app::Acceptance& acceptance,
                                  core::ExitStatus status,
                                  const std::vector<Rule>& rules,
                                  const std::string& version);

}  // namespace memsize::cli
