// An answer of memsize why, for people and as a document.
#pragma once

#include "memsize/core/json.hpp"
#include "memsize/layout/answer.hpp"

#include <string>

namespace memsize::cli {

[[nodiscard]] std::string why_text(const layout::Answer& answer);

/// memsize.why/1.
[[nodiscard]] core::Json why_document(const layout::Answer& answer);

}  // namespace memsize::cli
