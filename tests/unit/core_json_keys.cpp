#include "memsize/core/json_keys.hpp"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

namespace memsize::core::json_keys_test {

namespace {

std::string repeated(std::string_view text) {
  const auto twice = repeated_key(text);
  return twice
             ? twice->key + " " + std::to_string(twice->line) + ":" + std::to_string(twice->column)
             : "";
}

}  // namespace

TEST_SUITE("core") {
  TEST_CASE("a key that stands twice in one object is found with its place") {
    CHECK(repeated("").empty());
    CHECK(repeated(R"({"a": 1, "b": {"a": 2}, "c": [{"a": 3}, {"a": 4}]})").empty());
    CHECK(repeated("{\"a\": 1,\n  \"a\": 2}") == "a 2:3");
    CHECK(repeated(R"({"x": [{"k" : 1, "l": {}, "k" : 2}]})") == "k 1:27");
    // Values are none, whatever they look like.
    CHECK(repeated(R"({"a": "a", "b": "a\": 1", "c": ["a", "a"], "d": "\\"})").empty());
    // Two spellings of one key.
    CHECK(repeated(R"({"ab": 1, "a\u0062": 2})") == "ab 1:11");
    CHECK(repeated(R"({"\n": 1, "\u000A": 2})") == "\n 1:11");
    CHECK(repeated(R"({"\u00e9": 1, "\u00E9": 2})") == "\\u233 1:15");
    CHECK(repeated(R"({"\u0041": 1, "\u0042": 2})").empty());
    // Texts that no parser would take end, too.
    CHECK(repeated("{\"a\": \"").empty());
    CHECK(repeated("}]{\"a\\").empty());
    CHECK(repeated("{\"a\\u").empty());
  }
}

}  // namespace memsize::core::json_keys_test
