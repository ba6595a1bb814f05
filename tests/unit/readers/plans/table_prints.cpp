#include "table_prints.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::readers::table_prints_test {

namespace {

using model::Block;
using model::Cacheability;
using model::Instance;
using model::Lifetime;

// A record of four letters: where it belongs, how long it lives.
Block row(std::uint32_t record, const std::string& kind, std::uint32_t base) {
  Block block;
  block.record = record;
  block.line = record + 1;
  block.space = kind == "chip" ? "l2" : "ddr";
  block.cacheability = kind == "chip"   ? Cacheability::kOnChip
                       : kind[0] == 'w' ? Cacheability::kCacheable
                                        : Cacheability::kNonCacheable;
  block.lifetime = kind.ends_with("temp") ? Lifetime::kScratch : Lifetime::kPersistent;
  block.size = model::measured_kib(400);
  block.address = model::PrintedAddress::low(base);
  return block;
}

// What the rows become: prints apart by '|', of each row whether it has no address ('.'), 0 or
// another ('a').
std::string shape(std::vector<Block> rows) {
  Instance table;
  table.form = "kib-placed";
  table.line = rows.front().line;
  table.blocks = std::move(rows);
  table.totals.emplace_back();
  std::string text;
  const std::vector<Instance> prints = prints_of(std::move(table));
  for (const Instance& print : prints) {
    CHECK(print.form == "kib-placed");
    CHECK(print.line == print.blocks.front().line);
    CHECK(print.totals.size() == (&print == &prints.back() ? 1U : 0U));
    text += text.empty() ? "" : "|";
    for (const Block& block : print.blocks) {
      text += !block.address ? '.' : block.address->value() == 0 ? '0' : 'a';
    }
  }
  return text;
}

}  // namespace

TEST_SUITE("readers") {
  TEST_CASE("a print without any base has no address") {
    CHECK(shape({row(0, "keep", 0), row(1, "warm", 0), row(2, "chip", 0)}) == "...");
    CHECK(shape({row(0, "keep", 0)}) == ".");
    CHECK(shape({row(2, "chip", 0)}) == ".");
  }

  TEST_CASE("a heap may begin at 0, whichever of its table's rows is its first") {
    CHECK(shape({row(0, "keep", 0), row(1, "warm", 0x8000000), row(7, "keep", 0x1000)}) == "0aa");
    CHECK(shape({row(1, "warm", 0x8000000), row(6, "temp", 0), row(7, "temp", 0x1000)}) == "a0a");
    CHECK(shape({row(1, "warm", 0x8000000), row(11, "wtemp", 0)}) == "a0");
    CHECK(shape({row(0, "keep", 0), row(1, "warm", 0x8000000)}) == "0a");
    CHECK(shape({row(0, "keep", 0), row(2, "chip", 0x7F800000)}) == "0a");
    // A heap across 4 GiB.
    CHECK(shape({row(0, "keep", 0xFFFFF000), row(7, "keep", 0), row(12, "keep", 0x1000)}) == "a0a");
  }

  TEST_CASE("memory on the chip that a part lacks says nothing") {
    CHECK(shape({row(0, "keep", 0x1000), row(2, "chip", 0), row(6, "temp", 0x9000)}) == "a.a");
    CHECK(shape({row(2, "chip", 0), row(6, "temp", 0x9000)}) == ".a");
  }

  TEST_CASE("the end of one print and the beginning of another are two") {
    CHECK(shape({row(0, "keep", 0), row(1, "warm", 0), row(7, "keep", 0x1000)}) == "..|a");
    CHECK(shape({row(0, "keep", 0x1000), row(1, "warm", 0), row(7, "keep", 0)}) == "a|..");
    // Of which the other one has a heap that begins at 0.
    CHECK(shape({row(0, "keep", 0),
                 row(1, "warm", 0),
                 row(5, "warm", 0x8001000),
                 row(6, "temp", 0),
                 row(7, "temp", 0x1000)}) == "..|a0a");
  }

  TEST_CASE("a zero far from its neighbours is no address") {
    CHECK(shape({row(0, "keep", 0), row(1, "warm", 0x8000000), row(7, "keep", 0x10005000)}) ==
          ".|aa");
    CHECK(shape({row(1, "warm", 0x8000000), row(5, "warm", 0), row(10, "warm", 0x8002000)}) ==
          "a.a");
    CHECK(shape({row(1, "warm", 0x8000000), row(5, "warm", 0)}) == "a|.");
    // Two of one heap cannot both lie there.
    CHECK(shape({row(6, "temp", 0), row(7, "temp", 0x0F00)}) == ".|a");
  }

  TEST_CASE("other forms say themselves what is an address") {
    Instance asked;
    asked.form = "requests";
    asked.blocks = {row(0, "keep", 0), row(1, "warm", 0), row(7, "keep", 0x1000)};
    const std::vector<Instance> prints = prints_of(asked);
    REQUIRE(prints.size() == 1);
    CHECK(prints[0].blocks[1].address == model::PrintedAddress::low(0));
  }
}

}  // namespace memsize::readers::table_prints_test
