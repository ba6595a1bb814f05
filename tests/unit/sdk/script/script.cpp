#include "script/script.hpp"

#include "sdk/script_support.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::sdk::script_test {

TEST_SUITE("sdk") {
  TEST_CASE("integers are written as Python writes them") {
    CHECK(value("0x00FF") == "255");
    CHECK(value("0XAb_cD") == "43981");
    CHECK(value("0o17") == "15");
    CHECK(value("0B1_01") == "5");
    CHECK(value("1_000_000") == "1000000");
    CHECK(value("000") == "0");
    CHECK(value("0x_1") == "1");
    CHECK(value("1267650600228229401496703205375") == "1267650600228229401496703205375");
  }

  TEST_CASE("operators bind as in Python") {
    CHECK(value("2 + 3 * 4") == "14");
    CHECK(value("20 - 3 - 2") == "15");
    CHECK(value("1 << 2 + 3") == "32");
    CHECK(value("6 & 3 == 2") == "True");
    CHECK(value("1 | 2 ^ 3 & 1") == "3");
    CHECK(value("2 ** 3 ** 2") == "512");
    CHECK(value("-2 ** 2") == "-4");
    CHECK(value("(-2) ** 2") == "4");
    CHECK(value("2 ** -1 ** 2") == "-");
    CHECK(value("~5 + 1") == "-5");
    CHECK(value("not 1 == 2") == "True");
    CHECK(value("- - 3") == "3");
  }

  TEST_CASE("division and remainder go towards minus infinity") {
    CHECK(value("7 // 2") == "3");
    CHECK(value("-7 // 2") == "-4");
    CHECK(value("7 // -2") == "-4");
    CHECK(value("-7 // -2") == "3");
    CHECK(value("-7 % 3") == "2");
    CHECK(value("7 % -3") == "-2");
    CHECK(value("-1 >> 200") == "-1");
    CHECK(value("-5 >> 1") == "-3");
    CHECK(value("-4 & 0xFF") == "252");
  }

  TEST_CASE("a quotient is exact until it is rounded") {
    CHECK(value("int(math.ceil(7 / 2)) * 2") == "8");
    CHECK(value("math.ceil(-7 / 2)") == "-3");
    CHECK(value("math.floor(-7 / 2)") == "-4");
    CHECK(value("int(-7 / 2)") == "-3");
    CHECK(value("math.ceil(9007199254740991 / 9007199254740990)") == "2");
    CHECK(value("7 / 2 > 3") == "True");
    CHECK(value("4 >= 7 / -2") == "True");
    CHECK(value("6 / 2 == 3") == "True");
    // A float is no value that a map can have.
    CHECK(value("7 / 2") == "-");
    CHECK(value("1.5e3") == "-");
  }

  TEST_CASE("comparisons chain, and 'and' and 'or' give the operand that decides") {
    CHECK(value("1 < 2 < 3") == "True");
    CHECK(value("1 < 3 < 2") == "False");
    CHECK(value("3 > 2 == 2") == "True");
    CHECK(value("0 or 5") == "5");
    CHECK(value("7 and 5") == "5");
    CHECK(value("0 and 1 // 0") == "0");
    CHECK(value("'' or 'a'") == "'a'");
    CHECK(value("1 > 2 > 1 // 0") == "False");
    CHECK(value("3 if 0 else 4") == "4");
    CHECK(value("None is None") == "True");
    CHECK(value("1 == 'a'") == "False");
    CHECK(value("'b' > 'a'") == "True");
    CHECK(value("True + True") == "2");
    CHECK(value("True & True") == "True");
    CHECK(value("max(3, 9, 4) - min(2, 5)") == "7");
    CHECK(value("abs(-3)") == "3");
    CHECK(value("hex(255) + str(-1)") == "'0xff-1'");
  }

  TEST_CASE("texts") {
    CHECK(value("'a' \"b\" '''c'''") == "'abc'");
    CHECK(value(R"('\x41\102\u00e9\n' r'\n')") == "'AB\xC3\xA9\n\\n'");
    CHECK(value(R"('\q\'')") == "'\\q''");
    CHECK(value("'a\\\nb'") == "'ab'");
    CHECK(value("\"\"\"a\r\nb\"\"\"") == "'a\nb'");
    CHECK(value("f'plain'") == "'plain'");
    CHECK(value("f'{x}'") == "-");
    CHECK(value("'%d' % 5") == "-");
  }

  TEST_CASE("lines are joined, separated and indented") {
    CHECK(value_of(script_of("x = (1 +\n  2 # two\n\n  + 3)\n")) == "6");
    CHECK(value_of(script_of("x = 1 + \\\n  2")) == "3");
    CHECK(value_of(script_of("a = 1; x = a + 1;")) == "2");
    CHECK(value_of(script_of("a = x = 4")) == "4");
    CHECK(value_of(script_of("if True: x = 1; x += 2\nelse: x = 9")) == "3");
    CHECK(value_of(script_of("if 0:\n  x = 1\nelif 1:\n\tif 1:\n\t\tx = 2\nelse:\n  x = 3\n")) ==
          "2");
    CHECK(value_of(script_of("x = 1\r\nif x:\r\n  x = 2\r\n")) == "2");
    CHECK(value_of(script_of("\xEF\xBB\xBFx = 7")) == "7");
    CHECK(value_of(script_of("x = 1\n  # only a comment\nx = 2")) == "2");
    CHECK(script_of("").variables.empty());
  }

  TEST_CASE("functions have their own names, defaults and keywords") {
    CHECK(value_of(script_of("def f(a, b=2):\n  c = a * b\n  return c\nx = f(3) + f(b=1, a=5)")) ==
          "11");
    CHECK(value_of(script_of("n = 1\ndef f():\n  return n\nn = 5\nx = f()")) == "5");
    CHECK(value_of(script_of("n = 1\ndef f(a=n):\n  return a\nn = 5\nx = f()")) == "1");
    CHECK(value_of(script_of("def f(n):\n  if n < 2: return 1\n  return n * f(n - 1)\nx = f(5)")) ==
          "120");
    CHECK(value_of(script_of("def f():\n  'nothing'\nx = f() is None")) == "True");
    const Script script = script_of("def f():\n  inner = 1\nf()\n");
    CHECK(script.variables.empty());
  }

  TEST_CASE("every assignment of a variable is kept, with what it reads") {
    const Script script = script_of(
        "KB = 1024\ndef up(v):\n  return v + KB\nx = 2*KB - 1 ;  # a comment\n"
        "x = up( x )\ny = x if KB else z\nx += (KB)\n");
    const ScriptVariable* x = find_variable(script, "x");
    REQUIRE(x != nullptr);
    REQUIRE(x->assignments.size() == 3);
    CHECK(x->assigned_again());
    CHECK(x->assignments[0].expression.text == "2*KB - 1");
    CHECK(x->assignments[0].expression.uses == std::vector<std::string>{"KB"});
    CHECK(x->assignments[1].expression.text == "up( x )");
    CHECK(x->assignments[1].expression.uses == std::vector<std::string>{"x", "KB"});
    CHECK(x->assignments[2].augmented);
    CHECK(x->assignments[2].expression.text == "(KB)");
    CHECK(x->assignments[2].expression.uses == std::vector<std::string>{"KB"});
    CHECK(value_of(script) == "4095");
    CHECK(find_variable(script, "y")->assignments[0].expression.uses ==
          std::vector<std::string>{"KB", "x"});
    CHECK(script.variables[0].name == "KB");
    CHECK(script.variables[1].name == "x");
  }

  TEST_CASE("replacing an expression's bytes gives the script with another value") {
    const std::string text =
        "\xEF\xBB\xBFKB = 1024\r\nname = 'caf\xC3\xA9'; size = ( 3 *\r\n\tKB ) ; other = 1 # KB\r\n"
        "end = size + KB";
    const Script script = script_of(text);
    const ScriptPiece place = find_variable(script, "size")->assignments[0].expression.place;
    CHECK(text.substr(place.offset, place.length) == "( 3 *\r\n\tKB )");
    CHECK(place.line == 2);
    CHECK(place.column == 24);
    std::string edited = text;
    edited.replace(place.offset, place.length, "0x10");
    CHECK(value_of(script_of(edited), "end") == "1040");
    const ScriptPiece name = find_variable(script, "size")->assignments[0].name_place;
    CHECK(text.substr(name.offset, name.length) == "size");
    const ScriptPiece first = find_variable(script, "KB")->assignments[0].expression.place;
    CHECK(first.line == 1);
    CHECK(first.column == 6);
    CHECK(first.offset == 8);
  }

  TEST_CASE("a section keeps its call, its arguments and what setters say") {
    const std::string text = std::string{kImport} +
                             "KB = 1024\nbase = 0x1000\n"
                             "s = t = MemSection('S', 'RW', base, (4*KB))\n"
                             "s.setDtsName('label', 'node'); s.setCompatibility('c')\n"
                             "s.setNoMap(False); s.setOriginTag(0); s.splitOrigin(1)\n"
                             "s.setAlignment(True); s.setPrintCompatibility(False)\n";
    const Script script = script_of(text);
    REQUIRE(script.sections.size() == 1);
    const ScriptSection& s = *script.sections[0];
    CHECK(s.variable == "s");
    CHECK(s.name == "S");
    CHECK(s.comment == "S");
    CHECK(s.attributes == "RW");
    CHECK(s.origin == 0x1000);
    CHECK(s.length == 4096);
    CHECK(s.dts_label == "label");
    CHECK(s.dts_node == "node");
    CHECK(s.compatibility == "c");
    CHECK_FALSE(s.no_map);
    CHECK_FALSE(s.origin_tag);
    CHECK(s.split_origin);
    CHECK(s.alignment);
    CHECK_FALSE(s.print_compatibility);
    CHECK(s.origin_argument.uses == std::vector<std::string>{"base"});
    CHECK(s.length_argument.text == "(4*KB)");
    CHECK(text.substr(s.place.offset, s.place.length) == "MemSection('S', 'RW', base, (4*KB))");
    CHECK(text.substr(s.name_place.offset, s.name_place.length) == "'S'");
    CHECK(s.place.line == 4);
  }

  TEST_CASE("concat makes a hull, and an empty section becomes the other") {
    const Script script = script_of(std::string{kImport} +
                                    "a = MemSection('A', '', 0x1000, 0x100)\n"
                                    "b = MemSection('B', '', 0x4000, 0x100)\n"
                                    "t = MemSection('T', '', 0, 0)\nt.concat(b); t.concat(a)\n"
                                    "t.concat(MemSection('C', '', 0x2000, 1))\n"
                                    "x = t.origin; y = t.length\n");
    CHECK(value_of(script) == "4096");
    CHECK(value_of(script, "y") == "12544");
    CHECK(script.sections[2]->concat == std::vector<std::string>{"b", "a", "C"});
  }

  TEST_CASE("a map is a dictionary, and an export keeps what it was") {
    const Script script =
        script_of(std::string{kImport} +
                  "a = MemSection('A', '', 0, 1); b = MemSection('B', '', 2, 1)\n"
                  "m = MemoryMap('map')\n"
                  "m.addMemSection(a); m.addMemSection(b)\n"
                  "m.addMemSection(MemSection('A', 'R', 8, 1))\n"
                  "LinkerCmdFile(m).export()\n"
                  "b.setNoMap(False); m.addMemSection(MemSection('C', '', 9, 1))\n"
                  "CHeaderFile(m, 1, 1 << 63, './h.h').export()\n");
    REQUIRE(script.maps.size() == 1);
    CHECK(script.maps[0].variable == "m");
    CHECK(script.maps[0].entries.size() == 3);
    CHECK_FALSE(script.maps[0].overlap_checked);
    REQUIRE(script.exports.size() == 2);
    const ScriptExport& first = script.exports[0];
    CHECK(first.kind == "LinkerCmdFile");
    CHECK(first.map_variable == "m");
    CHECK(first.map_title == "map");
    CHECK(first.path == "linker_mem_map.cmd");
    CHECK(first.path_place.length == 0);
    CHECK_FALSE(first.conditional);
    REQUIRE(first.entries.size() == 2);
    CHECK(first.entries[0].section->attributes == "R");
    CHECK(first.entries[0].place.line == 5);
    CHECK(first.entries[1].section->no_map);
    const ScriptExport& second = script.exports[1];
    CHECK(second.path == "./h.h");
    CHECK(second.path_place.length == 7);
    CHECK(second.physical_base == 1);
    CHECK(second.virtual_base == std::uint64_t{1} << 63);
    REQUIRE(second.entries.size() == 3);
    CHECK_FALSE(second.entries[1].section->no_map);
    CHECK(second.entries[1].section == script.sections[1]);
  }

  TEST_CASE("the C header's class of SDK 8.2 and before takes no bases") {
    const std::string begin =
        std::string{kImport} + "m = MemoryMap('map')\nm.addMemSection(MemSection('A', '', 0, 1))\n";
    for (const char* call : {"CHeaderFile(m, './old.h')", "CHeaderFile(m, name='./old.h')"}) {
      CAPTURE(call);
      const Script script = script_of(begin + call + ".export()\n");
      REQUIRE(script.exports.size() == 1);
      CHECK(script.exports[0].kind == "CHeaderFile");
      CHECK(script.exports[0].path == "./old.h");
      CHECK_FALSE(script.exports[0].physical_base.has_value());
      CHECK_FALSE(script.exports[0].virtual_base.has_value());
    }
    // A base without the other one is no older call.
    const auto half = evaluate_script("gen.py", begin + "CHeaderFile(m, 0x880000000).export()\n");
    REQUIRE_FALSE(half.has_value());
    CHECK(half.error().front().message ==
          "'CHeaderFile' is called without its argument 'virt_addr_base'");
  }

  TEST_CASE("overlaps are warnings, but not where the second begins at 4 GiB or above") {
    const std::string text = std::string{kImport} +
                             "a = MemSection('A', '', 0x1000, 0x100)\n"
                             "b = MemSection('B', '', 0x1080, 0x100)\n"
                             "c = MemSection('C', '', 0x100000000, 9)\n"
                             "d = MemSection('D', '', 0x100000000, 9)\n"
                             "m = MemoryMap('m')\nm.addMemSection(d); m.addMemSection(c)\n"
                             "m.addMemSection(b); m.addMemSection(a)\nx = m.checkOverlap()\n";
    const Script script = script_of(text);
    CHECK(value_of(script) == "True");
    CHECK(script.maps[0].overlap_checked);
    REQUIRE(script.warnings.size() == 2);
    const core::Diagnostic& warning = script.warnings[0];
    CHECK(warning.severity == core::Severity::kWarning);
    CHECK(brief(warning) == "2:5+34 'A' and 'B' overlap in the script's map 'm'");
    CHECK(warning.details[1] == "B [0x1080, 0x1180)");
    REQUIRE(warning.related.size() == 1);
    CHECK(warning.related[0].place.line == 3);
    CHECK(script_of(text, {{{"B", "A"}}}).warnings.empty());
  }

  TEST_CASE("a condition on the environment is not decided") {
    const std::string text = std::string{kImport} +
                             "import os, sys\nfrom gen_beside import Beside\nm = MemoryMap('m')\n"
                             "DtsFile(m, 'a').export()\n"
                             "if os.path.isdir(os.path.join(os.path.dirname(__file__), '..')):\n"
                             "  Beside(m).export()\n"
                             "def f():\n  P = os.environ.get('P')\n  if not P:\n    sys.exit(1)\n"
                             "  else:\n    DtsFile(m, 'c').export()\n"
                             "if __name__ == '__main__': f()\nDtsFile(m, 'd').export()\n"
                             "x = 1 if os.environ['Y'] else 2\ny = 3\n";
    const Script script = script_of(text);
    REQUIRE(script.exports.size() == 4);
    CHECK_FALSE(script.exports[0].conditional);
    CHECK(script.exports[1].kind == "Beside");
    CHECK(script.exports[1].path.empty());
    CHECK(script.exports[1].conditional);
    CHECK(script.exports[2].conditional);
    CHECK(script.exports[3].conditional);
    // What depends on the environment has no value.
    CHECK(value_of(script) == "-");
    CHECK(value_of(script, "y") == "3");
  }

  TEST_CASE("what an undecided branch leaves behind is not decided either") {
    const std::string start = "import os\nE = os.getenv('E')\n";
    CHECK(value_of(script_of(start + "x = 1\nif E:\n  x = 2\n")) == "-");
    CHECK(value_of(script_of(start + "def f():\n  if E: return 1\n  return 2\nx = f()")) == "-");
    CHECK(value_of(script_of(start + "def f():\n  if E: return\nx = f() is None")) == "True");
    CHECK(value_of(script_of(start + "x = 0 and E")) == "0");
    CHECK(value_of(script_of(start + "x = E == 'a'")) == "-");
    CHECK(value_of(script_of(start +
                             "def f():\n  y = 4\n  return y\nx = 3\nif E:\n  print(f())")) == "3");
    CHECK(value_of(script_of(start + "assert E\nx = 3")) == "3");
  }

  TEST_CASE("what is only printed is not followed") {
    const Script script = script_of(
        "a = 3\nprint('%5.2f of %s' % (a / 1024.0, 'b'), f'{a}', [a], sep='')\n"
        "print('{}'.format(a).upper())\n");
    CHECK(value_of(script, "a") == "3");
  }

  TEST_CASE("the script may leave early, when all is well") {
    const Script script = script_of("import sys\nx = 1\nsys.exit()\nx = unknown\n");
    CHECK(value_of(script) == "1");
    CHECK(value_of(script_of("x = 2\nexit(0)\nx = 3")) == "2");
  }
}

}  // namespace memsize::sdk::script_test
