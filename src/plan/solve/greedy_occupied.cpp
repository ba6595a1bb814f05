// Where is the lowest hole of this size in these slots?
//
// Constraint: 10^6 items, of which 10^4 may be alive together, so neither pairs that overlap nor a
// picture of slots by addresses can be kept. Considered: a list of placed items by offset, which is
// quadratic; an interval tree of items, which finds those that are alive quickly but then visits
// each of them.
//
// Chosen: a segment tree over slots whose nodes keep addresses instead of items: what is taken in
// some slot below the node, and what is taken in all of them by one item. Taken in a range of slots
// is the former of the nodes that make up the range, and the latter of their ancestors: about four
// lists per level. Items lie on each other, so addresses melt into a few long runs, the fewer the
// better the plan is. Nothing can be taken away again, but a greedy planner never does.
#include "greedy_occupied.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace memsize::plan {

namespace {

constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();

std::int64_t round_up(std::int64_t offset, std::int64_t alignment) {
  return (offset + alignment - 1) & -alignment;
}

}  // namespace

Occupied::Occupied(const Instance& instance)
    : instance_(instance),
      leaves_(std::bit_ceil(static_cast<std::size_t>(std::max(instance.slots, 1)))),
      within_(2 * leaves_),
      across_(2 * leaves_) {}

void Occupied::clear() {
  for (std::vector<Runs>* lists : {&within_, &across_}) {
    for (Runs& runs : *lists) {
      runs.clear();
    }
  }
}

// Calls `whole` for the largest nodes that lie inside of some slots and make them up, `part` for
// the nodes that hold slots inside and slots outside: the ancestors of the former.
template <typename Whole, typename Part>
void Occupied::walk(std::int32_t lower, std::int32_t upper, Whole whole, Part part) const {
  // Nodes of a level that lie inside; first and last node that do so with a slot.
  std::size_t low = static_cast<std::size_t>(lower) + leaves_;
  std::size_t high = static_cast<std::size_t>(upper) + leaves_;
  std::size_t left = low;
  std::size_t right = high - 1;
  for (; left != 0; left >>= 1, right >>= 1) {
    if (left < low || left >= high) {
      part(left);
    }
    if (right != left && (right < low || right >= high)) {
      part(right);
    }
    if (low < high) {
      if ((low & 1) != 0) {
        whole(low++);
      }
      if ((high & 1) != 0) {
        whole(--high);
      }
    }
    low = (low + 1) >> 1;
    high >>= 1;
  }
}

void Occupied::unite(Runs& runs, Run run) {
  if (runs.empty() || runs.back().end < run.begin) {
    runs.push_back(run);
    return;
  }
  // The first run that touches the new one, and the one behind the last that does.
  const auto first =
      std::lower_bound(runs.begin(), runs.end(), run.begin, [](const Run& other, std::int64_t at) {
        return other.end < at;
      });
  auto last = first;
  while (last != runs.end() && last->begin <= run.end) {
    run.begin = std::min(run.begin, last->begin);
    run.end = std::max(run.end, last->end);
    ++last;
  }
  if (first == last) {
    runs.insert(first, run);
  } else {
    *first = run;
    runs.erase(first + 1, last);
  }
}

void Occupied::add(std::size_t index, std::int64_t offset) {
  for_each_window(instance_, index, [&](const ItemWindow& window) { add(window, offset); });
}

void Occupied::add(const ItemWindow& window, std::int64_t offset) {
  const Run run{offset + window.begin, offset + window.end};
  walk(
      window.lower,
      window.upper,
      [&](std::size_t node) {
        unite(across_[node], run);
        unite(within_[node], run);
      },
      [&](std::size_t node) { unite(within_[node], run); });
}

void Occupied::collect(std::int32_t lower, std::int32_t upper) const {
  cursors_.clear();
  const auto use = [&](const Runs& runs) {
    if (!runs.empty()) {
      cursors_.push_back(Cursor{runs.data(), runs.data() + runs.size()});
    }
  };
  walk(
      lower,
      upper,
      [&](std::size_t node) { use(within_[node]); },
      [&](std::size_t node) { use(across_[node]); });
  std::ranges::sort(
      cursors_, [](const Cursor& a, const Cursor& b) { return a.end - a.next > b.end - b.next; });
}

void Occupied::pass(Cursor& cursor, std::int64_t offset) {
  // In strides that double: mostly the next one is it, sometimes there are thousands.
  std::ptrdiff_t stride = 1;
  while (stride < cursor.end - cursor.next && cursor.next[stride].end <= offset) {
    cursor.next += stride;
    stride *= 2;
  }
  const Run* const limit = cursor.next + std::min(stride, cursor.end - cursor.next);
  cursor.next = std::lower_bound(
      cursor.next, limit, offset, [](const Run& run, std::int64_t at) { return run.end <= at; });
}

std::int64_t Occupied::first_gap(std::size_t index) const {
  const Item& item = instance_.items[index];
  if (instance_.windows.empty()) {
    return first_gap(item, 0);
  }
  const std::vector<ItemWindow>& windows = instance_.windows[index];
  std::int64_t offset = 0;
  // Of the windows, one behind the other, those that have not moved the item.
  std::size_t calm = 0;
  for (std::size_t i = 0; calm < windows.size(); i = i + 1 == windows.size() ? 0 : i + 1) {
    const ItemWindow& window = windows[i];
    Item alone{.lower = window.lower, .upper = window.upper, .size = window.end - window.begin};
    const std::int64_t lowest = first_gap(alone, offset + window.begin) - window.begin;
    calm = lowest == offset ? calm + 1 : 0;
    offset = round_up(lowest, item.alignment);
  }
  return offset;
}

// From `from` on, which is aligned.
std::int64_t Occupied::first_gap(const Item& item, std::int64_t from) const {
  collect(item.lower, item.upper);
  std::int64_t offset = from;
  for (std::size_t i = 0; i < cursors_.size();) {
    Cursor& cursor = cursors_[i];
    ++work_;
    pass(cursor, offset);
    bool moved = false;
    while (cursor.next != cursor.end && cursor.next->begin < offset + item.size) {
      offset = round_up(cursor.next->end, item.alignment);
      moved = true;
      pass(cursor, offset);
    }
    // Whoever has the most runs is the most likely to refuse the new place, and so is asked first.
    i = moved && i != 0 ? 0 : i + 1;
  }
  return offset;
}

std::int64_t Occupied::best_gap(std::size_t index) const {
  if (!instance_.windows.empty()) {
    return first_gap(index);
  }
  const Item& item = instance_.items[index];
  collect(item.lower, item.upper);
  std::int64_t best = -1;
  std::int64_t smallest = kEndless;
  std::int64_t begin = 0;
  for (;;) {
    // The hole that begins here or behind what is taken here.
    std::int64_t end = kEndless;
    std::size_t unmoved = 0;
    for (std::size_t i = 0; unmoved < cursors_.size(); i = i + 1 == cursors_.size() ? 0 : i + 1) {
      Cursor& cursor = cursors_[i];
      ++unmoved;
      ++work_;
      pass(cursor, begin);
      if (cursor.next == cursor.end) {
        continue;
      }
      if (cursor.next->begin <= begin) {
        begin = cursor.next->end;
        end = kEndless;
        unmoved = 0;
      } else {
        end = std::min(end, cursor.next->begin);
      }
    }
    const std::int64_t offset = round_up(begin, item.alignment);
    if (end == kEndless) {
      return best >= 0 ? best : offset;
    }
    if (offset <= end - item.size && end - begin < smallest) {
      smallest = end - begin;
      best = offset;
    }
    begin = end;
  }
}

std::int64_t Occupied::last_gap(std::size_t index, std::int64_t ceiling) const {
  if (!instance_.windows.empty()) {
    return first_gap(index);
  }
  const Item& item = instance_.items[index];
  collect(item.lower, item.upper);
  std::int64_t offset = (ceiling - item.size) & -item.alignment;
  std::size_t unmoved = 0;
  for (std::size_t i = 0; unmoved < cursors_.size() && offset >= 0;
       i = i + 1 == cursors_.size() ? 0 : i + 1) {
    const Cursor& cursor = cursors_[i];
    ++unmoved;
    // The last run that begins below the item's end.
    const Run* behind = std::lower_bound(
        cursor.next, cursor.end, offset + item.size, [](const Run& run, std::int64_t at) {
          return run.begin < at;
        });
    while (offset >= 0 && behind != cursor.next && (behind - 1)->end > offset) {
      --behind;
      offset = (behind->begin - item.size) & -item.alignment;
      unmoved = 1;
    }
  }
  return offset;
}

}  // namespace memsize::plan
