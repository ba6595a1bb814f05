// Which memories a slot may go to.
#pragma once

#include "banks.hpp"

#include <vector>

namespace memsize::plan {

/// What is asked of a slot.
struct Wish {
  const model::PlanReport& report;
  const model::PlannedBlock& root;
  const TensorAttributes& rule;
  /// It shall stay where the report has it.
  bool keeps = false;

  [[nodiscard]] core::Place place() const { return {report.path, root.line}; }
};

/// Preferred first, without their prices; none where something is wrong.
[[nodiscard]] std::vector<Home> homes_of(const Wish& wish, const Banks& banks, Mistakes& mistakes);

}  // namespace memsize::plan
