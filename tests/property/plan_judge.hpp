// What is true of small packing problems, found by trying everything. Shares no code with the
// planner, and is slow.
#pragma once

#include "memsize/plan/pack.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memsize::judge {

using Buffers = std::vector<plan::Buffer>;
using Offsets = std::vector<std::uint64_t>;

/// Whether two steps of their lives are the same one.
[[nodiscard]] bool live_together(const plan::Buffer& a, const plan::Buffer& b);

/// Whether both need the same byte in the same step, lying there.
[[nodiscard]] bool collide(const plan::Buffer& a,
                           std::uint64_t offset_of_a,
                           const plan::Buffer& b,
                           std::uint64_t offset_of_b);

/// Two buffers that lie where they must share bytes at the same time.
[[nodiscard]] bool fixed_collide(const Buffers& buffers);

/// The end of the highest buffer that has bytes.
[[nodiscard]] std::uint64_t height_of(const Buffers& buffers, const Offsets& offsets);

/// What is wrong with these offsets; empty: nothing. Compares every pair.
[[nodiscard]] std::string fault_of(const Buffers& buffers, const Offsets& offsets);

/// The least height of all plans; nothing: there is none. Fixed buffers lie at their offsets,
/// whatever their alignment. Some lowest plan has the least sum of offsets among them; taken in the
/// order of its offsets, each of its buffers lies at the lowest place that those before it leave.
/// So all orders are tried, without those whose offsets go down. Not for buffers with windows.
[[nodiscard]] std::optional<std::uint64_t> least_height(const Buffers& buffers);

/// Whether some plan is no higher than that. Tries every offset of every buffer: for tiny problems,
/// to judge least_height.
[[nodiscard]] bool any_plan(const Buffers& buffers, std::uint64_t height);

/// The same by any_plan, of tiny problems, with windows too.
[[nodiscard]] std::optional<std::uint64_t> least_by_trying(const Buffers& buffers);

/// The most bytes alive at one step.
[[nodiscard]] std::uint64_t most_alive(const Buffers& buffers);

/// As a table of lifetimes that memsize reads.
[[nodiscard]] std::string table_of(const Buffers& buffers);

}  // namespace memsize::judge
