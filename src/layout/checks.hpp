// The named checks, by what they look at. check.cpp puts them in order and runs them.
#pragma once

#include "memsize/board/mpu.hpp"
#include "memsize/layout/check.hpp"

#include <vector>

namespace memsize::layout {

/// The inner cache policy of normal memory, as the table of TEX, C and B in the Armv7-R manual (DDI
/// 0406C, B5) gives it.
[[nodiscard]] board::Cache cache_of(const board::MpuAttribute& attribute);

[[nodiscard]] const std::vector<Check>& region_checks();
[[nodiscard]] const std::vector<Check>& mmu_checks();
[[nodiscard]] const std::vector<Check>& mpu_checks();

}  // namespace memsize::layout
