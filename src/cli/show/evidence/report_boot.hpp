// What device trees reserve and boot images load, as text and for the document.
#pragma once

#include "memsize/app/check.hpp"
#include "memsize/core/json.hpp"

#include <string>
#include <vector>

namespace memsize::cli {

[[nodiscard]] std::string trees_text(const std::vector<app::CheckedTree>& trees);
[[nodiscard]] core::Json::Array trees_json(const std::vector<app::CheckedTree>& trees);

[[nodiscard]] std::string boot_images_text(const std::vector<app::CheckedBootImage>& images);
[[nodiscard]] core::Json::Array boot_images_json(const std::vector<app::CheckedBootImage>& images);

}  // namespace memsize::cli
