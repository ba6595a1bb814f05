// What a page tells beside its map: traces, heaps, findings.
#pragma once

#include "memsize/app/analyze.hpp"
#include "memsize/emit/page.hpp"

#include <string>
#include <vector>

namespace memsize::app {

/// `analysis` is null where no trace sizes the map; `settings` are KNOB=SIZE as typed; `said` is
/// what was found besides. Folders of paths are left out: a page is the same wherever it was made.
[[nodiscard]] emit::PageFacts page_facts(const Analysis* analysis,
                                         const std::vector<std::string>& settings,
                                         const core::Diagnostics& said);

}  // namespace memsize::app
