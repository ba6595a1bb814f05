#include "memsize/readers/reader.hpp"

#include "support.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;
using model::Cacheability;
using model::Lifetime;

model::Recording read(const std::string& text) {
  auto recording = read_text(text, "log", "tidl-table");
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
  const auto recording = read_text(line + "\n", "log", "tidl-table");
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
    CHECK(instance.blocks[i].address_low.has_value() == with_base);
    CHECK((!with_base || *instance.blocks[i].address_low == kRows.at(i).base));
  }
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
    CHECK(recording.inputs[0].other_lines == 0);
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
    // No seconds, no number, no closing bracket: the rows are not rows then.
    for (const std::string& prefix :
         {std::string{"[C7x_2] "}, std::string{"[C7x_2] x.y s: "}, std::string{"[C7x_2 1.1 s: "}}) {
      CAPTURE(prefix);
      const auto recording = read_text(table(prefix, true), "log", "tidl-table");
      REQUIRE_FALSE(recording.has_value());
      CHECK(recording.error().front().code == core::Code::kReadNoTable);
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
    CHECK(recording.inputs[0].other_lines == 2);
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
    CHECK(blocks[0].address_low.has_value());
    CHECK_FALSE(blocks[1].address_low.has_value());
    CHECK_FALSE(blocks[2].address_low.has_value());
    CHECK(blocks[3].address_low.has_value());
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
    CHECK(read(once + once).cores.at(0).instances.size() == 2);
    // Both allocations before both initialisations.
    const std::string early = table(kSecond, false) + table(kSecond, false);
    const std::string late = table(kSecond, true) + table(kSecond, true);
    CHECK(read(early + late).cores.at(0).instances.size() == 2);
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
    CHECK(recording.inputs[0].other_lines == 8);
  }

  TEST_CASE("a base of zero is no address; the last 32-bit address is one") {
    const auto at = [](const char* base) {
      const model::Recording recording =
          read(std::string{"0, L2, Scratch, 128, 1.00, "} + base + "\n");
      return recording.cores.at(0).instances.at(0).blocks.at(0).address_low;
    };
    CHECK_FALSE(at("0x00000000").has_value());
    CHECK(at("0xffffffff") == 0xFFFFFFFFU);
    CHECK(at("0x1") == 1U);
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
    check_bad_row("0, DDR Cacheable, Persistent, 128, 18446744073709551615.00, 0x1", 36, 23);
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
    const core::Diagnostic problem = only_error("[C7x_2]\t1.1 s: 0\t, L2, Scratch, 7, 1.00, 0x1");
    // "[C7x_2]" 1-7, tab 8, "1.1 s:" 9-14, blank 15, "0" 16, tab 17, ", L2, Scratch, " 18-32.
    CHECK(problem.place.column == 33);
    CHECK(problem.place.text == "[C7x_2] 1.1 s: 0 , L2, Scratch, 7, 1.00, 0x1");
  }

  TEST_CASE("a line with control characters is shown escaped, as a whole") {
    const core::Diagnostic problem = only_error("0, DDR \x1b[31m, Persistent, 128, 1.00, 0x1");
    CHECK(problem.place.line == 1);
    CHECK(problem.place.column == 0);
    CHECK_FALSE(test::contains(problem.place.text.str(), "\x1b"));
    CHECK_FALSE(test::contains(problem.message, "\x1b"));
  }

  TEST_CASE("the tables of SDK 8 and older are told from broken ones") {
    const core::Diagnostic problem = only_error("0         , DDR       , Persistent,    15208");
    CHECK(problem.code == Code::kReadBadRecord);
    CHECK(test::contains(problem.message, "SDK 8"));
    const core::Diagnostic kilobytes = only_error("3 , L3/MSMC , Scratch , 1.00");
    CHECK(test::contains(kilobytes.message, "SDK 8"));
  }

  TEST_CASE("a record that stands twice in a table names both lines") {
    const auto recording = read_text(
        "0, L2, Scratch, 128, 1.00, 0x1\n"
        "1, L2, Scratch, 128, 1.00, 0x1\n"
        "1, L2, Scratch, 128, 1.00, 0x1\n",
        "log",
        "");
    REQUIRE_FALSE(recording.has_value());
    const core::Diagnostic& problem = recording.error().front();
    CHECK(problem.code == Code::kReadDuplicateRecord);
    CHECK(problem.place.line == 3);
    REQUIRE(problem.related.size() == 1);
    CHECK(problem.related[0].place.line == 2);
  }

  TEST_CASE("all malformed rows are reported, not the first alone") {
    const auto recording = read_text(
        "0, L2, Scratch, 1, x, 0x1\n"
        "some line\n"
        "1, L2, Never, 1, 1.00, 0x1\n",
        "log",
        "");
    REQUIRE_FALSE(recording.has_value());
    REQUIRE(recording.error().size() == 2);
    CHECK(recording.error()[0].place.line == 1);
    CHECK(recording.error()[1].place.line == 3);
  }

  TEST_CASE("what only looks like a table is none") {
    for (const std::string_view bait : {
             "MEM: Created heap (DDR_LOCAL_MEM, id=0) @ 110000000 of size 131072 bytes !!!\n",
             "[C7x_1 ]      4.780987 s: MEM: Created heap (L2, id=1) of size 131072 bytes !!!\n",
             "Allocating memory record 3 @ space = 17 and size of 131072 bytes, align = 128\n",
             "1,2,3\n4,5,6\n7,8,9,10,11,12\n",
             "   0,    17,        131072,      0.125 0x10000000\n",
             "record, space, attribute, alignment, size, base\n",
             "CPU: c7x_2: HEAP: DDR_LOCAL_MEM: size = 67108864 B, free = 1 B (91 % unused)\n",
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
    CHECK(test::contains(wrong.error().front().hint, "tidl-table"));
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
}

}  // namespace memsize::readers
