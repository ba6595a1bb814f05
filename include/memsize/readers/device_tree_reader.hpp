// Flattened device trees: what a kernel is started with, overlays that are merged into it, and FIT
// images, which are trees whose properties hold whole files.
//
// Sources: Devicetree Specification 0.4, chapter 5 (the blob); libfdt's fdt_overlay.c, which U-Boot
// merges with.
#pragma once

#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/model/boot_image.hpp"
#include "memsize/model/device_tree.hpp"

#include <string>
#include <string_view>

namespace memsize::readers {

/// No kernel takes a larger tree (arm64: 2 MiB).
inline constexpr core::Bytes kLargestTree{2U << 20U};
/// A FIT with a kernel and its first file system.
inline constexpr core::Bytes kLargestFit{64U << 20U};

/// Whether the bytes begin as a device tree does.
[[nodiscard]] bool is_device_tree(std::string_view bytes);

/// Bytes behind the length that its header names are not looked at. Errors (devicetree.syntax):
/// what is no tree, is larger than `most`, is cut short, or contradicts itself, with the offset of
/// the byte.
[[nodiscard]] core::Result<model::DeviceTree> read_device_tree(std::string_view bytes,
                                                               const std::string& path,
                                                               core::Bytes most = kLargestTree);

/// The base with the overlay merged in, as U-Boot does it: phandles of the overlay moved behind
/// those of the base, labels looked up in the base, fragments merged node by node. Errors
/// (devicetree.overlay): what the base lacks for it, and what is wrong in the overlay.
[[nodiscard]] core::Result<model::DeviceTree> apply_overlay(const model::DeviceTree& base,
                                                            const model::DeviceTree& overlay);

/// Whether the tree is a FIT image: one whose nodes are files.
[[nodiscard]] bool is_fit(const model::DeviceTree& tree);

/// The parts of a FIT image, of which `bytes` are the whole file: its data may stand behind the
/// tree. Errors (fit.syntax): a part without data, or with data behind the end.
[[nodiscard]] core::Result<model::BootImage> read_fit(const model::DeviceTree& tree,
                                                      std::string_view bytes);

}  // namespace memsize::readers
