// A tree that reserves what the map has is fine; what is missing, short, elsewhere, twice, foreign
// or not of its core is told, each once.
#include "memsize/layout/device_tree.hpp"

#include "memsize/core/find.hpp"
#include "memsize/readers/device_tree_reader.hpp"

#include "support.hpp"
#include "tree_blob.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::layout::device_tree_test {

namespace {

using core::Code;
using test::cells;
using test::reg;
using test::texts;
using test::TreeNode;

// A whole board of the house: what its cores are called, and where code lies, is data.
const MemoryMap& map() {
  static const MemoryMap made = [] {
    core::RealFileSystem disk;
    const auto board = board::load_board(disk, test::source_folder() + "/boards", "j722s");
    REQUIRE(board);
    return resolve(*board, {}).value();
  }();
  return made;
}

std::string node_name(const Carveout& carveout) {
  return carveout.unit_address
             ? fmt::format("{}@{:x}", carveout.node, carveout.range.base().value())
             : carveout.node;
}

// What the map's own device tree would be, in a root with memory.
struct Source {
  TreeNode reserved{
      .name = "reserved-memory",
      .properties = {{"#address-cells", cells({2})}, {"#size-cells", cells({2})}, {"ranges", ""}}};
  TreeNode memory{
      .name = "memory@80000000",
      .properties = {{"reg", reg(0x80000000, 0x80000000) + reg(0x880000000, 0x180000000)}}};
  TreeNode symbols{.name = "__symbols__"};
  std::vector<TreeNode> cores;

  Source() {
    for (const Carveout& carveout : map().carveouts) {
      const std::uint64_t base = carveout.range.base().value();
      TreeNode node{.name = node_name(carveout),
                    .properties = {{"compatible", texts({carveout.compatible})},
                                   {"reg", reg(base, carveout.range.size().count())},
                                   {"phandle", cells({static_cast<std::uint32_t>(base >> 12U)})}}};
      if (carveout.no_map) {
        node.properties.emplace_back("no-map", "");
      }
      reserved.nodes.push_back(node);
      symbols.properties.emplace_back(carveout.label, texts({"/reserved-memory/" + node.name}));
    }
  }

  // By what its name begins with.
  TreeNode& node(std::string_view name) {
    for (TreeNode& each : reserved.nodes) {
      if (each.name.starts_with(name)) {
        return each;
      }
    }
    FAIL("no such node");
    return reserved;
  }

  void drop(std::string_view name) {
    std::erase_if(reserved.nodes,
                  [&](const TreeNode& each) { return each.name.starts_with(name); });
  }

  void add(const std::string& name, std::uint64_t base, std::uint64_t size) {
    reserved.nodes.push_back(
        {.name = name, .properties = {{"reg", reg(base, size)}, {"no-map", ""}}});
  }

  [[nodiscard]] DeviceTreeReport check() const {
    TreeNode root{.properties = {{"#address-cells", cells({2})}, {"#size-cells", cells({2})}},
                  .nodes = {memory, reserved}};
    root.nodes.insert(root.nodes.end(), cores.begin(), cores.end());
    root.nodes.push_back(symbols);
    const auto tree = readers::read_device_tree(test::blob(root), "board.dtb");
    REQUIRE(tree);
    return check_device_tree(map(), *tree);
  }
};

void set(TreeNode& node, std::string_view name, const std::string& value) {
  for (auto& [key, old] : node.properties) {
    if (key == name) {
      old = value;
      return;
    }
  }
  node.properties.emplace_back(name, value);
}

// The one finding that there is.
core::Diagnostic only(const DeviceTreeReport& report, Code code) {
  CHECK_MESSAGE(report.diagnostics.size() == 1, test::all_text(report.diagnostics));
  const core::Diagnostic* found = test::find(report.diagnostics, code);
  REQUIRE_MESSAGE(found != nullptr, test::all_text(report.diagnostics));
  return *found;
}

}  // namespace

TEST_SUITE_BEGIN("layout");

TEST_CASE("a tree with the map's own nodes has no finding") {
  const DeviceTreeReport report = Source{}.check();
  CHECK_MESSAGE(report.diagnostics.empty(), test::all_text(report.diagnostics));
  REQUIRE(report.rows.size() == map().carveouts.size());
  for (const ReservedRow& row : report.rows) {
    CHECK(row.by == ReservedBy::kMap);
    CHECK(!row.carveout.empty());
  }
  CHECK(report.rows.front().range->base().value() == 0xA0000000);
  CHECK(report.cores.size() == map().board.cores.size());
  // Labels are no condition.
  Source bare;
  bare.symbols.properties.clear();
  CHECK(bare.check().diagnostics.empty());
}

TEST_CASE("a carve-out that is missing is told with its place") {
  Source source;
  source.drop("vision-apps-c71_0-memory");
  const core::Diagnostic found = only(source.check(), Code::kDevicetreeCarveout);
  CHECK(found.message ==
        "nothing reserves [0xAD100000, 0xB1000000), 63 MiB for 'vision_apps_c71_0_memory_region'");
  CHECK(found.party("carveout") == "vision_apps_c71_0_memory_region");
  // Linux passes over a node that is disabled.
  Source disabled;
  set(disabled.node("vision-apps-c71_0-memory"), "status", texts({"disabled"}));
  CHECK(only(disabled.check(), Code::kDevicetreeCarveout).message == found.message);
}

TEST_CASE("a carve-out that is short, or elsewhere, is told with both places") {
  Source source;
  set(source.node("vision-apps-r5f-memory@a2100000"), "reg", reg(0xA2100000, 0xF00000));
  CHECK(only(source.check(), Code::kDevicetreeCarveout).message ==
        "'vision-apps-r5f-memory@a2100000' reserves [0xA2100000, 0xA3000000), 15 MiB; the map has "
        "[0xA2100000, 0xA4000000), 31 MiB for 'vision_apps_main_r5fss0_core0_memory_region'");
  // Without labels it is the one at the same place.
  source.symbols.properties.clear();
  (void)only(source.check(), Code::kDevicetreeCarveout);

  Source moved;
  set(moved.node("vision-apps-core-heap-memory-lo"), "reg", reg(0xC0000000, 0x2C00000));
  CHECK(test::contains(only(moved.check(), Code::kDevicetreeCarveout).message,
                       "reserves [0xC0000000, 0xC2C00000), 44 MiB; the map has [0xB5000000"));
  // By its name, of which there is one.
  moved.symbols.properties.clear();
  (void)only(moved.check(), Code::kDevicetreeCarveout);

  Source mapped;
  std::erase_if(mapped.node("vision-apps-core-heap-memory-lo").properties,
                [](const auto& each) { return each.first == "no-map"; });
  CHECK(test::contains(only(mapped.check(), Code::kDevicetreeCarveout).message, "lacks no-map"));
}

TEST_CASE("what lies over the map is an error, what lies beside it is told") {
  Source source;
  source.add("ipc-memories@a5000000", 0xA5000000, 0x1C00000);
  CHECK(only(source.check(), Code::kDevicetreeOverlap).message ==
        "'ipc-memories@a5000000' [0xA5000000, 0xA6C00000) lies over memory of the map: "
        "IPC_VRING_MEM, TIOVX_LOG_RT_MEM");

  Source twice;
  twice.add("r5f-memory@a0100000", 0xA0100000, 0xF00000);
  CHECK(only(twice.check(), Code::kDevicetreeOverlap).party("node") == "r5f-memory@a0100000");

  // Between regions, too: the bytes are the carve-out's.
  Source between;
  between.add("between@ad280000", 0xAD280000, 0x1000);
  CHECK(test::contains(only(between.check(), Code::kDevicetreeOverlap).message,
                       "lies over memory of the map: vision_apps_c71_0_memory_region"));

  Source beside;
  beside.add("optee@9e800000", 0x9E800000, 0x1800000);
  beside.add("mcu-r5fss@a1000000", 0xA1000000, 0x1000000);
  const core::Diagnostic note = only(beside.check(), Code::kDevicetreeForeign);
  CHECK(note.severity == core::Severity::kNote);
  CHECK(note.message == "2 nodes beside the map keep 40 MiB from Linux");
  CHECK(note.details.size() == 2);
}

TEST_CASE("memory for CMA is not lost, but must fit beside the map") {
  Source source;
  source.reserved.nodes.push_back({.name = "linux,cma",
                                   .properties = {{"compatible", texts({"shared-dma-pool"})},
                                                  {"reusable", ""},
                                                  {"size", cells({0, 0x38000000})}}});
  const DeviceTreeReport report = source.check();
  CHECK_MESSAGE(report.diagnostics.empty(), test::all_text(report.diagnostics));
  CHECK(report.rows.back().by == ReservedBy::kReusable);
  CHECK(!report.rows.back().range);
  CHECK(report.rows.back().size.count() == 0x38000000);

  // Below 4 GiB there are 1156 MiB behind the map: from 0xB7C00000, where its heaps end.
  TreeNode& cma = source.reserved.nodes.back();
  cma.properties.emplace_back("alloc-ranges", reg(0x80000000, 0x80000000));
  set(cma, "size", cells({0, 0x48400000}));
  CHECK(source.check().diagnostics.empty());
  set(cma, "size", cells({0, 0x48401000}));
  CHECK(test::contains(only(source.check(), Code::kDevicetreeCma).message,
                       "in one piece; beside the map the largest has 1156 MiB"));
}

TEST_CASE("the pool of applications has the name that they open") {
  Source source;
  source.node("vision_apps_shared-memories").name = "vision_apps_shared-memories@900000000";
  source.symbols.properties.clear();
  CHECK(test::contains(only(source.check(), Code::kDevicetreeHeap).message,
                       "becomes /dev/dma_heap/carveout_vision_apps_shared-memories@900000000"));
  Source other;
  set(other.node("vision_apps_shared-memories"), "compatible", texts({"shared-dma-pool"}));
  CHECK(test::contains(only(other.check(), Code::kDevicetreeHeap).message,
                       "not compatible with dma-heap-carveout"));
  Source many;
  for (std::uint32_t i = 0; i < 7; ++i) {
    many.add(fmt::format("pool-{}", i), 0x9E000000 + i * 0x1000, 0x1000);
    set(many.reserved.nodes.back(), "compatible", texts({"dma-heap-carveout"}));
  }
  const DeviceTreeReport report = many.check();
  CHECK(
      test::contains(test::all_text(report.diagnostics),
                     "8 nodes are compatible with dma-heap-carveout, of which the driver takes 7"));
}

TEST_CASE("pages, memory, and what Linux does not read") {
  Source source;
  source.add("odd@9e780000", 0x9E780000, 0x80800);
  CHECK(test::count(source.check().diagnostics, Code::kDevicetreePage) == 1);

  Source small;
  set(small.memory, "reg", reg(0x80000000, 0x80000000) + reg(0x880000000, 0x80000000));
  const core::Diagnostic memory = only(small.check(), Code::kDevicetreeMemory);
  CHECK(test::contains(memory.message, "[0x900000000, 0x920000000), 512 MiB"));
  // Banks that touch are one piece.
  Source split;
  set(split.memory,
      "reg",
      reg(0x80000000, 0x22000000) + reg(0xA2000000, 0x5E000000) + reg(0x880000000, 0x180000000));
  CHECK(split.check().diagnostics.empty());

  Source ignored;
  set(ignored.reserved, "#size-cells", cells({1}));
  CHECK(test::find(ignored.check().diagnostics, Code::kDevicetreeIgnored) != nullptr);
  Source without;
  without.reserved.properties.pop_back();
  CHECK(test::contains(only(without.check(), Code::kDevicetreeIgnored).message, "no 'ranges'"));
  Source broken;
  broken.reserved.nodes.push_back({.name = "half", .properties = {{"reg", cells({1, 2})}}});
  CHECK(only(broken.check(), Code::kDevicetreeIgnored).party("node") == "half");
  Source nothing;
  nothing.reserved.name = "reserved";
  nothing.symbols.properties.clear();
  CHECK(test::contains(only(nothing.check(), Code::kDevicetreeIgnored).message,
                       "no /reserved-memory"));
}

TEST_CASE("a core's node names its own memory, vrings first") {
  const auto phandle = [](std::uint64_t base) { return static_cast<std::uint32_t>(base >> 12U); };
  Source source;
  source.cores = {
      {.name = "r5f@78400000",
       .properties = {{"memory-region", cells({phandle(0xA2000000), phandle(0xA2100000)})},
                      {"firmware-name", texts({"j722s-main-r5f0_0-fw"})}}}};
  const DeviceTreeReport fine = source.check();
  CHECK_MESSAGE(fine.diagnostics.empty(), test::all_text(fine.diagnostics));
  CHECK(core::find_in(fine.cores, "mcu2_0", &CoreNode::core)->path == "/r5f@78400000");

  TreeNode& core = source.cores.front();
  set(core, "firmware-name", texts({"echo-test"}));
  CHECK(test::contains(only(source.check(), Code::kDevicetreeFirmware).message,
                       "Linux loads 'echo-test' for mcu2_0"));
  set(core, "firmware-name", texts({"j722s-main-r5f0_0-fw"}));
  set(core, "memory-region", cells({phandle(0xA2100000), phandle(0xA2000000)}));
  const DeviceTreeReport swapped = source.check();
  CHECK(test::count(swapped.diagnostics, Code::kDevicetreeCore) == 2);
  CHECK(
      test::contains(test::all_text(swapped.diagnostics),
                     "memory-region 0 of 'r5f@78400000' (mcu2_0) is "
                     "'vision-apps-r5f-memory@a2100000'; the map has [0xA2000000, 0xA2100000) for "
                     "its vrings"));
  set(core, "memory-region", cells({phandle(0xA2000000)}));
  CHECK(test::contains(only(source.check(), Code::kDevicetreeCore).message, "is nothing"));
  set(core, "status", texts({"disabled"}));
  CHECK(source.check().diagnostics.empty());
}

TEST_CASE("no size that a trace drives moves the map into what the base device tree keeps") {
  // TI's base tree of this part has 16 MiB there for another R5F; a gap of the board lies there.
  const auto kept =
      core::PhysRange::make(core::PhysAddr{0xA1000000}, core::Bytes{0x1000000}).value();
  for (const std::uint64_t size : {std::uint64_t{4096}, std::uint64_t{3} << 20U}) {
    board::KnobValues values;
    for (const board::Knob& knob : map().board.knobs) {
      if (knob.demand) {
        values[knob.name] = size;
      }
    }
    REQUIRE(values.size() == 8);
    const auto tight = resolve(map().board, values);
    REQUIRE(tight);
    for (const Region& region : tight->regions) {
      const auto physical = region.physical();
      CHECK_MESSAGE(!(physical && physical->overlaps(kept)), region.name);
    }
    CHECK(core::contains(tight->gaps, kept, &Gap::physical));
  }
  CHECK(core::contains(map().board.kept, kept, &board::Keep::range));
}

TEST_SUITE_END();

}  // namespace memsize::layout::device_tree_test
