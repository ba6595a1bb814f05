#include "memsize/core/csv.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::core {

TEST_SUITE("core") {
  TEST_CASE("a cell of CSV is quoted where it must be, and never a formula") {
    CHECK(csv_cell("") == "");
    CHECK(csv_cell("plain text") == "plain text");
    CHECK(csv_cell("a,b") == "\"a,b\"");
    CHECK(csv_cell("say \"x\"") == "\"say \"\"x\"\"\"");
    CHECK(csv_cell("two\nlines") == "two\\x0Alines");
    for (const char* formula : {"=1+1", "+1", "-1", "@SUM(A1)"}) {
      CHECK(csv_cell(formula) == std::string{"'"} + formula);
    }
    CHECK(csv_cell("=HYPERLINK(\"x\",1)") == "\"'=HYPERLINK(\"\"x\"\",1)\"");
    CHECK(csv_cell("\t =1") == "'  =1");
    CHECK(csv_cell("\x1b=1") == "\\x1B=1");
  }
}

}  // namespace memsize::core
