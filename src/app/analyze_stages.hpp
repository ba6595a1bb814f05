// The stages that analyze.cpp lists.
#pragma once

#include "memsize/app/map.hpp"

namespace memsize::app {

[[nodiscard]] core::Result<model::Recording> read_inputs(Session& session,
                                                         const AnalyzeRequest& request);

/// Of the inputs, or without any of the board's.
[[nodiscard]] core::Result<board::TraceFormat> load_format(Session& session,
                                                           const AnalyzeRequest& request,
                                                           const model::Recording& recording);

/// The flags, else what a sizing document was made with, else the defaults.
[[nodiscard]] core::Result<sizing::Options> sizing_options(const AnalyzeRequest& request,
                                                           const model::Recording& recording);

/// Fills sizing, match and the suggested map.
void size_with_board(Analysis& analysis, const sizing::Options& options);

/// Held against a map as it is, with the heaps where it has them if the addresses lie there.
[[nodiscard]] sizing::Sizing size_on_map(const model::Recording& recording,
                                         const board::TraceFormat& format,
                                         const layout::MemoryMap& map,
                                         const sizing::Options& options);

/// Adds the warnings of `found` that `kept` does not have yet.
void keep_warnings(const core::Diagnostics& found, core::Diagnostics& kept);

/// What had to grow, and what it buys.
[[nodiscard]] core::Diagnostic describe_growth(const layout::Growth& growth);

/// The suggestions, or why no map may be made of them.
[[nodiscard]] core::Result<board::KnobValues> suggestions_to_emit(Session& session,
                                                                  const EmitRequest& request,
                                                                  Analysis& analysis);

}  // namespace memsize::app
