// Which section of a core's firmware goes to which region of its linker map.
#pragma once

#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"

#include <string>
#include <vector>

namespace memsize::board {

enum class SectionUse {
  kLoaded,    // its bytes are in the ELF file
  kReserved,  // only its addresses are used
  kWhole,     // the same, by one array that must be as large as its region
};

struct PlacedSection {
  /// As a compiler may write it: ".bss:shared".
  std::string name;
  std::string region;
  SectionUse use = SectionUse::kLoaded;
  core::Align align;
};

/// The sections of one core. Those of code and data, by the names that every compiler uses, go to
/// `region`; so do the further names of each kind.
struct CoreSections {
  std::string core;
  std::string region;
  std::vector<std::string> text;
  std::vector<std::string> rodata;
  std::vector<std::string> data;
  std::vector<std::string> bss;
  core::Bytes stack;
  /// The multiple on which the core must begin to run.
  core::Align entry_align;
  std::vector<PlacedSection> placed;
  core::Place place;
};

}  // namespace memsize::board
