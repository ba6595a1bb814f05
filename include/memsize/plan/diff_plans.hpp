// What changed from one plan to another, at two levels: the envelope (arenas: what code that was
// compiled apart relies on) and the layout in it (where each block lies).
#pragma once

#include "memsize/core/names.hpp"
#include "memsize/model/plan.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace memsize::plan {

enum class PlanChange {
  kNone,
  /// Blocks came, went, moved or live at other times, inside arenas that are as they were: safe for
  /// whoever binds the arenas.
  kLayout,
  /// An arena came, went or changed: everything that binds it must be built again.
  kEnvelope,
};

using core::name_of;

constexpr auto names_of(PlanChange /*all*/) {
  return std::to_array<std::string_view>({"none", "layout", "envelope"});
}

/// One arena before and after; one of them may be missing. Of a report that lists no arenas, those
/// that its blocks make.
struct ArenaChange {
  std::optional<model::PlannedArena> before;
  std::optional<model::PlannedArena> after;
  /// In the words of the documents: "total_bytes", "least_bytes", "alignment", "source_memory",
  /// "region_id". What only one of the two says is no change.
  std::vector<std::string> changed;
  /// False: no report places its blocks, and `used` is the least that they take (ArenaHeight).
  bool is_placed = true;
};

struct BlockChange {
  std::optional<model::PlannedBlock> before;
  std::optional<model::PlannedBlock> after;
  /// "role", "memory", "source_memory", "size", "offset", "lower", "upper", "alias_of".
  std::vector<std::string> changed;
};

struct PlanDiff {
  PlanChange change = PlanChange::kNone;
  /// Only those that changed, in the order of region ids and of block ids.
  std::vector<ArenaChange> arenas;
  std::vector<BlockChange> blocks;
  std::size_t unchanged_arenas = 0;
  std::size_t unchanged_blocks = 0;
  /// Changed or not: those whose blocks no report places.
  std::size_t unplaced_arenas = 0;
  /// Of all arenas together, in what they reserve, as far as both say it; negative: they shrank.
  std::int64_t growth_bytes = 0;
  /// memsize's own hashes, as below.
  std::string envelope_before, envelope_after, layout_before, layout_after;
};

/// What an arena takes of its memory: its total, else what it uses, else nothing is known.
[[nodiscard]] std::optional<core::Bytes> reserved_of(const model::PlannedArena& arena);

[[nodiscard]] PlanDiff diff_plans(const model::PlanReport& before, const model::PlanReport& after);

/// 16 hex digits: the first 64 bits of SHA-256 over the arenas, one line each, sorted:
/// "role|memory|source_memory|total|alignment|staged\n" (staged: 0 or 1; what is not known is
/// empty; total as reserved_of, or the least where nobody placed the blocks; a '|', line end or
/// backslash in a name has a backslash before it). memsize's own: no other tool's hash is made this
/// way.
[[nodiscard]] std::string envelope_hash(const model::PlanReport& report);

/// The same over the blocks: "id|role|memory|offset|size\n".
[[nodiscard]] std::string layout_hash(const model::PlanReport& report);

/// Errors: hashes that a report of memsize's says it has, and has not.
[[nodiscard]] core::Diagnostics false_claims(const model::PlanReport& report);

}  // namespace memsize::plan
