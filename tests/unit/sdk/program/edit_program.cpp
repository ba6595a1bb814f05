#include "program/edit_program.hpp"

#include "mpu_programs.hpp"
#include "support.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::sdk::edit_program_test {

namespace {

using chip::MpuRegionFields;
using chip::RatEntryFields;
using emit::MapFile;
using emit::WrittenMmuEntry;
using test::all_text;
using test::contains;
using test::with;

constexpr const char* kMmu = R"(/** What a tool wrote. */
const log        = scripting.addModule("/kernel/dpl/log");
const mmu_armv8  = scripting.addModule("/kernel/dpl/mmu_armv8", {}, false);
const mmu_armv81 = mmu_armv8.addInstance();
const mmu_armv82 = mmu_armv8.addInstance();
const mmu_armv83 = mmu_armv8.addInstance();

log.enable = true;

/**
 * Registers
 * Region start: 0x0
 * Region end: 0x20000000
 * Attribute is MAIR0.
 */
mmu_armv81.$name     = "REGISTERS";
mmu_armv81.size      = 0x20000000;

/**
 * Heap
 * Region start: 0xA0000000
 * Region end: 0xA7FFFFFF
 * Attribute is MAIR7.
 */
mmu_armv82.$name     = "HEAP";
mmu_armv82.vAddr     = 0xA0000000;
mmu_armv82.pAddr     = 0x880000000;
mmu_armv82.size      = 0x8000000;
mmu_armv82.attribute = "MAIR7";

// Shared
mmu_armv83.vAddr     = 0xB0000000;
mmu_armv83.$name     = "SHARED";
mmu_armv83.pAddr     = 0xB0000000;
mmu_armv83.size      = 0x100000; // 1 MB
mmu_armv83.attribute = "MAIR4";

log.level = 3;
)";

std::vector<WrittenMmuEntry> mmu_of(const std::string& text) {
  core::Diagnostics errors;
  auto entries = emit::parse_syscfg({"f", text}, "", errors);
  CHECK(errors.empty());
  return entries;
}

std::string mmu_edited(const std::string& text,
                       const std::function<void(std::vector<WrittenMmuEntry>&)>& change,
                       bool correct_comments = false) {
  // What it must not say is for the edit to refuse.
  core::Diagnostics unused;
  auto wanted = emit::parse_syscfg({"f", text}, "", unused);
  change(wanted);
  const auto result = edit_mmu_syscfg({"c/f.syscfg", text}, "out", wanted, {correct_comments});
  return result ? *result : all_text(result.error());
}

WrittenMmuEntry mmu_entry(unsigned instance, const std::string& name) {
  WrittenMmuEntry entry;
  entry.instance = instance;
  entry.name = name;
  entry.virtual_base = 0xC0000000;
  entry.physical = 0xC0000000;
  entry.size = 0x1000;
  entry.attribute = "MAIR7";
  return entry;
}

constexpr const char* kMpu =
    R"(const addr_translate  = scripting.addModule("/kernel/dpl/addr_translate", {}, false);
const addr_translate1 = addr_translate.addInstance();
const mpu_armv7       = scripting.addModule("/kernel/dpl/mpu_armv7", {}, false);
const mpu_armv71      = mpu_armv7.addInstance();
const mpu_armv72      = mpu_armv7.addInstance();
const mpu_armv73      = mpu_armv7.addInstance();

addr_translate1.$name      = "RAT0";
addr_translate1.localAddr  = 0xC0000000;
addr_translate1.systemAddr = 0x900000000;

mpu_armv71.size         = 31; /* 2 GB */
mpu_armv71.attributes   = "Device";
mpu_armv71.$name        = "REGISTERS";

mpu_armv72.$name        = "RING";
mpu_armv72.baseAddr     = 0xA5000000;
mpu_armv72.size         = 24; /* 32 MB */
mpu_armv72.attributes   = "NonCached";

mpu_armv73.$name        = "CONFIG";
mpu_armv73.attributes   = "CUSTOM";
mpu_armv73.tex          = 7;
mpu_armv73.isBufferable = false;
)";

struct Mpu {
  std::vector<MpuRegionFields> regions;
  std::vector<RatEntryFields> entries;
};

Mpu mpu_of(const std::string& text) {
  core::Diagnostics errors;
  const auto written = emit::parse_mpu_syscfg({"f", text}, "", 0, errors);
  CHECK(errors.empty());
  Mpu mpu;
  for (const auto& region : written.regions) {
    mpu.regions.push_back(region.fields);
  }
  for (const auto& entry : written.entries) {
    mpu.entries.push_back(entry.fields);
  }
  return mpu;
}

std::string mpu_edited(const std::string& text,
                       const std::function<void(Mpu&)>& change,
                       bool correct_comments = false) {
  Mpu wanted = mpu_of(text);
  change(wanted);
  const auto result =
      edit_mpu_syscfg({"f", text}, "", 0, wanted.regions, wanted.entries, {correct_comments});
  return result ? *result : all_text(result.error());
}

constexpr const char* kCsl = R"(#include <map.h>
const CSL_ArmR5MpuRegionCfg gCslR5MpuCfg[CSL_ARM_R5F_MPU_REGIONS_MAX] =
{
    {
        /* Region 0 configuration: everything */
        .regionId         = 0U,
        .enable           = 1U,
        .baseAddr         = 0x0U,
        .size             = CSL_ARM_R5_MPU_REGION_SIZE_4GB,
        .subRegionEnable  = CSL_ARM_R5_MPU_SUB_REGION_ENABLE_ALL,
        .exeNeverControl  = 1U,
        .accessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
        .shareable        = 0U,
        .cacheable        = (uint32_t)UFALSE,
        .cachePolicy      = 0U,
        .memAttr          = 0U,
    },
    {
        /* Region 1 configuration: RAM, 64 KB in lock step */
        .regionId         = 1U,
        .enable           = 1U,
        .baseAddr         = 0x41010000,
        /* size is 32KB */
        .size             = CSL_ARM_R5_MPU_REGION_SIZE_32KB,
        .subRegionEnable  = CSL_ARM_R5_MPU_SUB_REGION_ENABLE_ALL,
        .exeNeverControl  = 0U,
        .accessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
        .shareable        = 0U,
        .cacheable        = (uint32_t)UTRUE,
        .cachePolicy      = CSL_ARM_R5_CACHE_POLICY_WB_WA,
        .memAttr          = 0U,
    },
    {
        /* Region 2 configuration: the log */
        .regionId         = 2U,
        .enable           = 1U,
        .baseAddr         = LOG_ADDR,
        .size             = CSL_ARM_R5_MPU_REGION_SIZE_256KB,
        .subRegionEnable  = CSL_ARM_R5_MPU_SUB_REGION_ENABLE_ALL,
        .exeNeverControl  = 1U,
        .accessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
        .shareable        = 0U,
        .cacheable        = (uint32_t)UFALSE,
        .cachePolicy      = CSL_ARM_R5_CACHE_POLICY_NON_CACHEABLE,
        .memAttr          = 0U,
    }
    /* the end */
};
int after = 1;
)";

constexpr const char* kSafertos = R"(xMPU_CONFIG_PARAMETERS gMPUConfigParms[4] = {
    {
        /* Region 1 configuration: RAM */
        .ulRegionNumber       = 1U,
        .ulRegionBeginAddress = 0x80000000,
        {
            .ulexeNeverControl  = 0U,
            .ulaccessPermission = 3U,
            .ulshareable        = 0U,
            .ulcacheable        = 1U,
            .ulcachePolicy      = CSL_ARM_R5_CACHE_POLICY_WB_WA,
            .ulmemAttr          = 0U,
        },
        .ulRegionSize         = portmpuLARGEST_REGION_SIZE_ACTUAL,
        .ulSubRegionDisable   = mpuREGION_ALL_SUB_REGIONS_ENABLED,
    },
    {
        .ulRegionNumber       = 2U,
        .ulRegionBeginAddress = LOG_ADDR,
        {
            .ulexeNeverControl  = 1U,
            .ulaccessPermission = 3U,
            .ulshareable        = 0U,
            .ulcacheable        = 0U,
            .ulcachePolicy      = 0U,
            .ulmemAttr          = 0U,
        },
        .ulRegionSize         = (256U * 1024U),
        .ulSubRegionDisable   = mpuREGION_ALL_SUB_REGIONS_ENABLED,
    },
    {0},
    {0},
};
)";

const emit::Constants kBefore = {{"LOG_ADDR", 0xA1000000}, {"RING_ADDR", 0xA2000000}};
const emit::Constants kAfter = {{"LOG_ADDR", 0xA3000000}, {"RING_ADDR", 0xA4000000}};

std::vector<MpuRegionFields> table_of(const std::string& text, const emit::Constants& constants) {
  core::Diagnostics errors;
  std::vector<MpuRegionFields> regions;
  for (const auto& region :
       emit::parse_mpu_source({"f", text}, "", test::mpu_programs(), constants, 0, errors)
           .regions) {
    regions.push_back(region.fields);
  }
  CHECK(errors.empty());
  return regions;
}

using Regions = std::vector<MpuRegionFields>;

std::string table_edited(const std::string& text,
                         const std::function<void(Regions&)>& change,
                         const emit::Constants& after = kAfter,
                         bool correct_comments = false) {
  Regions wanted = table_of(text, kBefore);
  change(wanted);
  const auto result = edit_mpu_source(
      {{"f.c", text}, "", test::mpu_programs()}, kBefore, after, wanted, {correct_comments});
  return result ? *result : all_text(result.error());
}

MpuRegionFields like(const MpuRegionFields& region, unsigned number, const std::string& name) {
  MpuRegionFields other = region;
  other.number = number;
  other.name = name;
  return other;
}

}  // namespace

TEST_SUITE("sdk") {
  TEST_CASE("where nothing wanted differs, the bytes come back") {
    for (const std::string& text : {std::string{kMmu}, "\xEF\xBB\xBF" + std::string{kMmu}}) {
      CHECK(mmu_edited(text, [](auto&) {}) == text);
    }
    CHECK(mpu_edited(kMpu, [](Mpu&) {}) == kMpu);
    CHECK(table_edited(
              kCsl, [](Regions&) {}, kBefore) == kCsl);
    CHECK(table_edited(
              kSafertos, [](Regions&) {}, kBefore) == kSafertos);
    // A name or attribute that is left open is what stands there.
    CHECK(mmu_edited(kMmu, [](auto& wanted) {
            wanted[1].name.clear();
            wanted[1].attribute.clear();
          }) == kMmu);
  }

  TEST_CASE("a size of an MMU entry, and the comment that says where it ends") {
    const std::string expected =
        with(with(kMmu, "= 0x8000000;", "= 0x400000;"), "0xA7FFFFFF", "0xA03FFFFF");
    CHECK(mmu_edited(kMmu, [](auto& wanted) { wanted[1].size = 0x400000; }) == expected);
    // The end of that comment is the address behind it.
    CHECK(mmu_edited(kMmu, [](auto& wanted) { wanted[0].size = 0x100000; }) ==
          with(with(kMmu, "= 0x20000000;", "= 0x100000;"), "end: 0x20000000", "end: 0x100000"));
  }

  TEST_CASE("properties of MMU entries that were left out get lines of their own") {
    CHECK(mmu_edited(kMmu,
                     [](auto& wanted) {
                       wanted[0].virtual_base = 0x40000000;
                       wanted[0].physical = 0x840000000;
                       wanted[0].attribute = "MAIR4";
                     }) == with(with(with(with(kMmu, "start: 0x0", "start: 0x40000000"),
                                          "end: 0x20000000",
                                          "end: 0x60000000"),
                                     "is MAIR0",
                                     "is MAIR4"),
                                "mmu_armv81.size      = 0x20000000;\n",
                                "mmu_armv81.size      = 0x20000000;\n"
                                "mmu_armv81.vAddr     = 0x40000000;\n"
                                "mmu_armv81.pAddr     = 0x840000000;\n"
                                "mmu_armv81.attribute = \"MAIR4\";\n"));
    // One that becomes the default stays written.
    CHECK(contains(mmu_edited(kMmu, [](auto& wanted) { wanted[2].attribute = "MAIR0"; }),
                   "mmu_armv83.attribute = \"MAIR0\";"));
  }

  TEST_CASE("comments beside other entries are corrected only if that is asked for") {
    const std::string stale = with(kMmu, "0xA7FFFFFF", "0xA1FFFFFF");
    CHECK(mmu_edited(stale, [](auto&) {}) == stale);
    CHECK(mmu_edited(
              stale, [](auto&) {}, true) == kMmu);
    const auto change = [](auto& wanted) { wanted[2].size = 0x200000; };
    CHECK(contains(mmu_edited(stale, change), "0xA1FFFFFF"));
    CHECK(contains(mmu_edited(stale, change, true), "0xA7FFFFFF"));
    // Beside the entry that changes they always are.
    CHECK(contains(mmu_edited(stale, [](auto& wanted) { wanted[1].size = 0x1000; }), "0xA0000FFF"));
    const std::string sizes = mpu_edited(
        kMpu, [](Mpu&) {}, true);
    CHECK(sizes == with(kMpu, "24; /* 32 MB */", "24; /* 16 MB */"));
  }

  TEST_CASE("digits are written as those that stand there") {
    const auto change = [](auto& wanted) { wanted[1].size = 0xABC000; };
    for (const auto& [old, expected] :
         std::vector<std::pair<std::string, std::string>>{{"0x08000000", "0x00ABC000"},
                                                          {"0x8000000", "0xABC000"},
                                                          {"0X8000000", "0XABC000"},
                                                          {"0x008000000", "0x000ABC000"},
                                                          {"0x7ff0000", "0xabc000"},
                                                          {"134217728", "11255808"}}) {
      const auto& shown_old = old;
      CAPTURE(shown_old);
      std::string text = with(kMmu, "0x8000000;", old + ";");
      CHECK(contains(mmu_edited(text, change), "mmu_armv82.size      = " + expected + ";"));
    }
  }

  TEST_CASE("a new MMU entry at the end") {
    const std::string expected = with(with(kMmu,
                                           "const mmu_armv83 = mmu_armv8.addInstance();\n",
                                           "const mmu_armv83 = mmu_armv8.addInstance();\n"
                                           "const mmu_armv84 = mmu_armv8.addInstance();\n"),
                                      "mmu_armv83.attribute = \"MAIR4\";\n",
                                      "mmu_armv83.attribute = \"MAIR4\";\n\n"
                                      "mmu_armv84.$name     = \"MORE\";\n"
                                      "mmu_armv84.vAddr     = 0xC0000000;\n"
                                      "mmu_armv84.pAddr     = 0xC0000000;\n"
                                      "mmu_armv84.size      = 0x1000;\n"
                                      "mmu_armv84.attribute = \"MAIR7\";\n");
    CHECK(mmu_edited(kMmu, [](auto& wanted) { wanted.push_back(mmu_entry(4, "MORE")); }) ==
          expected);
    // And away again.
    CHECK(mmu_edited(expected, [](auto& wanted) { wanted.pop_back(); }) == kMmu);
  }

  TEST_CASE("an MMU entry that is not wanted goes with its comment") {
    const std::string without = mmu_edited(kMmu, [](auto& wanted) {
      wanted.erase(wanted.begin() + 1);
      wanted[1].instance = 2;
    });
    CHECK(!contains(without, "Heap"));
    CHECK(!contains(without, "mmu_armv83"));
    CHECK(contains(without, "const mmu_armv82 = mmu_armv8.addInstance();\n\nlog.enable"));
    CHECK(contains(without,
                   "mmu_armv81.size      = 0x20000000;\n\n// Shared\n"
                   "mmu_armv82.vAddr     = 0xB0000000;\n"));
    CHECK(contains(without, "mmu_armv82.attribute = \"MAIR4\";\n\nlog.level = 3;\n"));

    // By number only, the others keep theirs.
    const std::string gap =
        mmu_edited(kMmu, [](auto& wanted) { wanted.erase(wanted.begin() + 1); });
    CHECK(contains(gap, "mmu_armv83.vAddr     = 0xB0000000;"));
    CHECK(!contains(gap, "mmu_armv82"));
    // And the gap is filled again in the right order.
    const std::string filled = mmu_edited(
        gap, [](auto& wanted) { wanted.insert(wanted.begin() + 1, mmu_entry(2, "NEW")); });
    CHECK(contains(filled,
                   "const mmu_armv82 = mmu_armv8.addInstance();\n"
                   "const mmu_armv83 = mmu_armv8.addInstance();\n"));
    CHECK(contains(filled, "0x20000000;\n\nmmu_armv82.$name     = \"NEW\";\n"));
  }

  TEST_CASE("a new MMU entry in the middle moves the numbers behind it") {
    const std::string more = mmu_edited(kMmu, [](auto& wanted) {
      wanted.insert(wanted.begin() + 1, mmu_entry(2, "NEW"));
      wanted[2].instance = 3;
      wanted[3].instance = 4;
    });
    const auto entries = mmu_of(more);
    REQUIRE(entries.size() == 4);
    CHECK(entries[1].name == "NEW");
    CHECK(entries[2].name == "HEAP");
    CHECK(entries[3].name == "SHARED");
    CHECK(contains(more, " * Heap\n"));
    CHECK(contains(more, "mmu_armv84.size      = 0x100000; // 1 MB\n"));
    CHECK(contains(more, "const mmu_armv84 = mmu_armv8.addInstance();\n\nlog"));
  }

  TEST_CASE("MMU files that cannot be changed so") {
    struct Case {
      std::string text;
      std::function<void(std::vector<WrittenMmuEntry>&)> change;
      std::string message;
    };

    const auto grow = [](auto& wanted) { wanted[1].size = 0x1000; };
    const auto drop = [](auto& wanted) { wanted.erase(wanted.begin() + 1); };
    const std::vector<Case> cases = {
        {with(kMmu, "= 0x8000000;", "= 0x8000000 * 2;"),
         grow,
         "'mmu_armv82.size' is not set to one number"},
        {with(kMmu, "mmu_armv82.pAddr ", "log.x = 1; mmu_armv82.pAddr "), drop, "has more on it"},
        {with(kMmu, "log.level = 3;", "log.level = mmu_armv82;"),
         drop,
         "this may change what 'mmu_armv82' says"},
        {with(kMmu, "const mmu_armv82 = mmu_armv8.addInstance();", "const mmu_armv82 = other();"),
         drop,
         "what 'mmu_armv82' is made of here is not read"},
        {kMmu, [](auto& wanted) { wanted[1].attribute = "MAIR8"; }, "the attribute 'MAIR8'"},
        {kMmu,
         [](auto& wanted) { wanted[1].instance = 3; },
         "instance 3 is wanted behind instance 3"},
        {kMmu, [](auto& wanted) { wanted.push_back(mmu_entry(4, "a\";")); }, "does not take"},
        {kMmu, [](auto& wanted) { wanted[1].name = "two words"; }, "does not take"},
        {"mmu_armv81.size = 0x1000; mmu_armv81[x] = 1;",
         [](auto& wanted) { wanted[0].size = 0; },
         "this may change what 'mmu_armv81' says"},
        {"x = 1;", [](auto& wanted) { wanted.push_back(mmu_entry(1, "A")); }, "no place here"},
    };
    for (const Case& one : cases) {
      CAPTURE(one.message);
      CHECK(contains(mmu_edited(one.text, one.change), one.message));
    }
    const auto refused =
        edit_mmu_syscfg({"c/f.syscfg", with(kMmu, "= 0x8000000;", "= 0x8000000 * 2;")},
                        "out",
                        {mmu_entry(1, "REGISTERS"), mmu_entry(2, "HEAP"), mmu_entry(3, "SHARED")});
    REQUIRE(!refused);
    CHECK(refused.error().front().place.path.str() == "out/c/f.syscfg");
    CHECK(refused.error().front().place.text.str() == "mmu_armv82.size      = 0x8000000 * 2;");
  }

  TEST_CASE("regions of an MPU in a script") {
    CHECK(mpu_edited(kMpu,
                     [](Mpu& wanted) {
                       wanted.regions[0].size = 1ULL << 30;
                       wanted.regions[1].base = 0xA6000000;
                     }) ==
          with(with(with(kMpu, "31; /* 2 GB */", "30; /* 1 GB */"), "0xA5000000", "0xA6000000"),
               "24; /* 32 MB */",
               "24; /* 16 MB */"));
    CHECK(mpu_edited(kMpu,
                     [](Mpu& wanted) {
                       wanted.regions[1].disabled = 0xC0;
                       wanted.regions[1].execute = false;
                       wanted.regions[2].size = 1U << 22U;
                     }) == with(with(with(kMpu, "24; /* 32 MB */", "24; /* 16 MB */"),
                                     "mpu_armv72.attributes   = \"NonCached\";\n",
                                     "mpu_armv72.attributes   = \"NonCached\";\n"
                                     "mpu_armv72.allowExecute = false;\n"
                                     "mpu_armv72.subregionDisableMask = 0xC0;\n"),
                                "mpu_armv73.isBufferable = false;\n",
                                "mpu_armv73.isBufferable = false;\n"
                                "mpu_armv73.size         = 22;\n"));
  }

  TEST_CASE("attributes of an MPU's region") {
    const auto attributes = [](std::size_t index, unsigned tex, bool c, bool b, bool s) {
      return mpu_edited(kMpu, [&](Mpu& wanted) {
        MpuRegionFields& region = wanted.regions[index];
        region.tex = tex;
        region.cacheable = c;
        region.bufferable = b;
        region.shareable = s;
      });
    };
    CHECK(attributes(0, 1, false, false, true) == with(kMpu, "\"Device\"", "\"NonCached\""));
    CHECK(attributes(0, 1, true, true, true) == with(kMpu, "\"Device\"", "\"Cached+Sharable\""));
    CHECK(attributes(0, 7, true, false, false) == with(with(kMpu, "\"Device\"", "\"CUSTOM\""),
                                                       "mpu_armv71.$name        = \"REGISTERS\";\n",
                                                       "mpu_armv71.$name        = \"REGISTERS\";\n"
                                                       "mpu_armv71.tex          = 7;\n"
                                                       "mpu_armv71.isBufferable = false;\n"));
    // CUSTOM stays.
    CHECK(attributes(2, 1, true, true, false) ==
          with(with(kMpu, "tex          = 7", "tex          = 1"), "= false", "= true"));
  }

  TEST_CASE("RAT entries, and entries that come and go") {
    CHECK(mpu_edited(kMpu, [](Mpu& wanted) { wanted.entries[0].system = 0x8A0000000; }) ==
          with(kMpu, "0x900000000", "0x8A0000000"));
    CHECK(
        contains(mpu_edited(kMpu, [](Mpu& wanted) { wanted.entries[0].size = 1U << 30U; }),
                 "addr_translate1.systemAddr = 0x900000000;\naddr_translate1.size       = 30;\n"));
    const std::string none = mpu_edited(kMpu, [](Mpu& wanted) { wanted.entries.clear(); });
    CHECK(!contains(none, "addr_translate1"));
    CHECK(contains(none, "addInstance();\n\nmpu_armv71.size"));
    const std::string again = mpu_edited(none, [](Mpu& wanted) {
      wanted.entries.push_back({"NEW", 0xD0000000, 0x800000000, 1ULL << 29U});
    });
    CHECK(again == with(with(none,
                             "\"/kernel/dpl/addr_translate\", {}, false);\n",
                             "\"/kernel/dpl/addr_translate\", {}, false);\n"
                             "const addr_translate1 = addr_translate.addInstance();\n"),
                        "const mpu_armv73      = mpu_armv7.addInstance();\n",
                        "const mpu_armv73      = mpu_armv7.addInstance();\n\n"
                        "addr_translate1.$name = \"NEW\";\n"
                        "addr_translate1.localAddr = 0xD0000000;\n"
                        "addr_translate1.systemAddr = 0x800000000;\n"));
    const std::string fewer = mpu_edited(kMpu, [](Mpu& wanted) {
      wanted.regions.erase(wanted.regions.begin() + 1);
      wanted.regions[1].number = 1;
    });
    CHECK(!contains(fewer, "RING"));
    CHECK(contains(fewer, "mpu_armv72.$name        = \"CONFIG\";"));
    CHECK(contains(mpu_edited(kMpu,
                              [](Mpu& wanted) {
                                for (unsigned i = 3; i < 17; ++i) {
                                  wanted.regions.push_back(
                                      like(wanted.regions[0], i, "R" + std::to_string(i)));
                                }
                              }),
                   "17 MPU regions from number 0 on are wanted: an R5F has 16"));
    CHECK(contains(mpu_edited(kMpu, [](Mpu& wanted) { wanted.regions[1].size = 0x30000; }),
                   "cannot have the wanted region 1 'RING'"));
    CHECK(contains(mpu_edited(kMpu, [](Mpu& wanted) { wanted.regions[1].number = 2; }),
                   "cannot have the wanted region 2 'RING'"));
  }

  TEST_CASE("a table of C: macros stay where they give the wanted base") {
    const auto follow = [](Regions& wanted) { wanted[2].base = kAfter.at("LOG_ADDR"); };
    CHECK(table_edited(kCsl, follow) == kCsl);
    CHECK(table_edited(kSafertos, [](Regions& wanted) { wanted[1].base = 0xA3000000; }) ==
          kSafertos);
    // A macro that has it by chance moves away with another region.
    CHECK(table_edited(kCsl, [](Regions& wanted) { wanted[2].base = 0xA4000000; }) ==
          with(kCsl, "= LOG_ADDR", "= 0xA4000000"));
    CHECK(table_edited(kCsl, [](Regions& wanted) { wanted[2].base = 0xA1000000; }) ==
          with(kCsl, "= LOG_ADDR", "= 0xA1000000"));
    // What is a number stays one.
    CHECK(table_edited(kCsl, [&](Regions& wanted) {
            follow(wanted);
            wanted[1].base = 0xA4000000;
          }) == with(kCsl, "= 0x41010000", "= 0xA4000000"));
    CHECK(contains(table_edited(kCsl, follow, {}), "LOG_ADDR"));
  }

  TEST_CASE("a table of C: sizes, masks and attributes in its own words") {
    const auto csl = [](const std::function<void(MpuRegionFields&)>& change) {
      return table_edited(
          kCsl, [&](Regions& wanted) { change(wanted[1]); }, kBefore);
    };
    CHECK(csl([](MpuRegionFields& region) { region.size = 1U << 20U; }) ==
          with(with(kCsl, "SIZE_32KB", "SIZE_1MB"), "size is 32KB", "size is 1MB"));
    CHECK(contains(csl([](MpuRegionFields& region) { region.disabled = 0x81; }),
                   ".subRegionEnable  = 0x81U,\n        .exeNeverControl  = 0U,"));
    const std::string uncached = csl([](MpuRegionFields& region) {
      region.tex = 0;
      region.cacheable = false;
      region.bufferable = false;
      region.execute = false;
      region.shareable = true;
    });
    const auto fields = table_of(uncached, kBefore)[1];
    CHECK(!fields.cacheable);
    CHECK(fields.shareable);
    CHECK(contains(uncached,
                   ".shareable        = 1U,\n        .cacheable        = (uint32_t)UFALSE,"));

    const auto safertos = [](const std::function<void(Regions&)>& change) {
      return table_edited(kSafertos, change, kBefore);
    };
    for (const auto& [size, text] : std::vector<std::pair<std::uint64_t, std::string>>{
             {1U << 19U, "(512U * 1024U)"},
             {1U << 20U, "(1U * 1024U * 1024U)"},
             {1U << 26U, "(64U * 1024U * 1024U)"},
             {1U << 9U, "(512U)"},
             {1U << 31U, "portmpuLARGEST_REGION_SIZE_ACTUAL"}}) {
      CHECK(safertos([&, bytes = size](Regions& wanted) { wanted[1].size = bytes; }) ==
            with(kSafertos, "(256U * 1024U)", text));
    }
    CHECK(contains(safertos([](Regions& wanted) { wanted[0].size = 1U << 24U; }),
                   ".ulRegionSize         = (16U * 1024U * 1024U),"));
    CHECK(contains(safertos([](Regions& wanted) { wanted[0].disabled = 0x81; }),
                   "= (mpuREGION_1ST_SUB_REGION_DISABLE | mpuREGION_8TH_SUB_REGION_DISABLE),"));
    CHECK(contains(safertos([](Regions& wanted) { wanted[0].disabled = 4; }),
                   "= mpuREGION_3RD_SUB_REGION_DISABLE,"));
    CHECK(contains(safertos([](Regions& wanted) { wanted[0].size = 1ULL << 32U; }),
                   "cannot have the wanted region 1"));
    CHECK(contains(safertos([](Regions& wanted) { wanted[0].tex = 3; }), "no words for TEX 3"));
  }

  TEST_CASE("a table of C: regions come and go") {
    const std::string more = table_edited(kCsl, [](Regions& wanted) {
      wanted.push_back(like(wanted[2], 3, "RING"));
      wanted[3].base = 0xA4000000;
      wanted[2].base = 0xA3000000;
      wanted.push_back(like(wanted[2], 4, ""));
      wanted[4].base = 0xA0000000;
    });
    CHECK(contains(more,
                   "    },\n    {\n        /* Region 3 configuration: RING */\n"
                   "        .regionId         = 3U,\n        .enable           = 1U,\n"
                   "        .baseAddr         = RING_ADDR,\n"));
    CHECK(
        contains(more,
                 "    },\n    {\n        .regionId         = 4U,\n        .enable           = 1U,\n"
                 "        .baseAddr         = 0xA0000000,\n"));
    CHECK(contains(more, "        .memAttr          = 0U,\n    }\n    /* the end */\n};\n"));

    const std::string fewer = table_edited(
        kCsl,
        [](Regions& wanted) {
          wanted.erase(wanted.begin() + 1);
          wanted[1].number = 1;
        },
        kBefore);
    CHECK(!contains(fewer, "0x41010000"));
    CHECK(
        contains(fewer, "/* Region 1 configuration: the log */\n        .regionId         = 1U,"));

    const auto table = [](const std::string& text, unsigned count) {
      return table_edited(
          text,
          [&](Regions& wanted) {
            for (unsigned i = 0; i < count; ++i) {
              wanted.push_back(like(wanted.front(), 3 + i, ""));
              wanted.back().base = i << 24U;
            }
          },
          kBefore);
    };
    // Elements that are not used make room for those that are.
    const std::string full = table(kSafertos, 2);
    CHECK(table_of(full, kBefore).size() == 4);
    CHECK(!contains(full, "{0}"));
    CHECK(contains(table(kSafertos, 1), "{0}"));
    CHECK(contains(table(kSafertos, 3), "5 MPU regions are wanted: this table has room for 4"));
    CHECK(contains(table(kCsl, 14), "MPU region 16 is wanted"));
  }

  TEST_CASE("tables of C that cannot be changed so") {
    const auto grow = [](Regions& wanted) { wanted[1].size = 1U << 20U; };
    const std::string split = with(kSafertos, "(256U * 1024U)", "(256U *\n 1024U)");
    CHECK(contains(table_edited(split, grow, kBefore), "goes on on the next line"));
    const std::string lacking =
        with(kSafertos,
             ".ulSubRegionDisable   = mpuREGION_ALL_SUB_REGIONS_ENABLED,\n    },\n    {0}",
             "},\n    {0}");
    CHECK(contains(table_edited(
                       lacking, [](Regions& wanted) { wanted[1].disabled = 1; }, kBefore),
                   "no 'ulSubRegionDisable' that could become"));
    const std::string shared = with(kSafertos, "    },\n    {0},", "    }, {0},");
    CHECK(contains(table_edited(
                       shared, [](Regions& wanted) { wanted.pop_back(); }, kBefore),
                   "its lines have more on them"));
    const auto none =
        edit_mpu_source({{"f.c", "int x;"}, "", test::mpu_programs()}, kBefore, kAfter, {});
    REQUIRE(!none);
    CHECK(contains(all_text(none.error()), "neither gCslR5MpuCfg nor gMPUConfigParms"));
  }
}

}  // namespace memsize::sdk::edit_program_test
