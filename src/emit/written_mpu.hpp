// Parsers of what a written map says about an R5F's MPU and address translation: the instances of
// sysconfig, and the PDK's tables in C. They know the defaults of sysconfig and the PDK's names.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/verify.hpp"

#include "written_map.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace memsize::emit {

struct WrittenMpuRegion {
  MpuRegionFields fields;
  core::Place place;
};

struct WrittenRatEntry {
  RatEntryFields fields;
  core::Place place;
};

struct WrittenMpuSyscfg {
  /// In the order of their instances, which is that of their numbers, from `first` on.
  std::vector<WrittenMpuRegion> regions;
  std::vector<WrittenRatEntry> entries;
};

/// mpu_armv7 and addr_translate instances; a property that is not set has sysconfig's default.
[[nodiscard]] WrittenMpuSyscfg parse_mpu_syscfg(const MapFile& file,
                                                const std::string& root,
                                                unsigned first,
                                                core::Diagnostics& errors);

struct WrittenMpuSource {
  /// "csl" or "safertos", by the table that is defined.
  std::string program;
  std::vector<WrittenMpuRegion> regions;
};

/// What a C file may call by name: NAME_ADDR and NAME_SIZE.
using Constants = std::map<std::string, std::uint64_t>;

/// The regions of gCslR5MpuCfg, or of gMPUConfigParms for SafeRTOS, by number.
[[nodiscard]] WrittenMpuSource parse_mpu_source(const MapFile& file,
                                                const std::string& root,
                                                const Constants& constants,
                                                core::Diagnostics& errors);

}  // namespace memsize::emit
