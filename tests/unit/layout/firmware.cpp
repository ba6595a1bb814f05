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

// CODE is what Linux loads, RINGS what it takes vrings from.
std::string board_text() {
  return test::with(test::kR5Board, "size = \"16MiB\"", "size = \"code_size\"") + R"toml(
[knob]
code_size = { default = "16MiB" }

[chain.rings]
physical = "0xA1000000"
regions = [
  { name = "RINGS", size = "1MiB", cores = ["r5"], cache = "cached" },
]

[chain.code_of_other]
physical = "0xB0000000"
regions = [
  { name = "CODE_2", size = "1MiB", cores = ["other"], cache = "cached" },
]

[carveout.code_region]
node = "code-memory"
covers = ["CODE"]

[carveout.r5_dma_memory_region]
node = "rings-memory"
covers = ["RINGS"]

[sections.r5]
cores = ["r5"]
code = "CODE"
entry_align = "4KiB"
)toml";
}

FirmwareReport checked(const Image& image, const FirmwareOptions& options = {}) {
  static const MemoryMap map = test::map_of(board_text());
  return check_firmware(map, image, options);
}

Image image_of(std::vector<model::ImageSection> sections,
               std::vector<model::ImageSegment> segments = {}) {
  Image image;
  image.path = "fw.out";
  image.bits = 32;
  image.sections = std::move(sections);
  image.segments = std::move(segments);
  return image;
}

FirmwareReport checked(std::vector<model::ImageSection> sections,
                       std::vector<model::ImageSegment> segments = {}) {
  return checked(image_of(std::move(sections), std::move(segments)));
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

TEST_CASE("an image says what the knob of its core's code must be at least") {
  Image image = image_of({section(".text", kCode, 0x1000)});
  image.content = core::SharedText{"abc"};
  const auto needs = firmware_needs(checked(image));
  REQUIRE(needs.size() == 1);
  CHECK(needs[0].core == "r5");
  CHECK(needs[0].region == "CODE");
  CHECK(needs[0].knob == "code_size");
  CHECK(needs[0].now == Bytes{kEnd - kCode});
  CHECK(needs[0].need == Bytes{0x1000});
  CHECK(needs[0].path == "fw.out");
  // As sha256sum has it.
  CHECK(needs[0].sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // What is not all counted proves nothing.
  CHECK(firmware_needs(checked({section(".text", kCode, 64), section(".far", kEnd - 8, 16)}))
            .empty());
  CHECK(firmware_needs(checked({section(".text", 0x10000000, 64)})).empty());
}

TEST_CASE("without sections the segments are counted") {
  const auto report = checked({}, {{kCode, kCode, 0, 0, 0x2000}, {kEnd - 16, kEnd - 16, 0, 0, 16}});
  CHECK(report.core == "r5");
  REQUIRE(report.regions.size() == 1);
  CHECK(report.regions[0].need == Bytes{0x2010});
  // One that goes on into the next region is a part of each; what is behind that is nowhere.
  const auto joined = checked({}, {{kCode, kCode, 0, 0, 64}, {kEnd - 16, kEnd - 16, 0, 0, 40}});
  CHECK(test::find(joined.diagnostics, Code::kFirmwareRegion) == nullptr);
  REQUIRE(joined.regions.size() == 2);
  CHECK(joined.regions[0].need == Bytes{64 + 16});
  CHECK(joined.regions[1].need == Bytes{24});
  const auto beyond = checked({}, {{kCode, kCode, 0, 0, kEnd - kCode + 0x100000 + 8}});
  CHECK(beyond.core == "r5");
  const auto* const stray = test::find(beyond.diagnostics, Code::kFirmwareRegion);
  REQUIRE(stray != nullptr);
  CHECK(test::contains(stray->message, "'(segment)' [0xA1100000, 0xA1100008)"));
}

TEST_CASE("a map of TI's linker is joined by names") {
  Image image;
  image.path = "fw.map";
  image.regions = {{"CODE", kCode, Bytes{kEnd - kCode}, Bytes{0x4321}, 7},
                   {"RINGS", 0xA1000000, Bytes{0x100000}, Bytes{0x100000}, 8},
                   {"UNUSED", 0, Bytes{64}, Bytes{0}, 9}};
  const auto report = checked(image);
  CHECK_MESSAGE(report.diagnostics.empty(), test::all_text(report.diagnostics));
  REQUIRE(report.regions.size() == 2);
  CHECK(report.regions[0].need == Bytes{0x4321});
  CHECK_FALSE(report.regions[0].is_kept);
  CHECK(report.regions[1].is_filled);
  CHECK(firmware_needs(report).size() == 1);
  image.regions[0].origin += 0x1000;
  const auto moved = checked(image);
  REQUIRE(moved.diagnostics.size() == 1);
  CHECK(moved.diagnostics[0].severity == core::Severity::kNote);
  CHECK(moved.diagnostics[0].place.line == 7);
  // A program that is called after its core is that core's.
  Image shared = image_of({});
  shared.regions = {{"CODE", kCode, Bytes{64}, Bytes{64}, 1},
                    {"CODE_2", 0xB0000000, Bytes{32}, Bytes{32}, 2}};
  CHECK(checked(shared).core == "r5");
  shared.output = "fw_other.out";
  CHECK(checked(shared).core == "other");
  image.regions[2].used = Bytes{1};
  CHECK(test::find(checked(image).diagnostics, Code::kFirmwareRegion) != nullptr);
}

TEST_CASE("how full a region may be is the caller's") {
  const Image image = image_of({section(".text", kCode, (kEnd - kCode) / 2)});
  CHECK(checked(image, {.full_percent = 50}).diagnostics.empty());
  CHECK(test::find(checked(image, {.full_percent = 49}).diagnostics, Code::kFirmwareFull) !=
        nullptr);
}

TEST_CASE("vrings come from their carve-out, a trace and the table are in the program's") {
  const auto found = [](model::ResourceTable table) {
    Image image = image_of({section(".text", kCode, 64)});
    image.resources = std::move(table);
    return test::all_text(checked(image).diagnostics);
  };
  const model::ResourceVring any{model::kAnyAddress, 4096, 256};
  const model::Resource rpmsg{.type = 3, .id = 7, .vrings = {any, any}};
  CHECK(found({.address = kCode, .size = Bytes{140}, .entries = {rpmsg}}) == "");
  CHECK(test::contains(found({.address = kCode + 4096, .size = Bytes{140}}), "at the start"));
  CHECK(test::contains(found({.address = kCode, .size = Bytes{257}}), "257 B"));
  CHECK(test::contains(found({.address = kEnd, .size = Bytes{140}}), "is outside of"));
  model::Resource large = rpmsg;
  large.vrings[0].buffers = 65536;
  CHECK(test::contains(found({.address = kCode, .entries = {large}}), "for vrings and buffers"));
  model::Resource placed = rpmsg;
  placed.vrings[1].device_address = 0xA1000000;
  CHECK(found({.address = kCode, .entries = {placed}}) == "");
  placed.vrings[1].device_address = 0xA1100000 - 4096;
  CHECK(test::contains(found({.address = kCode, .entries = {placed}}), "device address request"));
  const model::Resource trace{
      .type = 2, .device_address = 0x10, .size = Bytes{16}, .name = "trace:r5f0"};
  CHECK(test::contains(found({.address = kCode, .entries = {trace}}),
                       "Trace trace:r5f0 not available"));
}

TEST_CASE("a core begins where its reset can") {
  Image image = image_of({section(".text", kCode, 64)});
  image.entry = kCode + 4096;
  CHECK(checked(image).diagnostics.empty());
  image.entry = kCode + 64;
  const auto report = checked(image);
  REQUIRE(report.diagnostics.size() == 1);
  CHECK(report.diagnostics[0].code == Code::kFirmwareEntry);
  CHECK(test::contains(report.diagnostics[0].message,
                       "invalid boot address 0xa0000040, must be aligned on a 0x1000 boundary"));
}

TEST_CASE("two cores' sections are not the same memory") {
  const auto mine = checked({section(".text", kCode, 64), section(".far", 0xB0000010, 64)});
  const auto other = checked({section(".data", 0xB0000000, 32)});
  CHECK(other.core == "other");
  const auto found = check_apart({&mine, &other});
  REQUIRE(found.size() == 1);
  CHECK(found[0].code == Code::kFirmwareOverlap);
  CHECK(test::contains(found[0].message, "'.far' of r5"));
  CHECK(test::contains(found[0].message, "'.data' of other"));
  const auto beside = checked({section(".data", 0xB0000000, 16)});
  CHECK(check_apart({&mine, &beside}).empty());
  CHECK(check_apart({&mine, &mine}).empty());
}

TEST_CASE("what lies elsewhere is told") {
  const FirmwareReport other = checked({section(".text", 0x10000000, 64)});
  CHECK(other.core.empty());
  CHECK(test::find(other.diagnostics, Code::kFirmwareCore) != nullptr);
  for (const std::uint64_t address :
       {kEnd - 16, kEnd + 0x100000, kCode - 16, std::uint64_t{0}, UINT64_MAX}) {
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
  // The carve-out of the vrings begins where this one ends, and is not for programs.
  CHECK(refused(kEnd - 16, 32));
  CHECK(refused(0xA1000000, 16));
  CHECK(refused(kCode - 1, 1));
  CHECK(refused(kEnd, 1));
  CHECK(refused(0x100000000, 1));
  // An end beyond 2^64 is nowhere.
  CHECK(refused(UINT64_MAX - 1, 16));
  CHECK(refused(kCode, UINT64_MAX));
}

TEST_SUITE_END();

}  // namespace memsize::layout
