#include "memsize/core/cursor.hpp"

#include "support.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::core::cursor_test {

TEST_SUITE("core") {
  TEST_CASE("a cursor: tokens with their places, whatever ends the lines") {
    const std::string text =
        "\xEF\xBB\xBF"
        "a.b = \"two words\"; // gone ; too\r\n/* over\r\n lines */ x-1@f { }";
    Diagnostics errors;
    Cursor cursor{"f.c", text, Code::kVerifyParse, errors};

    struct Want {
      std::string text;
      std::size_t line;
      std::size_t column;
    };

    for (const Want& want : std::vector<Want>{{"a.b", 1, 4},
                                              {"=", 1, 8},
                                              {"\"two words\"", 1, 10},
                                              {";", 1, 21},
                                              {"x-1@f", 3, 11},
                                              {"{", 3, 17},
                                              {"}", 3, 19}}) {
      CAPTURE(want.text);
      CHECK(cursor.place().line == want.line);
      CHECK(cursor.place().column == want.column);
      CHECK(cursor.place().length == want.text.size());
      CHECK(cursor.take() == want.text);
    }
    CHECK(cursor.done());
    CHECK(cursor.peek().empty());
    CHECK(cursor.take().empty());
    // The end is behind the last token.
    CHECK_FALSE(cursor.expect(";"));
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].message == "';' is expected here, not 'the end'");
    CHECK(errors[0].place.line == 3);
  }

  TEST_CASE("a cursor: numbers as C has them, and what is none") {
    Diagnostics errors;
    Cursor cursor{"f.c", "12 0x1FU 7ul x 0x1FFFFFFFFFFFFFFFF", Code::kVerifyParse, errors};
    CHECK(cursor.number() == 12);
    CHECK(cursor.number() == 0x1F);
    CHECK(cursor.number() == 7);
    CHECK(errors.empty());
    CHECK(cursor.number() == 0);
    CHECK(cursor.number() == 0);
    REQUIRE(errors.size() == 2);
    CHECK(errors[0].place.column == 14);
    CHECK(cursor.done());
  }

  TEST_CASE("a cursor: what is cut off ends with the text") {
    for (const std::string text : {"/* a", "\"a", "// a", "", "\"", "a /*", "\xEF\xBB\xBF"}) {
      CAPTURE(text);
      Diagnostics errors;
      Cursor cursor{"f.c", text, Code::kVerifyParse, errors};
      cursor.skip_past("}");
      CHECK(cursor.done());
      CHECK_FALSE(cursor.expect("}"));
      CHECK(errors.size() == 1);
    }
  }

  TEST_CASE("places get the text of their line, in their own file only") {
    Place here;
    here.path = "a.c";
    here.line = 2;
    Place other = here;
    other.path = "b.c";
    Place far = here;
    far.line = 9;
    Diagnostic both = error(Code::kVerifyParse, "m", here);
    both.related.push_back({here, "r"});
    Diagnostics list = {
        both, error(Code::kVerifyParse, "m", other), error(Code::kVerifyParse, "m", far)};
    add_text(list, "a.c", "first\nsecond\r\nthird");
    CHECK(list[0].place.text.str() == "second");
    CHECK(list[0].related[0].place.text.str() == "second");
    CHECK(list[1].place.text.empty());
    CHECK(list[2].place.text.empty());
    Diagnostics inside = {error(Code::kUsage, "x", Place{"r.c", 1, 5, 1, {}})};
    add_text(inside, "r.c", "ab\rcd\r\nnext");
    CHECK(inside.front().place.text.str() == "ab\rcd");
    add_text(list, "b.c", "one\n");
    CHECK(list[1].place.text.str() == "");
  }
}

}  // namespace memsize::core::cursor_test
