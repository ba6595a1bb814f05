// One greedy plan: items go, in a given order, into holes chosen by a rule, and on shelves on top
// of all once time is up. Those that end above the ceiling are noted, and promoted() moves them
// forward.
#include "greedy_builder.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <queue>

namespace memsize::plan {

namespace {

// Items between two looks at the budget.
constexpr std::uint64_t kItemsPerLook = 256;

// What placing an item costs in steps, of which search() does about a million in a second, and how
// many looks at a list cost as much as one.
constexpr std::uint64_t kStepsPerItem = 1;
constexpr std::uint64_t kWorkPerStep = 64;

// Sizes up to twice another one lie on so many kinds of shelves.
constexpr std::uint64_t kShelvesOfOctave = 4;

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
      put_on_top(std::span{order}.subspan(count - 1));
      break;
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

// Where there is no time to look for holes, there is none to say what is taken either. A shelf is
// for items of one alignment and about one size, which lie there one after another.
void Builder::put_on_top(std::span<const std::uint32_t> rest) {
  // From when on it is free, and where it is.
  using Shelf = std::pair<std::int32_t, std::int64_t>;
  using Shelves = std::priority_queue<Shelf, std::vector<Shelf>, std::greater<>>;
  std::map<std::pair<std::int64_t, std::int64_t>, Shelves> kinds;
  std::vector<std::pair<std::int32_t, std::uint32_t>> begins;
  begins.reserve(rest.size());
  for (const std::uint32_t i : rest) {
    begins.emplace_back(instance_.items[i].lower, i);
  }
  std::ranges::sort(begins);
  std::int64_t top = height_;
  for (const auto& [lower, i] : begins) {
    const Item& item = instance_.items[i];
    const auto size = static_cast<std::uint64_t>(item.size);
    const auto step = static_cast<std::int64_t>(
        std::max<std::uint64_t>(std::bit_floor(size) / kShelvesOfOctave, 1));
    const std::int64_t room = (item.size + step - 1) & -step;
    Shelves& shelves = kinds[{item.alignment, room}];
    if (shelves.empty() || shelves.top().first > lower) {
      top = (top + item.alignment - 1) & -item.alignment;
      shelves.emplace(lower, top);
      top += room;
    }
    offsets_[i] = shelves.top().second;
    height_ = std::max(height_, offsets_[i] + item.size);
    shelves.pop();
    shelves.emplace(item.upper, offsets_[i]);
  }
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
