// Reports of images, their files, and what each core tries.
#include "memsize/emit/read_map.hpp"
#include "memsize/runtime/replay.hpp"
#include "memsize/runtime/report.hpp"
#include "memsize/runtime/subject.hpp"

#include "image.hpp"
#include "plan.hpp"
#include "process.hpp"
#include "support.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <elf.h>

namespace memsize::runtime::run_test {

namespace {

using test::all_text;
using test::map_of;
using test::zx9_text;

// Two cores that use one megabyte at 0x80000000 under two names, and each one more of its own.
Subject two_cores() {
  Subject subject;
  subject.board = "two";
  subject.memories.push_back(
      {"low", *core::PhysRange::make(core::PhysAddr{0x80000000}, core::Bytes{64U << 20U})});
  subject.linux_memory.push_back(
      *core::PhysRange::make(core::PhysAddr{0x81000000}, core::Bytes{48U << 20U}));
  const auto region = [](const char* name, std::uint64_t at, std::uint64_t bus) {
    CoreRegion made;
    made.name = name;
    made.range = *core::VirtRange::make(core::VirtAddr{at}, core::Bytes{1U << 20U});
    made.physical = core::PhysAddr{bus};
    made.kinds = MAP_WRITE_BACK;
    return made;
  };
  for (std::size_t i = 0; i < 2; ++i) {
    SubjectCore core;
    core.name = i == 0 ? "one" : "two";
    core.number = i;
    core.unit = Unit::kMmu;
    core.regions.push_back(region("SHARED", 0x80000000 + i * 0x10000000, 0x80000000));
    core.regions.push_back(region("OWN", 0x90000000, 0x80100000 + i * 0x100000));
    for (const CoreRegion& own : core.regions) {
      core.reachable.push_back(own.range);
    }
    subject.cores.push_back(std::move(core));
  }
  return subject;
}

Plan plan_of(const Subject& subject, std::vector<CoreReplay> replays = {}) {
  replays.resize(subject.cores.size());
  return make_plan(subject, std::vector<CoreTables>(subject.cores.size()), replays, Where::kHost);
}

template <typename Header, typename Part>
std::string elf_of(unsigned char elf_class) {
  Header header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = elf_class;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_entry = 0x1000;
  header.e_phoff = sizeof header;
  header.e_phnum = 1;
  header.e_phentsize = sizeof(Part);
  Part part{};
  part.p_type = PT_LOAD;
  part.p_vaddr = 0x1000;
  part.p_offset = sizeof header + sizeof part;
  part.p_filesz = 4;
  part.p_memsz = 16;
  std::string bytes(sizeof header + sizeof part, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, &part, sizeof part);
  return bytes + "code";
}

}  // namespace

TEST_SUITE_BEGIN("runtime");

TEST_CASE("a report is read line by line, to its verdict") {
  const Report report = parse_report(
      R"({"event":"start","core":"one","phase":1}
{"event":"finding","check":"guard","region":"OWN","address":"0x8","expected":"0x0","actual":"0x1"}
{"event":"block","region":"OWN","instance":2,"record":5,"address":"0x110","size":64}
{"event":"block","region":"OWN","instance":2,"address":"0x200","size":8}
{"event":"part","part":"points","done":7,"skipped":1,"findings":1}
{"event":"verdict","ok":false,"findings":1}
)");
  CHECK(report.core == "one");
  CHECK(report.phase == 1);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].check == "guard");
  CHECK(report.findings[0].address == 8);
  REQUIRE(report.blocks.size() == 2);
  CHECK(report.blocks[0].record == 5);
  CHECK_FALSE(report.blocks[1].record.has_value());
  REQUIRE(report.parts.size() == 1);
  CHECK(report.parts[0].skipped == 1);
  CHECK(report.verdict == 1);
  CHECK(report.strange_lines == 0);
}

TEST_CASE("what is no event is counted, and nothing counts behind the verdict") {
  CHECK(parse_report("Segmentation fault\n").strange == "Segmentation fault");
  CHECK(parse_report("{\"event\":\"start\"}\n").strange_lines == 1);
  CHECK(parse_report("{\"event\":\"start\",\"core\":7,\"phase\":1}\n").strange_lines == 1);
  CHECK(parse_report("{\"event\":\"verdict\",\"findings\":-1}\n").strange_lines == 1);
  CHECK(parse_report("{\"event\":\"part\",\"part\":\"x\",\"done\":1").strange_lines == 1);
  const Report late = parse_report(
      "{\"event\":\"verdict\",\"ok\":true,\"findings\":0}\n"
      "{\"event\":\"finding\",\"check\":\"a\",\"region\":\"\",\"address\":\"0x0\",\"expected\":"
      "\"0x0\",\"actual\":\"0x0\"}\n");
  CHECK(late.verdict == 0);
  CHECK(late.findings.empty());
  CHECK(late.strange_lines == 1);
  CHECK_FALSE(parse_report("").verdict.has_value());
}

TEST_CASE("images of both classes are read, and cut ones refused wherever they are cut") {
  for (const std::string& whole :
       {elf_of<Elf64_Ehdr, Elf64_Phdr>(ELFCLASS64), elf_of<Elf32_Ehdr, Elf32_Phdr>(ELFCLASS32)}) {
    const auto image = parse_elf(whole);
    REQUIRE(image);
    CHECK(image->entry == 0x1000);
    REQUIRE(image->segments.size() == 1);
    CHECK(image->segments[0].virtual_base == 0x1000);
    CHECK(image->segments[0].bytes == "code");
    CHECK(image->segments[0].size == 16);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      CHECK_FALSE(parse_elf(whole.substr(0, length)));
    }
  }
}

TEST_CASE("in shared memory each core has words of its own, and looks at the others'") {
  const Subject subject = two_cores();
  const Plan plan = plan_of(subject);
  REQUIRE(plan.cores.size() == 2);
  std::map<std::uint64_t, std::set<std::size_t>> writers;
  for (std::size_t i = 0; i < 2; ++i) {
    for (const map_point& point : plan.cores[i].points) {
      if (point.kind == MAP_ACCESS) {
        writers[point.physical].insert(i);
      }
    }
  }
  for (const auto& [physical, cores] : writers) {
    const auto& shown_physical = physical;
    CAPTURE(shown_physical);
    CHECK(cores.size() == 1);
  }
  // The first and the last word of what each core alone has.
  CHECK(writers.contains(0x80100000));
  CHECK(writers.contains(0x801FFFF8));
  CHECK(writers.contains(0x80200000));
  CHECK(writers.contains(0x802FFFF8));
  for (std::size_t i = 0; i < 2; ++i) {
    std::size_t peers = 0;
    for (const map_point& point : plan.cores[i].points) {
      if (point.kind == MAP_PEER) {
        ++peers;
        CHECK(point.writer == 1 - i);
        CHECK(writers[point.physical] == std::set<std::size_t>{1 - i});
      }
    }
    CHECK(peers == 2);
  }
}

TEST_CASE("beside regions something must fault, unless the board lets the core reach it") {
  Subject subject = two_cores();
  const auto guards = [](const CorePlan& plan) {
    std::set<std::uint64_t> found;
    for (const map_point& point : plan.points) {
      if (point.kind == MAP_FAULT) {
        found.insert(point.virtual_base);
      }
    }
    return found;
  };
  CHECK(guards(plan_of(subject).cores[0]) ==
        std::set<std::uint64_t>{0x7FFFFFF8, 0x80100000, 0x8FFFFFF8, 0x90100000});
  subject.cores[0].reachable.push_back(
      *core::VirtRange::make(core::VirtAddr{0x80000000}, core::Bytes{0x20000000}));
  CHECK(guards(plan_of(subject).cores[0]) == std::set<std::uint64_t>{0x7FFFFFF8});
  // An entry that reaches farther than the board wants is tried at its own ends.
  layout::MmuRange entry;
  entry.virtual_range = *core::VirtRange::make(core::VirtAddr{0xB0000000}, core::Bytes{0x1000});
  subject.cores[0].mmu.ranges.push_back(entry);
  CHECK(guards(plan_of(subject).cores[0]) ==
        std::set<std::uint64_t>{0x7FFFFFF8, 0xB0000000, 0xB0000FF8});
}

TEST_CASE("only its owner writes into a heap; others look for a mark in its middle") {
  const Subject subject = two_cores();
  std::vector<CoreReplay> replays(2);
  HeapReplay heap;
  heap.region = "SHARED";
  heap.steps.push_back({ReplayStep::Kind::kAllocate, 0, 0, 5, core::Bytes{4096}, {}});
  replays[1].heaps.push_back(heap);
  const Plan plan = plan_of(subject, replays);
  REQUIRE(plan.cores[1].heaps.size() == 1);
  REQUIRE(plan.cores[1].steps.size() == 1);
  CHECK(plan.cores[1].steps[0].record == 5);
  const auto kinds_in = [&](std::size_t core, std::uint64_t physical) {
    std::set<std::uint32_t> kinds;
    for (const map_point& point : plan.cores[core].points) {
      if (point.physical == physical) {
        kinds.insert(point.kind);
      }
    }
    return kinds;
  };
  CHECK(kinds_in(1, 0x80000000) == std::set<std::uint32_t>{MAP_ACCESS});
  CHECK(kinds_in(0, 0x80000000) == std::set<std::uint32_t>{MAP_LOOK});
  CHECK(kinds_in(1, 0x80080008) == std::set<std::uint32_t>{MAP_ACCESS});
  CHECK(kinds_in(0, 0x80080008) == std::set<std::uint32_t>{MAP_PEER});
}

TEST_CASE("Linux's memory is painted at every border in it, and nowhere else") {
  const Subject subject = two_cores();
  const Plan plan = plan_of(subject);
  REQUIRE_FALSE(plan.linux_paint.empty());
  std::set<std::uint64_t> places;
  for (const Paint& paint : plan.linux_paint) {
    places.insert(paint.physical);
    CHECK(subject.linux_memory[0].contains(core::PhysAddr{paint.physical}));
  }
  CHECK(places.contains(0x81000000));
  CHECK(places.contains(0x83FFFFF8));
}

TEST_CASE("Linux's memory may begin at 0: nothing is painted below") {
  Subject subject = two_cores();
  subject.linux_memory = {*core::PhysRange::make(core::PhysAddr{0}, core::Bytes{16U << 20U})};
  std::set<std::uint64_t> places;
  for (const Paint& paint : plan_of(subject).linux_paint) {
    places.insert(paint.physical);
    CHECK(subject.linux_memory[0].contains(core::PhysAddr{paint.physical}));
  }
  CHECK(places.contains(0));
}

TEST_CASE("a node that goes on behind 64 bits reserves all up to there") {
  const layout::MemoryMap map = map_of(zx9_text());
  emit::MapFiles files;
  files.nodes.push_back({.label = "x", .base = 0x50000000, .size = UINT64_MAX - 0x1000});
  const auto subject = make_subject(map, files);
  REQUIRE(subject.has_value());
  REQUIRE(subject->linux_memory.size() == 1);
  CHECK(subject->linux_memory[0].base().value() == 0x40000000);
  CHECK(subject->linux_memory[0].size().count() == 0x10000000);
}

TEST_CASE("what cannot be tried is named, not tried") {
  Subject subject = two_cores();
  subject.cores[0].regions[1].range =
      *core::VirtRange::make(core::VirtAddr{0}, core::Bytes{0x8000});
  const Plan host = plan_of(subject);
  REQUIRE(host.untried.size() == 1);
  CHECK(host.untried[0].region == "OWN");
  CHECK(test::contains(host.untried[0].why, "64 KiB"));
  subject.cores[0].regions[1].range =
      *core::VirtRange::make(core::VirtAddr{UINT64_MAX - 0x7FFF}, core::Bytes{0x8000});
  const Plan high = plan_of(subject);
  REQUIRE(high.untried.size() == 1);
  CHECK(test::contains(high.untried[0].why, "2^47"));
  subject.cores[1].unit = Unit::kNone;
  std::vector<CoreReplay> replays(2);
  const Plan qemu = make_plan(subject, std::vector<CoreTables>(2), replays, Where::kQemu);
  REQUIRE(qemu.untried.size() == 1);
  CHECK(qemu.untried[0].core == "two");
  CHECK(qemu.untried[0].region.empty());
  CHECK(qemu.cores[1].points.empty());
}

TEST_CASE("the table of a core has its rows where its header says") {
  const Subject subject = two_cores();
  const Plan plan = plan_of(subject);
  const std::string bytes = encode(subject.cores[0], plan.cores[0], 2);
  map_table header{};
  REQUIRE(bytes.size() >= sizeof header);
  std::memcpy(&header, bytes.data(), sizeof header);
  CHECK(header.magic == MAP_MAGIC);
  CHECK(header.bytes == bytes.size());
  CHECK(std::string{header.core} == "one");
  CHECK(header.region_count == 2);
  CHECK(header.point_count == plan.cores[0].points.size());
  map_region region{};
  std::memcpy(&region, bytes.data() + header.region_offset + sizeof region, sizeof region);
  CHECK(std::string{region.name} == "OWN");
  CHECK(region.physical_base == 0x80100000);
}

TEST_CASE("a program ends, is killed after its time, or was never there") {
  ProcessSpec spec;
  spec.arguments = {"/bin/sh", "-c", "echo said; echo wrong >&2; exit 7"};
  ProcessEnd end = run_process(spec);
  CHECK(end.how == ProcessEnd::How::kExited);
  CHECK(end.status == 7);
  CHECK(end.output == "said\n");
  CHECK(end.errors == "wrong\n");
  spec.arguments = {"/bin/sh", "-c", "kill -9 $$"};
  end = run_process(spec);
  CHECK(end.how == ProcessEnd::How::kKilled);
  CHECK(end.status == 9);
  spec.arguments = {"/bin/sh", "-c", "sleep 100 & exec sleep 100"};
  spec.timeout = std::chrono::milliseconds{50};
  CHECK(run_process(spec).how == ProcessEnd::How::kTimedOut);
  spec.arguments = {"/bin/sh", "-c", "exec >&- 2>&-; sleep 100"};
  CHECK(run_process(spec).how == ProcessEnd::How::kTimedOut);
  spec.timeout = std::chrono::milliseconds{10000};
  spec.arguments = {"/nowhere/at/all"};
  end = run_process(spec);
  CHECK(end.how == ProcessEnd::How::kNotStarted);
  CHECK_FALSE(end.reason.empty());
  spec.arguments = {"yes"};
  CHECK(run_process(spec).how == ProcessEnd::How::kTooMuch);
  CHECK(has_program("sh"));
  CHECK_FALSE(has_program("no-such-program"));
}

TEST_CASE("without a trace each heap is filled by one block") {
  const layout::MemoryMap map = map_of(zx9_text());
  const std::vector<CoreReplay> replays = make_replays(map, nullptr, nullptr);
  REQUIRE(replays.size() == map.board.cores.size());
  std::size_t heaps = 0;
  for (const CoreReplay& replay : replays) {
    for (const HeapReplay& heap : replay.heaps) {
      ++heaps;
      REQUIRE(heap.steps.size() == 1);
      const layout::Region* region = map.find_owned(heap.region);
      REQUIRE(region != nullptr);
      CHECK(heap.steps[0].size == region->size);
      CHECK(region->seen_by(replay.core));
    }
  }
  const auto driven =
      std::ranges::count_if(map.board.knobs, [](auto& knob) { return knob.demand.has_value(); });
  CHECK(heaps == static_cast<std::size_t>(driven));
}

TEST_SUITE_END();

}  // namespace memsize::runtime::run_test
