// A small tree with two cores that have an MMU and one that has an MPU and a RAT. Nothing is wrong
// with it; each case breaks one thing and expects that one finding.
#include "memsize/sdk/check.hpp"

#include "memsize/board/load.hpp"

#include "mpu_programs.hpp"
#include "support.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::sdk::check_test {

namespace {

using core::Code;

constexpr const char* kRoot = "vision/platform/zx9/rtos/";

constexpr const char* kScript = R"(from ti_psdk_rtos_tools import *

log = MemSection("LOG", "", 0xA5000000, 0x00040000, "log")
code1 = MemSection("CODE_D1", "RWIX", 0xA0000000, 0x00400000, "code")
code2 = MemSection("CODE_D2", "RWIX", 0xA0400000, 0x00400000, "code")
code5 = MemSection("CODE_R5", "RWIX", 0xA0800000, 0x00400000, "code")
heap = MemSection("HEAP_D1", "RWIX", 0x100000000, 0x01000000, "heap")
heap_phys = MemSection("HEAP_D1_PHYS", "RWIX", 0x880000000, 0x01000000, "heap")
box = MemSection("BOX", "", 0xC0000000, 0x20000000, "box")
box_phys = MemSection("BOX_PHYS", "", 0x900000000, 0x20000000, "box")
fast = MemSection("FAST_D1", "RWIX", 0x64800000, 0x00010000, "fast")
tail = MemSection("TAIL_D1", "RWIX", 0x64810000, 0x00004000, "tail")

d1 = MemoryMap("d1")
for_d1 = [1]
d1.addMemSection(fast)
d1.addMemSection(tail)
d1.addMemSection(code1)
d1.addMemSection(log)
d1.addMemSection(box)
d1.addMemSection(heap)
LinkerCmdFile(d1, "./d1/linker_mem_map.cmd").export()

d2 = MemoryMap("d2")
d2.addMemSection(code2)
d2.addMemSection(log)
d2.addMemSection(box)
LinkerCmdFile(d2, "./d2/linker_mem_map.cmd").export()

r5 = MemoryMap("r5")
r5.addMemSection(code5)
r5.addMemSection(log)
r5.addMemSection(box)
LinkerCmdFile(r5, "./r5/linker_mem_map.cmd").export()

h = MemoryMap("h")
h.addMemSection(log)
h.addMemSection(heap)
h.addMemSection(heap_phys)
h.addMemSection(box)
h.addMemSection(box_phys)
CHeaderFile(h, 0x880000000, 0x100000000, "./app_mem_map.h").export()
)";

constexpr const char* kHeader = R"(#define LOG_ADDR (0xA5000000u)
#define LOG_SIZE (0x00040000u)
#define HEAP_D1_ADDR (0x100000000u)
#define HEAP_D1_SIZE (0x01000000u)
#define HEAP_D1_PHYS_ADDR (0x880000000u)
#define HEAP_D1_PHYS_SIZE (0x01000000u)
#define BOX_ADDR (0xC0000000u)
#define BOX_SIZE (0x20000000u)
#define BOX_PHYS_ADDR (0x900000000u)
#define BOX_PHYS_SIZE (0x20000000u)
)";

constexpr const char* kMapD1 = R"(MEMORY
{
    FAST_D1 ( RWIX ) : ORIGIN = 0x64800000 , LENGTH = 0x00010000
    TAIL_D1 ( RWIX ) : ORIGIN = 0x64810000 , LENGTH = 0x00004000
    CODE_D1 ( RWIX ) : ORIGIN = 0xA0000000 , LENGTH = 0x00400000
    LOG              : ORIGIN = 0xA5000000 , LENGTH = 0x00040000
    BOX              : ORIGIN = 0xC0000000 , LENGTH = 0x20000000
    HEAP_D1 ( RWIX ) : ORIGIN = 0x100000000 , LENGTH = 0x01000000
}
)";

constexpr const char* kMapD2 = R"(MEMORY
{
    CODE_D2 ( RWIX ) : ORIGIN = 0xA0400000 , LENGTH = 0x00400000
    LOG              : ORIGIN = 0xA5000000 , LENGTH = 0x00040000
    BOX              : ORIGIN = 0xC0000000 , LENGTH = 0x20000000
}
)";

constexpr const char* kMapR5 = R"(MEMORY
{
    CODE_R5 ( RWIX ) : ORIGIN = 0xA0800000 , LENGTH = 0x00400000
    LOG              : ORIGIN = 0xA5000000 , LENGTH = 0x00040000
    BOX              : ORIGIN = 0xC0000000 , LENGTH = 0x20000000
}
)";

constexpr const char* kMainD1 = R"(#include <app_mem_map.h>
void map(int is_secure)
{
    Mmu_initMapAttrs(&attrs);
    ok = Mmu_map(0x00000000, 0x00000000, 0x20000000, &attrs, is_secure);
    ok = Mmu_map(0x60000000, 0x60000000, 0x20000000, &attrs, is_secure);
    attrs.attrIndx = Mmu_AttrIndx_MAIR7;
    ok = Mmu_map(0x64800000, 0x64800000, 0x00014000, &attrs, is_secure);
    ok = Mmu_map(0xA0000000, 0xA0000000, 0x20000000, &attrs, is_secure);
    ok = Mmu_map(HEAP_D1_ADDR, HEAP_D1_PHYS_ADDR, HEAP_D1_SIZE, &attrs, is_secure);
    ok = Mmu_map(BOX_ADDR, BOX_PHYS_ADDR, BOX_SIZE, &attrs, is_secure);
    attrs.attrIndx = Mmu_AttrIndx_MAIR4;
    ok = Mmu_map(LOG_ADDR, LOG_ADDR, LOG_SIZE, &attrs, is_secure);
}
uint64_t appTarget2SharedConversion(const uint64_t a)
{
    uint64_t out = a;
    if ((a >= BOX_ADDR) && (a < (BOX_ADDR + BOX_SIZE)))
    {
        out = a + (BOX_PHYS_ADDR - BOX_ADDR);
    }
    else if ((a >= HEAP_D1_ADDR) && (a < (HEAP_D1_ADDR + HEAP_D1_SIZE)))
    {
        out = a + (HEAP_D1_PHYS_ADDR - HEAP_D1_ADDR);
    }
    return out;
}
uint64_t appShared2TargetConversion(const uint64_t p)
{
    uint64_t out = p;
    if ((p >= BOX_PHYS_ADDR) && (p < (BOX_PHYS_ADDR + BOX_PHYS_SIZE)))
    {
        out = p - (BOX_PHYS_ADDR - BOX_ADDR);
    }
    else if ((p >= HEAP_D1_PHYS_ADDR) && (p < (HEAP_D1_PHYS_ADDR + HEAP_D1_PHYS_SIZE)))
    {
        out = p - (HEAP_D1_PHYS_ADDR - HEAP_D1_ADDR);
    }
    return out;
}
)";

constexpr const char* kMainD2 = R"(#include <app_mem_map.h>
void map(int is_secure)
{
    Mmu_initMapAttrs(&attrs);
    ok = Mmu_map(0x00000000, 0x00000000, 0x20000000, &attrs, is_secure);
    attrs.attrIndx = Mmu_AttrIndx_MAIR7;
    ok = Mmu_map(0xA0000000, 0xA0000000, 0x20000000, &attrs, is_secure);
    ok = Mmu_map(BOX_ADDR, BOX_PHYS_ADDR, BOX_SIZE, &attrs, is_secure);
    attrs.attrIndx = Mmu_AttrIndx_MAIR4;
    ok = Mmu_map(LOG_ADDR, LOG_ADDR, LOG_SIZE, &attrs, is_secure);
}
)";

constexpr const char* kSections = R"(SECTIONS
{
    .text : {} palign(8) > CODE_R5 ALIGN(0x400000)
    .bss:log (NOLOAD) : {} > LOG
}
)";

constexpr const char* kMpu = R"(#include <app_mem_map.h>
const CSL_ArmR5MpuRegionCfg gCslR5MpuCfg[CSL_ARM_R5F_MPU_REGIONS_MAX] =
{
    { .regionId = 0U, .enable = 1U, .baseAddr = 0x0U, .size = CSL_ARM_R5_MPU_REGION_SIZE_2GB,
      .subRegionEnable = CSL_ARM_R5_MPU_SUB_REGION_ENABLE_ALL, .exeNeverControl = 1U,
      .accessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR, .shareable = 1U,
      .cacheable = FALSE, .cachePolicy = 0U, .memAttr = 0U },
    { .regionId = 1U, .enable = 1U, .baseAddr = 0x80000000U, .size = CSL_ARM_R5_MPU_REGION_SIZE_2GB,
      .subRegionEnable = CSL_ARM_R5_MPU_SUB_REGION_ENABLE_ALL, .exeNeverControl = 0U,
      .accessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR, .shareable = 0U,
      .cacheable = TRUE, .cachePolicy = CSL_ARM_R5_CACHE_POLICY_WB_WA, .memAttr = 0U },
    { .regionId = 2U, .enable = 1U, .baseAddr = LOG_ADDR, .size = CSL_ARM_R5_MPU_REGION_SIZE_256KB,
      .subRegionEnable = CSL_ARM_R5_MPU_SUB_REGION_ENABLE_ALL, .exeNeverControl = 1U,
      .accessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR, .shareable = 1U,
      .cacheable = TRUE, .cachePolicy = CSL_ARM_R5_CACHE_POLICY_NON_CACHEABLE, .memAttr = 0U },
};
)";

constexpr const char* kInit = R"(#include <app_mem_map.h>
int appInit(void)
{
#if defined(R5F)
    if (BOX_PHYS_ADDR > 0xFFFFFFFF)
    {
        rat.size = BOX_SIZE;
        rat.baseAddress = BOX_ADDR;
        rat.translatedAddress = BOX_PHYS_ADDR;
        status = appMemAddrTranslate(&rat);
    }
#endif
    return status;
}
)";

constexpr const char* kBoard = R"(schema = 1
title = "A small chip"
soc = "zx9"
hard_granule = "4KiB"

[files]
linker = "linker_mem_map.cmd"
header = "app_mem_map.h"
dts = "zx9.dtsi"

[core.d1]
[core.d2]
[core.r5]

[bank.low]
base = "0x80000000"
size = "2GiB"

[bank.high]
base = "0x880000000"
size = "6GiB"

[knob]
log_size = { default = "256KiB", minimum = "256KiB", why = "16 lines of 16 KiB" }

[chain.fast]
space = "sram"
physical = "0x64800000"
regions = [
  { name = "FAST_D1", size = "64KiB", cores = ["d1"] },
  { name = "TAIL_D1", size = "16KiB", cores = ["d1"] },
]

[chain.code]
physical = "0xA0000000"
regions = [
  { name = "CODE_D1", size = "4MiB", cores = ["d1"], cache = "cached" },
  { name = "CODE_D2", size = "4MiB", cores = ["d2"], cache = "cached" },
  { name = "CODE_R5", size = "4MiB", cores = ["r5"], cache = "cached", align = "4MiB" },
]

[chain.log]
physical = "0xA5000000"
regions = [
  { name = "LOG", size = "log_size", cores = "all", cache = "non-cached" },
]

[chain.heap]
physical = "0x880000000"
virtual = "0x100000000"
regions = [
  { name = "HEAP_D1", size = "16MiB", cores = ["d1"], cache = "cached", phys = true },
]

[chain.box]
physical = "0x900000000"
virtual = "0xC0000000"
regions = [
  { name = "BOX", size = "512MiB", cores = "all", cache = "cached", phys = true },
]

[mmu]
program = "source"
granule = "4KiB"
tables = 16
mair_non_cached = [0, 4]
mair_cached = [7]

[mmu.entry]
REGISTERS = { mair = 0, base = "0x0", size = "512MiB" }
FAST = { mair = 7, covers = ["FAST_D1", "TAIL_D1"] }
DDR = { mair = 7, base = "0xA0000000", size = "512MiB", window = "code and what it uses" }
HEAP = { mair = 7, covers = ["HEAP_D1"] }
BOX = { mair = 7, covers = ["BOX"] }
LOG = { mair = 4, covers = ["LOG"] }

[mmu.core]
d1 = ["REGISTERS", "FAST", "DDR", "HEAP", "BOX", "LOG"]
d2 = ["REGISTERS", "DDR", "BOX", "LOG"]

[mpu]
program = "csl"

[mpu.attribute]
device = { tex = 0, shareable = true }
non-cached = { tex = 1, shareable = true }
cached = { tex = 1, cacheable = true, bufferable = true, execute = true }

[mpu.region]
REGISTERS = { base = "0x0", size = "2GiB", attribute = "device" }
DRAM = { base = "0x80000000", size = "2GiB", attribute = "cached" }

[mpu.core.r5]
fixed = ["REGISTERS", "DRAM"]
areas = { non-cached = ["LOG"] }

[rat]
program = "source"

[rat.entry]
BOX = { covers = ["BOX"] }

[rat.core]
r5 = ["BOX"]
)";

using Files = std::vector<std::pair<std::string, std::string>>;

Files good_tree() {
  return {{"gen_linker_mem_map.py", kScript},
          {"app_mem_map.h", kHeader},
          {"d1/linker_mem_map.cmd", kMapD1},
          {"d2/linker_mem_map.cmd", kMapD2},
          {"r5/linker_mem_map.cmd", kMapR5},
          {"d1/main.c", kMainD1},
          {"d2/main.c", kMainD2},
          {"d1/zx9_linker_freertos.cmd", "SECTIONS\n{\n    .text : {} > CODE_D1\n}\n"},
          {"d2/zx9_linker_freertos.cmd", "SECTIONS\n{\n    .text : {} > CODE_D2\n}\n"},
          {"r5/zx9_linker_freertos.cmd", kSections},
          {"r5/zx9_mpu_cfg.c", kMpu},
          {"common/app_init.c", kInit}};
}

core::Diagnostics findings(const Files& tree, const std::string& board_text = kBoard) {
  core::MemFileSystem files;
  test::put_mpu_programs(files);
  for (const auto& [path, text] : tree) {
    files.content[kRoot + path] = text;
  }
  files.content["boards/zx9.toml"] = board_text;
  const auto board = board::load_board(files, "boards", "zx9");
  REQUIRE_MESSAGE(board.has_value(), (board ? "" : board.error().front().message));
  const auto map = layout::resolve(*board, {});
  REQUIRE_MESSAGE(map.has_value(), (map ? "" : map.error().front().message));
  const auto platforms = find_platforms(files, "vision");
  REQUIRE(platforms.has_value());
  const auto sources = read_sources(files, platforms->front(), test::mpu_programs());
  REQUIRE(sources.has_value());
  CHECK_MESSAGE(sources->problems.empty(),
                (sources->problems.empty() ? "" : sources->problems.front().message));
  REQUIRE(sources->variants.size() == 1);
  return check_variant(*sources, sources->variants.front(), &*map).diagnostics;
}

// The tree with one piece of one file replaced; the piece must be there.
Files changed(const std::string& path, const std::string& from, const std::string& to) {
  Files tree = good_tree();
  const auto file =
      std::ranges::find_if(tree, [&](const auto& each) { return each.first == path; });
  REQUIRE(file != tree.end());
  const std::size_t at = file->second.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, (path + ": " + from));
  file->second.replace(at, from.size(), to);
  return tree;
}

Files without(const std::string& path) {
  Files tree = good_tree();
  REQUIRE(std::erase_if(tree, [&](const auto& each) { return each.first == path; }) == 1);
  return tree;
}

std::string said(const core::Diagnostics& found) {
  std::string all;
  for (const core::Diagnostic& each : found) {
    all += std::string{core::code_name(each.code)} + " " +
           each.place.path.str().substr(std::string{kRoot}.size()) + ":" +
           std::to_string(each.place.line) + " " + each.message + "\n";
  }
  return all;
}

}  // namespace

TEST_SUITE("sdk") {
  TEST_CASE("nothing is wrong with a tree whose files agree") {
    CHECK(said(findings(good_tree())) == "");
  }

  TEST_CASE("one thing is wrong, and it is what is found") {
    struct Case {
      Files tree;
      std::string want;
    };

    Files extra_tree = good_tree();
    extra_tree.push_back(
        {"k3-zx9-old.dtsi", "a: log@a5000000 {\n reg = <0x00 0xa5000000 0x00 0x40000>;\n};\n"});
    const Files stray = changed("d2/linker_mem_map.cmd",
                                "    LOG ",
                                "    FAST_R5 : ORIGIN = 0x1000 , LENGTH = 0x1000\n    LOG ");
    const std::vector<Case> cases = {
        // Sections against linker maps.
        {changed("r5/zx9_linker_freertos.cmd", "> LOG", "> LOGS"),
         "sdk.disagree r5/zx9_linker_freertos.cmd:4 '.bss:log' of r5 goes to 'LOGS', which its "
         "linker map lacks\n"},
        {changed("r5/zx9_linker_freertos.cmd", "> LOG", "> 0xA6000000"),
         "sdk.disagree r5/zx9_linker_freertos.cmd:4 '.bss:log' of r5 is bound to 0xA6000000, "
         "which is in no region of its linker map\n"},
        {changed("r5/zx9_linker_freertos.cmd", "ALIGN(0x400000)", "ALIGN(0x1000000)"),
         "layout.section r5/zx9_linker_freertos.cmd:3 '.text' of r5 wants a multiple of 16 MiB in "
         "'CODE_R5', but [0xA0800000, 0xA0C00000) has none\n"},
        // One core against another.
        {changed("d2/main.c", "0xA0000000, 0x20000000", "0xA0000000, 0x10000000"),
         "sdk.disagree d1/main.c:9 d1 maps 512 MiB at 0xA0000000 with '0xA0000000', but d2 maps "
         "256 MiB there\n"},
        {stray,
         "sdk.generated d2/linker_mem_map.cmd:4 this is not what gen_linker_mem_map.py makes: "
         "'FAST_R5' is only here\n"
         "sdk.disagree d2/linker_mem_map.cmd:4 'FAST_R5' is in the linker map of d2, but not "
         "in that of r5, after which it is named\n"},
        // What the MMU makes of the map.
        {changed("d1/main.c", "0x64800000, 0x00014000", "0x64800000, 0x00010000"),
         "mmu.cache d1/main.c:8 d1 maps 'TAIL_D1' with MAIR0 as a part of '0x60000000', but "
         "'FAST_D1' before it has an entry of its own with MAIR7\n"},
        {changed("d1/main.c",
                 "    ok = Mmu_map(LOG_ADDR, LOG_ADDR, LOG_SIZE, &attrs, is_secure);\n",
                 ""),
         "mmu.cache d1/main.c:9 d1 maps [0xA5000000, 0xA5040000) of 'LOG' with MAIR7, but it must "
         "be non-cached\n"},
        {changed("d1/main.c", "0x60000000, 0x60000000", "0x60000800, 0x60000800"),
         "mmu.granule d1/main.c:6 MMU entry '0x60000800' of d1 maps [0x60000800, 0x80000800) to "
         "[0x60000800, 0x80000800): not whole pages of 4 KiB\n"},
        // Addresses that C code converts.
        {changed("d1/main.c", "a < (HEAP_D1_ADDR + HEAP_D1_SIZE)", "a < (HEAP_D1_ADDR + 4096)"),
         "sdk.disagree d1/main.c:0 appTarget2SharedConversion of d1 does not convert a region: "
         "0x100FFFFFF of 'HEAP_D1' stays as it is, but is at 0x880FFFFFF\n"},
        {changed("d1/main.c",
                 "out = p - (HEAP_D1_PHYS_ADDR - HEAP_D1_ADDR)",
                 "out = p - (HEAP_D1_PHYS_ADDR - BOX_ADDR)"),
         "sdk.disagree d1/main.c:35 the C code of d1 converts 0x880000000 of 'HEAP_D1' to "
         "0xC0000000, but it is at 0x100000000\n"},
        // The RAT.
        {changed("common/app_init.c", "> 0xFFFFFFFF", "> 0xFFFFFFFFFF"),
         "rat.missing common/app_init.c:0 r5 sees 'BOX' at [0xC0000000, 0xE0000000), which without "
         "a RAT entry leads to 0xC0000000, but it is at [0x900000000, 0x920000000)\n"},
        {changed("common/app_init.c", "appMemAddrTranslate(&rat)", "0"),
         "rat.missing r5:0 r5 sees 'BOX' at [0xC0000000, 0xE0000000), which without a RAT entry "
         "leads to 0xC0000000, but it is at [0x900000000, 0x920000000)\n"},
        // Files that are missing or left over.
        {without("r5/zx9_mpu_cfg.c"),
         "sdk.missing r5:0 no file of r5 has its MPU regions: neither a sysconfig file for "
         "freertos nor a table in *_mpu_cfg.c\n"},
        {without("app_mem_map.h"),
         "sdk.missing app_mem_map.h:0 gen_linker_mem_map.py makes this file, but it is not "
         "there\n"},
        {without("d2/main.c"),
         "sdk.missing d2:0 no file of d2 configures its MMU: neither a sysconfig file for freertos "
         "nor Mmu_map() in main.c\n"},
        {extra_tree,
         "sdk.stale k3-zx9-old.dtsi:0 no script writes this device tree, and it does not reserve 5 "
         "regions\n"},
    };
    for (const Case& one : cases) {
      CAPTURE(one.want);
      CHECK(said(findings(one.tree)) == one.want);
    }
  }

  TEST_CASE("a tree is held against the rules of its part") {
    struct Case {
      std::string from;
      std::string to;
      std::string want;
    };

    const std::vector<Case> cases = {
        {"minimum = \"256KiB\"",
         "minimum = \"512KiB\"",
         "size.minimum d1/linker_mem_map.cmd:6 'LOG' has 256 KiB, but needs 512 KiB: 16 lines of "
         "16 "
         "KiB\n"},
        {"align = \"4MiB\"",
         "align = \"16MiB\"",
         "layout.alignment r5/linker_mem_map.cmd:3 'CODE_R5' at 0xA0800000 must begin on a "
         "multiple "
         "of 16 MiB\n"},
        {"size = \"6GiB\"",
         "size = \"2GiB\"",
         "layout.bank d1/linker_mem_map.cmd:7 'BOX' is at [0x900000000, 0x920000000), where board "
         "'zx9' has no DRAM\n"},
        {"tables = 16",
         "tables = 8",
         // The root, its one table, five with 2 MiB blocks, two with pages.
         "mmu.tables d1/main.c:0 d1 needs 9 translation tables, but its driver has 8\n"},
    };
    for (const Case& one : cases) {
      CAPTURE(one.to);
      CHECK(said(findings(good_tree(), test::with(kBoard, one.from, one.to))) == one.want);
    }
    // 1 MiB further up, the heap's blocks of 2 MiB would be cut.
    const std::string moved =
        test::with(kBoard, "physical = \"0x880000000\"", "physical = \"0x880100000\"");
    Files tree = changed("app_mem_map.h", "PHYS_ADDR (0x880000000u)", "PHYS_ADDR (0x880100000u)");
    const std::string want = "mmu.congruence d1/main.c:10 ";
    CHECK(said(findings(tree, moved)).find(want) != std::string::npos);
  }

  // The alignment of a region that a RAT leads to is the RAT's: without a translation it needs
  // none.
  TEST_CASE("what is mapped one to one need not stand where a RAT could lead to it") {
    const std::string strict =
        test::with(kBoard,
                   "{ name = \"BOX\", size = \"512MiB\"",
                   "{ name = \"BOX\", align = \"512MiB\", size = \"512MiB\"");
    CHECK(said(findings(good_tree(), strict)) == "");
    const auto all = [](std::string text, const std::string& from, const std::string& to) {
      for (std::size_t at = text.find(from); at != std::string::npos;
           at = text.find(from, at + 1)) {
        text.replace(at, from.size(), to);
      }
      return text;
    };
    Files same = good_tree();
    Files elsewhere = good_tree();
    for (auto& [path, text] : same) {
      text = all(all(text, "0xC0000000", "0xB8000000"), "0x900000000", "0xB8000000");
    }
    for (auto& [path, text] : elsewhere) {
      text = all(text, "0xC0000000", "0xD0000000");
    }
    const std::string rule = "'BOX' at 0xD0000000 must begin on a multiple of 512 MiB";
    CHECK(said(findings(same, strict)).find("must begin") == std::string::npos);
    CHECK(said(findings(elsewhere, strict)).find(rule) != std::string::npos);
  }

  TEST_CASE("fixed entries that were moved are found") {
    // Registers that are seen elsewhere.
    CHECK(
        said(findings(changed("d1/main.c", "0x00000000, 0x00000000", "0x00000000, 0x00200000"))) ==
        "mmu.coverage d1/main.c:5 MMU entry '0x0' of d1 maps 0x0 to 0x200000, but it is for "
        "registers or memory that every core sees where it is\n");
    // Tightly coupled memory, in a region of its own over the registers.
    const std::string tcm =
        "    { .regionId = 3U, .enable = 1U, .baseAddr = 0x41010000U,\n"
        "      .size = CSL_ARM_R5_MPU_REGION_SIZE_32KB,\n"
        "      .subRegionEnable = CSL_ARM_R5_MPU_SUB_REGION_ENABLE_ALL, .exeNeverControl = 0U,\n"
        "      .accessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR, .shareable = 0U,\n"
        "      .cacheable = TRUE, .cachePolicy = CSL_ARM_R5_CACHE_POLICY_NON_CACHEABLE, "
        ".memAttr = 0U },\n};\n";
    std::string board = test::with(
        kBoard, "device = {", "tcm = { tex = 1, shareable = true, execute = true }\ndevice = {");
    board = test::with(
        board,
        "DRAM = { base",
        "TCM = { base = \"0x41010000\", size = \"32KiB\", attribute = \"tcm\" }\nDRAM = { base");
    board = test::with(board, "[\"REGISTERS\", \"DRAM\"]", "[\"REGISTERS\", \"TCM\", \"DRAM\"]");
    const Files good = changed("r5/zx9_mpu_cfg.c", "};\n", tcm);
    CHECK(said(findings(good, board)) == "");
    const std::string begin = "mpu.cache r5/zx9_mpu_cfg.c:";
    const auto with_tcm = [&](const std::string& from, const std::string& to) {
      return said(findings(changed("r5/zx9_mpu_cfg.c", "};\n", test::with(tcm, from, to)), board));
    };
    CHECK(with_tcm("0x41010000U", "0x41018000U") ==
          begin + "4 r5 sees 'TCM' at 0x41010000 as device registers through MPU region 0\n");
    CHECK(
        with_tcm("exeNeverControl = 0U", "exeNeverControl = 1U") ==
        begin +
            "16 r5 sees 'TCM' at 0x41010000 as memory that code must not run in through MPU region "
            "3\n");
  }

  TEST_CASE("a region that no board knows is cached as the script's words want it") {
    Files tree = good_tree();
    for (auto& [path, text] : tree) {
      if (path == "gen_linker_mem_map.py") {
        text = test::with(text,
                          "d1 = MemoryMap",
                          "mail = MemSection(\"MAIL\", \"\", 0xA6000000, 0x1000, "
                          "\"MUST be non-cached or cache-coherent\")\nd1 = MemoryMap");
        text = test::with(
            text, "r5.addMemSection(log)", "r5.addMemSection(log)\nr5.addMemSection(mail)");
      } else if (path == "r5/linker_mem_map.cmd") {
        text = test::with(
            text, "    BOX ", "    MAIL : ORIGIN = 0xA6000000 , LENGTH = 0x00001000\n    BOX ");
      }
    }
    CHECK(said(findings(tree)) ==
          "mpu.cache r5/zx9_mpu_cfg.c:8 r5 sees [0xA6000000, 0xA6001000) of 'MAIL' cached through "
          "MPU "
          "region 1, but it must be non-cached\n");
  }
}

}  // namespace memsize::sdk::check_test
