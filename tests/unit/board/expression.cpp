#include "memsize/board/expression.hpp"

#include "support.hpp"

#include <cstdint>
#include <string>

#include <doctest/doctest.h>

namespace memsize::board::expression_test {

namespace {

using core::Code;

const Values kNames = {{"one", 1}, {"page", 4096}, {"big_area", 1ULL << 40}, {"_x9", 9}};

void check_value(const std::string& text, std::uint64_t expected) {
  CAPTURE(text);
  const auto value = evaluate({text, {}}, kNames);
  REQUIRE_MESSAGE(value.has_value(), (value ? "" : test::all_text(value.error())));
  CHECK(*value == expected);
}

core::Diagnostic refused(const std::string& text) {
  CAPTURE(text);
  core::Place place;
  place.path = "b.toml";
  place.line = 12;
  const auto value = evaluate({text, place}, kNames);
  REQUIRE_FALSE(value.has_value());
  REQUIRE_FALSE(value.error().empty());
  CHECK(value.error().front().place == place);
  return value.error().front();
}

}  // namespace

TEST_SUITE("board") {
  TEST_CASE("sums, differences and products of sizes and names") {
    check_value("0", 0);
    check_value("64MiB - 6MiB - 16KiB", 60817408 - 16384);
    check_value("page", 4096);
    check_value("256 * page", 1048576);
    check_value("2 + 3 * 4", 14);
    check_value("2 * 3 + 4", 10);
    check_value("(2 + 3) * 4", 20);
    check_value("10 - 3 - 2", 5);
    check_value("10 - (3 - 2)", 9);
    check_value("2*3*4", 24);
    check_value("((((1))))", 1);
    check_value("  1MiB\t-1KiB ", 1047552);
    check_value("1.5MiB", 1572864);
    check_value("0x10+010", 26);
    check_value("_x9*_x9", 81);
    check_value("0xFFFFFFFFFFFFFFFF", UINT64_MAX);
    check_value("18446744073709551614 + one", UINT64_MAX);
    check_value("big_area * 0", 0);
    check_value("5 - 5", 0);
  }

  TEST_CASE("a result below zero or above 64 bits is refused wherever it arises") {
    CHECK(test::contains(refused("1 - 2").message, "negative"));
    // From the left: 1 - 2 comes first.
    CHECK(test::contains(refused("1 - 2 + 5").message, "negative"));
    CHECK(test::contains(refused("2 * (3 - 4)").message, "negative"));
    CHECK(test::contains(refused("0xFFFFFFFFFFFFFFFF + 1").message, "2^64"));
    CHECK(test::contains(refused("big_area * big_area").message, "2^64"));
    CHECK(test::contains(refused("17179869183GiB + 1GiB").message, "2^64"));
    (void)refused("17179869184GiB");
    (void)refused("18446744073709551616");
    (void)refused("-1");
  }

  TEST_CASE("an unknown name suggests the nearest") {
    const core::Diagnostic problem = refused("2 * pag");
    CHECK(problem.code == Code::kBoardExpression);
    CHECK(test::contains(problem.message, "'pag'"));
    CHECK(test::contains(problem.hint, "page"));
    CHECK(refused("nothing_like_it").hint.empty());
    (void)refused("PAGES_");
  }

  TEST_CASE("broken sums are refused") {
    for (const char* text :
         {"",        " ",    "+",    "1 +",      "* 2",    "1 2",     "1MiB 2MiB", "1 / 2",
          "1 % 2",   "(1",   "1)",   "()",       "(1))",   "1 - - 1", "1 ++ 1",    "64KB",
          "1..5MiB", "0xZZ", "one$", "\x1b[31m", "1 << 2", "\xC2\xA0"}) {
      const core::Diagnostic problem = refused(text);
      CHECK((problem.code == Code::kBoardExpression || problem.code == Code::kTextSize));
      CHECK_FALSE(test::contains(problem.message, "\x1b"));
    }
  }

  TEST_CASE("brackets may be deep, but not bottomless") {
    const auto nested = [](std::size_t depth) {
      return std::string(depth, '(') + "7" + std::string(depth, ')');
    };
    check_value(nested(30), 7);
    CHECK(test::contains(refused(nested(100)).message, "too deeply"));
    CHECK(test::contains(refused(std::string(1000000, '(')).message, "too deeply"));
    // Long is not deep.
    std::string sum = "0";
    for (int i = 0; i < 10000; ++i) {
      sum += " + (1)";
    }
    check_value(sum, 10000);
  }

  TEST_CASE("random sums agree with the same sums done in 128 bits") {
    __extension__ using Wide = __int128;
    test::Random random{99};
    for (int round = 0; round < 3000; ++round) {
      std::string text;
      Wide total = 0;
      bool legal = true;
      const std::uint64_t terms = 1 + random.below(5);
      for (std::uint64_t i = 0; i < terms; ++i) {
        const std::uint64_t a = random.next() >> (20 + random.below(44));
        const std::uint64_t b = random.next() >> (30 + random.below(34));
        const bool minus = i > 0 && random.below(3) == 0;
        text += i == 0 ? "" : minus ? " - " : " + ";
        text += std::to_string(a) + "*" + std::to_string(b);
        const Wide product = static_cast<Wide>(a) * static_cast<Wide>(b);
        legal = legal && product <= static_cast<Wide>(UINT64_MAX);
        total += minus ? -product : product;
        legal = legal && total >= 0 && total <= static_cast<Wide>(UINT64_MAX);
      }
      CAPTURE(text);
      const auto value = evaluate({text, {}}, kNames);
      CHECK(value.has_value() == legal);
      CHECK((!legal || *value == static_cast<std::uint64_t>(total)));
    }
  }
}

}  // namespace memsize::board::expression_test
