// Addresses of one model that cannot all be right: a digit was damaged on the way, or two heaps lie
// over each other.
#pragma once

#include "work.hpp"

namespace memsize::sizing {

/// The recording without the addresses that contradict each other within one table, or their own
/// alignment, or reach further than their records explain; each is told. What rests on addresses
/// does not count them: they neither make a mark nor prove that models were never loaded together.
[[nodiscard]] model::CoreRecording without_doubtful(const Work& work,
                                                    const model::CoreRecording& recorded);

}  // namespace memsize::sizing
