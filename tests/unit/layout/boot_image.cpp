// What stays beside Linux lies in memory that is reserved for it; what passes through, over nothing
// that stays.
#include "memsize/layout/boot_image.hpp"

#include "support.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::layout::boot_image_test {

namespace {

using core::Code;
using model::BootPart;

// "zx9": DRAM from 0x40000000, where "alpha_region" has 2 MiB.
BootImageReport check(const BootPart& part, const DeviceTreeReport* reserved = nullptr) {
  return check_boot_image(
      test::map_of(test::zx9_text()), {.path = "tispl.bin", .parts = {part}}, reserved);
}

BootPart part(const std::string& os, std::uint64_t load) {
  return {.name = os, .os = os, .load = load, .payload = std::string(0x1000, 'x')};
}

DeviceTreeReport tree() {
  DeviceTreeReport report;
  report.rows = {{.node = "tfa@50000000",
                  .range = core::PhysRange::make(core::PhysAddr{0x50000000}, core::Bytes{0x2000}),
                  .size = core::Bytes{0x2000}}};
  return report;
}

std::string said(const BootPart& part, Code code, const DeviceTreeReport* reserved = nullptr) {
  const BootImageReport report = check(part, reserved);
  REQUIRE(report.diagnostics.size() == 1);
  CHECK(report.diagnostics.front().code == code);
  CHECK(report.diagnostics.front().party("part") == part.name);
  return report.diagnostics.front().message;
}

}  // namespace

TEST_SUITE_BEGIN("layout");

TEST_CASE("nothing is loaded over the map") {
  CHECK(test::contains(said(part("U-Boot", 0x401FFFFF), Code::kFitLoad), "over 'alpha_region'"));
  CHECK(test::contains(said(part("tee", 0x3FFFF001), Code::kFitLoad), "over 'alpha_region'"));
  CHECK(check(part("U-Boot", 0x40200000)).diagnostics.empty());
  // On the chip.
  CHECK(check(part("arm-trusted-firmware", 0x1000)).diagnostics.empty());
  CHECK(
      test::contains(said(part("U-Boot", UINT64_MAX), Code::kFitLoad), "behind the last address"));
}

TEST_CASE("what stays is reserved, what passes through is not") {
  const DeviceTreeReport reserved = tree();
  const BootPart inside = part("arm-trusted-firmware", 0x50001000);
  CHECK(check(inside, &reserved).diagnostics.empty());
  CHECK(test::contains(said(part("arm-trusted-firmware", 0x50001800), Code::kFitLoad, &reserved),
                       "'tfa@50000000' is [0x50000000, 0x50002000)"));
  CHECK(test::contains(said(part("tee", 0x60000000), Code::kFitLoad, &reserved),
                       "Linux would use it"));
  CHECK(test::contains(said(part("U-Boot", 0x50001000), Code::kFitLoad, &reserved),
                       "over 'tfa@50000000'"));
  // Nobody named a tree.
  CHECK(check(part("tee", 0x60000000)).diagnostics.empty());
}

TEST_CASE("parts that one configuration loads do not lie over each other") {
  const auto messages = [](std::vector<std::string> together, bool is_packed) {
    BootPart second = part("DM", 0x60000FFF);
    second.is_packed = is_packed;
    second.payload.replace(0,
                           4,
                           "\x7f"
                           "ELF");
    const BootImageReport report =
        check_boot_image(test::map_of(test::zx9_text()),
                         {.path = "tispl.bin",
                          .parts = {part("U-Boot", 0x60000000), second},
                          .configurations = {{"conf-0", together}, {"conf-1", together}}},
                         nullptr);
    std::vector<std::string> found;
    for (const core::Diagnostic& each : report.diagnostics) {
      if (each.code == Code::kFitLoad) {
        found.push_back(each.message);
      }
    }
    return found;
  };
  CHECK(messages({"U-Boot", "DM"}, false) ==
        std::vector<std::string>{"'DM' is loaded to [0x60000FFF, 0x60001FFF), over 'U-Boot', "
                                 "[0x60000000, 0x60001000): 'conf-0' loads both"});
  CHECK(messages({"U-Boot", "DM"}, true).empty());
  // Never in memory at once.
  CHECK(messages({"DM"}, false).empty());
}

TEST_CASE("a program is told apart from what cannot be looked at") {
  BootPart manager = part("DM", 0x60000000);
  CHECK(test::contains(said(manager, Code::kFitFirmware), "encrypted, or no ELF file"));
  manager.is_packed = true;
  CHECK(test::contains(said(manager, Code::kFitFirmware), "compressed"));
  manager.is_packed = false;
  manager.payload.replace(0,
                          4,
                          "\x7f"
                          "ELF");
  const BootImageReport report = check(manager);
  CHECK(report.diagnostics.empty());
  CHECK(report.rows.front().is_program);
}

TEST_SUITE_END();

}  // namespace memsize::layout::boot_image_test
