// A disk with other bytes in some files, which nobody has written.
#pragma once

#include "memsize/core/forwarding_files.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::core {

/// Reads like the disk below it, but for the files that are laid over it. To write through it is a
/// bug of the caller: it is for looking at what would be. A file that the disk does not have is
/// there for who asks by its path; no folder lists it.
class Overlay : public ForwardingFiles {
 public:
  explicit Overlay(FileSystem& disk) : ForwardingFiles(disk) {}

  /// By the path that it will be read with.
  void lay(const std::string& path, std::string content) { files_[path] = std::move(content); }

  [[nodiscard]] bool empty() const { return files_.empty(); }

  [[nodiscard]] Result<std::unique_ptr<ByteStream>> open(const std::string& path) override;
  [[nodiscard]] Result<std::uint64_t> size(const std::string& path) override;
  [[nodiscard]] bool exists(const std::string& path) override;
  [[nodiscard]] bool is_regular_file(const std::string& path) override;
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
  std::map<std::string, std::string> files_;
};

}  // namespace memsize::core
