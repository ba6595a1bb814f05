#include "memsize/readers/reader.hpp"

#include "support.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::readers::tidl_log_test {

namespace {

using core::Code;
using model::Cacheability;
using model::Lifetime;
using model::PrintedAddress;

model::Recording read(const std::string& text) {
  auto recording = read_text(text, "log", "tidl-log");
  REQUIRE_MESSAGE(recording.has_value(), (recording ? "" : test::all_text(recording.error())));
  return std::move(*recording);
}

// Four rows as SDK 10 prints them: "%-12d, %-20s, %-12s, %4d, %-8.2f, 0x%08x".
struct Row {
  unsigned record;
  const char* space;
  const char* attribute;
  const char* kib;
  unsigned base;
};

constexpr std::array<Row, 4> kRows = {{
    {0, "DDR Non-cacheable", "Persistent", "19.42", 0x10000000},
    {1, "DDR Cacheable", "Persistent", "0.66", 0x1043de40},
    {2, "L1D", "Scratch", "16.00", 0x7f83c000},
    {3, "L3/MSMC", "Scratch", "2048.00", 0x7e200000},
}};

std::string row_text(const Row& row, bool with_base) {
  return fmt::format("{:<12d}, {:<20s}, {:<12s}, {:4d}, {:<8s}, 0x{:08x}",
                     row.record,
                     row.space,
                     row.attribute,
                     128,
                     row.kib,
                     with_base ? row.base : 0U);
}

// The same rows at other addresses.
std::string elsewhere(std::string text) {
  for (std::size_t at = text.find(", 0x1"); at != std::string::npos; at = text.find(", 0x1", at)) {
    text[at + 4] = '2';
  }
  return text;
}

std::string table(const std::string& prefix, bool with_base) {
  std::string text;
  for (const Row& row : kRows) {
    text += prefix + row_text(row, with_base) + "\n";
  }
  return text;
}

const std::string kSecond = "[C7x_2 ]     52.423106 s: ";
const std::string kFirst = "[C7x_1 ]      4.780987 s: ";

// The one error of a log of one line.
core::Diagnostic only_error(const std::string& line) {
  CAPTURE(line);
  const auto recording = read_text(line + "\n", "log", "tidl-log");
  REQUIRE_FALSE(recording.has_value());
  REQUIRE(recording.error().size() == 1);
  return recording.error().front();
}

void check_bad_row(const std::string& line, std::size_t column, std::size_t length) {
  CAPTURE(line);
  const core::Diagnostic problem = only_error(line);
  CHECK(problem.code == Code::kReadBadRecord);
  CHECK(problem.place.path == "log");
  CHECK(problem.place.line == 1);
  CHECK(problem.place.column == column);
  CHECK(problem.place.length == length);
  CHECK(problem.place.text == line);
  CHECK_FALSE(problem.hint.empty());
}

void check_four_rows(const model::Instance& instance, bool with_base) {
  REQUIRE(instance.blocks.size() == 4);
  CHECK(instance.blocks[0].record == 0);
  CHECK(instance.blocks[0].space == "ddr");
  CHECK(instance.blocks[0].cacheability == Cacheability::kNonCacheable);
  CHECK(instance.blocks[0].lifetime == Lifetime::kPersistent);
  CHECK(instance.blocks[0].alignment.value() == 128);
  // 19.42 KiB = 19886.08 B.
  CHECK(instance.blocks[0].size.nearest.count() == 19886);
  CHECK(instance.blocks[1].cacheability == Cacheability::kCacheable);
  CHECK(instance.blocks[1].size.printed_kib == "0.66");
  CHECK(instance.blocks[2].space == "l1d");
  CHECK(instance.blocks[2].cacheability == Cacheability::kOnChip);
  CHECK(instance.blocks[2].lifetime == Lifetime::kScratch);
  CHECK(instance.blocks[3].space == "l3");
  CHECK(instance.blocks[3].size.nearest.count() == 2097152);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(instance.blocks[i].address.has_value() == with_base);
    CHECK((!with_base ||
           instance.blocks[i].address->agrees_with(PrintedAddress::low(kRows.at(i).base))));
  }
}

std::string request(unsigned record, unsigned space, unsigned size, std::uint64_t address) {
  return fmt::format(
      "{0} VX_ZONE_INFO:[tivxAlgiVisionAllocMem:150] Allocating memory record {1} @ space = {2}, "
      "size = {3}, align = 128 ... \n"
      "{0} VX_ZONE_INFO:[tivxAlgiVisionAllocMem:170] Allocated memory record {1} @ space = {2} and "
      "size = {3}, addr = 0x{4:x} ...  \n",
      kSecond,
      record,
      space,
      size,
      address);
}

}  // namespace

TEST_SUITE("readers") {
  TEST_CASE("a table with the console's prefix") {
    const model::Recording recording = read(table(kSecond, true));
    REQUIRE(recording.cores.size() == 1);
    CHECK(recording.cores[0].core == "c7x_2");
    REQUIRE(recording.cores[0].instances.size() == 1);
    CHECK(recording.cores[0].instances[0].line == 1);
    CHECK(recording.cores[0].instances[0].blocks[3].line == 4);
    check_four_rows(recording.cores[0].instances[0], true);
    REQUIRE(recording.inputs.size() == 1);
    CHECK(recording.inputs[0].path == "log");
    CHECK(recording.inputs[0].records == 4);
    CHECK(recording.inputs[0].lines == 4);
    CHECK(recording.inputs[0].trace_format == "tidl");
  }

  TEST_CASE("a table without a prefix belongs to a core without a name") {
    const model::Recording recording = read(table("", true));
    REQUIRE(recording.cores.size() == 1);
    CHECK(recording.cores[0].core.empty());
    check_four_rows(recording.cores[0].instances[0], true);
  }

  TEST_CASE("seconds of one to seven digits, and a name that fills its field") {
    for (const std::string& prefix : {std::string{"[MCU2_0]      1.1 s: "},
                                      std::string{"[MCU2_0] 1234567.123456 s: "},
                                      std::string{"   [MCU2_0]1.1 s:"}}) {
      CAPTURE(prefix);
      const model::Recording recording = read(table(prefix, true));
      REQUIRE(recording.cores.size() == 1);
      CHECK(recording.cores[0].core == "mcu2_0");
    }
  }

  TEST_CASE("what is no prefix is not taken for one") {
    // No seconds, no number, no closing bracket: the rows are told, and are none.
    for (const std::string& prefix :
         {std::string{"[C7x_2] "}, std::string{"[C7x_2] x.y s: "}, std::string{"[C7x_2 1.1 s: "}}) {
      CAPTURE(prefix);
      const auto recording = read_text(table(prefix, true), "log", "tidl-log");
      REQUIRE_FALSE(recording.has_value());
      CHECK(recording.error().front().code == core::Code::kReadBadRecord);
    }
  }

  TEST_CASE("tabs, missing padding and CR LF change nothing") {
    const std::string tabs =
        "[C7x_2]\t52.4 s: 0\t, DDR Non-cacheable\t, Persistent\t, 128, 19.42\t, 0x10000000\n"
        "[C7x_2]\t52.4 s:\t\t\t\n"
        "[C7x_2]\t52.4 s: 1,DDR Cacheable,Persistent,128,0.66,0x1043de40\n"
        "[C7x_2]\t52.4 s: 2\t,\tL1D\t,\tScratch\t,\t128\t,\t16.00\t,\t0x7f83c000\n"
        "[C7x_2]\t52.4 s: 3,  L3/MSMC ,  Scratch ,  128,  2048.00 ,  0x7E200000\n";
    check_four_rows(read(tabs).cores.at(0).instances.at(0), true);

    std::string dos;
    for (const char c : table(kSecond, true)) {
      dos += c == '\n' ? "\r\n" : std::string(1, c);
    }
    const model::Recording recording = read(dos);
    CHECK(recording.inputs[0].lines == 4);
    check_four_rows(recording.cores.at(0).instances.at(0), true);
  }

  TEST_CASE("a last line without an end is read") {
    std::string text = table(kSecond, true);
    text.pop_back();
    check_four_rows(read(text).cores.at(0).instances.at(0), true);
  }

  TEST_CASE("a prompt or a colour before the prefix does not hide a row") {
    const std::string text = table("root@board:~# " + kSecond, true);
    const model::Recording prompt = read(text);
    REQUIRE(prompt.cores.size() == 1);
    CHECK(prompt.cores[0].core == "c7x_2");
    const model::Recording colour = read(table("\x1b[0m" + kSecond, true));
    REQUIRE(colour.cores.size() == 1);
    CHECK(colour.cores[0].core == "c7x_2");
  }

  TEST_CASE("the table of the allocation and that of the initialisation are one model") {
    const std::string text = kSecond + "\n" + kSecond +
                             "TIDL Memory size requiement (record wise):\n" +
                             table(kSecond, false) + kSecond +
                             "TIDL init call from ivision API \n" + table(kSecond, true);
    const model::Recording recording = read(text);
    REQUIRE(recording.cores.size() == 1);
    REQUIRE(recording.cores[0].instances.size() == 1);
    check_four_rows(recording.cores[0].instances[0], true);
    CHECK(recording.inputs[0].records == 4);
    // The place of the table that has the addresses: lines 1, 2, four rows, the call, then it.
    CHECK(recording.cores[0].instances[0].line == 8);
    // The title and the call.
  }

  TEST_CASE("a failed allocation leaves only its own table") {
    const model::Recording recording = read(table(kSecond, false));
    REQUIRE(recording.cores.at(0).instances.size() == 1);
    check_four_rows(recording.cores[0].instances[0], false);
  }

  TEST_CASE("rows that the second print lost are kept from the first") {
    std::string text = table(kSecond, false);
    text += kSecond + row_text(kRows[0], true) + "\n";
    text += kSecond + row_text(kRows[3], true) + "\n";
    const model::Recording recording = read(text);
    REQUIRE(recording.cores.at(0).instances.size() == 1);
    const auto& blocks = recording.cores[0].instances[0].blocks;
    REQUIRE(blocks.size() == 4);
    CHECK(blocks[0].address.has_value());
    CHECK_FALSE(blocks[1].address.has_value());
    CHECK_FALSE(blocks[2].address.has_value());
    CHECK(blocks[3].address.has_value());
  }

  TEST_CASE("rows that the first print lost do not make a second model") {
    std::string text;
    for (const std::size_t kept : {0U, 1U, 3U}) {
      text += kSecond + row_text(kRows.at(kept), false) + "\n";
    }
    text += table(kSecond, true);
    const model::Recording recording = read(text);
    REQUIRE(recording.cores.at(0).instances.size() == 1);
    check_four_rows(recording.cores[0].instances[0], true);
  }

  TEST_CASE("two models on one core are two instances, in the order of their loading") {
    Row larger = kRows[3];
    larger.kib = "1024.00";
    const std::string other = kSecond + row_text(kRows[0], true) + "\n" + kSecond +
                              row_text(kRows[1], true) + "\n" + kSecond + row_text(larger, true) +
                              "\n";
    const model::Recording recording = read(table(kSecond, false) + table(kSecond, true) + other);
    REQUIRE(recording.cores.size() == 1);
    REQUIRE(recording.cores[0].instances.size() == 2);
    CHECK(recording.cores[0].instances[0].blocks.size() == 4);
    CHECK(recording.cores[0].instances[1].blocks.size() == 3);
    CHECK(recording.cores[0].instances[1].blocks[2].size.printed_kib == "1024.00");
    CHECK(recording.inputs[0].records == 7);
  }

  TEST_CASE("the same model loaded twice, each printed twice, is two instances") {
    const std::string once = table(kSecond, false) + table(kSecond, true);
    const std::string again = table(kSecond, false) + elsewhere(table(kSecond, true));
    CHECK(read(once + again).cores.at(0).instances.size() == 2);
    // Both allocations before both initialisations.
    const std::string early = table(kSecond, false) + table(kSecond, false);
    const std::string late = table(kSecond, true) + elsewhere(table(kSecond, true));
    CHECK(read(early + late).cores.at(0).instances.size() == 2);
  }

  TEST_CASE("the same model at the same addresses was loaded again: one instance, counted") {
    const std::string once = table(kSecond, false) + table(kSecond, true);
    const model::Recording recording = read(once + once + once);
    REQUIRE(recording.cores.at(0).instances.size() == 1);
    CHECK(recording.cores[0].instances[0].times == 3);
    CHECK(recording.inputs[0].records == 4);
    CHECK(recording.inputs[0].lines == 24);
  }

  TEST_CASE("rows of two cores interleave, and host lines stand between them") {
    std::string text;
    for (const Row& row : kRows) {
      text += kFirst + row_text(row, true) + "\n";
      text += "Freeing memory for user provided Net\n";
      text += kSecond + row_text(row, true) + "\n";
      text += kSecond + "\n";
      text += " 0.17s:  VX_ZONE_INFO: 12, things happen\n";
    }
    const model::Recording recording = read(text);
    REQUIRE(recording.cores.size() == 2);
    CHECK(recording.cores[0].core == "c7x_1");
    CHECK(recording.cores[1].core == "c7x_2");
    for (const model::CoreRecording& core : recording.cores) {
      REQUIRE(core.instances.size() == 1);
      check_four_rows(core.instances[0], true);
    }
    CHECK(recording.inputs[0].records == 8);
    // Two foreign lines for each of four rows; the empty prefix lines are not text.
  }

  TEST_CASE("a base of zero alone is no address; the last 32-bit address is one") {
    const auto at = [](const char* base) {
      const model::Recording recording =
          read(std::string{"0, L2, Scratch, 128, 1.00, "} + base + "\n");
      return recording.cores.at(0).instances.at(0).blocks.at(0).address;
    };
    CHECK_FALSE(at("0x00000000").has_value());
    CHECK(at("0xffffffff") == PrintedAddress::low(0xFFFFFFFF));
    CHECK(at("0x00000001") == PrintedAddress::low(1));
  }

  TEST_CASE("a malformed row is an error that points at its field") {
    //             1   5         15          27     34    41
    check_bad_row("0, DDR Weird, Persistent, 128, 1.00, 0x10000000", 4, 9);
    check_bad_row("0, DDR Cacheable, Forever, 128, 1.00, 0x10000000", 19, 7);
    check_bad_row("0, DDR Cacheable, Constant, 128, 1.00, 0x10000000", 19, 8);
    check_bad_row("0, DDR Cacheable, Persistent, 100, 1.00, 0x10000000", 31, 3);
    check_bad_row("0, DDR Cacheable, Persistent, 0, 1.00, 0x10000000", 31, 1);
    check_bad_row("0, DDR Cacheable, Persistent, -1, 1.00, 0x10000000", 31, 2);
    check_bad_row("0, DDR Cacheable, Persistent, 2097152, 1.00, 0x10000000", 31, 7);
    check_bad_row("0, DDR Cacheable, Persistent, 128, 1, 0x10000000", 36, 1);
    check_bad_row("0, DDR Cacheable, Persistent, 128, 1.0, 0x10000000", 36, 3);
    check_bad_row("0, DDR Cacheable, Persistent, 128, 1.000, 0x10000000", 36, 5);
    check_bad_row("0, DDR Cacheable, Persistent, 128, -1.00, 0x10000000", 36, 5);
    check_bad_row("0, DDR Cacheable, Persistent, 128, 1.x0, 0x10000000", 36, 4);
    check_bad_row("0, DDR Cacheable, Persistent, 128, nan, 0x10000000", 36, 3);
    check_bad_row("0, DDR Cacheable, Persistent, 128, , 0x10000000", 35, 1);
    // 2^32 B are 4194304 KiB.
    check_bad_row("0, DDR Cacheable, Persistent, 128, 4194305.00, 0x10000000", 36, 10);
    check_bad_row("0, DDR Cacheable, Persistent, 128, 18446744073709551615.00, 0x10000000", 36, 23);
    check_bad_row("0, DDR Cacheable, Persistent, 128, 1.00, 10000000", 42, 8);
    check_bad_row("0, DDR Cacheable, Persistent, 128, 1.00, 0x", 42, 2);
    check_bad_row("0, DDR Cacheable, Persistent, 128, 1.00, 0x110000000", 42, 11);
    check_bad_row("0, DDR Cacheable, Persistent, 128, 1.00, 0x1000zz00", 42, 10);
    check_bad_row("0, DDR Cacheable, Persistent, 128, 1.00", 36, 4);
    check_bad_row("0, DDR Cacheable", 4, 13);
    check_bad_row("0, DDR Cacheable, Persistent, 128, 1.00, 0x10000000, 7", 54, 1);
    check_bad_row("256, DDR Cacheable, Persistent, 128, 1.00, 0x10000000", 1, 3);
  }

  TEST_CASE("the column counts the prefix and tabs as one character each") {
    const core::Diagnostic problem =
        only_error("[C7x_2]\t1.1 s: 0\t, L2, Scratch, 7, 1.00, 0x10000000");
    // "[C7x_2]" 1-7, tab 8, "1.1 s:" 9-14, blank 15, "0" 16, tab 17, ", L2, Scratch, " 18-32.
    CHECK(problem.place.column == 33);
    CHECK(problem.place.text == "[C7x_2] 1.1 s: 0 , L2, Scratch, 7, 1.00, 0x10000000");
  }

  TEST_CASE("a line with control characters is shown escaped, as a whole") {
    const core::Diagnostic problem =
        only_error("0, DDR \x1b[31m, Persistent, 128, 1.00, 0x10000000");
    CHECK(problem.place.line == 1);
    CHECK(problem.place.column == 0);
    CHECK_FALSE(test::contains(problem.place.text.str(), "\x1b"));
    CHECK_FALSE(test::contains(problem.message, "\x1b"));
  }

  TEST_CASE("a row that stands twice is one row") {
    const std::string row = "1, L2, Scratch, 128, 1.00, 0x10000000\n";
    const model::Recording recording = read("0, L2, Scratch, 128, 1.00, 0x10000000\n" + row + row);
    REQUIRE(recording.cores.at(0).instances.size() == 1);
    CHECK(recording.cores[0].instances[0].blocks.size() == 2);
  }

  TEST_CASE("all malformed rows are reported, not the first alone") {
    const auto recording = read_text(
        "0, L2, Scratch, 1, x, 0x10000000\n"
        "some line\n"
        "1, DDR Cacheable, Never, 1, 1.00, 0x10000000\n",
        "log",
        "");
    REQUIRE_FALSE(recording.has_value());
    REQUIRE(recording.error().size() == 2);
    CHECK(recording.error()[0].place.line == 1);
    CHECK(recording.error()[1].place.line == 3);
  }

  TEST_CASE("what only looks like a table is none") {
    for (const std::string_view bait : {
             "MEM: Created heap (DDR_LOCAL_MEM, id=0) @ 110000000 of size many bytes !!!\n",
             "[C7x_1 ]      4.780987 s: MEM: Created heap (L2, id=1) of size 131072 bytes !!!\n",
             "Allocating memory record 3 @ space = 17 and size of 131072 bytes, align = 128\n",
             "1,2,3\n4,5,6\n7,8,9,10,11,12\n",
             "   0,    17,        131072,      0.125 0x10000000\n",
             "record, space, attribute, alignment, size, base\n",
             "CPU: c7x_2: HEAP: DDR_LOCAL_MEM: size = 1 B, free = 67108864 B (91 % unused)\n",
             "   DDR_LOCAL_MEM |   1 B |   61611264 B |  91 %\n",
             "MEM: Alloc's: 21 alloc's of 29432301 bytes\n",
             "DDR, 12.00\nL2, 3.14\n",
             "# NETWORK_INIT_TIME = soon (in ms, c7x @1GHz)\n",
             ",,,,,,\n",
             "\n\n\n",
             "L1D, 0, Persistent\n",
         }) {
      CAPTURE(std::string{bait});
      const auto recording = read_text(bait, "log");
      REQUIRE_FALSE(recording.has_value());
      const Code code = recording.error().front().code;
      CHECK((code == Code::kReadNoTable || code == Code::kReadEmpty));
      CHECK(recording.error().front().place.path == "log");
    }
  }

  TEST_CASE("a log without a table says how many lines were read and how to get one") {
    const auto recording = read_text("hello\nworld\n", "some.log");
    REQUIRE_FALSE(recording.has_value());
    CHECK(test::contains(recording.error().front().message, "some.log"));
    CHECK(test::contains(recording.error().front().message, "2 lines"));
    CHECK(test::contains(recording.error().front().hint, "debug"));
    const auto cut = read_text("TIDL Memory size requiement (record wise):\n", "some.log");
    REQUIRE_FALSE(cut.has_value());
    CHECK(test::contains(cut.error().front().hint, "cut short"));
    CHECK(read_text("", "some.log").error().front().code == Code::kReadEmpty);
  }

  TEST_CASE("an unknown reader is refused with the known ones") {
    const auto wrong = read_text("x", "log", "tidl-tabel");
    REQUIRE_FALSE(wrong.has_value());
    CHECK(wrong.error().front().code == Code::kReadUnknownFormat);
    CHECK(test::contains(wrong.error().front().hint, "tidl-log"));
    for (const Reader& reader : all_readers()) {
      const auto other = read_text("x", "log", "nothing-near-it");
      REQUIRE_FALSE(other.has_value());
      CHECK(test::contains(other.error().front().hint, reader.name));
    }
  }

  TEST_CASE("a NUL byte or a very long line does no harm") {
    std::string text = table(kSecond, true);
    text += std::string("\0\0, L2, Scratch\n", 17);
    text += std::string(100000, ',') + "\n";
    text += std::string(100000, '[') + "\n";
    CHECK(read(text).cores.at(0).instances.at(0).blocks.size() == 4);
  }

  TEST_CASE("the tables of SDK 7, in bytes") {
    const model::Recording recording = read(
        "[C7x_1 ] 1852081.873059 s: TIDL Memory requiement\n"
        "[C7x_1 ] 1852081.873087 s: MemRecNum , Space     , Attribute ,    SizeinBytes\n"
        "[C7x_1 ] 1852081.873117 s:  0         , DDR       , Persistent,    15208\n"
        "[C7x_1 ] 1852081.873145 s:  1         , DDR       , Scratch,    136\n"
        "[C7x_1 ] 1852081.873145 s:  2         , L1D       , Scratch,    16384\n");
    const model::Instance& table = recording.cores.at(0).instances.at(0);
    CHECK(table.form == "bytes");
    REQUIRE(table.blocks.size() == 3);
    CHECK(table.blocks[0].size.upper == core::Bytes{15208});
    CHECK(table.blocks[0].space == "ddr");
    CHECK(table.blocks[0].cacheability == Cacheability::kCacheable);
    CHECK(table.blocks[1].lifetime == Lifetime::kScratch);
    CHECK(table.blocks[2].cacheability == Cacheability::kOnChip);
  }

  TEST_CASE("the tables of SDK 8, in KB without addresses, and their sums") {
    const model::Recording recording = read(
        "TIDL Memory size requiement (record wise):\n"
        "MemRecNum   , Space       , Attribute   , Size(KBytes) \n"
        "0           , DDR         , Persistent  , 14.85    \n"
        "1           , L2          , Scratch     , 224.00   \n"
        "--------------------------------------------\n"
        "Total memory size requirement (space wise):\n"
        "Mem Space , Size(KBytes)\n"
        "DDR       , 14.85   \n"
        "L2        , 224.00  \n");
    REQUIRE(recording.cores.at(0).instances.size() == 1);
    const model::Instance& table = recording.cores[0].instances[0];
    CHECK(table.form == "kib");
    REQUIRE(table.blocks.size() == 2);
    CHECK(table.blocks[0].size.nearest == core::Bytes{15206});  // 14.85 * 1024 = 15206.4
    REQUIRE(table.totals.size() == 2);
    CHECK_FALSE(table.totals[0].lifetime.has_value());
    CHECK(table.totals[1].space == "l2");
  }

  TEST_CASE("a newer row that was cut behind its alignment is no row of SDK 7") {
    CHECK(only_error("0, DDR Cacheable, Persistent, 128").code == Code::kReadBadRecord);
    CHECK(only_error("0, L2, Scratch, 128").code == Code::kReadBadRecord);
  }

  TEST_CASE("sums alone are a model without rows") {
    const model::Recording recording = read(
        "L1D(Scratch)                 16.00 KB\n"
        "DDR Cacheable(Scratch)     2720.13 KB\n"
        "DDR Cacheable(Persistent) 17694.35 KB    \xE2\x86\x90 weights\n");
    REQUIRE(recording.cores.at(0).instances.size() == 1);
    const model::Instance& model = recording.cores[0].instances[0];
    CHECK(model.blocks.empty());
    REQUIRE(model.totals.size() == 3);
    CHECK(model.totals[2].size.printed_kib == "17694.35");
    CHECK(model.totals[2].lifetime == Lifetime::kPersistent);
    CHECK(model.totals[2].line == 3);
  }

  TEST_CASE("sums belong to the rows before them, and begin a model where they stand again") {
    const std::string sums =
        "Total memory size requirement (space wise):\nMem Space , Size(KBytes)\n"
        "DDR Cacheable(Persistent), 0.66    \nL1D(Scratch), 16.00   \n";
    const model::Recording recording =
        read(table("", true) + sums + elsewhere(table("", true)) + sums + sums);
    const auto& models = recording.cores.at(0).instances;
    REQUIRE(models.size() == 3);
    CHECK(models[0].totals.size() == 2);
    CHECK(models[1].blocks.size() == 4);
    CHECK(models[2].blocks.empty());
    CHECK(models[2].totals.size() == 2);
  }

  TEST_CASE("the stand-alone test prints numbers alone, until its sum") {
    const model::Recording recording = read(
        "   0,    17,        15208,      0.015 0x7f0010000000\n"
        "Num,    Space,     SizeinBytes,   SineInMB\n"
        "   0,    17,        15208,      0.015 0x7f0010000000\n"
        "some line between\n"
        "   2,     0,        16384,      0.016 0x7f0020000000\n"
        "  12,    18,      2097152,      2.000 (nil)\n"
        "Total External Memory (DDR) Size =      2112360,      2.015\n"
        "   3,    17,        15208,      0.015 0x7f0010000000\n");
    REQUIRE(recording.cores.at(0).instances.size() == 1);
    const model::Instance& table = recording.cores[0].instances[0];
    CHECK(table.form == "test");
    REQUIRE(table.blocks.size() == 3);
    CHECK(table.blocks[0].line == 3);
    CHECK(table.blocks[0].address == PrintedAddress::whole(0x7f0010000000));
    CHECK(table.blocks[1].cacheability == Cacheability::kOnChip);
    CHECK(table.blocks[2].cacheability == Cacheability::kNonCacheable);
    CHECK_FALSE(table.blocks[2].address.has_value());
  }

  TEST_CASE("what TIOVX says of each record is a table too") {
    const model::Recording recording =
        read(request(0, 18, 19886, 0x10000000) + request(1, 17, 676, 0x1043de40));
    REQUIRE(recording.cores.at(0).instances.size() == 1);
    const model::Instance& table = recording.cores[0].instances[0];
    CHECK(table.form == "requests");
    REQUIRE(table.blocks.size() == 2);
    CHECK(table.blocks[0].alignment.value() == 128);
    CHECK(table.blocks[0].address == PrintedAddress::whole(0x10000000));
    CHECK(table.blocks[1].size.nearest == core::Bytes{676});
  }

  TEST_CASE("a pointer is a whole address, and null is none") {
    const std::string granted = "Allocated memory record 0 @ space = 17 and size = 676, addr = ";
    const auto at = [&](const char* pointer) {
      return read(granted + pointer + " ... \n").cores.at(0).instances.at(0).blocks.at(0).address;
    };
    CHECK(at("0x11806c1c0") == PrintedAddress::whole(0x11806C1C0));
    CHECK(at("0x100000000") == PrintedAddress::whole(0x100000000));
    CHECK_FALSE(at("0x0").has_value());
  }

  TEST_CASE("requests between the two prints of a table are that table") {
    const std::string asked = request(0, 18, 19886, 0x10000000) + request(1, 17, 676, 0x1043de40) +
                              request(2, 0, 16384, 0x7f83c000) + request(3, 2, 2097152, 0x7e200000);
    const model::Recording both = read(table(kSecond, false) + asked + table(kSecond, true));
    REQUIRE(both.cores.at(0).instances.size() == 1);
    check_four_rows(both.cores[0].instances[0], true);
    // Without the second print they give the first one its addresses.
    const model::Recording first = read(table(kSecond, false) + asked);
    REQUIRE(first.cores.at(0).instances.size() == 1);
    CHECK(first.cores[0].instances[0].form == "kib-placed");
    CHECK(first.cores[0].instances[0].blocks[1].address == PrintedAddress::whole(0x1043de40));
  }

  TEST_CASE(
      "where requests have whole addresses and their table has the low bits, they stay whole") {
    const std::string asked =
        request(0, 18, 19886, 0x2010000000) + request(1, 17, 676, 0x201043de40);
    const model::Recording both = read(table(kSecond, false) + asked + table(kSecond, true));
    REQUIRE(both.cores.at(0).instances.size() == 1);
    const auto& rows = both.cores[0].instances[0].blocks;
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].address == PrintedAddress::whole(0x2010000000));
    CHECK(rows[1].address == PrintedAddress::whole(0x201043de40));
    CHECK(rows[2].address == PrintedAddress::low(kRows.at(2).base));
    // Loaded again at the same place, it is the same model, whether its requests were lost or not.
    const model::Recording again = read(table(kSecond, false) + asked + table(kSecond, true) +
                                        table(kSecond, false) + table(kSecond, true));
    REQUIRE(again.cores.at(0).instances.size() == 1);
    CHECK(again.cores[0].instances[0].times == 2);
  }

  TEST_CASE("tables that lost their neighbours do not grow together") {
    // The first print's end and the second's beginning are gone, of two models.
    const std::string text = kSecond + row_text(kRows[0], false) + "\n" + kSecond +
                             "TIDL Memory size requiement (record wise):\n" + kSecond +
                             row_text(kRows[2], false) + "\n";
    CHECK(read(text).cores.at(0).instances.size() == 2);
    // The first rows of one print, then the rest of the other.
    const std::string mixed = kSecond + row_text(kRows[0], false) + "\n" + kSecond +
                              row_text(kRows[1], false) + "\n" + kSecond +
                              row_text(kRows[3], true) + "\n";
    CHECK(read(mixed).cores.at(0).instances.size() == 2);
  }

  TEST_CASE("two halves of which only the sums below prove that they are one table") {
    const std::string halves =
        kSecond + row_text(kRows[0], false) + "\n" + kSecond + row_text(kRows[1], false) + "\n" +
        kSecond + row_text(kRows[2], true) + "\n" + kSecond + row_text(kRows[3], true) + "\n";
    const auto sums = [](const std::string& cacheable) {
      return kSecond + "Total memory size requirement (space wise):\n" + kSecond +
             "L1D(Scratch), 16.00\n" + kSecond + "L3/MSMC(Scratch), 2048.00\n" + kSecond +
             "DDR Cacheable(Persistent), " + cacheable + "\n" + kSecond +
             "DDR Non-cacheable(Persistent), 19.42\n";
    };
    const model::Recording one = read(halves + sums("0.66"));
    REQUIRE(one.cores.at(0).instances.size() == 1);
    REQUIRE(one.cores[0].instances[0].blocks.size() == 4);
    CHECK_FALSE(one.cores[0].instances[0].blocks[1].address.has_value());
    CHECK(one.cores[0].instances[0].blocks[3].address.has_value());
    // Another model's sums, and none.
    CHECK(read(halves + sums("0.99")).cores.at(0).instances.size() == 2);
    CHECK(read(halves).cores.at(0).instances.size() == 2);
  }

  TEST_CASE("a first print of which only the sums are left is one with the second") {
    const std::string sums = kSecond + "Total memory size requirement (space wise):\n" + kSecond +
                             "L1D(Scratch), 16.00\n" + kSecond + "L3/MSMC(Scratch), 2048.00\n" +
                             kSecond + "DDR Cacheable(Persistent), 0.66\n" + kSecond +
                             "DDR Non-cacheable(Persistent), 19.42\n";
    const model::Recording recording =
        read(sums + kSecond + "TIDL init call from ivision API \n" + table(kSecond, true) + sums);
    REQUIRE(recording.cores.at(0).instances.size() == 1);
    check_four_rows(recording.cores[0].instances[0], true);
    CHECK(recording.cores[0].instances[0].form == "kib-placed");
  }

  TEST_CASE("a log that lost its line ends") {
    std::string text = "root@board:~# run ";
    for (const Row& row : kRows) {
      text += kFirst + row_text(row, true) + " " + kSecond + row_text(row, true) + " ";
    }
    const model::Recording recording = read(text);
    REQUIRE(recording.cores.size() == 2);
    check_four_rows(recording.cores[0].instances.at(0), true);
    check_four_rows(recording.cores[1].instances.at(0), true);
  }

  TEST_CASE("a '[' that was lost, escapes and NULs do not hide a row") {
    const std::string lost = kSecond.substr(1);
    const model::Recording recording = read(table(lost, true));
    REQUIRE(recording.cores.size() == 1);
    CHECK(recording.cores[0].core == "c7x_2");
    const model::Recording coloured =
        read(table("\x1b[32m" + std::string(1, '\0') + kSecond + "\x1b[0m", true));
    REQUIRE(coloured.cores.size() == 1);
    CHECK(coloured.cores[0].core == "c7x_2");
    check_four_rows(coloured.cores[0].instances.at(0), true);
  }

  TEST_CASE("a row that the target cut at 1023 characters") {
    const std::string row = row_text(kRows[1], true);
    const std::string filler(1023 - 20 - 1, 'x');
    const std::string text = kSecond + row_text(kRows[0], true) + "\n" + kSecond + filler + " " +
                             row.substr(0, 20) + "\n" + kFirst + "something else\n" + kSecond +
                             row.substr(20) + "\n";
    const model::Recording recording = read(text);
    REQUIRE(recording.cores.size() == 1);
    REQUIRE(recording.cores[0].instances.at(0).blocks.size() == 2);
    CHECK(recording.cores[0].instances[0].blocks[1].address == PrintedAddress::low(0x1043de40));
  }

  TEST_CASE("an emulation on a host is told") {
    CHECK(read(table("", true) + "     0.17s:  VX_ZONE_INIT:Enabled\n").inputs[0].emulated);
    CHECK_FALSE(read(table("", true) + "8803.3 s: VX_ZONE_INIT:Enabled\n").inputs[0].emulated);
  }

  TEST_CASE("the priority that a model asks memory for") {
    const std::string priority =
        kSecond + "PREEMPTION: Requesting memory of size 2097152 for targetPriority = 3\n";
    const model::Recording recording = read(priority + table(kSecond, false) +
                                            table(kSecond, true) + elsewhere(table(kSecond, true)));
    const auto& models = recording.cores.at(0).instances;
    REQUIRE(models.size() == 2);
    CHECK(models[0].priority == 3U);
    CHECK_FALSE(models[1].priority.has_value());
  }

  TEST_CASE("what is read does not depend on how it comes") {
    const std::string text = table(kFirst, false) + table(kSecond, true) + table(kFirst, true);
    for (const std::size_t size : {1U, 2U, 7U, 64U, 1000U}) {
      auto reading = begin_reading("log", "");
      REQUIRE(reading.has_value());
      for (std::size_t from = 0; from < text.size(); from += size) {
        (*reading)->take(std::string_view{text}.substr(from, size));
      }
      const auto recording = (*reading)->finish();
      REQUIRE(recording.has_value());
      REQUIRE(recording->cores.size() == 2);
      check_four_rows(recording->cores[0].instances.at(0), true);
      check_four_rows(recording->cores[1].instances.at(0), true);
    }
  }

  TEST_CASE("a model is told of when its table is complete, and when nothing more comes") {
    std::vector<std::size_t> told;
    auto reading = begin_reading(
        "log",
        "",
        [&](const std::string& core, const model::Instance& model, std::size_t first_line) {
          CHECK(core == "c7x_2");
          // By it both prints are known to be one model.
          CHECK(first_line == 1);
          told.push_back(model.blocks.size());
        });
    REQUIRE(reading.has_value());
    (*reading)->take(table(kSecond, false));
    (*reading)->take(kSecond + "TIDL init call from ivision API \n" + table(kSecond, true));
    (*reading)->pause();
    CHECK(told == std::vector<std::size_t>{4});
    CHECK((*reading)->finish().has_value());
    CHECK(told == std::vector<std::size_t>{4, 4});
  }

  TEST_CASE("a line that no console prints is refused with its number") {
    const auto recording =
        read_text("one\n" + std::string((std::size_t{1} << 20U) + 1, 'x') + "\nthree\n", "log");
    REQUIRE_FALSE(recording.has_value());
    CHECK(recording.error().front().code == Code::kReadLimit);
    CHECK(recording.error().front().place.line == 2);
  }

  TEST_CASE("more cores than any part has are refused") {
    std::string text;
    for (int i = 0; i < 300; ++i) {
      text += table(fmt::format("[C{}] 1.1 s: ", i), true);
    }
    const auto recording = read_text(text, "log");
    REQUIRE_FALSE(recording.has_value());
    CHECK(recording.error().front().code == Code::kReadLimit);
  }

  TEST_CASE("a broken row is a warning where others are well, and its record is missing") {
    const model::Recording recording =
        read(table(kSecond, true) + kSecond + "4           , DDR Cacheable       , Persis\n");
    REQUIRE(recording.diagnostics.size() == 1);
    CHECK(recording.diagnostics[0].severity == core::Severity::kWarning);
    CHECK(recording.diagnostics[0].code == Code::kReadBadRecord);
    CHECK(recording.inputs[0].broken_rows == 1);
    CHECK(recording.cores.at(0).instances.at(0).blocks.size() == 4);
  }
}

}  // namespace memsize::readers::tidl_log_test
