// A disk that leaves everything to another one: what lies between the two says only what it does
// otherwise.
#pragma once

#include "memsize/core/file_system.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::core {

class ForwardingFiles : public FileSystem {
 public:
  explicit ForwardingFiles(FileSystem& disk) : disk_(disk) {}

  [[nodiscard]] Result<std::unique_ptr<ByteStream>> open(const std::string& path) override {
    return disk_.open(path);
  }

  [[nodiscard]] Result<std::uint64_t> size(const std::string& path) override {
    return disk_.size(path);
  }

  [[nodiscard]] Result<void> replace(const std::vector<NewFile>& files) override {
    return disk_.replace(files);
  }

  [[nodiscard]] bool exists(const std::string& path) override { return disk_.exists(path); }

  [[nodiscard]] bool is_directory(const std::string& path) override {
    return disk_.is_directory(path);
  }

  [[nodiscard]] bool same_file(const std::string& a, const std::string& b) override {
    return disk_.same_file(a, b);
  }

  [[nodiscard]] bool is_regular_file(const std::string& path) override {
    return disk_.is_regular_file(path);
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

  [[nodiscard]] Result<void> create(const std::string& path,
                                    std::string_view content,
                                    const Metadata& metadata) override {
    return disk_.create(path, content, metadata);
  }

  [[nodiscard]] Result<void> set_metadata(const std::string& path,
                                          const Metadata& metadata) override {
    return disk_.set_metadata(path, metadata);
  }

  [[nodiscard]] Result<void> rename(const std::string& from, const std::string& to) override {
    return disk_.rename(from, to);
  }

  [[nodiscard]] Result<void> remove(const std::string& path) override { return disk_.remove(path); }

  [[nodiscard]] Result<void> make_folder(const std::string& path) override {
    return disk_.make_folder(path);
  }

  [[nodiscard]] Result<void> remove_folder(const std::string& path) override {
    return disk_.remove_folder(path);
  }

  [[nodiscard]] Result<void> sync_folder(const std::string& path) override {
    return disk_.sync_folder(path);
  }

  [[nodiscard]] Result<LockAttempt> lock(const std::string& path,
                                         std::string_view purpose) override {
    return disk_.lock(path, purpose);
  }

  [[nodiscard]] std::string lock_holder(const std::string& path) override {
    return disk_.lock_holder(path);
  }

 private:
  FileSystem& disk_;
};

}  // namespace memsize::core
