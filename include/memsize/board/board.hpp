// A board as its file describes it: nothing is resolved yet, because knobs may still change. The
// file's grammar is in boards/README.md; layout/ turns a board and knob values into a map.
#pragma once

#include "memsize/board/expression.hpp"
#include "memsize/core/address.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/model/block.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memsize::board {

/// What a knob's size is driven by: the bytes that one core needs of one kind of memory.
struct DemandKey {
  std::string core;
  std::string space;
  model::Cacheability cacheability{};
  model::Lifetime lifetime{};

  friend bool operator==(const DemandKey&, const DemandKey&) = default;
};

struct Knob {
  std::string name;
  Expression default_value;
  bool is_address = false;
  core::Align granule;
  core::Align hard_granule;
  core::Bytes minimum;
  std::string minimum_why;
  std::optional<DemandKey> demand;
  core::Place demand_place;
};

/// An on-chip memory of a core that a trace's records of `space` use.
struct OnChip {
  std::string space;
  std::string region;
  core::Place place;
};

struct Core {
  std::string name;
  std::string title;
  std::vector<OnChip> onchip;
  core::Place place;
};

struct Bank {
  std::string name;
  core::PhysRange range;
  core::Place place;
};

/// How a region must be cached by every core that maps it.
enum class Cache { kAny, kNonCached, kWriteThrough, kCached };

[[nodiscard]] std::string_view name_of(Cache cache);

/// A region, or a gap that is kept on purpose.
struct Item {
  bool is_gap = false;
  std::string name;
  Expression size;
  /// Cores whose linker map has the region.
  std::vector<std::string> cores;
  std::string attributes;
  Cache cache = Cache::kAny;
  core::Align align;
  bool in_header = true;
  bool in_html = true;
  /// Whether the C header also has NAME_PHYS with the physical address.
  bool has_physical_name = false;
  /// Whether that name is in the HTML map too.
  bool physical_name_in_html = true;
  /// What the region holds, or why the gap is kept.
  std::string note;
  core::Place place;
};

/// kDdr must lie in a bank; kSram is on the bus; kCore is seen by its own core alone.
enum class Space { kDdr, kSram, kCore };

struct Chain {
  std::string name;
  Space space = Space::kDdr;
  /// The chain that this one continues; then it has no addresses of its own.
  std::string after;
  core::Place after_place;
  Expression physical;
  /// Empty text: the cores see the chain at its physical addresses.
  Expression virtual_base;
  /// The first physical address that the chain must not reach; empty text: none.
  Expression limit;
  std::string limit_why;
  std::vector<Item> items;
  core::Place place;
};

/// A region under another name, as other cores see it.
struct Alias {
  std::string name;
  std::string of;
  core::Place of_place;
  std::vector<std::string> cores;
  core::Place place;
};

struct Carveout {
  std::string label;
  std::string node;
  std::string name;
  std::string attributes;
  std::vector<std::string> covers;
  /// Where each of `covers` was written.
  std::vector<core::Place> cover_places;
  std::string compatible;
  bool no_map = true;
  bool unit_address = true;
  bool in_header = false;
  core::Place place;
};

struct MmuEntry {
  /// The key in the board file; `name` is what the SDK calls the entry.
  std::string key;
  std::string name;
  unsigned mair = 0;
  /// Regions, carve-outs or groups; empty where the entry is fixed.
  std::vector<std::string> covers;
  /// Where each of `covers` was written.
  std::vector<core::Place> cover_places;
  Expression base;
  Expression size;
  core::Place place;
};

struct Mmu {
  core::Align granule;
  std::vector<unsigned> mair_non_cached;
  std::vector<unsigned> mair_write_through;
  std::vector<unsigned> mair_cached;
  /// Properties that every entry has, in order: name and value as sysconfig writes it.
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<MmuEntry> entries;
  /// Core name and the keys of its entries, in the driver's order.
  std::vector<std::pair<std::string, std::vector<std::string>>> cores;
};

struct RebuildStep {
  std::string when;
  std::string what;
  std::string why;
  std::string run;
};

struct Board {
  std::string name;
  /// What the user called it: its name or a path.
  std::string asked_as;
  std::string title;
  std::string soc;
  std::string sdk;
  std::string format;
  std::string generation;
  std::vector<std::string> sources;
  std::string linker_file;
  std::string header_file;
  std::string dts_file;
  std::vector<Core> cores;
  std::vector<Bank> banks;
  std::vector<std::pair<std::string, Expression>> constants;
  std::vector<Knob> knobs;
  std::vector<Chain> chains;
  std::vector<Alias> aliases;
  std::vector<Carveout> carveouts;
  std::vector<Carveout> groups;
  std::vector<std::pair<std::string, Expression>> header_bases;
  /// Where each name of `header_bases` was written.
  std::vector<core::Place> header_base_places;
  Mmu mmu;
  std::vector<RebuildStep> rebuild;

  [[nodiscard]] const Knob* find_knob(std::string_view knob) const;
  [[nodiscard]] const Core* find_core(std::string_view core) const;
};

/// Knob values by name: what the user set over the board's defaults.
using KnobValues = Values;

/// Constants and knobs, with `set` over the defaults. Errors: an unknown knob, a size that is no
/// multiple of the hard granule, zero, or below its minimum.
[[nodiscard]] core::Result<Values> evaluate_knobs(const Board& board, const KnobValues& set);

}  // namespace memsize::board
