#include "stage_choice.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::plan::stage_choice_test {

namespace {

struct Sum {
  double gain = 0;
  std::uint64_t size = 0;
};

Sum sum_of(const std::vector<StageItem>& items, const std::vector<std::size_t>& taken) {
  Sum sum;
  for (const std::size_t i : taken) {
    sum.gain += items[i].gain;
    sum.size += items[i].size;
  }
  return sum;
}

double best_of_all(const std::vector<StageItem>& items, std::uint64_t room) {
  double best = 0;
  for (std::uint64_t set = 0; set < std::uint64_t{1} << items.size(); ++set) {
    std::vector<std::size_t> taken;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if ((set >> i & 1U) != 0) {
        taken.push_back(i);
      }
    }
    const Sum sum = sum_of(items, taken);
    best = sum.size <= room ? std::max(best, sum.gain) : best;
  }
  return best;
}

}  // namespace

TEST_SUITE("plan") {
  TEST_CASE("what gains most in so much room is what no subset beats") {
    std::mt19937 dice{5};
    for (int round = 0; round < 400; ++round) {
      const bool alike = round % 3 == 0;
      std::vector<StageItem> items(dice() % 12);
      std::uint64_t all = 0;
      for (StageItem& item : items) {
        item.size = 1 + dice() % (alike ? 4 : 1000);
        item.gain = static_cast<double>(1 + dice() % (alike ? 4 : 1'000'000));
        all += item.size;
      }
      const std::uint64_t room = dice() % (all + 2);
      const StageChoice choice = choose_staged(items, room);
      CHECK(choice.is_best);
      CHECK(std::ranges::is_sorted(choice.taken));
      CHECK(sum_of(items, choice.taken).size <= room);
      CHECK(sum_of(items, choice.taken).gain == best_of_all(items, room));
    }
  }

  TEST_CASE("a model's hundreds of weights are chosen among, and nothing is taken without room") {
    std::vector<StageItem> items;
    for (std::uint64_t i = 1; i <= 400; ++i) {
      items.push_back({16 * i, static_cast<double>(i * (1 + i % 7))});
    }
    const StageChoice choice = choose_staged(items, 512 * 1024);
    CHECK(choice.is_best);
    CHECK(sum_of(items, choice.taken).size <= 512 * 1024);
    CHECK(choose_staged(items, 15).taken.empty());
    CHECK(choose_staged({}, 1000).taken.empty());
  }
}

}  // namespace memsize::plan::stage_choice_test
