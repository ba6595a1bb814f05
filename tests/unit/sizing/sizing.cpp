#include "memsize/sizing/sizing.hpp"

#include "memsize/core/text.hpp"
#include "memsize/sizing/addresses.hpp"

#include "sizing/sizing_support.hpp"
#include "support.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::sizing::rules_test {

namespace {

using core::Bytes;
using core::Code;
using model::Cacheability;
using model::Lifetime;
using test::appnote_instance;
using test::demand_of;
using test::recording_of;
using test::tidl_format;

constexpr std::uint64_t kMiB = 1048576;

Sizing size(const model::Recording& recording,
            const BoardView* view = nullptr,
            const Options& options = {}) {
  return size_recording(recording, tidl_format(), view, options);
}

Options apart() {
  Options options;
  options.together = false;
  return options;
}

Options headroom(const char* text) {
  Options options;
  options.headroom = parse_headroom(text).value();
  return options;
}

const Demand& keep(const Sizing& sizing) {
  const Demand* demand =
      demand_of(sizing.cores.at(0), Cacheability::kCacheable, Lifetime::kPersistent);
  REQUIRE(demand != nullptr);
  return *demand;
}

const Demand& temp(const Sizing& sizing) {
  const Demand* demand =
      demand_of(sizing.cores.at(0), Cacheability::kCacheable, Lifetime::kScratch);
  REQUIRE(demand != nullptr);
  return *demand;
}

void move_up(model::Instance& instance, std::uint32_t distance) {
  for (model::Block& block : instance.blocks) {
    block.address = model::PrintedAddress::low(block.address->value() + distance);
  }
}

void set_size(model::Instance& instance, std::uint32_t record, std::uint64_t bytes) {
  instance.blocks.at(record).size = model::measured_exactly(Bytes{bytes});
}

}  // namespace

TEST_SUITE("sizing") {
  TEST_CASE("a core without a name has one everywhere it is told of") {
    CHECK(core_name("c7x_2") == "c7x_2");
    CHECK(core_name("") == "core without a name");
  }

  TEST_CASE("the application note's trace: 10, 5, 3 and 1 MiB, with and without addresses") {
    const test::ViewOfZx9 zx9;
    for (const bool with_addresses : {true, false}) {
      CAPTURE(with_addresses);
      const Sizing sizing =
          size(recording_of("alpha", {appnote_instance(with_addresses)}), &zx9.view);
      CHECK(sizing.generation == "11");
      CHECK_FALSE(sizing.generation_differs);
      CHECK(sizing.complete());
      const CoreSizing& core = sizing.cores.at(0);
      REQUIRE(core.demands.size() == 4);
      // The sum of the table's five rows: 9057.45 KB of 1024 B are 9274828.8 B.
      CHECK(keep(sizing).records == 5);
      CHECK(keep(sizing).requested.count() >= 9274827);
      CHECK(keep(sizing).requested.count() <= 9274831);
      CHECK(keep(sizing).bound.count() == 9529088);
      CHECK(keep(sizing).objects.count() == 253504);
      CHECK(keep(sizing).extent.has_value() == with_addresses);
      if (with_addresses) {
        // Record 15 begins at 0x108cf1c0 in a heap at 0x10400000 and has 4381.13 KB, 4486277.12 B.
        CHECK(keep(sizing).extent->count() == 0x108cf1c0 - 0x10400000 + 4486278);
      }
      CHECK(keep(sizing).suggested == Bytes{10 * kMiB});
      CHECK(keep(sizing).knob == "keep_size");
      CHECK(keep(sizing).region == "ARENA_KEEP");
      CHECK(keep(sizing).current == Bytes{16 * kMiB});
      CHECK(temp(sizing).suggested == Bytes{5 * kMiB});
      CHECK(demand_of(core, Cacheability::kNonCacheable, Lifetime::kPersistent)->suggested ==
            Bytes{3 * kMiB});
      CHECK(demand_of(core, Cacheability::kNonCacheable, Lifetime::kScratch)->suggested ==
            Bytes{1 * kMiB});
      // Of the scratch record all but 256 B is fixed and gets no margin.
      CHECK(temp(sizing).fixed.count() == 4 * kMiB);
      CHECK(temp(sizing).headroom.count() < 1024);
      CHECK(sizing.cores[0].onchip.size() == 3);
    }
  }

  TEST_CASE("without a board nothing is suggested") {
    const Sizing sizing = size(recording_of("alpha", {appnote_instance(false)}));
    for (const Demand& demand : sizing.cores.at(0).demands) {
      CHECK_FALSE(demand.suggested.has_value());
      CHECK(demand.knob.empty());
      CHECK(demand.figure() >= demand.requested);
    }
  }

  TEST_CASE("two live models: persistent memory adds, scratch takes the maximum") {
    model::Instance small = appnote_instance(false);
    set_size(small, 11, 4 * kMiB + 256);
    model::Instance large = small;
    set_size(large, 15, 2 * 4486277);
    set_size(large, 6, 8192);
    const Sizing one = size(recording_of("alpha", {small}));
    const Sizing other = size(recording_of("alpha", {large}));
    const Sizing both = size(recording_of("alpha", {small, large}));
    CHECK(keep(both).requested == keep(one).requested + keep(other).requested);
    CHECK(keep(both).records == 10);
    // The second model brings its own objects (252992 B) but not the idle 64 B nor the transient
    // 448 B, which each single bound has.
    CHECK(keep(both).bound.count() ==
          keep(one).bound.count() + keep(other).bound.count() - 253504 + 252992);
    CHECK(temp(both).bound == temp(one).bound);
    const auto* scratch = demand_of(both.cores[0], Cacheability::kNonCacheable, Lifetime::kScratch);
    const auto* largest =
        demand_of(other.cores[0], Cacheability::kNonCacheable, Lifetime::kScratch);
    CHECK(scratch->bound == largest->bound);
    CHECK(scratch->requested == largest->requested);
    CHECK(test::find(both.diagnostics, Code::kSizingInstances) != nullptr);
    CHECK(test::find(one.diagnostics, Code::kSizingInstances) == nullptr);
  }

  TEST_CASE("models loaded one after the other count by the maximum") {
    model::Instance large = appnote_instance(false);
    set_size(large, 15, 2 * 4486277);
    const model::Recording both = recording_of("alpha", {large, appnote_instance(false)});
    const Sizing alone = size(recording_of("alpha", {large}));
    CHECK(keep(size(both, nullptr, apart())).bound == keep(alone).bound);
    CHECK(keep(size(both, nullptr, apart())).requested == keep(alone).requested);
  }

  TEST_CASE("the maximum is taken of what would be reserved, margin included") {
    // Loaded apart. The first model has 2.87 MiB, of which record 12 (2 MiB) is fixed: with 10 % of
    // the rest 2.95 MiB, so 3 MiB. The second has 2.80 MiB that all varies: 3.08 MiB, so 4 MiB.
    const test::ViewOfZx9 zx9;
    model::Instance first = appnote_instance(false);
    model::Instance second = appnote_instance(false);
    for (model::Instance* instance : {&first, &second}) {
      set_size(*instance, 0, 128);
      set_size(*instance, 14, 128);
    }
    set_size(first, 12, 2 * kMiB);
    set_size(first, 7, 885 * 1024);
    set_size(second, 12, 128);
    set_size(second, 7, 2865 * 1024);
    const Sizing sizing = size(recording_of("alpha", {first, second}), &zx9.view, apart());
    const Demand* demand =
        demand_of(sizing.cores.at(0), Cacheability::kNonCacheable, Lifetime::kPersistent);
    REQUIRE(demand != nullptr);
    CHECK(demand->suggested == Bytes{4 * kMiB});
  }

  TEST_CASE("models at the same addresses were never live together") {
    const model::Instance first = appnote_instance(true);
    model::Instance second = appnote_instance(true);
    const Sizing one = size(recording_of("alpha", {first}));
    const Sizing same = size(recording_of("alpha", {first, second}));
    CHECK(keep(same).bound == keep(one).bound);
    const core::Diagnostic* said = test::find(same.diagnostics, Code::kSizingInstances);
    REQUIRE(said != nullptr);
    CHECK(test::contains(said->message, "same addresses"));
    // Moved above the first they may have been.
    move_up(second, 0x2000000);
    const Sizing moved = size(recording_of("alpha", {first, second}));
    CHECK(keep(moved).requested == keep(one).requested + keep(one).requested);
    // Two runs begin with empty heaps each: equal addresses say nothing there.
    model::Recording runs = recording_of("alpha", {first, appnote_instance(true)});
    runs.inputs.push_back(runs.inputs.front());
    runs.cores[0].instances[1].input = 1;
    CHECK(keep(size(runs)).requested == keep(one).requested + keep(one).requested);
  }

  TEST_CASE("of three models two may have been live with the third") {
    const model::Instance first = appnote_instance(true);
    model::Instance second = appnote_instance(true);
    model::Instance third = appnote_instance(true);
    move_up(second, 0x2000000);
    // The third lies over the first, which had gone; the second was live all the time.
    const Sizing sizing = size(recording_of("alpha", {first, second, third}));
    CHECK(keep(sizing).records == 10);
  }

  TEST_CASE("cores are sized apart from each other") {
    model::Recording recording = recording_of("alpha", {appnote_instance(true)});
    recording.cores.push_back({"beta_1", {appnote_instance(true)}});
    const Sizing sizing = size(recording);
    REQUIRE(sizing.cores.size() == 2);
    CHECK(sizing.cores[0].demands[0].bound == sizing.cores[1].demands[0].bound);
    CHECK(sizing.cores[0].demands[0].key.core == "alpha");
    CHECK(sizing.cores[1].demands[0].key.core == "beta_1");
  }

  TEST_CASE("headroom is a share, a size, or nothing") {
    CHECK(parse_headroom("10%")->percent == 10);
    CHECK(parse_headroom(" 25 % ")->percent == 25);
    CHECK(parse_headroom("0%")->percent == 0);
    CHECK(parse_headroom("1000%")->percent == 1000);
    CHECK_FALSE(parse_headroom("512KiB")->is_percent);
    CHECK(parse_headroom("512KiB")->size == Bytes{524288});
    CHECK(parse_headroom("0")->size == Bytes{0});
    for (const char* bad : {"", "%", "1001%", "-1%", "ten", "1.5%", "10%%", "5KB"}) {
      CAPTURE(bad);
      CHECK_FALSE(parse_headroom(bad).has_value());
    }
    for (const char* text : {"10%", "0%", "512KiB", "0", "7"}) {
      CAPTURE(text);
      const Headroom parsed = parse_headroom(text).value();
      const Headroom again = parse_headroom(format_headroom(parsed)).value();
      CHECK(again.is_percent == parsed.is_percent);
      CHECK((parsed.is_percent ? again.percent == parsed.percent : again.size == parsed.size));
    }
  }

  TEST_CASE("headroom is taken of what can vary and rounded up") {
    const model::Recording recording = recording_of("alpha", {appnote_instance(false)});
    // Nothing of this heap is fixed: a tenth of 9529088 is 952908.8.
    CHECK(keep(size(recording)).headroom.count() == 952909);
    CHECK(keep(size(recording, nullptr, headroom("0%"))).headroom.count() == 0);
    CHECK(keep(size(recording, nullptr, headroom("0"))).headroom.count() == 0);
    CHECK(keep(size(recording, nullptr, headroom("3%"))).headroom.count() == 285873);
    CHECK(keep(size(recording, nullptr, headroom("1000%"))).headroom.count() == 95290880);
    CHECK(keep(size(recording, nullptr, headroom("512KiB"))).headroom.count() == 524288);
    const test::ViewOfZx9 zx9;
    CHECK(keep(size(recording, &zx9.view, headroom("0"))).suggested == Bytes{10 * kMiB});
    // 9529088 + 1 MiB = 10577664 B, 91904 B above 10 MiB.
    CHECK(keep(size(recording, &zx9.view, headroom("1MiB"))).suggested == Bytes{11 * kMiB});
  }

  TEST_CASE("a scratch record of 4 MiB and 256 B tells the generation") {
    CHECK(size(recording_of("alpha", {appnote_instance(false)})).generation == "11");
    model::Instance newer = appnote_instance(false);
    newer.blocks[11].size = model::measured_kib(819225);  // 8 MiB + 256 B
    CHECK(size(recording_of("alpha", {newer})).generation == "12");
    model::Instance older = appnote_instance(false);
    older.blocks.pop_back();
    older.blocks[11].size = model::measured_kib(51225);  // 512 KiB + 256 B
    const Sizing nine = size(recording_of("alpha", {older}));
    CHECK(nine.generation == "9");
    CHECK(nine.complete());
    model::Instance odd = appnote_instance(false);
    odd.blocks[11].size = model::measured_kib(409726);
    const Sizing unknown = size(recording_of("alpha", {odd}));
    CHECK(unknown.generation.empty());
    CHECK(test::find(unknown.diagnostics, Code::kSizingUnknownGeneration) != nullptr);
    // Two models of different generations are not one trace of either.
    CHECK(size(recording_of("alpha", {appnote_instance(false), newer})).generation.empty());
  }

  TEST_CASE("a trace of SDK 11.01 on a board of 12.0 forecasts 9 MiB of scratch") {
    test::ViewOfZx9 zx9;
    zx9.board.generation = "12";
    const Sizing sizing = size(recording_of("alpha", {appnote_instance(true)}), &zx9.view);
    CHECK(sizing.generation_differs);
    CHECK(temp(sizing).suggested == Bytes{5 * kMiB});
    CHECK(temp(sizing).forecast == Bytes{9 * kMiB});
    const core::Diagnostic* warning = test::find(sizing.diagnostics, Code::kSizingGeneration);
    REQUIRE(warning != nullptr);
    CHECK(warning->severity == core::Severity::kWarning);
    CHECK(test::contains(warning->hint, "--set temp_size=9MiB"));
    // 12.0: objects of 442176 instead of 252992 B, and every block to 256: by hand
    // 64 + 448 + 442176 + 5 headers of 64 + 768 + 2821632 + 543232 ... stays within 11 MiB.
    const std::uint64_t records = 768 + 2821632 + 542976 + 1423616 + 4486400 + 5 * 64;
    const std::uint64_t then = 64 + (512 + 64) + 442176 + records;
    REQUIRE(keep(sizing).forecast.has_value());
    CHECK(keep(sizing).forecast->count() == (then + then / 10 + kMiB - 1) / kMiB * kMiB);
  }

  TEST_CASE("more on-chip memory than the board has is said") {
    const test::ViewOfZx9 zx9;
    model::Instance instance = appnote_instance(false);
    CHECK(test::find(size(recording_of("alpha", {instance}), &zx9.view).diagnostics,
                     Code::kSizingOnChip) == nullptr);
    // zx9's scratchpad has 256 KiB.
    set_size(instance, 3, 256 * 1024 + 1);
    const Sizing sizing = size(recording_of("alpha", {instance}), &zx9.view);
    const core::Diagnostic* warning = test::find(sizing.diagnostics, Code::kSizingOnChip);
    REQUIRE(warning != nullptr);
    CHECK(test::contains(warning->message, "SCRATCHPAD"));
  }

  TEST_CASE("a table that lacks records is incomplete, and says which") {
    model::Instance instance = appnote_instance(false);
    instance.line = 17;
    instance.blocks.erase(instance.blocks.begin() + 9);
    instance.blocks.erase(instance.blocks.begin() + 4);
    const Sizing sizing = size(recording_of("alpha", {instance}));
    CHECK_FALSE(sizing.complete());
    CHECK(sizing.cores[0].instances[0].missing == std::vector<std::uint32_t>{4, 9});
    const core::Diagnostic* warning = test::find(sizing.diagnostics, Code::kSizingIncomplete);
    REQUIRE(warning != nullptr);
    CHECK(warning->place.path == "log");
    CHECK(warning->place.line == 17);
    CHECK(test::contains(warning->message, "(4, 9)"));
  }

  TEST_CASE("what a trace does not drive keeps its size, and that is said") {
    const test::ViewOfZx9 zx9;
    model::Instance instance = appnote_instance(false);
    const Sizing stranger = size(recording_of("gamma", {instance}), &zx9.view);
    CHECK(test::find(stranger.diagnostics, Code::kSizingUnknownCore) != nullptr);
    CHECK_FALSE(keep(stranger).suggested.has_value());
    const core::Diagnostic* idle = test::find(stranger.diagnostics, Code::kSizingUntraced);
    REQUIRE(idle != nullptr);
    // Four heaps of 16 MiB.
    CHECK(test::contains(idle->message, "4 heaps"));
    CHECK(test::contains(idle->message, "64 MiB"));
    const Sizing keyless = size(recording_of("beta_1", {instance}), &zx9.view);
    CHECK(test::count(keyless.diagnostics, Code::kSizingNoKnob) == 4);
    CHECK(test::find(keyless.diagnostics, Code::kSizingMargin) != nullptr);
  }

  TEST_CASE("addresses match a map only where every block lies in the heap of its class") {
    const auto region =
        [](Cacheability cacheability, Lifetime lifetime, std::uint64_t base, std::uint64_t bytes) {
          return HeapRegion{{"alpha", "ddr", cacheability, lifetime},
                            "R",
                            *core::VirtRange::make(core::VirtAddr{base}, Bytes{bytes})};
        };
    const auto heaps = [&](std::uint64_t keep_size, std::uint64_t keep_base) {
      return std::vector<HeapRegion>{
          region(Cacheability::kNonCacheable, Lifetime::kPersistent, 0x110000000, 3 * kMiB),
          region(Cacheability::kNonCacheable, Lifetime::kScratch, 0x110300000, kMiB),
          region(Cacheability::kCacheable, Lifetime::kPersistent, keep_base, keep_size),
          region(Cacheability::kCacheable, Lifetime::kScratch, 0x110e00000, 5 * kMiB)};
    };
    const model::Recording recording = recording_of("alpha", {appnote_instance(true)});
    CHECK(addresses_match(recording, test::tidl_format(), heaps(10 * kMiB, 0x110400000)));
    // The mark is 9528901 B; 9 MiB are 9437184 B.
    CHECK_FALSE(addresses_match(recording, test::tidl_format(), heaps(9 * kMiB, 0x110400000)));
    CHECK_FALSE(addresses_match(recording, test::tidl_format(), heaps(10 * kMiB, 0x110500000)));
    CHECK_FALSE(addresses_match(recording, test::tidl_format(), {}));
    // All scratch lies in a heap that begins 1 MiB earlier, but nothing where it begins.
    std::vector<HeapRegion> moved = heaps(10 * kMiB, 0x110400000);
    moved.back() = region(Cacheability::kCacheable, Lifetime::kScratch, 0x110d00000, 6 * kMiB);
    CHECK_FALSE(addresses_match(recording, test::tidl_format(), moved));
    // Where a record is missing, it may have stood there.
    model::Instance cut = appnote_instance(true);
    cut.blocks.erase(cut.blocks.begin());
    CHECK(addresses_match(recording_of("alpha", {cut}), test::tidl_format(), moved));
    CHECK_FALSE(addresses_match(recording_of("beta_1", {appnote_instance(true)}),
                                test::tidl_format(),
                                heaps(10 * kMiB, 0x110400000)));
    CHECK_FALSE(addresses_match(recording_of("alpha", {appnote_instance(false)}),
                                test::tidl_format(),
                                heaps(10 * kMiB, 0x110400000)));
  }

  TEST_CASE("a heap says how long its records live where their form does not") {
    model::Instance asked = appnote_instance(true);
    asked.form = "requests";
    for (model::Block& block : asked.blocks) {
      block.lifetime = Lifetime::kPersistent;
    }
    const auto region =
        [](Cacheability cacheability, Lifetime lifetime, std::uint64_t base, std::uint64_t bytes) {
          return HeapRegion{{"alpha", "ddr", cacheability, lifetime},
                            "R",
                            *core::VirtRange::make(core::VirtAddr{base}, Bytes{bytes})};
        };
    const std::vector<HeapRegion> heaps = {
        region(Cacheability::kNonCacheable, Lifetime::kScratch, 0x110300000, kMiB),
        region(Cacheability::kNonCacheable, Lifetime::kPersistent, 0x110000000, 3 * kMiB),
        region(Cacheability::kCacheable, Lifetime::kPersistent, 0x110400000, 10 * kMiB),
        region(Cacheability::kCacheable, Lifetime::kScratch, 0x110e00000, 5 * kMiB)};
    CHECK(addresses_match(recording_of("alpha", {asked}), test::tidl_format(), heaps));
  }
}

}  // namespace memsize::sizing::rules_test
