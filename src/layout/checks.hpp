// The named checks, by what they look at. check.cpp puts them in order and runs them.
#pragma once

#include "memsize/layout/check.hpp"

#include <vector>

namespace memsize::layout {

[[nodiscard]] const std::vector<Check>& region_checks();
[[nodiscard]] const std::vector<Check>& mmu_checks();
[[nodiscard]] const std::vector<Check>& mpu_checks();

}  // namespace memsize::layout
