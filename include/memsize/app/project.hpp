// The project file: what stands in memsize.toml is as if it had been typed, so that a step of a
// build is the one word "memsize emit". What is typed wins.
#pragma once

#include "memsize/app/map.hpp"
#include "memsize/app/module.hpp"
#include "memsize/core/diagnostic.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::app {

/// The name that is looked for in the working directory.
inline constexpr std::string_view kProjectFile = "memsize.toml";

/// A value as it was written, and where. Of a path: as seen from the working directory.
struct ProjectValue {
  std::string text;
  core::Place place;
};

/// One of [set]: the knob and its SIZE.
struct ProjectSetting {
  std::string knob;
  core::Place knob_place;
  ProjectValue size;
};

struct Project {
  /// The file; empty: there is none.
  std::string path;
  std::optional<ProjectValue> board;
  std::optional<ProjectValue> dram;
  std::vector<ProjectValue> traces;
  std::optional<ProjectValue> sizing;
  std::optional<ProjectValue> sdk;
  std::optional<ProjectValue> linux_tree;
  std::optional<ProjectValue> out;
  /// Of a module: reports, and what they are emitted with.
  std::vector<ProjectValue> plans;
  std::optional<ProjectValue> data;
  std::optional<ProjectValue> rules;
  std::vector<ProjectValue> stage;
  std::optional<ProjectValue> prefix;
  std::optional<core::Place> external;
  std::optional<ProjectValue> headroom;
  std::optional<ProjectValue> instances;
  /// Nothing where they are false: that is what not typing a flag says.
  std::optional<core::Place> tight;
  std::optional<core::Place> one_priority;
  std::optional<core::Place> whole;
  std::vector<ProjectValue> idle;
  std::vector<ProjectValue> keep_size;
  std::vector<ProjectValue> images;
  std::optional<core::Place> accept_generation;
  std::vector<ProjectSetting> set;
  std::vector<Budget> budgets;

  /// Another path beside the file; without one, in the working directory.
  [[nodiscard]] std::string beside(const std::string& other) const;
};

/// Which project file a verb uses.
struct ProjectRequest {
  /// --project; empty: the one in the working directory, if there is one.
  std::string file;
  /// --no-project
  bool none = false;
};

/// Paths in the text are relative to the folder of `path`. Errors: no TOML, a key that no project
/// has, a value of another kind, an empty one, two that exclude each other, a budget that is no
/// size.
[[nodiscard]] core::Result<Project> parse_project(std::string_view text, const std::string& path);

/// The project file that is asked for; an empty project where there is none to use.
[[nodiscard]] core::Result<Project> load_project(Session& session, const ProjectRequest& request);

/// A board's name, whatever it was called by: its name or the path of its file.
[[nodiscard]] std::string board_stem(std::string_view asked_as);

/// What emit is to write to.
struct Target {
  std::string out;
  std::string sdk;
  std::string linux_tree;
};

/// Puts a project's values where nothing was typed, and remembers which of them it used.
class Defaults {
 public:
  explicit Defaults(const Project& project) : project_(project) {}

  /// Board, DRAM and, knob by knob, sizes.
  void fill(BoardRequest& request);
  /// Without the sizes: what is looked at has its own.
  void fill_board(BoardRequest& request);
  void fill_name(BoardRequest& request);
  /// Headroom, instances, priorities, rounding, and what is sized besides.
  void fill_margins(AnalyzeRequest& request);
  /// The logs, else the sizing document; nothing where there are some already.
  void fill_inputs(std::vector<std::string>& traces, std::string& sizing);
  /// The SDK or the folder; nothing where either is there already.
  void fill(Target& target);
  void fill_generation(bool& accept);
  /// The reports with their data, rules, stages and names; nothing where reports are there already.
  void fill(ModuleRequest& request);

  /// Problems of the project's values are said where these were written.
  void say_where(core::Diagnostics& problems) const;

 private:
  void fill(NeedRequest& request);
  void take(const std::optional<ProjectValue>& value, const char* option, std::string& into);
  void take_path(const ProjectValue& value, std::string& into);

  const Project& project_;
  /// By option, as Diagnostic::option has it.
  std::map<std::string, core::Place> options_;
  /// The names in [set], by option.
  std::map<std::string, core::Place> knobs_;
  /// By path.
  std::map<std::string, core::Place> paths_;
};

}  // namespace memsize::app
