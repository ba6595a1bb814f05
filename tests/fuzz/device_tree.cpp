// Any bytes as a device tree, what follows it as overlays to be merged into it, or as a FIT image:
// errors, or a tree that the judges may take.
#include "memsize/layout/device_tree.hpp"

#include "memsize/board/load.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/core/text.hpp"
#include "memsize/layout/boot_image.hpp"
#include "memsize/layout/memory_map.hpp"
#include "memsize/readers/device_tree_reader.hpp"

#include "check.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

using memsize::fuzz::require;

namespace {

memsize::layout::MemoryMap tree_map() {
  memsize::core::RealFileSystem disk;
  const auto board = memsize::board::load_board(disk, MEMSIZE_SOURCE_DIR "/boards", "j722s");
  require(board.has_value(), "the board is there");
  return memsize::layout::resolve(*board, {}).value();
}

void say_something(const memsize::core::Diagnostics& found) {
  for (const auto& each : found) {
    require(!each.message.empty(), "a finding says something");
    require(memsize::core::is_utf8(each.message), "a message is text");
  }
}

void look_through(const memsize::model::DeviceTree& tree) {
  require(!tree.nodes.empty(), "a tree has a root");
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    require(i == 0 || tree.nodes[i].parent < i, "parents stand before their children");
    for (const std::size_t child : tree.nodes[i].children) {
      require(child > i && tree.nodes[child].parent == i, "a child has its parent");
    }
  }
}

}  // namespace

MEMSIZE_FUZZ_TARGET(device_tree) {
  static const memsize::layout::MemoryMap map = tree_map();
  std::string_view bytes{reinterpret_cast<const char*>(data), size};
  auto tree = memsize::readers::read_device_tree(bytes, "fuzz", memsize::readers::kLargestFit);
  if (!tree) {
    require(memsize::core::has_errors(tree.error()), "a failure has errors");
    return 0;
  }
  look_through(*tree);
  if (memsize::readers::is_fit(*tree)) {
    const auto image = memsize::readers::read_fit(*tree, bytes);
    require(image || memsize::core::has_errors(image.error()), "a failure has errors");
    if (image) {
      const auto reserved = memsize::layout::check_device_tree(map, *tree);
      say_something(memsize::layout::check_boot_image(map, *image, nullptr).diagnostics);
      const auto report = memsize::layout::check_boot_image(map, *image, &reserved);
      say_something(report.diagnostics);
      require(report.rows.size() == image->parts.size(), "each part has its row");
    }
  }
  while (true) {
    const std::size_t total = memsize::model::cells_of(bytes.substr(4, 4)).front();
    bytes.remove_prefix(total);
    const auto overlay = memsize::readers::read_device_tree(bytes, "overlay");
    if (!overlay) {
      break;
    }
    auto merged = memsize::readers::apply_overlay(*tree, *overlay);
    if (!merged) {
      require(memsize::core::has_errors(merged.error()), "a failure has errors");
      break;
    }
    *tree = std::move(*merged);
    look_through(*tree);
  }
  const auto report = memsize::layout::check_device_tree(map, *tree);
  say_something(report.diagnostics);
  std::uint64_t last = 0;
  for (const auto& row : report.rows) {
    const std::uint64_t base = row.range ? row.range->base().value() : UINT64_MAX;
    require(base >= last, "rows are in order");
    last = base;
  }
  return 0;
}
