// Files that a generator script writes are made to say what the edited script would write.
#include "formats/edit_generated.hpp"

#include "formats/generated_text.hpp"
#include "sdk/script_support.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memsize::sdk::edit_generated_test {

namespace {

// Three regions behind each other, one above 4 GiB, one without attributes.
std::string script_text(std::string_view exporter) {
  return fmt::format(R"(from ti_psdk_rtos_tools import *
KB = 1024
MB = KB*KB
code_size = 16*MB
heap_addr = 0xA1000000
heap_size = 2*MB
high_addr = 0x100000000
high_size = 64*MB
with_log = 0
code = MemSection("CODE", "RWIX", 0xA0000000, code_size, "code and data")
code.setDtsName("code_region", "zx9-code")
heap = MemSection("HEAP_OF_ZX9_WITH_A_LONG_NAME", "", heap_addr, heap_size, "heap")
heap.setDtsName("heap_region", "zx9-heap")
heap.setNoMap(False)
heap.setCompatibility("zx9,heap")
log = MemSection("LOG", "RW", 0xA8000000, 1*KB, "log")
log.setDtsName("log_region", "zx9-log")
log.setOriginTag(False)
log.setPrintCompatibility(False)
log.setAlignment(True)
high = MemSection("HIGH", "RWIX", high_addr, high_size, "far away")
high.splitOrigin(True)
m = MemoryMap("zx9")
m.addMemSection(high)
m.addMemSection(heap)
m.addMemSection(code)
if with_log:
    m.addMemSection(log)
{}.export()
)",
                     exporter);
}

constexpr std::string_view kLinkerExport = R"(LinkerCmdFile(m, "./d1/map.cmd"))";
constexpr std::string_view kHeaderExport = R"(CHeaderFile(m, 0x880000000, high_addr, "./map.h"))";
constexpr std::string_view kDtsExport = R"(DtsFile(m, "./map.dtsi"))";
constexpr std::string_view kHtmlExport = R"(HtmlMmapTable(m, "./map.html"))";

constexpr const char* kLinker = R"(/* Somebody's licence. */

MEMORY
{
    /* code and data [ size 16.00 MB ] */
    CODE                     ( RWIX ) : ORIGIN = 0xA0000000 , LENGTH = 0x01000000
    /* heap [ size  2.00 MB ] */
    HEAP_OF_ZX9_WITH_A_LONG_NAME          : ORIGIN = 0xA1000000 , LENGTH = 0x00200000
    /* far away [ size 64.00 MB ] */
    HIGH                     ( RWIX ) : ORIGIN = 0x100000000 , LENGTH = 0x04000000
}
)";

constexpr const char* kHeader = R"(/* Somebody's licence. */
#ifndef APP_MEM_MAP_H
#define APP_MEM_MAP_H


/* code and data [ size 16.00 MB ] */
#define CODE_ADDR (0xA0000000u)
#define CODE_SIZE (0x01000000u)

/* heap [ size  2.00 MB ] */
#define HEAP_OF_ZX9_WITH_A_LONG_NAME_ADDR (0xA1000000u)
#define HEAP_OF_ZX9_WITH_A_LONG_NAME_SIZE (0x00200000u)

/* far away [ size 64.00 MB ] */
#define HIGH_ADDR (0x100000000u)
#define HIGH_SIZE (0x04000000u)

#define DDR_64BIT_BASE_VADDR (0x100000000u)
#define DDR_64BIT_BASE_PADDR (0x880000000u)

#endif /* APP_MEM_MAP_H */

)";

constexpr const char* kDts = R"(
 /* Copy these nodes. */

	code_region: zx9-code@a0000000 {
		compatible = "shared-dma-pool";
		reg = <0x00 0xa0000000 0x00 0x01000000>;
		no-map;
	};
	heap_region: zx9-heap@a1000000 {
		compatible = "zx9,heap";
		reg = <0x00 0xa1000000 0x00 0x00200000>;
	};
	HIGH: HIGH@100000000 {
		compatible = "shared-dma-pool";
		reg = <0x01 0x00000000 0x00 0x04000000>;
		no-map;
	};

)";

std::string html_row(std::string_view style, const std::vector<std::string>& cells) {
  std::string row = "            <tr>\n";
  for (const std::string& cell : cells) {
    row += fmt::format("                <td class=\"{}\">{}</td>\n", style, cell);
  }
  return row + "            </tr>\n";
}

std::string html(const std::vector<std::string>& rows) {
  std::string page =
      "<html>\n    <body>\n        <table class=\"tg\">\n            <tr>\n"
      "                <th class=\"tg-fjir\">Name</th>\n            </tr>\n";
  for (const std::string& row : rows) {
    page += row;
  }
  return page + "        </table>\n    </body>\n</html>\n";
}

std::string row_code(std::string_view style) {
  return html_row(style, {"CODE", "0xA0000000", "0xA0FFFFFF", "16.00 MB", "RWIX", "code and data"});
}

std::string row_heap(std::string_view style) {
  return html_row(
      style, {"HEAP_OF_ZX9_WITH_A_LONG_NAME", "0xA1000000", "0xA11FFFFF", " 2.00 MB", "", "heap"});
}

std::string row_high(std::string_view style) {
  return html_row(style, {"HIGH", "0x100000000", "0x103FFFFFF", "64.00 MB", "RWIX", "far away"});
}

const std::string kEven = "tg-kftd";
const std::string kOdd = "tg-6sgx";

// Edits of the script: what stands there, and what stands there afterwards.
using Edits = std::vector<std::pair<std::string, std::string>>;

core::Result<Regenerated> regenerated(std::string_view exporter,
                                      const std::string& content,
                                      const Edits& edits,
                                      HandEdits choice = HandEdits::kKeep) {
  const std::string text = script_text(exporter);
  std::string edited = text;
  for (const auto& [from, to] : edits) {
    edited = test::with(edited, from, to);
  }
  const Script before = script_of(text);
  const Script after = script_of(edited);
  REQUIRE(before.exports.size() == 1);
  REQUIRE(after.exports.size() == 1);
  CHECK(is_regenerated(before.exports.front()));
  return regenerate(before.exports.front(), after.exports.front(), {"made", content}, choice);
}

std::string made(std::string_view exporter,
                 const std::string& content,
                 const Edits& edits,
                 HandEdits choice = HandEdits::kKeep) {
  CAPTURE(content);
  const auto result = regenerated(exporter, content, edits, choice);
  REQUIRE_MESSAGE(result.has_value(), (result ? "" : test::all_text(result.error())));
  CHECK((choice == HandEdits::kForce || result->hand_edits.empty()));
  return result->content;
}

std::string replaced(std::string text, const Edits& edits) {
  for (const auto& [from, to] : edits) {
    text = test::with(std::move(text), from, to);
  }
  return text;
}

std::string with_carriage_returns(const std::string& text) {
  std::string both;
  for (const char c : text) {
    both += c == '\n' ? "\r\n" : std::string{c};
  }
  return both;
}

const Edits kSmallerHeap = {{"heap_size = 2*MB", "heap_size = 513*KB"},
                            {"high_addr = 0x100000000", "high_addr = 0x104000000"},
                            {"high_size = 64*MB", "high_size = 1*MB"}};

// The heap goes down in front of the code, and what is far away comes between them.
const Edits kOtherOrder = {{"heap_addr = 0xA1000000", "heap_addr = 0x9F000000"},
                           {"high_addr = 0x100000000", "high_addr = 0x9FF00000"}};

}  // namespace

TEST_SUITE_BEGIN("sdk");

TEST_CASE("values and the sizes in comments follow the script, in each kind of file") {
  CHECK(made(kLinkerExport, kLinker, kSmallerHeap) ==
        replaced(kLinker,
                 {{"heap [ size  2.00 MB ]", "heap [ size 513.00 KB ]"},
                  {"0x00200000", "0x00080400"},
                  {"[ size 64.00 MB ]", "[ size 1024.00 KB ]"},
                  {"0x100000000 , LENGTH = 0x04000000", "0x104000000 , LENGTH = 0x00100000"}}));
  CHECK(made(kHeaderExport, kHeader, kSmallerHeap) ==
        replaced(kHeader,
                 {{"heap [ size  2.00 MB ]", "heap [ size 513.00 KB ]"},
                  {"0x00200000u", "0x00080400u"},
                  {"[ size 64.00 MB ]", "[ size 1024.00 KB ]"},
                  {"HIGH_ADDR (0x100000000u)", "HIGH_ADDR (0x104000000u)"},
                  {"HIGH_SIZE (0x04000000u)", "HIGH_SIZE (0x00100000u)"},
                  {"VADDR (0x100000000u)", "VADDR (0x104000000u)"}}));
  CHECK(made(kDtsExport, kDts, kSmallerHeap) ==
        replaced(kDts,
                 {{"0xa1000000 0x00 0x00200000", "0xa1000000 0x00 0x00080400"},
                  {"HIGH@100000000", "HIGH@104000000"},
                  {"0x01 0x00000000 0x00 0x04000000", "0x01 0x04000000 0x00 0x00100000"}}));
  CHECK(made(kHtmlExport, html({row_code(kEven), row_heap(kOdd), row_high(kEven)}), kSmallerHeap) ==
        html({row_code(kEven),
              replaced(row_heap(kOdd), {{"0xA11FFFFF", "0xA10803FF"}, {" 2.00 MB", "513.00 KB"}}),
              replaced(row_high(kEven),
                       {{"0x100000000", "0x104000000"},
                        {"0x103FFFFFF", "0x1040FFFFF"},
                        {"64.00 MB", "1024.00 KB"}})}));
}

TEST_CASE("entries change places with what stands above them when their addresses do") {
  const std::string commented =
      replaced(kLinker, {{"    /* far", "\n    // seen by all\n    /* far"}});
  CHECK(made(kLinkerExport, commented, kOtherOrder) == R"(/* Somebody's licence. */

MEMORY
{
    /* heap [ size  2.00 MB ] */
    HEAP_OF_ZX9_WITH_A_LONG_NAME          : ORIGIN = 0x9F000000 , LENGTH = 0x00200000

    // seen by all
    /* far away [ size 64.00 MB ] */
    HIGH                     ( RWIX ) : ORIGIN = 0x9FF00000 , LENGTH = 0x04000000
    /* code and data [ size 16.00 MB ] */
    CODE                     ( RWIX ) : ORIGIN = 0xA0000000 , LENGTH = 0x01000000
}
)");
  CHECK(made(kHeaderExport, kHeader, kOtherOrder) == R"(/* Somebody's licence. */
#ifndef APP_MEM_MAP_H
#define APP_MEM_MAP_H


/* heap [ size  2.00 MB ] */
#define HEAP_OF_ZX9_WITH_A_LONG_NAME_ADDR (0x9F000000u)
#define HEAP_OF_ZX9_WITH_A_LONG_NAME_SIZE (0x00200000u)

/* far away [ size 64.00 MB ] */
#define HIGH_ADDR (0x9FF00000u)
#define HIGH_SIZE (0x04000000u)

/* code and data [ size 16.00 MB ] */
#define CODE_ADDR (0xA0000000u)
#define CODE_SIZE (0x01000000u)

#define DDR_64BIT_BASE_VADDR (0x9FF00000u)
#define DDR_64BIT_BASE_PADDR (0x880000000u)

#endif /* APP_MEM_MAP_H */

)");
  CHECK(made(kDtsExport, kDts, kOtherOrder) == R"(
 /* Copy these nodes. */

	heap_region: zx9-heap@9f000000 {
		compatible = "zx9,heap";
		reg = <0x00 0x9f000000 0x00 0x00200000>;
	};
	HIGH: HIGH@9ff00000 {
		compatible = "shared-dma-pool";
		reg = <0x00 0x9ff00000 0x00 0x04000000>;
		no-map;
	};
	code_region: zx9-code@a0000000 {
		compatible = "shared-dma-pool";
		reg = <0x00 0xa0000000 0x00 0x01000000>;
		no-map;
	};

)");
  CHECK(
      made(kHtmlExport, html({row_code(kEven), row_heap(kOdd), row_high(kEven)}), kOtherOrder) ==
      html(
          {replaced(row_heap(kEven), {{"0xA1000000", "0x9F000000"}, {"0xA11FFFFF", "0x9F1FFFFF"}}),
           replaced(row_high(kOdd), {{"0x100000000", "0x9FF00000"}, {"0x103FFFFFF", "0xA3EFFFFF"}}),
           row_code(kEven)}));
}

TEST_CASE("sections that the edited script adds or leaves out") {
  const Edits with_log = {{"with_log = 0", "with_log = 1"}};
  const std::string linker = made(kLinkerExport, kLinker, with_log);
  CHECK(linker ==
        replaced(kLinker,
                 {{"    /* far",
                   "    /* log [ size 1024 B ] */\n"
                   "    LOG                      (   RW ) : ORIGIN = 0xA8000000 , LENGTH = "
                   "0x00000400\n    /* far"}}));
  const std::string header = made(kHeaderExport, kHeader, with_log);
  CHECK(header == replaced(kHeader,
                           {{"/* far",
                             "/* log [ size 1024 B ] */\n#define LOG_ADDR (0xA8000000u)\n"
                             "#define LOG_SIZE (0x00000400u)\n\n/* far"}}));
  const std::string dts = made(kDtsExport, kDts, with_log);
  CHECK(dts == replaced(kDts,
                        {{"\tHIGH:",
                          "\tlog_region: zx9-log {\n\t\treg = <0x00 0xa8000000 0x00 0x00000400>;\n"
                          "\t\talignment = <0x1000>;\n\t\tno-map;\n\t};\n\tHIGH:"}}));
  const std::string table = html({row_code(kEven), row_heap(kOdd), row_high(kEven)});
  const std::string row_log =
      html_row(kEven, {"LOG", "0xA8000000", "0xA80003FF", "1024 B", "RW", "log"});
  CHECK(made(kHtmlExport, table, with_log) ==
        html({row_code(kEven), row_heap(kOdd), row_log, row_high(kOdd)}));

  const Edits without_heap = {{"m.addMemSection(heap)\n", ""}};
  CHECK(made(kLinkerExport, kLinker, without_heap).find("heap") == std::string::npos);
  CHECK(made(kHeaderExport, kHeader, without_heap) ==
        replaced(kHeader,
                 {{"/* heap [ size  2.00 MB ] */\n"
                   "#define HEAP_OF_ZX9_WITH_A_LONG_NAME_ADDR (0xA1000000u)\n"
                   "#define HEAP_OF_ZX9_WITH_A_LONG_NAME_SIZE (0x00200000u)\n\n",
                   ""}}));
  CHECK(made(kDtsExport, kDts, without_heap).find("heap") == std::string::npos);
  CHECK(made(kHtmlExport, table, without_heap) == html({row_code(kEven), row_high(kOdd)}));

  // Another comment: the line is written anew.
  CHECK(made(kLinkerExport, kLinker, {{R"("heap")", R"("all heaps")"}}) ==
        replaced(kLinker, {{"/* heap [", "/* all heaps ["}}));
}

TEST_CASE("a file keeps its line ends, its marks and what nobody asked to change") {
  const std::string mark = "\xEF\xBB\xBF";
  for (const Edits& edits : {kSmallerHeap, kOtherOrder, Edits{{"with_log = 0", "with_log = 1"}}}) {
    CHECK(made(kLinkerExport, mark + with_carriage_returns(kLinker), edits) ==
          mark + with_carriage_returns(made(kLinkerExport, kLinker, edits)));
    CHECK(made(kHeaderExport, with_carriage_returns(kHeader), edits) ==
          with_carriage_returns(made(kHeaderExport, kHeader, edits)));
    CHECK(made(kDtsExport, with_carriage_returns(kDts), edits) ==
          with_carriage_returns(made(kDtsExport, kDts, edits)));
  }
  const std::string odd =
      "MEMORY {\tCODE(RX):ORIGIN=0xa0000000,LENGTH=0x1000000 HEAP_OF_ZX9_WITH_A_LONG_NAME : "
      "ORIGIN = 0xA1000000 LENGTH = 2097152\n/* [size\t2 MB] [ size 4 MB, nearly ]*/ "
      "HIGH : ORIGIN = 0x100000000, LENGTH = 0x4000000 }";
  const std::string cited = replaced(kLinker, {{"2.00 MB ]", "2.00 MB ], see [1]"}});
  CHECK(made(kLinkerExport, cited, kSmallerHeap) ==
        replaced(made(kLinkerExport, kLinker, kSmallerHeap),
                 {{"513.00 KB ]", "513.00 KB ], see [1]"}}));
  CHECK(made(kLinkerExport, odd, {}) == odd);
  CHECK(made(kLinkerExport, odd, kSmallerHeap) ==
        replaced(odd,
                 {{"2097152", "0x00080400"},
                  {"size 4 MB, nearly", "size 1024.00 KB"},
                  {"0x100000000, LENGTH = 0x4000000", "0x104000000, LENGTH = 0x00100000"}}));
  // Three entries on two lines can still be told apart.
  CHECK(made(kLinkerExport, odd, kOtherOrder).find("HIGH : ORIGIN = 0x9FF00000") !=
        std::string::npos);
  // Entries that somebody put into another order stay there.
  const std::string moved = replaced(
      kLinker,
      {{"    /* heap [ size  2.00 MB ] */\n    HEAP_OF_ZX9_WITH_A_LONG_NAME          : ORIGIN = "
        "0xA1000000 , LENGTH = 0x00200000\n",
        ""},
       {"}\n",
        "    HEAP_OF_ZX9_WITH_A_LONG_NAME : ORIGIN = 0xA1000000 , LENGTH = 0x00200000\n}\n"}});
  CHECK(made(kLinkerExport, moved, kSmallerHeap)
            .find("NAME : ORIGIN = 0xA1000000 , LENGTH = 0x00080400\n}") != std::string::npos);
}

TEST_CASE("a unit address follows its node, but does not change by itself") {
  const std::string other = replaced(kDts, {{"zx9-heap@a1000000", "zx9-heap@a1"}});
  CHECK(made(kDtsExport, other, {}) == other);
  CHECK(made(kDtsExport, other, kSmallerHeap) ==
        replaced(made(kDtsExport, kDts, kSmallerHeap), {{"zx9-heap@a1000000", "zx9-heap@a1"}}));
  CHECK(made(kDtsExport, other, kOtherOrder) == made(kDtsExport, kDts, kOtherOrder));
  const std::string without = replaced(kDts, {{"zx9-heap@a1000000", "zx9-heap"}});
  CHECK(made(kDtsExport, without, kOtherOrder) ==
        replaced(made(kDtsExport, kDts, kOtherOrder), {{"zx9-heap@9f000000", "zx9-heap"}}));
}

TEST_CASE("cells of a device tree have 32 bits") {
  const Edits large = {{"high_size = 64*MB", "high_size = 4096*MB"}};
  const std::string mended =
      replaced(kDts, {{"0x01 0x00000000 0x00 0x04000000", "0x01 0x00000000 0x01 0x00000000"}});
  CHECK(made(kDtsExport, kDts, large) == mended);
  // As the SDK's library writes it; it is no hand edit, and does not change unless the node does.
  const std::string library =
      replaced(kDts, {{"0x01 0x00000000 0x00 0x04000000", "0x01 0x00000000 0x00 0x100000000"}});
  const Script before = script_of(replaced(script_text(kDtsExport), large));
  const Script same = script_of(replaced(script_text(kDtsExport), large));
  const auto unchanged =
      regenerate(before.exports.front(), same.exports.front(), {"made", library});
  REQUIRE(unchanged.has_value());
  CHECK(unchanged->hand_edits.empty());
  CHECK(unchanged->content == library);
  // With another node it is put right.
  const Script other = script_of(
      replaced(script_text(kDtsExport), {large.front(), {"heap_size = 2*MB", "heap_size = 1*MB"}}));
  const auto both = regenerate(before.exports.front(), other.exports.front(), {"made", library});
  REQUIRE(both.has_value());
  CHECK(both->content == replaced(mended, {{"0x00200000", "0x00100000"}}));
  const Script after = script_of(script_text(kDtsExport));
  const auto back = regenerate(before.exports.front(), after.exports.front(), {"made", library});
  REQUIRE(back.has_value());
  CHECK(back->content == kDts);
}

TEST_CASE("a file that was edited by hand stays, or is overruled") {
  const std::string edited = replaced(
      kLinker,
      {{"ORIGIN = 0xA1000000 , LENGTH = 0x00200000", "ORIGIN = 0xA1100000 LENGTH = 0x00100000"},
       {"    /* far",
        "    /* trace */\n    TRACE (RW) : ORIGIN = 0xA1000000 LENGTH = 0x1000\n    /* far"}});
  const auto kept = regenerated(kLinkerExport, edited, kSmallerHeap);
  REQUIRE(kept.has_value());
  // What is somebody's own stays, and what is not follows the script.
  const std::string far = "ORIGIN = 0x104000000 , LENGTH = 0x00100000";
  CHECK(made(kLinkerExport, kLinker, kSmallerHeap).find(far) != std::string::npos);
  CHECK(kept->content == replaced(edited,
                                  {{"far away [ size 64.00 MB ]", "far away [ size 1024.00 KB ]"},
                                   {"ORIGIN = 0x100000000 , LENGTH = 0x04000000", far}}));
  REQUIRE(kept->hand_edits.size() == 2);
  CHECK(kept->hand_edits[0].what ==
        "'HEAP_OF_ZX9_WITH_A_LONG_NAME' is [0xA1100000, 0xA1200000) here, but [0xA1000000, "
        "0xA1200000) there");
  CHECK(kept->hand_edits[0].here.line == 8);
  CHECK(kept->hand_edits[0].there.line == 12);
  CHECK(kept->hand_edits[1].what == "'TRACE' is only here");
  CHECK(kept->hand_edits[1].there.line == 0);
  CHECK(made(kLinkerExport, edited, kSmallerHeap, HandEdits::kForce) ==
        replaced(made(kLinkerExport, kLinker, kSmallerHeap),
                 {{"ORIGIN = 0xA1000000 , LENGTH", "ORIGIN = 0xA1000000 LENGTH"}}));
  // A region that is missing is written again.
  const std::string without =
      replaced(kHeader,
               {{"/* heap [ size  2.00 MB ] */\n", "#define MINE (1)\n"},
                {"#define HEAP_OF_ZX9_WITH_A_LONG_NAME_ADDR (0xA1000000u)\n", ""},
                {"#define HEAP_OF_ZX9_WITH_A_LONG_NAME_SIZE (0x00200000u)\n\n", ""}});
  CHECK(made(kHeaderExport, without, {}, HandEdits::kForce) ==
        replaced(kHeader, {{"/* far away", "#define MINE (1)\n/* far away"}}));
  // Macros of a region that no script has any more are an edit, too; those of other names are not.
  const std::string left_over = replaced(
      kHeader,
      {{"/* far away", "#define OLD_ADDR (0x1000u)\n#define OLD_SIZE (4)\n\n/* far away"}});
  const auto old = regenerated(kHeaderExport, left_over, kSmallerHeap);
  REQUIRE(old.has_value());
  REQUIRE(old->hand_edits.size() == 2);
  CHECK(old->hand_edits[0].what == "OLD_ADDR is only here");
  CHECK(old->hand_edits[0].here.line == 14);
  CHECK(old->hand_edits[1].what == "OLD_SIZE is only here");
  CHECK(made(kHeaderExport, left_over, {}, HandEdits::kForce) == kHeader);
  // Forcing is only for files that were edited.
  CHECK(made(kLinkerExport, kLinker, {}, HandEdits::kForce) == kLinker);
  const std::string table = html({row_code(kEven), row_heap(kOdd), row_high(kEven)});
  const auto row = regenerated(
      kHtmlExport, replaced(table, {{"0xA11FFFFF", "0xA11FFFFE"}}), {}, HandEdits::kForce);
  REQUIRE(row.has_value());
  CHECK(row->hand_edits.size() == 1);
  CHECK(row->content == table);
  // An entry that is there twice is not written twice.
  const std::string twice = replaced(
      kLinker,
      {{"    /* far", "    CODE : ORIGIN = 0xA0000000 , LENGTH = 0x01000000\n    /* far"}});
  CHECK(regenerated(kLinkerExport, twice, {})->content == twice);
  CHECK(regenerated(kLinkerExport, twice, {})->hand_edits.front().what ==
        "'CODE' is here once more");
  CHECK(made(kLinkerExport, twice, {}, HandEdits::kForce) == kLinker);
  const auto node = regenerated(kDtsExport, replaced(kDts, {{"0x00200000", "0x00300000"}}), {});
  REQUIRE(node.has_value());
  CHECK(node->hand_edits.size() == 1);
  // The base of the window is one, too.
  const auto base =
      regenerated(kHeaderExport, replaced(kHeader, {{"PADDR (0x880000000u)", "PADDR (0u)"}}), {});
  REQUIRE(base.has_value());
  CHECK(base->hand_edits.size() == 1);
}

TEST_CASE("what else a node says of its memory is the script's, or stays somebody's own") {
  const std::string edited =
      replaced(kDts,
               {{"0x01000000>;\n\t\tno-map;", "0x01000000>;\n\t\tstatus = \"disabled\";"},
                {"\"zx9,heap\"", "\"shared-dma-pool\""},
                {"0x00200000>;", "0x00200000>; // mine\n\t\tno-map;\n\t\treusable;"}});
  const auto kept = regenerated(kDtsExport, edited, kSmallerHeap);
  REQUIRE(kept.has_value());
  std::string told;
  for (const GeneratedDifference& each : kept->hand_edits) {
    told += fmt::format("{}: {}\n", each.here.line, each.what);
  }
  CHECK(told ==
        "13: 'heap_region' is reusable: Linux uses [0xA1000000, 0xA1200000), too\n"
        "12: 'heap_region' has no-map here: Linux cannot map it\n"
        "10: 'heap_region' is compatible with 'shared-dma-pool' here, but with 'zx9,heap' there\n"
        "7: 'code_region' is not in use: Linux does not reserve [0xA0000000, 0xA1000000)\n"
        "4: 'code_region' lacks no-map: Linux has it in its page tables\n");
  // Its range follows all the same.
  CHECK(kept->content ==
        replaced(edited,
                 {{"0xa1000000 0x00 0x00200000", "0xa1000000 0x00 0x00080400"},
                  {"HIGH@100000000", "HIGH@104000000"},
                  {"0x01 0x00000000 0x00 0x04000000", "0x01 0x04000000 0x00 0x00100000"}}));
  const std::string forced = replaced(kDts, {{"0x00200000>;", "0x00200000>; // mine"}});
  CHECK(made(kDtsExport, edited, {}, HandEdits::kForce) == forced);
  CHECK(made(kDtsExport, with_carriage_returns(edited), {}, HandEdits::kForce) ==
        with_carriage_returns(forced));
  // Under a condition that does not hold a node is not there.
  const std::string dead =
      replaced(kDts, {{"\tHIGH: ", "#if 0\n\tHIGH: "}, {"\t};\n\n", "\t};\n#endif\n\n"}});
  CHECK(regenerated(kDtsExport, dead, {})->hand_edits.front().what == "it lacks node 'HIGH'");
  const std::string high = std::string{kDts}.substr(std::string{kDts}.find("\tHIGH"));
  CHECK(made(kDtsExport, dead, {}, HandEdits::kForce) ==
        replaced(kDts, {{high, replaced(high, {{"\t};\n\n", "\t};\n#if 0\n"}})}}) +
            replaced(high, {{"\t};\n\n", "\t};\n#endif\n\n"}}));
}

TEST_CASE("comments in a node stay, whatever of it is put right") {
  const std::string own =
      replaced(kDts,
               {{"\t\tcompatible = \"zx9,heap\";\n\t\treg = <0x00 0xa1000000 0x00 0x00200000>;\n",
                 "\t\t/* mine; } */\n"
                 "\t\tcompatible = \"zx9,heap\"; // of zx9\n"
                 "\t\treg = <0x00 0xa1000000/* base */\n\t\t       0x00 0x00200000 /* size; */>; "
                 "/* both */\n"
                 "\t\t/* the end */\n"}});
  CHECK(made(kDtsExport, own, {}, HandEdits::kForce) == own);
  CHECK(made(kDtsExport, own, kSmallerHeap) ==
        replaced(own,
                 {{"0x00200000 /*", "0x00080400 /*"},
                  {"HIGH@100000000", "HIGH@104000000"},
                  {"0x01 0x00000000 0x00 0x04000000", "0x01 0x04000000 0x00 0x00100000"}}));
  const std::string heap = "/* both */\n";
  for (const auto& [edit, left] : std::vector<std::pair<std::string, std::string>>{
           {"\t\tno-map; /* no; map */\n", "\t\t /* no; map */\n"},
           {"\t\tstatus = \"disabled\"; // off\n", "\t\t // off\n"},
           {"\t\tstatus = /* why; */ \"disabled\" /* so */; no-map;\n",
            "\t\t/* why; */ /* so */ \n"},
           {"\t\tstatus = // why\n\t\t\t\"disabled\";\n", "\t\t// why\n"},
           {"\t\tstatus // why\n\t\t= \"disabled\"; /* so */\n", "\t\t// why\n /* so */\n"},
           {"\t\treusable; /* on\n\t\ttwo lines */\n", "\t\t /* on\n\t\ttwo lines */\n"}}) {
    const std::string& added = edit;
    CAPTURE(added);
    CHECK(made(kDtsExport, replaced(own, {{heap, heap + edit}}), {}, HandEdits::kForce) ==
          replaced(own, {{heap, heap + left}}));
  }
  // What is missing stands behind the range.
  CHECK(made(kDtsExport,
             replaced(own, {{"compatible = \"zx9,heap\"; // of zx9", "// of zx9"}}),
             {},
             HandEdits::kForce) == replaced(own,
                                            {{"compatible = \"zx9,heap\"; // of zx9", "// of zx9"},
                                             {heap, heap + "\t\tcompatible = \"zx9,heap\";\n"}}));
  // On one line, too.
  const std::string line =
      replaced(kDts,
               {{"\t\tcompatible = \"shared-dma-pool\";\n\t\treg = <0x00 0xa0000000 0x00 "
                 "0x01000000>;\n\t\tno-map;\n\t};",
                 "\t\treg = <0x00 0xa0000000 0x00 0x01000000>; /* a */ /* b */ };"}});
  CHECK(
      made(kDtsExport, line, {}, HandEdits::kForce) ==
      replaced(line, {{"0x01000000>;", "0x01000000>; compatible = \"shared-dma-pool\"; no-map;"}}));
  // Of several strings none is left, but what was said of them.
  CHECK(made(kDtsExport,
             replaced(own,
                      {{"\"zx9,heap\"", "\"zx9,pool\" /* \"old\" */, // new\n\t\"b//c\" /* c */"}}),
             {},
             HandEdits::kForce) ==
        replaced(own, {{"\"zx9,heap\"", "\"zx9,heap\" /* \"old\" */ // new\n /* c */"}}));
  CHECK(made(kDtsExport,
             replaced(own, {{"\"zx9,heap\"", "\"shared-dma-pool\", \"zx9,heap\""}}),
             {},
             HandEdits::kForce) == own);
}

TEST_CASE("a property that goes is found by its value, whatever comments say of it") {
  const std::string exported = "heap.setPrintCompatibility(False)\n" + std::string{kDtsExport};
  const std::string named = "\t\tcompatible = \"zx9,heap\";\n";
  CHECK(made(exported, kDts, {}, HandEdits::kForce) == replaced(kDts, {{named, ""}}));
  const std::string own = replaced(
      kDts,
      {{named, "\t\tcompatible /* compatible = no */ = /* compatible */ \"zx9,heap\"; // heap\n"}});
  CHECK(made(exported, own, {}, HandEdits::kForce) ==
        replaced(kDts, {{named, "\t\t/* compatible = no */ /* compatible */ // heap\n"}}));
}

TEST_CASE("cells of any form are no hand edit, and become four numbers where they change") {
  for (const char* const cells : {"<0x00 0xa1000000>, <0x00 0x00200000>",
                                  "<0x00 0xa1000000\n\t\t       0x00 0x00200000>",
                                  "<0x00 0xa1000000 0x00 (2 * 1024 * 1024)>"}) {
    CAPTURE(cells);
    const std::string written = replaced(kDts, {{"<0x00 0xa1000000 0x00 0x00200000>", cells}});
    CHECK(made(kDtsExport, written, {}) == written);
    CHECK(made(kDtsExport, written, kSmallerHeap) == made(kDtsExport, kDts, kSmallerHeap));
  }
}

TEST_CASE("a file that the edited script has written already is left alone") {
  for (const Edits& edits : {kSmallerHeap, kOtherOrder}) {
    const std::string written = made(kLinkerExport, kLinker, edits);
    CHECK(made(kLinkerExport, written, edits) == written);
  }
}

TEST_CASE("a file that cannot be edited in place is refused") {
  const auto message = [](const core::Result<Regenerated>& result) {
    REQUIRE_FALSE(result.has_value());
    CHECK_FALSE(result.error().front().place.path.empty());
    return brief(result.error().front());
  };
  CHECK(message(regenerated(kLinkerExport, "MEMORY { CODE }", {})) ==
        "1:15+1 ':' is expected here, not '}'");
  CHECK(message(regenerated(kLinkerExport, "MEMORY { }", {}, HandEdits::kForce)) ==
        "0:0+0 there is no entry beside which others could be written");
  // Each of the first two begins inside of the other one.
  const std::string tangled =
      replaced(kHeader,
               {{"#define CODE_SIZE (0x01000000u)\n", ""},
                {"#define HEAP_OF_ZX9_WITH_A_LONG_NAME_SIZE (0x00200000u)\n",
                 "#define CODE_SIZE (0x01000000u)\n#define HEAP_OF_ZX9_WITH_A_LONG_NAME_SIZE "
                 "(0x00200000u)\n"}});
  CHECK(message(regenerated(kHeaderExport, tangled, kOtherOrder)) ==
        "10:1+0 this entry begins inside of another one, so that they cannot be told apart");
  // In their places they can be edited all the same.
  CHECK(made(kHeaderExport, tangled, kSmallerHeap).find("NAME_SIZE (0x00080400u)") !=
        std::string::npos);
  CHECK(message(regenerated(kHtmlExport, "<tr><td>A</td></tr>", {})) ==
        "1:1+3 this row has 1 cell, not 6");
  CHECK(message(regenerated(kHtmlExport, "<tr><td>A", {})) == "1:1+3 this row is not closed");
  CHECK(message(regenerated(kHtmlExport, "<tr><td>A</tr></td>", {})) ==
        "1:5+3 this cell is not closed");
  const Script one = script_of(script_text(kLinkerExport));
  const Script other = script_of(script_text(kDtsExport));
  CHECK(message(regenerate(one.exports.front(), other.exports.front(), {"made", kLinker})) ==
        "0:0+0 this is no file whose values can be edited in place");
}

TEST_CASE("sizes are printed as the SDK prints them") {
  const std::vector<std::pair<std::uint64_t, std::string>> sizes = {
      {0, "0 B"},
      {1024, "1024 B"},
      {1025, " 1.00 KB"},
      {16384, "16.00 KB"},
      {1 << 20, "1024.00 KB"},
      {(1 << 20) + 1, " 1.00 MB"},
      // Halves go to the even digit, as C prints them.
      {1152ULL << 10, " 1.12 MB"},
      {1408ULL << 10, " 1.38 MB"},
      {60792832, "57.98 MB"},
      {1ULL << 30, "1024.00 MB"},
      {5ULL << 30, " 5.00 GB"},
      {100ULL << 30, "100.00 GB"},
  };
  for (const auto& [size, text] : sizes) {
    CHECK(people_size(size) == text);
  }
}

TEST_SUITE_END();

}  // namespace memsize::sdk::edit_generated_test
