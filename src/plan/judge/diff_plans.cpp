// Pairs arenas by role and memory and blocks by id, and says what differs. Both levels have a hash
// over sorted lines; a report whose own hashes do not come out was changed after it was written.
#include "memsize/plan/diff_plans.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/sha256.hpp"
#include "memsize/core/text.hpp"

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

// Those that the report lists, and those that it does not but has blocks in.
std::map<ArenaName, PlannedArena> arenas_of(const PlanReport& report) {
  std::map<ArenaName, PlannedArena> arenas;
  for (const PlannedArena& row : report.arenas) {
    arenas.try_emplace(key_of(row.role, row.memory), row);
  }
  std::map<ArenaName, PlannedArena> made;
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

void diff_arenas(const PlanReport& before, const PlanReport& after, PlanDiff& diff) {
  const auto old_arenas = arenas_of(before);
  const auto new_arenas = arenas_of(after);
  Bytes old_total;
  Bytes new_total;
  for (const auto& [key, arena] : old_arenas) {
    const auto size = reserved_of(arena);
    const auto match = new_arenas.find(key);
    if (match == new_arenas.end()) {
      old_total += size.value_or(Bytes{});
      diff.arenas.push_back({arena, std::nullopt, {}});
      continue;
    }
    const auto new_size = reserved_of(match->second);
    if (size && new_size) {
      old_total += *size;
      new_total += *new_size;
    }
    auto changed = changed_of(arena, match->second);
    if (changed.empty()) {
      ++diff.unchanged_arenas;
    } else {
      diff.arenas.push_back({arena, match->second, std::move(changed)});
    }
  }
  for (const auto& [key, arena] : new_arenas) {
    if (old_arenas.count(key) == 0) {
      new_total += reserved_of(arena).value_or(Bytes{});
      diff.arenas.push_back({std::nullopt, arena, {}});
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
  for (const auto& [key, arena] : arenas_of(report)) {
    const std::string source = source_of(arena.source_memory, arena.memory);
    const auto alignment = arena.alignment ? std::optional{arena.alignment->value()} : std::nullopt;
    lines.push_back(fmt::format("{}|{}|{}|{}|{}|{}\n",
                                model::name_of(arena.role),
                                field(arena.memory),
                                field(source),
                                number(count_of(reserved_of(arena))),
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
