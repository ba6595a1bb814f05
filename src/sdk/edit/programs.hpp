// What the cores of one operating system program, after a change of the map.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/written.hpp"
#include "memsize/layout/memory_map.hpp"
#include "memsize/sdk/edit_tree.hpp"

#include <map>
#include <string>
#include <vector>

namespace memsize::sdk {

struct ProgramEdits {
  /// By path below the platform's folder.
  std::map<std::string, std::string> files;
  /// Errors; and warnings for entries that are wrong besides: whether they were left, or put right.
  core::Diagnostics problems;
  /// Of the entries that were put right, as sentences.
  std::vector<std::string> repairs;
};

/// The sysconfig files and tables of C with the entries that follow the map. C code that maps by
/// macros follows by itself. `after` is the map, and `macros` the C header, after the change; with
/// `mends`, entries that were not those of the map before are put right, too: else they are left.
[[nodiscard]] ProgramEdits follow_programs(const Sources& sources,
                                           const OpenVariant& variant,
                                           const layout::MemoryMap& after,
                                           const emit::Constants& macros,
                                           bool mends);

}  // namespace memsize::sdk
