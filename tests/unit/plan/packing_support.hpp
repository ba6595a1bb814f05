// Judges placements without the planner: every pair of buffers is looked at, and the least height
// of a few buffers is found by stacking them in every order.
#pragma once

#include "memsize/plan/pack.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace memsize::test {

inline plan::Buffer buffer(std::int64_t lower,
                           std::int64_t upper,
                           std::uint64_t size,
                           std::uint64_t alignment = 1,
                           std::optional<std::uint64_t> offset = std::nullopt) {
  plan::Buffer made;
  made.lower = lower;
  made.upper = upper;
  made.size = core::Bytes{size};
  made.alignment = core::Align::make(alignment).value();
  if (offset) {
    made.offset = core::Bytes{*offset};
  }
  return made;
}

inline bool alive_together(const plan::Buffer& a, const plan::Buffer& b) {
  return a.lower < b.upper && b.lower < a.upper;
}

/// Empty where the offsets are a plan of exactly this height, else what is wrong with them.
inline std::string wrong_with(const std::vector<plan::Buffer>& buffers,
                              const std::vector<std::uint64_t>& offsets,
                              std::uint64_t height) {
  if (offsets.size() != buffers.size()) {
    return "not one offset for each buffer";
  }
  std::uint64_t top = 0;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::uint64_t end = offsets[i] + buffers[i].size.count();
    if (buffers[i].size.count() != 0) {
      top = std::max(top, end);
    }
    if (buffers[i].offset && buffers[i].offset->count() != offsets[i]) {
      return "buffer " + std::to_string(i) + " was moved";
    }
    if (!buffers[i].offset && offsets[i] % buffers[i].alignment.value() != 0) {
      return "buffer " + std::to_string(i) + " is not aligned";
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (buffers[i].size.count() != 0 && buffers[j].size.count() != 0 &&
          alive_together(buffers[i], buffers[j]) &&
          offsets[i] < offsets[j] + buffers[j].size.count() && offsets[j] < end) {
        return "buffers " + std::to_string(j) + " and " + std::to_string(i) + " overlap";
      }
    }
  }
  return top == height ? "" : "the height is " + std::to_string(top);
}

/// The least height of a few buffers without fixed offsets. In the order of their offsets in a best
/// plan, each can be let down onto those below it.
inline std::uint64_t least_height(const std::vector<plan::Buffer>& buffers) {
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::uint64_t least = UINT64_MAX;
  do {
    std::vector<std::uint64_t> ends(buffers.size());
    std::uint64_t height = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const plan::Buffer& buffer = buffers[order[i]];
      std::uint64_t offset = 0;
      for (std::size_t j = 0; j < i; ++j) {
        if (alive_together(buffer, buffers[order[j]])) {
          offset = std::max(offset, ends[order[j]]);
        }
      }
      const std::uint64_t alignment = buffer.alignment.value();
      offset = (offset + alignment - 1) / alignment * alignment;
      ends[order[i]] = offset + buffer.size.count();
      height = std::max(height, ends[order[i]]);
    }
    least = std::min(least, height);
  } while (std::ranges::next_permutation(order).found);
  return least;
}

/// The same numbers on every machine.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}

  /// In [0, end).
  std::uint64_t below(std::uint64_t end) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state_ >> 33) % end;
  }

 private:
  std::uint64_t state_;
};

}  // namespace memsize::test
