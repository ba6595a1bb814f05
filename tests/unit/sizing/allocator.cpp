// The allocators' arithmetic against the addresses of the one public table (application note
// SDAA177, SDK 11.01), redone by hand here.
#include "allocator.hpp"

#include "sizing/sizing_support.hpp"

#include <cstdint>

#include <doctest/doctest.h>

namespace memsize::sizing::allocator_test {

namespace {

using model::Cacheability;
using model::Lifetime;

const board::HeapRule& rule(const char* generation,
                            Cacheability cacheability,
                            Lifetime lifetime,
                            const char* family = "mcu-plus") {
  const board::Generation* known = test::tidl_format().find_generation(generation);
  REQUIRE(known != nullptr);
  const board::HeapRule* heap = known->find_heap(cacheability, lifetime, family);
  REQUIRE(heap != nullptr);
  return *heap;
}

BlockList blocks_of(const model::Instance& instance, Cacheability cacheability, Lifetime lifetime) {
  BlockList list;
  for (const model::Block& block : instance.blocks) {
    if (block.cacheability == cacheability && block.lifetime == lifetime) {
      list.push_back(&block);
    }
  }
  return list;
}

// Up to a multiple, by division.
constexpr std::uint64_t up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

TEST_SUITE("sizing") {
  TEST_CASE("what a model allocates before its first record on SDK 11.01") {
    const board::HeapRule& heap = rule("11", Cacheability::kCacheable, Lifetime::kPersistent);
    // 64 idle; the target object 252848 rounded to 128 plus a header of 64; the array of 16 records
    // of 24 B (384) plus a header of 64.
    CHECK(up(252848, 128) == 252928);
    CHECK(64 + 252928 + 64 + 384 + 64 == 253504);
    CHECK(before_records(heap).count() == 253504);
    // It is where record 1 of the note's log lies in its heap: 0x1043de40 in a heap at 0x10400000.
    CHECK(0x1043de40 - 0x10400000 == 253504);
    CHECK(model_objects(heap).count() == 252992);
    // The same for SDK 12.0: blocks are rounded to 256.
    CHECK(model_objects(rule("12", Cacheability::kCacheable, Lifetime::kPersistent)).count() ==
          442176);
  }

  TEST_CASE("PDK parts have headers, blocks and an end of 256 B") {
    for (const auto& [generation, object] :
         {std::pair{"11", std::uint64_t{252848}}, std::pair{"12", std::uint64_t{442112}}}) {
      const auto& shown_generation = generation;
      CAPTURE(shown_generation);
      const board::HeapRule& heap =
          rule(generation, Cacheability::kCacheable, Lifetime::kPersistent, "pdk");
      // An idle J784S4: 134217728 B of which 134217472 B are free.
      CHECK(heap.idle.count() == 134217728 - 134217472);
      CHECK(model_objects(heap).count() == up(object, 256) + 256);
      CHECK(before_records(heap).count() == 256 + (up(384, 256) + 256) + (up(object, 256) + 256));
      const model::Instance instance = test::appnote_instance(false);
      const BlockList blocks = blocks_of(instance, Cacheability::kCacheable, Lifetime::kPersistent);
      std::uint64_t by_hand = before_records(heap).count();
      for (const std::uint64_t size : {681U, 2821545U, 542920U, 1423427U, 4486283U}) {
        by_hand += up(up(size, 128), 256) + 256;
      }
      CHECK(bound_of(heap, {blocks}).count() == by_hand);
    }
    // An idle AM62A: 29360128 B of which 29360064 B are free.
    CHECK(rule("11", Cacheability::kCacheable, Lifetime::kPersistent).idle.count() == 64);
    // The others are the same on both.
    CHECK(&rule("12", Cacheability::kCacheable, Lifetime::kScratch, "pdk") ==
          &rule("12", Cacheability::kCacheable, Lifetime::kScratch));
  }

  TEST_CASE("the gaps between the persistent cacheable records are those of the allocator") {
    // Next address less this address: the size rounded to 128 plus 64.
    CHECK(0x1043e180 - 0x1043de40 == up(676, 128) + 64);
    CHECK(0x106eefc0 - 0x1043e180 == up(2821540, 128) + 64);
    CHECK(0x10773900 - 0x106eefc0 == up(542915, 128) + 64);
    CHECK(0x108cf1c0 - 0x10773900 == up(1423421, 128) + 64);
  }

  TEST_CASE("the bound of the persistent cacheable heap, record by record") {
    const model::Instance instance = test::appnote_instance(false);
    // Each size at its largest (printed plus 5.12 B), up to 128, plus a header of 64.
    const std::uint64_t by_hand = 253504 + (up(681, 128) + 64) + (up(2821545, 128) + 64) +
                                  (up(542920, 128) + 64) + (up(1423427, 128) + 64) +
                                  (up(4486283, 128) + 64);
    CHECK(by_hand == 9529088);
    const BlockList blocks = blocks_of(instance, Cacheability::kCacheable, Lifetime::kPersistent);
    REQUIRE(blocks.size() == 5);
    CHECK(bound_of(rule("11", Cacheability::kCacheable, Lifetime::kPersistent), {blocks}).count() ==
          by_hand);
  }

  TEST_CASE("a linear heap aligns where a block begins and does not pad the last") {
    const model::Instance instance = test::appnote_instance(false);
    const board::HeapRule& linear = rule("11", Cacheability::kNonCacheable, Lifetime::kPersistent);
    // Records 0, 7, 12 and 14: 19.42, 148.25, 2048.00 and 0.00 KiB at their largest, up to 128.
    std::uint64_t used = up(19892, 128);
    used = up(used, 1024) + up(151814, 128);
    used = up(used, 1024) + up(2097158, 128);
    used = up(used, 1024) + up(6, 128);
    CHECK(
        bound_of(linear, {blocks_of(instance, Cacheability::kNonCacheable, Lifetime::kPersistent)})
            .count() == used);
    // The log's own addresses: 0x10000000 + 19.42 KiB ends at 0x10004dae, and 7 is at 0x10005000.
    CHECK(up(0x10004dae, 1024) == 0x10005000);
    CHECK(before_records(linear).count() == 0);
    CHECK(bound_of(linear, {}).count() == 0);
  }

  TEST_CASE("a second model adds its records and its own objects, not the idle part") {
    const model::Instance instance = test::appnote_instance(false);
    const board::HeapRule& heap = rule("11", Cacheability::kCacheable, Lifetime::kPersistent);
    const BlockList blocks = blocks_of(instance, Cacheability::kCacheable, Lifetime::kPersistent);
    const std::uint64_t one = bound_of(heap, {blocks}).count();
    const std::uint64_t two = bound_of(heap, {blocks, blocks}).count();
    // 9529088 - 253504 are the records themselves.
    CHECK(two - one == (9529088 - 253504) + 252992);
  }

  TEST_CASE("the addresses imply the heap's base, or say that they cannot") {
    const board::HeapRule& heap = rule("11", Cacheability::kCacheable, Lifetime::kPersistent);
    model::Instance instance = test::appnote_instance(true);
    BlockList blocks = blocks_of(instance, Cacheability::kCacheable, Lifetime::kPersistent);
    CHECK(implied_base(heap, {blocks}) == model::PrintedAddress::low(0x10400000));
    CHECK(implied_base(rule("11", Cacheability::kCacheable, Lifetime::kScratch),
                       {blocks_of(instance, Cacheability::kCacheable, Lifetime::kScratch)}) ==
          model::PrintedAddress::low(0x10e00000));
    // Under another generation's rule the base would lie in the middle of a page.
    CHECK_FALSE(implied_base(rule("12", Cacheability::kCacheable, Lifetime::kPersistent), {blocks})
                    .has_value());
    instance.blocks[5].address.reset();
    CHECK_FALSE(implied_base(heap, {blocks}).has_value());
    CHECK_FALSE(implied_base(heap, {}).has_value());
  }
}

}  // namespace memsize::sizing::allocator_test
