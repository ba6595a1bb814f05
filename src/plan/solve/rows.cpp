// Where an arena is as full as it can be, an item that is taken for its size or its life leaves
// holes that nothing fits into: greedy planners end 30 to 50 % above what is alive. Seen from the
// arena's floor the choice is small: above the lowest valley, the next item at its left wall must
// begin there, the one behind it where that one ends, and so on to the right wall, or bytes are
// lost. So a row is a path through the valley, and the best one is found in the time that it takes
// to look at the items that fit.
//
// What a row is worth decides how much is left for the last rows. No rule is good for every
// instance, and a pass costs little, so rules are drawn, half of them near the best one so far.
#include "rows.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace memsize::plan {

namespace {

constexpr std::int64_t kWhole = std::int64_t{1} << 20;
constexpr std::int64_t kPlainNoise = 256;
constexpr std::int64_t kThousand = 1000;

// Of slots and items that are looked at, so many cost as much as a step of search().
constexpr std::uint64_t kRowWorkPerStep = 64;

constexpr std::int64_t kNobody = -1;
constexpr std::int64_t kGap = -2;

std::size_t place(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

RowRule any_rule(Random& random) {
  return {.covered = random.below(2) == 0 ? 0 : std::int64_t{1} << (10 + random.below(8)),
          .gap = std::int64_t{1} << random.below(6),
          .ease = std::int64_t{1} << random.below(9),
          .room = 10 + random.below(140),
          .noise = random.below(3) == 0 ? 0 : random.below(kPlainNoise)};
}

RowRule like(RowRule rule, Random& random) {
  const RowRule other = any_rule(random);
  switch (random.below(4)) {
    case 0:
      rule.gap = other.gap;
      break;
    case 1:
      rule.ease = other.ease;
      break;
    case 2:
      rule.room = other.room;
      break;
    default:
      break;
  }
  rule.noise = 1 + random.below(kPlainNoise / 2);
  return rule;
}

}  // namespace

Rows::Rows(const Instance& instance, Budget& budget)
    : instance_(instance), budget_(budget), weights_(instance.items.size()) {
  const std::size_t slots = place(instance.slots);
  all_.resize(slots + 1);
  first_.resize(slots + 1);
  for (std::size_t i = 0; i < instance.items.size(); ++i) {
    const Item& item = instance.items[i];
    if (item.fixed < 0) {
      all_[place(item.lower)] += item.size;
      all_[place(item.upper)] -= item.size;
      ++first_[place(item.lower) + 1];
      sorted_.push_back(static_cast<std::uint32_t>(i));
    }
  }
  std::partial_sum(all_.begin(), all_.end(), all_.begin());
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  alive_ = *std::ranges::max_element(all_);
  std::ranges::stable_sort(
      sorted_, {}, [&](std::uint32_t item) { return instance.items[item].lower; });
}

void Rows::begin(const RowRule& rule, Random& random) {
  rule_ = rule;
  const std::size_t slots = place(instance_.slots);
  listed_ = sorted_;
  rest_ = all_;
  waiting_.resize(slots);
  for (std::size_t slot = 0; slot < slots; ++slot) {
    waiting_[slot] = static_cast<std::uint32_t>(first_[slot + 1] - first_[slot]);
  }
  for (const std::uint32_t item : sorted_) {
    weights_[item] = (rule.covered + scaled(instance_.items[item].size)) *
                     (kPlainNoise + random.below(rule.noise + 1)) / kPlainNoise;
  }
  end_.assign(slots + 1, 0);
  before_.assign(slots + 1, 0);
  height_.assign(slots + 1, 0);
  end_[0] = instance_.slots;
  before_[0] = -1;
  lowest_ = {{0, 0}};
  order_.clear();
  top_ = 0;
}

std::vector<std::uint32_t> Rows::make(const RowRule& rule,
                                      std::int64_t limit,
                                      std::uint64_t steps,
                                      Random& random) {
  begin(rule, random);
  const std::uint64_t before = budget_.taken();
  while (order_.size() < sorted_.size()) {
    const auto [height, lower] = *lowest_.begin();
    lowest_.erase(lowest_.begin());
    const Piece valley{lower, end_[place(lower)], height};
    pieces_.clear();
    if (!cover(valley) && !lay(valley)) {
      raise(valley);
    }
    put_pieces(valley);
    const std::uint64_t taken = work_ / kRowWorkPerStep;
    work_ %= kRowWorkPerStep;
    if (top_ >= limit || (taken != 0 && !budget_.take(taken)) || budget_.taken() - before > steps) {
      return {};
    }
  }
  return order_;
}

// With all that lives exactly as long as the valley: nothing is lost above them either.
bool Rows::cover(const Piece& valley) {
  const std::size_t lower = place(valley.lower);
  std::int64_t height = valley.height;
  for (std::size_t k = 0; k < waiting_[lower];) {
    const std::uint32_t item = listed_[first_[lower] + k];
    if (instance_.items[item].upper == valley.upper) {
      height = take(item, height);
    } else {
      ++k;
    }
  }
  work_ += waiting_[lower] + 1;
  if (height == valley.height) {
    return false;
  }
  pieces_.push_back({valley.lower, valley.upper, height});
  return true;
}

// The valley's best row; false: nothing fits into it.
bool Rows::lay(const Piece& valley) {
  find_row(valley);
  std::int32_t at = valley.upper;
  while (at > valley.lower) {
    const std::int64_t last = last_[place(at - valley.lower)];
    if (last == kGap) {
      const bool goes_on = !pieces_.empty() && pieces_.back().height == valley.height;
      if (!goes_on) {
        pieces_.push_back({at, at, valley.height});
      }
      pieces_.back().lower = --at;
    } else {
      const auto item = static_cast<std::uint32_t>(last);
      pieces_.push_back({instance_.items[item].lower, at, take(item, valley.height)});
      at = pieces_.back().lower;
    }
  }
  std::ranges::reverse(pieces_);
  if (pieces_.size() == 1 && pieces_.front().height == valley.height) {
    pieces_.clear();
  }
  return !pieces_.empty();
}

void Rows::find_row(const Piece& valley) {
  const std::size_t width = place(valley.upper - valley.lower);
  worth_.assign(width + 1, 0);
  last_.assign(width + 1, kNobody);
  work_ += width;
  for (std::size_t at = 0; at < width; ++at) {
    const std::size_t slot = place(valley.lower) + at;
    const auto reach = [&](std::size_t end, std::int64_t worth, std::int64_t by) {
      if (last_[end] == kNobody || worth > worth_[end]) {
        worth_[end] = worth;
        last_[end] = by;
      }
    };
    reach(at + 1, worth_[at] - gap_at(slot, valley.height), kGap);
    work_ += waiting_[slot];
    for (std::size_t k = 0; k < waiting_[slot]; ++k) {
      const std::uint32_t item = listed_[first_[slot] + k];
      const Item& each = instance_.items[item];
      if (each.upper <= valley.upper) {
        reach(place(each.upper - valley.lower),
              worth_[at] + weights_[item] * (each.upper - each.lower),
              item);
      }
    }
  }
}

// To the lower wall; what is below it is lost.
void Rows::raise(const Piece& valley) {
  std::int64_t height = std::numeric_limits<std::int64_t>::max();
  if (valley.upper < instance_.slots) {
    height = height_[place(valley.upper)];
  }
  if (valley.lower > 0) {
    height = std::min(height, height_[place(before_[place(valley.lower)])]);
  }
  pieces_.push_back({valley.lower, valley.upper, height});
}

// In the valley's place; neighbours of one height are one.
void Rows::put_pieces(const Piece& valley) {
  std::int32_t before = before_[place(valley.lower)];
  for (const Piece& piece : pieces_) {
    if (before >= 0 && height_[place(before)] == piece.height) {
      end_[place(before)] = piece.upper;
    } else {
      height_[place(piece.lower)] = piece.height;
      end_[place(piece.lower)] = piece.upper;
      before_[place(piece.lower)] = before;
      lowest_.emplace(piece.height, piece.lower);
      before = piece.lower;
    }
  }
  const std::size_t behind = place(valley.upper);
  if (valley.upper == instance_.slots) {
    return;
  }
  if (height_[behind] != height_[place(before)]) {
    before_[behind] = before;
    return;
  }
  lowest_.erase({height_[behind], valley.upper});
  end_[place(before)] = end_[behind];
  before_[place(end_[behind])] = before;
}

// Lays it at this height or as soon above as its alignment allows; its top.
std::int64_t Rows::take(std::uint32_t item, std::int64_t height) {
  const Item& each = instance_.items[item];
  const std::size_t slot = place(each.lower);
  const auto begin = listed_.begin() + static_cast<std::ptrdiff_t>(first_[slot]);
  const auto end = begin + waiting_[slot];
  std::iter_swap(std::find(begin, end, item), end - 1);
  --waiting_[slot];
  for (std::size_t at = slot; at < place(each.upper); ++at) {
    rest_[at] -= each.size;
  }
  work_ += place(each.upper - each.lower);
  order_.push_back(item);
  const std::int64_t top = ((height + each.alignment - 1) & -each.alignment) + each.size;
  top_ = std::max(top_, top);
  return top;
}

std::int64_t Rows::gap_at(std::size_t slot, std::int64_t height) const {
  const std::int64_t aim = kWhole + kWhole * rule_.room / kThousand;
  const std::int64_t room = std::max<std::int64_t>(aim - scaled(height + rest_[slot]), 0);
  return rule_.gap * kWhole * kWhole / (kWhole + rule_.ease * room);
}

std::int64_t Rows::scaled(std::int64_t size) const {
  // Below 2^62 * 2^20: in 128 bits.
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(Wide{size} * kWhole / alive_);
}

std::uint64_t steps_of_pass(const Instance& instance) {
  // Full arenas take 9 for each of 10 000 items, 21 for each of 100 000
  // (tests/bench/bench_plan.py).
  constexpr std::uint64_t kStepsPerItem = 64;
  return instance.items.size() * kStepsPerItem;
}

RowSearch::RowSearch(const Instance& instance,
                     std::int64_t bound,
                     std::int64_t target,
                     Placement& best,
                     Budget& budget,
                     std::uint64_t seed)
    : instance_(instance),
      bound_(bound),
      target_(target),
      best_(best),
      budget_(budget),
      rows_(instance, budget),
      builder_(instance, budget),
      random_(seed) {}

bool RowSearch::run(std::uint64_t passes, std::uint64_t steps) {
  // They need less than rows give them.
  if (!instance_.windows.empty()) {
    return false;
  }
  const std::int64_t before = best_.height;
  const std::uint64_t begin = budget_.taken();
  for (std::uint64_t i = 0;
       i < passes && best_.height > target_ && !budget_.over() && budget_.taken() - begin < steps;
       ++i) {
    pass(steps - (budget_.taken() - begin));
  }
  return best_.height < before;
}

void RowSearch::pass(std::uint64_t steps) {
  RowRule rule = best_rule_;
  if (passes_ != 0) {
    rule = passes_ % 2 == 0 ? any_rule(random_) : like(best_rule_, random_);
  }
  ++passes_;
  // Fixed items are in no row: what it reaches says nothing.
  const std::vector<std::uint32_t> order =
      rows_.make(rule,
                 instance_.has_fixed ? std::numeric_limits<std::int64_t>::max() : best_.height,
                 steps,
                 random_);
  if (!order.empty() && builder_.build(order, Rule::kFirstGap, target_, best_.height - 1, false)) {
    best_.offsets = builder_.offsets();
    best_.height = builder_.height();
    best_rule_ = rule;
    budget_.report(in_bytes(instance_, best_.height), in_bytes(instance_, bound_));
  }
}

}  // namespace memsize::plan
