// The checks of single blocks and arenas: chains of aliases, alignments, ends, heights against what
// must be. check_plan() calls them and those of overlaps and memories in order.
#include "memsize/plan/check_plan.hpp"

#include "memsize/core/text.hpp"

#include "collisions.hpp"
#include "judged_plan.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

namespace memsize::plan {

namespace {

using core::Code;
using core::Severity;
using model::Lifetime;
using model::PlannedBlock;

constexpr std::size_t kListed = 5;

std::string listed(const JudgedPlan& plan, const std::vector<std::size_t>& blocks) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(blocks.size(), kListed); ++i) {
    names.push_back(plan.label(blocks[i]));
  }
  if (blocks.size() > kListed) {
    names.push_back(fmt::format("{} more", blocks.size() - kListed));
  }
  return core::join(names, ", ");
}

using Index = std::unordered_map<std::string_view, std::size_t>;

void say_circle(const JudgedPlan& plan, std::size_t begin, const Index& index, Faults& faults) {
  std::vector<std::size_t> circle;
  std::size_t at = begin;
  do {
    circle.push_back(at);
    at = index.at(plan.report.blocks[at].alias_of);
  } while (at != begin);
  faults.say(core::error(
      Code::kPlanAlias,
      circle.size() == 1
          ? fmt::format("{} is an alias of itself", plan.label(begin))
          : fmt::format("{} are aliases of each other in a circle", listed(plan, circle)),
      plan.place_of(begin),
      "one of them has to have bytes of its own"));
}

// Blocks whose aliases lead nowhere or in a circle; a circle is told once.
void check_alias_chains(const JudgedPlan& plan, Faults& faults) {
  const auto& blocks = plan.report.blocks;
  if (std::ranges::find(plan.roots, nullptr) == plan.roots.end()) {
    return;
  }
  Index index;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    index.emplace(blocks[i].id, i);
  }
  // The number of the walk that came by first; 0: none did.
  std::vector<std::size_t> walk_of(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    std::size_t at = i;
    while (plan.roots[at] == nullptr && walk_of[at] == 0) {
      walk_of[at] = i + 1;
      const auto next = index.find(blocks[at].alias_of);
      if (next == index.end()) {
        if (faults.wants(Severity::kError, Code::kPlanAlias)) {
          faults.say(
              core::error(Code::kPlanAlias,
                          fmt::format("{} uses the bytes of '{}', but there is no such block",
                                      plan.label(at),
                                      core::printable(blocks[at].alias_of, 80)),
                          plan.place_of(at),
                          "name a block of the report, or give it bytes of its own")
                  .about({{"block", plan.label(at)}, {"block", blocks[at].alias_of}}));
        }
        break;
      }
      at = next->second;
      if (walk_of[at] == i + 1 && faults.wants(Severity::kError, Code::kPlanAlias)) {
        say_circle(plan, at, index, faults);
      }
    }
  }
}

// Aliases that are not where the block is whose bytes they use.
void check_alias_places(const JudgedPlan& plan, Faults& faults) {
  const auto& blocks = plan.report.blocks;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t root_index = plan.root_of(i);
    if (root_index == i) {
      continue;
    }
    const PlannedBlock& block = blocks[i];
    const PlannedBlock& root = blocks[root_index];
    std::string wrong;
    if (block.role != root.role || block.memory != root.memory) {
      wrong = fmt::format("lies in the {} arena in '{}', and that in the {} arena in '{}'",
                          model::name_of(block.role),
                          core::printable(block.memory, 80),
                          model::name_of(root.role),
                          core::printable(root.memory, 80));
    } else if (block.size > root.size) {
      wrong = fmt::format("has {} B, and that only {} B", block.size.count(), root.size.count());
    } else if (block.offset && root.offset) {
      const PlacedBuffer own{0, 1, block.offset->count(), block.size.count()};
      const PlacedBuffer other{0, 1, root.offset->count(), root.size.count()};
      if (own.offset < other.offset || end_of(own) > end_of(other)) {
        wrong = fmt::format("lies at {}, and that at {}", bytes_text(own), bytes_text(other));
      }
    }
    if (!wrong.empty() && faults.wants(Severity::kError, Code::kPlanAlias)) {
      core::Diagnostic alias =
          core::error(
              Code::kPlanAlias,
              fmt::format("{} is to use the bytes of {}, but it {}",
                          plan.label(i),
                          plan.label(root_index),
                          wrong),
              plan.place_of(i),
              "an alias lies inside the block whose bytes it uses; else it needs bytes of its own")
              .about({{"block", plan.label(i)}, {"block", plan.label(root_index)}});
      const core::Place place = plan.place_of(root_index);
      if (place.line != 0 && place.line != plan.place_of(i).line) {
        alias.related.push_back({place, fmt::format("{} is here", plan.label(root_index))});
      }
      faults.say(std::move(alias));
    }
  }
}

void check_slots(const JudgedPlan& plan, const JudgedArena& arena, Faults& faults) {
  const core::Align slots = plan.part != nullptr ? plan.part->alignment : core::Align{};
  for (const std::size_t i : arena.blocks) {
    const PlannedBlock& block = plan.report.blocks[i];
    const core::Align own = block.alignment.value_or(core::Align{});
    const core::Align wanted = std::max(own, slots);
    // An alias that only looks into the middle of a block lies where the block wants it.
    if (!block.offset || block.size.count() == 0 || core::is_aligned(*block.offset, wanted) ||
        (plan.root_of(i) != i && core::is_aligned(*block.offset, own))) {
      continue;
    }
    if (!faults.wants(Severity::kError, Code::kPlanAlignment)) {
      continue;
    }
    const std::uint64_t offset = block.offset->count();
    const std::uint64_t below = offset & ~(wanted.value() - 1);
    const auto above = core::align_up(offset, wanted);
    faults.say(
        core::error(Code::kPlanAlignment,
                    fmt::format("{} lies at {} of the {}, which is no multiple of {}{}",
                                plan.label(i),
                                offset,
                                arena.name(),
                                wanted.value(),
                                own == wanted ? ", its alignment"
                                              : fmt::format(": part '{}' needs that of every block",
                                                            core::printable(plan.part->name, 80))),
                    plan.place_of(i),
                    above ? fmt::format("the nearest multiples are {} and {}", below, *above)
                          : fmt::format("the nearest multiple is {}", below))
            .about({{"block", plan.label(i)}}));
  }
}

// What no slot can make good: the base of the arena.
void check_base(const JudgedPlan& plan, const JudgedArena& arena, Faults& faults) {
  if (arena.row == nullptr || !arena.row->alignment) {
    return;
  }
  const core::Align base = *arena.row->alignment;
  const board::PartMemory* const memory = plan.part_memory(arena.memory);
  if (memory != nullptr && base < memory->arena_alignment &&
      faults.wants(Severity::kError, Code::kPlanAlignment)) {
    faults.say(core::error(Code::kPlanAlignment,
                           fmt::format("the {} is aligned to {}, but part '{}' needs {} for arenas "
                                       "in that memory",
                                       arena.name(),
                                       base.value(),
                                       core::printable(plan.part->name, 80),
                                       memory->arena_alignment.value()),
                           plan.place_of(arena),
                           fmt::format("align the arena to {}", memory->arena_alignment.value()))
                   .about({{"arena", arena.name()}}));
  }
  std::vector<std::size_t> stricter;
  core::Align strictest = base;
  for (const std::size_t i : arena.blocks) {
    const auto& own = plan.report.blocks[i].alignment;
    if (own && *own > base) {
      stricter.push_back(i);
      strictest = std::max(strictest, *own);
    }
  }
  if (!stricter.empty() && faults.wants(Severity::kError, Code::kPlanAlignment)) {
    faults.say(
        core::error(
            Code::kPlanAlignment,
            fmt::format(
                "the {} is aligned to {}, but holds {} {}: an offset cannot make good what the "
                "base lacks",
                arena.name(),
                base.value(),
                stricter.size() == 1 ? std::string{"a block that needs"}
                                     : fmt::format("{} blocks that need up to", stricter.size()),
                strictest.value()),
            plan.place_of(arena),
            fmt::format("align the arena to {}", strictest.value()))
            .with({listed(plan, stricter)}));
  }
}

void check_memory_bases(const JudgedPlan& plan, Faults& faults) {
  for (const model::PlannedMemory& memory : plan.report.memories) {
    if (!memory.base || !memory.alignment ||
        core::is_aligned(memory.base->value(), *memory.alignment) ||
        !faults.wants(Severity::kError, Code::kPlanAlignment)) {
      continue;
    }
    faults.say(core::error(Code::kPlanAlignment,
                           fmt::format("memory '{}' begins at {}, which is no multiple of {}, its "
                                       "alignment",
                                       core::printable(memory.name, 80),
                                       core::format_address(*memory.base),
                                       memory.alignment->value()),
                           {plan.report.path, memory.line},
                           "correct its base or its alignment in what describes the memories")
                   .about({{"memory", memory.name}}));
  }
}

// Blocks that reach out of what is reserved for their arena.
void check_ends(const JudgedPlan& plan, const JudgedArena& arena, Faults& faults) {
  if (arena.row == nullptr || !arena.row->total || arena.height <= arena.row->total->count()) {
    return;
  }
  const std::uint64_t total = arena.row->total->count();
  for (const std::size_t i : arena.blocks) {
    const PlannedBlock& block = plan.report.blocks[i];
    if (!block.offset) {
      continue;
    }
    const PlacedBuffer at{0, 1, block.offset->count(), block.size.count()};
    if (end_of(at) <= total || !faults.wants(Severity::kError, Code::kPlanBounds)) {
      continue;
    }
    core::Diagnostic beyond =
        core::error(
            Code::kPlanBounds,
            fmt::format("{} lies at {}, but the {} ends at {}: {} B are outside",
                        plan.label(i),
                        bytes_text(at),
                        arena.name(),
                        total,
                        end_of(at) - std::max(total, at.offset)),
            plan.place_of(i),
            fmt::format("reserve at least {} B for the arena, or plan it again: memsize plan",
                        arena.height))
            .about({{"block", plan.label(i)}, {"arena", arena.name()}});
    const core::Place place = plan.place_of(arena);
    if (place.line != 0 && place.line != plan.place_of(i).line) {
      beyond.related.push_back({place, "the arena is here"});
    }
    faults.say(std::move(beyond));
  }
}

// What could not be looked at, because the report does not say it.
void check_planned(const JudgedPlan& plan, Faults& faults) {
  const auto say = [&](const std::string& what, const core::Place& place, const char* hint) {
    if (faults.wants(Severity::kWarning, Code::kPlanUnplanned)) {
      faults.say(core::warning(Code::kPlanUnplanned, what, place, hint));
    }
  };
  std::vector<std::size_t> without_offset;
  std::vector<std::size_t> without_lifetime;
  for (const JudgedArena& arena : plan.arenas) {
    const auto add = [](const std::vector<std::size_t>& from, std::vector<std::size_t>& to) {
      to.insert(to.end(), from.begin(), from.end());
    };
    if (arena.role == model::Lifetime::kScratch || !plan.report.plans_scratch_alone) {
      add(arena.without_offset, without_offset);
    }
    add(arena.without_lifetime, without_lifetime);
  }
  const std::size_t count = plan.report.blocks.size();
  const core::Place whole{plan.report.path};
  if (count == 0) {
    const auto& said = plan.report.diagnostics;
    const bool is_told = std::ranges::any_of(
        said, [](const auto& diagnostic) { return diagnostic.code == Code::kPlanAbridged; });
    if (!is_told) {
      say("the report has no blocks: only totals, sources and capacities were looked at",
          whole,
          "give the report that lists where each tensor lies, too");
    }
    return;
  }
  if (without_offset.size() == count) {
    say("no block has an offset: this is what is to be planned, not a plan",
        whole,
        "memsize plan makes one of it");
  } else if (!without_offset.empty()) {
    say(fmt::format("{} of {} blocks {} no offset, so nothing was looked at for them: {}",
                    without_offset.size(),
                    count,
                    without_offset.size() == 1 ? "has" : "have",
                    listed(plan, without_offset)),
        plan.place_of(without_offset.front()),
        "memsize plan --keep places them beside the others");
  }
  if (!without_lifetime.empty()) {
    say(fmt::format("the report does not say when {} scratch {} alive, so it is not known whether "
                    "they share bytes: {}",
                    without_lifetime.size(),
                    without_lifetime.size() == 1 ? "block is" : "blocks are",
                    listed(plan, without_lifetime)),
        plan.place_of(without_lifetime.front()),
        "name the report that lists operators and their tensors beside it, such as heliaAOT's "
        "operator manifest");
  }
}

// No plan is lower than what lives at once. Where every block is a multiple of some alignment
// away from the base, all but the highest of those that live at once are rounded up to it.
ArenaHeight height_of(const JudgedPlan& plan, const JudgedArena& arena) {
  ArenaHeight height{.role = arena.role, .memory = arena.memory};
  height.height = core::Bytes{arena.height};
  height.is_complete = arena.is_complete() && !plan.report.abridged && arena.twins.empty();
  core::Align align = *core::Align::make(std::uint64_t{1} << 62);
  for (const std::size_t i : arena.blocks) {
    height.blocks += plan.root_of(i) == i ? 1U : 0U;
    align = std::min(align, plan.report.blocks[i].alignment.value_or(core::Align{}));
  }
  std::vector<PlacedBuffer> buffers;
  for (const Piece& piece : arena.pieces) {
    buffers.push_back(piece.at);
  }
  const Peak peak = peak_of(buffers);
  height.step = peak.step;
  std::uint64_t most_padding = 0;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    PlacedBuffer& buffer = buffers[i];
    // What begins inside of a block begins anywhere.
    const auto& offset = plan.report.blocks[arena.pieces[i].block].offset;
    const bool is_aligned = offset && core::is_aligned(buffer.offset - offset->count(), align);
    const std::uint64_t rounded =
        is_aligned ? core::align_up(buffer.size, align).value_or(buffer.size) : buffer.size;
    most_padding = std::max(most_padding, rounded - buffer.size);
    buffer.size = rounded;
  }
  height.least = core::Bytes{peak.bytes};
  if (most_padding != 0) {
    height.least =
        std::max(height.least, core::Bytes{peak_of(buffers).bytes} - core::Bytes{most_padding});
  }
  // A block takes all of its bytes of the arena, whatever it needs of them.
  for (const std::size_t i : arena.blocks) {
    height.least = std::max(height.least, plan.report.blocks[i].size);
  }
  return height;
}

// A block lives as long as what lies in its bytes.
std::unordered_map<const PlannedBlock*, PlacedBuffer> lives_of(
    const model::PlanReport& report, const std::vector<const PlannedBlock*>& roots) {
  std::unordered_map<const PlannedBlock*, PlacedBuffer> lives;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const auto& live = report.blocks[i].live;
    if (roots[i] != nullptr && live) {
      const PlacedBuffer alive{live->lower, live->upper, 0, roots[i]->size.count()};
      PlacedBuffer& buffer = lives.emplace(roots[i], alive).first->second;
      buffer.lower = std::min(buffer.lower, alive.lower);
      buffer.upper = std::max(buffer.upper, alive.upper);
    }
  }
  return lives;
}

LeastBytes least_by(const model::PlanReport& report,
                    const std::function<std::string(const PlannedBlock&)>& memory_of) {
  const auto roots = model::roots_of(report.blocks);
  const auto lives = lives_of(report, roots);
  LeastBytes least;
  std::map<std::string, std::vector<PlacedBuffer>> scratch;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const PlannedBlock& block = report.blocks[i];
    if (roots[i] != &block) {
      continue;
    }
    const std::string memory = memory_of(block);
    core::Bytes& bytes = least[{block.role, memory}];
    if (block.role != Lifetime::kScratch) {
      bytes += block.size;
      continue;
    }
    // All of it lies in the arena, whatever is needed of it.
    bytes = std::max(bytes, block.size);
    const auto live = lives.find(&block);
    if (live != lives.end() && block.windows.empty()) {
      scratch[memory].push_back(live->second);
    }
    for (const model::Window& window : block.windows) {
      const core::Bytes size = window.end - window.begin;
      scratch[memory].push_back({window.live.lower, window.live.upper, 0, size.count()});
    }
  }
  for (const auto& [memory, buffers] : scratch) {
    core::Bytes& bytes = least[{Lifetime::kScratch, memory}];
    bytes = std::max(bytes, core::Bytes{peak_of(buffers).bytes});
  }
  return least;
}

void tell_gaps(const JudgedPlan& plan, Faults& faults) {
  for (const JudgedArena& arena : plan.arenas) {
    const bool is_proved =
        arena.row != nullptr && (arena.row->proof == "bound" || arena.row->proof == "exhausted");
    if (arena.role != Lifetime::kScratch || is_proved) {
      continue;
    }
    const ArenaHeight height = height_of(plan, arena);
    if (!height.is_complete || height.height <= height.least ||
        !faults.wants(Severity::kNote, Code::kPlanGap)) {
      continue;
    }
    faults.say(core::note(
        Code::kPlanGap,
        fmt::format("the {} takes {}; no plan takes less than {}, which is alive in step {}",
                    arena.name(),
                    core::format_bytes(height.height),
                    core::format_bytes(height.least),
                    height.step),
        plan.place_of(arena),
        "memsize plan looks for the lowest plan"));
  }
}

}  // namespace

LeastBytes least_sizes(const model::PlanReport& report) {
  return least_by(report, [](const PlannedBlock& root) { return root.memory; });
}

LeastBytes least_sizes_together(const model::PlanReport& report) {
  return least_by(report, [](const PlannedBlock& /*any*/) { return std::string{}; });
}

std::vector<ArenaHeight> heights_of(const model::PlanReport& report) {
  const JudgedPlan plan{report, nullptr};
  std::vector<ArenaHeight> heights;
  for (const JudgedArena& arena : plan.arenas) {
    if (!arena.blocks.empty()) {
      heights.push_back(height_of(plan, arena));
    }
  }
  return heights;
}

core::Diagnostics check_plan(const model::PlanReport& report, const board::MemorySet* part) {
  const JudgedPlan plan{report, part};
  Faults faults{report.path};
  check_alias_chains(plan, faults);
  check_alias_places(plan, faults);
  check_overlaps(plan, faults);
  check_outputs(plan, faults);
  for (const JudgedArena& arena : plan.arenas) {
    check_slots(plan, arena, faults);
    check_base(plan, arena, faults);
    check_ends(plan, arena, faults);
  }
  check_memory_bases(plan, faults);
  check_sources(plan, faults);
  check_charges(plan, faults);
  check_capacities(plan, faults);
  check_totals(plan, faults);
  check_planned(plan, faults);
  tell_gaps(plan, faults);
  return faults.finish();
}

}  // namespace memsize::plan
