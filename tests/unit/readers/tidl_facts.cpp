// What a log says besides its tables of records: heaps, failures, run times.
#include "memsize/readers/reader.hpp"

#include "support.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::readers::tidl_facts_test {

namespace {

using core::Code;

model::Recording read(const std::string& text) {
  auto recording = read_text(text, "log", "tidl-log");
  REQUIRE_MESSAGE(recording.has_value(), (recording ? "" : test::all_text(recording.error())));
  return std::move(*recording);
}

const std::string kSecond = "[C7x_2 ]     52.423106 s: ";

}  // namespace

TEST_SUITE("readers") {
  TEST_CASE("heaps, where they are made and how full they are") {
    const model::Recording recording = read(
        "[C7x_1 ]      4.368966 s: MEM: Created heap (DDR_SHARED_MEM, id=0, flags=0x00000004) @ "
        "100000000 of size 268435456 bytes !!!\n"
        "[C7x_1 ]      4.368966 s: MEM: Created heap (L3_MEM, id=1, flags=0x00000004) @ 70020000 "
        "of "
        "size 3964928 bytes with alignment: 256 !!!\n"
        "CPU:  c7x_1: HEAP:   DDR_SHARED_MEM: size =  268435456 B, free =  268435456 B (  4 % "
        "unused)\n"
        "##CPU: c7x_2\n\nHEAP   | Size  | Free | Unused\n--------|-------|------|---------\n"
        "   DDR_LOCAL_MEM |   67108864 B |   61611264 B |  91 %\n");
    REQUIRE(recording.heaps.size() == 4);
    CHECK(recording.heaps[0].address == core::VirtAddr{0x100000000U});
    CHECK(recording.heaps[0].size == core::Bytes{268435456});
    CHECK(recording.heaps[1].name == "L3_MEM");
    CHECK(recording.heaps[2].core == "c7x_1");
    CHECK(recording.heaps[2].free == core::Bytes{268435456});
    CHECK(recording.heaps[3].core == "c7x_2");
    CHECK(recording.heaps[3].free == core::Bytes{61611264});
    CHECK(recording.heaps[3].line == 8);
    REQUIRE(recording.diagnostics.size() == 1);
    CHECK(recording.diagnostics[0].code == Code::kReadNoTable);
  }

  TEST_CASE("a line of a heap that was made is read as it was printed, or told") {
    const std::string whole =
        "MEM: Created heap (DDR_LOCAL_MEM, id=0, flags=0x00000004) @ 110400000 of size 10485760 "
        "bytes !!!";
    REQUIRE(read(kSecond + whole + "\n").heaps.size() == 1);
    const std::vector<std::pair<std::string, std::string>> damages = {
        {"MEM: Created", "MEM: Cre\x80ted"},
        {"heap (DDR", "heapx(DDR"},
        {"DDR_LOCAL_MEM", "DDR_LO-AL_MEM"},
        {") @", "x @"},
        {"@ 110400000", "@ 1104x0000"},
        {"@ 110400000", "@  10400000"},
        {"@ 110400000", "@ 110400001"},
        {"110400000 of", "110400000xof"},
        {"size 10485760", "size  0485760"},
        {"size 10485760", "size 104B5760"},
        {"size 10485760", "size 10485860"},
        {"760 bytes", "760x bytes"},
    };
    for (const auto& damage : damages) {
      const std::string& wrong = damage.second;
      CAPTURE(wrong);
      std::string damaged = whole;
      damaged.replace(damaged.find(damage.first), damage.first.size(), wrong);
      const model::Recording recording = read(kSecond + whole + "\n" + kSecond + damaged + "\n");
      CHECK(recording.heaps.size() == 1);
      const core::Diagnostic* told = test::find(recording.diagnostics, Code::kSizingStatistics);
      REQUIRE(told != nullptr);
      CHECK(told->place.line == 2);
    }
  }

  TEST_CASE("a heap by a core of which nothing else is heard, and whose name is nearly another's") {
    const auto made = [](const std::string& prefix, const char* name, unsigned at) {
      return fmt::format(
          "{} 4.5 s: MEM: Created heap ({}, id=0, flags=0x00000004) @ {:x} of size 1048576 bytes "
          "!!!\n",
          prefix,
          name,
          at);
    };
    const auto told_in = [](const std::string& text) {
      const model::Recording recording = read(text);
      const core::Diagnostic* told = test::find(recording.diagnostics, Code::kReadNoPrefix);
      return told == nullptr ? std::size_t{0} : told->place.line;
    };
    const std::string first =
        made("[C7x_1 ]", "DDR_LOCAL_MEM", 0xa0000000) + made("[C7x_1 ]", "L3_MEM", 0x70000000);
    CHECK(told_in(first + made("[C7q_1 ]", "L2_MEM", 0x64800000)) == 3);
    CHECK(told_in(first + made("C7x_1 x", "L2_MEM", 0x64800000)) == 3);
    // The second core has a heap that the first one has, too; or the first one is hardly heard.
    CHECK(told_in(first + made("[C7x_2 ]", "L3_MEM", 0x70000000)) == 0);
    CHECK(told_in(first + made("[MCU2_0]", "L2_MEM", 0x64800000)) == 0);
    CHECK(told_in(made("[C7x_1 ]", "L3_MEM", 0x70000000) +
                  made("[C7x_2 ]", "L2_MEM", 0x64800000)) == 0);
  }

  TEST_CASE("tables of heaps are read where the ends of their lines are lost") {
    const model::Recording recording = read(
        "##CPU: c7x_1 HEAP   | Size  | Free | Unused --------|-------|------|---------    "
        "DDR_LOCAL_MEM |  268435456 B |  249448704 B |  92 %           L3_MEM |    8159232 B |"
        "          0 B |   0 % ##CPU: c7x_2 | HEAP | Size | L3_MEM | 2 B | 3 B | 50 % "
        "NOT_OF_HEAPS | 7 B | 7 B | 100 % DDR_SCRATCH_MEM |  385875968 B |  385344256 B |  99 %");
    REQUIRE(recording.heaps.size() == 3);
    CHECK(recording.heaps[0].core == "c7x_1");
    CHECK(recording.heaps[0].name == "DDR_LOCAL_MEM");
    CHECK(recording.heaps[0].free == core::Bytes{249448704});
    CHECK(recording.heaps[1].core == "c7x_1");
    CHECK(recording.heaps[1].name == "L3_MEM");
    CHECK(recording.heaps[1].size == core::Bytes{8159232});
    CHECK(recording.heaps[2].core == "c7x_2");
    CHECK(recording.heaps[2].name == "DDR_SCRATCH_MEM");
  }

  TEST_CASE("of a heap's statistics the fullest counts") {
    const auto line = [](int free) {
      return fmt::format("CPU: c7x_1: HEAP: L2_MEM: size = 1024 B, free = {} B ({} % unused)\n",
                         free,
                         free * 100 / 1024);
    };
    const model::Recording recording = read(line(900) + line(100) + line(1000));
    REQUIRE(recording.heaps.size() == 1);
    CHECK(recording.heaps[0].free == core::Bytes{100});
    CHECK(recording.heaps[0].line == 2);
  }

  TEST_CASE("failures: of a record, and others once") {
    const std::string failed =
        "C7x_1 ]   1243.288393 s:  VX_ZONE_ERROR:[tivxAlgiVisionAllocMem:184] Failed to Allocate "
        "memory record 5 @ space = 17 and size = 170281740 !!!\n";
    const std::string shared = "MEM: ERROR: Alloc failed with status = 12 !!!\n";
    const model::Recording recording =
        read(failed + shared + shared + "[C7x_1 ] 1.5 s: Not able to allocate MSMC memory\n");
    REQUIRE(recording.failures.size() == 3);
    const model::Failure& record = recording.failures[0];
    CHECK(record.kind == model::Failure::Kind::kRecord);
    CHECK(record.core == "c7x_1");
    CHECK(record.record == 5U);
    CHECK(record.size == core::Bytes{170281740});
    CHECK(record.space == "ddr");
    CHECK(recording.failures[1].kind == model::Failure::Kind::kHost);
    CHECK(recording.failures[2].kind == model::Failure::Kind::kOnChip);
    CHECK(recording.failures[2].text == "Not able to allocate MSMC memory");
  }

  TEST_CASE("run times: the slowest of a run's frames") {
    const auto frame = [](const char* ms) {
      return fmt::format(
          "# NETWORK_EXECUTION_TIME = {} (in ms, c7x @1GHz) with DDR_BANDWIDTH (Read + Write) = "
          "0.71, 7.32, 8.03 (in Mega Bytes/frame)\n",
          ms);
    };
    const model::Recording recording = read("# NETWORK_INIT_TIME =   145.00 (in ms, c7x @1GHz)\n" +
                                            frame("3.25") + frame("    4.50") + frame("3.00") +
                                            "# NETWORK_INIT_TIME =   1.00 (in ms, c7x @1GHz)\n");
    REQUIRE(recording.runs.size() == 2);
    CHECK(recording.runs[0].init_ms == 145.0);
    CHECK(recording.runs[0].executions == 3);
    CHECK(recording.runs[0].execution_ms == 4.5);
    CHECK(recording.runs[0].written_mb == 7.32);
    CHECK_FALSE(recording.runs[1].execution_ms.has_value());
  }

  TEST_CASE("statistics whose core has two names are told, not believed") {
    const std::string whole =
        "CPU: mcu2_0: HEAP: DDR_LOCAL_MEM: size = 8388608 B, free = 8388352 B ( 99 % unused)\n";
    CHECK(read(whole).heaps.size() == 1);
    std::string joined = whole;
    joined.replace(joined.find("mcu2_0"), 6, "mcu2_0 mcu2_0");
    const model::Recording recording = read(whole + joined);
    CHECK(recording.heaps.size() == 1);
    const core::Diagnostic* told = test::find(recording.diagnostics, Code::kSizingStatistics);
    REQUIRE(told != nullptr);
    CHECK(told->place.line == 2);
  }
}

}  // namespace memsize::readers::tidl_facts_test
