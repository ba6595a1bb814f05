// What must run before what, and what each operator needs: the question that order.cpp answers.
#pragma once

#include "memsize/model/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace memsize::plan {

/// An operator with those that it calls, which nothing parts.
struct OrderUnit {
  /// By place in the report's network.
  std::vector<std::size_t> operators;
  /// Units that run before it, and those that wait for it.
  std::vector<std::size_t> before;
  std::vector<std::size_t> after;
  /// Tensors that other units use, too, or the network's own.
  std::vector<std::size_t> tensors;
  /// Bytes, at most, of what nobody else uses.
  std::uint64_t inner = 0;
};

/// A scratch block, with all that lies in its bytes.
struct OrderTensor {
  std::uint64_t size = 0;
  /// Units, in the report's order.
  std::vector<std::size_t> users;
  bool is_input = false;
  bool is_output = false;
};

struct OrderProblem {
  std::vector<OrderUnit> units;
  std::vector<OrderTensor> tensors;
  /// What each unit needs is known to the byte: `inner` of called subgraphs counts them as if they
  /// did all at once.
  bool is_exact = true;
};

[[nodiscard]] OrderProblem order_problem(const model::PlanReport& report);

/// By id, the block in whose bytes it lies: its own, or another's; places in report.blocks.
[[nodiscard]] std::map<std::string, std::size_t> roots_in(const model::PlanReport& report);

/// Of a block's bytes with what its alignment adds.
[[nodiscard]] std::uint64_t slot_of(const model::PlannedBlock& block);

}  // namespace memsize::plan
