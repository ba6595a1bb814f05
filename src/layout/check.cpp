#include "memsize/layout/check.hpp"

#include "checks.hpp"

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

template <typename Wanted>
core::Diagnostics run_checks(const MemoryMap& map, const Wanted& wanted) {
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
    if (core::has_errors(own)) {
      failed.insert(check.code);
    }
    found.insert(found.end(), own.begin(), own.end());
  }
  core::sort_by_place(found);
  return found;
}

}  // namespace

core::Diagnostics check_map(const MemoryMap& map) {
  return run_checks(map, [](core::Code) { return true; });
}

core::Diagnostics check_map(const MemoryMap& map, const std::set<core::Code>& only) {
  return run_checks(map, [&](core::Code code) { return only.contains(code); });
}

}  // namespace memsize::layout
