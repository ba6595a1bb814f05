#include "memsize/docs/parse.hpp"

#include "support.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::docs::toml_test {

TEST_SUITE("docs") {
  TEST_CASE("every key and value of a TOML file knows where it is") {
    const std::string text =
        "# a comment\n"
        "zebra = 12\n"
        "[table]\n"
        "  apple = \"text\"\n"
        "list = [1, \"two\", true, 1.5]\n";
    const auto file = parse_toml(text, "dir/a.toml");
    REQUIRE(file.has_value());
    const Value root = file->root();
    // The order of the file, not of the alphabet.
    const std::vector<Value> fields{root.begin(), root.end()};
    REQUIRE(fields.size() == 2);
    CHECK(fields[0].key() == "zebra");
    CHECK(fields[1].key() == "table");

    const Value zebra = fields[0];
    CHECK(zebra.key_place().path == "dir/a.toml");
    CHECK(zebra.key_place().line == 2);
    CHECK(zebra.key_place().column == 1);
    CHECK(zebra.whole() == 12);
    CHECK(zebra.place().line == 2);
    CHECK(zebra.place().column == 9);
    CHECK(zebra.place().length == 2);
    CHECK(zebra.place().text == "zebra = 12");
    CHECK(zebra.path() == "zebra");

    const Value apple = fields[1]["apple"];
    CHECK(apple.key_place().line == 4);
    CHECK(apple.key_place().column == 3);
    CHECK(apple.text() == "text");
    CHECK(apple.place().column == 11);
    // With its quotes.
    CHECK(apple.place().length == 6);

    const Value list = fields[1]["list"];
    const std::vector<Value> items{list.begin(), list.end()};
    REQUIRE(items.size() == 4);
    CHECK(items[1].position().line == 5);
    CHECK(items[1].position().column == 12);
    CHECK(items[1].path() == "table.list[1]");
    CHECK(items[2].boolean());
    CHECK(items[3].is(Kind::kReal));
    CHECK(items[3].real() == 1.5);
    CHECK(root["apple"].is(Kind::kAbsent));
  }

  TEST_CASE("a syntax error says where") {
    const auto file = parse_toml("good = 1\nbad = = 2\n", "b.toml");
    REQUIRE_FALSE(file.has_value());
    REQUIRE(file.error().size() == 1);
    const core::Diagnostic& problem = file.error().front();
    CHECK(problem.code == core::Code::kTomlSyntax);
    CHECK(problem.place.path == "b.toml");
    CHECK(problem.place.line == 2);
    CHECK(problem.place.column == 7);
    CHECK(problem.place.text == "bad = = 2");
  }

  TEST_CASE("lines that end in CR LF lose both in a place") {
    const auto file = parse_toml("a = 1\r\nb = 2\r\n", "c.toml");
    REQUIRE(file.has_value());
    CHECK(file->root()["b"].place().text == "b = 2");
    CHECK(file->root()["b"].place().line == 2);
  }

  TEST_CASE("a byte order mark is none of the text") {
    const auto file = parse_toml("\xEF\xBB\xBFkey = 1\nkey = 2\n", "f.toml");
    REQUIRE_FALSE(file.has_value());
    CHECK(file.error().front().place.line == 2);
    CHECK(parse_toml("\xEF\xBB\xBFkey = 1\n", "f.toml").has_value());
  }

  TEST_CASE("what is no TOML is an error, never a crash") {
    const std::string deep(100000, '[');
    for (const std::string& text : {std::string{"a = 1\na = 2\n"},
                                    std::string{"[a]\n[a]\n"},
                                    std::string{"a = 99999999999999999999\n"},
                                    std::string{"a = \"unfinished"},
                                    std::string{"\xFF\xFE\x00\x01", 4},
                                    std::string{"a = \0", 5},
                                    "a = " + deep}) {
      const auto file = parse_toml(text, "x.toml");
      REQUIRE_FALSE(file.has_value());
      CHECK(file.error().front().code == core::Code::kTomlSyntax);
    }
  }

  TEST_CASE("an empty file is an empty table") {
    const auto file = parse_toml("", "x.toml");
    REQUIRE(file.has_value());
    CHECK(file->root().is(Kind::kTable));
    CHECK(file->root().size() == 0);
  }

  TEST_CASE("kinds have names for people") {
    CHECK(kind_name(Kind::kText) == "a string");
    CHECK(kind_name(Kind::kList) == "an array");
    CHECK(kind_name(Kind::kTable) == "a table");
  }
}

}  // namespace memsize::docs::toml_test
