// Which models lie over each other: the sweep against the plain definition, block against block.
#include "overlaps.hpp"

#include "live.hpp"
#include "sizing/sizing_support.hpp"
#include "support.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::sizing::overlaps_test {

namespace {

using model::Block;
using model::Cacheability;
using model::Instance;
using model::Lifetime;

std::uint64_t end_of(const Block& block) {
  return block.address->value() + std::max<std::uint64_t>(block.size.nearest.count(), 1);
}

bool overlap(const Block& a, const Block& b) {
  return a.address && b.address && a.address->value() < end_of(b) && b.address->value() < end_of(a);
}

bool is_kept(const Block& block) {
  return block.lifetime == Lifetime::kPersistent && block.cacheability != Cacheability::kOnChip;
}

// Two models of one input with blocks over each other in a persistent heap.
bool never_together(const Instance& a, const Instance& b) {
  if (a.input != b.input) {
    return false;
  }
  for (const Block& one : a.blocks) {
    for (const Block& other : b.blocks) {
      if (is_kept(one) && is_kept(other) && one.space == other.space &&
          one.cacheability == other.cacheability && overlap(one, other)) {
        return true;
      }
    }
  }
  return false;
}

std::optional<bool> share(const Instance& a,
                          const Instance& b,
                          Cacheability cacheability,
                          Lifetime lifetime) {
  const auto is_of = [&](const Block& block) {
    return block.cacheability == cacheability && block.lifetime == lifetime && block.address;
  };
  std::optional<bool> shared;
  for (const Block& one : a.blocks) {
    for (const Block& other : b.blocks) {
      if (is_of(one) && is_of(other) && one.space == other.space) {
        shared = shared.value_or(false) || overlap(one, other);
      }
    }
  }
  return shared;
}

// Few addresses, many sizes, so that blocks touch, nest, cross and are empty; sometimes at the end
// of what 32 bits can say.
Block random_block(test::Random& random, std::uint32_t range) {
  constexpr std::array kCaches = {
      Cacheability::kCacheable, Cacheability::kNonCacheable, Cacheability::kOnChip};
  constexpr std::array kLives = {Lifetime::kPersistent, Lifetime::kPersistent, Lifetime::kScratch};
  Block block;
  block.space = random.below(5) == 0 ? "far" : "ddr";
  block.cacheability = kCaches.at(random.below(3));
  block.lifetime = kLives.at(random.below(3));
  block.size = model::measured_exactly(core::Bytes{random.below(7)});
  if (random.below(8) != 0) {
    const auto at = static_cast<std::uint32_t>(random.below(range));
    block.address = model::PrintedAddress::low(
        random.below(6) == 0 ? std::numeric_limits<std::uint32_t>::max() - at % 4 : at);
  }
  return block;
}

std::vector<Instance> random_models(test::Random& random) {
  const auto range = static_cast<std::uint32_t>(1U << (2 + random.below(10)));
  const std::size_t inputs = 1 + random.below(3);
  std::vector<Instance> models(1 + random.below(random.below(4) == 0 ? 150 : 25));
  for (std::size_t i = 0; i < models.size(); ++i) {
    models[i].input = random.below(inputs);
    models[i].line = 10 * i;
    const std::size_t blocks = random.below(9);
    for (std::size_t block = 0; block < blocks; ++block) {
      models[i].blocks.push_back(random_block(random, range));
    }
  }
  return models;
}

// The groups that follow from the plain definition.
std::vector<std::vector<std::size_t>> plain_groups(const std::vector<Instance>& models) {
  std::vector<std::vector<std::size_t>> groups;
  std::vector<bool> seen(models.size());
  for (std::size_t i = 0; i < models.size(); ++i) {
    std::vector<std::size_t> group;
    std::vector<std::size_t> open = {i};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      if (seen[at]) {
        continue;
      }
      seen[at] = true;
      group.push_back(at);
      for (std::size_t other = 0; other < models.size(); ++other) {
        if (other != at && never_together(models[at], models[other])) {
          open.push_back(other);
        }
      }
    }
    std::ranges::sort(group);
    if (group.size() > 1) {
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

// The bound of a group as it is defined: the heaviest of each clique, the heaviest first.
std::vector<std::size_t> plain_bound(const std::vector<Instance>& models,
                                     std::vector<std::size_t> group,
                                     const std::vector<std::uint64_t>& weights) {
  std::ranges::sort(group, [&](std::size_t a, std::size_t b) {
    return std::tuple{weights[b], models[a].line, a} < std::tuple{weights[a], models[b].line, b};
  });
  std::vector<std::vector<std::size_t>> cliques;
  for (const std::size_t node : group) {
    const auto fits = [&](const std::vector<std::size_t>& clique) {
      return std::ranges::all_of(
          clique, [&](std::size_t other) { return never_together(models[node], models[other]); });
    };
    const auto home = std::ranges::find_if(cliques, fits);
    (home == cliques.end() ? cliques.emplace_back() : *home).push_back(node);
  }
  std::vector<std::size_t> heaviest;
  for (const std::vector<std::size_t>& clique : cliques) {
    heaviest.push_back(clique.front());
  }
  return heaviest;
}

}  // namespace

TEST_SUITE("sizing") {
  TEST_CASE("the sweep relates the models that the plain definition relates, and no others") {
    test::Random random{6174};
    std::size_t searched = 0;
    std::size_t bounded = 0;
    for (int round = 0; round < test::rounds(600); ++round) {
      CAPTURE(round);
      const std::vector<Instance> models = random_models(random);
      const LiveModels live{models};
      REQUIRE(live.groups() == plain_groups(models));
      // Of two models that weigh something both count, unless they were never live together.
      for (int pair = 0; pair < 60; ++pair) {
        const std::size_t a = random.below(models.size());
        const std::size_t b = random.below(models.size());
        if (a == b) {
          continue;
        }
        std::vector<std::uint64_t> weights(models.size());
        weights[a] = 2;
        weights[b] = 1;
        const bool both = live.heaviest(weights).instances.size() == 2;
        REQUIRE(both != never_together(models[a], models[b]));
        ++searched;
      }
      // Groups that are too many to search.
      std::vector<std::uint64_t> weights(models.size());
      std::generate(weights.begin(), weights.end(), [&] { return 1 + random.below(9); });
      const LiveSet set = live.heaviest(weights);
      for (const std::vector<std::size_t>& group : live.groups()) {
        if (group.size() <= 20) {
          continue;
        }
        std::vector<std::size_t> expected = plain_bound(models, group, weights);
        std::ranges::sort(expected);
        std::vector<std::size_t> counted;
        std::set_intersection(set.instances.begin(),
                              set.instances.end(),
                              group.begin(),
                              group.end(),
                              std::back_inserter(counted));
        REQUIRE(counted == expected);
        ++bounded;
      }
    }
    CHECK(searched > 1000);
    CHECK(bounded > test::rounds(50));
  }

  TEST_CASE("the addresses of one class are compared as block by block") {
    test::Random random{1729};
    for (int round = 0; round < test::rounds(300); ++round) {
      CAPTURE(round);
      const std::vector<Instance> models = random_models(random);
      std::vector<std::size_t> members(models.size());
      std::iota(members.begin(), members.end(), std::size_t{0});
      // Some of them only, in their order.
      std::erase_if(members, [&](std::size_t) { return random.below(4) == 0; });
      for (const Cacheability cacheability : {Cacheability::kCacheable, Cacheability::kOnChip}) {
        for (const Lifetime lifetime : {Lifetime::kPersistent, Lifetime::kScratch}) {
          const SharedAddresses shared{models, members, cacheability, lifetime};
          for (std::size_t a = 0; a < members.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
              const auto plain =
                  share(models[members[a]], models[members[b]], cacheability, lifetime);
              REQUIRE(shared.between(a, b) == plain);
              REQUIRE(shared.between(b, a) == plain);
            }
          }
        }
      }
    }
  }

  TEST_CASE(
      "of more models than any log has all count, and it is said that not every set was tried") {
    std::vector<Instance> models(kMostRelated + 1);
    for (Instance& one : models) {
      Block block;
      block.space = "ddr";
      block.size = model::measured_exactly(core::Bytes{1024});
      block.address = model::PrintedAddress::low(0x1000);
      one.blocks.push_back(block);
    }
    const std::vector<std::uint64_t> weights(models.size(), 1);
    const LiveSet all = LiveModels{models}.heaviest(weights);
    CHECK(all.instances.size() == models.size());
    CHECK_FALSE(all.exact);
    models.pop_back();
    const LiveSet one = LiveModels{models}.heaviest({weights.begin() + 1, weights.end()});
    CHECK(one.instances.size() == 1);
    CHECK(one.exact);
  }
}

}  // namespace memsize::sizing::overlaps_test
