// From a journal and what is on the disk to which way all files can go. Forward needs every new
// copy, back every old one; a file that is neither stops both, and a person must say what it is.
#include "recover.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/sdk/recover_trees.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;

// The copy that has what was there before the pending change.
Copy copy_of_from(const Journal::File& file) {
  return file.applied ? Copy::kPrevious : Copy::kBackup;
}

bool can_go_forward(const Store& store, const Journal::File& file, const FileState& now) {
  const Journal::Pending& pending = *file.pending;
  if (same_bytes(now, pending.to)) {
    return has_original(store, file, now) || !file.original.exists;
  }
  return same_bytes(now, pending.from) &&
         (!pending.to.exists || store.has_copy(Copy::kStaged, file.path, pending.to)) &&
         // The file in place is about to go: its copy must be there.
         (!file.original.exists || store.has_copy(Copy::kBackup, file.path, file.original));
}

bool can_go_back(const Store& store, const Journal::File& file, const FileState& now) {
  const Journal::Pending& pending = *file.pending;
  return same_bytes(now, pending.from) ||
         (same_bytes(now, pending.to) &&
          (!pending.from.exists || store.has_copy(copy_of_from(file), file.path, pending.from)));
}

std::vector<std::string> paths_of(const Journal& journal) {
  return core::texts_of(journal.files, &Journal::File::path);
}

// One step of go_forward().
core::Result<void> make_change(Store& store, const Journal::File& file) {
  const auto now = store.look(file.path);
  MEMSIZE_TRY(now);
  if (same_bytes(*now, file.pending->to)) {
    return {};
  }
  if (!same_bytes(*now, file.pending->from)) {
    return core::fail(core::error(Code::kSdkChanged,
                                  "somebody changed this file while memsize changed the tree",
                                  store.place(file.path)));
  }
  return file.pending->to.exists ? store.put(Copy::kStaged, file.path, file.pending->to)
                                 : store.files().remove(store.target(file.path));
}

core::Result<void> take_back(Store& store, const Journal::File& file) {
  const auto now = store.look(file.path);
  MEMSIZE_TRY(now);
  if (!same_bytes(*now, file.pending->to) || same_bytes(*now, file.pending->from)) {
    return {};
  }
  return file.pending->from.exists ? store.put(copy_of_from(file), file.path, file.pending->from)
                                   : store.files().remove(store.target(file.path));
}

// The journal with its pending changes done; files that memsize made and removed again are of no
// interest any more.
Journal completed(Store& store, const Journal& journal) {
  Journal done = journal;
  done.state = Journal::State::kApplied;
  done.files.clear();
  for (Journal::File file : journal.files) {
    if (file.pending) {
      file.applied = file.pending->to;
      file.pending.reset();
    }
    if (file.original.exists || file.applied->exists) {
      done.files.push_back(std::move(file));
    } else {
      store.remove_folders(file.folders);
    }
  }
  for (Journal::FolderTime& folder : done.folder_times) {
    if (!folder.applied_ns) {
      folder.applied_ns = store.folder_time(folder.path);
    }
  }
  return done;
}

core::Diagnostic stuck(const Store& store, const std::string& path) {
  return core::error(
      Code::kSdkChanged,
      "a change of this tree was interrupted, and this file is neither what it was nor what it "
      "was to become",
      store.place(path),
      fmt::format("nothing was changed now; memsize sdk revert {} --force puts the original "
                  "back, and keeps this file in {}/kept",
                  store.option(),
                  kOwnFolder));
}

// Which way all files can go; errors where neither.
core::Result<Recovery> finish_apply(Store& store, const Journal& journal) {
  bool forward = true;
  bool back = true;
  core::Diagnostics errors;
  for (const Journal::File& file : journal.files) {
    if (!file.pending) {
      continue;
    }
    const auto now = store.look(file.path);
    MEMSIZE_TRY(now);
    const bool may_go_forward = can_go_forward(store, file, *now);
    const bool may_go_back = can_go_back(store, file, *now);
    forward = forward && may_go_forward;
    back = back && may_go_back;
    if (!may_go_forward && !may_go_back) {
      errors.push_back(is_known(file, *now) ? no_backup(store, file.path)
                                            : stuck(store, file.path));
    }
  }
  if (forward) {
    const auto done = go_forward(store, journal);
    return done ? core::Result<Recovery>{Recovery::kFinished} : tl::make_unexpected(done.error());
  }
  if (back) {
    const auto done = go_back(store, journal);
    return done ? core::Result<Recovery>{Recovery::kTakenBack} : tl::make_unexpected(done.error());
  }
  if (errors.empty()) {
    core::Place place = store.place(fmt::format("{}/journal.json", kOwnFolder));
    errors.push_back(core::error(
        Code::kSdkJournal,
        "a change of this tree was interrupted; copies are missing that would end it",
        std::move(place),
        fmt::format("nothing was changed now; memsize sdk revert {} puts the originals back",
                    store.option())));
  }
  return tl::make_unexpected(std::move(errors));
}

core::Result<Recovery> finish_revert(Store& store, const Journal& journal) {
  core::Diagnostics errors;
  for (const Journal::File& file : journal.files) {
    const auto now = store.look(file.path);
    MEMSIZE_TRY(now);
    if (!is_known(file, *now)) {
      errors.push_back(stuck(store, file.path));
    } else if (!has_original(store, file, *now)) {
      errors.push_back(no_backup(store, file.path));
    }
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  Reverted reverted;
  const auto done = put_back(store, journal, {}, reverted);
  return done ? core::Result<Recovery>{Recovery::kReverted} : tl::make_unexpected(done.error());
}

// What goes by times must see that a file has other bytes than a moment ago.
std::int64_t now_ns() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

// Whether all that the prepared change needs is there.
bool is_prepared(const Store& store, const Journal& staging) {
  return std::ranges::all_of(staging.files, [&](const Journal::File& file) {
    const auto now = store.look(file.path);
    return !file.pending || (now && can_go_forward(store, file, *now));
  });
}

// Whether all originals can be put back without a word of anybody's being lost.
bool can_be_put_back(const Store& store, const Journal& journal) {
  return std::ranges::all_of(journal.files, [&](const Journal::File& file) {
    const auto now = store.look(file.path);
    return now && is_known(file, *now) && has_original(store, file, *now);
  });
}

// What was decided in one tree is decided in those that are changed with it.
core::Result<void> agree(std::map<std::string, Store>& stores) {
  std::optional<std::string> applying;
  bool is_reverting = false;
  for (const auto& [root, store] : stores) {
    const auto journal = store.read(Document::kJournal);
    MEMSIZE_TRY(journal);
    if (*journal && (*journal)->state == Journal::State::kApplying) {
      applying = (*journal)->description;
    }
    is_reverting = is_reverting || (*journal && (*journal)->state == Journal::State::kReverting);
  }
  for (auto& [root, store] : stores) {
    auto journal = store.read(Document::kJournal);
    const auto staging = store.read(Document::kStaging);
    if (!journal || !staging) {
      return tl::make_unexpected(journal ? staging.error() : journal.error());
    }
    core::Result<void> done;
    if (applying && *staging && (*staging)->description == *applying &&
        is_prepared(store, **staging)) {
      done = store.commit();
    } else if (is_reverting && *journal && (*journal)->state == Journal::State::kApplied &&
               can_be_put_back(store, **journal)) {
      (*journal)->state = Journal::State::kReverting;
      done = store.write(Document::kJournal, **journal);
    }
    if (done) {
      done = store.exists() ? store.sync_own() : done;
    }
    if (!done) {
      return failed(done.error(), kNothingChanged);
    }
  }
  return {};
}

core::Result<void> cleaned(Store& store) {
  auto done = store.clean();
  if (!done) {
    return failed(done.error(), kNothingChanged);
  }
  return done;
}

}  // namespace

core::Diagnostic no_backup(const Store& store, const std::string& path) {
  return core::error(Code::kSdkJournal,
                     "the copy of the original is missing, or is not what it was",
                     store.place(fmt::format("{}/backup/{}", kOwnFolder, path)),
                     fmt::format("nothing was changed; put the original of '{}' there, or remove "
                                 "{} to keep the tree as it is",
                                 core::printable(path, kShown),
                                 kOwnFolder));
}

bool has_original(const Store& store, const Journal::File& file, const FileState& now) {
  return !file.original.exists || same_bytes(now, file.original) ||
         store.has_copy(Copy::kBackup, file.path, file.original);
}

bool is_known(const Journal::File& file, const FileState& now) {
  return same_bytes(now, file.original) || (file.applied && same_bytes(now, *file.applied)) ||
         (file.pending &&
          (same_bytes(now, file.pending->from) || same_bytes(now, file.pending->to)));
}

core::Result<void> make_changes(Store& store, const Journal& journal) {
  for (const Journal::File& file : journal.files) {
    if (!file.pending) {
      continue;
    }
    MEMSIZE_TRY(make_change(store, file));
  }
  return store.sync_folders_of(paths_of(journal));
}

core::Result<void> write_done(Store& store, const Journal& journal) {
  const Journal done = completed(store, journal);
  return done.files.empty() ? store.remove(Document::kJournal)
                            : store.write(Document::kJournal, done);
}

core::Result<void> go_forward(Store& store, const Journal& journal) {
  MEMSIZE_TRY(make_changes(store, journal));
  return write_done(store, journal);
}

core::Result<void> go_back(Store& store, const Journal& journal) {
  for (auto file = journal.files.rbegin(); file != journal.files.rend(); ++file) {
    if (!file->pending) {
      continue;
    }
    MEMSIZE_TRY(take_back(store, *file));
  }
  Journal before = journal;
  before.state = Journal::State::kApplied;
  before.files.clear();
  for (Journal::File file : journal.files) {
    if (file.applied) {
      file.pending.reset();
      before.files.push_back(std::move(file));
      continue;
    }
    store.remove_folders(file.folders);
    MEMSIZE_TRY(store.remove_copy(Copy::kBackup, file.path));
  }
  MEMSIZE_TRY(store.sync_folders_of(paths_of(journal)));
  return before.files.empty() ? store.remove(Document::kJournal)
                              : store.write(Document::kJournal, before);
}

core::Result<void> clear_staging(Store& store) {
  const auto staging = store.read(Document::kStaging);
  MEMSIZE_TRY(staging);
  if (!*staging) {
    return {};
  }
  const auto journal = store.read(Document::kJournal);
  MEMSIZE_TRY(journal);
  for (const Journal::File& file : (*staging)->files) {
    // A good copy of what was never changed: the original is in place.
    const bool is_older = *journal && (*journal)->find(file.path) != nullptr;
    if (!is_older) {
      MEMSIZE_TRY(store.remove_copy(Copy::kBackup, file.path));
    }
  }
  return store.remove(Document::kStaging);
}

core::Result<void> put_back(Store& store,
                            const Journal& journal,
                            const std::map<std::string, FileState>& kept,
                            Reverted& reverted) {
  for (const Journal::File& file : journal.files) {
    const auto now = store.look(file.path);
    MEMSIZE_TRY(now);
    const auto other = kept.find(file.path);
    if (now->exists && !is_known(file, *now) &&
        (other == kept.end() || !same_bytes(*now, other->second))) {
      return core::fail(core::error(Code::kSdkChanged,
                                    "somebody changed this file while memsize put the tree back",
                                    store.place(file.path)));
    }
    if (!file.original.exists) {
      if (now->exists) {
        MEMSIZE_TRY(store.files().remove(store.target(file.path)));
      }
      store.remove_folders(file.folders);
      reverted.removed.push_back(file.path);
      continue;
    }
    // No copy: it is in place already.
    if (store.has_copy(Copy::kBackup, file.path, file.original)) {
      FileState back = file.original;
      if (!same_bytes(*now, back)) {
        back.mtime_ns = now_ns();
      }
      if (now->exists) {
        store.tell_lost(Copy::kBackup, file.path, reverted.warnings);
      }
      MEMSIZE_TRY(store.put(Copy::kBackup, file.path, back));
    }
    reverted.restored.push_back(file.path);
  }
  MEMSIZE_TRY(store.sync_folders_of(paths_of(journal)));
  return store.remove(Document::kJournal);
}

core::Result<bool> is_at_rest(const Store& store) {
  if (!store.exists()) {
    return true;
  }
  if (!store.looks_settled()) {
    return false;
  }
  const auto journal = store.read(Document::kJournal);
  MEMSIZE_TRY(journal);
  return *journal ? (*journal)->state == Journal::State::kApplied
                  : store.copies(Copy::kBackup).empty();
}

core::Result<Recovery> recover_locked(Store& store) {
  const auto staging = store.read(Document::kStaging);
  MEMSIZE_TRY(staging);
  const auto journal = store.read(Document::kJournal);
  MEMSIZE_TRY(journal);
  Recovery recovery = Recovery::kNothing;
  if (*staging) {
    if (auto cleared = clear_staging(store); !cleared) {
      return failed(cleared.error(), kNothingChanged);
    }
    recovery = Recovery::kCleared;
  }
  if (!*journal) {
    if (const auto left = store.copies(Copy::kBackup); !left.empty()) {
      return core::fail(no_journal(store, left.front()));
    }
  } else if ((*journal)->state != Journal::State::kApplied) {
    auto finished = (*journal)->state == Journal::State::kApplying
                        ? finish_apply(store, **journal)
                        : finish_revert(store, **journal);
    if (!finished) {
      return failed(finished.error(),
                    "a change of this tree was interrupted; it can be ended when this is mended");
    }
    recovery = *finished;
  }
  MEMSIZE_TRY(cleaned(store));
  return recovery;
}

core::Diagnostic no_journal(const Store& store, const std::string& copy) {
  return core::error(
      Code::kSdkJournal,
      fmt::format("the journal is missing, but there is a copy of the original of '{}'",
                  core::printable(copy, kShown)),
      store.place(fmt::format("{}/backup", kOwnFolder)),
      fmt::format("nothing was changed; copy what is in {0}/backup over the tree if it is "
                  "wanted, then remove {0}/backup",
                  kOwnFolder));
}

core::Result<Recovery> recover(core::FileSystem& files, const std::string& root) {
  auto store = Store::open(files, root);
  MEMSIZE_TRY(store);
  const auto at_rest = is_at_rest(*store);
  MEMSIZE_TRY(at_rest);
  if (*at_rest) {
    return Recovery::kNothing;
  }
  const auto session = store->enter("ending an interrupted change");
  return session ? recover_locked(*store) : tl::make_unexpected(session.error());
}

core::Result<void> recover_trees(core::FileSystem& files, const std::vector<std::string>& roots) {
  // By path, as every run locks them.
  std::map<std::string, Store> stores;
  bool all_at_rest = true;
  for (const std::string& root : roots) {
    auto store = Store::open(files, root);
    MEMSIZE_TRY(store);
    const auto at_rest = is_at_rest(*store);
    MEMSIZE_TRY(at_rest);
    all_at_rest = all_at_rest && *at_rest;
    const std::string real = store->root();
    stores.emplace(real, std::move(*store));
  }
  if (all_at_rest) {
    return {};
  }
  std::vector<Store::Session> sessions;
  for (auto& [root, store] : stores) {
    // A tree in which nothing ever was is in no change.
    if (!store.exists()) {
      continue;
    }
    auto session = store.enter("ending an interrupted change");
    MEMSIZE_TRY(session);
    sessions.push_back(std::move(*session));
  }
  MEMSIZE_TRY(agree(stores));
  for (auto& [root, store] : stores) {
    if (!store.exists()) {
      continue;
    }
    MEMSIZE_TRY(recover_locked(store));
  }
  return {};
}

}  // namespace memsize::sdk
