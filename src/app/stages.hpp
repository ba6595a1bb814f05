// The stages that pipeline.cpp lists.
#pragma once

#include "pipeline.hpp"

namespace memsize::app {

[[nodiscard]] core::Result<model::Recording> read_inputs(Session& session,
                                                         const AnalyzeRequest& request);

[[nodiscard]] core::Result<board::TraceFormat> load_format(Session& session,
                                                           const model::Recording& recording);

/// The flags, else what a sizing document was made with, else the defaults.
[[nodiscard]] core::Result<sizing::Options> sizing_options(const AnalyzeRequest& request,
                                                           const model::Recording& recording);

/// A board as it is now: with the sizes that the user set.
struct BoardNow {
  board::Board board;
  board::KnobValues settings;
  layout::MemoryMap map;
};

/// Every check must pass, but for the map of an SDK tree, which may break a rule.
[[nodiscard]] core::Result<BoardNow> board_now(Session& session, const BoardRequest& request);

/// Values, with other ones over them.
[[nodiscard]] board::KnobValues over(board::KnobValues values, const board::KnobValues& settings);

/// Fills sizing, match and the suggested map.
void size_with_board(Analysis& analysis, const sizing::Options& options);

/// Held against a map as it is, with the heaps where it has them if the addresses lie there.
[[nodiscard]] sizing::Sizing size_on_map(const model::Recording& recording,
                                         const board::TraceFormat& format,
                                         const layout::MemoryMap& map,
                                         const sizing::Options& options);

/// What is an error where the sizing is all that was asked for, of a log as of each in a folder:
/// nothing sized, and suggestions of which no map can be made.
void judge_sizing(Analysis& analysis, bool strict);

/// Adds the warnings of `found` that `kept` does not have yet.
void keep_warnings(const core::Diagnostics& found, core::Diagnostics& kept);

/// Where nothing but the MMU refuses the values: adds the nearest that it takes to the last error.
void say_nearest(const board::Board& board,
                 const board::KnobValues& values,
                 core::Diagnostics& errors);

/// What had to grow, and what it buys.
[[nodiscard]] core::Diagnostic describe_growth(const layout::Growth& growth);

/// Whether a map that is made of such a recording may not load its models.
[[nodiscard]] bool forbids_map(const core::Diagnostic& diagnostic);

/// The suggestions, or why no map may be made of them.
[[nodiscard]] core::Result<board::KnobValues> suggestions_to_emit(Session& session,
                                                                  const EmitRequest& request,
                                                                  const Analysis& analysis);

/// Sizes that were asked for, and the board that they are for.
struct Wish {
  board::Board board;
  /// Of knobs that the traces or the user speak of.
  board::KnobValues values;
  core::Diagnostics diagnostics;
  /// Null without traces.
  std::shared_ptr<const Analysis> analysis;
};

/// From the traces and the settings of the request.
[[nodiscard]] core::Result<Wish> sizes_to_emit(Session& session, const EmitRequest& request);

/// Renders what --only left out of the check too, then reads everything back.
[[nodiscard]] core::Diagnostics verify_artifacts(Session& session, const Emission& emission);

}  // namespace memsize::app
