#include "strips.hpp"

#include "memsize/core/find.hpp"

#include "support.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::emit::strips_test {

namespace {

using layout::MemoryMap;
using test::map_of;
using test::zx9_text;

constexpr std::uint64_t kMiB = 1048576;

// The region's segment in the last strip of the bank that has it.
const Segment* find(const std::vector<BankStrips>& banks, const std::string& name) {
  for (const BankStrips& bank : banks) {
    if (const Segment* found = core::find_in(bank.strips.back().segments, name, &Segment::name)) {
      return found;
    }
  }
  return nullptr;
}

}  // namespace

TEST_SUITE("emit") {
  TEST_CASE("the segments of a strip follow each other from the first byte of a bank to its last") {
    const MemoryMap baseline = map_of(zx9_text());
    for (std::uint64_t size = 1; size <= 8; ++size) {
      const MemoryMap map = map_of(zx9_text(), {{"temp_size", size * kMiB}});
      const std::vector<BankStrips> banks = strips_of(map, baseline);
      REQUIRE_FALSE(banks.empty());
      for (const BankStrips& bank : banks) {
        CHECK(bank.range.contains(bank.view));
        for (const Strip& strip : bank.strips) {
          std::uint64_t at = bank.range.base().value();
          for (const Segment& segment : strip.segments) {
            CHECK(segment.range.base().value() == at);
            CHECK_FALSE(segment.range.empty());
            at += segment.range.size().count();
            CHECK((segment.kind != Segment::Kind::kRegion || bank.view.contains(segment.range)));
          }
          CHECK(at == bank.range.base().value() + bank.range.size().count());
        }
      }
    }
  }

  TEST_CASE("each region of a bank has its bytes in the strip, and says whether it changed") {
    const MemoryMap baseline = map_of(zx9_text());
    const MemoryMap map = map_of(zx9_text(), {{"temp_size", 5 * kMiB}});
    const std::vector<BankStrips> banks = strips_of(map, baseline);
    std::size_t changed = 0;
    for (const layout::Region& region : map.regions) {
      const auto physical = region.physical();
      if (region.kind != layout::RegionKind::kRegion || region.space != board::Space::kDdr) {
        continue;
      }
      CAPTURE(region.name);
      const Segment* segment = find(banks, region.name);
      REQUIRE(segment != nullptr);
      CHECK(segment->range == *physical);
      const layout::Region* old = baseline.find_owned(region.name);
      REQUIRE(old != nullptr);
      CHECK(segment->changed ==
            (*old->physical() != *physical || old->virtual_base != region.virtual_base));
      changed += segment->changed ? 1U : 0U;
    }
    CHECK(changed != 0);
    // Nothing to compare: one strip a bank, without a title.
    for (const BankStrips& bank : strips_of(map, map)) {
      REQUIRE(bank.strips.size() == 1);
      CHECK(bank.strips.front().title.empty());
    }
  }
}

}  // namespace memsize::emit::strips_test
