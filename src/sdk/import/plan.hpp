// What an imported board file will say, before it is text.
#pragma once

#include "memsize/chip/memory_type.hpp"
#include "memsize/sdk/import.hpp"

#include "forms.hpp"
#include "script/script.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace memsize::sdk {

/// Where K3 parts have their DRAM: 2 GiB below 4 GiB, the rest from 0x8_8000_0000 (TI's technical
/// reference manuals, memory map of DDR0).
inline constexpr std::uint64_t kLowDram = 0x80000000;
inline constexpr std::uint64_t kLowDramEnd = 0x100000000;
inline constexpr std::uint64_t kHighDram = 0x880000000;
inline constexpr std::uint64_t kHighDramEnd = 0x1000000000;

/// A memory with an owner.
struct PlanRegion {
  const ScriptSection* section = nullptr;
  std::string name;
  /// In the board's order.
  std::vector<std::string> cores;
  bool in_header = false;
  bool in_html = false;
  /// NAME_PHYS is in the C header, in the HTML map.
  bool has_physical_name = false;
  bool physical_name_in_html = false;
  board::Space space = board::Space::kDdr;
  SectionForms forms;
  /// Where it is on the bus; `forms.origin` is where its cores see it.
  Linear physical;
  std::uint64_t physical_at = 0;
  std::uint64_t virtual_at = 0;
  std::uint64_t size = 0;
  chip::Cache cache = chip::Cache::kAny;
  std::uint64_t align = 1;
  std::uint64_t section_align = 1;
  /// What the model says of it; null where it does not know it.
  const board::Item* known = nullptr;
  const board::Chain* known_chain = nullptr;

  [[nodiscard]] std::uint64_t end() const { return physical_at + size; }
};

struct PlanAlias {
  const ScriptSection* section = nullptr;
  std::string name;
  std::string of;
  std::vector<std::string> cores;
  Linear virtual_base;
  std::uint64_t virtual_at = 0;
  std::uint64_t size = 0;
  /// It has the addresses of its owner.
  bool same_place = false;
};

struct PlanCore {
  std::string name;
  std::string linker_file;
};

struct PlanItem {
  /// Index of the region; for a gap, -1.
  int region = -1;
  Linear gap;
  std::string why;
};

struct PlanChain {
  std::string name;
  board::Space space = board::Space::kDdr;
  std::string after;
  std::string physical;
  std::string virtual_base;
  std::string limit;
  std::string limit_why;
  /// Lines above it in the file.
  std::vector<std::string> comments;
  std::vector<PlanItem> items;
  std::uint64_t physical_at = 0;
};

struct PlanView {
  std::string name;
  std::string after;
  std::string virtual_base;
  std::vector<std::string> cores;
  /// Indices of aliases.
  std::vector<std::size_t> aliases;
};

struct PlanCarveout {
  const ScriptSection* section = nullptr;
  /// Empty for a group.
  std::string label;
  std::string name;
  std::vector<std::string> covers;
  /// Owned regions.
  std::vector<std::string> members;
  bool in_header = false;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
};

struct Plan {
  const Sources* sources = nullptr;
  const Variant* variant = nullptr;
  const Reading* reading = nullptr;
  const ImportModel* model = nullptr;
  /// By the script's own names.
  const ScriptForms* forms = nullptr;
  std::vector<PlanCore> cores;
  std::vector<PlanRegion> regions;
  std::vector<PlanAlias> aliases;
  std::vector<PlanChain> chains;
  std::vector<PlanView> views;
  std::vector<PlanCarveout> carveouts;
  std::vector<PlanCarveout> groups;
  /// Symbols that the board has by name.
  std::set<std::string> keep;
  /// Those of them that are addresses.
  std::set<std::string> addresses;
  /// Those of them that no user sets.
  std::set<std::string> constants;
  /// Addresses of `keep` that the script computes from the sizes before them; the board does not.
  std::set<std::string> pinned;
  /// What sizes are made of, so that a root is none of it.
  std::set<std::string> size_symbols;
  core::Diagnostics warnings;

  [[nodiscard]] const board::Board* known() const {
    return model == nullptr || !model->board ? nullptr : &*model->board;
  }

  [[nodiscard]] const PlanRegion* find(const std::string& name) const;
  /// The region or carve-out of that name, or the region that it is another name for; else empty.
  [[nodiscard]] std::string owner_of(const std::string& name) const;
  [[nodiscard]] core::Place place_of(const ScriptPiece& piece) const;

  /// In the symbols that the board has.
  [[nodiscard]] Linear reduced(const Linear& form) const { return forms->reduced(form, keep); }

  /// In those that a user may set; a form that is one constant and nothing else keeps its name.
  [[nodiscard]] Linear settable(const Linear& form) const;
  /// The address that the script gives as a number and that moves this one; empty without one.
  [[nodiscard]] std::string root_of(const Linear& address) const;

  void left_out(const std::string& what, const core::Place& place, std::string hint = {});
};

/// Regions and other names of them, in the order of their physical addresses.
void plan_regions(Plan& plan);
/// Which symbols the board has by name.
void plan_symbols(Plan& plan);
/// How regions are cached and where they may begin.
void plan_needs(Plan& plan);
void plan_chains(Plan& plan);
void plan_carveouts(Plan& plan);

/// Tables of the board file, each with a blank line behind it.
[[nodiscard]] std::string layout_text(const Plan& plan);
/// The head's steps of sizes: those that most knobs of the board have.
[[nodiscard]] std::string steps_text(const board::Board* known);
[[nodiscard]] std::string programs_text(Plan& plan);

/// Whether the map is the DTS exporter's, or a class from beside that writes device trees.
[[nodiscard]] bool is_dts(const ScriptExport& each);

}  // namespace memsize::sdk
