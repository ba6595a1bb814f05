#include "report_plan.hpp"

#include "memsize/core/text.hpp"

#include "render_diagnostics.hpp"
#include "table.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using ArenaKey = std::pair<std::string, model::Lifetime>;

// "1.2 %": one decimal, rounded up, so that what is not nothing does not look so.
std::string percent(core::Bytes part, core::Bytes whole) {
  const double ratio =
      100.0 * static_cast<double>(part.count()) / static_cast<double>(whole.count());
  return fmt::format("{:.1f} %", std::max(ratio, 0.1));
}

std::string proof_text(const model::PlannedArena& arena, bool keeps_offsets) {
  const char* const what = keeps_offsets ? "optimal with what is kept" : "optimal";
  if (arena.proof == "bound") {
    return fmt::format("{}: as low as the lower bound", what);
  }
  if (arena.proof == "exhausted") {
    return fmt::format("{}: a complete search found nothing lower", what);
  }
  if (arena.proof == "infeasible") {
    return "there is no plan within the limit";
  }
  const core::Bytes used = arena.used.value_or(core::Bytes{});
  const core::Bytes bound = arena.lower_bound.value_or(core::Bytes{});
  if (used <= bound) {
    // Of a planner that breaks alignments.
    return "nothing is proved";
  }
  return fmt::format("best known, at most {} too high", percent(used - bound, bound));
}

std::string head(const model::PlanReport& wanted) {
  // The first and the last step of each; a lifetime ends where its upper step begins.
  std::set<std::int64_t> ends;
  for (const model::PlannedBlock& block : wanted.blocks) {
    if (block.live) {
      ends.insert({block.live->lower, block.live->upper - 1});
    }
  }
  const std::string steps = ends.empty()
                                ? std::string{"no lifetimes"}
                                : fmt::format("steps {} to {}", *ends.begin(), *ends.rbegin());
  return fmt::format("{}: {}, {}, {}\n",
                     core::printable(wanted.path, 300),
                     wanted.format,
                     core::plural(wanted.blocks.size(), "block"),
                     steps);
}

std::map<ArenaKey, std::size_t> blocks_by_arena(const model::PlanReport& plan) {
  std::map<ArenaKey, std::size_t> counts;
  for (const model::PlannedBlock& block : plan.blocks) {
    ++counts[{block.memory, block.role}];
  }
  return counts;
}

std::string shown_memory(const model::PlannedArena& arena) {
  return arena.source_memory.empty() || arena.source_memory == arena.memory
             ? core::printable(arena.memory, 40)
             : fmt::format("{} (staged from {})",
                           core::printable(arena.memory, 40),
                           core::printable(arena.source_memory, 40));
}

std::string arenas_text(const model::PlanReport& plan, bool keeps_offsets) {
  const auto counts = blocks_by_arena(plan);
  Table table;
  table.columns = {{"arena", true},
                   {"memory"},
                   {"role"},
                   {"blocks", true},
                   {"height", true},
                   {"at least", true},
                   {"proof"}};
  for (const model::PlannedArena& arena : plan.arenas) {
    const auto count = counts.find({arena.memory, arena.role});
    table.rows.push_back({arena.region_id ? fmt::format("{}", *arena.region_id) : "-",
                          shown_memory(arena),
                          std::string{model::name_of(arena.role)},
                          fmt::format("{}", count == counts.end() ? 0 : count->second),
                          arena.used ? core::format_bytes(*arena.used) : "-",
                          arena.lower_bound ? core::format_bytes(*arena.lower_bound) : "-",
                          proof_text(arena, keeps_offsets)});
  }
  return table.text(2);
}

std::string memories_text(const model::PlanReport& plan) {
  Table table;
  table.columns = {{"memory"}, {"used", true}, {"of", true}, {"free", true}};
  for (const model::PlannedMemory& memory : plan.memories) {
    if (!memory.capacity || !memory.used || *memory.capacity == model::kLargestPlan) {
      continue;
    }
    table.rows.push_back({core::printable(memory.name, 40),
                          core::format_bytes(*memory.used),
                          core::format_bytes(*memory.capacity),
                          core::format_bytes(*memory.capacity - *memory.used)});
  }
  return table.rows.empty() ? std::string{} : "\n" + table.text(2);
}

// What a run took, where a log of one is among the reports.
std::string layers_text(const model::PlanReport& plan) {
  if (plan.layers.empty()) {
    return {};
  }
  Table table;
  table.columns = {{"layer"},
                   {"cycles", true},
                   {"compute", true},
                   {"load", true},
                   {"store", true},
                   {"of all", true}};
  std::uint64_t all = 0;
  for (const model::LayerTime& layer : plan.layers) {
    all += layer.total;
  }
  for (const model::LayerTime& layer : plan.layers) {
    const double share =
        all == 0 ? 0 : 100.0 * static_cast<double>(layer.total) / static_cast<double>(all);
    table.rows.push_back({core::printable(layer.name, 40),
                          fmt::format("{}", layer.total),
                          fmt::format("{}", layer.compute),
                          fmt::format("{}", layer.load),
                          fmt::format("{}", layer.store),
                          fmt::format("{:.1f} %", share)});
  }
  return "\n" + table.text(2);
}

// What the blocks of each arena reach up to.
std::map<ArenaKey, core::Bytes> heights_of(const model::PlanReport& plan) {
  std::map<ArenaKey, core::Bytes> heights;
  std::map<ArenaKey, bool> staged;
  for (const model::PlannedBlock& block : plan.blocks) {
    if (block.offset) {
      core::Bytes& height = heights[{block.memory, block.role}];
      height = std::max(height, *block.offset + block.size);
      staged[{block.memory, block.role}] |=
          !block.source_memory.empty() && block.source_memory != block.memory;
    }
  }
  for (auto& [arena, height] : heights) {
    // Its source has the same bytes once more.
    height = staged[arena] ? height + height : height;
  }
  return heights;
}

std::string comparison_text(const Planning& planning) {
  core::Bytes before;
  for (const auto& [arena, height] : heights_of(planning.wanted)) {
    before += height;
  }
  core::Bytes after;
  for (const auto& [arena, height] : heights_of(planning.outcome.plan)) {
    after += height;
  }
  const bool was_planned = std::all_of(
      planning.wanted.blocks.begin(), planning.wanted.blocks.end(), [](const auto& block) {
        return block.offset || !block.alias_of.empty();
      });
  const bool is_whole = !planning.wanted.abridged && !planning.own_is_wrong;
  if (!was_planned || !is_whole || planning.wanted.blocks.empty() || before.count() == 0) {
    return {};
  }
  if (after < before) {
    return fmt::format("\n{} ({}) less than the report's own plan, which needs {}\n",
                       core::format_bytes(before - after),
                       percent(before - after, before),
                       core::format_bytes(before));
  }
  if (after == before) {
    return fmt::format("\nas much as the report's own plan\n");
  }
  return fmt::format("\n{} more than the report's own plan, which needs {}\n",
                     core::format_bytes(after - before),
                     core::format_bytes(before));
}

}  // namespace

std::string report_plan(const Planning& planning) {
  const model::PlanReport& plan = planning.outcome.plan;
  std::string text = head(planning.wanted);
  if (!planning.part.title.empty()) {
    text += fmt::format("part {}: {}\n", planning.part.name, planning.part.title);
  }
  text += "\n" + arenas_text(plan, planning.keeps_offsets) + memories_text(plan) +
          comparison_text(planning) + layers_text(plan);
  const std::string notes = describe_notes(planning.diagnostics);
  if (!notes.empty()) {
    text += "\nnotes\n" + notes;
  }
  return text;
}

}  // namespace memsize::cli
