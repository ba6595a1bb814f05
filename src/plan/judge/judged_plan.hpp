// A plan as its checks look at it: arenas with their blocks, and what blocks come to in bytes and
// time. Shares no code with the planner.
#pragma once

#include "memsize/board/memories.hpp"
#include "memsize/model/plan.hpp"
#include "memsize/plan/check_plan.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace memsize::plan {

/// Some bytes for some time, and the block whose they are. Blocks that share bytes on purpose,
/// because one is an alias of the other, are one piece while several of them need these bytes.
struct Piece {
  PlacedBuffer at;
  /// Index into the report's blocks.
  std::size_t block = 0;
};

/// One role in one memory.
struct JudgedArena {
  model::Lifetime role = model::Lifetime::kScratch;
  std::string memory;
  /// The report's own row; null: it has none.
  const model::PlannedArena* row = nullptr;
  /// Indices of all of its blocks, aliases too.
  std::vector<std::size_t> blocks;
  /// Of blocks that have a place and a lifetime.
  std::vector<Piece> pieces;
  /// Up to the end of the highest block that has a place, whether its lifetime is known or not.
  std::uint64_t height = 0;
  /// Blocks without a place, and placed scratch blocks without a lifetime; aliases of others not.
  std::vector<std::size_t> without_offset;
  std::vector<std::size_t> without_lifetime;
  /// Constants that lie in the very same bytes, without an alias that says so.
  std::vector<std::pair<std::size_t, std::size_t>> twins;

  [[nodiscard]] bool is_complete() const {
    return !blocks.empty() && without_offset.empty() && without_lifetime.empty();
  }

  /// What the arena takes: what the report says is used, or its blocks if they reach further.
  [[nodiscard]] std::uint64_t used() const;
  /// "scratch arena in 'dtcm'".
  [[nodiscard]] std::string name() const;
};

struct JudgedPlan {
  JudgedPlan(const model::PlanReport& judged, const board::MemorySet* of_part);

  const model::PlanReport& report;
  /// Null: none was named.
  const board::MemorySet* part;
  /// Of each block, the one in whose bytes it lies; null: its aliases lead nowhere.
  std::vector<const model::PlannedBlock*> roots;
  /// Scratch, persistent, constant; each by the memory's name.
  std::vector<JudgedArena> arenas;

  /// Another index into blocks where they share bytes on purpose, else the block's own.
  [[nodiscard]] std::size_t root_of(std::size_t block) const;
  /// "'17' (conv1)".
  [[nodiscard]] std::string label(std::size_t block) const;
  [[nodiscard]] core::Place place_of(std::size_t block) const;
  [[nodiscard]] core::Place place_of(const JudgedArena& arena) const;
  /// Of the part, else of the report; null: it has no such memory.
  [[nodiscard]] const board::PartMemory* part_memory(const std::string& name) const;
  [[nodiscard]] const model::PlannedMemory* report_memory(const std::string& name) const;
  /// Where the constants of an arena come from; empty: they are read where they lie.
  [[nodiscard]] std::string source_of(const JudgedArena& arena) const;
};

/// Where a block's bytes come from if that is another memory; else empty.
[[nodiscard]] std::string source_of(const model::PlannedBlock& block);

/// "[0, 784)".
[[nodiscard]] std::string bytes_text(const PlacedBuffer& buffer);
/// "[0, 1)", or "always".
[[nodiscard]] std::string steps_text(const PlacedBuffer& buffer);

/// Says at most kPlanFaults of each kind.
class Faults {
 public:
  explicit Faults(const std::string& path) : path_(path) {}

  /// Counts one. False: there are enough of this kind, and the message need not be made.
  [[nodiscard]] bool wants(core::Severity severity, core::Code code);

  /// Counts some that nobody lists.
  void leave_out(core::Severity severity, core::Code code, std::uint64_t count) {
    unsaid_[{code, severity}] += count;
  }

  void say(core::Diagnostic diagnostic) { said_.push_back(std::move(diagnostic)); }

  /// Everything, with how many more there are of each kind.
  [[nodiscard]] core::Diagnostics finish();

 private:
  core::SharedText path_;
  core::Diagnostics said_;
  std::map<std::pair<core::Code, core::Severity>, std::uint64_t> counts_;
  std::map<std::pair<core::Code, core::Severity>, std::uint64_t> unsaid_;
};

/// check_overlaps.cpp: blocks that share bytes, and outputs that somebody overwrites.
void check_overlaps(const JudgedPlan& plan, Faults& faults);
void check_outputs(const JudgedPlan& plan, Faults& faults);

/// check_memories.cpp: sources, charges, capacities, totals.
void check_sources(const JudgedPlan& plan, Faults& faults);
void check_charges(const JudgedPlan& plan, Faults& faults);
void check_capacities(const JudgedPlan& plan, Faults& faults);
void check_totals(const JudgedPlan& plan, Faults& faults);

}  // namespace memsize::plan
