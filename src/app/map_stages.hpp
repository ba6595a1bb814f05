// The stages that map.cpp lists, beside those that find sizes.
#pragma once

#include "memsize/app/map.hpp"

namespace memsize::app {

/// What the map is sized by, for the board of the map.
[[nodiscard]] AnalyzeRequest trace_of(const EmitRequest& request);

/// A map as emit would make it, checked, with nothing rendered yet.
[[nodiscard]] core::Result<Emission> sized_map(Session& session, const EmitRequest& request);

/// Where nothing but the MMU refuses the values: adds the nearest that it takes to the last error.
void say_nearest(const board::Board& board,
                 const board::KnobValues& values,
                 core::Diagnostics& errors);

/// Renders what --only left out of the check too, then reads everything back.
[[nodiscard]] core::Diagnostics verify_artifacts(Session& session, const Emission& emission);

}  // namespace memsize::app
