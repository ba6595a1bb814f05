// Every log in a folder: each analyzed for itself, and what all of them need.
#pragma once

#include "memsize/app/analyze.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace memsize::app {

struct FleetRequest {
  /// Its inputs are folders.
  AnalyzeRequest analyze;
  bool strict = false;
  /// Where each log's document goes, under the log's path below its folder; empty: nowhere.
  std::string output;
  /// "99%": what is enough for that share of the logs, too. Empty: not asked.
  std::string cover;
};

/// One demand of one log.
struct FleetDemand {
  board::DemandKey key;
  /// The largest of what was requested, bound and in use.
  core::Bytes figure;
  std::optional<core::Bytes> suggested;
};

struct FleetFile {
  std::string path;
  bool complete = true;
  /// What its lines are, where a format that is data reads them: "ST Edge AI's report".
  std::string format;
  /// Of the SDK, of other logs; empty: it cannot be told.
  std::string generation;
  std::vector<FleetDemand> demands;
  /// The first file that says the same: then this one counts for nothing. Else empty.
  std::string same_as;
};

/// One demand over all logs that have it.
struct FleetSpan {
  board::DemandKey key;
  std::size_t files = 0;
  core::Bytes min;
  /// Of an even number of logs the smaller of the two in the middle.
  core::Bytes median;
  core::Bytes max;
  /// The first log that asked for the maximum.
  std::string max_path;
  /// With a board: what covers every log, each loaded for itself.
  std::string knob;
  std::string region;
  std::optional<core::Bytes> current;
  std::optional<core::Bytes> suggested;
};

/// What is enough for a share of the logs, where those are left out that cost the others most.
struct FleetCover {
  /// As it was asked for.
  std::string share;
  /// How many of the fleet's distinct logs it is enough for: at least the share.
  std::size_t files = 0;
  /// Paths of the distinct logs that need more, sorted.
  std::vector<std::string> left_out;
  /// Of the logs that are covered.
  std::vector<FleetSpan> demands;
  std::optional<layout::MemoryMap> suggested;
};

struct Fleet {
  /// Each once, however often and under whatever names it was given.
  std::vector<std::string> folders;
  /// Sorted by path.
  std::vector<FleetFile> files;
  std::vector<FleetSpan> demands;
  /// Files that say nothing of memory, or of other cores than the one that was asked for.
  std::size_t others = 0;
  /// Damaged, or cut behind a table's title: diagnostics tell why.
  std::size_t unreadable = 0;
  /// Links are not followed: what they lead to is elsewhere, or is read anyway.
  std::size_t links = 0;
  std::optional<board::Board> board;
  std::optional<layout::MemoryMap> current;
  std::optional<layout::MemoryMap> suggested;
  std::optional<FleetCover> cover;
  std::string headroom;
  bool together = true;
  core::Diagnostics diagnostics;
};

/// Called now and then with how many files are done, and of how many.
using Progress = std::function<void(std::size_t, std::size_t)>;

/// Fails where an option or the board is wrong, where nothing is a log, or where a document cannot
/// be written. What is an error of one log alone is an error beside the rest: the fleet's exit
/// status is that of its worst log.
///
/// Example:
///     app::FleetRequest request;
///     request.analyze.inputs = {"samples/fit"};
///     const auto fleet = app::analyze_fleet(session, request, [](std::size_t, std::size_t) {});
///     MEMSIZE_TRY(fleet);
///     for (const app::FleetSpan& demand : fleet->demands) {
///       assert(demand.min <= demand.median && demand.median <= demand.max);
///     }
[[nodiscard]] core::Result<Fleet> analyze_fleet(Session& session,
                                                const FleetRequest& request,
                                                const Progress& progress);

}  // namespace memsize::app
