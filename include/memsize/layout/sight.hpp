// What a core's hardware makes of an address: the entries of its MMU, the regions of its MPU and
// the entries of its RAT, laid over each other as the hardware does, whoever wrote them.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memsize::layout {

/// One MMU entry, MPU region or RAT entry.
struct HardwareEntry {
  /// "MMU 5 'NAME'".
  std::string label;
  core::Place place;
  /// Where the core sees it.
  std::uint64_t base = 0;
  /// Where it leads; equal to `base` for an MPU region.
  std::uint64_t target = 0;
  std::uint64_t size = 0;
  /// "cached", "non-cached", "write-through", or what the file says where that is unknown; empty
  /// for a RAT entry.
  std::string cached;
  /// Bit n: the n-th eighth of an MPU region is off.
  unsigned disabled = 0;
};

/// A core as one of its builds programs it. A core without MMU and MPU sees the bus as it is.
struct CoreHardware {
  std::string core;
  /// The file of that build; empty where the core has only one.
  std::string build;
  bool has_mmu = false;
  bool has_mpu = false;
  /// Of an MMU in the driver's order, of an MPU by number: later ones win. Of a core that has
  /// neither: calls that switch its cache, in their order.
  std::vector<HardwareEntry> entries;
  std::vector<HardwareEntry> rat;
  /// The first address that the core cannot form; 0: none.
  std::uint64_t limit = 0;
};

/// A piece of a core's addresses that it sees in one way.
struct Sight {
  std::string core;
  std::string build;
  /// What the core's linker map calls it; empty where it has no name for it.
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  /// Nothing where no entry maps it, or where it is memory of the core alone.
  std::optional<std::uint64_t> physical;
  bool is_mapped = true;
  /// As HardwareEntry::cached; empty where nothing says so.
  std::string cached;
  /// The entry that decides, and the RAT entry that moves it; empty without one.
  std::string by;
  core::Place by_place;
  std::string moved_by;
  core::Place moved_by_place;
};

/// The pieces of [base, base + size), by address. What is mapped nowhere is a piece, too.
[[nodiscard]] std::vector<Sight> look_at(const CoreHardware& hardware,
                                         std::uint64_t base,
                                         std::uint64_t size);

/// The pieces of the core's addresses that lead into [physical, physical + size) of the bus, by
/// address.
[[nodiscard]] std::vector<Sight> look_for(const CoreHardware& hardware,
                                          std::uint64_t physical,
                                          std::uint64_t size);

}  // namespace memsize::layout
