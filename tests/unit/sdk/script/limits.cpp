#include "script/limits.hpp"

#include "sdk/script_support.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::sdk::script_errors_test {

namespace {

std::string error_of(const std::string& text) {
  return brief(refused(text));
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    all += text;
  }
  return all;
}

}  // namespace

TEST_SUITE("sdk") {
  TEST_CASE("a name that is not defined is Python's NameError") {
    const core::Diagnostic problem = refused("heap_size = 1\nx = 2 + heap_siz\n");
    CHECK(problem.code == core::Code::kSdkName);
    CHECK(brief(problem) == "2:9+8 name 'heap_siz' is not defined");
    CHECK(test::contains(problem.hint, "heap_size"));
    CHECK(problem.place.text == core::SharedText{"x = 2 + heap_siz"});
    CHECK(error_of("x = later\nlater = 1") == "1:5+5 name 'later' is not defined");
    const core::Diagnostic local = refused("def f(a):\n  if a: b = 1\n  return b\nx = f(0)");
    CHECK(local.code == core::Code::kSdkName);
    CHECK(brief(local) ==
          "3:10+1 cannot access local variable 'b' where it is not associated with a value");
    REQUIRE(local.related.size() == 1);
    CHECK(local.related[0].message == "'f' is called here");
    CHECK(local.related[0].place.line == 4);
  }

  TEST_CASE("what is not understood is shown at its place") {
    CHECK(error_of("x = 1\nfor i in x:\n  pass") == "2:1+3 a 'for' statement is not understood");
    CHECK(error_of("class A: pass") == "1:1+5 a 'class' statement is not understood");
    CHECK(error_of("x = lambda: 1") == "1:5+6 'lambda' is not understood here");
    CHECK(error_of("x = {1: 2}") == "1:5+1 '{' is not expected here");
    CHECK(error_of("x = [i for i in y]") == "1:8+3 'for' is not understood here, ',' is missing");
    CHECK(error_of("x = 1, 2") == "1:6+1 a tuple is not understood here");
    CHECK(error_of("a, b = 1, 2") == "1:2+1 a tuple is not understood here");
    CHECK(error_of("x: int = 1") == "1:2+1 an annotation is not understood");
    CHECK(error_of("x = 1\nx.y = 2") == "2:1+3 assigning to a member is not understood");
    CHECK(error_of("1 = 2") == "1:1+1 only a name can be assigned to");
    CHECK(error_of("import numpy") == "1:8+5 module 'numpy' is not understood");
    CHECK(error_of("from os import remove") == "1:16+6 'remove' of module 'os' is not understood");
    CHECK(error_of("from other import *") == "1:6+5 what module 'other' defines is not known");
    CHECK(error_of("def f():\n  def g(): pass") ==
          "2:3+3 a function inside of a function is not understood");
    CHECK(error_of("return 1") == "1:1+6 'return' outside of a function");
    CHECK(error_of("x = b'a'") == "1:5+4 bytes are not understood");
    CHECK(error_of("x = '\\N{DASH}'") == "1:6+2 a character by its name is not understood");
    CHECK(error_of("f(*a)") == "1:3+1 '*' is not expected here");
    CHECK(error_of("x = (y := 1)") == "1:8+2 ':=' is not expected here, ',' is missing");
    CHECK(error_of("print 'a'") == "1:7+3 ''a'' is not expected here");
    CHECK(error_of("x = 3 $ 4") == "1:7+1 '$' is not expected here");
    CHECK(error_of("caf\xC3\xA9 = 1") == "1:4+1 '\\xC3' is not expected here");
    CHECK(error_of("x = 5\nx()") == "2:1+1 a 'int' cannot be called");
    CHECK(error_of("x = 'a' in 'ab'") ==
          "1:5+11 'in' between a 'str' and a 'str' is not understood");
    CHECK(refused("x = 1 $").hint ==
          "correct the script; memsize emit --board BOARD --out DIR does without it");
  }

  TEST_CASE("what Python refuses is refused") {
    CHECK(error_of("x = 1 // 0") == "1:5+6 a division by zero");
    CHECK(error_of("x = 1 % (2 - 2)") == "1:5+11 a division by zero");
    CHECK(error_of("x = 1 / 0") == "1:5+5 a division by zero");
    CHECK(error_of("x = 1 << -1") == "1:5+7 a negative shift count");
    CHECK(error_of("x = 'a' * 2") == "1:5+7 '*' between a 'str' and a 'int'");
    CHECK(error_of("x = 1 + 'a'") == "1:5+7 '+' between a 'int' and a 'str'");
    CHECK(error_of("x = None < 1") == "1:5+8 '<' between a 'NoneType' and a 'int'");
    CHECK(error_of("x = -'a'") == "1:5+4 '-' before a 'str'");
    CHECK(error_of("x = 1 / 2 << 1") == "1:5+10 '<<' between a 'float' and a 'int'");
    CHECK(error_of("x = 012") == "1:5+3 a decimal number that begins with 0");
    CHECK(error_of("x = 1MB") == "1:5+3 '1MB' is not a number");
    CHECK(error_of("x = 1__0") == "1:5+4 '1__0' is not a number");
    CHECK(error_of("x = 0x") == "1:5+2 '0x' is not a number");
    CHECK(error_of("x = 2 *\ny = 1") == "1:8+0 the line ends here, a value is missing");
    CHECK(error_of("x = 2 3") == "1:7+1 '3' is not expected here");
    CHECK(error_of("x = '\\x4'") == "1:6+3 an escape with fewer than 2 digits");
    CHECK(error_of("x = '\\ud800'") == "1:6+6 an escape that is not a character");
    CHECK(error_of("def f(a): return a\nx = f()") ==
          "2:5+3 'f' is called without its argument 'a'");
    CHECK(error_of("def f(a): return a\nx = f(1, 2)") == "2:10+1 'f' takes at most 1 argument");
    CHECK(error_of("def f(a): return a\nx = f(b=2)") ==
          "2:9+1 'f' does not take this argument, or has it twice");
    CHECK(error_of("def f(a, a): pass") == "1:10+1 a parameter of this name is there already");
    CHECK(error_of("def f(a=1, b): pass") ==
          "1:12+1 a parameter without a default behind one with a default");
    CHECK(error_of("x = True = 2") == "1:5+4 only a name can be assigned to");
    CHECK(error_of("if = 2") == "1:4+1 '=' is not expected here");
    CHECK(error_of("x = 4 if 5") == "1:11+0 the line ends here, 'else' is missing");
  }

  TEST_CASE("brackets and texts that are never closed are shown where they open") {
    CHECK(error_of("a = 1\nx = (1 +\ny = 2\nz = [3]\n") == "2:5+1 this '(' is never closed");
    CHECK(error_of("s = f(1, (2\n") == "1:10+1 this '(' is never closed");
    CHECK(error_of("x = )") == "1:5+1 a ')' that closes nothing");
    CHECK(error_of("x = (1\n]") == "2:1+1 a ']' closes the '(' of line 1");
    CHECK(error_of("x = 'abc\ny = 2") == "1:5+1 the text that begins here is never closed");
    CHECK(error_of("x = '''abc\n\n") == "1:5+3 the text that begins here is never closed");
    CHECK(error_of("x = 'abc \\") == "1:5+1 the text that begins here is never closed");
    CHECK(error_of("x = 1 + \\") == "1:9+1 the script ends behind a backslash");
    CHECK(error_of("x = 1 \\ + 2") == "1:7+1 only the end of the line may follow a backslash");
  }

  TEST_CASE("indentation") {
    CHECK(error_of("  x = 1") == "1:1+2 the line is indented");
    CHECK(error_of("x = 1\n  y = 2") == "2:1+2 the line is indented");
    CHECK(error_of("if 1:\nx = 2") == "2:1+1 an indented block is missing behind 'if'");
    CHECK(error_of("if 1:\n    x = 1\n  y = 2") ==
          "3:1+2 the indentation matches none of the lines above");
    CHECK(error_of("if 1:\n\tx = 1\n        y = 2") ==
          "3:1+8 tabs and spaces are mixed in the indentation");
    CHECK(error_of("if 1:\n  if 1:\n\tx = 1") ==
          "3:1+1 tabs and spaces are mixed in the indentation");
    CHECK(error_of("def f():\n# nothing\n") == "3:1+0 an indented block is missing behind 'def'");
  }

  TEST_CASE("bytes that are no text") {
    CHECK(error_of(std::string("x = 1\ny = \0", 11)) == "2:5+1 a NUL byte");
    CHECK(error_of("x = 1\n# caf\xE9 x") == "2:6+1 a byte that is not UTF-8");
    CHECK(error_of("x = '\xC3") == "1:6+1 a byte that is not UTF-8");
    // A column counts the bytes of the file, whatever stands before it.
    CHECK(error_of("# caf\xC3\xA9 \xFF") == "1:9+1 a byte that is not UTF-8");
  }

  TEST_CASE("an assertion that fails shows its text and both sides") {
    const core::Diagnostic problem =
        refused("MB = 1 << 20\nused = 3*MB\nassert used <= 2*MB, 'too much'\n");
    CHECK(brief(problem) == "3:8+12 the script's assertion fails: too much");
    REQUIRE(problem.details.size() == 2);
    CHECK(problem.details[0] == "used is 3145728 (0x300000)");
    CHECK(problem.details[1] == "2*MB is 2097152 (0x200000)");
    CHECK(error_of("assert not 1") == "1:8+5 the script's assertion fails");
    CHECK(error_of("import sys\nsys.exit('no')") ==
          "2:1+14 the script gives up here: exit status 'no'");
  }

  TEST_CASE("sections and maps are what the library takes") {
    const std::string start{kImport};
    CHECK(error_of(start + "MemSection('A', '', 0, -1)") ==
          "2:24+2 the length is -1; it must be from 0 to 2^64 - 1");
    CHECK(error_of(start + "MemSection('A', '', 7 / 2, 1)") ==
          "2:21+5 the origin is a 'float', not an integer");
    CHECK(error_of(start + "MemSection(5, '', 0, 1)") ==
          "2:12+1 the section's name is a 'int', not a text");
    CHECK(error_of(start + "MemSection('A', '', 0)") ==
          "2:1+22 'MemSection' is called without its argument 'length'");
    CHECK(error_of(start + "m = MemoryMap('m')\nm.addMemSection(m)") ==
          "3:17+1 a 'MemoryMap' where a section is needed");
    CHECK(error_of(start + "s = MemSection('A', '', 0, 1)\ns.grow(1)") ==
          "3:1+9 'grow' of a 'MemSection' is not understood");
    CHECK(error_of(start + "s = MemSection('A', '', 0, 1)\nx = s.size") ==
          "3:5+6 'size' of a 'MemSection' is not understood");
    CHECK(error_of(start + "m = MemoryMap('m')\nDtsFile(m, 5).export()") ==
          "3:12+1 the path is a 'int', not a text");
    CHECK(error_of(start + "E = os.environ.get('E')\nMemSection('A', '', E, 1)") ==
          "3:21+1 the origin is a 'value of the environment', not an integer");
    CHECK(error_of(start + "s = MemSection('A', '', 0, 1)\nif os.environ.get('E'):\n"
                           "  s.setNoMap(False)") ==
          "4:3+17 a section or map that depends on the environment");
    CHECK(error_of(start + "s = MemSection('A', '', 1, 1)\n"
                           "s.concat(MemSection('B', '', 0xFFFFFFFFFFFFFFFF, 9))") ==
          "3:1+52 the joined section ends beyond 2^64");
  }

  TEST_CASE("limits name themselves") {
    const std::string nested = repeated("(", 70) + "1" + repeated(")", 70);
    CHECK(test::contains(error_of("x = " + nested), "nested deeper than 64"));
    CHECK(test::contains(error_of("x = " + repeated("-", 100000) + "1"), "deeper than 64"));
    CHECK(test::contains(error_of("x = " + repeated("not ", 100000) + "1"), "deeper than 64"));
    CHECK(test::contains(error_of("x = 2" + repeated(" ** 1", 100000)), "deeper than 64"));
    CHECK(test::contains(error_of("x = 1" + repeated(" if 1 else 2", 100000)), "deeper than 64"));
    CHECK(test::contains(error_of("x = a" + repeated(".b", 100000)), "more than 64 calls"));
    CHECK(test::contains(error_of("x = a" + repeated("[0]", 100000)), "more than 64 calls"));
    CHECK(test::contains(error_of(repeated("(", 100000)), "deeper than 64"));
    std::string blocks;
    for (std::size_t i = 0; i < 80; ++i) {
      blocks += repeated(" ", i) + "if 1:\n";
    }
    CHECK(
        test::contains(error_of(blocks + repeated(" ", 80) + "x = 1\n"), "nested deeper than 64"));
    // A long sum is not deep.
    CHECK(value_of(script_of("x = 0" + repeated(" + 1", 100000))) == "100000");
    CHECK(value_of(script_of("x = 1" + repeated(" and 2", 100000))) == "2");

    CHECK(error_of("x = 1 << 100") == "1:5+8 an integer of 2^100 or more");
    CHECK(error_of("x = 1 << 1 << 1000000000000") == "1:5+23 an integer of 2^100 or more");
    CHECK(error_of("x = 2 ** 99 + 2 ** 99") == "1:5+17 an integer of 2^100 or more");
    CHECK(error_of("x = 3 ** 3 ** 30") == "1:5+12 an integer of 2^100 or more");
    CHECK(error_of("x = (1 << 60) * -(1 << 60)") == "1:5+22 an integer of 2^100 or more");
    CHECK(error_of("x = 0x" + repeated("F", 26)) == "1:5+28 an integer of 2^100 or more");
    CHECK(test::contains(error_of("x = (1 << 53) / 2"), "2^53"));

    CHECK(test::contains(error_of("def f(n): return f(n + 1)\nf(0)"), "more than 32 functions"));
    std::string doubling = "def f0(): pass\n";
    for (int i = 1; i < 30; ++i) {
      doubling += fmt::format("def f{}(): f{}(); f{}()\n", i, i - 1, i - 1);
    }
    CHECK(test::contains(error_of(doubling + "f29()"), "more than 3000000 steps"));
    CHECK(test::contains(error_of("s = 'aaaaaaaaaaaaaaaa'\n" + repeated("s = s + s\n", 13)),
                         "a text of more than 65536 bytes"));
    CHECK(test::contains(error_of("s = '" + repeated("a", 65537) + "'"), "65536 bytes"));
    CHECK(test::contains(error_of(repeated("x = 1\n", kMostStatements + 1)),
                         "more than 100000 statements"));
    CHECK(test::contains(error_of("x = 1" + repeated("+1", kMostOperands)), "500000 operands"));
    CHECK(test::contains(error_of(std::string(kMostBytes + 1, '\n')), "the limit is 4194304"));
    const std::string start{kImport};
    CHECK(
        test::contains(error_of(start + repeated("MemSection('A', '', 0, 1)\n", kMostSections + 1)),
                       "more than 10000 sections"));
    CHECK(test::contains(error_of(start +
                                  "m = MemoryMap('m')\ndef f(n):\n"
                                  "  m.addMemSection(MemSection(str(n), '', 0, 1))\n" +
                                  [] {
                                    std::string calls;
                                    for (int i = 0; i < 50; ++i) {
                                      calls += fmt::format("f({})\n", i);
                                    }
                                    return calls;
                                  }() +
                                  "m.checkOverlap()"),
                         "more than 1000 overlaps"));
  }
}

}  // namespace memsize::sdk::script_errors_test
