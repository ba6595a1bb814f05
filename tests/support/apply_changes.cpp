// Changes a tree by sdk::apply, for tests that kill it or let the disk fail.
//
//   apply_changes apply ROOT PLAN [ROOT PLAN]...   PLAN/before and PLAN/after hold the files before
//                                                  and after
//   apply_changes revert ROOT... [--force]
//   apply_changes recover ROOT
//   apply_changes originals ROOT                   path, a tab and the size, a line each
//
// disk_faults.cpp says how to make it fail. The exit status is that of memsize.
#include "memsize/core/file_system.hpp"
#include "memsize/sdk/transaction.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace sdk = memsize::sdk;
namespace core = memsize::core;
namespace fs = std::filesystem;

void add_files(const fs::path& folder,
               std::optional<std::string> sdk::FileChange::*which,
               std::map<std::string, sdk::FileChange>& changes) {
  for (const auto& entry : fs::recursive_directory_iterator{folder}) {
    if (entry.is_regular_file()) {
      const std::string path = fs::relative(entry.path(), folder).generic_string();
      std::ifstream file{entry.path(), std::ios::binary};
      changes[path].path = path;
      changes[path].*which = std::string{std::istreambuf_iterator<char>{file}, {}};
    }
  }
}

std::vector<sdk::FileChange> read_plan(const fs::path& plan) {
  std::map<std::string, sdk::FileChange> changes;
  add_files(plan / "before", &sdk::FileChange::before, changes);
  add_files(plan / "after", &sdk::FileChange::after, changes);
  std::vector<sdk::FileChange> list;
  for (auto& [path, change] : changes) {
    list.push_back(std::move(change));
  }
  return list;
}

// What asks a program to end waits while a tree changes, and not longer.
bool is_interruptible() {
  sigset_t held;
  sigemptyset(&held);
  return pthread_sigmask(SIG_BLOCK, nullptr, &held) == 0 && sigismember(&held, SIGINT) == 0 &&
         sigismember(&held, SIGTERM) == 0;
}

template <typename T>
int finish(const core::Result<T>& result) {
  if (!is_interruptible()) {
    std::puts("signals are still held");
    return 1;
  }
  if (result) {
    std::puts("done");
    return 0;
  }
  for (const core::Diagnostic& error : result.error()) {
    std::printf("%s: %s: %s\n",
                error.place.path.str().c_str(),
                std::string{core::code_name(error.code)}.c_str(),
                error.message.c_str());
    for (const std::string& detail : error.details) {
      std::printf("  %s\n", detail.c_str());
    }
    std::printf("  hint: %s\n", error.hint.c_str());
  }
  return static_cast<int>(core::exit_status(result.error()));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words{argv + 1, argv + argc};
  // As memsize does: too large a file is an error, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  core::RealFileSystem files;
  if (words.size() == 3 && words[0] == "apply") {
    return finish(sdk::apply(files, words[1], read_plan(words[2]), "apply_changes"));
  }
  if (words.size() > 3 && words.size() % 2 == 1 && words[0] == "apply") {
    std::vector<sdk::RootChanges> roots;
    for (std::size_t i = 1; i < words.size(); i += 2) {
      roots.push_back({words[i], read_plan(words[i + 1])});
    }
    return finish(sdk::apply(files, roots, "apply_changes"));
  }
  if (words.size() >= 2 && words[0] == "revert") {
    const bool force = words.back() == "--force";
    const std::vector<std::string> roots{words.begin() + 1, words.end() - (force ? 1 : 0)};
    return finish(sdk::revert(files, roots, {force}));
  }
  if (words.size() == 2 && words[0] == "originals") {
    const auto originals = sdk::originals(files, words[1]);
    for (const auto& [path, bytes] : originals.value_or(std::map<std::string, std::string>{})) {
      std::printf("%s\t%zu\n", path.c_str(), bytes.size());
    }
    return finish(originals);
  }
  if (words.size() == 2 && words[0] == "recover") {
    return finish(sdk::recover(files, words[1]));
  }
  std::fputs(
      "usage: apply_changes apply ROOT PLAN... | revert ROOT... [--force] | recover ROOT | "
      "originals ROOT\n",
      stderr);
  return 2;
}
