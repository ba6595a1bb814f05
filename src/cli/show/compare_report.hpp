// What changed between two maps or two runs, for people, pull requests and programs.
#pragma once

#include "memsize/app/compare.hpp"
#include "memsize/core/json.hpp"

#include <string>

namespace memsize::cli {

[[nodiscard]] std::string comparison_text(const app::Comparison& comparison, bool markdown);
/// memsize.diff/1 without its diagnostics; `ok` is whether nothing changed that may not.
[[nodiscard]] core::Json comparison_document(const app::Comparison& comparison,
                                             const app::CompareRequest& request,
                                             bool ok);

}  // namespace memsize::cli
