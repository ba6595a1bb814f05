#include "memsize/sdk/import.hpp"

#include "memsize/board/load.hpp"
#include "memsize/layout/memory_map.hpp"
#include "memsize/sdk/view.hpp"

#include "import/forms.hpp"
#include "mpu_programs.hpp"
#include "script/linear.hpp"
#include "support.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::sdk::import_test {

namespace {

constexpr Integer kKib = 1024;
constexpr Integer kMib = kKib * kKib;

Script script_of(const std::string& text) {
  auto script = evaluate_script("gen.py", text);
  REQUIRE(script.has_value());
  return std::move(*script);
}

std::string form_text(const ScriptForms& forms, const Script& script, std::size_t section) {
  return text_of(forms.of(*script.sections.at(section)).origin);
}

constexpr const char* kSmall =
    "from ti_psdk_rtos_tools import *\n"
    "MB = 1024 * 1024\n"
    "base = 0xA0000000\n"
    "a_size = 2*MB\n"
    "b_addr = base + a_size + 1*MB\n"
    "b_size = 8*MB - (b_addr - base)\n"
    "a = MemSection('A', 'RWIX', base, a_size, 'first')\n"
    "b = MemSection('B', 'RWIX', b_addr, b_size, 'second')\n"
    "m = MemoryMap('m')\n"
    "m.addMemSection(a)\n"
    "m.addMemSection(b)\n"
    "LinkerCmdFile(m, './r5/linker_mem_map.cmd').export()\n"
    "CHeaderFile(m, 0, 0, './app_mem_map.h').export()\n";

Import imported(core::MemFileSystem& files, Sources& sources) {
  files.content["sdk/platform/zx9/rtos/gen_linker_mem_map.py"] = kSmall;
  auto read = read_sources(files, {"zx9", "sdk/platform/zx9/rtos"}, test::mpu_programs());
  REQUIRE(read.has_value());
  sources = std::move(*read);
  REQUIRE(sources.variants.size() == 1);
  const Variant& variant = sources.variants.front();
  auto import = import_board(sources, variant, *read_variant(sources, variant, 0), {});
  REQUIRE(import.has_value());
  return std::move(*import);
}

core::Result<board::Board> loaded(core::MemFileSystem& files, const std::string& text) {
  files.content["zx9.toml"] = text;
  return board::load_board(files, "boards", "zx9.toml");
}

}  // namespace

TEST_CASE("a size is written as people would") {
  CHECK(size_text(0) == "0");
  CHECK(size_text(64) == "64");
  CHECK(size_text(kKib) == "1KiB");
  CHECK(size_text(960 * kKib) == "960KiB");
  CHECK(size_text(kMib - kKib) == "1MiB - 1KiB");
  CHECK(size_text(kMib) == "1MiB");
  CHECK(size_text(58 * kMib - 16 * kKib) == "58MiB - 16KiB");
  CHECK(size_text(28 * kMib + 384 * kKib) == "28MiB + 384KiB");
  CHECK(size_text(1536 * kMib) == "1536MiB");
  CHECK(size_text(1024 * kMib) == "1GiB");
  CHECK(size_text(32 * kKib - 64) == "32KiB - 64");
  CHECK(size_text(3288576) == "3288576");
}

TEST_CASE("what is written for a size means that size") {
  core::MemFileSystem files;
  for (Integer size = 1; size < 5000 * kMib; size = size * 3 + 7 * kKib) {
    const std::string text = size_text(size);
    CAPTURE(text);
    const auto value = board::evaluate({text, {}}, {});
    REQUIRE(value.has_value());
    CHECK(static_cast<Integer>(*value) == size);
  }
}

TEST_CASE("sums of variables") {
  const Forms forms = {{"a", name_of("a")}, {"b", name_of("b")}, {"MB", constant_of(kMib)}};
  const auto text = [&](const char* expression) {
    const auto form = parse_linear(expression, forms);
    return form ? text_of(*form) : std::string{"-"};
  };
  CHECK(text("a + b") == "a + b");
  CHECK(text("16*MB - (a - b)") == "b + 16MiB - a");
  CHECK(text("a - a + 0x400") == "1KiB");
  CHECK(text("3 * a - MB") == "3 * a - 1MiB");
  CHECK(text("(1 << 20) + MB") == "2MiB");
  CHECK(text("7 // 2 * MB") == "3MiB");
  CHECK(text("a - (MB - 1024)") == "a - (1MiB - 1KiB)");
  // No sums: a product of two variables, a call, something unknown, half an expression.
  CHECK(text("a * b") == "-");
  CHECK(text("max(a, b)") == "-");
  CHECK(text("c + 1") == "-");
  CHECK(text("a +") == "-");
  CHECK(text("a // 2") == "-");
}

TEST_CASE("an address is what the script makes it from") {
  const Script script = script_of(kSmall);
  const ScriptForms forms{script, {}};
  CHECK(form_text(forms, script, 0) == "base");
  CHECK(form_text(forms, script, 1) == "a_size + base + 1MiB");
  REQUIRE(forms.find("b_size") != nullptr);
  CHECK(text_of(forms.find("b_size")->definition) == "7MiB - a_size");
  CHECK(forms.unclear().empty());
}

TEST_CASE("a variable that changes is no symbol") {
  const Script script = script_of(
      "from ti_psdk_rtos_tools import *\n"
      "size = 0x1000\n"
      "a = MemSection('A', 'RWIX', 0xA0000000, size, '')\n"
      "size = 0x2000\n"
      "b = MemSection('B', 'RWIX', 0xA0001000, size, '')\n");
  const ScriptForms forms{script, {"size"}};
  CHECK(forms.find("size") == nullptr);
  CHECK(text_of(forms.of(*script.sections.at(0)).length) == "4KiB");
  CHECK(text_of(forms.of(*script.sections.at(1)).length) == "8KiB");
}

TEST_CASE("what is rounded up keeps its distance, and says so") {
  const Script script = script_of(
      "from ti_psdk_rtos_tools import *\n"
      "def up(x, y):\n"
      "  return -(-x // y) * y\n"
      "base = 0xA0000000\n"
      "size = 0x1000\n"
      "next = up(base + size, 0x10000)\n"
      "a = MemSection('A', 'RWIX', base, size, '')\n"
      "b = MemSection('B', 'RWIX', next, size, '')\n");
  const ScriptForms forms{script, {}};
  CHECK(form_text(forms, script, 1) == "base + size + 60KiB");
  REQUIRE(forms.unclear().size() == 1);
  CHECK(forms.unclear().front().made_of.terms.contains("size"));
}

TEST_CASE("an imported board moves as its script") {
  core::MemFileSystem files;
  Sources sources;
  const Import import = imported(files, sources);
  CHECK(import.warnings.empty());
  const auto board = loaded(files, import.text);
  REQUIRE(board.has_value());
  const auto map = layout::resolve(*board, {});
  REQUIRE(map.has_value());
  CHECK(compare_import(sources.variants.front(), *map).empty());
  // As Python has it with a_size = 4*MB: b_addr is 0xA0500000, b_size 3 MB.
  const auto moved = layout::resolve(*board, {{"a_size", 4ULL << 20}});
  REQUIRE(moved.has_value());
  const layout::Region* second = moved->find_owned("B");
  REQUIRE(second != nullptr);
  CHECK(second->physical_base->value() == 0xA0500000);
  CHECK(second->size.count() == 3ULL << 20);
}

// A RAT leads to multiples of its own size only, so what it leads to must not follow sizes.
TEST_CASE("an address that a RAT leads to stands still") {
  core::MemFileSystem files;
  const std::string folder = "sdk/platform/zx9/rtos/";
  files.content[folder + "gen_linker_mem_map.py"] =
      "from ti_psdk_rtos_tools import *\n"
      "MB = 1024 * 1024\n"
      "heap_addr = 0x880000000\n"
      "heap_size = 512*MB\n"
      "box_addr = heap_addr + heap_size\n"
      "h = MemSection('HEAP', 'RWIX', 0x100000000, heap_size, 'heap')\n"
      "h_phys = MemSection('HEAP_PHYS', 'RWIX', heap_addr, heap_size, 'heap')\n"
      "b = MemSection('BOX', 'RWIX', 0xC0000000, 0x20000000, 'box')\n"
      "b_phys = MemSection('BOX_PHYS', 'RWIX', box_addr, 0x20000000, 'box')\n"
      "d = MemoryMap('d')\n"
      "d.addMemSection(h)\n"
      "LinkerCmdFile(d, './d1/linker_mem_map.cmd').export()\n"
      "m = MemoryMap('m')\n"
      "m.addMemSection(b)\n"
      "LinkerCmdFile(m, './r5/linker_mem_map.cmd').export()\n"
      "c = MemoryMap('c')\n"
      "c.addMemSection(h)\nc.addMemSection(h_phys)\nc.addMemSection(b)\nc.addMemSection(b_phys)\n"
      "CHeaderFile(c, 0x880000000, 0x100000000, './app_mem_map.h').export()\n";
  const std::string rat =
      "const addr_translate = scripting.addModule(\"/kernel/dpl/addr_translate\", {}, false);\n"
      "const addr_translate1 = addr_translate.addInstance();\n"
      "const mpu_armv7 = scripting.addModule(\"/kernel/dpl/mpu_armv7\", {}, false);\n"
      "const mpu_armv71 = mpu_armv7.addInstance();\n"
      "mpu_armv71.$name = \"DRAM\";\n"
      "mpu_armv71.baseAddr = 0x80000000;\n"
      "mpu_armv71.size = 31;\n"
      "addr_translate1.$name = \"BOX\";\n"
      "addr_translate1.localAddr = 0xC0000000;\n"
      "addr_translate1.systemAddr = 0x8A0000000;\n"
      "addr_translate1.size = 29;\n";
  files.content[folder + "r5/example.syscfg"] = rat;
  auto sources = read_sources(files, {"zx9", "sdk/platform/zx9/rtos"}, test::mpu_programs());
  REQUIRE(sources.has_value());
  const Variant& variant = sources->variants.front();
  const auto import = import_board(*sources, variant, *read_variant(*sources, variant, 0), {});
  REQUIRE(import.has_value());
  CHECK(import->text.find("box_addr = { default = \"0x8A0000000\", kind = \"address\" }") !=
        std::string::npos);
  const auto board = loaded(files, import->text);
  REQUIRE_MESSAGE(board.has_value(), (board ? "" : board.error().front().message));
  const auto smaller = layout::resolve(*board, {{"heap_size", 448ULL << 20U}});
  REQUIRE(smaller.has_value());
  CHECK(smaller->find_owned("BOX")->physical_base->value() == 0x8A0000000);
  // What grows does not run into it.
  CHECK_FALSE(layout::resolve(*board, {{"heap_size", 576ULL << 20U}}).has_value());
}

TEST_CASE("what the tree has is a legal size") {
  core::MemFileSystem files;
  files.content["known.toml"] =
      "schema = 1\ntitle = \"known\"\nsoc = \"zx9\"\nhard_granule = \"4KiB\"\n"
      "[files]\nlinker = \"linker_mem_map.cmd\"\nheader = \"app_mem_map.h\"\ndts = \"zx9.dtsi\"\n"
      "[core.r5]\n[bank.low]\nbase = \"0x80000000\"\nsize = \"2GiB\"\n"
      "[knob]\na_size = { default = \"2MiB\" }\nb_size = { default = \"8MiB\" }\n"
      "[chain.all]\nphysical = \"0xA0000000\"\nregions = [\n"
      "{ name = \"A\", size = \"a_size\", cores = [\"r5\"] },\n"
      "{ name = \"B\", size = \"b_size\", cores = [\"r5\"] },\n]\n";
  auto known = board::load_board(files, "boards", "known.toml");
  REQUIRE_MESSAGE(known.has_value(), (known ? "" : known.error().front().message));
  ImportModel model;
  model.board = std::move(*known);
  std::string script = kSmall;
  script.replace(script.find("a_size = 2*MB"), 13, "a_size = 2*MB - 1024");
  files.content["sdk/platform/zx9/rtos/gen_linker_mem_map.py"] = script;
  auto sources = read_sources(files, {"zx9", "sdk/platform/zx9/rtos"}, test::mpu_programs());
  REQUIRE(sources.has_value());
  const Variant& variant = sources->variants.front();
  const auto import = import_board(*sources, variant, *read_variant(*sources, variant, 0), model);
  REQUIRE(import.has_value());
  const auto board = loaded(files, import->text);
  REQUIRE(board.has_value());
  const auto map = layout::resolve(*board, {});
  REQUIRE_MESSAGE(map.has_value(), (map ? "" : map.error().front().message));
  CHECK(map->find_owned("A")->size.count() == (2ULL << 20U) - 1024);
}

TEST_CASE("a map that is not the script's is told") {
  core::MemFileSystem files;
  Sources sources;
  std::string text = imported(files, sources).text;
  const std::string right = "a_size = { default = \"2MiB\" }";
  REQUIRE(text.find(right) != std::string::npos);
  text.replace(text.find(right), right.size(), "a_size = { default = \"3MiB\" }");
  const auto board = loaded(files, text);
  REQUIRE(board.has_value());
  const auto map = layout::resolve(*board, {});
  REQUIRE(map.has_value());
  const core::Diagnostics found = compare_import(sources.variants.front(), *map);
  // Both regions, for the linker and for the C header.
  REQUIRE(found.size() == 4);
  CHECK(found.front().code == core::Code::kSdkImport);
  CHECK(found.front().message.find("'A' of r5") != std::string::npos);
  CHECK(found.front().related.size() == 1);
}

}  // namespace memsize::sdk::import_test
