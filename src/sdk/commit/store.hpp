// The places of a tree that is changed, and the single steps between them.
#pragma once

#include "memsize/core/file_system.hpp"
#include "memsize/sdk/transaction.hpp"

#include "journal.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::sdk {

/// Of a path, in a message.
inline constexpr std::size_t kShown = 300;

/// Where a copy of a file is kept, below memsize's own folder.
enum class Copy { kBackup, kStaged, kPrevious, kKept };

/// One of the two documents.
enum class Document { kJournal, kStaging };

/// What keep() did.
struct Kept {
  /// Below kept/.
  std::string name;
  bool is_new = false;

  /// Below the root.
  [[nodiscard]] std::string path() const;
};

class Store {
 public:
  /// Holds the lock; gives it back, and removes memsize's own folder where nothing is left in it.
  class Session {
   public:
    Session(Store& store, std::unique_ptr<core::FileLock> lock)
        : store_(&store), lock_(std::move(lock)) {}

    Session(Session&&) = default;
    Session& operator=(Session&&) = delete;
    ~Session();

   private:
    Store* store_;
    std::unique_ptr<core::FileLock> lock_;
  };

  [[nodiscard]] static core::Result<Store> open(core::FileSystem& files, const std::string& root);

  [[nodiscard]] core::FileSystem& files() const { return files_; }

  /// As the user typed it.
  [[nodiscard]] const std::string& shown_root() const { return shown_; }

  [[nodiscard]] const std::string& root() const { return root_; }

  [[nodiscard]] std::string target(const std::string& path) const { return root_ + "/" + path; }

  [[nodiscard]] std::string own(std::string_view name) const;
  [[nodiscard]] std::string copy(Copy where, const std::string& path) const;

  /// How this tree is given to a verb: "--sdk DIR", or "--linux DIR" for any other tree.
  [[nodiscard]] std::string option() const;

  /// The file as the user may type it.
  [[nodiscard]] core::Place place(const std::string& path) const;

  /// Whether there is a folder of memsize's own.
  [[nodiscard]] bool exists() const;
  /// Whether nothing in it shows that a run was interrupted or is at work; the journal not read.
  [[nodiscard]] bool looks_settled() const;

  /// Makes the folder and takes the lock, without waiting.
  [[nodiscard]] core::Result<Session> enter(std::string_view purpose);

  /// Empty where there is none.
  [[nodiscard]] core::Result<std::optional<Journal>> read(Document which) const;
  /// Whole or not at all.
  [[nodiscard]] core::Result<void> write(Document which, const Journal& journal);
  /// The staging document becomes the journal.
  [[nodiscard]] core::Result<void> commit();
  [[nodiscard]] core::Result<void> remove(Document which);

  /// What the tree's file is. An error where it is something else than a file, or behind a link.
  [[nodiscard]] core::Result<FileState> look(const std::string& path) const;
  /// Whether the copy is there and is what `state` says.
  [[nodiscard]] bool has_copy(Copy where, const std::string& path, const FileState& state) const;
  /// The copy's bytes, or those of the tree's file where the original is in place; empty where
  /// neither has them.
  [[nodiscard]] std::optional<std::string> read_original(const Journal::File& file) const;
  [[nodiscard]] core::Result<void> make_copy(Copy where,
                                             const std::string& path,
                                             std::string_view bytes,
                                             const core::Metadata& metadata);
  /// Puts the tree's file beside earlier ones in kept/, unless its bytes are there. Not synced.
  [[nodiscard]] core::Result<Kept> keep(const std::string& path);
  /// Renames the copy over the tree's file, with the mode and time that `state` says.
  [[nodiscard]] core::Result<void> put(Copy where, const std::string& path, const FileState& state);
  /// A warning where the copy is about to be renamed over the tree's file, and lacks something else
  /// than bytes that this one has.
  void tell_lost(Copy where, const std::string& path, core::Diagnostics& warnings) const;
  [[nodiscard]] core::Result<void> remove_copy(Copy where, const std::string& path);
  /// Files in there, at any depth, below it.
  [[nodiscard]] std::vector<std::string> copies(Copy where) const;

  /// Folders above the file that are not there, below the root, outermost first.
  [[nodiscard]] std::vector<std::string> missing_folders(const std::string& path) const;
  /// Makes all that is missing of a folder below the root.
  [[nodiscard]] core::Result<void> make_folders(const std::string& full);
  /// Where they are empty; innermost first.
  void remove_folders(const std::vector<std::string>& folders);
  /// Waits until the names in the folders of these files are on the disk.
  [[nodiscard]] core::Result<void> sync_folders_of(const std::vector<std::string>& paths);
  /// Of a folder below the root, or "."; empty where there is none.
  [[nodiscard]] std::optional<std::int64_t> folder_time(const std::string& path) const;
  /// Where that is possible.
  void set_folder_time(const std::string& path, std::int64_t time_ns);

  /// Of the root, before enter() made a folder in it; empty where that was there.
  [[nodiscard]] const std::optional<std::int64_t>& root_time() const { return root_time_; }

  [[nodiscard]] core::Result<void> sync_copies(Copy where);
  [[nodiscard]] core::Result<void> sync_own();

  /// Removes what only a running change needs, and folders in which nothing is left.
  [[nodiscard]] core::Result<void> clean();

 private:
  Store(core::FileSystem& files, std::string shown, std::string real)
      : files_(files), shown_(std::move(shown)), root_(std::move(real)) {}

  // The bytes of a file that is what `state` says; empty for any other one.
  [[nodiscard]] std::optional<std::string> read_as(const std::string& full,
                                                   const FileState& state) const;
  [[nodiscard]] core::Result<void> remove_tree(const std::string& folder);
  void remove_empty(const std::string& folder);
  void add_files(const std::string& folder,
                 const std::string& prefix,
                 std::vector<std::string>& found) const;
  [[nodiscard]] core::Result<void> sync_tree(const std::string& folder);
  [[nodiscard]] core::Diagnostic not_a_file(const std::string& path, core::Entry::Kind kind) const;

  core::FileSystem& files_;
  std::string shown_;
  std::string root_;
  std::optional<std::int64_t> root_time_;
};

[[nodiscard]] FileState state_of(std::string_view bytes, unsigned mode, std::int64_t mtime_ns);

/// `hint` for every error that has none.
[[nodiscard]] tl::unexpected<core::Diagnostics> failed(core::Diagnostics errors,
                                                       const std::string& hint);

inline constexpr const char* kNothingChanged = "nothing was changed";
/// For what the machine refused, and says why.
inline constexpr const char* kMendAndRepeat =
    "nothing was changed; mend this, then run the command again";

}  // namespace memsize::sdk
