// Edits the generator scripts of a part, and the files that they write, as bytes: for the tests
// that hold the result against Python.
//
//   edit_tree PLATFORM OUT [--force] [NAME=VALUE]...
//
// PLATFORM is platform/SOC/rtos of a tree. Changed files are written below OUT. Each variable is
// set in every script that has it. Prints one line a file: "script", "same", "changed", "hand-made"
// or "lost", a path, and for hand-made files what is different; "refused" and a message where
// something cannot be done, which is exit status 1. A file that several scripts write is edited
// with the first one of them that made it.
#include "memsize/core/text.hpp"

#include "formats/edit_generated.hpp"
#include "script/edit_script.hpp"
#include "script/script.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace {

namespace fs = std::filesystem;
namespace core = memsize::core;
namespace sdk = memsize::sdk;
namespace emit = memsize::emit;

std::string read(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

void write(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  std::ofstream{path, std::ios::binary} << content;
}

// One file with the exports that write it, before and after.
struct Target {
  std::string path;
  std::vector<std::pair<sdk::ScriptExport, sdk::ScriptExport>> exports;
};

class Driver {
 public:
  Driver(fs::path platform, fs::path out, sdk::HandEdits choice)
      : platform_(std::move(platform)), out_(std::move(out)), choice_(choice) {}

  int run(const std::map<std::string, sdk::Integer>& values) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator{platform_}) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("gen_linker_mem_map") && name.ends_with(".py")) {
        names.push_back(name);
      }
    }
    std::ranges::sort(names);
    for (const std::string& name : names) {
      edit_script(name, values);
    }
    for (const Target& target : targets_) {
      edit_file(target);
    }
    return failed_ ? 1 : 0;
  }

 private:
  void edit_script(const std::string& name, std::map<std::string, sdk::Integer> values) {
    const std::string text = read(platform_ / name);
    const auto before = sdk::evaluate_script(name, text);
    const sdk::Script* script = before ? &*before : nullptr;
    // A name that only another script has.
    for (auto value = values.begin(); value != values.end();) {
      const auto alone = sdk::set_constants(name, text, script, {*value});
      const bool unknown = !alone && alone.error().front().code == core::Code::kSdkName;
      value = unknown ? values.erase(value) : std::next(value);
    }
    const auto edited = sdk::set_constants(name, text, script, values);
    if (!edited) {
      return refuse(name, edited.error());
    }
    if (*edited != text) {
      write(out_ / name, *edited);
    }
    fmt::print("{} {}\n", *edited == text ? "same" : "script", name);
    const auto after = sdk::evaluate_script(name, *edited);
    if (!before || !after) {
      fmt::print("lost {}\n", name);
      return;
    }
    for (std::size_t i = 0; i < before->exports.size(); ++i) {
      if (sdk::is_regenerated(before->exports[i])) {
        add(before->exports[i], after->exports[i]);
      }
    }
  }

  void add(const sdk::ScriptExport& before, const sdk::ScriptExport& after) {
    const std::string path = fs::path{before.path}.lexically_normal().string();
    auto target =
        std::ranges::find_if(targets_, [&](const Target& each) { return each.path == path; });
    if (target == targets_.end()) {
      target = targets_.insert(target, {path, {}});
    }
    target->exports.emplace_back(before, after);
  }

  void edit_file(const Target& target) {
    const emit::MapFile file{target.path, read(platform_ / target.path)};
    std::optional<sdk::Regenerated> chosen;
    for (const auto& [before, after] : target.exports) {
      auto made = sdk::regenerate(before, after, file, choice_);
      if (!made) {
        return refuse(target.path, made.error());
      }
      if (!chosen || (!chosen->hand_edits.empty() && made->hand_edits.empty())) {
        chosen = std::move(*made);
      }
    }
    std::string what = chosen->content == file.content ? "same" : "changed";
    if (!chosen->hand_edits.empty()) {
      what = "hand-made";
    }
    fmt::print("{} {}\n", what, target.path);
    for (const sdk::GeneratedDifference& each : chosen->hand_edits) {
      fmt::print("  {}\n", each.what);
    }
    if (chosen->content != file.content) {
      write(out_ / target.path, chosen->content);
    }
  }

  void refuse(const std::string& path, const core::Diagnostics& problems) {
    for (const core::Diagnostic& problem : problems) {
      fmt::print(
          "refused {}:{}:{} {}\n", path, problem.place.line, problem.place.column, problem.message);
    }
    failed_ = true;
  }

  fs::path platform_;
  fs::path out_;
  sdk::HandEdits choice_;
  std::vector<Target> targets_;
  bool failed_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> folders;
  std::map<std::string, sdk::Integer> values;
  sdk::HandEdits choice = sdk::HandEdits::kKeep;
  for (const std::string& word : std::vector<std::string>(argv + 1, argv + argc)) {
    const std::size_t equals = word.find('=');
    const auto value = core::parse_address(word.substr(std::min(equals, word.size() - 1) + 1));
    if (word == "--force") {
      choice = sdk::HandEdits::kForce;
    } else if (equals != std::string::npos && value) {
      values[word.substr(0, equals)] = *value;
    } else {
      folders.push_back(word);
    }
  }
  if (folders.size() != 2) {
    (void)std::fprintf(stderr, "edit_tree PLATFORM OUT [--force] [NAME=VALUE]...\n");
    return 2;
  }
  return Driver{folders[0], folders[1], choice}.run(values);
}
