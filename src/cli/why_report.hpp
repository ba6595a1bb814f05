// An answer of memsize why, for people and as a document.
#pragma once

#include "memsize/layout/answer.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace memsize::cli {

[[nodiscard]] std::string why_text(const layout::Answer& answer);

/// memsize.why/1.
[[nodiscard]] nlohmann::ordered_json why_document(const layout::Answer& answer);

}  // namespace memsize::cli
