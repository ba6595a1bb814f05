// The judge of all plans, so it is built of as little as possible: a sweep over the steps, which
// takes buffers out when their time is over and then puts in those that begin.
//
// As long as nothing has collided, the buffers that are alive are disjoint in bytes, so that a new
// one can only touch its two neighbours. An ordered set answers that; as all offsets are known
// beforehand, it is a set of ranks, in bits, which stays in a core's cache where a tree of a
// million nodes does not. Looking for the first collision can stop there. Listing all of them
// cannot, for in a broken plan live buffers overlap, and there may be n^2 pairs. So all pairs are
// only counted: of the live buffers, a new one misses those that end before it begins and those
// that begin where it ends, and both counts are prefix sums. Only where a count says that there is
// something to see, live buffers are looked at one by one, and that only until enough pairs are
// known for people to read.
#include "collisions.hpp"

#include "memsize/core/bytes.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace memsize::plan {

std::uint64_t end_of(const PlacedBuffer& buffer) {
  return core::checked_add(buffer.offset, buffer.size).value_or(UINT64_MAX);
}

bool collide(const PlacedBuffer& a, const PlacedBuffer& b) {
  return std::max(a.lower, b.lower) < std::min(a.upper, b.upper) &&
         std::max(a.offset, b.offset) < std::min(end_of(a), end_of(b));
}

namespace {

// A beginning or an end. At equal times ends come first: what begins then may have the bytes.
struct Event {
  std::int64_t time = 0;
  bool begins = false;
  std::size_t buffer = 0;
};

constexpr std::uint64_t kTimesPerEvent = 2;

// What is of one time stays in its order. Times that are close together are counted, which takes a
// tenth of comparing them.
std::vector<Event> by_time(std::vector<Event> events) {
  if (events.empty()) {
    return events;
  }
  const auto [first, last] = std::ranges::minmax(events, {}, &Event::time);
  // The difference of any two times fits unsigned integers only.
  const auto slot = [begin = static_cast<std::uint64_t>(first.time)](const Event& event) {
    return static_cast<std::uint64_t>(event.time) - begin;
  };
  if (slot(last) / kTimesPerEvent >= events.size()) {
    std::ranges::stable_sort(events, {}, &Event::time);
    return events;
  }
  std::vector<std::size_t> places(slot(last) + 2);
  for (const Event& event : events) {
    ++places[slot(event) + 1];
  }
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::vector<Event> sorted(events.size());
  for (const Event& event : events) {
    sorted[places[slot(event)]++] = event;
  }
  return sorted;
}

std::vector<Event> events_of(const std::vector<PlacedBuffer>& buffers) {
  std::vector<Event> events;
  events.reserve(2 * buffers.size());
  for (const bool begins : {false, true}) {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i].lower < buffers[i].upper && buffers[i].size != 0) {
        events.push_back({begins ? buffers[i].lower : buffers[i].upper, begins, i});
      }
    }
  }
  return by_time(std::move(events));
}

// How many of the live buffers have a value below some value. Values are known beforehand.
class Ranks {
 public:
  explicit Ranks(std::vector<std::uint64_t> values) : values_(std::move(values)) {
    std::ranges::sort(values_);
    values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
    sums_.assign(values_.size() + 1, 0);
  }

  void add(std::uint64_t value) { change(value, 1); }

  void remove(std::uint64_t value) { change(value, -1); }

  [[nodiscard]] std::int64_t below(std::uint64_t value) const { return sum(rank(value)); }

  [[nodiscard]] std::int64_t up_to(std::uint64_t value) const {
    const auto at = std::ranges::upper_bound(values_, value);
    return sum(static_cast<std::size_t>(at - values_.begin()));
  }

 private:
  [[nodiscard]] std::size_t rank(std::uint64_t value) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(values_, value) - values_.begin());
  }

  [[nodiscard]] std::int64_t sum(std::size_t count) const {
    std::int64_t total = 0;
    for (; count != 0; count &= count - 1) {
      total += sums_[count];
    }
    return total;
  }

  void change(std::uint64_t value, std::int64_t by) {
    for (std::size_t i = rank(value) + 1; i < sums_.size(); i += i & (~i + 1)) {
      sums_[i] += by;
    }
  }

  std::vector<std::uint64_t> values_;
  std::vector<std::int64_t> sums_;
};

Ranks ranks_of(const std::vector<PlacedBuffer>& buffers,
               std::uint64_t (*value)(const PlacedBuffer&)) {
  std::vector<std::uint64_t> values;
  values.reserve(buffers.size());
  for (const PlacedBuffer& buffer : buffers) {
    values.push_back(value(buffer));
  }
  return Ranks{std::move(values)};
}

// Numbers below a limit, in words of 64; a bit of each higher level is a word of the one below.
class RankSet {
 public:
  explicit RankSet(std::size_t limit) {
    do {
      limit = limit / kWord + 1;
      levels_.emplace_back(limit);
    } while (limit > 1);
  }

  void insert(std::size_t rank) {
    for (auto& level : levels_) {
      level[rank / kWord] |= bit(rank);
      rank /= kWord;
    }
  }

  void erase(std::size_t rank) {
    for (auto& level : levels_) {
      level[rank / kWord] &= ~bit(rank);
      if (level[rank / kWord] != 0) {
        return;
      }
      rank /= kWord;
    }
  }

  /// The largest member below `rank`.
  [[nodiscard]] std::optional<std::size_t> below(std::size_t rank) const {
    for (std::size_t height = 0; height < levels_.size(); ++height) {
      const std::uint64_t word = levels_[height][rank / kWord] & (bit(rank) - 1);
      rank /= kWord;
      if (word != 0) {
        return descend(height, rank, word, [](std::uint64_t bits) {
          return kWord - 1 - static_cast<std::size_t>(std::countl_zero(bits));
        });
      }
    }
    return std::nullopt;
  }

  /// The smallest member above `rank`.
  [[nodiscard]] std::optional<std::size_t> above(std::size_t rank) const {
    for (std::size_t height = 0; height < levels_.size(); ++height) {
      const std::uint64_t word = levels_[height][rank / kWord] & ~(bit(rank) | (bit(rank) - 1));
      rank /= kWord;
      if (word != 0) {
        return descend(height, rank, word, [](std::uint64_t bits) {
          return static_cast<std::size_t>(std::countr_zero(bits));
        });
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kWord = 64;

  static std::uint64_t bit(std::size_t rank) { return std::uint64_t{1} << (rank % kWord); }

  template <typename Pick>
  [[nodiscard]] std::size_t descend(std::size_t height,
                                    std::size_t index,
                                    std::uint64_t word,
                                    Pick pick) const {
    std::size_t rank = index * kWord + pick(word);
    for (; height != 0; --height) {
      rank = rank * kWord + pick(levels_[height - 1][rank]);
    }
    return rank;
  }

  std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace

std::optional<Collision> find_collision(const std::vector<PlacedBuffer>& buffers) {
  std::vector<std::pair<std::uint64_t, std::size_t>> by_offset;
  by_offset.reserve(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    by_offset.emplace_back(buffers[i].offset, i);
  }
  std::ranges::sort(by_offset, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  });
  std::vector<std::size_t> ranks(buffers.size());
  for (std::size_t rank = 0; rank < by_offset.size(); ++rank) {
    ranks[by_offset[rank].second] = rank;
  }
  // Disjoint, as nothing has collided yet.
  RankSet live{buffers.size()};
  for (const Event& event : events_of(buffers)) {
    const std::size_t rank = ranks[event.buffer];
    if (!event.begins) {
      live.erase(rank);
      continue;
    }
    for (const auto neighbour : {live.below(rank), live.above(rank)}) {
      if (neighbour && collide(buffers[by_offset[*neighbour].second], buffers[event.buffer])) {
        return Collision{by_offset[*neighbour].second, event.buffer};
      }
    }
    live.insert(rank);
  }
  return std::nullopt;
}

Collisions list_collisions(const std::vector<PlacedBuffer>& buffers, std::size_t most) {
  Collisions found;
  if (!find_collision(buffers)) {
    return found;
  }
  Ranks begins =
      ranks_of(buffers, [](const PlacedBuffer& buffer) -> std::uint64_t { return buffer.offset; });
  Ranks ends = ranks_of(buffers, end_of);
  // In no order; where each buffer is in there.
  std::vector<std::size_t> live;
  std::vector<std::size_t> seat(buffers.size());
  for (const Event& event : events_of(buffers)) {
    const PlacedBuffer& buffer = buffers[event.buffer];
    if (!event.begins) {
      begins.remove(buffer.offset);
      ends.remove(end_of(buffer));
      seat[live.back()] = seat[event.buffer];
      live[seat[event.buffer]] = live.back();
      live.pop_back();
      continue;
    }
    const std::int64_t met = begins.below(end_of(buffer)) - ends.up_to(buffer.offset);
    found.count += static_cast<std::uint64_t>(met);
    if (met > 0 && found.pairs.size() < most) {
      const auto before = static_cast<std::ptrdiff_t>(found.pairs.size());
      for (const std::size_t other : live) {
        if (found.pairs.size() < most && collide(buffers[other], buffer)) {
          found.pairs.push_back({other, event.buffer});
        }
      }
      std::sort(found.pairs.begin() + before,
                found.pairs.end(),
                [](const Collision& a, const Collision& b) { return a.first < b.first; });
    }
    begins.add(buffer.offset);
    ends.add(end_of(buffer));
    seat[event.buffer] = live.size();
    live.push_back(event.buffer);
  }
  return found;
}

Peak peak_of(const std::vector<PlacedBuffer>& buffers) {
  Peak peak;
  // Sums of hostile sizes leave 64 bits: `high` counts how often.
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  for (const Event& event : events_of(buffers)) {
    const std::uint64_t size = buffers[event.buffer].size;
    if (!event.begins) {
      high -= low < size ? 1 : 0;
      low -= size;
      continue;
    }
    low += size;
    high += low < size ? 1 : 0;
    const std::uint64_t sum = high != 0 ? UINT64_MAX : low;
    if (sum > peak.bytes) {
      peak = {sum, event.time};
    }
  }
  return peak;
}

}  // namespace memsize::plan
