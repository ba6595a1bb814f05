// Answers about a board that exists nowhere.
#include "memsize/layout/why.hpp"

#include "mpu_support.hpp"
#include "support.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::layout::why_test {

namespace {

using core::Code;

Answer ask(const MemoryMap& map, const std::string& text, const std::string& core = "") {
  auto given = answer(map, {}, {text, core});
  REQUIRE_MESSAGE(given.has_value(), text);
  return std::move(*given);
}

const Subject& only(const Answer& answer) {
  REQUIRE(answer.subjects.size() == 1);
  return answer.subjects.front();
}

bool says(const Subject& subject, const std::string& part) {
  return std::ranges::any_of(subject.facts,
                             [&](const std::string& fact) { return test::contains(fact, part); });
}

const AddressReading& reading_of(const Answer& answer, const std::string& core) {
  for (const AddressReading& reading : answer.readings) {
    if (reading.core == core) {
      return reading;
    }
  }
  FAIL("no reading of " << core);
  return answer.readings.front();
}

std::vector<std::string> names_of(const std::vector<Shift>& shifts) {
  std::vector<std::string> names;
  for (const Shift& shift : shifts) {
    names.push_back(shift.name);
  }
  return names;
}

}  // namespace

TEST_SUITE("layout") {
  TEST_CASE("why: a text is an address, a name, or neither") {
    CHECK(address_in("0xA0000000").value() == 0xA0000000);
    CHECK(address_in("0x1_0000_0000").value() == 0x100000000);
    CHECK(address_in("4096").value() == 4096);
    CHECK(address_in("A7000010").value() == 0xA7000010);
    CHECK_FALSE(address_in("bad").value().has_value());
    CHECK_FALSE(address_in("DEADBEEF").value().has_value());
    CHECK_FALSE(address_in("FW_ALPHA").value().has_value());
    for (const std::string text : {"4GiB", "0x", "0xG", "12 34", "0x1FFFFFFFFFFFFFFFF"}) {
      CAPTURE(text);
      const auto wrong = address_in(text);
      REQUIRE_FALSE(wrong.has_value());
      CHECK(wrong.error().front().code == Code::kUsage);
    }
  }

  TEST_CASE("why: names are exact, then those of macros, then in any case") {
    const std::vector<std::string> names = {"RINGS", "rings", "RINGS_ADDR_X", "heap_size"};
    CHECK(name_meant("rings", names) == "rings");
    CHECK(name_meant("RINGS_ADDR", names) == "RINGS");
    CHECK(name_meant("RINGS_SIZE", names) == "RINGS");
    CHECK(name_meant("heap_size", names) == "heap_size");
    CHECK(name_meant("HEAP_SIZE", names) == "heap_size");
    CHECK(name_meant("Rings_Vaddr", names) == "RINGS");
    CHECK(name_meant("RINGSES", names).empty());
  }

  TEST_CASE("why: a region of several names, its cores and what follows it") {
    const MemoryMap map = test::map_of(test::zx9_text());
    for (const std::string name : {"ARENA_KEEP",
                                   "arena_keep",
                                   "ARENA_KEEP_ADDR",
                                   "BETA_KEEP",
                                   "keep_size",
                                   "ARENA_KEEP_PHYS"}) {
      CAPTURE(name);
      const Answer given = ask(map, name);
      const Subject& subject = only(given);
      CHECK(subject.name == "ARENA_KEEP");
      CHECK(subject.physical == 0x1000000000);
      CHECK(subject.address == 0x80000000);
      CHECK(subject.size == 16U << 20U);
      CHECK(subject.must_be == "cached");
      REQUIRE(subject.growth.has_value());
      CHECK(subject.growth->works());
      CHECK(subject.growth->change == "--set keep_size=17MiB");
      CHECK(names_of(subject.growth->moved) ==
            std::vector<std::string>{"ARENA_TEMP", "RAW_KEEP", "RAW_TEMP"});
      for (const Shift& shift : subject.growth->moved) {
        CHECK(shift.base_after - shift.base_before == 1U << 20U);
      }
    }
    CHECK(says(only(ask(map, "BETA_KEEP")), "BETA_KEEP is what beta_1 calls it"));
    CHECK(says(only(ask(map, "keep_size")), "keep_size is a knob"));
    const Answer given = ask(map, "ARENA_KEEP");
    std::vector<std::string> cores;
    for (const Sight& sight : given.subjects.front().sights) {
      cores.push_back(sight.core + " " + sight.name);
    }
    CHECK(cores == std::vector<std::string>{"alpha ARENA_KEEP", "beta_1 BETA_KEEP"});
  }

  TEST_CASE("why: the room ends where the window does, and the largest size fills it") {
    const MemoryMap map = test::map_of(test::zx9_text());
    const Answer given = ask(map, "FW_ALPHA");
    const Expansion& growth = *only(given).growth;
    // 2 MiB of alpha, a gap of 1 MiB, 1 MiB of beta, 256 KiB of mailbox.
    const std::uint64_t end = 0x40000000 + (4U << 20U) + (256U << 10U);
    REQUIRE(growth.room.has_value());
    CHECK(growth.room->base == end);
    CHECK(growth.room->base + growth.room->size == 0x44000000);
    CHECK(growth.room->why == "the test ends there");
    // Whole steps of 1 MiB: 59 of 59.75 MiB.
    REQUIRE(growth.largest.has_value());
    CHECK(*growth.largest == 61U << 20U);
    CHECK(growth.largest_change == "--set alpha_code=61MiB");
    REQUIRE(growth.after != nullptr);
    CHECK(growth.after->find_owned("FW_ALPHA")->size.count() == 3U << 20U);
  }

  TEST_CASE("why: the room may end where 64 bits do") {
    std::string text = test::with(
        test::zx9_text(), "physical = \"0x40000000\"", "physical = \"0xFFFFFFFFF0000000\"");
    text = test::with(text, "limit = \"0x44000000\"", "limit = \"0xFFFFFFFFFFFFFFFF\"");
    // Banks stand in address order.
    const std::string far = "base = \"0x1000000000\"\nsize = \"8GiB\"";
    text = test::with(text, far, "base = \"0xFFFFFFFF00000000\"\nsize = \"0xFFFFFFFF\"");
    text = test::with(text, "base = \"0x40000000\"\nsize = \"1GiB\"", far);
    const Answer given = ask(test::map_of(text), "FW_ALPHA");
    const Expansion& growth = *only(given).growth;
    REQUIRE(growth.room.has_value());
    CHECK(growth.room->base + growth.room->size == UINT64_MAX);
    CHECK(growth.room->until == "the end of the window of chain 'firmware'");
    CHECK(growth.room->why == "the test ends there");
  }

  TEST_CASE("why: what does not fit says why, and a size that no knob gives can grow, too") {
    const MemoryMap map = test::map_of(
        test::with(test::zx9_text(), "limit = \"0x44000000\"", "limit = \"0x40440000\""));
    const Answer full = ask(map, "FW_BETA");
    const Expansion& growth = *only(full).growth;
    REQUIRE_FALSE(growth.works());
    CHECK(growth.problems.front().code == Code::kLayoutWindow);
    CHECK_FALSE(growth.largest.has_value());
    CHECK(growth.room->size == 0);

    const MemoryMap free = test::map_of(test::zx9_text());
    const Answer mailbox = ask(free, "MAILBOX");
    CHECK(only(mailbox).growth->change == "size = \"64KiB * 4 + 4KiB\"");
    CHECK(only(mailbox).growth->works());
    CHECK(names_of(only(mailbox).growth->resized).front() == "MAILBOX");
  }

  TEST_CASE("why: knobs and constants that are no region's size, carve-outs, chains, banks") {
    const MemoryMap map = test::map_of(test::zx9_text());
    CHECK(only(ask(map, "pool_at")).kind == "knob");
    CHECK(only(ask(map, "pool_at")).facts.front() == "it is 0x1100000000");
    CHECK(only(ask(map, "page")).kind == "constant");
    CHECK(only(ask(map, "arenas")).kind == "chain");
    CHECK(only(ask(map, "far")).kind == "DRAM bank");
    for (const Carveout& carveout : map.carveouts) {
      CHECK(only(ask(map, carveout.label)).kind == "carve-out");
      CHECK(only(ask(map, carveout.label)).physical == carveout.range.base().value());
    }
  }

  TEST_CASE("why: memory of one core has no place on the bus, and the size that it has") {
    const MemoryMap map = test::map_of(test::zx9_text());
    const Answer given = ask(map, "TCM");
    CHECK_FALSE(only(given).physical.has_value());
    CHECK_FALSE(only(given).growth.has_value());
    CHECK(reading_of(ask(map, "0x10", "beta_1"), "beta_1").name == "TCM");
  }

  TEST_CASE("why: an address is in a region, a gap, a hole, or nowhere") {
    const MemoryMap map = test::map_of(test::zx9_text());
    const auto bus = [&](const std::string& text) { return reading_of(ask(map, text), ""); };
    CHECK(bus("0x40000000").name == "FW_ALPHA");
    CHECK(bus("0x401FFFFF").offset == 0x1FFFFF);
    CHECK(test::contains(bus("0x40200000").where, "kept for later"));
    CHECK(bus("0x40300000").name == "FW_BETA");
    CHECK(test::contains(bus("0x43FFFFFF").where, "between MAILBOX and ARENA_KEEP"));
    CHECK(test::contains(bus("0x43FFFFFF").where, "Linux owns it"));
    CHECK(test::contains(bus("0x3FFFFFFF").where, "outside of every DRAM bank"));
    CHECK(test::contains(bus("0xFFFFFFFFFFFFFFFF").where, "outside of every DRAM bank"));
    const Answer seen = ask(map, "0x80000010", "alpha");
    REQUIRE(seen.readings.size() == 1);
    CHECK(seen.readings.front().name == "ARENA_KEEP");
    CHECK(seen.readings.front().physical == 0x1000000010);
  }

  TEST_CASE("why: an R5F reaches through its MPU what its linker map does not name") {
    const MemoryMap map = test::map_of(test::kR5Board);
    const Answer given = ask(map, "CODE");
    const auto& sights = only(given).sights;
    REQUIRE(sights.size() == 1);
    CHECK(sights.front().cached == "cached");
    CHECK(sights.front().by == "MPU 1 'DRAM'");
    CHECK(only(ask(map, "DRAM")).kind == "MPU region");
    CHECK_FALSE(reading_of(ask(map, "0x900000000"), "r5").is_mapped);
    CHECK(reading_of(ask(map, "0xB0000000"), "r5").by == "MPU 1 'DRAM'");
  }

  TEST_CASE("why: an unknown name has the nearest, and an unknown core the cores") {
    const MemoryMap map = test::map_of(test::zx9_text());
    const auto near = answer(map, {}, {"ARENA_KEPE", ""});
    REQUIRE_FALSE(near.has_value());
    CHECK(near.error().front().code == Code::kWhyUnknown);
    CHECK(test::contains(near.error().front().hint, "ARENA_KEEP"));
    const auto core = answer(map, {}, {"TCM", "gamma"});
    REQUIRE_FALSE(core.has_value());
    CHECK(test::contains(core.error().front().hint, "alpha, beta_1"));
  }
}

}  // namespace memsize::layout::why_test
