// A file of a tree that changes, and what becomes of what somebody changed in it.
#pragma once

#include <string>

namespace memsize::sdk {

struct FileEdit {
  /// Below the platform's folder.
  std::string path;
  std::string before;
  std::string after;
};

/// What becomes of a file that was edited by hand.
enum class HandEdits {
  /// What differs from the script stays as it is; the rest follows the script.
  kKeep,
  /// It gets the script's values all the same: each entry those of its section; entries that only
  /// the file has go, and those that it lacks are written. Macros that are no section's stay.
  kForce,
};

}  // namespace memsize::sdk
