// Addresses of a log, held against those that its allocators would give.
#include "memsize/runtime/board_log.hpp"

#include "sizing/sizing_support.hpp"
#include "support.hpp"

#include <cstdint>
#include <string>

#include <doctest/doctest.h>

namespace memsize::runtime::predicted_test {

namespace {

using core::Code;
using model::Block;
using model::Cacheability;
using model::Lifetime;

// Where the application note's run has its heaps, and where zx9 has them by default.
std::uint32_t move_of(const Block& block) {
  const bool is_kept = block.lifetime == Lifetime::kPersistent;
  return block.cacheability == Cacheability::kCacheable
             ? (is_kept ? 0x80000000U - 0x10400000U : 0x81000000U - 0x10e00000U)
             : (is_kept ? 0x82000000U - 0x10000000U : 0x83000000U - 0x10300000U);
}

void move(Block& block, std::uint64_t distance) {
  block.address = model::PrintedAddress::low(block.address->value() + distance);
}

model::Instance on_zx9() {
  model::Instance instance = test::appnote_instance(true);
  for (Block& block : instance.blocks) {
    if (block.address && block.cacheability != Cacheability::kOnChip) {
      move(block, move_of(block));
    }
  }
  return instance;
}

Block& record(model::Instance& instance, std::uint32_t number) {
  for (Block& block : instance.blocks) {
    if (block.record == number) {
      return block;
    }
  }
  FAIL("no record " << number);
  return instance.blocks.front();
}

core::Diagnostics held(const std::vector<model::Instance>& instances,
                       const std::string& text = test::zx9_text()) {
  const layout::MemoryMap map = test::map_of(text);
  const model::Recording recording = test::recording_of("alpha", instances);
  sizing::BoardView view;
  view.board = &map.board;
  view.values = map.values;
  const sizing::Sizing sizing = sizing::size_recording(recording, test::tidl_format(), &view, {});
  return hold_log(map, {recording, test::tidl_format(), sizing, nullptr}, {}).findings;
}

TEST_SUITE("runtime") {
  TEST_CASE("the addresses that a chip printed are where the allocators put the records") {
    CHECK(test::find(held({on_zx9()}), Code::kSizingAddresses) == nullptr);
  }

  TEST_CASE("a record that is shifted is told, whichever it is") {
    for (const std::uint32_t number : {0U, 1U, 5U, 10U, 12U, 13U, 14U, 15U}) {
      for (const std::uint32_t shift : {0x100U, 0x80U, 0x1000U}) {
        CAPTURE(number);
        CAPTURE(shift);
        model::Instance instance = on_zx9();
        move(record(instance, number), shift);
        const core::Diagnostics found = held({instance});
        const core::Diagnostic* shifted = test::find(found, Code::kSizingAddresses);
        REQUIRE(shifted != nullptr);
        CHECK(shifted->severity == core::Severity::kWarning);
        CHECK(test::contains(shifted->details.front(),
                             std::string{"record "} + std::to_string(number)));
        CHECK(test::contains(shifted->details.front(), "behind where the allocator puts it"));
      }
    }
  }

  TEST_CASE("the allocator of another RTOS family puts every record elsewhere") {
    const std::string pdk = test::with(
        test::zx9_text(), "generation = \"11\"", "generation = \"11\"\nrtos_family = \"pdk\"");
    const core::Diagnostics found = held({on_zx9()}, pdk);
    const core::Diagnostic* shifted = test::find(found, Code::kSizingAddresses);
    REQUIRE(shifted != nullptr);
    CHECK(test::contains(shifted->message, "5 of 5 records"));
    CHECK(test::contains(shifted->details.back(), "PDK"));
  }

  TEST_CASE("where a second model begins is not known, but the gaps between its records are") {
    model::Instance second = on_zx9();
    for (Block& block : second.blocks) {
      if (block.cacheability == Cacheability::kCacheable &&
          block.lifetime == Lifetime::kPersistent) {
        move(block, 0x700000 - 0x40);
      }
    }
    // Room for both: the region has 16 MiB.
    record(second, 15).size = model::measured_exactly(core::Bytes{0x1000});
    CHECK(test::find(held({on_zx9(), second}), Code::kSizingAddresses) == nullptr);
    move(record(second, 13), 0x100);
    CHECK(test::find(held({on_zx9(), second}), Code::kSizingAddresses) != nullptr);
  }
}

}  // namespace

}  // namespace memsize::runtime::predicted_test
