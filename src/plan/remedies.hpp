// What would help where a plan does not fit.
#pragma once

#include "explain.hpp"

#include <string>
#include <vector>

namespace memsize::plan {

/// A bank that holds more than it may, and what it holds.
struct Overfull {
  std::size_t bank = 0;
  std::uint64_t needed = 0;
  /// It is proved that no plan needs less.
  bool is_least = false;
  const Arena* scratch = nullptr;
  std::vector<const Arena*> steady = {};
  /// Slots alive at the busiest step, largest first.
  std::vector<std::size_t> live = {};
};

/// A shortage, and what it is made of.
struct Lack {
  const Problem& problem;
  const model::PlanReport& wanted;
  const Planned& planned;
  /// All of them.
  const std::vector<Overfull>& banks;
};

/// The smallest changes that would do, in words, for each of the banks: where slots have a choice,
/// they are changes to the whole, and the same for all.
[[nodiscard]] std::vector<std::vector<std::string>> remedies_for(const Lack& lack, Packer& packer);

}  // namespace memsize::plan
