// States are sets of operators that have run; of each as many operators run as is possible, and a
// state that is reached in two ways is kept as the less busy one. With all states of a length kept
// that is complete; of a wide network the least busy ones are kept, so many that it ends soon.
//
// Complete all the same: an operator that may run, makes nothing larger and is no busier than what
// was seen already runs at once. Put first in any order from here on, it makes no later step
// larger: what it frees here is freed by nobody else, and what it makes is no more than that.
#include "memsize/plan/order.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/plan/check_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace memsize::plan {

namespace {

using core::Code;
using model::Lifetime;
using model::PlannedBlock;

/// States of one length that are kept: together with the operators, a second or two.
constexpr std::size_t kMostStates = 2000;
constexpr std::size_t kFewestStates = 16;
constexpr std::size_t kStatesOfAll = 2'000'000;

constexpr unsigned kWord = 64;

/// A set of small numbers.
class Bits {
 public:
  explicit Bits(std::size_t size = 0) : words_((size + kWord - 1) / kWord) {}

  void set(std::size_t at) { words_[at / kWord] |= std::uint64_t{1} << (at % kWord); }

  [[nodiscard]] bool has(std::size_t at) const {
    return ((words_[at / kWord] >> (at % kWord)) & 1U) != 0;
  }

  [[nodiscard]] bool holds(const Bits& all) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if ((all.words_[i] & ~words_[i]) != 0) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool meets(const Bits& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & other.words_[i]) != 0) {
        return true;
      }
    }
    return false;
  }

  friend bool operator==(const Bits&, const Bits&) = default;

  struct Hash {
    std::size_t operator()(const Bits& bits) const {
      // FNV-1a, by words.
      std::uint64_t hash = 14695981039346656037U;
      for (const std::uint64_t word : bits.words_) {
        hash = (hash ^ word) * 1099511628211U;
      }
      return static_cast<std::size_t>(hash ^ (hash >> 32U));
    }
  };

 private:
  std::vector<std::uint64_t> words_;
};

/// An operator with those that it calls.
struct Unit {
  std::vector<std::size_t> operators;
  Bits before;
  /// Tensors that others use, too.
  std::vector<std::size_t> tensors;
  /// At most, of what nobody else uses.
  std::uint64_t inner = 0;
};

/// A scratch block, with all that lies in its bytes.
struct Tensor {
  std::uint64_t size = 0;
  Bits users;
  bool is_input = false;
  bool is_output = false;
};

struct Life {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = -1;
};

core::Diagnostic no_order(const model::PlanReport& report, std::string what, std::string hint) {
  return core::error(Code::kPlanOrder, std::move(what), {report.path}, std::move(hint));
}

// What the operators say, run in this order.
std::map<std::string, Life> lives_of(const model::PlanReport& report,
                                     const std::vector<std::size_t>& order) {
  std::map<std::string, Life> lives;
  for (std::size_t step = 0; step < order.size(); ++step) {
    const model::Operator& each = report.network.operators[order[step]];
    for (const auto* ids : {&each.reads, &each.writes}) {
      for (const std::string& id : *ids) {
        Life& life = lives[id];
        life.first = std::min(life.first, static_cast<std::int64_t>(step));
        life.last = static_cast<std::int64_t>(step);
      }
    }
  }
  const std::int64_t last = static_cast<std::int64_t>(order.size()) - 1;
  for (const PlannedBlock& block : report.blocks) {
    if (block.is_input) {
      Life& life = lives[block.id];
      life = {0, std::max<std::int64_t>(life.last, 0)};
    }
    if (block.is_output) {
      Life& life = lives[block.id];
      life = {std::min(life.first, last), last};
    }
  }
  return lives;
}

// By id, the block in whose bytes it lies: its own, or another's.
std::map<std::string, std::size_t> roots_in(const model::PlanReport& report) {
  const auto roots = model::roots_of(report.blocks);
  std::map<std::string, std::size_t> found;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    found[report.blocks[i].id] =
        roots[i] == nullptr ? i : static_cast<std::size_t>(roots[i] - report.blocks.data());
  }
  return found;
}

std::uint64_t slot_of(const PlannedBlock& block) {
  return core::align_up(block.size, block.alignment.value_or(core::Align{})).count();
}

core::Bytes peak_in(const model::PlanReport& report) {
  const auto roots = roots_in(report);
  std::map<std::size_t, PlacedBuffer> buffers;
  for (const PlannedBlock& block : report.blocks) {
    if (block.role == Lifetime::kScratch && block.live) {
      const std::size_t root = roots.at(block.id);
      const auto [buffer, is_new] = buffers.try_emplace(
          root,
          PlacedBuffer{block.live->lower, block.live->upper, 0, slot_of(report.blocks[root])});
      buffer->second.lower = std::min(buffer->second.lower, block.live->lower);
      buffer->second.upper = std::max(buffer->second.upper, block.live->upper);
    }
  }
  std::vector<PlacedBuffer> placed;
  for (const auto& [root, buffer] : buffers) {
    placed.push_back(buffer);
  }
  return core::Bytes{peak_of(placed).bytes};
}

// What the busiest operator uses: no order needs less.
core::Bytes busiest_operator(const model::PlanReport& report) {
  const auto roots = roots_in(report);
  std::uint64_t busiest = 0;
  for (const model::Operator& each : report.network.operators) {
    std::set<std::size_t> used;
    for (const auto* ids : {&each.reads, &each.writes}) {
      for (const std::string& id : *ids) {
        if (const auto root = roots.find(id); root != roots.end()) {
          used.insert(root->second);
        }
      }
    }
    std::uint64_t sum = 0;
    for (const std::size_t root : used) {
      const PlannedBlock& block = report.blocks[root];
      sum += block.role == Lifetime::kScratch ? slot_of(block) : 0;
    }
    busiest = std::max(busiest, sum);
  }
  return core::Bytes{busiest};
}

// The report's own lives, where they are what its operators say.
std::optional<core::Diagnostic> check_lives(const model::PlanReport& report,
                                            const std::map<std::string, Life>& lives) {
  for (const PlannedBlock& block : report.blocks) {
    if (block.role != Lifetime::kScratch) {
      continue;
    }
    const std::string name = core::printable(block.id, 60);
    if (!block.windows.empty()) {
      return no_order(
          report,
          fmt::format("block '{}' needs parts of its bytes at times: another order is not for such "
                      "plans",
                      name),
          "plan it in the order that it has, without --reorder");
    }
    const auto life = lives.find(block.id);
    if (!block.live || life == lives.end() || block.live->lower != life->second.first ||
        block.live->upper != life->second.last + 1) {
      return no_order(report,
                      fmt::format("block '{}' is alive at other steps than the operators that use "
                                  "it: what must come before what is not known",
                                  name),
                      "name the model (.tflite) that the report is of, alone");
    }
  }
  return std::nullopt;
}

class Search {
 public:
  /// No order is less busy than `least`.
  Search(const model::PlanReport& report, core::Bytes least)
      : report_(report), roots_(roots_in(report)), least_(least.count()) {
    make_units();
    make_tensors();
    order_units();
  }

  /// Operators by number; empty: nothing below `given` was found.
  [[nodiscard]] std::vector<std::size_t> run(core::Bytes given, bool& is_complete) {
    limit_ = given.count();
    std::vector<State> states(1);
    states.front().done = Bits{units_.size()};
    const Bits none{units_.size()};
    for (const Tensor& tensor : tensors_) {
      // An input that nobody uses is there for a step.
      const bool is_used = tensor.is_output || tensor.users != none;
      (is_used ? states.front().live : unused_) += tensor.is_input ? tensor.size : 0;
    }
    // What a called subgraph needs is counted as if it did all at once.
    is_complete = std::ranges::none_of(units_, [](const Unit& unit) {
      return unit.operators.size() > 1 && (unit.inner != 0 || !unit.tensors.empty());
    });
    const std::size_t most = std::clamp(kStatesOfAll / units_.size(), kFewestStates, kMostStates);
    for (std::size_t length = 0; length < units_.size() && !states.empty(); ++length) {
      states = next(states, most, is_complete);
    }
    return states.empty() ? std::vector<std::size_t>{} : path();
  }

 private:
  struct State {
    Bits done;
    std::uint64_t live = 0;
    std::uint64_t peak = 0;
    /// Of the states before; the unit that led here.
    std::uint32_t parent = 0;
    std::uint32_t unit = 0;
  };

  struct Move {
    std::uint64_t live = 0;
    std::uint64_t peak = 0;
    bool is_free = false;
  };

  void make_units() {
    const auto& operators = report_.network.operators;
    for (std::size_t i = 0; i < operators.size(); ++i) {
      if (operators[i].caller.empty() || units_.empty()) {
        units_.emplace_back();
      }
      units_.back().operators.push_back(i);
      unit_of_.push_back(units_.size() - 1);
    }
  }

  void make_tensors() {
    std::map<std::size_t, std::size_t> tensor_of;
    std::map<std::string, std::size_t> known;
    for (const PlannedBlock& block : report_.blocks) {
      const std::size_t root = roots_.at(block.id);
      const PlannedBlock& bytes = report_.blocks[root];
      if (bytes.role != Lifetime::kScratch) {
        continue;
      }
      const auto [tensor, is_new] = tensor_of.emplace(root, tensors_.size());
      if (is_new) {
        tensors_.push_back({slot_of(bytes), Bits{units_.size()}});
      }
      tensors_[tensor->second].is_input |= block.is_input;
      tensors_[tensor->second].is_output |= block.is_output;
      known.emplace(block.id, tensor->second);
    }
    std::vector<std::size_t> users(tensors_.size());
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      std::vector<std::size_t> used;
      for (const std::size_t at : units_[unit].operators) {
        const model::Operator& each = report_.network.operators[at];
        for (const auto* ids : {&each.reads, &each.writes}) {
          for (const std::string& id : *ids) {
            if (const auto tensor = known.find(id); tensor != known.end()) {
              used.push_back(tensor->second);
            }
          }
        }
      }
      std::ranges::sort(used);
      used.erase(std::unique(used.begin(), used.end()), used.end());
      for (const std::size_t tensor : used) {
        tensors_[tensor].users.set(unit);
        ++users[tensor];
      }
      units_[unit].tensors = std::move(used);
    }
    for (Unit& unit : units_) {
      // What only a subgraph uses is as large as all of it, which is no less than it is.
      std::erase_if(unit.tensors, [&](std::size_t tensor) {
        const Tensor& each = tensors_[tensor];
        const bool is_inner = users[tensor] == 1 && !each.is_input && !each.is_output;
        unit.inner += is_inner ? each.size : 0;
        return is_inner;
      });
    }
  }

  void order_units() {
    struct Use {
      std::optional<std::size_t> writer;
      std::vector<std::size_t> readers;
    };

    // By root; what is no block is constant.
    std::map<std::size_t, Use> uses;
    const auto before = [&](std::size_t unit, std::size_t other) {
      if (unit != other) {
        units_[unit].before.set(other);
      }
    };
    for (Unit& unit : units_) {
      unit.before = Bits{units_.size()};
    }
    for (std::size_t i = 0; i < report_.network.operators.size(); ++i) {
      const model::Operator& each = report_.network.operators[i];
      const std::size_t unit = unit_of_[i];
      const auto write = [&](Use& use) {
        if (use.writer) {
          before(unit, *use.writer);
        }
        for (const std::size_t reader : use.readers) {
          before(unit, reader);
        }
        use = {unit, {}};
      };
      for (const std::string& id : each.reads) {
        const auto root = roots_.find(id);
        if (root == roots_.end()) {
          continue;
        }
        Use& use = uses[root->second];
        if (report_.blocks[root->second].role == Lifetime::kPersistent) {
          write(use);
        } else {
          if (use.writer) {
            before(unit, *use.writer);
          }
          use.readers.push_back(unit);
        }
      }
      for (const std::string& id : each.writes) {
        if (const auto root = roots_.find(id); root != roots_.end()) {
          write(uses[root->second]);
        }
      }
    }
  }

  [[nodiscard]] Move move(const State& state, std::size_t number) const {
    const Unit& unit = units_[number];
    std::uint64_t made = 0;
    std::uint64_t freed = 0;
    Bits done = state.done;
    done.set(number);
    for (const std::size_t at : unit.tensors) {
      const Tensor& tensor = tensors_[at];
      made += tensor.is_input || state.done.meets(tensor.users) ? 0 : tensor.size;
      freed += !tensor.is_output && done.holds(tensor.users) ? tensor.size : 0;
    }
    const std::uint64_t during = state.live + made + unit.inner + (steps_.empty() ? unused_ : 0);
    return {.live = state.live + made - freed,
            .peak = std::max(state.peak, during),
            .is_free = made <= freed && during <= std::max(state.peak, least_)};
  }

  std::vector<State> next(const std::vector<State>& states, std::size_t most, bool& is_complete) {
    std::vector<State> found;
    std::unordered_map<Bits, std::size_t, Bits::Hash> known;
    for (std::size_t parent = 0; parent < states.size(); ++parent) {
      for (const auto& [unit, move] : moves(states[parent])) {
        State state{states[parent].done,
                    move.live,
                    move.peak,
                    static_cast<std::uint32_t>(parent),
                    static_cast<std::uint32_t>(unit)};
        state.done.set(unit);
        const auto [other, is_new] = known.emplace(state.done, found.size());
        if (is_new) {
          found.push_back(std::move(state));
        } else if (state.peak < found[other->second].peak) {
          found[other->second] = std::move(state);
        }
      }
    }
    if (found.size() > most) {
      is_complete = false;
      std::ranges::stable_sort(found, {}, [](const State& state) {
        return std::pair{state.peak, state.live};
      });
      found.resize(most);
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>>& steps = steps_.emplace_back();
    for (const State& state : found) {
      steps.emplace_back(state.parent, state.unit);
    }
    return found;
  }

  // Those that may run and lead below the limit; one alone where nothing can be better.
  [[nodiscard]] std::vector<std::pair<std::size_t, Move>> moves(const State& state) const {
    std::vector<std::pair<std::size_t, Move>> list;
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      if (state.done.has(unit) || !state.done.holds(units_[unit].before)) {
        continue;
      }
      const Move one = move(state, unit);
      if (one.is_free && one.peak < limit_) {
        return {{unit, one}};
      }
      if (one.peak < limit_) {
        list.emplace_back(unit, one);
      }
    }
    return list;
  }

  // The last length has one state, the least busy way to it.
  [[nodiscard]] std::vector<std::size_t> path() const {
    std::vector<std::size_t> units;
    std::uint32_t at = 0;
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      units.push_back((*step)[at].second);
      at = (*step)[at].first;
    }
    std::vector<std::size_t> order;
    for (auto unit = units.rbegin(); unit != units.rend(); ++unit) {
      order.insert(order.end(), units_[*unit].operators.begin(), units_[*unit].operators.end());
    }
    return order;
  }

  const model::PlanReport& report_;
  std::map<std::string, std::size_t> roots_;
  std::vector<Unit> units_;
  std::vector<std::size_t> unit_of_;
  std::vector<Tensor> tensors_;
  std::uint64_t least_ = 0;
  std::uint64_t limit_ = 0;
  std::uint64_t unused_ = 0;
  /// By length and state: where it came from.
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> steps_;
};

void put_in_order(model::PlanReport& report, const std::vector<std::size_t>& order) {
  const auto lives = lives_of(report, order);
  std::vector<model::Operator> operators;
  for (const std::size_t at : order) {
    operators.push_back(std::move(report.network.operators[at]));
  }
  report.network.operators = std::move(operators);
  for (PlannedBlock& block : report.blocks) {
    if (block.role == Lifetime::kScratch) {
      const Life& life = lives.at(block.id);
      block.live = {life.first, life.last + 1};
      block.offset.reset();
    }
  }
}

}  // namespace

core::Result<OperatorOrder> reorder(model::PlanReport& report) {
  const std::size_t count = report.network.operators.size();
  if (count == 0 || count > kMostOrdered) {
    return core::fail(no_order(
        report,
        count == 0 ? fmt::format("this {} does not say which operator reads and writes what",
                                 report.format)
                   : fmt::format("the model has {} operators; another order is looked for of at "
                                 "most {}",
                                 count,
                                 kMostOrdered),
        count == 0 ? "name the model (.tflite), or heliaAOT's manifest of operators"
                   : "plan it in the order that it has, without --reorder"));
  }
  core::Bytes all;
  for (const PlannedBlock& block : report.blocks) {
    all += block.role == Lifetime::kScratch ? core::Bytes{slot_of(block)} : core::Bytes{};
  }
  if (all > model::kLargestPlan) {
    return core::fail(
        no_order(report,
                 fmt::format("its scratch blocks are {} together, more than a plan may be",
                             core::format_bytes(all)),
                 "its sizes say something else than bytes"));
  }
  std::vector<std::size_t> given(count);
  std::iota(given.begin(), given.end(), std::size_t{0});
  if (auto error = check_lives(report, lives_of(report, given)); error) {
    return core::fail(std::move(*error));
  }
  OperatorOrder order{.given = peak_in(report)};
  order.found = order.given;
  const core::Bytes least = busiest_operator(report);
  const std::vector<std::size_t> found = Search{report, least}.run(order.given, order.is_least);
  if (!found.empty()) {
    model::PlanReport other = report;
    put_in_order(other, found);
    if (const core::Bytes peak = peak_in(other); peak < order.given) {
      report = std::move(other);
      order.found = peak;
    }
  }
  order.is_least = order.is_least || order.found == least;
  order.operators = core::texts_of(report.network.operators, &model::Operator::id);
  return order;
}

}  // namespace memsize::plan
