// Plans without copies first: what that leaves free in the memory is the room for them. Then every
// other block is told to stay, so that copies push nothing out, and the plan is made again with the
// constants that gain most. Where padding between arenas takes more than was left, there is less
// room, and they are chosen again.
#include "memsize/plan/stage_advice.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

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

class StagePlanner {
 public:
  StagePlanner(const PlanReport& wanted,
               const board::MemorySet& part,
               const PlanOptions& options,
               const StageWishes& wishes)
      : part_(part), options_(options), wishes_(wishes), cold_(wanted) {}

  core::Result<StagedPlan> plan() {
    std::vector<const PartMemory*> memories;
    for (const StageWish& wish : wishes_.memories) {
      const auto memory = memory_of(wish);
      MEMSIZE_TRY(memory);
      memories.push_back(*memory);
    }
    if (auto problem = find_gains(); problem) {
      return core::fail(std::move(*problem));
    }
    unstage();
    auto outcome = make_plan(cold_, part_, options_);
    MEMSIZE_TRY(outcome);
    result_.outcome = std::move(*outcome);
    if (!result_.outcome.shortages.empty()) {
      return std::move(result_);
    }
    pin();
    for (std::size_t i = 0; i < memories.size(); ++i) {
      const auto done = stage(*memories[i], wishes_.memories[i]);
      MEMSIZE_TRY(done);
    }
    result_.outcome.diagnostics.insert(
        result_.outcome.diagnostics.end(), notes_.begin(), notes_.end());
    return std::move(result_);
  }

 private:
  // --- wishes

  core::Result<const PartMemory*> memory_of(const StageWish& wish) const {
    const auto can = [](const PartMemory& memory) { return memory.writable && memory.base; };
    if (wish.memory.empty()) {
      const PartMemory* best = nullptr;
      for (const PartMemory& memory : part_.memories) {
        if (can(memory) && !memory.by_rule && (best == nullptr || memory.cost < best->cost)) {
          best = &memory;
        }
      }
      if (best != nullptr) {
        return best;
      }
      return core::fail(core::error(
          Code::kPlanMemory,
          fmt::format("part '{}' has no memory that constants could be copied to", part_.name)));
    }
    const PartMemory* memory = core::find_in(part_.memories, wish.memory, &PartMemory::name);
    if (memory != nullptr && can(*memory)) {
      return memory;
    }
    std::vector<std::string> names;
    for (const PartMemory& each : part_.memories) {
      if (can(each)) {
        names.push_back(each.name);
      }
    }
    return core::fail(core::error(
        Code::kPlanMemory,
        memory != nullptr
            ? fmt::format(
                  "--stage: nothing can be copied to '{}' of part '{}'", wish.memory, part_.name)
            : fmt::format("--stage: part '{}' has no memory '{}'",
                          part_.name,
                          core::printable(wish.memory, 60)),
        {},
        core::did_you_mean(wish.memory, names, "constants are copied to")));
  }

  // --- gains

  /// Of roots, by block.
  std::optional<core::Diagnostic> find_gains() {
    roots_ = model::roots_of(cold_.blocks);
    for (std::size_t i = 0; i < cold_.blocks.size(); ++i) {
      by_id_.emplace(cold_.blocks[i].id, i);
    }
    gains_.assign(cold_.blocks.size(), 0);
    if (wishes_.memories.empty()) {
      return std::nullopt;
    }
    if (wishes_.profiles.empty()) {
      count_reads();
      return std::nullopt;
    }
    if (cold_.network.operators.empty()) {
      return core::error(
                 Code::kPlanRule,
                 fmt::format("a profile is of operators, and {} does not say what they read",
                             core::printable(cold_.path, 300)),
                 {},
                 "name the model (.tflite) or heliaAOT's operator manifest, too")
          .of_option("--profile");
    }
    return count_cycles();
  }

  // The largest constant that the operator reads: what is small beside it (a bias) is read far less
  // than it for each byte of it.
  [[nodiscard]] std::optional<std::size_t> weights_of(const model::Operator& each) const {
    std::optional<std::size_t> largest;
    for (const std::string& id : each.reads) {
      const auto found = by_id_.find(id);
      const PlannedBlock* root = found == by_id_.end() ? nullptr : roots_[found->second];
      if (root == nullptr || root->role != Lifetime::kConstant) {
        continue;
      }
      const auto index = static_cast<std::size_t>(root - cold_.blocks.data());
      if (!largest || cold_.blocks[*largest].size < root->size) {
        largest = index;
      }
    }
    return largest;
  }

  void count_reads() {
    result_.measure = StageMeasure::kRanks;
    if (cold_.network.operators.empty()) {
      for (std::size_t i = 0; i < gains_.size(); ++i) {
        if (roots_[i] == &cold_.blocks[i] && cold_.blocks[i].role == Lifetime::kConstant) {
          gains_[i] = static_cast<double>(cold_.blocks[i].uses.value_or(1)) *
                      static_cast<double>(cold_.blocks[i].size.count());
        }
      }
    }
    for (const model::Operator& each : cold_.network.operators) {
      // What a run reads once, it reads as fast as the copy would have been made.
      if (const auto weights = weights_of(each); weights && each.passes != 1) {
        gains_[*weights] += static_cast<double>(std::max<std::uint64_t>(each.passes, 1)) *
                            static_cast<double>(cold_.blocks[*weights].size.count());
      }
    }
    for (const double gain : gains_) {
      result_.whole += gain;
    }
    notes_.push_back(core::note(
        Code::kPlanStage,
        "without a profile, gains follow from the part's ranks, bytes, and how often a run reads "
        "them; what a run reads once stays cold",
        {},
        "--profile takes a helia-profiler profile_results.csv"));
  }

  std::optional<core::Diagnostic> count_cycles() {
    result_.measure =
        wishes_.profiles.size() > 1 ? StageMeasure::kSavedCycles : StageMeasure::kCycles;
    std::map<std::string_view, std::uint64_t> staged;
    for (const model::LayerTime& layer : wishes_.profiles.back()) {
      staged.emplace(layer.name, layer.total);
    }
    std::unordered_map<std::string_view, const model::Operator*> operators;
    for (const model::Operator& each : cold_.network.operators) {
      operators.emplace(each.id, &each);
    }
    std::vector<std::string> strangers;
    std::size_t unknown = 0;
    std::size_t unpaired = 0;
    for (const model::LayerTime& layer : wishes_.profiles.front()) {
      result_.whole += static_cast<double>(layer.total);
      const auto found = operators.find(layer.name);
      if (found == operators.end()) {
        if (++unknown <= kMostListed) {
          strangers.push_back(fmt::format("'{}'", core::printable(layer.name, 40)));
        }
        continue;
      }
      const auto weights = weights_of(*found->second);
      if (!weights) {
        continue;
      }
      const auto after = staged.find(layer.name);
      unpaired += after == staged.end() ? 1U : 0U;
      const bool is_saved = result_.measure == StageMeasure::kSavedCycles;
      if (!is_saved) {
        gains_[*weights] += static_cast<double>(layer.total);
      } else if (after != staged.end() && after->second < layer.total) {
        gains_[*weights] += static_cast<double>(layer.total - after->second);
      }
    }
    if (unknown == wishes_.profiles.front().size()) {
      return core::error(Code::kPlanRule,
                         fmt::format("the profile is of another model: none of its operators is in "
                                     "{}",
                                     core::printable(cold_.path, 300)),
                         {},
                         "its ids are those of heliaAOT's manifest: give the profile of this model")
          .of_option("--profile");
    }
    if (unknown != 0) {
      notes_.push_back(core::warning(Code::kPlanStage,
                                     fmt::format("the profile has {} that the model has not: {}{}",
                                                 core::plural(unknown, "operator"),
                                                 core::join(strangers, ", "),
                                                 unknown > kMostListed ? ", ..." : ""),
                                     {cold_.path},
                                     "their cycles count as nobody's"));
    }
    if (unpaired != 0) {
      notes_.push_back(
          core::warning(Code::kPlanStage,
                        fmt::format("the second profile lacks {} that the first has",
                                    core::plural(unpaired, "operator")),
                        {},
                        "they count as if staging saved nothing: give two runs of the same model"));
    }
    notes_.push_back(core::note(
        Code::kPlanStage,
        "what staging gains is assumed to add up: an operator's cycles are those of its largest "
        "constant; copying costs one pass at start-up, and the source cannot be switched off",
        {},
        result_.measure == StageMeasure::kCycles
            ? "a second --profile, of a run with all constants staged, says what it saves"
            : "a third run, with these staged, shows it"));
    return std::nullopt;
  }

  // --- plans

  [[nodiscard]] bool is_ruled(const PlannedBlock& block) const {
    const TensorAttributes rule = attributes_of(options_.rules, block.role, block.id);
    return !rule.memory.empty() || !rule.constant_destination_memory.empty();
  }

  void unstage() {
    for (PlannedBlock& block : cold_.blocks) {
      if (block.role == Lifetime::kConstant && is_staged(block) && !is_ruled(block)) {
        block.memory = std::exchange(block.source_memory, {});
      }
    }
  }

  // What is no constant stays where it is without copies.
  void pin() {
    std::map<std::pair<Lifetime, std::string>, std::vector<std::string>> ids;
    for (std::size_t i = 0; i < cold_.blocks.size(); ++i) {
      const PlannedBlock& block = result_.outcome.plan.blocks[i];
      if (block.role != Lifetime::kConstant && roots_[i] == &cold_.blocks[i]) {
        ids[{block.role, block.memory}].push_back(block.id);
      }
    }
    for (auto& [where, list] : ids) {
      options_.rules.tensors.push_back(
          {.type = where.first, .ids = std::move(list), .attributes = {.memory = where.second}});
    }
  }

  // Constants that lie cold in the memory that has most of what would be gained; an arena has one
  // source, which one that is there already has said.
  std::vector<std::size_t> candidates(const PartMemory& to, std::string& source) const {
    const PlanReport& plan = result_.outcome.plan;
    std::map<std::string, double> gains;
    std::map<std::string, std::vector<std::size_t>> by_source;
    for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
      const PlannedBlock& block = plan.blocks[i];
      const bool may = block.role == Lifetime::kConstant && gains_[i] > 0 &&
                       block.size > core::Bytes{} && !is_staged(block) && block.memory != to.name &&
                       !is_ruled(block);
      const PartMemory* from =
          may ? core::find_in(part_.memories, block.memory, &PartMemory::name) : nullptr;
      if (from != nullptr && !from->is_volatile && from->cost > to.cost) {
        gains[block.memory] += gains_[i];
        by_source[block.memory].push_back(i);
      }
    }
    for (const model::PlannedArena& arena : plan.arenas) {
      if (arena.role == Lifetime::kConstant && arena.memory == to.name) {
        source = arena.source_memory.empty() ? arena.memory : arena.source_memory;
      }
    }
    if (source.empty() && !gains.empty()) {
      source =
          std::ranges::max_element(gains, {}, &std::pair<const std::string, double>::second)->first;
    }
    return by_source[source];
  }

  [[nodiscard]] core::Bytes free_in(const std::string& memory) const {
    const auto* found =
        core::find_in(result_.outcome.plan.memories, memory, &model::PlannedMemory::name);
    return found == nullptr || !found->capacity || !found->used || *found->capacity < *found->used
               ? core::Bytes{}
               : *found->capacity - *found->used;
  }

  core::Result<void> stage(const PartMemory& to, const StageWish& wish) {
    StageAdvice advice{.memory = to.name};
    const std::vector<std::size_t> blocks = candidates(to, advice.source_memory);
    std::vector<StagedConstant> constants;
    for (const std::size_t block : blocks) {
      const PlannedBlock& one = cold_.blocks[block];
      const core::Align alignment =
          std::max({part_.alignment, one.alignment.value_or(core::Align{}), slot_alignment(to)});
      constants.push_back({block, core::align_up(one.size, alignment), gains_[block]});
    }
    std::uint64_t room = std::min(free_in(to.name), wish.limit.value_or(free_in(to.name))).count();
    for (std::size_t i = 0; i < kMostTries; ++i) {
      choose(constants, room, advice);
      if (advice.staged.empty()) {
        break;
      }
      PlanOptions options = options_;
      options.rules.tensors.push_back(rule_for(advice));
      auto outcome = make_plan(cold_, part_, options);
      MEMSIZE_TRY(outcome);
      if (outcome->shortages.empty()) {
        options_.rules = std::move(options.rules);
        result_.outcome = std::move(*outcome);
        break;
      }
      core::Bytes short_of{1};
      for (const Shortage& shortage : outcome->shortages) {
        short_of = std::max(short_of, shortage.needed - shortage.budget);
      }
      room -= std::min(room, short_of.count());
      advice.staged.clear();
    }
    if (advice.staged.empty() && advice.source_memory == to.name) {
      advice.source_memory.clear();
    }
    result_.advice.push_back(std::move(advice));
    return {};
  }

  // Rules may ask for more of a memory.
  [[nodiscard]] core::Align slot_alignment(const PartMemory& to) const {
    core::Align alignment;
    for (const MemoryConstraint& constraint : options_.rules.constraints) {
      if (constraint.memory == to.name) {
        alignment = constraint.arena_alignment.value_or(alignment);
      }
    }
    return alignment;
  }

  static void choose(const std::vector<StagedConstant>& constants,
                     std::uint64_t room,
                     StageAdvice& advice) {
    std::vector<StageItem> items;
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

  [[nodiscard]] TensorRule rule_for(const StageAdvice& advice) const {
    TensorRule rule{.type = Lifetime::kConstant,
                    .attributes = {.memory = advice.source_memory,
                                   .constant_destination_memory = advice.memory}};
    for (const StagedConstant& one : advice.staged) {
      rule.ids.push_back(cold_.blocks[one.block].id);
    }
    return rule;
  }

  const board::MemorySet& part_;
  PlanOptions options_;
  const StageWishes& wishes_;
  /// What is wanted, with the constants that no rule is about where they come from.
  PlanReport cold_;
  std::vector<const PlannedBlock*> roots_;
  std::unordered_map<std::string_view, std::size_t> by_id_;
  /// By block; of constants with bytes of their own.
  std::vector<double> gains_;
  core::Diagnostics notes_;
  StagedPlan result_;
};

}  // namespace

core::Result<StagedPlan> plan_staged(const PlanReport& wanted,
                                     const board::MemorySet& part,
                                     const PlanOptions& options,
                                     const StageWishes& wishes) {
  return StagePlanner{wanted, part, options, wishes}.plan();
}

}  // namespace memsize::plan
