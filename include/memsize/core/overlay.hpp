// A disk with other bytes in some files, which nobody has written.
#pragma once

#include "memsize/core/file_system.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::core {

/// Reads like the disk below it, but for the files that are laid over it. To write through it is a
/// bug of the caller: it is for looking at what would be. A file that the disk does not have is
/// there for who asks by its path; no folder lists it.
class Overlay : public FileSystem {
 public:
  explicit Overlay(FileSystem& disk) : disk_(disk) {}

  /// By the path that it will be read with.
  void lay(const std::string& path, std::string content) { files_[path] = std::move(content); }

  [[nodiscard]] bool empty() const { return files_.empty(); }

  [[nodiscard]] Result<std::unique_ptr<ByteStream>> open(const std::string& path) override;
  [[nodiscard]] Result<std::uint64_t> size(const std::string& path) override;
  [[nodiscard]] bool exists(const std::string& path) override;
  [[nodiscard]] bool is_regular_file(const std::string& path) override;

  [[nodiscard]] bool is_directory(const std::string& path) override {
    return disk_.is_directory(path);
  }

  [[nodiscard]] bool same_file(const std::string& a, const std::string& b) override {
    return disk_.same_file(a, b);
  }

  [[nodiscard]] Result<std::vector<std::string>> list(const std::string& folder) override {
    return disk_.list(folder);
  }

  [[nodiscard]] Result<std::vector<std::string>> list_folders(const std::string& folder) override {
    return disk_.list_folders(folder);
  }

  [[nodiscard]] Result<std::vector<std::string>> list_tree(const std::string& folder) override {
    return disk_.list_tree(folder);
  }

  [[nodiscard]] Entry entry(const std::string& path) override { return disk_.entry(path); }

  [[nodiscard]] Attributes attributes(const std::string& path) override {
    return disk_.attributes(path);
  }

  [[nodiscard]] Result<std::vector<std::string>> list_entries(const std::string& folder) override {
    return disk_.list_entries(folder);
  }

  [[nodiscard]] Result<std::string> real_path(const std::string& path) override {
    return disk_.real_path(path);
  }

  [[nodiscard]] bool may_write(const std::string& path) override { return disk_.may_write(path); }

  [[nodiscard]] unsigned new_file_mode() override { return disk_.new_file_mode(); }

  [[nodiscard]] std::string lock_holder(const std::string& path) override {
    return disk_.lock_holder(path);
  }

  [[nodiscard]] Result<void> replace(const std::vector<NewFile>& files) override;
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

 private:
  FileSystem& disk_;
  std::map<std::string, std::string> files_;
};

}  // namespace memsize::core
