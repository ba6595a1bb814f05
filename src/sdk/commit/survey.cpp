// Follows links to each file and compares it with what was read when the change was planned. Links
// out of the tree, read-only files and other file systems are refused before anything is written.
#include "survey.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;
using EntryKind = core::Entry::Kind;

constexpr unsigned kWriteBits = 0222;

// Looks at the files that a change is about; changes nothing.
class Surveyor {
 public:
  Surveyor(const Store& store, const std::vector<Wanted>& wanted)
      : store_(store), wanted_(wanted), device_(store.files().entry(store.root()).device) {}

  core::Result<Survey> run() {
    std::map<std::string, const Wanted*> seen;
    for (const Wanted& wanted : wanted_) {
      const auto path = resolve(wanted.path);
      if (!path) {
        continue;
      }
      const auto [at, is_new] = seen.emplace(*path, &wanted);
      const Wanted& first = *at->second;
      if (is_new) {
        look_at(*path, wanted);
      } else if (first.change->after != wanted.change->after ||
                 first.change->before != wanted.change->before) {
        // Two names of one file, as where a core's file is a link to another one's.
        refuse(wanted.path,
               fmt::format("it is the same file as '{}', which is to have other bytes",
                           core::printable(first.path, kShown)));
      }
    }
    if (!errors_.empty()) {
      return tl::make_unexpected(std::move(errors_));
    }
    std::ranges::sort(survey_.tasks, {}, &Task::path);
    return std::move(survey_);
  }

 private:
  void refuse(const std::string& path, const std::string& why, const std::string& way_out = {}) {
    errors_.push_back(
        core::error(Code::kFileWrite,
                    fmt::format("cannot change '{}': {}", core::printable(path, kShown), why),
                    store_.place(path),
                    way_out.empty() ? kNothingChanged : "nothing was changed; " + way_out));
  }

  // The path below the root without links; empty after an error.
  std::optional<std::string> resolve(const std::string& path) {
    if (const std::string why = why_unsafe(path); !why.empty()) {
      refuse(path, fmt::format("its path {}", why));
      return std::nullopt;
    }
    // What is there of it, and what is not there yet.
    std::string there = path;
    std::string missing;
    while (store_.files().entry(store_.target(there)).kind == EntryKind::kNothing) {
      const std::size_t end = there.rfind('/');
      missing.insert(0, there, end == std::string::npos ? 0 : end);
      there = end == std::string::npos ? "" : there.substr(0, end);
      if (there.empty()) {
        return path;
      }
    }
    const auto real = store_.files().real_path(store_.target(there));
    if (!real) {
      if (store_.files().entry(store_.target(there)).kind == EntryKind::kOther) {
        refuse(path, "it cannot be looked at", "let its folders be read");
      } else {
        refuse(path, "a link leads nowhere", "mend or remove it");
      }
      return std::nullopt;
    }
    const std::string below = store_.root() + "/";
    const bool is_inside = real->starts_with(below);
    const std::string inside = is_inside ? real->substr(below.size()) + missing : std::string{};
    if (!is_inside || !why_unsafe(inside).empty()) {
      refuse(path,
             fmt::format("a link leads out of the tree, to '{}'", core::printable(*real, kShown)),
             "put the file itself there, or give the tree that it is in");
      return std::nullopt;
    }
    if (!missing.empty() && store_.files().entry(*real).kind != EntryKind::kFolder) {
      refuse(path, "a file is where a folder of its path should be");
      return std::nullopt;
    }
    return inside;
  }

  void look_at(const std::string& path, const Wanted& wanted) {
    const FileChange& change = *wanted.change;
    const std::string full = store_.target(path);
    const core::Entry entry = store_.files().entry(full);
    if (entry.kind != EntryKind::kNothing && entry.kind != EntryKind::kFile) {
      return refuse(wanted.path,
                    entry.kind == EntryKind::kFolder ? "it is a folder" : "it is no regular file");
    }
    std::optional<std::string> bytes;
    if (entry.kind == EntryKind::kFile) {
      auto content = store_.files().read(full, core::kMapFile);
      // Another memsize may just have removed it: then it is not there.
      const bool is_gone = !content && store_.files().entry(full).kind == EntryKind::kNothing;
      if (!content && !is_gone) {
        for (core::Diagnostic& error : content.error()) {
          error.hint = "nothing was changed; let the file be read";
          errors_.push_back(std::move(error));
        }
        return;
      }
      if (content) {
        bytes = std::move(*content);
      }
    }
    if (bytes == change.after) {
      ++survey_.unchanged;
      return;
    }
    if (bytes != change.before) {
      errors_.push_back(core::error(
          Code::kSdkChanged,
          bytes && change.before ? "this file was changed after it was read"
          : bytes                ? "this file appeared after the tree was read"
                                 : "this file went away after the tree was read",
          store_.place(wanted.path),
          "nothing was changed; run the command again, when nothing else works on the tree"));
      return;
    }
    if (may_change(path, wanted.path, entry)) {
      add(path, change, entry);
    }
  }

  bool may_change(const std::string& path, const std::string& shown, const core::Entry& entry) {
    // Also for a user who may write to everything: the bits are how a version control system, or a
    // person, says that the file is not to be changed.
    if (entry.kind == EntryKind::kFile &&
        ((entry.mode & kWriteBits) == 0 || !store_.files().may_write(store_.target(path)))) {
      refuse(shown, "it is read-only", "make it writable, such as with chmod u+w");
      return false;
    }
    std::string folder = path;
    do {
      const std::size_t end = folder.rfind('/');
      folder = end == std::string::npos ? "" : folder.substr(0, end);
    } while (!folder.empty() &&
             store_.files().entry(store_.target(folder)).kind == EntryKind::kNothing);
    const std::string full = folder.empty() ? store_.root() : store_.target(folder);
    if (!store_.files().may_write(full)) {
      refuse(shown, "its folder is read-only", "make the folder writable");
      return false;
    }
    if (store_.files().entry(full).device != device_) {
      refuse(shown,
             "it is on another file system than the tree's root",
             "give a tree that is on one file system");
      return false;
    }
    return true;
  }

  void add(const std::string& path, const FileChange& change, const core::Entry& entry) {
    Task task{.path = path, .change = &change, .owner = entry.owner};
    const bool exists = entry.kind == EntryKind::kFile;
    if (exists) {
      task.from = state_of(*change.before, entry.mode, entry.mtime_ns);
      task.attributes = store_.files().attributes(store_.target(path));
    }
    if (change.after) {
      task.to = state_of(*change.after, exists ? entry.mode : store_.files().new_file_mode(), 0);
      task.to.mtime_ns.reset();
    }
    survey_.tasks.push_back(std::move(task));
  }

  const Store& store_;
  const std::vector<Wanted>& wanted_;
  std::uint64_t device_;
  Survey survey_;
  core::Diagnostics errors_;
};

}  // namespace

core::Result<Survey> survey(const Store& store, const std::vector<Wanted>& wanted) {
  return Surveyor{store, wanted}.run();
}

}  // namespace memsize::sdk
