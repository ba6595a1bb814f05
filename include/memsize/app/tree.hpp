// A map in an SDK tree.
#pragma once

#include "memsize/app/map.hpp"
#include "memsize/sdk/transaction.hpp"

#include <string>
#include <vector>

namespace memsize::app {

/// Below the root: what has to be done after a change.
inline constexpr const char* kRebuildFile = "REBUILD.md";

/// What an SDK tree, and the device trees of Linux, have to become.
struct TreeEmission {
  /// The folder that holds platform/, first; then that of the device trees, if one was given.
  std::vector<sdk::RootChanges> roots;
  /// With the sizes that are wanted, and with those that the tree has.
  layout::MemoryMap map;
  layout::MemoryMap baseline;
  /// By the files that change.
  emit::Affected affected;
  /// Warnings and notes.
  core::Diagnostics diagnostics;
};

/// Everything up to the last byte, nothing on the disk. REBUILD.md is among the changes if there is
/// another one. A change that was interrupted is ended first, or is an error where the request only
/// shows or checks. Error sdk.lock: somebody else changes the tree meanwhile.
[[nodiscard]] core::Result<TreeEmission> render_tree(Session& session, const EmitRequest& request);

/// Writes the changes, whole or not at all; one of each root.
[[nodiscard]] core::Result<std::vector<sdk::Applied>> apply_tree(Session& session,
                                                                 const EmitRequest& request,
                                                                 const TreeEmission& emission);

}  // namespace memsize::app
