// Object files of earlier runs: the runtime is the same for every map, and compiling it takes
// longer than running it.
#pragma once

#include <string>
#include <vector>

namespace memsize::runtime {

/// One file, in $XDG_CACHE_HOME/memsize or ~/.cache/memsize, named by what the objects are made of.
/// It is written whole or not at all, so that any number of runs may share it; one that is damaged,
/// or that others could have written, is not used. Where there is no place for it, nothing is kept
/// and nothing is said.
class ObjectCache {
 public:
  /// `made_of`: everything that the objects follow from.
  explicit ObjectCache(const std::string& made_of);

  /// Writes the objects to these paths; false: they are not there.
  [[nodiscard]] bool take(const std::vector<std::string>& paths) const;
  /// Keeps the objects at these paths for the next run.
  void keep(const std::vector<std::string>& paths) const;

 private:
  /// Empty: there is no place.
  std::string file_;
};

/// What tells one program from another under the same name: where it really lies, its size and its
/// time. Empty: it is not in PATH.
[[nodiscard]] std::string identity_of(const std::string& program);

/// The text of a file; empty where it cannot be read.
[[nodiscard]] std::string content_of(const std::string& path);

/// False: it is not written, or not whole.
[[nodiscard]] bool write_file(const std::string& path, const std::string& content);

}  // namespace memsize::runtime
