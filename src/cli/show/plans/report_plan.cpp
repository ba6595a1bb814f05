// Tables of arenas and memories, how good each arena is proved to be, and what changed against the
// reports. Savings are told memory by memory: bytes of two memories have no sum.
#include "report_plan.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "report_network.hpp"
#include "report_nnapi.hpp"
#include "show/render_diagnostics.hpp"
#include "show/table.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using ArenaKey = std::pair<std::string, model::Lifetime>;

// "1.2 %"; what is not nothing does not look so.
std::string percent(core::Bytes part, core::Bytes whole, std::string_view before = {}) {
  const double ratio =
      100.0 * static_cast<double>(part.count()) / static_cast<double>(whole.count());
  return ratio < 0.1 ? "under 0.1 %" : fmt::format("{}{:.1f} %", before, ratio);
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
  return fmt::format("best known, {} too high", percent(used - bound, bound, "at most "));
}

std::string head(const model::PlanReport& wanted) {
  std::optional<model::Interval> all;
  for (const model::PlannedBlock& block : wanted.blocks) {
    if (block.live) {
      const model::Interval live = all.value_or(*block.live);
      all = {std::min(live.lower, block.live->lower), std::max(live.upper, block.live->upper)};
    }
  }
  // The last step of a lifetime is the one before its upper step begins.
  const std::string steps = !all ? std::string{"no lifetimes"}
                                 : fmt::format("steps {} to {}", all->lower, all->upper - 1);
  return fmt::format("{}: {}, {}, {}{}{}\n",
                     core::printable(wanted.path, 300),
                     wanted.format,
                     core::plural(wanted.blocks.size(), "block"),
                     steps,
                     wanted.missing.empty() ? "" : "; ",
                     wanted.missing);
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

std::string memories_text(const app::Planning& planning) {
  Table table{.columns = {{"memory"}, {"used", true}, {"of", true}, {"free", true}}};
  for (const model::PlannedMemory& memory : planning.outcome.plan.memories) {
    if (!memory.capacity || !memory.used || *memory.capacity == model::kLargestPlan) {
      continue;
    }
    const core::Bytes used = *memory.used;
    table.rows.push_back(
        {core::printable(memory.name, 40),
         core::format_bytes(used),
         core::format_bytes(*memory.capacity),
         used > *memory.capacity ? "-" : core::format_bytes(*memory.capacity - used)});
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

// What the blocks of each memory take: what arenas reach up to, and what is copied to other
// memories once more where it comes from.
std::map<std::string, core::Bytes> used_of(const model::PlanReport& plan) {
  std::map<ArenaKey, core::Bytes> heights;
  std::map<ArenaKey, std::string> sources;
  for (const model::PlannedBlock& block : plan.blocks) {
    if (block.offset) {
      const ArenaKey arena{block.memory, block.role};
      heights[arena] = std::max(heights[arena], *block.offset + block.size);
      if (!block.source_memory.empty() && block.source_memory != block.memory) {
        sources[arena] = block.source_memory;
      }
    }
  }
  std::map<std::string, core::Bytes> used;
  for (const auto& [arena, height] : heights) {
    used[arena.first] += height;
    if (const auto source = sources.find(arena); source != sources.end()) {
      used[source->second] += height;
    }
  }
  return used;
}

// "1 672 B (32.7 %) less than"
std::string change_text(core::Bytes before, core::Bytes after) {
  if (after == before) {
    return "as much as";
  }
  const bool is_less = after < before;
  const core::Bytes by = is_less ? before - after : after - before;
  return fmt::format("{}{} {} than",
                     core::format_bytes(by),
                     is_less ? fmt::format(" ({})", percent(by, before)) : std::string{},
                     is_less ? "less" : "more");
}

// Blocks that are in other memories than the report has them; their bytes are no saving.
std::string moves_text(const app::Planning& planning) {
  std::size_t moved = 0;
  std::size_t unstaged = 0;
  const auto& wanted = planning.wanted.blocks;
  const auto& planned = planning.outcome.plan.blocks;
  for (std::size_t i = 0; i < std::min(wanted.size(), planned.size()); ++i) {
    const bool was_staged =
        !wanted[i].source_memory.empty() && wanted[i].source_memory != wanted[i].memory;
    const bool is_moved = planned[i].memory != wanted[i].memory;
    moved += is_moved ? 1U : 0U;
    unstaged += is_moved && was_staged ? 1U : 0U;
  }
  if (moved == 0) {
    return {};
  }
  return fmt::format(
      "placement changed: {} in another memory than the report has {}{}\n",
      core::plural(moved, "block is", "blocks are"),
      moved == 1 ? "it" : "them",
      unstaged == 0 ? std::string{} : fmt::format(", of which the report stages {}", unstaged));
}

std::string planners_text(const app::Planning& planning) {
  const auto before = used_of(planning.wanted);
  const auto after = used_of(planning.outcome.plan);
  const bool was_planned = std::ranges::all_of(planning.wanted.blocks, [](const auto& block) {
    return block.offset || !block.alias_of.empty();
  });
  const bool is_whole = !planning.wanted.abridged && !planning.own_is_wrong;
  if (!was_planned || !is_whole || before.empty()) {
    return {};
  }
  std::set<std::string> memories;
  for (const auto* used : {&before, &after}) {
    for (const auto& [memory, bytes] : *used) {
      memories.insert(memory);
    }
  }
  const auto bytes_in = [](const auto& used, const std::string& memory) {
    const auto found = used.find(memory);
    return found == used.end() ? core::Bytes{} : found->second;
  };
  std::string text = "\n";
  for (const std::string& memory : memories) {
    const core::Bytes own = bytes_in(before, memory);
    const core::Bytes now = bytes_in(after, memory);
    // Bytes of one memory are no bytes of another: there is no sum.
    const std::string where =
        memories.size() == 1 ? std::string{} : core::printable(memory, 40) + ": ";
    text +=
        own == core::Bytes{} && own != now
            ? fmt::format(
                  "{}{}, where the report's own plan has nothing\n", where, core::format_bytes(now))
            : fmt::format("{}{} the report's own plan{}\n",
                          where,
                          change_text(own, now),
                          own == now ? std::string{} : ", which needs " + core::format_bytes(own));
  }
  return text + moves_text(planning);
}

std::string gain_text(const plan::StagedPlan& staging, double gain) {
  if (staging.whole <= 0) {
    return {};
  }
  const std::string share = fmt::format("{:.1f} %", 100.0 * gain / staging.whole);
  switch (staging.measure) {
    case plan::StageMeasure::kRanks:
      return fmt::format("{} of what staging can gain", share);
    case plan::StageMeasure::kCycles:
      return fmt::format("{} of the profile's cycles are in operators that read them", share);
    case plan::StageMeasure::kSavedCycles:
      return fmt::format("which saves {} of the profile's cycles", share);
  }
  return share;
}

std::string models_text(const app::Planning& planning) {
  if (planning.models.empty()) {
    return {};
  }
  Table table{.columns = {{"model"},
                          {"blocks", true},
                          {"scratch alive", true},
                          {"persistent", true},
                          {"constant", true}}};
  for (const app::ModelNeeds& model : planning.models) {
    table.rows.push_back({core::printable(model.name, 40),
                          fmt::format("{}", model.blocks),
                          core::format_bytes(model.scratch),
                          core::format_bytes(model.persistent),
                          core::format_bytes(model.constant)});
  }
  return "\n" + table.text(2) +
         "they never run at once: scratch of one may lie where that of another does\n";
}

// Memories that constants are copied from because nothing reads them there.
std::string unread_sources(const app::Planning& planning) {
  const auto& memories = planning.part.memories;
  std::vector<std::string> names;
  for (const model::PlannedArena& arena : planning.outcome.plan.arenas) {
    const auto* const source =
        core::find_in(memories, arena.source_memory, &board::PartMemory::name);
    if (source != nullptr && !source->base && arena.source_memory != arena.memory &&
        !core::contains(names, source->name)) {
      names.push_back(source->name);
    }
  }
  const bool is_real =
      std::ranges::any_of(memories, [](const auto& each) { return each.base.has_value(); });
  return is_real ? core::join(names, ", ") : std::string{};
}

// What was chosen, and who is next.
std::string staging_text(const app::Planning& planning) {
  const plan::StagedPlan& staging = *planning.staging;
  const auto& blocks = planning.outcome.plan.blocks;
  if (!planning.outcome.shortages.empty()) {
    return "\nnothing is staged: the plan does not fit without copies\n";
  }
  if (staging.advice.empty()) {
    const std::string unread = unread_sources(planning);
    return fmt::format(
        "\nnothing is staged but what rules stage{}\n",
        unread.empty() ? ""
                       : fmt::format(" and what comes from {}, where nothing reads it", unread));
  }
  std::string text = "\n";
  for (const plan::StageAdvice& advice : staging.advice) {
    double gain = 0;
    core::Bytes bytes;
    for (const plan::StagedConstant& staged : advice.staged) {
      gain += staged.gain;
      bytes += blocks[staged.block].size;
    }
    const bool has_constants =
        std::ranges::any_of(planning.outcome.plan.arenas, [&](const model::PlannedArena& arena) {
          return arena.memory == advice.memory && arena.role == model::Lifetime::kConstant;
        });
    text += advice.staged.empty()
                ? fmt::format("staged in {}: nothing{}",
                              core::printable(advice.memory, 40),
                              has_constants ? " more" : "")
                : fmt::format("staged in {}: {}, {}, {}{}",
                              core::printable(advice.memory, 40),
                              core::plural(advice.staged.size(), "constant"),
                              core::format_bytes(bytes),
                              gain_text(staging, gain),
                              advice.is_best ? "" : ", the best choice that was found");
    if (advice.next) {
      const model::PlannedBlock& next = blocks[advice.next->block];
      text += fmt::format("; next would be '{}' ({}, {:.1f} %): {} short",
                          core::printable(next.id, 60),
                          core::format_bytes(next.size),
                          100.0 * advice.next->gain / staging.whole,
                          core::format_bytes(advice.missing));
    }
    text += '\n';
  }
  return text;
}

// "another order needs 3 240 B at its busiest step, that of the report 4 032 B".
std::string orders_text(const app::Planning& planning) {
  std::string text;
  for (const auto& [path, order] : planning.orders) {
    const std::string name =
        planning.orders.size() == 1 ? std::string{} : core::printable(path, 300) + ": ";
    const char* const least = order.is_least ? "no order needs less" : "the best that was found";
    text += order.found < order.given
                ? fmt::format(
                      "\n{}in another order {} are alive at the busiest step instead of {}: "
                      "{}\n  {}\n",
                      name,
                      core::format_bytes(order.found),
                      core::format_bytes(order.given),
                      least,
                      core::printable(core::join(order.operators, " "), 2000))
                : fmt::format("\n{}operators keep their order: {}\n", name, least);
  }
  return text;
}

}  // namespace

std::string report_plan(const app::Planning& planning) {
  const model::PlanReport& plan = planning.outcome.plan;
  const bool is_network = planning.schedules.size() == 1;
  std::string text = is_network       ? fmt::format("{}: {}, {}\n",
                                              core::printable(planning.wanted.path, 300),
                                              planning.wanted.format,
                                              network_head(planning.schedules.front()))
                     : planning.nnapi ? nnapi_text(planning)
                                      : head(planning.wanted);
  if (!planning.part.title.empty()) {
    text += fmt::format("part {}: {}\n", planning.part.name, planning.part.title);
  }
  for (const network::Schedule& schedule : planning.schedules) {
    text += "\n" + network_text(schedule);
  }
  if (planning.nnapi && plan.blocks.empty()) {
    // There is nothing that a planner could place.
    const std::string notes = describe_notes(planning.diagnostics);
    return text + (notes.empty() ? "" : "\nnotes\n" + notes);
  }
  text += models_text(planning) + "\n" + arenas_text(plan, planning.keeps_offsets) +
          memories_text(planning) + orders_text(planning) + planners_text(planning) +
          (planning.staging ? staging_text(planning) : "") + layers_text(plan);
  if (is_network) {
    text += "\nnot counted: " + planning.wanted.missing + "; memsize check counts them\n";
  }
  const std::string notes = describe_notes(planning.diagnostics);
  if (!notes.empty()) {
    text += "\nnotes\n" + notes;
  }
  return text;
}

std::vector<SharedMemory> shared_memories(const app::PlansAtOnce& together) {
  std::vector<SharedMemory> shared;
  for (std::size_t model = 0; model < together.plans.size(); ++model) {
    const plan::PlanOutcome& outcome = together.plans[model].outcome;
    for (const model::PlannedMemory& memory : outcome.plan.memories) {
      auto known = std::ranges::find(shared, memory.name, &SharedMemory::name);
      if (known == shared.end()) {
        known = shared.insert(
            known,
            SharedMemory{memory.name,
                         std::vector<std::optional<core::Bytes>>(together.plans.size()),
                         {},
                         {}});
      }
      const core::Bytes begin = outcome.begins.at(memory.name);
      const core::Bytes used = memory.used.value_or(core::Bytes{});
      known->used[model] = used;
      if (used != core::Bytes{}) {
        known->together = std::max(known->together, begin + used);
      }
      if (memory.capacity && begin == core::Bytes{}) {
        known->capacity = *memory.capacity;
      }
    }
  }
  return shared;
}

std::string report_plans(const app::PlansAtOnce& together) {
  std::string text;
  for (const app::Planning& planning : together.plans) {
    text += report_plan(planning) + "\n";
  }
  Table table{.columns = {{"memory"}}};
  for (const std::string& name : together.names) {
    table.columns.push_back({core::printable(name, 40), true});
  }
  table.columns.push_back({"together", true});
  table.columns.push_back({"of", true});
  for (const SharedMemory& memory : shared_memories(together)) {
    std::vector<std::string> row = {core::printable(memory.name, 40)};
    for (const auto& used : memory.used) {
      row.push_back(used ? core::format_bytes(*used) : "-");
    }
    row.push_back(core::format_bytes(memory.together));
    row.push_back(memory.capacity ? core::format_bytes(*memory.capacity) : "-");
    table.rows.push_back(std::move(row));
  }
  std::vector<std::string> order;
  for (const std::size_t model : together.turns) {
    order.push_back(core::printable(together.names[model], 40));
  }
  return text + table.text(2) +
         fmt::format(
             "they run at once: each has arenas of its own, which begin where those of the "
             "one before end: {}\n",
             core::join(order, ", "));
}

}  // namespace memsize::cli
