// What a page tells beside its map: traces, heaps, findings.
#pragma once

#include "memsize/app/fleet.hpp"
#include "memsize/emit/page.hpp"

#include <string>
#include <vector>

namespace memsize::app {

/// `analysis` is null where no trace sizes the map; `settings` are KNOB=SIZE as typed; `said` is
/// what was found besides. Folders of paths are left out: a page is the same wherever it was made.
[[nodiscard]] emit::PageFacts page_facts(const Analysis* analysis,
                                         const std::vector<std::string>& settings,
                                         const core::Diagnostics& said);

/// The same of a folder of logs: each heap lists the logs that need most of it.
[[nodiscard]] emit::PageFacts fleet_facts(const Fleet& fleet);

}  // namespace memsize::app
