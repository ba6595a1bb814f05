// Every fault of a plan is found and none is invented.
#include "memsize/plan/check_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::plan::check_test {

namespace {

using core::Bytes;
using core::Code;
using core::Severity;
using model::Lifetime;
using model::PlannedArena;
using model::PlannedBlock;
using model::PlanReport;

core::Align aligned(std::uint64_t to) {
  return core::Align::make(to).value();
}

PlannedBlock scratch(const std::string& id,
                     std::int64_t lower,
                     std::int64_t upper,
                     std::uint64_t offset,
                     std::uint64_t size) {
  PlannedBlock block;
  block.id = id;
  block.memory = "sram";
  block.live = model::Interval{lower, upper};
  block.offset = Bytes{offset};
  block.size = Bytes{size};
  return block;
}

PlannedBlock constant(const std::string& id,
                      const std::string& source,
                      std::uint64_t offset,
                      std::uint64_t size) {
  PlannedBlock block;
  block.id = id;
  block.role = Lifetime::kConstant;
  block.memory = "sram";
  block.source_memory = source;
  block.offset = Bytes{offset};
  block.size = Bytes{size};
  return block;
}

PlannedArena arena(Lifetime role, std::uint64_t used, std::uint64_t total) {
  PlannedArena row;
  row.memory = "sram";
  row.role = role;
  row.used = Bytes{used};
  row.total = Bytes{total};
  row.alignment = aligned(16);
  return row;
}

// Two memories, both roles, an alias, an output, an input: nothing is wrong with it.
PlanReport good() {
  PlanReport plan;
  plan.path = "plan.json";
  plan.arenas = {arena(Lifetime::kScratch, 96, 96), arena(Lifetime::kConstant, 48, 48)};
  plan.arenas[1].source_memory = "flash";
  plan.blocks = {scratch("in", 0, 1, 64, 32),
                 scratch("a", 0, 2, 0, 64),
                 scratch("b", 1, 3, 64, 32),
                 scratch("view", 2, 4, 64, 32),
                 scratch("out", 3, 5, 0, 16),
                 constant("w", "flash", 0, 32),
                 constant("bias", "flash", 32, 12)};
  plan.blocks[0].is_input = true;
  plan.blocks[3].alias_of = "b";
  plan.blocks[4].is_output = true;
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    plan.blocks[i].alignment = aligned(4);
    plan.blocks[i].line = 10 + i;
  }
  model::PlannedMemory sram;
  sram.name = "sram";
  sram.capacity = Bytes{256};
  sram.used = Bytes{144};
  model::PlannedMemory flash;
  flash.name = "flash";
  flash.capacity = Bytes{100};
  flash.used = Bytes{48};
  flash.writable = false;
  plan.memories = {sram, flash};
  return plan;
}

board::PartMemory part_memory(const std::string& name, std::uint64_t window, bool is_volatile) {
  board::PartMemory memory;
  memory.name = name;
  memory.hardware = Bytes{window};
  memory.window = Bytes{window};
  memory.writable = is_volatile;
  memory.is_volatile = is_volatile;
  memory.arena_alignment = aligned(16);
  return memory;
}

board::MemorySet part() {
  board::MemorySet set;
  set.name = "zx9";
  set.alignment = aligned(4);
  set.memories = {part_memory("sram", 160, true), part_memory("flash", 100, false)};
  return set;
}

// The severities and codes of what is found, without notes.
std::vector<std::pair<Severity, Code>> kinds(const core::Diagnostics& found) {
  std::vector<std::pair<Severity, Code>> kinds;
  for (const core::Diagnostic& diagnostic : found) {
    if (diagnostic.severity != Severity::kNote) {
      kinds.emplace_back(diagnostic.severity, diagnostic.code);
      CHECK_FALSE(diagnostic.message.empty());
      CHECK_FALSE(diagnostic.hint.empty());
      CHECK(diagnostic.place.path.str() == "plan.json");
    }
  }
  return kinds;
}

using Kinds = std::vector<std::pair<Severity, Code>>;

bool says(const core::Diagnostics& found, const std::string& words) {
  return std::ranges::any_of(found, [&](const core::Diagnostic& diagnostic) {
    const bool in_details = std::ranges::any_of(diagnostic.details, [&](const std::string& detail) {
      return detail.find(words) != std::string::npos;
    });
    return in_details || diagnostic.message.find(words) != std::string::npos ||
           diagnostic.hint.find(words) != std::string::npos;
  });
}

struct Mistake {
  std::string what;
  std::function<void(PlanReport&)> make;
  Kinds found;
  /// What the finding names.
  std::vector<std::string> named;
};

constexpr auto kError = Severity::kError;
constexpr auto kWarning = Severity::kWarning;

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> list = {
      {"two live blocks share bytes",
       [](PlanReport& plan) { plan.blocks[2].offset = plan.blocks[3].offset = Bytes{48}; },
       {{kError, Code::kPlanOverlap}},
       {"'a' and 'b' share 16 B", "[1, 2)", "bytes [0, 64)", "bytes [48, 80)", "at 64"}},
      {"an alias keeps the bytes of its root",
       [](PlanReport& plan) { plan.blocks[4].offset = Bytes{80}; },
       {{kError, Code::kPlanOverlap}},
       {"'b' and 'out' share 16 B", "steps [3, 4)"}},
      {"constants share bytes",
       [](PlanReport& plan) { plan.blocks[6].offset = Bytes{24}; },
       {{kError, Code::kPlanOverlap}},
       {"'w' and 'bias' share 8 B", "always"}},
      {"constants in the very same bytes may be the same data",
       [](PlanReport& plan) {
         plan.blocks[6].offset = Bytes{0};
         plan.blocks[6].size = Bytes{32};
         plan.arenas[1].used = Bytes{32};
       },
       {{kWarning, Code::kPlanOverlap}},
       {"'w' and 'bias' are the same 32 B"}},
      {"an odd offset",
       [](PlanReport& plan) { plan.blocks[4].offset = Bytes{3}; },
       {{kError, Code::kPlanAlignment}},
       {"'out' lies at 3", "multiple of 4", "0 and 4"}},
      {"a base that is aligned to less than a block",
       [](PlanReport& plan) { plan.blocks[1].alignment = aligned(64); },
       {{kError, Code::kPlanAlignment}},
       {"aligned to 16", "'a'", "to 64"}},
      {"the base of a memory",
       [](PlanReport& plan) {
         plan.memories[0].base = core::PhysAddr{0x20000004};
         plan.memories[0].alignment = aligned(8);
       },
       {{kError, Code::kPlanAlignment}},
       {"0x20000004", "multiple of 8"}},
      {"a block reaches out of its arena",
       [](PlanReport& plan) { plan.arenas[0].used = plan.arenas[0].total = Bytes{80}; },
       {{kError, Code::kPlanBounds}, {kError, Code::kPlanBounds}, {kError, Code::kPlanBounds}},
       {"'b' lies at [64, 96)", "16 B are outside", "at least 96 B"}},
      {"arenas together are larger than their memory",
       [](PlanReport& plan) { plan.memories[0].capacity = Bytes{143}; },
       {{kError, Code::kPlanBounds}},
       {"144 B", "143 B", "1 B too much", "scratch arena", "copied from 'flash'"}},
      {"what is reserved is larger than the memory",
       [](PlanReport& plan) { plan.arenas[0].total = Bytes{256}; },
       {{kWarning, Code::kPlanBounds}},
       {"304 B"}},
      {"a copy has no room where it comes from",
       [](PlanReport& plan) { plan.memories[1].capacity = Bytes{40}; },
       {{kError, Code::kPlanBounds}},
       {"'flash'", "copied to 'sram'", "8 B too much"}},
      {"constants of two sources in one arena",
       [](PlanReport& plan) { plan.blocks[6].source_memory = "disk"; },
       {{kError, Code::kPlanSource}},
       {"from 'disk' and 'flash'", "from 'disk': 'bias'", "from 'flash': 'w'"}},
      {"a constant that is not copied in an arena that is",
       [](PlanReport& plan) { plan.blocks[6].source_memory = "sram"; },
       {{kError, Code::kPlanSource}},
       {"from itself and 'flash'", "'bias'"}},
      {"two constant arenas in one memory",
       [](PlanReport& plan) {
         plan.arenas.push_back(plan.arenas[1]);
         plan.arenas[2].source_memory = "disk";
       },
       {{kError, Code::kPlanSource}},
       {"two constant arenas", "'flash'", "'disk'"}},
      {"a staged constant that its source does not count",
       [](PlanReport& plan) { plan.memories[1].used = Bytes{0}; },
       {{kError, Code::kPlanCharge}},
       {"'flash' uses 0 B", "48 B", "both memories"}},
      {"a memory that counts too little",
       [](PlanReport& plan) { plan.memories[0].used = Bytes{100}; },
       {{kError, Code::kPlanTotal}},
       {"'sram' uses 100 B", "144 B"}},
      {"written at run time, but read-only",
       [](PlanReport& plan) { plan.memories[0].writable = false; },
       {{kError, Code::kPlanMemory}, {kError, Code::kPlanMemory}},
       {"read-only"}},
      {"an alias of nothing",
       [](PlanReport& plan) {
         plan.blocks[3].alias_of = "c";
         plan.blocks[3].offset = Bytes{32};
       },
       {{kError, Code::kPlanAlias}},
       {"'view' uses the bytes of 'c'"}},
      {"aliases in a circle",
       [](PlanReport& plan) {
         plan.blocks[0].alias_of = "out";
         plan.blocks[4].alias_of = "in";
       },
       {{kError, Code::kPlanAlias}},
       {"'in', 'out' are aliases of each other"}},
      {"an alias of itself",
       [](PlanReport& plan) { plan.blocks[1].alias_of = "a"; },
       {{kError, Code::kPlanAlias}},
       {"'a' is an alias of itself"}},
      {"an alias that lies elsewhere",
       [](PlanReport& plan) {
         plan.blocks[3].live = model::Interval{2, 3};
         plan.blocks[3].offset = Bytes{0};
       },
       {{kError, Code::kPlanAlias}},
       {"'view'", "bytes of 'b'", "[0, 32)", "[64, 96)"}},
      {"an alias in another memory",
       [](PlanReport& plan) {
         plan.blocks[3].memory = "flash";
         plan.arenas.clear();
         plan.memories.clear();
       },
       {{kError, Code::kPlanAlias}},
       {"'flash'", "'sram'"}},
      {"an alias that is larger",
       [](PlanReport& plan) {
         plan.blocks[3].size = Bytes{36};
         plan.blocks[3].offset.reset();
       },
       {{kError, Code::kPlanAlias}},
       {"36 B", "32 B"}},
      {"an output that somebody overwrites",
       [](PlanReport& plan) {
         plan.blocks[4].live = model::Interval{2, 3};
         plan.blocks.push_back(scratch("late", 3, 5, 8, 8));
         plan.blocks.back().alignment = aligned(4);
       },
       {{kError, Code::kPlanOutput}},
       {"output 'out' lives in steps [2, 3) only", "'late' takes its bytes in step 3", "[2, 5)"}},
      {"an output that dies early and is lucky",
       [](PlanReport& plan) {
         plan.blocks[4].live = model::Interval{2, 3};
       },
       {{kWarning, Code::kPlanOutput}},
       {"goes on to step 3"}},
      {"an arena that uses more than is reserved",
       [](PlanReport& plan) { plan.arenas[1].used = Bytes{64}; },
       {{kError, Code::kPlanTotal},
        {kWarning, Code::kPlanTotal},
        {kError, Code::kPlanCharge},
        {kError, Code::kPlanTotal}},
       {"uses 64 B, but only 48 B"}},
      {"blocks that reach further than an arena says",
       [](PlanReport& plan) { plan.arenas[0].used = Bytes{80}; },
       {{kError, Code::kPlanTotal}},
       {"uses 80 B as it says", "reach 96 B"}},
      {"an arena that uses more than its blocks",
       [](PlanReport& plan) {
         plan.arenas[0].used = Bytes{112};
         plan.arenas[0].total = Bytes{112};
         plan.memories[0].used = Bytes{160};
       },
       {{kWarning, Code::kPlanTotal}},
       {"112 B", "96 B"}},
      {"a bound that is higher than the plan",
       [](PlanReport& plan) { plan.arenas[0].lower_bound = Bytes{97}; },
       {{kError, Code::kPlanTotal}},
       {"96 B", "97 B"}},
      {"a proof that proves nothing",
       [](PlanReport& plan) {
         plan.arenas[0].lower_bound = Bytes{80};
         plan.arenas[0].proof = "bound";
       },
       {{kError, Code::kPlanTotal}},
       {"96 B", "80 B"}},
      {"an arena that is not listed",
       [](PlanReport& plan) { plan.blocks[0].role = Lifetime::kPersistent; },
       {{kError, Code::kPlanTotal}, {kWarning, Code::kPlanTotal}},
       {"'in' lies in a persistent arena in 'sram'"}},
      {"a block without an offset",
       [](PlanReport& plan) { plan.blocks[1].offset.reset(); },
       {{kWarning, Code::kPlanUnplanned}},
       {"1 of 7 blocks", "'a'", "memsize plan"}},
      {"scratch blocks without lifetimes",
       [](PlanReport& plan) {
         plan.blocks[1].live.reset();
         plan.blocks[2].live.reset();
       },
       {{kWarning, Code::kPlanUnplanned}},
       {"2 scratch blocks", "'a', 'b'", "operator manifest"}},
      {"no block at all",
       [](PlanReport& plan) { plan.blocks.clear(); },
       {{kWarning, Code::kPlanUnplanned}},
       {"no blocks"}},
      {"no offset at all",
       [](PlanReport& plan) {
         for (PlannedBlock& block : plan.blocks) {
           block.offset.reset();
         }
       },
       {{kWarning, Code::kPlanUnplanned}},
       {"not a plan", "memsize plan"}},
  };
  return list;
}

}  // namespace

TEST_SUITE("plan") {
  TEST_CASE("A good plan has no fault, without and with a part") {
    CHECK(kinds(check_plan(good(), nullptr)).empty());
    const board::MemorySet zx9 = part();
    CHECK(kinds(check_plan(good(), &zx9)).empty());
    const core::Diagnostics found = check_plan(good(), nullptr);
    // 96 B live in step 0.
    CHECK_FALSE(says(found, "no plan takes less"));
    CHECK(check_plan(PlanReport{}, nullptr).size() == 1);
  }

  TEST_CASE("Each mistake is found, and nothing else") {
    for (const Mistake& mistake : mistakes()) {
      CAPTURE(mistake.what);
      PlanReport plan = good();
      mistake.make(plan);
      const core::Diagnostics found = check_plan(plan, nullptr);
      std::string text;
      for (const core::Diagnostic& diagnostic : found) {
        text += std::string{core::code_name(diagnostic.code)} + ": " + diagnostic.message + "\n";
      }
      CAPTURE(text);
      Kinds is = kinds(found);
      Kinds wanted = mistake.found;
      std::ranges::sort(is);
      std::ranges::sort(wanted);
      CHECK(is == wanted);
      for (const std::string& named : mistake.named) {
        CAPTURE(named);
        CHECK(says(found, named));
      }
    }
  }

  TEST_CASE("Of a part: its memories, what they need and what they keep") {
    const auto found_with = [](const std::function<void(board::MemorySet&)>& change) {
      board::MemorySet zx9 = part();
      change(zx9);
      return check_plan(good(), &zx9);
    };
    // Its capacities count, not the report's.
    CHECK(kinds(found_with([](auto& zx9) { zx9.memories[0].window = Bytes{143}; })) ==
          Kinds{{kError, Code::kPlanBounds}});
    const auto reserved = found_with([](auto& zx9) { zx9.memories[0].reserve = Bytes{17}; });
    CHECK(kinds(reserved) == Kinds{{kWarning, Code::kPlanBounds}});
    CHECK(says(reserved, "143 B"));
    const auto lost = found_with([](auto& zx9) { zx9.memories[1].is_volatile = true; });
    CHECK(kinds(lost) == Kinds{{kError, Code::kPlanVolatile}});
    CHECK(says(lost, "'flash'"));
    CHECK(says(lost, "'w'"));
    CHECK(kinds(found_with([](auto& zx9) { zx9.memories[0].writable = false; })) ==
          Kinds{{kError, Code::kPlanMemory}, {kError, Code::kPlanMemory}});
    const auto unknown = found_with([](auto& zx9) { zx9.memories[1].name = "flash2"; });
    CHECK(kinds(unknown) == Kinds{{kError, Code::kPlanMemory}});
    CHECK(says(unknown, "did you mean 'flash2'?"));
    CHECK(kinds(found_with([](auto& zx9) { zx9.memories[0].arena_alignment = aligned(32); })) ==
          Kinds{{kError, Code::kPlanAlignment}, {kError, Code::kPlanAlignment}});
    const auto slots = found_with([](auto& zx9) { zx9.alignment = aligned(64); });
    CHECK(kinds(slots) == Kinds{{kError, Code::kPlanAlignment}});
    CHECK(says(slots, "'bias' lies at 32"));
    CHECK(says(slots, "part 'zx9'"));
  }

  TEST_CASE("Constants that are read where they lie need memory that keeps them") {
    PlanReport plan = good();
    plan.memories.clear();
    plan.arenas[1].source_memory.clear();
    plan.blocks[5].source_memory.clear();
    plan.blocks[6].source_memory.clear();
    board::MemorySet zx9 = part();
    const core::Diagnostics found = check_plan(plan, &zx9);
    CHECK(kinds(found) == Kinds{{kError, Code::kPlanVolatile}});
    CHECK(says(found, "a source that keeps them: 'flash'"));
    CHECK(kinds(check_plan(plan, nullptr)).empty());
  }

  TEST_CASE("A report that names no memory is held against none") {
    PlanReport plan = good();
    plan.arenas.clear();
    plan.memories.clear();
    for (PlannedBlock& block : plan.blocks) {
      block.memory = "default";
      block.source_memory.clear();
    }
    board::MemorySet zx9 = part();
    CHECK(kinds(check_plan(plan, &zx9)) == Kinds{{kWarning, Code::kPlanMemory}});
  }

  TEST_CASE("What a report does not have is no fault") {
    PlanReport plan = good();
    plan.arenas.clear();
    plan.memories.clear();
    CHECK(kinds(check_plan(plan, nullptr)).empty());
    // Sources are said of the arena only.
    plan = good();
    plan.blocks[5].source_memory.clear();
    plan.blocks[6].source_memory.clear();
    CHECK(kinds(check_plan(plan, nullptr)).empty());
    // Blocks that the report itself says are missing.
    plan = good();
    plan.abridged = true;
    plan.blocks.erase(plan.blocks.begin() + 6);
    CHECK(kinds(check_plan(plan, nullptr)).empty());
    plan.blocks.clear();
    plan.diagnostics = {core::warning(Code::kPlanAbridged, "blocks are missing")};
    CHECK(kinds(check_plan(plan, nullptr)).empty());
    plan.diagnostics.clear();
    CHECK(kinds(check_plan(plan, nullptr)) == Kinds{{kWarning, Code::kPlanUnplanned}});
  }

  TEST_CASE("A slice of a block is an alias that lies inside it") {
    PlanReport plan = good();
    plan.blocks[3].offset = Bytes{72};
    plan.blocks[3].size = Bytes{8};
    CHECK(kinds(check_plan(plan, nullptr)).empty());
    // When only the slice is left, the rest of the bytes is free; but pieces that live together
    // are one.
    plan.blocks[3].live = model::Interval{3, 4};
    plan.blocks.push_back(scratch("next", 3, 4, 80, 16));
    CHECK(kinds(check_plan(plan, nullptr)).empty());
    plan.blocks.back().live = model::Interval{2, 4};
    CHECK(kinds(check_plan(plan, nullptr)) == Kinds{{kError, Code::kPlanOverlap}});
  }

  TEST_CASE("Blocks that need parts of their bytes share the rest") {
    PlanReport plan;
    plan.path = "plan.json";
    plan.blocks = {scratch("a", 0, 10, 0, 8), scratch("b", 2, 6, 0, 4), scratch("c", 4, 9, 4, 4)};
    plan.blocks[0].windows = {
        {{0, 2}, Bytes{0}, Bytes{8}}, {{2, 4}, Bytes{4}, Bytes{8}}, {{9, 10}, Bytes{0}, Bytes{8}}};
    CHECK(kinds(check_plan(plan, nullptr)).empty());
    // Where b lies in c's bytes, or c in a's.
    plan.blocks[1].offset = Bytes{1};
    CHECK(says(check_plan(plan, nullptr), "'b' and 'c' share 1 B"));
    CHECK(says(check_plan(plan, nullptr), "'a' and 'b' share 1 B"));
    plan.blocks[1].offset = Bytes{0};
    plan.blocks[2].live = model::Interval{3, 9};
    CHECK(says(check_plan(plan, nullptr), "'a' and 'c' share 4 B"));
    // What is needed counts, and the whole block in bytes.
    plan.blocks[2].live = model::Interval{4, 9};
    CHECK(heights_of(plan).front().least == Bytes{8});
    plan.blocks[0].size = Bytes{20};
    CHECK(heights_of(plan).front().least == Bytes{20});
  }

  TEST_CASE("Aliases of one group are compared by what they need, not by their hull") {
    PlanReport plan;
    plan.path = "plan.json";
    // In place: the upper one is read while the lower one is written.
    plan.blocks = {scratch("group", 0, 6, 0, 24),
                   scratch("in", 0, 4, 8, 16),
                   scratch("out", 3, 6, 0, 16),
                   scratch("below", 0, 3, 0, 8),
                   scratch("above", 4, 6, 16, 8)};
    plan.blocks[0].windows = {{{0, 3}, Bytes{8}, Bytes{24}},
                              {{3, 4}, Bytes{0}, Bytes{24}},
                              {{4, 6}, Bytes{0}, Bytes{16}}};
    plan.blocks[1].alias_of = plan.blocks[2].alias_of = "group";
    CHECK(kinds(check_plan(plan, nullptr)).empty());
    plan.blocks[4].live = model::Interval{3, 6};
    CHECK(kinds(check_plan(plan, nullptr)) == Kinds{{kError, Code::kPlanOverlap}});
  }

  TEST_CASE("An alias without an offset is where its root is") {
    PlanReport plan = good();
    plan.blocks[3].offset.reset();
    CHECK(kinds(check_plan(plan, nullptr)).empty());
    plan.blocks[4].offset = Bytes{64};
    CHECK(kinds(check_plan(plan, nullptr)) == Kinds{{kError, Code::kPlanOverlap}});
  }

  TEST_CASE("A block that collides with hundreds is told once") {
    PlanReport plan;
    plan.path = "plan.json";
    for (int i = 0; i < 500; ++i) {
      plan.blocks.push_back(
          scratch("b" + std::to_string(i), 0, 1, 64 + static_cast<std::uint64_t>(i) * 8, 8));
    }
    plan.blocks.push_back(scratch("giant", 0, 1, 0, 5000));
    const core::Diagnostics found = check_plan(plan, nullptr);
    CHECK(kinds(found) == Kinds{{kError, Code::kPlanOverlap}});
    CHECK(says(found, "'giant' shares bytes"));
    CHECK(says(found, "with 500 blocks"));
    CHECK(says(found, "and 495 more"));
    CHECK(found.front().details.size() <= 8);
  }

  TEST_CASE("Many faults of a kind are twenty and a number") {
    PlanReport plan;
    plan.path = "plan.json";
    for (int i = 0; i < 100; ++i) {
      const auto at = static_cast<std::uint64_t>(i) * 16;
      plan.blocks.push_back(scratch("a" + std::to_string(i), 0, 1, at, 16));
      plan.blocks.push_back(scratch("b" + std::to_string(i), 0, 1, at + 8, 8));
    }
    core::Diagnostics found = check_plan(plan, nullptr);
    CHECK(kinds(found).size() == kPlanFaults + 1);
    CHECK(says(found, "80 more like these"));
    // Everything at one place: 199 * 200 / 2 pairs.
    for (PlannedBlock& block : plan.blocks) {
      block.offset = Bytes{0};
    }
    found = check_plan(plan, nullptr);
    CHECK(kinds(found).size() <= kPlanFaults + 1);
    CHECK(says(found, "with 199 blocks"));
  }

  TEST_CASE("Hostile names and numbers") {
    PlanReport plan = good();
    plan.blocks[1].id = "\x1b[31m'\n";
    plan.blocks[1].name = std::string(100000, 'x');
    plan.blocks[2].offset = plan.blocks[3].offset = Bytes{48};
    plan.blocks[6].offset = Bytes{UINT64_MAX - 2};
    plan.blocks[6].size = Bytes{UINT64_MAX};
    for (const core::Diagnostic& diagnostic : check_plan(plan, nullptr)) {
      CHECK(diagnostic.message.size() < 1000);
      CHECK(diagnostic.message.find('\x1b') == std::string::npos);
    }
    CHECK(has_errors(check_plan(plan, nullptr)));
  }

  TEST_CASE("A long chain of aliases that leads nowhere") {
    PlanReport plan;
    plan.path = "plan.json";
    constexpr std::size_t kMany = 200000;
    for (std::size_t i = 0; i < kMany; ++i) {
      plan.blocks.push_back(scratch(std::to_string(i), 0, 1, i, 1));
      plan.blocks.back().alias_of = std::to_string(i + 1);
    }
    CHECK(kinds(check_plan(plan, nullptr)) == Kinds{{kError, Code::kPlanAlias}});
    plan.blocks.back().alias_of = "0";
    CHECK(kinds(check_plan(plan, nullptr)) == Kinds{{kError, Code::kPlanAlias}});
  }

  TEST_CASE("Heights and what they could be") {
    PlanReport plan = good();
    auto heights = heights_of(plan);
    REQUIRE(heights.size() == 2);
    CHECK(heights[0].role == Lifetime::kScratch);
    CHECK(heights[0].memory == "sram");
    CHECK(heights[0].blocks == 4);
    CHECK(heights[0].height.count() == 96);
    CHECK(heights[0].least.count() == 96);
    CHECK(heights[0].is_complete);
    CHECK(heights[1].height.count() == 44);
    CHECK(heights[1].least.count() == 44);

    // Three blocks of 5 bytes at multiples of 4 take 8 + 8 + 5.
    plan = PlanReport{};
    for (const char* id : {"x", "y", "z"}) {
      plan.blocks.push_back(scratch(id, 3, 4, 8 * plan.blocks.size(), 5));
      plan.blocks.back().alignment = aligned(4);
    }
    heights = heights_of(plan);
    REQUIRE(heights.size() == 1);
    CHECK(heights[0].least.count() == 21);
    CHECK(heights[0].height.count() == 21);
    CHECK(heights[0].step == 3);
    plan.blocks[2].offset = Bytes{24};
    const core::Diagnostics found = check_plan(plan, nullptr);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::kNote);
    CHECK(found[0].code == Code::kPlanGap);
    CHECK(says(found, "takes 29 B; no plan takes less than 21 B"));
    plan.blocks[2].live.reset();
    CHECK_FALSE(heights_of(plan)[0].is_complete);
  }

  // ARES' own numbers for a small network: 18816 bytes of 26712.
  TEST_CASE("A plan that a compiler published is right, and as low as it gets") {
    PlanReport plan;
    plan.path = "plan.json";
    plan.blocks = {scratch("input_quant", 0, 1, 12544, 784),
                   scratch("conv1", 0, 2, 0, 12544),
                   scratch("conv2", 1, 3, 12544, 6272),
                   scratch("conv3", 2, 4, 0, 6272),
                   scratch("conv4", 3, 5, 6272, 784),
                   scratch("gap", 4, 6, 0, 16),
                   scratch("fc", 5, 6, 16, 40)};
    plan.blocks.back().is_output = true;
    plan.blocks.back().alignment = aligned(4);
    CHECK(check_plan(plan, nullptr).empty());
    CHECK(heights_of(plan)[0].least.count() == 18816);
    CHECK(heights_of(plan)[0].height.count() == 18816);
    // 32-bit values behind 17 bytes of others.
    plan.blocks.back().offset = Bytes{17};
    CHECK(kinds(check_plan(plan, nullptr)) == Kinds{{kError, Code::kPlanAlignment}});
  }
}

}  // namespace memsize::plan::check_test
