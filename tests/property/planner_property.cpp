#include "planner_property.hpp"

#include "memsize/emit/plan_files.hpp"
#include "memsize/plan/check_plan.hpp"
#include "memsize/plan/named_planners.hpp"
#include "memsize/plan/planner.hpp"

#include "plan_judge.hpp"
#include "random_plans.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::judge {

namespace {

using model::PlannedBlock;
using model::PlanReport;
using plan::PlanOutcome;

constexpr std::size_t kMostBlocks = 6;
constexpr std::array kMemories = {"near", "far"};

struct Problem {
  PlanReport wanted;
  board::MemorySet part;
};

board::PartMemory memory_of(std::string name, std::uint64_t size, std::uint64_t alignment) {
  board::PartMemory memory;
  memory.name = std::move(name);
  memory.hardware = core::Bytes{size};
  memory.window = core::Bytes{size};
  memory.arena_alignment = *core::Align::make(alignment);
  return memory;
}

PlannedBlock block_of(std::string id, const plan::Buffer& buffer) {
  PlannedBlock block;
  block.id = std::move(id);
  block.memory = "default";
  block.live = model::Interval{buffer.lower, buffer.upper};
  block.size = buffer.size;
  if (buffer.alignment.value() > 1) {
    block.alignment = buffer.alignment;
  }
  return block;
}

// Scratch blocks only, so that a memory is full when its one arena is.
Problem random_problem(RandomPlans& random) {
  Problem problem;
  const Buffers buffers = random.small(kMostBlocks);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    problem.wanted.blocks.push_back(block_of(fmt::format("b{}", i), buffers[i]));
  }
  problem.wanted.path = "random";
  problem.wanted.format = "random";
  if (random.chance(30)) {
    problem.part.alignment = *core::Align::make(std::uint64_t{1} << random.below(5));
  }
  // Together about as large as what is wanted. Each is a multiple of what its arenas are, so that
  // an arena that is rounded up fits where its blocks do.
  const std::uint64_t alive = most_alive(buffers);
  for (const char* const name : kMemories) {
    const std::uint64_t alignment = std::uint64_t{1} << (random.chance(60) ? 0 : random.below(5));
    const std::uint64_t size = 1 + random.below(alive + alive / 4 + 2);
    problem.part.memories.push_back(
        memory_of(name, (size + alignment - 1) / alignment * alignment, alignment));
    problem.part.memories.back().cost = problem.part.memories.size() == 1 ? 1 : 4;
  }
  return problem;
}

// As the planner has to see a block in that memory.
plan::Buffer buffer_in(const Problem& problem, std::size_t block) {
  const PlannedBlock& wanted = problem.wanted.blocks[block];
  plan::Buffer buffer;
  buffer.lower = wanted.live->lower;
  buffer.upper = wanted.live->upper;
  buffer.size = wanted.size;
  buffer.alignment = std::max(wanted.alignment.value_or(core::Align{}), problem.part.alignment);
  return buffer;
}

Buffers buffers_of(const Problem& problem, std::size_t subset) {
  Buffers buffers;
  for (std::size_t i = 0; i < problem.wanted.blocks.size(); ++i) {
    if ((subset >> i & 1U) != 0) {
      buffers.push_back(buffer_in(problem, i));
    }
  }
  return buffers;
}

// Whether some blocks can go to the first memory and all others to the second.
bool fits(const Problem& problem, std::size_t may_be_near, std::size_t may_be_far) {
  const std::size_t all = (std::size_t{1} << problem.wanted.blocks.size()) - 1;
  for (std::size_t near = 0; near <= all; ++near) {
    const std::size_t far = all & ~near;
    if ((near & ~may_be_near) == 0 && (far & ~may_be_far) == 0 &&
        *least_height(buffers_of(problem, near)) <= problem.part.memories[0].window.count() &&
        *least_height(buffers_of(problem, far)) <= problem.part.memories[1].window.count()) {
      return true;
    }
  }
  return false;
}

std::string text_of(const Problem& problem) {
  std::string text;
  for (const board::PartMemory& memory : problem.part.memories) {
    text += fmt::format("{}: {} B, arenas at {}, slots at {}\n",
                        memory.name,
                        memory.window.count(),
                        memory.arena_alignment.value(),
                        problem.part.alignment.value());
  }
  text += "id,lower,upper,size,alignment,memory,offset\n";
  for (const PlannedBlock& block : problem.wanted.blocks) {
    const model::Interval live = block.live.value_or(model::Interval{});
    text += fmt::format("{},{},{},{},{},{},{}\n",
                        block.id,
                        live.lower,
                        live.upper,
                        block.size.count(),
                        block.alignment.value_or(core::Align{}).value(),
                        block.memory,
                        block.offset ? fmt::format("{}", block.offset->count()) : "");
  }
  return text;
}

// What of a plan anybody can see to be wrong, whether everything fits or not.
std::string fault_of(const Problem& problem, const PlanOutcome& outcome) {
  const std::vector<PlannedBlock>& blocks = outcome.plan.blocks;
  if (blocks.size() != problem.wanted.blocks.size()) {
    return "blocks came or went";
  }
  std::map<std::string, std::pair<Buffers, Offsets>> arenas;
  for (const PlannedBlock& block : blocks) {
    const auto wanted = std::ranges::find_if(
        problem.wanted.blocks, [&](const PlannedBlock& one) { return one.id == block.id; });
    if (wanted == problem.wanted.blocks.end() || wanted->size != block.size ||
        wanted->live != block.live || wanted->role != block.role) {
      return fmt::format("'{}' is not what was wanted", block.id);
    }
    if (!block.offset) {
      if (outcome.shortages.empty()) {
        return fmt::format("'{}' has no place", block.id);
      }
      continue;
    }
    const auto index = static_cast<std::size_t>(wanted - problem.wanted.blocks.begin());
    auto& [buffers, offsets] = arenas[block.memory];
    buffers.push_back(buffer_in(problem, index));
    offsets.push_back(block.offset->count());
  }
  for (const auto& [name, arena] : arenas) {
    const auto& [buffers, offsets] = arena;
    std::string fault = judge::fault_of(buffers, offsets);
    if (!fault.empty()) {
      return name + ": " + fault;
    }
    const std::string& searched = name;
    const auto memory = std::ranges::find_if(
        problem.part.memories, [&](const board::PartMemory& one) { return one.name == searched; });
    if (memory == problem.part.memories.end()) {
      return "there is no memory " + name;
    }
    const std::uint64_t height = height_of(buffers, offsets);
    if (outcome.shortages.empty() && height > memory->window.count()) {
      return fmt::format("{} is overfull", name);
    }
    const auto row = std::ranges::find_if(outcome.plan.arenas, [&](const model::PlannedArena& one) {
      return one.memory == searched;
    });
    if (row == outcome.plan.arenas.end() || row->used != core::Bytes{height}) {
      return fmt::format("the arena in {} is {} high", name, height);
    }
  }
  return {};
}

std::string shortage_fault(const PlanOutcome& outcome) {
  for (const plan::Shortage& shortage : outcome.shortages) {
    if (shortage.needed <= shortage.budget) {
      return fmt::format("{} needs {} and has {}",
                         shortage.memory,
                         shortage.needed.count(),
                         shortage.budget.count());
    }
    if (shortage.remedies.empty() || shortage.largest.empty() || shortage.largest.size() > 5) {
      return "a shortage is not explained";
    }
    for (const auto& listed : {shortage.live, shortage.largest}) {
      for (std::size_t i = 0; i < listed.size(); ++i) {
        if (listed[i] >= outcome.plan.blocks.size() ||
            (i > 0 &&
             outcome.plan.blocks[listed[i]].size > outcome.plan.blocks[listed[i - 1]].size)) {
          return "a shortage lists blocks wrongly";
        }
      }
    }
  }
  return {};
}

class Test {
 public:
  Test(std::uint64_t seed, std::uint64_t count) : first_seed_(seed), count_(count) {}

  void run();
  void check_hostile();

  [[nodiscard]] std::uint64_t failures() const { return failures_; }

 private:
  void require(bool holds, const Problem& problem, const std::string& what);
  std::optional<PlanOutcome> planned(const Problem& problem, const plan::PlanOptions& options);
  void check_assignment(const Problem& problem, RandomPlans& random);
  void check_kept(Problem problem, RandomPlans& random);
  void check_offsets(Problem problem, RandomPlans& random);
  void check_order(const Problem& problem, RandomPlans& random);
  void check_named(const Problem& problem);

  std::uint64_t first_seed_;
  std::uint64_t count_;
  std::uint64_t seed_ = 0;
  std::uint64_t failures_ = 0;
  std::uint64_t fitting_ = 0;
};

void Test::require(bool holds, const Problem& problem, const std::string& what) {
  constexpr std::uint64_t kShown = 10;
  if (holds || ++failures_ > kShown) {
    return;
  }
  fmt::print("planner, seed {}: {}\n{}\n", seed_, what, text_of(problem));
}

std::optional<PlanOutcome> Test::planned(const Problem& problem, const plan::PlanOptions& options) {
  auto outcome = plan::make_plan(problem.wanted, problem.part, options);
  if (!outcome) {
    require(false, problem, "cannot be planned: " + outcome.error().front().message);
    return std::nullopt;
  }
  const std::string fault = fault_of(problem, *outcome);
  require(fault.empty(), problem, fault);
  const std::string shortage = shortage_fault(*outcome);
  require(shortage.empty(), problem, shortage);
  if (fault.empty() && outcome->shortages.empty()) {
    for (const core::Diagnostic& found : plan::check_plan(outcome->plan, &problem.part)) {
      require(found.severity != core::Severity::kError, problem, "check_plan: " + found.message);
    }
  }
  return std::move(*outcome);
}

void Test::check_assignment(const Problem& problem, RandomPlans& random) {
  const std::size_t all = (std::size_t{1} << problem.wanted.blocks.size()) - 1;
  const bool expected = fits(problem, all, all);
  fitting_ += expected ? 1U : 0U;
  const auto outcome = planned(problem, {});
  if (!outcome) {
    return;
  }
  require(outcome->shortages.empty() == expected,
          problem,
          expected ? "it fits, but no plan is found" : "it cannot fit, but nothing is short");
  if (expected && problem.wanted.blocks.size() > 1) {
    Problem smaller = problem;
    PlannedBlock& block = smaller.wanted.blocks[random.below(smaller.wanted.blocks.size())];
    block.size = core::Bytes{random.below(block.size.count() + 1)};
    const auto less = planned(smaller, {});
    require(less && less->shortages.empty(), smaller, "it fitted before a block shrank");
  }
}

// Blocks whose memory is decided already.
void Test::check_kept(Problem problem, RandomPlans& random) {
  std::size_t may_be_near = 0;
  std::size_t may_be_far = 0;
  for (std::size_t i = 0; i < problem.wanted.blocks.size(); ++i) {
    const std::size_t bit = std::size_t{1} << i;
    const std::size_t memory = random.below(2);
    problem.wanted.blocks[i].memory = kMemories[memory];
    (memory == 0 ? may_be_near : may_be_far) |= bit;
  }
  plan::PlanOptions options;
  options.keep_memories = true;
  const auto outcome = planned(problem, options);
  if (!outcome) {
    return;
  }
  const bool expected = fits(problem, may_be_near, may_be_far);
  require(outcome->shortages.empty() == expected,
          problem,
          expected ? "kept: it fits, but no plan is found" : "kept: it cannot fit");
  for (std::size_t i = 0; i < problem.wanted.blocks.size() && expected; ++i) {
    const PlannedBlock& wanted = problem.wanted.blocks[i];
    const auto& blocks = outcome->plan.blocks;
    require(std::ranges::any_of(blocks,
                                [&](const PlannedBlock& block) {
                                  return block.id == wanted.id && block.memory == wanted.memory;
                                }),
            problem,
            fmt::format("'{}' did not stay in its memory", wanted.id));
  }
}

// One memory, and a plan of it that comes back with some blocks fixed.
void Test::check_offsets(Problem problem, RandomPlans& random) {
  problem.part.memories.resize(1);
  problem.part.memories[0].window = core::Bytes{std::uint64_t{1} << 61U};
  problem.part.memories[0].hardware = problem.part.memories[0].window;
  const auto first = planned(problem, {});
  if (!first || !first->shortages.empty()) {
    require(false, problem, "2^61 bytes are not enough");
    return;
  }
  Problem again = problem;
  again.wanted.blocks = first->plan.blocks;
  plan::PlanOptions options;
  if (random.chance(50)) {
    options.keep_offsets = true;
  } else {
    for (const PlannedBlock& block : again.wanted.blocks) {
      if (random.chance(50)) {
        options.fixed.push_back(block.id);
      }
    }
  }
  const auto second = planned(again, options);
  if (!second || !second->shortages.empty()) {
    require(false, again, "a plan fed back does not fit");
    return;
  }
  for (std::size_t i = 0; i < again.wanted.blocks.size(); ++i) {
    const PlannedBlock& block = again.wanted.blocks[i];
    const bool kept =
        options.keep_offsets || std::ranges::find(options.fixed, block.id) != options.fixed.end();
    const auto after = std::ranges::find_if(
        second->plan.blocks, [&](const PlannedBlock& one) { return one.id == block.id; });
    require(!kept || after->offset == block.offset,
            again,
            fmt::format("'{}' is fixed, but moved", block.id));
  }
}

// The order in which a report has its blocks means nothing.
void Test::check_order(const Problem& problem, RandomPlans& random) {
  Problem mixed = problem;
  const std::vector<std::size_t> order = random.order(problem.wanted.blocks.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    mixed.wanted.blocks[i] = problem.wanted.blocks[order[i]];
  }
  const auto text = [&](const Problem& one) {
    auto outcome = planned(one, {});
    if (!outcome) {
      return std::string{};
    }
    std::ranges::sort(outcome->plan.blocks,
                      [](const PlannedBlock& a, const PlannedBlock& b) { return a.id < b.id; });
    return emit::plan_json(outcome->plan);
  };
  require(text(problem) == text(mixed), problem, "in another order, it is another plan");
}

// Planners of other tools are held to no more than they promise.
void Test::check_named(const Problem& problem) {
  Problem one = problem;
  one.part.memories.resize(1);
  for (const plan::NamedPlannerRow& row : plan::named_planners()) {
    plan::PlanOptions options;
    options.planner = row.name;
    const bool knows_alignment = row.planner != plan::NamedPlanner::kFirstFit;
    if (knows_alignment) {
      (void)planned(one, options);
      continue;
    }
    const auto outcome = plan::make_plan(one.wanted, one.part, options);
    if (!outcome) {
      require(false, one, options.planner + " cannot plan this");
      continue;
    }
    for (PlannedBlock& block : one.wanted.blocks) {
      block.alignment.reset();
    }
    one.part.alignment = core::Align{};
    Buffers buffers;
    Offsets offsets;
    for (std::size_t i = 0; i < one.wanted.blocks.size(); ++i) {
      buffers.push_back(buffer_in(one, i));
      offsets.push_back(outcome->plan.blocks[i].offset.value_or(core::Bytes{}).count());
    }
    const std::string fault = judge::fault_of(buffers, offsets);
    require(fault.empty(), problem, options.planner + ": " + fault);
  }
}

void Test::run() {
  for (std::uint64_t i = 0; i < count_; ++i) {
    seed_ = first_seed_ + i;
    RandomPlans random{seed_};
    Problem problem = random_problem(random);
    check_assignment(problem, random);
    check_order(problem, random);
    check_named(problem);
    if (i % 2 == 0) {
      check_kept(problem, random);
    } else {
      check_offsets(std::move(problem), random);
    }
  }
  fmt::print("{} problems of two memories from seed {}: {} fit\n", count_, first_seed_, fitting_);
  if (count_ >= 100 && (fitting_ < count_ / 5 || fitting_ > count_ - count_ / 10)) {
    ++failures_;
    fmt::print("they show too little\n");
  }
}

// What no reader would hand over: errors or plans, never anything else.
void Test::check_hostile() {
  constexpr std::array<std::uint64_t, 8> kSizes = {0,
                                                   1,
                                                   (std::uint64_t{1} << 61U) + 1,
                                                   (std::uint64_t{1} << 62U) - 1,
                                                   std::uint64_t{1} << 62U,
                                                   (std::uint64_t{1} << 62U) + 1,
                                                   std::uint64_t{1} << 63U,
                                                   UINT64_MAX};
  constexpr std::array<std::int64_t, 7> kSteps = {
      INT64_MIN, -model::kLastStep, -1, 0, 1, model::kLastStep, INT64_MAX};
  constexpr std::array<std::uint64_t, 4> kAlignments = {
      1, 16, std::uint64_t{1} << 62U, std::uint64_t{1} << 63U};
  for (std::uint64_t i = 0; i < count_; ++i) {
    seed_ = first_seed_ + i;
    RandomPlans random{seed_};
    Problem problem;
    const std::size_t blocks = 1 + random.below(4);
    for (std::size_t block = 0; block < blocks; ++block) {
      plan::Buffer buffer;
      buffer.size = core::Bytes{kSizes[random.below(kSizes.size())]};
      buffer.lower = kSteps[random.below(kSteps.size())];
      buffer.upper = kSteps[random.below(kSteps.size())];
      buffer.alignment = *core::Align::make(kAlignments[random.below(kAlignments.size())]);
      problem.wanted.blocks.push_back(block_of(fmt::format("b{}", block), buffer));
      PlannedBlock& made = problem.wanted.blocks.back();
      if (random.chance(20)) {
        made.offset = core::Bytes{kSizes[random.below(kSizes.size())]};
      }
      if (random.chance(20)) {
        made.role = model::Lifetime::kPersistent;
      }
      if (random.chance(10)) {
        made.alias_of = fmt::format("b{}", random.below(5));
      }
    }
    const std::uint64_t memories = random.below(3);
    for (std::uint64_t memory = 0; memory < memories; ++memory) {
      problem.part.memories.push_back(memory_of(
          kMemories[memory], kSizes[random.below(kSizes.size())], kAlignments[random.below(4)]));
    }
    plan::PlanOptions options;
    options.keep_offsets = random.chance(50);
    options.limits.steps = 10'000;
    const auto outcome = plan::make_plan(problem.wanted, problem.part, options);
    if (!outcome) {
      require(!outcome.error().empty() && !outcome.error().front().message.empty(),
              problem,
              "an error says nothing");
      continue;
    }
    (void)plan::check_plan(outcome->plan, &problem.part);
    (void)emit::plan_json(outcome->plan);
    for (const PlannedBlock& block : outcome->plan.blocks) {
      require(!outcome->shortages.empty() || !block.offset ||
                  *block.offset + block.size <= model::kLargestPlan,
              problem,
              fmt::format("'{}' ends beyond any memory", block.id));
    }
  }
}

}  // namespace

std::uint64_t check_planner(std::uint64_t seed, std::uint64_t count) {
  Test test{seed, count};
  test.run();
  test.check_hostile();
  return test.failures();
}

}  // namespace memsize::judge
