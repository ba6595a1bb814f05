// Shows the edit of a tree, checks it or has it applied.
#include "emit_tree.hpp"

#include "memsize/app/tree.hpp"
#include "memsize/core/text.hpp"
#include "memsize/sdk/transaction.hpp"

#include "show/unified_diff.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Code;

constexpr std::size_t kShownOfTree = 400;

// A file that changes, as the user may type it.
std::string path_of(const sdk::RootChanges& root, const sdk::FileChange& change) {
  return fmt::format("{}/{}", root.root, change.path);
}

std::size_t count_changes(const app::TreeEmission& emission) {
  std::size_t count = 0;
  for (const sdk::RootChanges& root : emission.roots) {
    count += root.changes.size();
  }
  return count;
}

class TreeEmitter {
 public:
  TreeEmitter(app::Session& session, const app::EmitRequest& request, const char* schema, bool json)
      : session_(session), request_(request), schema_(schema), json_(json) {}

  Outcome run() {
    auto emission = render_tree(session_, request_);
    if (!emission) {
      return refused(emission.error());
    }
    Outcome outcome{.json = json_};
    outcome.diagnostics = emission->diagnostics;
    outcome.document = document(*emission);
    return request_.diff    ? show_diff(*emission, std::move(outcome))
           : request_.check ? check(*emission, std::move(outcome))
                            : write(*emission, std::move(outcome));
  }

 private:
  Outcome refused(const core::Diagnostics& errors) {
    Outcome outcome = failed(errors, schema_, json_);
    outcome.document["board"] = request_.board.name;
    return outcome;
  }

  [[nodiscard]] Json document(const app::TreeEmission& emission) const {
    Json json;
    json["schema"] = schema_;
    json["board"] = emission.map.board.name;
    json["sdk"] = request_.sdk;
    json.set_if_any("linux", request_.linux_tree);
    json["files"] = Json::array();
    for (const sdk::RootChanges& root : emission.roots) {
      for (const sdk::FileChange& change : root.changes) {
        json["files"].push_back(
            {{"path", path_of(root, change)}, {"change", change.before ? "changed" : "created"}});
      }
    }
    add_balance(emission.map, emission.baseline, emission.affected, json);
    return json;
  }

  static Outcome show_diff(const app::TreeEmission& emission, Outcome outcome) {
    for (const sdk::RootChanges& root : emission.roots) {
      for (const sdk::FileChange& change : root.changes) {
        const std::string name = core::printable(path_of(root, change), kShownOfTree);
        outcome.text += unified_diff(change.before ? name : "/dev/null",
                                     change.before.value_or(""),
                                     name,
                                     change.after.value_or(""));
      }
    }
    return outcome;
  }

  Outcome check(const app::TreeEmission& emission, Outcome outcome) {
    for (const sdk::RootChanges& root : emission.roots) {
      for (const sdk::FileChange& change : root.changes) {
        // Nothing is built from it.
        if (change.path == app::kRebuildFile) {
          continue;
        }
        outcome.diagnostics.push_back(core::error(
            Code::kEmitStale, "this file is not what the sizes give", {path_of(root, change)}));
      }
    }
    outcome.status = core::exit_status(outcome.diagnostics);
    if (outcome.status == core::ExitStatus::kDone) {
      outcome.text = fmt::format("{} is up to date\n", core::printable(request_.sdk, kShownOfTree));
    } else {
      outcome.diagnostics.back().hint =
          "see the difference with --diff; write it by leaving --check out";
    }
    return outcome;
  }

  Outcome write(const app::TreeEmission& emission, Outcome outcome) {
    const std::string shown = core::printable(request_.sdk, kShownOfTree);
    if (count_changes(emission) == 0) {
      outcome.text = fmt::format("{} has these sizes already: nothing changed\n", shown);
      return outcome;
    }
    const auto applied = apply_tree(session_, request_, emission);
    if (!applied) {
      return refused(applied.error());
    }
    for (const sdk::Applied& each : *applied) {
      outcome.text += list(each);
      outcome.diagnostics.insert(
          outcome.diagnostics.end(), each.warnings.begin(), each.warnings.end());
    }
    outcome.text +=
        fmt::format("memsize sdk revert --sdk {}{} puts back what was.\n",
                    core::shell_path(request_.sdk),
                    request_.linux_tree.empty()
                        ? std::string{}
                        : fmt::format(" --linux {}", core::shell_path(request_.linux_tree)));
    outcome.text += balance_sentence(emission.map, emission.baseline, emission.affected) +
                    " REBUILD.md says how.\n";
    return outcome;
  }

  [[nodiscard]] static std::string list(const sdk::Applied& applied) {
    std::string text;
    if (applied.changed.empty() && applied.created.empty()) {
      return text;
    }
    text += fmt::format("{} in {}:\n",
                        core::plural(applied.changed.size() + applied.created.size(), "file"),
                        core::printable(applied.root, kShownOfTree));
    for (const std::string& path : applied.changed) {
      text += fmt::format("  changed  {}\n", core::printable(path, kShownOfTree));
    }
    for (const std::string& path : applied.created) {
      text += fmt::format("  created  {}\n", core::printable(path, kShownOfTree));
    }
    for (const std::string& path : applied.kept) {
      text += fmt::format("  kept     {}\n", core::printable(path, kShownOfTree));
    }
    return text;
  }

  app::Session& session_;
  const app::EmitRequest& request_;
  const char* schema_;
  bool json_;
};

}  // namespace

Outcome emit_tree(app::Session& session,
                  const app::EmitRequest& request,
                  const char* schema,
                  bool json) {
  return TreeEmitter{session, request, schema, json}.run();
}

void add_balance(const layout::MemoryMap& map,
                 const layout::MemoryMap& baseline,
                 const emit::Affected& affected,
                 Json& document) {
  const std::uint64_t before = baseline.reserved().count();
  const std::uint64_t after = map.reserved().count();
  document["reserved_before_bytes"] = before;
  document["reserved_after_bytes"] = after;
  document["returned_bytes"] = static_cast<std::int64_t>(before) - static_cast<std::int64_t>(after);
  document["changed_cores"] = affected.cores;
  document["rebuild"] = Json::array();
  for (const board::RebuildStep& step : emit::rebuild_steps(map, affected)) {
    if (step.by_hand) {
      document["places"].push_back({{"file", step.what}, {"place", step.run}, {"why", step.why}});
    } else {
      document["rebuild"].push_back({{"what", step.what}, {"why", step.why}, {"run", step.run}});
    }
  }
}

std::string balance_sentence(const layout::MemoryMap& map,
                             const layout::MemoryMap& baseline,
                             const emit::Affected& affected) {
  return fmt::format(
      "{}; reflash {}.",
      emit::describe_balance(map, baseline),
      affected.cores.empty() ? std::string{"nothing"} : core::join(affected.cores, ", "));
}

}  // namespace memsize::cli
