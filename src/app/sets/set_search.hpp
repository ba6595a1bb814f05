// Which sets of things fit, where every part of a set that fits does so, too: the sets to which
// nothing can be added, and those from which everything has to be kept for them not to fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace memsize::app {

/// Which of up to 64 things, a bit each.
using Set = std::uint64_t;

inline constexpr std::size_t kMostThings = 64;

[[nodiscard]] constexpr Set bit(std::size_t thing) {
  return Set{1} << thing;
}

[[nodiscard]] constexpr Set all_of(std::size_t things) {
  return things >= kMostThings ? ~Set{0} : bit(things) - 1;
}

/// Up to so many things, every set is known at the end.
inline constexpr std::size_t kEverySet = 20;

struct SetFamilies {
  /// They fit, and do no more with anything else. Sorted.
  std::vector<Set> maximal;
  /// They do not fit, but do so without any one of their members. Sorted.
  std::vector<Set> misfits;
  /// Every set is part of one of the first or has one of the second in it. Else there may be more
  /// of both.
  bool complete = true;
  /// How often `fits` was asked.
  std::size_t asked = 0;
};

/// Asks `fits` up to about `most` times. What comes first in `order`, which has each thing once, is
/// the first to be added to a set, and the last to be taken out.
[[nodiscard]] SetFamilies search_sets(const std::vector<std::size_t>& order,
                                      const std::function<bool(Set)>& fits,
                                      std::size_t most);

}  // namespace memsize::app
