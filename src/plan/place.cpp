// Which slot goes to which bank: as much of what is used often into what costs little as has room.
//
// Whether a bank has room is a packing problem of its own, so an assignment is a proposal that is
// asked bank by bank. Two ways lead to one:
//
// - Few slots with a choice: every assignment, the cheapest homes first. A branch ends where it
//   costs as much as one that is known, and where a bank cannot hold even what it has so far: what
//   does not fit does not fit with more, either. Of each bank the answers are kept by its set of
//   slots, so that there are never more packing problems than sets. This answer is complete.
// - Many: bank by bank from the cheapest, slots by benefit per byte and step (price saved, over
//   size and lifetime), those first that have nowhere else to go. A slot is admitted while the
//   bytes alive at each of its steps leave room, which a tree over steps answers in O(log n).
//   Packing may still need more than the bytes alive: then the bank admits less, and what it loses
//   goes to the next one, until it is packed. Where that ends in a bank that cannot hold what is
//   left, other orders are tried: by size, and by size and lifetime.
//
// An exchange of slots between banks (local search) was considered for the second way and left out:
// what is lost against it is bounded by a few slots at each bank's border.
#include "place.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

namespace memsize::plan {

namespace {

using model::Lifetime;

constexpr std::size_t kFewSlots = 12;
// Of the complete search, in slots looked at.
constexpr std::uint64_t kMostWork = 20'000'000;
// Of all steps, one search for room may take this part.
constexpr std::uint64_t kShareOfMove = 50;
// Of a trial bank by bank, in slots looked at, for each slot.
constexpr std::uint64_t kWorkOfFilling = 100;

std::uint64_t packed_height(const Packing& packing) {
  return packing.height.count();
}

// What is known of one set of scratch slots in one bank.
struct Known {
  std::uint64_t lower_bound = 0;
  std::optional<Packing> lowest;
  /// A complete search found nothing of at most this.
  std::optional<std::uint64_t> refused;
};

// Asks banks whether they have room.
class Rooms {
 public:
  /// `most_steps`: when searches took more, there is no other.
  Rooms(const Problem& problem, Packer& packer, std::uint64_t most_steps = UINT64_MAX)
      : problem_(problem),
        packer_(packer),
        end_(packer.steps() + std::min(most_steps, UINT64_MAX - packer.steps())) {}

  enum class Answer { kYes, kUnknown, kNo };

  /// `arenas`: all of an assignment, or of its beginning. kNo: no arrangement of them fits.
  Answer fit(std::vector<Arena>& arenas) {
    pack_always(arenas);
    const std::vector<Load> loads = loads_of(problem_, arenas);
    Answer answer = Answer::kYes;
    for (std::size_t bank = 0; bank < loads.size() && answer != Answer::kNo; ++bank) {
      if (loads[bank].used > problem_.banks[bank].budget) {
        answer = std::max(answer, is_exact(arenas, bank) ? Answer::kNo : Answer::kUnknown);
      }
    }
    for (const Arena& arena : arenas) {
      if (arena.role == Lifetime::kScratch && answer == Answer::kYes) {
        const auto room =
            room_for_scratch(problem_.banks[arena.bank], loads[arena.bank], arena.base_alignment);
        answer = fits(arena, room.value_or(0));
        if (answer == Answer::kNo && !is_exact(arenas, arena.bank)) {
          answer = Answer::kUnknown;
        }
      }
    }
    return answer;
  }

  /// By how much the banks are too small, at least: by bytes alive, without a search.
  std::uint64_t lack(std::vector<Arena>& arenas) {
    pack_always(arenas);
    const std::vector<Load> loads = loads_of(problem_, arenas);
    std::uint64_t sum = 0;
    for (std::size_t bank = 0; bank < loads.size(); ++bank) {
      std::uint64_t needed = loads[bank].used;
      for (const Arena& arena : arenas) {
        if (arena.bank == bank && arena.role == Lifetime::kScratch) {
          needed += lower_bound(buffers_of(problem_, arena)).count();
        }
      }
      sum += needed - std::min(needed, problem_.banks[bank].budget);
    }
    return sum;
  }

  [[nodiscard]] std::map<std::size_t, Packing> packings(const std::vector<Arena>& arenas) const {
    std::map<std::size_t, Packing> found;
    for (const Arena& arena : arenas) {
      const auto known = known_.find({arena.bank, arena.slots});
      if (arena.role == Lifetime::kScratch && known != known_.end() && known->second.lowest) {
        found[arena.bank] = *known->second.lowest;
      }
    }
    return found;
  }

 private:
  // Whether what is always in the bank takes as little as it can.
  static bool is_exact(const std::vector<Arena>& arenas, std::size_t bank) {
    return std::ranges::all_of(arenas, [&](const Arena& arena) {
      const bool here = arena.role != Lifetime::kScratch &&
                        (arena.bank == bank || (arena.staged() && arena.source == bank));
      return !here || arena.proof == Proof::kBound || arena.proof == Proof::kExhausted;
    });
  }

  // What is always there.
  void pack_always(std::vector<Arena>& arenas) {
    for (Arena& arena : arenas) {
      if (arena.role == Lifetime::kScratch) {
        continue;
      }
      const auto [known, is_new] = steady_.emplace(std::pair{arena.bank, arena.slots}, arena);
      if (is_new) {
        pack_steady(problem_, known->second, packer_);
      }
      arena.offsets = known->second.offsets;
      arena.height = known->second.height;
      arena.lower_bound = known->second.lower_bound;
      arena.proof = known->second.proof;
    }
  }

  Answer fits(const Arena& arena, std::uint64_t room) {
    const auto [found, is_new] = known_.emplace(std::pair{arena.bank, arena.slots}, Known{});
    Known& known = found->second;
    if (!is_new) {
      if (known.lowest && packed_height(*known.lowest) <= room) {
        return Answer::kYes;
      }
      if (known.lower_bound > room || (known.refused && *known.refused >= room)) {
        return Answer::kNo;
      }
    }
    const std::vector<Buffer> buffers = buffers_of(problem_, arena);
    if (is_new) {
      known.lower_bound = lower_bound(buffers).count();
      if (known.lower_bound > room) {
        return Answer::kNo;
      }
    }
    if (packer_.steps() > end_) {
      return Answer::kUnknown;
    }
    Packing packing = packer_.pack_scratch(buffers, room, kShareOfMove);
    const bool placed = packing.offsets.size() == buffers.size();
    known.lower_bound = std::max(known.lower_bound, packing.lower_bound.count());
    const bool yes = placed && packed_height(packing) <= room;
    if (!yes && packing.proof != Proof::kBest) {
      known.refused = std::max(known.refused.value_or(0), room);
    }
    const bool refused = !yes && packing.proof != Proof::kBest;
    if (placed && (!known.lowest || packed_height(packing) < packed_height(*known.lowest))) {
      known.lowest = std::move(packing);
    }
    return yes ? Answer::kYes : refused ? Answer::kNo : Answer::kUnknown;
  }

  const Problem& problem_;
  Packer& packer_;
  std::uint64_t end_;
  std::map<std::pair<std::size_t, std::vector<std::size_t>>, Known> known_;
  std::map<std::pair<std::size_t, std::vector<std::size_t>>, Arena> steady_;
};

// A bank's constants have one source.
bool one_source(const Problem& problem, const std::vector<std::size_t>& homes) {
  std::vector<std::size_t> sources(problem.banks.size(), kNowhere);
  for (std::size_t i = 0; i < homes.size(); ++i) {
    if (homes[i] == kNowhere || problem.slots[i].role != Lifetime::kConstant) {
      continue;
    }
    const Home& home = problem.slots[i].homes[homes[i]];
    if (sources[home.bank] != kNowhere && sources[home.bank] != home.source) {
      return false;
    }
    sources[home.bank] = home.source;
  }
  return true;
}

// --- few slots: every assignment

class EveryAssignment {
 public:
  EveryAssignment(const Problem& problem, Packer& packer, Rooms& rooms)
      : problem_(problem), packer_(packer), rooms_(rooms) {}

  /// Whether there is any that fits, however dear; `work` is what may be looked at, and is left.
  bool search_any(std::uint64_t& work) {
    any_ = true;
    most_work_ = work;
    const bool fits = search().fits;
    work -= std::min(work, work_);
    return fits;
  }

  Assignment search() {
    homes_.assign(problem_.slots.size(), 0);
    for (std::size_t i = 0; i < problem_.slots.size(); ++i) {
      if (problem_.slots[i].homes.size() > 1) {
        homes_[i] = kNowhere;
        choices_.push_back(i);
      }
    }
    // What gains most decides first; of equal ones the problem's order.
    std::ranges::stable_sort(choices_,
                             [&](std::size_t a, std::size_t b) { return span_of(a) > span_of(b); });
    least_left_.assign(choices_.size() + 1, 0);
    for (std::size_t i = choices_.size(); i > 0; --i) {
      least_left_[i - 1] = least_left_[i] + least_of(choices_[i - 1]);
    }
    descend(0, 0);
    best_.complete = !cut_;
    return std::move(best_);
  }

 private:
  [[nodiscard]] double least_of(std::size_t slot) const {
    double least = problem_.slots[slot].homes.front().price;
    for (const Home& home : problem_.slots[slot].homes) {
      least = std::min(least, home.price);
    }
    return least;
  }

  [[nodiscard]] double span_of(std::size_t slot) const {
    return problem_.slots[slot].homes.back().price - problem_.slots[slot].homes.front().price;
  }

  void descend(std::size_t depth, double price) {
    if (best_.fits && (any_ || price + least_left_[depth] >= best_price_)) {
      return;
    }
    work_ += problem_.slots.size();
    if (work_ > most_work_ || packer_.over()) {
      cut_ = true;
      return;
    }
    if (!one_source(problem_, homes_)) {
      return;
    }
    std::vector<Arena> arenas = arenas_of(problem_, homes_, packer_.named());
    const Rooms::Answer answer = rooms_.fit(arenas);
    if (answer != Rooms::Answer::kYes) {
      cut_ = cut_ || answer == Rooms::Answer::kUnknown;
      return;
    }
    if (depth == choices_.size()) {
      best_.homes = homes_;
      best_.fits = true;
      best_.packings = rooms_.packings(arenas);
      best_price_ = price;
      return;
    }
    const std::size_t slot = choices_[depth];
    for (std::size_t home = 0; home < problem_.slots[slot].homes.size(); ++home) {
      homes_[slot] = home;
      descend(depth + 1, price + problem_.slots[slot].homes[home].price);
    }
    homes_[slot] = kNowhere;
  }

  const Problem& problem_;
  Packer& packer_;
  Rooms& rooms_;
  std::vector<std::size_t> homes_;
  std::vector<std::size_t> choices_;
  // Of the choices from each on: what they cost at least.
  std::vector<double> least_left_;
  Assignment best_;
  double best_price_ = 0;
  std::uint64_t work_ = 0;
  std::uint64_t most_work_ = kMostWork;
  bool any_ = false;
  bool cut_ = false;
};

// --- many slots: bank by bank

// The bytes alive at each step.
class Profile {
 public:
  explicit Profile(std::size_t steps) {
    while (leaves_ < steps) {
      leaves_ *= 2;
    }
    most_.assign(2 * leaves_, 0);
    added_.assign(2 * leaves_, 0);
  }

  void add(std::size_t from, std::size_t to, std::uint64_t bytes) {
    add(1, 0, leaves_, from, to, bytes);
  }

  [[nodiscard]] std::uint64_t most(std::size_t from, std::size_t to) const {
    return most(1, 0, leaves_, from, to);
  }

 private:
  void add(std::size_t node,
           std::size_t low,
           std::size_t high,
           std::size_t from,
           std::size_t to,
           std::uint64_t bytes) {
    if (to <= low || high <= from) {
      return;
    }
    if (from <= low && high <= to) {
      most_[node] += bytes;
      added_[node] += bytes;
      return;
    }
    const std::size_t middle = (low + high) / 2;
    add(2 * node, low, middle, from, to, bytes);
    add(2 * node + 1, middle, high, from, to, bytes);
    most_[node] = added_[node] + std::max(most_[2 * node], most_[2 * node + 1]);
  }

  [[nodiscard]] std::uint64_t most(
      std::size_t node, std::size_t low, std::size_t high, std::size_t from, std::size_t to) const {
    if (to <= low || high <= from) {
      return 0;
    }
    if (from <= low && high <= to) {
      return most_[node];
    }
    const std::size_t middle = (low + high) / 2;
    return added_[node] + std::max(most(2 * node, low, middle, from, to),
                                   most(2 * node + 1, middle, high, from, to));
  }

  std::size_t leaves_ = 1;
  std::vector<std::uint64_t> most_;
  // What all steps of a node have, that its children do not know of.
  std::vector<std::uint64_t> added_;
};

enum class PlaceOrder { kBenefit, kSize, kArea };

// When each slot lives, in positions of times: begins and ends of scratch, sorted. What lives all
// the time lives from the first to the last.
struct Lives {
  std::vector<std::size_t> from;
  std::vector<std::size_t> to;
  std::size_t end = 1;
};

Lives slot_lives(const Problem& problem) {
  std::vector<std::int64_t> times;
  for (const Slot& slot : problem.slots) {
    if (slot.role == Lifetime::kScratch) {
      times.push_back(slot.live.lower);
      times.push_back(slot.live.upper);
    }
  }
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const auto position = [&](std::int64_t time) {
    return static_cast<std::size_t>(std::ranges::lower_bound(times, time) - times.begin());
  };
  Lives lives{.end = std::max<std::size_t>(times.size(), 1)};
  for (const Slot& slot : problem.slots) {
    const bool scratch = slot.role == Lifetime::kScratch;
    lives.from.push_back(scratch ? position(slot.live.lower) : 0);
    lives.to.push_back(scratch ? position(slot.live.upper) : lives.end);
  }
  return lives;
}

bool has_many(const Problem& problem) {
  return problem.slots.size() > 20'000;
}

struct Candidate {
  std::size_t slot = 0;
  std::size_t home = 0;
  /// It has nowhere else to go.
  bool must = false;
  double key = 0;
};

// `home`: not the slot's last one.
double order_key(const Problem& problem,
                 const Lives& lives,
                 std::size_t index,
                 std::size_t home,
                 PlaceOrder order) {
  const Slot& slot = problem.slots[index];
  const auto size = static_cast<double>(std::max<std::uint64_t>(slot.size, 1));
  const auto steps = static_cast<double>(lives.to[index] - lives.from[index]);
  switch (order) {
    case PlaceOrder::kBenefit:
      return (slot.homes[home + 1].price - slot.homes[home].price) / (size * steps);
    case PlaceOrder::kSize:
      return size;
    case PlaceOrder::kArea:
      break;
  }
  return size * steps;
}

// Of those that have no home yet; homes stand in the order in which banks are filled.
std::vector<Candidate> candidates(const Problem& problem,
                                  const Lives& lives,
                                  const std::vector<std::size_t>& homes,
                                  std::size_t bank,
                                  PlaceOrder order) {
  std::vector<Candidate> found;
  for (std::size_t i = 0; i < problem.slots.size(); ++i) {
    const std::vector<Home>& all = problem.slots[i].homes;
    for (std::size_t home = 0; home < all.size() && homes[i] == kNowhere; ++home) {
      if (all[home].bank == bank) {
        const bool must = home + 1 == all.size();
        found.push_back({i, home, must, must ? 0 : order_key(problem, lives, i, home, order)});
        break;
      }
    }
  }
  std::ranges::sort(found, {}, [&](const Candidate& one) {
    return std::tuple{!one.must, -one.key, ~problem.slots[one.slot].size, one.slot};
  });
  return found;
}

// Blobs that arenas elsewhere are filled from.
std::uint64_t already_in(std::size_t bank,
                         const Problem& problem,
                         const std::vector<std::size_t>& homes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < homes.size(); ++i) {
    if (homes[i] != kNowhere) {
      const Home& home = problem.slots[i].homes[homes[i]];
      sum += home.staged() && home.source == bank ? problem.slots[i].size : 0;
    }
  }
  return sum;
}

// Gives homes to what has room by the bytes alive; false: none of it could go elsewhere.
bool admit(const std::vector<Candidate>& all,
           std::uint64_t steady,
           std::uint64_t limit,
           const Problem& problem,
           const Lives& lives,
           std::vector<std::size_t>& homes) {
  Profile profile{lives.end};
  bool optional = false;
  for (const Candidate& one : all) {
    const Slot& slot = problem.slots[one.slot];
    const std::size_t from = lives.from[one.slot];
    const std::size_t to = lives.to[one.slot];
    if (!one.must && profile.most(from, to) + steady + slot.size > limit) {
      continue;
    }
    homes[one.slot] = one.home;
    optional = optional || !one.must;
    if (slot.role == Lifetime::kScratch) {
      profile.add(from, to, slot.size);
    } else {
      steady += slot.size;
    }
  }
  return optional;
}

// Fills the cheapest banks first. With `rooms`, banks are packed as they are filled.
std::vector<std::size_t> filled(
    const Problem& problem, const Lives& lives, PlaceOrder order, Packer& packer, Rooms* rooms) {
  std::vector<std::size_t> banks(problem.banks.size());
  std::iota(banks.begin(), banks.end(), std::size_t{0});
  std::ranges::stable_sort(banks, {}, [&](std::size_t bank) { return problem.banks[bank].cost; });
  std::vector<std::size_t> homes(problem.slots.size(), kNowhere);
  for (const std::size_t bank : banks) {
    const std::vector<Candidate> all = candidates(problem, lives, homes, bank, order);
    const std::uint64_t steady = already_in(bank, problem, homes);
    const std::uint64_t budget = problem.banks[bank].budget;
    std::uint64_t kept_back = 0;
    const int tries = all.empty() ? 0 : has_many(problem) ? 4 : 12;
    for (int i = 0; i < tries; ++i) {
      for (const Candidate& one : all) {
        homes[one.slot] = kNowhere;
      }
      const bool last = i + 1 == tries || packer.over();
      // At last only what must be here.
      const std::uint64_t limit = last ? 0 : budget - std::min(budget, kept_back);
      if (!admit(all, steady, limit, problem, lives, homes) || rooms == nullptr || last) {
        break;
      }
      std::vector<Arena> arenas = arenas_of(problem, homes, packer.named());
      if (rooms->fit(arenas) == Rooms::Answer::kYes) {
        break;
      }
      std::uint64_t over = 0;
      if (const auto found = rooms->packings(arenas); found.contains(bank)) {
        const std::uint64_t height = packed_height(found.at(bank));
        const std::uint64_t load = loads_of(problem, arenas)[bank].used;
        over = height + load - std::min(height + load, budget);
      }
      kept_back += std::max({over, budget / 64, std::uint64_t{1}});
    }
  }
  return homes;
}

// The largest first, each to the first bank that stays below its share of the budget, else to that
// which is left the emptiest.
std::vector<std::size_t> levelled(const Problem& problem, const Lives& lives, double share) {
  std::vector<Profile> profiles(problem.banks.size(), Profile{lives.end});
  std::vector<std::size_t> order(problem.slots.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return std::tuple{problem.slots[i].homes.size() > 1, ~problem.slots[i].size};
  });
  std::vector<std::size_t> homes(problem.slots.size(), 0);
  for (const std::size_t i : order) {
    const Slot& slot = problem.slots[i];
    double emptiest = 0;
    for (std::size_t home = 0; home < slot.homes.size(); ++home) {
      const std::size_t bank = slot.homes[home].bank;
      const std::uint64_t after = profiles[bank].most(lives.from[i], lives.to[i]) + slot.size;
      const double load = static_cast<double>(after) / static_cast<double>(std::max<std::uint64_t>(
                                                           problem.banks[bank].budget, 1));
      if (home == 0 || load < emptiest) {
        homes[i] = home;
        emptiest = load;
      }
      if (load <= share) {
        break;
      }
    }
    const Home& home = slot.homes[homes[i]];
    profiles[home.bank].add(lives.from[i], lives.to[i], slot.size);
    if (home.staged()) {
      profiles[home.source].add(0, lives.end, slot.size);
    }
  }
  return homes;
}

// Every slot in the largest of its homes.
std::vector<std::size_t> crowded(const Problem& problem) {
  std::vector<std::size_t> homes;
  for (const Slot& slot : problem.slots) {
    const auto largest = std::ranges::max_element(
        slot.homes, {}, [&](const Home& home) { return problem.banks[home.bank].budget; });
    homes.push_back(static_cast<std::size_t>(largest - slot.homes.begin()));
  }
  return homes;
}

// To cheaper banks: who gains most per byte and step first; banks are filled up to a share of their
// budget.
std::vector<std::size_t> pulled(const Problem& problem,
                                const Lives& lives,
                                std::vector<std::size_t> homes,
                                double share) {
  std::vector<Profile> profiles(problem.banks.size(), Profile{lives.end});
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < homes.size(); ++i) {
    const Slot& slot = problem.slots[i];
    const Home& home = slot.homes[homes[i]];
    profiles[home.bank].add(lives.from[i], lives.to[i], slot.size);
    if (home.staged()) {
      profiles[home.source].add(0, lives.end, slot.size);
    }
    if (homes[i] > 0 && !home.staged()) {
      candidates.push_back(
          {i, homes[i], false, order_key(problem, lives, i, homes[i] - 1, PlaceOrder::kBenefit)});
    }
  }
  std::ranges::stable_sort(candidates, std::ranges::greater{}, &Candidate::key);
  for (const Candidate& one : candidates) {
    const Slot& slot = problem.slots[one.slot];
    const std::size_t from = lives.from[one.slot];
    const std::size_t to = lives.to[one.slot];
    for (std::size_t home = 0; home < one.home; ++home) {
      const std::size_t bank = slot.homes[home].bank;
      const std::uint64_t after = profiles[bank].most(from, to) + slot.size;
      if (static_cast<double>(after) <= share * static_cast<double>(problem.banks[bank].budget)) {
        profiles[bank].add(from, to, slot.size);
        // Sums wrap back: what was added to these nodes is taken from them.
        profiles[slot.homes[one.home].bank].add(from, to, std::uint64_t{0} - slot.size);
        homes[one.slot] = home;
        break;
      }
    }
  }
  return homes;
}

// Of the assignments that it is shown: one that fits, else what lacks least.
class Best {
 public:
  Best(const Problem& problem, Packer& packer, Rooms& rooms)
      : problem_(problem), packer_(packer), rooms_(rooms) {}

  [[nodiscard]] const std::vector<std::size_t>& homes() const { return best_.homes; }

  /// True: by the bytes alive it fits.
  bool consider(const std::vector<std::size_t>& homes) {
    std::vector<Arena> arenas = arenas_of(problem_, homes, packer_.named());
    return lacks_nothing(homes, arenas);
  }

  /// True: packed it fits.
  bool consider_packed(const std::vector<std::size_t>& homes) {
    std::vector<Arena> arenas = arenas_of(problem_, homes, packer_.named());
    if (!lacks_nothing(homes, arenas) || rooms_.fit(arenas) != Rooms::Answer::kYes) {
      return false;
    }
    best_ = {.homes = homes, .fits = true, .packings = rooms_.packings(arenas)};
    return true;
  }

  /// Whether what lacks least fits when it is packed.
  bool pack() {
    std::vector<Arena> arenas = arenas_of(problem_, best_.homes, packer_.named());
    best_.fits = one_source(problem_, best_.homes) && rooms_.fit(arenas) == Rooms::Answer::kYes;
    best_.packings = rooms_.packings(arenas);
    return best_.fits;
  }

  Assignment take() { return std::move(best_); }

 private:
  // Keeps what lacks least so far.
  bool lacks_nothing(const std::vector<std::size_t>& homes, std::vector<Arena>& arenas) {
    const std::uint64_t lack = rooms_.lack(arenas);
    const bool sound = one_source(problem_, homes);
    if (!best_.fits && (best_.homes.empty() || (sound && lack < least_))) {
      best_.homes = homes;
      least_ = lack;
    }
    return sound && lack == 0;
  }

  const Problem& problem_;
  Packer& packer_;
  Rooms& rooms_;
  Assignment best_;
  std::uint64_t least_ = 0;
};

// Whether something fits, which `best` has then.
bool find_fitting(
    const Problem& problem, const Lives& lives, Packer& packer, Rooms& rooms, Best& best) {
  for (const PlaceOrder order : {PlaceOrder::kBenefit, PlaceOrder::kSize, PlaceOrder::kArea}) {
    // The bytes alive alone say of many an order that it leads nowhere.
    if (best.consider(filled(problem, lives, order, packer, nullptr)) &&
        best.consider_packed(filled(problem, lives, order, packer, &rooms))) {
      return true;
    }
    if (has_many(problem) || packer.over()) {
      break;
    }
  }
  // So far the cheap banks were filled to the brim, which leaves the last one to what is left and
  // all of them to hard packing problems. Levelled banks are easier.
  for (const double share : {0.97, 0.92, 0.85, 0.0}) {
    if (packer.over()) {
      break;
    }
    if (best.consider_packed(levelled(problem, lives, share))) {
      return true;
    }
  }
  // Nothing fits: what is missing is told best of the largest memory alone.
  best.consider(crowded(problem));
  return best.pack();
}

Assignment bank_by_bank(const Problem& problem, Packer& packer, Rooms& rooms) {
  const Lives lives = slot_lives(problem);
  Best best{problem, packer, rooms};
  if (find_fitting(problem, lives, packer, rooms, best)) {
    // As much as there is room for moves to cheaper banks.
    for (const double share : {0.99, 0.95, 0.9, 0.8}) {
      if (packer.over()) {
        break;
      }
      const std::vector<std::size_t> homes = pulled(problem, lives, best.homes(), share);
      if (homes == best.homes() || best.consider_packed(homes)) {
        break;
      }
    }
  }
  return best.take();
}

std::size_t choices_of(const Problem& problem) {
  return static_cast<std::size_t>(
      std::ranges::count_if(problem.slots, [](const Slot& slot) { return slot.homes.size() > 1; }));
}

// Whether a plan is found; `work` is what may be looked at, and is left.
bool is_plannable_in(Rooms& rooms, const Problem& problem, Packer& packer, std::uint64_t& work) {
  if (work == 0 || packer.over()) {
    return false;
  }
  const std::uint64_t before = packer.steps();
  bool fits = false;
  if (choices_of(problem) <= kFewSlots) {
    fits = EveryAssignment{problem, packer, rooms}.search_any(work);
  } else {
    Best best{problem, packer, rooms};
    fits = find_fitting(problem, slot_lives(problem), packer, rooms, best);
    work -= std::min(work, problem.slots.size() * kWorkOfFilling);
  }
  work -= std::min(work, packer.steps() - before);
  return fits;
}

}  // namespace

bool holds(const Problem& problem, const std::vector<std::size_t>& homes, Packer& packer) {
  if (!packer.has_time_for(problem.slots.size())) {
    return false;
  }
  Rooms rooms{problem, packer};
  std::vector<Arena> arenas = arenas_of(problem, homes, packer.named());
  return one_source(problem, homes) && rooms.fit(arenas) == Rooms::Answer::kYes;
}

bool is_plannable(const Problem& problem, Packer& packer, std::uint64_t& work) {
  Rooms rooms{problem, packer, work};
  return is_plannable_in(rooms, problem, packer, work);
}

std::optional<std::uint64_t> least_budget(
    Problem problem, std::size_t bank, std::uint64_t most, Packer& packer, std::uint64_t& work) {
  std::uint64_t& budget = problem.banks[bank].budget;
  std::uint64_t low = budget;
  // What packings showed holds for any budget.
  Rooms rooms{problem, packer, work};
  budget = most;
  if (!is_plannable_in(rooms, problem, packer, work)) {
    return std::nullopt;
  }
  std::uint64_t high = most;
  while (high - low > 1 && work > 0) {
    budget = low + (high - low) / 2;
    (is_plannable_in(rooms, problem, packer, work) ? high : low) = budget;
  }
  return high;
}

bool has_choice(const Problem& problem) {
  return choices_of(problem) > 0;
}

Assignment assign(const Problem& problem, Packer& packer) {
  Rooms rooms{problem, packer};
  bool complete = false;
  if (choices_of(problem) <= kFewSlots) {
    Assignment found = EveryAssignment{problem, packer, rooms}.search();
    if (found.fits) {
      return found;
    }
    complete = found.complete;
  }
  Assignment found = bank_by_bank(problem, packer, rooms);
  found.complete = complete;
  return found;
}

}  // namespace memsize::plan
