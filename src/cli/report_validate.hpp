// What validate prints of a map that ran.
#pragma once

#include "pipeline.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace memsize::cli {

[[nodiscard]] std::string validation_text(const ValidateRequest& request,
                                          const Validation& validation);

/// Adds to the document what ran, what it proved, and what it cannot prove.
void add_validation(const ValidateRequest& request,
                    const Validation& validation,
                    nlohmann::ordered_json& document);

}  // namespace memsize::cli
