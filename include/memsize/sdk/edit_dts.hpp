// Linux' own device trees: the nodes of reserved memory that belong to a map, in place.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/layout/memory_map.hpp"
#include "memsize/sdk/file_edit.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::sdk {

/// By the end of its name.
[[nodiscard]] bool is_device_tree(std::string_view path);

struct DeviceTreeEdits {
  /// Below the folder.
  std::vector<FileEdit> files;
  /// Warnings.
  core::Diagnostics diagnostics;
};

/// `folder` is a kernel's source, an SDK that has one in board-support/, or the folder of the
/// device trees itself. In its files (.dts, .dtsi, .dtso) whose names have the part's, each node
/// with the label of a carve-out that has the range of one of the maps `before` gets that of
/// `after`: the cells of `reg` that differ, and the unit address. `before` are the maps that the
/// SDK has and had: Linux may not have followed the last change. Errors:
///  - sdk.tree: no file there has such a node;
///  - sdk.hand-edited: a node that must change has a range of its own, unless `hand_edits` says
///    what becomes of it;
///  - verify.parse: a file that has such a node is not understood.
/// A carve-out for which none of these files has a node, its own or one around it, is a warning,
/// sdk.reserved.
[[nodiscard]] core::Result<DeviceTreeEdits> edit_device_trees(
    core::FileSystem& files,
    const std::string& folder,
    const std::vector<const layout::MemoryMap*>& before,
    const layout::MemoryMap& after,
    std::optional<HandEdits> hand_edits);

}  // namespace memsize::sdk
