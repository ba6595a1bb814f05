// How much: from what was used to what should be reserved.
//
// Requested is not used. Each demand carries
//   requested  the sum of the sizes as printed,
//   bound      each size rounded up by half its printed digit and to its alignment, plus the
//              allocator's overhead and each instance's own objects (data of the SDK generation),
//   extent     the high-water mark from the heap's base, where addresses allow,
// and the suggestion is the largest of the three plus headroom, rounded up to the knob's granule.
#pragma once

#include "memsize/board/board.hpp"
#include "memsize/board/trace_format.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/model/recording.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::sizing {

/// Added to the largest figure before rounding: a share of what can vary, or a size.
struct Headroom {
  bool is_percent = true;
  std::uint64_t percent = 10;
  core::Bytes size;
};

/// "10%", "512KiB", "0".
[[nodiscard]] core::Result<Headroom> parse_headroom(std::string_view text);
/// What parse_headroom reads back.
[[nodiscard]] std::string format_headroom(const Headroom& headroom);

/// A heap where the map has it: what a trace's addresses are held against.
struct HeapRegion {
  board::DemandKey key;
  std::string region;
  core::VirtRange range;
};

struct OnChipRegion {
  std::string core;
  std::string space;
  std::string region;
  core::Bytes size;
};

struct Options {
  Headroom headroom;
  /// Whether the models of one core are loaded at the same time (persistent memory adds) or one
  /// after the other (it takes the maximum).
  bool together = true;
  /// Suggestions are multiples of the knobs' hard granules, not of their granules.
  bool tight = false;
};

/// A record that was counted, for --explain.
struct Counted {
  std::size_t instance = 0;
  model::Block block;
};

struct Demand {
  board::DemandKey key;
  std::size_t records = 0;
  core::Bytes requested;
  core::Bytes bound;
  std::optional<core::Bytes> extent;
  /// Where `extent` counts from.
  std::optional<core::VirtAddr> base;
  /// Bytes of `bound` that no record has: allocator overhead and the instances' own objects.
  core::Bytes objects;
  /// Bytes of the records that no model changes; they get no headroom.
  core::Bytes fixed;
  core::Bytes headroom;
  std::string rule_source;
  std::vector<Counted> counted;
  /// With a board: the knob that the demand drives, and its region.
  std::string knob;
  std::string region;
  core::Align granule;
  std::optional<core::Bytes> current;
  std::optional<core::Bytes> suggested;
  /// The part of `suggested` that only the MMU needs.
  core::Bytes grown;
  /// The suggestion under the board's SDK generation, where the trace is of another one.
  std::optional<core::Bytes> forecast;
  /// What `forecast` is without headroom and rounding.
  std::optional<core::Bytes> forecast_figure;

  /// The largest of requested, bound and extent.
  [[nodiscard]] core::Bytes figure() const;
};

struct OnChipDemand {
  std::string space;
  std::size_t records = 0;
  core::Bytes requested;
  std::optional<core::Bytes> available;
  std::string region;
};

struct InstanceSizing {
  model::Instance instance;
  bool complete = true;
  std::vector<std::uint32_t> missing;
};

struct CoreSizing {
  std::string core;
  bool complete = true;
  std::vector<InstanceSizing> instances;
  std::vector<Demand> demands;
  std::vector<OnChipDemand> onchip;
};

struct Sizing {
  std::vector<model::Input> inputs;
  std::string trace_format;
  /// The SDK generation of the trace; empty where it cannot be told.
  std::string generation;
  std::string generation_title;
  /// How it was told: "record 11 has 4 194 560 B".
  std::string generation_evidence;
  /// Whether the board is of another generation than the trace.
  bool generation_differs = false;
  Headroom headroom;
  bool together = true;
  std::vector<CoreSizing> cores;
  /// Notes for people that no place belongs to are diagnostics too.
  core::Diagnostics diagnostics;

  [[nodiscard]] bool complete() const;
};

/// What a board adds to a recording.
struct BoardView {
  const board::Board* board = nullptr;
  /// Current knob values.
  board::Values values;
  /// The heaps of the map that the trace's addresses match; empty where none matches.
  std::vector<HeapRegion> heaps;
  std::vector<OnChipRegion> onchip;
  /// Regions by knob, for the report.
  std::vector<std::pair<std::string, std::string>> region_of_knob;
};

/// `view` is nullptr without a board: then nothing is suggested, only classified and summed.
[[nodiscard]] Sizing size_recording(const model::Recording& recording,
                                    const board::TraceFormat& format,
                                    const BoardView* view,
                                    const Options& options);

/// Whether every address of the recording lies in the heap of its class. False without addresses.
[[nodiscard]] bool addresses_match(const model::Recording& recording,
                                   const std::vector<HeapRegion>& heaps);

/// The same generation everywhere in the recording, or nullptr.
[[nodiscard]] const board::Generation* find_generation(const model::Recording& recording,
                                                       const board::TraceFormat& format);

}  // namespace memsize::sizing
