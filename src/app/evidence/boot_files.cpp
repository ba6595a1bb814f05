// Sorts what is given by what it holds, merges overlays in the order given, as U-Boot does, and has
// trees checked before boot images, which must agree with what the tree reserves.
#include "boot_files.hpp"

#include "memsize/core/text.hpp"
#include "memsize/readers/device_tree_reader.hpp"
#include "memsize/readers/image_reader.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

bool BootFiles::take(std::string_view content, const std::string& path) {
  if (!readers::is_device_tree(content)) {
    return false;
  }
  auto tree = readers::read_device_tree(content, path, readers::kLargestFit);
  const bool is_boot_image = tree && readers::is_fit(*tree);
  if (!is_boot_image && content.size() > readers::kLargestTree.count()) {
    tree = readers::read_device_tree(content, path);
  }
  if (!tree) {
    keep(tree.error());
    // What follows is not blamed for that.
    trees_.push_back({.paths = {path}, .is_broken = true});
  } else if (is_boot_image) {
    auto image = readers::read_fit(*tree, content);
    if (image) {
      images_.push_back(std::move(*image));
    } else {
      keep(image.error());
    }
  } else if (tree->is_overlay()) {
    take_overlay(*tree);
  } else {
    trees_.push_back({.paths = {path}, .tree = std::move(*tree)});
  }
  return true;
}

void BootFiles::take_overlay(const model::DeviceTree& overlay) {
  if (trees_.empty()) {
    keep({core::error(
        core::Code::kDevicetreeOverlay,
        "this is an overlay, and no device tree stands before it",
        {overlay.path},
        "name the tree that it is merged into first: --images BASE.dtb OVERLAY.dtbo")});
    return;
  }
  Tree& base = trees_.back();
  base.paths.push_back(overlay.path);
  if (base.is_broken) {
    return;
  }
  auto merged = readers::apply_overlay(base.tree, overlay);
  if (merged) {
    base.tree = std::move(*merged);
  } else {
    keep(merged.error());
    base.is_broken = true;
  }
}

void BootFiles::check(const layout::MemoryMap& map,
                      const std::function<void(const model::Image&)>& firmware) {
  for (const Tree& tree : trees_) {
    if (tree.is_broken) {
      continue;
    }
    layout::DeviceTreeReport found = layout::check_device_tree(map, tree.tree);
    keep(found.diagnostics);
    std::vector<std::string> names;
    for (const std::string& path : tree.paths) {
      names.push_back(core::printable(path, 300));
    }
    report_.checked.push_back(fmt::format("device tree {}", core::join(names, " + ")));
    report_.trees.push_back({tree.paths, std::move(found)});
  }
  for (const model::BootImage& image : images_) {
    // Of several trees nobody says which one is started.
    const layout::DeviceTreeReport* reserved =
        report_.trees.size() == 1 ? &report_.trees.front().found : nullptr;
    layout::BootImageReport found = layout::check_boot_image(map, image, reserved);
    keep(found.diagnostics);
    report_.checked.push_back(fmt::format("boot image {}: {}",
                                          core::printable(image.path, 300),
                                          core::plural(found.rows.size(), "part")));
    for (std::size_t i = 0; i < found.rows.size(); ++i) {
      if (!found.rows[i].is_program) {
        continue;
      }
      const auto program = readers::read_elf(
          image.parts[i].payload,
          fmt::format("{}:{}", image.path, core::printable(image.parts[i].name, 60)));
      if (program) {
        firmware(*program);
      } else {
        keep(program.error());
      }
    }
    report_.boot_images.push_back({image.path, std::move(found)});
  }
}

void BootFiles::keep(const core::Diagnostics& found) {
  report_.diagnostics.insert(report_.diagnostics.end(), found.begin(), found.end());
  std::ranges::copy_if(found, std::back_inserter(report_.remarks), [](const auto& said) {
    return said.severity == core::Severity::kNote;
  });
}

}  // namespace memsize::app
