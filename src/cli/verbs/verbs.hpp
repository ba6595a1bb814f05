// The verbs: one file each, one row each in interpret.cpp.
#pragma once

#include "memsize/app/baseline.hpp"
#include "memsize/app/map.hpp"
#include "memsize/app/project.hpp"
#include "memsize/core/json.hpp"

#include "options.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace memsize::cli {

using core::Json;

/// What a verb leaves to be printed, and to exit with.
// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann marks a move noexcept that asserts.
struct Outcome {
  core::ExitStatus status = core::ExitStatus::kDone;
  /// For standard output, unless --json was asked for.
  std::string text;
  /// What of it -q leaves; nothing: all of it, because it is what was asked for.
  std::optional<std::string> brief;
  /// Of the diagnostics only errors, a line each.
  bool lines_only = false;
  /// How it is coloured: its first line is the verdict, or it is a difference of files.
  enum class Paint { kPlain, kVerdict, kDiff };
  Paint paint = Paint::kPlain;
  /// The document of --json; the diagnostics are added where the verb did not.
  Json document;
  core::Diagnostics diagnostics;
  bool json = false;
  /// SARIF instead, made of the diagnostics and of what a baseline accepts.
  bool sarif = false;
  app::Acceptance acceptance;
  /// --annotations: the code host that shows the diagnostics; empty: none.
  std::string annotations;
};

using Run = std::function<Outcome(app::Session&)>;

struct Verb {
  const char* name;
  /// Adds the subcommand to the app; gives what runs it.
  Run (*add)(const Command& app);
  /// Of the document that --json prints; nullptr where there is none.
  const char* schema;
};

Run add_analyze(const Command& app);
Run add_emit(const Command& app);
Run add_check(const Command& app);
Run add_board(const Command& app);
Run add_plan(const Command& app);
Run add_diff(const Command& app);
Run add_validate(const Command& app);
Run add_report(const Command& app);
Run add_why(const Command& app);
Run add_fit(const Command& app);
Run add_sdk(const Command& app);
Run add_format(const Command& app);
Run add_list(const Command& app);
Run add_completion(const Command& app);

/// The word that a shell asks with for what may stand at the end of a command line.
inline constexpr const char* kComplete = "__complete";

/// The word that the build asks with for the page of man(1), which is made of what --help says.
inline constexpr const char* kManual = "__man";

[[nodiscard]] std::string manual(const Command& program);

/// What may stand for the last of `words`, a line each; ":files", ":dirs" and ":nospace" are for
/// the shell's script.
[[nodiscard]] std::string complete(app::Session& session,
                                   const Command& program,
                                   const std::vector<std::string>& words);

/// An outcome that is only its errors.
[[nodiscard]] Outcome failed(core::Diagnostics diagnostics, const char* schema, bool json);

/// --board, --dram and --set, the same words everywhere; returns the first.
Option add_board_option(const Command& verb, app::BoardRequest& board);

/// What is wrong where --dram or --set are given without a board, which may come from a project.
[[nodiscard]] std::optional<core::Diagnostic> lacks_board(const app::BoardRequest& board,
                                                          const char* verb);

/// "A requires B", as for options that the command line itself holds against each other.
[[nodiscard]] core::Diagnostic lacks_option(const char* option,
                                            const char* required,
                                            const char* verb);

/// How traces become sizes, the same words wherever that is asked.
void add_sizing_options(const Command& verb, app::AnalyzeRequest& trace);
/// --whole, --idle, --keep-size, --images
void add_need_options(const Command& verb, app::NeedRequest& needs);
/// What a map is made of, if it is of traces.
void add_trace_options(const Command& verb, app::EmitRequest& request);

/// What is wrong where one of these is given without a trace.
[[nodiscard]] std::optional<core::Diagnostic> lacks_trace(const app::AnalyzeRequest& trace,
                                                          const char* verb);

/// --project and --no-project, the same words everywhere.
void add_project_options(const Command& verb, app::ProjectRequest& project);

/// Problems of a project's values are said where these were written. The status is that of what was
/// typed.
void say_where(const app::Defaults& defaults, Outcome& outcome);

/// --json, the same words everywhere.
Option add_json_flag(const Command& verb, bool& json);

/// --annotations, the same words everywhere. Documents have standard output for themselves.
Option add_annotations_option(const Command& verb, std::string& annotations);

}  // namespace memsize::cli
