// How high the items of one slot are at least, one on top of the other, with what alignments leave
// free between them. In which order decides: every order is tried, set by set, since the lowest top
// that a set can have is that of one of its items on the lowest top of the others.
//
// A sum knows nothing of this, and rounding up only where all are aligned: with few items of mixed
// alignments, this is often what the lowest plan has, which a search would take ages to prove.
#include "instance.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace memsize::plan {

namespace {

// More are too many sets.
constexpr std::size_t kMostItems = 16;
// Of all slots, sets times items.
constexpr std::uint64_t kMostStackWork = std::uint64_t{1} << 23;

/// The items of a slot that may lie anywhere and need all of their bytes.
struct Stack {
  std::int64_t sum = 0;
  std::vector<std::size_t> items;
};

std::int64_t least_top(const Instance& instance, const std::vector<std::size_t>& items) {
  std::vector<std::int64_t> tops(std::size_t{1} << items.size(), INT64_MAX);
  tops[0] = 0;
  for (std::size_t set = 1; set < tops.size(); ++set) {
    for (std::size_t left = set; left != 0; left &= left - 1) {
      const auto last = static_cast<std::size_t>(std::countr_zero(left));
      const Item& item = instance.items[items[last]];
      const std::int64_t below = tops[set & ~(std::size_t{1} << last)];
      const std::int64_t offset = (below + item.alignment - 1) & -item.alignment;
      tops[set] = std::min(tops[set], offset + item.size);
    }
  }
  return tops.back();
}

}  // namespace

std::int64_t most_stacked(const Instance& instance, std::int64_t bound) {
  std::vector<Stack> stacks(static_cast<std::size_t>(instance.slots));
  for (std::size_t i = 0; i < instance.items.size(); ++i) {
    const Item& item = instance.items[i];
    if (item.fixed >= 0 || !is_plain(instance, i)) {
      continue;
    }
    for (auto s = static_cast<std::size_t>(item.lower); s < static_cast<std::size_t>(item.upper);
         ++s) {
      stacks[s].sum += item.size;
      // One too many says that there are too many.
      if (stacks[s].items.size() <= kMostItems) {
        stacks[s].items.push_back(i);
      }
    }
  }
  std::ranges::stable_sort(stacks, std::ranges::greater{}, &Stack::sum);
  std::uint64_t work = 0;
  for (const Stack& stack : stacks) {
    if (stack.items.size() > kMostItems) {
      continue;
    }
    std::int64_t padded = stack.sum;
    for (const std::size_t i : stack.items) {
      padded += instance.items[i].alignment - 1;
    }
    if (padded <= bound) {
      continue;
    }
    work += stack.items.size() << stack.items.size();
    if (work > kMostStackWork) {
      break;
    }
    bound = std::max(bound, least_top(instance, stack.items));
  }
  return bound;
}

}  // namespace memsize::plan
