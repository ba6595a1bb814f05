// Logs of a board, held against a map.
#include "memsize/runtime/board_log.hpp"

#include "sizing/sizing_support.hpp"
#include "support.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::runtime::board_log_test {

namespace {

using core::Bytes;
using core::Code;
using core::Severity;
using model::Block;
using model::Cacheability;
using model::Failure;
using model::HeapReport;
using model::Lifetime;
using model::PrintedAddress;
using Where = HeldRecord::Where;

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1048576;

// Where zx9's heaps are by default, 16 MiB each.
constexpr std::uint32_t kKeep = 0x80000000;
constexpr std::uint32_t kTemp = 0x81000000;
constexpr std::uint32_t kRawKeep = 0x82000000;

Block block(std::uint32_t record,
            std::optional<std::uint32_t> address,
            std::uint64_t bytes,
            Cacheability cacheability = Cacheability::kCacheable,
            Lifetime lifetime = Lifetime::kPersistent,
            const char* space = "ddr") {
  Block block;
  block.record = record;
  block.space = space;
  block.cacheability = cacheability;
  block.lifetime = lifetime;
  block.alignment = *core::Align::make(128);
  block.size = model::measured_exactly(Bytes{bytes});
  if (address) {
    block.address = PrintedAddress::low(*address);
  }
  block.line = 10 + record;
  return block;
}

Block scratch(std::uint32_t record, std::uint32_t address, std::uint64_t bytes) {
  return block(record, address, bytes, Cacheability::kCacheable, Lifetime::kScratch);
}

model::Recording recording(std::vector<Block> blocks) {
  model::Instance instance;
  instance.line = 9;
  instance.blocks = std::move(blocks);
  return test::recording_of("alpha", {std::move(instance)});
}

HeapReport heap(const char* name, std::uint64_t bytes) {
  HeapReport heap;
  heap.line = 3;
  heap.core = "alpha";
  heap.name = name;
  heap.size = Bytes{bytes};
  return heap;
}

HeapReport boot(const char* name, std::uint64_t address, std::uint64_t bytes) {
  HeapReport made = heap(name, bytes);
  made.address = core::VirtAddr{address};
  return made;
}

HeapReport statistics(const char* name, std::uint64_t bytes, std::uint64_t free) {
  HeapReport told = heap(name, bytes);
  told.source = HeapReport::Source::kStatistics;
  told.free = Bytes{free};
  return told;
}

model::RunReport run(double begun, double took) {
  model::RunReport run;
  run.core = "alpha";
  run.init_ms = begun;
  run.executions = 1;
  run.execution_ms = took;
  return run;
}

// Neither of the first two heaps lies over where the second is by default.
board::KnobValues shrunk() {
  return {{"keep_size", 8 * kMiB}, {"temp_size", 4 * kMiB}};
}

// The map of some sizes, held against a log; the board's default map may explain it.
struct Held {
  layout::MemoryMap map;
  layout::MemoryMap standard = test::map_of(test::zx9_text());
  BoardLogReport report;

  explicit Held(const model::Recording& recording,
                const board::KnobValues& set = {},
                const model::Recording* before = nullptr,
                const std::string& text = test::zx9_text())
      : map(test::map_of(text, set)) {
    sizing::BoardView view;
    view.board = &map.board;
    view.values = map.values;
    const sizing::Sizing sizing = sizing::size_recording(recording, test::tidl_format(), &view, {});
    std::vector<OtherMap> others;
    if (!set.empty()) {
      others.push_back({"the default map", &standard});
    }
    report = hold_log(map, {recording, test::tidl_format(), sizing, before}, others);
  }

  [[nodiscard]] const HeldRegion& region(const std::string& name) const {
    for (const HeldRegion& region : report.regions) {
      if (region.region == name) {
        return region;
      }
    }
    FAIL("no region " << name);
    return report.regions.front();
  }

  [[nodiscard]] const core::Diagnostic& finding(Code code) const {
    const core::Diagnostic* found = test::find(report.findings, code);
    REQUIRE(found != nullptr);
    return *found;
  }

  [[nodiscard]] bool says(Code code, std::string_view part) const {
    const core::Diagnostic& found = finding(code);
    std::string text = found.message + "\n" + found.hint;
    for (const std::string& detail : found.details) {
      text += "\n" + detail;
    }
    return test::contains(text, part);
  }

  [[nodiscard]] std::size_t count(Code code) const { return test::count(report.findings, code); }
};

TEST_SUITE("runtime") {
  TEST_CASE("records inside of their regions are counted, with what is left") {
    const Held held{recording({block(1, kKeep + 0x1000, 3 * kMiB),
                               block(5, kKeep + 0x400000, 4 * kMiB),
                               scratch(11, kTemp, 16 * kMiB)})};
    CHECK(held.report.count(Where::kInside) == 3);
    CHECK(held.report.records.at(1).address == core::VirtAddr{0x80400000});
    CHECK(held.report.records.at(1).region == "ARENA_KEEP");
    CHECK(held.count(Code::kLogOutside) == 0);
    const HeldRegion& keep = held.region("ARENA_KEEP");
    CHECK(keep.records == 2);
    CHECK(keep.inside == 2);
    CHECK(keep.largest_record == 5);
    CHECK(keep.largest == Bytes{4 * kMiB});
    CHECK(keep.used == Bytes{8 * kMiB});
    CHECK(keep.left() == Bytes{8 * kMiB});
    CHECK(keep.left_percent() == 50);
    CHECK(keep.knob == "keep_size");
    CHECK(held.region("ARENA_TEMP").left() == Bytes{});
    CHECK(held.region("ARENA_TEMP").left_percent() == 0);
    CHECK_FALSE(held.region("RAW_KEEP").used.has_value());
    CHECK_FALSE(held.region("RAW_KEEP").left().has_value());
  }

  TEST_CASE("one byte beyond the end is outside") {
    CHECK(Held{recording({block(1, kKeep + 15 * kMiB, kMiB)})}.report.count(Where::kInside) == 1);
    const Held held{recording({block(1, kKeep + 15 * kMiB, kMiB + 1)})};
    CHECK(held.report.count(Where::kOutside) == 1);
    CHECK(held.finding(Code::kLogOutside).severity == Severity::kError);
    CHECK(held.says(Code::kLogOutside, "beyond its end"));
    CHECK(held.finding(Code::kLogOutside).place.line == 11);
  }

  TEST_CASE("a printed size is no proof of its last half digit") {
    // 1024.01 KiB may be as little as 1 MiB and 5.12 B less: true sizes from 1 048 581 B on.
    Block rounded = block(1, kKeep + 15 * kMiB - 8, kMiB);
    rounded.size = model::measured_kib(102401);
    CHECK(Held{recording({rounded})}.report.count(Where::kInside) == 1);
    rounded.address = PrintedAddress::low(kKeep + 15 * kMiB);
    CHECK(Held{recording({rounded})}.report.count(Where::kOutside) == 1);
  }

  TEST_CASE("a record in another heap's region is named with it") {
    const Held held{recording({block(1, kTemp + 0x2000, kMiB)})};
    CHECK(held.report.records.front().found_in == "ARENA_TEMP");
    CHECK(held.says(Code::kLogOutside, "in ARENA_TEMP"));
    CHECK(held.says(Code::kLogOutside, "was the firmware of alpha built again with this map"));
    CHECK(held.region("ARENA_KEEP").inside == 0);
    CHECK_FALSE(held.region("ARENA_KEEP").used.has_value());
  }

  TEST_CASE("records where the default map has them are those of old firmware") {
    const model::Recording log = recording({block(1, kKeep, kMiB), scratch(11, kTemp, kMiB)});
    CHECK(Held{log}.report.count(Where::kInside) == 2);
    const Held held{log, shrunk()};
    CHECK(held.report.count(Where::kInside) == 1);
    CHECK(held.says(Code::kLogOutside, "1 of 2 records lies outside"));
    CHECK(held.says(Code::kLogOutside, "that is where the default map has them"));
    CHECK(held.says(Code::kLogOutside, "build the firmware of alpha again"));
    // Nowhere near either map.
    const Held other{recording({scratch(11, kRawKeep, kMiB)}), shrunk()};
    CHECK_FALSE(other.says(Code::kLogOutside, "default map"));
  }

  TEST_CASE("a region across 4 GiB has low words from both sides") {
    const std::string text = test::with(
        test::zx9_text(), "virtual = \"0x80000000\"\nlimit", "virtual = \"0xFFF00000\"\nlimit");
    const Held held{
        recording({block(1, 0xFFF00000, 2 * kMiB), block(5, 0x00100000, kMiB)}), {}, nullptr, text};
    CHECK(held.report.count(Where::kInside) == 2);
    CHECK(held.report.records.at(0).address == core::VirtAddr{0xFFF00000});
    CHECK(held.report.records.at(1).address == core::VirtAddr{0x100100000});
    CHECK(held.region("ARENA_KEEP").used == Bytes{3 * kMiB});
  }

  TEST_CASE("a heap at a multiple of 4 GiB begins at the low word 0") {
    const std::string text = test::with(
        test::zx9_text(), "virtual = \"0x80000000\"\nlimit", "virtual = \"0x300000000\"\nlimit");
    const auto inside = [&](std::vector<Block> blocks) {
      return Held{recording(std::move(blocks)), {}, nullptr, text}.report.count(Where::kInside);
    };
    CHECK(inside({block(1, 0, kMiB), block(5, 0x00100000, kMiB)}) == 2);
    CHECK(inside({block(1, std::nullopt, kMiB), block(5, 0x00100000, kMiB)}) == 1);
  }

  TEST_CASE("records on the chip are held against their memory") {
    const auto chip = [](std::uint32_t address, std::uint64_t bytes) {
      return recording({block(3, address, bytes, Cacheability::kOnChip, Lifetime::kScratch, "l2")});
    };
    CHECK(Held{chip(0x100000, 256 * kKiB)}.report.count(Where::kInside) == 1);
    CHECK(Held{chip(0x100400, 256 * kKiB)}.report.count(Where::kOutside) == 1);
  }

  TEST_CASE("records without an address or a region are neither inside nor outside") {
    const Held held{
        recording({block(1, std::nullopt, kMiB),
                   block(2, 0x7000, kKiB, Cacheability::kOnChip, Lifetime::kScratch, "l1d")})};
    CHECK(held.report.count(Where::kNoAddress) == 1);
    CHECK(held.report.count(Where::kNoRegion) == 1);
    CHECK(held.count(Code::kLogOutside) == 0);
    CHECK(held.region("ARENA_KEEP").records == 1);
    CHECK(held.region("ARENA_KEEP").inside == 0);
  }

  TEST_CASE("records of one model that share bytes are an error, whatever their heaps") {
    CHECK(Held{recording({block(1, kKeep, kMiB), block(5, kKeep + kMiB, kMiB)})}.count(
              Code::kLogOverlap) == 0);
    const Held held{recording({block(1, kKeep, kMiB), block(5, kKeep + kMiB - 1, kMiB)})};
    CHECK(held.count(Code::kLogOverlap) == 1);
    CHECK(held.says(Code::kLogOverlap, "records 1 and 5 of one model share 1 B"));
    // A large one over two small ones.
    CHECK(Held{recording({block(1, kKeep, 4 * kMiB),
                          block(5, kKeep + kMiB, kKiB),
                          block(10, kKeep + 2 * kMiB, kKiB)})}
              .count(Code::kLogOverlap) == 2);
  }

  TEST_CASE("the same low words in two heaps 4 GiB apart are no overlap") {
    const board::KnobValues far = {{"keep_size", 4096 * kMiB}, {"pool_at", 0x1180000000}};
    const Held held{recording({block(1, kKeep, kMiB), scratch(11, kKeep, kMiB)}), far};
    CHECK(held.report.records.at(0).address == core::VirtAddr{0x80000000});
    CHECK(held.report.records.at(1).address == core::VirtAddr{0x180000000});
    CHECK(held.count(Code::kLogOverlap) == 0);
    // Both outside, at the same place.
    CHECK(Held{recording({block(1, kRawKeep, kMiB), scratch(11, kRawKeep, kMiB)})}.count(
              Code::kLogOverlap) == 1);
  }

  TEST_CASE("models at the same addresses were loaded one after the other") {
    model::Recording log = recording({block(1, kKeep, kMiB)});
    log.cores.front().instances.push_back(log.cores.front().instances.front());
    log.cores.front().instances.back().line = 90;
    CHECK(Held{log}.count(Code::kLogOverlap) == 0);
  }

  TEST_CASE("heaps of another size or place are those of other firmware") {
    model::Recording log = recording({block(1, kKeep, kMiB)});
    log.heaps = {boot("DDR_LOCAL_MEM", kKeep, 16 * kMiB),
                 boot("DDR_SCRATCH_MEM", kTemp, 16 * kMiB)};
    CHECK(Held{log}.count(Code::kLogHeap) == 0);
    const Held held{log, {{"keep_size", 8 * kMiB}}};
    CHECK(held.says(Code::kLogHeap, "2 heaps are not what the map has"));
    CHECK(held.says(Code::kLogHeap,
                    "ARENA_KEEP: 16 MiB at 0x80000000 in the log, 8 MiB at 0x80000000 in the map"));
    CHECK(
        held.says(Code::kLogHeap,
                  "ARENA_TEMP: 16 MiB at 0x81000000 in the log, 16 MiB at 0x80800000 in the map"));
    CHECK(held.says(Code::kLogHeap, "that is where the default map has them"));
    log.heaps = {statistics("DDR_LOCAL_MEM", 12 * kMiB, kMiB),
                 statistics("DDR_LOCAL_MEM", 12 * kMiB, kMiB)};
    const Held unknown{log, {{"keep_size", 8 * kMiB}}};
    CHECK(unknown.says(Code::kLogHeap, "1 heap is not what the map has"));
    CHECK_FALSE(unknown.says(Code::kLogHeap, "default map"));
  }

  TEST_CASE("an address that was printed short is its low word") {
    model::Recording log = recording({});
    const std::string text = test::with(
        test::zx9_text(), "virtual = \"0x80000000\"\nlimit", "virtual = \"0x180000000\"\nlimit");
    log.heaps = {boot("DDR_LOCAL_MEM", kKeep, 16 * kMiB)};
    CHECK(Held{log, {}, nullptr, text}.count(Code::kLogHeap) == 0);
    log.heaps = {boot("DDR_LOCAL_MEM", 0x380000000, 16 * kMiB)};
    CHECK(Held{log, {}, nullptr, text}.count(Code::kLogHeap) == 1);
  }

  TEST_CASE("statistics tell what records do not, of heaps of that size alone") {
    model::Recording log = recording({block(1, kKeep, 4 * kMiB)});
    log.heaps = {statistics("DDR_LOCAL_MEM", 16 * kMiB, 6 * kMiB),
                 statistics("DDR_LOCAL_MEM", 16 * kMiB, 9 * kMiB),
                 statistics("DDR_SCRATCH_MEM", 8 * kMiB, kMiB)};
    const Held held{log};
    CHECK(held.region("ARENA_KEEP").used == Bytes{10 * kMiB});
    CHECK(held.region("ARENA_KEEP").source == HeldRegion::Source::kStatistics);
    CHECK_FALSE(held.region("ARENA_TEMP").used.has_value());
    log.heaps = {statistics("DDR_LOCAL_MEM", 16 * kMiB, 13 * kMiB)};
    CHECK(Held{log}.region("ARENA_KEEP").used == Bytes{4 * kMiB});
    CHECK(Held{log}.region("ARENA_KEEP").source == HeldRegion::Source::kAddresses);
  }

  TEST_CASE("a heap with less left than the headroom is noted") {
    // 15 MiB, of which a tenth is headroom, leave 1 MiB.
    const Held held{recording({block(1, kKeep, 15 * kMiB)})};
    CHECK(held.finding(Code::kLogFull).severity == Severity::kNote);
    CHECK(held.says(Code::kLogFull, "ARENA_KEEP has 1 MiB left (6 %)"));
    CHECK(held.says(Code::kLogFull, "--set keep_size=17MiB"));
    CHECK(Held{recording({block(1, kKeep, 14 * kMiB)})}.count(Code::kLogFull) == 0);
  }

  TEST_CASE("cores that should be in the log") {
    const model::Recording traced = recording({block(1, kKeep, kMiB)});
    model::Recording log = traced;
    log.cores.front().core = "beta_1";
    CHECK(Held{log}.count(Code::kLogSilent) == 0);
    CHECK(Held{log, {}, &traced}.finding(Code::kLogSilent).severity == Severity::kWarning);
    CHECK(Held{log, {{"keep_size", 8 * kMiB}}}.says(Code::kLogSilent,
                                                    "alpha does not appear in the log"));
    log.heaps = {boot("DDR_LOCAL_MEM", kKeep, 16 * kMiB)};
    CHECK(Held{log, {}, &traced}.says(Code::kLogSilent, "alpha prints no table"));
    // Lines without a name may be alpha's.
    log.cores.front().core.clear();
    CHECK(Held{log, {}, &traced}.count(Code::kLogSilent) == 0);
  }

  TEST_CASE("runs are paired by their number on their core") {
    model::Recording before = recording({});
    before.runs = {run(140, 3.5), run(20, 1.5), run(7, 7)};
    model::Recording after = recording({});
    after.runs = {run(145, 3.25), run(21, 1.25)};
    const std::vector<RunPair> times = Held{after, {}, &before}.report.times;
    REQUIRE(times.size() == 3);
    CHECK(times.at(1).number == 2);
    CHECK(times.at(1).before->execution_ms == 1.5);
    CHECK(times.at(1).after->execution_ms == 1.25);
    CHECK(times.at(2).before->init_ms == 7);
    CHECK_FALSE(times.at(2).after.has_value());
    CHECK_FALSE(Held{after}.report.times.at(0).before.has_value());
  }

  TEST_CASE("failures are kept as they are explained, an emulation proves nothing") {
    model::Recording log = recording({block(1, std::nullopt, kMiB)});
    Failure failure;
    failure.line = 30;
    failure.core = "alpha";
    failure.kind = Failure::Kind::kRecord;
    failure.record = 1;
    failure.space = "ddr";
    failure.size = Bytes{20 * kMiB};
    log.failures = {failure};
    const Held held{log};
    CHECK(held.finding(Code::kTraceFailed).severity == Severity::kError);
    CHECK(held.says(Code::kTraceFailed, "(keep_size)"));
    CHECK(held.says(Code::kTraceFailed, "at least"));
    CHECK(core::exit_status(held.report.findings) == core::ExitStatus::kDoesNotFit);
    model::Recording host = recording({block(1, kKeep, kMiB)});
    host.inputs.front().emulated = true;
    CHECK(Held{host}.finding(Code::kSizingEmulated).severity == Severity::kError);
  }
}

}  // namespace

}  // namespace memsize::runtime::board_log_test
