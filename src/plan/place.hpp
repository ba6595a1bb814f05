// Which slot goes to which bank.
#pragma once

#include "arenas.hpp"

#include <cstddef>
#include <map>
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

/// One attempt to fit everything into one memory where no slot has a choice.
[[nodiscard]] bool has_choice(const Problem& problem);

}  // namespace memsize::plan
