#include "memsize/plan/planner.hpp"

#include "memsize/plan/check_plan.hpp"

#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::plan::planner_test {

namespace {

using core::Bytes;
using core::Code;
using model::Lifetime;
using model::PlannedArena;
using model::PlannedBlock;
using model::PlanReport;

PlannedBlock scratch(std::string id,
                     std::int64_t lower,
                     std::int64_t upper,
                     std::uint64_t size,
                     std::uint64_t alignment = 1) {
  PlannedBlock block;
  block.id = std::move(id);
  block.memory = "default";
  block.live = model::Interval{lower, upper};
  block.size = Bytes{size};
  block.alignment = core::Align::make(alignment);
  return block;
}

PlannedBlock always(Lifetime role, std::string id, std::uint64_t size) {
  PlannedBlock block;
  block.id = std::move(id);
  block.memory = "default";
  block.role = role;
  block.size = Bytes{size};
  return block;
}

PlannedBlock constant(std::string id, std::uint64_t size) {
  return always(Lifetime::kConstant, std::move(id), size);
}

PlannedBlock alias(PlannedBlock block, std::string of) {
  block.alias_of = std::move(of);
  return block;
}

PlanReport report_of(std::vector<PlannedBlock> blocks) {
  PlanReport report;
  report.path = "model.csv";
  report.blocks = std::move(blocks);
  return report;
}

board::PartMemory memory(std::string name, std::uint64_t size, std::uint32_t cost) {
  board::PartMemory made;
  made.name = std::move(name);
  made.hardware = Bytes{size};
  made.window = Bytes{size};
  made.base = core::PhysAddr{std::uint64_t{cost} << 28};
  made.cost = cost;
  return made;
}

// dtcm, sram, mram (keeps its content, read-only), psram (by rule).
board::MemorySet part(std::uint64_t dtcm, std::uint64_t sram, std::uint64_t mram = 1 << 20) {
  board::MemorySet set;
  set.name = "zx9";
  set.memories = {memory("dtcm", dtcm, 1), memory("sram", sram, 2), memory("mram", mram, 4)};
  set.memories[2].writable = false;
  set.memories[2].is_volatile = false;
  set.memories.push_back(memory("psram", 1 << 22, 8));
  set.memories[3].is_volatile = false;
  set.memories[3].by_rule = true;
  return set;
}

Rules rules_of(const std::string& text) {
  const auto rules = read_rules(text, "rules.yaml");
  REQUIRE_MESSAGE(rules.has_value(), test::all_text(rules.error()));
  return *rules;
}

PlanOutcome plan_of(const PlanReport& report,
                    const board::MemorySet& set = {},
                    const PlanOptions& options = {}) {
  const auto outcome = make_plan(report, set, options);
  REQUIRE_MESSAGE(outcome.has_value(), test::all_text(outcome.error()));
  // The checker, which shares no code with the planner, finds nothing but what does not fit.
  core::Diagnostics faults = check_plan(outcome->plan, set.memories.empty() ? nullptr : &set);
  if (!outcome->shortages.empty()) {
    std::erase_if(faults, [](const auto& fault) { return fault.code == Code::kPlanBounds; });
  }
  CHECK_MESSAGE(!core::has_errors(faults), test::all_text(faults));
  return *outcome;
}

PlanOutcome plan_by(const PlanReport& report,
                    const board::MemorySet& set,
                    const std::string& rules) {
  PlanOptions options;
  options.rules = rules_of(rules);
  return plan_of(report, set, options);
}

core::Diagnostic error_of(const PlanReport& report,
                          const board::MemorySet& set = {},
                          const PlanOptions& options = {}) {
  const auto outcome = make_plan(report, set, options);
  REQUIRE_FALSE(outcome.has_value());
  return outcome.error().front();
}

core::Diagnostic error_by(const PlanReport& report,
                          const board::MemorySet& set,
                          const std::string& rules) {
  PlanOptions options;
  options.rules = rules_of(rules);
  return error_of(report, set, options);
}

const PlannedBlock& block_of(const PlanOutcome& outcome, const std::string& id) {
  const auto found = std::ranges::find_if(
      outcome.plan.blocks, [&](const PlannedBlock& block) { return block.id == id; });
  REQUIRE(found != outcome.plan.blocks.end());
  return *found;
}

const PlannedArena* arena_of(const PlanOutcome& outcome, Lifetime role, const std::string& memory) {
  const auto found = std::ranges::find_if(outcome.plan.arenas, [&](const PlannedArena& arena) {
    return arena.role == role && arena.memory == memory;
  });
  return found == outcome.plan.arenas.end() ? nullptr : &*found;
}

std::uint64_t used_of(const PlanOutcome& outcome, const std::string& name) {
  const auto found = std::ranges::find_if(outcome.plan.memories,
                                          [&](const auto& memory) { return memory.name == name; });
  REQUIRE(found != outcome.plan.memories.end());
  return found->used->count();
}

}  // namespace

// --- one memory

TEST_SUITE_BEGIN("plan");

TEST_CASE("one memory without a limit: the least height, and what that proves") {
  // A chain alternates bottom and top; the largest first does not find that.
  const PlanReport report = report_of({scratch("a", 0, 2, 9),
                                       scratch("b", 1, 3, 18),
                                       scratch("c", 2, 4, 36),
                                       scratch("d", 3, 5, 18),
                                       scratch("e", 4, 6, 36)});
  const PlanOutcome outcome = plan_of(report);
  REQUIRE(outcome.plan.arenas.size() == 1);
  const PlannedArena& arena = outcome.plan.arenas.front();
  CHECK(arena.used == Bytes{54});
  CHECK(arena.lower_bound == Bytes{54});
  CHECK(arena.proof == "bound");
  CHECK(arena.memory == "default");
  CHECK(arena.block_count == 5);
  CHECK(arena.region_id == 0);
  CHECK(outcome.shortages.empty());
  CHECK_FALSE(outcome.infeasible);
}

TEST_CASE("ARES's published vector comes out by its own rule, and lower without it") {
  const PlanReport report = report_of({scratch("input_quant", 0, 1, 784),
                                       scratch("conv1", 0, 2, 12544),
                                       scratch("conv2", 1, 3, 6272),
                                       scratch("conv3", 2, 4, 6272),
                                       scratch("conv4", 3, 5, 784),
                                       scratch("gap", 4, 6, 16),
                                       scratch("fc", 5, 6, 40)});
  PlanOptions options;
  options.planner = "first-fit";
  const PlanOutcome ares = plan_of(report, {}, options);
  CHECK(ares.plan.arenas.front().used == Bytes{18816});
  CHECK(block_of(ares, "conv1").offset == Bytes{0});
  CHECK(block_of(ares, "input_quant").offset == Bytes{12544});
  CHECK(block_of(ares, "conv4").offset == Bytes{6272});
  CHECK(block_of(ares, "fc").offset == Bytes{16});
  CHECK(ares.plan.planner == "first-fit");
  CHECK(plan_of(report).plan.arenas.front().used == Bytes{18816});
  options.planner = "frist-fit";
  CHECK(error_of(report, {}, options).hint == "did you mean 'first-fit'?");
}

TEST_CASE("the order of a report decides nothing") {
  test::Random random{7};
  std::vector<PlannedBlock> blocks;
  for (int i = 0; i < 24; ++i) {
    const auto lower = static_cast<std::int64_t>(random.below(20));
    blocks.push_back(scratch("t" + std::to_string(i),
                             lower,
                             lower + 1 + static_cast<std::int64_t>(random.below(6)),
                             16 + random.below(200)));
  }
  blocks.push_back(alias(scratch("v", 3, 9, 8), "t4"));
  blocks.push_back(alias(scratch("w", 9, 30, 8), "v"));
  blocks.push_back(constant("k1", 100));
  blocks.push_back(constant("k2", 50));
  blocks.push_back(always(Lifetime::kPersistent, "p", 30));
  const board::MemorySet set = part(512, 4096);
  const PlanOutcome first = plan_of(report_of(blocks), set);
  for (int i = 0; i < 5; ++i) {
    test::shuffle(blocks, random);
    const PlanOutcome again = plan_of(report_of(blocks), set);
    for (const PlannedBlock& block : again.plan.blocks) {
      CHECK(block_of(first, block.id).offset == block.offset);
      CHECK(block_of(first, block.id).memory == block.memory);
    }
  }
}

TEST_CASE("aliases lie in their root's bytes, and keep them alive") {
  // c is an alias of b, which is one of a: a's bytes live from 0 to 9.
  const PlanOutcome outcome = plan_of(report_of({scratch("a", 0, 2, 100),
                                                 alias(scratch("b", 2, 4, 100), "a"),
                                                 alias(scratch("c", 6, 9, 60), "b"),
                                                 scratch("d", 4, 6, 50),
                                                 scratch("e", 9, 10, 150)}));
  CHECK(block_of(outcome, "b").offset == block_of(outcome, "a").offset);
  CHECK(block_of(outcome, "c").offset == block_of(outcome, "a").offset);
  CHECK(outcome.plan.arenas.front().used == Bytes{150});
  CHECK(error_of(report_of({alias(scratch("a", 0, 1, 1), "b")})).code == Code::kPlanAlias);
  CHECK(error_of(report_of({alias(scratch("a", 0, 1, 1), "b"), alias(scratch("b", 0, 1, 1), "a")}))
            .code == Code::kPlanAlias);
}

TEST_CASE("blocks that work in place keep their distances, and share what they do not need") {
  PlanReport report = report_of({scratch("group", 0, 6, 24),
                                 scratch("in", 0, 4, 16),
                                 scratch("out", 3, 6, 16),
                                 scratch("x", 0, 3, 8),
                                 scratch("y", 4, 6, 8)});
  report.blocks[0].windows = {
      {{0, 3}, Bytes{8}, Bytes{24}}, {{3, 4}, Bytes{0}, Bytes{24}}, {{4, 6}, Bytes{0}, Bytes{16}}};
  report.blocks[1].alias_of = report.blocks[2].alias_of = "group";
  for (const auto& [index, offset] : {std::pair{0U, 100U}, {1U, 108U}, {2U, 100U}}) {
    report.blocks[index].offset = Bytes{offset};
  }
  const PlanOutcome outcome = plan_of(report);
  CHECK(outcome.plan.arenas.front().used == Bytes{24});
  CHECK(outcome.plan.arenas.front().proof == "bound");
  CHECK(block_of(outcome, "in").offset == Bytes{8});
  CHECK(block_of(outcome, "out").offset == Bytes{0});
  CHECK(block_of(outcome, "x").offset == Bytes{0});
  CHECK(block_of(outcome, "y").offset == Bytes{16});
  CHECK(outcome.diagnostics.size() == 1);
}

TEST_CASE("an alias inside of a block stays there, aligned as it was") {
  PlanReport report = report_of({scratch("all", 0, 4, 24), scratch("part", 1, 3, 8)});
  report.blocks[0].offset = Bytes{24};
  report.blocks[1].offset = Bytes{32};
  report.blocks[1].alias_of = "all";
  const PlanOutcome plain = plan_of(report);
  CHECK(block_of(plain, "all").offset == Bytes{0});
  CHECK(block_of(plain, "part").offset == Bytes{8});
  report.blocks[1].alignment = core::Align::make(32);
  const PlanOutcome aligned = plan_of(report);
  CHECK(block_of(aligned, "all").offset == Bytes{24});
  CHECK(block_of(aligned, "part").offset == Bytes{32});
}

TEST_CASE("offsets that are kept") {
  PlanReport report = report_of({scratch("a", 0, 2, 64), scratch("b", 1, 3, 64)});
  report.blocks[0].offset = Bytes{128};
  report.blocks[1].offset = Bytes{128};
  CHECK(plan_of(report).plan.arenas.front().used == Bytes{128});
  PlanOptions options;
  options.fixed = {"a"};
  const PlanOutcome outcome = plan_of(report, {}, options);
  CHECK(block_of(outcome, "a").offset == Bytes{128});
  CHECK(outcome.plan.arenas.front().used == Bytes{192});
  options.keep_offsets = true;
  const core::Diagnostic overlap = error_of(report, {}, options);
  CHECK(overlap.code == Code::kPlanOverlap);
  CHECK(test::contains(overlap.message, "'a' [128, 192)"));
  CHECK(test::contains(overlap.message, "'b' [128, 192)"));
  options.keep_offsets = false;
  options.fixed = {"c"};
  CHECK(error_of(report, {}, options).code == Code::kPlanUnplanned);
  options.fixed = {"a"};
  report.blocks[0].alignment = core::Align::make(256);
  CHECK(error_of(report, {}, options).code == Code::kPlanAlignment);
}

TEST_CASE("an offset that is kept is one in the cheapest memory that reaches so far") {
  PlanReport report = report_of({scratch("a", 0, 2, 100), scratch("b", 0, 2, 100)});
  report.blocks[0].offset = Bytes{300};
  PlanOptions options;
  options.keep_offsets = true;
  const PlanOutcome outcome = plan_of(report, part(160, 400), options);
  CHECK(block_of(outcome, "a").memory == "sram");
  CHECK(block_of(outcome, "a").offset == Bytes{300});
  CHECK(block_of(outcome, "b").memory == "dtcm");
  CHECK(block_of(plan_of(report, part(400, 400), options), "a").memory == "dtcm");
}

TEST_CASE("what nobody can plan is a clear error") {
  PlannedBlock timeless = scratch("a", 0, 1, 8);
  timeless.live.reset();
  const core::Diagnostic lifetime = error_of(report_of({timeless}));
  CHECK(lifetime.code == Code::kPlanLifetime);
  CHECK_FALSE(lifetime.hint.empty());
  CHECK(error_of(report_of({scratch("a", 5, 5, 8)})).code == Code::kPlanLifetime);
  CHECK(error_of(report_of({scratch("a", 5, 4, 8)})).code == Code::kPlanLifetime);
  CHECK(error_of(report_of({scratch("a", 0, INT64_MAX, 8)})).code == Code::kPlanLifetime);
  CHECK(error_of(report_of({scratch("a", INT64_MIN, 0, 8)})).code == Code::kPlanLifetime);
  CHECK(error_of(report_of({scratch("a", 0, 1, 8), scratch("a", 1, 2, 8)})).code ==
        Code::kPlanDuplicate);
  CHECK(error_of(report_of({scratch("a", 0, 1, UINT64_MAX)})).code == Code::kPlanSize);
  CHECK(
      error_of(report_of({scratch("a", 0, 1, 1ULL << 61), scratch("b", 0, 1, 1ULL << 61)})).code ==
      Code::kPlanSize);
  CHECK(error_of(report_of({scratch("a", 0, 1, 8, 1ULL << 63)})).code == Code::kPlanAlignment);
  // Nothing at all is a plan.
  CHECK(plan_of(report_of({})).plan.arenas.empty());
  CHECK(plan_of(report_of({scratch("a", 0, 1, 0)})).plan.arenas.front().used == Bytes{0});
}

// --- alignment

TEST_CASE("bases and slots are aligned as heliaAOT says") {
  board::MemorySet set = part(4096, 4096);
  set.alignment = *core::Align::make(8);
  const PlanReport report = report_of({scratch("a", 0, 2, 5, 4), scratch("b", 0, 2, 5)});
  const PlanOutcome plain = plan_of(report, set);
  // Slots by the part and the block; the base by 16 at least.
  CHECK(plain.plan.arenas.front().used == Bytes{13});
  CHECK(plain.plan.arenas.front().alignment->value() == 16);
  const PlanOutcome dma =
      plan_by(report, set, "memory: {constraints: [{name: DTCM, arena_alignment: 32}]}");
  CHECK(dma.plan.arenas.front().used == Bytes{37});
  CHECK(dma.plan.arenas.front().alignment->value() == 32);
  // Who plans it again does not have the rule, but its blocks have what it asked for.
  const PlanOutcome again = plan_of(dma.plan, set);
  CHECK(again.plan.arenas.front().used == Bytes{37});
  CHECK(again.plan.arenas.front().alignment->value() == 32);
  // No weaker than the part, though.
  const PlanOutcome weak =
      plan_by(report, set, "memory: {constraints: [{name: DTCM, arena_alignment: 2}]}");
  CHECK(weak.plan.arenas.front().used == Bytes{13});
  CHECK(weak.plan.arenas.front().alignment->value() == 8);
}

// --- several memories

TEST_CASE("rules decide, field by field; the report only where it is asked to") {
  PlanReport report = report_of({scratch("1", 0, 1, 64), constant("2", 64), constant("3", 64)});
  report.blocks[0].memory = "sram";
  report.blocks[1].memory = "dtcm";
  report.blocks[1].source_memory = "mram";
  const board::MemorySet set = part(4096, 4096);
  const PlanOutcome free = plan_of(report, set);
  CHECK(block_of(free, "1").memory == "dtcm");
  // Staged on purpose: nobody asked for it to be read where it is slow.
  CHECK(block_of(free, "2").memory == "dtcm");
  CHECK(block_of(free, "2").source_memory == "mram");
  CHECK(block_of(free, "3").memory == "mram");
  // Where a part has no such memory, it is read where it lies.
  PlanReport elsewhere = report;
  elsewhere.blocks[1].memory = "itcm";
  CHECK(block_of(plan_of(elsewhere, set), "2").memory == "mram");
  CHECK(
      block_of(
          plan_by(report, set, "memory: {tensors: [{type: constant, attributes: {memory: mram}}]}"),
          "2")
          .memory == "mram");
  PlanOptions options;
  options.keep_memories = true;
  const PlanOutcome kept = plan_of(report, set, options);
  CHECK(block_of(kept, "1").memory == "sram");
  CHECK(block_of(kept, "2").memory == "dtcm");
  CHECK(block_of(kept, "2").source_memory == "mram");
  options.rules = rules_of(R"yaml(
memory:
  tensors:
    - {type: scratch, attributes: {memory: dtcm}}
    - {type: constant, id: "3", attributes: {constant_destination_memory: sram}}
    - {type: constant, attributes: {memory: psram}}
)yaml");
  const PlanOutcome ruled = plan_of(report, set, options);
  CHECK(block_of(ruled, "1").memory == "dtcm");
  CHECK(block_of(ruled, "2").memory == "psram");
  CHECK(block_of(ruled, "3").memory == "sram");
  CHECK(block_of(ruled, "3").source_memory == "psram");
}

TEST_CASE("staged constants take the same room in both memories, padding and all") {
  board::MemorySet set = part(4096, 4096);
  set.alignment = *core::Align::make(16);
  const PlanReport report =
      report_of({constant("1", 100), constant("2", 50), scratch("3", 0, 1, 8)});
  const PlanOutcome outcome = plan_by(report, set, R"yaml(
memory:
  tensors:
    - type: constant
      attributes: {memory: MRAM, constant_destination_memory: DTCM}
)yaml");
  const PlannedArena* staged = arena_of(outcome, Lifetime::kConstant, "dtcm");
  REQUIRE(staged != nullptr);
  CHECK(staged->source_memory == "mram");
  // 50 and 14 of padding below 100 would be 164, the other way round 112 + 50 are 162.
  CHECK(staged->total == Bytes{162});
  CHECK(staged->proof == "bound");
  CHECK(staged->block_count == 2);
  CHECK(used_of(outcome, "mram") == 162);
  // Constants, then scratch behind them.
  CHECK(used_of(outcome, "dtcm") == 176 + 8);
  CHECK(arena_of(outcome, Lifetime::kConstant, "mram") == nullptr);
  REQUIRE(outcome.plan.arenas.size() == 2);
  CHECK(outcome.plan.arenas[0].role == Lifetime::kScratch);
  CHECK(outcome.plan.arenas[1].region_id == 1);
}

TEST_CASE("heliaAOT's documented sample: 8192 and 512 bytes come to 8704 in both memories") {
  board::MemorySet set = part(64 << 10, 0);
  set.alignment = *core::Align::make(16);
  const PlanReport report =
      report_of({constant("1", 8192), constant("2", 512), scratch("3", 0, 1, 256)});
  const PlanOutcome both = plan_by(report, set, R"yaml(
memory:
  tensors:
    - {type: constant, attributes: {memory: MRAM, constant_destination_memory: DTCM}}
)yaml");
  CHECK(used_of(both, "mram") == 8704);
  CHECK(used_of(both, "dtcm") == 8960);
  const PlanOutcome mixed = plan_by(report, set, R"yaml(
memory:
  tensors:
    - {type: constant, id: "1", attributes: {memory: MRAM, constant_destination_memory: DTCM}}
    - {type: constant, id: "2", attributes: {memory: MRAM}}
)yaml");
  CHECK(arena_of(mixed, Lifetime::kConstant, "dtcm")->total == Bytes{8192});
  CHECK(arena_of(mixed, Lifetime::kConstant, "mram")->total == Bytes{512});
  CHECK(arena_of(mixed, Lifetime::kConstant, "mram")->source_memory.empty());
  CHECK(used_of(mixed, "mram") == 8704);
}

TEST_CASE("constants of memory that is only reached by DMA are staged by themselves") {
  board::MemorySet set;
  set.name = "zx8";
  set.memories = {memory("l1", 1 << 16, 1), memory("l2", 1 << 20, 2), memory("l3", 1 << 23, 16)};
  set.memories[0].by_rule = true;
  set.memories[2].is_volatile = false;
  set.memories[2].base.reset();
  const PlanOutcome outcome =
      plan_of(report_of({constant("k", 1000), scratch("a", 0, 1, 64)}), set);
  CHECK(block_of(outcome, "k").memory == "l2");
  CHECK(block_of(outcome, "k").source_memory == "l3");
  CHECK(block_of(outcome, "a").memory == "l2");
  CHECK(used_of(outcome, "l3") == 1000);
}

TEST_CASE("rules that cannot be followed name what is wrong") {
  const PlanReport report = report_of({constant("1", 8), constant("2", 8), scratch("3", 0, 1, 8)});
  const board::MemorySet set = part(4096, 4096);
  const core::Diagnostic sources = error_by(report, set, R"yaml(
memory:
  tensors:
    - {type: constant, id: "1", attributes: {memory: mram, constant_destination_memory: dtcm}}
    - {type: constant, id: "2", attributes: {memory: psram, constant_destination_memory: dtcm}}
)yaml");
  CHECK(sources.code == Code::kPlanRule);
  CHECK(test::contains(sources.message, "'1' from 'mram', '2' from 'psram'"));
  CHECK(sources.place.line == 5);
  const core::Diagnostic lost =
      error_by(report, set, "memory: {tensors: [{type: constant, attributes: {memory: dtcm}}]}");
  CHECK(lost.code == Code::kPlanVolatile);
  CHECK(test::contains(lost.hint, "memory: mram, constant_destination_memory: dtcm"));
  CHECK(error_by(report, set, "memory: {tensors: [{type: scratch, attributes: {memory: mram}}]}")
            .code == Code::kPlanRule);
  CHECK(error_by(report,
                 set,
                 "memory: {tensors: [{type: constant, attributes: {memory: psram, "
                 "constant_destination_memory: mram}}]}")
            .code == Code::kPlanRule);
  const core::Diagnostic unknown =
      error_by(report, set, "memory: {tensors: [{attributes: {memory: dtmc}}]}");
  CHECK(unknown.code == Code::kPlanMemory);
  CHECK(unknown.hint == "did you mean 'dtcm'?");
  CHECK(error_by(report, set, "memory: {constraints: [{name: itcm, max_size: 5}]}").code ==
        Code::kPlanMemory);
  // Where a cold constant is, no staged one can be.
  CHECK(error_by(report, set, R"yaml(
memory:
  tensors:
    - {type: constant, id: "1", attributes: {memory: psram}}
    - {type: constant, id: "2", attributes: {memory: mram, constant_destination_memory: psram}}
)yaml")
            .code == Code::kPlanRule);
  const PlanOutcome typo =
      plan_by(report, set, "memory: {tensors: [{id: \"4\", attributes: {memory: dtcm}}]}");
  CHECK(typo.diagnostics.size() == 1);
}

TEST_CASE("what the cheapest memory cannot hold goes to the next one") {
  const PlanReport report = report_of({scratch("a", 0, 4, 600),
                                       scratch("b", 0, 1, 300),
                                       scratch("c", 1, 2, 300),
                                       scratch("d", 2, 3, 300)});
  const PlanOutcome outcome = plan_of(report, part(600, 600));
  // Either a alone, or the three others, which gain more: 900 bytes move instead of 600.
  CHECK(block_of(outcome, "a").memory == "sram");
  CHECK(block_of(outcome, "b").memory == "dtcm");
  CHECK(block_of(outcome, "d").memory == "dtcm");
  CHECK(outcome.shortages.empty());
  // What is used more gains more.
  PlanReport busy = report;
  busy.blocks[0].uses = 10;
  CHECK(block_of(plan_of(busy, part(600, 600)), "a").memory == "dtcm");
}

TEST_CASE("an assignment that fits is found where benefit alone leads astray") {
  // By benefit x goes to dtcm, and then neither y nor z has room anywhere.
  PlanReport report = report_of({scratch("x", 0, 1, 60),
                                 scratch("y", 0, 1, 80),
                                 scratch("z", 0, 1, 100),
                                 scratch("w", 0, 1, 40)});
  report.blocks[0].uses = 1000;
  const PlanOutcome outcome = plan_of(report, part(120, 160));
  CHECK(outcome.shortages.empty());
  CHECK(block_of(outcome, "x").memory == "sram");
  CHECK(block_of(outcome, "z").memory == "sram");
  CHECK(block_of(outcome, "y").memory == "dtcm");
  CHECK(block_of(outcome, "w").memory == "dtcm");
}

TEST_CASE("many blocks over two memories fit, though the bytes alive fill both almost") {
  test::Random random{3};
  std::vector<PlannedBlock> blocks;
  for (int i = 0; i < 400; ++i) {
    const auto lower = static_cast<std::int64_t>(random.below(100));
    blocks.push_back(scratch("t" + std::to_string(1000 + i),
                             lower,
                             lower + 1 + static_cast<std::int64_t>(random.below(8)),
                             64 + random.below(2000)));
  }
  const PlanReport report = report_of(blocks);
  const std::uint64_t alone = plan_of(report).plan.arenas.front().used->count();
  const PlanOutcome outcome = plan_of(report, part(alone / 2, alone * 7 / 10));
  CHECK(outcome.shortages.empty());
  const std::uint64_t near = used_of(outcome, "dtcm");
  CHECK(near <= alone / 2);
  CHECK(near >= alone / 2 * 8 / 10);
}

TEST_CASE("budgets: the window less reserves, rules, and a capacity") {
  board::MemorySet set = part(1000, 0);
  set.memories[0].reserve_percent = 50;
  const PlanReport report = report_of({scratch("a", 0, 1, 600)});
  CHECK_FALSE(plan_of(report, set).shortages.empty());
  CHECK(plan_by(report, set, "memory: {constraints: [{name: dtcm, max_size: 600}]}")
            .shortages.empty());
  set.memories[0].reserve_percent = 0;
  CHECK(plan_of(report, set).shortages.empty());
  CHECK_FALSE(plan_by(report, set, "memory: {constraints: [{name: dtcm, max_size: 599}]}")
                  .shortages.empty());
  PlanOptions options;
  options.limits.capacity = Bytes{599};
  CHECK_FALSE(plan_of(report, {}, options).shortages.empty());
  CHECK(plan_of(report, {}, options).infeasible);
  options.limits.capacity = Bytes{600};
  CHECK(plan_of(report, {}, options).shortages.empty());
  // A base that is not aligned costs what lies below the first multiple.
  set.memories[0].base = core::PhysAddr{0x10000004};
  CHECK(plan_of(report_of({scratch("a", 0, 1, 988)}), set).shortages.empty());
  CHECK_FALSE(plan_of(report_of({scratch("a", 0, 1, 989)}), set).shortages.empty());
}

// --- what does not fit

TEST_CASE("what another order of arenas might hold is not called impossible") {
  PlanReport report = report_of({scratch("a", 0, 1, 16), scratch("p", 0, 1, 1)});
  report.blocks[1].role = model::Lifetime::kPersistent;
  report.blocks[1].live.reset();
  // Behind the persistent byte and its padding there is no room for 16 B; before it there is.
  PlanOptions options;
  options.limits.capacity = Bytes{17};
  const PlanOutcome tight = plan_of(report, {}, options);
  CHECK((tight.shortages.empty() || !tight.infeasible));
  options.limits.capacity = Bytes{16};
  const PlanOutcome full = plan_of(report, {}, options);
  CHECK(full.shortages.size() == 1);
  CHECK(full.infeasible);
}

TEST_CASE("what does not fit is explained") {
  const PlanReport report = report_of({scratch("a", 0, 4, 1000),
                                       scratch("b", 1, 3, 500),
                                       scratch("c", 2, 3, 120),
                                       scratch("d", 2, 3, 80),
                                       scratch("e", 3, 4, 90),
                                       scratch("f", 5, 6, 10)});
  PlanOptions options;
  std::vector<board::MemorySet> others = {part(600, 1200), part(4096, 0), part(8, 8)};
  others[0].name = "two-banks";
  others[1].name = "one-bank";
  others[2].name = "tiny";
  // What another part has not is no reason against it.
  options.rules = rules_of("memory: {constraints: [{name: psram, arena_alignment: 64}]}");
  for (board::MemorySet& other : others) {
    other.memories.pop_back();
  }
  options.others = [&] { return others; };
  const board::MemorySet set = part(1600, 0);
  const PlanOutcome outcome = plan_of(report, set, options);
  REQUIRE(outcome.shortages.size() == 1);
  CHECK(outcome.infeasible);
  const Shortage& shortage = outcome.shortages.front();
  CHECK(shortage.memory == "dtcm");
  CHECK(shortage.needed == Bytes{1700});
  CHECK(shortage.budget == Bytes{1600});
  CHECK(shortage.step == 2);
  const auto ids = [&](const std::vector<std::size_t>& blocks) {
    std::vector<std::string> list;
    for (const std::size_t block : blocks) {
      list.push_back(report.blocks[block].id);
    }
    return list;
  };
  CHECK(ids(shortage.live) == std::vector<std::string>{"a", "b", "c", "d"});
  CHECK(ids(shortage.largest) == std::vector<std::string>{"a", "b", "c", "e", "d"});
  REQUIRE(shortage.remedies.size() == 3);
  CHECK(shortage.remedies[0] == "100 B more in 'dtcm'");
  // What has nothing yet must hold all of c.
  CHECK(shortage.remedies[1] == "120 B more in 'sram'");
  // d is smaller, but not enough.
  CHECK(shortage.remedies[2] == "a rule that moves 'c' of 120 B to 'psram'");
  CHECK(outcome.fits_on == std::vector<std::string>{"two-banks", "one-bank"});
}

TEST_CASE("a search that was cut off says so, unless no time would help") {
  PlanReport report =
      report_of({scratch("a", 0, 4, 600), scratch("b", 1, 3, 600), scratch("c", 1, 3, 500)});
  PlanOptions options;
  const auto remedy = [&] {
    const PlanOutcome outcome = plan_of(report, part(700, 500), options);
    REQUIRE(!outcome.shortages.empty());
    return outcome.shortages.front().remedies.front();
  };
  const std::string more_time = "more time: the search was cut off";
  CHECK(remedy() != more_time);
  options.limits.stop = [] { return true; };
  CHECK(remedy() == more_time);
  options.rules = rules_of("memory: {tensors: [{type: scratch, attributes: {memory: dtcm}}]}");
  CHECK(remedy() == "1 000 B more in 'dtcm'");
  options.rules = {};
  report.blocks.front().size = Bytes{1000};
  CHECK(remedy() != more_time);
}

// An arena of 1024 B that is full at every step, cut into blocks: nobody finds that again at once.
PlanReport full_arena() {
  struct Piece {
    std::int64_t lower, upper;
    std::uint64_t begin, end;
  };

  std::uint32_t state = 7;
  const auto next = [&](std::uint64_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  std::vector<Piece> pieces = {{0, 200, 0, 1024}};
  while (pieces.size() < 100) {
    const auto piece = std::ranges::max_element(pieces, {}, [](const Piece& one) {
      return static_cast<std::uint64_t>(one.upper - one.lower) * (one.end - one.begin);
    });
    Piece rest = *piece;
    if (pieces.size() > 2 && piece->upper - piece->lower > 1 && next(2) == 0) {
      const auto steps = static_cast<std::uint64_t>(piece->upper - piece->lower);
      piece->upper = rest.lower = piece->lower + 1 + static_cast<std::int64_t>(next(steps - 1));
    } else {
      piece->end = rest.begin = piece->begin + 1 + next(piece->end - piece->begin - 1);
    }
    pieces.push_back(rest);
  }
  PlanReport report = report_of({});
  for (const Piece& piece : pieces) {
    report.blocks.push_back(scratch("b" + std::to_string(report.blocks.size()),
                                    piece.lower,
                                    piece.upper,
                                    piece.end - piece.begin));
    report.blocks.back().offset = Bytes{piece.begin};
  }
  return report;
}

TEST_CASE("what does not fit is told of the plan that is kept, and no less than its hint does") {
  const PlanReport report = full_arena();
  const auto planned = [&](std::uint64_t capacity, bool keeps) {
    PlanOptions options;
    options.limits.steps = 1;
    options.limits.capacity = Bytes{capacity};
    options.keep_memories = keeps;
    board::MemorySet set;
    set.memories = {memory("default", capacity, 1)};
    return plan_of(report, set, options);
  };
  REQUIRE(planned(1023, false).shortages.front().needed > Bytes{1024});
  for (const std::uint64_t budget : {900U, 1023U}) {
    const PlanOutcome kept = planned(budget, true);
    CHECK(kept.infeasible);
    REQUIRE(kept.shortages.size() == 1);
    CHECK(kept.shortages.front().needed == Bytes{1024});
    CHECK(kept.shortages.front().remedies.front() ==
          "a capacity of 1024 (" + std::to_string(1024 - budget) + " B more)");
  }
  const PlanOutcome helped = planned(1024, true);
  CHECK(helped.shortages.empty());
  CHECK(used_of(helped, "default") == 1024);
  CHECK(helped.plan.blocks.back().offset == report.blocks.back().offset);
}

TEST_CASE("what is needed beyond a capacity is what a search without it finds") {
  std::uint32_t state = 1;
  const auto next = [&](std::uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  std::vector<PlannedBlock> blocks;
  for (int i = 0; i < 200; ++i) {
    const std::int64_t lower = next(100);
    const std::int64_t upper = lower + 1 + next(10);
    blocks.push_back(scratch(std::to_string(i), lower, upper, 1000 + next(1000000)));
  }
  const PlanReport report = report_of(std::move(blocks));
  PlanOptions options;
  options.limits.capacity = Bytes{1024};
  board::MemorySet set;
  set.memories = {memory("default", 1024, 1)};
  const PlanOutcome outcome = plan_of(report, set, options);
  REQUIRE(outcome.shortages.size() == 1);
  CHECK(outcome.infeasible);
  CHECK(outcome.shortages[0].needed == Bytes{8861350});
  CHECK(outcome.shortages[0].is_least);
  CHECK(used_of(plan_of(report), "default") == 8861350);
}

TEST_CASE("staging is offered to be left out where that is enough") {
  const PlanReport report =
      report_of({scratch("a", 0, 1, 800), constant("k", 300), constant("l", 100)});
  const PlanOutcome outcome = plan_by(report, part(1000, 0), R"yaml(
memory:
  tensors:
    - {type: constant, attributes: {memory: mram, constant_destination_memory: dtcm}}
    - {type: scratch, attributes: {memory: dtcm}}
)yaml");
  REQUIRE(outcome.shortages.size() == 1);
  const auto& remedies = outcome.shortages.front().remedies;
  CHECK(
      std::ranges::find(remedies, "read the constant 'k' of 300 B in 'mram', without staging it") !=
      remedies.end());
}

TEST_SUITE_END();

}  // namespace memsize::plan::planner_test
