#include "memsize/sdk/check.hpp"
#include "memsize/sdk/view.hpp"

#include "mpu_programs.hpp"
#include "support.hpp"
#include "tree/reading.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::sdk::check_dpl_test {

namespace {

constexpr const char* kRoot = "sdk/platform/zx9/rtos/";

constexpr const char* kScript =
    "from ti_psdk_rtos_tools import *\n"
    "code = MemSection('CODE', 'RWIX', 0xA0000000, 0x100000, 'code')\n"
    "m = MemoryMap('m')\n"
    "m.addMemSection(code)\n"
    "LinkerCmdFile(m, './dsp/linker_mem_map.cmd').export()\n";

constexpr const char* kSyscfg =
    "const mmu_armv81 = mmu_armv8.addInstance();\n"
    "const mmu_armv82 = mmu_armv8.addInstance();\n"
    "mmu_armv81.$name = \"REGISTERS\";\n"
    "mmu_armv81.size = 0x20000000;\n"
    "mmu_armv82.$name = \"HEAP\";\n"
    "mmu_armv82.vAddr = 0x100000000;\n"
    "mmu_armv82.pAddr = 0x880000000;\n"
    "mmu_armv82.size = 0x4000000;\n"
    "mmu_armv82.attribute = \"MAIR7\";\n"
    "const mpu_armv71 = mpu_armv7.addInstance();\n"
    "mpu_armv71.$name = \"ALL\";\n"
    "const addr_translate1 = addr_translate.addInstance();\n"
    "addr_translate1.$name = \"BOX\";\n"
    "addr_translate1.localAddr = 0xC0000000;\n"
    "addr_translate1.systemAddr = 0x900000000;\n";

// What sysconfig makes of that.
constexpr const char* kMade = R"(#include "ti_dpl_config.h"
AddrTranslateP_RegionConfig gAddrTranslateRegionConfig[1u] =
{
    { .localAddr = 0xC0000000u, .systemAddr = 0x900000000u, .size = AddrTranslateP_RegionSize_512M, },
};
MpuP_RegionConfig gMpuRegionConfig[1u] =
{
    { .baseAddr = 0x0u, .size = MpuP_RegionSize_4G,
      .attrs = { .isEnable = 1, .isCacheable = 1, .isBufferable = 1, .isSharable = 0, .isExecuteNever = 0,
                 .tex = 1, .accessPerm = MpuP_AP_ALL_RW, .subregionDisableMask = 0x0u }, },
};
MmuP_RegionConfig gMmuRegionConfig[2u] =
{
    { .vaddr = 0x0u, .paddr = 0x0u, .size = 0x20000000u, .attr = { .attrIndx = MMUP_ATTRINDX_MAIR0 } },
    { .vaddr = 0x100000000u, .paddr = 0x880000000u, .size = 0x4000000u, .attr = { .attrIndx = MMUP_ATTRINDX_MAIR7 } },
};
)";

// One core that has the sysconfig file for both operating systems, and what was made of one.
struct Tree : core::MemFileSystem {
  explicit Tree(const std::string& made) {
    const std::string root = kRoot;
    content[root + "gen_linker_mem_map.py"] = kScript;
    content[root + "gen_linker_mem_map_safertos.py"] = kScript;
    content[root + "dsp/linker_mem_map.cmd"] =
        "MEMORY\n{\n    CODE (RWIX) : ORIGIN = 0xA0000000 , LENGTH = 0x00100000\n}\n";
    content[root + "dsp/freertos.syscfg"] = kSyscfg;
    content[root + "dsp/safertos.syscfg"] = kSyscfg;
    content[root + "dsp/generated/ti_dpl_config.c"] = made;
  }
};

// Of all operating systems.
core::Diagnostics findings(core::FileSystem& files) {
  core::Diagnostics found;
  const auto sources = read_sources(files, {"zx9", "sdk/platform/zx9/rtos"}, test::mpu_programs());
  REQUIRE(sources.has_value());
  for (const Variant& variant : sources->variants) {
    for (const core::Diagnostic& each : check_variant(*sources, variant, nullptr).diagnostics) {
      if (each.code == core::Code::kSdkGenerated || each.code == core::Code::kVerifyParse) {
        found.push_back(each);
      }
    }
  }
  return found;
}

}  // namespace

TEST_SUITE("sdk") {
  TEST_CASE("what sysconfig makes of one of a core's files is what may be there") {
    Tree files(kMade);
    CHECK_MESSAGE(findings(files).empty(), test::all_text(findings(files)));

    // Only the one for the other operating system makes it.
    std::string& other = files.content[std::string{kRoot} + "dsp/freertos.syscfg"];
    other = test::with(other, "0x4000000;", "0x8000000;");
    CHECK_MESSAGE(findings(files).empty(), test::all_text(findings(files)));
    std::string& own = files.content[std::string{kRoot} + "dsp/safertos.syscfg"];
    own = test::with(own, "0x900000000;", "0xA00000000;");
    own = test::with(own, "0x20000000;", "0x10000000;");
    const core::Diagnostics found = findings(files);
    REQUIRE(found.size() == 1);
    CHECK(test::contains(found.front().message, "dsp/freertos.syscfg, the nearest of 2"));
  }

  TEST_CASE("every value that sysconfig would not make is told, with both places") {
    struct Case {
      const char* from;
      const char* to;
      const char* message;
      std::size_t line;
      std::size_t line_in_syscfg;
    };

    for (
        const Case& one : std::vector<Case>{
            {"0xC0000000u",
             "0xD0000000u",
             "the local address of RAT entry 1 'BOX' is 0xD0000000 here, but 0xC0000000 there",
             4,
             14},
            {"0x900000000u",
             "0x940000000u",
             "the system address of RAT entry 1 'BOX' is 0x940000000 here, but 0x900000000 there",
             4,
             15},
            {"AddrTranslateP_RegionSize_512M",
             "AddrTranslateP_RegionSize_1G",
             "the size of RAT entry 1 'BOX' is 1 GiB here, but 512 MiB there",
             4,
             13},
            {".baseAddr = 0x0u",
             ".baseAddr = 0x80000000u",
             "the base of MPU region 0 'ALL' is 0x80000000 here, but 0x0 there",
             8,
             11},
            {"MpuP_RegionSize_4G",
             "MpuP_RegionSize_2G",
             "the size of MPU region 0 'ALL' is 2 GiB here, but 4 GiB there",
             8,
             11},
            {"isSharable = 0",
             "isSharable = 1",
             "the attribute of MPU region 0 'ALL' is TEX 1 C 1 B 1 S 1 here, but TEX 1 C 1 B 1 S 0 "
             "there",
             9,
             11},
            {"isExecuteNever = 0",
             "isExecuteNever = 1",
             "the execute-never bit of MPU region 0 'ALL' is 1 here, but 0 there",
             9,
             11},
            {"subregionDisableMask = 0x0u",
             "subregionDisableMask = 0x80u",
             "the mask of MPU region 0 'ALL' is 0x80 here, but 0x0 there",
             10,
             11},
            {"isEnable = 1", "isEnable = 0", "it lacks MPU region 0 'ALL'", 0, 11},
            {"0x100000000u",
             "0x110000000u",
             "the virtual address of MMU entry 2 'HEAP' is 0x110000000 here, but 0x100000000 there",
             15,
             6},
            {"0x880000000u",
             "0x890000000u",
             "the physical address of MMU entry 2 'HEAP' is 0x890000000 here, but 0x880000000 "
             "there",
             15,
             7},
            {"0x4000000u",
             "0x8000000u",
             "the size of MMU entry 2 'HEAP' is 128 MiB here, but 64 MiB there",
             15,
             8},
            {"MMUP_ATTRINDX_MAIR0",
             "MMUP_ATTRINDX_MAIR4",
             "the attribute of MMU entry 1 'REGISTERS' is MAIR4 here, but MAIR0 there",
             14,
             3},
        }) {
      CAPTURE(one.from);
      Tree files(test::with(kMade, one.from, one.to));
      const core::Diagnostics found = findings(files);
      REQUIRE(found.size() == 1);
      const core::Diagnostic& finding = found.front();
      CHECK(finding.message ==
            std::string{"this is not what dsp/freertos.syscfg, the nearest of 2 sysconfig files, "
                        "makes: "} +
                one.message);
      CHECK(finding.place.path.str() == std::string{kRoot} + "dsp/generated/ti_dpl_config.c");
      CHECK(finding.place.line == one.line);
      REQUIRE(finding.related.size() == 1);
      CHECK(finding.related.front().place.line == one.line_in_syscfg);
    }
  }

  TEST_CASE("entries that only one of the two has are told") {
    const std::string last =
        "    { .vaddr = 0x100000000u, .paddr = 0x880000000u, .size = 0x4000000u, "
        ".attr = { .attrIndx = MMUP_ATTRINDX_MAIR7 } },\n";
    Tree less(test::with(kMade, last, ""));
    REQUIRE(findings(less).size() == 1);
    CHECK(test::contains(findings(less).front().message, "it lacks MMU entry 2 'HEAP'"));

    Tree more(test::with(kMade, last, last + last));
    REQUIRE(findings(more).size() == 1);
    CHECK(test::contains(findings(more).front().message, "MMU entry 3 is only here"));
    CHECK(findings(more).front().place.line == 16);
    CHECK(findings(more).front().related.empty());
  }

  TEST_CASE("of a file that cannot be read, that is told, and nothing else") {
    Tree files(test::with(kMade, "MMUP_ATTRINDX_MAIR0", "MAIR0"));
    const core::Diagnostics found = findings(files);
    REQUIRE(found.size() == 2);
    for (const core::Diagnostic& each : found) {
      CHECK(each.code == core::Code::kVerifyParse);
      CHECK(each.place.line == 14);
    }
  }

  TEST_CASE("a core without any sysconfig file has what sysconfig made") {
    Tree files(kMade);
    const std::string root = kRoot;
    const auto reading_of = [&] {
      const auto sources =
          read_sources(files, {"zx9", "sdk/platform/zx9/rtos"}, test::mpu_programs());
      REQUIRE(sources.has_value());
      const auto reading = read_variant(*sources, sources->variants.front(), 0);
      REQUIRE(reading->cores.size() == 1);
      return reading->cores.front();
    };
    CHECK(reading_of().mmu.front().path == "dsp/freertos.syscfg");
    CHECK(reading_of().generated.path == "dsp/generated/ti_dpl_config.c");

    // The other operating system's is what it was made of.
    files.content.erase(root + "dsp/freertos.syscfg");
    CHECK(reading_of().mmu.empty());
    CHECK(reading_of().mpu.empty());
    CHECK(reading_of().rat.empty());

    files.content.erase(root + "dsp/safertos.syscfg");
    files.content[root + "dsp/zx9_mpu_cfg.c"] = "";
    const CoreReading core = reading_of();
    REQUIRE(core.mmu.size() == 1);
    CHECK(core.mmu.front().path == "dsp/generated/ti_dpl_config.c");
    CHECK(core.mmu.front().entries.size() == 2);
    REQUIRE(core.mpu.size() == 1);
    CHECK(core.mpu.front().regions.size() == 1);
    REQUIRE(core.rat.size() == 1);
    CHECK(core.rat.front().entries.size() == 1);
    CHECK(core.unused_mpu_source == "dsp/zx9_mpu_cfg.c");
    CHECK(findings(files).empty());
  }
}

}  // namespace memsize::sdk::check_dpl_test
