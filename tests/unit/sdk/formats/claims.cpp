#include "formats/claims.hpp"

#include "mpu_programs.hpp"
#include "support.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::sdk::claims_test {

namespace {

constexpr const char* kText = R"(/**
 * The log.
 * Region start: 0xA5000000
 * Region end: 0xA503FFFF
 * Attribute is MAIR4.
 */
mmu_armv81.$name = "LOG"; mmu_armv81.vAddr = 0xA5000000; mmu_armv81.pAddr = 0xA5000000;
mmu_armv81.size = 0x40000; mmu_armv81.attribute = "MAIR4";
/*
 * Region start: 0xA6000000
 * Region end: 0xA6000000
 * Attribute is MAIR0.
 */
mmu_armv82.$name = "HEAP";
mmu_armv82.vAddr = 0xA7000000;
mmu_armv82.size = 0x100000;
mmu_armv82.attribute = "MAIR7";
mpu_armv71.size = 15; /* 32 KB */
mpu_armv72.size = 24; /* 32 MB */ mpu_armv72.$name = "RING";
)";

}  // namespace

TEST_SUITE("sdk") {
  TEST_CASE("comments beside entries, and which of them are wrong") {
    const emit::MapFile file{"f.syscfg", kText};
    core::Diagnostics errors;
    const auto entries = emit::parse_syscfg(file, "", errors);
    const auto regions = emit::parse_mpu_syscfg(file, "", 0, errors).regions;
    CHECK(errors.empty());
    const auto claims = parse_claims(file, "");
    REQUIRE(claims.size() == 8);
    CHECK(claims[0].what == Stated::kStart);
    CHECK(claims[0].value == 0xA5000000);
    CHECK(claims[0].beside == "mmu_armv81.$name");
    CHECK(claims[0].beside_line == 7);
    CHECK(claims[0].place.line == 3);
    CHECK(claims[0].place.column == 18);
    CHECK(claims[0].place.length == 10);
    CHECK(claims[2].text == "MAIR4");
    CHECK(claims[2].place.column == 17);
    CHECK(claims[6].what == Stated::kSize);
    CHECK(claims[6].value == 32768);
    CHECK(claims[6].beside == "mpu_armv71.size");
    CHECK(claims[6].text == "32 KB");

    const auto wrong = wrong_claims(claims, entries);
    REQUIRE(wrong.size() == 3);
    CHECK(wrong[0].name == "HEAP");
    CHECK(wrong[0].right == "0xA7000000");
    CHECK(wrong[1].right == "0xA70FFFFF");
    CHECK(wrong[2].right == "MAIR7");
    const auto sizes = wrong_claims(claims, regions);
    REQUIRE(sizes.size() == 1);
    CHECK(sizes[0].right == "16 MB");
    CHECK(sizes[0].name == "RING");
    CHECK(sizes[0].claim.place.line == 19);
    CHECK(sizes[0].claim.place.column == 26);
  }

  TEST_CASE("comments in tables of C") {
    const emit::MapFile file{"f.c",
                             "T gMPUConfigParms[] = {\n{\n/* Region 3 configuration: 1 MB RAM */\n"
                             ".ulRegionNumber = 3U, .ulRegionBeginAddress = 0x1000,\n"
                             "/* ulRegionSize 64KB */\n.ulRegionSize = (32U * 1024U),\n},\n"
                             "{ .ulRegionNumber = 4U, /* Use 64KB, to cover both */\n"
                             "// size is 2KB\n.ulRegionSize = 2048 } };\n"};
    const auto claims = parse_claims(file, "");
    REQUIRE(claims.size() == 5);
    CHECK(claims[0].what == Stated::kNumber);
    CHECK(claims[0].value == 3);
    CHECK(claims[0].beside == ".ulRegionNumber");
    CHECK(claims[1].what == Stated::kMention);
    CHECK(claims[3].what == Stated::kMention);
    core::Diagnostics errors;
    const auto source = emit::parse_mpu_source(file, "", test::mpu_programs(), {}, 0, errors);
    CHECK(errors.empty());
    const auto wrong = wrong_claims(claims, source.regions);
    REQUIRE(wrong.size() == 1);
    CHECK(wrong[0].right == "32KB");
    CHECK(wrong[0].name == "region 3");
    // It was 1 MiB, and is 32 KiB: that the comment says; the other one is of nobody's size.
    const auto mentions = old_mentions(claims, source.regions[0], 1 << 20);
    REQUIRE(mentions.size() == 1);
    CHECK(mentions[0].claim.text == "1 MB");
    CHECK(mentions[0].right == "32 KB");
    CHECK(old_mentions(claims, source.regions[0], 64 << 10).empty());

    const emit::MapFile other{"f.c",
                              "T gCslR5MpuCfg[] = {\n{\n/* Region 2 configuration: 1 MB RAM */\n"
                              ".regionId = 4U, .enable = 1U, .size = 20U } };\n"};
    const auto numbers = wrong_claims(
        parse_claims(other, ""),
        emit::parse_mpu_source(other, "", test::mpu_programs(), {}, 0, errors).regions);
    REQUIRE(numbers.size() == 1);
    CHECK(numbers[0].claim.text == "2");
    CHECK(numbers[0].right == "4");
  }

  TEST_CASE("comments that say nothing, or are cut off") {
    for (const char* text : {"/* Region end: soon */ x",
                             "/* Region end: ",
                             "// Attribute is MAIR9",
                             "/* Attribute is MAIR",
                             "/* 12 KBit */",
                             "/* 99999999999999 KB */",
                             "/* Region 12345 configuration */",
                             "\"/* Region start: 0x1 */\"",
                             "\"open",
                             "/",
                             "/*",
                             "//"}) {
      CAPTURE(text);
      CHECK(parse_claims({"f.c", text}, "").empty());
    }
  }
}

}  // namespace memsize::sdk::claims_test
