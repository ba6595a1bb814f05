// Diagnostics as workflow commands, which a code host shows beside the lines of a change.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <string>

namespace memsize::cli {

/// One line each, for GitHub Actions: "::error file=...,line=...::message". The escapes are those
/// that its runner undoes (actions/runner, ActionCommand.cs).
[[nodiscard]] std::string github_annotations(const core::Diagnostics& diagnostics);

}  // namespace memsize::cli
