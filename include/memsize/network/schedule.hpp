// A network as it runs on a cluster: which layers run as one, how each is cut, which memory its
// weights and its output are in, and which buffers that takes. By the rules of ARES' code generator
// (generate_c_code.py, codegen/optimization), whose checkpoints have the same facts.
#pragma once

#include "memsize/board/memories.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/model/plan.hpp"
#include "memsize/network/layers.hpp"
#include "memsize/network/tiles.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::network {

/// Layers that run as one, in the order in which they are tried.
enum class Fusion : std::uint8_t {
  kNone,
  kConvReluQuant,
  kLinearReluQuant,
  kConvReluMaxpool,
  kConvRelu,
  kLinearRelu,
  kPoolQuant,
};

constexpr auto names_of(Fusion /*all*/) {
  return std::to_array<std::string_view>({"none",
                                          "conv_relu_quant",
                                          "linear_relu_quant",
                                          "conv_relu_maxpool",
                                          "conv_relu",
                                          "linear_relu",
                                          "pool_quant"});
}

/// How a layer gets at its data: tile by tile in L1, also slab by slab from L3, or as it lies in
/// L2.
enum class Tier : std::uint8_t { kNone, kL1Tiled, kL2Full, kL3Tiled };

constexpr auto names_of(Tier /*all*/) {
  return std::to_array<std::string_view>({"", "L1_TILED", "L2_FULL", "L3_TILED"});
}

/// Where weights are when the network is loaded: in L2 for good, or in L3 until their layer runs.
enum class Residency : std::uint8_t { kNone, kL2, kL3Staged, kL3Tiled, kMambaScratch };

constexpr auto names_of(Residency /*all*/) {
  return std::to_array<std::string_view>({"N/A", "L2", "L3_STAGED", "L3_TILED", "MAMBA_SCRATCH"});
}

/// What steps read and write.
struct Buffer {
  /// "conv1_out"; the network's input has the name of its layer.
  std::string name;
  /// What it is called in C.
  std::string c_name;
  std::uint64_t elements = 0;
  /// "int8_t", "float".
  std::string type;
  core::Bytes size;
  /// Half of it is worked on while the other half moves between L3 and L2.
  bool is_slab = false;
  bool is_input = false;
  bool is_output = false;
  /// It does not fit into L2 with the others.
  bool is_in_l3 = false;
  /// Steps that use it.
  model::Interval live;
  std::uint64_t uses = 0;
};

struct Step {
  /// Of the schedule's layers: the one that computes, then those that run with it.
  std::vector<std::size_t> layers;
  Fusion fusion = Fusion::kNone;
  /// In ARES' words: "conv2d", "linear_fp32", "requantize".
  std::string op;
  /// Of the schedule's buffers; one that it works in is read and written.
  std::vector<std::size_t> reads;
  std::size_t writes = 0;
  bool is_in_place = false;
  /// A requantisation between equal scales.
  bool does_nothing = false;
  Tier tier = Tier::kNone;
  Residency residency = Residency::kNone;
  TileShape shape;
  std::optional<Tiles> tiles;
  TileCost cost;
  /// Double buffers in L2 of what a layer in slabs moves from and to L3.
  std::vector<std::size_t> slabs;
};

struct Schedule {
  std::vector<Layer> layers;
  /// Of the layers, in C.
  std::vector<std::string> c_names;
  /// One each layer, and what they are after fusion.
  std::vector<Step> unfused;
  std::vector<Step> steps;
  /// Also those that fusion leaves unused: no step names them.
  std::vector<Buffer> buffers;
  TileBudget budget;
  TileChoice choice = TileChoice::kAres;
  /// Notes: what ARES does otherwise.
  core::Diagnostics diagnostics;
};

/// Layers as they run by those rules. Without any, nothing is cut, fused or staged.
[[nodiscard]] Schedule schedule_of(std::vector<Layer> layers,
                                   const board::TileRules* rules,
                                   TileChoice choice = TileChoice::kAres);

/// What the planner places: buffers with the steps that use them, and constants where they lie once
/// the network is loaded. Ids are the buffers' names, "conv1_weight" and "conv1_bias".
[[nodiscard]] std::vector<model::PlannedBlock> blocks_of(const Schedule& schedule);

/// Why the step cannot run; empty: it can. Without tiles its kernel reads and writes L2 alone.
[[nodiscard]] std::string out_of_reach(const Schedule& schedule, const Step& step);

/// Why no program has a layer without tiles that does not work in L2.
inline constexpr std::string_view kNotWrittenUncut =
    "no tile of it fits into L1, and it is not written without";

/// Without tiles: its kernel works in L2 as well as in L1.
[[nodiscard]] bool works_uncut(const Layer& layer);

/// The first layers of the steps that are read in L2, since no tile of them fits into L1 or none is
/// made.
[[nodiscard]] std::vector<std::size_t> uncut_layers(const Schedule& schedule);

/// Of all tiles.
[[nodiscard]] TileCost cost_of(const Schedule& schedule);

/// The most that one step that does something needs in L1, and the step.
struct LargestTiles {
  core::Bytes bytes;
  std::size_t step = 0;
};

[[nodiscard]] LargestTiles largest_tiles(const Schedule& schedule);

}  // namespace memsize::network
