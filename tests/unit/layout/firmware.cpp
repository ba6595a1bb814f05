// Firmware in a map: whose it is, how much of each region it takes, and what must be told.
#include "memsize/layout/firmware.hpp"

#include "mpu_support.hpp"

#include <doctest/doctest.h>

namespace memsize::layout {

namespace {

using core::Bytes;
using core::Code;
using model::Image;

// CODE of "r5" is [0xA0000000, 0xA1000000).
constexpr std::uint64_t kCode = 0xA0000000;
constexpr std::uint64_t kEnd = 0xA1000000;

model::ImageSection section(std::string_view name, std::uint64_t address, std::uint64_t size) {
  return {.name = name, .address = address, .load_address = address, .size = Bytes{size}};
}

FirmwareReport checked(std::vector<model::ImageSection> sections,
                       std::vector<model::ImageSegment> segments = {}) {
  Image image;
  image.path = "fw.out";
  image.bits = 32;
  image.sections = std::move(sections);
  image.segments = std::move(segments);
  const std::string board =
      std::string{test::kR5Board} +
      "\n[carveout.code_region]\nnode = \"code-memory\"\ncovers = [\"CODE\"]\n";
  return check_firmware(test::map_of(board), image);
}

}  // namespace

TEST_SUITE_BEGIN("layout");

TEST_CASE("the largest hole divides what lies at the start from what lies at the end") {
  const FirmwareReport report = checked({section(".text", kCode, 0x1000),
                                         section(".data", kCode + 0x1100, 0x100),
                                         section(".irqStack", kEnd - 0x400, 0x200),
                                         section(".stack", kEnd - 0x200, 0x200)});
  CHECK_MESSAGE(report.diagnostics.empty(), test::all_text(report.diagnostics));
  CHECK(report.core == "r5");
  REQUIRE(report.regions.size() == 1);
  CHECK(report.regions[0].region == "CODE");
  CHECK(report.regions[0].low == Bytes{0x1200});
  CHECK(report.regions[0].high == Bytes{0x400});
  CHECK(report.regions[0].is_kept);
}

TEST_CASE("without anything at the end everything is at the start") {
  const FirmwareReport report =
      checked({section(".text", kCode, 0x1000), section(".bss", kEnd - 0x1000, 0x800)},
              {{kCode, kCode, 0x1000, 0x1000, 0x1000}});
  REQUIRE(report.regions.size() == 1);
  CHECK(report.regions[0].low == Bytes{0xFFF800});
  CHECK(report.regions[0].high == Bytes{0});
  CHECK_FALSE(report.regions[0].is_kept);
}

TEST_CASE("a region that is full to its last byte has no hole") {
  const FirmwareReport report = checked({section(".text", kCode, kEnd - kCode)});
  REQUIRE(report.regions.size() == 1);
  CHECK(report.regions[0].used() == Bytes{kEnd - kCode});
}

TEST_CASE("what a region needs is what it holds, and padding where sections are coarse") {
  auto stack = section(".stack", kEnd - 0x4000, 0x3FFE);
  stack.alignment = 0x4;
  auto text = section(".text", kCode, 0x1000);
  text.alignment = 0x200000;
  const auto fine = checked({text, stack});
  REQUIRE(fine.regions.size() == 1);
  // Two bytes behind the stack are its alignment's.
  CHECK(fine.regions[0].high == Bytes{0x4000});
  CHECK(fine.regions[0].need == Bytes{0x5000});
  CHECK(fine.regions[0].moves == Bytes{0x1FFFFF});
  stack.alignment = 0x4000;
  CHECK(checked({text, stack}).regions[0].need == Bytes{0x5000 + 0x3FFF});
  // An alignment that no linker has is no reason to count all of the region.
  text.alignment = UINT64_MAX;
  CHECK(checked({text}).regions[0].need == Bytes{0x1000});
}

TEST_CASE("what lies elsewhere is told") {
  const FirmwareReport other = checked({section(".text", 0x10000000, 64)});
  CHECK(other.core.empty());
  CHECK(test::find(other.diagnostics, Code::kFirmwareCore) != nullptr);
  for (const std::uint64_t address : {kEnd - 16, kEnd, kCode - 16, std::uint64_t{0}, UINT64_MAX}) {
    CAPTURE(address);
    const FirmwareReport report =
        checked({section(".text", kCode, 64), section(".far", address, 32)});
    CHECK(report.core == "r5");
    REQUIRE(report.diagnostics.size() == 1);
    CHECK(report.diagnostics[0].code == Code::kFirmwareRegion);
    CHECK(test::contains(report.diagnostics[0].message, "'.far'"));
  }
}

TEST_CASE("remoteproc refuses segments outside of the core's own memory") {
  const auto refused = [](std::uint64_t address, std::uint64_t size) {
    const auto report = checked({section(".text", kCode, 64)}, {{address, address, 0, 0, size}});
    return test::find(report.diagnostics, Code::kFirmwareLoad) != nullptr;
  };
  CHECK_FALSE(refused(kCode, kEnd - kCode));
  CHECK_FALSE(refused(kEnd - 1, 1));
  CHECK_FALSE(refused(0, 0));
  CHECK(refused(kCode, kEnd - kCode + 1));
  CHECK(refused(kCode - 1, 1));
  CHECK(refused(kEnd, 1));
  CHECK(refused(0x100000000, 1));
  // An end beyond 2^64 is nowhere.
  CHECK(refused(UINT64_MAX - 1, 16));
  CHECK(refused(kCode, UINT64_MAX));
}

TEST_SUITE_END();

}  // namespace memsize::layout
