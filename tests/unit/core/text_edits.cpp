#include "memsize/core/text_edits.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::core::text_edits_test {

namespace {

Place place(std::size_t line, std::size_t column, std::size_t length) {
  Place place;
  place.line = line;
  place.column = column;
  place.length = length;
  return place;
}

}  // namespace

TEST_SUITE("core") {
  TEST_CASE("changes of a text are made together, by places of the unchanged text") {
    TextEdits edits{"one two\nthree\nfour\n"};
    CHECK(edits.empty());
    CHECK(edits.lines() == 3);
    CHECK(edits.line(2) == "three");
    CHECK(edits.at(place(1, 5, 3)) == "two");
    CHECK(edits.apply() == "one two\nthree\nfour\n");
    edits.replace(place(3, 1, 4), "4");
    edits.replace(place(1, 5, 3), "twenty");
    edits.replace(place(1, 1, 3), "1");
    edits.insert_after_line(1, "a\nb");
    edits.insert_after_line(1, "c");
    edits.remove_lines(2, 2);
    CHECK(!edits.empty());
    CHECK(edits.apply() == "1 twenty\na\nb\nc\n4\n");
  }

  TEST_CASE("line endings are those of the text") {
    TextEdits edits{"one\r\ntwo\r\nthree"};
    CHECK(edits.line(1) == "one");
    CHECK(edits.lines() == 3);
    edits.insert_after_line(1, "a\nb");
    edits.insert_after_line(3, "c");
    CHECK(edits.apply() == "one\r\na\r\nb\r\ntwo\r\nthree\r\nc");

    TextEdits single{"one"};
    single.insert_after_line(1, "two");
    CHECK(single.apply() == "one\ntwo");
  }

  TEST_CASE("what is inserted behind a line that goes stays") {
    TextEdits edits{"1\n2\n3\n"};
    edits.insert_after_line(2, "new");
    edits.insert_after_line(3, "last");
    edits.remove_lines(1, 3);
    CHECK(edits.apply() == "new\nlast\n");
  }

  TEST_CASE("columns are bytes, the byte order mark's too") {
    TextEdits edits{"\xEF\xBB\xBF\xC3\xA4 = 1;\n"};
    edits.replace(place(1, 9, 1), "22");
    CHECK(edits.apply() == "\xEF\xBB\xBF\xC3\xA4 = 22;\n");
  }

  TEST_CASE("an empty text has no lines") {
    const TextEdits edits{""};
    CHECK(edits.lines() == 0);
    CHECK(edits.apply().empty());
  }
}

}  // namespace memsize::core::text_edits_test
