// Whether the files that a generator script writes are what it makes now.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/written.hpp"
#include "memsize/sdk/tree.hpp"

#include <map>
#include <string>
#include <vector>

namespace memsize::sdk {

/// The files of a variant, parsed. A file that is missing or cannot be read is empty here.
struct Generated {
  /// By core.
  std::map<std::string, std::vector<emit::WrittenRange>> linkers;
  std::map<std::string, emit::WrittenMacro> macros;
  std::vector<emit::WrittenNode> nodes;
};

/// Parses the files that the script exports, and holds them against it: sdk.missing, sdk.generated
/// (one finding a file), verify.parse and dts.cells.
[[nodiscard]] Generated read_generated(const Sources& sources,
                                       const Variant& variant,
                                       core::Diagnostics& found);

/// The place of a piece of the variant's script.
[[nodiscard]] core::Place place_in_script(const Variant& variant, const ScriptPiece& piece);

}  // namespace memsize::sdk
