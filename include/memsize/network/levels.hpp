// What takes bytes of each memory of a cluster part, planned or not, against what the hardware has:
// arenas, tiles, slabs, stacks that are carved at run time, sections of a linked image. The
// arithmetic is that of Deeploy's gap9_memcheck.
#pragma once

#include "memsize/board/memories.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/model/plan.hpp"
#include "memsize/network/schedule.hpp"
#include "memsize/plan/check_image.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memsize::network {

struct LevelConsumer {
  /// For people.
  std::string name;
  core::Bytes size;
  /// What `--set` turns to make it smaller; empty: nothing.
  std::string knob;
  /// Of the plan: an arena, tiles, slabs.
  bool is_ours = false;
};

struct Level {
  std::string memory;
  /// What the hardware has.
  core::Bytes capacity;
  /// The sum of its consumers, which stays at the largest value where it is larger.
  core::Bytes used;
  std::vector<LevelConsumer> consumers;
  /// What else takes bytes there, in words.
  std::vector<std::string> not_counted;
};

struct LevelInputs {
  const model::PlanReport& plan;
  const board::MemorySet& part;
  /// By memory: what the caller knows besides arenas, such as the tiles of the largest layer.
  std::vector<std::pair<std::string, LevelConsumer>> own = {};
  /// Of every image that is in the memories at once; null: nobody gave one.
  const std::vector<plan::MemoryUse>* images = nullptr;
};

/// Below it, a stack that goes deeper than anybody measured reaches something else (gap9_memcheck:
/// L1_MIN_HEADROOM). Of l1, where stacks are carved beside tiles.
inline constexpr core::Bytes kLeastHeadroom{1024};
inline constexpr std::string_view kStackLevel = "l1";

/// In the part's order, without those in which nothing is; consumers are the plan's, the caller's,
/// the part's, then the images'. Arenas are what ARES allocates from a heap: an image whose
/// sections hold them has them twice.
[[nodiscard]] std::vector<Level> levels_of(const LevelInputs& inputs);

/// Code plan.does-not-fit: an error for a level that is too small, a warning for one with too
/// little headroom. `path` is the plan's.
[[nodiscard]] core::Diagnostics check_levels(const std::vector<Level>& levels,
                                             const std::string& path);

/// Code plan.network: an error for each layer that cannot run as it is cut (out_of_reach), a note
/// for each that no program has without tiles.
[[nodiscard]] core::Diagnostics check_reach(const Schedule& schedule, const std::string& path);

/// Convolutions that the NE16 engine does.
enum class Ne16Kind : std::uint8_t { kPointwise, k3x3, kDepthwise3x3 };

constexpr auto names_of(Ne16Kind /*all*/) {
  return std::to_array<std::string_view>({"1x1", "3x3", "3x3 depthwise"});
}

/// The packed copy of a layer's weights that lies beside the plain ones, with corrected biases and
/// scales. Depthwise: as many output channels as input channels. Saturates like core::Bytes.
[[nodiscard]] core::Bytes ne16_weights(Ne16Kind kind,
                                       std::uint64_t in_channels,
                                       std::uint64_t out_channels);

}  // namespace memsize::network
