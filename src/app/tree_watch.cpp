// Notes the journals of the trees before they are read and compares them afterwards. Another run's
// lock is looked at, never taken.
#include "memsize/app/tree_watch.hpp"

#include "memsize/core/text.hpp"
#include "memsize/sdk/transaction.hpp"
#include "memsize/sdk/tree.hpp"

#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;
using Phase = sdk::Status::Phase;

core::Place place_of(const std::string& root) {
  return {root};
}

}  // namespace

TreeWatch::TreeWatch(Session& session, std::vector<std::string> roots)
    : session_(session), roots_(std::move(roots)), before_(marks()) {}

// Every change writes a journal, and every revert that ends removes it.
std::vector<std::string> TreeWatch::marks() const {
  std::vector<std::string> marks;
  for (const std::string& root : roots_) {
    const core::Entry journal =
        session_.files.entry(fmt::format("{}/{}/journal.json", root, sdk::kOwnFolder));
    marks.push_back(journal.kind == core::Entry::Kind::kFile ? fmt::format("{}", journal.mtime_ns)
                                                             : "");
  }
  return marks;
}

core::Result<void> TreeWatch::not_busy() const {
  for (const std::string& root : roots_) {
    const std::string holder =
        session_.files.lock_holder(fmt::format("{}/{}/lock", root, sdk::kOwnFolder));
    if (!holder.empty()) {
      return core::fail(
          core::error(Code::kSdkLock,
                      fmt::format("another memsize is changing this tree: {}", holder),
                      place_of(root),
                      "run the command again when it is done"));
    }
  }
  return {};
}

core::Result<void> TreeWatch::at_rest() const {
  MEMSIZE_TRY(not_busy());
  for (const std::string& root : roots_) {
    const auto status = sdk::status(session_.files, root);
    MEMSIZE_TRY(status);
    if (status->phase != Phase::kApplying && status->phase != Phase::kReverting) {
      continue;
    }
    return core::fail(core::error(
        Code::kSdkChanged,
        "a change of this tree was interrupted: it is neither what it was nor what it is to be",
        place_of(root),
        fmt::format("the next memsize emit ends the change, or take it back: memsize sdk revert "
                    "{} {}",
                    &root == &roots_.front() ? "--sdk" : "--linux",
                    core::shell_path(root))));
  }
  return {};
}

core::Result<void> TreeWatch::undisturbed() const {
  MEMSIZE_TRY(not_busy());
  const std::vector<std::string> now = marks();
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    if (now[i] != before_[i]) {
      return core::fail(core::error(Code::kSdkLock,
                                    "another memsize changed this tree while it was read",
                                    place_of(roots_[i]),
                                    "run the command again"));
    }
  }
  return {};
}

bool could_not_tell(const core::Diagnostics& errors) {
  return errors.front().code != Code::kSdkLock && errors.front().code != Code::kSdkChanged;
}

std::vector<std::string> watched_roots(Session& session, const std::string& sdk) {
  const auto root =
      sdk.empty() ? core::Result<std::string>{std::string{}} : sdk::tree_root(session.files, sdk);
  return root && !root->empty() ? std::vector<std::string>{*root} : std::vector<std::string>{};
}

}  // namespace memsize::app
