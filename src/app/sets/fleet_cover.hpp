// Which logs of a fleet cost the others most, and what is enough without them.
#pragma once

#include "memsize/app/fleet.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace memsize::app {

/// A share of logs, in hundredths of a percent: 9 950 of "99.5%".
[[nodiscard]] core::Result<std::uint64_t> parse_share(std::string_view text);

/// How many of so many logs may be left out, so that the share is kept.
[[nodiscard]] std::size_t left_out_at_most(std::size_t logs, std::uint64_t share);

/// What each log asks for of each demand (0: nothing; all rows are equally long), and how many may
/// go. Gives the logs, ascending, without which the sum over the demands of the most that is asked
/// for is small: greedily the most bytes saved for each log that goes. None of them fits into what
/// is enough for the others.
[[nodiscard]] std::vector<std::size_t> costliest(const std::vector<std::vector<core::Bytes>>& asked,
                                                 std::size_t at_most);

}  // namespace memsize::app
