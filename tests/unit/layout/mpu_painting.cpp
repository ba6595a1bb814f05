// What the regions of an R5F's MPU show, painted here by hand, is what its map wants: for areas at
// random, and for every bundled board with any legal knobs.
#include "memsize/chip/limits.hpp"
#include "memsize/layout/check.hpp"
#include "memsize/layout/mpu.hpp"

#include "mpu_support.hpp"
#include "support.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::layout::mpu_painting_test {

namespace {

using core::Code;
using test::board_with;
using test::chain;
using test::with;

constexpr std::uint64_t kKiB = 1024;

// 4 GiB as a core's MPU shows them: where something else begins, the attribute from there on; empty
// where there is none. Regions are laid in the order of their numbers.
class Painting {
 public:
  explicit Painting(const std::vector<MpuRegion>& regions, bool fixed_only = false) {
    std::vector<const MpuRegion*> order;
    for (const MpuRegion& region : regions) {
      order.push_back(&region);
    }
    std::ranges::sort(order, [](const auto* a, const auto* b) { return a->number < b->number; });
    for (const MpuRegion* region : order) {
      if (fixed_only && !region->is_fixed) {
        continue;
      }
      const std::uint64_t base = region->range.base().value();
      const std::uint64_t eighth = region->range.size().count() / 8;
      for (std::uint64_t part = 0; part < 8; ++part) {
        if ((region->disabled & (1U << part)) == 0) {
          paint(base + part * eighth, base + (part + 1) * eighth, region->attribute);
        }
      }
    }
  }

  [[nodiscard]] const std::string& at(std::uint64_t address) const {
    return std::prev(from_.upper_bound(address))->second;
  }

  // Where something else begins.
  void edges(std::vector<std::uint64_t>& list) const {
    for (const auto& [address, attribute] : from_) {
      list.push_back(address);
    }
  }

 private:
  void cut(std::uint64_t address) { from_.emplace(address, at(address)); }

  void paint(std::uint64_t base, std::uint64_t end, const std::string& attribute) {
    cut(base);
    cut(end);
    for (auto each = from_.find(base); each->first != end; ++each) {
      each->second = attribute;
    }
  }

  std::map<std::uint64_t, std::string> from_ = {{0, ""}};
};

struct Span {
  std::uint64_t base = 0;
  std::uint64_t end = 0;
};

bool within(const std::vector<Span>& spans, std::uint64_t address) {
  return std::ranges::any_of(
      spans, [&](const Span& span) { return span.base <= address && address < span.end; });
}

// What the regions of a core must show is what they show: areas, what the linker places, nothing
// else changed but free DRAM, and of that as much as the table says.
void check_painting(const MemoryMap& map, const MpuTable& table) {
  CAPTURE(table.core);
  const Painting all{table.regions};
  const Painting fixed{table.regions, true};
  std::vector<std::uint64_t> edges = {0};
  all.edges(edges);
  fixed.edges(edges);
  std::vector<Span> dram;
  std::vector<Span> taken;
  for (const board::Bank& bank : map.board.banks) {
    dram.push_back({bank.range.base().value(), bank.range.last().value() + 1});
  }
  for (const Region& region : map.regions) {
    if (const auto real = region.physical(); real && !real->empty()) {
      taken.push_back({real->base().value(), real->last().value() + 1});
    }
    if (const auto seen = region.virtual_range(); seen && !seen->empty()) {
      taken.push_back({seen->base().value(), seen->last().value() + 1});
      if (region.seen_by(table.core) && seen->last().value() < chip::kMpuSpace) {
        CHECK_MESSAGE(!all.at(seen->base().value()).empty(), region.name);
      }
    }
  }
  for (const auto* list : {&dram, &taken}) {
    for (const Span& span : *list) {
      edges.insert(edges.end(), {span.base, span.end});
    }
  }
  for (const MpuArea& area : table.areas) {
    edges.insert(edges.end(), {area.range.base().value(), area.range.last().value() + 1});
  }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::uint64_t spare = 0;
  std::string wrong;
  for (std::size_t i = 0; i < edges.size() && edges[i] < chip::kMpuSpace; ++i) {
    const std::uint64_t address = edges[i];
    const auto area = std::ranges::find_if(table.areas, [&](const auto& each) {
      return each.range.base().value() <= address && address <= each.range.last().value();
    });
    const std::string& wanted = area == table.areas.end() ? fixed.at(address) : area->attribute;
    if (all.at(address) == wanted) {
      continue;
    }
    if (area == table.areas.end() && within(dram, address) && !within(taken, address)) {
      spare += std::min(i + 1 < edges.size() ? edges[i + 1] : chip::kMpuSpace, chip::kMpuSpace) -
               address;
      continue;
    }
    wrong += fmt::format("0x{:X} is {}, not {}\n", address, all.at(address), wanted);
  }
  CHECK_MESSAGE(wrong.empty(), wrong);
  CHECK(spare == table.spare.count());
}

// What the hardware takes.
void check_shape(const MemoryMap& map, const MpuTable& table) {
  unsigned next = map.board.mpu.first;
  bool computed_yet = false;
  for (const MpuRegion& region : table.regions) {
    const std::uint64_t size = region.range.size().count();
    CHECK(region.number == next++);
    CHECK(std::has_single_bit(size));
    CHECK(size >= 32);
    CHECK(region.range.base().value() % size == 0);
    CHECK(region.range.base().value() + size <= chip::kMpuSpace);
    CHECK((region.disabled == 0 || size >= 256));
    CHECK(region.disabled != 0xFF);
    CHECK(map.board.mpu.find_attribute(region.attribute) != nullptr);
    CHECK_FALSE((computed_yet && region.is_fixed));
    computed_yet = !region.is_fixed;
  }
}

bool is_mpu(const core::Diagnostic& finding) {
  return core::code_name(finding.code).starts_with("mpu.") &&
         finding.severity != core::Severity::kNote;
}

}  // namespace

TEST_SUITE("layout") {
  TEST_CASE("painted by hand, areas that nothing is below, and at both ends of 4 GiB") {
    const std::string sram = "space = \"sram\"\n";
    const MemoryMap map = test::map_of(
        with(board_with("cached = [\"OCRAM\", \"FIRST\"], non-cached = [\"LAST\"]",
                        chain("ocram", "0x3600000", {{"OCRAM", "256KiB", "cached"}}, sram) +
                            chain("first", "0x0", {{"FIRST", "64KiB", "cached"}}, sram) +
                            chain("last", "0xFFFF0000", {{"LAST", "64KiB", "non-cached"}}, sram)),
             "fixed = [\"REGISTERS\", \"DRAM\"]",
             "fixed = [\"DRAM\"]"));
    check_shape(map, map.mpu.front());
    check_painting(map, map.mpu.front());
  }

  TEST_CASE("mpu.spare: the memory of a region that is painted back is not spare") {
    // Areas at random, with few regions: the note counts what is really lost.
    test::Random random{11};
    std::size_t scarce = 0;
    for (int round = 0; round < test::rounds(80); ++round) {
      CAPTURE(round);
      std::string chains;
      std::string wishes;
      std::string others;
      std::uint64_t at = 0xB0000000;
      for (int i = 0; i < 6; ++i) {
        at += random.below(4) == 0 ? 0 : (1 + random.below(60)) * 64 * kKiB;
        const std::uint64_t size = (1 + random.below(40)) * 64 * kKiB;
        chains += chain(fmt::format("c{}", i),
                        fmt::format("0x{:X}", at),
                        {{fmt::format("A{}", i), fmt::format("0x{:X}", size), ""}});
        std::string& list = random.below(3) == 0 ? others : wishes;
        if (random.below(4) != 0) {
          list += fmt::format("{}\"A{}\"", list.empty() ? "" : ", ", i);
        }
        at += size;
      }
      const MemoryMap map = test::map_of(
          board_with(fmt::format("non-cached = [{}], write-through = [{}]", wishes, others),
                     chains,
                     fmt::format("first = 0\nlast = {}\n", 2 + random.below(6))));
      check_shape(map, map.mpu.front());
      check_painting(map, map.mpu.front());
      scarce += map.mpu.front().spare.count() != 0 ? 1U : 0U;
      const core::Diagnostics found = check_map(map);
      const bool over = map.mpu.front().regions.size() > map.board.mpu.last + 1;
      CHECK(test::count(found, Code::kMpuRegions) == (over ? 1 : 0));
      CHECK(test::count(found, Code::kMpuCache) == 0);
    }
    CHECK(scarce > test::rounds(15));
  }

  TEST_CASE(
      "painted by hand, the regions of every board show what its map wants, with any legal knobs") {
    constexpr int kRounds = test::rounds(50);
    core::RealFileSystem files;
    const std::string folder = test::source_folder() + "/boards";
    test::Random random{2026};
    const std::vector<std::string> names = board::bundled_boards(files, folder).value();
    for (const std::string& name : names) {
      CAPTURE(name);
      const board::Board board = board::load_board(files, folder, name).value();
      if (board.mpu.cores.empty()) {
        continue;
      }
      const board::Values usual = board::evaluate_knobs(board, {}).value();
      int maps = 0;
      for (int round = 0; round < kRounds; ++round) {
        CAPTURE(round);
        board::KnobValues set;
        for (std::uint64_t changes = round == 0 ? 0 : 1 + random.below(4); changes > 0; --changes) {
          const board::Knob& knob = board.knobs[random.below(board.knobs.size())];
          if (!knob.is_address) {
            const std::uint64_t granule = knob.granule.value();
            const std::uint64_t most = 2 * usual.at(knob.name) / granule + 2;
            set[knob.name] = (1 + random.below(most)) * granule;
          }
        }
        const auto map = resolve(board, set);
        if (!map) {
          REQUIRE(round != 0);
          continue;
        }
        ++maps;
        CHECK(map->mpu.size() == board.mpu.cores.size());
        const std::size_t limit = board.mpu.last - board.mpu.first + 1;
        for (const MpuTable& table : map->mpu) {
          check_shape(*map, table);
          check_painting(*map, table);
          if (round == 0) {
            CHECK(table.regions.size() <= limit);
          }
        }
        // The checks take longer than all else.
        if (round % 10 != 0) {
          continue;
        }
        const core::Diagnostics found = check_map(*map);
        for (const core::Diagnostic& finding : found) {
          // Sizes may be such that there are too few regions; never may the regions be wrong.
          CHECK_MESSAGE((!is_mpu(finding) || finding.code == Code::kMpuRegions), finding.message);
        }
      }
      CHECK(maps >= test::rounds(13));
    }
  }
}

}  // namespace memsize::layout::mpu_painting_test
