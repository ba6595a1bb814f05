// Reads memsize.toml key by key into values with places. Defaults then puts each where nothing was
// typed, and leads a complaint about an option back to the line of the file that gave it.
#include "memsize/app/project.hpp"

#include "memsize/core/text.hpp"
#include "memsize/docs/fields.hpp"
#include "memsize/docs/parse.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;
using docs::Fields;
using docs::Kind;
using docs::Text;
using docs::Value;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string{} : path.substr(0, slash + 1);
}

// Reads the file's tables key by key and collects every mistake.
class ProjectReader {
 public:
  explicit ProjectReader(const std::string& path) : path_(path) { project_.path = path; }

  core::Result<Project> read(Value file) {
    Fields top{file, "a project", errors_};
    for (const Key& key : kKeys) {
      read_value(top, key);
    }
    for (const Flag& flag : kFlags) {
      if (const Value set = top.optional(flag.name, Kind::kBoolean); set && set.boolean()) {
        project_.*flag.value = set.place();
      }
    }
    read_list(top, "traces", project_.traces, true);
    read_list(top, "plans", project_.plans, true);
    read_list(top, "stage", project_.stage, false);
    read_list(top, "idle", project_.idle, false);
    read_list(top, "keep_size", project_.keep_size, false);
    read_list(top, "images", project_.images, true);
    read_knobs(top.fields("set"));
    read_budget(top.fields("budget"));
    top.finish();
    check_together(file);
    if (!errors_.empty()) {
      core::sort_by_place(errors_);
      // It is as if it had been typed.
      for (core::Diagnostic& error : errors_) {
        error.option = "--project";
      }
      return tl::make_unexpected(std::move(errors_));
    }
    return std::move(project_);
  }

 private:
  struct Key {
    const char* name;
    std::optional<ProjectValue> Project::*value;
    bool is_path;
  };

  static constexpr std::array<Key, 11> kKeys = {{{"board", &Project::board, false},
                                                 {"dram", &Project::dram, false},
                                                 {"sizing", &Project::sizing, true},
                                                 {"sdk", &Project::sdk, true},
                                                 {"linux", &Project::linux_tree, true},
                                                 {"out", &Project::out, true},
                                                 {"data", &Project::data, true},
                                                 {"rules", &Project::rules, true},
                                                 {"prefix", &Project::prefix, false},
                                                 {"headroom", &Project::headroom, false},
                                                 {"instances", &Project::instances, false}}};

  struct Flag {
    const char* name;
    std::optional<core::Place> Project::*value;
  };

  static constexpr std::array<Flag, 5> kFlags = {
      {{"tight", &Project::tight},
       {"whole", &Project::whole},
       {"one_priority", &Project::one_priority},
       {"external", &Project::external},
       {"accept_generation", &Project::accept_generation}}};

  void wrong(Code code, std::string message, const core::Place& place, std::string hint = {}) {
    errors_.push_back(core::error(code, std::move(message), place, std::move(hint)));
  }

  std::optional<ProjectValue> value_of(std::string_view key, const Text& text) {
    if (text.written && text.text.empty()) {
      wrong(Code::kUsage, fmt::format("'{}' needs a value", core::printable(key)), text.place);
    }
    return text.text.empty() ? std::nullopt : std::optional{ProjectValue{text.text, text.place}};
  }

  // An argument of a program that is a path stays one: "-" is no standard input here.
  [[nodiscard]] std::string beside(const std::string& path) const {
    std::string joined = path.starts_with('/') ? path : folder_of(path_) + path;
    // "." beside "/home/evm/memsize.toml" is /home/evm.
    while (joined.size() > 1 && (joined.ends_with('/') || joined.ends_with("/."))) {
      joined.pop_back();
    }
    return joined.starts_with('-') ? "./" + joined : joined;
  }

  void read_value(Fields& top, const Key& key) {
    const std::size_t before = errors_.size();
    std::optional<ProjectValue> value = value_of(key.name, top.text(key.name));
    if (!value) {
      // A number without a unit is none.
      if (std::string_view{key.name} == "headroom" && errors_.size() != before) {
        errors_.back().hint = "a share or a size, in quotes: headroom = \"10%\" or \"64KiB\"";
      }
      return;
    }
    // As on the command line, a board is a path if it looks like one.
    const bool is_board_file =
        std::string_view{key.name} == "board" &&
        (value->text.find('/') != std::string::npos || value->text.ends_with(".toml"));
    if (key.is_path || is_board_file) {
      value->text = beside(value->text);
    }
    if (std::string_view{key.name} == "instances" && value->text != "together" &&
        value->text != "apart") {
      wrong(Code::kUsage,
            fmt::format("'instances' must be together or apart, not '{}'",
                        core::printable(value->text)),
            value->place);
    }
    project_.*key.value = std::move(value);
  }

  void read_list(Fields& top,
                 std::string_view key,
                 std::vector<ProjectValue>& list,
                 bool are_paths) {
    for (const Text& item : top.texts(key)) {
      if (auto value = value_of(key, item); value) {
        value->text = are_paths ? beside(value->text) : value->text;
        list.push_back(std::move(*value));
      }
    }
  }

  void read_knobs(Value table) {
    Fields sizes{table, "[set]", errors_};
    for (const Value knob : table) {
      // On the command line the first '=' ends the knob.
      if (!core::is_identifier(knob.key())) {
        wrong(Code::kKnobSyntax,
              fmt::format("'{}' is not a knob's name", core::printable(knob.key())),
              knob.key_place(),
              "memsize board show BOARD lists the knobs");
      } else if (auto size = value_of(knob.key(), sizes.as_text(knob)); size) {
        project_.set.push_back({knob.name(), knob.key_place(), std::move(*size)});
      }
    }
  }

  void read_budget(Value table) {
    Fields budget{table, "[budget]", errors_};
    add_budget({}, budget, budget.optional("reserved", Kind::kText));
    Fields cores{budget.fields("core"), "[budget.core]", errors_};
    for (const Value core : cores.value()) {
      add_budget(core.name(), cores, core);
    }
    budget.finish();
  }

  void add_budget(const std::string& core, Fields& of, Value value) {
    const Text text = of.as_text(value);
    if (!text.written) {
      return;
    }
    const auto size = core::parse_bytes(text.text, text.place);
    if (!size) {
      errors_.insert(errors_.end(), size.error().begin(), size.error().end());
      return;
    }
    project_.budgets.push_back({core, *size, text.place, value.key_place()});
  }

  void check_together(Value file) {
    exclude(file, "traces", "sizing");
    exclude(file, "out", "sdk");
    for (const char* of_maps : {"traces", "sizing", "sdk", "set", "dram"}) {
      exclude(file, "plans", of_maps);
    }
    for (const char* of_modules : {"data", "rules", "stage", "prefix", "external"}) {
      if (file[of_modules] && !file["plans"]) {
        wrong(Code::kUsage,
              fmt::format("'{}' requires 'plans'", of_modules),
              file[of_modules].key_place(),
              "plans = [\"REPORT\"] names what a module is made of");
      }
    }
    const Value kernel = file["linux"];
    if (kernel && !file["sdk"]) {
      wrong(Code::kUsage,
            "'linux' requires 'sdk'",
            kernel.key_place(),
            "it is the kernel's tree that belongs to an SDK's");
    }
  }

  void exclude(Value file, const char* one, const char* other) {
    Value first = file[one];
    Value second = file[other];
    if (!first || !second) {
      return;
    }
    if (second.key_place().line < first.key_place().line) {
      std::swap(first, second);
    }
    errors_.push_back(
        core::error(Code::kUsage,
                    fmt::format("'{}' excludes '{}'", second.name(), first.name()),
                    second.key_place(),
                    "leave one of them out")
            .beside(first.key_place(), fmt::format("'{}' stands here", first.name())));
  }

  const std::string& path_;
  Project project_;
  core::Diagnostics errors_;
};

// The knob of "KNOB=SIZE".
std::string_view knob_of(std::string_view setting) {
  return setting.substr(0, setting.find('='));
}

// "--set heap: 'x' is not a size" is "heap: ..." where nobody typed an option.
std::string without_option(const std::string& message, const std::string& option) {
  if (!message.starts_with(option)) {
    return message;
  }
  constexpr std::string_view kSet = "--set ";
  constexpr std::string_view kDashes = "--";
  if (message.starts_with(kSet)) {
    return message.substr(kSet.size());
  }
  // The key of an option has its name, with '_' for '-'.
  std::string key = option.substr(kDashes.size());
  std::ranges::replace(key, '-', '_');
  return key + message.substr(option.size());
}

}  // namespace

std::string Project::beside(const std::string& other) const {
  return other.starts_with('/') ? other : folder_of(path) + other;
}

core::Result<Project> parse_project(std::string_view text, const std::string& path) {
  const auto file = docs::parse_toml(text, path);
  MEMSIZE_TRY(file);
  return ProjectReader{path}.read(file->root());
}

core::Result<Project> load_project(Session& session, const ProjectRequest& request) {
  const std::string path = request.file.empty() ? std::string{kProjectFile} : request.file;
  if (request.none || (request.file.empty() && !session.files.exists(path))) {
    return Project{};
  }
  const auto text = session.files.read(path, core::kWrittenFile);
  MEMSIZE_TRY(text);
  return parse_project(*text, path);
}

std::string board_stem(std::string_view asked_as) {
  constexpr std::string_view kExtension = ".toml";
  const std::size_t slash = asked_as.rfind('/');
  asked_as = slash == std::string_view::npos ? asked_as : asked_as.substr(slash + 1);
  if (asked_as.ends_with(kExtension)) {
    asked_as.remove_suffix(kExtension.size());
  }
  return std::string{asked_as};
}

void Defaults::take(const std::optional<ProjectValue>& value,
                    const char* option,
                    std::string& into) {
  if (into.empty() && value) {
    into = value->text;
    options_[option] = value->place;
  }
}

void Defaults::take_path(const ProjectValue& value, std::string& into) {
  into = value.text;
  paths_[value.text] = value.place;
}

void Defaults::fill_name(BoardRequest& request) {
  if (request.name.empty() && project_.board) {
    paths_[project_.board->text] = project_.board->place;
  }
  take(project_.board, "--board", request.name);
}

void Defaults::fill_board(BoardRequest& request) {
  fill_name(request);
  // Without a board there is nothing that could have it.
  if (!request.name.empty()) {
    take(project_.dram, "--dram", request.dram);
  }
}

void Defaults::fill(BoardRequest& request) {
  fill_board(request);
  if (request.name.empty()) {
    return;
  }
  std::vector<std::string> settings;
  for (const ProjectSetting& setting : project_.set) {
    const bool typed = std::ranges::any_of(
        request.set, [&](const auto& other) { return knob_of(other) == setting.knob; });
    if (!typed) {
      settings.push_back(setting.knob + "=" + setting.size.text);
      options_["--set " + setting.knob] = setting.size.place;
      knobs_["--set " + setting.knob] = setting.knob_place;
    }
  }
  request.set.insert(request.set.begin(), settings.begin(), settings.end());
}

void Defaults::fill_margins(AnalyzeRequest& request) {
  take(project_.headroom, "--headroom", request.headroom);
  take(project_.instances, "--instances", request.instances);
  if (!request.tight && project_.tight) {
    request.tight = true;
    options_["--tight"] = *project_.tight;
  }
  if (!request.one_priority && project_.one_priority) {
    request.one_priority = true;
    options_["--one-priority"] = *project_.one_priority;
  }
  fill(request.needs);
}

void Defaults::fill(NeedRequest& request) {
  if (!request.whole && project_.whole) {
    request.whole = true;
    options_["--whole"] = *project_.whole;
  }
  const auto take_all = [&](const std::vector<ProjectValue>& values,
                            const char* option,
                            std::vector<std::string>& into) {
    if (!into.empty()) {
      return;
    }
    for (const ProjectValue& value : values) {
      into.push_back(value.text);
      options_[option] = value.place;
      knobs_[option] = value.place;
    }
  };
  take_all(project_.idle, "--idle", request.idle);
  take_all(project_.keep_size, "--keep-size", request.keep);
  if (request.images.empty()) {
    for (const ProjectValue& image : project_.images) {
      take_path(image, request.images.emplace_back());
    }
  }
}

void Defaults::fill_inputs(std::vector<std::string>& traces, std::string& sizing) {
  if (!traces.empty() || !sizing.empty()) {
    return;
  }
  for (const ProjectValue& trace : project_.traces) {
    take_path(trace, traces.emplace_back());
  }
  if (project_.sizing) {
    take_path(*project_.sizing, sizing);
  }
}

void Defaults::fill(Target& target) {
  if (!target.out.empty() || !target.sdk.empty()) {
    return;
  }
  if (project_.out) {
    take_path(*project_.out, target.out);
  }
  if (project_.sdk) {
    take_path(*project_.sdk, target.sdk);
  }
  if (target.linux_tree.empty() && project_.linux_tree) {
    take_path(*project_.linux_tree, target.linux_tree);
  }
}

void Defaults::fill_generation(bool& accept) {
  accept = accept || project_.accept_generation.has_value();
}

void Defaults::fill(ModuleRequest& request) {
  if (!request.plan.reports.empty()) {
    return;
  }
  for (const ProjectValue& plan : project_.plans) {
    take_path(plan, request.plan.reports.emplace_back());
  }
  if (request.data.empty() && project_.data) {
    take_path(*project_.data, request.data);
  }
  if (request.plan.rules.empty() && project_.rules) {
    take_path(*project_.rules, request.plan.rules);
  }
  if (request.plan.stage.empty()) {
    for (const ProjectValue& stage : project_.stage) {
      request.plan.stage.push_back(stage.text);
      options_["--stage"] = stage.place;
    }
  }
  take(project_.prefix, "--prefix", request.prefix);
  if (!request.is_external && project_.external) {
    request.is_external = true;
    options_["--external"] = *project_.external;
  }
}

void Defaults::say_where(core::Diagnostics& problems) const {
  for (core::Diagnostic& problem : problems) {
    if (problem.place.line != 0) {
      continue;
    }
    const auto& written = problem.code == Code::kKnobUnknown ? knobs_ : options_;
    const auto option = written.find(problem.option);
    if (problem.place.path.empty() && option != written.end()) {
      problem.place = option->second;
      problem.message = without_option(problem.message, problem.option);
      continue;
    }
    const auto path = paths_.find(problem.place.path.str());
    if (path == paths_.end()) {
      continue;
    }
    // A file that is not there is best looked for where it is named; of one that is there, the
    // place is the file.
    if (problem.party("file") == path->first) {
      problem.place = path->second;
    } else {
      problem.related.push_back({path->second, "it is named here"});
    }
  }
}

}  // namespace memsize::app
