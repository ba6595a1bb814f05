// Whether the files that a generator script writes are what it makes now.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/sdk/tree.hpp"

#include "script/script.hpp"
#include "tree/reading.hpp"

namespace memsize::sdk {

/// Holds the files that the script exports against it: sdk.missing, sdk.generated (one finding a
/// file) and dts.cells. Of a file that could not be parsed nothing is said.
void check_generated(const Sources& sources,
                     const Variant& variant,
                     const Reading& reading,
                     core::Diagnostics& found);

/// The place of a piece of the variant's script.
[[nodiscard]] core::Place place_in_script(const Variant& variant, const ScriptPiece& piece);

}  // namespace memsize::sdk
