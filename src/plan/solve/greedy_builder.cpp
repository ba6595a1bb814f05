// One greedy plan: items go, in a given order, into holes chosen by a rule, and on top of all once
// time is up. Those that end above the ceiling are noted, and promoted() moves them forward.
#include "greedy_builder.hpp"

#include <algorithm>

namespace memsize::plan {

namespace {

// Items between two looks at the budget.
constexpr std::uint64_t kItemsPerLook = 256;

// What placing an item costs in steps, of which search() does about a million in a second, and how
// many looks at a list cost as much as one.
constexpr std::uint64_t kStepsPerItem = 1;
constexpr std::uint64_t kWorkPerStep = 64;

// How far back kBothEnds looks for the item that an item replaces.
constexpr std::size_t kRecent = 8;

}  // namespace

Builder::Builder(const Instance& instance, Budget& budget)
    : instance_(instance), budget_(budget), occupied_(instance), offsets_(instance.items.size()) {}

bool Builder::build(const std::vector<std::uint32_t>& order,
                    Rule rule,
                    std::int64_t ceiling,
                    std::int64_t limit,
                    bool finish) {
  occupied_.clear();
  failed_.clear();
  recent_.clear();
  height_ = 0;
  if (instance_.has_fixed) {
    for (std::uint32_t i = 0; i < offsets_.size(); ++i) {
      if (instance_.items[i].fixed >= 0) {
        place(i, instance_.items[i].fixed);
      }
    }
  }
  std::uint64_t count = 0;
  for (const std::uint32_t i : order) {
    if (++count % kItemsPerLook == 0 && !pay(kItemsPerLook) && !finish) {
      return false;
    }
    // Steps are those of the search: a first plan is made whatever they are.
    if (budget_.late()) {
      put_on_top(i);
      continue;
    }
    const std::int64_t offset = hole(i, rule, ceiling);
    const std::int64_t end = offset + instance_.items[i].size;
    if (end > limit) {
      return false;
    }
    if (end > ceiling) {
      failed_.push_back(i);
    }
    place(i, offset);
  }
  pay(count % kItemsPerLook);
  return height_ <= limit;
}

// Where there is no time to look for holes, there is none to say what is taken either.
void Builder::put_on_top(std::uint32_t index) {
  const Item& item = instance_.items[index];
  offsets_[index] = (height_ + item.alignment - 1) & -item.alignment;
  height_ = offsets_[index] + item.size;
}

bool Builder::pay(std::uint64_t items) {
  const std::uint64_t work = occupied_.work() / kWorkPerStep;
  const std::uint64_t steps = items * kStepsPerItem + work - paid_work_;
  paid_work_ = work;
  return budget_.take(steps);
}

std::int64_t Builder::hole(std::uint32_t index, Rule rule, std::int64_t ceiling) {
  switch (rule) {
    case Rule::kFirstGap:
      break;
    case Rule::kBestGap:
      return occupied_.best_gap(index);
    case Rule::kBothEnds: {
      const bool from_above = opposite_of_last(index);
      if (recent_.size() == kRecent) {
        recent_.erase(recent_.begin());
      }
      recent_.emplace_back(index, from_above);
      const std::int64_t offset = from_above ? occupied_.last_gap(index, ceiling) : -1;
      if (offset >= 0) {
        return offset;
      }
      break;
    }
  }
  return occupied_.first_gap(index);
}

// From above if the latest item that is alive when this one begins, and ends before it, is not.
bool Builder::opposite_of_last(std::uint32_t index) const {
  const Item& item = instance_.items[index];
  for (auto last = recent_.rbegin(); last != recent_.rend(); ++last) {
    const Item& other = instance_.items[last->first];
    if (other.upper > item.lower && other.upper <= item.upper) {
      return !last->second;
    }
  }
  return !recent_.empty() && !recent_.back().second;
}

void Builder::place(std::uint32_t index, std::int64_t offset) {
  offsets_[index] = offset;
  occupied_.add(index, offset);
  height_ = std::max(height_, offset + instance_.items[index].size);
}

std::vector<std::uint32_t> promoted(const std::vector<std::uint32_t>& order,
                                    const std::vector<std::uint32_t>& failed,
                                    Promotion promotion,
                                    Random& random) {
  constexpr std::int64_t kScale = 256;
  const auto count = static_cast<std::int64_t>(order.size());
  // Failed items keep the order's order, so both are walked together.
  std::vector<std::pair<std::int64_t, std::uint32_t>> moved;
  std::vector<std::uint32_t> kept;
  std::vector<std::int64_t> kept_ranks;
  auto next = failed.begin();
  for (std::int64_t rank = 0; rank < count; ++rank) {
    const std::uint32_t item = order[static_cast<std::size_t>(rank)];
    if (next == failed.end() || *next != item) {
      kept.push_back(item);
      kept_ranks.push_back(rank * kScale);
      continue;
    }
    ++next;
    const std::int64_t chance = random.below(kScale);
    const std::int64_t key = promotion == Promotion::kFar
                                 ? rank * chance / 2
                                 : rank * kScale - count * (kScale / 2 + chance) / 10;
    moved.emplace_back(key, item);
  }
  std::ranges::stable_sort(moved, [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::uint32_t> result;
  result.reserve(order.size());
  auto mover = moved.begin();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (; mover != moved.end() && mover->first <= kept_ranks[i]; ++mover) {
      result.push_back(mover->second);
    }
    result.push_back(kept[i]);
  }
  for (; mover != moved.end(); ++mover) {
    result.push_back(mover->second);
  }
  return result;
}

}  // namespace memsize::plan
