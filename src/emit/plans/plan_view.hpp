// What every file of a plan shows: its arenas with the blocks that have a place in them, in one
// order.
#pragma once

#include "memsize/model/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::emit {

struct PlacedBlock {
  const model::PlannedBlock* block = nullptr;
  /// All the time is from the plan's first step to its last. Nothing: nobody says when.
  std::optional<model::Interval> live;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  /// It uses another block's bytes.
  bool alias = false;

  [[nodiscard]] std::uint64_t end() const { return offset + size; }
};

struct ArenaView {
  /// As the plan has it, or of its blocks where it has none.
  model::PlannedArena arena;
  /// In the plan's order.
  std::vector<PlacedBlock> placed;
  /// Of placed blocks: what has bytes of its own, alive as long as its aliases are. Those without a
  /// lifetime are left out.
  std::vector<PlacedBlock> roots;
  /// How many blocks it has, with a place or without.
  std::size_t blocks = 0;
  /// The end of the highest block; nothing: that is not known.
  std::optional<std::uint64_t> height;
  /// Of its memory.
  std::optional<std::uint64_t> capacity;
  /// The largest sum of bytes that are alive at a step, and the first such step.
  std::optional<std::uint64_t> peak_bytes;
  std::int64_t peak_step = 0;
};

struct PlanView {
  /// Scratch, persistent, constant; each by the memory's name.
  std::vector<ArenaView> arenas;
  /// From the first step to the last of all blocks; empty: no block has a lifetime.
  model::Interval steps;

  [[nodiscard]] bool has_steps() const { return steps.lower < steps.upper; }
};

/// `plan` must outlive the view. What does not end below 2^63 is taken for not placed.
[[nodiscard]] PlanView view_of(const model::PlanReport& plan);

/// What a block needs when: itself, or a piece for each of its windows.
[[nodiscard]] std::vector<PlacedBlock> needs_of(const PlacedBlock& placed);

/// plan::envelope_hash() of the arenas as files show them: where a report does not say how high
/// they are, as high as its blocks make them.
[[nodiscard]] std::string envelope_hash(const PlanView& view);

/// What is reserved, else what is used.
[[nodiscard]] std::optional<std::uint64_t> reserved(const ArenaView& view);

/// "default, scratch", "dtcm, constant from mram".
[[nodiscard]] std::string title_of(const ArenaView& view);

/// "the least possible: it equals the lower bound"; empty: nobody says.
[[nodiscard]] std::string proof_in_words(const ArenaView& view);

/// "steps 3 to 7", "step 3", "all the time", "at unknown steps"; the last step is the last one
/// in which it is alive. With windows, "steps 3 to 7, in part".
[[nodiscard]] std::string steps_in_words(const PlacedBlock& placed);

/// A number that grows by 1, 2 or 5 times a power of ten: at least `span / most`.
[[nodiscard]] std::int64_t decimal_tick(std::int64_t span, std::int64_t most);

}  // namespace memsize::emit
