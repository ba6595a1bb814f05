// Which slot goes to which bank.
#pragma once

#include "arenas.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace memsize::plan {

struct Assignment {
  /// An index into each slot's homes.
  std::vector<std::size_t> homes;
  /// Every bank has room.
  bool fits = false;
  /// Every assignment was looked at: where it does not fit, nothing does; where it does, no other
  /// that fits is cheaper.
  bool complete = false;
  /// By bank: how its scratch arena fits, where a search had to find that.
  std::map<std::size_t, Packing> packings;
};

[[nodiscard]] Assignment assign(const Problem& problem, Packer& packer);

/// Whether an assignment is known to fit as it is; where a home is kNowhere, without that slot.
/// When the time is over, none of many slots is.
[[nodiscard]] bool holds(const Problem& problem,
                         const std::vector<std::size_t>& homes,
                         Packer& packer);

/// Whether a plan is found, however dear it is. `work`, in slots looked at and steps of searches,
/// is what this may take, and what it leaves.
[[nodiscard]] bool is_plannable(const Problem& problem, Packer& packer, std::uint64_t& work);

/// The least budget of a bank, at most `most`, that a plan is found with; where `work` ends before
/// that is sure, the least so far. Nothing: not even with `most`.
[[nodiscard]] std::optional<std::uint64_t> least_budget(
    Problem problem, std::size_t bank, std::uint64_t most, Packer& packer, std::uint64_t& work);

/// Whether any slot has more than one home; else there is one assignment.
[[nodiscard]] bool has_choice(const Problem& problem);

}  // namespace memsize::plan
