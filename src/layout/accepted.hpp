// Findings of the checks that a board accepts by name.
#pragma once

#include "memsize/board/accepted.hpp"
#include "memsize/core/diagnostic.hpp"

#include <string>
#include <string_view>

namespace memsize::layout {

/// The message with the size of each range instead of its addresses: a defect that moves is the
/// same one, a defect that grows is another.
[[nodiscard]] std::string without_addresses(std::string_view message);

/// What is said of that finding; null where it is not accepted.
[[nodiscard]] const board::AcceptedDefect* find_accepted(const board::Accepted& accepted,
                                                         const core::Diagnostic& finding);

}  // namespace memsize::layout
