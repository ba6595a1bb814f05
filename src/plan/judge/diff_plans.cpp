// Pairs arenas by role and memory and blocks by id, and says what differs. Both levels have a hash
// over sorted lines; a report whose own hashes do not come out was changed after it was written.
#include "memsize/plan/diff_plans.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/sha256.hpp"
#include "memsize/core/text.hpp"
#include "memsize/plan/check_plan.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace memsize::plan {

namespace {

using core::Bytes;
using model::Lifetime;
using model::PlannedArena;
using model::PlannedBlock;
using model::PlanReport;

// Scratch, persistent, constant, each by the memory's name: how region ids are given.
using ArenaName = std::pair<int, std::string>;

ArenaName key_of(Lifetime role, const std::string& memory) {
  const int order = role == Lifetime::kScratch ? 0 : role == Lifetime::kPersistent ? 1 : 2;
  return {order, memory};
}

std::string source_of(const std::string& source, const std::string& memory) {
  return source == memory ? std::string{} : source;
}

using Arenas = std::map<ArenaName, PlannedArena>;

// Those that the report lists, and those that it does not but has blocks in.
Arenas arenas_of(const PlanReport& report) {
  Arenas arenas;
  for (const PlannedArena& row : report.arenas) {
    arenas.try_emplace(key_of(row.role, row.memory), row);
  }
  Arenas made;
  for (const PlannedBlock& block : report.blocks) {
    const ArenaName key = key_of(block.role, block.memory);
    if (arenas.count(key) != 0) {
      continue;
    }
    PlannedArena& arena = made[key];
    arena.role = block.role;
    arena.memory = block.memory;
    if (arena.source_memory.empty() && block.role == Lifetime::kConstant) {
      arena.source_memory = source_of(block.source_memory, block.memory);
    }
    if (block.offset) {
      arena.used = std::max(arena.used.value_or(Bytes{}), *block.offset + block.size);
    }
  }
  arenas.merge(made);
  return arenas;
}

// Of an arena that its report has not placed.
std::optional<Bytes> least_in(const LeastBytes& least, const PlannedArena& arena) {
  const auto found = least.find({arena.role, arena.memory});
  return found == least.end() ? std::nullopt : std::optional{found->second};
}

template <typename T>
bool both_differ(const std::optional<T>& a, const std::optional<T>& b) {
  return a && b && *a != *b;
}

// Numbers by their value, before all names.
using BlockOrder = std::tuple<bool, std::size_t, std::string_view>;

BlockOrder place_in_order(std::string_view id) {
  const bool is_number =
      !id.empty() && std::ranges::all_of(id, [](char c) { return c >= '0' && c <= '9'; });
  return {!is_number, is_number ? id.size() : 0, id};
}

std::string_view id_of(const BlockChange& change) {
  return change.before ? change.before->id : change.after->id;
}

std::vector<std::string> changed_of(const PlannedArena& before, const PlannedArena& after) {
  std::vector<std::string> changed;
  if (both_differ(reserved_of(before), reserved_of(after))) {
    changed.emplace_back("total_bytes");
  }
  if (both_differ(before.alignment, after.alignment)) {
    changed.emplace_back("alignment");
  }
  if (source_of(before.source_memory, before.memory) !=
      source_of(after.source_memory, after.memory)) {
    changed.emplace_back("source_memory");
  }
  if (both_differ(before.region_id, after.region_id)) {
    changed.emplace_back("region_id");
  }
  return changed;
}

std::vector<std::string> changed_of(const PlannedBlock& before, const PlannedBlock& after) {
  std::vector<std::string> changed;
  const auto note = [&](bool differs, const char* word) {
    if (differs) {
      changed.emplace_back(word);
    }
  };
  note(before.role != after.role, "role");
  note(before.memory != after.memory, "memory");
  note(source_of(before.source_memory, before.memory) !=
           source_of(after.source_memory, after.memory),
       "source_memory");
  note(before.size != after.size, "size");
  note(before.offset != after.offset, "offset");
  note(before.live && after.live && before.live->lower != after.live->lower, "lower");
  note(before.live && after.live && before.live->upper != after.live->upper, "upper");
  note(before.alias_of != after.alias_of, "alias_of");
  return changed;
}

// An arena of both, of one, or, by the least that they take, of two that nobody has placed.
ArenaChange arena_change(std::optional<PlannedArena> before,
                         std::optional<PlannedArena> after,
                         const LeastBytes& old_least,
                         const LeastBytes& new_least) {
  ArenaChange change{std::move(before), std::move(after), {}, true};
  change.is_placed = (change.before && reserved_of(*change.before)) ||
                     (change.after && reserved_of(*change.after));
  if (!change.is_placed && change.before) {
    change.before->used = least_in(old_least, *change.before);
  }
  if (!change.is_placed && change.after) {
    change.after->used = least_in(new_least, *change.after);
  }
  if (change.before && change.after) {
    change.changed = changed_of(*change.before, *change.after);
    std::ranges::replace(
        change.changed, "total_bytes", change.is_placed ? "total_bytes" : "least_bytes");
  }
  return change;
}

void diff_arenas(const PlanReport& before, const PlanReport& after, PlanDiff& diff) {
  const Arenas old_arenas = arenas_of(before);
  const Arenas new_arenas = arenas_of(after);
  const LeastBytes old_least = least_sizes(before);
  const LeastBytes new_least = least_sizes(after);
  Bytes old_total;
  Bytes new_total;
  for (const auto& [key, arena] : old_arenas) {
    const auto match = new_arenas.find(key);
    const bool is_gone = match == new_arenas.end();
    ArenaChange change = arena_change(
        arena, is_gone ? std::nullopt : std::optional{match->second}, old_least, new_least);
    const auto size = reserved_of(*change.before);
    const auto new_size = is_gone ? std::optional{Bytes{}} : reserved_of(*change.after);
    if (size && new_size) {
      old_total += *size;
      new_total += *new_size;
    }
    diff.unplaced_arenas += change.is_placed ? 0U : 1U;
    if (!is_gone && change.changed.empty()) {
      ++diff.unchanged_arenas;
    } else {
      diff.arenas.push_back(std::move(change));
    }
  }
  for (const auto& [key, arena] : new_arenas) {
    if (old_arenas.count(key) == 0) {
      ArenaChange change = arena_change(std::nullopt, arena, old_least, new_least);
      new_total += reserved_of(*change.after).value_or(Bytes{});
      diff.unplaced_arenas += change.is_placed ? 0U : 1U;
      diff.arenas.push_back(std::move(change));
    }
  }
  const auto region = [](const ArenaChange& change) {
    const auto id = [](const std::optional<PlannedArena>& arena) {
      return arena ? arena->region_id : std::nullopt;
    };
    return id(change.after) ? *id(change.after) : id(change.before).value_or(UINT64_MAX);
  };
  std::ranges::sort(diff.arenas, [&](const auto& a, const auto& b) {
    const PlannedArena& first = a.after ? *a.after : *a.before;
    const PlannedArena& second = b.after ? *b.after : *b.before;
    return std::pair{region(a), key_of(first.role, first.memory)} <
           std::pair{region(b), key_of(second.role, second.memory)};
  });
  const auto limited = [](Bytes size) {
    return static_cast<std::int64_t>(std::min(size.count(), std::uint64_t{INT64_MAX}));
  };
  diff.growth_bytes = limited(new_total - old_total) - limited(old_total - new_total);
}

void diff_blocks(const PlanReport& before, const PlanReport& after, PlanDiff& diff) {
  std::unordered_map<std::string_view, const PlannedBlock*> old_blocks;
  std::unordered_map<std::string_view, const PlannedBlock*> new_blocks;
  for (const PlannedBlock& block : before.blocks) {
    old_blocks.emplace(block.id, &block);
  }
  for (const PlannedBlock& block : after.blocks) {
    new_blocks.emplace(block.id, &block);
  }
  for (const PlannedBlock& block : before.blocks) {
    const auto match = new_blocks.find(block.id);
    if (match == new_blocks.end()) {
      diff.blocks.push_back({block, std::nullopt, {}});
      continue;
    }
    auto changed = changed_of(block, *match->second);
    if (changed.empty()) {
      ++diff.unchanged_blocks;
    } else {
      diff.blocks.push_back({block, *match->second, std::move(changed)});
    }
  }
  for (const PlannedBlock& block : after.blocks) {
    if (old_blocks.count(block.id) == 0) {
      diff.blocks.push_back({std::nullopt, block, {}});
    }
  }
  std::ranges::stable_sort(diff.blocks, [](const auto& a, const auto& b) {
    return place_in_order(id_of(a)) < place_in_order(id_of(b));
  });
}

// A name as a field of a line.
std::string field(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (c == '|' || c == '\n' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out;
}

template <typename T>
std::string number(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : std::string{};
}

std::optional<std::uint64_t> count_of(const std::optional<Bytes>& size) {
  return size ? std::optional{size->count()} : std::nullopt;
}

std::string hash_of(std::vector<std::string> lines) {
  std::ranges::sort(lines);
  std::string text;
  for (const std::string& line : lines) {
    text += line;
  }
  return core::short_hash(text);
}

}  // namespace

std::optional<core::Bytes> reserved_of(const model::PlannedArena& arena) {
  return arena.total ? arena.total : arena.used;
}

PlanDiff diff_plans(const model::PlanReport& before, const model::PlanReport& after) {
  PlanDiff diff;
  diff_arenas(before, after, diff);
  diff_blocks(before, after, diff);
  diff.change = !diff.arenas.empty()   ? PlanChange::kEnvelope
                : !diff.blocks.empty() ? PlanChange::kLayout
                                       : PlanChange::kNone;
  diff.envelope_before = envelope_hash(before);
  diff.envelope_after = envelope_hash(after);
  diff.layout_before = layout_hash(before);
  diff.layout_after = layout_hash(after);
  return diff;
}

std::string envelope_hash(const model::PlanReport& report) {
  std::vector<std::string> lines;
  const Arenas arenas = arenas_of(report);
  const LeastBytes least = least_sizes(report);
  for (const auto& [key, arena] : arenas) {
    const auto reserved = reserved_of(arena);
    const std::string source = source_of(arena.source_memory, arena.memory);
    const auto alignment = arena.alignment ? std::optional{arena.alignment->value()} : std::nullopt;
    lines.push_back(fmt::format("{}|{}|{}|{}|{}|{}\n",
                                model::name_of(arena.role),
                                field(arena.memory),
                                field(source),
                                number(count_of(reserved ? reserved : least_in(least, arena))),
                                number(alignment),
                                source.empty() ? 0 : 1));
  }
  return hash_of(std::move(lines));
}

std::string layout_hash(const model::PlanReport& report) {
  std::vector<std::string> lines = core::texts_of(report.blocks, [&](const PlannedBlock& block) {
    return fmt::format("{}|{}|{}|{}|{}\n",
                       field(block.id),
                       model::name_of(block.role),
                       field(block.memory),
                       number(count_of(block.offset)),
                       block.size.count());
  });
  return hash_of(std::move(lines));
}

core::Diagnostics false_claims(const model::PlanReport& report) {
  core::Diagnostics errors;
  const auto compare = [&](std::string_view what,
                           std::string_view contents,
                           const std::string& claimed,
                           std::string (*hash)(const model::PlanReport&)) {
    const std::string found = claimed.empty() ? claimed : hash(report);
    if (claimed == found) {
      return;
    }
    errors.push_back(core::error(core::Code::kPlanContradiction,
                                 fmt::format("it says that its {} hash is {}, but {} {}",
                                             what,
                                             core::printable(claimed, 40),
                                             contents,
                                             found),
                                 {report.path},
                                 "it was changed after memsize wrote it: write it again with "
                                 "memsize plan, or leave out all "
                                 "hashes of what you changed on purpose"));
  };
  compare("envelope", "its arenas make", report.claimed_envelope_hash, envelope_hash);
  compare("layout", "its blocks make", report.claimed_layout_hash, layout_hash);
  if (errors.empty()) {
    // Lifetimes, windows, capacities and whatever else the two are not made of.
    compare("content",
            "what it says makes",
            report.claimed_content_hash,
            [](const model::PlanReport& read) { return read.content_hash; });
  }
  return errors;
}

}  // namespace memsize::plan
