// Changes files of an SDK tree so that it is never left half changed, and puts them back.
//
// What is needed for that is in .memsize/ below the tree's root:
//
//   lock           held while somebody works; names who (a process that dies leaves nothing locked)
//   journal.json   memsize.journal/1: every file, with its hash before and after, and the state
//   backup/PATH    each file as it was before the first change
//   kept/PATH      what somebody wrote over our files, where that had to give way
//   .gitignore     which ignores all of it
//   staging.json, staged/PATH, previous/PATH   only while a change is made
//
// First everything is copied and the new files are written beside the tree: until then nothing has
// changed. Renaming staging.json over journal.json decides: from there on, whoever comes next
// finishes the change. A step that fails, other than by being killed, takes everything back.
//
// A file is replaced by a new one of the same name, mode, owner, access list and extended
// attributes, as far as this process may give them; what is not kept is told. Other hard links of
// the old one keep its bytes, as a copy of the tree that shares its files must, and are told
// before. A file that somebody else writes while the tree changes is left alone, and stops the
// change. (The time from the last look to the rename stays.)
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"

#include <cstddef>
#include <map>
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
  /// Whose journal has the change, as it was given.
  std::string root;
  std::vector<std::string> changed;
  std::vector<std::string> created;
  std::vector<std::string> removed;
  /// How many had the wanted bytes already; they are not touched.
  std::size_t unchanged = 0;
  /// Copies of what somebody had written over our files since, below the root.
  std::vector<std::string> kept;
  Recovery recovery = Recovery::kNothing;
  /// What of a file could not be kept.
  core::Diagnostics warnings;
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

/// What changes in one tree.
struct RootChanges {
  std::string root;
  std::vector<FileChange> changes;
};

/// As above, in several trees: every tree is locked, looked at and prepared before a file of any is
/// changed, and where one fails, all of them are what they were before the call. One element for
/// each of `roots`, in their order; a tree without a change is not touched.
///
/// Each tree has a journal of its own, and no journal knows of another: where the process is killed
/// while the trees change, which are milliseconds, each tree by itself is whole after its
/// recover(), but one may have the change, and another not. The same call then changes the other.
///
/// The same root twice, or one inside of another one, is one tree with one journal, in the outer
/// one, unless the inner one has a journal already. The element of a root that is inside is empty,
/// but for `root`, which names the outer one.
[[nodiscard]] core::Result<std::vector<Applied>> apply(core::FileSystem& files,
                                                       const std::vector<RootChanges>& roots,
                                                       const std::string& description);

/// A warning for each tree in which files that change have other names: those keep the bytes of
/// before.
[[nodiscard]] core::Diagnostics other_names(core::FileSystem& files,
                                            const std::vector<RootChanges>& roots);

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
  /// What of a file could not be kept.
  core::Diagnostics warnings;
};

/// The tree as it was before the first change: bytes, modes, absence; times of folders too, where
/// nobody else changed a name in them. A file that gets other bytes gets a new time, so that what
/// goes by times makes again what was made of it. Errors as of apply(); sdk.changed where somebody
/// changed a file since, unless that is forced.
[[nodiscard]] core::Result<Reverted> revert(core::FileSystem& files,
                                            const std::string& root,
                                            const RevertOptions& options);

/// The same for several trees: nothing is put back in any of them where that is refused in one. One
/// element for each root, in their order; empty where there is nothing to put back.
[[nodiscard]] core::Result<std::vector<Reverted>> revert(core::FileSystem& files,
                                                         const std::vector<std::string>& roots,
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
  /// The copy of the original is missing or damaged, so that revert() refuses.
  bool is_lost = false;
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

/// The bytes before the first change, by path below the root, of every file that the journal has
/// and that was there then. Empty without a journal. Reads only; call recover() before. Error
/// sdk.journal also where a copy is missing or damaged.
[[nodiscard]] core::Result<std::map<std::string, std::string>> originals(core::FileSystem& files,
                                                                         const std::string& root);

}  // namespace memsize::sdk
