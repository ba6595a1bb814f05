// What memory_map.json says, reduced to what the other files can contradict.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace memsize::emit {

struct MapRegion {
  std::string name;
  std::uint64_t address = 0;
  std::optional<std::uint64_t> physical;
  std::uint64_t size = 0;
  std::vector<std::string> cores;
  bool in_header = false;
  std::string cache;
  std::string knob;
};

struct MapCarveout {
  std::string name;
  std::string label;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  bool no_map = false;
  std::string compatible;
  std::uint64_t alignment = 0;
  bool in_header = false;
};

struct WrittenMap {
  /// Kind of caching and the attributes that an MMU entry may have for it: "MAIR7".
  std::map<std::string, std::set<std::string>> mair;
  std::vector<std::string> mmu_cores;
  /// Whether each of them has an mmu.syscfg.
  bool mmu_in_sysconfig = true;
  std::vector<MapRegion> regions;
  std::vector<MapCarveout> carveouts;
  std::map<std::string, std::uint64_t> bases;
  std::string linker_file;
  /// Cores whose linker map has a name of its own.
  std::map<std::string, std::string> linker_of;
  std::string header_file;
  std::string dts_file;
};

}  // namespace memsize::emit
