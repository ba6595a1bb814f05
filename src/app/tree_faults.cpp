// What is wrong with an SDK tree beside a change of it.
#include "memsize/board/load.hpp"
#include "memsize/core/overlay.hpp"
#include "memsize/core/text.hpp"
#include "memsize/sdk/news.hpp"

#include "check_stages.hpp"
#include "tree_stages.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;

constexpr std::size_t kMostDetails = 8;
constexpr std::size_t kShownOfFault = 300;

// A call of check that finds the same.
struct Check {
  std::optional<layout::MemoryMap> asked;
  std::string command;
};

Check check_of(Session& session, const EmitRequest& request, const sdk::OpenTree& tree) {
  const std::string& soc = tree.sources.platform.soc;
  const std::string command = fmt::format("memsize check --sdk {} ", core::shell_path(request.sdk));
  if (!session.shelf->newest(session.files, session.data.boards, soc).empty()) {
    return {std::nullopt, fmt::format("{}--soc {}", command, soc)};
  }
  CheckRequest check{.board = request.board};
  check.board.of_tree = nullptr;
  check.sdk = request.sdk;
  auto scope = scope_of_tree(session, check);
  return {scope ? std::move(scope->asked) : std::nullopt,
          fmt::format("{}--board {}", command, core::shell_path(request.board.name))};
}

core::Diagnostics findings(Session session,
                           const sdk::Platform& platform,
                           const Check& check,
                           const sdk::OpenTree* known) {
  CheckReport report;
  check_platform(session, platform, check.asked, report, known);
  std::erase_if(report.diagnostics, [](const core::Diagnostic& each) {
    return each.severity == core::Severity::kNote;
  });
  return std::move(report.diagnostics);
}

std::string line_of(const core::Diagnostic& finding, const std::string& folder) {
  std::string path = finding.place.path.str();
  if (path.starts_with(folder + "/")) {
    path.erase(0, folder.size() + 1);
  }
  const std::string line =
      finding.place.line == 0 ? std::string{} : fmt::format(":{}", finding.place.line);
  return fmt::format("{}{}: {}", core::printable(path, kShownOfFault), line, finding.message);
}

void add_details(core::Diagnostics found, const std::string& folder, core::Diagnostic& told) {
  // What a core does wrong, and what is gone, before what only misleads.
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) {
    const auto rank = [](const core::Diagnostic& each) {
      return each.code == Code::kSdkMissing ? 0 : each.severity == core::Severity::kError ? 1 : 2;
    };
    return rank(a) < rank(b);
  });
  for (std::size_t i = 0; i < std::min(found.size(), kMostDetails); ++i) {
    told.details.push_back(line_of(found[i], folder));
  }
  if (found.size() > kMostDetails) {
    told.details.push_back(fmt::format("... {} more", found.size() - kMostDetails));
  }
}

}  // namespace

TreeFaults faults_of_tree(Session& session,
                          const EmitRequest& request,
                          const sdk::OpenTree& tree,
                          const sdk::EditPlan& plan) {
  const sdk::Platform& platform = tree.sources.platform;
  const Check check = check_of(session, request, tree);
  // Scripts that were made to agree are not those of the disk.
  const core::Diagnostics before =
      findings(session, platform, check, tree.stale_scripts.empty() ? &tree : nullptr);
  TreeFaults faults;
  if (before.empty()) {
    return faults;
  }
  core::Overlay result{session.files};
  for (const sdk::FileEdit& file : plan.files) {
    result.lay(fmt::format("{}/{}", platform.folder, file.path), file.after);
  }
  const core::Diagnostics after =
      plan.files.empty()
          ? before
          : findings({result, session.data, {}, session.shelf}, platform, check, nullptr);
  core::Diagnostics mended = sdk::news(after, before);
  // One that is still told of the file, only about less, stays.
  const core::Diagnostics smaller = sdk::news(before, after);
  std::erase_if(mended, [&](const core::Diagnostic& each) {
    return std::ranges::any_of(smaller, [&](const core::Diagnostic& other) {
      return other.code == each.code && other.place.path == each.place.path;
    });
  });
  core::Diagnostics left = sdk::news(mended, before);
  const core::Place place{request.sdk};
  if (!left.empty()) {
    core::Diagnostic one = core::warning(
        Code::kSdkFollow,
        fmt::format("this tree had {} before, and keeps {}: {}",
                    core::plural(before.size(), "finding"),
                    left.size() == before.size() ? std::string{left.size() == 1 ? "it" : "them"}
                                                 : fmt::format("{}", left.size()),
                    check.command),
        place,
        request.hand_edits == sdk::HandEdits::kForce
            ? ""
            : "--force puts right what does not follow the map");
    add_details(std::move(left), platform.folder, one);
    faults.told.push_back(std::move(one));
  }
  if (!mended.empty()) {
    for (const core::Diagnostic& each : mended) {
      faults.repairs.push_back(line_of(each, platform.folder));
    }
    core::Diagnostic one = core::warning(
        Code::kSdkFollow,
        fmt::format("this puts right {} besides", core::plural(mended.size(), "finding")),
        place);
    add_details(std::move(mended), platform.folder, one);
    faults.told.push_back(std::move(one));
  }
  return faults;
}

}  // namespace memsize::app
