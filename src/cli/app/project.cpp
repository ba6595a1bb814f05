// Reads memsize.toml key by key into values with places. Defaults then puts each where nothing was
// typed, and leads a complaint about an option back to the line of the file that gave it.
#include "project.hpp"

#include "memsize/core/text.hpp"
#include "memsize/core/toml_doc.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Code;
using core::TomlField;
using core::TomlValue;
using Kind = core::TomlValue::Kind;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string{} : path.substr(0, slash + 1);
}

// Reads the file's tables key by key and collects every mistake.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) { project_.path = path; }

  core::Result<Project> read(const TomlValue& file) {
    for (const TomlField& field : file.fields) {
      if (field.key == "set") {
        read_table(field, [&](const TomlField& knob) { read_knob(knob); });
      } else if (field.key == "budget") {
        read_table(field, [&](const TomlField& budget) { read_budget(budget); });
      } else if (field.key == "traces") {
        read_traces(field);
      } else if (!read_flag(field) && !read_value(field)) {
        unknown_key(field, "a project", top_keys());
      }
    }
    check_together(file);
    if (!errors_.empty()) {
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

  static const std::vector<Key>& keys() {
    static const std::vector<Key> all = {{"board", &Project::board, false},
                                         {"dram", &Project::dram, false},
                                         {"sizing", &Project::sizing, true},
                                         {"sdk", &Project::sdk, true},
                                         {"linux", &Project::linux_tree, true},
                                         {"out", &Project::out, true},
                                         {"headroom", &Project::headroom, false},
                                         {"instances", &Project::instances, false}};
    return all;
  }

  struct Flag {
    const char* name;
    std::optional<core::Place> Project::*value;
  };

  static const std::vector<Flag>& flags() {
    static const std::vector<Flag> all = {{"tight", &Project::tight},
                                          {"one_priority", &Project::one_priority},
                                          {"accept_generation", &Project::accept_generation}};
    return all;
  }

  static std::vector<std::string> top_keys() {
    std::vector<std::string> names = {"traces", "set", "budget"};
    for (const Key& key : keys()) {
      names.emplace_back(key.name);
    }
    for (const Flag& flag : flags()) {
      names.emplace_back(flag.name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  void wrong(Code code, std::string message, const core::Place& place, std::string hint = {}) {
    errors_.push_back(core::error(code, std::move(message), place, std::move(hint)));
  }

  void unknown_key(const TomlField& field,
                   std::string_view what,
                   const std::vector<std::string>& names) {
    const std::string hint = core::did_you_mean(field.key, names);
    wrong(Code::kTomlUnknownKey,
          fmt::format("{} has no key '{}'", what, core::printable(field.key)),
          field.key_place,
          hint.empty() ? fmt::format("known keys: {}", core::join(names, ", ")) : hint);
  }

  bool has_kind(const TomlField& field, Kind kind) {
    const TomlValue& value = field.get();
    if (value.kind == kind) {
      return true;
    }
    wrong(Code::kTomlType,
          fmt::format("'{}' must be {}, not {}",
                      core::printable(field.key),
                      core::kind_name(kind),
                      core::kind_name(value.kind)),
          value.place,
          kind == Kind::kString && value.kind == Kind::kInteger
              ? fmt::format("put it in quotes: \"{}\"", value.integer)
              : "");
    return false;
  }

  std::optional<ProjectValue> text_of(const std::string& key, const TomlValue& value) {
    if (value.string.empty()) {
      wrong(Code::kUsage, fmt::format("'{}' needs a value", core::printable(key)), value.place);
      return std::nullopt;
    }
    return ProjectValue{value.string, value.place};
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

  bool read_value(const TomlField& field) {
    for (const Key& key : keys()) {
      if (field.key != key.name) {
        continue;
      }
      if (!has_kind(field, Kind::kString)) {
        return true;
      }
      std::optional<ProjectValue> value = text_of(field.key, field.get());
      // As on the command line, a board is a path if it looks like one.
      const bool is_board_file =
          value && field.key == "board" &&
          (value->text.find('/') != std::string::npos || value->text.ends_with(".toml"));
      if (value && (key.is_path || is_board_file)) {
        value->text = beside(value->text);
      }
      if (value && field.key == "instances") {
        check_instances(*value);
      }
      project_.*key.value = std::move(value);
      return true;
    }
    return false;
  }

  void check_instances(const ProjectValue& value) {
    if (value.text != "together" && value.text != "apart") {
      wrong(Code::kUsage,
            fmt::format("'instances' must be together or apart, not '{}'",
                        core::printable(value.text)),
            value.place);
    }
  }

  bool read_flag(const TomlField& field) {
    const auto flag = std::find_if(
        flags().begin(), flags().end(), [&](const Flag& known) { return field.key == known.name; });
    if (flag == flags().end()) {
      return false;
    }
    if (has_kind(field, Kind::kBoolean) && field.get().boolean) {
      project_.*flag->value = field.get().place;
    }
    return true;
  }

  void read_traces(const TomlField& field) {
    if (!has_kind(field, Kind::kArray)) {
      return;
    }
    for (const TomlValue& item : field.get().items) {
      if (item.kind != Kind::kString) {
        wrong(Code::kTomlType,
              fmt::format("'traces' must hold strings, not {}", core::kind_name(item.kind)),
              item.place);
      } else if (auto trace = text_of(field.key, item); trace) {
        trace->text = beside(trace->text);
        project_.traces.push_back(std::move(*trace));
      }
    }
  }

  template <typename Read>
  void read_table(const TomlField& field, Read read) {
    if (has_kind(field, Kind::kTable)) {
      for (const TomlField& inner : field.get().fields) {
        read(inner);
      }
    }
  }

  void read_knob(const TomlField& field) {
    // On the command line the first '=' ends the knob.
    if (!core::is_identifier(field.key)) {
      wrong(Code::kKnobSyntax,
            fmt::format("'{}' is not a knob's name", core::printable(field.key)),
            field.key_place,
            "memsize board show BOARD lists the knobs");
    } else if (has_kind(field, Kind::kString)) {
      if (auto size = text_of(field.key, field.get()); size) {
        project_.set.push_back({field.key, field.key_place, std::move(*size)});
      }
    }
  }

  void read_budget(const TomlField& field) {
    if (field.key == "reserved") {
      add_budget({}, field);
    } else if (field.key == "core") {
      read_table(field, [&](const TomlField& core) { add_budget(core.key, core); });
    } else {
      unknown_key(field, "[budget]", {"core", "reserved"});
    }
  }

  void add_budget(const std::string& core, const TomlField& field) {
    if (!has_kind(field, Kind::kString)) {
      return;
    }
    const auto size = core::parse_bytes(field.get().string, field.get().place);
    if (!size) {
      errors_.insert(errors_.end(), size.error().begin(), size.error().end());
      return;
    }
    project_.budgets.push_back({core, *size, field.get().place, field.key_place});
  }

  void check_together(const TomlValue& file) {
    exclude(file, "traces", "sizing");
    exclude(file, "out", "sdk");
    const TomlField* kernel = file.find("linux");
    if (kernel != nullptr && file.find("sdk") == nullptr) {
      wrong(Code::kUsage,
            "'linux' requires 'sdk'",
            kernel->key_place,
            "it is the kernel's tree that belongs to an SDK's");
    }
  }

  void exclude(const TomlValue& file, const char* one, const char* other) {
    const TomlField* first = file.find(one);
    const TomlField* second = file.find(other);
    if (first == nullptr || second == nullptr) {
      return;
    }
    if (second->key_place.line < first->key_place.line) {
      std::swap(first, second);
    }
    core::Diagnostic both = core::error(Code::kUsage,
                                        fmt::format("'{}' excludes '{}'", second->key, first->key),
                                        second->key_place,
                                        "leave one of them out");
    both.related.push_back({first->key_place, fmt::format("'{}' stands here", first->key)});
    errors_.push_back(std::move(both));
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
  std::replace(key.begin(), key.end(), '-', '_');
  return key + message.substr(option.size());
}

}  // namespace

std::string Project::beside(const std::string& other) const {
  return other.starts_with('/') ? other : folder_of(path) + other;
}

core::Result<Project> parse_project(std::string_view text, const std::string& path) {
  const auto file = core::parse_toml(text, path);
  MEMSIZE_TRY(file);
  return Reader{path}.read(*file);
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
    const bool typed = std::any_of(request.set.begin(), request.set.end(), [&](const auto& other) {
      return knob_of(other) == setting.knob;
    });
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

}  // namespace memsize::cli
