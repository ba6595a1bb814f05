// What the test application of a module is told: C tables of what the plan says, and memory for
// what is the application's. target/module/module_probe.h has their meaning.
#pragma once

#include "memsize/runtime/run_module.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memsize::runtime {

struct ModuleFiles {
  /// "subject.h", "tables.c", "rooms.S" and the bytes of constants, "arena3.bin".
  std::vector<emit::Artifact> files;
  std::size_t steps = 0;
  std::vector<Untried> untried;
};

/// Without `is_roomy` there is no memory but what the plan has: a linker script may have no more.
[[nodiscard]] ModuleFiles module_files(const emit::Module& module, Where where, bool is_roomy);

/// The file that constants of an arena are in.
[[nodiscard]] std::string blob_file(std::size_t arena);

}  // namespace memsize::runtime
