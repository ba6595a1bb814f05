// Opens a tree, finds its sizes, and gathers every file that must change in it and in Linux, with
// what has to be rebuilt, counted from before memsize first changed the tree.
#include "tree_stages.hpp"

#include "memsize/app/tree.hpp"
#include "memsize/board/load.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/overlay.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/artifact.hpp"

#include "blame_settings.hpp"
#include "generation_guard.hpp"
#include "map_stages.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

// "platform/SOC/rtos/" as it is below the root.
std::string prefix_of(const sdk::Platform& part, const std::string& root) {
  if (part.folder.starts_with(root + "/")) {
    return part.folder.substr(root.size() + 1) + "/";
  }
  // The root is not a part of what was typed: "platform" itself was.
  return fmt::format("platform/{}/rtos/", part.soc);
}

const sdk::OpenVariant& asked_of(const sdk::OpenTree& tree) {
  return *tree.find(tree.os);
}

core::Result<sdk::OpenTree> open_in(Session& session,
                                    const EmitRequest& request,
                                    core::FileSystem& files,
                                    bool all) {
  auto board = load_board(session, request.board);
  MEMSIZE_TRY(board);
  const auto platform = sdk::find_platform(files, request.sdk, board->soc);
  MEMSIZE_TRY(platform);
  sdk::OpenOptions options{.all = all,
                           .untangles = all && request.hand_edits == sdk::HandEdits::kForce};
  if (!request.board.dram.empty()) {
    // That it is a size was seen as the board was loaded.
    options.dram = *core::parse_bytes(request.board.dram);
  }
  sdk::ModelBoards models =
      all ? session.shelf->newest(session.files, session.data.boards, board->soc)
          : sdk::ModelBoards{};
  const std::string os = board->os;
  models.insert_or_assign(os, std::move(*board));
  return sdk::open_tree(files, *platform, os, session.data.boards, models, options);
}

// Whether Linux must be given other nodes, and neither a file of the tree nor a kernel's has them:
// then they stand beside REBUILD.md, which says where they go.
bool has_nodes_nowhere(const EmitRequest& request,
                       const sdk::OpenTree& tree,
                       const sdk::EditPlan& plan,
                       const layout::MemoryMap& baseline) {
  const auto steps = emit::rebuild_steps(plan.after, emit::affected_by(plan.after, baseline));
  return request.linux_tree.empty() && asked_of(tree).variant->dts.empty() &&
         core::contains(steps, "linux", &board::RebuildStep::when);
}

// The map of the tree before memsize first changed it, with which everything was built; nothing
// where it did not, or where that tree cannot be read any more.
std::optional<layout::MemoryMap> first_map(Session& session,
                                           const EmitRequest& request,
                                           const sdk::OpenTree& tree,
                                           const std::string& root) {
  const auto originals = sdk::originals(session.files, root);
  if (!originals || originals->empty()) {
    return std::nullopt;
  }
  const std::string prefix = prefix_of(tree.sources.platform, root);
  core::Overlay first{session.files};
  for (const auto& [path, content] : *originals) {
    if (path.starts_with(prefix)) {
      first.lay(fmt::format("{}/{}", tree.sources.platform.folder, path.substr(prefix.size())),
                content);
    }
  }
  const auto opened = open_in(session, request, first, false);
  return opened ? std::optional{asked_of(*opened).map} : std::nullopt;
}

// Every file that is not what it was before memsize first changed the tree.
std::vector<sdk::FileEdit> files_since_first(Session& session,
                                             const sdk::OpenTree& tree,
                                             const sdk::EditPlan& plan,
                                             const std::string& root) {
  std::vector<sdk::FileEdit> files = plan.files;
  const std::string prefix = prefix_of(tree.sources.platform, root);
  const auto originals = sdk::originals(session.files, root);
  for (const auto& [path, content] :
       originals ? *originals : std::map<std::string, std::string>{}) {
    if (!path.starts_with(prefix)) {
      continue;
    }
    const std::string below = path.substr(prefix.size());
    if (auto* known = core::find_in(files, below, &sdk::FileEdit::path)) {
      known->before = content;
      continue;
    }
    const auto now = session.files.read(fmt::format("{}/{}", tree.sources.platform.folder, below));
    files.push_back({below, content, now ? *now : std::string{}});
  }
  std::erase_if(files, [](const sdk::FileEdit& file) { return file.before == file.after; });
  return files;
}

// REBUILD.md of one part, counted from before memsize first changed it, and the nodes for Linux
// where nothing else has them.
core::Result<std::vector<emit::Artifact>> rebuild_of_part(
    Session& session,
    const EmitRequest& request,
    const sdk::OpenTree& tree,
    const sdk::EditPlan& plan,
    const std::vector<sdk::RootChanges>& roots) {
  const std::string& root = roots.front().root;
  const auto first = first_map(session, request, tree, root);
  sdk::EditPlan since = plan;
  since.before = first ? *first : plan.before;
  since.files = files_since_first(session, tree, plan, root);
  // Back where it began: what was built in between is built again.
  const bool is_back = since.files.empty();
  if (is_back) {
    since = plan;
  }
  const emit::Affected affected = affected_by_plan(since, roots);
  return emit::render_all({since.after,
                           since.before,
                           session.files,
                           session.data.templates,
                           is_back ? "the tree before it went back to what it first was"
                                   : "the tree before memsize first changed it",
                           affected,
                           plan.repairs},
                          has_nodes_nowhere(request, tree, plan, since.before)
                              ? std::vector<std::string>{"rebuild", "dts"}
                              : std::vector<std::string>{"rebuild"});
}

// The same of the tree's other parts that memsize changed: none of it was built just because a
// part is changed after it. A part that cannot be read any more has no map to tell of.
std::string rebuild_of_others(Session& session,
                              const sdk::OpenTree& tree,
                              const std::string& root) {
  std::string text;
  const auto originals = sdk::originals(session.files, root);
  const auto parts = sdk::find_platforms(session.files, root);
  for (const sdk::Platform& part : parts ? *parts : std::vector<sdk::Platform>{}) {
    const std::string prefix = prefix_of(part, root);
    const bool is_touched = originals && std::ranges::any_of(*originals, [&](const auto& file) {
                              return file.first.starts_with(prefix);
                            });
    const auto board = is_touched && part.soc != tree.sources.platform.soc
                           ? bundled_board(session, part.soc, tree.os)
                           : std::nullopt;
    if (!board) {
      continue;
    }
    const EmitRequest of_part{.board = {.name = board->name}, .sdk = root};
    const auto opened = open_in(session, of_part, session.files, false);
    if (!opened) {
      continue;
    }
    const layout::MemoryMap& map = asked_of(*opened).map;
    const sdk::EditPlan unchanged{.before = map, .after = map};
    if (files_since_first(session, *opened, unchanged, root).empty()) {
      continue;
    }
    const auto artifacts = rebuild_of_part(session, of_part, *opened, unchanged, {{root, {}}});
    for (const emit::Artifact& artifact : artifacts ? *artifacts : std::vector<emit::Artifact>{}) {
      text += artifact.path == kRebuildFile ? "\n" + artifact.content : std::string{};
    }
  }
  return text;
}

// Why the tree's board has no such knob, if the script gives it a value more than once.
std::optional<core::Diagnostic> not_one_value(const sdk::OpenTree& tree, const std::string& name) {
  const core::Place last = sdk::assigned_again(tree, name);
  if (last.line == 0) {
    return std::nullopt;
  }
  core::Diagnostics found{core::warning(
      core::Code::kSdkScript,
      fmt::format("'{}' keeps its size: the script gives it a value more than once", name),
      last,
      "leave one assignment of it in the script")};
  sdk::show_script(tree, found);
  return std::move(found.front());
}

// A knob that the tree's board has not: why, or what was meant.
void explain_unknown(const EmitRequest& request,
                     const sdk::OpenTree& tree,
                     core::Diagnostics& errors) {
  for (core::Diagnostic& error : errors) {
    if (error.code != core::Code::kKnobUnknown) {
      continue;
    }
    const std::string name{error.party("knob")};
    if (auto again = not_one_value(tree, name)) {
      again->severity = error.severity;
      error = std::move(*again);
      continue;
    }
    const std::vector<std::string> names =
        core::texts_of(asked_of(tree).board.knobs, &board::Knob::name);
    const std::string near = core::did_you_mean(name, names);
    error.hint = fmt::format("{}{}memsize board import --sdk {} --soc {} shows what can be set",
                             near,
                             near.empty() ? "" : " ",
                             core::shell_path(request.sdk),
                             core::shell_word(tree.sources.platform.soc));
  }
}

// The board and the trace are both of another generation than the tree: one command line for both.
core::Diagnostics both_generations(core::Diagnostic of_board, const core::Diagnostics& others) {
  core::Diagnostics errors;
  for (const core::Diagnostic& other : others) {
    if (other.code == core::Code::kSizingGeneration) {
      of_board.hint.clear();
    }
  }
  errors.push_back(std::move(of_board));
  errors.insert(errors.end(), others.begin(), others.end());
  return errors;
}

}  // namespace

core::Result<std::shared_ptr<const board::Board>> board_of_tree(Session& session,
                                                                const BoardRequest& request,
                                                                const sdk::OpenTree& tree) {
  const auto named = load_board(session, request);
  MEMSIZE_TRY(named);
  return std::make_shared<const board::Board>(with_generation(asked_of(tree).board, *named));
}

std::optional<core::Diagnostic> compare_with_tree(Session& session,
                                                  const EmitRequest& request,
                                                  const sdk::OpenTree& tree) {
  return compare_with_tree(session, request, asked_of(tree).board);
}

core::Result<sdk::OpenTree> open_tree(Session& session, const EmitRequest& request) {
  return open_in(session, request, session.files, false);
}

core::Result<sdk::OpenTree> open_all(Session& session, const EmitRequest& request) {
  return open_in(session, request, session.files, true);
}

core::Result<TreeWish> sizes_for_tree(Session& session,
                                      const EmitRequest& request,
                                      const sdk::OpenTree& tree) {
  const auto root = sdk::tree_root(session.files, request.sdk);
  MEMSIZE_TRY(root);
  const auto named = load_board(session, request.board);
  MEMSIZE_TRY(named);
  auto board = board_of_tree(session, request.board, tree);
  MEMSIZE_TRY(board);
  EmitRequest on_tree = request;
  on_tree.board.of_tree = std::move(*board);
  const auto generation = compare_with_tree(session, request, tree);
  auto sizes = sizes_to_emit(session, on_tree);
  if (generation && generation->severity == core::Severity::kError) {
    return tl::make_unexpected(
        both_generations(*generation, sizes ? core::Diagnostics{} : sizes.error()));
  }
  if (!sizes) {
    core::Diagnostics errors = sizes.error();
    sdk::show_script(tree, errors);
    explain_unknown(request, tree, errors);
    return tl::make_unexpected(std::move(errors));
  }
  sdk::show_script(tree, sizes->diagnostics);
  for (const board::Knob& knob : named->knobs) {
    if (knob.demand && asked_of(tree).board.find_knob(knob.name) == nullptr) {
      if (auto again = not_one_value(tree, knob.name)) {
        sizes->diagnostics.push_back(std::move(*again));
      }
    }
  }
  if (generation) {
    sizes->diagnostics.push_back(*generation);
  }
  return TreeWish{*root, std::move(sizes->values), std::move(sizes->diagnostics)};
}

core::Result<sdk::EditPlan> plan_tree(const EmitRequest& request,
                                      const sdk::OpenTree& tree,
                                      const TreeWish& wish) {
  const sdk::OpenVariant& asked = asked_of(tree);
  auto plan = sdk::plan_edit(tree, {wish.values, request.hand_edits});
  if (!plan) {
    core::Diagnostics errors = plan.error();
    explain_unknown(request, tree, errors);
    say_nearest(asked.board, wish.values, errors);
    blame_settings(asked.board, wish.values, request.board.set, errors);
    return tl::make_unexpected(std::move(errors));
  }
  return plan;
}

core::Result<sdk::DeviceTreeEdits> plan_linux(Session& session,
                                              const EmitRequest& request,
                                              const sdk::OpenTree& tree,
                                              const sdk::EditPlan& plan,
                                              const std::string& root) {
  // Linux may have been left out when the tree was changed before.
  const auto first = first_map(session, request, tree, root);
  std::vector<const layout::MemoryMap*> before;
  if (first) {
    before.push_back(&*first);
  }
  before.push_back(&plan.before);
  return sdk::edit_device_trees(
      session.files, request.linux_tree, before, plan.after, request.hand_edits);
}

std::vector<sdk::FileChange> changes_of(const sdk::OpenTree& tree,
                                        const sdk::EditPlan& plan,
                                        const std::string& root) {
  const std::string prefix = prefix_of(tree.sources.platform, root);
  std::vector<sdk::FileChange> changes;
  for (const sdk::FileEdit& file : plan.files) {
    changes.push_back({prefix + file.path, file.before, file.after});
  }
  return changes;
}

std::vector<sdk::FileChange> changes_of(const sdk::DeviceTreeEdits& edits) {
  std::vector<sdk::FileChange> changes;
  for (const sdk::FileEdit& file : edits.files) {
    changes.push_back({file.path, file.before, file.after});
  }
  return changes;
}

emit::Affected affected_by_plan(const sdk::EditPlan& plan,
                                const std::vector<sdk::RootChanges>& roots) {
  emit::Affected affected =
      emit::affected_by(plan.after,
                        emit::affected_by(plan.after, plan.before),
                        sdk::affected_by_files(plan.files, plan.before, plan.after));
  for (std::size_t i = 1; i < roots.size(); ++i) {
    affected.device_tree = affected.device_tree || !roots[i].changes.empty();
  }
  return affected;
}

core::Result<void> add_rebuild(Session& session,
                               const EmitRequest& request,
                               const sdk::OpenTree& tree,
                               const sdk::EditPlan& plan,
                               std::vector<sdk::RootChanges>& roots) {
  const bool is_any =
      std::ranges::any_of(roots, [](const auto& root) { return !root.changes.empty(); });
  if (!is_any) {
    return {};
  }
  const std::string& root = roots.front().root;
  auto artifacts = rebuild_of_part(session, request, tree, plan, roots);
  MEMSIZE_TRY(artifacts);
  for (emit::Artifact& artifact : *artifacts) {
    if (artifact.path == kRebuildFile) {
      artifact.content += rebuild_of_others(session, tree, root);
    }
    const std::string path = fmt::format("{}/{}", root, artifact.path);
    std::optional<std::string> before;
    if (session.files.is_regular_file(path)) {
      auto content = session.files.read(path);
      MEMSIZE_TRY(content);
      before = std::move(*content);
    }
    roots.front().changes.push_back(
        {artifact.path, std::move(before), std::move(artifact.content)});
  }
  return {};
}

}  // namespace memsize::app
