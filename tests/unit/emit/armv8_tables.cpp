// Translation tables and MPU registers against values that were put together by hand from the Arm
// manuals: DDI 0487, D8.3 and DDI 0406C, B4.1.
#include "memsize/emit/armv8_tables.hpp"

#include "memsize/emit/artifact.hpp"
#include "memsize/emit/mpu_words.hpp"
#include "memsize/emit/verify.hpp"
#include "memsize/emit/written.hpp"
#include "memsize/layout/translation.hpp"

#include "mpu_programs.hpp"
#include "support.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::emit::tables_test {

namespace {

using core::Code;
using core::PhysAddr;
using test::find;
using test::map_of;
using test::with;
using test::zx9_text;

constexpr std::uint64_t kPage = 0x1000;
constexpr std::uint64_t kTwoMiB = 0x200000;
constexpr std::uint64_t kOneGiB = 0x40000000;
constexpr PhysAddr kBase{0x90000000};

struct Entry {
  std::uint64_t virtual_base = 0;
  std::uint64_t physical = 0;
  std::uint64_t size = 0;
  unsigned mair = 0;
};

layout::MmuTable table_of(const std::vector<Entry>& entries) {
  layout::MmuTable table;
  table.core = "c";
  for (const Entry& entry : entries) {
    layout::MmuRange range;
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

Armv8Tables good(const std::vector<Entry>& entries, bool replace = false) {
  auto tables = armv8_tables(table_of(entries), replace, kBase);
  REQUIRE_MESSAGE(tables.has_value(), (tables ? "" : test::all_text(tables.error())));
  return *tables;
}

Code wrong(const std::vector<Entry>& entries, PhysAddr base = kBase) {
  const auto tables = armv8_tables(table_of(entries), false, base);
  REQUIRE(!tables.has_value());
  return tables.error().front().code;
}

std::uint64_t word(const Armv8Tables& tables, std::size_t table, std::size_t index) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(tables.bytes.at(table * kPage + index * 8 + i));
  }
  return value;
}

std::string with_tables(const std::string& lines = "alpha = \"FW_ALPHA\"\n") {
  return with(zx9_text(), "[mmu.core]\n", "[mmu.tables_in]\n" + lines + "\n[mmu.core]\n");
}

std::vector<MapFile> requested(const layout::MemoryMap& map) {
  core::RealFileSystem files;
  const auto artifacts = render_all({map, map, files, {test::source_folder() + "/templates"}},
                                    {"map-json", "mmu-json", "mmu-tables"});
  REQUIRE_MESSAGE(artifacts.has_value(), (artifacts ? "" : test::all_text(artifacts.error())));
  std::vector<MapFile> list;
  for (const Artifact& artifact : *artifacts) {
    list.push_back({artifact.path, artifact.content});
  }
  return list;
}

core::Diagnostics errors_of(const std::vector<MapFile>& files) {
  core::Diagnostics found = verify_map(files, "", test::mpu_programs()).diagnostics;
  std::erase_if(found, [](const auto& d) { return d.severity != core::Severity::kError; });
  return found;
}

chip::MpuRegionFields region(std::uint64_t base, std::uint64_t size) {
  chip::MpuRegionFields fields;
  fields.base = base;
  fields.size = size;
  return fields;
}

}  // namespace

TEST_CASE("a table, a block and a page have the bits that they must have") {
  const Armv8Tables tables = good({{0x80000000, 0x880000000, kTwoMiB + kPage, 7}});
  CHECK(tables.base == kBase);
  REQUIRE(tables.bytes.size() == 4 * kPage);
  CHECK(word(tables, 0, 0) == 0x90001003);
  CHECK(word(tables, 1, 2) == 0x90002003);
  CHECK(word(tables, 2, 0) == 0x004000088000061D);
  CHECK(word(tables, 2, 1) == 0x90003003);
  CHECK(word(tables, 3, 0) == 0x004000088020061F);
  CHECK(word(tables, 3, 1) == 0);
  CHECK(word(tables, 0, 1) == 0);
}

TEST_CASE("1 GiB is one block, and its attribute's number is in the descriptor") {
  CHECK(word(good({{kOneGiB, kOneGiB, kOneGiB, 0}}), 1, 1) == 0x0040000040000601);
  CHECK(word(good({{kOneGiB, kOneGiB, kOneGiB, 4}}), 1, 1) == 0x0040000040000611);
}

TEST_CASE("a physical address is cut down to the block, as by the drivers") {
  const Armv8Tables tables = good({{0x80000000, 0x880001000, kTwoMiB, 7}});
  CHECK(word(tables, 2, 0) == 0x004000088000061D);
}

TEST_CASE("a table that a block replaced is not written") {
  const std::vector<Entry> entries = {{0, 0, kPage, 7}, {0, 0, kTwoMiB, 4}};
  CHECK(good(entries, false).bytes.size() == 4 * kPage);
  const Armv8Tables tables = good(entries, true);
  CHECK(tables.bytes.size() == 3 * kPage);
  CHECK(word(tables, 2, 0) == 0x0040000000000611);
}

TEST_CASE("what tables cannot say is an error") {
  CHECK(wrong({{0, 0, 0x800, 7}}) == Code::kMmuGranule);
  CHECK(wrong({{0x800, 0, kPage, 7}}) == Code::kMmuGranule);
  CHECK(wrong({{0, 0x800, kPage, 7}}) == Code::kMmuGranule);
  CHECK(wrong({{layout::kAddressLimit - kPage, 0, 2 * kPage, 7}}) == Code::kMmuSpan);
  CHECK(wrong({{0, layout::kAddressLimit, kPage, 7}}) == Code::kMmuSpan);
  CHECK(wrong({{0, 0, kPage, 7}}, PhysAddr{0x800}) == Code::kMmuGranule);
  CHECK(wrong({{0, 0, kPage, 7}}, PhysAddr{layout::kAddressLimit - kPage}) == Code::kMmuSpan);
  std::vector<Entry> many;
  for (std::uint64_t i = 0; i < 600; ++i) {
    many.push_back({i * kOneGiB, 0, kPage, 7});
  }
  CHECK(wrong(many) == Code::kMmuTables);
}

TEST_CASE("the registers for the tables") {
  CHECK(kMairEl1 == 0x7DBB4F440C080400);
  CHECK(kTcrEl1 == 0x0000000500802510);
}

TEST_CASE("a core's tables are the last bytes of the region that the board names") {
  // The root, the first 512 GiB, three pieces of 1 GiB, two of 2 MiB.
  const auto tables = tables_of(map_of(with_tables()), "alpha");
  REQUIRE(tables.has_value());
  CHECK(tables->bytes.size() == 7 * kPage);
  CHECK(tables->base == PhysAddr{0x40200000 - 7 * kPage});
}

TEST_CASE("a core whose tables have no place is told so") {
  const auto nowhere = tables_of(map_of(zx9_text()), "alpha");
  REQUIRE(!nowhere.has_value());
  CHECK(nowhere.error().front().code == Code::kBoardReference);
  const auto small =
      tables_of(map_of(with(with_tables(), "default = \"2MiB\"", "default = \"16KiB\"")), "alpha");
  REQUIRE(!small.has_value());
  CHECK(small.error().front().code == Code::kLayoutWindow);
}

TEST_CASE("tables are in a region of the core that is on the bus") {
  for (const char* lines : {"alpha = \"FW_ALPHB\"\n",
                            "alpha = \"FW_BETA\"\n",
                            "beta_1 = \"TCM\"\n",
                            "alpah = \"FW_ALPHA\"\n"}) {
    CAPTURE(lines);
    const auto board = test::load_text(with_tables(lines));
    REQUIRE(!board.has_value());
    CHECK(find(board.error(), Code::kBoardReference) != nullptr);
  }
}

TEST_CASE("tables are written by request, and read back as the map") {
  const layout::MemoryMap map = map_of(with_tables());
  const std::vector<MapFile> files = requested(map);
  CHECK(test::all_text(errors_of(files)) == "");
  core::RealFileSystem disk;
  const auto plain = render_all({map, map, disk, {test::source_folder() + "/templates"}}, {});
  REQUIRE(plain.has_value());
  for (const Artifact& artifact : *plain) {
    CHECK(!test::contains(artifact.path, "_table"));
  }
}

TEST_CASE("every bit of the tables counts when they are read back") {
  const std::vector<MapFile> files = requested(map_of(with_tables()));
  std::size_t tried = 0;
  for (std::size_t number = 0; number < files.size(); ++number) {
    if (!files[number].path.ends_with(".bin")) {
      continue;
    }
    // Bits of an address below its block are not the hardware's to read: they must be 0 here.
    for (std::size_t at = 0; at < files[number].content.size(); at += 509) {
      std::vector<MapFile> changed = files;
      changed[number].content[at] = static_cast<char>(changed[number].content[at] ^ 1);
      CAPTURE(at);
      CHECK(!errors_of(changed).empty());
      ++tried;
    }
  }
  CHECK(tried != 0);
}

TEST_CASE("a table that leads to itself ends the reading") {
  Armv8Tables tables = good({{0x80000000, 0x880000000, kTwoMiB, 7}});
  tables.bytes.replace(0, 8, std::string{"\x03\x00\x00\x90\x00\x00\x00\x00", 8});
  core::Diagnostics errors;
  CHECK(parse_tables({"t.bin", tables.bytes}, "", kBase.value(), errors).empty());
  CHECK(errors.size() == 1);
}

TEST_CASE("a region's registers") {
  chip::MpuRegionFields large = region(0x80000000, 0x80000000);
  large.number = 5;
  large.disabled = 0x81;
  large.tex = 1;
  large.cacheable = true;
  large.bufferable = true;
  large.execute = true;
  chip::MpuRegionFields shared = region(0x41C00000, 0x100000);
  shared.tex = 6;
  shared.shareable = true;
  const auto words = mpu_words({region(0, 0x100000000), region(0xFFFFFFE0, 32), large, shared});
  REQUIRE(words.size() == 4);
  CHECK(words[0] == MpuWords{0, 0, 0x3F, 0x1300});
  CHECK(words[1] == MpuWords{0, 0xFFFFFFE0, 0x09, 0x1300});
  CHECK(words[2] == MpuWords{5, 0x80000000, 0x813D, 0x030B});
  CHECK(words[3] == MpuWords{0, 0x41C00000, 0x27, 0x1334});
}

}  // namespace memsize::emit::tables_test
