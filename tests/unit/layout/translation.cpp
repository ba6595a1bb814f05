// Translation tables against a model that shares nothing with them (mmu_model.hpp): page by page,
// block by block, and by counts that can be done by hand.
#include "memsize/layout/lens.hpp"

#include "mmu_model.hpp"
#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::layout::translation_test {

namespace {

using test::DriverModel;
using test::kOneGiB;
using test::kPage;
using test::kTwoMiB;
using test::ModelCut;
using test::ModelEntry;
using test::Pages;

constexpr std::uint64_t kRoot = 1ULL << 39;

MmuTable table_of(const std::vector<ModelEntry>& entries) {
  MmuTable table;
  table.core = "c";
  for (const ModelEntry& entry : entries) {
    MmuRange range;
    range.instance = table.ranges.size() + 1;
    range.entry = "E" + std::to_string(range.instance);
    range.virtual_range =
        core::VirtRange::make(core::VirtAddr{entry.virtual_base}, core::Bytes{entry.size}).value();
    range.physical =
        core::PhysRange::make(core::PhysAddr{entry.physical}, core::Bytes{entry.size}).value();
    range.mair = entry.mair;
    table.ranges.push_back(range);
  }
  return table;
}

TranslationTables tables_of(const std::vector<ModelEntry>& entries, bool replace = false) {
  return TranslationTables{table_of(entries), replace};
}

std::size_t taken(const std::vector<ModelEntry>& entries, bool replace = false) {
  return tables_of(entries, replace).taken();
}

// A piece of virtual address space that a test looks at page by page.
struct Section {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
};

// Every page of the pieces, which must not overlap, and must be in order and inside.
Pages pages_of(const std::vector<Translation>& pieces, const Section& section) {
  Pages pages{section.base, section.size};
  std::uint64_t end = 0;
  for (const Translation& piece : pieces) {
    const std::uint64_t first = piece.virtual_range.base().value();
    const std::uint64_t size = piece.virtual_range.size().count();
    CHECK(piece.physical.size() == piece.virtual_range.size());
    CHECK(size != 0);
    CHECK(first >= end);
    end = first + size;
    CHECK(pages.map(first, size, piece.physical.base().value(), piece.mair));
  }
  return pages;
}

// What the entries say, without any driver: the last one that covers a page wins.
Pages painted(const std::vector<ModelEntry>& entries, const Section& section) {
  Pages pages{section.base, section.size};
  for (const ModelEntry& entry : entries) {
    CHECK(pages.map(entry.virtual_base, entry.size, entry.physical, entry.mair));
  }
  return pages;
}

// Whether no piece could be joined with the next one.
bool is_shortest(const std::vector<Translation>& pieces) {
  return std::ranges::adjacent_find(pieces, [](const Translation& a, const Translation& b) {
           return a.mair == b.mair && a.instance == b.instance &&
                  a.virtual_range.base().plus(a.virtual_range.size()) == b.virtual_range.base() &&
                  a.physical.base().plus(a.physical.size()) == b.physical.base();
         }) == pieces.end();
}

std::vector<ModelCut> cuts_of(const TranslationTables& tables) {
  std::vector<ModelCut> cuts;
  for (const CutBlock& cut : tables.cut_blocks()) {
    CHECK(cut.held.value() == cut.wanted.value() / cut.block.count() * cut.block.count());
    cuts.push_back({cut.instance, cut.virtual_base.value(), cut.wanted.value(), cut.block.count()});
  }
  return cuts;
}

// Entries inside the section. Edges are pages, or multiples of 2 MiB; V - P is a multiple of
// `congruent`.
std::vector<ModelEntry> random_entries(test::Random& random,
                                       const Section& section,
                                       std::uint64_t congruent) {
  std::vector<ModelEntry> entries(1 + random.below(8));
  for (ModelEntry& entry : entries) {
    const std::uint64_t step = random.below(3) == 0 ? kPage : kTwoMiB;
    const std::uint64_t from = random.below(section.size / step) * step;
    const std::uint64_t room = section.size - from;
    const std::uint64_t small = (1 + random.below(room / kPage)) * kPage;
    const std::uint64_t blocks = (1 + random.below(section.size / kTwoMiB)) * kTwoMiB;
    entry.virtual_base = section.base + from;
    entry.physical = entry.virtual_base + 64 * kOneGiB + congruent * random.below(64);
    entry.size = random.below(2) == 0 ? small : std::min(room, blocks);
    entry.mair = static_cast<unsigned>(random.below(8));
  }
  return entries;
}

// One random table against the models: pages, counts, cuts. Returns how many blocks were cut.
std::size_t check_round(const std::vector<ModelEntry>& entries,
                        const Section& section,
                        bool replace) {
  const MmuTable table = table_of(entries);
  const TranslationTables tables{table, replace};
  const DriverModel model{entries, replace, Pages{section.base, section.size}};
  const std::vector<Translation> walked = tables.walk();
  const std::vector<Translation> said = effective(table);
  const Pages found = pages_of(walked, section);
  const Pages wanted = painted(entries, section);
  CHECK((found == model.pages()));
  CHECK((pages_of(said, section) == wanted));
  CHECK(is_shortest(walked));
  CHECK(is_shortest(said));
  CHECK(tables.taken() == model.taken());
  CHECK_FALSE(tables.overflow());
  CHECK((cuts_of(tables) == model.cuts()));
  CHECK((replace || tables.replaced() == 0));
  MemoryMap map;
  map.board.mmu.blocks_replace_tables = replace;
  map.mmu = {table};
  CHECK(tables_agree(map) == (found == wanted));
  for (const Translation& piece : said) {
    REQUIRE(piece.instance >= 1);
    REQUIRE(piece.instance <= entries.size());
    CHECK(piece.entry == "E" + std::to_string(piece.instance));
    CHECK(piece.mair == entries[piece.instance - 1].mair);
  }
  return tables.cut_blocks().size();
}

}  // namespace

TEST_SUITE("layout") {
  TEST_CASE("random entries, virtual and physical equal modulo 2 MiB: tables and entries agree") {
    test::Random random{20261121};
    for (std::uint64_t round = 0; round < test::rounds(std::uint64_t{200}); ++round) {
      CAPTURE(round);
      // 8 MiB, in every other round on both sides of an edge of 1 GiB.
      const Section section{round % 2 == 0 ? 0 : kOneGiB - 2 * kTwoMiB, 4 * kTwoMiB};
      const auto entries = random_entries(random, section, kTwoMiB);
      CHECK(check_round(entries, section, round % 4 >= 2) == 0);
    }
  }

  TEST_CASE("random entries whose addresses drift apart are cut where a block was used") {
    test::Random random{4242};
    std::size_t cut = 0;
    for (std::uint64_t round = 0; round < test::rounds(std::uint64_t{200}); ++round) {
      CAPTURE(round);
      const Section section{kOneGiB - 2 * kTwoMiB, 4 * kTwoMiB};
      const auto entries = random_entries(random, section, round % 3 == 0 ? kPage : kTwoMiB / 2);
      cut += check_round(entries, section, round % 2 == 0);
    }
    CHECK(cut > test::rounds(std::size_t{100}));
  }

  TEST_CASE("random entries of more than 1 GiB, congruent modulo 1 GiB or only modulo 2 MiB") {
    test::Random random{7};
    std::size_t cut = 0;
    for (std::uint64_t round = 0; round < 12; ++round) {
      CAPTURE(round);
      const Section section{4 * kOneGiB - kTwoMiB, kOneGiB + 2 * kTwoMiB};
      auto entries = random_entries(random, section, round % 2 == 0 ? kOneGiB : kTwoMiB);
      // One that takes the whole block of 1 GiB, before or after the others.
      ModelEntry large = entries.front();
      large.virtual_base = section.base + kTwoMiB * random.below(2);
      large.physical += large.virtual_base - entries.front().virtual_base;
      large.size = section.size - (large.virtual_base - section.base);
      entries.insert(round % 4 >= 2 ? entries.end() : entries.begin(), large);
      const std::size_t found = check_round(entries, section, round % 3 == 0);
      CHECK((round % 2 == 1 || found == 0));
      cut += found;
    }
    CHECK(cut > 0);
  }

  TEST_CASE("translation tables that can be counted by hand") {
    constexpr std::uint64_t kFar = 64 * kOneGiB;
    // Root, 512 GiB, 1 GiB, 2 MiB.
    CHECK(taken({}) == 1);
    CHECK(taken({{0, kFar, kPage, 7}}) == 4);
    CHECK(taken({{0, kFar, kTwoMiB, 7}}) == 3);
    CHECK(taken({{0, kFar, kOneGiB, 7}}) == 2);
    CHECK(taken({{0, kFar, 3 * kOneGiB, 7}}) == 2);
    // Everything below 512 GiB is one table of blocks of 1 GiB; there is no block of 512 GiB.
    CHECK(taken({{0, 0, kRoot, 7}}) == 2);
    CHECK(taken({{0, 0, 2 * kRoot, 7}}) == 3);
    // A second page in the same 2 MiB needs no more, one in the next a table, one in the next GiB
    // two, one in the next 512 GiB three.
    CHECK(taken({{0, kFar, kPage, 7}, {kTwoMiB - kPage, kFar, kPage, 7}}) == 4);
    CHECK(taken({{0, kFar, kPage, 7}, {kTwoMiB, kFar, kPage, 7}}) == 5);
    CHECK(taken({{0, kFar, kPage, 7}, {kOneGiB, kFar, kPage, 7}}) == 6);
    CHECK(taken({{0, kFar, kPage, 7}, {kRoot, kFar, kPage, 7}}) == 7);
    // Less than a block, one page more than one, both edges off the grid, and across three edges.
    CHECK(taken({{0, kFar, kTwoMiB - kPage, 7}}) == 4);
    CHECK(taken({{0, kFar, kTwoMiB + kPage, 7}}) == 4);
    CHECK(taken({{kTwoMiB - kPage, kFar + kTwoMiB - kPage, 2 * kPage, 7}}) == 5);
    CHECK(taken({{kPage, kFar + kPage, 3 * kTwoMiB, 7}}) == 5);
    CHECK(taken({{kOneGiB - kPage, kFar + kOneGiB - kPage, 2 * kPage, 7}}) == 6);
    CHECK(taken({{kRoot - kPage, kRoot - kPage, 2 * kPage, 7}}) == 7);
    // 1 GiB that begins on a multiple of 2 MiB only: 512 blocks of 2 MiB on both sides of an edge.
    CHECK(taken({{kTwoMiB, kFar + kTwoMiB, kOneGiB, 7}}) == 4);
    // The same pages again cost nothing.
    CHECK(taken({{0, kFar, kPage, 7}, {0, kFar, kPage, 4}}) == 4);
    CHECK(taken({{0, kFar, kTwoMiB, 7}, {0, kFar, kTwoMiB, 4}}) == 3);
  }

  TEST_CASE("splitting a block keeps what the rest of it was") {
    constexpr std::uint64_t kFar = 64 * kOneGiB;
    const TranslationTables small =
        tables_of({{0, kFar, 2 * kTwoMiB, 7}, {kPage, 2 * kFar, kPage, 4}});
    CHECK(small.taken() == 4);
    const std::vector<Translation> pieces = small.walk();
    REQUIRE(pieces.size() == 3);
    CHECK(pieces[0].virtual_range.size().count() == kPage);
    CHECK(pieces[0].physical.base().value() == kFar);
    CHECK(pieces[0].mair == 7);
    CHECK(pieces[1].virtual_range.base().value() == kPage);
    CHECK(pieces[1].physical.base().value() == 2 * kFar);
    CHECK(pieces[1].mair == 4);
    CHECK(pieces[2].virtual_range.base().value() == 2 * kPage);
    CHECK(pieces[2].physical.base().value() == kFar + 2 * kPage);
    CHECK(pieces[2].virtual_range.size().count() == 2 * kTwoMiB - 2 * kPage);
    CHECK(pieces[2].mair == 7);
    // A block of 1 GiB becomes 511 of 2 MiB, and 511 pages around the one.
    const TranslationTables large = tables_of({{0, kFar, kOneGiB, 7}, {0, kFar, kPage, 0}});
    CHECK(large.taken() == 4);
    REQUIRE(large.walk().size() == 2);
    CHECK(large.walk()[1].virtual_range.size().count() == kOneGiB - kPage);
    CHECK(large.walk()[1].physical.base().value() == kFar + kPage);
    CHECK(large.walk()[1].mair == 7);
    CHECK(large.cut_blocks().empty());
  }

  TEST_CASE(
      "of two entries the later one wins, and pieces of one entry stay apart in effective()") {
    constexpr std::uint64_t kFar = 64 * kOneGiB;
    const MmuTable table = table_of({{0, kFar, 4 * kPage, 4}, {kPage, kFar + kPage, kPage, 4}});
    // The tables cannot tell the two apart: same attribute, same place.
    CHECK(TranslationTables(table, false).walk().size() == 1);
    const std::vector<Translation> said = effective(table);
    REQUIRE(said.size() == 3);
    CHECK(said[0].instance == 1);
    CHECK(said[1].instance == 2);
    CHECK(said[2].instance == 1);
    CHECK(said[2].physical.base().value() == kFar + 2 * kPage);
    // An entry that a later one hides altogether decides nothing.
    const std::vector<Translation> hidden =
        effective(table_of({{kPage, kFar, kPage, 4}, {0, kFar, 4 * kPage, 7}}));
    REQUIRE(hidden.size() == 1);
    CHECK(hidden[0].instance == 2);
    CHECK(effective(table_of({})).empty());
    // Touching is not overlapping.
    CHECK(effective(table_of({{0, kFar, kPage, 7}, {kPage, kFar + kPage, kPage, 7}})).size() == 2);
  }

  TEST_CASE("only one of the drivers puts a block where a table was") {
    constexpr std::uint64_t kFar = 64 * kOneGiB;
    const std::vector<ModelEntry> entries = {{0, kFar, kPage, 4}, {0, kFar, kTwoMiB, 7}};
    // Filled page by page: the table stays, and nothing is cut even where a block would be.
    const TranslationTables keeps = tables_of(entries, false);
    CHECK(keeps.taken() == 4);
    CHECK(keeps.replaced() == 0);
    CHECK(tables_of({entries[0], {0, kFar + kPage, kTwoMiB, 7}}, false).cut_blocks().empty());
    // Replaced: the table is lost, and the next page takes a new one.
    const TranslationTables replaces = tables_of(entries, true);
    CHECK(replaces.taken() == 4);
    CHECK(replaces.replaced() == 1);
    CHECK(tables_of({entries[0], {0, kFar + kPage, kTwoMiB, 7}}, true).cut_blocks().size() == 1);
    CHECK(taken({entries[0], entries[1], entries[0]}, true) == 5);
    CHECK(taken({entries[0], entries[1], entries[0]}, false) == 4);
    for (const bool replace : {false, true}) {
      const std::vector<Translation> walked = tables_of(entries, replace).walk();
      REQUIRE(walked.size() == 1);
      CHECK(walked[0].mair == 7);
      CHECK(walked[0].virtual_range.size().count() == kTwoMiB);
    }
    // Over 1 GiB, what was below it is lost with it.
    CHECK(taken({entries[0], {0, kFar, kOneGiB, 7}, entries[0]}, true) == 6);
    CHECK(taken({entries[0], {0, kFar, kOneGiB, 7}, entries[0]}, false) == 4);
  }

  TEST_CASE("a block of 1 GiB wants a physical address that is a multiple of 1 GiB") {
    const TranslationTables tables = tables_of({{8 * kOneGiB, 64 * kOneGiB + kTwoMiB, kOneGiB, 7}});
    REQUIRE(tables.cut_blocks().size() == 1);
    const CutBlock& cut = tables.cut_blocks().front();
    CHECK(cut.instance == 1);
    CHECK(cut.virtual_base.value() == 8 * kOneGiB);
    CHECK(cut.wanted.value() == 64 * kOneGiB + kTwoMiB);
    CHECK(cut.held.value() == 64 * kOneGiB);
    CHECK(cut.block.count() == kOneGiB);
    CHECK(tables.walk().front().physical.base().value() == 64 * kOneGiB);
    // One page less, and blocks of 2 MiB are chosen, which hold it.
    CHECK(tables_of({{8 * kOneGiB, 64 * kOneGiB + kTwoMiB, kOneGiB - kPage, 7}})
              .cut_blocks()
              .empty());
    // Pages hold anything.
    CHECK(tables_of({{kPage, 64 * kOneGiB, kTwoMiB - kPage, 7}}).cut_blocks().empty());
    // In the middle of a larger entry only the block is cut.
    const TranslationTables middle =
        tables_of({{kTwoMiB - kPage, 64 * kOneGiB, kTwoMiB + 2 * kPage, 7}});
    REQUIRE(middle.cut_blocks().size() == 1);
    CHECK(middle.cut_blocks().front().virtual_base.value() == kTwoMiB);
    CHECK(middle.cut_blocks().front().wanted.value() == 64 * kOneGiB + kPage);
    REQUIRE(middle.walk().size() == 3);
    CHECK(middle.walk()[1].physical.base().value() == 64 * kOneGiB);
  }

  TEST_CASE("the last addresses of 48 bits, virtual and physical") {
    for (const std::uint64_t size : {kPage, kTwoMiB, kOneGiB, 3 * kTwoMiB + 5 * kPage}) {
      CAPTURE(size);
      const std::uint64_t base = kAddressLimit - size;
      const TranslationTables tables = tables_of({{base, base, size, 3}});
      CHECK(tables.cut_blocks().empty());
      CHECK(tables.taken() == DriverModel({{base, base, size, 3}}, false).taken());
      REQUIRE(tables.walk().size() == 1);
      CHECK(tables.walk()[0].virtual_range.base().value() == base);
      CHECK(tables.walk()[0].virtual_range.last().value() == kAddressLimit - 1);
      CHECK(tables.walk()[0].physical.last().value() == kAddressLimit - 1);
    }
    // All of it, in 512 tables of 1 GiB blocks under the root.
    CHECK(taken({{0, 0, kAddressLimit, 7}}) == 513);
    CHECK(tables_of({{0, 0, kAddressLimit, 7}}).walk().size() == 1);
  }

  TEST_CASE("effective() reaches the last of 64 bits") {
    const std::uint64_t base = UINT64_MAX - 2 * kPage + 1;
    const std::vector<Translation> pieces =
        effective(table_of({{base, base, 2 * kPage, 7}, {base, 0, kPage, 4}}));
    REQUIRE(pieces.size() == 2);
    CHECK(pieces[0].mair == 4);
    CHECK(pieces[1].virtual_range.last().value() == UINT64_MAX);
    CHECK(pieces[1].physical.last().value() == UINT64_MAX);
  }

  TEST_CASE("counting stops where no driver has that many tables") {
    // Single pages, 2 MiB apart: one table each, one per GiB, one more, and the root.
    const auto sparse = [](std::uint64_t pages) {
      std::vector<ModelEntry> entries;
      for (std::uint64_t i = 0; i < pages; ++i) {
        entries.push_back({i * kTwoMiB, 64 * kOneGiB, kPage, 7});
      }
      return entries;
    };
    const TranslationTables full = tables_of(sparse(1020));
    CHECK(full.taken() == 1024);
    CHECK_FALSE(full.overflow());
    CHECK(full.walk().size() == 1020);
    // What was not built cannot disagree.
    MemoryMap map;
    map.mmu = {table_of(sparse(1021))};
    CHECK(tables_agree(map));
    const TranslationTables more = tables_of(sparse(1021));
    CHECK(more.taken() == 1024);
    CHECK(more.overflow());
    CHECK(more.walk().size() == 1020);
    CHECK(tables_of(sparse(5000)).taken() == 1024);
  }

  TEST_CASE("tables are built of whole pages below 48 bits only") {
    MemoryMap map;
    map.board.mmu.granule = *core::Align::make(kPage);
    CHECK(can_build(map));
    const auto buildable = [&](const ModelEntry& entry) {
      map.mmu = {table_of({{0, 0, kPage, 7}}), table_of({{0, 0, kPage, 7}, entry})};
      return can_build(map);
    };
    CHECK(buildable({kPage, 3 * kPage, kPage, 7}));
    CHECK_FALSE(buildable({kPage / 2, kPage, kPage, 7}));
    CHECK_FALSE(buildable({kPage, kPage / 2, kPage, 7}));
    CHECK_FALSE(buildable({kPage, kPage, kPage + 1, 7}));
    CHECK(buildable({kAddressLimit - kPage, 0, kPage, 7}));
    CHECK(buildable({0, kAddressLimit - kPage, kPage, 7}));
    CHECK_FALSE(buildable({kAddressLimit - kPage, 0, 2 * kPage, 7}));
    CHECK_FALSE(buildable({0, kAddressLimit - kPage, 2 * kPage, 7}));
    CHECK_FALSE(buildable({kAddressLimit, 0, kPage, 7}));
    CHECK(buildable({0, 0, kAddressLimit, 7}));
    map.board.mmu.granule = core::Align{};
    CHECK_FALSE(can_build(map));
  }

  TEST_CASE("tables exist where the MMU's page is that of the drivers, or larger") {
    board::Mmu mmu;
    CHECK_FALSE(has_tables(mmu));
    mmu.granule = *core::Align::make(2048);
    CHECK_FALSE(has_tables(mmu));
    for (const std::uint64_t granule : {std::uint64_t{4096}, std::uint64_t{65536}}) {
      mmu.granule = *core::Align::make(granule);
      CHECK(has_tables(mmu));
    }
  }
}

}  // namespace memsize::layout::translation_test
