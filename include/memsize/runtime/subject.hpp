// What is run: a map as its files say it, beside what the board wants of it.
#pragma once

#include "memsize/chip/entry.hpp"
#include "memsize/core/address.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/names.hpp"
#include "memsize/emit/read_map.hpp"
#include "memsize/layout/memory_map.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::runtime {

/// Memory on the bus: a bank of DRAM, or SRAM that regions lie in.
struct Memory {
  std::string name;
  core::PhysRange range;
};

/// A region as one core uses it.
struct CoreRegion {
  std::string name;
  /// Where its linker map has it.
  core::VirtRange range;
  /// Where memory_map.json has it on the bus; nothing: only this core sees it.
  std::optional<core::PhysAddr> physical;
  core::Align align;
  /// How it may be cached: a sum of MAP_NON_CACHED and the others (target/map_table.h).
  std::uint32_t kinds = 0;
  /// The board wants nothing to be executed there.
  bool no_execute = false;

  [[nodiscard]] std::optional<core::PhysRange> on_bus() const;
};

/// What stands between a core and the bus.
enum class Unit {
  kNone,  // nothing that memsize knows
  kMmu,   // Armv8 translation tables
  kMpu,   // an Armv7-R MPU, and address translation (RAT) behind it
};

using core::name_of;

constexpr auto names_of(Unit /*all*/) {
  return std::to_array<std::string_view>({"none", "mmu", "mpu"});
}

struct SubjectCore {
  std::string name;
  /// From 0, in the board's order.
  std::size_t number = 0;
  Unit unit = Unit::kNone;
  std::vector<CoreRegion> regions;
  /// What its MMU is given, as a table in the driver's order.
  layout::MmuTable mmu;
  /// What its MPU and RAT are given.
  std::vector<chip::MpuRegionFields> mpu;
  std::vector<chip::RatEntryFields> rat;
  /// What the board lets it reach, regions and fixed windows: beyond it, accesses must fault. Empty
  /// where there is no unit.
  std::vector<core::VirtRange> reachable;
  /// The file that its unit is programmed by.
  std::string program_path;
  /// Why nothing can be run for it; empty: something can.
  std::string untried;

  /// The region that holds the address; nullptr: none.
  [[nodiscard]] const CoreRegion* region_at(std::uint64_t address) const;
};

struct Subject {
  std::string board;
  std::vector<Memory> memories;
  /// DRAM that no node of the device tree reserves: Linux's.
  std::vector<core::PhysRange> linux_memory;
  std::vector<SubjectCore> cores;
  /// Where the files disagree, in ways that no run need show.
  core::Diagnostics findings;

  [[nodiscard]] const SubjectCore* find_core(std::string_view name) const;
};

/// `map` is the board's with the same sizes: it says what is wanted, `files` what is there. Errors:
/// a region that the board does not have.
[[nodiscard]] core::Result<Subject> make_subject(const layout::MemoryMap& map,
                                                 const emit::MapFiles& files);

}  // namespace memsize::runtime
