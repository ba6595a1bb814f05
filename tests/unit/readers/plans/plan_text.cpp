#include "memsize/readers/plan_reader.hpp"

#include "support.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::readers::plan_text_test {

namespace {

using core::Code;
using model::Lifetime;

model::PlanReport read(const std::string& text, std::string_view format) {
  auto report = read_plan(text, "log.txt");
  REQUIRE_MESSAGE(report.has_value(), (report ? "" : test::all_text(report.error())));
  CHECK(report->format == format);
  return std::move(*report);
}

core::Diagnostics refused(const std::string& text, const std::string& format) {
  auto report = read_plan(text, "log.txt", format);
  REQUIRE_FALSE(report.has_value());
  return std::move(report.error());
}

const model::PlannedBlock& block(const model::PlanReport& report, std::string_view id) {
  const auto found =
      std::ranges::find_if(report.blocks, [&](const auto& each) { return each.id == id; });
  REQUIRE_MESSAGE(found != report.blocks.end(), id);
  return *found;
}

// As TFLM's GreedyMemoryPlanner prints it, behind the stamps of a console.
constexpr const char* kTflm =
    "I (301) app: start\n"
    "I (318) tflm: 0 (id=0): size=1024, offset=0, first_used=0 last_used=1\r\n"
    "I (320) tflm: 1 (id=1): size=512, offset=1024, first_used=1 last_used=2\r\n"
    "I (322) tflm: \x1B[32ma (id=2): size=16, offset=-1, first_used=2 last_used=2\x1B[0m\n"
    "I (324) tflm:    0: 00000000000000000000........................ (1k)\n"
    "I (326) tflm: [RecordingMicroAllocator] Arena allocation total 2600 bytes\n"
    "I (328) tflm: [RecordingMicroAllocator] Arena allocation head 1536 bytes\n"
    "I (330) tflm: [RecordingMicroAllocator] Arena allocation tail 1064 bytes\n"
    "I (332) tflm: [RecordingMicroAllocator] 'OpData' used 64 bytes with alignment overhead "
    "(requested 60 bytes for 3 OpData structs)\n";

// As Regor's PrintAllocation() formats it; `usage` is the most while it lives.
std::string regor_row(
    int start, int end, int address, int size, int usage, const char* format_and_name) {
  return fmt::format("{:10} - {:10}: {:#10x} - {:#10x}: {:11}: {:12}: {}\n",
                     start,
                     end,
                     address,
                     address + size,
                     size,
                     usage,
                     format_and_name);
}

// As Vela's print_allocation() formats it; `usage` is what is alive when it begins.
std::string vela_row(
    int start, int end, int address, int size, int usage, const char* purpose, const char* name) {
  const std::string rest = fmt::format("{:12s}: {:s}", purpose, name);
  return regor_row(start, end, address, size, usage, rest.c_str());
}

std::string vela_listing(const char* area, const char* types, int peak, const std::string& rows) {
  return fmt::format(
      "\n{}\nTensor Allocation for mem_area {}, of mem_type_set ({}), using allocator "
      "TensorAllocator.HillClimb, in Cpu and Npu subgraph:\n"
      "Start Time -   End Time: Start Addr -   End Addr: Tensor Size: Memory Usage: Purpose     : "
      "Name\n{}"
      "Allocation Peak Tensor Size:  {:9d} ({:#10x}) Bytes {:8.2f} KiB\n"
      "Allocation Peak Memory Usage:      4096 (    0x1000) Bytes     4.00 KiB\n"
      "Allocation Overhead:               1024 Bytes (33.33 %)\n",
      std::string(80, '#'),
      area,
      types,
      rows,
      peak,
      peak,
      peak / 1024.0);
}

std::string regor_listing(const char* heading, int total, const std::string& rows) {
  return fmt::format(
      "{}\n{}\n"
      "Start Time - End Time  : Start Addr -   End Addr: Tensor Size: Memory Usage: Format         "
      ": Name\n{}"
      "Allocation Peak Tensor Size: {} bytes == {} KiB\n",
      std::string(80, '#'),
      heading,
      rows,
      total,
      total / 1024.0);
}

constexpr const char* kAutoTiler =
    "            S1_Output     EXEC:   HyperRam[  1:  2]@      0 , Size:  148512\n"
    "                       BUFFERS:\n"
    "                           Ker:        S4_Conv2d_Relu, Arg:              In,    4288:        "
    "L2@  11424\n"
    "                           Ker:       S1_Op_formatter, Arg:             Out,   24280:        "
    "L2@      0\n"
    "            S4_Output     EXEC:   HyperRam[  2:  3]@4752384 , Size: 2376192\n"
    "                       BUFFERS:\n"
    "                           Ker:        S4_Conv2d_Relu, Arg:             Out,   11424:        "
    "L2@      0\n"
    "           S15_Output  , Size: 4752384\n"
    "                       BUFFERS:\n"
    "                           Ker:     S18_Conv2d_Hsigmoid, Arg:           In2,   30720:        "
    "L2@      0\n";

}  // namespace

TEST_SUITE_BEGIN("readers");

TEST_CASE("tflm: the plan, behind what a console puts before it") {
  const auto report = read(kTflm, "tflm");
  REQUIRE(report.blocks.size() == 3);
  CHECK(report.blocks[1].id == "1");
  CHECK(report.blocks[1].size == core::Bytes{512});
  CHECK(report.blocks[1].offset == core::Bytes{1024});
  // Both steps are inside.
  CHECK(report.blocks[1].live == model::Interval{1, 3});
  CHECK(report.blocks[1].line == 3);
  CHECK(report.blocks[2].name == "a");
  CHECK_FALSE(report.blocks[2].offset.has_value());
  REQUIRE(report.arenas.size() == 2);
  CHECK(report.arenas[0].role == Lifetime::kScratch);
  CHECK(report.arenas[0].total == core::Bytes{1536});
  CHECK(report.arenas[1].role == Lifetime::kPersistent);
  CHECK(report.arenas[1].total == core::Bytes{1064});
  REQUIRE(report.memories.size() == 1);
  CHECK(report.memories[0].used == core::Bytes{2600});
  CHECK_FALSE(report.abridged);
  CHECK(report.diagnostics.empty());
}

TEST_CASE("tflm: what contradicts itself or is missing is a warning") {
  const std::string text = kTflm;
  CHECK(refused(test::with(text, "total 2600", "total 2601"), "tflm").front().code ==
        Code::kPlanContradiction);
  const auto tailless = read(test::with(text, "tail 1064", "tajl 1064"), "tflm");
  CHECK(tailless.abridged);
  const auto other = read(test::with(text, "(1k)", "(2k)"), "tflm");
  CHECK(test::count(other.diagnostics, Code::kPlanContradiction) == 1);
  const auto lost = read(test::with(text, "1 (id=1)", "2 (id=3)"), "tflm");
  CHECK(lost.abridged);
  CHECK(test::find(lost.diagnostics, Code::kPlanAbridged) != nullptr);
  const auto cut = read(test::with(text, "first_used=1 last_used=2", "first_us"), "tflm");
  CHECK(cut.abridged);
  CHECK(cut.blocks.size() == 2);
  const auto overlap = read(text +
                                "Overlap: 0 (0=>1, 0->1024) vs 1 (1=>2, 1000->1512)\n"
                                "Overlap: 1 (1=>2, 1000->1512) vs 0 (0=>1, 0->1024)\n",
                            "tflm");
  REQUIRE(overlap.diagnostics.size() == 1);
  CHECK(overlap.diagnostics[0].code == Code::kPlanContradiction);
  const auto twice = read(text + text, "tflm");
  CHECK(twice.blocks.size() == 3);
  CHECK(twice.blocks[0].line == 11);
  CHECK(test::count(twice.diagnostics, Code::kPlanContradiction) == 1);
  const auto only = read("[RecordingMicroAllocator] Arena allocation head 1536 bytes\n", "tflm");
  CHECK(only.abridged);
  CHECK(only.blocks.empty());
}

TEST_CASE("tflm: what no plan can have is an error") {
  const std::string text = kTflm;
  CHECK(refused(test::with(text, "size=512", "size=-512"), "tflm").front().code == Code::kPlanSize);
  CHECK(refused(test::with(text, "first_used=1 last_used=2", "first_used=3 last_used=2"), "tflm")
            .front()
            .code == Code::kPlanLifetime);
  CHECK(refused(test::with(text, "(id=2)", "(id=1)"), "tflm").front().code == Code::kPlanDuplicate);
  for (const auto& [what, with] : {std::pair{"size=512", "size=51x"},
                                   std::pair{"(id=1)", "(ix=1)"},
                                   std::pair{"last_used=2\n", "last_used=2x\n"}}) {
    const std::string damaged =
        std::string_view{with}.ends_with("2x\n")
            ? text + "a (id=3): size=1, offset=0, first_used=1 last_used=2x\n"
            : test::with(text, what, with);
    CHECK(refused(damaged, "tflm").front().code == Code::kPlanSyntax);
  }
  CHECK(refused("nothing\n", "tflm").front().code == Code::kPlanSyntax);
}

TEST_CASE("vela: tables by memory, with their lower bound") {
  const std::string scratch = vela_row(0, 2, 0, 1024, 1024, "FeatureMap", "in: int8") +
                              vela_row(2, 4, 1024, 2048, 3072, "FeatureMap", "conv1") +
                              vela_row(2, 4, 1024, 2048, 3072, "FeatureMap", "conv1_relu");
  const std::string weights =
      vela_row(0, 9, 0, 64, 64, "Weights", "w") + vela_row(3, 9, 64, 64, 128, "Weights", "w");
  const auto report =
      read("Warning: something\n" + vela_listing("OffChipFlash", "Permanent_NPU", 128, weights) +
               vela_listing("Sram", "Scratch, Scratch_fast", 3072, scratch),
           "vela");
  REQUIRE(report.blocks.size() == 5);
  CHECK(report.planner == "HillClimb");
  CHECK(block(report, "w").role == Lifetime::kConstant);
  CHECK(block(report, "w").memory == "offchipflash");
  CHECK_FALSE(block(report, "w").live.has_value());
  // Two tensors may have one name.
  CHECK(block(report, "w#2").offset == core::Bytes{64});
  CHECK(block(report, "in: int8").live == model::Interval{0, 3});
  CHECK(block(report, "in: int8").memory == "sram");
  CHECK(block(report, "conv1").offset == core::Bytes{1024});
  CHECK(block(report, "conv1").alias_of.empty());
  CHECK(block(report, "conv1_relu").alias_of == "conv1");
  REQUIRE(report.arenas.size() == 2);
  CHECK(report.arenas[1].memory == "sram");
  CHECK(report.arenas[1].lower_bound == core::Bytes{3072});
  CHECK(report.arenas[1].total == core::Bytes{4096});
  CHECK(report.diagnostics.empty());
}

TEST_CASE("vela: prefixes of a build server, lost headings, damaged rows, a second model") {
  const std::string rows = vela_row(0, 2, 0, 1024, 1024, "FeatureMap", "in");
  std::string prefixed = "2026-01-02T03:04:05.678Z ";
  for (const char c : vela_listing("Sram", "Scratch", 1024, rows)) {
    prefixed += c;
    if (c == '\n') {
      prefixed += "2026-01-02T03:04:05.678Z ";
    }
  }
  CHECK(read(prefixed, "vela").blocks.size() == 1);
  const std::string listing = vela_listing("Sram", "Scratch", 1024, rows);
  const auto headless = read(listing.substr(listing.find("Start Time")), "vela");
  CHECK(headless.abridged);
  CHECK(headless.blocks[0].memory == "default");
  const auto twice = read(listing + listing, "vela");
  CHECK(twice.blocks.size() == 1);
  CHECK(test::find(twice.diagnostics, Code::kPlanContradiction) != nullptr);
  const auto cut = read(listing.substr(0, listing.find("Allocation Peak")), "vela");
  CHECK(cut.abridged);
  CHECK(refused(vela_listing("Sram", "Scratch", 4, vela_row(3, 2, 0, 4, 4, "FeatureMap", "x")),
                "vela")
            .front()
            .code == Code::kPlanLifetime);
  // Constants of CPU and NPU have addresses of their own.
  const auto both = read(vela_listing("Dram", "Permanent_NPU", 1024, rows) +
                             vela_listing("Dram", "Permanent_CPU", 1024, rows),
                         "vela");
  CHECK(block(both, "in").memory == "dram");
  CHECK(block(both, "in#2").memory == "dram_cpu");
}

TEST_CASE("vela: a damaged row is told, whatever of it is damaged") {
  const std::string rows = vela_row(0, 2, 0, 1024, 1024, "FeatureMap", "in") +
                           vela_row(2, 4, 1024, 2048, 3072, "FeatureMap", "conv1");
  const std::string listing = vela_listing("Sram", "Scratch", 3072, rows);
  CHECK(read(listing, "vela").diagnostics.empty());
  for (const auto& [what, with] : {std::pair{"2048: ", "2O48: "},
                                   std::pair{"     0x400:", "     0y400:"},
                                   std::pair{" 3072: FeatureMap", " 30B2: FeatureMap"},
                                   std::pair{"2 -          4:", "2 -          4;"}}) {
    const auto& shown_what = what;
    CHECK_MESSAGE(
        refused(test::with(listing, what, with), "vela").front().code == Code::kPlanSyntax,
        shown_what);
  }
  // Two forms of one number.
  for (const auto& [what, with] : {std::pair{"     0x400:", "     0x401:"},
                                   std::pair{"2048: ", "2049: "},
                                   std::pair{"(     0xc00)", "(     0xc01)"}}) {
    const auto& shown_what = what;
    CHECK_MESSAGE(
        refused(test::with(listing, what, with), "vela").front().code == Code::kPlanContradiction,
        shown_what);
  }
  // What is alive when is said twice, too.
  const auto lost =
      read(test::with(listing, vela_row(0, 2, 0, 1024, 1024, "FeatureMap", "in"), ""), "vela");
  CHECK(test::find(lost.diagnostics, Code::kPlanContradiction) != nullptr);
}

TEST_CASE("vela: Regor's tables, with and without a column for the format") {
  const std::string constants =
      regor_listing("Tensor Allocation for read-only NPU tensors:",
                    96,
                    regor_row(0, 0, 0, 64, 64, "WeightsEncoded : w") +
                        regor_row(2, 4, 64, 32, 32, "WeightsEncoded : w2"));
  // "Memory Usage" is the most while a tensor lives.
  const std::string rows = regor_row(0, 2, 0, 1024, 3072, "NHWC           : in: int8") +
                           regor_row(2, 4, 1024, 2048, 3072, "NHCWB16        : conv1") +
                           regor_row(2, 4, 1024, 2048, 3072, "NHCWB16        : conv1_relu") +
                           regor_row(4, 5, 0, 16, 2064, "NHWC           : out");
  const std::string scratch =
      regor_listing("Allocation, memory Sram, usage mask: FeatureMap|Staging", 3072, rows);
  const auto report = read(constants + scratch, "vela");
  REQUIRE(report.blocks.size() == 6);
  CHECK(report.planner == "Regor");
  CHECK(block(report, "w2").role == Lifetime::kConstant);
  CHECK(block(report, "w2").memory == "read-only");
  CHECK(block(report, "w2").offset == core::Bytes{64});
  CHECK_FALSE(block(report, "w2").live.has_value());
  CHECK(block(report, "in: int8").memory == "sram");
  CHECK(block(report, "in: int8").live == model::Interval{0, 3});
  CHECK(block(report, "conv1_relu").alias_of == "conv1");
  REQUIRE(report.arenas.size() == 2);
  CHECK(report.arenas[1].total == core::Bytes{3072});
  CHECK_FALSE(report.arenas[1].lower_bound.has_value());
  CHECK(report.diagnostics.empty());
  CHECK_FALSE(report.abridged);
  // Older ones have no format; names may have colons.
  const auto older =
      read(test::with(regor_listing("Allocation, memory Dram, usage mask: FeatureMap",
                                    1024,
                                    regor_row(0, 2, 0, 1024, 1024, " conv/Relu;in:0")),
                      "Format         : Name",
                      " Name"),
           "vela");
  CHECK(block(older, "conv/Relu;in:0").size == core::Bytes{1024});
  // Constants by their usage; a print that has the most of all in every row.
  const auto flash = read(regor_listing("Allocation, memory Flash, usage mask: ReadOnly",
                                        48,
                                        regor_row(0, 0, 0, 16, 32, "NHWC           : a") +
                                            regor_row(1, 2, 16, 32, 32, "NHWC           : b")),
                          "vela");
  CHECK(block(flash, "b").role == Lifetime::kConstant);
  CHECK(flash.diagnostics.empty());
  // What is damaged.
  const auto lost =
      read(test::with(scratch, "3072: NHCWB16        : conv1\n", "2072: NHCWB16        : conv1\n"),
           "vela");
  CHECK(test::find(lost.diagnostics, Code::kPlanContradiction) != nullptr);
  CHECK(refused(test::with(scratch, "3072 bytes", "3073 bytes"), "vela").front().code ==
        Code::kPlanContradiction);
  CHECK(refused(test::with(scratch, "== 3 KiB", "== 3x KiB"), "vela").front().code ==
        Code::kPlanContradiction);
  CHECK(refused(test::with(scratch, "3072 bytes", "3O72 bytes"), "vela").front().code ==
        Code::kPlanSyntax);
  CHECK(read(scratch.substr(0, scratch.find("Allocation Peak")), "vela").abridged);
  CHECK(read(scratch.substr(scratch.find("Start Time")), "vela").blocks[0].memory == "default");
}

TEST_CASE("autotiler: symbols, and the buffers of kernels at their steps") {
  const auto report = read(kAutoTiler, "autotiler");
  REQUIRE(report.blocks.size() == 7);
  CHECK(block(report, "S1_Output").memory == "hyperram");
  CHECK(block(report, "S1_Output").live == model::Interval{1, 3});
  CHECK(block(report, "S4_Output").offset == core::Bytes{4752384});
  CHECK(block(report, "S4_Output").size == core::Bytes{2376192});
  // Who writes a symbol runs when it begins; its only reader when it ends.
  CHECK(block(report, "S1_Op_formatter.Out").live == model::Interval{1, 2});
  CHECK(block(report, "S4_Conv2d_Relu.In").live == model::Interval{2, 3});
  CHECK(block(report, "S4_Conv2d_Relu.In").memory == "l2");
  CHECK(block(report, "S4_Conv2d_Relu.In").offset == core::Bytes{11424});
  CHECK(block(report, "S4_Conv2d_Relu.In").name == "S1_Output");
  CHECK(block(report, "S4_Conv2d_Relu.Out").live == model::Interval{2, 3});
  CHECK_FALSE(block(report, "S15_Output").offset.has_value());
  CHECK_FALSE(block(report, "S18_Conv2d_Hsigmoid.In2").live.has_value());
  CHECK(report.abridged);
  CHECK(test::count(report.diagnostics, Code::kPlanAbridged) == 1);
}

TEST_CASE("autotiler: what each level was given, and what it uses") {
  const auto report = read(
      "         Shared L1 Memory size (Bytes)             : Given:      48736, Used:      44120\n"
      "                L2 Memory size (Bytes)             : Given:     200000, Used:     105600\n"
      "        HyperFlash Memory size (Bytes)             : Given:   20971520, Used:      78112\n"
      "\tGraph nodes max local memory : L3: 7128576, L2:  179547\n",
      "autotiler");
  REQUIRE(report.memories.size() == 4);
  CHECK(report.memories[0].name == "l1");
  CHECK(report.memories[0].capacity == core::Bytes{48736});
  CHECK(report.memories[1].name == "l2");
  CHECK(report.memories[1].used == core::Bytes{105600});
  CHECK(report.memories[2].writable == false);
  CHECK(report.memories[3].name == "l3");
  CHECK(report.memories[3].used == core::Bytes{7128576});
  CHECK(report.abridged);
}

TEST_CASE("autotiler: a damaged row is told") {
  const std::string text = kAutoTiler;
  for (const auto& [what, with] : {std::pair{"Size:  148512", "Size:  1485x2"},
                                   std::pair{"S1_Output     EXEC: ", "S1_Output     EX3C: "},
                                   std::pair{"Ker:       S1", "Key:       S1"},
                                   std::pair{"   11424:        L2@", "   11424:       :L2@"},
                                   std::pair{"[  1:  2]", "[  1;  2]"}}) {
    const auto& shown_what = what;
    CHECK_MESSAGE(
        refused(test::with(text, what, with), "autotiler").front().code == Code::kPlanSyntax,
        shown_what);
  }
  const std::string sums =
      text + "      L2 Memory size (Bytes)             : Given:     200000, Used:     105600\n";
  // HyperRam has no sum.
  CHECK(test::find(read(sums, "autotiler").diagnostics, Code::kPlanContradiction) != nullptr);
}

TEST_CASE("ares log: arenas, what is outside, and cycles") {
  const auto report = read(
      "CL: Allocating L2 Arena: 38416 bytes\n"
      "  Arena: 1C03E280 - 1C047890\n"
      "  layer3_0_conv2_weight: 1C0CDF90  \xE2\x86\x90 Outside arena!\n"
      "[MHSA L1] FALLBACK - need 134144 bytes, have 102400\n"
      "  PERF conv1                   : total=  402118 compute=  338420 dma_load=   41230 "
      "dma_store=   28816 idle=       0 overlap=100.0%\n"
      "Total layers: 2\n",
      "ares-log");
  REQUIRE(report.arenas.size() == 1);
  CHECK(report.arenas[0].memory == "l2");
  CHECK(report.arenas[0].total == core::Bytes{38416});
  REQUIRE(report.memories.size() == 1);
  CHECK(report.memories[0].base == core::PhysAddr{0x1C03E280});
  REQUIRE(report.layers.size() == 1);
  CHECK(report.layers[0].name == "conv1");
  CHECK(report.layers[0].total == 402118);
  CHECK(report.layers[0].compute == 338420);
  CHECK(report.layers[0].load == 41230);
  CHECK(report.layers[0].store == 28816);
  CHECK(test::count(report.diagnostics, Code::kPlanBounds) == 2);
  CHECK(test::count(report.diagnostics, Code::kPlanAbridged) == 1);
  CHECK(report.abridged);
}

TEST_CASE("ares log: a range that is no range, or not the arena's") {
  CHECK(refused("CL: Allocating L2 Arena: 38416 bytes\n Arena: 1000 - 2000\n", "ares-log")
            .front()
            .code == Code::kPlanContradiction);
  const auto reversed =
      read("CL: Allocating L2 Arena: 38416 bytes\n Arena: 2000 - 1000\n", "ares-log");
  CHECK(test::count(reversed.diagnostics, Code::kPlanContradiction) == 1);
}

TEST_CASE("ares log: damaged rows, and sums of what the rows say") {
  const std::string text =
      "CL: Allocating L2 Arena: 38416 bytes\n"
      "  PERF a : total= 100 compute= 80 dma_load= 30 dma_store= 10 idle= 0 overlap=100.0%\n"
      "  PERF b : total= 50 compute= 40 dma_load= 3 dma_store= 1 idle= 6 overlap=88.0%\n"
      "Total layers: 2\nTotal cycles: 150\n  Compute cycles: 120 (80.0%)\n";
  CHECK(read(text, "ares-log").diagnostics.empty());
  const auto other = read(test::with(text, "total= 100", "total= 900"), "ares-log");
  CHECK(test::count(other.diagnostics, Code::kPlanContradiction) == 1);
  for (const auto& [what, with] : {std::pair{"PERF a", "PERX a"},
                                   std::pair{"dma_store= 10", "dma_store= 1O"},
                                   std::pair{"Allocating L2 Arena", "Allocating L2 Brena"}}) {
    const auto& shown_what = what;
    CHECK_MESSAGE(
        refused(test::with(text, what, with), "ares-log").front().code == Code::kPlanSyntax,
        shown_what);
  }
}

TEST_CASE("plans in text: no other console log is one") {
  constexpr std::string_view kOthers[] = {
      "[C7x_2 ]     52.400500 s: 5           , DDR Cacheable       , Persistent  ,  128, 2755.41 ,"
      " 0x1043de40\n",
      "Arena: nothing\nPERF counters are off\nTotal layers: 7\n",
      "Memory size (Bytes) of nothing\n(id=5)\n",
      "Start Time - and so on\n",
  };
  for (const std::string_view text : kOthers) {
    CHECK_MESSAGE(plan_reader_of(text) == nullptr, text);
  }
}

TEST_SUITE_END();

}  // namespace memsize::readers::plan_text_test
