// The stages of validate() that validate.cpp lists.
#pragma once

#include "memsize/app/validate.hpp"
#include "memsize/emit/verify.hpp"
#include "memsize/runtime/replay.hpp"
#include "memsize/runtime/run.hpp"
#include "memsize/runtime/subject.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace memsize::app {

/// A map that is to be run.
struct Candidate {
  layout::MemoryMap map;
  layout::MemoryMap baseline;
  std::vector<emit::MapFile> files;
  /// Put before the files' paths in messages; empty: they are only in memory.
  std::string root;
  /// Null without traces.
  std::shared_ptr<const Analysis> analysis;
  core::Diagnostics diagnostics;
};

/// As emit would write it, or as it is in a folder: then its sizes are those that its
/// memory_map.json names, and no check is asked whether they are good.
[[nodiscard]] core::Result<Candidate> candidate_map(Session& session,
                                                    const ValidateRequest& request);

struct Setup {
  runtime::Subject subject;
  /// By the cores' numbers.
  std::vector<runtime::CoreTables> tables;
  std::vector<runtime::CoreReplay> replays;
  /// Each core's GNU ld script, where images are linked.
  std::map<std::string, std::string> scripts;
};

[[nodiscard]] core::Result<Setup> set_up(Session& session,
                                         const Candidate& candidate,
                                         const ValidateRequest& request);

/// Demands of the trace for which the board has no heap: nothing of them is replayed.
[[nodiscard]] std::vector<runtime::Untried> without_heap(const Candidate& candidate);

/// Puts the folder before the files that findings name; files that are nowhere are not named.
void name_files(const Candidate& candidate, core::Diagnostics& findings);

}  // namespace memsize::app
