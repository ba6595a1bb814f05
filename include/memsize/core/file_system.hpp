// The disk, behind an interface so that tests need none.
#pragma once

#include "memsize/core/byte_stream.hpp"
#include "memsize/core/diagnostic.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::core {

struct NewFile {
  std::string path;
  std::string content;
};

struct Owner {
  std::uint32_t user = 0;
  std::uint32_t group = 0;

  friend bool operator==(const Owner&, const Owner&) = default;
};

/// What a file is read as: how much such a file may hold, and what it is called where one holds
/// more. What never ends, such as a device, ends there.
struct FileKind {
  std::uint64_t most = 0;
  const char* called = nullptr;
};

inline constexpr FileKind kAnyFile = {std::uint64_t{1} << 26, "a file that is read whole"};
/// Of an SDK or a kernel: none is a tenth of this, the largest is a sysconfig file of some 200 KiB.
inline constexpr FileKind kMapFile = {std::uint64_t{1} << 22, "a file of a memory map"};
/// What people write: boards, projects, rules.
inline constexpr FileKind kWrittenFile = {std::uint64_t{1} << 22, "a file of settings"};

/// Extended attributes of a file, access lists among them, by their names.
using Attributes = std::map<std::string, std::string>;

/// What stands at a path; a link is one itself. What cannot be looked at is kOther.
struct Entry {
  enum class Kind { kNothing, kFile, kFolder, kLink, kOther };

  Kind kind = Kind::kNothing;
  /// The twelve permission bits.
  unsigned mode = 0;
  std::int64_t mtime_ns = 0;
  Owner owner;
  /// The same number: on one file system, so that rename() works between them.
  std::uint64_t device = 0;
  std::uint64_t names = 1;  // of the file: hard links
};

/// What a new file is to have besides its bytes.
struct Metadata {
  unsigned mode = 0;
  std::optional<std::int64_t> mtime_ns;  // empty: now
  /// Empty, or where this process may not give files away: the process' own.
  std::optional<Owner> owner;
  /// These alone, as far as they may be; empty: what a new file gets there, or what the file has.
  std::optional<Attributes> attributes;
};

/// Held until it is destroyed, which also removes the lock's file. While it is held, the signals
/// that end a program wait. One that dies leaves the file, but nothing locked.
class FileLock {
 public:
  FileLock() = default;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  virtual ~FileLock() = default;
};

struct LockAttempt {
  /// Null where somebody else has it: who that is, in words of the lock's file.
  std::unique_ptr<FileLock> lock;
  std::string holder;
};

class FileSystem {
 public:
  FileSystem() = default;
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;
  virtual ~FileSystem() = default;

  /// The whole file, unless it is larger than any of its kind. "-" is standard input.
  [[nodiscard]] Result<std::string> read(const std::string& path, const FileKind& kind = kAnyFile);

  /// The same bytes, one after the other: a file, a pipe or a device of any size.
  [[nodiscard]] virtual Result<std::unique_ptr<ByteStream>> open(const std::string& path) = 0;

  /// Bytes of a regular file, without reading it; links are followed.
  [[nodiscard]] virtual Result<std::uint64_t> size(const std::string& path) = 0;

  /// All or nothing, and never over anything but a regular file: every file is written beside its
  /// target, then all are renamed over their targets. Missing folders are made. The disk is not
  /// synced: what is written can be made again.
  [[nodiscard]] virtual Result<void> replace(const std::vector<NewFile>& files) = 0;

  [[nodiscard]] virtual bool exists(const std::string& path) = 0;
  [[nodiscard]] virtual bool is_directory(const std::string& path) = 0;
  /// Whether two paths lead to one file.
  [[nodiscard]] virtual bool same_file(const std::string& a, const std::string& b) = 0;
  /// Not a folder, device or pipe; links are followed.
  [[nodiscard]] virtual bool is_regular_file(const std::string& path) = 0;

  /// Names (not paths) of the regular files in a folder, sorted; links to files count.
  [[nodiscard]] virtual Result<std::vector<std::string>> list(const std::string& folder) = 0;

  /// Names of the folders in a folder, sorted; links to folders count.
  [[nodiscard]] virtual Result<std::vector<std::string>> list_folders(
      const std::string& folder) = 0;

  /// Paths below a folder of its regular files and those of its direct subfolders, sorted; links
  /// count, under their own names, and are followed no deeper.
  [[nodiscard]] virtual Result<std::vector<std::string>> list_tree(const std::string& folder) = 0;

  // Single steps, for a change that must survive being killed between any two of them. None follows
  // a link at the end of its path. A failure is file.write without a hint, which the caller knows.

  [[nodiscard]] virtual Entry entry(const std::string& path) = 0;
  /// Of a file. Those of the security modules, which the system gives by itself, are left out.
  [[nodiscard]] virtual Attributes attributes(const std::string& path) = 0;
  /// Names of everything in a folder, sorted, links and folders too.
  [[nodiscard]] virtual Result<std::vector<std::string>> list_entries(
      const std::string& folder) = 0;
  /// Absolute (for a disk in memory: normal) and without links; what it names must exist.
  [[nodiscard]] virtual Result<std::string> real_path(const std::string& path) = 0;
  /// Whether this process may write to the file or into the folder.
  [[nodiscard]] virtual bool may_write(const std::string& path) = 0;
  /// The mode that a program gives to a file without saying so.
  [[nodiscard]] virtual unsigned new_file_mode() = 0;

  /// Writes a file that must not exist, and waits until its bytes are on the disk.
  [[nodiscard]] virtual Result<void> create(const std::string& path,
                                            std::string_view content,
                                            const Metadata& metadata) = 0;
  [[nodiscard]] virtual Result<void> set_metadata(const std::string& path,
                                                  const Metadata& metadata) = 0;
  /// Over a file that is there.
  [[nodiscard]] virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
  /// A file or a link.
  [[nodiscard]] virtual Result<void> remove(const std::string& path) = 0;
  [[nodiscard]] virtual Result<void> make_folder(const std::string& path) = 0;
  /// An empty one.
  [[nodiscard]] virtual Result<void> remove_folder(const std::string& path) = 0;
  /// Waits until the folder's names are on the disk.
  [[nodiscard]] virtual Result<void> sync_folder(const std::string& path) = 0;

  /// Takes the lock without waiting; the folder must exist. Its file says who has it, since when,
  /// and for what.
  [[nodiscard]] virtual Result<LockAttempt> lock(const std::string& path,
                                                 std::string_view purpose) = 0;
  /// Who has the lock; empty where nobody has.
  [[nodiscard]] virtual std::string lock_holder(const std::string& path) = 0;
};

/// The disk of this machine.
class RealFileSystem : public FileSystem {
 public:
  [[nodiscard]] Result<std::unique_ptr<ByteStream>> open(const std::string& path) override;
  [[nodiscard]] Result<std::uint64_t> size(const std::string& path) override;
  [[nodiscard]] Result<void> replace(const std::vector<NewFile>& files) override;
  [[nodiscard]] bool exists(const std::string& path) override;
  [[nodiscard]] bool is_directory(const std::string& path) override;
  [[nodiscard]] bool same_file(const std::string& a, const std::string& b) override;
  [[nodiscard]] bool is_regular_file(const std::string& path) override;
  [[nodiscard]] Result<std::vector<std::string>> list(const std::string& folder) override;
  [[nodiscard]] Result<std::vector<std::string>> list_folders(const std::string& folder) override;
  [[nodiscard]] Result<std::vector<std::string>> list_tree(const std::string& folder) override;
  [[nodiscard]] Entry entry(const std::string& path) override;
  [[nodiscard]] Attributes attributes(const std::string& path) override;
  [[nodiscard]] Result<std::vector<std::string>> list_entries(const std::string& folder) override;
  [[nodiscard]] Result<std::string> real_path(const std::string& path) override;
  [[nodiscard]] bool may_write(const std::string& path) override;
  [[nodiscard]] unsigned new_file_mode() override;
  [[nodiscard]] Result<void> create(const std::string& path,
                                    std::string_view content,
                                    const Metadata& metadata) override;
  [[nodiscard]] Result<void> set_metadata(const std::string& path,
                                          const Metadata& metadata) override;
  [[nodiscard]] Result<void> rename(const std::string& from, const std::string& to) override;
  [[nodiscard]] Result<void> remove(const std::string& path) override;
  [[nodiscard]] Result<void> make_folder(const std::string& path) override;
  [[nodiscard]] Result<void> remove_folder(const std::string& path) override;
  [[nodiscard]] Result<void> sync_folder(const std::string& path) override;
  [[nodiscard]] Result<LockAttempt> lock(const std::string& path,
                                         std::string_view purpose) override;
  [[nodiscard]] std::string lock_holder(const std::string& path) override;
};

/// A disk in memory for tests.
class MemFileSystem : public FileSystem {
 public:
  std::map<std::string, std::string> content;
  /// Paths that refuse to be written, with the reason.
  std::map<std::string, std::string> refuse;
  /// Of files; 0644 where nothing is said. Without a bit for writing a file refuses that.
  std::map<std::string, unsigned> modes;
  std::map<std::string, std::int64_t> mtimes;
  std::map<std::string, Attributes> attributes_of;
  /// Where a link leads; only real_path() and entry() know links.
  std::map<std::string, std::string> links;
  /// Folders that hold nothing.
  std::set<std::string> folders;
  /// Folders on another file system, with its number.
  std::map<std::string, std::uint64_t> devices;
  std::map<std::string, std::string> locks;  // and who holds them
  /// What single steps have changed so far.
  std::uint64_t steps = 0;

  [[nodiscard]] Result<std::unique_ptr<ByteStream>> open(const std::string& path) override;
  [[nodiscard]] Result<std::uint64_t> size(const std::string& path) override;
  [[nodiscard]] Result<void> replace(const std::vector<NewFile>& files) override;
  [[nodiscard]] bool exists(const std::string& path) override;
  [[nodiscard]] bool is_directory(const std::string& path) override;
  [[nodiscard]] bool same_file(const std::string& a, const std::string& b) override;
  [[nodiscard]] bool is_regular_file(const std::string& path) override;
  [[nodiscard]] Result<std::vector<std::string>> list(const std::string& folder) override;
  [[nodiscard]] Result<std::vector<std::string>> list_folders(const std::string& folder) override;
  [[nodiscard]] Result<std::vector<std::string>> list_tree(const std::string& folder) override;
  [[nodiscard]] Entry entry(const std::string& path) override;
  [[nodiscard]] Attributes attributes(const std::string& path) override;
  [[nodiscard]] Result<std::vector<std::string>> list_entries(const std::string& folder) override;
  [[nodiscard]] Result<std::string> real_path(const std::string& path) override;
  [[nodiscard]] bool may_write(const std::string& path) override;
  [[nodiscard]] unsigned new_file_mode() override;
  [[nodiscard]] Result<void> create(const std::string& path,
                                    std::string_view content,
                                    const Metadata& metadata) override;
  [[nodiscard]] Result<void> set_metadata(const std::string& path,
                                          const Metadata& metadata) override;
  [[nodiscard]] Result<void> rename(const std::string& from, const std::string& to) override;
  [[nodiscard]] Result<void> remove(const std::string& path) override;
  [[nodiscard]] Result<void> make_folder(const std::string& path) override;
  [[nodiscard]] Result<void> remove_folder(const std::string& path) override;
  [[nodiscard]] Result<void> sync_folder(const std::string& path) override;
  [[nodiscard]] Result<LockAttempt> lock(const std::string& path,
                                         std::string_view purpose) override;
  [[nodiscard]] std::string lock_holder(const std::string& path) override;
};

}  // namespace memsize::core
