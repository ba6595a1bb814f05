// Whether the device tree that Linux is started with reserves what the map has, for the cores that
// have it, and what else it keeps from Linux.
//
// Sources: drivers/of/fdt.c and of_reserved_mem.c of Linux (which nodes count, and that overlaps
// are only logged); Documentation/devicetree/bindings/reserved-memory; ti_k3_r5_remoteproc.c and
// ti_k3_dsp_remoteproc.c (memory-region); dma-buf/heaps/carveout-heap.c of TI's kernel.
#pragma once

#include "memsize/core/address.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/names.hpp"
#include "memsize/core/rule.hpp"
#include "memsize/layout/firmware.hpp"
#include "memsize/layout/memory_map.hpp"
#include "memsize/model/device_tree.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::layout {

enum class ReservedBy {
  kMap,       // stands for a carve-out of the map
  kOther,     // kept from Linux for somebody else
  kReusable,  // Linux has it until a driver wants it (CMA): nothing is lost
};

constexpr auto names_of(ReservedBy /*all*/) {
  return std::to_array<std::string_view>({"map", "other", "reusable"});
}

/// What the tree reserves, a row for each range of a node.
struct ReservedRow {
  /// With its unit address; "/memreserve/" for what stands in the blob's own list.
  std::string node;
  /// Nothing: Linux chooses a place for it.
  std::optional<core::PhysRange> range;
  core::Bytes size;
  ReservedBy by = ReservedBy::kOther;
  /// The label of the map's carve-out that it stands for; empty: none.
  std::string carveout;
};

/// The node of a core that the board has a name for.
struct CoreNode {
  std::string core;
  /// Empty: the board does not say what Linux calls the core.
  std::string device;
  /// Its path; empty: the tree has none.
  std::string path;
};

struct DeviceTreeReport {
  /// By address; what has none comes last.
  std::vector<ReservedRow> rows;
  /// In the board's order.
  std::vector<CoreNode> cores;
  core::Diagnostics diagnostics;
};

/// The rules that a device tree is held against.
[[nodiscard]] const std::vector<core::Rule>& device_tree_rules();

/// A whole tree, with its overlays merged in.
[[nodiscard]] DeviceTreeReport check_device_tree(const MemoryMap& map,
                                                 const model::DeviceTree& tree);

}  // namespace memsize::layout
