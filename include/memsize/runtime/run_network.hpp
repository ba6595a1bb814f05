// Runs a network's program on an emulated cluster: eight workers, their controller and a DMA
// engine, which refuses what the chip would not do and moves at four different times.
#pragma once

#include "memsize/board/memories.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/network.hpp"
#include "memsize/runtime/run.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::runtime {

/// When a transfer takes place; a schedule that is right is right with all of them. The words are
/// those of target/pmsis/pmsis.c.
enum class DmaTiming : std::uint8_t { kNow, kWait, kLast, kOwn };

constexpr auto names_of(DmaTiming /*all*/) {
  return std::to_array<std::string_view>({"now", "wait", "last", "own"});
}

/// "as late as possible".
[[nodiscard]] std::string_view in_words(DmaTiming timing);

struct NetworkSubject {
  const emit::NetworkProgram& program;
  /// Of the schedule that the program is made of.
  const model::PlanReport& plan;
  const board::MemorySet& part;
  /// Its headers, C sources and binaries: inc/, src/, bin/.
  std::vector<emit::Artifact> files;
};

struct NetworkResult {
  /// Those that came to their end.
  std::vector<DmaTiming> timings;
  std::size_t steps = 0;
  /// Layers that were compared with their golden.
  std::size_t compared = 0;
  /// Of one run.
  std::uint64_t transfers = 0;
  std::uint64_t most_open = 0;
  core::Bytes moved;
  core::Bytes moved_l3;
  core::Diagnostics findings;
};

/// Errors: what is missing on this machine. A program that does not compile, faults, is refused
/// something or makes other values has findings (network.*).
[[nodiscard]] core::Result<NetworkResult> run_network(const NetworkSubject& subject,
                                                      const RunOptions& options);

}  // namespace memsize::runtime
