// What the programs of a module found, as sentences.
#pragma once

#include "memsize/runtime/report.hpp"
#include "memsize/runtime/run_module.hpp"

#include <string>
#include <vector>

namespace memsize::runtime {

/// What one of them came to.
struct ModuleRun {
  /// Its hydrate_constants(): "weak", "strong", "forgetful".
  std::string program;
  Report report;
  /// How it ended where it came to no end of its own: "did not end within 30000 ms"; empty: it did.
  std::string broken;
  /// The function in which it faulted; empty: it did not, or nobody knows.
  std::string function;
};

/// Each finding once, however many programs have it; of one kind the first few. Errors: what the
/// machine did not do.
[[nodiscard]] core::Result<core::Diagnostics> judge_module(const emit::Module& module,
                                                           const std::vector<ModuleRun>& runs);

}  // namespace memsize::runtime
