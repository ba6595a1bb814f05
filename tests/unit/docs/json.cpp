#include "memsize/docs/parse.hpp"

#include "support.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::docs::json_test {

namespace {

using core::Code;

// "line:column message" of the only error.
std::string refusal(std::string_view text) {
  const auto document = docs::parse_json(text, "plan.json", Code::kPlanSyntax);
  REQUIRE(!document);
  REQUIRE(document.error().size() == 1);
  const core::Diagnostic& error = document.error().front();
  CHECK(error.code == Code::kPlanSyntax);
  return fmt::format("{}:{} {}", error.place.line, error.place.column, error.message);
}

}  // namespace

TEST_SUITE("docs") {
  TEST_CASE("JSON keeps the place and the path of every value") {
    const std::string text =
        "{\"a\": 5,\n"
        " \"long name\": [1, -2, 3.5, \"x\\ny\", true, null, {\"k\": 12}],\n"
        " \"\\u0041\\\"\" : \"\"}\n";
    const auto document = parse_json(text, "plan.json", Code::kPlanSyntax);
    REQUIRE(document);
    CHECK(document->lines() == 3);
    const Value root = document->root();
    CHECK(root.size() == 3);
    CHECK(root.path() == "document");
    CHECK(root["a"].whole() == 5);
    CHECK(!root["b"]);
    CHECK(root["b"]["c"].is(Kind::kAbsent));

    const Value list = root["long name"];
    std::vector<Value> items;
    for (const Value item : list) {
      items.push_back(item);
    }
    REQUIRE(items.size() == 7);
    CHECK(items[0].whole() == 1);
    CHECK(items[1].integer() == -2);
    CHECK(items[2].real() == doctest::Approx(3.5));
    CHECK(items[3].text() == "x\ny");
    CHECK(items[4].boolean());
    CHECK(items[5].is(Kind::kNull));
    CHECK(!items[5]);
    CHECK(items[6]["k"].path() == "long name[6].k");
    CHECK(items[6]["k"].place().line == 2);
    CHECK(items[6]["k"].place().column == text.find("12}") - text.find('\n'));
    CHECK(root["A\""].text().empty());
    CHECK(root["A\""].place().line == 3);
  }

  TEST_CASE("the largest numbers are whole, larger ones are not") {
    const auto document =
        parse_json("[18446744073709551615, 18446744073709551616]", "plan.json", Code::kPlanSyntax);
    REQUIRE(document);
    const Value first = *document->root().begin();
    CHECK(first.whole() == UINT64_MAX);
    const Value second = *++document->root().begin();
    CHECK(second.is(Kind::kReal));
  }

  TEST_CASE("what is no JSON is refused where it begins to be none") {
    CHECK(refusal("") == "1:1 'plan.json' is not valid JSON: it ends before it says anything");
    CHECK(refusal("{\"a\": [1,\n 2") ==
          "2:3 'plan.json' is not valid JSON: it ends in the middle, with brackets still open");
    CHECK(refusal("{\"a\": 1,\n \"b\": NaN}") ==
          "2:7 'plan.json' is not valid JSON: 'NaN' cannot stand here");
    CHECK(refusal("[1] [2]") == "1:5 'plan.json' is not valid JSON: '[2' cannot stand here");
    CHECK(refusal("[1e999]").find("too large") != std::string::npos);
    CHECK(refusal("[\"\xff\"]").find("not UTF-8") != std::string::npos);
    CHECK(refusal("{\"a\": 1, \"b\": 2,\n\"a\": 3}") ==
          "2:1 'plan.json' is not valid JSON: an object has 'a' twice");
    // However it is spelled.
    CHECK(refusal(R"({"a": 1, "\u0061": 3})").find("'a' twice") != std::string::npos);
  }

  TEST_CASE("deep nesting is an error, not a crash") {
    const std::string hundred = std::string(100, '[') + std::string(100, ']');
    CHECK(parse_json(hundred, "plan.json", Code::kPlanSyntax));
    CHECK(refusal(std::string(101, '[') + std::string(101, ']')) ==
          "1:101 'plan.json' is not valid JSON: it is nested more than 100 deep");
    CHECK(refusal(std::string(1'000'000, '[')).find("nested") != std::string::npos);
    std::string objects;
    for (int i = 0; i < 100'000; ++i) {
      objects += "{\"a\":";
    }
    CHECK(refusal(objects).find("nested") != std::string::npos);
  }

  TEST_CASE("a hint that was given is that of every error") {
    const auto document = parse_json("[NaN]", "a.json", Code::kSdkJournal, "write it again");
    REQUIRE(!document);
    CHECK(document.error().front().code == Code::kSdkJournal);
    CHECK(document.error().front().hint == "write it again");
  }

  TEST_CASE("one table over another keeps the place of what it takes") {
    const auto base = parse_toml("a = 1\n[t]\nx = 1\ny = [1, 2]\n", "base.toml");
    const auto over = parse_toml("b = \"text\"\n[t]\ny = -3\n", "over.toml");
    REQUIRE(base);
    REQUIRE(over);
    const Document both = merged({base->root(), over->root()});
    const Value root = both.root();
    CHECK(root["a"].whole() == 1);
    CHECK(root["b"].text() == "text");
    CHECK(root["t"]["x"].place().path == "base.toml");
    CHECK(root["t"]["y"].integer() == -3);
    CHECK(root["t"]["y"].place().path == "over.toml");
    CHECK(root["t"]["y"].path() == "t.y");
    bool found = false;
    CHECK(!without(root, "t.x", found).root()["t"]["x"]);
    CHECK(found);
    found = false;
    CHECK(without(root, "t.z", found).root()["t"].size() == 2);
    CHECK_FALSE(found);
  }
}

}  // namespace memsize::docs::json_test
