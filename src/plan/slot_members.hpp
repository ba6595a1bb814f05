// Where the blocks of one slot begin in it.
#pragma once

#include "problem.hpp"

#include <vector>

namespace memsize::plan {

/// Fills the slot's begins, size and windows from its blocks, whose indices it has; the root comes
/// first and has an offset where an alias has one.
void place_members(Slot& slot,
                   const model::PlannedBlock& root,
                   const std::vector<model::PlannedBlock>& blocks);

}  // namespace memsize::plan
