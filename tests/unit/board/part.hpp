// A part for tests of how parts are read.
#pragma once

#include "memsize/board/memories.hpp"

#include "support.hpp"

#include <string>

namespace memsize::board {

inline const std::string kFolder = "boards/memories";

inline const std::string kPart = R"toml(schema = 1
title = "A part that exists nowhere"

[memory.far]
base = "0x30000000"
hardware = "1MiB"
cost = 4
source = "made up"

[memory.near]
base = "0x20000000"
hardware = "60KiB"
cost = 1
source = "made up"

[memory.flash]
hardware = "2MiB"
writable = false
volatile = false
cost = 9
source = "made up"
)toml";

inline core::Result<MemorySet> load(const std::string& text) {
  core::MemFileSystem files;
  files.content[kFolder + "/part.toml"] = text;
  return load_memories(files, kFolder, "part");
}

}  // namespace memsize::board
