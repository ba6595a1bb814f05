#include "csource/c_source.hpp"

#include "support.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::sdk::c_source_test {

namespace {

// The words that are kept, each with its conditions in braces if it has any.
std::string kept(const std::string& text, const BuildFlags& flags, core::Diagnostics& errors) {
  const CSource source{{"f.c", text}, "", flags, errors};
  CHECK(source.text().size() == text.size());
  core::Diagnostics unused;
  core::Cursor cursor = source.cursor(unused);
  std::string all;
  while (!cursor.done()) {
    const std::string conditions = joined(source.conditions(cursor.place().line));
    all += (all.empty() ? "" : " ") + cursor.take();
    all += conditions.empty() ? "" : "{" + conditions + "}";
  }
  return all;
}

std::string kept(const std::string& text, const BuildFlags& flags = {}) {
  core::Diagnostics errors;
  std::string all = kept(text, flags, errors);
  CHECK(errors.empty());
  return all;
}

std::string first_error(const std::string& text) {
  core::Diagnostics errors;
  (void)kept(text, {}, errors);
  return errors.empty()
             ? ""
             : std::to_string(errors.front().place.line) + ":" +
                   std::to_string(errors.front().place.column) + " " + errors.front().message;
}

Macros macros_of(const std::string& text) {
  core::Diagnostics errors;
  Macros macros{{{"KNOWN", 0x1000}}};
  macros.add(CSource{{"f.h", text}, "", {}, errors});
  CHECK(errors.empty());
  return macros;
}

}  // namespace

TEST_SUITE("sdk") {
  TEST_CASE("what the preprocessor keeps") {
    CHECK(kept("a /* b\n c */ d // e\n\"/* f */\" '\"' g") == "a d \"/* f */\" '\"' g");
    CHECK(kept("#if 0\na\n#else\nb\n#endif\nc") == "b c");
    CHECK(kept("#if 1\na\n#elif X\nb\n#else\nc\n#endif") == "a");
    CHECK(kept("#define N 2\n#if N\na\n#endif\n#undef N\n#ifdef N\nb\n#endif") == "a");
    CHECK(kept("#ifdef __cplusplus\nextern\n#endif\na") == "a");
    CHECK(kept("#ifndef GUARD_H\n#define GUARD_H\na\n#endif") == "a");
    CHECK(kept("#define A(x) \\\n b\nc") == "c");
    CHECK(kept("#if 0\n#if X\na\n#else\nb\n#endif\n#endif\nc") == "c");
  }

  TEST_CASE("open conditions stand beside what they are about") {
    CHECK(kept("#ifdef A\na\n#else\nb\n#endif\nc") == "a{defined(A)} b{!(defined(A))} c");
    CHECK(kept("#if defined(A) && 0\na\n#elif B\nb\n#else\nc\n#endif") == "b{B} c{!(B)}");
    CHECK(kept("#if A > 2\n#ifndef B\na\n#endif\n#endif") == "a{A > 2 && !defined(B)}");
    CHECK(kept("#ifdef A\n#define N\n#endif\n#ifdef N\na\n#endif") == "a{defined(N)}");
    CHECK(kept("#if defined (A) || \\\n defined B\na\n#endif") == "a{defined (A) || defined B}");
  }

  TEST_CASE("flags close conditions") {
    BuildFlags flags;
    flags.defined = {"A", "CPU_x"};
    flags.undefined = {"B"};
    flags.families = {"CPU_"};
    CHECK(kept("#ifdef A\na\n#else\nb\n#endif", flags) == "a");
    CHECK(kept("#if !defined(B)\na\n#endif", flags) == "a");
    CHECK(kept("#if defined(CPU_y) || (defined (CPU_x))\na\n#endif", flags) == "a");
    CHECK(kept("#if defined(CPU_y)\na\n#elif defined(CPU_x)\nb\n#endif", flags) == "b");
    CHECK(kept("#if defined(A) || defined(C)\na\n#endif", flags) == "a");
    CHECK(kept("#if defined(B) && defined(C)\na\n#endif", flags).empty());
    CHECK(kept("#if B\na\n#endif", flags).empty());
    CHECK(kept("#if A\na\n#endif", flags) == "a{A}");
  }

  TEST_CASE("a source that is cut off, or nests without end") {
    CHECK(first_error("a\n /* b") == "2:2 this comment is not closed");
    CHECK(first_error("#if A\na") == "1:1 this condition has no #endif");
    CHECK(first_error("#endif") == "1:1 this #endif has no #if");
    CHECK(first_error("#if 0\n#else\n#else\n#endif") == "3:1 this #else comes behind an #else");
    CHECK(first_error("  #define 5") == "1:3 a #define without a name");
    std::string ifs;
    std::string branches = "#if A\n";
    for (int i = 0; i < 100000; ++i) {
      ifs += "#if A\n";
      branches += "#elif A\n";
    }
    CHECK(first_error(ifs) == "33:1 conditions are too deep or too long from here on");
    CHECK(first_error(branches) == "66:1 this condition has too many branches, or too long ones");
    CHECK(first_error("#if " + std::string(100000, '!') + "A\n#endif") ==
          "1:1 conditions are too deep or too long from here on");
    CHECK(kept("#if " + std::string(400, '(') + "1\na\n#endif").starts_with("a{((("));
  }

  TEST_CASE("macros: their places, their values") {
    core::Diagnostics errors;
    const CSource source{
        {"f.h", "  # define  ONE_ADDR  ( 0x10u )  /* x */\n#ifdef A\n#define TWO \\\n 2\n#endif\n"},
        "",
        {},
        errors};
    REQUIRE(source.defines().size() == 2);
    CHECK(source.defines()[0].name == "ONE_ADDR");
    CHECK(source.defines()[0].body == "( 0x10u )");
    CHECK(source.defines()[0].place.line == 1);
    CHECK(source.defines()[0].place.column == 13);
    CHECK(source.defines()[0].place.length == 8);
    CHECK(source.defines()[1].body == "2");
    CHECK(source.defines()[1].place.line == 3);
    CHECK(joined(source.defines()[1].conditions) == "defined(A)");

    const CSource split{{"f.h", "#define \\\n  THREE 3\n"}, "", {}, errors};
    CHECK(split.defines().at(0).place.line == 2);
    CHECK(split.defines().at(0).place.column == 3);

    const Macros macros = macros_of(
        "#define A (B + KNOWN)\n#define B 2\n#define LOOP LOOP2\n#define LOOP2 LOOP\n"
        "#define TEXT \"x\"\n#define F(x) 1\n#define MORE 1 2\n#define NONE\n"
        "#define KNOWN (0x1000u)\n#define TWICE 1\n#define TWICE 2\n");
    CHECK(macros.value("A") == 0x1002);
    CHECK(macros.value("B") == 2);
    CHECK(macros.value("KNOWN") == 0x1000);
    for (const char* name : {"LOOP", "LOOP2", "TEXT", "F", "MORE", "NONE", "TWICE", "OTHER"}) {
      CAPTURE(name);
      CHECK_FALSE(macros.value(name).has_value());
    }
  }

  TEST_CASE("macros that grow without end have no value, and take no time") {
    std::string text = "#define A0 1\n";
    for (int i = 1; i < 200; ++i) {
      text += "#define A" + std::to_string(i);
      for (int k = 0; k < 8; ++k) {
        text += (k == 0 ? " A" : " + A") + std::to_string(i - 1);
      }
      text += "\n";
    }
    const Macros macros = macros_of(text);
    CHECK_FALSE(macros.value("A199").has_value());
  }
}

}  // namespace memsize::sdk::c_source_test
