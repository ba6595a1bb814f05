// What `check` looked at, and what it found.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/sdk/tree.hpp"

#include <string>
#include <vector>

namespace memsize::app {

/// One operating system of one part of an SDK tree, and what of it was read. Paths are below the
/// folder; what is empty is not there.
struct CheckedVariant {
  sdk::Platform platform;
  std::string os;
  /// The board whose map it was held against; empty: memsize has none of that part and system.
  std::string board;
  std::string script;
  std::string header;
  std::string dts;
  std::vector<sdk::CoreSources> cores;
};

struct CheckReport {
  core::Diagnostics diagnostics;
  /// What was looked at, for people.
  std::vector<std::string> checked;
  /// What the board's map has to say although nothing is wrong.
  core::Diagnostics remarks;
  /// The parts of the SDK tree that were read.
  std::vector<sdk::Platform> platforms;
  std::vector<CheckedVariant> variants;
};

}  // namespace memsize::app
