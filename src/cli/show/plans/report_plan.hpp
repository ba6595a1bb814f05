// A plan for people.
#pragma once

#include "memsize/app/plan.hpp"

#include <string>

namespace memsize::cli {

/// What every arena came to and what that proves, how full each memory is, and what the report's
/// own plan was.
[[nodiscard]] std::string report_plan(const app::Planning& planning);

}  // namespace memsize::cli
