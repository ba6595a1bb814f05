// What a running board says, against a map: what Linux reserved, which cores run, with which
// firmware.
//
// Sources: arch/arm64/kernel/setup.c of Linux (request_standard_resources: memory that is not
// mapped is "reserved" at the top of /proc/iomem, neighbours as one; mapped memory that is reserved
// lies in "System RAM"), drivers/remoteproc/remoteproc_sysfs.c (states).
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/core/rule.hpp"
#include "memsize/layout/memory_map.hpp"
#include "memsize/model/probe.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memsize::layout {

/// What the running device tree says beside the map.
struct RunningTree {
  struct Node {
    std::string name;
    core::PhysRange range;
  };

  struct Remote {
    /// As remoteproc calls it: "7e000000.dsp".
    std::string name;
    /// Its memory-region nodes, in their order.
    std::vector<core::PhysRange> memory;
  };

  /// Everything that is reserved, of whatever map.
  std::vector<Node> reserved;
  std::vector<Remote> cores;
};

/// A remote core, and the core of the map that it is; empty: nobody says.
struct RunningCore {
  model::RemoteCore said;
  std::string core;
  /// The file that its firmware leads to; empty: the probe does not say.
  std::string file;
};

struct ProbeReport {
  std::vector<RunningCore> cores;
  core::Diagnostics diagnostics;
};

/// What a probe is held against.
[[nodiscard]] const std::vector<core::Rule>& probe_rules();

/// Without a tree, what the map does not have is unexplained, and a core is known by nothing.
[[nodiscard]] ProbeReport check_probe(const MemoryMap& map,
                                      const model::Probe& probe,
                                      const RunningTree& tree);

}  // namespace memsize::layout
