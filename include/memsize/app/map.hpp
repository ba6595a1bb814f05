// A board, sized by traces and settings, as the files of its memory map.
#pragma once

#include "memsize/app/analyze.hpp"
#include "memsize/emit/artifact.hpp"
#include "memsize/layout/memory_map.hpp"
#include "memsize/sdk/file_edit.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memsize::app {

/// The verb that takes inputs as they are and writes no map.
inline constexpr const char* kAnalyze = "analyze";

/// What a map may take at most.
struct Budget {
  /// The core whose heaps are meant, those that traces size; empty: all that Linux may lose.
  std::string core;
  core::Bytes most;
  /// Of the size, and of its key.
  core::Place place;
  core::Place key_place;
};

struct EmitRequest {
  BoardRequest board;
  /// Logs or sizing documents; none: the board's default map. Its own board is not looked at.
  AnalyzeRequest trace;
  /// Emitters by name; none: all that the board has.
  std::vector<std::string> only;
  /// A trace, a board and a tree may be of different SDK generations.
  bool accept_generation = false;
  /// An SDK tree that is edited in place, and beside it the device trees of Linux; empty: none.
  std::string sdk;
  std::string linux_tree;
  /// What becomes of files that were edited by hand; empty: they are told.
  std::optional<sdk::HandEdits> hand_edits;
  std::vector<Budget> budgets;
  /// What would change is only shown, or only told.
  bool diff = false;
  bool check = false;
  /// For commands that are proposed: the verb, what `why` was asked, and --out as typed.
  std::string verb = "emit";
  std::string question;
  std::string out;
};

struct Emission {
  /// Of the traces that the sizes are from; null without any.
  std::shared_ptr<const Analysis> analysis;
  /// With the sizes that are wanted, and with the board's own.
  layout::MemoryMap map;
  layout::MemoryMap baseline;
  std::vector<emit::Artifact> artifacts;
  /// Warnings and notes.
  core::Diagnostics diagnostics;
  /// Neither traces nor settings size it.
  bool is_default = false;
};

/// Everything up to the last byte, checked, and nothing on the disk. Fails where the board or a
/// size is wrong, where a trace may not size a map of it, and where a check fails.
///
/// Example:
///     app::EmitRequest request;
///     request.board.name = "j722s-sdk11";
///     request.trace.inputs = {"samples/j722s-mobilenet/trace.log"};
///     request.only = {"dts", "c-header"};
///     const auto emission = app::render(session, request);
///     MEMSIZE_TRY(emission);
///     assert(emission->map.reserved() < emission->baseline.reserved());
///     for (const emit::Artifact& artifact : emission->artifacts) {
///       assert(!artifact.content.empty());
///     }
[[nodiscard]] core::Result<Emission> render(Session& session, const EmitRequest& request);

/// What the map takes more than it may, with what is largest in it; and budgets of cores that have
/// no such heaps.
[[nodiscard]] core::Diagnostics over_budget(const std::vector<Budget>& budgets,
                                            const layout::MemoryMap& map);

/// How close the map comes: "budget: Linux loses 1131 of 1200 MiB, c7x_2 takes 19 of 24 MiB"; empty
/// without a budget.
[[nodiscard]] std::string budget_line(const std::vector<Budget>& budgets,
                                      const layout::MemoryMap& map);

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

/// What stands where an artifact goes.
struct OnDisk {
  std::string path;
  bool exists = false;
  bool same = false;
  /// A folder, device or pipe stands where the file belongs.
  bool in_the_way = false;
  std::string content;
};

/// One for each artifact, in their order.
[[nodiscard]] std::vector<OnDisk> compare(Session& session,
                                          const std::string& out,
                                          const std::vector<emit::Artifact>& artifacts);

/// Writes the artifacts that differ from what is in the folder `out`, all or none; gives what was
/// there. Errors emit.stale, unless `force`: the folder has another board's map, whose other files
/// would stay among these; a file is not as memsize wrote it, or not memsize's.
[[nodiscard]] core::Result<std::vector<OnDisk>> write_map(Session& session,
                                                          const std::string& out,
                                                          const Emission& emission,
                                                          bool force = false);

}  // namespace memsize::app
