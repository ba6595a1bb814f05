// Places items one by one, and says which of them should have come earlier.
#pragma once

#include "greedy_occupied.hpp"
#include "instance.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace memsize::plan {

enum class Rule : std::uint8_t {
  kFirstGap,
  kBestGap,
  /// The lowest hole, or the highest below the ceiling: not on the side of what came before.
  kBothEnds,
};

/// The same numbers everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// In [0, end), for ends below 2^31.
  std::int64_t below(std::int64_t end) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::int64_t>(((state_ >> 32) * static_cast<std::uint64_t>(end)) >> 32);
  }

 private:
  std::uint64_t state_;
};

class Builder {
 public:
  Builder(const Instance& instance, Budget& budget);

  /// Places every item in order. False where it gives up: at the first item that ends above
  /// `limit`, or when the budget is over, unless it has to finish.
  bool build(const std::vector<std::uint32_t>& order,
             Rule rule,
             std::int64_t ceiling,
             std::int64_t limit,
             bool finish);

  [[nodiscard]] std::int64_t height() const { return height_; }

  [[nodiscard]] const std::vector<std::int64_t>& offsets() const { return offsets_; }

  /// Free items that end above the ceiling, in order.
  [[nodiscard]] const std::vector<std::uint32_t>& failed() const { return failed_; }

 private:
  [[nodiscard]] std::int64_t hole(std::uint32_t index, Rule rule, std::int64_t ceiling);
  /// What was placed since the last time; false when the budget is over.
  bool pay(std::uint64_t items);
  void place(std::uint32_t index, std::int64_t offset);
  void put_on_top(std::span<const std::uint32_t> rest);
  [[nodiscard]] bool opposite_of_last(std::uint32_t index) const;

  const Instance& instance_;
  Budget& budget_;
  Occupied occupied_;
  std::uint64_t paid_work_ = 0;
  std::int64_t height_ = 0;
  std::vector<std::int64_t> offsets_;
  std::vector<std::uint32_t> failed_;
  /// Of kBothEnds: the last items that were placed, and whether from above.
  std::vector<std::pair<std::uint32_t, bool>> recent_;
};

/// How far an item that failed moves towards the beginning of the order.
enum class Promotion : std::uint8_t {
  /// By about a tenth of all items.
  kSteady,
  /// To somewhere in the first half of what is before it.
  kFar,
};

/// The same order but for the failed items.
[[nodiscard]] std::vector<std::uint32_t> promoted(const std::vector<std::uint32_t>& order,
                                                  const std::vector<std::uint32_t>& failed,
                                                  Promotion promotion,
                                                  Random& random);

}  // namespace memsize::plan
