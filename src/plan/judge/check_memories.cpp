// What concerns whole arenas and memories: where constants come from, what is charged to whom, what
// has room, and whether totals are sums.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "judged_plan.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include <fmt/format.h>

namespace memsize::plan {

namespace {

using core::Code;
using core::Severity;
using model::Lifetime;

constexpr std::size_t kListedMemories = 5;

std::string shown(const std::string& name) {
  return fmt::format("'{}'", core::printable(name, 80));
}

core::Diagnostic graded(Severity severity, core::Diagnostic diagnostic) {
  diagnostic.severity = severity;
  return diagnostic;
}

// What a memory holds: arenas, and copies that arenas elsewhere are filled from.
struct Charge {
  std::string what;
  std::uint64_t bytes = 0;
  /// Of the arena, where that is more than it uses.
  std::uint64_t reserved = 0;
  bool is_source = false;
};

struct MemoryLoad {
  std::vector<Charge> charges;
  core::Bytes used;
  core::Bytes reserved;
  /// The part of `used` that is sources.
  core::Bytes sources;

  void add(Charge charge) {
    used += core::Bytes{charge.bytes};
    reserved += core::Bytes{charge.reserved};
    sources += core::Bytes{charge.is_source ? charge.bytes : 0};
    charges.push_back(std::move(charge));
  }

  [[nodiscard]] std::vector<std::string> lines(bool of_reserved = false) const {
    std::vector<std::string> lines;
    for (const Charge& charge : charges) {
      const core::Bytes bytes{of_reserved ? charge.reserved : charge.bytes};
      lines.push_back(fmt::format("{:<40} {:>14}", charge.what, core::format_bytes(bytes)));
    }
    return lines;
  }
};

std::map<std::string, MemoryLoad> loads_of(const JudgedPlan& plan) {
  std::map<std::string, MemoryLoad> loads;
  for (const JudgedArena& arena : plan.arenas) {
    const std::string source = plan.source_of(arena);
    const std::uint64_t used = arena.used();
    const std::uint64_t total =
        arena.row != nullptr && arena.row->total ? arena.row->total->count() : 0;
    const std::string role{model::name_of(arena.role)};
    loads[arena.memory].add({source.empty()
                                 ? role + " arena"
                                 : fmt::format("{} arena, copied from {}", role, shown(source)),
                             used,
                             std::max(used, total),
                             false});
    if (!source.empty()) {
      loads[source].add(
          {fmt::format("what is copied to {}", shown(arena.memory)), used, used, true});
    }
  }
  return loads;
}

void check_sources_of(const JudgedPlan& plan, const JudgedArena& arena, Faults& faults) {
  // The arena's own row counts as one, so that a block may differ from it.
  std::map<std::string, std::vector<std::size_t>> sources;
  for (const std::size_t i : arena.blocks) {
    sources[source_of(plan.report.blocks[i])].push_back(i);
  }
  // Some reports say it of the arena only.
  const bool is_said_of_blocks = sources.size() > 1 || sources.count("") == 0;
  if (is_said_of_blocks && arena.row != nullptr && !arena.row->source_memory.empty()) {
    sources[plan.source_of(arena)];
  }
  if (sources.size() < 2 || !faults.wants(Severity::kError, Code::kPlanSource)) {
    return;
  }
  // Which blocks are wrong: not those that the arena agrees with, then the fewest.
  const std::string own = plan.source_of(arena);
  const auto is_likelier = [&](const auto& a, const auto& b) {
    const auto rank = [&](const auto& source) {
      return std::tuple{source.second.empty(), source.first == own, source.second.size()};
    };
    return rank(a) < rank(b);
  };
  std::vector<std::string> names;
  std::vector<std::string> details;
  const auto* fewest = &*sources.begin();
  for (const auto& source : sources) {
    const std::string name = source.first.empty() ? "itself" : shown(source.first);
    names.push_back(name);
    std::vector<std::string> blocks;
    for (std::size_t i = 0; i < std::min(source.second.size(), kListedMemories); ++i) {
      blocks.push_back(plan.label(source.second[i]));
    }
    if (source.second.size() > kListedMemories) {
      blocks.push_back(fmt::format("{} more", source.second.size() - kListedMemories));
    }
    details.push_back(fmt::format(
        "from {}: {}", name, blocks.empty() ? "the arena, as it says" : core::join(blocks, ", ")));
    fewest = is_likelier(source, *fewest) ? &source : fewest;
  }
  faults.say(
      core::error(
          Code::kPlanSource,
          fmt::format(
              "the {} is filled from {}: it can only be filled by one copy, from one memory",
              arena.name(),
              core::join(names, " and ")),
          fewest->second.empty() ? plan.place_of(arena) : plan.place_of(fewest->second.front()),
          fewest->second.empty()
              ? "give all its constants one source memory"
              : fmt::format("give {} the source of the others, or another memory at run time",
                            fewest->second.size() == 1
                                ? plan.label(fewest->second.front())
                                : core::plural(fewest->second.size(), "constant")))
          .with(std::move(details)));
}

// Two constant arenas in one memory: blocks name only the memory, so the two are one.
void check_rows(const JudgedPlan& plan, Faults& faults) {
  for (const model::PlannedArena& row : plan.report.arenas) {
    if (row.role != Lifetime::kConstant) {
      continue;
    }
    const auto arena = std::ranges::find_if(plan.arenas, [&](const JudgedArena& at) {
      return at.role == row.role && at.memory == row.memory;
    });
    if (arena->row == &row || arena->row->source_memory == row.source_memory ||
        !faults.wants(Severity::kError, Code::kPlanSource)) {
      continue;
    }
    core::Place place = plan.place_of(*arena);
    place.line = row.line;
    faults.say(core::error(
        Code::kPlanSource,
        fmt::format("there are two constant arenas in {}, one filled from {} and one from {}",
                    shown(row.memory),
                    shown(arena->row->source_memory),
                    shown(row.source_memory)),
        place,
        "a memory has one constant arena, with one source: give one of them another memory"));
  }
}

void check_volatile(const JudgedPlan& plan, const JudgedArena& arena, Faults& faults) {
  const std::string source = plan.source_of(arena);
  const std::string& origin = source.empty() ? arena.memory : source;
  const board::PartMemory* const memory = plan.part_memory(origin);
  if (memory == nullptr || !memory->is_volatile ||
      !faults.wants(Severity::kError, Code::kPlanVolatile)) {
    return;
  }
  std::vector<std::string> others;
  for (const board::PartMemory& other : plan.part->memories) {
    if (!other.is_volatile) {
      others.push_back(shown(other.name));
    }
  }
  core::Diagnostic lost = core::error(
      Code::kPlanVolatile,
      source.empty()
          ? fmt::format(
                "the constants in {} are read where they lie, but it holds nothing when the "
                "power comes",
                shown(arena.memory))
          : fmt::format(
                "the constants in {} are copied from {}, which holds nothing when the power "
                "comes",
                shown(arena.memory),
                shown(source)),
      arena.blocks.empty() ? plan.place_of(arena) : plan.place_of(arena.blocks.front()),
      others.empty()
          ? fmt::format("part {} has no memory that keeps them: load them from outside",
                        shown(plan.part->name))
          : fmt::format("give them a source that keeps them: {}", core::join(others, " or ")));
  for (std::size_t i = 0; i < std::min(arena.blocks.size(), kListedMemories); ++i) {
    lost.details.push_back(plan.label(arena.blocks[i]));
  }
  faults.say(std::move(lost));
}

// A memory that has to be written at run time.
void check_writable(const JudgedPlan& plan, const JudgedArena& arena, Faults& faults) {
  const bool is_written = arena.role != Lifetime::kConstant || !plan.source_of(arena).empty();
  const board::PartMemory* const memory = plan.part_memory(arena.memory);
  const model::PlannedMemory* const known = plan.report_memory(arena.memory);
  const bool is_writable =
      memory != nullptr ? memory->writable : known == nullptr || known->writable.value_or(true);
  if (!is_written || is_writable || !faults.wants(Severity::kError, Code::kPlanMemory)) {
    return;
  }
  std::vector<std::string> others;
  if (memory != nullptr) {
    for (const board::PartMemory& other : plan.part->memories) {
      if (other.writable) {
        others.push_back(shown(other.name));
      }
    }
  }
  faults.say(core::error(Code::kPlanMemory,
                         fmt::format("the {} is written at run time, but {} is read-only",
                                     arena.name(),
                                     shown(arena.memory)),
                         plan.place_of(arena),
                         others.empty() ? "plan it into memory that can be written"
                                        : "plan it into " + core::join(others, " or "))
                 .about({{"arena", arena.name()}}));
}

// A memory that the part does not have.
void check_known(const JudgedPlan& plan, const std::string& memory, Faults& faults) {
  if (plan.part == nullptr || plan.part->memories.empty() || plan.part_memory(memory) != nullptr) {
    return;
  }
  const std::vector<std::string> names =
      core::texts_of(plan.part->memories, &board::PartMemory::name);
  const core::Place place{plan.report.path};
  if (memory == "default") {
    if (faults.wants(Severity::kWarning, Code::kPlanMemory)) {
      faults.say(core::warning(
          Code::kPlanMemory,
          fmt::format("the report does not say which memory its blocks are in: they are held "
                      "against none of part {}",
                      shown(plan.part->name)),
          place,
          "memsize plan --board gives each block one of: " + core::join(names, ", ")));
    }
    return;
  }
  if (!faults.wants(Severity::kError, Code::kPlanMemory)) {
    return;
  }
  faults.say(
      core::error(Code::kPlanMemory,
                  fmt::format("part {} has no memory {}", shown(plan.part->name), shown(memory)),
                  place,
                  core::did_you_mean(memory,
                                     names,
                                     fmt::format("memsize plan REPORT --board {} --json -o PLAN "
                                                 "places the blocks in its memories, which are",
                                                 core::shell_path(plan.part->name))))
          .about({{"memory", memory}}));
}

// Room that some memory has, and what it comes from.
struct Room {
  core::Bytes bytes;
  std::string words;
};

std::optional<Room> hard_room(const JudgedPlan& plan, const std::string& memory) {
  if (const board::PartMemory* const of_part = plan.part_memory(memory); of_part != nullptr) {
    return Room{of_part->window, fmt::format("part {} gives programs", shown(plan.part->name))};
  }
  const model::PlannedMemory* const known = plan.report_memory(memory);
  if (known != nullptr && known->capacity) {
    return Room{*known->capacity, "it has"};
  }
  return std::nullopt;
}

void check_room(const JudgedPlan& plan,
                const std::string& memory,
                const MemoryLoad& load,
                Faults& faults) {
  const auto room = hard_room(plan, memory);
  if (!room) {
    return;
  }
  core::Place place{plan.report.path};
  const model::PlannedMemory* const known = plan.report_memory(memory);
  place.line = known == nullptr ? 0 : known->line;
  const std::string way_out = plan.part == nullptr
                                  ? "plan again: memsize plan finds a lower plan where there is one"
                                  : "plan again for this part: memsize plan --board";
  const auto say = [&](Severity severity, core::Bytes needed, core::Bytes given, std::string what) {
    if (!faults.wants(severity, Code::kPlanBounds)) {
      return;
    }
    core::Diagnostic over = graded(
        severity,
        core::error(
            Code::kPlanBounds,
            fmt::format("memory {} {} {}, but {} {}: {} too much",
                        shown(memory),
                        what,
                        core::format_bytes(needed),
                        room->bytes == given ? room->words : "after what is kept back there are",
                        core::format_bytes(given),
                        core::format_bytes(needed - given)),
            place,
            way_out));
    over.details = load.lines(needed == load.reserved);
    faults.say(std::move(over));
  };
  const board::PartMemory* const of_part = plan.part_memory(memory);
  if (load.used > room->bytes) {
    say(Severity::kError, load.used, room->bytes, "has to hold");
  } else if (load.reserved > room->bytes) {
    say(Severity::kWarning, load.reserved, room->bytes, "is to hold what arenas reserve,");
  } else if (of_part != nullptr && load.used > board::budget_of(*of_part)) {
    say(Severity::kWarning, load.used, board::budget_of(*of_part), "has to hold");
  }
}

// Padding that an arena's end may have.
core::Align end_alignment(const JudgedPlan& plan, const JudgedArena& arena) {
  core::Align align = *core::Align::make(16);
  if (arena.row != nullptr && arena.row->alignment) {
    align = std::max(align, *arena.row->alignment);
  }
  for (const std::size_t i : arena.blocks) {
    align = std::max(align, plan.report.blocks[i].alignment.value_or(core::Align{}));
  }
  return align;
}

void check_total(const JudgedPlan& plan, const JudgedArena& arena, Faults& faults) {
  const model::PlannedArena& row = *arena.row;
  const auto say = [&](Severity severity, std::string message, std::string hint) {
    if (faults.wants(severity, Code::kPlanTotal)) {
      faults.say(
          graded(severity,
                 core::error(
                     Code::kPlanTotal, std::move(message), plan.place_of(arena), std::move(hint))));
    }
  };
  const auto bytes = [](std::uint64_t count) { return core::format_bytes(core::Bytes{count}); };
  if (row.used && row.total && *row.used > *row.total) {
    say(Severity::kError,
        fmt::format("the {} uses {}, but only {} are reserved for it",
                    arena.name(),
                    bytes(row.used->count()),
                    bytes(row.total->count())),
        fmt::format("reserve at least {} B", row.used->count()));
  }
  const bool is_beyond_total = row.total && arena.height > row.total->count();
  if (row.used && arena.height > row.used->count() && !is_beyond_total) {
    say(Severity::kError,
        fmt::format("the {} uses {} as it says, but its blocks reach {}",
                    arena.name(),
                    bytes(row.used->count()),
                    bytes(arena.height)),
        fmt::format("it uses at least {} B", arena.height));
  }
  const std::uint64_t end =
      core::align_up(arena.height, end_alignment(plan, arena)).value_or(UINT64_MAX);
  if (row.used && row.used->count() > end && !arena.blocks.empty() &&
      arena.without_offset.empty() && !plan.report.abridged) {
    say(Severity::kWarning,
        fmt::format("the {} uses {} as it says, but its blocks end at {}",
                    arena.name(),
                    bytes(row.used->count()),
                    bytes(arena.height)),
        "either the report lacks blocks, or bytes are reserved for nothing");
  }
  const auto& height = row.used ? row.used : row.total;
  if (row.lower_bound && height && *row.lower_bound > *height) {
    say(Severity::kError,
        fmt::format("the {} takes {}, less than the least that is said to be possible, {}",
                    arena.name(),
                    bytes(height->count()),
                    bytes(row.lower_bound->count())),
        "one of the two numbers is wrong: plan the arena again");
  }
  if (row.proof == "bound" && row.lower_bound && height && *row.lower_bound < *height) {
    say(Severity::kError,
        fmt::format("the {} is called the least possible, but takes {}, and the bound is {}",
                    arena.name(),
                    bytes(height->count()),
                    bytes(row.lower_bound->count())),
        "plan the arena again");
  }
}

}  // namespace

void check_sources(const JudgedPlan& plan, Faults& faults) {
  check_rows(plan, faults);
  for (const JudgedArena& arena : plan.arenas) {
    if (arena.role == Lifetime::kConstant) {
      check_sources_of(plan, arena, faults);
      check_volatile(plan, arena, faults);
    }
  }
}

void check_charges(const JudgedPlan& plan, Faults& faults) {
  for (const auto& [name, load] : loads_of(plan)) {
    const model::PlannedMemory* const memory = plan.report_memory(name);
    if (memory == nullptr || !memory->used || *memory->used >= load.used) {
      continue;
    }
    // Without the sources it would be right, or too little all the same.
    const core::Bytes arenas = load.used - load.sources;
    const bool is_charge = *memory->used >= arenas;
    const Code code = is_charge ? Code::kPlanCharge : Code::kPlanTotal;
    if (!faults.wants(Severity::kError, code)) {
      continue;
    }
    faults.say(
        core::error(
            code,
            is_charge
                ? fmt::format("memory {} uses {} as it says, without {} that arenas elsewhere are "
                              "filled from: staged constants take room in both memories",
                              shown(name),
                              core::format_bytes(*memory->used),
                              core::format_bytes(load.used - *memory->used))
                : fmt::format("memory {} uses {} as it says, but what lies in it comes to {}",
                              shown(name),
                              core::format_bytes(*memory->used),
                              core::format_bytes(load.used)),
            {plan.report.path, memory->line},
            fmt::format("it uses at least {} B", load.used.count()))
            .with(load.lines()));
  }
}

void check_capacities(const JudgedPlan& plan, Faults& faults) {
  const auto loads = loads_of(plan);
  for (const auto& [name, load] : loads) {
    check_known(plan, name, faults);
    check_room(plan, name, load, faults);
  }
  for (const JudgedArena& arena : plan.arenas) {
    check_writable(plan, arena, faults);
  }
}

void check_totals(const JudgedPlan& plan, Faults& faults) {
  for (const JudgedArena& arena : plan.arenas) {
    if (arena.row != nullptr) {
      check_total(plan, arena, faults);
    } else if (!plan.report.arenas.empty() && !arena.pieces.empty() && !plan.report.abridged &&
               faults.wants(Severity::kWarning, Code::kPlanTotal)) {
      faults.say(
          core::warning(Code::kPlanTotal,
                        fmt::format("{} in a {}, which the report does not list among its arenas",
                                    arena.blocks.size() == 1
                                        ? plan.label(arena.blocks.front()) + " lies"
                                        : core::plural(arena.blocks.size(), "block") + " lie",
                                    arena.name()),
                        plan.place_of(arena.blocks.front()),
                        "either the block's role or memory is wrong, or an arena is missing"));
    }
  }
}

}  // namespace memsize::plan
