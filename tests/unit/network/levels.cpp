#include "memsize/network/levels.hpp"

#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::network::levels_test {

namespace {

using core::Bytes;
using core::Code;
using core::Severity;

constexpr std::uint64_t kL1 = 131072;
constexpr std::uint64_t kL2 = 0x190000;

// What gap9_memcheck knows: a controller's stack of 8 KiB, buffers in the image.
board::MemorySet cluster() {
  board::MemorySet part{.name = "cluster"};
  board::PartMemory l1{.name = "l1", .hardware = Bytes{kL1}, .base = core::PhysAddr{0x10000004}};
  l1.consumers = {{"controller's stack", Bytes{8192}, "cc_stack", false, "made up"},
                  {"im2col buffers", Bytes{10240}, "", true, "made up"}};
  board::PartMemory l2{.name = "l2", .hardware = Bytes{kL2}, .base = core::PhysAddr{0x1C000000}};
  board::PartMemory l3{.name = "l3", .hardware = Bytes{32U << 20U}};
  part.memories = {std::move(l1), std::move(l2), std::move(l3)};
  return part;
}

std::pair<std::string, LevelConsumer> tiles(std::uint64_t size) {
  return {"l1", {"tiles of the largest layer", Bytes{size}, "l1", true}};
}

const std::vector<plan::MemoryUse> kEmptyImage;

std::vector<Level> with_tiles(std::uint64_t size,
                              const std::vector<plan::MemoryUse>* images = &kEmptyImage) {
  const model::PlanReport plan;
  const board::MemorySet part = cluster();
  return levels_of({plan, part, {tiles(size)}, images});
}

core::Diagnostic only_finding(const std::vector<Level>& levels) {
  const core::Diagnostics found = check_levels(levels, "net.json");
  REQUIRE_MESSAGE(found.size() == 1, test::all_text(found));
  CHECK(found.front().code == Code::kPlanDoesNotFit);
  CHECK(found.front().place.path.str() == "net.json");
  return found.front();
}

const Level& level_of(const std::vector<Level>& levels, const std::string& memory) {
  const auto found = std::ranges::find(levels, memory, &Level::memory);
  REQUIRE(found != levels.end());
  return *found;
}

}  // namespace

TEST_SUITE_BEGIN("network");

TEST_CASE("l1 has room for tiles and the controller's stack, or says what to lower") {
  // Deeploy's transformer: 122 000 + 8 192 of 131 072 B, 880 B free.
  const core::Diagnostic tight = only_finding(with_tiles(122000));
  CHECK(tight.severity == Severity::kWarning);
  CHECK(tight.message ==
        "'l1' has 880 B free, less than 1 024 B: how deep stacks go is known only when it runs");
  CHECK(tight.hint == "lower l1 to at most 121856, or cc_stack to at most 8048");
}

TEST_CASE("at, above and below what l1 has") {
  const auto level = level_of(with_tiles(kL1 - 8192), "l1");
  CHECK(level.capacity == Bytes{kL1});
  CHECK(level.used == Bytes{kL1});
  CHECK(only_finding(with_tiles(kL1 - 8192)).severity == Severity::kWarning);
  CHECK(check_levels(with_tiles(kL1 - 8192 - 1024), "net.json").empty());
  CHECK(only_finding(with_tiles(kL1 - 8192 - 1023)).severity == Severity::kWarning);
  const core::Diagnostic over = only_finding(with_tiles(kL1 - 8192 + 1));
  CHECK(over.severity == Severity::kError);
  CHECK(over.message == "'l1' has 131 072 B, but all that is there takes 131 073 B: 1 B too much");
  CHECK(over.hint == "lower l1 to at most 122880, or cc_stack to at most 8191");
  CHECK(core::code_status(over.code) == core::ExitStatus::kDoesNotFit);
  CHECK(over.party("memory") == "l1");
}

TEST_CASE("consumers stand from the largest down, and sections of an image count") {
  const std::vector<plan::MemoryUse> images{
      {.memory = "l1", .constant = Bytes{100}, .zeroed = Bytes{10240}, .reserved = Bytes{90000}},
      {.memory = "l1", .data = Bytes{7}, .copied = Bytes{9}, .stacks = Bytes{11}}};
  const auto levels = with_tiles(120000, &images);
  const core::Diagnostic over = only_finding(levels);
  // Heaps are not counted; the buffers are in the image and nowhere else.
  CHECK(level_of(levels, "l1").used == Bytes{120000 + 8192 + 100 + 10240 + 7 + 9 + 11});
  REQUIRE(over.details.size() == 7);
  CHECK(over.details[0].starts_with("tiles of the largest layer "));
  CHECK(over.details[0].ends_with(" 120 000 B"));
  CHECK(over.details[1].starts_with("image: zeroed data "));
  CHECK(over.details[2].starts_with("controller's stack "));
  CHECK(over.details[6].starts_with("image: data  "));
  CHECK(over.hint == "lower l1 to at most 112513, or cc_stack to at most 705");
  CHECK(level_of(levels, "l1").not_counted.empty());
}

TEST_CASE("without an image, what is in one is taken from the part, and the rest is said to lack") {
  const auto levels = with_tiles(1000, nullptr);
  const Level& l1 = level_of(levels, "l1");
  CHECK(l1.used == Bytes{1000 + 8192 + 10240});
  CHECK(l1.not_counted == std::vector<std::string>{"code, data and tables"});
  // Where nothing is, there is no level.
  CHECK(levels.size() == 1);
}

TEST_CASE("a knob that does not help alone is not offered") {
  const core::Diagnostic stack_alone = only_finding(with_tiles(kL1));
  CHECK(stack_alone.hint == "lower l1 to at most 122880");
  const std::vector<plan::MemoryUse> full{{.memory = "l1", .zeroed = Bytes{kL1}}};
  CHECK(only_finding(with_tiles(8192, &full)).hint == "link less into 'l1'");
  const std::vector<plan::MemoryUse> half{{.memory = "l1", .zeroed = Bytes{kL1 - 100}}};
  CHECK(only_finding(with_tiles(8192, &half)).hint == "link less into 'l1'");
}

TEST_CASE("l2 has sections, arenas and slabs; arenas have no knob but ways out") {
  model::PlanReport plan;
  plan.arenas.push_back({.memory = "l2", .used = Bytes{900000}, .total = Bytes{1000000}});
  plan.arenas[0].role = model::Lifetime::kScratch;
  plan.blocks.push_back({.id = "late",
                         .role = model::Lifetime::kScratch,
                         .memory = "l2",
                         .size = Bytes{200000},
                         .offset = Bytes{900000}});
  plan.blocks.push_back({.id = "w",
                         .role = model::Lifetime::kConstant,
                         .memory = "l2",
                         .source_memory = "l3",
                         .size = Bytes{5000},
                         .offset = Bytes{0}});
  plan.blocks.push_back({.id = "nowhere", .memory = "l3", .size = Bytes{1}});
  plan.blocks.push_back({.id = "same", .memory = "l2", .size = Bytes{9}, .alias_of = "late"});
  const board::MemorySet part = cluster();
  const std::vector<plan::MemoryUse> images{
      {.memory = "l2", .constant = Bytes{500000}, .data = Bytes{33400}}};
  const auto fits = levels_of({plan, part, {}, &images});
  CHECK(level_of(fits, "l2").used == Bytes{kL2});
  CHECK(check_levels(fits, "net.json").empty());
  const Level& l3 = level_of(fits, "l3");
  CHECK(l3.used == Bytes{5000});
  CHECK(l3.consumers.front().name == "what is copied to l2");
  CHECK(l3.not_counted == std::vector<std::string>{"1 block without an offset"});

  const auto over = levels_of({plan, part, {{"l2", {"slabs", Bytes{20000}, "l2", true}}}, &images});
  const core::Diagnostic told = only_finding(over);
  CHECK(told.message ==
        "'l2' has 1 638 400 B, but all that is there takes 1 658 400 B: 20 000 B too much");
  CHECK(told.details.front().starts_with("scratch arena "));
  CHECK(told.details.front().ends_with(" 1 100 000 B"));
  // The slabs would have to vanish.
  CHECK(told.hint ==
        "make its arenas smaller: stage more weights (stage), let activations go to l3 "
        "(activations), or cut smaller slabs (l2)");
}

TEST_CASE("what only one compiler's programs have counts with its plans, and with memsize's own") {
  board::MemorySet part = cluster();
  part.memories.front().consumers[1].of = "ares";
  const auto used = [&](const char* format, bool is_replanned) {
    const model::PlanReport plan{.format = format, .is_replanned = is_replanned};
    return level_of(levels_of({plan, part, {}}), "l1").used;
  };
  CHECK(used("ares-network", false) == Bytes{8192 + 10240});
  CHECK(used("memsize-plan", true) == Bytes{8192 + 10240});
  CHECK(used("autotiler", false) == Bytes{8192});
}

TEST_CASE("what a report says is used counts where it lists nothing") {
  model::PlanReport plan;
  plan.memories = {{.name = "l1", .used = Bytes{44120}}, {.name = "l2", .used = Bytes{9000}}};
  plan.arenas.push_back({.memory = "l2", .used = Bytes{5000}});
  const board::MemorySet part = cluster();
  const auto levels = levels_of({plan, part, {}, &kEmptyImage});
  CHECK(level_of(levels, "l1").used == Bytes{44120 + 8192});
  CHECK(level_of(levels, "l1").consumers.front().name == "used, as the report says");
  CHECK(level_of(levels, "l2").used == Bytes{5000});
  CHECK(level_of(levels_of({plan, part, {tiles(100)}, &kEmptyImage}), "l1").used ==
        Bytes{100 + 8192});
}

TEST_CASE("sizes near 2^62 are too much, and nothing wraps") {
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 62U;
  model::PlanReport plan;
  plan.arenas.push_back({.memory = "l1", .used = Bytes{kHuge}});
  plan.blocks.push_back(
      {.id = "a", .memory = "l1", .size = Bytes{kHuge}, .offset = Bytes{UINT64_MAX}});
  const board::MemorySet part = cluster();
  const auto levels = levels_of({plan, part, {tiles(kHuge), tiles(kHuge), tiles(kHuge)}, nullptr});
  CHECK(level_of(levels, "l1").used == Bytes{UINT64_MAX});
  const core::Diagnostic over = only_finding(levels);
  CHECK(over.severity == Severity::kError);
  CHECK(over.hint.find("lower") == std::string::npos);
}

TEST_CASE("GAP9: tiles of all that they may use fit beside the stacks of ARES") {
  core::RealFileSystem files;
  auto gap9 = board::load_memories(files, test::source_folder() + "/boards/memories", "gap9");
  REQUIRE(gap9.has_value());
  REQUIRE(gap9->tiles.has_value());
  const model::PlanReport plan{.format = "ares-network"};
  const auto alone = levels_of({plan, *gap9, {tiles(gap9->tiles->l1.count())}, nullptr});
  CHECK(level_of(alone, "l1").capacity == Bytes{kL1});
  CHECK(level_of(alone, "l1").used == Bytes{102400 + 8192 + 8192 + 10240});
  CHECK(check_levels(alone, "net.json").empty());
  // What Deeploy's documents count: workers' stacks are in L2.
  REQUIRE(board::set_of_part(*gap9, "worker_stacks=0").has_value());
  const auto deeploy = levels_of({plan, *gap9, {tiles(122000)}, &kEmptyImage});
  CHECK(level_of(deeploy, "l1").used == Bytes{130192});
}

TEST_CASE("what NE16 packs") {
  CHECK(ne16_weights(Ne16Kind::kPointwise, 16, 32) == Bytes{32 * 16 + 32 * 6});
  CHECK(ne16_weights(Ne16Kind::kPointwise, 17, 32) == Bytes{32 * 32 + 32 * 6});
  CHECK(ne16_weights(Ne16Kind::k3x3, 3, 8) == Bytes{8 * 16 * 9 + 8 * 6});
  CHECK(ne16_weights(Ne16Kind::kDepthwise3x3, 32, 32) == Bytes{288 + 32 * 6});
  CHECK(ne16_weights(Ne16Kind::kDepthwise3x3, 33, 33) == Bytes{2 * 288 + 33 * 6});
  CHECK(ne16_weights(Ne16Kind::k3x3, UINT64_MAX, 2) == Bytes{UINT64_MAX});
}

TEST_SUITE_END();

}  // namespace memsize::network::levels_test
