#include "memsize/core/c_expression.hpp"

#include "support.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::core::c_expression_test {

namespace {

struct Outcome {
  std::optional<std::uint64_t> value;
  std::string message;
  std::string rest;
};

Outcome evaluated(const std::string& text, const CExpressionRules& given = {}) {
  static const std::map<std::string, std::uint64_t> known = {
      {"LOW", 0x1000}, {"HALF", 0x80000000}, {"HIGH", 0x880000000}, {"_ODD", 7}};
  CExpressionRules rules = given;
  rules.names = [](const std::string& name) {
    const auto found = known.find(name);
    return found == known.end() ? std::nullopt : std::optional{found->second};
  };
  Diagnostics errors;
  Cursor cursor{"f.c", text, Code::kVerifyParse, errors, Words::kC};
  Outcome outcome;
  outcome.value = c_expression(cursor, rules);
  outcome.message = errors.empty() ? "" : errors.front().message;
  outcome.rest = std::string{cursor.peek()};
  CHECK(outcome.value.has_value() == errors.empty());
  return outcome;
}

}  // namespace

TEST_SUITE("core") {
  TEST_CASE("expressions of C: precedence, casts, names, where they end") {
    CHECK(evaluated("1 + 2*3").value == 7);
    CHECK(evaluated("(1 + 2)*3").value == 9);
    CHECK(evaluated("10-4-3").value == 3);
    CHECK(evaluated("1U<<4|1").value == 17);
    CHECK(evaluated("1 << 2 + 1").value == 8);
    CHECK(evaluated("(uint64_t)HIGH + (LOW - 0x10ULL)").value == 0x880000FF0);
    CHECK(evaluated("(void *)HALF").value == 0x80000000);
    CHECK(evaluated("_ODD").value == 7);
    CHECK(evaluated("LOW, 4").rest == ",");
    CHECK(evaluated("LOW >= 4").rest == ">");
  }

  TEST_CASE("expressions of C: what is not understood is said") {
    CHECK(evaluated("NONE + 1").message == "'NONE' is the name of nothing that the map has");
    CHECK(evaluated("1 - 2").message == "this is below zero");
    CHECK(evaluated("0xFFFFFFFFFFFFFFFF + 1").message == "this does not fit 64 bits");
    CHECK(evaluated("0xFFFFFFFFFFFFFFFF * 2").message == "this does not fit 64 bits");
    CHECK(evaluated("1 << 64").message == "this does not fit 64 bits");
    CHECK(evaluated("99999999999999999999999").message ==
          "a number is expected here, not '99999999999999999999999'");
    CHECK(evaluated("").message == "a number is expected here, not ''");
    CHECK(evaluated("(1").message == "')' is expected here, not 'the end'");
    CHECK(evaluated("1 < 2").message == "'<' is expected here, not '2'");
    CHECK(evaluated(std::string(100000, '(')).message == "too many parentheses");
    std::string casts;
    for (int i = 0; i < 100000; ++i) {
      casts += "(int)";
    }
    CHECK(evaluated(casts + "1").message == "too many parentheses");
  }

  TEST_CASE("expressions of C: 32 bits wrap around, unless something is wide") {
    CExpressionRules rules;
    rules.narrow_types = true;
    CHECK(evaluated("HALF + HALF", rules).message ==
          "both sides are of 32 bits, where 0x100000000 wraps around");
    CHECK(evaluated("HALF * 2", rules).message ==
          "both sides are of 32 bits, where 0x100000000 wraps around");
    CHECK(evaluated("1 << 32", rules).message ==
          "both sides are of 32 bits, where 0x100000000 wraps around");
    CHECK(evaluated("(uint64_t)HALF + HALF", rules).value == 0x100000000);
    CHECK(evaluated("HALF + (unsigned long long)HALF", rules).value == 0x100000000);
    CHECK(evaluated("1ULL << 32", rules).value == 0x100000000);
    CHECK(evaluated("HIGH + HALF", rules).value == 0x900000000);
    CHECK(evaluated("010", rules).message == "'010' is octal in C");
    CHECK(evaluated("0x00000000 + 0", rules).value == 0);
    CHECK(evaluated("00", rules).value == 0);
  }

  TEST_CASE("expressions of C: a limit of its own") {
    CExpressionRules rules;
    rules.largest = 0xFF;
    rules.bits = 8;
    rules.names_of = "the box";
    CHECK(evaluated("0x80 + 0x7F", rules).value == 0xFF);
    CHECK(evaluated("0x80 + 0x80", rules).message == "this does not fit 8 bits");
    CHECK(evaluated("0x100", rules).message == "0x100 does not fit 8 bits");
    CHECK(evaluated("LOW", rules).message == "0x1000 does not fit 8 bits");
    CHECK(evaluated("NONE", rules).message == "'NONE' is the name of nothing that the box has");
  }

  TEST_CASE("expressions as dtc computes them: every operator, 64 bits that wrap around") {
    for (const auto& [expression, value] :
         std::vector<std::pair<std::string, std::uint64_t>>{{"7 / 2 * 2 % 5", 1},
                                                            {"1 << 2 + 1 >> 1", 4},
                                                            {"1 << 64", 0},
                                                            {"1 | 6 ^ 3 & 2", 5},
                                                            {"1 < 2 == 2 >= 2", 1},
                                                            {"3 > 4 || 4 <= 4 && 5 != 5", 0},
                                                            {"!0 + !7 + - -1", 2},
                                                            {"-1", UINT64_MAX},
                                                            {"~0 - ~1", 1},
                                                            {"0xFFFFFFFFFFFFFFFF + 2", 1},
                                                            {"0 - 1 > 5", 1},
                                                            {"0 ? 1 : 0 ? 2 : 3", 3},
                                                            {"1 ? 2 ? 4 : 5 : 6", 4},
                                                            {"(1 ? 2 : 3) + 1", 3},
                                                            {"1 || 0 ? 2 : 3", 2},
                                                            {"017 + 0x10ULL + 10UL", 41},
                                                            {"0", 0}}) {
      const std::string& text = expression;
      CAPTURE(text);
      const auto computed = dtc_constant(text);
      REQUIRE(computed.has_value());
      CHECK(*computed == value);
    }
    for (const auto& [expression, why] : std::vector<std::pair<std::string, std::string>>{
             {"1 / 0", "this divides by zero"},
             {"0 ? 1 % 0 : 2", "this divides by zero"},
             {"A", "'A' is the name of nothing that this file has"},
             {"(int)1", "'int' is the name of nothing that this file has"},
             {"08", "'08' is octal in C"},
             {"1 ? 2", "':' is expected here, not 'the end'"},
             {"1 < < 2", "a number is expected here, not '<'"},
             {"1 = 1", "an operator is expected here, not '='"},
             {"", "a number is expected here, not ''"},
             {std::string(100000, '~') + "1", "too many parentheses"}}) {
      const std::string& text = expression;
      CAPTURE(text);
      const auto computed = dtc_constant(text);
      REQUIRE_FALSE(computed.has_value());
      CHECK(computed.error().front().message == why);
    }
    std::string choices;
    for (int i = 0; i < 100000; ++i) {
      choices += "1 ? 1 : ";
    }
    CHECK_FALSE(dtc_constant(choices + "1").has_value());
  }

  TEST_CASE("a cursor with C's words: operators stand alone, quotes may be escaped") {
    const std::string text = "a-1.b->c \"x\\\"y\" '\\'' '\"'\n\"open\nz";
    Diagnostics errors;
    Cursor cursor{"f.c", text, Code::kVerifyParse, errors, Words::kC};
    std::string all;
    while (!cursor.done()) {
      all += cursor.take() + "~";
    }
    CHECK(all == "a~-~1~.~b~-~>~c~\"x\\\"y\"~'\\''~'\"'~\"open~z~");
  }

  TEST_CASE("a cursor: from a place to the end of what was taken") {
    const std::string text = "a + (b\n+ c) d";
    Diagnostics errors;
    Cursor cursor{"f.c", text, Code::kVerifyParse, errors, Words::kC};
    const Place first = cursor.place();
    cursor.take();
    CHECK(cursor.place_since(first).length == 1);
    cursor.take();
    CHECK(cursor.place_since(first).length == 3);
    cursor.skip_past(")");
    CHECK(cursor.place_since(first).length == 6);
    CHECK(cursor.place_since(first).column == 1);
    const Place last = cursor.place();
    CHECK(cursor.place_since(last) == last);
  }
}

}  // namespace memsize::core::c_expression_test
