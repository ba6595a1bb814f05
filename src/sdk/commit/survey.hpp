// What a change of an SDK tree has to do, found without changing anything.
#pragma once

#include "store.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memsize::sdk {

/// A change, and where it is below the root of the tree.
struct Wanted {
  std::string path;
  const FileChange* change = nullptr;
};

/// One file that has to change.
struct Task {
  /// Below the root, links followed.
  std::string path;
  const FileChange* change = nullptr;
  FileState from;
  FileState to;
  core::Owner owner;
  core::Attributes attributes;
};

struct Survey {
  /// By path.
  std::vector<Task> tasks;
  std::size_t unchanged = 0;
};

/// Looks at the files that a change is about; what `wanted` points to must outlive the result.
/// Errors name every file that cannot be changed.
[[nodiscard]] core::Result<Survey> survey(const Store& store, const std::vector<Wanted>& wanted);

}  // namespace memsize::sdk
