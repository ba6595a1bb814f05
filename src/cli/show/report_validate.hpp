// What validate prints of a map that ran.
#pragma once

#include "memsize/app/validate.hpp"
#include "memsize/core/json.hpp"

#include <string>

namespace memsize::cli {

[[nodiscard]] std::string validation_text(const app::ValidateRequest& request,
                                          const app::Validation& validation);

/// Adds to the document what ran, what it proved, and what it cannot prove.
void add_validation(const app::ValidateRequest& request,
                    const app::Validation& validation,
                    core::Json& document);

}  // namespace memsize::cli
