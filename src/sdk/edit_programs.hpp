// What the cores of one operating system program, after a change of the map.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/written.hpp"
#include "memsize/layout/memory_map.hpp"
#include "memsize/sdk/edit_tree.hpp"

#include <map>
#include <string>

namespace memsize::sdk {

struct ProgramEdits {
  /// By path below the platform's folder.
  std::map<std::string, std::string> files;
  core::Diagnostics problems;
};

/// The sysconfig files and tables of C with the entries that follow the map. C code that maps by
/// macros follows by itself. `after` is the map, and `macros` the C header, after the change; with
/// `mends`, entries that were not those of the map before are put right, too, in every file: else
/// only in those that change anyway.
[[nodiscard]] ProgramEdits follow_programs(const Sources& sources,
                                           const OpenVariant& variant,
                                           const layout::MemoryMap& after,
                                           const emit::Constants& macros,
                                           bool mends);

}  // namespace memsize::sdk
