// Changes files of an SDK tree so that it is never left half changed, and puts them back.
//
// What is needed for that is in .memsize/ below the tree's root:
//
//   lock           held while somebody works; names who (a process that dies leaves nothing locked)
//   journal.json   memsize.journal/1: every file, with its hash before and after, and the state
//   backup/PATH    each file as it was before the first change
//   kept/PATH      what somebody wrote over our files, where that had to give way
//   staging.json, staged/PATH, previous/PATH   only while a change is made
//
// First everything is copied and the new files are written beside the tree: until then nothing has
// changed. Renaming staging.json over journal.json decides: from there on, whoever comes next
// finishes the change. A step that fails, other than by being killed, takes everything back.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memsize::sdk {

/// Below the root, for what is said about it.
inline constexpr const char* kOwnFolder = ".memsize";

struct FileChange {
  /// Below the root, with '/' between folders. A link is followed, and kept, if it stays in the
  /// tree.
  std::string path;
  /// The bytes that the change was made from; empty: there was no such file.
  std::optional<std::string> before;
  /// Empty: the file goes.
  std::optional<std::string> after;
};

/// What had to be done first, because an earlier run was interrupted.
enum class Recovery {
  kNothing,
  /// It had not changed a file yet: what it had prepared is removed.
  kCleared,
  /// Its change is made to the end.
  kFinished,
  /// Its change could not be finished, so it is taken back.
  kTakenBack,
  /// It was putting the originals back: they are all back now.
  kReverted,
};

/// Paths are below the root, links followed.
struct Applied {
  std::vector<std::string> changed;
  std::vector<std::string> created;
  std::vector<std::string> removed;
  /// How many had the wanted bytes already; they are not touched.
  std::size_t unchanged = 0;
  /// Copies of what somebody had written over our files since, below the root.
  std::vector<std::string> kept;
  Recovery recovery = Recovery::kNothing;
};

/// Makes all changes or none. `root` as sdk::tree_root gives it; `description` is for people, such
/// as the command line. Where every file has the wanted bytes, nothing is written at all. The
/// oldest copy of each file stays, however often this is called.
///
/// Errors: sdk.lock, sdk.journal, sdk.changed (a file has neither the bytes of before nor those of
/// after), file.write (no regular file, outside of the tree, read-only, no room, ...).
[[nodiscard]] core::Result<Applied> apply(core::FileSystem& files,
                                          const std::string& root,
                                          const std::vector<FileChange>& changes,
                                          const std::string& description);

struct RevertOptions {
  /// Also over files that somebody changed since; their bytes go to kept/.
  bool force = false;
};

struct Reverted {
  /// Empty: there was nothing to put back.
  std::vector<std::string> restored;
  /// Files that memsize had made.
  std::vector<std::string> removed;
  std::vector<std::string> kept;
  Recovery recovery = Recovery::kNothing;
};

/// The tree as it was before the first change: bytes, modes, times, absence. Errors as of apply();
/// sdk.changed where somebody changed a file since, unless that is forced.
[[nodiscard]] core::Result<Reverted> revert(core::FileSystem& files,
                                            const std::string& root,
                                            const RevertOptions& options);

/// Ends what an interrupted run began. Call it before reading a tree in order to change it: half a
/// change is no tree. apply() and revert() do it by themselves.
[[nodiscard]] core::Result<Recovery> recover(core::FileSystem& files, const std::string& root);

struct FileStatus {
  enum class Change { kChanged, kCreated, kRemoved };
  /// What the file is now: as it was, as memsize made it, or as somebody made it since.
  enum class Now { kOriginal, kApplied, kEdited };

  std::string path;
  Change change = Change::kChanged;
  Now now = Now::kApplied;
};

struct Status {
  enum class Phase {
    kClean,
    kApplied,
    /// Interrupted: before the first file was changed, while files were, while they were put back.
    kStaging,
    kApplying,
    kReverting,
  };

  Phase phase = Phase::kClean;
  /// Of the last change.
  std::string description;
  std::vector<FileStatus> files;
  /// What is in kept/, below the root.
  std::vector<std::string> kept;
  /// Who is at work; empty: nobody.
  std::string holder;
};

/// Reads only.
[[nodiscard]] core::Result<Status> status(core::FileSystem& files, const std::string& root);

}  // namespace memsize::sdk
