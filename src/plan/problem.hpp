// What has to be planned, as the planner sees it: banks with budgets, and slots with the homes that
// they may have. Everything that can be wrong with the wishes is found here.
#pragma once

#include "memsize/plan/planner.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memsize::plan {

/// A memory of the part, with what the rules change.
struct Bank {
  std::string name;
  std::optional<std::uint64_t> base;
  std::uint64_t budget = 0;
  /// Of arenas' bases, and of every slot: powers of two.
  std::uint64_t base_alignment = 1;
  std::uint64_t slot_alignment = 1;
  std::uint32_t cost = 1;
  bool writable = true;
  bool is_volatile = true;
  bool by_rule = false;
  /// Cores read and write it in place.
  bool mapped = true;
  /// What comes before, and is somebody else's.
  std::uint64_t begin = 0;
  /// What programs get of it; a rule may have made the budget smaller.
  std::uint64_t window = 0;
  bool limited_by_rule = false;
  /// A rule says what arenas and slots are aligned to; no report and no part does.
  bool aligned_by_rule = false;
  /// The options' capacity: any height within the budget will do.
  bool enough_within = false;
};

/// Where a slot may go: a bank, and for a staged constant the bank that it is copied from (else the
/// bank itself).
struct Home {
  std::size_t bank = 0;
  std::size_t source = 0;
  /// What this home costs more than the cheapest memory would: cost x uses x size.
  double price = 0;

  [[nodiscard]] bool staged() const { return bank != source; }
};

/// Bytes that one block has for itself, or that a block and its aliases share.
struct Slot {
  /// Index of the root, then of its aliases, into the report's blocks.
  std::vector<std::size_t> blocks;
  /// Where each of them begins in the slot: an alias stays where the report has it in its root.
  std::vector<std::uint64_t> begins;
  model::Lifetime role = model::Lifetime::kScratch;
  /// Of scratch: the hull of what root and aliases say.
  model::Interval live;
  /// Of scratch, as model::PlannedBlock::windows.
  std::vector<model::Window> windows;
  std::uint64_t size = 0;
  /// What the blocks want; a bank may want more.
  std::uint64_t alignment = 1;
  /// Where it must lie in its arena.
  std::optional<std::uint64_t> offset;
  /// Preferred first; never empty.
  std::vector<Home> homes;
  std::uint64_t uses = 1;
};

struct Problem {
  std::vector<Bank> banks;
  /// By the root's id, so that the order of a report decides nothing.
  std::vector<Slot> slots;
};

/// Errors: plan.duplicate, plan.alias, plan.lifetime, plan.size, plan.alignment, plan.memory,
/// plan.rule, plan.volatile. What is assumed goes to `notes`.
[[nodiscard]] core::Result<Problem> make_problem(const model::PlanReport& wanted,
                                                 const board::MemorySet& part,
                                                 const PlanOptions& options,
                                                 core::Diagnostics& notes);

/// The name of a block or a memory, for messages.
[[nodiscard]] std::string quoted(const std::string& name);
/// "'17' (conv1)".
[[nodiscard]] std::string label_of(const model::PlannedBlock& block);

}  // namespace memsize::plan
