// Holds what a core's MMU does against memory_map.json: every byte of a region that the core sees
// must lead to the region, with the right attribute.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/verify.hpp"
#include "memsize/emit/written_map.hpp"

#include <string>

namespace memsize::emit {

/// The files of one core; nullptr where one is missing or not written for this board.
struct MmuFiles {
  std::string core;
  const MapFile* syscfg = nullptr;
  const MapFile* document = nullptr;
  /// The translation tables as bytes, and the same as C.
  const MapFile* tables = nullptr;
  const MapFile* tables_source = nullptr;
};

void verify_mmu(const WrittenMap& map,
                const MmuFiles& files,
                const std::string& root,
                core::Diagnostics& errors);

}  // namespace memsize::emit
