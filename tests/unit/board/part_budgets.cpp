#include "part.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::board::part_budgets_test {

namespace {

using core::Bytes;
using core::Code;
using test::with;

const std::string kCluster = R"toml(schema = 1
title = "A cluster that exists nowhere"

[memory.l1]
base = "0x10000000"
hardware = "128KiB"
by_rule = true
source = "made up"
consumers = [
  { name = "controller's stack", size = "8KiB", knob = "cc_stack", source = "made up" },
  { name = "buffers", size = "1280", in_image = true, of = "ares", source = "made up" },
]

[memory.l2]
base = "0x1C000000"
hardware = "1MiB"
cost = 2
source = "made up"

[memory.l3]
hardware = "8MiB"
volatile = false
cost = 16
source = "made up"

[tiles]
l1 = "100KiB"
l2 = "900KiB"
dma_longest = "131071"
dma_open = 16
stage_attention = "32KiB"
activations = "600KiB"
activation_spill = "300KiB"
workers = 8
source = "made up"
)toml";

core::Diagnostic one_mistake(std::string_view from, std::string_view to) {
  CAPTURE(std::string{to});
  const auto loaded = load(with(kCluster, from, to));
  REQUIRE_FALSE(loaded.has_value());
  REQUIRE_MESSAGE(loaded.error().size() == 1, test::all_text(loaded.error()));
  return loaded.error().front();
}

core::Diagnostic refused(const std::string& typed) {
  CAPTURE(typed);
  auto part = load(kCluster);
  REQUIRE(part.has_value());
  const auto set = set_of_part(*part, typed);
  REQUIRE_FALSE(set.has_value());
  return set.error().front();
}

}  // namespace

TEST_SUITE_BEGIN("board");

TEST_CASE("a cluster says what tiles may use, and what takes bytes besides") {
  const auto part = load(kCluster);
  REQUIRE_MESSAGE(part.has_value(), test::all_text(part.error()));
  REQUIRE(part->tiles.has_value());
  const TileRules& tiles = *part->tiles;
  CHECK(tiles.l1 == Bytes{102400});
  CHECK(tiles.l2 == Bytes{921600});
  CHECK(tiles.dma_longest == Bytes{131071});
  CHECK(tiles.dma_open == 16);
  CHECK_FALSE(tiles.stage.has_value());
  CHECK(tiles.stage_attention == Bytes{32768});
  CHECK(tiles.activations == Bytes{614400});
  CHECK(tiles.activation_spill == Bytes{307200});
  CHECK(tiles.workers == 8);
  CHECK(tiles.source == "made up");
  REQUIRE(part->memories.front().name == "l1");
  const auto& consumers = part->memories.front().consumers;
  REQUIRE(consumers.size() == 2);
  CHECK(consumers[0].name == "controller's stack");
  CHECK(consumers[0].size == Bytes{8192});
  CHECK(consumers[0].knob == "cc_stack");
  CHECK_FALSE(consumers[0].in_image);
  CHECK(consumers[1].knob.empty());
  CHECK(consumers[1].in_image);
  CHECK(consumers[1].of == "ares");
  CHECK(consumers[0].of.empty());
  CHECK_FALSE(load(kPart)->tiles.has_value());
}

TEST_CASE("mistakes in [tiles] and consumers") {
  CHECK(one_mistake("[memory.l3]", "[memory.far]").code == Code::kBoardReference);
  CHECK(one_mistake("[memory.l3]", "[memory.far]").message == "[tiles] needs a memory 'l3'");
  CHECK(one_mistake("dma_open = 16\n", "").code == Code::kTomlMissingKey);
  CHECK(one_mistake("dma_open = 16", "dma_open = 0").code == Code::kBoardValue);
  CHECK(one_mistake("workers = 8", "workers = 1025").code == Code::kBoardValue);
  CHECK(one_mistake("workers = 8", "workers = \"8\"").code == Code::kTomlType);
  CHECK(one_mistake("l1 = \"100KiB\"", "l1 = \"0\"").code == Code::kBoardValue);
  CHECK(one_mistake("l1 = \"100KiB\"", "l1 = \"129KiB\"").message ==
        "'l1' of [tiles] is 132 096 B, the hardware has 131 072 B");
  CHECK(one_mistake("\"600KiB\"", "\"4611686018427387905\"").code == Code::kBoardValue);
  CHECK(one_mistake("\"32KiB\"", "32768").code == Code::kTomlType);
  CHECK(one_mistake("\"131071\"", "131071").code == Code::kTomlType);
  CHECK(one_mistake("\"131071\"", "\"some\"").code == Code::kBoardExpression);
  CHECK(one_mistake("stage_attention", "stage_attentions").hint ==
        "did you mean 'stage_attention'?");
  CHECK(one_mistake("workers = 8\nsource = \"made up\"", "workers = 8").code ==
        Code::kTomlMissingKey);
  CHECK(one_mistake("knob = \"cc_stack\"", "knob = \"cc stack\"").code == Code::kBoardName);
  CHECK(one_mistake("knob = \"cc_stack\"", "knob = \"l2\"").code == Code::kBoardName);
  CHECK(one_mistake("in_image = true", "knob = \"cc_stack\"").code == Code::kBoardName);
  CHECK(one_mistake("in_image = true", "image = true").code == Code::kTomlUnknownKey);
  CHECK(one_mistake("size = \"1280\", ", "").code == Code::kTomlMissingKey);
}

TEST_CASE("knobs of a part are numbers of [tiles] and sizes of consumers") {
  auto part = load(kCluster);
  REQUIRE(part.has_value());
  for (const std::string typed : {"l1=2600",
                                  "l2=64KiB",
                                  "stage=36864",
                                  "activations=0",
                                  "dma_open=4",
                                  "workers=1",
                                  "cc_stack=4KiB"}) {
    CAPTURE(typed);
    CHECK(set_of_part(*part, typed).has_value());
  }
  CHECK(part->tiles->l1 == Bytes{2600});
  CHECK(part->tiles->l2 == Bytes{65536});
  CHECK(part->tiles->stage == Bytes{36864});
  CHECK(part->tiles->activations == Bytes{0});
  CHECK(part->tiles->dma_open == 4);
  CHECK(part->tiles->workers == 1);
  CHECK(part->memories.front().consumers.front().size == Bytes{4096});
}

TEST_CASE("what --set does not take of a part") {
  const core::Diagnostic unknown = refused("cc_stak=4KiB");
  CHECK(unknown.code == Code::kKnobUnknown);
  CHECK(unknown.message == "part 'part' has no knob 'cc_stak'");
  CHECK(unknown.hint == "did you mean 'cc_stack'?");
  CHECK(unknown.option == "--set cc_stak");
  CHECK(unknown.party("knob") == "cc_stak");
  CHECK(refused("source=x").hint ==
        "its knobs are: l1, l2, dma_longest, stage, stage_linear, stage_attention, activations, "
        "activation_spill, dma_open, workers, cc_stack");
  for (const std::string typed : {"l1",
                                  "=4",
                                  "",
                                  "workers=4KiB",
                                  "workers=0",
                                  "dma_open=2000",
                                  "l1=0",
                                  "l2=4611686018427387905"}) {
    CHECK(refused(typed).code == Code::kKnobSyntax);
  }
  const core::Diagnostic size = refused("l1=many");
  CHECK(size.code == Code::kTextSize);
  CHECK(size.option == "--set l1");
  auto none = load(kPart);
  REQUIRE(none.has_value());
  const auto set = set_of_part(*none, "l1=4");
  REQUIRE_FALSE(set.has_value());
  CHECK(set.error().front().code == Code::kKnobUnknown);
  CHECK(set.error().front().hint ==
        "it has none: its files have no [tiles], and no consumer with a knob");
}

TEST_CASE("numbers of the bundled clusters are those of ARES and Deeploy") {
  core::RealFileSystem files;
  const std::string folder = test::source_folder() + "/boards/memories";
  const auto gap9 = load_memories(files, folder, "gap9");
  REQUIRE(gap9.has_value());
  REQUIRE(gap9->tiles.has_value());
  CHECK(gap9->tiles->l1 == Bytes{102400});
  CHECK(gap9->tiles->l2 == Bytes{1126400});
  CHECK_FALSE(gap9->tiles->stage.has_value());
  CHECK(gap9->tiles->stage_attention == Bytes{32768});
  CHECK(gap9->tiles->activations == Bytes{1009664});
  CHECK(gap9->tiles->activation_spill == Bytes{716800});
  CHECK(gap9->memories[1].name == "l2");
  CHECK(gap9->memories[1].hardware == Bytes{0x190000});
  CHECK(budget_of(gap9->memories[1]) == Bytes{1572864});
}

TEST_SUITE_END();

}  // namespace memsize::board::part_budgets_test
