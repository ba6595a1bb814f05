// What a verb does, without how it is asked for or printed.
#pragma once

#include "memsize/app/budget.hpp"
#include "memsize/app/check_report.hpp"
#include "memsize/app/plan_request.hpp"
#include "memsize/board/board.hpp"
#include "memsize/board/trace_format.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/emit/artifact.hpp"
#include "memsize/layout/fit.hpp"
#include "memsize/layout/memory_map.hpp"
#include "memsize/model/recording.hpp"
#include "memsize/runtime/board_log.hpp"
#include "memsize/runtime/run.hpp"
#include "memsize/sdk/edit_tree.hpp"
#include "memsize/sdk/transaction.hpp"
#include "memsize/sdk/tree.hpp"
#include "memsize/sizing/sizing.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memsize::app {

/// Where boards and templates are.
struct DataFolders {
  std::string boards;
  std::vector<std::string> templates;
  /// The sources of the embedded runtime, and the program that a core runs as on this machine.
  std::string runtime;
  std::string host_program;
};

struct Session {
  core::FileSystem& files;
  DataFolders data;
};

/// The board that a verb works on.
struct BoardRequest {
  /// A bundled name, or a path.
  std::string name;
  /// --dram as typed; empty: the banks that the board file names.
  std::string dram;
  /// KNOB=SIZE as typed: what holds whatever a trace says.
  std::vector<std::string> set;
  /// Read from an SDK tree already, whose map may break a rule; null: what `name` says.
  std::shared_ptr<const board::Board> of_tree;
};

[[nodiscard]] core::Result<board::Board> load_board(Session& session, const BoardRequest& request);

/// The bundled board for that part and operating system; of several, of the newest SDK.
[[nodiscard]] std::optional<board::Board> bundled_board(Session& session,
                                                        const std::string& soc,
                                                        const std::string& os);

/// Its map with the default sizes.
[[nodiscard]] std::optional<layout::MemoryMap> bundled_map(Session& session,
                                                           const std::string& soc,
                                                           const std::string& os);

struct AnalyzeRequest {
  std::vector<std::string> inputs;
  std::string format;
  std::string core;
  /// Empty: as the sizing document says, else the default.
  std::string headroom;
  std::string instances;
  BoardRequest board;
  /// Suggestions are rounded to the hard granule instead of the granule.
  bool tight = false;
  /// All models run at one priority.
  bool one_priority = false;
  /// The SDK tree that `board` was read from; empty: none.
  std::string sdk;
};

/// Which map the addresses of a trace belong to.
/// kRounded: the one that the suggestions would lead to in the vendor's steps, without --tight.
enum class AddressMatch { kNone, kCurrent, kSuggested, kRounded };

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
  /// What had to grow so that the MMU can map the suggestions.
  std::optional<layout::Growth> growth;
  /// The suggestions that `growth` starts from; nothing before the first search.
  std::optional<board::KnobValues> grown_from;
};

[[nodiscard]] core::Result<Analysis> analyze(Session& session, const AnalyzeRequest& request);

/// The same, of inputs that were read already.
[[nodiscard]] core::Result<Analysis> analyze_recording(Session& session,
                                                       const AnalyzeRequest& request,
                                                       model::Recording recording);

/// The verb that takes inputs as they are and writes no map.
inline constexpr const char* kAnalyze = "analyze";

struct EmitRequest {
  BoardRequest board;
  /// Logs or sizing documents; none: the board's default map.
  AnalyzeRequest trace;
  std::vector<std::string> only;
  bool accept_generation = false;
  /// An SDK tree that is edited in place, and beside it the device trees of Linux; empty: none.
  std::string sdk;
  std::string linux;
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
  layout::MemoryMap map;
  layout::MemoryMap baseline;
  std::vector<emit::Artifact> artifacts;
  /// Warnings and notes.
  core::Diagnostics diagnostics;
  bool is_default = false;
};

/// Everything up to the last byte, nothing on the disk.
[[nodiscard]] core::Result<Emission> render(Session& session, const EmitRequest& request);

/// What an SDK tree, and the device trees of Linux, have to become.
struct TreeEmission {
  /// The folder that holds platform/, first; then that of the device trees, if one was given.
  std::vector<sdk::RootChanges> roots;
  /// With the sizes that are wanted, and with those that the tree has.
  layout::MemoryMap map;
  layout::MemoryMap baseline;
  /// By the files that change.
  emit::Affected affected;
  /// Warnings and notes.
  core::Diagnostics diagnostics;
};

/// Everything up to the last byte, nothing on the disk. REBUILD.md is among the changes if there is
/// another one.
[[nodiscard]] core::Result<TreeEmission> render_tree(Session& session, const EmitRequest& request);

struct CheckRequest {
  BoardRequest board;
  /// A folder that emit --out wrote; empty: none.
  std::string map;
  /// An SDK tree, read instead of a map; empty: none.
  std::string sdk;
  /// Only this part of it; empty: that of the board, or all.
  std::string soc;
  /// Logs or a sizing document that must fit the board's map.
  std::vector<std::string> traces;
  /// Reports of one model's planned memory, checked instead of a map; then the board's name is that
  /// of a part with memories.
  std::vector<std::string> plans;
};

/// Everything that `check` finds; an input that cannot be read is a finding too.
[[nodiscard]] CheckReport check(Session& session, const CheckRequest& request);

/// A console log of the board whose firmware was built with a map.
struct LogRequest {
  std::vector<std::string> logs;
  /// What the map was made of, and how, if anything: its core, headroom, instances and priorities
  /// are those of the log, too. No inputs: nothing is known of before.
  AnalyzeRequest trace;
};

/// Holds the logs against `map`; `baseline` is the board's default map, or what the SDK had before.
/// What is wrong on the board is in the report; errors are of logs that cannot be read.
[[nodiscard]] core::Result<runtime::BoardLogReport> hold_board_log(
    Session& session,
    const LogRequest& request,
    const layout::MemoryMap& map,
    const layout::MemoryMap& baseline);

struct ValidateRequest {
  /// The map as emit would make it; with `map`, what its traces put into the heaps.
  EmitRequest emit;
  /// A folder that emit --out wrote, which is run as it is; empty: none.
  std::string map;
  runtime::RunOptions run;
  /// Whether anything is run: not where only a log is held against the map.
  bool runs = true;
  std::vector<std::string> logs;
};

struct Validation {
  layout::MemoryMap map;
  /// Warnings and notes of the map and its traces.
  core::Diagnostics diagnostics;
  /// No trace: each heap was filled by one block.
  bool is_traced = false;
  std::optional<runtime::RunResult> result;
  std::optional<runtime::BoardLogReport> log;
};

/// What is wrong with the map is in the result; errors are of inputs and of this machine.
[[nodiscard]] core::Result<Validation> validate(Session& session, const ValidateRequest& request);

/// A plan that does not fit is a plan with errors; what fails is what nobody can plan.
[[nodiscard]] core::Result<Planning> plan_memory(Session& session, const PlanRequest& request);

/// Knob values from "KNOB=SIZE".
[[nodiscard]] core::Result<board::KnobValues> parse_settings(
    const board::Board& board, const std::vector<std::string>& settings);

/// The suggestions as knob values, with what had to grow for the MMU, under what the user set.
[[nodiscard]] board::KnobValues suggestions_of(const Analysis& analysis);

/// resolve() and every check; what the board accepts of its defects is a remark. `files` and
/// `folder` are where the board was loaded from. What is wrong only with these values is told of
/// the settings that were typed.
[[nodiscard]] core::Result<layout::MemoryMap> checked_map(
    core::FileSystem& files,
    const std::string& folder,
    const board::Board& board,
    const board::KnobValues& set,
    const std::vector<std::string>& typed = {});

}  // namespace memsize::app
