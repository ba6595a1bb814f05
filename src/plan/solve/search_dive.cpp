// The inner loops of search.cpp. A placement touches a few arrays of small integers from end to
// end, which compilers turn into vector code; nothing is allocated, hashed or sorted on the way.
#include "search_dive.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace memsize::plan {

namespace {

constexpr std::uint64_t kStepsPerLook = 1024;

// Items that are looked at together.
constexpr std::int32_t kBlock = 16;

std::size_t at_index(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

template <class Unit>
Dive<Unit>::Dive(const Instance& instance)
    : origin_(instance.items.size()), slots_(instance.slots) {
  const std::size_t count = instance.items.size();
  std::iota(origin_.begin(), origin_.end(), std::size_t{0});
  std::ranges::stable_sort(origin_, [&](std::size_t a, std::size_t b) {
    return instance.items[a].lower < instance.items[b].lower;
  });
  for (const std::size_t i : origin_) {
    const Item& item = instance.items[i];
    const bool fixed = item.fixed >= 0;
    lower_.push_back(item.lower);
    upper_.push_back(item.upper);
    size_.push_back(static_cast<Unit>(item.size));
    reach_.push_back(fixed ? Unit{1} : static_cast<Unit>(item.size));
    alignment_.push_back(static_cast<Unit>(fixed ? 1 : item.alignment));
    fixed_.push_back(static_cast<Unit>(fixed ? item.fixed : -1));
    plain_ = plain_ && !fixed && item.alignment == 1;
  }
  const auto last = static_cast<std::int32_t>(count);
  std::int32_t first = 0;
  for (std::int32_t i = 0; i < last; ++i) {
    // Those before `first` have ended for everyone who comes later, too.
    while (upper_[at_index(first)] <= lower_[at_index(i)]) {
      ++first;
    }
    first_neighbour_.push_back(first);
    last_neighbour_.push_back(static_cast<std::int32_t>(
        std::ranges::lower_bound(lower_, upper_[at_index(i)]) - lower_.begin()));
  }
  find_members();
  find_obstacles(instance);
  rank_.resize(count);
  ranked_.resize(count);
  twin_.resize(count);
  // Items that are never there fill the last block.
  offset_.resize(count + kBlock, kPlaced);
  placed_.resize(count);
}

template <class Unit>
void Dive<Unit>::find_members() {
  members_of_.assign(at_index(slots_) + 1, 0);
  for (std::size_t i = 0; i < lower_.size(); ++i) {
    for (std::int32_t s = lower_[i]; s < upper_[i]; ++s) {
      ++members_of_[at_index(s) + 1];
    }
  }
  std::partial_sum(members_of_.begin(), members_of_.end(), members_of_.begin());
  members_.resize(members_of_.back());
  std::vector<std::int32_t> largest(lower_.size());
  std::iota(largest.begin(), largest.end(), 0);
  std::ranges::stable_sort(largest, [&](std::int32_t a, std::int32_t b) {
    return size_[at_index(a)] > size_[at_index(b)];
  });
  std::vector<std::size_t> end = members_of_;
  for (const std::int32_t i : largest) {
    for (std::int32_t s = lower_[at_index(i)]; s < upper_[at_index(i)]; ++s) {
      members_[end[at_index(s)]++] = i;
    }
  }
}

template <class Unit>
void Dive<Unit>::find_obstacles(const Instance& instance) {
  if (!instance.has_fixed) {
    return;
  }
  std::vector<std::int32_t> by_offset;
  for (std::size_t i = 0; i < fixed_.size(); ++i) {
    if (fixed_[i] >= 0) {
      by_offset.push_back(static_cast<std::int32_t>(i));
    }
  }
  std::ranges::stable_sort(by_offset, [&](std::int32_t a, std::int32_t b) {
    return fixed_[at_index(a)] < fixed_[at_index(b)];
  });
  obstacles_of_.push_back(0);
  for (std::size_t i = 0; i < fixed_.size(); ++i) {
    for (const std::int32_t k : by_offset) {
      if (fixed_[i] < 0 && lower_[at_index(k)] < upper_[i] && lower_[i] < upper_[at_index(k)]) {
        obstacles_.push_back(k);
      }
    }
    obstacles_of_.push_back(obstacles_.size());
  }
}

template <class Unit>
void Dive<Unit>::rank(const std::vector<std::int32_t>& ranks) {
  for (std::size_t i = 0; i < origin_.size(); ++i) {
    rank_[i] = ranks[origin_[i]];
    ranked_[at_index(rank_[i])] = static_cast<std::int32_t>(i);
  }
  std::vector<std::int32_t> order(origin_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto kind = [&](std::int32_t i) {
    return std::tuple(lower_[at_index(i)],
                      upper_[at_index(i)],
                      size_[at_index(i)],
                      alignment_[at_index(i)],
                      fixed_[at_index(i)]);
  };
  std::ranges::sort(order, [&](std::int32_t a, std::int32_t b) {
    return std::tuple(kind(a), rank_[at_index(a)]) < std::tuple(kind(b), rank_[at_index(b)]);
  });
  std::ranges::fill(twin_, -1);
  for (std::size_t k = 1; k < order.size(); ++k) {
    if (fixed_[at_index(order[k])] < 0 && kind(order[k - 1]) == kind(order[k])) {
      twin_[at_index(order[k])] = order[k - 1];
    }
  }
}

template <class Unit>
void Dive<Unit>::reset() {
  total_.assign(at_index(slots_), 0);
  across_.assign(at_index(slots_), 0);
  witness_.assign(at_index(slots_), 0);
  for (std::int32_t s = 0; s < slots_; ++s) {
    witness_[at_index(s)] = members_[members_of_[at_index(s)]];
  }
  failures_.assign(at_index(slots_), 0);
  changes_.clear();
  saved_.clear();
  parts_.clear();
  candidates_.clear();
  const auto count = static_cast<std::int32_t>(origin_.size());
  for (std::int32_t i = 0; i < count; ++i) {
    for (std::int32_t s = lower_[at_index(i)]; s < upper_[at_index(i)]; ++s) {
      total_[at_index(s)] += size_[at_index(i)];
      across_[at_index(s)] += s > lower_[at_index(i)] ? 1 : 0;
    }
    offset_[at_index(i)] = fixed_[at_index(i)] >= 0 ? fixed_[at_index(i)] : settle(i, 0);
  }
}

template <class Unit>
Searched Dive<Unit>::run(const DiveTask& task, Budget& budget) {
  reset();
  task_ = task;
  height_ = static_cast<Unit>(task.height);
  budget_ = &budget;
  steps_ = 0;
  over_ = false;
  const Part all{0, static_cast<std::int32_t>(origin_.size()), 0, slots_};
  const bool found = solve_below(all, Position{}, true);
  budget.take(steps_ % kStepsPerLook);
  if (found) {
    return Searched::kFound;
  }
  return over_ || task.jump ? Searched::kOver : Searched::kExhausted;
}

template <class Unit>
std::vector<std::int64_t> Dive<Unit>::offsets() const {
  std::vector<std::int64_t> offsets(origin_.size());
  for (std::size_t i = 0; i < origin_.size(); ++i) {
    offsets[origin_[i]] = placed_[i];
  }
  return offsets;
}

template <class Unit>
bool Dive<Unit>::spend() {
  ++steps_;
  if (steps_ >= task_.steps) {
    over_ = true;
  } else if (steps_ % kStepsPerLook == 0) {
    over_ = !budget_->take(kStepsPerLook);
  }
  return !over_;
}

// Splits what is left where nothing unplaced is alive on both sides.
template <class Unit>
void Dive<Unit>::split_into(const Part& part, std::vector<Part>& parts) const {
  std::int32_t end = -1;
  for (std::int32_t i = part.first_item; i < part.last_item; ++i) {
    if (offset_[at_index(i)] == kPlaced) {
      continue;
    }
    if (lower_[at_index(i)] >= end) {
      parts.push_back(Part{i, i, lower_[at_index(i)], 0});
      end = 0;
    }
    end = std::max(end, upper_[at_index(i)]);
    parts.back().last_item = i + 1;
    parts.back().last_slot = end;
  }
}

template <class Unit>
bool Dive<Unit>::solve_below(const Part& part, Position position, bool apart) {
  if (!apart) {
    return solve(part, position);
  }
  const std::size_t first = parts_.size();
  split_into(part, parts_);
  const std::size_t last = parts_.size();
  bool solved = true;
  for (std::size_t k = first; k < last && solved; ++k) {
    solved = solve(parts_[k], position);
  }
  parts_.resize(first);
  return solved;
}

template <class Unit>
bool Dive<Unit>::solve(Part part, Position position) {
  Unit most = 0;
  for (std::int32_t s = part.first_slot; s < part.last_slot; ++s) {
    most = std::max(most, total_[at_index(s)]);
  }
  if (most == 0) {
    return true;
  }
  Unit lowest_top = kPlaced;
  for (std::int32_t i = part.first_item; i < part.last_item; ++i) {
    lowest_top = std::min<Unit>(lowest_top, offset_[at_index(i)] + reach_[at_index(i)]);
  }
  const Unit room = height_ - most;
  const Unit highest = std::min<Unit>(room, lowest_top - 1);
  Slots failure;
  if (task_.jump) {
    if (highest == room) {
      const auto busiest =
          std::find(total_.begin() + part.first_slot, total_.begin() + part.last_slot, most);
      failure = unplaced_of(static_cast<std::int32_t>(busiest - total_.begin()));
    } else {
      for (std::int32_t i = part.first_item; i < part.last_item; ++i) {
        if (offset_[at_index(i)] + reach_[at_index(i)] == lowest_top) {
          failure = Slots{lower_[at_index(i)], upper_[at_index(i)]};
          break;
        }
      }
    }
  }
  const std::size_t first = candidates_.size();
  collect(part, position, highest);
  const std::size_t last = candidates_.size();
  bool found = false;
  for (std::size_t k = first; k < last; ++k) {
    position = candidates_[k];
    const std::int32_t item = ranked_[at_index(position.rank)];
    const std::int32_t twin = twin_[at_index(item)];
    if (twin >= 0 && offset_[at_index(twin)] != kPlaced) {
      continue;
    }
    if (!spend()) {
      break;
    }
    const std::size_t mark = changes_.size();
    bool apart = false;
    found = place(part, item, position.offset, apart) && solve_below(part, position, apart);
    if (found) {
      break;
    }
    undo(mark);
    if (over_) {
      break;
    }
    if (task_.jump) {
      if (upper_[at_index(item)] <= failure_.first || lower_[at_index(item)] >= failure_.last) {
        failure = failure_;
        break;
      }
      failure.first = std::min(failure.first, failure_.first);
      failure.last = std::max(failure.last, failure_.last);
    }
    if (fixed_[at_index(item)] >= 0) {
      break;
    }
  }
  candidates_.resize(first);
  failure_ = failure;
  return found;
}

// Of the items in a block that begins there.
template <class Unit>
Unit Dive<Unit>::lowest_of(std::int32_t block) const {
  const Unit* const offset = offset_.data() + block;
  Unit lowest = kPlaced;
  for (std::int32_t i = 0; i < kBlock; ++i) {
    lowest = std::min(lowest, offset[i]);
  }
  return lowest;
}

// The items that come after `position` in the order of offsets and ranks, up to `highest`. Few lie
// so low, so that most are passed several at a time.
template <class Unit>
void Dive<Unit>::collect(const Part& part, const Position& position, Unit highest) {
  const std::size_t first = candidates_.size();
  const Unit* const offset = offset_.data();
  for (std::int32_t block = part.first_item; block < part.last_item; block += kBlock) {
    if (lowest_of(block) > highest) {
      continue;
    }
    const std::int32_t end = std::min(block + kBlock, part.last_item);
    for (std::int32_t i = block; i < end; ++i) {
      const Position here{offset[i], rank_[at_index(i)]};
      if (offset[i] <= highest && position < here) {
        candidates_.push_back(here);
      }
    }
  }
  std::sort(candidates_.begin() + static_cast<std::ptrdiff_t>(first), candidates_.end());
}

template <class Unit>
typename Dive<Unit>::Slots Dive<Unit>::raise(
    std::int32_t first, std::int32_t last, std::int32_t begin, Unit top, Unit& end) {
  Unit* const offset = offset_.data();
  const Unit* const size = size_.data();
  const std::int32_t* const lower = lower_.data();
  const std::int32_t* const upper = upper_.data();
  Slots slots{slots_, 0};
  Unit largest = 0;
  for (std::int32_t i = first; i < last; ++i) {
    const bool raised = upper[i] > begin && offset[i] < top;
    offset[i] = raised ? top : offset[i];
    largest = std::max(largest, raised ? size[i] : Unit{0});
    slots.first = std::min(slots.first, raised ? lower[i] : slots_);
    slots.last = std::max(slots.last, raised ? upper[i] : 0);
  }
  end = top + largest;
  return slots;
}

// The lowest place from `offset` on that is aligned and clear of fixed items. Where that is above
// all heights, it only has to stay there.
template <class Unit>
Unit Dive<Unit>::settle(std::int32_t item, Unit offset) const {
  const Unit mask = alignment_[at_index(item)] - 1;
  const auto aligned = [&](Unit from) {
    return std::min<Unit>((from + mask) & ~mask, kPlaced - 1);
  };
  Unit place = aligned(offset);
  if (obstacles_of_.empty()) {
    return place;
  }
  // An obstacle that is passed below or above stays so: the next ones begin no lower.
  const std::size_t last = obstacles_of_[at_index(item) + 1];
  for (std::size_t k = obstacles_of_[at_index(item)]; k < last; ++k) {
    const auto obstacle = at_index(obstacles_[k]);
    const Unit end = fixed_[obstacle] + size_[obstacle];
    if (place + size_[at_index(item)] > fixed_[obstacle] && place < end) {
      place = aligned(end);
    }
  }
  return place;
}

template <class Unit>
bool Dive<Unit>::place(const Part& part, std::int32_t item, Unit offset, bool& apart) {
  const std::int32_t first = std::max(first_neighbour_[at_index(item)], part.first_item);
  const std::int32_t last = std::min(last_neighbour_[at_index(item)], part.last_item);
  const std::int32_t lower = lower_[at_index(item)];
  const std::int32_t upper = upper_[at_index(item)];
  const Unit size = size_[at_index(item)];
  changes_.push_back(Change{item, first, last, saved_.size()});
  saved_.insert(saved_.end(), offset_.begin() + first, offset_.begin() + last);
  placed_[at_index(item)] = offset;
  offset_[at_index(item)] = kPlaced;
  for (std::int32_t s = lower; s < upper; ++s) {
    total_[at_index(s)] -= size;
  }
  for (std::int32_t s = lower + 1; s < upper; ++s) {
    apart = --across_[at_index(s)] == 0 || apart;
  }
  const Unit top = offset + size;
  Unit end = 0;
  const Slots raised = raise(first, last, lower, top, end);
  Unit highest = top;
  if (!plain_) {
    for (std::int32_t i = first; i < last; ++i) {
      if (offset_[at_index(i)] == top && upper_[at_index(i)] > lower) {
        offset_[at_index(i)] = settle(i, top);
        highest = std::max(highest, offset_[at_index(i)]);
        end = std::max<Unit>(end, offset_[at_index(i)] + size_[at_index(i)]);
      }
    }
  }
  if (end > height_) {
    failure_ = Slots{raised.first, raised.last};
    return false;
  }
  for (std::int32_t s = raised.first; s < raised.last; ++s) {
    if (total_[at_index(s)] + highest > height_ && !holds(s, top)) {
      ++failures_[at_index(s)];
      failure_ = task_.jump ? unplaced_of(s) : failure_;
      return false;
    }
  }
  return true;
}

// Whether the unplaced items of a slot, where something was raised to `top`, still find room: for
// any offset, those that cannot lie below it fit above it. Beyond `top`, nothing changed.
template <class Unit>
bool Dive<Unit>::holds(std::int32_t slot, Unit top) {
  // Up to here, all of them would fit above.
  Unit fits = height_ - total_[at_index(slot)];
  // Often one item that can lie so low is so large that the others fit above `top`.
  const auto witness = at_index(witness_[at_index(slot)]);
  if (offset_[witness] <= fits && size_[witness] >= top - fits) {
    return true;
  }
  const std::size_t first = members_of_[at_index(slot)];
  const std::size_t last = members_of_[at_index(slot) + 1];
  while (true) {
    Unit low = 0;
    Unit largest = 0;
    for (std::size_t k = first; k < last; ++k) {
      const auto i = at_index(members_[k]);
      const Unit size = offset_[i] <= fits ? size_[i] : 0;
      low += size;
      if (size > largest) {
        largest = size;
        witness_[at_index(slot)] = members_[k];
      }
    }
    // Those that lie higher than that fit above here.
    const Unit next = height_ - total_[at_index(slot)] + low;
    if (next >= top || low == total_[at_index(slot)]) {
      return true;
    }
    if (next == fits) {
      return false;
    }
    fits = next;
  }
}

template <class Unit>
void Dive<Unit>::undo(std::size_t mark) {
  while (changes_.size() > mark) {
    const Change change = changes_.back();
    changes_.pop_back();
    std::copy_n(saved_.begin() + static_cast<std::ptrdiff_t>(change.saved),
                change.last - change.first,
                offset_.begin() + change.first);
    saved_.resize(change.saved);
    const auto item = at_index(change.item);
    for (std::int32_t s = lower_[item]; s < upper_[item]; ++s) {
      total_[at_index(s)] += size_[item];
    }
    for (std::int32_t s = lower_[item] + 1; s < upper_[item]; ++s) {
      ++across_[at_index(s)];
    }
  }
}

// The slots of all unplaced items that are alive in one.
template <class Unit>
typename Dive<Unit>::Slots Dive<Unit>::unplaced_of(std::int32_t slot) const {
  Slots slots{slot, slot + 1};
  for (std::size_t k = members_of_[at_index(slot)]; k < members_of_[at_index(slot) + 1]; ++k) {
    const auto i = at_index(members_[k]);
    if (offset_[i] != kPlaced) {
      slots.first = std::min(slots.first, lower_[i]);
      slots.last = std::max(slots.last, upper_[i]);
    }
  }
  return slots;
}

template class Dive<std::int32_t>;
template class Dive<std::int64_t>;

}  // namespace memsize::plan
