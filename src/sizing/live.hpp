// Which models of a core may have been live at the same time, and the heaviest set of them.
//
// Within one log an address belongs to one live block at a time, so two models whose persistent
// blocks share an address were never live together. That is all that is used: in which order the
// log has them says nothing, because models are deleted without a word. Logs of several runs all
// begin with empty heaps: that their addresses overlap says nothing about what will be loaded
// together.
#pragma once

#include "memsize/model/recording.hpp"

#include "overlaps.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace memsize::sizing {

/// A set of instances by their index in the core.
struct LiveSet {
  std::vector<std::size_t> instances;
  /// False: too many lie over each other to search, and the set is heavier than any that was live,
  /// or as heavy.
  bool exact = true;
};

/// The instances of one core, in groups of which no two share an address.
class LiveModels {
 public:
  /// Of each pair in `perhaps_one` both may be one model: only one of them counts.
  explicit LiveModels(const std::vector<model::Instance>& instances,
                      const std::vector<std::pair<std::size_t, std::size_t>>& perhaps_one = {});

  /// The heaviest instances that no two of one input lie over each other; `weights` has one weight
  /// an instance, and those without weight are left out. Sorted.
  [[nodiscard]] LiveSet heaviest(const std::vector<std::uint64_t>& weights) const;

  /// Whether two of them may be one model.
  [[nodiscard]] bool any_perhaps_one() const { return any_perhaps_one_; }

  /// Groups of two or more that lie over each other or may be one model, directly or one over the
  /// next. Sorted.
  [[nodiscard]] const std::vector<std::vector<std::size_t>>& groups() const { return groups_; }

 private:
  const std::vector<model::Instance>& instances_;
  bool any_perhaps_one_;
  std::vector<std::size_t> alone_;
  std::vector<std::vector<std::size_t>> groups_;
  // For each group which of its members lie over each other, by their position in it; nothing of a
  // group that is too large for that.
  std::vector<std::optional<Relation>> conflicts_;
};

}  // namespace memsize::sizing
