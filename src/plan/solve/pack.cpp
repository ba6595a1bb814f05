// Packing, from the cheap to the dear: what is impossible at a glance, the bound, the greedy
// planners, some rows, then a search. What was proved on the way is what the answer says.
//
// Where nothing is alive across a slot's beginning, the program falls apart into parts that share
// no time, so that each has the arena to itself and the highest decides. Parts are taken the
// highest first; one that is no higher than what another part needs is good enough.
#include "memsize/plan/pack.hpp"

#include "instance.hpp"
#include "rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace memsize::plan {

namespace {

// More than so many are left to local improvement: an exact search neither ends there, nor does it
// find as much (tests/bench/bench_plan.py, full arenas).
constexpr std::size_t kMostSearched = 640;

// Rows are laid before an instance is searched: a pass for so many items costs little beside it.
constexpr std::size_t kItemsPerPass = 8;
constexpr std::uint64_t kFirstSeed = 1;
constexpr std::uint64_t kRowSteps = std::uint64_t{1} << 20;

// Above all heights, below what could overflow.
constexpr std::uint64_t kHighest = 1ULL << 62;

/// Items that share no time with others.
struct Part {
  Instance instance;
  /// Of the whole instance.
  std::vector<std::size_t> items;
  Placement best;
};

// The highest first.
std::vector<Part> parts_of(const Instance& instance, const Placement& plan) {
  std::vector<std::size_t> order(instance.items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return instance.items[a].lower < instance.items[b].lower;
  });
  std::vector<Part> parts;
  std::int32_t begin = 0;
  std::int32_t end = 0;
  for (const std::size_t i : order) {
    Item item = instance.items[i];
    if (parts.empty() || item.lower >= end) {
      begin = item.lower;
      parts.emplace_back();
      parts.back().instance.unit = instance.unit;
    }
    end = std::max(end, item.upper);
    Part& part = parts.back();
    item.lower -= begin;
    item.upper -= begin;
    part.instance.slots = end - begin;
    part.instance.has_alignment |= item.alignment > 1;
    part.instance.has_fixed |= item.fixed >= 0;
    part.instance.items.push_back(item);
    part.instance.buffers.push_back(instance.buffers[i]);
    if (!instance.windows.empty()) {
      std::vector<ItemWindow> windows = instance.windows[i];
      for (ItemWindow& window : windows) {
        window.lower -= begin;
        window.upper -= begin;
      }
      part.instance.windows.push_back(std::move(windows));
    }
    part.items.push_back(i);
    part.best.offsets.push_back(plan.offsets[i]);
    part.best.height = std::max(part.best.height, plan.offsets[i] + item.size);
  }
  for (Part& part : parts) {
    bool plain = true;
    for (std::size_t i = 0; i < part.items.size() && plain; ++i) {
      plain = is_plain(part.instance, i);
    }
    if (plain) {
      part.instance.windows.clear();
    }
  }
  std::ranges::stable_sort(
      parts, [](const Part& a, const Part& b) { return a.best.height > b.best.height; });
  return parts;
}

/// What is known so far, in units.
struct State {
  Placement plan;
  /// No plan is lower.
  std::int64_t bound = 0;
  /// Good enough; no less than the bound unless there is a capacity.
  std::int64_t target = 0;
  bool impossible = false;
};

// Cheaply, so that no part stays high because another one took all the time.
void lay_parts(std::vector<Part>& parts, std::int64_t enough, Budget& budget) {
  for (Part& part : parts) {
    if (part.best.height > enough) {
      RowSearch rows{part.instance, enough, enough, part.best, budget, kFirstSeed};
      const std::uint64_t pass = steps_of_pass(part.instance);
      rows.run(part.items.size() / kItemsPerPass, std::max(kRowSteps, pass));
    }
    enough = std::max(enough, part.best.height);
  }
  std::ranges::stable_sort(
      parts, [](const Part& a, const Part& b) { return a.best.height > b.best.height; });
}

void improve_parts(const Instance& instance, bool limited, State& state, Budget& budget) {
  std::vector<Part> parts = parts_of(instance, state.plan);
  if (!state.impossible) {
    lay_parts(parts, std::max(state.target, state.bound), budget);
  }
  std::int64_t height = 0;
  for (Part& part : parts) {
    // Parts below what another one needs anyway, or has reached at best, can stay as they are.
    const std::int64_t enough = std::max({state.target, state.bound, height});
    if (part.best.height > enough && !state.impossible) {
      // The bound below the target says that the target suffices.
      const std::int64_t bound = limited ? std::min(state.bound, enough - 1) : enough;
      if (part.items.size() > kMostSearched) {
        improve(part.instance, bound, enough, part.best, budget);
      } else {
        (void)search(part.instance, bound, enough, part.best, budget);
      }
      state.bound = std::max(state.bound, part.best.bound);
      state.impossible = limited && state.bound > state.target;
    }
    for (std::size_t k = 0; k < part.items.size(); ++k) {
      state.plan.offsets[part.items[k]] = part.best.offsets[k];
    }
    height = std::max(height, part.best.height);
  }
  state.plan.height = height;
}

Proof proof_of(const State& state, std::int64_t first_bound) {
  if (state.impossible) {
    return Proof::kInfeasible;
  }
  if (state.plan.height == first_bound) {
    return Proof::kBound;
  }
  return state.plan.height == state.bound ? Proof::kExhausted : Proof::kBest;
}

}  // namespace

Packing pack(const std::vector<Buffer>& buffers, const PackLimits& limits) {
  // What is counted of a time begins here.
  Budget budget(limits);
  const Instance instance = make_instance(buffers);
  const auto bytes = [&](std::int64_t units) { return in_bytes(instance, units); };
  State state{.bound = lower_bound(instance)};
  const std::int64_t first_bound = state.bound;
  Packing packing{.lower_bound = bytes(first_bound)};
  if (fixed_collide(instance)) {
    packing.proof = Proof::kInfeasible;
    return packing;
  }
  state.target = state.bound;
  if (limits.capacity) {
    state.target =
        static_cast<std::int64_t>(std::min(limits.capacity->count(), kHighest) / instance.unit);
    state.impossible = state.target < state.bound;
  }
  if (!instance.items.empty()) {
    state.plan = pack_greedily(instance, std::max(state.target, state.bound), budget);
    budget.report(bytes(state.plan.height), bytes(state.bound));
    if (state.plan.height > state.target && !state.impossible && !budget.late()) {
      improve_parts(instance, limits.capacity.has_value(), state, budget);
      budget.report(bytes(state.plan.height), bytes(state.bound));
    }
  }
  packing.offsets.resize(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    packing.offsets[i] = buffers[i].offset.value_or(core::Bytes{});
  }
  for (std::size_t i = 0; i < instance.items.size(); ++i) {
    packing.offsets[instance.buffers[i]] = bytes(state.plan.offsets[i]);
  }
  packing.height = bytes(state.plan.height);
  packing.lower_bound = bytes(state.bound);
  packing.proof = proof_of(state, first_bound);
  packing.steps = budget.taken();
  packing.interrupted = budget.interrupted();
  return packing;
}

}  // namespace memsize::plan
