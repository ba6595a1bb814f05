// How a board's cores map memory: the entries that their MMU drivers are given, in order.
#pragma once

#include "memsize/board/expression.hpp"
#include "memsize/chip/memory_type.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace memsize::board {

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
  /// Why the entry may map more than it covers; empty where it may not.
  std::string window_why;
  core::Place place;
};

/// The entries of one core, by key, in the driver's order.
struct MmuList {
  std::string core;
  std::vector<std::string> keys;
  core::Place place;
};

/// The region at whose end a core's translation tables lie.
struct MmuTablesIn {
  std::string core;
  std::string region;
  core::Place place;
};

struct Mmu {
  core::Align granule;
  /// Whether sysconfig files hold the entries; else the firmware's sources map by macro.
  bool in_sysconfig = true;
  /// Translation tables that the driver has for one core, the root included; 0: not known.
  std::uint64_t tables = 0;
  /// Whether a new block replaces the table that stood in its place.
  bool blocks_replace_tables = false;
  /// Entries that one core may have; 0: any number.
  std::uint64_t max_entries = 0;
  /// What an entry must be smaller than; 0: nothing.
  core::Bytes max_entry;
  chip::MairKinds mair;
  /// Properties that every entry has, in order: name and value as sysconfig writes it.
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<MmuEntry> entries;
  std::vector<MmuList> cores;
  std::vector<MmuTablesIn> tables_in;
};

}  // namespace memsize::board
