// Where the allocators that sizes were computed with put a model's records, held against where a
// log has them.
#pragma once

#include "memsize/runtime/board_log.hpp"

#include <vector>

namespace memsize::runtime {

/// One warning for each table and heap with records elsewhere. `cores`: those of the log, with
/// every address that is known.
[[nodiscard]] core::Diagnostics hold_predictions(const layout::MemoryMap& map,
                                                 const BoardLog& log,
                                                 const std::vector<model::CoreRecording>& cores);

}  // namespace memsize::runtime
