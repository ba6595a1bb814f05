// The MPU programs that memsize ships, for tests that read files without a board.
#pragma once

#include "memsize/board/mpu_program.hpp"
#include "memsize/core/file_system.hpp"

#include <cstdlib>
#include <map>
#include <string>

namespace memsize::test {

[[nodiscard]] inline const board::MpuPrograms& mpu_programs() {
  static const board::MpuPrograms programs = [] {
    core::RealFileSystem files;
    const auto loaded = board::load_mpu_programs(files, MEMSIZE_SOURCE_DIR "/boards");
    if (!loaded || loaded->empty()) {
      std::abort();
    }
    return *loaded;
  }();
  return programs;
}

/// Puts them beside the boards of a disk in memory, below boards/.
inline void put_mpu_programs(core::MemFileSystem& files) {
  static const std::map<std::string, std::string> read = [] {
    core::RealFileSystem disk;
    std::map<std::string, std::string> texts;
    for (const char* path : {"boards/programs/csl.toml",
                             "boards/programs/safertos.toml",
                             "boards/parts/mpu-pdk-words.toml"}) {
      texts[path] =
          disk.read(std::string{MEMSIZE_SOURCE_DIR "/"} + path, core::kWrittenFile).value();
    }
    return texts;
  }();
  files.content.insert(read.begin(), read.end());
}

}  // namespace memsize::test
