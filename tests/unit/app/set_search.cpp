// Sets that fit, against a judge that asks about every one of them; things at places, against every
// way to put them there.
#include "sets/set_search.hpp"

#include "sets/assign_sets.hpp"
#include "support.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::app::set_search_test {

namespace {

// Weights of which a few count only once, like scratch memory: what they need is monotone.
struct Needs {
  std::vector<std::uint64_t> adds;
  std::vector<std::uint64_t> most;

  [[nodiscard]] std::uint64_t of(Set set) const {
    std::uint64_t sum = 0;
    std::uint64_t largest = 0;
    for (std::size_t i = 0; i < adds.size(); ++i) {
      if ((set & bit(i)) != 0) {
        sum += adds[i];
        largest = std::max(largest, most[i]);
      }
    }
    return sum + largest;
  }
};

Needs random_needs(std::mt19937& random, std::size_t things) {
  Needs needs;
  for (std::size_t i = 0; i < things; ++i) {
    needs.adds.push_back(random() % 20);
    needs.most.push_back(random() % 20);
  }
  return needs;
}

std::vector<std::size_t> shuffled(std::mt19937& random, std::size_t things) {
  std::vector<std::size_t> order(things);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

SetFamilies by_asking_all(std::size_t things, const std::function<bool(Set)>& fits) {
  SetFamilies all;
  for (Set set = 0; set < bit(things); ++set) {
    bool could_be_more = false;
    bool parts_fit = true;
    for (std::size_t i = 0; i < things; ++i) {
      could_be_more = could_be_more || ((set & bit(i)) == 0 && fits(set | bit(i)));
      parts_fit = parts_fit && ((set & bit(i)) == 0 || fits(set & ~bit(i)));
    }
    if (fits(set) && !could_be_more) {
      all.maximal.push_back(set);
    }
    if (!fits(set) && parts_fit) {
      all.misfits.push_back(set);
    }
  }
  return all;
}

}  // namespace

TEST_SUITE("app") {
  TEST_CASE("Maximal sets and minimal misfits are those of a judge that asks about every set") {
    std::mt19937 random{7};
    for (std::size_t round = 0; round < 300; ++round) {
      const std::size_t things = random() % 9;
      const Needs needs = random_needs(random, things);
      const std::uint64_t budget = random() % 120;
      const auto fits = [&](Set set) { return needs.of(set) <= budget; };
      std::size_t asked = 0;
      const SetFamilies found = search_sets(
          shuffled(random, things),
          [&](Set set) {
            ++asked;
            return fits(set);
          },
          100000);
      const SetFamilies expected = by_asking_all(things, fits);
      CAPTURE(round);
      CHECK(found.maximal == expected.maximal);
      CHECK(found.misfits == expected.misfits);
      CHECK(found.complete);
      CHECK(found.asked == asked);
    }
  }

  TEST_CASE("Nothing fits, not even nothing; and everything fits") {
    const SetFamilies none = search_sets(
        {0, 1}, [](Set) { return false; }, 100);
    CHECK(none.maximal.empty());
    CHECK(none.misfits == std::vector<Set>{0});
    const SetFamilies all = search_sets(
        {0, 1, 2}, [](Set) { return true; }, 100);
    CHECK(all.maximal == std::vector<Set>{7});
    CHECK(all.misfits.empty());
    CHECK(all.complete);
  }

  TEST_CASE("What is found of many things is true, and says that there may be more") {
    std::mt19937 random{11};
    const Needs needs = random_needs(random, 40);
    const auto fits = [&](Set set) { return needs.of(set) <= 150; };
    const SetFamilies found = search_sets(shuffled(random, 40), fits, 20000);
    CHECK_FALSE(found.complete);
    CHECK(found.asked <= 20100);
    REQUIRE(found.maximal.size() > 10);
    for (const Set set : found.maximal) {
      REQUIRE(fits(set));
      for (std::size_t i = 0; i < 40; ++i) {
        REQUIRE(((set & bit(i)) != 0 || !fits(set | bit(i))));
      }
    }
    for (const Set set : found.misfits) {
      REQUIRE_FALSE(fits(set));
      for (std::size_t i = 0; i < 40; ++i) {
        REQUIRE(((set & bit(i)) == 0 || fits(set & ~bit(i))));
      }
    }
    CHECK(std::set<Set>(found.maximal.begin(), found.maximal.end()).size() == found.maximal.size());
  }

  TEST_CASE("Sixty-four things of which all fit") {
    std::vector<std::size_t> order(kMostThings);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const SetFamilies found = search_sets(
        order, [](Set) { return true; }, 1000);
    CHECK(found.maximal == std::vector<Set>{~Set{0}});
    CHECK(found.complete);
  }

  TEST_CASE("Few questions leave an answer that is no more than it says") {
    std::mt19937 random{3};
    const Needs needs = random_needs(random, 16);
    const auto fits = [&](Set set) { return needs.of(set) <= 60; };
    const SetFamilies found = search_sets(shuffled(random, 16), fits, 40);
    CHECK_FALSE(found.complete);
    CHECK(std::ranges::all_of(found.maximal, fits));
    CHECK(std::ranges::none_of(found.misfits, fits));
  }

  TEST_CASE("The cheapest way to places is that of a judge that tries all of them") {
    std::mt19937 random{5};
    for (std::size_t round = 0; round < 60; ++round) {
      const std::size_t things = 1 + random() % 5;
      const std::size_t places = 2 + random() % 2;
      const Needs needs = random_needs(random, things);
      const std::uint64_t budget = 10 + random() % 60;
      // Places beside each other cost a little more, here and there.
      const auto extra = [](const Parts& parts) { return (parts[0] * 7 + parts[1]) % 3; };
      const auto cost = [&](std::size_t, Set set) {
        return needs.of(set) <= budget ? std::optional{needs.of(set)} : std::nullopt;
      };
      const auto judge = [&](const Parts& parts) {
        std::uint64_t sum = extra(parts);
        for (const Set part : parts) {
          sum += part == 0 ? 0 : needs.of(part);
        }
        return sum % 5 == 4 ? std::nullopt : std::optional{sum};
      };
      Assigner assigner{std::vector<std::size_t>(things, 0), places, cost, judge};
      std::optional<std::uint64_t> least;
      std::vector<std::size_t> at(things, 0);
      for (;;) {
        Parts parts(places, 0);
        for (std::size_t i = 0; i < things; ++i) {
          parts[at[i]] |= bit(i);
        }
        const bool room = std::ranges::all_of(
            parts, [&](Set part) { return part == 0 || needs.of(part) <= budget; });
        if (const auto sum = room ? judge(parts) : std::nullopt; sum) {
          least = std::min(least.value_or(*sum), *sum);
        }
        std::size_t i = 0;
        while (i < things && ++at[i] == places) {
          at[i++] = 0;
        }
        if (i == things) {
          break;
        }
      }
      bool proved = false;
      const auto found = assigner.cheapest(all_of(things), &proved);
      CAPTURE(round);
      REQUIRE(found.has_value() == least.has_value());
      CHECK((found ? found->cost : 0) == least.value_or(0));
      CHECK((found ? found->proved : proved));
      const Set placed = found ? std::accumulate(found->parts.begin(),
                                                 found->parts.end(),
                                                 Set{0},
                                                 [](Set a, Set b) { return Set{a | b}; })
                               : all_of(things);
      CHECK(placed == all_of(things));
    }
  }

  TEST_CASE("More things than every way is known of are placed, and nothing is proved") {
    std::vector<std::size_t> homes(20, Assigner::kNowhere);
    const auto cost = [](std::size_t, Set set) {
      const auto count = static_cast<std::uint64_t>(std::popcount(set));
      return count <= 10 ? std::optional{count} : std::nullopt;
    };
    const auto judge = [](const Parts& parts) {
      std::uint64_t sum = 0;
      for (const Set part : parts) {
        sum += static_cast<std::uint64_t>(std::popcount(part));
      }
      return std::optional{sum};
    };
    Assigner assigner{homes, 2, cost, judge};
    CHECK_FALSE(assigner.is_exact());
    const auto found = assigner.cheapest(all_of(20));
    REQUIRE(found);
    CHECK(found->cost == 20);
    CHECK_FALSE(found->proved);
    bool proved = true;
    Assigner narrow{homes, 1, cost, judge};
    CHECK_FALSE(narrow.cheapest(all_of(20), &proved));
    CHECK_FALSE(proved);
  }
}

}  // namespace memsize::app::set_search_test
