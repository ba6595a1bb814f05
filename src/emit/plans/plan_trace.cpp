// A plan as chrome://tracing and Perfetto read it (Trace Event Format): one process a memory, a
// complete event a block, and a counter of the bytes that are alive. A step is a microsecond.

#include "plan_writers.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using model::Interval;

// Two events of one thread must not overlap unless one is inside the other: each block takes the
// lowest lane that nobody uses while it lives.
std::vector<std::uint64_t> lanes_of(const std::vector<const PlacedBlock*>& blocks,
                                    const std::vector<Interval>& lives) {
  std::vector<std::size_t> order(blocks.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::tuple{lives[a].lower, blocks[a]->offset} <
           std::tuple{lives[b].lower, blocks[b]->offset};
  });
  using Ending = std::pair<std::int64_t, std::uint64_t>;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> alive;
  std::set<std::uint64_t> free_lanes;
  std::uint64_t lanes = 0;
  std::vector<std::uint64_t> result(blocks.size());
  for (const std::size_t i : order) {
    while (!alive.empty() && alive.top().first <= lives[i].lower) {
      free_lanes.insert(alive.top().second);
      alive.pop();
    }
    if (free_lanes.empty()) {
      free_lanes.insert(lanes++);
    }
    result[i] = *free_lanes.begin();
    free_lanes.erase(free_lanes.begin());
    alive.emplace(lives[i].upper, result[i]);
  }
  return result;
}

class Trace {
 public:
  explicit Trace(const model::PlanReport& plan) : view_(view_of(plan)) {
    steps_ = view_.has_steps() ? view_.steps : Interval{0, 1};
  }

  std::string text() {
    std::map<std::string, std::vector<const ArenaView*>> memories;
    for (const ArenaView& arena : view_.arenas) {
      memories[arena.arena.memory].push_back(&arena);
    }
    for (const auto& [memory, arenas] : memories) {
      ++process_;
      named("process_name", 0, memory);
      threads_ = 0;
      for (const ArenaView* arena : arenas) {
        add_blocks(*arena);
      }
      add_counter(arenas);
    }
    const Json other = {{"unit", "one step of the plan is one microsecond"},
                        {"first_step", steps_.lower},
                        {"blocks_without_steps", without_steps_}};
    return fmt::format(
        "{{\n  \"displayTimeUnit\": \"ms\",\n  \"otherData\": {},\n  \"traceEvents\": {}\n}}\n",
        json_line(other),
        json_lines(events_, "  "));
  }

 private:
  void add_event(std::string_view kind, std::string_view name, const Json& more) {
    Json event = {{"ph", kind}, {"name", name}, {"pid", process_}};
    event.update(more);
    events_.push_back(json_line(event));
  }

  void named(std::string_view what, std::uint64_t thread, std::string_view name) {
    add_event("M", what, {{"tid", thread}, {"args", {{"name", name}}}});
  }

  // Viewers take no time before 0.
  [[nodiscard]] std::int64_t time_of(std::int64_t step) const {
    return step - std::min<std::int64_t>(steps_.lower, 0);
  }

  [[nodiscard]] Interval live_of(const PlacedBlock& placed) const {
    return placed.block->live ? *placed.live : steps_;
  }

  void add_blocks(const ArenaView& arena) {
    std::vector<const PlacedBlock*> blocks;
    std::vector<Interval> lives;
    for (const PlacedBlock& placed : arena.placed) {
      if (placed.live && live_of(placed).lower < live_of(placed).upper) {
        blocks.push_back(&placed);
        lives.push_back(live_of(placed));
      }
    }
    without_steps_ += arena.blocks - blocks.size();
    const std::vector<std::uint64_t> lanes = lanes_of(blocks, lives);
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      count = std::max(count, lanes[i] + 1);
      const PlacedBlock& placed = *blocks[i];
      Json arguments = {{"id", placed.block->id},
                        {"offset", placed.offset},
                        {"size", placed.size},
                        {"lower", lives[i].lower},
                        {"upper", lives[i].upper}};
      if (placed.alias) {
        arguments["alias_of"] = placed.block->alias_of;
      }
      const std::string& name = placed.block->name;
      add_event("X",
                name.empty() ? placed.block->id : name,
                {{"tid", threads_ + lanes[i] + 1},
                 {"cat", model::name_of(arena.arena.role)},
                 {"ts", time_of(lives[i].lower)},
                 {"dur", lives[i].upper - lives[i].lower},
                 {"args", arguments}});
    }
    for (std::uint64_t lane = 0; lane < count; ++lane) {
      named("thread_name",
            threads_ + lane + 1,
            fmt::format("{} {}", model::name_of(arena.arena.role), lane + 1));
    }
    threads_ += count;
  }

  // What is alive of each role, whenever that changes.
  void add_counter(const std::vector<const ArenaView*>& arenas) {
    std::map<std::int64_t, std::map<std::string_view, std::uint64_t>> changes;
    std::map<std::string_view, std::uint64_t> alive;
    for (const ArenaView* arena : arenas) {
      const std::string_view role = model::name_of(arena->arena.role);
      for (const PlacedBlock& root : arena->roots) {
        for (const PlacedBlock& need : needs_of(root)) {
          const Interval live = need.block->live ? *need.live : steps_;
          if (live.lower < live.upper) {
            alive[role] = 0;
            // Modulo 2^64, so that what ends takes away.
            changes[live.lower][role] += need.size;
            changes[live.upper][role] -= need.size;
          }
        }
      }
    }
    for (const auto& [step, by_role] : changes) {
      for (const auto& [role, change] : by_role) {
        alive[role] += change;
      }
      Json arguments = Json::object();
      for (const auto& [role, bytes] : alive) {
        arguments.append(std::string{role}, bytes);
      }
      add_event("C", "live bytes", {{"ts", time_of(step)}, {"args", arguments}});
    }
  }

  PlanView view_;
  Interval steps_;
  std::vector<std::string> events_;
  std::uint64_t process_ = 0;
  // Of the process so far.
  std::uint64_t threads_ = 0;
  std::uint64_t without_steps_ = 0;
};

}  // namespace

std::string plan_trace(const model::PlanReport& plan) {
  return Trace{plan}.text();
}

}  // namespace memsize::emit
