// What the files of a variant say, each parsed once: those that its script writes, and what each
// core does with the map at run time.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/written.hpp"
#include "memsize/sdk/tree.hpp"

#include "csource/firmware.hpp"
#include "formats/dpl_config.hpp"
#include "formats/linker_sections.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memsize::sdk {

/// Paths in this header are below the platform's folder.
struct MmuReading {
  std::string path;
  std::vector<emit::WrittenMmuEntry> entries;
};

struct MpuReading {
  std::string path;
  std::vector<emit::WrittenMpuRegion> regions;
  /// Of a table of C; null for what sysconfig has.
  std::shared_ptr<const board::MpuProgram> table = {};
};

struct RatReading {
  std::string path;
  std::vector<emit::WrittenRatEntry> entries;
};

struct GeneratedReading {
  /// Empty where the tree has no such file, or where it could not be parsed.
  std::string path;
  DplConfig config;
};

struct SharedReading {
  std::string path;
  std::vector<SharedRange> ranges;
};

/// What one core has; of each kind one for each file, which are builds of the same core.
struct CoreReading {
  std::string name;
  std::vector<emit::WrittenRange> linker;
  /// Its sysconfig files, or its start-up code where none configures an MMU. A core that has no
  /// sysconfig file for any operating system may have what sysconfig made of one instead, here as
  /// below.
  std::vector<MmuReading> mmu;
  /// Its sysconfig files, or its table of C where none configures an MPU.
  std::vector<MpuReading> mpu;
  /// Its sysconfig files, and the start-up code that all cores share.
  std::vector<RatReading> rat;
  /// What sysconfig made.
  GeneratedReading generated;
  /// Calls that switch the cache of a range on or off, in the order of the start-up code.
  std::vector<MarCall> mar;
  std::string mar_path;
  SharedReading shared;
  std::vector<OutputSection> sections;
  /// Of the code that all cores share.
  std::vector<PlacedArray> arrays;
  /// A table of MPU regions that nothing compiles, because a sysconfig file has them; may be empty.
  std::string unused_mpu_source;

  [[nodiscard]] bool has_mmu() const { return !mmu.empty(); }
};

/// Where the core's MMU, or else its RAT, leads an address.
[[nodiscard]] std::optional<std::uint64_t> led_to(const CoreReading& core, std::uint64_t address);

struct Reading {
  /// In the order of the variant's.
  std::vector<CoreReading> cores;
  /// Of the C header.
  std::map<std::string, emit::WrittenMacro> macros;
  /// False where a mistake in it may hide some.
  bool knows_macros = true;
  /// Of the device tree.
  std::vector<emit::WrittenNode> nodes;
  /// Of each file that could not be parsed the first error; what it says is missing above.
  core::Diagnostics problems;

  /// Null where there is none.
  [[nodiscard]] const CoreReading* find(const std::string& core) const;
};

}  // namespace memsize::sdk
