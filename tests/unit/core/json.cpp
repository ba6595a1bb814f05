// What we print is held against nlohmann's library, which prints the same values.
#include "memsize/core/json.hpp"

#include "support.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace memsize::core::json_test {

namespace {

using Judge = nlohmann::ordered_json;

struct Both {
  Json ours;
  Judge theirs;
};

// Any bytes, most of them such as decoders of UTF-8 get wrong.
std::string random_text(test::Random& random) {
  static constexpr std::string_view kOdd =
      "\"\\/"
      "\b\f\n\r\t\x01\x1f\x7f\x80\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xed\xef\xf0\xf1\xf4\xf5\xff\x9f\xa0"
      "\x8f\x90";
  std::string text;
  for (std::uint64_t i = random.below(12); i > 0; --i) {
    text += random.below(3) == 0 ? static_cast<char>('a' + random.below(26))
                                 : kOdd[random.below(kOdd.size())];
  }
  return text;
}

Both random_value(test::Random& random, int depth) {
  switch (random.below(depth == 0 ? 6 : 8)) {
    case 0:
      return {};
    case 1: {
      const bool truth = random.below(2) == 0;
      return {truth, truth};
    }
    case 2: {
      const std::uint64_t number = random.next() >> random.below(64);
      return {number, number};
    }
    case 3: {
      const auto number = static_cast<std::int64_t>(random.next() >> random.below(64));
      return {number, number};
    }
    case 4: {
      // Times and measures, as logs have them.
      const double number = static_cast<double>(random.below(100'000'000)) / 1000.0;
      return {number, number};
    }
    case 5: {
      const std::string text = random_text(random);
      return {text, text};
    }
    case 6: {
      Both list{Json::array(), Judge::array()};
      for (std::uint64_t i = random.below(4); i > 0; --i) {
        Both item = random_value(random, depth - 1);
        list.ours.push_back(std::move(item.ours));
        list.theirs.push_back(std::move(item.theirs));
      }
      return list;
    }
    default: {
      Both object{Json::object(), Judge::object()};
      for (std::uint64_t i = random.below(4); i > 0; --i) {
        Both item = random_value(random, depth - 1);
        // What is not UTF-8 is printed as something else, and two keys must not be the same then.
        const std::string key = std::to_string(i) + random_text(random);
        object.ours[key] = std::move(item.ours);
        object.theirs[key] = std::move(item.theirs);
      }
      return object;
    }
  }
}

std::string printed(const auto& value, int indent) {
  return value.dump(indent, ' ', false, Judge::error_handler_t::replace);
}

}  // namespace

TEST_SUITE("core") {
  TEST_CASE("any value is printed as nlohmann's library prints it, and read back") {
    test::Random random{20261123};
    for (int round = 0; round < test::rounds(20'000); ++round) {
      const Both both = random_value(random, 4);
      const std::string compact = both.ours.compact();
      CAPTURE(compact);
      REQUIRE(compact == printed(both.theirs, -1));
      REQUIRE(both.ours.pretty() == printed(both.theirs, 2));
      const auto back = read_json(compact);
      REQUIRE(back.has_value());
      REQUIRE(back->compact() == compact);
      REQUIRE(back->sorted() == printed(nlohmann::json::parse(compact), -1));
      const Json copy = both.ours;
      REQUIRE(copy.compact() == compact);
    }
  }

  TEST_CASE("numbers of any size") {
    CHECK(Json(std::numeric_limits<std::uint64_t>::max()).compact() == "18446744073709551615");
    CHECK(Json(std::numeric_limits<std::int64_t>::min()).compact() == "-9223372036854775808");
    CHECK(Json(0.0).compact() == "0.0");
    CHECK(Json(1e300).compact() == "1e+300");
    CHECK(Json(std::numeric_limits<double>::infinity()).compact() == "null");
  }

  TEST_CASE("pairs that begin with a text are members, others are items") {
    CHECK(Json{{"a", 1}, {"b", {{"c", true}}}}.compact() == R"({"a":1,"b":{"c":true}})");
    CHECK((Json{{"a", 1, 2}, "b"}).compact() == R"([["a",1,2],"b"])");
    CHECK(Json(std::vector<std::string>{"x", "y"}).compact() == R"(["x","y"])");
    Json json;
    json["b"]["c"] = "d";
    json["a"].push_back(true);
    CHECK(json.compact() == R"({"b":{"c":"d"},"a":[true]})");
    CHECK(json.sorted() == R"({"a":[true],"b":{"c":"d"}})");
    json.update({{"a", 2}, {"z", 3}});
    json.erase("b");
    CHECK(json.compact() == R"({"a":2,"z":3})");
    CHECK(json.find("b") == nullptr);
    CHECK(Json("text").find("b") == nullptr);
  }

  TEST_CASE("of members with one key the last counts, however many there are") {
    CHECK(read_json(R"({"a":1,"b":2,"a":{"a":3},"c":4})")->compact() ==
          R"({"b":2,"a":{"a":3},"c":4})");
    std::string text = "{";
    for (int i = 0; i < 200'000; ++i) {
      text += std::to_string(i % 199'999).insert(0, "\"k").append("\":1,");
    }
    text.back() = '}';
    CHECK(read_json(text)->size() == 199'999);
  }

  TEST_CASE("what is no JSON is nothing, and what is too deep is left out") {
    for (const char* text : {"", "{", "[1,]", "{\"a\" 1}", "nul", "\"\xff\"", "1 2"}) {
      CAPTURE(text);
      CHECK_FALSE(read_json(text).has_value());
    }
    const auto deep = read_json(std::string(1'000'000, '[') + std::string(1'000'000, ']'));
    REQUIRE(deep.has_value());
    CHECK(deep->compact() == std::string(100, '[') + std::string(100, ']'));
    CHECK(read_json(R"({"a":)" + std::string(200, '[') + std::string(200, ']') + R"(,"b":1})")
              ->contains("b"));
    CHECK_FALSE(read_json(std::string(1'000'000, '[')).has_value());
  }

  TEST_CASE("what has nothing to say is no member") {
    Json json = Json::object();
    const auto twice = [](int value) { return 2 * value; };
    json.set_if_any("text", std::string{"a"});
    json.set_if_any("no_text", std::string{});
    json.set_if_any("value", std::optional{3}, twice);
    json.set_if_any("no_value", std::optional<int>{}, twice);
    json["list"] = Json::array(std::vector{1, 2}, twice);
    json["none"] = Json::array(std::vector<int>{}, twice);
    CHECK(json.compact() == R"({"text":"a","value":6,"list":[2,4],"none":[]})");
  }
}

}  // namespace memsize::core::json_test
