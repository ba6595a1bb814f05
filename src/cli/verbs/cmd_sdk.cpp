// memsize sdk: what memsize changed in one tree or two, and the way back. What is done is all in
// sdk/transaction.hpp; here it gets words, and a document.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/sdk/transaction.hpp"
#include "memsize/sdk/tree.hpp"

#include "verbs.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using Change = sdk::FileStatus::Change;
using Now = sdk::FileStatus::Now;
using Phase = sdk::Status::Phase;

constexpr const char* kSdkSchema = "memsize.sdk/1";
constexpr std::size_t kPathShown = 400;

struct SdkOptions {
  std::string sdk;
  std::string linux_tree;
  bool force = false;
  bool json = false;
};

std::string_view name_of(Change change) {
  return change == Change::kCreated   ? "created"
         : change == Change::kRemoved ? "removed"
                                      : "changed";
}

std::string_view name_of(Now now) {
  return now == Now::kOriginal ? "original" : now == Now::kEdited ? "edited" : "applied";
}

// What documents call a state, and what people are told of it.
template <typename State>
struct StateWords {
  State state;
  std::string_view name;
  std::string_view told;
};

// What was interrupted, and what happens next.
constexpr std::array<StateWords<Phase>, 5> kPhases = {{
    {Phase::kClean, "clean", ""},
    {Phase::kApplied, "applied", ""},
    {Phase::kStaging,
     "staging",
     "A change was interrupted before it reached a file; the next emit or revert clears it "
     "away.\n"},
    {Phase::kApplying,
     "applying",
     "A change was interrupted halfway; the next emit ends it, revert takes it back.\n"},
    {Phase::kReverting,
     "reverting",
     "A revert was interrupted halfway; the next emit or revert ends it.\n"},
}};

constexpr std::array<StateWords<sdk::Recovery>, 5> kRecoveries = {{
    {sdk::Recovery::kNothing, "nothing", ""},
    {sdk::Recovery::kFinished, "finished", ""},
    {sdk::Recovery::kCleared, "cleared", "What an interrupted change had prepared is removed.\n"},
    {sdk::Recovery::kTakenBack,
     "taken-back",
     "A change that was interrupted halfway is taken back.\n"},
    {sdk::Recovery::kReverted, "reverted", "A revert that was interrupted halfway is ended.\n"},
}};

const StateWords<Phase>& words_of(Phase phase) {
  return *core::find_in(kPhases, phase, &StateWords<Phase>::state);
}

const StateWords<sdk::Recovery>& words_of(sdk::Recovery recovery) {
  return *core::find_in(kRecoveries, recovery, &StateWords<sdk::Recovery>::state);
}

std::string list_kept(const std::vector<std::string>& kept) {
  std::string text;
  for (const std::string& path : kept) {
    text += fmt::format("  kept     {}\n", core::printable(path, kPathShown));
  }
  return text;
}

// "  changed  platform/x/app_mem_map.h"
std::string list_file(const sdk::FileStatus& file, Phase phase) {
  std::string_view now;
  if (file.is_lost) {
    now = "  (its original is missing or damaged in .memsize/backup: revert is refused)";
  } else if (file.now == Now::kEdited) {
    now = "  (edited since: revert needs --force)";
  } else if (file.now == Now::kOriginal) {
    now = phase == Phase::kApplying    ? "  (not yet)"
          : phase == Phase::kReverting ? "  (is back already)"
                                       : "  (but is the original again)";
  }
  return fmt::format(
      "  {:<7}  {}{}\n", name_of(file.change), core::printable(file.path, kPathShown), now);
}

std::string_view did_what(Phase phase) {
  return phase == Phase::kApplying    ? "was changing"
         : phase == Phase::kReverting ? "was putting back"
                                      : "changed";
}

Json texts(const std::vector<std::string>& list) {
  Json json = Json::array();
  for (const std::string& text : list) {
    json.push_back(text);
  }
  return json;
}

// A tree that was given, and how.
struct Tree {
  std::string root;
  std::string option;

  [[nodiscard]] std::string shown() const { return core::printable(root, kPathShown); }
};

core::Result<std::vector<Tree>> trees_of(app::Session& session, const SdkOptions& options) {
  std::vector<Tree> trees;
  if (!options.sdk.empty()) {
    auto root = sdk::tree_root(session.files, options.sdk);
    MEMSIZE_TRY(root);
    trees.push_back({std::move(*root), "--sdk"});
  }
  if (!options.linux_tree.empty()) {
    std::string root = options.linux_tree;
    while (root.size() > 1 && root.ends_with('/')) {
      root.pop_back();
    }
    trees.push_back({std::move(root), "--linux"});
  }
  return trees;
}

// The second tree's keys are in an object of their own.
Json document_of(std::vector<Json> trees) {
  Json document = {{"schema", kSdkSchema}};
  document.update(trees.front());
  if (trees.size() > 1) {
    document["linux"] = std::move(trees.back());
  }
  return document;
}

Json json_of(const Tree& tree, const sdk::Status& status) {
  Json json = {{"root", tree.root}, {"state", words_of(status.phase).name}};
  json.set_if_any("description", status.description);
  json["files"] = Json::array();
  for (const sdk::FileStatus& file : status.files) {
    Json& item = json["files"].push_back(
        {{"path", file.path}, {"change", name_of(file.change)}, {"now", name_of(file.now)}});
    if (file.is_lost) {
      item["lost"] = true;
    }
  }
  json["kept"] = texts(status.kept);
  json.set_if_any("busy", status.holder);
  return json;
}

std::string text_of(const Tree& tree, const sdk::Status& status) {
  std::string text;
  if (!status.holder.empty()) {
    text += fmt::format("Another memsize is at work: {}\n", status.holder);
  } else {
    text += words_of(status.phase).told;
  }
  if (status.files.empty()) {
    text += fmt::format("{}: nothing that memsize changed\n", tree.shown());
  } else {
    const bool is_lost =
        std::ranges::any_of(status.files, [](const auto& file) { return file.is_lost; });
    text += fmt::format("{}: memsize {} {}{}\n",
                        tree.shown(),
                        did_what(status.phase),
                        core::plural(status.files.size(), "file"),
                        is_lost ? ""
                                : fmt::format("; memsize sdk revert {} {} puts back what was",
                                              tree.option,
                                              core::shell_path(tree.root)));
  }
  for (const sdk::FileStatus& file : status.files) {
    text += list_file(file, status.phase);
  }
  text += list_kept(status.kept);
  if (!status.description.empty()) {
    text += fmt::format("last change: {}\n", core::printable(status.description, kPathShown));
  }
  return text;
}

Outcome show_status(app::Session& session, const SdkOptions& options) {
  const auto trees = trees_of(session, options);
  if (!trees) {
    return failed(trees.error(), kSdkSchema, options.json);
  }
  Outcome outcome{.json = options.json};
  std::vector<Json> documents;
  for (const Tree& tree : *trees) {
    const auto status = sdk::status(session.files, tree.root);
    if (!status) {
      return failed(status.error(), kSdkSchema, options.json);
    }
    documents.push_back(json_of(tree, *status));
    outcome.text += text_of(tree, *status);
  }
  outcome.document = document_of(std::move(documents));
  return outcome;
}

Json json_of(const Tree& tree, const sdk::Reverted& reverted) {
  return {{"root", tree.root},
          {"state", words_of(Phase::kClean).name},
          {"files", Json::array()},
          {"restored", texts(reverted.restored)},
          {"removed", texts(reverted.removed)},
          {"kept", texts(reverted.kept)},
          {"recovery", words_of(reverted.recovery).name}};
}

std::string text_of(const Tree& tree, const sdk::Reverted& reverted) {
  std::string text{words_of(reverted.recovery).told};
  if (reverted.restored.empty() && reverted.removed.empty()) {
    text += fmt::format("{}: nothing to put back\n", tree.shown());
    return text;
  }
  text += fmt::format(
      "{}: {} as before memsize changed the tree\n",
      tree.shown(),
      core::plural(reverted.restored.size() + reverted.removed.size(), "file is", "files are"));
  for (const std::string& path : reverted.restored) {
    text += fmt::format("  restored {}\n", core::printable(path, kPathShown));
  }
  for (const std::string& path : reverted.removed) {
    text += fmt::format("  removed  {}\n", core::printable(path, kPathShown));
  }
  text += list_kept(reverted.kept);
  return text;
}

Outcome revert(app::Session& session, const SdkOptions& options) {
  const auto trees = trees_of(session, options);
  if (!trees) {
    return failed(trees.error(), kSdkSchema, options.json);
  }
  const std::vector<std::string> roots = core::texts_of(*trees, &Tree::root);
  const auto reverted = sdk::revert(session.files, roots, {options.force});
  if (!reverted) {
    return failed(reverted.error(), kSdkSchema, options.json);
  }
  Outcome outcome{.json = options.json};
  std::vector<Json> documents;
  bool has_restored = false;
  for (std::size_t i = 0; i < trees->size(); ++i) {
    documents.push_back(json_of((*trees)[i], (*reverted)[i]));
    outcome.text += text_of((*trees)[i], (*reverted)[i]);
    has_restored = has_restored || !(*reverted)[i].restored.empty();
    outcome.diagnostics.insert(
        outcome.diagnostics.end(), (*reverted)[i].warnings.begin(), (*reverted)[i].warnings.end());
  }
  outcome.document = document_of(std::move(documents));
  if (has_restored) {
    outcome.text +=
        "Their times are new, so that a build makes again what was made of them. Other hard links "
        "of "
        "them\nare left as they are.\n";
  }
  return outcome;
}

}  // namespace

Run add_sdk(const Command& app) {
  auto options = std::make_shared<SdkOptions>();
  const Command verb = app.verb("sdk", "What memsize changed in an SDK tree, and back");
  verb.needs_verb();
  verb.footer(
      "Examples:\n"
      "  memsize sdk status --sdk ti-processor-sdk/vision_apps\n"
      "  memsize sdk revert --sdk ti-processor-sdk/vision_apps\n"
      "  memsize sdk revert --sdk vision_apps --linux ti-linux-kernel\n"
      "  memsize sdk revert --sdk vision_apps --force   # also over files edited since");
  const Command status_verb =
      verb.verb("status", "Which files memsize changed, and whether a change was interrupted");
  const Command revert_verb =
      verb.verb("revert", "Put back every file as it was before the first change");
  status_verb.footer(
      "Examples:\n"
      "  memsize sdk status --sdk vision_apps\n"
      "  memsize sdk status --sdk vision_apps --linux ti-linux-kernel");
  revert_verb.footer(
      "A file that was edited since is not touched without --force; with it, the edited one is "
      "kept\nin .memsize/kept of the tree. Of two trees, both are put back or none.\n"
      "Examples:\n"
      "  memsize sdk revert --sdk vision_apps\n"
      "  memsize sdk revert --sdk vision_apps --linux ti-linux-kernel\n"
      "  memsize sdk revert --sdk vision_apps --force");
  for (const Command& sub : {status_verb, revert_verb}) {
    sub.option("--sdk", options->sdk, "The folder that holds platform/, or platform itself")
        .filled();
    sub.option("--linux", options->linux_tree, "The tree of Linux, as it was given to emit")
        .filled();
    add_json_flag(sub, options->json);
  }
  revert_verb.flag("--force", options->force, "Also over files that were edited since");
  return [options, status_verb](app::Session& session) {
    if (options->sdk.empty() && options->linux_tree.empty()) {
      core::Diagnostic missing =
          core::error(core::Code::kUsage,
                      "no tree is named",
                      {},
                      "name the SDK's with --sdk, that of Linux with --linux, or both");
      return failed({std::move(missing)}, kSdkSchema, options->json);
    }
    return status_verb.is_given() ? show_status(session, *options) : revert(session, *options);
  };
}

}  // namespace memsize::cli
