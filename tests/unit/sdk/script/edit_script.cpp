// Constants of a generator script get other values, in the way in which the script writes them.
#include "script/edit_script.hpp"

#include "sdk/script_support.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memsize::sdk::edit_script_test {

using Values = std::map<std::string, Integer>;

namespace {

constexpr Integer kKb = 1024;
constexpr Integer kMb = kKb * kKb;
constexpr Integer kGb = kKb * kMb;

constexpr std::string_view kUnits =
    "KB = 1024;\nMB = KB*KB;\nGB = KB*MB;\nu = 1*GB + 2*MB + 3*KB\n";

std::string set(const std::string& text, const Values& values) {
  CAPTURE(text);
  const auto script = evaluate_script("gen.py", text);
  REQUIRE_MESSAGE(script.has_value(), (script ? "" : test::all_text(script.error())));
  const auto edited = set_constants("gen.py", text, &*script, values);
  REQUIRE_MESSAGE(edited.has_value(), (edited ? "" : test::all_text(edited.error())));
  // What is known of the script beforehand changes nothing.
  CHECK(set_constants("gen.py", text, nullptr, values).value() == *edited);
  return *edited;
}

std::string refused_set(const std::string& text, const Values& values) {
  CAPTURE(text);
  const auto edited = set_constants("gen.py", text, nullptr, values);
  REQUIRE_FALSE(edited.has_value());
  return brief(edited.error().front());
}

struct Style {
  std::string before;
  Integer value;
  std::string after;
};

}  // namespace

TEST_SUITE_BEGIN("sdk");

TEST_CASE("a constant keeps the way in which it is written") {
  const std::vector<Style> styles = {
      {"64*MB", 10 * kMb, "10*MB"},
      {"64 * MB", 10 * kMb, "10 * MB"},
      {"MB*64", 10 * kMb, "MB*10"},
      {"(512*KB)", 256 * kKb, "(256*KB)"},
      {"( 512 *\tKB )", 256 * kKb, "( 256 *\tKB )"},
      {"512*KB", 2 * kMb, "2048*KB"},
      {"16*MB;", 8 * kMb, "8*MB;"},
      {"16*MB; # 16*MB, as before", 8 * kMb, "8*MB; # 16*MB, as before"},
      {"0x10*MB", 31 * kMb, "0x1F*MB"},
      {"1*GB", 3 * kGb, "3*GB"},
      {"1*GB", 3 * kMb, "3*MB"},
      {"64*MB", 3 * kKb, "3*KB"},
      {"MB * 64", 3 * kKb, "KB * 3"},
      {"64*MB", 4097, "0x00001001"},
      {"(64*MB)", 4097, "(0x00001001)"},
      {"64*MB", 0, "0*MB"},
      {"0x02000000", 0x1800000, "0x01800000"},
      {"0x02000000", 0x900000000, "0x900000000"},
      {"0xa0000000", 0xB8000000, "0xb8000000"},
      {"0XA0000000", 0xB8000000, "0XB8000000"},
      {"0x880000000", 0x8A0000000, "0x8A0000000"},
      {"0x880000000", 0xA0000000, "0xA0000000"},
      {"0x8000", 0x400, "0x400"},
      {"0x0000_8000", 0x4000, "0x00004000"},
      {"33554432", 1000, "1000"},
      {"33_554_432", 1000, "1000"},
      {"0b1", 0x1000, "0x00001000"},
      {"1 * GB + 448*MB", kGb + 512 * kMb, "1 * GB + 512*MB"},
      {"1*GB + 448*MB", 3 * kGb + 448 * kMb, "3*GB + 448*MB"},
      {"1*GB + 448*MB", 512 * kMb, "512*MB"},
      {"1*MB - 1*KB", 2 * kMb - kKb, "2*MB - 1*KB"},
      {"1*MB - 1*KB", kMb - 2 * kKb, "1*MB - 2*KB"},
      {"u", 3 * kMb, "3*MB"},
      {"u >> 4", 3 * kKb, "3*KB"},
      {"(u >> 4)", 5, "0x00000005"},
      {"max(u, 1*MB)", 512 * kKb, "512*KB"},
      {"2*u", 2 * kGb, "2048*MB"},
      {"4096 + u", 5 * kGb, "4292867072 + u"},
      {"4096 + u", 4096 + kGb, "1048580*KB"},
  };
  for (const Style& style : styles) {
    CAPTURE(style.before);
    const std::string head = std::string{kUnits} + "x = ";
    const std::string tail = "\ny = x + 1 # x = 64*MB\n";
    CHECK(set(head + style.before + tail, {{"x", style.value}}) == head + style.after + tail);
  }
}

TEST_CASE("what is computed from a hexadecimal number, and has no unit, is an address") {
  const std::string head = std::string{kUnits} + "base = 0xA0000000;\nsize = 8*MB;\n";
  const auto check = [&](const std::string& before, Integer value, const std::string& after) {
    CAPTURE(before);
    CHECK(set(head + "x = " + before + ";\n", {{"x", value}}) == head + "x = " + after + ";\n");
  };
  check("base", 0x8A0000000, "0x8A0000000");
  check("base + size", 0xA1000000, "0xA1000000");
  check("base + 8*MB", 0xA1000000, "base + 16*MB");
  check("size", 16 * kMb, "16*MB");
  check("16*MB - (base-base)", 4 * kMb, "4*MB - (base-base)");
  check("16*MB - (base+size-base)", kMb + 5 * kKb, "1029*KB");
}

TEST_CASE("a sum keeps its other operands while it comes out whole") {
  const std::string text = std::string{kUnits} +
                           "log = 256*KB;\n"
                           "desc = 64*MB - log;\n"
                           "tail = desc + log;\n";
  CHECK(set(text, {{"desc", 32 * kMb - 256 * kKb}}) ==
        test::with(text, "64*MB - log", "32*MB - log"));
  CHECK(set(text, {{"desc", 8 * kMb}}) == test::with(text, "64*MB - log", "8*MB"));
  // Both at once: the second is computed from the first.
  CHECK(set(text, {{"desc", 31 * kMb}, {"log", kMb}}) ==
        test::with(test::with(text, "64*MB - log", "32*MB - log"), "256*KB", "1024*KB"));
  // What one change moves, and another one holds.
  CHECK(set(text, {{"desc", 64 * kMb - 256 * kKb}, {"log", kMb}}) ==
        test::with(test::with(text, "64*MB - log", "65280*KB"), "256*KB", "1024*KB"));
}

TEST_CASE("only the assignment that counts is edited, whatever the file's bytes are") {
  const std::string mark = "\xEF\xBB\xBF";
  CHECK(
      set(mark + "MB = 1024*1024\r\nx = 1*MB # \xC3\xA4\r\nx\t=\t2*MB ;y = x", {{"x", 5 * kMb}}) ==
      mark + "MB = 1024*1024\r\nx = 1*MB # \xC3\xA4\r\nx\t=\t5*MB ;y = x");
  CHECK(set("MB = 1 << 20\nif MB > 1:\n\tx = 2*MB\nelse:\n\tx = 1*MB", {{"x", 5 * kMb}}) ==
        "MB = 1 << 20\nif MB > 1:\n\tx = 5*MB\nelse:\n\tx = 1*MB");
  CHECK(set("MB = 1 << 20\nx = (4*MB +\n  4*MB)\n", {{"x", 7 * kMb}}) ==
        "MB = 1 << 20\nx = (3*MB +\n  4*MB)\n");
  // Without units a size is a number.
  CHECK(set("x = min(4096, 8192)\n", {{"x", 8192}}) == "x = 0x00002000\n");
  const std::string same = "MB = 1 << 20\nx = 0x100000 * 2;\n";
  CHECK(set(same, {{"x", 2 * kMb}}) == same);
  CHECK(set(same, {}) == same);
}

TEST_CASE("what cannot be set is refused where it stands") {
  const std::string head = "MB = 1 << 20\nheap_size = 2*MB\n";
  CHECK(refused_set(head, {{"heap_sise", 1}}) == "0:0+0 the script has no variable 'heap_sise'");
  const auto unknown = set_constants("gen.py", head, nullptr, {{"heap_sise", 1}});
  CHECK(unknown.error().front().code == core::Code::kSdkName);
  CHECK(unknown.error().front().hint == "did you mean 'heap_size'?");
  CHECK(refused_set(head + "heap_size += MB\n", {{"heap_size", 1}}) ==
        "3:1+9 'heap_size' is changed here once more, so that there is no one value of it");
  CHECK(refused_set(head + "a = b = 3\n", {{"b", 1}}) ==
        "3:5+1 'b' gets its value together with other names");
  CHECK(refused_set(head + "def f():\n  if MB:\n    x = 1\n", {{"x", 1}}) ==
        "5:5+1 'x' is only assigned in function 'f'");
  CHECK(refused_set(head + "x = 'text'\n", {{"x", 1}}) == "3:1+1 'x' is no number");
  CHECK(refused_set(head + "x = (1, 2)\n", {{"x", 1}}) ==
        "3:1+1 'x' is no number, or depends on the environment");
  CHECK(refused_set(head, {{"heap_size", -1}}) ==
        "2:1+9 'heap_size' cannot be -1: sizes and addresses are not negative");
  CHECK(refused_set(head + "assert heap_size % MB == 0\n", {{"heap_size", 4096}}) ==
        "3:8+19 the script's assertion fails");
  CHECK(refused_set(head + "for x in y:\n", {{"heap_size", 4096}}) ==
        "3:1+3 a 'for' statement is not understood");
  CHECK(refused_set("x = 1\nx = x + 1\ny = x\nx = 0\nx = y\nx *= 1\n", {{"y", 1}, {"q", 2}}) ==
        "0:0+0 the script has no variable 'q'");
}

TEST_CASE("a script that does not run to its end is edited like any other") {
  const std::string text = std::string{kUnits} +
                           "heap = 64*MB\n"
                           "lost = nobody + 1*MB; kept = 8*MB\n"
                           "found = lost\n"
                           "log = heap - 1*MB\n"
                           "print(\n  missing)\n"
                           "last = 1*MB";
  CHECK_FALSE(evaluate_script("gen.py", text).has_value());
  const auto edited =
      set_constants("gen.py", text, nullptr, {{"heap", 8 * kMb}, {"kept", 3 * kKb}, {"last", 5}});
  REQUIRE_MESSAGE(edited.has_value(), (edited ? "" : test::all_text(edited.error())));
  CHECK(*edited == test::with(test::with(test::with(text, "heap = 64*MB", "heap = 8*MB"),
                                         "8*MB\nfound",
                                         "3*KB\nfound"),
                              "last = 1*MB",
                              "last = 0x00000005"));
  const auto refused = set_constants("gen.py", text, nullptr, {{"found", 1}});
  REQUIRE_FALSE(refused.has_value());
  CHECK(brief(refused.error().front()) == "7:1+5 'found' cannot be set: its value is not known");
  REQUIRE(refused.error().front().related.size() == 1);
  CHECK(refused.error().front().related.front().message == "name 'lost' is not defined");
}

TEST_SUITE_END();

}  // namespace memsize::sdk::edit_script_test
