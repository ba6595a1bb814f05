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
/// Adds what everything else in it hashes to, by sorted keys: readers tell who changed it since.
void seal(nlohmann::ordered_json& document);
/// As it is printed and written. A name from an input may be no UTF-8; it is replaced.
[[nodiscard]] std::string document_text(const nlohmann::ordered_json& document);

}  // namespace memsize::cli
