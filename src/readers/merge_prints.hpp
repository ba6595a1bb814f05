// TIDL prints a model's table twice; this tells which tables are one model.
#pragma once

#include "memsize/model/block.hpp"

#include <vector>

namespace memsize::readers {

/// Pairs each print without addresses (TIDL_alloc) with the first later print (TIDL_init) of the
/// same rows. Rows that only one of the two has are kept: the ring buffer ate the other's.
std::vector<model::Instance> merge_prints(std::vector<model::Instance> tables);

}  // namespace memsize::readers
