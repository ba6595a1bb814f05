// Places of a board that was imported from a script, and of which there is no file.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/sdk/tree.hpp"

#include <string>

namespace memsize::sdk {

/// The path under which such a board is read.
[[nodiscard]] std::string imported_path(const Variant& variant);

/// What is said of that board is said of the script: where it makes the first variable or section
/// that a message names, else of it as a whole.
void show_script(const Sources& sources, const Variant& variant, core::Diagnostics& found);

}  // namespace memsize::sdk
