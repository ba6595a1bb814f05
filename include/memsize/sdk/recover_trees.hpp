// Ends what an interrupted run began in several trees that are changed together.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"

#include <string>
#include <vector>

namespace memsize::sdk {

/// As recover() of each tree, but what was decided in one of them is decided in all: where one is
/// half put back, the others are put back too; where one is half changed, and the same change is
/// prepared in another, it is made there.
[[nodiscard]] core::Result<void> recover_trees(core::FileSystem& files,
                                               const std::vector<std::string>& roots);

}  // namespace memsize::sdk
