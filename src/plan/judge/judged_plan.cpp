// Gives blocks that have a place and a lifetime their bytes and steps. Aliases become one buffer
// with their root where they share bytes, and a block that needs parts of itself becomes pieces.
#include "judged_plan.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "collisions.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

namespace memsize::plan {

namespace {

using model::Lifetime;
using model::PlannedBlock;

constexpr std::size_t kLongestName = 80;
constexpr std::int64_t kAlwaysLower = INT64_MIN;
constexpr std::int64_t kAlwaysUpper = INT64_MAX;

int order_of(Lifetime role) {
  return role == Lifetime::kScratch ? 0 : role == Lifetime::kPersistent ? 1 : 2;
}

using ArenaKey = std::tuple<int, std::string>;

// The member of a group of aliases as it is in bytes and time; nothing where that is not known.
std::optional<PlacedBuffer> buffer_of(const PlannedBlock& block, const PlannedBlock& root) {
  const auto& offset = block.offset ? block.offset : root.offset;
  if (!offset || (block.role == Lifetime::kScratch && !block.live)) {
    return std::nullopt;
  }
  PlacedBuffer buffer{
      .offset = offset->count(),
      .size = block.offset ? block.size.count() : std::min(block.size, root.size).count()};
  buffer.lower = block.live ? block.live->lower : kAlwaysLower;
  buffer.upper = block.live ? block.live->upper : kAlwaysUpper;
  return buffer;
}

bool touches(const PlacedBuffer& buffer, const PlannedBlock& root) {
  const PlacedBuffer whole{0, 0, root.offset->count(), root.size.count()};
  return buffer.offset < end_of(whole) && whole.offset < end_of(buffer);
}

// What a group needs at a step is one piece for each run of bytes, called after its lowest member.
// From one begin or end of a member's life to the next nothing changes.
void merge_pieces(std::span<const Piece> group, std::vector<Piece>& pieces) {
  if (group.size() == 1 || group.size() > model::kMostWindows) {
    // Of too many to look at step by step, everything between them is taken.
    Piece whole = group.front();
    for (const Piece& piece : group) {
      const std::uint64_t end = std::max(end_of(whole.at), end_of(piece.at));
      whole.at.offset = std::min(whole.at.offset, piece.at.offset);
      whole.at.size = end - whole.at.offset;
      whole.at.lower = std::min(whole.at.lower, piece.at.lower);
      whole.at.upper = std::max(whole.at.upper, piece.at.upper);
    }
    pieces.push_back(whole);
    return;
  }
  std::vector<std::int64_t> steps;
  for (const Piece& piece : group) {
    steps.push_back(piece.at.lower);
    steps.push_back(piece.at.upper);
  }
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  // By offset, of what is alive.
  std::vector<Piece> waiting(group.begin(), group.end());
  std::ranges::sort(waiting, [](const Piece& a, const Piece& b) {
    return std::tie(a.at.lower, a.block) > std::tie(b.at.lower, b.block);
  });
  std::vector<Piece> alive;
  std::vector<Piece> before;
  for (const std::int64_t step : steps) {
    std::erase_if(alive, [&](const Piece& piece) { return piece.at.upper <= step; });
    while (!waiting.empty() && waiting.back().at.lower <= step) {
      const auto place = std::upper_bound(
          alive.begin(), alive.end(), waiting.back(), [](const Piece& a, const Piece& b) {
            return a.at.offset < b.at.offset;
          });
      alive.insert(place, waiting.back());
      waiting.pop_back();
    }
    std::vector<Piece> runs;
    for (const Piece& piece : alive) {
      if (runs.empty() || end_of(runs.back().at) < piece.at.offset) {
        runs.push_back(piece);
        continue;
      }
      PlacedBuffer& run = runs.back().at;
      run.size = std::max(end_of(run), end_of(piece.at)) - run.offset;
    }
    const bool goes_on = std::equal(
        runs.begin(), runs.end(), before.begin(), before.end(), [](const Piece& a, const Piece& b) {
          return a.at.offset == b.at.offset && a.at.size == b.at.size;
        });
    if (!goes_on) {
      for (Piece& run : before) {
        run.at.upper = step;
        pieces.push_back(run);
      }
      for (Piece& run : runs) {
        run.at.lower = step;
      }
      before = std::move(runs);
    }
  }
}

struct Member {
  /// The block that those are called after who share bytes.
  std::size_t group = 0;
  Piece piece;
};

// A block that needs parts of its bytes at parts of its life is a piece for each of them.
void add_needs(const PlannedBlock& block,
               const PlacedBuffer& buffer,
               std::size_t index,
               std::size_t group,
               std::vector<Member>& members) {
  if (block.windows.empty()) {
    members.push_back({group, {buffer, index}});
  }
  for (const model::Window& window : block.windows) {
    members.push_back({group,
                       {{window.live.lower,
                         window.live.upper,
                         buffer.offset + window.begin.count(),
                         (window.end - window.begin).count()},
                        index}});
  }
}

// Constants of the same bytes.
void find_twins(const JudgedPlan& plan, JudgedArena& arena) {
  if (arena.role != Lifetime::kConstant) {
    return;
  }
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> seen;
  for (const std::size_t i : arena.blocks) {
    const PlannedBlock& block = plan.report.blocks[i];
    if (plan.root_of(i) != i || !block.offset || block.size.count() == 0 || block.live) {
      continue;
    }
    const auto [first, is_new] = seen.try_emplace({block.offset->count(), block.size.count()}, i);
    if (!is_new) {
      arena.twins.emplace_back(first->second, i);
    }
  }
}

// Gives every block that has a place and a lifetime its bytes and steps.
void place(const JudgedPlan& plan, JudgedArena& arena) {
  std::unordered_map<std::size_t, std::size_t> twin_of;
  for (const auto& [first, second] : arena.twins) {
    twin_of[second] = first;
  }
  std::vector<Member> members;
  for (const std::size_t i : arena.blocks) {
    const PlannedBlock& block = plan.report.blocks[i];
    const std::size_t root_index = plan.root_of(i);
    const PlannedBlock& root = plan.report.blocks[root_index];
    const bool beside_root = root.role == block.role && root.memory == block.memory;
    if (!block.offset && !(beside_root && root.offset)) {
      arena.without_offset.push_back(i);
      continue;
    }
    if (block.offset) {
      const auto end = core::checked_add(block.offset->count(), block.size.count());
      arena.height = std::max(arena.height, end.value_or(UINT64_MAX));
    }
    const auto buffer = buffer_of(block, root);
    if (!buffer) {
      if (root_index == i) {
        arena.without_lifetime.push_back(i);
      }
      continue;
    }
    const auto twin = twin_of.find(root_index);
    // An alias that lies elsewhere, which is a fault of its own, does not stretch its root.
    const bool is_there = !block.offset || !root.offset || touches(*buffer, root);
    const std::size_t group = !is_there ? i : twin != twin_of.end() ? twin->second : root_index;
    add_needs(block, *buffer, i, group, members);
  }
  std::ranges::stable_sort(members, {}, &Member::group);
  std::vector<Piece> together;
  for (std::size_t i = 0; i < members.size(); ++i) {
    together.push_back(members[i].piece);
    if (i + 1 == members.size() || members[i + 1].group != members[i].group) {
      merge_pieces(together, arena.pieces);
      together.clear();
    }
  }
}

}  // namespace

std::string source_of(const PlannedBlock& block) {
  return block.source_memory == block.memory ? std::string{} : block.source_memory;
}

std::string bytes_text(const PlacedBuffer& buffer) {
  return fmt::format("[{}, {})", buffer.offset, end_of(buffer));
}

std::string steps_text(const PlacedBuffer& buffer) {
  return buffer.lower == kAlwaysLower && buffer.upper == kAlwaysUpper
             ? "always"
             : fmt::format("[{}, {})", buffer.lower, buffer.upper);
}

std::uint64_t JudgedArena::used() const {
  const std::uint64_t said = row == nullptr ? 0
                             : row->used    ? row->used->count()
                             : row->total   ? row->total->count()
                                            : 0;
  return std::max(said, height);
}

std::string JudgedArena::name() const {
  return fmt::format(
      "{} arena in '{}'", model::name_of(role), core::printable(memory, kLongestName));
}

JudgedPlan::JudgedPlan(const model::PlanReport& judged, const board::MemorySet* of_part)
    : report(judged), part(of_part), roots(model::roots_of(judged.blocks)) {
  std::map<ArenaKey, JudgedArena> found;
  const auto arena = [&](Lifetime role, const std::string& memory) -> JudgedArena& {
    JudgedArena& at = found[{order_of(role), memory}];
    at.role = role;
    at.memory = memory;
    return at;
  };
  for (const model::PlannedArena& row : report.arenas) {
    JudgedArena& at = arena(row.role, row.memory);
    at.row = at.row == nullptr ? &row : at.row;
  }
  for (std::size_t i = 0; i < report.blocks.size(); ++i) {
    arena(report.blocks[i].role, report.blocks[i].memory).blocks.push_back(i);
  }
  for (auto& [key, at] : found) {
    find_twins(*this, at);
    place(*this, at);
    arenas.push_back(std::move(at));
  }
}

std::size_t JudgedPlan::root_of(std::size_t block) const {
  const PlannedBlock* const root = roots[block];
  return root == nullptr ? block : static_cast<std::size_t>(root - report.blocks.data());
}

std::string JudgedPlan::label(std::size_t block) const {
  const PlannedBlock& named = report.blocks[block];
  const std::string id = fmt::format("'{}'", core::printable(named.id, kLongestName));
  return named.name.empty() || named.name == named.id
             ? id
             : fmt::format("{} ({})", id, core::printable(named.name, kLongestName));
}

core::Place JudgedPlan::place_of(std::size_t block) const {
  return {report.path, report.blocks[block].line};
}

core::Place JudgedPlan::place_of(const JudgedArena& arena) const {
  return {report.path, arena.row == nullptr ? 0 : arena.row->line};
}

const board::PartMemory* JudgedPlan::part_memory(const std::string& name) const {
  if (part == nullptr) {
    return nullptr;
  }
  return core::find_where(part->memories, [&](const auto& memory) { return memory.name == name; });
}

const model::PlannedMemory* JudgedPlan::report_memory(const std::string& name) const {
  return core::find_where(report.memories, [&](const auto& memory) { return memory.name == name; });
}

std::string JudgedPlan::source_of(const JudgedArena& arena) const {
  if (arena.role != Lifetime::kConstant) {
    return {};
  }
  if (arena.row != nullptr && !arena.row->source_memory.empty()) {
    return arena.row->source_memory == arena.memory ? std::string{} : arena.row->source_memory;
  }
  for (const std::size_t block : arena.blocks) {
    if (std::string source = plan::source_of(report.blocks[block]); !source.empty()) {
      return source;
    }
  }
  return {};
}

bool Faults::wants(core::Severity severity, core::Code code) {
  std::uint64_t& counted = counts_[{code, severity}];
  if (counted == kPlanFaults) {
    leave_out(severity, code, 1);
    return false;
  }
  ++counted;
  return true;
}

core::Diagnostics Faults::finish() {
  const core::Place place{path_};
  for (const auto& [kind, count] : unsaid_) {
    core::Diagnostic more = core::error(
        kind.first,
        fmt::format("{} more like {} not listed", count, count == 1 ? "this is" : "these are"),
        place,
        "mend those that are listed and check again");
    more.severity = kind.second;
    said_.push_back(std::move(more));
  }
  return std::move(said_);
}

}  // namespace memsize::plan
