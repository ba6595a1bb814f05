// Device trees and boot images among the files of check --images.
#pragma once

#include "memsize/app/check.hpp"
#include "memsize/model/device_tree.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::app {

class BootFiles {
 public:
  explicit BootFiles(CheckReport& report) : report_(report) {}

  /// Whether the content is a device tree, an overlay for the one before it, or a FIT image: then
  /// it is kept, or the report says what is wrong with it.
  [[nodiscard]] bool take(std::string_view content, const std::string& path);

  /// Holds all of them against the map, and gives the programs in boot images to `firmware`.
  void check(const layout::MemoryMap& map,
             const std::function<void(const model::Image&)>& firmware);

 private:
  struct Tree {
    std::vector<std::string> paths;
    model::DeviceTree tree;
    // What was to be merged into it could not be.
    bool is_broken = false;
  };

  void take_overlay(const model::DeviceTree& overlay);
  void keep(const core::Diagnostics& found);

  CheckReport& report_;
  std::vector<Tree> trees_;
  std::vector<model::BootImage> images_;
};

}  // namespace memsize::app
