// A flattened device tree as its blob has it: nodes with their properties, which are bytes until
// somebody says what they stand for.
#pragma once

#include "memsize/core/address.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::model {

/// Numbers are made of cells of 32 bits, big endian.
inline constexpr std::size_t kCellSize = 4;

struct DeviceProperty {
  std::string name;
  std::string value;
};

struct DeviceNode {
  /// With its unit address: "memory@80000000"; the root has none.
  std::string name;
  /// Where its parent stands in the tree's nodes; the root is its own.
  std::size_t parent = 0;
  std::vector<std::size_t> children;
  std::vector<DeviceProperty> properties;

  /// What the property holds; null where the node has none of that name.
  [[nodiscard]] const std::string* find(std::string_view property) const;

  [[nodiscard]] bool has(std::string_view property) const { return find(property) != nullptr; }

  /// The property as one text; empty where it is none.
  [[nodiscard]] std::string_view text(std::string_view property) const;
  /// The property as one number of 32 bits.
  [[nodiscard]] std::optional<std::uint32_t> number(std::string_view property) const;
};

struct DeviceTree {
  /// As the user typed it.
  std::string path;
  /// Parents stand before their children; the first one is the root.
  std::vector<DeviceNode> nodes;
  /// What the blob's own list of reservations has, beside its nodes.
  std::vector<core::PhysRange> reserved;

  /// What an overlay is recognised by: a fragment of something to be merged into another tree.
  [[nodiscard]] bool is_overlay() const;
  /// "/soc/dsp@7e000000"; as U-Boot finds nodes, a name may lack its unit address. Null: no node.
  [[nodiscard]] const DeviceNode* find(std::string_view node_path) const;
  /// What the label leads to, where the tree was compiled with its labels (dtc -@).
  [[nodiscard]] const DeviceNode* labelled(std::string_view label) const;
  [[nodiscard]] const DeviceNode* with_phandle(std::uint32_t phandle) const;
  [[nodiscard]] std::vector<const DeviceNode*> children(const DeviceNode& node) const;
  [[nodiscard]] std::string path_of(const DeviceNode& node) const;
  /// What the node's `reg`, or what is written like it, names on the bus of its parent. Nothing: it
  /// has no such property, or not that many cells.
  [[nodiscard]] std::optional<std::vector<core::PhysRange>> ranges(
      const DeviceNode& node, std::string_view property = "reg") const;
};

/// What is left over is no cell.
[[nodiscard]] std::vector<std::uint32_t> cells_of(std::string_view value);
/// Texts that each end with a NUL; nothing where the value is something else.
[[nodiscard]] std::vector<std::string_view> strings_of(std::string_view value);

}  // namespace memsize::model
