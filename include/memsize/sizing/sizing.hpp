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
#include "memsize/core/names.hpp"
#include "memsize/model/recording.hpp"

#include <array>
#include <cstdint>
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
  /// All models run at one priority: what a core keeps once a priority is counted once a core.
  bool one_priority = false;
  /// Cores of which somebody said that no model runs there: nothing asks to trace them.
  std::vector<std::string> idle;
};

/// A record that was counted, for --explain.
struct Counted {
  /// Index into the core's instances.
  std::size_t instance = 0;
  /// As it was counted: its size is not the printed one where `rule` says so. A total that stands
  /// for a whole table has no record of its own: see `from_total`.
  model::Block block;
  /// The input that printed it, as the user typed it; the line is the block's.
  std::string path;
  /// The block is the sum of a class as the log printed it, not a record.
  bool from_total = false;
  /// Why its size is not the printed one; empty where it is.
  std::string rule;
};

/// How one of a demand's figures came about, for --explain.
struct Reason {
  /// "requested", "bound", "extent", "statistics", "failure", "totals", "headroom", "suggested",
  /// "forecast": as in the document, without "_bytes".
  std::string figure;
  core::Bytes bytes;
  /// A sentence: "persistent memory of models loaded together adds".
  std::string rule;
};

/// One thing that another SDK generation changes.
struct ForecastStep {
  /// "record 11 (SCRATCH_DDR_MEM) has 8 MiB there, 4 MiB in the trace".
  std::string what;
  /// Bytes more, or fewer; absent where nobody knows how many.
  std::optional<std::int64_t> bytes;
};

/// The heap of the traced run.
struct HeapUse {
  enum class Source { kBoot, kStatistics, kBoard };

  core::Bytes size;
  /// Where it begins, as the core sees it.
  std::optional<core::VirtAddr> address;
  Source source = Source::kBoot;
  /// In use before the first record.
  std::optional<core::Bytes> before;
  /// Between records: padding, headers and what others allocated.
  std::optional<core::Bytes> gaps;
  /// What the traced run had left at its peak.
  std::optional<core::Bytes> left;
};

/// "c7x_2", or "core without a name".
[[nodiscard]] std::string core_name(const std::string& core);

/// "boot", "statistics", "board".
using core::name_of;

constexpr auto names_of(HeapUse::Source /*all*/) {
  return std::to_array<std::string_view>({"boot", "statistics", "board"});
}

struct Demand {
  board::DemandKey key;
  /// 0 where only totals, statistics or a failure tell of the demand.
  std::size_t records = 0;
  core::Bytes requested;
  core::Bytes bound;
  std::optional<core::Bytes> extent;
  /// Where `extent` counts from.
  std::optional<core::VirtAddr> base;
  /// The most that the statistics of the heap saw in use, over all inputs.
  std::optional<core::Bytes> statistics;
  /// What a failed allocation asked for and what is known before it.
  std::optional<core::Bytes> failed;
  /// Something is missing (records, later ones than a failed one, the overhead of a table of which
  /// only totals are known): the true need may be larger than every figure here.
  bool lower_bound = false;
  /// No record is known, only totals of the class.
  bool totals_only = false;
  /// The heap of the traced run, where boot lines, statistics or the board's map tell it.
  std::optional<HeapUse> heap;
  /// Bytes of `bound` that no record has: allocator overhead and the instances' own objects.
  core::Bytes objects;
  /// Bytes of the records that no model changes; they get no headroom.
  core::Bytes fixed;
  core::Bytes headroom;
  std::string rule_source;
  /// Each record that was counted, in the order of instances and records. The sizes (nearest) add
  /// up to `requested`.
  std::vector<Counted> counted;
  /// One for each figure that is there, in the order of the figures.
  std::vector<Reason> reasons;
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
  /// From the trace's bound to `forecast_figure`, change by change.
  std::vector<ForecastStep> forecast_steps;

  /// The largest of requested, bound, extent, statistics and failed.
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
  /// No record is missing, as far as can be told: by their number where the generation's is known,
  /// else by the totals.
  bool complete = true;
  std::vector<std::uint32_t> missing;
};

struct CoreSizing {
  std::string core;
  /// False also where an allocation failed: what would have come after it is unknown.
  bool complete = true;
  /// Empty where only failures or statistics tell of the core.
  std::vector<InstanceSizing> instances;
  std::vector<Demand> demands;
  std::vector<OnChipDemand> onchip;
};

struct Sizing {
  std::vector<model::Input> inputs;
  std::string trace_format;
  /// The SDK generation of the trace; empty where it cannot be told, or is one of several.
  std::string generation;
  /// All that it may be of, in the format's order; empty where nothing tells it.
  std::vector<std::string> generations;
  /// "SDK 11.01", "SDK 10.x or SDK 11.01".
  std::string generation_title;
  /// How it was told: "record 11 has 4 194 560 B".
  std::string generation_evidence;
  /// Whose rules were used.
  std::string rules_of;
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

/// What a knob is suggested to be for a figure of which `fixed` does not vary.
[[nodiscard]] core::Bytes suggestion_for(const board::Knob& knob,
                                         core::Bytes figure,
                                         core::Bytes fixed,
                                         const Options& options);

/// `view` is nullptr without a board: then nothing is suggested, only classified and summed.
[[nodiscard]] Sizing size_recording(const model::Recording& recording,
                                    const board::TraceFormat& format,
                                    const BoardView* view,
                                    const Options& options);

}  // namespace memsize::sizing
