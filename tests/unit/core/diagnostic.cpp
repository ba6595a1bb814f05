#include "memsize/core/diagnostic.hpp"

#include "support.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>

namespace memsize::core::diagnostic_test {

TEST_SUITE("core") {
  TEST_CASE("every code has a name of its own of the form room.word") {
    std::set<std::string> names;
    for (const Code code : all_codes()) {
      const std::string name{code_name(code)};
      CAPTURE(name);
      CHECK(names.insert(name).second);
      CHECK((code == Code::kUsage || name.find('.') != std::string::npos));
      CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz.-") == std::string::npos);
    }
    CHECK(code_name(Code::kLayoutWindow) == "layout.window");
    CHECK(code_name(Code::kUsage) == "usage");
  }

  TEST_CASE("the exit status is that of the gravest error; warnings have none") {
    CHECK(exit_status({}) == ExitStatus::kDone);
    CHECK(exit_status({warning(Code::kKnobUnknown, "w"), note(Code::kFileWrite, "n")}) ==
          ExitStatus::kDone);
    CHECK(exit_status({error(Code::kTomlSyntax, "e")}) == ExitStatus::kInput);
    CHECK(exit_status({error(Code::kLayoutWindow, "e")}) == ExitStatus::kDoesNotFit);
    CHECK(exit_status({error(Code::kKnobUnknown, "e")}) == ExitStatus::kUsage);
    CHECK(exit_status({error(Code::kFileWrite, "e")}) == ExitStatus::kEnvironment);
    CHECK(exit_status({error(Code::kLayoutWindow, "e"), error(Code::kLayoutOverlap, "e")}) ==
          ExitStatus::kInput);
    CHECK(exit_status({error(Code::kKnobUnknown, "e"), error(Code::kLayoutOverlap, "e")}) ==
          ExitStatus::kUsage);
    const Diagnostic in_file = error(Code::kTextSize, "e", {"a", 1, 1});
    CHECK(exit_status({in_file}) == ExitStatus::kInput);
    CHECK(exit_status({Diagnostic{in_file}.of_option("--dram")}) == ExitStatus::kUsage);
    CHECK(has_errors({warning(Code::kUsage, "w"), error(Code::kUsage, "e")}));
    CHECK_FALSE(has_errors({warning(Code::kUsage, "w"), note(Code::kUsage, "n")}));
  }

  TEST_CASE("code, place and parties tell findings apart, words and numbers do not") {
    Place place;
    place.path = "a";
    const auto overlap = [&](const char* text, const char* other) {
      return error(Code::kLayoutOverlap, text, place)
          .about({{"region", "HEAP"}})
          .about({{"region", other}});
    };
    const Diagnostics told = {overlap("'HEAP' and 'RINGS' overlap by 1 KiB", "RINGS")};
    CHECK(told.front().parties == Parties{{"region", "HEAP"}, {"region", "RINGS"}});
    CHECK(told.front().party("region") == "HEAP");
    CHECK(told.front().party("core").empty());
    CHECK(is_told(told, overlap("2 KiB of 'HEAP' are those of 'RINGS', too", "RINGS")));
    CHECK_FALSE(is_told(told, overlap("'HEAP' and 'CODE' overlap by 1 KiB", "CODE")));
    CHECK_FALSE(is_told({}, told.front()));
    place.line = 3;
    CHECK_FALSE(is_told(told, overlap("'HEAP' and 'RINGS' overlap by 1 KiB", "RINGS")));
    // Nobody knows what these are about.
    CHECK_FALSE(is_told({error(Code::kUsage, "x")}, error(Code::kUsage, "x")));
    CHECK(is_told({error(Code::kUsage, "x", place)}, error(Code::kUsage, "y", place)));
  }

  TEST_CASE("sorting by place keeps the order of equal places") {
    const auto at = [](const char* path, std::size_t line, std::size_t column, const char* text) {
      Place place;
      place.path = path;
      place.line = line;
      place.column = column;
      return error(Code::kUsage, text, place);
    };
    Diagnostics list = {at("b", 1, 1, "4"),
                        at("a", 10, 1, "2"),
                        at("a", 9, 7, "1"),
                        at("a", 10, 1, "3"),
                        at("", 0, 0, "0")};
    sort_by_place(list);
    std::string order;
    for (const Diagnostic& diagnostic : list) {
      order += diagnostic.message;
    }
    CHECK(order == "01234");
  }

  TEST_CASE("a failure carries its diagnostic whole") {
    const Result<int> failed = fail(error(Code::kTextSize, "what", {}, "how"));
    REQUIRE_FALSE(failed.has_value());
    CHECK(failed.error().front().severity == Severity::kError);
    CHECK(failed.error().front().hint == "how");
    CHECK(severity_name(Severity::kNote) == "note");
    CHECK(severity_name(Severity::kWarning) == "warning");
    CHECK(severity_name(Severity::kError) == "error");
  }
}

}  // namespace memsize::core::diagnostic_test
