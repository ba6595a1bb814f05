// Which models fit together, for people and as a document.
#pragma once

#include "memsize/app/fit.hpp"
#include "memsize/core/json.hpp"

#include <string>

namespace memsize::cli {

/// `all`: every set that is known, not only those that come first.
[[nodiscard]] std::string fit_text(const app::Fit& fit, bool all);
[[nodiscard]] core::Json fit_document(const app::Fit& fit);

}  // namespace memsize::cli
