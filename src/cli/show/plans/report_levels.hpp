// What takes bytes of a cluster's memories, for people and as JSON.
#pragma once

#include "memsize/core/json.hpp"
#include "memsize/network/levels.hpp"

#include <string>
#include <vector>

namespace memsize::cli {

/// Empty where there is none.
[[nodiscard]] std::string levels_text(const std::vector<network::Level>& levels);
[[nodiscard]] core::Json levels_json(const std::vector<network::Level>& levels);

}  // namespace memsize::cli
