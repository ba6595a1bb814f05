// What memory_map.json says, reduced to what the other files can contradict.
#pragma once

#include "memsize/chip/entry.hpp"
#include "memsize/chip/memory_type.hpp"
#include "memsize/core/find.hpp"
#include "memsize/emit/reach.hpp"
#include "memsize/emit/written.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memsize::emit {

/// What helps against most findings.
inline constexpr std::string_view kWriteAgain =
    "give the memsize emit that wrote the map once more, with --force";

/// A finding that a file says otherwise than memory_map.json, about `parties`.
[[nodiscard]] core::Diagnostic disagreement(core::Place place,
                                            core::Parties parties,
                                            std::string what);

struct MapRegion : Reach {
  /// "region", "alias" or "physical", and what an alias or a physical name is of.
  std::string kind;
  std::string of;
  std::string space;
  std::string attributes;
  /// Where its cores see it; nothing where no core does.
  std::optional<std::uint64_t> virtual_base;
  std::vector<std::string> cores;
  bool in_header = false;
  std::string knob;
};

struct MapCarveout {
  std::string name;
  std::string label;
  /// Without a unit address.
  std::string node;
  std::vector<std::string> members;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  bool no_map = false;
  std::string compatible;
  std::uint64_t alignment = 0;
  bool in_header = false;
};

struct MapMpuRegion {
  chip::MpuRegionFields fields;
  std::string attribute;
};

struct MapMpuArea {
  std::string region;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  std::string attribute;
};

struct MapMpu {
  std::string core;
  std::string program;
  unsigned first = 0;
  unsigned last = 0;
  std::vector<MapMpuRegion> regions;
  std::vector<MapMpuArea> areas;
};

struct MapRat {
  std::string core;
  std::vector<chip::RatEntryFields> entries;
};

struct WrittenMap {
  std::string board;
  /// The knob values that it says it was made with.
  std::map<std::string, std::uint64_t> knobs;
  chip::MairKinds mair;
  std::vector<std::string> mmu_cores;
  /// Whether each of them has an mmu.syscfg.
  bool mmu_in_sysconfig = true;
  std::vector<MapMpu> mpu;
  std::vector<MapRat> rat;
  /// Whether each core with RAT entries has them in its mpu.syscfg.
  bool rat_in_sysconfig = true;
  std::vector<MapRegion> regions;
  std::vector<MapCarveout> carveouts;
  std::map<std::string, std::uint64_t> bases;
  std::string linker_file;
  /// Cores whose linker map has a name of its own.
  std::map<std::string, std::string> linker_of;
  std::string header_file;
  std::string dts_file;

  /// What the core must reach, for a file of it.
  [[nodiscard]] Core core_of(const std::string& name, core::Place file) const {
    Core core{name, {}, std::move(file), std::string{kWriteAgain}};
    for (const MapRegion& region : regions) {
      if (core::contains(region.cores, name)) {
        core.regions.push_back(region);
      }
    }
    return core;
  }

  /// nullptr where the core has none.
  [[nodiscard]] const MapMpu* find_mpu(const std::string& core) const { return find(mpu, core); }

  [[nodiscard]] const MapRat* find_rat(const std::string& core) const { return find(rat, core); }

 private:
  template <typename Item>
  static const Item* find(const std::vector<Item>& items, const std::string& core) {
    return core::find_in(items, core, &Item::core);
  }
};

}  // namespace memsize::emit
