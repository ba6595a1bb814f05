// What validate says of a network's program.
#pragma once

#include "memsize/app/module.hpp"
#include "memsize/core/json.hpp"

#include <string>

namespace memsize::cli {

[[nodiscard]] std::string network_text(const app::ModuleValidateRequest& request,
                                       const app::ModuleValidation& validation);

void add_network(const app::ModuleValidateRequest& request,
                 const app::ModuleValidation& validation,
                 core::Json& document);

}  // namespace memsize::cli
