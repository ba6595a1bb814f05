// Which models count together: the search against trying every subset, and what must not matter.
#include "live.hpp"

#include "memsize/sizing/sizing.hpp"

#include "sizing/sizing_support.hpp"
#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::sizing::live_test {

namespace {

using core::Bytes;
using core::Code;
using model::Cacheability;
using model::Instance;
using model::Lifetime;

// One persistent block in each of two heaps, from `begin` on.
Instance model_at(std::size_t line,
                  std::uint32_t begin,
                  std::uint64_t size,
                  std::uint32_t other_begin,
                  std::uint64_t other_size) {
  Instance instance;
  instance.line = line;
  std::uint32_t record = 0;
  for (const auto& [cacheability, base, at, bytes] :
       {std::tuple{Cacheability::kNonCacheable, 0x10000000U, other_begin, other_size},
        std::tuple{Cacheability::kCacheable, 0x20000000U, begin, size}}) {
    model::Block block;
    block.record = record++;
    block.space = "ddr";
    block.cacheability = cacheability;
    block.lifetime = Lifetime::kPersistent;
    block.size = model::measured_exactly(Bytes{bytes});
    block.address = model::PrintedAddress::low(base + at);
    instance.blocks.push_back(block);
  }
  return instance;
}

Instance random_model(test::Random& random, std::size_t line) {
  return model_at(line,
                  static_cast<std::uint32_t>(random.below(40)) * 1024,
                  1024 * (1 + random.below(12)),
                  static_cast<std::uint32_t>(random.below(40)) * 1024,
                  1024 * (1 + random.below(12)));
}

// Whether two models lie over each other, told by their bytes: no part of a KiB is used here.
bool collide(const Instance& a, const Instance& b) {
  for (std::size_t heap = 0; heap < 2; ++heap) {
    const std::uint64_t from = a.blocks[heap].address->value() / 1024;
    const std::uint64_t to = from + a.blocks[heap].size.nearest.count() / 1024;
    const std::uint64_t other = b.blocks[heap].address->value() / 1024;
    for (std::uint64_t kib = 0; kib < b.blocks[heap].size.nearest.count() / 1024; ++kib) {
      if (other + kib >= from && other + kib < to) {
        return true;
      }
    }
  }
  return false;
}

// The heaviest subset of one input without a collision.
std::uint64_t brute_force(const std::vector<Instance>& models,
                          const std::vector<std::uint64_t>& weights) {
  std::uint64_t best = 0;
  for (std::uint32_t subset = 0; subset < (1U << models.size()); ++subset) {
    std::uint64_t weight = 0;
    bool possible = true;
    for (std::size_t i = 0; i < models.size() && possible; ++i) {
      if ((subset >> i & 1U) == 0) {
        continue;
      }
      weight += weights[i];
      for (std::size_t j = 0; j < i && possible; ++j) {
        possible = (subset >> j & 1U) == 0 || models[i].input != models[j].input ||
                   !collide(models[i], models[j]);
      }
    }
    best = possible ? std::max(best, weight) : best;
  }
  return best;
}

std::uint64_t weight_of(const LiveSet& set, const std::vector<std::uint64_t>& weights) {
  std::uint64_t weight = 0;
  for (const std::size_t index : set.instances) {
    weight += weights[index];
  }
  return weight;
}

Bytes need(const Demand& demand) {
  return demand.figure() + demand.headroom;
}

const Demand& kept(const Sizing& sizing, Cacheability cacheability) {
  const Demand* demand = test::demand_of(sizing.cores.at(0), cacheability, Lifetime::kPersistent);
  REQUIRE(demand != nullptr);
  return *demand;
}

Sizing size(const model::Recording& recording, const Options& options = {}) {
  return size_recording(recording, test::tidl_format(), nullptr, options);
}

}  // namespace

TEST_SUITE("sizing") {
  TEST_CASE("the heaviest live set is that of trying every subset") {
    test::Random random{90210};
    bool groups = false;
    for (int round = 0; round < test::rounds(400); ++round) {
      CAPTURE(round);
      std::vector<Instance> models;
      std::vector<std::uint64_t> weights;
      const std::size_t count = 1 + random.below(11);
      for (std::size_t i = 0; i < count; ++i) {
        models.push_back(random_model(random, 10 * i));
        models.back().input = random.below(2);
        weights.push_back(1 + random.below(1000));
      }
      const LiveModels live{models};
      const LiveSet set = live.heaviest(weights);
      groups = groups || !live.groups().empty();
      REQUIRE(set.exact);
      REQUIRE(weight_of(set, weights) == brute_force(models, weights));
      // The set itself is possible.
      for (const std::size_t a : set.instances) {
        for (const std::size_t b : set.instances) {
          REQUIRE((a == b || models[a].input != models[b].input || !collide(models[a], models[b])));
        }
      }
    }
    CHECK(groups);
  }

  TEST_CASE("what is too much to search is bounded from above") {
    test::Random random{5};
    bool bounded = false;
    for (int round = 0; round < test::rounds(20); ++round) {
      CAPTURE(round);
      std::vector<Instance> models;
      std::vector<std::uint64_t> weights;
      // A long row, each over the next: of n in a row every second one fits.
      const std::size_t count = 21 + random.below(40);
      std::uint64_t even = 0;
      std::uint64_t odd = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::uint32_t>(i) * 3 * 1024;
        models.push_back(model_at(i, at, std::uint64_t{4} * 1024, at, 1024));
        weights.push_back(100);
        (i % 2 == 0 ? even : odd) += 100;
      }
      const LiveSet set = LiveModels{models}.heaviest(weights);
      bounded = bounded || !set.exact;
      REQUIRE(weight_of(set, weights) >= std::max(even, odd));
    }
    CHECK(bounded);
    // Many that all lie at one address are no riddle.
    std::vector<Instance> same;
    std::vector<std::uint64_t> weights;
    for (std::size_t i = 0; i < 100; ++i) {
      same.push_back(model_at(i, 0, 1024 + i, 0, 1024));
      weights.push_back(1 + i);
    }
    const LiveSet set = LiveModels{same}.heaviest(weights);
    CHECK(set.exact);
    CHECK(set.instances == std::vector<std::size_t>{99});
  }

  TEST_CASE("the order of inputs and models never changes a demand") {
    test::Random random{1848};
    for (int round = 0; round < test::rounds(200); ++round) {
      CAPTURE(round);
      std::vector<Instance> models;
      const std::size_t count = 2 + random.below(9);
      for (std::size_t i = 0; i < count; ++i) {
        models.push_back(random_model(random, 10 * i));
        models.back().input = random.below(3);
      }
      Options options;
      options.together = random.below(3) != 0;
      model::Recording recording = test::recording_of("alpha", models);
      recording.inputs.resize(3, recording.inputs.front());
      const Sizing before = size(recording, options);
      test::shuffle(recording.cores[0].instances, random);
      // The inputs change places.
      for (Instance& instance : recording.cores[0].instances) {
        instance.input = (instance.input + 1) % 3;
      }
      const Sizing after = size(recording, options);
      for (const Cacheability heap : {Cacheability::kCacheable, Cacheability::kNonCacheable}) {
        REQUIRE(need(kept(after, heap)) == need(kept(before, heap)));
        REQUIRE(kept(after, heap).bound == kept(before, heap).bound);
        REQUIRE(kept(after, heap).extent == kept(before, heap).extent);
      }
    }
  }

  TEST_CASE("one more model never lowers a demand") {
    test::Random random{1066};
    for (int round = 0; round < test::rounds(300); ++round) {
      CAPTURE(round);
      std::vector<Instance> models;
      const std::size_t count = 1 + random.below(9);
      for (std::size_t i = 0; i < count; ++i) {
        models.push_back(random_model(random, 10 * i));
        models.back().input = random.below(2);
        if (random.below(2) == 0) {
          models.back().priority = random.below(3);
        }
      }
      Options options;
      options.together = random.below(3) != 0;
      options.one_priority = random.below(3) == 0;
      model::Recording recording = test::recording_of("alpha", models);
      recording.inputs.resize(2, recording.inputs.front());
      const Sizing before = size(recording, options);
      Instance extra = random_model(random, 1000);
      extra.input = random.below(2);
      recording.cores[0].instances.push_back(extra);
      const Sizing after = size(recording, options);
      for (const Cacheability heap : {Cacheability::kCacheable, Cacheability::kNonCacheable}) {
        REQUIRE(kept(after, heap).bound >= kept(before, heap).bound);
      }
    }
  }

  TEST_CASE("an input's peak is its own: the peaks of several add up, or the largest counts") {
    // In the first log A and B lie over each other; in the second C is alone.
    const Instance a = model_at(10, 0, 64 * 1024, 0, 1024);
    const Instance b = model_at(20, 0, 32 * 1024, 0, 1024);
    Instance c = model_at(10, 0, 16 * 1024, 0, 1024);
    c.input = 1;
    model::Recording recording = test::recording_of("alpha", {b, a, c});
    recording.inputs.push_back(recording.inputs.front());
    const Sizing together = size(recording);
    CHECK(kept(together, Cacheability::kCacheable).requested.count() == 80 * 1024);
    Options apart;
    apart.together = false;
    CHECK(kept(size(recording, apart), Cacheability::kCacheable).requested.count() == 64 * 1024);
    const core::Diagnostic* said = test::find(together.diagnostics, Code::kSizingInstances);
    REQUIRE(said != nullptr);
    CHECK(test::contains(said->message, "at most 2 count at a time"));
    REQUIRE_FALSE(said->details.empty());
    CHECK(test::contains(said->details.front(), "lines 20, 10"));
  }

  TEST_CASE("a linear heap that was handed out again under a loaded model is warned of") {
    // Y begins the linear heap anew, but in the other heap X's memory was not free.
    const Instance x = model_at(10, 0, 8192, 0, 4096);
    const Instance y = model_at(20, 0x10000, 8192, 0, 2048);
    const Sizing sizing = size(test::recording_of("alpha", {x, y}));
    const core::Diagnostic* warning = test::find(sizing.diagnostics, Code::kSizingUnload);
    REQUIRE(warning != nullptr);
    CHECK(warning->severity == core::Severity::kWarning);
    CHECK(warning->place.line == 20);
    CHECK(test::contains(warning->details.at(0), "line 10"));
    // Both heaps begin anew: X had gone, all is well.
    const Instance after = model_at(20, 0, 8192, 0, 2048);
    CHECK(test::find(size(test::recording_of("alpha", {x, after})).diagnostics,
                     Code::kSizingUnload) == nullptr);
    // Behind each other in both: both are loaded, all is well.
    const Instance behind = model_at(20, 0x10000, 8192, 0x10000, 2048);
    CHECK(test::find(size(test::recording_of("alpha", {x, behind})).diagnostics,
                     Code::kSizingUnload) == nullptr);
    // In two logs addresses say nothing.
    Instance elsewhere = y;
    elsewhere.input = 1;
    model::Recording two = test::recording_of("alpha", {x, elsewhere});
    two.inputs.push_back(two.inputs.front());
    CHECK(test::find(size(two).diagnostics, Code::kSizingUnload) == nullptr);
  }

  TEST_CASE("a model that was loaded again beside one that was not is warned of") {
    Instance again = model_at(10, 0, 8192, 0, 4096);
    again.times = 3;
    const Instance beside = model_at(20, 0x10000, 8192, 0x10000, 2048);
    const Sizing sizing = size(test::recording_of("alpha", {again, beside}));
    const core::Diagnostic* warning = test::find(sizing.diagnostics, Code::kSizingUnload);
    REQUIRE(warning != nullptr);
    CHECK(test::contains(warning->details.at(0), "3 times"));
    // Both as often: they may have been unloaded together.
    Instance too = beside;
    too.times = 3;
    CHECK(test::find(size(test::recording_of("alpha", {again, too})).diagnostics,
                     Code::kSizingUnload) == nullptr);
    // Alone, it may come and go.
    CHECK(test::find(size(test::recording_of("alpha", {again})).diagnostics, Code::kSizingUnload) ==
          nullptr);
  }

  TEST_CASE("of two prints that may be one model only one counts") {
    // The first lost its end and has no addresses.
    model::Instance first = test::appnote_instance(false);
    first.blocks.resize(6);
    model::Instance second = test::appnote_instance(true);
    second.line = first.line + 1;
    const auto requested = [&](const model::Instance& a, const model::Instance& b) {
      const Sizing sizing =
          size_recording(test::recording_of("alpha", {a, b}), test::tidl_format(), nullptr, {});
      CHECK_FALSE(sizing.complete());
      const Demand* demand =
          test::demand_of(sizing.cores.at(0), Cacheability::kCacheable, Lifetime::kPersistent);
      REQUIRE(demand != nullptr);
      return demand->requested;
    };
    const Bytes alone =
        test::demand_of(
            size_recording(test::recording_of("alpha", {second}), test::tidl_format(), nullptr, {})
                .cores.at(0),
            Cacheability::kCacheable,
            Lifetime::kPersistent)
            ->requested;
    CHECK(requested(first, second) == alone);
    // A record that differs is of another model, and so is what begins behind the addresses.
    model::Instance other = first;
    other.blocks.back().size = model::measured_kib(100);
    CHECK(requested(other, second) > alone);
    first.line = second.line + 1;
    CHECK(requested(second, first) > alone);
  }

  TEST_CASE("an address that its model's records do not explain makes no heap") {
    const auto sized = [](std::vector<model::Instance> instances) {
      return size_recording(
          test::recording_of("alpha", std::move(instances)), test::tidl_format(), nullptr, {});
    };
    const auto extent = [](const Sizing& sizing, Cacheability cacheability, Lifetime lifetime) {
      const Demand* demand = test::demand_of(sizing.cores.at(0), cacheability, lifetime);
      REQUIRE(demand != nullptr);
      return demand->figure();
    };
    const auto far = [](std::uint32_t record) {
      model::Instance instance = test::appnote_instance(true);
      for (model::Block& block : instance.blocks) {
        if (block.record == record) {
          block.address = model::PrintedAddress::low(block.address->value() + 0x60000000U);
        }
      }
      return instance;
    };
    const Sizing well = sized({test::appnote_instance(true)});
    // Scratch behind others of its heap, and a record of the operating system's heap.
    for (const auto& [record, cacheability, lifetime] :
         {std::tuple{9U, Cacheability::kNonCacheable, Lifetime::kScratch},
          std::tuple{15U, Cacheability::kCacheable, Lifetime::kPersistent}}) {
      const Sizing damaged = sized({far(record)});
      const Bytes figure = extent(damaged, cacheability, lifetime);
      CHECK(figure >= extent(well, cacheability, lifetime));
      CHECK(figure < extent(well, cacheability, lifetime) + Bytes{1U << 20U});
      const auto* said = test::find(damaged.diagnostics, Code::kSizingAddresses);
      REQUIRE(said != nullptr);
      CHECK(test::contains(said->message, "its address is not believed"));
    }
    // Scratch memory begins anew with each model.
    const Sizing two = sized({test::appnote_instance(true), far(11)});
    CHECK(extent(two, Cacheability::kCacheable, Lifetime::kScratch) ==
          extent(well, Cacheability::kCacheable, Lifetime::kScratch));
  }
}

}  // namespace memsize::sizing::live_test
