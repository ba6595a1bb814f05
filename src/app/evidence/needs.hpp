// What regions need that no trace sizes: constants of the firmware, bytes of images, statistics,
// and the user's word.
#pragma once

#include "memsize/app/analyze.hpp"

#include <optional>

namespace memsize::app {

/// Fills `needs` and `needed` of an analysis that has its board and map, where something of the
/// kind is asked for. Errors: a core or a knob that is none, an image that is of no core.
[[nodiscard]] core::Result<void> find_needs(Session& session,
                                            Analysis& analysis,
                                            const sizing::Headroom& headroom);

/// An error where the inputs only have samples of pools, and nobody asked for the whole.
[[nodiscard]] std::optional<core::Diagnostic> lacks_whole(const AnalyzeRequest& request,
                                                          const model::Recording& recording);

/// What inputs with samples of pools lack is no matter where these are what is asked for.
void drop_answered(const AnalyzeRequest& request, model::Recording& recording);

/// Makes them what a map with the traces' suggestions can have. May be called again after these
/// changed.
void settle_needs(Analysis& analysis);

/// Of the whole reservation, adds what traces size and what keeps its size. Error sizing.idle: a
/// core that was called idle is at work in a trace or in statistics.
[[nodiscard]] core::Result<void> finish_needs(Analysis& analysis);

/// Those that give a map its sizes: not of what keeps its size, nor of what a setting changed.
/// Without an analysis none.
[[nodiscard]] std::vector<layout::Need> needs_of_map(const Analysis* analysis,
                                                     const board::Values& values);

}  // namespace memsize::app
