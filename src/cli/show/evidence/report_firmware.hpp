// What firmware takes of its core's regions, as tables and as JSON.
#pragma once

#include "memsize/app/check.hpp"
#include "memsize/core/json.hpp"

#include <string>
#include <vector>

namespace memsize::cli {

[[nodiscard]] std::string firmware_text(const std::vector<app::CheckedFirmware>& firmware);
/// Empty: there is none.
[[nodiscard]] core::Json::Array firmware_json(const std::vector<app::CheckedFirmware>& firmware);

}  // namespace memsize::cli
