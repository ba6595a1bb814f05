// A map that is run on emulated cores, or held against what the real board printed.
#pragma once

#include "memsize/app/map.hpp"
#include "memsize/runtime/board_log.hpp"
#include "memsize/runtime/run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memsize::app {

/// A console log of the board whose firmware was built with a map.
struct LogRequest {
  std::vector<std::string> logs;
  /// What the map was made of, and how, if anything: its core, headroom, instances and priorities
  /// are those of the log, too. No inputs: nothing is known of before.
  AnalyzeRequest trace;
};

/// Holds the logs against `map`; `baseline` is the board's default map, or what the SDK had before.
/// What is wrong on the board is in the report; errors are of logs that cannot be read.
[[nodiscard]] core::Result<runtime::BoardLogReport> hold_board_log(
    Session& session,
    const LogRequest& request,
    const layout::MemoryMap& map,
    const layout::MemoryMap& baseline);

struct ValidateRequest {
  /// The map as emit would make it; with `map`, what its traces put into the heaps; with an SDK
  /// tree, the map that the tree's scripts have, as files that emit writes of it.
  EmitRequest emit;
  /// Of an SDK tree with several: the part and its operating system.
  std::string soc;
  std::string os;
  /// A folder that emit --out wrote, which is run as it is; empty: none.
  std::string map;
  runtime::RunOptions run;
  /// Whether anything is run: not where only a log is held against the map.
  bool runs = true;
  std::vector<std::string> logs;
};

struct Validation {
  layout::MemoryMap map;
  /// Warnings and notes of the map and its traces.
  core::Diagnostics diagnostics;
  /// No trace: each heap was filled by one block.
  bool is_traced = false;
  std::optional<runtime::RunResult> result;
  std::optional<runtime::BoardLogReport> log;
};

/// What is wrong with the map is in the result; errors are of inputs and of this machine.
[[nodiscard]] core::Result<Validation> validate(Session& session, const ValidateRequest& request);

}  // namespace memsize::app
