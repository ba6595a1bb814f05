// Gathers a report's blocks by arena, with bytes and steps as numbers, and the peak of each arena.
// The words in which files say lifetimes, proofs and titles are here, so that all say them alike.
#include "plan_view.hpp"

#include "memsize/core/text.hpp"
#include "memsize/plan/check_plan.hpp"
#include "memsize/plan/diff_plans.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using model::Interval;
using model::Lifetime;
using model::PlannedArena;
using model::PlannedBlock;

// The priority by which generated code numbers its arenas.
int priority_of(Lifetime role) {
  switch (role) {
    case Lifetime::kScratch:
      return 0;
    case Lifetime::kPersistent:
      return 1;
    case Lifetime::kConstant:
      break;
  }
  return 2;
}

using ArenaKey = std::pair<int, std::string>;

ArenaKey key_of(Lifetime role, const std::string& memory) {
  return {priority_of(role), memory};
}

std::vector<ArenaView> arenas_of(const model::PlanReport& plan) {
  std::map<ArenaKey, std::vector<PlannedArena>> sorted;
  for (const PlannedArena& arena : plan.arenas) {
    sorted[key_of(arena.role, arena.memory)].push_back(arena);
  }
  for (const PlannedBlock& block : plan.blocks) {
    std::vector<PlannedArena>& arenas = sorted[key_of(block.role, block.memory)];
    if (arenas.empty()) {
      arenas.push_back(
          {.memory = block.memory, .role = block.role, .source_memory = block.source_memory});
    }
  }
  std::vector<ArenaView> views;
  for (auto& [key, arenas] : sorted) {
    for (PlannedArena& arena : arenas) {
      views.emplace_back().arena = std::move(arena);
    }
  }
  return views;
}

Interval steps_of(const std::vector<PlannedBlock>& blocks) {
  std::optional<Interval> steps;
  for (const PlannedBlock& block : blocks) {
    if (block.live && block.live->lower < block.live->upper) {
      steps = steps ? Interval{std::min(steps->lower, block.live->lower),
                               std::max(steps->upper, block.live->upper)}
                    : *block.live;
    }
  }
  return steps.value_or(Interval{});
}

std::optional<Interval> live_of(const PlannedBlock& block, const Interval& steps) {
  if (block.live) {
    return block.live;
  }
  return block.role == Lifetime::kScratch ? std::nullopt : std::optional{steps};
}

void add_roots(const model::PlanReport& plan, std::vector<ArenaView>& views) {
  const std::vector<const PlannedBlock*> roots = model::roots_of(plan.blocks);
  std::unordered_map<const PlannedBlock*, const PlannedBlock*> root_of;
  for (std::size_t i = 0; i < plan.blocks.size() && i < roots.size(); ++i) {
    if (!plan.blocks[i].alias_of.empty() && roots[i] != nullptr) {
      root_of[&plan.blocks[i]] = roots[i];
    }
  }
  for (ArenaView& view : views) {
    std::unordered_map<const PlannedBlock*, std::size_t> at;
    for (const PlacedBlock& placed : view.placed) {
      if (!placed.alias && placed.live) {
        at[placed.block] = view.roots.size();
        view.roots.push_back(placed);
      }
    }
    for (const PlacedBlock& placed : view.placed) {
      const auto root = placed.alias ? root_of.find(placed.block) : root_of.end();
      const auto found = root == root_of.end() ? at.end() : at.find(root->second);
      if (found != at.end() && placed.live) {
        Interval& live = *view.roots[found->second].live;
        live = {std::min(live.lower, placed.live->lower), std::max(live.upper, placed.live->upper)};
      }
    }
  }
}

void add_peak(ArenaView& view) {
  std::vector<plan::PlacedBuffer> buffers;
  for (const PlacedBlock& root : view.roots) {
    for (const PlacedBlock& need : needs_of(root)) {
      if (need.live->lower < need.live->upper) {
        buffers.push_back({need.live->lower, need.live->upper, need.offset, need.size});
      }
    }
  }
  if (!buffers.empty()) {
    const plan::Peak peak = plan::peak_of(buffers);
    view.peak_bytes = peak.bytes;
    view.peak_step = peak.step;
  }
}

}  // namespace

PlanView view_of(const model::PlanReport& plan) {
  PlanView result{.arenas = arenas_of(plan), .steps = steps_of(plan.blocks)};
  std::map<ArenaKey, std::size_t> index;
  for (std::size_t i = 0; i < result.arenas.size(); ++i) {
    index.try_emplace(key_of(result.arenas[i].arena.role, result.arenas[i].arena.memory), i);
  }
  for (const PlannedBlock& block : plan.blocks) {
    ArenaView& view = result.arenas[index.at(key_of(block.role, block.memory))];
    ++view.blocks;
    if (block.offset && (*block.offset + block.size).count() <= INT64_MAX) {
      view.placed.push_back({&block,
                             live_of(block, result.steps),
                             block.offset->count(),
                             block.size.count(),
                             !block.alias_of.empty()});
    }
  }
  add_roots(plan, result.arenas);
  for (ArenaView& view : result.arenas) {
    add_peak(view);
    if (view.arena.used) {
      view.height = view.arena.used->count();
    } else if (!plan.abridged && view.blocks != 0 && view.placed.size() == view.blocks) {
      view.height = 0;
      for (const PlacedBlock& placed : view.placed) {
        view.height = std::max(*view.height, placed.end());
      }
    }
    for (const model::PlannedMemory& memory : plan.memories) {
      if (memory.name == view.arena.memory && memory.capacity &&
          *memory.capacity < model::kLargestPlan) {
        view.capacity = memory.capacity->count();
      }
    }
  }
  return result;
}

std::vector<PlacedBlock> needs_of(const PlacedBlock& placed) {
  const PlannedBlock& block = *placed.block;
  if (block.windows.empty() || !block.live || !placed.live) {
    return {placed};
  }
  std::vector<PlacedBlock> needs;
  const auto add = [&](const Interval& live, core::Bytes begin, core::Bytes end) {
    if (live.lower < live.upper && begin < end) {
      PlacedBlock& need = needs.emplace_back(placed);
      need.live = live;
      need.offset += begin.count();
      need.size = (end - begin).count();
    }
  };
  // Aliases may live longer than the block whose bytes they use.
  add({placed.live->lower, block.live->lower}, {}, block.size);
  for (const model::Window& window : block.windows) {
    add(window.live, window.begin, window.end);
  }
  add({block.live->upper, placed.live->upper}, {}, block.size);
  return needs;
}

std::string envelope_hash(const PlanView& view) {
  model::PlanReport shown;
  for (const ArenaView& each : view.arenas) {
    model::PlannedArena& arena = shown.arenas.emplace_back(each.arena);
    if (each.height) {
      arena.used = core::Bytes{*each.height};
    }
  }
  return plan::envelope_hash(shown);
}

std::optional<std::uint64_t> reserved(const ArenaView& view) {
  return view.arena.total ? std::optional{view.arena.total->count()} : view.height;
}

std::string title_of(const ArenaView& view) {
  std::string title = fmt::format(
      "{}, {}", core::printable(view.arena.memory, 60), model::name_of(view.arena.role));
  if (!view.arena.source_memory.empty() && view.arena.source_memory != view.arena.memory) {
    title += " from " + core::printable(view.arena.source_memory, 60);
  }
  return title;
}

std::string proof_in_words(const ArenaView& view) {
  const std::string& proof = view.arena.proof;
  if (proof == "bound") {
    return "the least possible: it equals the lower bound";
  }
  if (proof == "exhausted") {
    return "the least possible: a complete search found nothing lower";
  }
  if (proof == "best") {
    return "the least that is known";
  }
  return proof == "infeasible" ? "it does not fit" : core::printable(proof, 60);
}

std::string steps_in_words(const PlacedBlock& placed) {
  if (!placed.block->live) {
    return placed.live ? "all the time" : "at unknown steps";
  }
  const Interval& live = *placed.block->live;
  if (live.lower >= live.upper) {
    return "never";
  }
  const std::string steps = live.upper - live.lower == 1
                                ? fmt::format("step {}", live.lower)
                                : fmt::format("steps {} to {}", live.lower, live.upper - 1);
  return placed.block->windows.empty() ? steps : steps + ", in part";
}

std::int64_t decimal_tick(std::int64_t span, std::int64_t most) {
  for (std::int64_t tick = 1;; tick *= 10) {
    for (const std::int64_t factor : {1, 2, 5}) {
      if (span / (tick * factor) <= most) {
        return tick * factor;
      }
    }
  }
}

}  // namespace memsize::emit
