// Named checks over a resolved map. They share no code with resolve(), except where they look at
// another map: for what it would cost (mmu.cost), and whether a hint would help.
#pragma once

#include "memsize/board/accepted.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/layout/memory_map.hpp"

#include <set>
#include <string_view>
#include <vector>

namespace memsize::layout {

struct Check {
  core::Code code;
  core::Severity severity;
  /// A check whose failure makes this one meaningless; equal to `code` where there is none.
  core::Code prerequisite;
  std::string_view rule;
  std::string_view source;
  void (*run)(const MemoryMap& map, core::Diagnostics& found);
};

[[nodiscard]] const std::vector<Check>& all_checks();

/// Runs every check whose prerequisite held. Findings are sorted by place.
[[nodiscard]] core::Diagnostics check_map(const MemoryMap& map);

/// The same, but an error that the board accepts is a warning, and hides none of the checks behind
/// it.
[[nodiscard]] core::Diagnostics check_and_accept(const MemoryMap& map);

/// Whether what reads the map's files back found what is accepted: by the code, and by the cores
/// and regions that it names.
[[nodiscard]] bool is_accepted_by_name(const board::Board& board, const core::Diagnostic& finding);

/// Those of the checks alone.
[[nodiscard]] core::Diagnostics check_map(const MemoryMap& map, const std::set<core::Code>& only);

}  // namespace memsize::layout
