// Logs of days: attempts, rotations, cut lines, and the same complaint again and again.
#include "memsize/readers/reader.hpp"

#include "support.hpp"

#include <algorithm>
#include <span>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::readers::long_logs_test {
namespace {

using core::Code;

constexpr unsigned kBase = 0x10400000;
// TIDL cuts what it prints behind so many characters (console_io.c: strings of 1024 bytes).
constexpr std::size_t kCut = 1023;
const std::string kPrefix = "[C7x_2 ]     52.423106 s: ";
const std::string kRefused =
    kPrefix +
    " VX_ZONE_ERROR:[tivxAlgiVisionAllocMem:184] Failed to Allocate memory record 3 @ "
    "space = 17 and size = 170281740 !!!\n";

model::Recording read(const std::string& text) {
  auto recording = read_text(text, "log", "tidl-log");
  REQUIRE_MESSAGE(recording.has_value(), (recording ? "" : test::all_text(recording.error())));
  return std::move(*recording);
}

std::string row(unsigned record, const std::string& kib, unsigned base) {
  return fmt::format("{:<12d}, {:<20s}, {:<12s}, {:4d}, {:<8s}, 0x{:08x}",
                     record,
                     "DDR Cacheable",
                     "Persistent",
                     128,
                     kib,
                     base);
}

// Four rows of `kib` each; without addresses where `base` is 0.
std::string table(const std::string& kib, unsigned base) {
  std::string text = kPrefix + "TIDL Memory size requiement (record wise):\n";
  for (unsigned record = 0; record < 4; ++record) {
    text += kPrefix + row(record, kib, base == 0 ? 0 : base + record * 0x100000) + "\n";
  }
  return text;
}

const std::string kInit = kPrefix + "TIDL init call from ivision API\n";

TEST_SUITE("readers: long logs") {
  // A console that prints the same bytes for ever.
  class Endless : public core::ByteStream {
   public:
    explicit Endless(char byte) : byte_(byte) {}

    core::Result<std::size_t> read(std::span<char> buffer) override {
      std::ranges::fill(buffer, byte_);
      taken += buffer.size();
      return buffer.size();
    }

    std::uint64_t taken = 0;

   private:
    char byte_;
  };

  TEST_CASE("a line that never ends is left where it is too long") {
    Endless zeros{'\0'};
    const auto recording = read_stream(zeros, "log");
    REQUIRE(!recording);
    CHECK(recording.error().front().code == Code::kReadLimit);
    CHECK(zeros.taken < (std::uint64_t{4} << 20U));
  }

  TEST_CASE("attempts that were refused are one model with the one that was not") {
    const std::string attempt = table("8.00", 0) + kRefused;
    const model::Recording recording =
        read(attempt + attempt + attempt + table("8.00", 0) + kInit + table("8.00", kBase));
    REQUIRE(recording.cores.size() == 1);
    REQUIRE(recording.cores[0].instances.size() == 1);
    CHECK(recording.cores[0].instances[0].blocks.at(0).address ==
          model::PrintedAddress::low(kBase));
    REQUIRE(recording.failures.size() == 1);
    // The last attempt is the one whose table is known.
    CHECK(recording.failures[0].line == 18);
  }

  TEST_CASE("attempts that never succeed are one model") {
    const std::string attempt = table("8.00", 0) + kRefused;
    const model::Recording recording = read(attempt + attempt + attempt);
    REQUIRE(recording.cores.at(0).instances.size() == 1);
    CHECK(recording.cores[0].instances[0].line < recording.failures.at(0).line);
  }

  TEST_CASE("equal models that were not refused are two, and so are a refused and another one") {
    CHECK(read(table("8.00", 0) + table("8.00", 0)).cores.at(0).instances.size() == 2);
    CHECK(read(table("8.00", 0) + kRefused + table("9.00", 0)).cores.at(0).instances.size() == 2);
  }

  TEST_CASE("a model is refused although it is loaded already: both count") {
    const model::Recording recording =
        read(table("8.00", 0) + kInit + table("8.00", kBase) + table("8.00", 0) + kRefused);
    CHECK(recording.cores.at(0).instances.size() == 2);
  }

  TEST_CASE("a record that is refused behind two tables is two failures, in any order") {
    const std::string first = table("8.00", kBase) + kRefused;
    const std::string second = table("9.00", kBase) + kRefused;
    CHECK(read(first + second + first).failures.size() == 2);
    CHECK(read(second + first + second).failures.size() == 2);
    const model::Recording recording = read(first + second + first);
    CHECK(recording.failures.at(0).line == 12);
    CHECK(recording.failures.at(1).line == 18);
  }

  TEST_CASE("a complaint is the same whatever a logger puts before it") {
    std::string text = table("8.00", kBase);
    for (int second = 0; second < 2000; ++second) {
      text += fmt::format(
          "Nov 21 12:{:02}:{:02} am62a app[{}]: MEM: ERROR: Alloc failed with status = 12 !!!\n",
          second / 60,
          second % 60,
          second);
      text += fmt::format(
          " {}.42s:  VX_ZONE_ERROR:[tivxMemBufferAlloc:80] Shared mem ptr allocation failed\n",
          second);
    }
    const model::Recording recording = read(text);
    REQUIRE(recording.failures.size() == 2);
    CHECK(recording.failures[0].line == 6);
    CHECK(recording.failures[0].text.starts_with("Nov 21 12:00:00"));
    CHECK(recording.diagnostics.empty());
  }

  TEST_CASE("of more runs and complaints than are kept, it is said how many there were") {
    std::string text = table("8.00", kBase);
    for (int run = 0; run < 4100; ++run) {
      text += kPrefix + "# NETWORK_INIT_TIME =   145.00 (in ms, c7x @1GHz)\n";
      text += kPrefix + fmt::format("MEM: ERROR: Alloc failed with status = {} !!!\n", run);
    }
    const model::Recording recording = read(text);
    CHECK(recording.runs.size() == 4096);
    CHECK(recording.failures.size() == 1024);
    REQUIRE(recording.diagnostics.size() == 2);
    for (const core::Diagnostic& problem : recording.diagnostics) {
      CHECK(problem.code == Code::kReadLimit);
      CHECK(problem.severity == core::Severity::kWarning);
    }
    const auto& [kinds, runs] = std::pair{recording.diagnostics[0], recording.diagnostics[1]};
    CHECK(kinds.message == "3076 more kinds of failures are not kept: this is the first of them");
    CHECK(kinds.place.line == 5 + 2 * 1024 + 2);
    CHECK(runs.message == "4 more runs are not kept: this is the first of them");
    CHECK(runs.place.line == 5 + 2 * 4096 + 1);
  }

  TEST_CASE("a known row is read with what stands before it in its line") {
    const auto lines = [](const std::string& end, const std::string& fifth) {
      std::string text;
      for (unsigned record = 0; record < 16; ++record) {
        text += row(record, record == 5 ? fifth : "100.00", 0) + end + kPrefix +
                row(record, "64.00", kBase + record * 0x10000) + "\n";
      }
      return text;
    };
    const auto models = [&](const std::string& end) {
      std::string text;
      for (const model::CoreRecording& core :
           read(lines(end, "100.00") + lines(end, "777.00")).cores) {
        for (const model::Instance& instance : core.instances) {
          text += fmt::format("{}:{} x{} ", core.core, instance.blocks.size(), instance.times);
        }
      }
      return text;
    };
    CHECK(models("") == models("\n"));
  }

  TEST_CASE("a line that was cut says what stands in it whole") {
    for (const std::size_t size : {kCut - 1, kCut, kCut + 1}) {
      CAPTURE(size);
      std::string line = kPrefix + "MEM: ERROR: Alloc failed with status = 12 !!!";
      line.resize(size, 'x');
      const model::Recording recording = read(table("8.00", kBase) + line + "\n");
      CHECK(recording.failures.size() == 1);
    }
  }

  TEST_CASE("names that are damaged thousandfold do not make a log unreadable") {
    std::string text;
    for (int name = 0; name < 1000; ++name) {
      std::string line = fmt::format("[n{} ] 1.0 s: MEM", name);
      line.resize(kCut, 'x');
      text += line + "\n";
    }
    CHECK(read(text + table("8.00", kBase)).cores.at(0).core == "c7x_2");
  }

  TEST_CASE("a heap's statistics are of the core that prints them, or that it names") {
    const std::string cells = "   DDR_LOCAL_MEM |   67108864 B |   61611264 B |  91 %\n";
    const model::Recording recording =
        read("##CPU: mcu2_0\n" + cells + "[C7x_1 ] 5.0 s: " + cells +
             "[MCU1_0] 5.0 s: ##CPU: c7x_2\n[MCU1_0] 5.0 s: " + cells);
    REQUIRE(recording.heaps.size() == 3);
    CHECK(recording.heaps[0].core == "mcu2_0");
    CHECK(recording.heaps[1].core == "c7x_1");
    CHECK(recording.heaps[2].core == "c7x_2");
  }
}

}  // namespace
}  // namespace memsize::readers::long_logs_test
