// A command that runs before every build asks the same questions each time, and has nothing to do.
#pragma once

#include "memsize/core/forwarding_files.hpp"
#include "memsize/core/user_cache.hpp"

#include "interpret.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memsize::cli {

/// The disk of a command line, with everything that was asked of it and what it answered. What a
/// run printed that changed nothing is kept in the user's cache, and is what the next run of the
/// same words prints, if each question is answered as it was then. A file is the same while its
/// place, kind, size, times, owner and mode are; who changed one within the last two seconds may
/// have left all of these alike, so that such a run is not kept.
class RememberedFiles : public core::ForwardingFiles {
 public:
  /// `command`: all that a run follows from besides the disk. `program` is a part of the disk.
  RememberedFiles(core::FileSystem& disk, std::string command, const std::string& program);

  /// What an earlier run printed that would do the same.
  [[nodiscard]] std::optional<Printed> recall();
  /// For the next run, if this one changed nothing and asked for nothing that is there once only.
  void keep(const Printed& printed);

  [[nodiscard]] core::Result<std::unique_ptr<core::ByteStream>> open(
      const std::string& path) override;
  [[nodiscard]] core::Result<std::uint64_t> size(const std::string& path) override;
  [[nodiscard]] bool exists(const std::string& path) override;
  [[nodiscard]] bool is_directory(const std::string& path) override;
  [[nodiscard]] bool same_file(const std::string& a, const std::string& b) override;
  [[nodiscard]] bool is_regular_file(const std::string& path) override;
  [[nodiscard]] core::Result<std::vector<std::string>> list(const std::string& folder) override;
  [[nodiscard]] core::Result<std::vector<std::string>> list_folders(
      const std::string& folder) override;
  [[nodiscard]] core::Result<std::vector<std::string>> list_tree(
      const std::string& folder) override;
  [[nodiscard]] core::Entry entry(const std::string& path) override;
  [[nodiscard]] core::Attributes attributes(const std::string& path) override;
  [[nodiscard]] core::Result<std::vector<std::string>> list_entries(
      const std::string& folder) override;
  [[nodiscard]] core::Result<std::string> real_path(const std::string& path) override;
  [[nodiscard]] bool may_write(const std::string& path) override;
  [[nodiscard]] unsigned new_file_mode() override;
  [[nodiscard]] std::string lock_holder(const std::string& path) override;
  [[nodiscard]] core::Result<void> replace(const std::vector<core::NewFile>& files) override;
  [[nodiscard]] core::Result<void> create(const std::string& path,
                                          std::string_view content,
                                          const core::Metadata& metadata) override;
  [[nodiscard]] core::Result<void> set_metadata(const std::string& path,
                                                const core::Metadata& metadata) override;
  [[nodiscard]] core::Result<void> rename(const std::string& from, const std::string& to) override;
  [[nodiscard]] core::Result<void> remove(const std::string& path) override;
  [[nodiscard]] core::Result<void> make_folder(const std::string& path) override;
  [[nodiscard]] core::Result<void> remove_folder(const std::string& path) override;

 private:
  enum class Question : char;

  [[nodiscard]] std::string ask(Question question, const std::string& path);
  [[nodiscard]] std::string look_at(const std::string& path);
  void note(Question question, const std::string& path);
  [[nodiscard]] core::Result<std::vector<std::string>> noted(
      Question question, const std::string& folder, core::Result<std::vector<std::string>> names);

  std::string command_;
  std::int64_t began_ns_ = 0;
  std::map<std::pair<Question, std::string>, std::string> answers_;
  // When what was looked at last changed.
  std::int64_t changed_ns_ = 0;
  bool can_be_kept_ = true;
};

}  // namespace memsize::cli
