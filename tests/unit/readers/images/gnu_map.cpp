// GNU ld's map says where sections and symbols lie; what it leaves out is told from names.
#include "memsize/core/find.hpp"
#include "memsize/readers/image_reader.hpp"

#include "support.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::readers::gnu_map_test {

namespace {

const std::string kMap = R"(
Discarded input sections

 .bss.gone      0x00000000       0x40 a.o

Memory Configuration

Name             Origin             Length             Attributes
FLASH            0x00010000         0x00010000         xr
RAM              0x20000000         0x00010000         xrw
*default*        0x00000000         0xffffffff

Linker script and memory map

LOAD a.o

.text           0x00010000       0x60
 *(.text)
 .text          0x00010000       0x20 a.o
                0x00010000                main
 *fill*         0x00010020        0x0 
 .rodata.wake_arena_const_dtcm__source
                0x00010020       0x40 a.o

.data           0x20000000        0x8 load address 0x00010060
 .data          0x20000000        0x8 a.o
                0x20000000                counter
                0x20000008                . = ALIGN (0x4)

.bss            0x20000010       0x90 load address 0x00010070
                0x20000010                _sbss = .
 .bss.wake_arena_dtcm_buffer
                0x20000010       0x40 a.o
                0x20000010                wake_arena_dtcm_buffer
 .bss           0x20000050       0x50 b.o
                0x20000050                first
                0x20000070                second

.a_section_of_a_long_name
                0x200000a0       0x10 load address 0x00010068
 .mine          0x200000a0       0x10 b.o

.heap           0x200000b0     0xff50
                0x2000ffff                . = (ORIGIN (RAM) + LENGTH (RAM))
OUTPUT(a.elf elf32-littlearm)

.comment        0x00000000       0x26
 .comment       0x00000000       0x26 a.o
.debug_info     0x00000000       0x26

Cross Reference Table

.bss            0x20000000 0x20
)";

const model::ImageSymbol& called(const model::Image& image, std::string_view name) {
  const auto* const found = core::find_in(image.symbols, name, &model::ImageSymbol::name);
  REQUIRE(found != nullptr);
  return *found;
}

}  // namespace

TEST_SUITE_BEGIN("readers");

TEST_CASE("a map's sections, what of them is stored and where it is loaded") {
  const auto image = read_image(kMap, "a.map");
  REQUIRE_MESSAGE(image, test::all_text(image ? core::Diagnostics{} : image.error()));
  CHECK(image->machine == "Arm");
  CHECK(image->bits == 32);
  const auto names =
      core::texts_of(image->sections, [](const auto& section) { return section.name; });
  CHECK(names ==
        std::vector<std::string>{".text", ".data", ".bss", ".a_section_of_a_long_name", ".heap"});
  CHECK_FALSE(image->sections[0].is_writable);
  CHECK(image->sections[1].load_address == 0x10060);
  // What is cleared is loaded from nowhere, whatever the map says of its region.
  CHECK_FALSE(image->sections[2].is_stored);
  CHECK(image->sections[2].load_address == 0x20000010);
  CHECK(image->sections[3].is_stored);
  CHECK(image->sections[3].size == core::Bytes{16});
  CHECK_FALSE(image->sections[4].is_stored);
  CHECK(image->sections[2].line == 30);
}

TEST_CASE("sizes of a map's symbols are known, or bounded by what comes next") {
  const auto image = read_image(kMap, "a.map");
  REQUIRE(image);
  CHECK(called(*image, "wake_arena_dtcm_buffer").size == core::Bytes{0x40});
  CHECK_FALSE(called(*image, "wake_arena_dtcm_buffer").is_bound);
  CHECK(called(*image, "wake_arena_const_dtcm__source").address == 0x10020);
  CHECK(called(*image, "first").size == core::Bytes{0x20});
  CHECK(called(*image, "first").is_bound);
  CHECK(called(*image, "second").size == core::Bytes{0x30});
  CHECK(core::find_in(image->symbols, "gone", &model::ImageSymbol::name) == nullptr);
  CHECK(std::ranges::count(image->symbols, "wake_arena_dtcm_buffer", &model::ImageSymbol::name) ==
        1);
}

TEST_CASE("a map whose lines end as on Windows says the same") {
  std::string windows;
  for (const char c : kMap) {
    windows += c == '\n' ? "\r\n" : std::string(1, c);
  }
  const auto image = read_image(windows, "a.map");
  REQUIRE(image);
  CHECK(image->sections.size() == 5);
  CHECK(image->sections[1].load_address == 0x10060);
  CHECK(called(*image, "first").size == core::Bytes{0x20});
}

TEST_CASE("a map that is cut before its sections, or leads behind the last address, is refused") {
  const auto cut = read_image(kMap.substr(0, kMap.find("Linker script")), "a.map");
  REQUIRE_FALSE(cut);
  CHECK(cut.error().front().code == core::Code::kImageSyntax);
  const auto far =
      read_image(test::with(kMap, "0x200000b0     0xff50", "0xffffffffffffffff 0x10"), "a.map");
  REQUIRE_FALSE(far);
  CHECK(test::contains(far.error().front().message, "'.heap' would end"));
  CHECK(far.error().front().place.line == 43);
}

TEST_SUITE_END();

}  // namespace memsize::readers::gnu_map_test
