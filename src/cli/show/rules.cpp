// Gathers the rules from the rooms that have them: checks of maps, written files, trees and plans.
#include "rules.hpp"

#include "memsize/emit/verify.hpp"
#include "memsize/layout/boot_image.hpp"
#include "memsize/layout/check.hpp"
#include "memsize/layout/device_tree.hpp"
#include "memsize/layout/firmware.hpp"
#include "memsize/layout/probe.hpp"
#include "memsize/network/nnapi.hpp"
#include "memsize/plan/check_plan.hpp"
#include "memsize/sdk/check.hpp"

namespace memsize::cli {

std::vector<Rule> all_rules() {
  std::vector<Rule> rules;
  for (const layout::Check& check : layout::all_checks()) {
    rules.push_back(
        {check.code,
         check.severity,
         check.prerequisite == check.code ? std::nullopt : std::optional{check.prerequisite},
         check.rule,
         check.source});
  }
  const auto add = [&](const std::vector<core::Rule>& more) {
    for (const core::Rule& rule : more) {
      rules.push_back({rule.code, rule.severity, std::nullopt, rule.rule, rule.source});
    }
  };
  add(emit::written_rules());
  add(sdk::tree_rules());
  add(layout::firmware_rules());
  add(layout::device_tree_rules());
  add(layout::boot_image_rules());
  add(layout::probe_rules());
  rules.push_back({core::Code::kSizingDoesNotFit,
                   core::Severity::kError,
                   std::nullopt,
                   "a heap holds what the trace took from it",
                   "the trace that check --log or --sizing names"});
  add(plan::plan_rules());
  add(network::nnapi_rules());
  return rules;
}

}  // namespace memsize::cli
