// In which order a greedy planner takes the items, which decides all.
#pragma once

#include "instance.hpp"

#include <cstdint>
#include <vector>

namespace memsize::plan {

/// What is known of an item before anything is placed.
struct Traits {
  /// Slots.
  std::int32_t lifetime = 0;
  double area = 0;
  /// The most that is alive in one of its slots, and the first such slot.
  std::int64_t breadth = 0;
  std::int32_t busiest_slot = 0;
  /// What is alive together with it, in units, itself included.
  std::int64_t company = 0;
};

enum class Order : std::uint8_t {
  /// As Pisarchyk and Lee: what is alive in the busiest slot first, the largest first.
  kBreadth,
  /// The largest first, of these the longest-lived.
  kSize,
  kSizeThenBegin,
  kBreadthThenArea,
  kBreadthThenLifetime,
  kArea,
  kLifetime,
  kCompany,
  kBegin,
  kEnd,
  /// By begin, of these the first to end: the order of a chain.
  kChain,
};

/// Every item without a fixed offset, in order. Ties keep the instance's order.
class Orders {
 public:
  explicit Orders(const Instance& instance);

  [[nodiscard]] std::vector<std::uint32_t> make(Order order) const;

  [[nodiscard]] const std::vector<Traits>& traits() const { return traits_; }

 private:
  const Instance& instance_;
  std::vector<Traits> traits_;
};

}  // namespace memsize::plan
