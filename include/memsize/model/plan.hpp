// What a compiler planned: where every tensor lies and when it is alive. Plain values, whoever
// made the plan; memsize's own plans are the same thing.
#pragma once

#include "memsize/core/address.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/model/block.hpp"
#include "memsize/model/network.hpp"
#include "memsize/model/nnapi.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memsize::model {

/// Steps of execution, half-open: alive from the beginning of `lower` to the beginning of `upper`.
/// Readers of formats with inclusive ends add one.
struct Interval {
  std::int64_t lower = 0;
  std::int64_t upper = 0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// No step of a plan is further from 0: what is beyond is a mistake, or a format's "for ever".
inline constexpr std::int64_t kLastStep = std::int64_t{1} << 40;
/// No size, offset or sum of sizes of a plan is larger.
inline constexpr core::Bytes kLargestPlan{std::uint64_t{1} << 62};

/// Bytes that a block needs in some steps, counted from where the block begins: [begin, end).
struct Window {
  Interval live;
  core::Bytes begin;
  core::Bytes end;

  friend bool operator==(const Window&, const Window&) = default;
};

/// One tensor, or whatever else a plan gives bytes to.
struct PlannedBlock {
  /// As the report has it; no two blocks of a report have the same.
  std::string id;
  /// For people, where the report has a name beside the id.
  std::string name;
  Lifetime role = Lifetime::kScratch;
  /// Where it is at run time, in lower case; "default" where the report names no memory.
  std::string memory;
  /// Where its bytes come from, if that is another memory: then it is staged, which is one copy for
  /// all constants of an arena. Empty: it has none, or is read where it lies.
  std::string source_memory;
  /// Nothing: all the time (persistent, constant), or the report does not say (scratch).
  std::optional<Interval> live;
  /// What it needs when: a step in none of them is a gap, in which it needs nothing. Within `live`
  /// and the size, as united() has them. Empty: all of its bytes, all of its life.
  std::vector<Window> windows;
  core::Bytes size;
  /// Nothing: the report does not say.
  std::optional<core::Align> alignment;
  /// From the base of its arena (which is one role in one memory); nothing: not planned.
  std::optional<core::Bytes> offset;
  /// The id of the block whose bytes it uses; empty: it has its own.
  std::string alias_of;
  /// The network's own input or output, which somebody outside writes or reads.
  bool is_input = false;
  bool is_output = false;
  /// How often a run reads or writes it, if known: what is used more gains more from fast memory.
  std::optional<std::uint64_t> uses;
  /// Where the report has it; 0: nowhere in particular.
  std::size_t line = 0;
};

/// One role in one memory.
struct PlannedArena {
  std::string memory;
  Lifetime role = Lifetime::kScratch;
  /// As PlannedBlock::source_memory; a constant arena has one source.
  std::string source_memory;
  /// The number by which generated code knows it.
  std::optional<std::uint64_t> region_id;
  /// Up to the end of its highest block.
  std::optional<core::Bytes> used;
  /// What is reserved for it.
  std::optional<core::Bytes> total;
  std::optional<core::Align> alignment;
  /// How many blocks the report says it has.
  std::optional<std::uint64_t> block_count;
  /// No plan needs less; where somebody knows.
  std::optional<core::Bytes> lower_bound;
  /// "bound", "exhausted", "best", "infeasible"; empty: nobody says.
  std::string proof;
  std::size_t line = 0;
};

/// A memory as far as a report knows it.
struct PlannedMemory {
  std::string name;
  std::optional<core::Bytes> capacity;
  /// What the report says is used, all arenas together.
  std::optional<core::Bytes> used;
  std::optional<core::PhysAddr> base;
  std::optional<core::Align> alignment;
  std::optional<bool> writable;
  std::size_t line = 0;
};

/// What one layer took when it ran, in cycles of the core.
struct LayerTime {
  std::string name;
  std::uint64_t total = 0;
  std::uint64_t compute = 0;
  std::uint64_t load = 0;
  std::uint64_t store = 0;
  std::size_t line = 0;
};

struct PlanReport {
  /// As the user typed it.
  std::string path;
  /// The reader's name.
  std::string format;
  std::size_t lines = 0;
  /// Who planned, as the report says: "arena_first_fit".
  std::string planner;
  /// What generated C names begin with.
  std::string prefix;
  /// Hashes of somebody else: strings that may be compared and nothing more.
  std::string foreign_plan_hash;
  std::string foreign_layout_hash;
  /// What a report of memsize's own says that its arenas and blocks hash to; empty: nothing.
  std::string claimed_envelope_hash;
  std::string claimed_layout_hash;
  /// The same of everything in it, and what that hashes to.
  std::string claimed_content_hash;
  std::string content_hash;
  /// memsize wrote it: what others say of where blocks lie was before.
  bool is_replanned = false;
  std::vector<PlannedMemory> memories;
  std::vector<PlannedArena> arenas;
  /// In the report's order.
  std::vector<PlannedBlock> blocks;
  std::vector<LayerTime> layers;
  /// Empty: the report does not say.
  Network network;
  /// What a log of NNAPI says, of which blocks are made; null: it is none.
  std::shared_ptr<const NnLog> nnapi;
  /// The format has alignments: where there is none, any byte will do.
  bool has_alignments = false;
  /// Those of its blocks are what their elements need and no more: what is beside it may ask for
  /// more.
  bool aligns_elements = false;
  /// What the format never has, for people: "kernels' own scratch is not in a .tflite". Empty: it
  /// may have everything; together with such a report, too.
  std::string missing;
  /// Where constants and persistent blocks lie is the affair of who runs the plan.
  bool plans_scratch_alone = false;
  /// The report itself shows that blocks are missing in it.
  bool abridged = false;
  /// Warnings; --strict makes errors of them.
  core::Diagnostics diagnostics;
};

/// Windows of one block that share no byte of any step, in order of steps, then of bytes, as few as
/// can be; of no bytes where there are none. A block has at most so many, or this takes long.
inline constexpr std::size_t kMostWindows = 4096;
[[nodiscard]] std::vector<Window> united(const std::vector<Window>& windows);

/// Several reports of one model, such as a plan and the list of operators that says what is alive
/// when: blocks with the same id are one, and what one report does not say the other does. Where
/// two say different things, that is a warning, and the first holds; where blocks lie, a plan of
/// memsize's holds without a word. Reports that cannot be of one model are an error among the
/// diagnostics.
[[nodiscard]] PlanReport combine(std::vector<PlanReport> reports);

/// The block in whose bytes `block` lies at last; null where aliases lead nowhere or in a circle.
/// Linear in the number of blocks for all of them.
[[nodiscard]] std::vector<const PlannedBlock*> roots_of(const std::vector<PlannedBlock>& blocks);

}  // namespace memsize::model
