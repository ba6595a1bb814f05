// States are sets of operators that have run, one length after the other; one that is reached in
// two ways is kept as the less busy one. With all states of each length looked at that is complete;
// of a wide network the least busy ones go on, as far as the steps reach.
//
// Complete all the same: an operator that may run, makes nothing larger and is no busier than what
// was seen already runs at once. Put first in any order from here on, it makes no later step
// larger: what it frees here is freed by nobody else, and what it makes is no more than that.
#include "memsize/plan/order.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/plan/check_plan.hpp"

#include "order_problem.hpp"

#include <algorithm>
#include <chrono>
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

/// Of the steps that a search may take, those that the search for an order takes, and each packing
/// of one. A step here is an operator that is tried behind a state: some four million take a
/// second.
constexpr unsigned kShareOfOrder = 8;
/// So many are tried of each length, whatever was asked for.
constexpr std::uint64_t kFewestOfLength = 64;
/// Of a time, half is the search's, and a quarter each packing's.
constexpr int kShareOfSearch = 2;
constexpr int kShareOfPacking = 4;

using Clock = std::chrono::steady_clock;

constexpr unsigned kWord = 64;

/// A set of small numbers.
class Bits {
 public:
  explicit Bits(std::size_t size = 0) : words_((size + kWord - 1) / kWord) {}

  void set(std::size_t at) { words_[at / kWord] |= std::uint64_t{1} << (at % kWord); }

  [[nodiscard]] bool has(std::size_t at) const {
    return ((words_[at / kWord] >> (at % kWord)) & 1U) != 0;
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

// Scratch, as long as anything of it is alive.
std::vector<Buffer> scratch_in(const model::PlanReport& report) {
  const auto roots = roots_in(report);
  std::map<std::size_t, Buffer> buffers;
  for (const PlannedBlock& block : report.blocks) {
    if (block.role == Lifetime::kScratch && block.live) {
      const std::size_t root = roots.at(block.id);
      const PlannedBlock& bytes = report.blocks[root];
      const auto [buffer, is_new] =
          buffers.try_emplace(root,
                              Buffer{.lower = block.live->lower,
                                     .upper = block.live->upper,
                                     .size = bytes.size,
                                     .alignment = bytes.alignment.value_or(core::Align{})});
      buffer->second.lower = std::min(buffer->second.lower, block.live->lower);
      buffer->second.upper = std::max(buffer->second.upper, block.live->upper);
    }
  }
  std::vector<Buffer> all;
  for (auto& [root, buffer] : buffers) {
    all.push_back(std::move(buffer));
  }
  return all;
}

core::Bytes peak_in(const model::PlanReport& report) {
  std::vector<PlacedBuffer> placed;
  for (const Buffer& buffer : scratch_in(report)) {
    placed.push_back(
        {buffer.lower, buffer.upper, 0, core::align_up(buffer.size, buffer.alignment).count()});
  }
  return core::Bytes{peak_of(placed).bytes};
}

// Of its scratch in one arena, as far as an eighth of the search comes.
core::Bytes height_in(const model::PlanReport& report, const PackLimits& limits) {
  PackLimits part{.steps = limits.steps / kShareOfOrder, .time = limits.time, .stop = limits.stop};
  if (part.time) {
    *part.time /= kShareOfPacking;
  }
  return pack(scratch_in(report), part).height;
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

std::optional<core::Diagnostic> cannot_be_ordered(const model::PlanReport& report) {
  const std::size_t count = report.network.operators.size();
  if (count == 0) {
    return no_order(
        report,
        fmt::format("this {} does not say which operator reads and writes what", report.format),
        "name the model (.tflite), or heliaAOT's manifest of operators");
  }
  if (count > kMostOrdered) {
    return no_order(report,
                    fmt::format("the model has {} operators; another order is looked for of at "
                                "most {}",
                                count,
                                kMostOrdered),
                    "plan it in the order that it has, without --reorder");
  }
  core::Bytes all;
  for (const PlannedBlock& block : report.blocks) {
    all += block.role == Lifetime::kScratch ? core::Bytes{slot_of(block)} : core::Bytes{};
  }
  if (all > model::kLargestPlan) {
    return no_order(report,
                    fmt::format("its scratch blocks are {} together, more than a plan may be",
                                core::format_bytes(all)),
                    "its sizes say something else than bytes");
  }
  std::vector<std::size_t> given(count);
  std::iota(given.begin(), given.end(), std::size_t{0});
  return check_lives(report, lives_of(report, given));
}

class OrderSearch {
 public:
  /// No order is less busy than `least`; only what is below `limit` is looked at.
  OrderSearch(const model::PlanReport& report, core::Bytes least, core::Bytes limit)
      : problem_(order_problem(report)), least_(least.count()), limit_(limit.count()) {}

  /// Operators by number; empty: nothing below the limit was found.
  [[nodiscard]] std::vector<std::size_t> run(const PackLimits& limits) {
    is_complete_ = problem_.is_exact;
    const auto begin = Clock::now();
    const auto count = static_cast<std::int64_t>(problem_.units.size());
    const auto end_of = [&](std::size_t length) {
      return limits.time ? begin + Clock::duration{*limits.time} / kShareOfSearch / count *
                                       static_cast<std::int64_t>(length + 1)
                         : Clock::time_point::max();
    };
    const std::uint64_t steps =
        std::max(limits.steps / kShareOfOrder / problem_.units.size(), kFewestOfLength);
    std::vector<State> states = {first()};
    for (std::size_t length = 0; length < problem_.units.size() && !states.empty(); ++length) {
      if (limits.stop && limits.stop()) {
        is_complete_ = false;
        return {};
      }
      states = next(states, steps, end_of(length));
    }
    return states.empty() ? std::vector<std::size_t>{} : path();
  }

  /// No state was left out.
  [[nodiscard]] bool is_complete() const { return is_complete_; }

 private:
  struct State {
    Bits done;
    /// Those that may run next, in the report's order.
    std::vector<std::uint32_t> ready;
    std::uint64_t live = 0;
    std::uint64_t peak = 0;
    /// Among those of its length.
    std::uint32_t number = 0;
    /// Among those before; the unit that led here.
    std::uint32_t parent = 0;
    std::uint32_t unit = 0;
  };

  struct Move {
    std::uint32_t unit = 0;
    std::uint64_t live = 0;
    std::uint64_t peak = 0;
    bool is_free = false;
  };

  [[nodiscard]] State first() {
    State state{.done = Bits{problem_.units.size()}};
    for (std::size_t unit = 0; unit < problem_.units.size(); ++unit) {
      if (problem_.units[unit].before.empty()) {
        state.ready.push_back(static_cast<std::uint32_t>(unit));
      }
    }
    for (const OrderTensor& tensor : problem_.tensors) {
      // An input that nobody uses is there for a step.
      const bool stays = tensor.is_output || !tensor.users.empty();
      (stays ? state.live : unused_) += tensor.is_input ? tensor.size : 0;
    }
    return state;
  }

  [[nodiscard]] Move move(const State& state, std::uint32_t number) const {
    const OrderUnit& unit = problem_.units[number];
    std::uint64_t made = 0;
    std::uint64_t freed = 0;
    for (const std::size_t at : unit.tensors) {
      const OrderTensor& tensor = problem_.tensors[at];
      const auto is_done = [&](std::size_t user) { return state.done.has(user); };
      const bool is_there = tensor.is_input || std::ranges::any_of(tensor.users, is_done);
      const bool is_last = std::ranges::all_of(
          tensor.users, [&](std::size_t user) { return user == number || is_done(user); });
      made += is_there ? 0 : tensor.size;
      freed += is_last && !tensor.is_output ? tensor.size : 0;
    }
    const std::uint64_t during = state.live + made + unit.inner + (ways_.empty() ? unused_ : 0);
    return {.unit = number,
            .live = state.live + made - freed,
            .peak = std::max(state.peak, during),
            .is_free = made <= freed && during <= std::max(state.peak, least_)};
  }

  // Below the limit; one alone where nothing can be better.
  [[nodiscard]] std::vector<Move> moves(const State& state) const {
    std::vector<Move> list;
    for (const std::uint32_t unit : state.ready) {
      const Move one = move(state, unit);
      if (one.peak < limit_ && one.is_free) {
        return {one};
      }
      if (one.peak < limit_) {
        list.push_back(one);
      }
    }
    return list;
  }

  [[nodiscard]] std::vector<std::uint32_t> ready_after(const State& state,
                                                       const Bits& done,
                                                       std::uint32_t unit) const {
    std::vector<std::uint32_t> ready = state.ready;
    std::erase(ready, unit);
    for (const std::size_t waiting : problem_.units[unit].after) {
      if (std::ranges::all_of(problem_.units[waiting].before,
                              [&](std::size_t before) { return done.has(before); })) {
        ready.push_back(static_cast<std::uint32_t>(waiting));
      }
    }
    std::ranges::sort(ready);
    return ready;
  }

  // The least busy states go on, as far as the steps and the time reach; one does always.
  std::vector<State> next(std::vector<State>& states, std::uint64_t steps, Clock::time_point end) {
    std::ranges::stable_sort(states, {}, [](const State& state) {
      return std::pair{state.peak, state.live};
    });
    std::vector<State> found;
    std::unordered_map<Bits, std::size_t, Bits::Hash> known;
    for (std::size_t parent = 0; parent < states.size(); ++parent) {
      if (steps == 0 || (!found.empty() && Clock::now() >= end)) {
        is_complete_ = false;
        break;
      }
      const State& from = states[parent];
      for (const Move& move : moves(from)) {
        steps -= std::min<std::uint64_t>(steps, 1);
        Bits done = from.done;
        done.set(move.unit);
        const auto [other, is_new] = known.emplace(done, found.size());
        if (!is_new && found[other->second].peak <= move.peak) {
          continue;
        }
        State state{.done = std::move(done),
                    .live = move.live,
                    .peak = move.peak,
                    .parent = from.number,
                    .unit = move.unit};
        state.ready = ready_after(from, state.done, move.unit);
        if (is_new) {
          found.push_back(std::move(state));
        } else {
          found[other->second] = std::move(state);
        }
      }
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>>& ways = ways_.emplace_back();
    for (State& state : found) {
      state.number = static_cast<std::uint32_t>(ways.size());
      ways.emplace_back(state.parent, state.unit);
    }
    return found;
  }

  // The last length has one state, the least busy way to it.
  [[nodiscard]] std::vector<std::size_t> path() const {
    std::vector<std::size_t> units;
    std::uint32_t at = 0;
    for (auto way = ways_.rbegin(); way != ways_.rend(); ++way) {
      units.push_back((*way)[at].second);
      at = (*way)[at].first;
    }
    std::vector<std::size_t> order;
    for (auto unit = units.rbegin(); unit != units.rend(); ++unit) {
      const auto& operators = problem_.units[*unit].operators;
      order.insert(order.end(), operators.begin(), operators.end());
    }
    return order;
  }

  OrderProblem problem_;
  std::uint64_t least_ = 0;
  std::uint64_t limit_ = 0;
  std::uint64_t unused_ = 0;
  bool is_complete_ = true;
  /// By length and state: where it came from.
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> ways_;
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

core::Result<OperatorOrder> reorder(model::PlanReport& report, const PackLimits& limits) {
  if (auto error = cannot_be_ordered(report); error) {
    return core::fail(std::move(*error));
  }
  OperatorOrder order{.given = peak_in(report)};
  order.found = order.given;
  const core::Bytes least = busiest_operator(report);
  OrderSearch search{report, least, order.given};
  const std::vector<std::size_t> found = search.run(limits);
  order.is_least = search.is_complete() && found.empty();
  if (!found.empty()) {
    model::PlanReport other = report;
    put_in_order(other, found);
    const core::Bytes peak = peak_in(other);
    if (peak < order.given && height_in(other, limits) < height_in(report, limits)) {
      report = std::move(other);
      order.found = peak;
      order.is_least = search.is_complete();
    }
  }
  order.is_least = order.is_least || order.found == least;
  order.operators = core::texts_of(report.network.operators, &model::Operator::id);
  return order;
}

}  // namespace memsize::plan
