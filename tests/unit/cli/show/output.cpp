#include "memsize/core/document.hpp"
#include "memsize/docs/parse.hpp"

#include "show/render_diagnostics.hpp"
#include "show/table.hpp"
#include "show/unified_diff.hpp"
#include "support.hpp"

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace memsize::cli::output_test {

namespace {

using core::Code;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::string line;
  for (const char c : text) {
    line += c;
    if (c == '\n') {
      lines.push_back(line);
      line.clear();
    }
  }
  if (!line.empty()) {
    lines.push_back(line);
  }
  return lines;
}

// What patch(1) does, and strictly: the old side of every hunk must be where the hunk says.
std::string patched(const std::string& old_text, const std::string& diff) {
  const std::vector<std::string> old_lines = lines_of(old_text);
  const std::vector<std::string> patch = lines_of(diff);
  std::string out;
  std::size_t next = 0;       // the first old line that is not copied yet
  std::size_t new_lines = 0;  // lines of `out`
  std::size_t at = 2;         // after the two file names
  const auto emit = [&](const std::string& line) {
    out += line;
    ++new_lines;
  };
  while (at < patch.size()) {
    std::size_t old_start = 0;
    std::size_t old_count = 0;
    std::size_t new_start = 0;
    std::size_t new_count = 0;
    char skip = 0;
    std::istringstream head{patch[at]};
    head >> skip >> skip >> skip >> old_start >> skip >> old_count >> skip >> new_start >> skip >>
        new_count;
    REQUIRE_FALSE(head.fail());
    ++at;
    const std::size_t first = old_count == 0 ? old_start : old_start - 1;
    REQUIRE(first >= next);
    while (next < first) {
      emit(old_lines.at(next++));
    }
    REQUIRE((new_count == 0 ? new_start : new_start - 1) == new_lines);
    std::size_t took = 0;
    std::size_t gave = 0;
    while (took < old_count || gave < new_count) {
      std::string line = patch.at(at).substr(1);
      const char kind = patch.at(at).at(0);
      ++at;
      if (at < patch.size() && patch[at].starts_with('\\')) {
        line.pop_back();
        ++at;
      }
      if (kind != '+') {
        REQUIRE(old_lines.at(next) == line);
        ++next;
        ++took;
      }
      if (kind != '-') {
        emit(line);
        ++gave;
      }
    }
    REQUIRE(took == old_count);
    REQUIRE(gave == new_count);
  }
  while (next < old_lines.size()) {
    emit(old_lines.at(next++));
  }
  return out;
}

std::string random_text(test::Random& random) {
  std::string text;
  const std::uint64_t lines = random.below(30);
  for (std::uint64_t i = 0; i < lines; ++i) {
    text += std::string(random.below(3), static_cast<char>('a' + random.below(3))) + "\n";
  }
  if (!text.empty() && random.below(3) == 0) {
    text.pop_back();
  }
  return text;
}

// A few lines added, removed or changed.
std::string changed(const std::string& text, test::Random& random) {
  std::vector<std::string> lines = lines_of(text);
  const std::uint64_t edits = random.below(4);
  for (std::uint64_t i = 0; i < edits; ++i) {
    const auto where = static_cast<std::ptrdiff_t>(random.below(lines.size() + 1));
    if (random.below(2) == 0 || lines.empty() || where == std::ssize(lines)) {
      lines.insert(lines.begin() + where, "new\n");
    } else {
      lines.erase(lines.begin() + where);
    }
  }
  std::string out;
  for (const std::string& line : lines) {
    out += line;
  }
  return out;
}

core::Place place(std::size_t line, std::size_t column, std::size_t length, std::string text) {
  core::Place made;
  made.path = "dir/b.toml";
  made.line = line;
  made.column = column;
  made.length = length;
  made.text = std::move(text);
  return made;
}

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("a table has aligned columns and no blanks at line ends") {
    Table table;
    table.columns = {{"name", false}, {"size", true}, {"note", false}};
    table.rows = {{"a", "1", ""}, {"longer name", "1000", "x"}};
    CHECK(table.text(2) ==
          "  name         size  note\n"
          "  a               1\n"
          "  longer name  1000  x\n");
    table.rows.clear();
    CHECK(table.text(0) == "name  size  note\n");
  }

  TEST_CASE("CSV cells with separators, quotes or line ends are quoted") {
    Table table;
    table.columns = {{"a", false}, {"b,c", false}};
    table.rows = {{"plain", "say \"hi\""}, {"two\nlines", "x"}};
    CHECK(table.csv() == "a,\"b,c\"\nplain,\"say \"\"hi\"\"\"\ntwo\\x0Alines,x\n");
  }

  TEST_CASE("columns line up whatever alphabet a cell is in") {
    Table table;
    table.columns = {{"name"}, {"n", true}};
    table.rows = {{"gr\xC3\xB6\xC3\x9F"
                   "e",
                   "1"},
                  {"\xE7\x95\xB3\xE3\x81\xBF", "10"},
                  {"o\xCC\x88", "2"}};
    CHECK(table.text(0) ==
          "name    n\n"
          "gr\xC3\xB6\xC3\x9F"
          "e   1\n"
          "\xE7\x95\xB3\xE3\x81\xBF   10\n"
          "o\xCC\x88       2\n");
  }

  TEST_CASE("Markdown cells cannot end their row") {
    Table table;
    table.columns = {{"a|b", false}, {"n", true}};
    table.rows = {{"x|y\nz", "1"}};
    CHECK(table.markdown() == "| a\\|b | n |\n|---|---:|\n| x\\|y z | 1 |\n");
  }

  TEST_CASE("no cell is a formula, an element, a link or a command to a terminal") {
    Table table;
    table.columns = {{"a"}};
    table.rows = {
        {"=1+1"}, {"<img src=x onerror=alert(1)>"}, {"![x](http://y/z)"}, {"\\|b"}, {"\xC2\x9Bm"}};
    CHECK(table.csv() ==
          "a\n'=1+1\n<img src=x onerror=alert(1)>\n![x](http://y/z)\n\\|b\n\\xC2\\x9Bm\n");
    CHECK(table.markdown() ==
          "| a |\n|---|\n| =1+1 |\n| &lt;img src=x onerror=alert(1)&gt; |\n"
          "| !\\[x\\](http://y/z) |\n| \\\\\\|b |\n| \\\\xC2\\\\x9Bm |\n");
    CHECK(table.text(0).find("\xC2\x9B") == std::string::npos);
  }

  TEST_CASE("equal texts have no difference") {
    CHECK(unified_diff("a", "x\n", "b", "x\n").empty());
    CHECK(unified_diff("a", "", "b", "").empty());
  }

  TEST_CASE("a difference has three lines of context") {
    CHECK(
        unified_diff("old", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "new", "1\n2\n3\n4\nX\n6\n7\n8\n9\n") ==
        "--- old\n+++ new\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n");
    CHECK(unified_diff("old", "", "new", "a\nb\n") ==
          "--- old\n+++ new\n@@ -0,0 +1,2 @@\n+a\n+b\n");
    CHECK(unified_diff("old", "a\n", "new", "") == "--- old\n+++ new\n@@ -1,1 +0,0 @@\n-a\n");
    CHECK(unified_diff("old", "a", "new", "a\n") ==
          "--- old\n+++ new\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n");
  }

  TEST_CASE("changes seven lines apart are two hunks, six lines apart one") {
    const auto text = [](std::size_t between, const char* first, const char* last) {
      std::string out = std::string{first} + "\n";
      for (std::size_t i = 0; i < between; ++i) {
        out += "same\n";
      }
      return out + last + "\n";
    };
    const auto hunks = [&](std::size_t between) {
      const std::string diff =
          unified_diff("o", text(between, "a", "b"), "n", text(between, "c", "d"));
      std::size_t found = 0;
      for (const std::string& line : lines_of(diff)) {
        found += line.starts_with("@@") ? 1U : 0U;
      }
      return found;
    };
    CHECK(hunks(6) == 1);
    CHECK(hunks(7) == 2);
  }

  TEST_CASE("applying a difference gives the new text") {
    test::Random random{1};
    for (int round = 0; round < 3000; ++round) {
      CAPTURE(round);
      const std::string before = random_text(random);
      const std::string after =
          random.below(4) == 0 ? random_text(random) : changed(before, random);
      CAPTURE(before);
      CAPTURE(after);
      const std::string diff = unified_diff("old", before, "new", after);
      REQUIRE(diff.empty() == (before == after));
      REQUIRE((diff.empty() ? before : patched(before, diff)) == after);
    }
  }

  TEST_CASE("texts too large to compare in full still have a true difference") {
    std::string before = "head\n";
    std::string after = "head\n";
    for (int i = 0; i < 5000; ++i) {
      before += "old " + std::to_string(i) + "\n";
      after += "new " + std::to_string(i) + "\n";
    }
    CHECK(patched(before, unified_diff("o", before, "n", after)) == after);
  }

  TEST_CASE("a diagnostic shows its line with a caret under its piece") {
    core::Diagnostic problem = core::error(
        Code::kTomlType, "what is wrong", place(41, 8, 8, "size = \"116MiB\""), "what would work");
    problem.details = {"a fact"};
    problem.related.push_back({place(57, 1, 3, "abc = 1"), "the other party"});
    CHECK(render(problem, false) ==
          "dir/b.toml:41:8: error[toml.type]: what is wrong\n"
          "   41 | size = \"116MiB\"\n"
          "      |        ^^^^^^^^\n"
          "  a fact\n"
          "dir/b.toml:57:1: note: the other party\n"
          "   57 | abc = 1\n"
          "      | ^^^\n"
          "  hint: what would work\n");
  }

  TEST_CASE("without a place the program speaks for itself, without a column there is no caret") {
    CHECK(render(core::warning(Code::kUsage, "odd"), false) == "memsize: warning[usage]: odd\n");
    CHECK(render(core::note(Code::kUsage, "n", place(3, 0, 0, "a line")), false) ==
          "dir/b.toml:3: note[usage]: n\n    3 | a line\n");
    core::Place file;
    file.path = "-";
    CHECK(render(core::error(Code::kUsage, "x", file), false) ==
          "<standard input>: error[usage]: x\n");
  }

  TEST_CASE("a tab is one column, and a caret never leaves its line") {
    CHECK(render(core::error(Code::kUsage, "x", place(1, 3, 1, "a\tb")), false) ==
          "dir/b.toml:1:3: error[usage]: x\n    1 | a b\n      |   ^\n");
    CHECK(render(core::error(Code::kUsage, "x", place(1, 3, 50, "abc")), false) ==
          "dir/b.toml:1:3: error[usage]: x\n    1 | abc\n      |   ^\n");
    // Just behind the end: something is missing there.
    CHECK(render(core::error(Code::kUsage, "x", place(1, 4, 1, "abc")), false) ==
          "dir/b.toml:1:4: error[usage]: x\n    1 | abc\n      |    ^\n");
    CHECK(
        render(core::error(Code::kUsage, "x", place(1, 7, 3, "\xE7\x95\xB3\xC3\xB6 abc")), false) ==
        "dir/b.toml:1:7: error[usage]: x\n    1 | \xE7\x95\xB3\xC3\xB6 abc\n      |     ^^^\n");
  }

  TEST_CASE("a long line is cut around its piece, which stays above the caret") {
    for (const std::size_t column : {1U, 40U, 60U, 150U, 250U, 300U}) {
      CAPTURE(column);
      std::string text(300, '.');
      text[column - 1] = '#';
      const std::string shown =
          render(core::error(Code::kUsage, "x", place(1, column, 1, text)), false);
      const std::vector<std::string> lines = lines_of(shown);
      REQUIRE(lines.size() == 3);
      CHECK(lines[1].size() < 130);
      CHECK(lines[1].find('#') != std::string::npos);
      CHECK(lines[1].find('#') == lines[2].find('^'));
    }
  }

  TEST_CASE("colour surrounds the kind and the caret only where it is asked for") {
    const core::Diagnostic problem = core::error(Code::kUsage, "x", place(1, 1, 1, "abc"));
    CHECK_FALSE(test::contains(render(problem, false), "\x1b"));
    CHECK(test::contains(render(problem, true), "\x1b[1;31merror[usage]\x1b[0m"));
    CHECK(test::contains(render(problem, true), "\x1b[1;32m^\x1b[0m"));
  }

  TEST_CASE("an input cannot colour the terminal or forge a line") {
    const auto parsed = docs::parse_toml("a = \x1b[31m1\n", "x.toml");
    REQUIRE_FALSE(parsed.has_value());
    CHECK_FALSE(test::contains(render(parsed.error().front(), false), "\x1b"));
    core::Place file;
    file.path = "a\nmemsize: error: all is well";
    const std::string shown = render(core::error(Code::kUsage, "x", file), false);
    CHECK(lines_of(shown).size() == 1);
  }

  TEST_CASE("at most twenty errors are shown, then how many more there are") {
    core::Diagnostics many;
    for (int i = 0; i < 25; ++i) {
      many.push_back(core::error(Code::kUsage, "e"));
    }
    many.push_back(core::note(Code::kUsage, "a note is for the report"));
    many.push_back(core::warning(Code::kUsage, "w"));
    const std::vector<std::string> lines = lines_of(render_problems(many, false));
    // Twenty errors, the warning, the rest.
    REQUIRE(lines.size() == 22);
    CHECK(lines.back() == "memsize: 5 errors more\n");
    many.resize(20);
    CHECK(lines_of(render_problems(many, false)).size() == 20);
  }

  TEST_CASE("diagnostics as JSON leave out what is not there") {
    core::Diagnostic problem = core::error(Code::kTomlType, "m", place(4, 2, 1, "text"), "h");
    problem.details = {"d"};
    problem.related.push_back({place(5, 1, 1, "t"), "r"});
    const auto json =
        nlohmann::json::parse(core::to_json({problem, core::note(Code::kUsage, "n")}).compact());
    REQUIRE(json.size() == 2);
    CHECK(json[0]["severity"] == "error");
    CHECK(json[0]["code"] == "toml.type");
    CHECK(json[0]["path"] == "dir/b.toml");
    CHECK(json[0]["line"] == 4);
    CHECK(json[0]["column"] == 2);
    CHECK(json[0]["hint"] == "h");
    CHECK(json[0]["details"][0] == "d");
    CHECK(json[0]["related"][0]["message"] == "r");
    for (const char* absent : {"path", "line", "column", "hint", "details", "related"}) {
      CHECK_FALSE(json[1].contains(absent));
    }
    CHECK(core::to_json({}).is_array());
  }
}

}  // namespace memsize::cli::output_test
