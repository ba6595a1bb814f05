// What an image of the runtime says: one JSON object a line, as src/runtime/target/report.h has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::runtime {

/// Something that is not as it must be.
struct Finding {
  /// What was tried: "translate", "guard", "peer" and so on, as in report.h.
  std::string check;
  std::string region;
  /// As the core sees it.
  std::uint64_t address = 0;
  std::uint64_t expected = 0;
  std::uint64_t actual = 0;
};

/// A block that the replay placed.
struct PlacedBlock {
  std::string region;
  std::uint32_t instance = 0;
  /// Nothing: an object of the instance's own.
  std::optional<std::uint32_t> record;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

/// How much of a part of the run was done.
struct Part {
  std::string name;
  std::uint64_t done = 0;
  std::uint64_t skipped = 0;
  std::uint64_t findings = 0;
};

/// A fault that nobody expected; it ended the run.
struct Fault {
  std::uint64_t address = 0;
  std::uint64_t status = 0;
  std::uint64_t pc = 0;
};

/// A whole run.
struct Report {
  std::string core;
  unsigned phase = 0;
  std::vector<Finding> findings;
  std::vector<PlacedBlock> blocks;
  std::vector<Part> parts;
  std::optional<Fault> fault;
  /// How many findings the image itself counted; nothing: it did not come to its end.
  std::optional<std::uint64_t> verdict;
  /// Lines that are no event of the grammar, the first of them.
  std::size_t strange_lines = 0;
  std::string strange;
};

/// Reads what an image printed. Anything but the grammar is counted, never an error: an image that
/// went wrong may print anything.
[[nodiscard]] Report parse_report(std::string_view text);

}  // namespace memsize::runtime
