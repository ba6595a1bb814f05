// What is wrong with a board, a written map, an SDK tree, a plan or the images it went into.
#pragma once

#include "memsize/app/map.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/layout/boot_image.hpp"
#include "memsize/layout/device_tree.hpp"
#include "memsize/layout/firmware.hpp"
#include "memsize/layout/probe.hpp"
#include "memsize/network/levels.hpp"
#include "memsize/plan/check_image.hpp"
#include "memsize/sdk/tree.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memsize::app {

struct CheckRequest {
  BoardRequest board;
  /// A folder that emit --out wrote; empty: none.
  std::string map;
  /// An SDK tree, read instead of a map; empty: none.
  std::string sdk;
  /// What the board's, the written or the tree's map may take at most.
  std::vector<Budget> budgets;
  /// Only this part of it; empty: that of the board, or all.
  std::string soc;
  /// Logs or a sizing document that must fit the board's map.
  std::vector<std::string> traces;
  /// What must be left in each heap beside what a trace took, as a share of what can vary or as a
  /// size; empty: nothing. With it a trace of another SDK generation proves nothing.
  std::string headroom;
  /// Reports of one model's planned memory, checked instead of a map; then the board's name is that
  /// of a part with memories, and its settings are of tiles and stacks.
  std::vector<std::string> plans;
  /// Programs that the plan's module is linked into, or their maps, held against plan and part. Of
  /// a map: the firmware of its cores, device trees, each followed by its overlays, and boot
  /// images.
  std::vector<std::string> images;
  /// How full firmware may make the region of its code and data.
  unsigned fill_percent = layout::FirmwareOptions{}.full_percent;
  /// What a running board said (memsize-probe), held against the map; empty: none.
  std::string probe;
};

/// One operating system of one part of an SDK tree, and what of it was read. Paths are below the
/// folder; what is empty is not there.
struct CheckedVariant {
  sdk::Platform platform;
  std::string os;
  /// The board whose map it was held against; empty: memsize has none of that part and system.
  std::string board;
  std::string script;
  std::string header;
  std::string dts;
  std::vector<sdk::CoreSources> cores;
};

/// One of request.images, and what it has of the plan.
struct CheckedImage {
  model::Image image;
  /// What names of the plan's module begin with.
  std::string module;
  plan::ImageReport found;
};

/// One of request.images, in the map of its core.
struct CheckedFirmware {
  std::string path;
  /// "elf", "ti-map".
  std::string format;
  std::string machine;
  unsigned bits = 0;
  layout::FirmwareReport found;
};

/// request.probe, without what was only there to be checked.
struct CheckedProbe {
  std::string path;
  std::string time;
  std::string uname;
  std::optional<core::Bytes> total;
  std::uint64_t samples = 0;
  std::vector<layout::RunningCore> cores;
};

/// A device tree of request.images with the overlays behind it, against the map.
struct CheckedTree {
  std::vector<std::string> paths;
  layout::DeviceTreeReport found;
};

/// A boot image of request.images; its programs are firmware, too.
struct CheckedBootImage {
  std::string path;
  layout::BootImageReport found;
};

struct CheckReport {
  core::Diagnostics diagnostics;
  /// What was looked at, for people.
  std::vector<std::string> checked;
  /// What the board's map has to say although nothing is wrong.
  core::Diagnostics remarks;
  /// The parts of the SDK tree that were read.
  std::vector<sdk::Platform> platforms;
  std::vector<CheckedVariant> variants;
  std::vector<CheckedImage> images;
  std::vector<CheckedFirmware> firmware;
  std::vector<CheckedTree> trees;
  std::vector<CheckedBootImage> boot_images;
  std::optional<CheckedProbe> probe;
  /// Of a part whose layers run in tiles: what takes bytes of each of its memories.
  std::vector<network::Level> levels;
};

/// Everything that `check` finds; an input that cannot be read is a finding too.
///
/// Example:
///     app::CheckRequest request;
///     request.board.name = "j722s-sdk11";
///     request.traces = {"samples/j722s-mobilenet/trace.log"};
///     const app::CheckReport report = app::check(session, request);
///     assert(!core::has_errors(report.diagnostics));
[[nodiscard]] CheckReport check(Session& session, const CheckRequest& request);

}  // namespace memsize::app
