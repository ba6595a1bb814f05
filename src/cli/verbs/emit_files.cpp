// Says it alike for the files of a map and those of a module.
#include "emit_files.hpp"

#include "memsize/core/text.hpp"

#include "show/unified_diff.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

using core::Code;

Outcome show_diff(const Artifacts& artifacts, const FilesOnDisk& files, Outcome outcome) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string name = core::printable(files[i].path, 400);
    // Of a page or a drawing nobody reads the lines, each of which is a screen long.
    if (artifacts[i].path.ends_with(".html") || artifacts[i].path.ends_with(".svg")) {
      outcome.text +=
          files[i].same ? std::string{} : fmt::format("Files {} and the new one differ\n", name);
      continue;
    }
    outcome.text += unified_diff(
        files[i].exists ? name : "/dev/null", files[i].content, name, artifacts[i].content);
  }
  return outcome;
}

Outcome check_disk(const FilesOnDisk& files, Outcome outcome) {
  for (const app::OnDisk& file : files) {
    if (!file.same) {
      outcome.diagnostics.push_back(
          core::error(Code::kEmitStale,
                      file.in_the_way ? "something that is no file is in the way of this one"
                      : file.exists   ? "this file is not what the board and the sizes give"
                                      : "this file is missing",
                      {file.path},
                      file.in_the_way ? "move it away" : ""));
    }
  }
  outcome.status = core::exit_status(outcome.diagnostics);
  if (outcome.status != core::ExitStatus::kDone) {
    core::Diagnostic& last = outcome.diagnostics.back();
    last.hint = !last.hint.empty()
                    ? last.hint
                    : "see the difference with --diff; write it by leaving --check out";
  } else {
    outcome.text = fmt::format("{} up to date\n", core::plural(files.size(), "file"));
  }
  return outcome;
}

std::string written_summary(const std::string& what,
                            const std::string& out,
                            const Artifacts& artifacts,
                            const FilesOnDisk& files) {
  constexpr std::size_t kMostLines = 30;
  std::string list;
  std::size_t written = 0;
  std::map<std::string, std::size_t> folders;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].same) {
      ++written;
      const std::string& path = artifacts[i].path;
      list += fmt::format("  {}  {}\n", files[i].exists ? "changed" : "created", path);
      const std::size_t slash = path.find('/');
      ++folders[slash == std::string::npos ? path : path.substr(0, slash + 1)];
    }
  }
  if (written > kMostLines) {
    list.clear();
    for (const auto& [folder, count] : folders) {
      list += folder.ends_with('/')
                  ? fmt::format("  {:<13} {}\n", folder, core::plural(count, "file"))
                  : fmt::format("  {}\n", folder);
    }
  }
  return fmt::format("{}: {} written, {} unchanged in {}/\n{}",
                     what,
                     core::plural(written, "file"),
                     artifacts.size() - written,
                     core::printable(out, 300),
                     list);
}

Json artifacts_json(const Artifacts& artifacts, const FilesOnDisk& files) {
  Json list = Json::array();
  for (std::size_t i = 0; i < files.size(); ++i) {
    list.push_back({{"path", artifacts[i].path},
                    {"emitter", artifacts[i].emitter},
                    {"changed", !files[i].same}});
  }
  return list;
}

}  // namespace memsize::cli
