// What validate prints of a module that ran.
#pragma once

#include "memsize/app/module.hpp"
#include "memsize/core/json.hpp"

#include <string>

namespace memsize::cli {

[[nodiscard]] std::string module_text(const app::ModuleValidateRequest& request,
                                      const app::ModuleValidation& validation);

/// Adds to the document what ran, and what that cannot prove.
void add_module(const app::ModuleValidateRequest& request,
                const app::ModuleValidation& validation,
                core::Json& document);

/// "4 arenas, 1 of them staged (1 168 B), 15 tensors".
[[nodiscard]] std::string module_counts(const emit::Module& module);

}  // namespace memsize::cli
