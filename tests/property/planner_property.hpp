// Whole plans, over several memories, against a judge that tries every assignment.
#pragma once

#include <cstdint>

namespace memsize::judge {

/// How many things are wrong; each is printed with the seed that makes its problem.
[[nodiscard]] std::uint64_t check_planner(std::uint64_t seed, std::uint64_t count);

}  // namespace memsize::judge
