// Files that should be there and are not, and files that are there and that nothing makes or uses.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/written.hpp"
#include "memsize/sdk/view.hpp"

#include <cstdint>
#include <vector>

namespace memsize::sdk {

/// Adds sdk.missing for what a core has no file for although the board or another core says that it
/// needs one, and sdk.stale for tables and device trees that nothing makes or uses.
void check_files(const View& view, core::Diagnostics& found);

/// The first byte from `address` on that no node reserves for good.
[[nodiscard]] std::uint64_t reserved_until(const std::vector<emit::WrittenNode>& nodes,
                                           std::uint64_t address);

}  // namespace memsize::sdk
