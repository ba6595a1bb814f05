// Plans without copies first: what that leaves free in the memory is the room for them. Then every
// other block is told to stay, so that copies push nothing out, and the plan is made again with the
// constants that gain most. Where padding between arenas takes more than was left, there is less
// room, and they are chosen again.
#include "memsize/plan/stage_advice.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "rule_index.hpp"
#include "stage_choice.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace memsize::plan {

namespace {

using board::PartMemory;
using core::Code;
using model::Lifetime;
using model::PlannedBlock;
using model::PlanReport;

constexpr std::size_t kMostListed = 5;
// Each try has less room; padding between four arenas is all that can be missing.
constexpr std::size_t kMostTries = 8;

bool is_staged(const PlannedBlock& block) {
  return !block.source_memory.empty() && block.source_memory != block.memory;
}

// --- wishes

core::Result<const PartMemory*> memory_of(const board::MemorySet& part, const StageWish& wish) {
  const auto can = [](const PartMemory& memory) { return memory.writable && memory.base; };
  if (wish.memory.empty()) {
    const PartMemory* best = nullptr;
    for (const PartMemory& memory : part.memories) {
      if (can(memory) && !memory.by_rule && (best == nullptr || memory.cost < best->cost)) {
        best = &memory;
      }
    }
    if (best != nullptr) {
      return best;
    }
    return core::fail(core::error(
        Code::kPlanMemory,
        fmt::format("part '{}' has no memory that constants could be copied to", part.name)));
  }
  const PartMemory* memory = core::find_in(part.memories, wish.memory, &PartMemory::name);
  if (memory != nullptr && can(*memory)) {
    return memory;
  }
  std::vector<std::string> names;
  for (const PartMemory& each : part.memories) {
    if (can(each)) {
      names.push_back(each.name);
    }
  }
  return core::fail(core::error(
      Code::kPlanMemory,
      memory != nullptr
          ? fmt::format(
                "--stage: nothing can be copied to '{}' of part '{}'", wish.memory, part.name)
          : fmt::format("--stage: part '{}' has no memory '{}'",
                        part.name,
                        core::printable(wish.memory, 60)),
      {},
      core::did_you_mean(wish.memory, names, "constants are copied to")));
}

// --- gains

using Roots = std::vector<const PlannedBlock*>;

struct Gains {
  StageMeasure measure = StageMeasure::kRanks;
  /// Of constants with bytes of their own.
  std::vector<double> by_block;
  /// All that there is to gain.
  double whole = 0;
  core::Diagnostics notes;
};

class Weights {
 public:
  Weights(const PlanReport& plan, const Roots& roots) : plan_(plan), roots_(roots) {
    for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
      by_id_.emplace(plan.blocks[i].id, i);
    }
  }

  /// The largest constant that the operator reads: what is small beside it (a bias) is read far
  /// less than it for each byte of it.
  [[nodiscard]] std::optional<std::size_t> of(const model::Operator& each) const {
    std::optional<std::size_t> largest;
    for (const std::string& id : each.reads) {
      const auto found = by_id_.find(id);
      const PlannedBlock* root = found == by_id_.end() ? nullptr : roots_[found->second];
      if (root == nullptr || root->role != Lifetime::kConstant) {
        continue;
      }
      const auto index = static_cast<std::size_t>(root - plan_.blocks.data());
      if (!largest || plan_.blocks[*largest].size < root->size) {
        largest = index;
      }
    }
    return largest;
  }

 private:
  const PlanReport& plan_;
  const Roots& roots_;
  std::unordered_map<std::string_view, std::size_t> by_id_;
};

Gains gains_by_reads(const PlanReport& plan, const Roots& roots) {
  Gains gains{.by_block = std::vector<double>(plan.blocks.size(), 0)};
  if (plan.network.operators.empty()) {
    for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
      const PlannedBlock& block = plan.blocks[i];
      if (roots[i] == &block && block.role == Lifetime::kConstant) {
        gains.by_block[i] =
            static_cast<double>(block.uses.value_or(1)) * static_cast<double>(block.size.count());
      }
    }
  }
  const Weights weights{plan, roots};
  for (const model::Operator& each : plan.network.operators) {
    // What a run reads once, it reads as fast as the copy would have been made.
    if (const auto read = weights.of(each); read && each.passes != 1) {
      gains.by_block[*read] += static_cast<double>(std::max<std::uint64_t>(each.passes, 1)) *
                               static_cast<double>(plan.blocks[*read].size.count());
    }
  }
  for (const double gain : gains.by_block) {
    gains.whole += gain;
  }
  gains.notes.push_back(core::note(
      Code::kPlanStage,
      "without a profile, gains follow from the part's ranks, bytes, and how often a run reads "
      "them; what a run reads once stays cold",
      {},
      "--profile takes a helia-profiler profile_results.csv"));
  return gains;
}

// What the profiles and the model do not have of each other.
struct Unmatched {
  std::vector<std::string> strangers;
  std::size_t unknown = 0;
  std::size_t unpaired = 0;
};

core::Diagnostics notes_on(const Unmatched& unmatched,
                           const std::string& path,
                           StageMeasure measure) {
  core::Diagnostics notes;
  if (unmatched.unknown != 0) {
    notes.push_back(core::warning(Code::kPlanStage,
                                  fmt::format("the profile has {} that the model has not: {}{}",
                                              core::plural(unmatched.unknown, "operator"),
                                              core::join(unmatched.strangers, ", "),
                                              unmatched.unknown > kMostListed ? ", ..." : ""),
                                  {path},
                                  "their cycles count as nobody's"));
  }
  if (unmatched.unpaired != 0) {
    notes.push_back(
        core::warning(Code::kPlanStage,
                      fmt::format("the second profile lacks {} that the first has",
                                  core::plural(unmatched.unpaired, "operator")),
                      {},
                      "they count as if staging saved nothing: give two runs of the same model"));
  }
  notes.push_back(core::note(
      Code::kPlanStage,
      "what staging gains is assumed to add up: an operator's cycles are those of its largest "
      "constant; copying costs one pass at start-up, and the source cannot be switched off",
      {},
      measure == StageMeasure::kCycles
          ? "a second --profile, of a run with all constants staged, says what it saves"
          : "a third run, with these staged, shows it"));
  return notes;
}

core::Diagnostic other_model(const std::string& path) {
  return core::error(Code::kPlanRule,
                     fmt::format("the profile is of another model: none of its operators is in {}",
                                 core::printable(path, 300)),
                     {},
                     "its ids are those of heliaAOT's manifest: give the profile of this model")
      .of_option("--profile");
}

core::Result<Gains> gains_by_cycles(const PlanReport& plan,
                                    const Roots& roots,
                                    const std::vector<std::vector<model::LayerTime>>& profiles) {
  const bool is_saved = profiles.size() > 1;
  Gains gains{.measure = is_saved ? StageMeasure::kSavedCycles : StageMeasure::kCycles,
              .by_block = std::vector<double>(plan.blocks.size(), 0)};
  std::map<std::string_view, std::uint64_t> staged;
  for (const model::LayerTime& layer : profiles.back()) {
    staged.emplace(layer.name, layer.total);
  }
  std::unordered_map<std::string_view, const model::Operator*> operators;
  for (const model::Operator& each : plan.network.operators) {
    operators.emplace(each.id, &each);
  }
  const Weights weights{plan, roots};
  Unmatched unmatched;
  for (const model::LayerTime& layer : profiles.front()) {
    gains.whole += static_cast<double>(layer.total);
    const auto found = operators.find(layer.name);
    if (found == operators.end()) {
      if (++unmatched.unknown <= kMostListed) {
        unmatched.strangers.push_back(fmt::format("'{}'", core::printable(layer.name, 40)));
      }
      continue;
    }
    const auto read = weights.of(*found->second);
    if (!read) {
      continue;
    }
    const std::uint64_t* after = core::value_in(staged, layer.name);
    unmatched.unpaired += after == nullptr ? 1U : 0U;
    if (!is_saved) {
      gains.by_block[*read] += static_cast<double>(layer.total);
    } else if (after != nullptr && *after < layer.total) {
      gains.by_block[*read] += static_cast<double>(layer.total - *after);
    }
  }
  if (unmatched.unknown == profiles.front().size()) {
    return core::fail(other_model(plan.path));
  }
  gains.notes = notes_on(unmatched, plan.path, gains.measure);
  return gains;
}

core::Result<Gains> gains_of(const PlanReport& plan,
                             const Roots& roots,
                             const StageWishes& wishes) {
  if (wishes.memories.empty()) {
    return Gains{};
  }
  if (wishes.profiles.empty()) {
    return gains_by_reads(plan, roots);
  }
  if (plan.network.operators.empty()) {
    return core::fail(
        core::error(Code::kPlanRule,
                    fmt::format("a profile is of operators, and {} does not say what they read",
                                core::printable(plan.path, 300)),
                    {},
                    "name the model (.tflite) or heliaAOT's operator manifest, too")
            .of_option("--profile"));
  }
  return gains_by_cycles(plan, roots, wishes.profiles);
}

// --- plans

bool is_ruled(const RuleIndex& rules, const PlannedBlock& block) {
  const TensorAttributes rule = rules.of(block.role, block.id);
  return !rule.memory.empty() || !rule.constant_destination_memory.empty();
}

// Constants that no rule is about are where they come from.
void unstage(PlanReport& plan, const RuleIndex& rules) {
  for (PlannedBlock& block : plan.blocks) {
    if (block.role == Lifetime::kConstant && is_staged(block) && !is_ruled(rules, block)) {
      block.memory = std::exchange(block.source_memory, {});
    }
  }
}

// What is no constant stays where `plan` has it.
void pin(const PlanReport& plan, std::vector<TensorRule>& rules) {
  const Roots roots = model::roots_of(plan.blocks);
  std::map<std::pair<Lifetime, std::string>, std::vector<std::string>> ids;
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    const PlannedBlock& block = plan.blocks[i];
    if (block.role != Lifetime::kConstant && roots[i] == &block) {
      ids[{block.role, block.memory}].push_back(block.id);
    }
  }
  for (auto& [where, list] : ids) {
    rules.push_back(
        {.type = where.first, .ids = std::move(list), .attributes = {.memory = where.second}});
  }
}

// Constants of one memory, and what may be gained by copying each.
struct Candidates {
  std::string source;
  std::vector<std::size_t> blocks;
};

// Those that lie cold in the memory that has most of what would be gained; an arena has one source,
// which one that is there already has said.
Candidates candidates_for(const PartMemory& to,
                          const PlanReport& plan,
                          const std::vector<double>& gains,
                          const board::MemorySet& part,
                          const RuleIndex& rules) {
  std::map<std::string, double> by_source;
  std::map<std::string, std::vector<std::size_t>> blocks;
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    const PlannedBlock& block = plan.blocks[i];
    const bool may = block.role == Lifetime::kConstant && gains[i] > 0 &&
                     block.size > core::Bytes{} && !is_staged(block) && block.memory != to.name &&
                     !is_ruled(rules, block);
    const PartMemory* from =
        may ? core::find_in(part.memories, block.memory, &PartMemory::name) : nullptr;
    if (from != nullptr && !from->is_volatile && from->cost > to.cost) {
      by_source[block.memory] += gains[i];
      blocks[block.memory].push_back(i);
    }
  }
  std::string source;
  for (const model::PlannedArena& arena : plan.arenas) {
    if (arena.role == Lifetime::kConstant && arena.memory == to.name) {
      source = arena.source_memory.empty() ? arena.memory : arena.source_memory;
    }
  }
  if (source.empty() && !by_source.empty()) {
    source =
        std::ranges::max_element(by_source, {}, &decltype(by_source)::value_type::second)->first;
  }
  return {source, std::move(blocks[source])};
}

core::Bytes free_in(const PlanReport& plan, const std::string& memory) {
  const auto* found = core::find_in(plan.memories, memory, &model::PlannedMemory::name);
  return found == nullptr || !found->capacity || !found->used || *found->capacity < *found->used
             ? core::Bytes{}
             : *found->capacity - *found->used;
}

// Rules may ask for more of a memory.
core::Align slot_alignment(const PartMemory& to, const Rules& rules) {
  core::Align alignment;
  for (const MemoryConstraint& constraint : rules.constraints) {
    if (constraint.memory == to.name) {
      alignment = constraint.arena_alignment.value_or(alignment);
    }
  }
  return alignment;
}

void choose_constants(const std::vector<StagedConstant>& constants,
                      std::uint64_t room,
                      StageAdvice& advice) {
  std::vector<StageItem> items;
  items.reserve(constants.size());
  for (const StagedConstant& one : constants) {
    items.push_back({one.size.count(), one.gain});
  }
  const StageChoice choice = choose_staged(items, room);
  advice.is_best = choice.is_best;
  advice.staged.clear();
  advice.next.reset();
  std::uint64_t left = room;
  for (const std::size_t taken : choice.taken) {
    advice.staged.push_back(constants[taken]);
    left -= items[taken].size;
  }
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const bool is_cold = !std::ranges::binary_search(choice.taken, i);
    if (is_cold && (!advice.next || constants[i].gain > advice.next->gain)) {
      advice.next = constants[i];
      advice.missing = core::Bytes{items[i].size - std::min(items[i].size, left)};
    }
  }
}

TensorRule rule_for(const StageAdvice& advice, const PlanReport& cold) {
  TensorRule rule{
      .type = Lifetime::kConstant,
      .attributes = {.memory = advice.source_memory, .constant_destination_memory = advice.memory}};
  for (const StagedConstant& one : advice.staged) {
    rule.ids.push_back(cold.blocks[one.block].id);
  }
  return rule;
}

// By how much the largest shortage is one, at least 1.
std::uint64_t excess_of(const std::vector<Shortage>& shortages) {
  core::Bytes most{1};
  for (const Shortage& shortage : shortages) {
    most = std::max(most, shortage.needed - shortage.budget);
  }
  return most.count();
}

// Chooses what is copied to `to`. The rules in `options` get one about it, and `outcome` becomes
// the plan with it.
core::Result<StageAdvice> stage(const PartMemory& to,
                                std::optional<core::Bytes> limit,
                                const PlanReport& cold,
                                const std::vector<double>& gains,
                                const board::MemorySet& part,
                                PlanOptions& options,
                                PlanOutcome& outcome) {
  const Candidates candidates =
      candidates_for(to, outcome.plan, gains, part, RuleIndex{options.rules});
  StageAdvice advice{.memory = to.name, .source_memory = candidates.source};
  const core::Align least = std::max(part.alignment, slot_alignment(to, options.rules));
  std::vector<StagedConstant> constants;
  for (const std::size_t block : candidates.blocks) {
    const PlannedBlock& one = cold.blocks[block];
    const core::Align alignment = std::max(least, one.alignment.value_or(core::Align{}));
    constants.push_back({block, core::align_up(one.size, alignment), gains[block]});
  }
  const core::Bytes left = free_in(outcome.plan, to.name);
  std::uint64_t room = std::min(left, limit.value_or(left)).count();
  for (std::size_t i = 0; i < kMostTries; ++i) {
    choose_constants(constants, room, advice);
    if (advice.staged.empty()) {
      break;
    }
    PlanOptions with = options;
    with.with_remedies = false;
    with.rules.tensors.push_back(rule_for(advice, cold));
    auto tried = make_plan(cold, part, with);
    MEMSIZE_TRY(tried);
    if (tried->shortages.empty()) {
      options.rules = std::move(with.rules);
      outcome = std::move(*tried);
      break;
    }
    room -= std::min(room, excess_of(tried->shortages));
    advice.staged.clear();
  }
  if (advice.staged.empty() && advice.source_memory == to.name) {
    advice.source_memory.clear();
  }
  return advice;
}

}  // namespace

core::Result<StagedPlan> plan_staged(const PlanReport& wanted,
                                     const board::MemorySet& part,
                                     const PlanOptions& options,
                                     const StageWishes& wishes) {
  std::vector<const PartMemory*> memories;
  for (const StageWish& wish : wishes.memories) {
    const auto memory = memory_of(part, wish);
    MEMSIZE_TRY(memory);
    memories.push_back(*memory);
  }
  const auto gains = gains_of(wanted, model::roots_of(wanted.blocks), wishes);
  MEMSIZE_TRY(gains);
  PlanReport cold = wanted;
  unstage(cold, RuleIndex{options.rules});
  auto outcome = make_plan(cold, part, options);
  MEMSIZE_TRY(outcome);
  StagedPlan result{
      .outcome = std::move(*outcome), .measure = gains->measure, .whole = gains->whole};
  if (!result.outcome.shortages.empty()) {
    return result;
  }
  PlanOptions pinned = options;
  pin(result.outcome.plan, pinned.rules.tensors);
  for (std::size_t i = 0; i < memories.size(); ++i) {
    auto advice = stage(*memories[i],
                        wishes.memories[i].limit,
                        cold,
                        gains->by_block,
                        part,
                        pinned,
                        result.outcome);
    MEMSIZE_TRY(advice);
    result.advice.push_back(std::move(*advice));
  }
  result.outcome.diagnostics.insert(
      result.outcome.diagnostics.end(), gains->notes.begin(), gains->notes.end());
  return result;
}

}  // namespace memsize::plan
