// Reads a written map back, file by file, and holds the files against each other. Nothing here is
// shared with the code that renders: the linker maps, the MMU entries, the MPU regions, the C
// header and the device tree are parsed as their consumers would.
#pragma once

#include "memsize/board/mpu_program.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/rule.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::emit {

/// A file by its path below the map's folder.
struct MapFile {
  std::string path;
  std::string content;

  [[nodiscard]] std::string path_under(const std::string& root) const {
    return root.empty() ? path : root + "/" + path;
  }
};

struct VerifyReport {
  core::Diagnostics diagnostics;
  /// Files of such a map that are not there, by their paths below the folder: they were held
  /// against nothing.
  std::vector<std::string> missing;
  /// What was read, for people: "4 linker maps".
  std::vector<std::string> read;
  std::string board;
  /// The knob values that memory_map.json says it was made with.
  std::map<std::string, std::uint64_t> knobs;
};

/// What a written map is held against.
[[nodiscard]] const std::vector<core::Rule>& written_rules();

/// `root` is put before paths in messages. The folder must hold a memory_map.json; other files are
/// checked where they are present. `programs` are those of which tables of MPU regions are read.
[[nodiscard]] VerifyReport verify_map(const std::vector<MapFile>& files,
                                      const std::string& root,
                                      const board::MpuPrograms& programs);

}  // namespace memsize::emit
