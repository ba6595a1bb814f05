// What a run keeps for the runs after it, in a folder that is the user's alone.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memsize::core {

/// One file, in $XDG_CACHE_HOME/memsize or ~/.cache/memsize (XDG Base Directory Specification). It
/// is written whole or not at all, so that any number of runs may share it; one that is damaged, or
/// that others could have written, is not used. Where there is no place for it, nothing is kept and
/// nothing is said.
class UserCache {
 public:
  /// The file's name, which is to follow from everything that what is kept follows from, or what is
  /// kept says it.
  explicit UserCache(std::string name) : name_(std::move(name)) {}

  /// What was kept; nothing: it is not there.
  [[nodiscard]] std::optional<std::vector<std::string>> take() const;
  void keep(const std::vector<std::string>& texts) const;

 private:
  std::string name_;
};

/// The text of a file; empty where it cannot be read.
[[nodiscard]] std::string content_of(const std::string& path);

/// False: it is not written, or not whole.
[[nodiscard]] bool write_file(const std::string& path, const std::string& content);

}  // namespace memsize::core
