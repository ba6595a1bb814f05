// Computes for every item its size, area, lifetime and company, then sorts by them, one way for
// each Order. Ties go to the lower index, so that an order is the same everywhere.
#include "greedy_orders.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace memsize::plan {

namespace {

std::size_t at(std::int32_t slot) {
  return static_cast<std::size_t>(slot);
}

// The first of the highest in any range, in O(log slots).
class Peaks {
 public:
  explicit Peaks(const std::vector<std::int64_t>& alive)
      : alive_(alive), leaves_(std::bit_ceil(alive.size())), first_(2 * leaves_) {
    for (std::size_t i = 0; i < leaves_; ++i) {
      first_[leaves_ + i] = static_cast<std::int32_t>(std::min(i, alive.size() - 1));
    }
    for (std::size_t node = leaves_ - 1; node != 0; --node) {
      first_[node] = higher(first_[2 * node], first_[2 * node + 1]);
    }
  }

  [[nodiscard]] std::int32_t find(std::int32_t lower, std::int32_t upper) const {
    std::int32_t best = lower;
    std::size_t low = at(lower) + leaves_;
    std::size_t high = at(upper) + leaves_;
    for (; low < high; low >>= 1, high >>= 1) {
      if ((low & 1) != 0) {
        best = higher(best, first_[low++]);
      }
      if ((high & 1) != 0) {
        best = higher(best, first_[--high]);
      }
    }
    return best;
  }

 private:
  [[nodiscard]] std::int32_t higher(std::int32_t a, std::int32_t b) const {
    const std::int64_t of_a = alive_[at(a)];
    const std::int64_t of_b = alive_[at(b)];
    return of_a != of_b ? (of_a > of_b ? a : b) : std::min(a, b);
  }

  const std::vector<std::int64_t>& alive_;
  std::size_t leaves_;
  std::vector<std::int32_t> first_;
};

// Larger keys first, then lower indices.
template <typename Key>
std::vector<std::uint32_t> descending(const Instance& instance, Key key) {
  using Value = decltype(key(std::size_t{0}));
  std::vector<std::pair<Value, std::uint32_t>> keyed;
  keyed.reserve(instance.items.size());
  for (std::size_t i = 0; i < instance.items.size(); ++i) {
    if (instance.items[i].fixed < 0) {
      keyed.emplace_back(key(i), static_cast<std::uint32_t>(i));
    }
  }
  std::ranges::sort(keyed, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<std::uint32_t> order;
  order.reserve(keyed.size());
  for (const auto& entry : keyed) {
    order.push_back(entry.second);
  }
  return order;
}

}  // namespace

Orders::Orders(const Instance& instance) : instance_(instance), traits_(instance.items.size()) {
  if (instance.items.empty()) {
    return;
  }
  // By slot: what begins and ends there, then what is alive.
  std::vector<std::int64_t> begun(at(instance.slots) + 1);
  std::vector<std::int64_t> ended(at(instance.slots) + 1);
  for (std::size_t i = 0; i < instance.items.size(); ++i) {
    for_each_window(instance, i, [&](const ItemWindow& window) {
      begun[at(window.lower)] += window.end - window.begin;
      ended[at(window.upper)] += window.end - window.begin;
    });
  }
  std::vector<std::int64_t> alive(at(instance.slots));
  // Up to and with the slot.
  for (std::size_t slot = 0; slot < alive.size(); ++slot) {
    if (slot != 0) {
      begun[slot] += begun[slot - 1];
      ended[slot] += ended[slot - 1];
    }
    alive[slot] = begun[slot] - ended[slot];
  }
  const Peaks peaks(alive);
  for (std::size_t i = 0; i < traits_.size(); ++i) {
    const Item& item = instance.items[i];
    Traits& traits = traits_[i];
    traits.lifetime = item.upper - item.lower;
    traits.area = static_cast<double>(item.size) * traits.lifetime;
    traits.busiest_slot = peaks.find(item.lower, item.upper);
    traits.breadth = alive[at(traits.busiest_slot)];
    traits.company = begun[at(item.upper) - 1] - ended[at(item.lower)];
  }
}

std::vector<std::uint32_t> Orders::make(Order order) const {
  const std::vector<Item>& items = instance_.items;
  const auto by = [&](auto key) {
    return descending(instance_, [&](std::size_t i) { return key(items[i], traits_[i]); });
  };
  switch (order) {
    case Order::kBreadth:
      return by([](const Item& item, const Traits& traits) {
        return std::tuple(traits.breadth, -traits.busiest_slot, item.size);
      });
    case Order::kSize:
      return by([](const Item& item, const Traits& traits) {
        return std::tuple(item.size, traits.lifetime);
      });
    case Order::kSizeThenBegin:
      return by([](const Item& item, const Traits&) { return std::tuple(item.size, -item.lower); });
    case Order::kBreadthThenArea:
      return by([](const Item&, const Traits& traits) {
        return std::tuple(traits.breadth, traits.area);
      });
    case Order::kBreadthThenLifetime:
      return by([](const Item& item, const Traits& traits) {
        return std::tuple(traits.breadth, traits.lifetime, item.size);
      });
    case Order::kArea:
      return by([](const Item& item, const Traits& traits) {
        return std::tuple(traits.area, item.size);
      });
    case Order::kLifetime:
      return by([](const Item& item, const Traits& traits) {
        return std::tuple(traits.lifetime, item.size);
      });
    case Order::kCompany:
      return by([](const Item& item, const Traits& traits) {
        return std::tuple(traits.company, item.size);
      });
    case Order::kBegin:
      return by([](const Item& item, const Traits&) { return std::tuple(-item.lower, item.size); });
    case Order::kEnd:
      return by([](const Item& item, const Traits&) { return std::tuple(item.upper, item.size); });
    case Order::kChain:
      return by([](const Item& item, const Traits&) {
        return std::tuple(-item.lower, -item.upper, item.size);
      });
  }
  return {};
}

}  // namespace memsize::plan
