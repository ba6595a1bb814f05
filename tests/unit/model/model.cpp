#include "memsize/model/block.hpp"
#include "memsize/model/recording.hpp"

#include "support.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tuple>

#include <doctest/doctest.h>

namespace memsize::model::measured_test {

namespace {

// How the SDK prints a size: cast to a 32-bit float, divided by 1024, two decimals.
std::string printed_by_sdk(std::uint32_t size) {
  std::array<char, 64> text{};
  const float kib = static_cast<float>(size) / 1024.0F;
  (void)std::snprintf(text.data(), text.size(), "%.2f", static_cast<double>(kib));
  return text.data();
}

std::uint64_t hundredths_of(std::string text) {
  std::erase(text, '.');
  return std::strtoull(text.c_str(), nullptr, 10);
}

Block block(std::uint32_t record) {
  Block made;
  made.record = record;
  made.space = "ddr";
  return made;
}

Instance instance(std::size_t input, std::size_t line, std::uint32_t record) {
  Instance made;
  made.input = input;
  made.line = line;
  made.blocks.push_back(block(record));
  return made;
}

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("a size in hundredths of a KiB stands for a span of true sizes") {
    // 2755.41 KiB = 2821539.84 B; half of the last digit is 5.12 B: at most 2821544.96 B.
    const MeasuredSize size = measured_kib(275541);
    CHECK(size.nearest.count() == 2821540);
    CHECK(size.ceiling.count() == 2821540);
    CHECK(size.upper.count() == 2821545);
    CHECK(size.printed_kib == "2755.41");
    // 0.66 KiB = 675.84 B; at most 680.96 B.
    CHECK(measured_kib(66).nearest.count() == 676);
    CHECK(measured_kib(66).ceiling.count() == 676);
    CHECK(measured_kib(66).upper.count() == 681);
    CHECK(measured_kib(66).printed_kib == "0.66");
    // 0.13 KiB = 133.12 B: the nearest is below, the ceiling above.
    CHECK(measured_kib(13).nearest.count() == 133);
    CHECK(measured_kib(13).ceiling.count() == 134);
    CHECK(measured_kib(100).printed_kib == "1.00");
  }

  TEST_CASE("0.00 is a size all the same") {
    const MeasuredSize size = measured_kib(0);
    CHECK(size.nearest.count() == 0);
    // 0 to 5.12 B print as 0.00.
    CHECK(size.upper.count() >= 1);
    CHECK(size.upper.count() >= 5);
    CHECK(size.upper.count() <= 6);
    CHECK(measured_exactly(core::Bytes{0}).upper.count() == 1);
    CHECK(measured_exactly(core::Bytes{7}).upper.count() == 7);
    CHECK(measured_exactly(core::Bytes{7}).printed_kib.empty());
  }

  TEST_CASE("above 16 MiB the print goes through a 32-bit float") {
    // 170281740 B has 28 bits; a float keeps 24, so it becomes a multiple of 16: 170281744, which
    // is 166290.76...; it prints as 166290.77, 8.48 B above the true size.
    CHECK(printed_by_sdk(170281740) == "166290.77");
    CHECK(measured_kib(16629077).upper.count() >= 170281740);
    // A size as far on the other side of what prints like this must be covered too.
    CHECK(printed_by_sdk(170281751) == "166290.77");
    CHECK(measured_kib(16629077).upper.count() >= 170281751);
  }

  TEST_CASE("no true size lies above the upper end of what it prints as") {
    test::Random random{42};
    for (int round = 0; round < 20000; ++round) {
      const auto size = static_cast<std::uint32_t>(random.next() >> (32 + random.below(31)));
      CAPTURE(size);
      const std::string text = printed_by_sdk(size);
      const MeasuredSize measured = measured_kib(hundredths_of(text));
      REQUIRE(measured.printed_kib == text);
      REQUIRE(measured.upper.count() >= size);
      REQUIRE(measured.ceiling >= measured.nearest);
      REQUIRE(measured.upper >= measured.ceiling);
      // And it is no wild guess: half a digit, at most 128 B of a float, and rounding.
      REQUIRE(measured.upper.count() <= std::uint64_t{size} + 11 + 2 * 128 + 2);
    }
  }

  TEST_CASE("the largest sizes and the neighbourhood of powers of two are covered") {
    for (unsigned bit = 4; bit < 32; ++bit) {
      for (int delta = -20; delta <= 20; ++delta) {
        const auto size = static_cast<std::uint32_t>((std::int64_t{1} << bit) + delta);
        CAPTURE(size);
        CHECK(measured_kib(hundredths_of(printed_by_sdk(size))).upper.count() >= size);
      }
    }
    CHECK(measured_kib(hundredths_of(printed_by_sdk(UINT32_MAX))).upper.count() >= UINT32_MAX);
  }

  TEST_CASE("names go both ways") {
    for (const Cacheability value :
         {Cacheability::kCacheable, Cacheability::kNonCacheable, Cacheability::kOnChip}) {
      CHECK(named<Cacheability>(name_of(value)) == value);
    }
    for (const Lifetime value : {Lifetime::kPersistent, Lifetime::kScratch, Lifetime::kConstant}) {
      CHECK(named<Lifetime>(name_of(value)) == value);
    }
    CHECK(name_of(Cacheability::kNonCacheable) == "non-cacheable");
    CHECK_FALSE(named<Cacheability>("").has_value());
    CHECK_FALSE(named<Cacheability>("Cacheable").has_value());
    CHECK_FALSE(named<Lifetime>("forever").has_value());
  }

  TEST_CASE("append puts the instances of a core in a row") {
    Recording first;
    first.inputs.push_back({"a.log", "f", "t", 1, 1, 0, false, {}});
    first.cores.push_back({"dsp", {instance(0, 1, 0)}});
    Recording second;
    second.inputs.push_back({"b.log", "f", "t", 1, 1, 0, false, {}});
    second.inputs.push_back({"c.log", "f", "t", 1, 1, 0, false, {}});
    second.cores.push_back({"npu", {instance(0, 5, 1)}});
    second.cores.push_back({"dsp", {instance(1, 9, 2)}});
    second.diagnostics.push_back(core::note(core::Code::kUsage, "kept"));
    second.headroom = "5%";
    append(first, second);
    REQUIRE(first.inputs.size() == 3);
    CHECK(first.inputs[2].path == "c.log");
    REQUIRE(first.cores.size() == 2);
    CHECK(first.cores[0].core == "dsp");
    REQUIRE(first.cores[0].instances.size() == 2);
    // The second recording's inputs are now the second and third.
    CHECK(first.cores[0].instances[0].input == 0);
    CHECK(first.cores[0].instances[1].input == 2);
    CHECK(first.cores[0].instances[1].blocks.front().record == 2);
    CHECK(first.cores[1].instances[0].input == 1);
    CHECK(first.diagnostics.size() == 1);
    CHECK(first.headroom == "5%");
  }

  TEST_CASE("inputs of one path have one order, whatever tells them apart") {
    using Change = void (*)(Recording&);
    constexpr std::array<Change, 9> kChanges = {{
        [](Recording& recording) { recording.cores[0].instances[0].priority = 0; },
        [](Recording& recording) { recording.inputs[0].emulated = true; },
        [](Recording& recording) { recording.inputs[0].broken_rows = 1; },
        [](Recording& recording) {
          recording.cores[0].instances[0].blocks[0].alignment = *core::Align::make(256);
        },
        [](Recording& recording) {
          recording.cores[0].instances[0].blocks[0].size.nearest = core::Bytes{1};
        },
        [](Recording& recording) { recording.heaps[0].free = core::Bytes{}; },
        [](Recording& recording) { recording.heaps[0].source = HeapReport::Source::kStatistics; },
        [](Recording& recording) { recording.failures[0].size = core::Bytes{7}; },
        [](Recording& recording) { recording.runs[0].executions = 9; },
    }};
    for (const Change change : kChanges) {
      CAPTURE(&change - kChanges.data());
      Recording plain;
      plain.inputs.push_back({"a.log", "f", "t", 1, 1, 0, false, {}});
      plain.cores.push_back({"dsp", {instance(0, 1, 0)}});
      plain.heaps.emplace_back();
      plain.failures.emplace_back();
      plain.runs.emplace_back();
      Recording changed = plain;
      change(changed);
      // Which of the two is the changed one must not depend on which came first.
      const auto place_of_change = [&](Recording recording, const Recording& more) {
        append(recording, more);
        sort(recording);
        const Instance& of_first = recording.cores[0].instances[0];
        return std::tuple{of_first.priority,
                          recording.inputs[0].emulated,
                          recording.inputs[0].broken_rows,
                          of_first.blocks[0].alignment,
                          of_first.blocks[0].size.nearest,
                          recording.heaps[0].free,
                          recording.heaps[0].source,
                          recording.failures[0].size,
                          recording.runs[0].executions};
      };
      CHECK(place_of_change(plain, changed) == place_of_change(changed, plain));
    }
  }
}

}  // namespace memsize::model::measured_test
