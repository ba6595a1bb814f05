// The steps: plan, copy, commit, make, finish, and undo from wherever it was. The files are looked
// at again under the lock, since what was seen before may be another's half change.
#include "change.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;
using EntryKind = core::Entry::Kind;

constexpr std::size_t kLongestDescription = 1000;

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

// The folder in which a name changes for this file.
std::string folder_of(const Store& store, const std::string& path) {
  std::string folder = path;
  do {
    const std::size_t end = folder.rfind('/');
    folder = end == std::string::npos ? "." : folder.substr(0, end);
  } while (folder != "." && !store.folder_time(folder));
  return folder;
}

// Notes the time of a folder before it changes. Where it is not what memsize left, somebody else
// changed a name in it since, and that is the time to go back to.
void note_time(Journal& journal, const std::string& path, std::optional<std::int64_t> now) {
  if (!now) {
    return;
  }
  auto* found = core::find_in(journal.folder_times, path, &Journal::FolderTime::path);
  if (found == nullptr) {
    journal.folder_times.push_back({path, *now, std::nullopt});
    return;
  }
  if (found->applied_ns != *now) {
    found->original_ns = *now;
  }
  found->applied_ns.reset();
}

core::Metadata metadata_of(const FileState& state, const Task& task) {
  core::Metadata metadata{state.mode, state.mtime_ns, {}, {}};
  if (task.from.exists) {
    metadata.owner = task.owner;
    metadata.attributes = task.attributes;
  }
  return metadata;
}

// The file in place is the only original: somebody put it back by hand.
bool is_last_original(const Store& store, const Task& task, const Journal::File& file) {
  return file.applied && file.original.exists && same_bytes(task.from, file.original) &&
         !store.has_copy(Copy::kBackup, file.path, file.original);
}

// What stands where the copy of the original has to be.
core::Diagnostics check_copy(const Store& store, const Task& task, const Journal::File& file) {
  if (file.applied) {
    return has_original(store, file, task.from) ? core::Diagnostics{}
                                                : core::Diagnostics{no_backup(store, file.path)};
  }
  const EntryKind kind = store.files().entry(store.copy(Copy::kBackup, task.path)).kind;
  if (kind == EntryKind::kNothing || store.has_copy(Copy::kBackup, task.path, task.from)) {
    return {};
  }
  return {core::error(Code::kSdkJournal,
                      "something is where a copy of the original would be, and the journal does "
                      "not say what it is",
                      store.place(fmt::format("{}/backup/{}", kOwnFolder, task.path)),
                      "nothing was changed; move it away, if nobody needs it")};
}

}  // namespace

core::Result<bool> TreeChange::is_needed() {
  applied_.root = store_.shown_root();
  const auto at_rest = is_at_rest(store_);
  MEMSIZE_TRY(at_rest);
  if (!*at_rest) {
    return true;
  }
  const auto seen = survey(store_, wanted_);
  MEMSIZE_TRY(seen);
  applied_.unchanged = seen->unchanged;
  return !seen->tasks.empty();
}

core::Result<void> TreeChange::lock(const std::string& description) {
  auto session = store_.enter(core::printable(description, kShown));
  MEMSIZE_TRY(session);
  session_.emplace(std::move(*session));
  return {};
}

core::Result<void> TreeChange::recover() {
  const auto recovery = recover_locked(store_);
  MEMSIZE_TRY(recovery);
  applied_.recovery = *recovery;
  return {};
}

core::Result<void> TreeChange::plan(const std::string& description) {
  // Again: what was seen before the lock was taken may be another's half change.
  auto seen = survey(store_, wanted_);
  MEMSIZE_TRY(seen);
  survey_ = std::move(*seen);
  applied_.unchanged = survey_.unchanged;
  if (survey_.tasks.empty()) {
    return {};
  }
  auto before = store_.read(Document::kJournal);
  MEMSIZE_TRY(before);
  journal_ = planned(store_, survey_.tasks, std::move(*before), description);
  std::set<std::string> folders;
  for (const Task& task : survey_.tasks) {
    folders.insert(folder_of(store_, task.path));
  }
  const bool is_in_root = folders.erase(".") > 0;
  for (const std::string& folder : folders) {
    note_time(journal_, folder, store_.folder_time(folder));
  }
  // To make memsize's own folder changed it too.
  note_time(journal_,
            ".",
            store_.root_time() ? store_.root_time()
            : is_in_root       ? store_.folder_time(".")
                               : std::nullopt);
  core::Diagnostics errors;
  for (const Task& task : survey_.tasks) {
    for (core::Diagnostic& error : check_copy(store_, task, *journal_.find(task.path))) {
      errors.push_back(std::move(error));
    }
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return {};
}

core::Result<void> TreeChange::copy(const Task& task) {
  const Journal::File& file = *journal_.find(task.path);
  const bool is_original = !file.applied || is_last_original(store_, task, file);
  if (task.from.exists && file.applied) {
    if (auto made = store_.make_copy(
            Copy::kPrevious, task.path, *task.change->before, metadata_of(task.from, task));
        !made) {
      return made;
    }
  }
  if (task.from.exists && is_original) {
    // A damaged one, or one that was left.
    MEMSIZE_TRY(store_.remove_copy(Copy::kBackup, task.path));
    if (auto made = store_.make_copy(
            Copy::kBackup, task.path, *task.change->before, metadata_of(file.original, task));
        !made) {
      return made;
    }
  }
  if (!task.to.exists) {
    return {};
  }
  auto made =
      store_.make_copy(Copy::kStaged, task.path, *task.change->after, metadata_of(task.to, task));
  if (made && task.from.exists) {
    store_.tell_lost(Copy::kStaged, task.path, applied_.warnings);
  }
  return made;
}

core::Result<void> TreeChange::keep_edited(const Task& task) {
  const Journal::File& file = *journal_.find(task.path);
  if (!task.from.exists || !file.applied || same_bytes(task.from, *file.applied) ||
      same_bytes(task.from, file.original)) {
    return {};
  }
  auto kept = store_.keep(task.path);
  MEMSIZE_TRY(kept);
  applied_.kept.push_back(kept->path());
  if (kept->is_new) {
    fresh_.push_back(kept->name);
  }
  return {};
}

core::Result<void> TreeChange::stage() {
  if (survey_.tasks.empty()) {
    return {};
  }
  reached_ = Reached::kStaging;
  MEMSIZE_TRY(store_.write(Document::kStaging, journal_));
  for (const Task& task : survey_.tasks) {
    MEMSIZE_TRY(copy(task));
    MEMSIZE_TRY(keep_edited(task));
  }
  for (const Copy where : {Copy::kBackup, Copy::kPrevious, Copy::kStaged, Copy::kKept}) {
    MEMSIZE_TRY(store_.sync_copies(where));
  }
  return store_.sync_own();
}

core::Result<void> TreeChange::commit() {
  if (survey_.tasks.empty()) {
    return {};
  }
  MEMSIZE_TRY(store_.commit());
  reached_ = Reached::kCommitted;
  return store_.sync_own();
}

core::Result<void> TreeChange::make() {
  return survey_.tasks.empty() ? core::Result<void>{} : make_changes(store_, journal_);
}

core::Result<void> TreeChange::finish() {
  if (survey_.tasks.empty()) {
    return {};
  }
  MEMSIZE_TRY(write_done(store_, journal_));
  reached_ = Reached::kFinished;
  list();
  return {};
}

void TreeChange::list() {
  for (const Task& task : survey_.tasks) {
    (!task.from.exists ? applied_.created
     : task.to.exists  ? applied_.changed
                       : applied_.removed)
        .push_back(task.path);
  }
}

bool TreeChange::undo() {
  bool is_undone = true;
  switch (reached_) {
    case Reached::kNothing:
      return true;
    case Reached::kStaging:
      is_undone = clear_staging(store_).has_value();
      break;
    case Reached::kFinished:
      // From here on whoever comes next ends the change, or takes it back.
      is_undone = store_.write(Document::kJournal, journal_) && store_.sync_own() &&
                  go_back(store_, journal_);
      break;
    case Reached::kCommitted:
      is_undone = go_back(store_, journal_).has_value();
      break;
  }
  if (is_undone) {
    for (const std::string& name : fresh_) {
      (void)store_.remove_copy(Copy::kKept, name);
    }
    clean();
  }
  // What was only prepared is in nobody's way.
  return is_undone || reached_ == Reached::kStaging;
}

std::vector<std::string> TreeChange::targets() const {
  return core::texts_of(survey_.tasks, [&](const Task& task) { return store_.target(task.path); });
}

std::vector<std::string> TreeChange::changed_now() const {
  std::vector<std::string> paths;
  for (const Task& task : survey_.tasks) {
    const auto now = store_.look(task.path);
    if (now && same_bytes(*now, task.to)) {
      paths.push_back(store_.place(task.path).path.str());
    }
  }
  return paths;
}

}  // namespace memsize::sdk
