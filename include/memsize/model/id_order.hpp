// The blocks of a report by their ids, for a million of them.
#pragma once

#include "memsize/model/plan.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace memsize::model {

struct IdOrder {
  /// Indices by id; of equal ids, in the report's order.
  std::vector<std::size_t> blocks;
  /// Each block with the id of another one that stands before it, and the nearest such one; in the
  /// report's order.
  std::vector<std::pair<std::size_t, std::size_t>> repeated;
};

/// Sorted, not hashed: ids are data, and could be chosen to collide.
[[nodiscard]] IdOrder order_by_id(const std::vector<PlannedBlock>& blocks);

}  // namespace memsize::model
