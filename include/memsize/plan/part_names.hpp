// Reports call a memory as their compilers do, a part as its files do: the same memory has to have
// one name before anything is planned into it or held against it.
#pragma once

#include "memsize/board/memories.hpp"
#include "memsize/model/plan.hpp"

namespace memsize::plan {

/// Memories that the part knows under another name (PartMemory::also) get the part's. Two rows of a
/// report that are one memory then are one row: what the first does not say the second does, and
/// the larger use holds.
void name_as_part(model::PlanReport& report, const board::MemorySet& part);

}  // namespace memsize::plan
