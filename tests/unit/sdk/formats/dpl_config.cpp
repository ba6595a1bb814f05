#include "formats/dpl_config.hpp"

#include "memsize/core/cursor.hpp"

#include "support.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::sdk::dpl_config_test {

namespace {

DplConfig parsed(const std::string& text, core::Diagnostics& errors, unsigned first = 0) {
  static const Macros macros{{{"BOX_ADDR", 0xC0000000}, {"BOX_SIZE", 0x4000000}}};
  return parse_dpl_config(
      {{"r5/generated/ti_dpl_config.c", text}, "rtos", macros, {}}, first, errors);
}

// What stands at the place.
std::string text_at(const std::string& text, const core::Place& place) {
  std::size_t at = 0;
  for (std::size_t line = 1; line < place.line; ++line) {
    at = text.find('\n', at) + 1;
  }
  return text.substr(at + place.column - 1, place.length);
}

std::string message(const core::Diagnostics& errors) {
  return errors.empty()
             ? ""
             : std::to_string(errors.front().place.line) + ":" +
                   std::to_string(errors.front().place.column) + " " + errors.front().message;
}

// As sysconfig writes it, in the order in which its templates are.
constexpr const char* kLong = R"(/*
 * Auto generated file
 */
#include <stdio.h>
#include "ti_dpl_config.h"
#if defined(OS_OTHER)
portBaseType start(void) { return pdPASS; }
#endif

void putchar_(char character)
{
    putchar('{');
}

#define CONFIG_REGIONS  (2u)
AddrTranslateP_RegionConfig gAddrTranslateRegionConfig[CONFIG_REGIONS] = 
{
    {
        .localAddr = 0xC0000000u,
        .systemAddr = 0x900000000u,
        .size = AddrTranslateP_RegionSize_512M,
    },
    {
        .localAddr = 0x60000000u,
        .systemAddr = 0x4F02000000u,
        .size = AddrTranslateP_RegionSize_64K,
    },
};

CacheP_Config gCacheConfig = {
    .enable = 1,
};

const MpuP_RegionConfig gMpuRegionConfig[CONFIG_REGIONS] RODATA_SECTION =
{
    {
        .baseAddr = 0x0u,
        .size = MpuP_RegionSize_4G,
        .attrs = {
            .isEnable = 1,
            .isCacheable = 0,
            .isBufferable = 0,
            .isSharable = 1,
            .isExecuteNever = 1,
            .tex = 0,
            .accessPerm = MpuP_AP_ALL_RW,
            .subregionDisableMask = 0x0u
        },
    },
    {
        .baseAddr = 0xA5000000u,
        .size = MpuP_RegionSize_32,
        .attrs = {
            .isEnable = 1,
            .isCacheable = 1,
            .isBufferable = 0,
            .isSharable = 0,
            .isExecuteNever = 0,
            .tex = 7,
            .accessPerm = MpuP_AP_S_RW_U_R,
            .subregionDisableMask = 0x81u
        },
    },
};

void Dpl_init(void)
{
    params.regionConfig = (AddrTranslateP_RegionConfig*)&gAddrTranslateRegionConfig[0];
    gMpuRegionConfig[0].baseAddr = 0x1000u;
}
)";

// As clang-format leaves it.
constexpr const char* kShort = R"(extern MmuP_RegionConfig gMmuRegionConfig[];
MmuP_RegionConfig gMmuRegionConfig[2u] __attribute__((section(".data;mmu"))) = {
    {.vaddr = 0x0u,
     .paddr = 0x0u,
     .size  = 0x20000000u,
     .attr  = {.accessPerm  = MMUP_ACCESS_PERM_PRIV_RW_USER_NONE,
               .privExecute = 1,
               .attrIndx    = MMUP_ATTRINDX_MAIR0,
               .global      = 1}}, // registers
    {.vaddr = 0x100000000U, .paddr = 0x880000000UL, .size = 0x8000000, .attr = {.attrIndx = MMUP_ATTRINDX_MAIR7}}};
)";

}  // namespace

TEST_SUITE("sdk") {
  TEST_CASE("sysconfig's tables of an R5F are read, and nothing else that uses them") {
    core::Diagnostics errors;
    const std::string text = kLong;
    const DplConfig config = parsed(text, errors, 1);
    CHECK_MESSAGE(errors.empty(), test::all_text(errors));
    CHECK(config.mmu.empty());

    REQUIRE(config.rat.size() == 2);
    CHECK(config.rat[0].fields == chip::RatEntryFields{"1", 0xC0000000, 0x900000000, 0x20000000});
    CHECK(config.rat[1].fields == chip::RatEntryFields{"2", 0x60000000, 0x4F02000000, 0x10000});
    CHECK(text_at(text, config.rat[1].places.at("systemAddr")) == "0x4F02000000u");
    CHECK(text_at(text, config.rat[1].place) == ".localAddr");

    REQUIRE(config.mpu.size() == 2);
    const chip::MpuRegionFields registers = {
        {0, false, false, true, false}, 1, "", 0, 0x100000000, 0};
    CHECK(config.mpu[0].fields == registers);
    const chip::MpuRegionFields heap = {{7, true, false, false, true}, 2, "", 0xA5000000, 32, 0x81};
    CHECK(config.mpu[1].fields == heap);
    CHECK(text_at(text, config.mpu[1].places.at("size")) == "MpuP_RegionSize_32");
    CHECK(text_at(text, config.mpu[1].places.at("isCacheable")) == "1");
    CHECK(text_at(text, config.mpu[1].place) == ".baseAddr");
    CHECK(config.mpu[1].place.path.str() == "rtos/r5/generated/ti_dpl_config.c");
  }

  TEST_CASE("sysconfig's table of an MMU is read however it is set") {
    core::Diagnostics errors;
    const std::string text = kShort;
    const DplConfig config = parsed(text, errors);
    CHECK_MESSAGE(errors.empty(), test::all_text(errors));
    CHECK(config.mpu.empty());
    CHECK(config.rat.empty());
    REQUIRE(config.mmu.size() == 2);
    CHECK(config.mmu[0].instance == 1);
    CHECK(config.mmu[0].name == "entry 1");
    CHECK(config.mmu[0].size == 0x20000000);
    CHECK(config.mmu[0].attribute == "MAIR0");
    CHECK(config.mmu[1].name == "entry 2");
    CHECK(config.mmu[1].virtual_base == 0x100000000);
    CHECK(config.mmu[1].physical == 0x880000000);
    CHECK(config.mmu[1].size == 0x8000000);
    CHECK(config.mmu[1].attribute == "MAIR7");
    CHECK(text_at(text, config.mmu[1].places.at("paddr")) == "0x880000000UL");
    CHECK(text_at(text, config.mmu[1].places.at("attrIndx")) == "MMUP_ATTRINDX_MAIR7");
  }

  TEST_CASE("names of the header and of the source stand for numbers; what is left out is 0") {
    core::Diagnostics errors;
    const DplConfig config = parsed(
        "#define LATER (BOX_ADDR + BOX_SIZE)\n"
        "MmuP_RegionConfig gMmuRegionConfig[] = { { .vaddr = BOX_ADDR, .size = BOX_SIZE },\n"
        "  { .paddr = LATER, .attr.attrIndx = 3 } };\n",
        errors);
    CHECK_MESSAGE(errors.empty(), test::all_text(errors));
    REQUIRE(config.mmu.size() == 2);
    CHECK(config.mmu[0].virtual_base == 0xC0000000);
    CHECK(config.mmu[0].size == 0x4000000);
    CHECK(config.mmu[0].attribute == "MAIR0");
    CHECK(config.mmu[1].virtual_base == 0);
    CHECK(config.mmu[1].physical == 0xC4000000);
    CHECK(config.mmu[1].attribute == "MAIR3");
    CHECK(config.mmu[1].place.line == 3);
    CHECK(config.mmu[1].place.column == 3);
  }

  TEST_CASE("an MPU region that is not enabled has its number, but is no region") {
    core::Diagnostics errors;
    const DplConfig config = parsed(
        "MpuP_RegionConfig gMpuRegionConfig[] = { { 0 }, { .size = MpuP_RegionSize_1M,\n"
        "  .attrs = { .isEnable = 0 } }, { .size = 19, .attrs = { .isEnable = 1 } }, };\n",
        errors);
    CHECK_MESSAGE(errors.empty(), test::all_text(errors));
    REQUIRE(config.mpu.size() == 1);
    CHECK(config.mpu[0].fields.number == 2);
    CHECK(config.mpu[0].fields.size == 0x100000);
  }

  TEST_CASE("without a table, or with an empty one, there is nothing") {
    for (const std::string text : {"",
                                   "extern MpuP_RegionConfig gMpuRegionConfig[];",
                                   "MpuP_RegionConfig gMpuRegionConfig[0] = { };"}) {
      CAPTURE(text);
      core::Diagnostics errors;
      const DplConfig config = parsed(text, errors);
      CHECK_MESSAGE(errors.empty(), test::all_text(errors));
      CHECK(config.mmu.empty());
      CHECK(config.mpu.empty());
      CHECK(config.rat.empty());
    }
  }

  TEST_CASE("what the DPL could not be told is an error at its place") {
    const std::string mmu = "MmuP_RegionConfig gMmuRegionConfig[] = {\n";
    const std::string mpu = "MpuP_RegionConfig gMpuRegionConfig[] = {\n";
    const std::string rat = "AddrTranslateP_RegionConfig gAddrTranslateRegionConfig[] = {\n";
    const std::vector<std::pair<std::string, std::string>> cases = {
        {mmu + "{ .attr = { .attrIndx = MMUP_ATTRINDX_MAIR8 } } };",
         "2:25 'MMUP_ATTRINDX_MAIR8' is the name of nothing that the DPL, the map's header or the "
         "source has"},
        {mmu + "{ .vaddr = 0x1000000000000 } };",
         "2:3 'vaddr' of 0x1000000000000 is too large: at most 0xFFFFFFFFFFFF is possible"},
        {mmu + "{ .attr.attrIndx = 8 } };",
         "2:3 'attrIndx' of 0x8 is too large: at most 0x7 is possible"},
        {mmu + "{ .vaddr = 1, .vaddr = 2 } };",
         "2:15 there is no field 'vaddr' here, or it is set twice"},
        {mmu + "{ 0x1000, 0x1000 } };", "2:3 a field with its name is expected here"},
        {mmu + "{ .vaddr = 1 } ", "2:14 ',' is expected here, not 'the end'"},
        {mmu + "} ;\n" + mmu + "};", "3:19 'gMmuRegionConfig' is defined twice"},
        {mpu + "{ .size = 3, .attrs = { .isEnable = 1 } } };",
         "2:11 no MPU region is smaller than 32 B, which is MpuP_RegionSize_32"},
        {mpu + "{ .attrs = { .isEnable = 1 } } };",
         "2:1 no MPU region is smaller than 32 B, which is MpuP_RegionSize_32"},
        {mpu + "{ .baseAddr = 0x100000000, .attrs = { .isEnable = 1 } } };",
         "2:3 'baseAddr' of 0x100000000 is too large: at most 0xFFFFFFFF is possible"},
        {mpu + "{ .size = AddrTranslateP_RegionSize_4G, .attrs = { .isEnable = 1 } } };",
         "2:3 'size' of 0x20 is too large: at most 0x1F is possible"},
        {mpu + "{ .attrs = { .isEnable = 2 } } };",
         "2:14 'isEnable' of 0x2 is too large: at most 0x1 is possible"},
        {rat + "{ .size = 33 } };", "2:3 'size' of 0x21 is too large: at most 0x20 is possible"},
        {rat + "{ .localAddr = NOTHING } };",
         "2:16 'NOTHING' is the name of nothing that the DPL, the map's header or the source has"},
    };
    for (const auto& [text, expected] : cases) {
      const auto& shown_text = text;
      CAPTURE(shown_text);
      core::Diagnostics errors;
      (void)parsed(text, errors);
      CHECK(message(errors) == expected);
      REQUIRE_FALSE(errors.empty());
      CHECK(errors.front().code == core::Code::kVerifyParse);
      CHECK(errors.front().place.path.str() == "rtos/r5/generated/ti_dpl_config.c");
    }
  }
}

}  // namespace memsize::sdk::dpl_config_test
