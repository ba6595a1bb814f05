// What each operator of a model took when it ran: helia-profiler's profile_results.csv.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/model/plan.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memsize::readers {

/// A CSV whose first line names the columns; `id` (an operator's, as heliaAOT's manifest has it)
/// and `cycles` are needed, in any place, and others are passed over. Every id stands once. Errors:
/// plan.syntax, read.empty.
[[nodiscard]] core::Result<std::vector<model::LayerTime>> read_profile(std::string_view text,
                                                                       const std::string& path);

}  // namespace memsize::readers
