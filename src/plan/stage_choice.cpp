// Branch and bound: what gains most a byte first, with it before without it. What a branch can
// still gain is bounded by filling the room with the next items, the last of them in part
// (Dantzig).
#include "stage_choice.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace memsize::plan {

namespace {

// A second or so; a model's hundred weights take some thousand.
constexpr std::uint64_t kMostSteps = 20'000'000;

// A few units in the last place of a double.
constexpr double kRounded = 1 + 1e-14;

class Knapsack {
 public:
  Knapsack(const std::vector<StageItem>& items, std::uint64_t room) : items_(items), room_(room) {
    order_.resize(items.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::erase_if(order_, [&](std::size_t i) { return items[i].size > room; });
    std::ranges::stable_sort(order_, [&](std::size_t a, std::size_t b) {
      return items[a].gain * static_cast<double>(items[b].size) >
             items[b].gain * static_cast<double>(items[a].size);
    });
  }

  StageChoice choose() {
    // Each level is an item: tried with it, then without it.
    std::vector<bool> with(order_.size());
    std::size_t level = 0;
    while (true) {
      if (++steps_ > kMostSteps) {
        best_.is_best = false;
        break;
      }
      if (level < order_.size() && worth(level)) {
        const StageItem& item = items_[order_[level]];
        with[level] = item.size <= room_ - size_;
        if (with[level]) {
          size_ += item.size;
          gain_ += item.gain;
        }
        ++level;
        continue;
      }
      if (level == order_.size()) {
        keep(with);
      }
      while (level > 0 && !with[level - 1]) {
        --level;
      }
      if (level == 0) {
        break;
      }
      const StageItem& item = items_[order_[level - 1]];
      with[level - 1] = false;
      size_ -= item.size;
      gain_ -= item.gain;
    }
    std::ranges::sort(best_.taken);
    return best_;
  }

 private:
  // Whether what is left may gain more than the best.
  [[nodiscard]] bool worth(std::size_t level) const {
    double most = gain_;
    std::uint64_t left = room_ - size_;
    for (std::size_t i = level; i < order_.size() && left > 0; ++i) {
      const StageItem& item = items_[order_[i]];
      if (item.size > left) {
        most += item.gain * static_cast<double>(left) / static_cast<double>(item.size);
        break;
      }
      left -= item.size;
      most += item.gain;
    }
    // Gains are whole; the part of an item may be rounded.
    return std::floor(most * kRounded) > best_gain_;
  }

  void keep(const std::vector<bool>& with) {
    if (gain_ > best_gain_) {
      best_gain_ = gain_;
      best_.taken.clear();
      for (std::size_t i = 0; i < with.size(); ++i) {
        if (with[i]) {
          best_.taken.push_back(order_[i]);
        }
      }
    }
  }

  const std::vector<StageItem>& items_;
  std::uint64_t room_;
  /// Indices of those that fit at all, best a byte first.
  std::vector<std::size_t> order_;
  StageChoice best_;
  double best_gain_ = 0;
  double gain_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace

StageChoice choose_staged(const std::vector<StageItem>& items, std::uint64_t room) {
  return Knapsack{items, room}.choose();
}

}  // namespace memsize::plan
