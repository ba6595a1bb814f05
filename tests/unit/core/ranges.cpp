#include "memsize/core/address.hpp"
#include "memsize/core/bytes.hpp"

#include "support.hpp"

#include <cstdint>

#include <doctest/doctest.h>

namespace memsize::core::ranges_test {

namespace {

constexpr std::uint64_t kMost = UINT64_MAX;

PhysRange range(std::uint64_t base, std::uint64_t size) {
  const auto made = PhysRange::make(PhysAddr{base}, Bytes{size});
  REQUIRE(made.has_value());
  return *made;
}

}  // namespace

TEST_SUITE("core") {
  TEST_CASE("checked sums and products know the edge of 64 bits") {
    CHECK(checked_add(kMost - 1, 1) == kMost);
    CHECK_FALSE(checked_add(kMost, 1).has_value());
    CHECK_FALSE(checked_add(kMost, kMost).has_value());
    CHECK(checked_add(0, 0) == 0U);
    CHECK(checked_mul(1ULL << 32, (1ULL << 32) - 1) == 0xFFFFFFFF00000000U);
    CHECK_FALSE(checked_mul(1ULL << 32, 1ULL << 32).has_value());
    CHECK(checked_mul(kMost, 1) == kMost);
    CHECK(checked_mul(kMost, 0) == 0U);
    CHECK_FALSE(checked_mul(kMost, 2).has_value());
  }

  TEST_CASE("sizes saturate instead of wrapping") {
    CHECK(Bytes{kMost} + Bytes{1} == Bytes{kMost});
    CHECK(Bytes{3} - Bytes{5} == Bytes{0});
    CHECK(Bytes{5} - Bytes{3} == Bytes{2});
    Bytes sum{kMost - 1};
    sum += Bytes{7};
    CHECK(sum == Bytes{kMost});
  }

  TEST_CASE("an alignment is a power of two") {
    CHECK_FALSE(Align::make(0).has_value());
    CHECK_FALSE(Align::make(3).has_value());
    CHECK_FALSE(Align::make(kMost).has_value());
    CHECK(Align::make(1)->value() == 1);
    CHECK(Align::make(1ULL << 63)->value() == 1ULL << 63);
    CHECK(Align{}.value() == 1);
  }

  TEST_CASE("align_up goes to the next multiple, or says that there is none") {
    const Align page = *Align::make(4096);
    CHECK(align_up(0, page) == 0U);
    CHECK(align_up(1, page) == 4096U);
    CHECK(align_up(4096, page) == 4096U);
    CHECK(align_up(4097, page) == 8192U);
    // The last page boundary below 2^64 is 2^64 - 4096.
    CHECK(align_up(kMost - 4095, page) == kMost - 4095);
    CHECK_FALSE(align_up(kMost - 4094, page).has_value());
    CHECK_FALSE(align_up(kMost, page).has_value());
    CHECK(align_up(kMost, Align{}) == kMost);
    CHECK(align_up(Bytes{kMost}, page) == Bytes{kMost});
    CHECK(is_aligned(8192, page));
    CHECK_FALSE(is_aligned(8191, page));
    CHECK(is_aligned(Bytes{0}, *Align::make(1ULL << 63)));
  }

  TEST_CASE("an address does not wrap") {
    CHECK(PhysAddr{kMost - 1}.plus(Bytes{1}) == PhysAddr{kMost});
    CHECK_FALSE(PhysAddr{kMost}.plus(Bytes{1}).has_value());
    CHECK(PhysAddr{0x3000} - PhysAddr{0x1000} == Bytes{0x2000});
  }

  TEST_CASE("a range may end at 2^64 but not above") {
    const PhysRange last = range(kMost - 0xFFF, 0x1000);
    CHECK(last.last() == PhysAddr{kMost});
    CHECK(last.contains(PhysAddr{kMost}));
    CHECK_FALSE(last.contains(PhysAddr{kMost - 0x1000}));
    CHECK_FALSE(PhysRange::make(PhysAddr{kMost - 0xFFF}, Bytes{0x1001}).has_value());
    CHECK(PhysRange::make(PhysAddr{0}, Bytes{kMost}).has_value());
    CHECK(PhysRange::make(PhysAddr{kMost}, Bytes{1}).has_value());
    CHECK_FALSE(PhysRange::make(PhysAddr{kMost}, Bytes{2}).has_value());
    CHECK(last.overlaps(range(kMost, 1)));
    CHECK(last.contains(range(kMost, 1)));
    CHECK(last.intersection(range(kMost - 1, 2)) == range(kMost - 1, 2));
  }

  TEST_CASE("an empty range overlaps and contains nothing") {
    const PhysRange none = range(0x1000, 0);
    const PhysRange some = range(0x0, 0x10000);
    CHECK(none.empty());
    CHECK_FALSE(none.contains(PhysAddr{0x1000}));
    CHECK_FALSE(none.overlaps(some));
    CHECK_FALSE(some.overlaps(none));
    CHECK_FALSE(some.contains(none));
    CHECK_FALSE(none.contains(none));
    CHECK(some.intersection(none).empty());
    CHECK(PhysRange::make(PhysAddr{kMost}, Bytes{0}).has_value());
  }

  TEST_CASE("neighbours do not overlap, a shared byte does") {
    CHECK_FALSE(range(0x1000, 0x1000).overlaps(range(0x2000, 0x1000)));
    CHECK_FALSE(range(0x2000, 0x1000).overlaps(range(0x1000, 0x1000)));
    CHECK(range(0x1000, 0x1001).overlaps(range(0x2000, 0x1000)));
    CHECK(range(0x1000, 0x1001).intersection(range(0x2000, 0x1000)) == range(0x2000, 1));
    CHECK(range(0x0, 0x9000).contains(range(0x1000, 0x1000)));
    CHECK_FALSE(range(0x1000, 0x1000).contains(range(0x0, 0x9000)));
    CHECK_FALSE(range(0x1000, 0x1000).contains(range(0x1800, 0x1000)));
  }

  TEST_CASE("overlap and intersection agree with counting the bytes") {
    test::Random random{0x5EED};
    for (int round = 0; round < 2000; ++round) {
      CAPTURE(round);
      // Small ranges, half of them pushed against 2^64.
      const std::uint64_t shift = random.below(2) == 0 ? 0 : kMost - 30;
      const std::uint64_t a = random.below(16);
      const std::uint64_t b = random.below(16);
      const std::uint64_t a_size = random.below(17);
      const std::uint64_t b_size = random.below(17);
      std::uint64_t shared = 0;
      for (std::uint64_t byte = 0; byte < 64; ++byte) {
        const bool in_a = byte >= a && byte < a + a_size;
        const bool in_b = byte >= b && byte < b + b_size;
        shared += in_a && in_b ? 1U : 0U;
      }
      const PhysRange one = range(shift + a, a_size);
      const PhysRange other = range(shift + b, b_size);
      CHECK(one.overlaps(other) == (shared != 0));
      CHECK(other.overlaps(one) == (shared != 0));
      CHECK(one.intersection(other).size() == Bytes{shared});
      CHECK(one.contains(other) == (b_size != 0 && shared == b_size));
    }
  }
}

}  // namespace memsize::core::ranges_test
