// The logs of folders for people, and as a document.
#pragma once

#include "memsize/app/fleet.hpp"
#include "memsize/core/json.hpp"

#include <string>

namespace memsize::cli {

[[nodiscard]] std::string fleet_text(const app::Fleet& fleet);
/// One row a demand, sizes in bytes.
[[nodiscard]] std::string fleet_csv(const app::Fleet& fleet);
[[nodiscard]] std::string fleet_markdown(const app::Fleet& fleet);
/// memsize.fleet/1.
[[nodiscard]] core::Json fleet_document(const app::Fleet& fleet);

}  // namespace memsize::cli
