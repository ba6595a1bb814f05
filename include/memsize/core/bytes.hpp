// Sizes and alignments. A size is a count of bytes and nothing else: no implicit conversion from or
// to an integer, no arithmetic that could wrap.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <optional>

namespace memsize::core {

/// a + b, or nothing where the sum does not fit 64 bits.
[[nodiscard]] constexpr std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    return std::nullopt;
  }
  return sum;
}

/// a * b, or nothing where the product does not fit 64 bits.
[[nodiscard]] constexpr std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    return std::nullopt;
  }
  return product;
}

/// A size in bytes. Sums saturate at the largest value, so that a sum that is too large stays too
/// large and a later limit check reports it; use checked_add where the difference matters.
class Bytes {
 public:
  constexpr Bytes() = default;

  constexpr explicit Bytes(std::uint64_t count) : count_(count) {}

  [[nodiscard]] constexpr std::uint64_t count() const { return count_; }

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 stumbles over a defaulted <=>.
  friend constexpr auto operator<=>(const Bytes&, const Bytes&) = default;

  friend constexpr Bytes operator+(Bytes a, Bytes b) {
    return Bytes{checked_add(a.count_, b.count_).value_or(UINT64_MAX)};
  }

  /// Saturates at zero: a difference of sizes is never negative.
  friend constexpr Bytes operator-(Bytes a, Bytes b) {
    return Bytes{a.count_ > b.count_ ? a.count_ - b.count_ : 0};
  }

  constexpr Bytes& operator+=(Bytes other) { return *this = *this + other; }

 private:
  std::uint64_t count_ = 0;
};

inline constexpr Bytes kKiB{1ULL << 10};
inline constexpr Bytes kMiB{1ULL << 20};
inline constexpr Bytes kGiB{1ULL << 30};

/// An alignment: a power of two, checked when it is made.
class Align {
 public:
  constexpr Align() = default;

  [[nodiscard]] static constexpr std::optional<Align> make(std::uint64_t value) {
    if (!std::has_single_bit(value)) {
      return std::nullopt;
    }
    return Align{value};
  }

  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 stumbles over a defaulted <=>.
  friend constexpr auto operator<=>(Align, Align) = default;

 private:
  constexpr explicit Align(std::uint64_t value) : value_(value) {}

  std::uint64_t value_ = 1;
};

/// The next multiple of `align` that is not below `value`, or nothing where that exceeds 64 bits.
[[nodiscard]] constexpr std::optional<std::uint64_t> align_up(std::uint64_t value, Align align) {
  const std::uint64_t mask = align.value() - 1;
  const auto bumped = checked_add(value, mask);
  if (!bumped) {
    return std::nullopt;
  }
  return *bumped & ~mask;
}

/// Saturating like Bytes itself.
[[nodiscard]] constexpr Bytes align_up(Bytes value, Align align) {
  return Bytes{align_up(value.count(), align).value_or(UINT64_MAX)};
}

[[nodiscard]] constexpr bool is_aligned(std::uint64_t value, Align align) {
  return (value & (align.value() - 1)) == 0;
}

[[nodiscard]] constexpr bool is_aligned(Bytes value, Align align) {
  return is_aligned(value.count(), align);
}

}  // namespace memsize::core
