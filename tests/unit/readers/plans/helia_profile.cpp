#include "memsize/readers/profile_reader.hpp"

#include "support.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::readers::helia_profile_test {

namespace {

core::Diagnostic first_error(const std::string& text) {
  const auto profile = read_profile(text, "profile.csv");
  REQUIRE(!profile);
  return profile.error().front();
}

}  // namespace

TEST_SUITE("readers") {
  TEST_CASE("a profile has cycles by operator, whatever other columns it has") {
    const auto profile = read_profile(
        "\xEF\xBB\xBFid,op,\"shape\",cycles\n0,CONV_2D,\"[1, 2]\",1200\n\n17,ADD,\"a "
        "\"\"b\"\"\",0.6\n",
        "p");
    REQUIRE(profile);
    REQUIRE(profile->size() == 2);
    CHECK(profile->front().name == "0");
    CHECK(profile->front().total == 1200);
    CHECK(profile->back().name == "17");
    CHECK(profile->back().total == 1);
    CHECK(profile->back().line == 4);
  }

  TEST_CASE("what is no profile is refused with its place") {
    CHECK(first_error("").code == core::Code::kReadEmpty);
    CHECK(first_error("id,cycles\n").code == core::Code::kReadEmpty);
    CHECK(first_error("id,op\n1,ADD\n").message == "the column 'cycles' is missing");
    CHECK(first_error("id,cycles,id\n1,2,3\n").message == "the column 'id' stands twice");
    CHECK(first_error("id,cycles\n1\n").message == "the row has 1 field, the first line 2");
    CHECK(first_error("id,cycles\n,5\n").message == "the row has no id");
    CHECK(first_error("id,cycles\n1,5\n1,6\n").code == core::Code::kPlanDuplicate);
    CHECK(first_error("id,cycles\n1,\"5\n").message == "a quoted field does not end");
    for (const char* text : {"-1", "nan", "inf", "1e300", "five", "", "5 6"}) {
      const core::Diagnostic error = first_error("id,cycles\n1," + std::string{text} + "\n");
      CHECK(error.message == "cycles must be a number from 0, not '" + std::string{text} + "'");
      CHECK(error.place.line == 2);
    }
  }
}

}  // namespace memsize::readers::helia_profile_test
