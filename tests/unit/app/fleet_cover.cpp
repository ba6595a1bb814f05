// Which logs a fleet leaves out, held against every way to leave some out.
#include "sets/fleet_cover.hpp"

#include "support.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::app::fleet_cover_test {

namespace {

using core::Bytes;
using Asked = std::vector<std::vector<Bytes>>;

Bytes sum_without(const Asked& asked, std::uint32_t gone) {
  Bytes sum;
  for (std::size_t demand = 0; demand < asked.front().size(); ++demand) {
    Bytes most;
    for (std::size_t log = 0; log < asked.size(); ++log) {
      if ((gone >> log & 1U) == 0) {
        most = std::max(most, asked[log][demand]);
      }
    }
    sum += most;
  }
  return sum;
}

std::uint32_t set_of(const std::vector<std::size_t>& logs) {
  std::uint32_t set = 0;
  for (const std::size_t log : logs) {
    set |= 1U << log;
  }
  return set;
}

Asked random_fleet(std::mt19937& random, std::size_t logs, std::size_t demands) {
  Asked asked(logs, std::vector<Bytes>(demands));
  for (auto& row : asked) {
    for (Bytes& size : row) {
      size = Bytes{random() % 8};
    }
  }
  return asked;
}

Bytes best_of_all(const Asked& asked, std::size_t at_most) {
  Bytes best = sum_without(asked, 0);
  for (std::uint32_t gone = 0; gone < 1U << asked.size(); ++gone) {
    if (static_cast<std::size_t>(std::popcount(gone)) <= at_most) {
      best = std::min(best, sum_without(asked, gone));
    }
  }
  return best;
}

}  // namespace

TEST_CASE("of one demand nothing saves more") {
  std::mt19937 random{1};
  for (int round = 0; round < 300; ++round) {
    const Asked asked = random_fleet(random, 1 + random() % 9, 1);
    const std::size_t at_most = random() % (asked.size() + 1);
    const auto gone = costliest(asked, at_most);
    CHECK(gone.size() <= at_most);
    CHECK(sum_without(asked, set_of(gone)) == best_of_all(asked, at_most));
  }
}

TEST_CASE("of several demands it keeps its number, saves, and leaves out none that fits") {
  std::mt19937 random{2};
  int best = 0;
  constexpr int kRounds = 400;
  for (int round = 0; round < kRounds; ++round) {
    const Asked asked = random_fleet(random, 2 + random() % 8, 1 + random() % 4);
    const std::size_t at_most = random() % asked.size();
    const auto gone = costliest(asked, at_most);
    const std::uint32_t set = set_of(gone);
    const Bytes sum = sum_without(asked, set);
    CHECK(gone.size() <= at_most);
    CHECK(std::ranges::is_sorted(gone));
    CHECK(sum <= sum_without(asked, 0));
    for (const std::size_t log : gone) {
      CHECK(sum_without(asked, set & ~(1U << log)) > sum);
    }
    if (sum == best_of_all(asked, at_most)) {
      ++best;
    } else {
      CHECK(sum > best_of_all(asked, at_most));
    }
  }
  // It is greedy, and knows it: most of the time there is nothing better.
  CHECK(best * 10 >= kRounds * 8);
}

TEST_CASE("logs that ask for the same go together or not at all") {
  const Asked twins = {{Bytes{9}}, {Bytes{9}}, {Bytes{1}}};
  CHECK(costliest(twins, 1).empty());
  CHECK(costliest(twins, 2) == std::vector<std::size_t>{0, 1});
  CHECK(costliest({}, 3).empty());
}

TEST_CASE("a share is a percentage with two decimals at most") {
  CHECK(parse_share("99%") == 9900);
  CHECK(parse_share("99.5%") == 9950);
  CHECK(parse_share("0.01%") == 1);
  for (const char* wrong : {"", "%", "99", "0%", "100%", "99.999%", ".5%", "5.%", "-1%", "1 %"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_share(wrong).has_value());
  }
  CHECK(left_out_at_most(10000, 9900) == 100);
  CHECK(left_out_at_most(99, 9900) == 0);
  CHECK(left_out_at_most(100, 9950) == 0);
  CHECK(left_out_at_most(200, 9950) == 1);
}

}  // namespace memsize::app::fleet_cover_test
