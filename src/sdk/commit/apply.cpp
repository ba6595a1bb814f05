// A change of one or several trees: each step in all of them, before the next one in any.
#include "memsize/core/text.hpp"
#include "memsize/sdk/transaction.hpp"

#include "change.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;

using Trees = std::vector<std::unique_ptr<TreeChange>>;

// One of the roots, as it was given.
struct Part {
  std::string root;
  const std::vector<FileChange>* changes = nullptr;
};

// The trees that the roots are, and which of them each root is in.
struct Grouped {
  // By path: two runs that lock them cannot wait for each other.
  Trees trees;
  // By the order of the roots.
  std::vector<const TreeChange*> tree_of;
  // Whether its journal is that of the tree, and it is the first such root.
  std::vector<bool> is_main;
};

core::Result<std::vector<Store>> open_all(core::FileSystem& files, const std::vector<Part>& parts) {
  std::vector<Store> stores;
  core::Diagnostics errors;
  for (const Part& part : parts) {
    if (auto store = Store::open(files, part.root)) {
      stores.push_back(std::move(*store));
    } else {
      errors.insert(errors.end(), store.error().begin(), store.error().end());
    }
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return stores;
}

// The path of `inner` below `outer` with a '/' behind it; empty: the same folder.
std::optional<std::string> path_inside(const std::string& outer, const std::string& inner) {
  if (inner == outer) {
    return std::string{};
  }
  const std::string front = outer + "/";
  return inner.starts_with(front) ? std::optional{inner.substr(front.size()) + "/"} : std::nullopt;
}

Grouped group(const std::vector<Store>& stores, const std::vector<Part>& parts) {
  // What is to become one tree.
  struct Group {
    Store store;
    std::vector<Wanted> wanted;
    std::vector<std::size_t> members;
  };

  std::vector<std::size_t> order(stores.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  // An outer folder sorts before what is in it; of the same ones, the first that was given.
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return stores[a].root() < stores[b].root(); });
  std::vector<Group> groups;
  for (const std::size_t i : order) {
    const Store& store = stores[i];
    const auto found = std::ranges::find_if(groups, [&](const Group& group) {
      const auto inside = path_inside(group.store.root(), store.root());
      return inside && (inside->empty() || !store.exists());
    });
    Group& into = found != groups.end() ? *found : groups.emplace_back(Group{store, {}, {}});
    const std::string front = path_inside(into.store.root(), store.root()).value_or("");
    for (const FileChange& change : *parts[i].changes) {
      into.wanted.push_back({front + change.path, &change});
    }
    into.members.push_back(i);
  }
  Grouped grouped;
  grouped.tree_of.resize(parts.size());
  grouped.is_main.resize(parts.size());
  for (Group& group : groups) {
    auto tree = std::make_unique<TreeChange>(std::move(group.store), std::move(group.wanted));
    for (const std::size_t member : group.members) {
      grouped.tree_of[member] = tree.get();
      grouped.is_main[member] = member == group.members.front();
    }
    grouped.trees.push_back(std::move(tree));
  }
  return grouped;
}

// The step in every tree; all errors.
template <typename Step>
core::Result<void> in_all(const Trees& trees, Step step) {
  core::Diagnostics errors;
  for (const auto& tree : trees) {
    if (auto done = step(*tree); !done) {
      errors.insert(errors.end(), done.error().begin(), done.error().end());
    }
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return {};
}

// The step in one tree after the other, up to the first that fails.
template <typename Step>
core::Result<void> in_turn(const Trees& trees, Step step) {
  for (const auto& tree : trees) {
    MEMSIZE_TRY(step(*tree));
  }
  return {};
}

// Two trees of which one is inside of the other, each with a journal.
core::Result<void> targets_differ(const Trees& trees) {
  std::map<std::string, const TreeChange*> seen;
  for (const auto& tree : trees) {
    for (const std::string& target : tree->targets()) {
      const auto [first, is_new] = seen.emplace(target, tree.get());
      if (!is_new) {
        return core::fail(core::error(
            Code::kFileWrite,
            fmt::format("cannot change '{}': it is to change as a file of '{}', and of '{}'",
                        core::printable(target, kShown),
                        core::printable(first->second->store().shown_root(), kShown),
                        core::printable(tree->store().shown_root(), kShown)),
            {target},
            "nothing was changed; give it in one of them"));
      }
    }
  }
  return {};
}

// After a step failed: all back, or what is left is said.
tl::unexpected<core::Diagnostics> taken_back(const Trees& trees, core::Diagnostics errors) {
  const bool was_changed =
      std::ranges::any_of(trees, [](const auto& tree) { return tree->is_committed(); });
  std::string way_back;
  for (auto tree = trees.rbegin(); tree != trees.rend(); ++tree) {
    if ((*tree)->undo()) {
      continue;
    }
    way_back += " " + (*tree)->store().option();
    for (const std::string& path : (*tree)->changed_now()) {
      errors.front().details.push_back(fmt::format("'{}' is changed", core::printable(path)));
    }
  }
  if (!way_back.empty()) {
    return failed(std::move(errors),
                  fmt::format("the next emit ends this change; memsize sdk revert{} takes it back",
                              way_back));
  }
  const char* again = errors.front().code == Code::kSdkChanged
                          ? "run the command again, when nothing else works on the tree"
                          : "mend this, then run the command again";
  return failed(
      std::move(errors),
      fmt::format(
          "nothing was changed{}; {}", was_changed ? ": what had been was taken back" : "", again));
}

core::Result<void> change(const Trees& trees) {
  for (const auto step :
       {&TreeChange::stage, &TreeChange::commit, &TreeChange::make, &TreeChange::finish}) {
    if (auto done = in_turn(trees, [&](TreeChange& tree) { return (tree.*step)(); }); !done) {
      return taken_back(trees, done.error());
    }
  }
  for (const auto& tree : trees) {
    tree->clean();
  }
  return {};
}

core::Result<void> change_locked(const Trees& trees, const std::string& description) {
  if (auto locked = in_turn(trees, [&](TreeChange& tree) { return tree.lock(description); });
      !locked) {
    return locked;
  }
  if (auto recovered = in_turn(trees, [](TreeChange& tree) { return tree.recover(); });
      !recovered) {
    return recovered;
  }
  if (auto planned = in_all(trees, [&](TreeChange& tree) { return tree.plan(description); });
      !planned) {
    return planned;
  }
  MEMSIZE_TRY(targets_differ(trees));
  return change(trees);
}

std::vector<Applied> results(const Grouped& grouped) {
  std::vector<Applied> applied;
  for (std::size_t i = 0; i < grouped.tree_of.size(); ++i) {
    if (grouped.is_main[i]) {
      applied.push_back(grouped.tree_of[i]->applied());
    } else {
      applied.emplace_back();
      applied.back().root = grouped.tree_of[i]->store().shown_root();
    }
  }
  return applied;
}

core::Result<std::vector<Applied>> apply_parts(core::FileSystem& files,
                                               const std::vector<Part>& parts,
                                               const std::string& description) {
  const auto stores = open_all(files, parts);
  MEMSIZE_TRY(stores);
  Grouped grouped = group(*stores, parts);
  std::set<const TreeChange*> idle;
  const auto looked = in_all(grouped.trees, [&](TreeChange& tree) -> core::Result<void> {
    const auto needed = tree.is_needed();
    MEMSIZE_TRY(needed);
    if (!*needed) {
      idle.insert(&tree);
    }
    return {};
  });
  MEMSIZE_TRY(looked);
  // The others are not even locked. They stay alive for their results.
  Trees busy;
  Trees rest;
  for (auto& tree : grouped.trees) {
    (idle.contains(tree.get()) ? rest : busy).push_back(std::move(tree));
  }
  MEMSIZE_TRY(change_locked(busy, description));
  return results(grouped);
}

}  // namespace

core::Result<std::vector<Applied>> apply(core::FileSystem& files,
                                         const std::vector<RootChanges>& roots,
                                         const std::string& description) {
  std::vector<Part> parts;
  parts.reserve(roots.size());
  for (const RootChanges& root : roots) {
    parts.push_back({root.root, &root.changes});
  }
  return apply_parts(files, parts, description);
}

core::Diagnostics other_names(core::FileSystem& files, const std::vector<RootChanges>& roots) {
  core::Diagnostics told;
  for (const RootChanges& root : roots) {
    std::vector<std::string> shared;
    for (const FileChange& change : root.changes) {
      const core::Entry entry = files.entry(fmt::format("{}/{}", root.root, change.path));
      if (entry.kind == core::Entry::Kind::kFile && entry.names > 1) {
        shared.push_back(
            fmt::format("{} has {} names", core::printable(change.path, kShown), entry.names));
      }
    }
    if (!shared.empty()) {
      told.push_back(core::warning(
          Code::kSdkNotKept,
          fmt::format("{} other names (hard links), which keep the bytes of before",
                      shared.size() == 1 ? std::string{"a file that changes has"}
                                         : fmt::format("{} files that change have", shared.size())),
          {root.root},
          "what is at the other names is not changed, nor put back"));
      told.back().details = std::move(shared);
    }
  }
  return told;
}

core::Result<Applied> apply(core::FileSystem& files,
                            const std::string& root,
                            const std::vector<FileChange>& changes,
                            const std::string& description) {
  auto applied = apply_parts(files, {Part{root, &changes}}, description);
  MEMSIZE_TRY(applied);
  return std::move(applied->front());
}

}  // namespace memsize::sdk
