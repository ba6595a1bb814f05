// What images have in each memory of a part.
#pragma once

#include "memsize/app/check.hpp"
#include "memsize/core/json.hpp"

#include <string>
#include <vector>

namespace memsize::cli {

[[nodiscard]] std::string images_text(const std::vector<app::CheckedImage>& images);
/// Empty: there are none.
[[nodiscard]] core::Json::Array images_json(const std::vector<app::CheckedImage>& images);

}  // namespace memsize::cli
