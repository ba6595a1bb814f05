#include "memsize/sizing/sizing.hpp"

#include "sizing/sizing_support.hpp"
#include "support.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::sizing::property_test {

namespace {

using model::Cacheability;
using model::Lifetime;

// A complete table of SDK 11.01 with random sizes and classes, without addresses.
model::Instance random_instance(test::Random& random) {
  model::Instance instance = test::appnote_instance(false);
  for (model::Block& block : instance.blocks) {
    if (block.record == 11 || block.cacheability == Cacheability::kOnChip) {
      continue;
    }
    block.cacheability =
        random.below(2) == 0 ? Cacheability::kCacheable : Cacheability::kNonCacheable;
    block.lifetime = random.below(2) == 0 ? Lifetime::kPersistent : Lifetime::kScratch;
    block.size = model::measured_kib(random.below(1ULL << random.below(20)));
  }
  return instance;
}

model::Recording random_recording(test::Random& random) {
  std::vector<model::Instance> instances;
  const std::uint64_t count = 1 + random.below(4);
  for (std::uint64_t i = 0; i < count; ++i) {
    instances.push_back(random_instance(random));
  }
  return test::recording_of("alpha", std::move(instances));
}

Options random_options(test::Random& random) {
  Options options;
  options.together = random.below(2) == 0;
  return options;
}

}  // namespace

TEST_SUITE("sizing") {
  TEST_CASE("the order of a table's rows never changes a demand") {
    const test::ViewOfZx9 zx9;
    test::Random random{2024};
    for (int round = 0; round < test::rounds(300); ++round) {
      CAPTURE(round);
      model::Recording recording = random_recording(random);
      const Options options = random_options(random);
      const Sizing before = size_recording(recording, test::tidl_format(), &zx9.view, options);
      for (model::Instance& instance : recording.cores[0].instances) {
        test::shuffle(instance.blocks, random);
      }
      const Sizing after = size_recording(recording, test::tidl_format(), &zx9.view, options);
      for (const Demand& demand : before.cores[0].demands) {
        const Demand* same =
            test::demand_of(after.cores[0], demand.key.cacheability, demand.key.lifetime);
        REQUIRE(same != nullptr);
        REQUIRE(same->records == demand.records);
        REQUIRE(same->requested == demand.requested);
        REQUIRE(same->bound == demand.bound);
        REQUIRE(same->suggested == demand.suggested);
      }
    }
  }

  TEST_CASE("one more record never lowers a demand") {
    const test::ViewOfZx9 zx9;
    test::Random random{4711};
    for (int round = 0; round < test::rounds(1000); ++round) {
      CAPTURE(round);
      model::Recording recording = random_recording(random);
      const Options options = random_options(random);
      const Sizing before = size_recording(recording, test::tidl_format(), &zx9.view, options);
      std::vector<model::Instance>& instances = recording.cores[0].instances;
      model::Block extra = instances[0].blocks[0];
      extra.record = 16;
      extra.cacheability =
          random.below(2) == 0 ? Cacheability::kCacheable : Cacheability::kNonCacheable;
      extra.lifetime = random.below(2) == 0 ? Lifetime::kPersistent : Lifetime::kScratch;
      extra.size = model::measured_kib(random.below(1ULL << random.below(20)));
      instances[random.below(instances.size())].blocks.push_back(extra);
      const Sizing after = size_recording(recording, test::tidl_format(), &zx9.view, options);
      for (const Demand& demand : before.cores[0].demands) {
        const Demand* more =
            test::demand_of(after.cores[0], demand.key.cacheability, demand.key.lifetime);
        REQUIRE(more != nullptr);
        // The set that needs most, margin and all, may be another one with a smaller bound.
        REQUIRE(more->bound + more->headroom >= demand.bound + demand.headroom);
        REQUIRE(more->suggested.value() >= demand.suggested.value());
      }
    }
  }

  TEST_CASE("what is suggested covers every figure and is a multiple of the granule") {
    const test::ViewOfZx9 zx9;
    test::Random random{31337};
    for (int round = 0; round < test::rounds(300); ++round) {
      CAPTURE(round);
      const model::Recording recording = random_recording(random);
      const Options options = random_options(random);
      const Sizing sizing = size_recording(recording, test::tidl_format(), &zx9.view, options);
      for (const Demand& demand : sizing.cores[0].demands) {
        REQUIRE(demand.bound >= demand.requested);
        REQUIRE(demand.suggested.value() >= demand.figure() + demand.headroom);
        REQUIRE(demand.suggested->count() % 1048576 == 0);
        REQUIRE(demand.counted.size() == demand.records);
        // The number shown can be traced to the records that were counted.
        core::Bytes sum;
        for (const Counted& counted : demand.counted) {
          sum += counted.block.size.nearest;
        }
        REQUIRE(sum == demand.requested);
      }
    }
  }
}

}  // namespace memsize::sizing::property_test
