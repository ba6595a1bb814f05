#include "memsize/docs/fields.hpp"

#include "memsize/docs/parse.hpp"

#include "support.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::docs::fields_test {

using core::Code;

TEST_SUITE("docs") {
  TEST_CASE("a table of TOML is spoken of by its name") {
    const auto file = parse_toml(
        "title = 5\nsize = -1\nlist = [1, \"a\"]\nheader = \"no\"\nsise = 1\n", "a.toml");
    REQUIRE(file);
    core::Diagnostics errors;
    Fields fields{file->root(), "the board", errors};
    CHECK(fields.string("title", "none") == "none");
    CHECK_FALSE(fields.integer("size").has_value());
    CHECK(fields.strings("list") == std::vector<std::string>{"a"});
    CHECK(fields.boolean("header", true));
    CHECK(fields.required_string("soc").empty());
    CHECK(fields.fields("chain").size() == 0);
    fields.finish();
    const std::string all = test::all_text(errors);
    CHECK(errors.size() == 6);
    CHECK(test::contains(all, "'title' of the board must be a string, not a whole number"));
    CHECK(errors[0].hint == "put it in quotes: title = \"5\"");
    CHECK(errors[0].place.line == 1);
    CHECK(test::contains(all, "'size' of the board must not be negative"));
    CHECK(test::contains(all, "'list' of the board must hold strings, not a whole number"));
    CHECK(test::contains(all, "'header' of the board must be true or false, not a string"));
    CHECK(test::contains(all, "the board has no 'soc'"));
    CHECK(errors[5].code == Code::kTomlUnknownKey);
    CHECK(errors[5].message == "the board has no key 'sise'");
    CHECK(errors[5].hint == "did you mean 'size'?");
  }

  TEST_CASE("a table of JSON is spoken of by its path") {
    const auto document = parse_json(
        R"({"big": 18446744073709551615, "one": {"size": 300, "at": "x", "list": [{"a": 1}, 7]}, "none": null})",
        "a.json",
        Code::kVerifyParse);
    REQUIRE(document);
    core::Diagnostics errors;
    Voice voice = Voice::of(Code::kVerifyParse, "write it again", "damaged: ");
    voice.one_missing = true;
    Fields fields{document->root(), {}, errors, voice};
    CHECK(fields.number("big") == UINT64_MAX);
    CHECK_FALSE(fields.number_if_any("none").has_value());
    CHECK_FALSE(fields.has("none"));
    CHECK(errors.empty());
    Fields one = fields.table("one");
    CHECK_FALSE(one.number("size", 255).has_value());
    CHECK(one.address("at") == 0);
    CHECK(one.tables("list").size() == 1);
    CHECK(one.one_of("at", {"here", "there"}).empty());
    CHECK(one.required_string("first").empty());
    // Of a table that lacks a key no other is told.
    CHECK_FALSE(one.required_boolean("second"));
    REQUIRE(errors.size() == 5);
    CHECK(errors[0].message ==
          "damaged: one.size: it must be a whole number from 0 to 255, not 300");
    CHECK(errors[0].hint == "write it again");
    CHECK(errors[0].place.line == 1);
    CHECK(errors[1].message == "damaged: one.at: it must be a hexadecimal address, not 'x'");
    CHECK(errors[2].message == "damaged: one.list[1]: it must be an object, not 7");
    CHECK(errors[3].message == "damaged: one.at: it must be here or there, not 'x'");
    CHECK(errors[4].message == "damaged: one: 'first' is missing");
  }

  TEST_CASE("the first thousand mistakes are told") {
    std::string text = "[";
    for (int i = 0; i < 5000; ++i) {
      text += "{},";
    }
    text += "{}]";
    const auto document = parse_json(text, "a.json", Code::kVerifyParse);
    REQUIRE(document);
    core::Diagnostics errors;
    const Voice voice = Voice::of(Code::kVerifyParse);
    for (const Value item : document->root()) {
      (void)Fields{item, {}, errors, voice}.required_string("name");
    }
    CHECK(errors.size() == 1000);
  }
}

}  // namespace memsize::docs::fields_test
