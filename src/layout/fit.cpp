// Search for the cheapest growth.
//
// Mostly only edges matter to the MMU, and an edge is as good as it can be when it stands on a
// multiple of 2 MiB. So first every choice of edges that are moved up to such a multiple is tried,
// by cost: each heap keeps its size or ends on a multiple. That finds good answers fast, but a
// growth might serve a later edge better, or no edge at all: a heap that begins a little further
// may hold no whole block that could be cut.
//
// Where there are few enough growths that cost less, all of them are looked at, and the answer is
// proved. Else states of any growth are taken by cost, each move growing one knob by what some edge
// lacks; where a block is cut, only knobs that move its virtual and its physical address apart can
// mend it. That finds what is cheaper in practice and proves nothing. Where both give up, every
// knob goes to the next multiple, and then each back as far as it can.
//
// The search is bounded by maps looked at, not by time: the same input gives the same answer
// everywhere.
#include "memsize/layout/fit.hpp"

#include "memsize/core/text.hpp"
#include "memsize/layout/translation.hpp"

#include "resolver.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace memsize::layout {

namespace {

using core::Bytes;

// Maps looked at before a search gives up; for a board of sixteen heaps, half a second.
constexpr std::size_t kMostMaps = 1000;

// Growths of which all are looked at. The bundled boards have 256 in their own steps, and take less
// than a tenth of a second.
constexpr std::size_t kMostGrowths = 4096;

std::uint64_t lack(std::uint64_t edge) {
  return (kSmallBlock.count() - edge % kSmallBlock.count()) % kSmallBlock.count();
}

// How a map fares with the driver.
struct Verdict {
  bool legal = false;
  bool placed = false;
  TableCounts tables;
  /// Bytes that edges lack to their next multiple of 2 MiB.
  std::set<std::uint64_t> lacks;
  /// Knobs that move virtual and physical address of the first cut block apart; empty where no
  /// block is cut.
  std::set<std::string> apart;
};

// Knobs whose region stands before the entry in one address space but not in the other.
std::set<std::string> knobs_apart(const MemoryMap& map,
                                  const std::string& core,
                                  const MmuRange& range) {
  std::set<std::string> before_virtually;
  std::set<std::string> before_physically;
  for (const Region& region : map.regions) {
    if (region.knob.empty() || !region.physical_base) {
      continue;
    }
    if (region.seen_by(core) && *region.virtual_base < range.virtual_range.base()) {
      before_virtually.insert(region.knob);
    }
    if (*region.physical_base < range.physical.base()) {
      before_physically.insert(region.knob);
    }
  }
  std::set<std::string> apart;
  std::set_symmetric_difference(before_virtually.begin(),
                                before_virtually.end(),
                                before_physically.begin(),
                                before_physically.end(),
                                std::inserter(apart, apart.end()));
  return apart;
}

Verdict verdict_of(const MemoryMap& map) {
  Verdict verdict{.placed = can_build(map)};
  if (!verdict.placed) {
    return verdict;
  }
  verdict.legal = true;
  const board::Mmu& mmu = map.board.mmu;
  for (const MmuTable& table : map.mmu) {
    const TranslationTables tables{table, mmu.blocks_replace_tables};
    verdict.tables.emplace_back(table.core, tables.taken());
    const bool too_many = mmu.tables != 0 && tables.taken() > mmu.tables;
    verdict.legal = verdict.legal && !too_many && tables.cut_blocks().empty();
    if (!tables.cut_blocks().empty() && verdict.apart.empty()) {
      const MmuRange& range = table.ranges.at(tables.cut_blocks().front().instance - 1);
      verdict.apart = knobs_apart(map, table.core, range);
    }
    for (const MmuRange& range : table.ranges) {
      verdict.lacks.insert(lack(range.virtual_range.last().value() + 1));
      verdict.lacks.insert(lack(range.physical.last().value() + 1));
    }
  }
  verdict.lacks.erase(0);
  return verdict;
}

// Bytes that each knob grew by.
using State = std::vector<std::uint64_t>;

Bytes cost_of(const State& state) {
  return Bytes{std::accumulate(state.begin(), state.end(), std::uint64_t{0})};
}

// The knobs of a board that may grow, and how its map fares while none did.
struct Growths {
  const board::Board& board;
  const board::KnobValues& values;
  std::vector<const board::Knob*> knobs;
  std::vector<core::Align> steps;
  board::Values sizes;
  Verdict start;
};

Growths growths_of(const board::Board& board, const board::KnobValues& values, bool tight) {
  Growths growths{.board = board, .values = values};
  for (const board::Knob& knob : board.knobs) {
    if (knob.demand && !knob.is_address) {
      growths.knobs.push_back(&knob);
      growths.steps.push_back(tight ? knob.hard_granule : knob.granule);
    }
  }
  if (const auto map = resolve_for_mmu(board, values)) {
    growths.sizes = map->values;
    growths.start = verdict_of(*map);
  }
  return growths;
}

State none_of(const Growths& growths) {
  return State(growths.knobs.size(), 0);
}

board::KnobValues grown(const Growths& growths, const State& state) {
  board::KnobValues values = growths.values;
  for (std::size_t i = 0; i < state.size(); ++i) {
    const std::string& name = growths.knobs[i]->name;
    if (state[i] != 0) {
      values[name] = growths.sizes.at(name) + state[i];
    }
  }
  return values;
}

Verdict judge(const Growths& growths, const State& state) {
  const auto map = resolve_for_mmu(growths.board, grown(growths, state));
  return map ? verdict_of(*map) : Verdict{};
}

// A knob's region as it stands before anything grows.
struct Heap {
  std::size_t knob = 0;
  std::uint64_t end = 0;
  /// The chain whose base never moves, however many chains continue it.
  std::string root;
  std::string chain;
};

// The heaps that knobs size, in physical order.
std::vector<Heap> heaps_of(const Growths& growths) {
  std::vector<Heap> list;
  const auto map = resolve_for_mmu(growths.board, growths.values);
  for (std::size_t i = 0; map && i < growths.knobs.size(); ++i) {
    const Region* region = map->find_by_knob(growths.knobs[i]->name);
    if (region != nullptr && region->physical_base) {
      list.push_back({i,
                      region->physical_base->value() + region->size.count(),
                      growths.board.root_of(region->chain)->name,
                      region->chain});
    }
  }
  std::ranges::stable_sort(list, {}, &Heap::end);
  return list;
}

// Whether the chain is seen from a base of its own, and so must begin on a multiple.
bool restarts(const board::Board& board, const std::string& chain) {
  const board::Chain* found = board.find_chain(chain);
  return found != nullptr && !found->after.empty() && !found->virtual_base.text.empty();
}

// What the heap's end lacks after those before it grew.
std::uint64_t lack_of(const std::vector<Heap>& heaps, std::size_t at, const State& state) {
  std::uint64_t end = heaps[at].end;
  for (std::size_t i = 0; i < at; ++i) {
    end += heaps[i].root == heaps[at].root ? state[heaps[i].knob] : 0;
  }
  return lack(end);
}

// Each heap keeps its size or ends on a multiple; the cheapest choice that is legal.
std::optional<State> by_edges(const Growths& growths) {
  struct Choice {
    std::uint64_t cost = 0;
    std::size_t decided = 0;
    State state;

    bool operator>(const Choice& other) const {
      return std::tie(cost, other.decided, state) > std::tie(other.cost, decided, other.state);
    }
  };

  const std::vector<Heap> list = heaps_of(growths);
  std::priority_queue<Choice, std::vector<Choice>, std::greater<>> open;
  open.push({0, 0, none_of(growths)});
  for (std::size_t looked_at = 0; !open.empty() && looked_at < kMostMaps;) {
    const Choice choice = open.top();
    open.pop();
    if (choice.decided == list.size()) {
      ++looked_at;
      if (judge(growths, choice.state).legal) {
        return choice.state;
      }
      continue;
    }
    const std::size_t at = choice.decided;
    const std::uint64_t lacking = lack_of(list, at, choice.state);
    const std::size_t knob = list[at].knob;
    const bool whole = core::is_aligned(lacking, growths.steps[knob]);
    const bool next_restarts = at + 1 < list.size() && list[at + 1].chain != list[at].chain &&
                               restarts(growths.board, list[at + 1].chain);
    if (lacking == 0 || !next_restarts) {
      open.push({choice.cost, at + 1, choice.state});
    }
    if (lacking != 0 && whole) {
      Choice grown{choice.cost + lacking, at + 1, choice.state};
      grown.state[knob] = lacking;
      open.push(std::move(grown));
    }
  }
  return std::nullopt;
}

// Every growth that costs less than `bound`, by cost; nothing where there are too many.
std::optional<std::vector<State>> all_below(const Growths& growths, std::uint64_t bound) {
  std::vector<State> all = {none_of(growths)};
  for (std::size_t knob = 0; knob < growths.knobs.size(); ++knob) {
    const std::size_t before = all.size();
    for (std::uint64_t growth = growths.steps[knob].value(); growth < kSmallBlock.count();
         growth += growths.steps[knob].value()) {
      for (std::size_t i = 0; i < before; ++i) {
        if (cost_of(all[i]).count() + growth < bound) {
          all.push_back(all[i]);
          all.back()[knob] = growth;
        }
      }
      if (all.size() > kMostGrowths) {
        return std::nullopt;
      }
    }
  }
  std::ranges::sort(all, [](const State& a, const State& b) {
    return std::tuple{cost_of(a), a} < std::tuple{cost_of(b), b};
  });
  return all;
}

std::optional<State> first_legal(const Growths& growths, const std::vector<State>& states) {
  const auto found =
      std::ranges::find_if(states, [&](const State& state) { return judge(growths, state).legal; });
  return found == states.end() ? std::nullopt : std::optional{*found};
}

std::vector<State> moves(const Growths& growths, const State& state, const Verdict& verdict) {
  std::vector<State> list;
  for (std::size_t i = 0; i < growths.knobs.size(); ++i) {
    if (!verdict.apart.empty() && !verdict.apart.contains(growths.knobs[i]->name)) {
      continue;
    }
    for (const std::uint64_t bytes : verdict.lacks) {
      const auto step = core::align_up(bytes, growths.steps[i]);
      // A knob that grew by 2 MiB stands where it stood.
      if (step && state[i] + *step < kSmallBlock.count()) {
        State next = state;
        next[i] += *step;
        list.push_back(std::move(next));
      }
    }
  }
  return list;
}

// What a bounded search came to.
struct Searched {
  std::optional<State> found;
  bool gave_up = false;
};

// A growth that costs less than `bound`.
Searched by_moves(const Growths& growths, std::uint64_t bound) {
  using Entry = std::pair<std::uint64_t, State>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  std::set<State> seen = {none_of(growths)};
  open.emplace(0, none_of(growths));
  std::size_t looked_at = 0;
  while (!open.empty() && open.top().first < bound) {
    const State state = open.top().second;
    open.pop();
    if (++looked_at > kMostMaps) {
      return {.gave_up = true};
    }
    const Verdict verdict = judge(growths, state);
    if (!verdict.placed) {
      continue;
    }
    if (verdict.legal) {
      return {.found = state};
    }
    for (State& next : moves(growths, state, verdict)) {
      const std::uint64_t cost = cost_of(next).count();
      if (cost < bound && seen.insert(next).second) {
        open.emplace(cost, std::move(next));
      }
    }
  }
  return {};
}

// Every knob to the next multiple, then each back as far as the map stays legal.
std::optional<State> descend(const Growths& growths) {
  State state = none_of(growths);
  for (std::size_t i = 0; i < growths.knobs.size(); ++i) {
    state[i] = lack(growths.sizes.at(growths.knobs[i]->name));
  }
  if (!judge(growths, state).legal) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < growths.knobs.size(); ++i) {
    std::set<std::uint64_t> smaller = {0};
    for (const std::uint64_t bytes : growths.start.lacks) {
      smaller.insert(core::align_up(bytes, growths.steps[i]).value_or(state[i]));
    }
    for (const std::uint64_t growth : smaller) {
      State next = state;
      next[i] = growth;
      if (growth < state[i] && judge(growths, next).legal) {
        state = std::move(next);
        break;
      }
    }
  }
  return state;
}

std::size_t sum(const TableCounts& counts) {
  std::size_t total = 0;
  for (const auto& [core, tables] : counts) {
    total += tables;
  }
  return total;
}

bool is_cut(const MemoryMap& map) {
  return std::ranges::any_of(map.mmu, [&](const MmuTable& table) {
    return !TranslationTables{table, map.board.mmu.blocks_replace_tables}.cut_blocks().empty();
  });
}

}  // namespace

TableCounts table_counts(const MemoryMap& map) {
  TableCounts counts;
  if (can_build(map)) {
    for (const MmuTable& table : map.mmu) {
      counts.emplace_back(table.core,
                          TranslationTables{table, map.board.mmu.blocks_replace_tables}.taken());
    }
  }
  return counts;
}

std::optional<Growth> grow_for_mmu(const board::Board& board,
                                   const board::KnobValues& values,
                                   bool tight) {
  const Growths growths = growths_of(board, values, tight);
  const Verdict& start = growths.start;
  if (!start.placed || start.legal || growths.knobs.size() == 0) {
    return std::nullopt;
  }
  auto found = by_edges(growths);
  const std::uint64_t bound = found ? cost_of(*found).count() : UINT64_MAX;
  const auto cheaper = all_below(growths, bound);
  const Searched better =
      cheaper ? Searched{first_legal(growths, *cheaper)} : by_moves(growths, bound);
  if (better.found) {
    found = better.found;
  } else if (!found && better.gave_up) {
    found = descend(growths);
  }
  if (!found) {
    return std::nullopt;
  }
  Growth growth{.proved = cheaper.has_value()};
  growth.cost = cost_of(*found);
  growth.before = start.tables;
  growth.after = judge(growths, *found).tables;
  const board::KnobValues all = grown(growths, *found);
  for (std::size_t i = 0; i < growths.knobs.size(); ++i) {
    if ((*found)[i] != 0) {
      growth.values[growths.knobs[i]->name] = all.at(growths.knobs[i]->name);
    }
  }
  return growth;
}

void note_table_costs(const MemoryMap& map, core::Diagnostics& found) {
  std::optional<std::size_t> counted;
  for (const board::Knob& knob : map.board.knobs) {
    const Region* region = map.find_by_knob(knob.name);
    if (!knob.demand || region == nullptr) {
      continue;
    }
    const Bytes more{lack(region->size.count())};
    if (more.count() == 0 || more > core::kMiB) {
      continue;
    }
    board::KnobValues values;
    for (const board::Knob& each : map.board.knobs) {
      values[each.name] = map.values.at(each.name);
    }
    values[knob.name] += more.count();
    const std::size_t now = counted ? *counted : *(counted = sum(table_counts(map)));
    const auto grown = resolve_for_mmu(map.board, values);
    // What stands behind it moves too, and may not be mappable there.
    if (!grown || !can_build(*grown) || is_cut(*grown)) {
      continue;
    }
    const std::size_t then = sum(table_counts(*grown));
    if (then >= now) {
      continue;
    }
    found.push_back(
        core::note(core::Code::kMmuCost,
                   fmt::format("{} more for '{}' would save {}",
                               core::format_size(more),
                               region->name,
                               core::plural(now - then, "translation table")),
                   region->place,
                   fmt::format("--set {}={}", knob.name, core::format_setting(region->size + more)))
            .about({{"region", region->name}, {"knob", knob.name}}));
  }
}

}  // namespace memsize::layout
