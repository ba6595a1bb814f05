// Any bytes as the journal of a tree: an error, or a journal that leads nowhere out of the tree and
// reads back as it is printed. Then as the journal of a real tree in memory: whatever it says,
// revert touches nothing outside.
#include "memsize/core/file_system.hpp"
#include "memsize/sdk/transaction.hpp"

#include "check.hpp"
#include "commit/journal.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using memsize::fuzz::require;

namespace {

void revert_by(std::string_view text, bool force) {
  memsize::core::MemFileSystem files;
  files.content["/sdk/platform/a.h"] = "new";
  files.content["/sdk/.memsize/journal.json"] = text;
  files.content["/sdk/.memsize/backup/platform/a.h"] = "old";
  files.content["/outside"] = "outside";
  files.content["/sdk/platform/b.h"] = "b";
  const auto reverted = memsize::sdk::revert(files, "/sdk", {force});
  require(files.content.at("/outside") == "outside", "nothing outside of the tree is touched");
  if (!reverted) {
    require(memsize::core::has_errors(reverted.error()), "a failure has errors");
  }
  for (const auto& [path, bytes] : files.content) {
    require(path == "/outside" || path.starts_with("/sdk/"), "nothing is made outside of the tree");
  }
}

}  // namespace

MEMSIZE_FUZZ_TARGET(sdk_journal) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto journal = memsize::sdk::parse_journal(text, "j.json");
  if (!journal) {
    require(memsize::core::has_errors(journal.error()), "a failure has errors");
    return 0;
  }
  for (const auto& file : journal->files) {
    require(memsize::sdk::why_unsafe(file.path).empty(), "every path is safe");
    require(file.applied || file.pending, "every file has a change");
  }
  const std::string printed = memsize::sdk::print_journal(*journal);
  const auto again = memsize::sdk::parse_journal(printed, "j.json");
  require(again && memsize::sdk::print_journal(*again) == printed, "it reads back as printed");
  revert_by(text, false);
  revert_by(text, true);
  return 0;
}
