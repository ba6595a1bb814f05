// What the type system forbids is proved when this file compiles.
#include "memsize/core/address.hpp"
#include "memsize/core/bytes.hpp"

#include <cstdint>
#include <type_traits>

#include <doctest/doctest.h>

namespace memsize::core::units_static_test {

namespace {

template <typename A, typename B>
concept Addable = requires(A a, B b) {
  a + b;
};

template <typename A, typename B>
concept Subtractable = requires(A a, B b) {
  a - b;
};

template <typename A, typename B>
concept Comparable = requires(A a, B b) {
  a < b;
};

template <typename A, typename B>
concept EqualityTestable = requires(A a, B b) {
  a == b;
};

template <typename A, typename B>
concept Multipliable = requires(A a, B b) {
  a* b;
};

template <typename A, typename B>
concept Offsettable = requires(A a, B b) {
  a.plus(b);
};

template <typename R, typename A>
concept Containing = requires(R range, A address) {
  range.contains(address);
};

template <typename R, typename S>
concept Overlapping = requires(R range, S other) {
  range.overlaps(other);
};

// Sizes are not integers.
static_assert(!Addable<Bytes, int> && !Addable<int, Bytes>);
static_assert(!Addable<Bytes, std::uint64_t>);
static_assert(!Subtractable<Bytes, int>);
static_assert(!Multipliable<Bytes, int> && !Multipliable<Bytes, Bytes>);
static_assert(!Comparable<Bytes, int> && !Comparable<Bytes, std::uint64_t>);
static_assert(!EqualityTestable<Bytes, int>);
static_assert(!std::is_convertible_v<std::uint64_t, Bytes> && !std::is_convertible_v<int, Bytes>);
static_assert(!std::is_convertible_v<Bytes, std::uint64_t> && !std::is_convertible_v<Bytes, bool>);
static_assert(!std::is_assignable_v<Bytes&, std::uint64_t>);

// Physical and virtual never mix.
static_assert(!Addable<PhysAddr, VirtAddr> && !Addable<PhysAddr, PhysAddr>);
static_assert(!Subtractable<PhysAddr, VirtAddr> && !Subtractable<VirtAddr, PhysAddr>);
static_assert(!Comparable<PhysAddr, VirtAddr> && !EqualityTestable<PhysAddr, VirtAddr>);
static_assert(!std::is_constructible_v<PhysAddr, VirtAddr>);
static_assert(!std::is_constructible_v<VirtAddr, PhysAddr>);
static_assert(!std::is_assignable_v<PhysAddr&, VirtAddr>);
static_assert(!std::is_constructible_v<PhysRange, VirtRange>);
static_assert(!Containing<PhysRange, VirtAddr> && !Containing<VirtRange, PhysRange>);
static_assert(!Overlapping<PhysRange, VirtRange>);

// Addresses are neither integers nor sizes.
static_assert(!Addable<PhysAddr, int> && !Addable<PhysAddr, std::uint64_t>);
static_assert(!Offsettable<PhysAddr, int> && !Offsettable<PhysAddr, PhysAddr>);
static_assert(!Comparable<PhysAddr, Bytes> && !Comparable<PhysAddr, std::uint64_t>);
static_assert(!std::is_convertible_v<std::uint64_t, PhysAddr>);
static_assert(!std::is_convertible_v<PhysAddr, std::uint64_t>);
static_assert(!std::is_constructible_v<PhysAddr, Bytes> &&
              !std::is_constructible_v<Bytes, PhysAddr>);

// An alignment is made by a check, never by a conversion.
static_assert(!std::is_constructible_v<Align, std::uint64_t>);
static_assert(!std::is_convertible_v<int, Align>);

// A range is made by a check too.
static_assert(!std::is_constructible_v<PhysRange, PhysAddr, Bytes>);

// And what is allowed.
static_assert(Addable<Bytes, Bytes> && Subtractable<Bytes, Bytes> && Comparable<Bytes, Bytes>);
static_assert(Offsettable<PhysAddr, Bytes> && Offsettable<VirtAddr, Bytes>);
static_assert(std::is_same_v<decltype(PhysAddr{} - PhysAddr{}), Bytes>);
static_assert(std::is_same_v<decltype(VirtAddr{} - VirtAddr{}), Bytes>);
static_assert(Comparable<PhysAddr, PhysAddr> && EqualityTestable<VirtAddr, VirtAddr>);
static_assert(std::is_constructible_v<Bytes, std::uint64_t>);
static_assert(std::is_constructible_v<PhysAddr, std::uint64_t>);
static_assert(Containing<PhysRange, PhysAddr> && Overlapping<VirtRange, VirtRange>);

}  // namespace

TEST_SUITE("core") {
  TEST_CASE("all of it works in constant expressions") {
    static_assert((Bytes{1} + Bytes{2}).count() == 3);
    static_assert(PhysAddr{0x1000}.plus(Bytes{0x10}) == PhysAddr{0x1010});
    static_assert(Align::make(4096)->value() == 4096);
    static_assert(PhysRange::make(PhysAddr{1}, Bytes{2})->last() == PhysAddr{2});
    static_assert(align_up(5, *Align::make(4)) == 8U);
    CHECK(kGiB.count() == 1073741824U);
    CHECK(kMiB.count() * 1024 == kGiB.count());
    CHECK(kKiB.count() * 1024 == kMiB.count());
  }
}

}  // namespace memsize::core::units_static_test
