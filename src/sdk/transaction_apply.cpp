// A change of the tree, from the bytes that are wanted to the last rename.
#include "memsize/core/text.hpp"
#include "memsize/sdk/transaction.hpp"

#include "transaction_recover.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;
using Kind = core::Entry::Kind;

constexpr std::size_t kShown = 300;
constexpr std::size_t kLongestDescription = 1000;
constexpr unsigned kWriteBits = 0222;

// One file that has to change.
struct Task {
  // Below the root, links followed.
  std::string path;
  const FileChange* change = nullptr;
  FileState from;
  FileState to;
  core::Owner owner;
};

struct Survey {
  std::vector<Task> tasks;
  std::size_t unchanged = 0;
  core::Diagnostics errors;
};

// Looks at the files that a change is about; changes nothing.
class Surveyor {
 public:
  Surveyor(const Store& store, const std::vector<FileChange>& changes)
      : store_(store), changes_(changes), device_(store.files().entry(store.root()).device) {}

  Survey run() {
    std::map<std::string, const FileChange*> seen;
    for (const FileChange& change : changes_) {
      const auto path = resolve(change.path);
      if (!path) {
        continue;
      }
      const auto [first, is_new] = seen.emplace(*path, &change);
      if (is_new) {
        look_at(*path, change);
      } else if (first->second->after != change.after || first->second->before != change.before) {
        // Two names of one file, as where a core's file is a link to another one's.
        refuse(change.path,
               fmt::format("it is the same file as '{}', which is to have other bytes",
                           core::printable(first->second->path, kShown)));
      }
    }
    std::sort(survey_.tasks.begin(), survey_.tasks.end(), [](const Task& a, const Task& b) {
      return a.path < b.path;
    });
    return std::move(survey_);
  }

 private:
  void refuse(const std::string& path, const std::string& why, const std::string& way_out = {}) {
    survey_.errors.push_back(
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
    while (store_.files().entry(store_.target(there)).kind == Kind::kNothing) {
      const std::size_t end = there.rfind('/');
      missing = there.substr(end == std::string::npos ? 0 : end) + missing;
      there = end == std::string::npos ? "" : there.substr(0, end);
      if (there.empty()) {
        return path;
      }
    }
    const auto real = store_.files().real_path(store_.target(there));
    if (!real) {
      refuse(path, "a link leads nowhere", "mend or remove it");
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
    if (!missing.empty() && store_.files().entry(*real).kind != Kind::kFolder) {
      refuse(path, "a file is where a folder of its path should be");
      return std::nullopt;
    }
    return inside;
  }

  void look_at(const std::string& path, const FileChange& change) {
    const std::string full = store_.target(path);
    const core::Entry entry = store_.files().entry(full);
    if (entry.kind != Kind::kNothing && entry.kind != Kind::kFile) {
      refuse(change.path, entry.kind == Kind::kFolder ? "it is a folder" : "it is no regular file");
      return;
    }
    std::optional<std::string> bytes;
    if (entry.kind == Kind::kFile) {
      auto content = store_.files().read(full);
      if (!content) {
        for (core::Diagnostic& error : content.error()) {
          survey_.errors.push_back(std::move(error));
        }
        return;
      }
      bytes = std::move(*content);
    }
    if (bytes == change.after) {
      ++survey_.unchanged;
      return;
    }
    if (bytes != change.before) {
      survey_.errors.push_back(core::error(
          Code::kSdkChanged,
          bytes && change.before ? "this file was changed after it was read"
          : bytes                ? "this file appeared after the tree was read"
                                 : "this file went away after the tree was read",
          store_.place(change.path),
          "nothing was changed; run the command again, when nothing else works on the tree"));
      return;
    }
    if (may_change(path, change.path, entry)) {
      add(path, change, entry);
    }
  }

  bool may_change(const std::string& path, const std::string& shown, const core::Entry& entry) {
    // Also for a user who may write to everything: the bits are how a version control system, or a
    // person, says that the file is not to be changed.
    if (entry.kind == Kind::kFile &&
        ((entry.mode & kWriteBits) == 0 || !store_.files().may_write(store_.target(path)))) {
      refuse(shown, "it is read-only", "make it writable, such as with chmod u+w");
      return false;
    }
    std::string folder = path;
    do {
      const std::size_t end = folder.rfind('/');
      folder = end == std::string::npos ? "" : folder.substr(0, end);
    } while (!folder.empty() && store_.files().entry(store_.target(folder)).kind == Kind::kNothing);
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
    Task task;
    task.path = path;
    task.change = &change;
    task.owner = entry.owner;
    const bool exists = entry.kind == Kind::kFile;
    if (exists) {
      task.from = state_of(*change.before, entry.mode, entry.mtime_ns);
    }
    if (change.after) {
      task.to = state_of(*change.after, exists ? entry.mode : store_.files().new_file_mode(), 0);
      task.to.mtime_ns.reset();
    }
    survey_.tasks.push_back(std::move(task));
  }

  const Store& store_;
  const std::vector<FileChange>& changes_;
  std::uint64_t device_;
  Survey survey_;
};

// Folders that memsize makes for a file, now or before for another one; so that whichever goes last
// takes them along.
std::vector<std::string> made_folders(const Store& store,
                                      const std::string& path,
                                      const Journal& journal) {
  const std::vector<std::string> missing = store.missing_folders(path);
  std::set<std::string> made{missing.begin(), missing.end()};
  for (const Journal::File& file : journal.files) {
    for (const std::string& folder : file.folders) {
      if (path.starts_with(folder + "/")) {
        made.insert(folder);
      }
    }
  }
  // Outer folders sort before inner ones.
  return {made.begin(), made.end()};
}

// The journal of the tree with these tasks pending.
Journal planned(const Store& store,
                const std::vector<Task>& tasks,
                std::optional<Journal> before,
                const std::string& description) {
  Journal journal = before ? std::move(*before) : Journal{};
  journal.state = Journal::State::kApplying;
  journal.description = core::printable(description, kLongestDescription);
  for (const Task& task : tasks) {
    const bool is_new = journal.find(task.path) == nullptr;
    std::vector<std::string> folders =
        is_new ? made_folders(store, task.path, journal) : std::vector<std::string>{};
    Journal::File& file = journal.file(task.path);
    if (is_new) {
      file.original = task.from;
      file.folders = std::move(folders);
    }
    file.pending = Journal::Pending{task.from, task.to};
  }
  return journal;
}

core::Metadata metadata_of(const FileState& state, const Task& task) {
  core::Metadata metadata{state.mode, state.mtime_ns, {}};
  if (task.from.exists) {
    metadata.owner = task.owner;
  }
  return metadata;
}

// Copies and new files; the tree itself is not touched.
core::Result<void> stage(Store& store,
                         const std::vector<Task>& tasks,
                         const Journal& journal,
                         Applied& applied) {
  if (auto written = store.write(Document::kStaging, journal); !written) {
    return written;
  }
  for (const Task& task : tasks) {
    const Journal::File& file = *journal.find(task.path);
    if (task.from.exists) {
      const Copy where = file.applied ? Copy::kPrevious : Copy::kBackup;
      if (auto made =
              store.make_copy(where, task.path, *task.change->before, metadata_of(task.from, task));
          !made) {
        return made;
      }
    }
    if (task.to.exists) {
      if (auto made = store.make_copy(
              Copy::kStaged, task.path, *task.change->after, metadata_of(task.to, task));
          !made) {
        return made;
      }
    }
    if (task.from.exists && file.applied && !same_bytes(task.from, *file.applied)) {
      auto kept = store.keep(task.path);
      if (!kept) {
        return tl::make_unexpected(kept.error());
      }
      applied.kept.push_back(std::move(*kept));
    }
  }
  for (const Copy where : {Copy::kBackup, Copy::kPrevious, Copy::kStaged}) {
    if (auto synced = store.sync_copies(where); !synced) {
      return synced;
    }
  }
  return store.sync_own();
}

std::string way_out_of(const Store& store) {
  return fmt::format("the next emit ends this change; memsize sdk revert --sdk {} takes it back",
                     core::printable(store.shown_root(), kShown));
}

// After a step behind the commit failed: all back, or what is left is said.
tl::unexpected<core::Diagnostics> taken_back(Store& store,
                                             const Journal& journal,
                                             core::Diagnostics errors) {
  if (go_back(store, journal)) {
    (void)store.clean();
    return failed(std::move(errors), "nothing was changed: what had been was taken back");
  }
  core::Diagnostic& first = errors.front();
  for (const Journal::File& file : journal.files) {
    const auto now = store.look(file.path);
    if (file.pending && now && same_bytes(*now, file.pending->to)) {
      first.details.push_back(fmt::format("'{}' is changed", core::printable(file.path, kShown)));
    }
  }
  return failed(std::move(errors), way_out_of(store));
}

core::Result<void> change(Store& store,
                          const std::vector<Task>& tasks,
                          const Journal& journal,
                          Applied& applied) {
  if (auto staged = stage(store, tasks, journal, applied); !staged) {
    (void)clear_staging(store);
    (void)store.clean();
    return failed(staged.error(), kNothingChanged);
  }
  if (auto committed = store.commit(); !committed) {
    (void)clear_staging(store);
    (void)store.clean();
    return failed(committed.error(), kNothingChanged);
  }
  if (auto synced = store.sync_own(); !synced) {
    return taken_back(store, journal, synced.error());
  }
  if (auto done = go_forward(store, journal); !done) {
    return taken_back(store, journal, done.error());
  }
  // The change is made; what cannot be removed now is removed by the next run.
  (void)store.clean();
  return {};
}

void list_tasks(const std::vector<Task>& tasks, Applied& applied) {
  for (const Task& task : tasks) {
    (!task.from.exists ? applied.created
     : task.to.exists  ? applied.changed
                       : applied.removed)
        .push_back(task.path);
  }
}

}  // namespace

core::Result<Applied> apply(core::FileSystem& files,
                            const std::string& root,
                            const std::vector<FileChange>& changes,
                            const std::string& description) {
  auto store = Store::open(files, root);
  if (!store) {
    return tl::make_unexpected(store.error());
  }
  const auto at_rest = is_at_rest(*store);
  if (!at_rest) {
    return tl::make_unexpected(at_rest.error());
  }
  Applied applied;
  if (*at_rest) {
    Survey survey = Surveyor{*store, changes}.run();
    if (!survey.errors.empty()) {
      return tl::make_unexpected(std::move(survey.errors));
    }
    if (survey.tasks.empty()) {
      applied.unchanged = survey.unchanged;
      return applied;
    }
  }
  const auto session = store->enter(core::printable(description, kShown));
  if (!session) {
    return tl::make_unexpected(session.error());
  }
  const auto recovery = recover_locked(*store);
  if (!recovery) {
    return tl::make_unexpected(recovery.error());
  }
  applied.recovery = *recovery;
  // Again: what was seen before the lock was taken may be another's half change.
  Survey survey = Surveyor{*store, changes}.run();
  if (!survey.errors.empty()) {
    return tl::make_unexpected(std::move(survey.errors));
  }
  applied.unchanged = survey.unchanged;
  if (survey.tasks.empty()) {
    return applied;
  }
  auto before = store->read(Document::kJournal);
  if (!before) {
    return tl::make_unexpected(before.error());
  }
  const Journal journal = planned(*store, survey.tasks, std::move(*before), description);
  if (auto changed = change(*store, survey.tasks, journal, applied); !changed) {
    return tl::make_unexpected(changed.error());
  }
  list_tasks(survey.tasks, applied);
  return applied;
}

}  // namespace memsize::sdk
