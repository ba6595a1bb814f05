// Up to kEveryWay things, a table has what each set costs at each place, and a second one the least
// that a set costs at a place and those behind it, over all its splits. What costs really may be
// more than the sum of the parts, because places stand beside each other; so ways are collected by
// their sum, up to the best true cost that was found. Where very many cost as little as the best,
// not all of them are judged, and nothing is proved.
//
// Beyond that things are placed one after the other, the most costly first, where each adds least;
// if that fails, where each leaves least, and in the order given.
#include "assign_sets.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace memsize::app {

namespace {

constexpr std::uint64_t kNo = UINT64_MAX;

// Ways that are judged for one answer.
constexpr std::size_t kMostWays = 512;

// Calls `take` for every part of a set, itself and the empty one too.
template <typename Take>
void for_each_part(Set set, const Take& take) {
  for (Set part = set;; part = (part - 1) & set) {
    take(part);
    if (part == 0) {
      return;
    }
  }
}

}  // namespace

Assigner::Assigner(std::vector<std::size_t> homes, std::size_t places, Cost cost, Judge judge)
    : homes_(std::move(homes)), places_(places), cost_(std::move(cost)), judge_(std::move(judge)) {
  if (is_exact()) {
    fill_tables();
  }
}

void Assigner::fill_tables() {
  const std::size_t sets = std::size_t{1} << homes_.size();
  costs_.assign(places_, std::vector<std::uint64_t>(sets, kNo));
  least_ = costs_;
  for (std::size_t place = 0; place < places_; ++place) {
    auto& costs = costs_[place];
    costs[0] = 0;
    for (Set set = 1; set < sets; ++set) {
      bool parts_fit = true;
      for (std::size_t thing = 0; thing < homes_.size(); ++thing) {
        parts_fit = parts_fit && ((set & bit(thing)) == 0 || costs[set & ~bit(thing)] != kNo);
      }
      costs[set] = parts_fit ? cost_(place, set).value_or(kNo) : kNo;
    }
  }
  least_[places_ - 1] = costs_[places_ - 1];
  for (std::size_t place = places_ - 1; place-- > 0;) {
    for (Set set = 0; set < sets; ++set) {
      for_each_part(set, [&](Set part) {
        const std::uint64_t own = costs_[place][part];
        const std::uint64_t rest = least_[place + 1][set & ~part];
        if (own != kNo && rest != kNo) {
          least_[place][set] = std::min(least_[place][set], own + rest);
        }
      });
    }
  }
}

std::size_t Assigner::moves(const Parts& parts) const {
  std::size_t moved = 0;
  for (std::size_t place = 0; place < parts.size(); ++place) {
    for (std::size_t thing = 0; thing < homes_.size(); ++thing) {
      moved += (parts[place] & bit(thing)) != 0 && homes_[thing] != place ? 1U : 0U;
    }
  }
  return moved;
}

void Assigner::collect(
    std::size_t place, Set left, std::uint64_t sum, std::uint64_t limit, Parts& parts) {
  if (place == places_) {
    if (left == 0) {
      ways_.emplace_back(sum, parts);
      is_cut_ = is_cut_ || ways_.size() > kMostWays;
    }
    return;
  }
  for_each_part(left, [&](Set part) {
    const std::uint64_t own = costs_[place][part];
    const Set behind = left & ~part;
    const std::uint64_t rest = place + 1 < places_ ? least_[place + 1][behind]
                               : behind == 0       ? 0
                                                   : kNo;
    if (is_cut_ || own == kNo || rest == kNo || sum + own + rest > limit) {
      return;
    }
    parts.push_back(part);
    collect(place + 1, behind, sum + own, limit, parts);
    parts.pop_back();
  });
}

std::optional<Assignment> Assigner::exactly(Set set, bool* proved) {
  std::optional<Assignment> best;
  std::uint64_t limit = least_.front()[set];
  while (limit != kNo) {
    ways_.clear();
    is_cut_ = false;
    Parts parts;
    collect(0, set, 0, limit, parts);
    std::ranges::sort(ways_, [&](const auto& a, const auto& b) {
      return std::tuple{a.first, moves(a.second), a.second} <
             std::tuple{b.first, moves(b.second), b.second};
    });
    for (const auto& [sum, way] : ways_) {
      const auto cost = judge_(way);
      const bool better = cost && (!best || *cost < best->cost ||
                                   (*cost == best->cost && moves(way) < moves(best->parts)));
      if (better) {
        best = Assignment{way, *cost, false};
      }
    }
    // Up to the cost of the best, then those that cost whatever they do.
    const std::uint64_t next = best ? best->cost : kNo - 1;
    if (is_cut_ || limit >= next) {
      break;
    }
    limit = next;
  }
  if (best) {
    // Nothing costs less than the least sum.
    best->proved = !is_cut_ || best->cost == least_.front()[set];
  } else if (proved != nullptr) {
    *proved = !is_cut_;
  }
  return best;
}

std::optional<Assignment> Assigner::by_size(Set set) {
  const auto cost = [&](std::size_t place, Set part) {
    return part == 0 ? std::optional<std::uint64_t>{0} : cost_(place, part);
  };
  std::vector<std::size_t> order;
  std::vector<std::uint64_t> alone(homes_.size(), 0);
  for (std::size_t thing = 0; thing < homes_.size(); ++thing) {
    if ((set & bit(thing)) != 0) {
      order.push_back(thing);
      for (std::size_t place = 0; place < places_; ++place) {
        alone[thing] = std::max(alone[thing], cost(place, bit(thing)).value_or(0));
      }
    }
  }
  const std::vector<std::size_t> given = order;
  std::ranges::stable_sort(
      order, std::ranges::greater{}, [&](std::size_t one) { return alone[one]; });
  // Where each thing goes: to the place that costs least more, or to the one that costs most then.
  const auto place_all = [&](const std::vector<std::size_t>& things, bool adds_least) {
    Parts parts(places_, 0);
    for (const std::size_t thing : things) {
      std::optional<std::tuple<std::uint64_t, bool, std::size_t>> best;
      for (std::size_t place = 0; place < places_; ++place) {
        const auto with = cost(place, parts[place] | bit(thing));
        if (with) {
          const std::uint64_t before = cost(place, parts[place]).value_or(0);
          const std::tuple way{adds_least ? *with - std::min(before, *with) : kNo - *with,
                               homes_[thing] != place,
                               place};
          best = best ? std::min(*best, way) : way;
        }
      }
      if (!best) {
        return std::optional<Assignment>{};
      }
      parts[std::get<2>(*best)] |= bit(thing);
    }
    const auto total = judge_(parts);
    return total ? std::optional{Assignment{parts, *total, false}} : std::nullopt;
  };
  std::optional<Assignment> best;
  for (const auto& things : {order, given}) {
    for (const bool adds_least : {true, false}) {
      const auto found = place_all(things, adds_least);
      best = found && (!best || found->cost < best->cost) ? found : best;
    }
  }
  return best;
}

std::optional<Assignment> Assigner::cheapest(Set set, bool* proved) {
  if (is_exact()) {
    return exactly(set, proved);
  }
  // What has no room anywhere by itself proves something all the same.
  bool has_room = true;
  for (std::size_t thing = 0; thing < homes_.size(); ++thing) {
    bool anywhere = (set & bit(thing)) == 0;
    for (std::size_t place = 0; place < places_ && !anywhere; ++place) {
      anywhere = cost_(place, bit(thing)).has_value();
    }
    has_room = has_room && anywhere;
  }
  if (proved != nullptr) {
    *proved = !has_room;
  }
  return has_room ? by_size(set) : std::nullopt;
}

}  // namespace memsize::app
