// Addresses and ranges. Physical and virtual addresses are different types: the compiler refuses to
// mix them, and only a board's mapping converts one into the other.
#pragma once

#include "memsize/core/bytes.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>

namespace memsize::core {

template <typename Tag>
class Address {
 public:
  constexpr Address() = default;

  constexpr explicit Address(std::uint64_t value) : value_(value) {}

  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 stumbles over a defaulted <=>.
  friend constexpr auto operator<=>(Address, Address) = default;

  /// Nothing where the address would leave 64 bits.
  [[nodiscard]] constexpr std::optional<Address> plus(Bytes offset) const {
    const auto sum = checked_add(value_, offset.count());
    if (!sum) {
      return std::nullopt;
    }
    return Address{*sum};
  }

  /// The distance from `lower`, which must not be above this address.
  friend constexpr Bytes operator-(Address upper, Address lower) {
    return Bytes{upper.value_} - Bytes{lower.value_};
  }

 private:
  std::uint64_t value_ = 0;
};

using PhysAddr = Address<struct PhysicalTag>;
using VirtAddr = Address<struct VirtualTag>;

/// A half-open range [base, base + size). The end is never stored, so that a range may end at 2^64.
template <typename A>
class Range {
 public:
  constexpr Range() = default;

  /// Nothing where the range would end above 2^64.
  [[nodiscard]] static constexpr std::optional<Range> make(A base, Bytes size) {
    if (size.count() != 0 && !checked_add(base.value(), size.count() - 1)) {
      return std::nullopt;
    }
    return Range{base, size};
  }

  [[nodiscard]] constexpr A base() const { return base_; }

  [[nodiscard]] constexpr Bytes size() const { return size_; }

  [[nodiscard]] constexpr bool empty() const { return size_.count() == 0; }

  /// The last address inside; the range must not be empty.
  [[nodiscard]] constexpr A last() const { return A{base_.value() + (size_.count() - 1)}; }

  [[nodiscard]] constexpr bool contains(A address) const {
    return address >= base_ && (address - base_) < size_;
  }

  [[nodiscard]] constexpr bool contains(const Range& other) const {
    return !empty() && !other.empty() && contains(other.base_) && contains(other.last());
  }

  [[nodiscard]] constexpr bool overlaps(const Range& other) const {
    return !empty() && !other.empty() && base_ <= other.last() && other.base_ <= last();
  }

  /// The part that both ranges have; empty where they do not overlap.
  [[nodiscard]] constexpr Range intersection(const Range& other) const {
    if (!overlaps(other)) {
      return Range{};
    }
    const A low = std::max(base_, other.base_);
    const A high = std::min(last(), other.last());
    return Range{low, (high - low) + Bytes{1}};
  }

  friend constexpr bool operator==(const Range&, const Range&) = default;

 private:
  constexpr Range(A base, Bytes size) : base_(base), size_(size) {}

  A base_{};
  Bytes size_{};
};

using PhysRange = Range<PhysAddr>;
using VirtRange = Range<VirtAddr>;

}  // namespace memsize::core
