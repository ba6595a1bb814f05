// Reads what a written map tells each core, as data: for those who run it.
#pragma once

#include "memsize/chip/entry.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/verify.hpp"
#include "memsize/emit/written.hpp"
#include "memsize/emit/written_map.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memsize::emit {

/// memory_map.json; nothing, and errors, where the file is none.
[[nodiscard]] std::optional<WrittenMap> read_map_document(const MapFile& file,
                                                          const std::string& root,
                                                          core::Diagnostics& errors);

/// The entries of an mmu_map.json. Where it is another core's, that is an error.
[[nodiscard]] std::vector<WrittenMmuEntry> read_mmu_document(const MapFile& file,
                                                             const std::string& core,
                                                             const std::string& root,
                                                             core::Diagnostics& errors);

/// The macros that C files of the map may use: NAME_ADDR and NAME_SIZE.
[[nodiscard]] Constants constants_of(const WrittenMap& map);

/// What the files of one core say.
struct CoreFiles {
  std::string core;
  /// MEMORY of its linker map.
  std::vector<WrittenRange> linker;
  /// Where the board gives it an MMU: its mmu.syscfg where there is one, else mmu_map.json.
  std::vector<WrittenMmuEntry> mmu;
  /// Where the board gives it an MPU.
  std::vector<WrittenMpuRegion> mpu;
  std::vector<chip::RatEntryFields> rat;
  /// The file that `mmu` or `mpu` is from, for messages.
  std::string program_path;
};

struct MapFiles {
  WrittenMap map;
  /// In the order in which memory_map.json names them first.
  std::vector<CoreFiles> cores;
  /// The nodes of the device tree.
  std::vector<WrittenNode> nodes;
};

/// Errors: a file that is missing or cannot be parsed. Whether the files agree is verify_map()'s.
[[nodiscard]] core::Result<MapFiles> read_map_files(const std::vector<MapFile>& files,
                                                    const std::string& root,
                                                    const board::MpuPrograms& programs);

}  // namespace memsize::emit
