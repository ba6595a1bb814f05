// The operators of a model in an order that needs less memory: data says what must come before
// what, and the compiler chose among the rest.
#pragma once

#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/model/plan.hpp"
#include "memsize/plan/pack.hpp"

#include <string>
#include <vector>

namespace memsize::plan {

struct OperatorOrder {
  /// Ids, in the order in which they run.
  std::vector<std::string> operators;
  /// Alive at the busiest step of the order that the report has, and of this one; equal where the
  /// report's is kept.
  core::Bytes given;
  core::Bytes found;
  /// No order is less busy.
  bool is_least = false;
};

/// Larger models take longer than anybody waits for.
inline constexpr std::size_t kMostOrdered = 10'000;

/// Looks for an order of `report.network` whose busiest step needs less, and puts operators and the
/// lives of scratch blocks into it; what scratch blocks had as offsets is forgotten. An operator
/// runs behind those that wrote what it reads, and behind those that used what it overwrites;
/// operators that touch a persistent block keep their order, because any of them may change it, and
/// those of a subgraph stay with the operator that calls them. Where none is found, or where its
/// scratch packs no lower, the report stays as it is, and so it does where limits.stop ends the
/// search; limits.time is kept by looking at fewer orders. Errors (plan.order): a report that names
/// no operators, more than kMostOrdered, or whose lifetimes are not those of its operators.
[[nodiscard]] core::Result<OperatorOrder> reorder(model::PlanReport& report,
                                                  const PackLimits& limits);

}  // namespace memsize::plan
