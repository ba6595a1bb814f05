// Putting the originals back, and what there is to put back.
#include "memsize/core/text.hpp"
#include "memsize/sdk/transaction.hpp"

#include "transaction_recover.hpp"

#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;

constexpr std::size_t kShown = 300;

core::Diagnostic edited(const Store& store, const std::string& path, bool exists) {
  return core::error(
      Code::kSdkChanged,
      exists ? "somebody changed this file after memsize did" : "somebody removed this file",
      store.place(path),
      fmt::format("nothing was changed; memsize sdk revert --sdk {} --force puts the original "
                  "back{}",
                  core::printable(store.shown_root(), kShown),
                  exists ? fmt::format(", and keeps this one in {}/kept", kOwnFolder) : ""));
}

// What somebody wrote over our files; an error where that is not to give way, or cannot.
core::Result<std::vector<std::string>> find_edited(const Store& store,
                                                   const Journal& journal,
                                                   const RevertOptions& options) {
  core::Diagnostics errors;
  std::vector<std::string> found;
  for (const Journal::File& file : journal.files) {
    const auto now = store.look(file.path);
    if (!now) {
      errors.insert(errors.end(), now.error().begin(), now.error().end());
      continue;
    }
    if (!has_original(store, file, *now)) {
      errors.push_back(no_backup(store, file.path));
    }
    if (is_known(file, *now)) {
      continue;
    }
    if (!options.force) {
      errors.push_back(edited(store, file.path, now->exists));
    } else if (now->exists) {
      found.push_back(file.path);
    }
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return found;
}

tl::unexpected<core::Diagnostics> half_back(const Store& store,
                                            const Reverted& reverted,
                                            core::Diagnostics errors) {
  for (const auto& paths : {reverted.restored, reverted.removed}) {
    for (const std::string& path : paths) {
      errors.front().details.push_back(
          fmt::format("'{}' is as it was", core::printable(path, kShown)));
    }
  }
  return failed(std::move(errors),
                fmt::format("the others are not: mend this, then memsize sdk revert --sdk {} again",
                            core::printable(store.shown_root(), kShown)));
}

core::Result<void> revert_journal(Store& store,
                                  Journal journal,
                                  const RevertOptions& options,
                                  Reverted& reverted) {
  const auto give_way = find_edited(store, journal, options);
  if (!give_way) {
    return failed(give_way.error(), kNothingChanged);
  }
  for (const std::string& path : *give_way) {
    auto kept = store.keep(path);
    if (!kept) {
      return failed(kept.error(), kNothingChanged);
    }
    reverted.kept.push_back(std::move(*kept));
  }
  if (journal.state != Journal::State::kReverting) {
    journal.state = Journal::State::kReverting;
    if (auto written = store.write(Document::kJournal, journal); !written) {
      return failed(written.error(), kNothingChanged);
    }
    if (auto synced = store.sync_own(); !synced) {
      return failed(synced.error(), "no file of the tree was changed; run the command again");
    }
  }
  if (auto done = put_back(store, journal, reverted); !done) {
    return half_back(store, reverted, done.error());
  }
  return {};
}

FileStatus status_of(const Store& store, const Journal::File& file) {
  FileStatus status;
  status.path = file.path;
  const FileState& wanted = file.pending ? file.pending->to : *file.applied;
  status.change = !file.original.exists ? FileStatus::Change::kCreated
                  : wanted.exists       ? FileStatus::Change::kChanged
                                        : FileStatus::Change::kRemoved;
  const auto now = store.look(file.path);
  status.now = !now || !is_known(file, *now)     ? FileStatus::Now::kEdited
               : same_bytes(*now, wanted)        ? FileStatus::Now::kApplied
               : same_bytes(*now, file.original) ? FileStatus::Now::kOriginal
                                                 : FileStatus::Now::kApplied;
  return status;
}

Status::Phase phase_of(const Journal& journal) {
  switch (journal.state) {
    case Journal::State::kApplying:
      return Status::Phase::kApplying;
    case Journal::State::kReverting:
      return Status::Phase::kReverting;
    case Journal::State::kApplied:
      break;
  }
  return Status::Phase::kApplied;
}

}  // namespace

core::Result<Reverted> revert(core::FileSystem& files,
                              const std::string& root,
                              const RevertOptions& options) {
  auto store = Store::open(files, root);
  if (!store) {
    return tl::make_unexpected(store.error());
  }
  Reverted reverted;
  if (!store->exists()) {
    return reverted;
  }
  const auto session = store->enter("sdk revert");
  if (!session) {
    return tl::make_unexpected(session.error());
  }
  auto journal = store->read(Document::kJournal);
  if (!journal) {
    return tl::make_unexpected(journal.error());
  }
  const bool is_open = *journal && (*journal)->state != Journal::State::kApplied;
  if (is_open) {
    // Straight back, also where the change could not be finished.
    reverted.recovery =
        (*journal)->state == Journal::State::kApplying ? Recovery::kTakenBack : Recovery::kReverted;
    if (auto cleared = clear_staging(*store); !cleared) {
      return failed(cleared.error(), kNothingChanged);
    }
  } else {
    const auto recovery = recover_locked(*store);
    if (!recovery) {
      return tl::make_unexpected(recovery.error());
    }
    reverted.recovery = *recovery;
  }
  if (*journal) {
    if (auto done = revert_journal(*store, std::move(**journal), options, reverted); !done) {
      return tl::make_unexpected(done.error());
    }
  }
  (void)store->clean();
  return reverted;
}

core::Result<Status> status(core::FileSystem& files, const std::string& root) {
  const auto store = Store::open(files, root);
  if (!store) {
    return tl::make_unexpected(store.error());
  }
  Status status;
  if (!store->exists()) {
    return status;
  }
  status.holder = files.lock_holder(store->own("lock"));
  const auto journal = store->read(Document::kJournal);
  if (!journal) {
    return tl::make_unexpected(journal.error());
  }
  const auto staging = store->read(Document::kStaging);
  if (!staging) {
    return tl::make_unexpected(staging.error());
  }
  if (*journal) {
    status.phase = phase_of(**journal);
    status.description = (*journal)->description;
    for (const Journal::File& file : (*journal)->files) {
      status.files.push_back(status_of(*store, file));
    }
  }
  if (*staging) {
    status.phase = Status::Phase::kStaging;
  }
  for (const std::string& path : store->copies(Copy::kKept)) {
    status.kept.push_back(fmt::format("{}/kept/{}", kOwnFolder, path));
  }
  return status;
}

}  // namespace memsize::sdk
