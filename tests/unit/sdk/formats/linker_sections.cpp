#include "formats/linker_sections.hpp"

#include "support.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::sdk::linker_sections_test {

namespace {

std::string shown(const std::vector<SectionRegion>& regions) {
  std::string all;
  for (const SectionRegion& region : regions) {
    all += (all.empty() ? "" : "|") + region.name;
  }
  return all;
}

// "name>regions@alignment" of each section.
std::string shown(const std::vector<OutputSection>& sections) {
  std::string all;
  for (const OutputSection& section : sections) {
    all += (all.empty() ? "" : " ") + section.name + (section.is_split ? ">>" : ">") +
           shown(section.regions);
    all += section.load_regions.empty() ? "" : "<" + shown(section.load_regions);
    all += section.alignment ? "@" + std::to_string(section.alignment->value) : "";
  }
  return all;
}

std::string read(const std::string& text, core::Diagnostics& errors) {
  return shown(parse_linker_sections({"l.cmd", text}, "", errors));
}

std::string read(const std::string& members) {
  core::Diagnostics errors;
  std::string all = read("-stack 0x100\nSECTIONS\n{\n" + members + "\n}\n", errors);
  CHECK(errors.empty());
  return all;
}

}  // namespace

TEST_SUITE("sdk") {
  TEST_CASE("where sections go, and what they want there") {
    CHECK(read(".text > A") == ".text>A");
    CHECK(read(".text: > A ALIGN(0x400)") == ".text>A@1024");
    CHECK(read("boot: { boot.*<b.obj>(.text) } load > A ALIGN(0x200000)") == "boot>A@2097152");
    CHECK(read(".a : {} palign(8) > A, type = NOINIT .b : {} align(4) > B (HIGH)") ==
          ".a>A@8 .b>B@4");
    CHECK(read(".text:_start > A .bss:heap (NOLOAD)(NOINIT) : {} > B") ==
          ".text:_start>A .bss:heap>B");
    CHECK(read(".bss.x* : {} > A") == ".bss.x*>A");
    CHECK(read(".a : > A | B .b : {} >> A | B | C") == ".a>A|B .b>>A|B|C");
    CHECK(read(".a : align = 16, load = A, run = B .c : load > A, run = 0x100") ==
          ".a>B<A@16 .c>A");
    CHECK(read(".s : {. = . + 5;} align(4) > A RUN_START(__B) RUN_END(__E)\n.t > A") ==
          ".s>A@4 .t>A");
    CHECK(read(".a : {} align(8) palign(4) > A, fill = 0xFF") == ".a>A@8");
    CHECK(read(".a : ALIGN( 1K ) {} > A").find("@1024") != std::string::npos);
    CHECK(read("x : {} ") == "x>");
  }

  TEST_CASE("groups hand their region and alignment on") {
    CHECK(read("GROUP : > A { .x : type=NOINIT .y : {} align(4) }") == ".x>A .y>A@4");
    CHECK(read("GROUP align(64), LOAD_START(s) : { .x .y : palign(128) } > A .z > B") ==
          ".x>A@64 .y>A@128 .z>B");
    CHECK(read("GROUP { GROUP { .x } ALIGN(8) .y > B } > A") == ".x>A@8 .y>B");
    CHECK(read("UNION align(16) { .x .y : align(32) } > A") == ".x>A@16 .y>A@32");
  }

  TEST_CASE("macros, options and other parts of a command file") {
    core::Diagnostics errors;
    CHECK(read("#define GRID ( 1K )\n--retain=\"*(.x { )\"\nMEMORY { A : o = 0, l = 1 }\n"
               "__SIZE = 0x10;\nSECTIONS { .a : align( GRID ) {} > A }\n"
               "SECTIONS { .b > A /* .c > A */ }",
               errors) == ".a>A@1024 .b>A");
    CHECK(errors.empty());
  }

  TEST_CASE("a section may be bound to an address") {
    core::Diagnostics errors;
    const auto sections = parse_linker_sections(
        {"l.cmd",
         "#define AT 0xA8200400\nSECTIONS { .a : {} > AT .b : load = A, run = 0x100 .c > 4K }"},
        "",
        errors);
    CHECK(errors.empty());
    REQUIRE(sections.size() == 3);
    CHECK(sections[2].address->value == 4096);
    CHECK(sections[0].regions.empty());
    CHECK(sections[0].address->value == 0xA8200400);
    CHECK(sections[0].address->place.line == 1);
    CHECK(sections[0].address->place.column == 9);
    CHECK(sections[1].address->value == 0x100);
    CHECK(sections[1].regions.front().name == "A");
  }

  TEST_CASE("who wants the most in a region") {
    core::Diagnostics errors;
    const auto sections = parse_linker_sections(
        {"l.cmd",
         "SECTIONS {\n .a > A\n .b > A ALIGN(64)\n .c : load = A, run = B, align = 128\n}"},
        "",
        errors);
    REQUIRE(most_aligned(sections, "A") != nullptr);
    CHECK(most_aligned(sections, "A")->name == ".c");
    CHECK(most_aligned(sections, "B")->name == ".c");
    CHECK(most_aligned(sections, "C") == nullptr);
    CHECK(sections[1].place.line == 3);
    CHECK(sections[1].place.column == 2);
    CHECK(sections[1].alignment->place.column == 15);
    CHECK(sections[1].regions[0].place.column == 7);
  }

  TEST_CASE("hostile command files end in an error") {
    std::string groups;
    for (int i = 0; i < 20000; ++i) {
      groups += "GROUP {";
    }
    for (const std::string& text : {"SECTIONS {" + groups,
                                    std::string{"SECTIONS { .a : {"},
                                    std::string{"SECTIONS { .a > "},
                                    std::string{"SECTIONS { .a > A ALIGN("},
                                    std::string{"SECTIONS { .a > A ALIGN(x) }"},
                                    std::string{"SECTIONS { .a : align(99999999999999999999M) }"},
                                    std::string{"SECTIONS { .a .b > A }"},
                                    std::string{"SECTIONS { .a : {} > A, type NOLOAD }"},
                                    std::string{"SECTIONS { .a > A"},
                                    std::string{"SECTIONS { ; }"},
                                    std::string{"SECTIONS"},
                                    std::string{"#define X X\nSECTIONS { .a : align(X) > A }"},
                                    std::string{""}}) {
      CAPTURE(text.substr(0, 60));
      core::Diagnostics errors;
      (void)read(text, errors);
      CHECK_FALSE(errors.empty());
    }
  }
}

}  // namespace memsize::sdk::linker_sections_test
