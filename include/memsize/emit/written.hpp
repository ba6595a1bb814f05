// Parsers of the files that carry a memory map, one per format. They know the formats' grammars,
// not the templates: what a linker, sysconfig, a C preprocessor or dtc would accept. Places have no
// text: core::add_text() puts it in.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/verify.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memsize::emit {

struct WrittenRange {
  std::string name;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  core::Place place;
};

struct WrittenNode {
  std::string label;
  std::optional<std::uint64_t> unit_address;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  bool no_map = false;
  std::string compatible;
  std::uint64_t alignment = 0;
  core::Place place;
};

struct WrittenMmuEntry {
  unsigned instance = 0;
  std::string name;
  std::uint64_t virtual_base = 0;
  std::uint64_t physical = 0;
  std::uint64_t size = 0;
  std::string attribute;
  core::Place place;
};

struct WrittenMacro {
  std::uint64_t value = 0;
  core::Place place;
};

/// A MEMORY block in the TI linker's syntax.
[[nodiscard]] std::vector<WrittenRange> parse_linker(const MapFile& file,
                                                     const std::string& root,
                                                     core::Diagnostics& errors);

/// `#define NAME (0x...u)`.
[[nodiscard]] std::map<std::string, WrittenMacro> parse_header(const MapFile& file,
                                                               const std::string& root,
                                                               core::Diagnostics& errors);

/// Nodes with a label and a `reg` of four cells, by label.
[[nodiscard]] std::vector<WrittenNode> parse_dts(const MapFile& file,
                                                 const std::string& root,
                                                 core::Diagnostics& errors);

/// mmu_armv8 instances in their order.
[[nodiscard]] std::vector<WrittenMmuEntry> parse_syscfg(const MapFile& file,
                                                        const std::string& root,
                                                        core::Diagnostics& errors);

/// A region of an MPU, however it is written.
struct MpuRegionFields {
  unsigned number = 0;
  std::string name;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  /// Bit n: the n-th eighth is off.
  unsigned disabled = 0;
  unsigned tex = 0;
  bool cacheable = false;
  bool bufferable = false;
  bool shareable = false;
  bool execute = false;

  friend bool operator==(const MpuRegionFields&, const MpuRegionFields&) = default;
};

struct RatEntryFields {
  std::string name;
  std::uint64_t local = 0;
  std::uint64_t system = 0;
  std::uint64_t size = 0;

  friend bool operator==(const RatEntryFields&, const RatEntryFields&) = default;
};

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
