// The offsets of a plan as a C header that checks itself.
//
// Every compiler that takes it has proved the plan again: each block lies in its arena, on its
// alignment, and apart from whatever is alive at the same time. Comparing all pairs would be
// quadratic. But at one step the live blocks have an order by offset, and where each lies above the
// one before it, none of them share a byte. So only neighbours are compared: a sweep over time
// keeps the live blocks sorted, and a block that comes or goes makes at most two new pairs of
// neighbours. That is linear, and complete: blocks that share a byte at some step have neighbours
// between them that do.
#include "memsize/core/text.hpp"
#include "memsize/plan/diff_plans.hpp"

#include "c_names.hpp"
#include "plan_writers.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using model::Lifetime;

using Pair = std::pair<std::size_t, std::size_t>;

// Pairs of indices into `roots`, the lower one first, as the head of this file says. Windows of one
// block may lie on each other.
std::set<Pair> neighbours(const std::vector<PlacedBlock>& roots) {
  using Event = std::tuple<std::int64_t, bool, std::size_t>;
  std::vector<Event> events;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const model::Interval& live = *roots[i].live;
    if (live.lower < live.upper && roots[i].size != 0) {
      events.emplace_back(live.upper, false, i);
      events.emplace_back(live.lower, true, i);
    }
  }
  // At a step, what ends goes before what begins comes.
  std::ranges::sort(events);
  std::set<std::pair<std::uint64_t, std::size_t>> alive;
  std::set<Pair> pairs;
  for (const auto& [step, begins, i] : events) {
    const std::pair key{roots[i].offset, i};
    if (begins) {
      const auto here = alive.insert(key).first;
      if (here != alive.begin()) {
        pairs.emplace(std::prev(here)->second, i);
      }
      if (std::next(here) != alive.end()) {
        pairs.emplace(i, std::next(here)->second);
      }
    } else {
      const auto above = alive.erase(alive.find(key));
      if (above != alive.begin() && above != alive.end()) {
        pairs.emplace(std::prev(above)->second, above->second);
      }
    }
  }
  return pairs;
}

// Where nobody says when blocks are alive, only those that are alive all the time can be compared.
std::vector<PlacedBlock> comparable(const ArenaView& view) {
  std::vector<PlacedBlock> all;
  for (PlacedBlock root : view.roots) {
    if (view.arena.role != Lifetime::kScratch) {
      root.live = root.block->live ? root.live : model::Interval{INT64_MIN, INT64_MAX};
    }
    const std::vector<PlacedBlock> needs = needs_of(root);
    all.insert(all.end(), needs.begin(), needs.end());
  }
  return all;
}

std::string reservation_note(const ArenaView& view) {
  std::string note = title_of(view) + ", " + core::plural(view.blocks, "block");
  if (view.arena.lower_bound) {
    note +=
        fmt::format("; no plan needs less than {}", core::format_bytes(*view.arena.lower_bound));
  }
  if (!view.arena.proof.empty()) {
    note += "; " + proof_in_words(view);
  }
  return note;
}

bool is_limited(const model::PlannedMemory& memory) {
  return memory.capacity && *memory.capacity < model::kLargestPlan;
}

// How a header writes names and numbers.
struct Spelling {
  std::string prefix;
  // The same for all numbers: compilers warn of comparisons of 0u with what needs 64 bits.
  std::string_view suffix = "u";
  // Of the whole plan, because ids are.
  std::map<const model::PlannedBlock*, std::string> blocks;

  [[nodiscard]] std::string number(std::uint64_t value) const {
    return fmt::format("{}{}", value, suffix);
  }
};

Spelling spelling_of(const model::PlanReport& plan,
                     const PlanView& view,
                     const std::string& prefix,
                     UniqueNames& names) {
  Spelling spelling{.prefix = prefix};
  std::uint64_t largest = 0;
  for (const model::PlannedBlock& block : plan.blocks) {
    spelling.blocks[&block] =
        names.take(fmt::format("{}_BLOCK_{}", prefix, identifier_part(block.id)));
    largest = std::max(largest, block.alignment.value_or(core::Align{}).value());
  }
  for (const ArenaView& arena : view.arenas) {
    largest = std::max({largest,
                        reserved(arena).value_or(0),
                        arena.arena.alignment.value_or(core::Align{}).value(),
                        arena.arena.region_id.value_or(0)});
    for (const PlacedBlock& placed : arena.placed) {
      largest = std::max(largest, placed.end());
    }
  }
  for (const model::PlannedMemory& memory : plan.memories) {
    if (is_limited(memory)) {
      largest = std::max(largest, memory.capacity->count());
    }
  }
  spelling.suffix = largest <= UINT32_MAX ? "u" : "ull";
  return spelling;
}

Json block_rows(const ArenaView& view, const Spelling& spelling) {
  Json rows = Json::array();
  for (const PlacedBlock& placed : view.placed) {
    const model::PlannedBlock& block = *placed.block;
    std::string note = core::printable(block.id, 80);
    if (!block.name.empty() && block.name != block.id) {
      note += " " + core::printable(block.name, 80);
    }
    note += ", " + steps_in_words(placed);
    if (placed.alias) {
      note += ", in the bytes of " + core::printable(block.alias_of, 80);
    }
    rows.push_back({{"name", spelling.blocks.at(&block)},
                    {"offset", spelling.number(placed.offset)},
                    {"size", spelling.number(placed.size)},
                    {"note", note}});
  }
  return rows;
}

void add_checks(Json& checks,
                const ArenaView& view,
                const std::string& arena,
                const Spelling& spelling) {
  const auto add = [&](std::string_view what, const std::string& a, const std::string& b) {
    checks.push_back({{"check", fmt::format("{}_PLAN_{}({}, {})", spelling.prefix, what, a, b)}});
  };
  const bool sized = reserved(view).has_value();
  for (const PlacedBlock& placed : view.placed) {
    const std::string& name = spelling.blocks.at(placed.block);
    if (sized) {
      add("INSIDE", name, arena);
    }
    if (placed.block->alignment && placed.block->alignment->value() > 1) {
      const std::string alignment = spelling.number(placed.block->alignment->value());
      add("ALIGNED", name + "_OFFSET", alignment);
      if (view.arena.alignment) {
        add("ALIGNED", arena + "_ALIGNMENT", alignment);
      }
    }
  }
  const std::vector<PlacedBlock> needs = comparable(view);
  std::set<std::tuple<std::string, std::string>> said;
  for (const auto& [lower, upper] : neighbours(needs)) {
    const PlacedBlock& a = needs[lower];
    const PlacedBlock& b = needs[upper];
    if (a.block == b.block) {
      continue;
    }
    const std::string& below = spelling.blocks.at(a.block);
    const std::string& above = spelling.blocks.at(b.block);
    if (a.block->windows.empty() && b.block->windows.empty()) {
      add("APART", below, above);
      continue;
    }
    // Windows are counted from where their blocks begin.
    const auto edge = [&](const std::string& name, std::uint64_t bytes) {
      return fmt::format("{}_OFFSET + {}", name, spelling.number(bytes));
    };
    const std::string end = edge(below, a.end() - a.block->offset->count());
    const std::string begin = edge(above, b.offset - b.block->offset->count());
    if (said.emplace(end, begin).second) {
      add("ABOVE", end, begin);
    }
  }
}

// Arenas and the blobs that staged ones are copied from, by memory.
std::map<std::string, std::vector<std::string>> charges(const PlanView& view,
                                                        const std::vector<std::string>& names) {
  std::map<std::string, std::vector<std::string>> charged;
  for (std::size_t i = 0; i < view.arenas.size(); ++i) {
    const ArenaView& arena = view.arenas[i];
    if (reserved(arena)) {
      charged[arena.arena.memory].push_back(names[i] + "_SIZE");
      if (!arena.arena.source_memory.empty() && arena.arena.source_memory != arena.arena.memory) {
        charged[arena.arena.source_memory].push_back(names[i] + "_SIZE");
      }
    }
  }
  return charged;
}

void add_memories(Json& view,
                  const model::PlanReport& plan,
                  const std::map<std::string, std::vector<std::string>>& charged,
                  const Spelling& spelling) {
  UniqueNames names;
  for (const model::PlannedMemory& memory : plan.memories) {
    if (!is_limited(memory)) {
      continue;
    }
    const std::string name =
        names.take(fmt::format("{}_MEMORY_{}", spelling.prefix, identifier_part(memory.name)));
    view["memories"].push_back(
        {{"name", name},
         {"capacity", spelling.number(memory.capacity->count())},
         {"note",
          fmt::format(
              "{}: {}", core::printable(memory.name, 60), core::format_size(*memory.capacity))}});
    const auto sizes = charged.find(memory.name);
    if (sizes != charged.end()) {
      view["checks"].push_back({{"check",
                                 fmt::format("{}_PLAN_FITS({}, 0ull + {})",
                                             spelling.prefix,
                                             name,
                                             core::join(sizes->second, " + "))}});
    }
  }
}

}  // namespace

Json plan_header_view(const model::PlanReport& plan, const std::string& prefix) {
  const PlanView arenas = view_of(plan);
  const std::string upper = upper_case(prefix);
  Json view;
  view["prefix"] = upper;
  view["planner"] =
      plan.planner.empty() ? std::string{"nobody says who"} : core::printable(plan.planner, 80);
  view["envelope_hash"] = fmt::format("0x{}ull", envelope_hash(arenas));
  view["layout_hash"] = fmt::format("0x{}ull", plan::layout_hash(plan));
  view["memories"] = Json::array();
  view["arenas"] = Json::array();
  view["checks"] = Json::array();
  UniqueNames unique;
  const Spelling spelling = spelling_of(plan, arenas, upper, unique);
  std::vector<std::string> names;
  std::size_t placed = 0;
  for (const ArenaView& arena : arenas.arenas) {
    const std::string name = unique.take(fmt::format("{}_{}", upper, arena_part(arena.arena)));
    names.push_back(name);
    placed += arena.placed.size();
    const auto size = reserved(arena);
    const auto value = [&](const auto& known) {
      return known ? spelling.number(*known) : std::string{};
    };
    view["arenas"].push_back(
        {{"name", name},
         {"note", reservation_note(arena)},
         {"has_region", arena.arena.region_id.has_value()},
         {"region", value(arena.arena.region_id)},
         {"has_size", size.has_value()},
         {"size", value(size)},
         {"has_alignment", arena.arena.alignment.has_value()},
         {"alignment",
          arena.arena.alignment ? spelling.number(arena.arena.alignment->value()) : std::string{}},
         {"blocks", block_rows(arena, spelling)}});
    add_checks(view["checks"], arena, name, spelling);
  }
  add_memories(view, plan, charges(arenas, names), spelling);
  view["missing"] = placed == plan.blocks.size()
                        ? std::string{}
                        : fmt::format("\n * {} of the plan {} no place and are not here.",
                                      core::plural(plan.blocks.size() - placed, "block"),
                                      plan.blocks.size() - placed == 1 ? "has" : "have");
  return view;
}

}  // namespace memsize::emit
