// Times become slots, bytes become units.
//
// Only the moments at which the most buffers are alive matter: a moment whose buffers are all alive
// at its neighbour forbids nothing that the neighbour does not forbid. Such a moment is left when
// something ends and entered when something begins, so slots are counted by beginnings that follow
// an end. Two buffers share a slot if and only if they are alive together, and there are never more
// slots than buffers, however long the program is.
#include "instance.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

namespace memsize::plan {

namespace {

// Between looks at the clock and at whoever may say stop.
constexpr std::uint64_t kStepsBetweenLooks = 4096;

constexpr std::uint64_t kStepsBetweenReports = 1ULL << 18;

// With more items, a bound that looks into every slot would take longer than a first plan.
constexpr std::size_t kMostStacked = 2048;

// An alignment above this one leaves room for one buffer only, and is as good as this one.
constexpr std::uint64_t kLargestRepresentable = 1ULL << 61;

// Times at which something begins after something ended.
std::vector<std::int64_t> beginnings_after_ends(const std::vector<Buffer>& buffers) {
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> ends;
  begins.reserve(buffers.size());
  ends.reserve(buffers.size());
  for (const Buffer& buffer : buffers) {
    if (buffer.size.count() == 0) {
      continue;
    }
    if (buffer.windows.empty()) {
      begins.push_back(buffer.lower);
      ends.push_back(buffer.upper);
    }
    for (const model::Window& window : buffer.windows) {
      begins.push_back(window.live.lower);
      ends.push_back(window.live.upper);
    }
  }
  std::ranges::sort(begins);
  std::ranges::sort(ends);
  std::vector<std::int64_t> found;
  std::size_t ended = 0;
  for (const std::int64_t begin : begins) {
    const std::size_t before = ended;
    while (ended < ends.size() && ends[ended] <= begin) {
      ++ended;
    }
    if (ended != before) {
      found.push_back(begin);
    }
  }
  return found;
}

std::int32_t count_below(const std::vector<std::int64_t>& sorted, std::int64_t time) {
  return static_cast<std::int32_t>(std::ranges::lower_bound(sorted, time) - sorted.begin());
}

std::int32_t count_up_to(const std::vector<std::int64_t>& sorted, std::int64_t time) {
  return static_cast<std::int32_t>(std::ranges::upper_bound(sorted, time) - sorted.begin());
}

bool binds(const Buffer& buffer, std::uint64_t unit) {
  return !buffer.offset && unit % buffer.alignment.value() != 0;
}

// The largest number that divides every size, every fixed offset, and every alignment that is not
// kept for nothing by a plan in multiples of the former. A fixed buffer's alignment binds nobody.
std::uint64_t common_unit(const std::vector<Buffer>& buffers) {
  std::uint64_t unit = 0;
  for (const Buffer& buffer : buffers) {
    if (buffer.size.count() == 0) {
      continue;
    }
    unit = std::gcd(unit, buffer.size.count());
    if (buffer.offset) {
      unit = std::gcd(unit, buffer.offset->count());
    }
    for (const model::Window& window : buffer.windows) {
      unit = std::gcd(unit, std::gcd(window.begin.count(), window.end.count()));
    }
  }
  if (unit == 0) {
    return 1;
  }
  for (const Buffer& buffer : buffers) {
    if (buffer.size.count() != 0 && binds(buffer, unit)) {
      // Alignments are powers of two, so this is the same whichever binds.
      return unit & (~unit + 1);
    }
  }
  return unit;
}

// The most that is alive in one slot.
std::int64_t busiest(const Instance& instance) {
  std::vector<std::int64_t> change(static_cast<std::size_t>(instance.slots) + 1);
  for (std::size_t i = 0; i < instance.items.size(); ++i) {
    for_each_window(instance, i, [&](const ItemWindow& window) {
      change[static_cast<std::size_t>(window.lower)] += window.end - window.begin;
      change[static_cast<std::size_t>(window.upper)] -= window.end - window.begin;
    });
  }
  std::int64_t alive = 0;
  std::int64_t most = 0;
  for (const std::int64_t step : change) {
    alive += step;
    most = std::max(most, alive);
  }
  return most;
}

// Where every one of some buffers begins at a multiple of `alignment`, each but the topmost takes
// its size rounded up. Items of a lesser alignment may lie in between, and are not counted, nor are
// those with windows, which begin anywhere.
std::int64_t busiest_rounded(const Instance& instance, std::int64_t alignment) {
  std::vector<std::pair<std::int32_t, std::size_t>> begins;
  for (std::size_t i = 0; i < instance.items.size(); ++i) {
    if (instance.items[i].alignment >= alignment && is_plain(instance, i)) {
      begins.emplace_back(instance.items[i].lower, i);
    }
  }
  std::ranges::sort(begins);
  // By what rounding adds, with the end; by end, with the rounded size.
  std::priority_queue<std::pair<std::int64_t, std::int32_t>> slack;
  using End = std::pair<std::int32_t, std::int64_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  std::int64_t alive = 0;
  std::int64_t most = 0;
  for (const auto& [lower, index] : begins) {
    while (!ends.empty() && ends.top().first <= lower) {
      alive -= ends.top().second;
      ends.pop();
    }
    const Item& item = instance.items[index];
    const std::int64_t rounded = (item.size + alignment - 1) / alignment * alignment;
    alive += rounded;
    ends.emplace(item.upper, rounded);
    slack.emplace(rounded - item.size, item.upper);
    while (slack.top().second <= lower) {
      slack.pop();
    }
    most = std::max(most, alive - slack.top().first);
  }
  return most;
}

// Fills the windows of every item, and gives those that have some the slots of these.
void add_windows(const std::vector<Buffer>& buffers,
                 const std::vector<std::int64_t>& times,
                 Instance& instance) {
  const auto in_units = [&](core::Bytes bytes) {
    return static_cast<std::int64_t>(bytes.count() / instance.unit);
  };
  instance.windows.resize(instance.items.size());
  for (std::size_t i = 0; i < instance.items.size(); ++i) {
    Item& item = instance.items[i];
    const std::vector<model::Window>& windows = buffers[instance.buffers[i]].windows;
    if (windows.empty()) {
      instance.windows[i].push_back({item.lower, item.upper, 0, item.size});
      continue;
    }
    item.lower = INT32_MAX;
    item.upper = 0;
    for (const model::Window& window : windows) {
      const std::int32_t lower = count_up_to(times, window.live.lower);
      const std::int32_t upper = std::max(count_below(times, window.live.upper), lower) + 1;
      if (window.begin < window.end) {
        instance.windows[i].push_back({lower, upper, in_units(window.begin), in_units(window.end)});
      }
      item.lower = std::min(item.lower, lower);
      item.upper = std::max(item.upper, upper);
    }
  }
}

}  // namespace

bool is_plain(const Instance& instance, std::size_t item) {
  if (instance.windows.empty()) {
    return true;
  }
  const std::vector<ItemWindow>& windows = instance.windows[item];
  const Item& all = instance.items[item];
  return windows.size() == 1 && windows[0].lower == all.lower && windows[0].upper == all.upper &&
         windows[0].begin == 0 && windows[0].end == all.size;
}

bool fixed_collide(const Instance& instance) {
  struct Taken {
    std::int32_t lower = 0;
    std::int32_t upper = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };

  std::vector<Taken> all;
  for (std::size_t i = 0; i < instance.items.size(); ++i) {
    const std::int64_t fixed = instance.items[i].fixed;
    if (fixed >= 0) {
      for_each_window(instance, i, [&](const ItemWindow& window) {
        all.push_back({window.lower, window.upper, fixed + window.begin, fixed + window.end});
      });
    }
  }
  std::ranges::sort(all, {}, &Taken::lower);
  using End = std::pair<std::int32_t, std::int64_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  // From offset to end, of what is alive.
  std::map<std::int64_t, std::int64_t> alive;
  for (const Taken& taken : all) {
    while (!ends.empty() && ends.top().first <= taken.lower) {
      alive.erase(ends.top().second);
      ends.pop();
    }
    const auto above = alive.lower_bound(taken.begin);
    if ((above != alive.end() && above->first < taken.end) ||
        (above != alive.begin() && std::prev(above)->second > taken.begin)) {
      return true;
    }
    alive.emplace(taken.begin, taken.end);
    ends.emplace(taken.upper, taken.begin);
  }
  return false;
}

Instance make_instance(const std::vector<Buffer>& buffers) {
  Instance instance{.unit = common_unit(buffers)};
  const std::vector<std::int64_t> times = beginnings_after_ends(buffers);
  bool has_windows = false;
  const auto in_units = [&](std::uint64_t bytes) {
    return static_cast<std::int64_t>(bytes / instance.unit);
  };
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& buffer = buffers[i];
    if (buffer.size.count() == 0) {
      continue;
    }
    Item item{.lower = count_up_to(times, buffer.lower)};
    item.upper = std::max(count_below(times, buffer.upper), item.lower) + 1;
    // The difference of any two steps fits unsigned integers only.
    const auto duration =
        static_cast<std::uint64_t>(buffer.upper) - static_cast<std::uint64_t>(buffer.lower);
    item.duration = static_cast<std::int64_t>(std::min<std::uint64_t>(duration, INT64_MAX));
    item.size = in_units(buffer.size.count());
    if (buffer.offset) {
      item.fixed = in_units(buffer.offset->count());
      instance.has_fixed = true;
    } else if (binds(buffer, instance.unit)) {
      item.alignment = in_units(std::min(buffer.alignment.value(), kLargestRepresentable));
      instance.has_alignment = true;
    }
    instance.items.push_back(item);
    instance.buffers.push_back(i);
    has_windows = has_windows || !buffer.windows.empty();
  }
  if (has_windows) {
    add_windows(buffers, times, instance);
  }
  instance.slots = instance.items.empty() ? 0 : static_cast<std::int32_t>(times.size()) + 1;
  return instance;
}

std::int64_t lower_bound(const Instance& instance) {
  std::int64_t bound = busiest(instance);
  std::uint64_t alignments = 0;
  for (const Item& item : instance.items) {
    bound = std::max(bound, std::max<std::int64_t>(item.fixed, 0) + item.size);
    alignments |= static_cast<std::uint64_t>(item.alignment);
  }
  for (alignments &= ~1ULL; alignments != 0; alignments &= alignments - 1) {
    const int exponent = std::countr_zero(alignments);
    bound = std::max(bound, busiest_rounded(instance, std::int64_t{1} << exponent));
  }
  return instance.has_alignment && instance.items.size() <= kMostStacked
             ? most_stacked(instance, bound)
             : bound;
}

core::Bytes lower_bound(const std::vector<Buffer>& buffers) {
  const Instance instance = make_instance(buffers);
  return in_bytes(instance, lower_bound(instance));
}

Budget::Budget(const PackLimits& limits) : limits_(limits) {
  if (limits.time) {
    const auto now = std::chrono::steady_clock::now();
    // A clock counts in less than milliseconds, and would wrap.
    const auto left = std::chrono::steady_clock::time_point::max() - now;
    const bool fits = *limits.time < std::chrono::duration_cast<std::chrono::milliseconds>(left);
    end_ = fits ? now + *limits.time : std::chrono::steady_clock::time_point::max();
  }
}

bool Budget::take(std::uint64_t steps) {
  if (over_) {
    return false;
  }
  taken_ += std::min(steps, UINT64_MAX - taken_);
  if (taken_ >= next_look_) {
    look();
  }
  if (!limits_.time && taken_ > limits_.steps) {
    over_ = true;
  }
  return !over_;
}

void Budget::look() {
  next_look_ = taken_ + std::min(kStepsBetweenLooks, UINT64_MAX - taken_);
  if (limits_.stop && limits_.stop()) {
    interrupted_ = true;
    over_ = true;
  } else if (limits_.time && std::chrono::steady_clock::now() >= end_) {
    over_ = true;
  }
  late_ = over_;
  // Before the first plan there is nothing to tell.
  if (limits_.progress && progress_.height.count() != 0 &&
      taken_ - progress_.steps >= kStepsBetweenReports) {
    progress_.steps = taken_;
    limits_.progress(progress_);
  }
}

void Budget::report(core::Bytes height, core::Bytes bound) {
  progress_ = PackProgress{height, bound, taken_};
  if (limits_.progress) {
    limits_.progress(progress_);
  }
}

}  // namespace memsize::plan
