// Written before read, read before written again, and written before written again; what touches a
// persistent block may change it, whatever the operator says.
#include "order_problem.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace memsize::plan {

namespace {

using model::Lifetime;
using model::PlannedBlock;

class ProblemBuilder {
 public:
  explicit ProblemBuilder(const model::PlanReport& report)
      : report_(report), roots_(roots_in(report)) {}

  OrderProblem build() {
    make_units();
    make_tensors();
    part_inner();
    order_units();
    return std::move(problem_);
  }

 private:
  void make_units() {
    const auto& operators = report_.network.operators;
    for (std::size_t i = 0; i < operators.size(); ++i) {
      if (operators[i].caller.empty() || problem_.units.empty()) {
        problem_.units.emplace_back();
      }
      problem_.units.back().operators.push_back(i);
    }
  }

  void make_tensors() {
    std::map<std::size_t, std::size_t> tensor_of;
    for (const PlannedBlock& block : report_.blocks) {
      const std::size_t root = roots_.at(block.id);
      const PlannedBlock& bytes = report_.blocks[root];
      if (bytes.role != Lifetime::kScratch) {
        continue;
      }
      const auto [found, is_new] = tensor_of.emplace(root, problem_.tensors.size());
      if (is_new) {
        problem_.tensors.push_back({.size = slot_of(bytes)});
      }
      OrderTensor& tensor = problem_.tensors[found->second];
      tensor.is_input = tensor.is_input || block.is_input;
      tensor.is_output = tensor.is_output || block.is_output;
    }
    for (std::size_t number = 0; number < problem_.units.size(); ++number) {
      std::set<std::size_t> used;
      for_each_use(number, [&](std::size_t root, bool) {
        if (const auto tensor = tensor_of.find(root); tensor != tensor_of.end()) {
          used.insert(tensor->second);
        }
      });
      for (const std::size_t tensor : used) {
        problem_.tensors[tensor].users.push_back(number);
      }
      problem_.units[number].tensors.assign(used.begin(), used.end());
    }
  }

  // What one unit alone uses, it makes and frees again.
  void part_inner() {
    for (OrderUnit& unit : problem_.units) {
      problem_.is_exact = problem_.is_exact && (unit.operators.size() == 1 || unit.tensors.empty());
      std::erase_if(unit.tensors, [&](std::size_t number) {
        const OrderTensor& tensor = problem_.tensors[number];
        const bool is_inner = tensor.users.size() == 1 && !tensor.is_input && !tensor.is_output;
        unit.inner += is_inner ? tensor.size : 0;
        return is_inner;
      });
    }
  }

  struct Use {
    std::optional<std::size_t> writer;
    std::set<std::size_t> readers;
  };

  void order_units() {
    std::vector<std::set<std::size_t>> before(problem_.units.size());
    // By root.
    std::map<std::size_t, Use> uses;
    for (std::size_t unit = 0; unit < problem_.units.size(); ++unit) {
      for_each_use(unit, [&](std::size_t root, bool writes) {
        Use& use = uses[root];
        if (use.writer) {
          before[unit].insert(*use.writer);
        }
        if (writes || report_.blocks[root].role == Lifetime::kPersistent) {
          before[unit].insert(use.readers.begin(), use.readers.end());
          use = {unit, {}};
        } else {
          use.readers.insert(unit);
        }
      });
      before[unit].erase(unit);
      for (const std::size_t other : before[unit]) {
        problem_.units[other].after.push_back(unit);
      }
      problem_.units[unit].before.assign(before[unit].begin(), before[unit].end());
    }
  }

  // Of blocks that the unit's operators read, then of those that they write, operator by operator;
  // what is no block is passed over.
  template <typename Take>
  void for_each_use(std::size_t unit, Take take) const {
    for (const std::size_t at : problem_.units[unit].operators) {
      const model::Operator& each = report_.network.operators[at];
      for (const bool writes : {false, true}) {
        for (const std::string& id : writes ? each.writes : each.reads) {
          if (const auto root = roots_.find(id); root != roots_.end()) {
            take(root->second, writes);
          }
        }
      }
    }
  }

  const model::PlanReport& report_;
  std::map<std::string, std::size_t> roots_;
  OrderProblem problem_;
};

}  // namespace

OrderProblem order_problem(const model::PlanReport& report) {
  return ProblemBuilder{report}.build();
}

std::map<std::string, std::size_t> roots_in(const model::PlanReport& report) {
  const auto roots = model::roots_of(report.blocks);
  std::map<std::string, std::size_t> found;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    found[report.blocks[i].id] =
        roots[i] == nullptr ? i : static_cast<std::size_t>(roots[i] - report.blocks.data());
  }
  return found;
}

std::uint64_t slot_of(const model::PlannedBlock& block) {
  return core::align_up(block.size, block.alignment.value_or(core::Align{})).count();
}

}  // namespace memsize::plan
