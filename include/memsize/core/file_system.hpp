// The disk, behind an interface so that tests need none.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::core {

struct NewFile {
  std::string path;
  std::string content;
};

class FileSystem {
 public:
  FileSystem() = default;
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;
  virtual ~FileSystem() = default;

  /// The whole file. "-" is standard input.
  [[nodiscard]] virtual Result<std::string> read(const std::string& path) = 0;

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
};

/// The disk of this machine.
class RealFileSystem : public FileSystem {
 public:
  [[nodiscard]] Result<std::string> read(const std::string& path) override;
  [[nodiscard]] Result<std::uint64_t> size(const std::string& path) override;
  [[nodiscard]] Result<void> replace(const std::vector<NewFile>& files) override;
  [[nodiscard]] bool exists(const std::string& path) override;
  [[nodiscard]] bool is_directory(const std::string& path) override;
  [[nodiscard]] bool same_file(const std::string& a, const std::string& b) override;
  [[nodiscard]] bool is_regular_file(const std::string& path) override;
  [[nodiscard]] Result<std::vector<std::string>> list(const std::string& folder) override;
  [[nodiscard]] Result<std::vector<std::string>> list_folders(const std::string& folder) override;
  [[nodiscard]] Result<std::vector<std::string>> list_tree(const std::string& folder) override;
};

/// A disk in memory for tests.
class MemFileSystem : public FileSystem {
 public:
  std::map<std::string, std::string> content;
  /// Paths that refuse to be written, with the reason.
  std::map<std::string, std::string> refuse;

  [[nodiscard]] Result<std::string> read(const std::string& path) override;
  [[nodiscard]] Result<std::uint64_t> size(const std::string& path) override;
  [[nodiscard]] Result<void> replace(const std::vector<NewFile>& files) override;
  [[nodiscard]] bool exists(const std::string& path) override;
  [[nodiscard]] bool is_directory(const std::string& path) override;
  [[nodiscard]] bool same_file(const std::string& a, const std::string& b) override;
  [[nodiscard]] bool is_regular_file(const std::string& path) override;
  [[nodiscard]] Result<std::vector<std::string>> list(const std::string& folder) override;
  [[nodiscard]] Result<std::vector<std::string>> list_folders(const std::string& folder) override;
  [[nodiscard]] Result<std::vector<std::string>> list_tree(const std::string& folder) override;
};

/// `content` itself, or what it unpacks to where it is gzip. Output above 1 GiB is refused.
[[nodiscard]] Result<std::string> gunzip_if_needed(std::string content, const std::string& path);

}  // namespace memsize::core
