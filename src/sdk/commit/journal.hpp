// The document in which a change of an SDK tree says what it does: memsize.journal/1.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/core/names.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::sdk {

/// A file at one moment.
struct FileState {
  bool exists = false;
  std::string sha256;
  std::uint64_t size = 0;
  unsigned mode = 0;
  /// Of states that a file may be put back to.
  std::optional<std::int64_t> mtime_ns;
};

/// Bytes or absence; a mode or a time alone is no change.
[[nodiscard]] bool same_bytes(const FileState& a, const FileState& b);

struct Journal {
  enum class State {
    kApplying,
    kApplied,
    kReverting,
  };

  struct Pending {
    FileState from;
    FileState to;
  };

  struct File {
    /// Below the root: safe, and without links.
    std::string path;
    /// Before the first change.
    FileState original;
    /// After the last change that was finished.
    std::optional<FileState> applied;
    /// The change that is not finished.
    std::optional<Pending> pending;
    /// Folders that were made for it, below the root, outermost first.
    std::vector<std::string> folders;
  };

  /// A folder in which names changed.
  struct FolderTime {
    /// Below the root; "." is the root itself.
    std::string path;
    /// Before the first change.
    std::int64_t original_ns = 0;
    /// After the last one that was finished: while it is this, nobody else changed a name in it.
    std::optional<std::int64_t> applied_ns;
  };

  State state = State::kApplied;
  std::string description;
  /// By path.
  std::vector<File> files;
  /// In any order, each once.
  std::vector<FolderTime> folder_times;

  [[nodiscard]] const File* find(std::string_view path) const;
  /// Adds it where it is not there.
  [[nodiscard]] File& file(const std::string& path);
};

constexpr auto names_of(Journal::State /*all*/) {
  return std::to_array<std::string_view>({"applying", "applied", "reverting"});
}

/// Why a path may not be used below a root; empty where it may: relative, printable, no "..",
/// nothing of memsize's own folder.
[[nodiscard]] std::string why_unsafe(std::string_view path);

[[nodiscard]] std::string print_journal(const Journal& journal);

/// Errors are sdk.journal, with `path` as their place.
[[nodiscard]] core::Result<Journal> parse_journal(std::string_view text, const std::string& path);

}  // namespace memsize::sdk
