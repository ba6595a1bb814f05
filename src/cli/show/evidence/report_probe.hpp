// What a running board said, as text and as a part of check's document.
#pragma once

#include "memsize/app/check.hpp"
#include "memsize/core/json.hpp"

#include <optional>
#include <string>

namespace memsize::cli {

[[nodiscard]] std::string probe_text(const std::optional<app::CheckedProbe>& probe);
[[nodiscard]] core::Json probe_json(const app::CheckedProbe& probe);

}  // namespace memsize::cli
