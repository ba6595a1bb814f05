// An analysis for people, and as a document.
#pragma once

#include "memsize/core/json.hpp"

#include "app/pipeline.hpp"

#include <string>

namespace memsize::cli {

[[nodiscard]] std::string report_text(const Analysis& analysis, bool explain);
/// One row a demand, sizes in bytes.
[[nodiscard]] std::string report_csv(const Analysis& analysis);
[[nodiscard]] std::string report_markdown(const Analysis& analysis);
/// memsize.sizing/1.
[[nodiscard]] core::Json sizing_document(const Analysis& analysis);
/// Adds what everything else in it hashes to, by sorted keys: readers tell who changed it since.
void seal(core::Json& document);
/// As it is printed and written. A name from an input may be no UTF-8; it is replaced.
[[nodiscard]] std::string document_text(const core::Json& document);

}  // namespace memsize::cli
