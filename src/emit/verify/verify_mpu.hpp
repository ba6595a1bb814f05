// Holds what a core's MPU and address translation do against memory_map.json: the core must reach
// every region of the map that its linker map has, where it is, cached as it must be.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/verify.hpp"
#include "memsize/emit/written_map.hpp"

#include <string>

namespace memsize::emit {

/// The files of one core; nullptr where one is missing or not written for this board.
struct MpuFiles {
  std::string core;
  const MapFile* syscfg = nullptr;
  const MapFile* source = nullptr;
  /// The regions as register values.
  const MapFile* words = nullptr;
};

void verify_mpu(const WrittenMap& map,
                const MpuFiles& files,
                const std::string& root,
                const board::MpuPrograms& programs,
                core::Diagnostics& errors);

}  // namespace memsize::emit
