// Whether a core reaches what it must: what its MMU entries, its MPU regions and its RAT entries
// make of the addresses that its linker map has. They are laid over each other here once more, by
// code that shares nothing with the code that computed them.
#pragma once

#include "memsize/chip/memory_type.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/written.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memsize::emit {

/// A region that a core must reach.
struct Reach {
  std::string name;
  /// Where the core sees it.
  std::uint64_t address = 0;
  /// Where it is on the bus; nothing where that is not known, or where only the core has it.
  std::optional<std::uint64_t> physical;
  std::uint64_t size = 0;
  /// How it must be cached.
  chip::Cache cache = chip::Cache::kAny;
  /// Who says so, beside memory_map.json; may be empty.
  core::Place place;
};

struct Core {
  std::string name;
  std::vector<Reach> regions;
  /// The file whose entries are held against the regions, for what no entry is to blame for.
  core::Place file;
  /// What would help.
  std::string hint;
};

/// Every byte of a region whose bus address is known must lead there, with an attribute of its
/// kind; of entries that overlap, the last one wins (Mmu_map() of both drivers). Findings are
/// mmu.coverage, mmu.span and mmu.cache, one for a region.
void hold_mmu(const Core& core,
              const chip::MairKinds& kinds,
              const std::vector<WrittenMmuEntry>& entries,
              core::Diagnostics& found);

/// The numbers that a core's MPU regions may have.
struct MpuNumbers {
  unsigned first = 0;
  unsigned last = 15;
};

/// The MPU regions must be regions at all, have numbers that the core may use, and show each of the
/// core's regions below 4 GiB, cached as it must be (DDI 0406C, B5). Findings are mpu.regions,
/// mpu.region and mpu.cache, the last with the range that is wrong.
void hold_mpu(const Core& core,
              const MpuNumbers& numbers,
              const std::vector<WrittenMpuRegion>& regions,
              core::Diagnostics& found);

/// The RAT entries must be possible (addr_translate.syscfg.js), and what the core sees elsewhere
/// than it is on the bus must be led there by one of them. Findings are rat.size, rat.alignment,
/// rat.overlap, rat.entries and rat.missing.
void hold_rat(const Core& core,
              const std::vector<WrittenRatEntry>& entries,
              core::Diagnostics& found);

}  // namespace memsize::emit
