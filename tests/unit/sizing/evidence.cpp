// What totals, failures, heaps and older tables say beside records.
#include "memsize/core/text.hpp"
#include "memsize/sizing/sizing.hpp"

#include "sizing/sizing_support.hpp"
#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::sizing::evidence_test {

namespace {

using core::Bytes;
using core::Code;
using model::Cacheability;
using model::Failure;
using model::HeapReport;
using model::Lifetime;
using test::appnote_instance;
using test::demand_of;
using test::recording_of;

constexpr std::uint64_t kMiB = 1048576;
constexpr auto kWarm = Cacheability::kCacheable;
constexpr auto kRaw = Cacheability::kNonCacheable;

Sizing size(const model::Recording& recording,
            const BoardView* view = nullptr,
            const Options& options = {}) {
  return size_recording(recording, test::tidl_format(), view, options);
}

const Demand& demand(const Sizing& sizing, Cacheability cacheability, Lifetime lifetime) {
  const Demand* found = demand_of(sizing.cores.at(0), cacheability, lifetime);
  REQUIRE(found != nullptr);
  return *found;
}

const Demand& keep(const Sizing& sizing) {
  return demand(sizing, kWarm, Lifetime::kPersistent);
}

model::ClassTotal total(Cacheability cacheability,
                        std::optional<Lifetime> lifetime,
                        std::uint64_t hundredths,
                        const char* space = "ddr") {
  model::ClassTotal total;
  total.space = space;
  total.cacheability = cacheability;
  total.lifetime = lifetime;
  total.size = model::measured_kib(hundredths);
  total.line = 40;
  return total;
}

// What the log of the application note would have below its table: the sums of the rows as printed.
std::vector<model::ClassTotal> appnote_totals() {
  return {total(kWarm, Lifetime::kPersistent, 66 + 275541 + 53019 + 139006 + 438113),
          total(kWarm, Lifetime::kScratch, 409625),
          total(kRaw, Lifetime::kPersistent, 1942 + 14825 + 204800),
          total(kRaw, Lifetime::kScratch, 400 + 13 + 313),
          total(Cacheability::kOnChip, Lifetime::kScratch, 1600, "l1d")};
}

HeapReport boot(const char* name, std::uint64_t address, std::uint64_t bytes) {
  HeapReport heap;
  heap.line = 3;
  heap.core = "alpha";
  heap.source = HeapReport::Source::kBoot;
  heap.name = name;
  heap.size = Bytes{bytes};
  heap.address = core::VirtAddr{address};
  return heap;
}

HeapReport statistics(const char* name, std::uint64_t bytes, std::uint64_t free) {
  HeapReport heap;
  heap.line = 90;
  heap.core = "alpha";
  heap.source = HeapReport::Source::kStatistics;
  heap.name = name;
  heap.size = Bytes{bytes};
  heap.free = Bytes{free};
  return heap;
}

Failure failed_record(std::uint32_t record, Cacheability cacheability, std::uint64_t bytes) {
  Failure failure;
  failure.line = 60;
  failure.core = "alpha";
  failure.kind = Failure::Kind::kRecord;
  failure.text = "Failed to Allocate memory record";
  failure.record = record;
  failure.space = "ddr";
  failure.cacheability = cacheability;
  failure.size = Bytes{bytes};
  return failure;
}

Options one_priority() {
  Options options;
  options.one_priority = true;
  return options;
}

}  // namespace

TEST_SUITE("sizing") {
  TEST_CASE("a context is counted in full once a priority, where priorities are known") {
    // Three models, each with a record 12 of 2 MiB, and 128 B for all but the first of a priority.
    const std::uint64_t saved = 2 * kMiB - 128;
    std::vector<model::Instance> models(3, appnote_instance(false));
    const auto raw = [&](const Options& options = {}) {
      return demand(
          size(recording_of("alpha", models), nullptr, options), kRaw, Lifetime::kPersistent);
    };
    const Demand unknown = raw();
    // 19.42 and 148.25 KiB, 2 MiB and 0.00 KiB each.
    const std::uint64_t each = 19886 + 151808 + 2 * kMiB;
    CHECK(unknown.requested.count() == 3 * each);
    CHECK(raw(one_priority()).requested.count() == 3 * each - 2 * saved);
    models[0].priority = 1;
    models[1].priority = 1;
    CHECK(raw().requested.count() == 3 * each - saved);
    models[2].priority = 5;
    CHECK(raw().requested.count() == 3 * each - saved);
    models[2].priority = 1;
    const Demand shared = raw();
    CHECK(shared.requested.count() == 3 * each - 2 * saved);
    CHECK(shared.bound >= shared.requested);
    CHECK(shared.bound < unknown.bound);
    const auto reduced =
        std::ranges::count_if(shared.counted, [](const Counted& c) { return !c.rule.empty(); });
    CHECK(reduced == 2);
    // Loaded one at a time each is the first of its priority.
    Options apart;
    apart.together = false;
    CHECK(raw(apart).requested.count() == each);
  }

  TEST_CASE("what one priority would save is told, and how to count so") {
    const std::vector<model::Instance> models(2, appnote_instance(false));
    const core::Diagnostics said = size(recording_of("alpha", models)).diagnostics;
    const core::Diagnostic* note = test::find(said, Code::kSizingInstances);
    REQUIRE(note != nullptr);
    CHECK(test::contains(note->details.back(), core::format_size(Bytes{2 * kMiB - 128}) + " less"));
    CHECK(test::contains(note->hint, "--one-priority"));
  }

  TEST_CASE("totals that agree say nothing; a lost row is found by them and counted") {
    model::Instance instance = appnote_instance(false);
    instance.totals = appnote_totals();
    const Sizing whole = size(recording_of("alpha", {instance}));
    CHECK(test::find(whole.diagnostics, Code::kSizingTotals) == nullptr);
    CHECK(whole.complete());
    // Record 15, 4381.13 KiB, was dropped by the ring buffer.
    instance.blocks.pop_back();
    const Sizing cut = size(recording_of("alpha", {instance}));
    const core::Diagnostic* warning = test::find(cut.diagnostics, Code::kSizingTotals);
    REQUIRE(warning != nullptr);
    CHECK(warning->place.line == 40);
    CHECK(test::contains(warning->message, "cacheable persistent"));
    CHECK(test::contains(warning->message, "missing"));
    CHECK_FALSE(cut.complete());
    CHECK(keep(cut).lower_bound);
    CHECK_FALSE(keep(cut).totals_only);
    CHECK(keep(cut).requested.count() >= keep(whole).requested.count() - 5);
    CHECK(keep(cut).requested.count() <= keep(whole).requested.count() + 5);
    CHECK(keep(cut).records == 4);
  }

  TEST_CASE("totals are compared within the rounding of what is printed") {
    // Five rows and the sum are each off by up to 5.12 B: together by up to 30.72 B, 3 hundredths
    // of a KiB.
    model::Instance instance = appnote_instance(false);
    for (const int off : {-2, 2}) {
      instance.totals = appnote_totals();
      instance.totals[0] =
          total(kWarm, Lifetime::kPersistent, static_cast<std::uint64_t>(905745 + off));
      CHECK(test::find(size(recording_of("alpha", {instance})).diagnostics, Code::kSizingTotals) ==
            nullptr);
    }
    // The application note's own figure is 0.71 KiB above its rows: that is more.
    instance.totals[0] = total(kWarm, Lifetime::kPersistent, 905816);
    CHECK(test::find(size(recording_of("alpha", {instance})).diagnostics, Code::kSizingTotals) !=
          nullptr);
  }

  TEST_CASE("from where totals are no sums is the format's to say") {
    model::Instance instance = test::appnote_instance(false);
    instance.totals = appnote_totals();
    // 9057.45 KiB of records, and a total that has nothing to do with them.
    instance.totals[0] = total(kWarm, Lifetime::kPersistent, 100);
    const auto said = [&](std::optional<Bytes> below) {
      board::TraceFormat format = test::tidl_format();
      format.totals_below = below;
      const Sizing sizing =
          size_recording(test::recording_of("alpha", {instance}), format, nullptr, {});
      return test::find(sizing.diagnostics, Code::kSizingTotals) != nullptr;
    };
    CHECK(test::tidl_format().totals_below == Bytes{1ULL << 31U});
    CHECK(said(test::tidl_format().totals_below));
    CHECK(said(std::nullopt));
    CHECK(said(Bytes{9275000}));
    CHECK_FALSE(said(Bytes{9274000}));
  }

  TEST_CASE("a recording of totals alone has demands that are lower bounds") {
    // A public log of DeiT-tiny on AM62A has only these.
    model::Instance instance;
    instance.line = 1;
    instance.form = "kib-placed";
    instance.totals = {total(kWarm, Lifetime::kScratch, 272013),
                       total(kWarm, Lifetime::kPersistent, 1769435),
                       total(Cacheability::kOnChip, Lifetime::kScratch, 22400, "l2")};
    const test::ViewOfZx9 zx9;
    const Sizing sizing = size(recording_of("alpha", {instance}), &zx9.view);
    CHECK(keep(sizing).totals_only);
    CHECK(keep(sizing).lower_bound);
    CHECK(keep(sizing).records == 0);
    // 17694.35 KiB.
    CHECK(keep(sizing).requested.count() == 18119014);
    CHECK(keep(sizing).bound > keep(sizing).requested);
    CHECK(keep(sizing).suggested.has_value());
    CHECK_FALSE(sizing.complete());
    CHECK(test::find(sizing.diagnostics, Code::kSizingTotals) != nullptr);
    // Sums of a whole space do not tell what is kept from what is not.
    instance.totals = {total(kWarm, std::nullopt, 272013)};
    const Sizing unclassified = size(recording_of("alpha", {instance}), &zx9.view);
    CHECK(unclassified.cores.at(0).demands.empty());
    CHECK(test::contains(test::find(unclassified.diagnostics, Code::kSizingTotals)->message,
                         "size nothing"));
  }

  TEST_CASE("a failed record without a table: the format knows its heap") {
    // Of a public blog: record 5, space 17, 170281740 bytes.
    const test::ViewOfZx9 zx9;
    model::Recording recording = recording_of("alpha", {});
    recording.cores.clear();
    recording.failures = {failed_record(5, kWarm, 170281740)};
    const Sizing sizing = size(recording, &zx9.view);
    REQUIRE(sizing.cores.size() == 1);
    CHECK_FALSE(sizing.complete());
    const Demand& demand = keep(sizing);
    CHECK(demand.records == 0);
    CHECK(demand.lower_bound);
    REQUIRE(demand.failed.has_value());
    CHECK(demand.failed->count() >= 170281740);
    CHECK(demand.suggested->count() >= 170281740 / 10 * 11);
    const core::Diagnostic* error = test::find(sizing.diagnostics, Code::kTraceFailed);
    REQUIRE(error != nullptr);
    CHECK(error->severity == core::Severity::kError);
    CHECK(core::code_status(error->code) == core::ExitStatus::kDoesNotFit);
    CHECK(error->place.line == 60);
    CHECK(test::contains(error->message, "LAYERS_PARAMS_BUFF"));
    CHECK(test::contains(error->message, "keep_size"));
    CHECK(
        test::contains(error->hint, "--set keep_size=" + core::format_setting(*demand.suggested)));
  }

  TEST_CASE("a failed record of a whole table: the heap needs all of the table") {
    model::Instance instance = appnote_instance(false);
    instance.line = 20;
    model::Recording recording = recording_of("alpha", {instance});
    recording.failures = {failed_record(15, kWarm, 4486278)};
    recording.heaps = {boot("DDR_LOCAL_MEM", 0x110400000, 8 * kMiB)};
    const Sizing sizing = size(recording);
    CHECK(sizing.complete());
    REQUIRE(keep(sizing).failed.has_value());
    // As much as the table needs, less the rounding.
    CHECK(*keep(sizing).failed <= keep(sizing).bound);
    CHECK(keep(sizing).failed->count() + 128 >= keep(sizing).bound.count());
    const core::Diagnostic* error = test::find(sizing.diagnostics, Code::kTraceFailed);
    REQUIRE(error != nullptr);
    CHECK(test::contains(core::join(error->details, "\n"), "4 records before it"));
    CHECK(test::contains(core::join(error->details, "\n"), "8 388 608 B"));
  }

  TEST_CASE("a failed record counts with what came before it where its table is not whole") {
    model::Instance instance = appnote_instance(false);
    instance.line = 20;
    const Bytes whole = [&] {
      model::Recording recording = recording_of("alpha", {instance});
      recording.failures = {failed_record(15, kWarm, 4486278)};
      return *keep(size(recording)).failed;
    }();
    // Another size: the failure is of a model whose table is lost.
    model::Recording other = recording_of("alpha", {instance});
    other.failures = {failed_record(15, kWarm, 4486278 + 4096)};
    CHECK_FALSE(size(other).complete());
    instance.blocks.erase(instance.blocks.begin() + 1);
    model::Recording cut = recording_of("alpha", {instance});
    cut.failures = {failed_record(15, kWarm, 4486278)};
    CHECK_FALSE(size(cut).complete());
    CHECK(*keep(size(cut)).failed < whole);
    // The table was printed again, after the next start.
    instance = appnote_instance(false);
    instance.line = 90;
    model::Recording again = recording_of("alpha", {instance});
    again.failures = {failed_record(15, kWarm, 4486278)};
    CHECK(size(again).complete());
    CHECK(*keep(size(again)).failed == whole);
  }

  TEST_CASE("a failed record whose space fits no known class says only its space") {
    model::Recording recording = recording_of("alpha", {});
    recording.cores.clear();
    // The format says that record 5 is cacheable.
    recording.failures = {failed_record(5, kRaw, 4096)};
    const Sizing sizing = size(recording);
    CHECK(sizing.cores.at(0).demands.empty());
    const core::Diagnostic* error = test::find(sizing.diagnostics, Code::kTraceFailed);
    REQUIRE(error != nullptr);
    CHECK(test::contains(error->message, "non-cacheable ddr"));
  }

  TEST_CASE("what is no failed record is a warning, once, with what it means") {
    model::Recording recording = recording_of("alpha", {appnote_instance(false)});
    Failure host;
    host.kind = Failure::Kind::kHost;
    host.text = "Shared mem ptr allocation failed";
    host.line = 5;
    Failure chip = host;
    chip.kind = Failure::Kind::kOnChip;
    chip.text = "Not able to allocate MSMC memory";
    recording.failures = {host, host, chip};
    const Sizing sizing = size(recording);
    CHECK(test::count(sizing.diagnostics, Code::kTraceOther) == 2);
    const core::Diagnostic* first = test::find(sizing.diagnostics, Code::kTraceOther);
    CHECK(first->severity == core::Severity::kWarning);
    CHECK(test::contains(first->message, "2 times"));
    CHECK(test::contains(first->hint, "host"));
    CHECK(sizing.complete());
    // Of some messages the format knows more; what follows from a failed record is only a note.
    Failure version = host;
    version.kind = Failure::Kind::kOther;
    version.text = "Network version - 0x20200404, Expected version - 0x20240401";
    Failure echo = version;
    echo.text = "Verify OpenVX graph failed";
    recording.failures = {version, echo};
    const Sizing generic = size(recording);
    CHECK(test::contains(test::find(generic.diagnostics, Code::kTraceOther)->hint,
                         "no lack of memory"));
    CHECK(test::contains(generic.diagnostics.back().hint, "log of the core itself"));
    recording.failures = {echo, failed_record(5, kWarm, 4096)};
    CHECK(test::find(size(recording).diagnostics, Code::kTraceOther)->severity ==
          core::Severity::kNote);
  }

  TEST_CASE("a boot line tells where a heap begins and what the run had left") {
    // The application note's log was taken with heaps of 3, 1, 10 and 5 MiB.
    model::Recording recording = recording_of("alpha", {appnote_instance(true)});
    recording.heaps = {boot("DDR_LOCAL_MEM", 0x110400000, 10 * kMiB),
                       boot("DDR_NON_CACHE_MEM", 0x110000000, 3 * kMiB)};
    const Sizing sizing = size(recording);
    const Demand& warm = keep(sizing);
    REQUIRE(warm.heap.has_value());
    CHECK(warm.heap->source == HeapUse::Source::kBoot);
    CHECK(warm.heap->size.count() == 10 * kMiB);
    CHECK(warm.heap->address == core::VirtAddr{0x110400000U});
    CHECK(warm.heap->before->count() == 253504);
    // Record 15 at 0x108cf1c0 has 4381.13 KiB.
    const std::uint64_t mark = 0x108cf1c0 - 0x10400000 + 4486278;
    CHECK(warm.extent->count() == mark);
    CHECK(warm.heap->left->count() == 10 * kMiB - mark);
    // By the gaps that the addresses have: each header of 64 B and the rounding up to 128, less
    // up to a byte of the print for each record.
    const std::uint64_t gaps =
        (0x1043e180 - 0x1043de40 - 676) + (0x106eefc0 - 0x1043e180 - 2821540) +
        (0x10773900 - 0x106eefc0 - 542915) + (0x108cf1c0 - 0x10773900 - 1423421);
    CHECK(warm.heap->gaps->count() + 3 >= gaps);
    CHECK(warm.heap->gaps->count() <= gaps + 3);
    // 3 MiB less the end of record 14.
    const Demand& raw = demand(sizing, kRaw, Lifetime::kPersistent);
    CHECK(raw.heap->left->count() == 3 * kMiB - (0x22a400 + 1));
    // Nothing is known of the scratch heaps.
    CHECK_FALSE(demand(sizing, kWarm, Lifetime::kScratch).heap.has_value());
  }

  TEST_CASE("a boot line of a heap in which the blocks do not lie is of another run") {
    model::Recording recording = recording_of("alpha", {appnote_instance(true)});
    recording.heaps = {boot("DDR_LOCAL_MEM", 0x118000000, 10 * kMiB)};
    CHECK_FALSE(keep(size(recording)).base.has_value());
    CHECK(keep(size(recording)).extent.has_value());
  }

  TEST_CASE("statistics raise a demand and never lower one") {
    model::Recording recording = recording_of("alpha", {appnote_instance(false)});
    const Sizing plain = size(recording);
    // Names are cut to 15 characters.
    recording.heaps = {statistics("DDR_LOCAL_MEM", 16 * kMiB, 4 * kMiB),
                       statistics("DDR_NON_CACHE_M", 16 * kMiB, 15 * kMiB),
                       statistics("DDR_SCRATCH_NON", 16 * kMiB, 14 * kMiB)};
    const Sizing raised = size(recording);
    CHECK(keep(raised).statistics->count() == 12 * kMiB);
    CHECK(keep(raised).figure().count() == 12 * kMiB);
    CHECK(keep(raised).heap->source == HeapUse::Source::kStatistics);
    CHECK(keep(raised).heap->left->count() == 4 * kMiB);
    const Demand& raw = demand(raised, kRaw, Lifetime::kPersistent);
    CHECK(raw.figure() == demand(plain, kRaw, Lifetime::kPersistent).figure());
    CHECK(demand(raised, kRaw, Lifetime::kScratch).figure().count() == 2 * kMiB);
    CHECK(test::count(raised.diagnostics, Code::kSizingStatistics) == 2);
  }

  TEST_CASE("statistics of an idle core prove nothing, those of a busy one are a lower bound") {
    const test::ViewOfZx9 zx9;
    model::Recording recording = recording_of("alpha", {});
    recording.cores.clear();
    recording.heaps = {statistics("DDR_LOCAL_MEM", 16 * kMiB, 16 * kMiB - 64),
                       statistics("DDR_SCRATCH_MEM", 16 * kMiB, 16 * kMiB)};
    const Sizing idle = size(recording, &zx9.view);
    CHECK(idle.cores.empty());
    const core::Diagnostic* note = test::find(idle.diagnostics, Code::kSizingStatistics);
    REQUIRE(note != nullptr);
    CHECK(test::contains(note->message, "proves nothing"));
    recording.heaps[0].free = Bytes{6 * kMiB};
    const Sizing busy = size(recording, &zx9.view);
    REQUIRE(busy.cores.size() == 1);
    CHECK(busy.cores[0].demands.size() == 1);
    CHECK(keep(busy).records == 0);
    CHECK(keep(busy).lower_bound);
    // 10 MiB are in use of the 16 that there are: no proof that fewer are enough.
    CHECK(keep(busy).figure().count() == 10 * kMiB);
    CHECK(keep(busy).suggested->count() == 16 * kMiB);
    CHECK_FALSE(busy.complete());
    // A core that has no such heap to size is not looked at.
    for (HeapReport& heap : recording.heaps) {
      heap.core = "beta_1";
    }
    CHECK(size(recording, &zx9.view).cores.empty());
  }

  TEST_CASE("tables of old forms tell their generation, and are complete where totals agree") {
    model::Instance instance = appnote_instance(false);
    instance.blocks.pop_back();
    for (const auto& [form, generation] : {std::pair{"bytes", "7"}, std::pair{"kib", "8"}}) {
      const auto& shown_form = form;
      CAPTURE(shown_form);
      instance.form = form;
      instance.totals.clear();
      const Sizing unsure = size(recording_of("alpha", {instance}));
      CHECK(unsure.generation == generation);
      CHECK_FALSE(unsure.complete());
      CHECK(test::find(unsure.diagnostics, Code::kSizingIncomplete) != nullptr);
      instance.totals = {total(kWarm, std::nullopt, 66 + 275541 + 53019 + 139006 + 409625),
                         total(kRaw, std::nullopt, 1942 + 400 + 14825 + 13 + 313 + 204800)};
      CHECK(size(recording_of("alpha", {instance})).complete());
      instance.totals[0] = total(kWarm, std::nullopt, 99999900);
      CHECK_FALSE(size(recording_of("alpha", {instance})).complete());
    }
  }

  TEST_CASE(
      "a size that several generations print is of one of them, and of the board's if it can") {
    model::Instance instance = appnote_instance(false);
    instance.blocks[11].size = model::measured_kib(204825);  // 2 MiB + 256 B
    const model::Recording recording = recording_of("alpha", {instance});
    const Sizing alone = size(recording);
    CHECK(alone.generation.empty());
    CHECK(alone.generations == std::vector<std::string>{"10", "11", "12"});
    CHECK(alone.generation_title == "SDK 10.x, SDK 11.01 or SDK 12.0");
    // The one whose fixed part comes nearest.
    CHECK(alone.rules_of == "12");
    CHECK(demand(alone, kWarm, Lifetime::kScratch).fixed.count() == 2 * kMiB);

    test::ViewOfZx9 zx9;
    zx9.board.soc = "am62a";
    for (const char* generation : {"10", "11", "12"}) {
      CAPTURE(generation);
      zx9.board.generation = generation;
      const Sizing sizing = size(recording, &zx9.view);
      CHECK_FALSE(sizing.generation_differs);
      CHECK(sizing.rules_of == generation);
    }
    zx9.board.generation = "9";
    CHECK(size(recording, &zx9.view).generation_differs);
    // A tree that is of one of two.
    zx9.board.generation.clear();
    zx9.board.generations = {"8", "9"};
    CHECK(size(recording, &zx9.view).generation_differs);
    zx9.board.generations = {"9", "10"};
    CHECK_FALSE(size(recording, &zx9.view).generation_differs);
  }

  TEST_CASE("what is known of record 11, part by part") {
    struct Known {
      const char* soc;
      unsigned hundredths;
      std::vector<std::string> generations;
    };

    const std::vector<Known> all = {
        // 512 KiB, 2, 4 and 8 MiB, and 256 B.
        {"j722s", 409625, {"11"}},
        {"j722s", 819225, {"12"}},
        {"j722s", 51225, {"10"}},
        {"j784s4", 51225, {"10", "11"}},
        {"j784s4", 409625, {"10", "11"}},
        {"j784s4", 819225, {"12"}},
        {"j721e", 409625, {"10", "11"}},
        {"am62a", 204825, {"10", "11", "12"}},
        {"am62a", 51225, {"10", "11"}},
        {"am62a", 409625, {"11"}},
        {"am62a", 819225, {"12"}},
    };
    for (const Known& known : all) {
      CAPTURE(known.soc);
      CAPTURE(known.hundredths);
      model::Instance instance = appnote_instance(false);
      instance.blocks[11].size = model::measured_kib(known.hundredths);
      test::ViewOfZx9 zx9;
      zx9.board.soc = known.soc;
      CHECK(size(recording_of("alpha", {instance}), &zx9.view).generations == known.generations);
    }
    // Fifteen records are of no SDK after 9.
    model::Instance nine = appnote_instance(false);
    nine.blocks.pop_back();
    nine.blocks[11].size = model::measured_kib(51225);
    test::ViewOfZx9 zx9;
    zx9.board.soc = "j784s4";
    CHECK(size(recording_of("alpha", {nine}), &zx9.view).generation == "9");
  }

  TEST_CASE("a forecast adds up, change by change") {
    test::ViewOfZx9 zx9;
    zx9.board.generation = "12";
    const Sizing sizing = size(recording_of("alpha", {appnote_instance(false)}), &zx9.view);
    for (const Demand& one : sizing.cores.at(0).demands) {
      std::int64_t sum = 0;
      for (const ForecastStep& step : one.forecast_steps) {
        sum += step.bytes.value_or(0);
      }
      CAPTURE(one.knob);
      CHECK(static_cast<std::int64_t>(one.bound.count()) + sum ==
            static_cast<std::int64_t>(one.forecast_figure->count()));
    }
    const Demand& temp = demand(sizing, kWarm, Lifetime::kScratch);
    REQUIRE(temp.forecast_steps.size() == 1);
    CHECK(temp.forecast_steps[0].bytes == std::int64_t{4 * kMiB});
    CHECK(test::contains(temp.forecast_steps[0].what, "8 MiB"));
    // Objects and rounding: 442176 instead of 252992 B, blocks to 256 instead of 128.
    REQUIRE(keep(sizing).forecast_steps.size() == 2);
    CHECK(keep(sizing).forecast_steps[0].bytes == std::int64_t{442176 - 252992});
    const core::Diagnostic* warning = test::find(sizing.diagnostics, Code::kSizingGeneration);
    REQUIRE(warning != nullptr);
    for (const std::string& detail : warning->details) {
      CHECK(detail.starts_with("forecast: "));
    }
    // A generation that also copies the network says so, without a size.
    zx9.board.generation = "9";
    const Sizing older = size(recording_of("alpha", {appnote_instance(false)}), &zx9.view);
    CHECK(std::ranges::any_of(keep(older).forecast_steps, [](const ForecastStep& step) {
      return !step.bytes && test::contains(step.what, "network");
    }));
  }

  TEST_CASE("a log that a host emulation printed is warned of") {
    model::Recording recording = recording_of("alpha", {appnote_instance(false)});
    CHECK(test::find(size(recording).diagnostics, Code::kSizingEmulated) == nullptr);
    recording.inputs[0].emulated = true;
    const Sizing sizing = size(recording);
    const core::Diagnostic* warning = test::find(sizing.diagnostics, Code::kSizingEmulated);
    REQUIRE(warning != nullptr);
    CHECK(warning->place.path == "log");
  }

  TEST_CASE("tables without lifetimes take them from the records' meaning") {
    model::Instance instance = appnote_instance(false);
    const Sizing told = size(recording_of("alpha", {instance}));
    for (model::Block& block : instance.blocks) {
      block.lifetime = Lifetime::kPersistent;
      if (block.cacheability == Cacheability::kOnChip) {
        block.lifetime = Lifetime::kScratch;
      }
    }
    instance.form = "test";
    // Where record 7 goes depends on pre-emption: nobody can tell.
    const Sizing sizing = size(recording_of("alpha", {instance}));
    CHECK(keep(sizing).requested == keep(told).requested);
    CHECK(demand(sizing, kRaw, Lifetime::kScratch).requested ==
          demand(told, kRaw, Lifetime::kScratch).requested);
    CHECK_FALSE(sizing.complete());
    CHECK(test::contains(test::find(sizing.diagnostics, Code::kSizingIncomplete)->message,
                         "record 7 is"));
  }

  TEST_CASE("every figure has its reason, and every record its place") {
    const test::ViewOfZx9 zx9;
    const Sizing sizing = size(recording_of("alpha", {appnote_instance(true)}), &zx9.view);
    for (const Demand& one : sizing.cores.at(0).demands) {
      std::vector<std::string> figures;
      for (const Reason& reason : one.reasons) {
        figures.push_back(reason.figure);
        CHECK_FALSE(reason.rule.empty());
      }
      CHECK(figures ==
            std::vector<std::string>{"requested", "bound", "extent", "headroom", "suggested"});
      for (const Counted& counted : one.counted) {
        CHECK(counted.path == "log");
      }
    }
  }
}

}  // namespace memsize::sizing::evidence_test
