// From sizes to every file that changes in an SDK tree, while watching that nobody else changes it.
// What a comment calls frozen does not change after it.
#include "memsize/app/tree.hpp"

#include "memsize/app/tree_watch.hpp"
#include "memsize/core/text.hpp"
#include "memsize/sdk/recover_trees.hpp"
#include "memsize/sdk/tree.hpp"

#include "analyze_stages.hpp"
#include "tree_stages.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::app {

namespace {

// Half a change is no tree: it is ended, or where nothing is written told. The trees' roots.
core::Result<std::vector<std::string>> prepare(Session& session, const EmitRequest& request) {
  const auto root = sdk::tree_root(session.files, request.sdk);
  MEMSIZE_TRY(root);
  std::vector<std::string> roots = {*root};
  if (!request.linux_tree.empty()) {
    roots.push_back(request.linux_tree);
  }
  const auto ready = !request.diff && !request.check ? sdk::recover_trees(session.files, roots)
                                                     : TreeWatch{session, roots}.at_rest();
  return ready ? core::Result<std::vector<std::string>>{std::move(roots)}
               : tl::make_unexpected(ready.error());
}

core::Result<TreeEmission> plan_change(Session& session, const EmitRequest& request) {
  // The tree as it is: its files, its scripts, and the board that they are.
  auto tree = open_tree(session, request);
  MEMSIZE_TRY(tree);
  // How much: from the traces, over the sizes that the tree has; --set wins.
  auto wish = sizes_for_tree(session, request, *tree);
  MEMSIZE_TRY(wish);
  // Frozen: no size changes.

  // If there is something to change: every operating system of the part, for they share files.
  if (request.hand_edits == sdk::HandEdits::kForce || sdk::changes_anything(*tree, wish->values)) {
    tree = open_all(session, request);
    MEMSIZE_TRY(tree);
  }

  // Every file that has to change, and what the tree is then, checked as any tree.
  auto plan = plan_tree(request, *tree, *wish);
  MEMSIZE_TRY(plan);
  core::Diagnostics over = over_budget(request.budgets, plan->after);
  if (!over.empty()) {
    return tl::make_unexpected(std::move(over));
  }
  TreeEmission emission{.diagnostics = std::move(wish->diagnostics)};
  keep_warnings(tree->problems, emission.diagnostics);
  keep_warnings(plan->diagnostics, emission.diagnostics);
  emission.roots.push_back({wish->root, changes_of(*tree, *plan, wish->root)});

  // What Linux reserves, in its own device trees.
  if (!request.linux_tree.empty()) {
    auto linux = plan_linux(session, request, *tree, *plan, wish->root);
    MEMSIZE_TRY(linux);
    keep_warnings(linux->diagnostics, emission.diagnostics);
    emission.roots.push_back({request.linux_tree, changes_of(*linux)});
  }

  // What is wrong with it besides, and stays so, or is put right.
  const TreeFaults faults = faults_of_tree(session, request, *tree, *plan);
  keep_warnings(faults.told, emission.diagnostics);
  plan->repairs.insert(plan->repairs.end(), faults.repairs.begin(), faults.repairs.end());

  // What has to be done then, with the images that the files go into.
  emission.affected = affected_by_plan(*plan, emission.roots);
  const auto rebuild = add_rebuild(session, request, *tree, *plan, emission.roots);
  MEMSIZE_TRY(rebuild);
  keep_warnings(sdk::other_names(session.files, emission.roots), emission.diagnostics);
  emission.map = std::move(plan->after);
  emission.baseline = std::move(plan->before);
  // Frozen: no byte changes. Only now may the disk be touched, by the caller.
  return emission;
}

// What sdk status calls the change: its values, wherever they come from.
std::string description(const EmitRequest& request, const TreeEmission& emission) {
  std::string said = fmt::format("emit --board {}", core::shell_path(request.board.name));
  if (request.hand_edits) {
    said += *request.hand_edits == sdk::HandEdits::kForce ? " --force" : " --keep";
  }
  const auto value_of = [](const board::Knob& knob, std::uint64_t value) {
    return knob.is_address ? core::format_hex(value) : core::format_size(core::Bytes{value});
  };
  std::vector<std::string> values;
  for (const board::Knob& knob : emission.map.board.knobs) {
    const auto before = emission.baseline.values.find(knob.name);
    const std::uint64_t after = emission.map.values.at(knob.name);
    if (before != emission.baseline.values.end() && before->second != after) {
      values.push_back(fmt::format("{} = {} instead of {}",
                                   knob.name,
                                   value_of(knob, after),
                                   value_of(knob, before->second)));
    }
  }
  return values.empty() ? said : fmt::format("{}: {}", said, core::join(values, ", "));
}

}  // namespace

core::Result<TreeEmission> render_tree(Session& session, const EmitRequest& request) {
  const auto roots = prepare(session, request);
  MEMSIZE_TRY(roots);
  const TreeWatch watch{session, *roots};
  auto emission = plan_change(session, request);
  // What is wrong with half of another run's change is nobody's fault.
  MEMSIZE_TRY(watch.undisturbed());
  return emission;
}

core::Result<std::vector<sdk::Applied>> apply_tree(Session& session,
                                                   const EmitRequest& request,
                                                   const TreeEmission& emission) {
  return sdk::apply(session.files, emission.roots, description(request, emission));
}

}  // namespace memsize::app
