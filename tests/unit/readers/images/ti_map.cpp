// The map of TI's linker in its forms, damaged in each row, and cut.
#include "memsize/readers/image_reader.hpp"

#include "support.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::readers::ti_map_test {

namespace {

using core::Bytes;

const std::string kHead =
    R"(******************************************************************************
            TI ARM Clang Linker Unix v1.3.0
******************************************************************************
>> Linked Fri Mar 25 02:52:05 2022

OUTPUT FILE NAME:   <vx_app_rtos_linux_mcu2_0.out>
ENTRY POINT SYMBOL: "_vectors"  address: a2200040


MEMORY CONFIGURATION

         name            origin    length      used     unused   attr    fill
----------------------  --------  ---------  --------  --------  ----  --------
)";

const std::string kRows = R"(  R5F_VECS              00000000   00000040  00000000  00000040  RWIX
PAGE 1:
  MSRAM_0               70000100   0006ff00  00019ef8  00056008  R  X  00000000
  DDR_A_LONG_NAME_THAT_FILLS_ITS_COLUMN*
*                       0000000100000000   0000000000000010  0000000000000010  0000000000000000  RW
)";

const std::string kTail = "\n\nSEGMENT ALLOCATION MAP\n\n00000000 00000000 is no row\n";

std::string why(const std::string& text) {
  const auto image = read_firmware(text, "a.map");
  return image ? "" : test::all_text(image.error());
}

}  // namespace

TEST_SUITE_BEGIN("readers");

TEST_CASE("a map of TI's linker says what each region uses") {
  for (const char* const end : {"\n", "\r\n"}) {
    std::string text = kHead + kRows + kTail;
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;
         at += std::string_view{end}.size()) {
      text.replace(at, 1, end);
    }
    const auto image = read_firmware(text, "a.map");
    REQUIRE_MESSAGE(image.has_value(), test::all_text(image ? core::Diagnostics{} : image.error()));
    CHECK(image->format == "ti-map");
    CHECK(image->is_linked);
    CHECK(image->output == "vx_app_rtos_linux_mcu2_0.out");
    CHECK(image->entry == 0xA2200040);
    REQUIRE(image->regions.size() == 3);
    CHECK(image->regions[1].name == "MSRAM_0");
    CHECK(image->regions[1].origin == 0x70000100);
    CHECK(image->regions[1].length == Bytes{0x6FF00});
    CHECK(image->regions[1].used == Bytes{0x19EF8});
    CHECK(image->regions[1].line == 16);
    CHECK(image->regions[2].name == "DDR_A_LONG_NAME_THAT_FILLS_ITS_COLUMN");
    CHECK(image->regions[2].origin == 0x100000000);
    CHECK(image->regions[2].used == Bytes{16});
  }
}

TEST_CASE("a row of which the numbers do not agree is damaged") {
  CHECK(why(kHead + kRows).empty());
  CHECK(test::contains(why(kHead + test::with(kRows, "00019ef8", "00019ef9")), "is not all of it"));
  CHECK(test::contains(why(kHead + test::with(kRows, "0006ff00", "0006fF0x")), "four numbers"));
  CHECK(test::contains(why(kHead + test::with(kRows, "0006ff00", "6ff00")), "four numbers"));
  CHECK(test::contains(why(kHead + test::with(kRows, "0000000100000000", "fffffffffffffff8")),
                       "behind the last address"));
  CHECK(test::contains(why(kHead + "  LONELY*\n"), "ends before the regions"));
  CHECK(test::contains(why(kHead), "ends before the regions"));
  // As many as there are, but told twenty times at most.
  std::string all = kHead;
  for (int i = 0; i < 100; ++i) {
    all += "  R00000 00000000 00000001 00000000 00000000\n";
  }
  const auto image = read_firmware(all, "a.map");
  REQUIRE_FALSE(image.has_value());
  CHECK(image.error().size() == 20);
}

TEST_CASE("a title without its columns is no map") {
  const std::string text = "MEMORY CONFIGURATION\n\nname origin length\n";
  CHECK(test::contains(why(text), "neither an ELF file"));
  CHECK(test::contains(why("Memory Configuration\n"), "GNU ld"));
}

TEST_SUITE_END();

}  // namespace memsize::readers::ti_map_test
