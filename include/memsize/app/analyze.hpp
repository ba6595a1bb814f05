// Traces in, how much memory each core needs of each kind out.
#pragma once

#include "memsize/app/board.hpp"
#include "memsize/board/trace_format.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/layout/fit.hpp"
#include "memsize/layout/need.hpp"
#include "memsize/model/recording.hpp"
#include "memsize/sizing/sizing.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memsize::app {

/// What is to be sized besides the heaps that traces drive.
struct NeedRequest {
  /// Every region of the reservation.
  bool whole = false;
  /// Cores on which no model runs: their heaps get what they use without one.
  std::vector<std::string> idle;
  /// Knobs that keep their size.
  std::vector<std::string> keep;
  /// Firmware of the cores, which says what their code takes.
  std::vector<std::string> images;

  [[nodiscard]] bool any() const {
    return whole || !idle.empty() || !keep.empty() || !images.empty();
  }
};

/// What is empty was not asked for.
struct AnalyzeRequest {
  /// Logs or sizing documents, which are one recording; "-" is standard input. May be packed. None
  /// where only `needs` are asked for.
  std::vector<std::string> inputs;
  /// A reader by name; empty: each is found by its content.
  std::string format;
  std::string core;
  /// A share ("10%") or a size ("512KiB"); empty: as the sizing document says, else the default.
  std::string headroom;
  /// "together" or "apart".
  std::string instances;
  /// Without a name blocks are classified and summed, and nothing is suggested.
  BoardRequest board;
  /// Suggestions are rounded to the hard granule instead of the granule.
  bool tight = false;
  /// All models run at one priority.
  bool one_priority = false;
  NeedRequest needs;
  /// The SDK tree that `board` was read from; empty: none.
  std::string sdk;
};

/// Which map the addresses of a trace belong to.
/// kUnset: the one without what the user set.
/// kRounded: the one that the suggestions would lead to in the vendor's steps, without --tight.
enum class AddressMatch { kNone, kCurrent, kUnset, kSuggested, kRounded };

struct Analysis {
  AnalyzeRequest request;
  model::Recording recording;
  std::optional<board::Board> board;
  /// What the user set.
  board::KnobValues settings;
  /// The board's map before and after the suggestions.
  std::optional<layout::MemoryMap> current;
  std::optional<layout::MemoryMap> suggested;
  AddressMatch match = AddressMatch::kNone;
  /// The heaps of that map; empty where none matches.
  std::vector<sizing::HeapRegion> matched;
  board::TraceFormat format;
  /// What was asked for, or what a document was made with.
  bool one_priority = false;
  sizing::Sizing sizing;
  /// Where they were asked for: what regions need that no trace sizes; of the whole reservation,
  /// all others too. By address.
  std::vector<layout::Need> needs;
  /// Where more was measured than there is.
  core::Diagnostics too_small;
  /// The sizes that they lead to, in a map that passes every check.
  board::KnobValues needed;
  /// What had to grow so that the MMU can map the suggestions.
  std::optional<layout::Growth> growth;
  /// The suggestions that `growth` starts from; nothing before the first search.
  std::optional<board::KnobValues> grown_from;
};

/// Fails where an input cannot be read, or the board or a size is wrong. What is doubtful about the
/// numbers is in sizing.diagnostics.
///
/// Example:
///     app::AnalyzeRequest request;
///     request.inputs = {"samples/j722s-mobilenet/trace.log"};
///     request.board.name = "j722s-sdk11";
///     const auto analysis = app::analyze(session, request);
///     MEMSIZE_TRY(analysis);
///     for (const sizing::Demand& demand : analysis->sizing.cores.front().demands) {
///       assert(demand.figure() >= demand.requested);
///     }
///     // Bytes by knob: what goes back to Linux is the rest.
///     assert(!app::suggestions_of(*analysis).empty());
[[nodiscard]] core::Result<Analysis> analyze(Session& session, const AnalyzeRequest& request);

/// The same, of inputs that were read already.
[[nodiscard]] core::Result<Analysis> analyze_recording(Session& session,
                                                       const AnalyzeRequest& request,
                                                       model::Recording recording);

/// Makes the board of the request that of the tree in request.sdk, if there is one: its sizes, its
/// generation. Warnings are of a tree of another generation than the board that was named.
[[nodiscard]] core::Result<core::Diagnostics> take_tree(Session& session, AnalyzeRequest& request);

/// What is an error where the sizing is all that was asked for, of a log as of each in a folder:
/// nothing sized, and suggestions of which no map can be made.
void judge_sizing(Analysis& analysis, bool strict);

/// The suggestions as knob values, with what had to grow for the MMU, under what the user set.
[[nodiscard]] board::KnobValues suggestions_of(const Analysis& analysis);

/// Whether a map that is made of such a recording may not load its models. A model that could not
/// be allocated on the traced map is no reason where its whole table is known.
[[nodiscard]] bool forbids_map(const sizing::Sizing& sizing, const core::Diagnostic& diagnostic);

/// What a suggestion must not be read without: "SDK 12.0 needs 9 MiB"; empty where nothing is.
[[nodiscard]] std::string caveat_of(const Analysis& analysis, const sizing::Demand& demand);

}  // namespace memsize::app
