// Every answer says something of many sets: what is part of a set that fits, fits; what has a set
// in it that does not, does not. So a set is asked about only where no answer before tells, and is
// then made larger or smaller, thing by thing, to the last set of which the same is true.
//
// First comes what can be found fast: from each thing the sets around it, and from each set that
// was found its neighbours, with one thing more and one of those in its way less. Up to kEverySet
// things a table has what is known of every set, and all of them are gone through by number: a set
// comes behind its parts, so that one of which nothing is known either fits, and leads to a new
// maximal set, or is a misfit of which every part fits. Beyond that the lists of what was found
// tell, and nobody knows whether there is more.
#include "set_search.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <optional>

namespace memsize::app {

namespace {

constexpr bool is_part(Set part, Set of) {
  return (part & ~of) == 0;
}

// What the answers so far say of a set.
class Known {
 public:
  explicit Known(std::size_t things) : things_(things) {
    if (things <= kEverySet) {
      table_.resize(std::size_t{1} << things, kNothing);
    }
  }

  [[nodiscard]] bool has_table() const { return !table_.empty(); }

  [[nodiscard]] std::optional<bool> says(Set set) const {
    if (has_table()) {
      const char known = table_[set];
      return known == kNothing ? std::nullopt : std::optional{known == kFits};
    }
    if (std::ranges::any_of(maximal, [&](Set one) { return is_part(set, one); })) {
      return true;
    }
    return std::ranges::any_of(misfits, [&](Set one) { return is_part(one, set); })
               ? std::optional{false}
               : std::nullopt;
  }

  void add_maximal(Set set) {
    maximal.push_back(set);
    mark(set, kFits);
  }

  void add_misfit(Set set) {
    misfits.push_back(set);
    mark(set, kMisfit);
  }

  std::vector<Set> maximal;
  std::vector<Set> misfits;

 private:
  static constexpr char kNothing = 0;
  static constexpr char kFits = 1;
  static constexpr char kMisfit = 2;

  // Each set once in all: what is marked was marked with everything beyond it.
  void mark(Set first, char as) {
    if (!has_table()) {
      return;
    }
    std::vector<Set> open = {first};
    table_[first] = as;
    while (!open.empty()) {
      const Set set = open.back();
      open.pop_back();
      for (std::size_t thing = 0; thing < things_; ++thing) {
        const Set next = as == kFits ? set & ~bit(thing) : set | bit(thing);
        if (table_[next] != as) {
          table_[next] = as;
          open.push_back(next);
        }
      }
    }
  }

  std::size_t things_;
  std::vector<char> table_;
};

class Search {
 public:
  Search(const std::vector<std::size_t>& order,
         const std::function<bool(Set)>& fits,
         std::size_t most)
      : order_(order), fits_(fits), most_(most), known_(order.size()) {}

  SetFamilies run() {
    SetFamilies found;
    found.complete = look_around() && (known_.has_table() ? look_at_all() : is_settled());
    std::ranges::sort(known_.maximal);
    std::ranges::sort(known_.misfits);
    found.maximal = std::move(known_.maximal);
    found.misfits = std::move(known_.misfits);
    found.asked = asked_;
    return found;
  }

 private:
  // Lists are gone through for every set: they stay short.
  [[nodiscard]] bool is_spent() const {
    constexpr std::size_t kLongest = 1000;
    const std::size_t found = known_.maximal.size() + known_.misfits.size();
    return asked_ >= most_ || (!known_.has_table() && found >= kLongest);
  }

  bool fits(Set set) {
    if (const auto said = known_.says(set)) {
      return *said;
    }
    ++asked_;
    return fits_(set);
  }

  void grow(Set set) {
    for (const std::size_t thing : order_) {
      if ((set & bit(thing)) == 0 && fits(set | bit(thing))) {
        set |= bit(thing);
      }
    }
    known_.add_maximal(set);
    reached_.push_back(set);
  }

  Set shrink(Set set) {
    for (auto thing = order_.rbegin(); thing != order_.rend(); ++thing) {
      if ((set & bit(*thing)) != 0 && !fits(set & ~bit(*thing))) {
        set &= ~bit(*thing);
      }
    }
    known_.add_misfit(set);
    return set;
  }

  // Makes of a set of which nothing is known one that is found.
  void settle(Set set) {
    if (known_.says(set)) {
      return;
    }
    ++asked_;
    if (fits_(set)) {
      grow(set);
    } else {
      (void)shrink(set);
    }
  }

  // Whether nothing was left out for want of questions.
  bool look_around() {
    settle(0);
    settle(all_of(order_.size()));
    for (const std::size_t thing : order_) {
      settle(bit(thing));
    }
    while (!reached_.empty()) {
      const Set set = reached_.front();
      reached_.pop_front();
      for (const std::size_t thing : order_) {
        if (is_spent()) {
          return false;
        }
        if ((set & bit(thing)) == 0) {
          look_beside(set, thing);
        }
      }
    }
    return true;
  }

  // The set with one thing more, and each of those in its way less.
  void look_beside(Set set, std::size_t more) {
    const Set larger = set | bit(more);
    settle(larger);
    for (const std::size_t other : order_) {
      if ((set & bit(other)) != 0 && !is_spent()) {
        settle(larger & ~bit(other));
      }
    }
  }

  bool look_at_all() {
    for (Set set = 0; set <= all_of(order_.size()); ++set) {
      if (is_spent()) {
        return false;
      }
      settle(set);
    }
    return true;
  }

  // Without a table: all fit together, or none with any other.
  [[nodiscard]] bool is_settled() const {
    const auto& maximal = known_.maximal;
    return maximal.size() == 1 &&
           known_.misfits.size() + static_cast<std::size_t>(std::popcount(maximal.front())) ==
               order_.size();
  }

  const std::vector<std::size_t>& order_;
  const std::function<bool(Set)>& fits_;
  std::size_t most_;
  std::size_t asked_ = 0;
  Known known_;
  // Maximal sets whose neighbours were not looked at yet.
  std::deque<Set> reached_;
};

}  // namespace

SetFamilies search_sets(const std::vector<std::size_t>& order,
                        const std::function<bool(Set)>& fits,
                        std::size_t most) {
  return Search{order, fits, most}.run();
}

}  // namespace memsize::app
