// Runs a map: images of the embedded runtime under the tables of each core, on an emulated board.
#pragma once

#include "memsize/board/board.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/verify.hpp"
#include "memsize/runtime/replay.hpp"
#include "memsize/runtime/report.hpp"
#include "memsize/runtime/subject.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::runtime {

enum class Where {
  kHost,  // a process for each core, whose address space is made of its map
  kQemu,  // an emulated core each, on -M none
};

[[nodiscard]] std::string_view name_of(Where where);

/// A core's translation tables; empty bytes: it has none.
struct CoreTables {
  std::uint64_t base = 0;
  std::string bytes;
};

/// Something that could not be tried, and why; an empty region means the whole core.
struct Untried {
  std::string core;
  std::string region;
  std::string why;
};

/// The compiler and linker of the images.
enum class Toolchain { kClang, kGcc };

/// clang where it is in PATH with lld, else gcc.
[[nodiscard]] Toolchain default_toolchain();

/// Whether the last run ended because this process was asked to.
[[nodiscard]] bool was_interrupted();

struct RunOptions {
  Where where = Where::kHost;
  Toolchain toolchain = Toolchain::kClang;
  /// What one image may take.
  std::chrono::milliseconds timeout{30000};
  /// memsize-host, and the folder of the runtime's sources.
  std::string host_program;
  std::string sources;
};

/// What one core came to.
struct CoreRun {
  std::string core;
  Unit unit = Unit::kNone;
  bool ran = false;
  std::uint64_t points = 0;
  /// Of these, addresses that must fault; and those where another core wrote.
  std::uint64_t guards = 0;
  std::uint64_t peers = 0;
  /// Of all, what this machine could not try.
  std::uint64_t skipped = 0;
  std::vector<PlacedBlock> blocks;
};

struct RunResult {
  std::vector<CoreRun> cores;
  std::vector<Untried> untried;
  /// Words that were looked at from outside of the images: what cores wrote, and Linux's memory.
  std::uint64_t outside = 0;
  core::Diagnostics findings;
};

/// `scripts` has each core's GNU ld script; the host needs none. Errors: what is missing on this
/// machine, and what ended otherwise than an image ends.
[[nodiscard]] core::Result<RunResult> run(const Subject& subject,
                                          const std::vector<CoreTables>& tables,
                                          const std::vector<CoreReplay>& replays,
                                          const std::map<std::string, std::string>& scripts,
                                          const RunOptions& options);

}  // namespace memsize::runtime
