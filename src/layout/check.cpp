// Runs the checks one after the other: one whose prerequisite failed counts as failed and is left
// out. An accepted error becomes a warning; an accepted one that nothing shows is noted.
#include "memsize/layout/check.hpp"

#include "accepted.hpp"
#include "checks.hpp"

#include <fmt/format.h>

namespace memsize::layout {

const std::vector<Check>& all_checks() {
  static const std::vector<Check> checks = [] {
    std::vector<Check> all = region_checks();
    all.insert(all.end(), mmu_checks().begin(), mmu_checks().end());
    all.insert(all.end(), mpu_checks().begin(), mpu_checks().end());
    return all;
  }();
  return checks;
}

namespace {

using Met = std::set<const board::AcceptedDefect*>;

// Adds those that some finding is.
void accept(const board::Accepted& accepted, core::Diagnostics& found, Met& met) {
  for (core::Diagnostic& finding : found) {
    const board::AcceptedDefect* known = find_accepted(accepted, finding);
    if (finding.severity == core::Severity::kError && known != nullptr) {
      met.insert(known);
      finding.severity = core::Severity::kWarning;
      finding.message += fmt::format(": accepted, because {}", known->why);
      finding.hint = "the board names it under [[accepted]]; anything beyond it is an error";
    }
  }
}

template <typename Wanted>
core::Diagnostics run_checks(const MemoryMap& map,
                             const Wanted& wanted,
                             const board::Accepted& accepted = {}) {
  Met met;
  core::Diagnostics found;
  std::set<core::Code> failed;
  for (const Check& check : all_checks()) {
    if (!wanted(check.code)) {
      continue;
    }
    // What a failed check made meaningless fails with it.
    if (check.prerequisite != check.code && failed.contains(check.prerequisite)) {
      failed.insert(check.code);
      continue;
    }
    core::Diagnostics own;
    check.run(map, own);
    accept(accepted, own, met);
    if (core::has_errors(own)) {
      failed.insert(check.code);
    }
    found.insert(found.end(), own.begin(), own.end());
  }
  // After an error, checks may not have run.
  for (const board::AcceptedDefect& defect : accepted) {
    if (failed.empty() && !met.contains(&defect)) {
      found.push_back(core::note(
          core::Code::kBoardValue,
          fmt::format(
              "this accepted defect is no longer there: {}: {}", defect.code, defect.message),
          defect.place,
          "remove it, unless other sizes bring it back"));
    }
  }
  core::sort_by_place(found);
  return found;
}

}  // namespace

core::Diagnostics check_map(const MemoryMap& map) {
  return run_checks(map, [](core::Code) { return true; });
}

core::Diagnostics check_and_accept(const MemoryMap& map) {
  return run_checks(
      map, [](core::Code) { return true; }, map.board.accepted);
}

core::Diagnostics check_map(const MemoryMap& map, const std::set<core::Code>& only) {
  return run_checks(map, [&](core::Code code) { return only.contains(code); });
}

}  // namespace memsize::layout
