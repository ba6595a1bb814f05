// The memories of a part as banks, and which of them a name means.
#pragma once

#include "mistakes.hpp"
#include "problem.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::plan {

struct Banks {
  std::vector<Bank> all;
  /// The cheapest first.
  std::vector<std::size_t> by_cost;
  /// The part's name; empty where nobody named one.
  std::string part;

  [[nodiscard]] const Bank& operator[](std::size_t bank) const { return all[bank]; }

  [[nodiscard]] std::optional<std::size_t> named(const std::string& name) const;
  /// For messages.
  [[nodiscard]] std::vector<std::string> names() const;
  /// The one that `who` ("a rule asks for") wants; a mistake where it is not there.
  [[nodiscard]] std::optional<std::size_t> asked(const std::string& name,
                                                 const core::Place& place,
                                                 std::string_view who,
                                                 Mistakes& mistakes) const;
};

/// With what the options' rules and limits change. Notes: limits that are none.
[[nodiscard]] Banks banks_of(const board::MemorySet& part,
                             const PlanOptions& options,
                             const std::vector<model::PlannedBlock>& blocks,
                             Mistakes& mistakes,
                             core::Diagnostics& notes);

}  // namespace memsize::plan
