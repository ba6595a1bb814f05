// An analysis for people and for tables.
#pragma once

#include "memsize/app/analyze.hpp"

#include <string>

namespace memsize::cli {

[[nodiscard]] std::string report_text(const app::Analysis& analysis, bool explain);
/// One row a demand, sizes in bytes.
[[nodiscard]] std::string report_csv(const app::Analysis& analysis);
[[nodiscard]] std::string report_markdown(const app::Analysis& analysis);
}  // namespace memsize::cli
