// Answers about a tree that exists nowhere.
#include "memsize/sdk/why.hpp"

#include "mpu_programs.hpp"
#include "support.hpp"
#include "why/grow.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::sdk::why_test {

namespace {

using core::Code;

constexpr const char* kRtos = "sdk/platform/zx9/rtos/";

constexpr const char* kScript =
    "from ti_psdk_rtos_tools import *\n"
    "KB = 1024\n"
    "MB = KB*KB\n"
    "code_addr = 0xA0000000\n"
    "code_size = 4*MB  # all of it\n"
    "heap_addr = code_addr + code_size\n"
    "heap_size = 8*MB - 2*MB\n"
    "log_size = heap_size\n"
    "rings_addr = 0xA2000000\n"
    "assert heap_addr + heap_size < 0xA3000000\n"
    "code = MemSection('CODE', 'RWIX', code_addr, code_size, 'code')\n"
    "heap = MemSection('HEAP', 'RWIX', heap_addr, log_size, 'heap')\n"
    "rings = MemSection('RINGS', 'RWIX', rings_addr, 1*MB, 'rings')\n"
    "rings.setDtsName('rings_region', 'rings')\n"
    "tcm = MemSection('TCM', 'X', 0, 32*KB)\n"
    "m = MemoryMap('m')\n"
    "m.addMemSection(code)\n"
    "m.addMemSection(heap)\n"
    "m.addMemSection(rings)\n"
    "m.addMemSection(tcm)\n"
    "d = MemoryMap('d')\n"
    "d.addMemSection(rings)\n"
    "total = MemSection('ALL', '', 0, 0)\n"
    "total.concat(code)\n"
    "total.concat(heap)\n"
    "d.addMemSection(total)\n"
    "LinkerCmdFile(m, './r5/linker_mem_map.cmd').export()\n"
    "CHeaderFile(m, 0, 0, './app_mem_map.h').export()\n"
    "DtsFile(d, './zx9.dtsi').export()\n";

constexpr const char* kLinker =
    "MEMORY\n{\n"
    "  CODE : ORIGIN = 0xA0000000 , LENGTH = 0x00400000\n"
    "  HEAP : ORIGIN = 0xA0400000 , LENGTH = 0x00600000\n"
    "  RINGS : ORIGIN = 0xA2000000 , LENGTH = 0x00200000\n"
    "  TCM : ORIGIN = 0x0 , LENGTH = 0x8000\n"
    "}\n";

constexpr const char* kHeader =
    "#define HEAP_ADDR (0xA0400000u)\n"
    "#define HEAP_SIZE (0x00600000u)\n"
    "#define RINGS_ADDR (0xA2000000u)\n"
    "#define RINGS_SIZE (0x00100000u)\n";

constexpr const char* kSyscfg =
    "const mpu_armv7 = scripting.addModule(\"/kernel/dpl/mpu_armv7\", {}, false);\n"
    "const mpu_armv71 = mpu_armv7.addInstance();\n"
    "const mpu_armv72 = mpu_armv7.addInstance();\n"
    "mpu_armv71.$name = \"DRAM\";\n"
    "mpu_armv71.size = 32;\n"
    "mpu_armv72.$name = \"QUIET\";\n"
    "mpu_armv72.baseAddr = 0xA2000000;\n"
    "mpu_armv72.size = 20;\n"
    "mpu_armv72.attributes = \"NonCached\";\n";

// A tree on a disk in memory, read.
class Tree {
 public:
  Tree() {
    core::MemFileSystem files;
    files.content[std::string{kRtos} + "gen_linker_mem_map.py"] = kScript;
    files.content[std::string{kRtos} + "r5/linker_mem_map.cmd"] = kLinker;
    files.content[std::string{kRtos} + "app_mem_map.h"] = kHeader;
    files.content[std::string{kRtos} + "r5/freertos.syscfg"] = kSyscfg;
    auto read = read_sources(files, {"zx9", "sdk/platform/zx9/rtos"}, test::mpu_programs());
    REQUIRE(read.has_value());
    REQUIRE_MESSAGE(read->problems.empty(), test::all_text(read->problems));
    sources_ = std::move(*read);
    reading_ = read_variant(sources_, sources_.variants.front(), 0);
    REQUIRE_MESSAGE(problems_of(*reading_).empty(), test::all_text(problems_of(*reading_)));
  }

  [[nodiscard]] View view() const {
    return View{sources_, sources_.variants.front(), *reading_, nullptr};
  }

  [[nodiscard]] layout::Answer ask(const std::string& text, const std::string& core = "") const {
    auto given = answer(view(), {text, core});
    REQUIRE_MESSAGE(given.has_value(), text);
    return std::move(*given);
  }

 private:
  Sources sources_;
  std::shared_ptr<const Reading> reading_;
};

const layout::Subject& only(const layout::Answer& answer) {
  REQUIRE(answer.subjects.size() == 1);
  return answer.subjects.front();
}

std::string said(const layout::Subject& subject) {
  std::string text;
  for (const layout::Statement& each : subject.said) {
    text += each.place.path.str().substr(std::string{kRtos}.size()) + ":" +
            std::to_string(each.place.line) + " " + each.what + "\n";
  }
  return text;
}

}  // namespace

TEST_SUITE("sdk") {
  TEST_CASE("why: a section, by whatever name, with the places that say something of it") {
    const Tree tree;
    for (const std::string name : {"HEAP", "heap", "HEAP_ADDR", "log_size"}) {
      CAPTURE(name);
      const layout::Answer given = tree.ask(name);
      const layout::Subject& subject = only(given);
      CHECK(subject.name == "HEAP");
      CHECK(subject.address == 0xA0400000);
      CHECK(subject.size == 0x600000);
      CHECK(subject.cores == std::vector<std::string>{"r5"});
      CHECK(subject.disagreements.empty());
      CHECK(said(subject) ==
            "gen_linker_mem_map.py:12 the script makes it\n"
            "gen_linker_mem_map.py:6 heap_addr = code_addr + code_size\n"
            "gen_linker_mem_map.py:8 log_size = heap_size\n"
            "r5/linker_mem_map.cmd:4 linker map\n"
            "app_mem_map.h:1 HEAP_ADDR\n"
            "app_mem_map.h:2 HEAP_SIZE\n");
    }
  }

  TEST_CASE("why: sources that disagree are both named, and so are pieces that a core sees apart") {
    const Tree tree;
    const layout::Answer given = tree.ask("RINGS");
    const layout::Subject& subject = only(given);
    REQUIRE(subject.disagreements.size() == 1);
    CHECK(test::contains(subject.disagreements.front(), "[0xA2000000, 0xA2100000)"));
    CHECK(test::contains(subject.disagreements.front(), "[0xA2000000, 0xA2200000)"));
    REQUIRE(subject.sights.size() == 2);
    CHECK(subject.sights[0].cached == "non-cached");
    CHECK(subject.sights[0].size == 0x100000);
    CHECK(subject.sights[1].cached == "cached");
    CHECK(subject.sights[1].address == 0xA2100000);
  }

  TEST_CASE("why: growth is what the script makes with the expression behind all its names") {
    const Tree tree;
    const layout::Answer code = tree.ask("CODE");
    const layout::Expansion& growth = *only(code).growth;
    CHECK(growth.works());
    CHECK(growth.change == "code_size = 5*MB");
    CHECK(growth.place.line == 5);
    REQUIRE(growth.moved.size() == 1);
    CHECK(growth.moved.front().name == "HEAP");
    CHECK(growth.moved.front().base_after == 0xA0500000);
    CHECK(growth.files ==
          std::vector<std::string>{"r5/linker_mem_map.cmd", "app_mem_map.h", "zx9.dtsi"});
    REQUIRE(growth.room.has_value());
    CHECK(growth.room->base == 0xA0A00000);
    CHECK(growth.room->base + growth.room->size == 0xA2000000);
    CHECK(growth.largest == (4U << 20U) + growth.room->size);

    const layout::Answer heap = tree.ask("HEAP");
    CHECK(only(heap).growth->change == "heap_size = 9*MB - 2*MB");
    CHECK(only(heap).growth->moved.empty());
  }

  TEST_CASE("why: a hull that no core has in its linker map is on the bus, and within reach") {
    const Tree tree;
    const layout::Answer given = tree.ask("ALL");
    const layout::Subject& subject = only(given);
    CHECK(subject.physical == 0xA0000000);
    CHECK(subject.size == 0xA00000);
    CHECK_FALSE(subject.growth.has_value());
    REQUIRE(subject.sights.size() == 1);
    CHECK(subject.sights.front().name.empty());
    CHECK(subject.sights.front().size == 0xA00000);
  }

  TEST_CASE("why: a script that refuses the size says where") {
    const Tree tree;
    const layout::Answer given = tree.ask("code_addr");
    const layout::Subject& subject = only(given);
    CHECK(subject.kind == "variable");
    REQUIRE(subject.growth.has_value());
    CHECK(subject.growth->works());

    const SizeSource source =
        size_source(*tree.view().variant().script, *tree.view().variant().script->sections[1]);
    CHECK(source.variable == "heap_size");
    const layout::Expansion much = grow(tree.view(), source, 0x3000000);
    REQUIRE_FALSE(much.works());
    CHECK(much.problems.front().code == Code::kSdkScript);
    CHECK(much.problems.front().place.line == 10);
    CHECK(much.moved.empty());
    const layout::Expansion over = grow(tree.view(), source, 0x1800000);
    REQUIRE_FALSE(over.works());
    CHECK(over.problems.front().code == Code::kLayoutOverlap);
    CHECK(test::contains(over.problems.front().message, "'HEAP' and 'RINGS'"));
  }

  TEST_CASE("why: an address is read by the bus and by each core") {
    const Tree tree;
    const layout::Answer given = tree.ask("0xA0400010");
    REQUIRE(given.readings.size() == 2);
    CHECK(given.readings[0].core.empty());
    CHECK(given.readings[0].name == "HEAP");
    CHECK(given.readings[0].offset == 0x10);
    CHECK(given.readings[1].core == "r5");
    CHECK(given.readings[1].by == "MPU 0 'DRAM'");
    const layout::Answer hole = tree.ask("0xA0A00000", "r5");
    REQUIRE(hole.readings.size() == 1);
    CHECK(test::contains(hole.readings[0].where, "between HEAP and RINGS"));
    CHECK(tree.ask("0x100000000", "r5").readings[0].is_mapped == false);
  }

  TEST_CASE("why: entries, macros and names that nobody has") {
    const Tree tree;
    CHECK(only(tree.ask("QUIET")).kind == "MPU region");
    const auto near = answer(tree.view(), {"RINSG", ""});
    REQUIRE_FALSE(near.has_value());
    CHECK(near.error().front().code == Code::kSdkName);
    CHECK(test::contains(near.error().front().hint, "'RINGS'"));
    const auto core = answer(tree.view(), {"RINGS", "c7x"});
    REQUIRE_FALSE(core.has_value());
    CHECK(core.error().front().code == Code::kUsage);
  }
}

}  // namespace memsize::sdk::why_test
