// Memories whose beginning is somebody else's.
#pragma once

#include "memsize/core/bytes.hpp"
#include "memsize/model/plan.hpp"

#include "problem.hpp"

#include <map>
#include <string>
#include <vector>

namespace memsize::plan {

/// Takes off each bank what `taken` says of its name, up to where its arenas can begin: at a
/// multiple of their alignment and of that of each of the blocks that may be in it.
void begin_behind_others(std::vector<Bank>& banks,
                         const std::map<std::string, core::Bytes>& taken,
                         const std::vector<model::PlannedBlock>& blocks);

}  // namespace memsize::plan
