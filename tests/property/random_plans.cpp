#include "random_plans.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace memsize::judge {

plan::Buffer RandomPlans::buffer(std::uint64_t steps, std::uint64_t largest) {
  plan::Buffer buffer;
  const std::uint64_t first = below(steps);
  const std::uint64_t most = chance(50) ? 2 : steps;
  buffer.lower = static_cast<std::int64_t>(first);
  buffer.upper = static_cast<std::int64_t>(first + 1 + below(most));
  buffer.size = core::Bytes{1 + below(largest)};
  return buffer;
}

Buffers RandomPlans::small(std::size_t most) {
  static constexpr std::array<std::uint64_t, 6> kLargest = {2, 4, 9, 30, 200, 5000};
  static constexpr std::array<std::uint64_t, 6> kUnits = {1, 1, 1, 3, 16, std::uint64_t{1} << 40U};
  const std::size_t count = most - below(std::min<std::size_t>(most, chance(70) ? 3 : most));
  const std::uint64_t steps = 1 + below(chance(30) ? 3 : 10);
  const std::uint64_t largest = kLargest[below(kLargest.size())];
  const std::uint64_t unit = kUnits[below(kUnits.size())];
  const std::uint64_t aligned = chance(50) ? 0 : 20 + below(80);
  const std::uint64_t fixed = chance(60) ? 0 : 5 + below(40);
  const std::uint64_t twins = chance(60) ? 0 : 10 + below(60);
  const std::uint64_t empty = chance(80) ? 0 : 10 + below(20);
  const auto origin = static_cast<std::int64_t>(below(2000)) - 1000;
  Buffers buffers;
  for (std::size_t i = 0; i < count; ++i) {
    if (!buffers.empty() && chance(twins)) {
      plan::Buffer twin = buffers[below(buffers.size())];
      twin.offset.reset();
      buffers.push_back(twin);
      continue;
    }
    plan::Buffer next = buffer(steps, largest);
    next.lower += origin;
    next.upper += origin;
    next.size = core::Bytes{next.size.count() * unit};
    if (chance(empty)) {
      next.size = core::Bytes{};
    }
    if (chance(aligned)) {
      next.alignment = *core::Align::make(std::uint64_t{1} << below(chance(80) ? 5 : 12));
    }
    if (chance(fixed)) {
      next.offset = core::Bytes{below(2 * largest) * (chance(80) ? unit : 1)};
    }
    buffers.push_back(next);
  }
  return buffers;
}

Buffers RandomPlans::tiny() {
  const std::size_t count = 1 + below(5);
  const std::uint64_t steps = 1 + below(5);
  const bool has_alignment = chance(50);
  const bool has_fixed = chance(30);
  Buffers buffers;
  for (std::size_t i = 0; i < count; ++i) {
    plan::Buffer next = buffer(steps, 3);
    if (chance(10)) {
      next.size = core::Bytes{};
    }
    if (has_alignment && chance(50)) {
      next.alignment = *core::Align::make(std::uint64_t{1} << below(3));
    }
    if (has_fixed && chance(40)) {
      next.offset = core::Bytes{below(6)};
    }
    buffers.push_back(next);
  }
  return buffers;
}

Buffers RandomPlans::windowed() {
  Buffers buffers = tiny();
  for (plan::Buffer& buffer : buffers) {
    if (chance(30)) {
      buffer.size = core::Bytes{buffer.size.count() + below(4)};
    }
    for (std::int64_t step = buffer.lower; step < buffer.upper && chance(80); ++step) {
      // Two now and then, which may be apart.
      for (std::uint64_t count = 1 + below(5) / 4; count > 0 && !chance(20); --count) {
        const std::uint64_t begin = below(buffer.size.count() + 1);
        const std::uint64_t end = begin + below(buffer.size.count() - begin + 1);
        buffer.windows.push_back({{step, step + 1}, core::Bytes{begin}, core::Bytes{end}});
      }
    }
    buffer.windows = model::united(buffer.windows);
  }
  return buffers;
}

Buffers RandomPlans::puzzle(std::size_t pieces) {
  struct Piece {
    std::int64_t lower, upper;
    std::uint64_t bottom, top;
  };

  std::vector<Piece> whole = {{0, 64, 0, 4096}};
  // Cuts a random piece in two, along time or along bytes, as long as it is not too thin.
  for (std::size_t tries = 0; whole.size() < pieces && tries < 50 * pieces; ++tries) {
    Piece& piece = whole[below(whole.size())];
    Piece rest = piece;
    const auto time = static_cast<std::uint64_t>(piece.upper - piece.lower);
    if (chance(50) && time > 1) {
      piece.upper = piece.lower + 1 + static_cast<std::int64_t>(below(time - 1));
      rest.lower = piece.upper;
    } else if (piece.top - piece.bottom > 64) {
      piece.top = piece.bottom + 16 * (1 + below((piece.top - piece.bottom) / 16 - 1));
      rest.bottom = piece.top;
    } else {
      continue;
    }
    whole.push_back(rest);
  }
  Buffers buffers;
  for (const Piece& piece : whole) {
    plan::Buffer next;
    next.lower = piece.lower;
    next.upper = piece.upper;
    next.size = core::Bytes{piece.top - piece.bottom};
    buffers.push_back(next);
  }
  Buffers mixed;
  for (const std::size_t from : order(buffers.size())) {
    mixed.push_back(buffers[from]);
  }
  return mixed;
}

std::vector<std::size_t> RandomPlans::order(std::size_t size) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = size; i > 1; --i) {
    std::swap(order[i - 1], order[below(i)]);
  }
  return order;
}

}  // namespace memsize::judge
