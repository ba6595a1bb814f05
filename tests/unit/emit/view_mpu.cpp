#include "memsize/core/text.hpp"
#include "memsize/emit/artifact.hpp"
#include "memsize/emit/verify.hpp"
#include "memsize/emit/written.hpp"

#include "mpu_programs.hpp"
#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::emit::mpu_test {

namespace {

using core::Code;
using layout::MemoryMap;
using test::contains;
using test::map_of;
using test::with;
using test::zx9_text;

constexpr std::uint64_t kKiB = 1024;

// zx9 with an MPU and address translation for the core that has no MMU.
std::string r5_text(const std::string& program = "sysconfig") {
  return zx9_text() + "\n[mpu]\nprogram = \"" + program + R"toml("
first = 1
last = 10

[mpu.attribute]
device = { tex = 0 }
tight = { tex = 4, execute = true }
non-cached = { tex = 1, shareable = true, sysconfig = "NonCached" }
write-through = { tex = 6, cacheable = true }
cached = { tex = 1, cacheable = true, bufferable = true, execute = true, sysconfig = "Cached" }

[mpu.region]
LOW = { name = "REGISTERS", base = "0x0", size = "2GiB", attribute = "device", note = "all */ else" }
TCM = { base = "0x0", size = "64KiB", attribute = "tight" }
DRAM = { base = "0x40000000", size = "1GiB", attribute = "cached" }
FAR = { base = "0x80000000", size = "512MiB", attribute = "cached" }

[mpu.core.beta_1]
fixed = ["LOW", "TCM", "DRAM", "FAR"]
areas = { non-cached = ["MAILBOX"], write-through = ["FW_BETA"] }

[rat.entry]
KEEP = { covers = ["ARENA_KEEP"] }

[rat.core]
beta_1 = ["KEEP"]
)toml";
}

std::vector<MapFile> written(const MemoryMap& map) {
  core::RealFileSystem files;
  const auto artifacts = render_all({map, map, files, {test::source_folder() + "/templates"}}, {});
  REQUIRE_MESSAGE(artifacts.has_value(), (artifacts ? "" : test::all_text(artifacts.error())));
  std::vector<MapFile> list;
  for (const Artifact& artifact : *artifacts) {
    list.push_back({artifact.path, artifact.content});
  }
  return list;
}

MapFile& file_of(std::vector<MapFile>& files, const std::string& path) {
  const auto found =
      std::ranges::find_if(files, [&](const MapFile& file) { return file.path == path; });
  REQUIRE_MESSAGE(found != files.end(), path);
  return *found;
}

// The findings after one replacement in the file.
core::Diagnostics after(std::vector<MapFile> files,
                        const std::string& path,
                        const std::string& from,
                        const std::string& to) {
  MapFile& file = file_of(files, path);
  file.content = with(file.content, from, to);
  return verify_map(files, "out", test::mpu_programs()).diagnostics;
}

// A table in the words of the SDK's own files: unnamed inner braces, products, macros of the map.
constexpr const char* kLikeTheSdk = R"c(
#include <app_mem_map.h>
static const uint32_t gMemAttr[CSL_ARM_R5_MEM_ATTR_MAX][3U] = { { 0x0U, 0x0U, 0x0U, }, };
xMPU_CONFIG_PARAMETERS __attribute__((section(".startupData"))) gMPUConfigParms[CSL_ARM_R5F_MPU_REGIONS_MAX] =
{
    {
        .ulRegionNumber         = 2U,
        .ulRegionBeginAddress   = MAILBOX_ADDR,
        {
            .ulexeNeverControl  = 1U,
            .ulaccessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
            .ulshareable        = 0U,
            .ulcacheable        = (uint32_t)UTRUE,
            .ulcachePolicy      = CSL_ARM_R5_CACHE_POLICY_WT_NO_WA,
            .ulmemAttr          = 0U,
        },
        .ulRegionSize           = (2U * (1024U + 1024U) << 4),
        .ulSubRegionDisable     = mpuREGION_1ST_SUB_REGION_DISABLE | mpuREGION_8TH_SUB_REGION_DISABLE
    },
    { .ulRegionNumber = 1U, .ulRegionSize = portmpuLARGEST_REGION_SIZE_ACTUAL, },
    { 0U },
};
)c";

}  // namespace

TEST_SUITE("emit") {
  TEST_CASE("an R5F's files say what the map says, for every program") {
    for (const std::string program : {"sysconfig", "csl", "safertos"}) {
      CAPTURE(program);
      const MemoryMap map = map_of(r5_text(program), {{"beta_code", 768 * kKiB}});
      std::vector<MapFile> files = written(map);
      const VerifyReport report = verify_map(files, "out", test::mpu_programs());
      CHECK_MESSAGE(report.diagnostics.empty(), test::all_text(report.diagnostics));
      CHECK(std::ranges::find(report.read, "1 MPU configuration") != report.read.end());
      const std::string path = program == "sysconfig" ? "beta_1/mpu.syscfg" : "beta_1/mpu_cfg.c";
      const std::string text = file_of(files, path).content;
      CHECK_FALSE(contains(text, "{{"));
      CHECK(contains(text, "all * / else"));
      // The code lies in six eighths of 1 MiB, the mailbox behind it.
      CHECK(contains(text, "FW_BETA [ 1 MiB, 0x40300000 to 0x403FFFFF") ==
            (program == "sysconfig"));
    }
  }

  TEST_CASE("sysconfig's instances carry every property") {
    std::vector<MapFile> files = written(map_of(r5_text()));
    const std::string text = file_of(files, "beta_1/mpu.syscfg").content;
    CHECK(contains(text, "regions 1 to 10: the kernel keeps the others"));
    CHECK(contains(text,
                   "mpu_armv71.$name = \"REGISTERS\";\n"
                   "mpu_armv71.baseAddr = 0x00000000;\n"
                   "mpu_armv71.size = 31;\n"
                   "mpu_armv71.accessPermissions = \"Supervisor RD+WR, User RD+WR\";\n"
                   "mpu_armv71.attributes = \"CUSTOM\";\n"
                   "mpu_armv71.tex = 0;\n"
                   "mpu_armv71.isCacheable = false;\n"
                   "mpu_armv71.isBufferable = false;\n"
                   "mpu_armv71.isShareable = false;\n"
                   "mpu_armv71.allowExecute = false;\n"
                   "mpu_armv71.subregionDisableMask = 0x0;\n"));
    CHECK(contains(text, "mpu_armv73.attributes = \"Cached\";\nmpu_armv73.allowExecute = true;\n"));
    CHECK(contains(text,
                   "addr_translate1.$name = \"KEEP\";\n"
                   "addr_translate1.localAddr = 0x80000000;\n"
                   "addr_translate1.systemAddr = 0x1000000000;\n"
                   "addr_translate1.size = 24;\n"));
  }

  TEST_CASE("the PDK's words for attributes") {
    std::vector<MapFile> files = written(map_of(r5_text("csl")));
    const std::string csl = file_of(files, "beta_1/mpu_cfg.c").content;
    CHECK(contains(csl, "CSL_ARM_R5_MPU_REGION_SIZE_2GB"));
    CHECK(contains(csl, "CSL_ARM_R5_MPU_REGION_SIZE_64KB"));
    CHECK(contains(csl, "CSL_ARM_R5_CACHE_POLICY_NON_CACHEABLE"));
    CHECK(contains(csl, "CSL_ARM_R5_CACHE_POLICY_WT_NO_WA"));
    CHECK(contains(csl, "CSL_ARM_R5_MEM_ATTR_CACHED_WB_WA"));
    CHECK(contains(csl, "CSL_ARM_R5_MEM_ATTR_STRONGLY_NON_CACHED"));
    // The RAT is sysconfig's all the same.
    CHECK_FALSE(contains(file_of(files, "beta_1/mpu.syscfg").content, "mpu_armv7"));

    for (const auto& [attribute, hint] : std::vector<std::pair<std::string, std::string>>{
             {"tex = 7, cacheable = true", "TEX 7, C 1, B 0"},
             {"tex = 3", "TEX 3, C 0, B 0"},
             {"tex = 1, cacheable = true", "TEX 1, C 1, B 0"}}) {
      const auto board =
          test::load_text(with(r5_text("safertos"), "tex = 6, cacheable = true", attribute));
      REQUIRE_FALSE(board.has_value());
      const core::Diagnostic* problem = test::find(board.error(), Code::kBoardValue);
      REQUIRE(problem != nullptr);
      CHECK_MESSAGE(contains(problem->message, hint), problem->message);
    }
    // SafeRTOS' port takes C for B: what is no cache policy has the other's name there.
    for (const auto& [program, name] : {std::pair{"csl", "CSL_ARM_R5_MEM_ATTR_CACHED_WT_NO_WA"},
                                        {"safertos", "CSL_ARM_R5_MEM_ATTR_SHAREABLE"}}) {
      files = written(map_of(with(r5_text(program), "tex = 6", "tex = 0")));
      CHECK(contains(file_of(files, "beta_1/mpu_cfg.c").content, name));
      CHECK(verify_map(files, "out", test::mpu_programs()).diagnostics.empty());
    }
    CHECK(test::load_text(with(r5_text(), "tex = 6", "tex = 7")).has_value());
    const auto other = test::load_text(with(r5_text(), "tex = 1, shareable", "tex = 0, shareable"));
    REQUIRE_FALSE(other.has_value());
    CHECK(contains(other.error().front().message, "other bits than sysconfig's 'NonCached'"));
  }

  TEST_CASE("properties come in any order, and sysconfig's defaults count") {
    const MapFile file = {"c/mpu.syscfg",
                          "const mpu_armv7 = scripting.addModule(\"/kernel/dpl/mpu_armv7\");\n"
                          "const mpu_armv72 = mpu_armv7.addInstance();\n"
                          "const mpu_armv71 = mpu_armv7.addInstance();\n"
                          "mpu_armv71.isBufferable = false; mpu_armv71.attributes = \"CUSTOM\";\n"
                          "mpu_armv71.$name = \"A\";\n"
                          "const addr_translate = scripting.addModule(\"/x/addr_translate\"); "
                          "const addr_translate1 = addr_translate.addInstance();\n"
                          "addr_translate1.systemAddr = 0x900000000;\n"};
    core::Diagnostics errors;
    const WrittenMpuSyscfg written = parse_mpu_syscfg(file, "", 3, errors);
    CHECK_MESSAGE(errors.empty(), test::all_text(errors));
    // The order of the creations is that of the numbers.
    REQUIRE(written.regions.size() == 2);
    CHECK(written.regions[0].fields ==
          chip::MpuRegionFields{{1, true, true, false, true}, 3, "", 0, 1ULL << 32, 0});
    CHECK(written.regions[1].fields ==
          chip::MpuRegionFields{{1, true, false, false, true}, 4, "A", 0, 1ULL << 32, 0});
    CHECK(written.regions[1].place.line == 4);
    REQUIRE(written.entries.size() == 1);
    CHECK(written.entries[0].fields == chip::RatEntryFields{"", 0, 0x900000000, 1ULL << 29});
  }

  TEST_CASE("a table in the SDK's own words") {
    const Constants constants = {{"MAILBOX_ADDR", 0x40000000}};
    core::Diagnostics errors;
    const auto source = parse_mpu_source(
        {"c/mpu_cfg.c", kLikeTheSdk}, "", test::mpu_programs(), constants, 0, errors);
    CHECK_MESSAGE(errors.empty(), test::all_text(errors));
    CHECK(source.program->name == "safertos");
    REQUIRE(source.regions.size() == 2);
    CHECK(source.regions[0].fields ==
          chip::MpuRegionFields{{0, false, false, false, true}, 1, "", 0, 1ULL << 31, 0});
    CHECK(
        source.regions[1].fields ==
        chip::MpuRegionFields{{6, true, false, false, false}, 2, "", 0x40000000, 64 * kKiB, 0x81});
    CHECK(source.regions[1].place.line == 6);
    (void)parse_mpu_source({"c/mpu_cfg.c", kLikeTheSdk}, "", test::mpu_programs(), {}, 0, errors);
    REQUIRE(test::find(errors, Code::kVerifyParse) != nullptr);
    CHECK(contains(errors.front().message, "'MAILBOX_ADDR'"));
  }

  TEST_CASE("SafeRTOS' mask of eighths is the register's") {
    core::Diagnostics errors;
    const std::string text =
        "gMPUConfigParms[] = { { .ulRegionNumber = 1U, .ulRegionSize = 256U, .ulSubRegionDisable "
        "= ";
    const auto source =
        parse_mpu_source({"f.c", text + "0x8100U } };"}, "", test::mpu_programs(), {}, 0, errors);
    CHECK(errors.empty());
    REQUIRE(source.regions.size() == 1);
    CHECK(source.regions[0].fields.disabled == 0x81);
    (void)parse_mpu_source({"f.c", text + "0x81U } };"}, "", test::mpu_programs(), {}, 0, errors);
    REQUIRE(errors.size() == 1);
    CHECK(contains(errors.front().message, "the mask 0x81 has bits below bit 8"));
  }

  TEST_CASE("SafeRTOS exchanges C and B of what is no cache policy, the start-up code does not") {
    for (const bool safertos : {false, true}) {
      const std::string text =
          safertos ? "gMPUConfigParms[] = { { .ulRegionNumber = 1U, .ulRegionSize = 32U, "
                     "{ .ulmemAttr = CSL_ARM_R5_MEM_ATTR_SHAREABLE } } };"
                   : "gCslR5MpuCfg[] = { { .regionId = 1U, .enable = 1U, "
                     ".size = CSL_ARM_R5_MPU_REGION_SIZE_32B, "
                     ".memAttr = CSL_ARM_R5_MEM_ATTR_SHAREABLE } };";
      core::Diagnostics errors;
      const auto source = parse_mpu_source({"f.c", text}, "", test::mpu_programs(), {}, 0, errors);
      CHECK_MESSAGE(errors.empty(), test::all_text(errors));
      REQUIRE(source.regions.size() == 1);
      CHECK(source.regions[0].fields.size == 32);
      CHECK(source.regions[0].fields.cacheable == safertos);
      CHECK(source.regions[0].fields.bufferable == !safertos);
    }
  }

  TEST_CASE("one changed value in an R5F's file is found, with its place") {
    struct Case {
      std::string from;
      std::string to;
      Code code;
      std::string part;
    };

    const std::string sys = "beta_1/mpu.syscfg";
    const std::vector<MapFile> files = written(map_of(r5_text()));
    for (const Case& each : std::vector<Case>{
             {"mpu_armv76.baseAddr = 0x40400000",
              "mpu_armv76.baseAddr = 0x40440000",
              Code::kMpuCache,
              "[0x40400000, 0x40440000) of 'MAILBOX' cached through MPU region 3 'DRAM'"},
             {"mpu_armv76.size = 18",
              "mpu_armv76.size = 17",
              Code::kMpuCache,
              "[0x40420000, 0x40440000) of 'MAILBOX' cached"},
             {"mpu_armv76.subregionDisableMask = 0x0",
              "mpu_armv76.subregionDisableMask = 0x80",
              Code::kMpuCache,
              "[0x40438000, 0x40440000) of 'MAILBOX' cached"},
             {"mpu_armv75.tex = 6",
              "mpu_armv75.tex = 1",
              Code::kMpuCache,
              "'FW_BETA' cached through MPU region 5"},
             {"mpu_armv76.attributes = \"NonCached\"",
              "mpu_armv76.attributes = \"Device\"",
              Code::kVerifyDisagree,
              "TEX 0"},
             {"mpu_armv76.allowExecute = false",
              "mpu_armv76.allowExecute = true",
              Code::kVerifyDisagree,
              "with code here"},
             {"mpu_armv76.$name = \"MAILBOX\"",
              "mpu_armv76.$name = \"BOX\"",
              Code::kVerifyDisagree,
              "'BOX' of beta_1 is called 'MAILBOX'"},
             {"mpu_armv73.size = 30", "mpu_armv73.size = 31", Code::kMpuRegion, "no multiple"},
             {"mpu_armv73.size = 30", "mpu_armv73.size = 33", Code::kVerifyParse, "no size 33"},
             {"mpu_armv73.baseAddr = 0x40000000",
              "mpu_armv73.baseAddr = 0x140000000",
              Code::kVerifyParse,
              "too large"},
             {"mpu_armv75.isCacheable = true",
              "mpu_armv75.isCacheable = yes",
              Code::kVerifyParse,
              "true or false"},
             {"addr_translate1.size = 24",
              "addr_translate1.size = 23",
              Code::kRatMissing,
              "only a part of it"},
             {"addr_translate1.localAddr = 0x80000000",
              "addr_translate1.localAddr = 0x80100000",
              Code::kRatAlignment,
              "'KEEP'"},
             {"addr_translate1.systemAddr = 0x1000000000",
              "addr_translate1.systemAddr = 0x2000000000",
              Code::kRatMissing,
              "leads to 0x2000000000, but it is at [0x1000000000, 0x1001000000)"},
             {"addr_translate1.$name = \"KEEP\"",
              "addr_translate1.$name = \"KEPT\"",
              Code::kVerifyDisagree,
              "RAT entry 1"},
         }) {
      CAPTURE(each.to);
      const core::Diagnostics found = after(files, sys, each.from, each.to);
      const core::Diagnostic* problem = test::find(found, each.code);
      REQUIRE_MESSAGE(problem != nullptr, test::all_text(found));
      CHECK_MESSAGE(contains(problem->message, each.part), problem->message);
      CHECK(problem->place.path == "out/" + sys);
      CHECK(problem->place.line != 0);
    }
  }

  TEST_CASE("more instances than the hardware or the kernel leaves") {
    std::vector<MapFile> files = written(map_of(r5_text()));
    std::string& text = file_of(files, "beta_1/mpu.syscfg").content;
    const std::string good = text;
    for (unsigned i = 7; i <= 11; ++i) {
      text += "const mpu_armv7" + std::to_string(i) + " = mpu_armv7.addInstance();\n";
    }
    auto found = verify_map(files, "out", test::mpu_programs()).diagnostics;
    CHECK_MESSAGE(test::count(found, Code::kMpuRegions) == 1, test::all_text(found));
    text = good;
    for (unsigned i = 2; i <= 17; ++i) {
      text += "const addr_translate" + std::to_string(i) + " = addr_translate.addInstance();\n";
    }
    found = verify_map(files, "out", test::mpu_programs()).diagnostics;
    CHECK_MESSAGE(test::count(found, Code::kRatEntries) == 1, test::all_text(found));
    const std::string second = "const addr_translate2 = addr_translate.addInstance();\n";
    text = good + second + "addr_translate2.localAddr = 0x80000000;\n";
    found = verify_map(files, "out", test::mpu_programs()).diagnostics;
    CHECK_MESSAGE(test::count(found, Code::kRatOverlap) == 1, test::all_text(found));
    text = good + second + "addr_translate2.localAddr = 0xC0000000;\n";
    found = verify_map(files, "out", test::mpu_programs()).diagnostics;
    CHECK_MESSAGE(contains(test::all_text(found), "2 RAT entries here"), test::all_text(found));
  }

  TEST_CASE("C that cannot be read as a table is said so, and never crashes") {
    const std::vector<MapFile> files = written(map_of(r5_text("csl")));
    const std::string path = "beta_1/mpu_cfg.c";
    std::vector<MapFile> broken = files;
    const std::string good = file_of(broken, path).content;
    const std::string deep(100000, '(');
    const std::string begin = "x gCslR5MpuCfg[2] = { { .regionId = ";
    for (const std::string& text : {std::string{},
                                    std::string{"\""},
                                    std::string{"gCslR5MpuCfg"},
                                    std::string{"gCslR5MpuCfg = "},
                                    std::string{"gCslR5MpuCfg = { { { { 1"},
                                    good.substr(0, good.size() / 2),
                                    begin + deep,
                                    begin + "(uint32_t)",
                                    begin + "4294967296 * 4294967296 * 4294967296 } };",
                                    begin + "1 << 63 } };",
                                    begin + "1 < 2 } };",
                                    begin + "0xFFFFFFFFFFFFFFFF + 1 } };",
                                    begin + "-1 } };",
                                    begin + "16 } };",
                                    begin + "1, .regionId = 1 } };",
                                    begin + "1, .colour = 1 } };",
                                    begin + "1, .cacheable = 1, .cachePolicy = 4 } };",
                                    begin + "1, 7 } };",
                                    begin + "1, { { 1 } } } };",
                                    begin + "\n#if X\n1 } };"}) {
      CAPTURE(text.substr(0, 60));
      file_of(broken, path).content = text;
      const auto found = verify_map(broken, "out", test::mpu_programs()).diagnostics;
      CHECK_MESSAGE(test::count(found, Code::kVerifyParse) == 1, test::all_text(found));
    }
    file_of(broken, path).content = kLikeTheSdk;
    CHECK(contains(test::all_text(verify_map(broken, "out", test::mpu_programs()).diagnostics),
                   "'MAILBOX_ADDR'") == false);
    CHECK(contains(test::all_text(verify_map(broken, "out", test::mpu_programs()).diagnostics),
                   "this is for program 'safertos'"));
  }

  TEST_CASE("what memory_map.json says of an R5F is held against itself and the files") {
    const std::vector<MapFile> files = written(map_of(r5_text()));
    const auto changed = [&](const std::string& from, const std::string& to) {
      return after(files, "memory_map.json", from, to);
    };
    CHECK(test::count(changed("\"rat_program\": \"sysconfig\"", "\"rat_program\": \"x\""),
                      Code::kVerifyParse) == 1);
    CHECK(test::count(changed("\"first\": 1,", "\"first\": 99,"), Code::kVerifyParse) == 1);
    CHECK(test::count(changed("\"first\": 1,", "\"first\": -1,"), Code::kVerifyParse) == 1);
    CHECK(test::count(changed("\"last\": 10,", "\"last\": 5,"), Code::kMpuRegions) == 1);
    CHECK(test::count(changed("\"local\": \"0x80000000\"", "\"local\": \"0xffffffffffffffff\""),
                      Code::kVerifyDisagree) == 1);
    CHECK(contains(test::all_text(changed("\"attribute\": \"write-through\"\n        }\n      ]",
                                          "\"attribute\": \"other\"\n        }\n      ]")),
                   "as 'other', but no MPU region of it does"));
    // The sources program it: the document itself is checked.
    core::Diagnostics source =
        changed("\"rat_program\": \"sysconfig\"", "\"rat_program\": \"source\"");
    CHECK_MESSAGE(source.empty(), test::all_text(source));
  }

  TEST_CASE("a core whose MPU or RAT differs is a changed core") {
    const MemoryMap before = map_of(r5_text());
    CHECK(changed_cores(before, before).empty());
    const MemoryMap numbers = map_of(with(r5_text(), "first = 1\n", "first = 2\n"));
    CHECK(changed_cores(numbers, before) == std::vector<std::string>{"beta_1"});
    const MemoryMap renamed = map_of(
        with(with(r5_text(), "KEEP = { covers", "KEPT = { covers"), "[\"KEEP\"]", "[\"KEPT\"]"));
    CHECK(changed_cores(renamed, before) == std::vector<std::string>{"beta_1"});
  }
}

}  // namespace memsize::emit::mpu_test
