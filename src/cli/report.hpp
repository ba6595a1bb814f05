// An analysis for people, and as a document.
#pragma once

#include "pipeline.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace memsize::cli {

[[nodiscard]] std::string report_text(const Analysis& analysis, bool explain);
/// One row a demand, sizes in bytes.
[[nodiscard]] std::string report_csv(const Analysis& analysis);
[[nodiscard]] std::string report_markdown(const Analysis& analysis);
/// memsize.sizing/1.
[[nodiscard]] nlohmann::ordered_json sizing_document(const Analysis& analysis);

}  // namespace memsize::cli
