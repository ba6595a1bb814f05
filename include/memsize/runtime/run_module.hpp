// Runs a module that was made of a plan: a test application calls each of its functions, writes and
// reads every tensor at its place, step by step, and looks behind every arena.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/module.hpp"
#include "memsize/runtime/run.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace memsize::runtime {

struct ModuleSubject {
  const emit::Module& module;
  /// Its headers and C sources: whatever ends in .h or .c.
  std::vector<emit::Artifact> files;
  /// Of GNU ld and lld, at the addresses of the part's machine; a host needs none.
  std::string linker_script;
};

struct ModuleResult {
  /// The variants of hydrate_constants() that ran to their end: "weak", "strong", "forgetful".
  std::vector<std::string> programs;
  std::uint64_t checks = 0;
  std::size_t arenas = 0;
  /// Of them, those behind which an access faults.
  std::size_t guarded = 0;
  std::size_t tensors = 0;
  std::size_t steps = 0;
  /// `region` is an arena's name, or empty.
  std::vector<Untried> untried;
  core::Diagnostics findings;
};

/// Errors: what is missing on this machine. A module that does not compile, or that faults or never
/// ends, has findings (module.*).
[[nodiscard]] core::Result<ModuleResult> run_module(const ModuleSubject& subject,
                                                    const RunOptions& options);

}  // namespace memsize::runtime
