// Answers about an SDK tree as it is on disk.
#pragma once

#include "memsize/layout/answer.hpp"
#include "memsize/layout/sight.hpp"
#include "memsize/sdk/view.hpp"

#include <string>
#include <vector>

namespace memsize::sdk {

/// The builds of a core: one for each file that configures its MMU or MPU.
[[nodiscard]] std::vector<layout::CoreHardware> hardware_of(const View& view,
                                                            const CoreReading& core);

/// Addresses are the tree's; a board only says how regions must be cached and where memory is.
/// What a larger size does is what the script makes of it, with the size edited in memory. Errors:
/// a name that no file of the variant has (sdk.name, with the nearest), a core that it does not
/// have, a number that is no address (both usage).
[[nodiscard]] core::Result<layout::Answer> answer(const View& view,
                                                  const layout::Question& question);

}  // namespace memsize::sdk
