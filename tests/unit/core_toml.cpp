#include "memsize/core/toml_doc.hpp"

#include "support.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::core::toml_test {

TEST_SUITE("core") {
  TEST_CASE("every key and value of a TOML file knows where it is") {
    const std::string text =
        "# a comment\n"
        "zebra = 12\n"
        "[table]\n"
        "  apple = \"text\"\n"
        "list = [1, \"two\", true, 1.5]\n";
    const auto file = parse_toml(text, "dir/a.toml");
    REQUIRE(file.has_value());
    // The order of the file, not of the alphabet.
    REQUIRE(file->fields.size() == 2);
    CHECK(file->fields[0].key == "zebra");
    CHECK(file->fields[1].key == "table");

    const TomlField& zebra = file->fields[0];
    CHECK(zebra.key_place.path == "dir/a.toml");
    CHECK(zebra.key_place.line == 2);
    CHECK(zebra.key_place.column == 1);
    CHECK(zebra.get().kind == TomlValue::Kind::kInteger);
    CHECK(zebra.get().integer == 12);
    CHECK(zebra.get().place.line == 2);
    CHECK(zebra.get().place.column == 9);
    CHECK(zebra.get().place.length == 2);
    CHECK(zebra.get().place.text == "zebra = 12");

    const TomlField* apple = file->fields[1].get().find("apple");
    REQUIRE(apple != nullptr);
    CHECK(apple->key_place.line == 4);
    CHECK(apple->key_place.column == 3);
    CHECK(apple->get().string == "text");
    CHECK(apple->get().place.column == 11);
    // With its quotes.
    CHECK(apple->get().place.length == 6);

    const TomlField* list = file->fields[1].get().find("list");
    REQUIRE(list != nullptr);
    REQUIRE(list->get().items.size() == 4);
    CHECK(list->get().items[1].place.line == 5);
    CHECK(list->get().items[1].place.column == 12);
    CHECK(list->get().items[2].boolean);
    CHECK(list->get().items[3].kind == TomlValue::Kind::kFloat);
    CHECK(list->get().items[3].real == 1.5);
    CHECK(file->find("apple") == nullptr);
  }

  TEST_CASE("a syntax error says where") {
    const auto file = parse_toml("good = 1\nbad = = 2\n", "b.toml");
    REQUIRE_FALSE(file.has_value());
    REQUIRE(file.error().size() == 1);
    const Diagnostic& problem = file.error().front();
    CHECK(problem.code == Code::kTomlSyntax);
    CHECK(problem.place.path == "b.toml");
    CHECK(problem.place.line == 2);
    CHECK(problem.place.column == 7);
    CHECK(problem.place.text == "bad = = 2");
  }

  TEST_CASE("lines that end in CR LF lose both in a place") {
    const auto file = parse_toml("a = 1\r\nb = 2\r\n", "c.toml");
    REQUIRE(file.has_value());
    CHECK(file->find("b")->get().place.text == "b = 2");
    CHECK(file->find("b")->get().place.line == 2);
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
      CHECK(file.error().front().code == Code::kTomlSyntax);
    }
  }

  TEST_CASE("an empty file is an empty table") {
    const auto file = parse_toml("", "x.toml");
    REQUIRE(file.has_value());
    CHECK(file->kind == TomlValue::Kind::kTable);
    CHECK(file->fields.empty());
  }

  TEST_CASE("kinds have names for people") {
    CHECK(kind_name(TomlValue::Kind::kString) == "a string");
    CHECK(kind_name(TomlValue::Kind::kArray) == "an array");
    CHECK(kind_name(TomlValue::Kind::kTable) == "a table");
  }
}

}  // namespace memsize::core::toml_test
