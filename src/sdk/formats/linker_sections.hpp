// The SECTIONS of a linker command file in the TI linker's syntax: where each output section goes,
// and what alignment it wants there. The grammar is that of the "Linker Command Files" chapter of
// TI's assembly tools guides, as far as it places sections.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/written.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memsize::sdk {

struct SectionRegion {
  std::string name;
  core::Place place;
};

struct SectionNumber {
  std::uint64_t value = 0;
  core::Place place;
};

struct OutputSection {
  /// ".bss:heap"; what a pattern such as "name*" selects keeps its asterisk.
  std::string name;
  /// Where it runs: one region, or several of which the linker takes the first that has room.
  std::vector<SectionRegion> regions;
  /// Where its contents are loaded, if that is elsewhere.
  std::vector<SectionRegion> load_regions;
  /// Where it is bound to, instead of a region: `> 0x1000`, `run = 0x1000`, or a macro of the file,
  /// the place being that of the macro's name in its #define.
  std::optional<SectionNumber> address;
  /// `>>`: it may be split over the regions.
  bool is_split = false;
  /// The largest of `ALIGN`, `align` and `palign`; of a GROUP that of its first member counts the
  /// group's too. Nothing where none is written.
  std::optional<SectionNumber> alignment;
  std::optional<SectionNumber> fill;
  /// NOLOAD, NOINIT, COPY, ... in their order.
  std::vector<std::string> types;
  /// Counts the GROUPs from 1; 0 outside of any.
  std::size_t group = 0;
  core::Place place;
};

/// In the order of the file. A section without a region is listed without one; MEMORY and the
/// linker's options are passed over. What is not understood has code verify.parse.
[[nodiscard]] std::vector<OutputSection> parse_linker_sections(const emit::MapFile& file,
                                                               const std::string& root,
                                                               core::Diagnostics& errors);

/// The section that wants the largest alignment in a region it may run or be loaded in; nothing if
/// none says what it wants.
[[nodiscard]] const OutputSection* most_aligned(const std::vector<OutputSection>& sections,
                                                const std::string& region);

}  // namespace memsize::sdk
