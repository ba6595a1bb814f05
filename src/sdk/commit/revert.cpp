// Putting the originals back, and what there is to put back.
#include "memsize/core/text.hpp"
#include "memsize/sdk/transaction.hpp"

#include "recover.hpp"

#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;

core::Diagnostic edited(const Store& store, const std::string& path, bool exists) {
  return core::error(
      Code::kSdkChanged,
      exists ? "somebody changed this file after memsize did" : "somebody removed this file",
      store.place(path),
      fmt::format("nothing was changed; memsize sdk revert {} --force puts the original back{}",
                  store.option(),
                  exists ? fmt::format(", and keeps this one in {}/kept", kOwnFolder) : ""));
}

// One tree that is put back, step by step, so that several trees can take each step together.
class TreeRevert {
 public:
  TreeRevert(Store store, const RevertOptions& options)
      : store_(std::move(store)), options_(options) {}

  TreeRevert(const TreeRevert&) = delete;
  TreeRevert& operator=(const TreeRevert&) = delete;

  [[nodiscard]] const Store& store() const { return store_; }

  [[nodiscard]] const Reverted& reverted() const { return reverted_; }

  core::Result<void> lock() {
    if (!store_.exists()) {
      return {};
    }
    auto session = store_.enter("sdk revert");
    MEMSIZE_TRY(session);
    session_.emplace(std::move(*session));
    return {};
  }

  core::Result<void> read() {
    if (!session_) {
      return {};
    }
    auto journal = store_.read(Document::kJournal);
    MEMSIZE_TRY(journal);
    journal_ = std::move(*journal);
    if (journal_ && journal_->state != Journal::State::kApplied) {
      // Straight back, also where the change could not be finished.
      reverted_.recovery =
          journal_->state == Journal::State::kApplying ? Recovery::kTakenBack : Recovery::kReverted;
      auto cleared = clear_staging(store_);
      return cleared ? core::Result<void>{} : failed(cleared.error(), kNothingChanged);
    }
    const auto recovery = recover_locked(store_);
    MEMSIZE_TRY(recovery);
    reverted_.recovery = *recovery;
    return {};
  }

  // What somebody wrote over our files; an error where that is not to give way, or cannot.
  core::Result<void> check() {
    if (!journal_) {
      return {};
    }
    core::Diagnostics errors;
    for (const Journal::File& file : journal_->files) {
      const auto now = store_.look(file.path);
      if (!now) {
        errors.insert(errors.end(), now.error().begin(), now.error().end());
        continue;
      }
      if (!has_original(store_, file, *now)) {
        errors.push_back(no_backup(store_, file.path));
      }
      if (is_known(file, *now)) {
        continue;
      }
      if (!options_.force) {
        errors.push_back(edited(store_, file.path, now->exists));
      } else if (now->exists) {
        edited_.emplace(file.path, *now);
      }
    }
    return errors.empty() ? core::Result<void>{} : failed(std::move(errors), kNothingChanged);
  }

  // Up to the first file of the tree.
  core::Result<void> begin() {
    if (!journal_) {
      return {};
    }
    for (const auto& [path, state] : edited_) {
      auto kept = store_.keep(path);
      if (!kept) {
        return failed(kept.error(), kMendAndRepeat);
      }
      reverted_.kept.push_back(kept->path());
    }
    if (auto synced = store_.sync_copies(Copy::kKept); !synced) {
      return failed(synced.error(), kMendAndRepeat);
    }
    if (journal_->state == Journal::State::kReverting) {
      return {};
    }
    // Those that nobody else changed a name in.
    for (const Journal::FolderTime& folder : journal_->folder_times) {
      if (!folder.applied_ns || store_.folder_time(folder.path) == folder.applied_ns) {
        times_.push_back(folder);
      }
    }
    Journal reverting = *journal_;
    reverting.state = Journal::State::kReverting;
    if (auto written = store_.write(Document::kJournal, reverting); !written) {
      return failed(written.error(), kMendAndRepeat);
    }
    has_begun_ = true;
    if (auto synced = store_.sync_own(); !synced) {
      return failed(synced.error(), kMendAndRepeat);
    }
    return {};
  }

  // As before begin(). Where that fails, the next run puts the tree back.
  void undo_begin() {
    if (has_begun_) {
      (void)(store_.write(Document::kJournal, *journal_) && store_.sync_own());
    }
  }

  core::Result<void> make() {
    if (journal_) {
      MEMSIZE_TRY(put_back(store_, *journal_, edited_, reverted_));
    }
    if (session_) {
      (void)store_.clean();
      // Removes memsize's own folder, the last name that changes.
      session_.reset();
    }
    for (const Journal::FolderTime& folder : times_) {
      store_.set_folder_time(folder.path, folder.original_ns);
    }
    return {};
  }

 private:
  Store store_;
  RevertOptions options_;
  // Behind store_: it goes first.
  std::optional<Store::Session> session_;
  std::optional<Journal> journal_;
  std::map<std::string, FileState> edited_;
  std::vector<Journal::FolderTime> times_;
  Reverted reverted_;
  bool has_begun_ = false;
};

using RevertedTrees = std::vector<std::unique_ptr<TreeRevert>>;

// What is back already, and how to go on.
tl::unexpected<core::Diagnostics> half_back(const RevertedTrees& trees, core::Diagnostics errors) {
  std::string options;
  for (const auto& tree : trees) {
    options += " " + tree->store().option();
    for (const auto& paths : {tree->reverted().restored, tree->reverted().removed}) {
      for (const std::string& path : paths) {
        errors.front().details.push_back(fmt::format(
            "'{}' is as it was", core::printable(tree->store().place(path).path.str(), kShown)));
      }
    }
  }
  return failed(
      std::move(errors),
      fmt::format("the others are not: mend this, then memsize sdk revert{} again", options));
}

core::Result<void> revert_all(const RevertedTrees& trees) {
  for (const auto step : {&TreeRevert::lock, &TreeRevert::read}) {
    for (const auto& tree : trees) {
      MEMSIZE_TRY(((*tree).*step)());
    }
  }
  core::Diagnostics errors;
  for (const auto& tree : trees) {
    if (auto checked = tree->check(); !checked) {
      errors.insert(errors.end(), checked.error().begin(), checked.error().end());
    }
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  for (const auto& tree : trees) {
    if (auto begun = tree->begin(); !begun) {
      for (const auto& other : trees) {
        other->undo_begin();
      }
      return begun;
    }
  }
  for (const auto& tree : trees) {
    if (auto done = tree->make(); !done) {
      return half_back(trees, done.error());
    }
  }
  return {};
}

FileStatus status_of(const Store& store, const Journal::File& file) {
  FileStatus status{.path = file.path};
  const FileState& wanted = file.pending ? file.pending->to : *file.applied;
  status.change = !file.original.exists ? FileStatus::Change::kCreated
                  : wanted.exists       ? FileStatus::Change::kChanged
                                        : FileStatus::Change::kRemoved;
  const auto now = store.look(file.path);
  status.now = !now || !is_known(file, *now)     ? FileStatus::Now::kEdited
               : same_bytes(*now, file.original) ? FileStatus::Now::kOriginal
                                                 : FileStatus::Now::kApplied;
  status.is_lost = !has_original(store, file, now.value_or(FileState{}));
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

core::Result<std::vector<Reverted>> revert(core::FileSystem& files,
                                           const std::vector<std::string>& roots,
                                           const RevertOptions& options) {
  // By folder: each is put back once, and locked in the same order by every run.
  std::map<std::string, std::unique_ptr<TreeRevert>> by_root;
  std::vector<const TreeRevert*> tree_of;
  for (const std::string& root : roots) {
    auto store = Store::open(files, root);
    MEMSIZE_TRY(store);
    auto& tree = by_root[store->root()];
    const bool is_new = tree == nullptr;
    if (is_new) {
      tree = std::make_unique<TreeRevert>(std::move(*store), options);
    }
    tree_of.push_back(is_new ? tree.get() : nullptr);
  }
  RevertedTrees trees;
  for (auto& [root, tree] : by_root) {
    trees.push_back(std::move(tree));
  }
  MEMSIZE_TRY(revert_all(trees));
  std::vector<Reverted> reverted;
  reverted.reserve(tree_of.size());
  for (const TreeRevert* tree : tree_of) {
    reverted.push_back(tree == nullptr ? Reverted{} : tree->reverted());
  }
  return reverted;
}

core::Result<Reverted> revert(core::FileSystem& files,
                              const std::string& root,
                              const RevertOptions& options) {
  auto reverted = revert(files, std::vector<std::string>{root}, options);
  MEMSIZE_TRY(reverted);
  return std::move(reverted->front());
}

core::Result<Status> status(core::FileSystem& files, const std::string& root) {
  const auto store = Store::open(files, root);
  MEMSIZE_TRY(store);
  Status status;
  if (!store->exists()) {
    return status;
  }
  status.holder = files.lock_holder(store->own("lock"));
  const auto journal = store->read(Document::kJournal);
  MEMSIZE_TRY(journal);
  const auto staging = store->read(Document::kStaging);
  MEMSIZE_TRY(staging);
  const std::vector<std::string> copies = store->copies(Copy::kBackup);
  if (!*journal && !*staging && !copies.empty() && status.holder.empty()) {
    return core::fail(no_journal(*store, copies.front()));
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

core::Result<std::map<std::string, std::string>> originals(core::FileSystem& files,
                                                           const std::string& root) {
  const auto store = Store::open(files, root);
  MEMSIZE_TRY(store);
  const auto journal = store->read(Document::kJournal);
  MEMSIZE_TRY(journal);
  std::map<std::string, std::string> found;
  core::Diagnostics errors;
  for (const Journal::File& file : *journal ? (*journal)->files : std::vector<Journal::File>{}) {
    if (!file.original.exists) {
      continue;
    }
    if (auto bytes = store->read_original(file)) {
      found.emplace(file.path, std::move(*bytes));
    } else {
      errors.push_back(no_backup(*store, file.path));
    }
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return found;
}

}  // namespace memsize::sdk
