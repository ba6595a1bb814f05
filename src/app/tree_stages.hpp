// The stages of an edit of an SDK tree that tree.cpp lists.
#pragma once

#include "memsize/app/tree.hpp"
#include "memsize/sdk/edit_dts.hpp"
#include "memsize/sdk/edit_tree.hpp"
#include "memsize/sdk/transaction.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memsize::app {

[[nodiscard]] core::Result<sdk::OpenTree> open_tree(Session& session, const EmitRequest& request);

/// Every operating system of the part, for a change.
[[nodiscard]] core::Result<sdk::OpenTree> open_all(Session& session, const EmitRequest& request);

/// The tree's map as a board, of the generation of the tree; where nothing tells that, of the one
/// that the named board is of.
[[nodiscard]] core::Result<std::shared_ptr<const board::Board>> board_of_tree(
    Session& session, const BoardRequest& request, const sdk::OpenTree& tree);

/// What compare_with_tree() of generation_guard.hpp says of the operating system that was asked
/// for.
[[nodiscard]] std::optional<core::Diagnostic> compare_with_tree(Session& session,
                                                                const EmitRequest& request,
                                                                const sdk::OpenTree& tree);

struct TreeWish {
  /// The folder that holds platform/.
  std::string root;
  board::KnobValues values;
  core::Diagnostics diagnostics;
};

[[nodiscard]] core::Result<TreeWish> sizes_for_tree(Session& session,
                                                    const EmitRequest& request,
                                                    const sdk::OpenTree& tree);

[[nodiscard]] core::Result<sdk::EditPlan> plan_tree(const EmitRequest& request,
                                                    const sdk::OpenTree& tree,
                                                    const TreeWish& wish);

[[nodiscard]] core::Result<sdk::DeviceTreeEdits> plan_linux(Session& session,
                                                            const EmitRequest& request,
                                                            const sdk::OpenTree& tree,
                                                            const sdk::EditPlan& plan,
                                                            const std::string& root);

/// With paths below the root.
[[nodiscard]] std::vector<sdk::FileChange> changes_of(const sdk::OpenTree& tree,
                                                      const sdk::EditPlan& plan,
                                                      const std::string& root);
[[nodiscard]] std::vector<sdk::FileChange> changes_of(const sdk::DeviceTreeEdits& edits);

/// What check finds in the tree, as warnings: what the change leaves, with the errors and missing
/// files one by one, and what it puts right.
struct TreeFaults {
  core::Diagnostics told;
  /// What it puts right, as sentences.
  std::vector<std::string> repairs;
};

[[nodiscard]] TreeFaults faults_of_tree(Session& session,
                                        const EmitRequest& request,
                                        const sdk::OpenTree& tree,
                                        const sdk::EditPlan& plan);

/// What this change goes into; the second root and those behind it are of Linux.
[[nodiscard]] emit::Affected affected_by_plan(const sdk::EditPlan& plan,
                                              const std::vector<sdk::RootChanges>& roots);

/// Adds REBUILD.md to the first root, if there is a change in any of them: what has to be done for
/// all that memsize has changed in the tree so far, because nobody knows what was built since.
/// It lists the plan's repairs, too.
[[nodiscard]] core::Result<void> add_rebuild(Session& session,
                                             const EmitRequest& request,
                                             const sdk::OpenTree& tree,
                                             const sdk::EditPlan& plan,
                                             std::vector<sdk::RootChanges>& roots);

}  // namespace memsize::app
