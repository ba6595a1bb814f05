// Every named check fires on a board with one mistake and is silent on the board without it.
#include "memsize/layout/check.hpp"

#include "memsize/chip/limits.hpp"

#include "support.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::layout::checks_test {

namespace {

using core::Code;
using test::with;

struct Mistake {
  Code code;
  std::string from;
  std::string to;
  /// What the finding's message names: both parties of a conflict.
  std::vector<std::string> named;
};

// zx9 with an MPU and address translation for the core that has no MMU. It sees its code, the
// mailbox, and through the translation the weights.
std::string r5_text() {
  return test::with(test::zx9_text(),
                    "size = \"pool_size\", cores = \"all\"",
                    "size = \"pool_size\", cores = [\"alpha\"]") +
         R"toml(
[mpu]
first = 1
last = 9

[mpu.attribute]
device = { tex = 0 }
non-cached = { tex = 1 }
cached = { tex = 1, cacheable = true, bufferable = true, execute = true }

[mpu.region]
LOW = { base = "0x0", size = "1GiB", attribute = "device" }
TIGHT = { base = "0x0", size = "64KiB", attribute = "cached" }
DRAM = { base = "0x40000000", size = "1GiB", attribute = "cached" }
FAR = { base = "0x80000000", size = "512MiB", attribute = "cached" }

[mpu.core.beta_1]
fixed = ["LOW", "TIGHT", "DRAM", "FAR"]
areas = { non-cached = ["MAILBOX"] }

[rat.entry]
REACH = { covers = ["ARENA_KEEP"], size = "16MiB" }
NEXT = { covers = ["ARENA_TEMP"] }

[rat.core]
beta_1 = ["REACH", "NEXT"]
)toml";
}

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> list = {
      {Code::kLayoutEmpty, "size = \"64KiB * 4\"", "size = \"page - page\"", {"MAILBOX"}},
      // The arenas' chain reaches 64 MiB into the pool.
      {Code::kLayoutOverlap,
       "[chain.arenas]\nphysical = \"0x1000000000\"",
       "[chain.arenas]\nphysical = \"pool_at - 63MiB\"",
       {"RAW_TEMP", "POOL", "1 MiB"}},
      {Code::kLayoutVirtualOverlap,
       "virtual = \"0x200000000\"",
       "virtual = \"0x83000000\"",
       {"RAW_TEMP", "POOL", "alpha"}},
      {Code::kLayoutBank,
       "base = \"0x1000000000\"\nsize = \"8GiB\"",
       "base = \"0x1000000000\"\nsize = \"8191MiB\"",
       {"POOL", "[0x1100000000, 0x1200000000)"}},
      {Code::kLayoutKept,
       "base = \"0x1000000000\"\nsize = \"8GiB\"",
       "base = \"0x1000000000\"\nsize = \"8GiB\"\n[kept.other]\nbase = \"0x1180000000\"\n"
       "size = \"1MiB\"\nwhy = \"a camera\"",
       {"POOL", "[0x1180000000, 0x1180100000)", "a camera"}},
      {Code::kLayoutAlignment, "align = \"1MiB\", note", "align = \"2GiB\", note", {"FW_ALPHA"}},
      {Code::kLayoutDuplicate, "BETA_KEEP = {", "FW_BETA = {", {"FW_BETA", "beta_1"}},
      // The gap in the firmware's chain belongs to nobody once both neighbours are one carve-out
      // and the gap is another chain's business.
      {Code::kCarveoutHole,
       "\"arena-memory\", name = \"ARENA_ALL\", covers = [\"ARENAS\"]",
       "\"arena-memory\", name = \"ARENA_ALL\", covers = [\"ARENAS\", \"POOL\"]",
       {"arena_region", "[0x1004000000, 0x1100000000)"}},
      {Code::kCarveoutMember,
       "covers = [\"ARENA_KEEP\", \"ARENA_TEMP\", \"RAW_KEEP\", \"RAW_TEMP\"]",
       "covers = [\"ARENA_KEEP\", \"RAW_TEMP\"]",
       {"ARENA_TEMP", "arena_region"}},
      {Code::kMmuGranule,
       "base = \"0x0\", size = \"1MiB\"",
       "base = \"0x0\", size = \"1MiB - 1\"",
       {"REGISTERS", "alpha"}},
      // A later entry wins: this one maps the first 1 MiB of the pool to itself.
      {Code::kMmuSpan,
       "alpha = [\"REGISTERS\", \"PAD\", \"CODE\", \"BOX\", \"WARM\", \"RAW\", \"LAKE\"]",
       "alpha = [\"PAD\", \"CODE\", \"BOX\", \"WARM\", \"RAW\", \"LAKE\", \"REGISTERS\"]\n#",
       {}},
      {Code::kMmuCoverage, "\"RAW\", \"LAKE\"]", "\"RAW\"]", {"alpha", "POOL", "4 GiB"}},
      {Code::kMmuCache, "RAW = { mair = 4", "RAW = { mair = 7", {"RAW_KEEP", "alpha", "MAIR7"}},
      // 1 MiB of 1 MiB is skipped: nothing is left for code.
      {Code::kLayoutSection,
       "note = \"beta code\"",
       "section_align = \"4MiB\", note = \"beta code\"",
       {"FW_BETA", "0x40300000", "1 MiB", "4 MiB"}},
      // The board's own knobs are held against it before there is a map.
      {Code::kSizeMinimum, "", "", {"FW_BETA", "512 KiB", "508 KiB", "its vectors"}},
      {Code::kMmuExcess,
       "REGISTERS = { mair = 0, base = \"0x0\"",
       "REGISTERS = { mair = 0, base = \"0x40300000\"",
       {"REGISTERS", "alpha", "FW_BETA", "[0x40300000, 0x40400000)", "MAIR0"}},
      {Code::kMmuEntries,
       "granule = \"4KiB\"\nmair_non_cached",
       "granule = \"4KiB\"\nmax_entries = 6\nmair_non_cached",
       {"alpha", "7", "6"}},
      // An entry must be smaller, not as large.
      {Code::kMmuEntrySize,
       "granule = \"4KiB\"\nmair_non_cached",
       "granule = \"4KiB\"\nmax_entry = \"4GiB\"\nmair_non_cached",
       {"alpha", "LAKE_7", "4 GiB"}},
      {Code::kMmuCongruence,
       "virtual = \"0x80000000\"",
       "virtual = \"0x80100000\"",
       {"alpha", "WARM", "0x80200000", "0x1000100000", "0x1000000000", "2 MiB"}},
      // Root, 512 GiB, three of 1 GiB (0, 0x40000000, 0x80000000), pages of the registers and of
      // the mailbox; the pool is four blocks of 1 GiB.
      {Code::kMmuTables,
       "granule = \"4KiB\"\nmair_non_cached",
       "granule = \"4KiB\"\ntables = 6\nmair_non_cached",
       {"alpha", "7", "6"}},
      {Code::kMmuCost,
       "keep_size = { default = \"16MiB\"",
       "keep_size = { default = \"15MiB\"",
       {"1 MiB", "ARENA_KEEP", "2 translation tables"}},
      {Code::kMpuRegion,
       "size = \"512MiB\", attribute",
       "size = \"384MiB\", attribute",
       {"FAR", "[0x80000000, 0x98000000)", "beta_1", "384 MiB"}},
      {Code::kMpuArea,
       "size = \"64KiB * 4\"",
       "size = \"64KiB * 4 - 4\"",
       {"beta_1", "MAILBOX", "[0x40400000, 0x4043FFFC)", "non-cached", "28 B"}},
      {Code::kMpuRegions, "last = 9", "last = 4", {"beta_1", "needs 5", "4 fixed", "1 to 4"}},
      {Code::kMpuCache,
       "areas = { non-cached = [\"MAILBOX\"] }\n",
       "",
       {"beta_1", "[0x40400000, 0x40440000)", "MAILBOX", "'DRAM'", "non-cached"}},
      // 260 KiB are two regions, or one of 512 KiB.
      {Code::kMpuSpare,
       "size = \"64KiB * 4\"",
       "size = \"4KiB * 65\"",
       {"beta_1", "5 MPU regions", "252 KiB"}},
      {Code::kRatSize,
       "size = \"16MiB\" }\nNEXT",
       "size = \"24MiB\" }\nNEXT",
       {"REACH", "beta_1", "24 MiB", "0x80000000", "0x1000000000"}},
      {Code::kRatAlignment,
       "size = \"16MiB\" }\nNEXT",
       "size = \"4GiB\" }\nNEXT",
       {"REACH", "beta_1", "2 GiB", "core's side"}},
      {Code::kRatOverlap,
       "size = \"16MiB\" }\nNEXT",
       "size = \"32MiB\" }\nNEXT",
       {"REACH", "NEXT", "beta_1", "0x80000000", "0x81000000"}},
      {Code::kRatEntries,
       "beta_1 = [\"REACH\", \"NEXT\"]",
       "beta_1 = [\"REACH\"]",
       {"beta_1", "17", "16"}},
      {Code::kRatMissing,
       "beta_1 = [\"REACH\", \"NEXT\"]",
       "beta_1 = [\"NEXT\"]",
       {"beta_1", "BETA_KEEP", "[0x80000000, 0x81000000)", "[0x1000000000, 0x1001000000)"}},
  };
  return list;
}

bool is_of_an_r5(Code code) {
  return core::code_name(code).starts_with("mpu.") || core::code_name(code).starts_with("rat.");
}

// A fixed entry cannot reach a chain with an offset in zx9, so the mistake is made in two places.
std::string board_with(const Mistake& mistake) {
  if (mistake.code == Code::kMpuSpare) {
    // Regions must be scarce too.
    return with(with(r5_text(), mistake.from, mistake.to), "last = 9", "last = 5");
  }
  if (is_of_an_r5(mistake.code)) {
    return with(r5_text(), mistake.from, mistake.to);
  }
  if (mistake.code == Code::kMmuSpan) {
    return with(with(test::zx9_text(),
                     "REGISTERS = { mair = 0, base = \"0x0\", size = \"1MiB\" }",
                     "REGISTERS = { mair = 7, base = \"0x80000000\", size = \"1MiB\" }"),
                mistake.from,
                mistake.to);
  }
  if (mistake.code == Code::kLayoutOverlap) {
    return with(with(test::zx9_text(), mistake.from, mistake.to), "limit = \"pool_at\"\n", "");
  }
  return mistake.from.empty() ? test::zx9_text() : with(test::zx9_text(), mistake.from, mistake.to);
}

core::Severity severity_of(Code code) {
  for (const Check& check : all_checks()) {
    if (check.code == code) {
      return check.severity;
    }
  }
  FAIL("no check ", std::string{core::code_name(code)});
  return core::Severity::kError;
}

MemoryMap map_with(const Mistake& mistake) {
  MemoryMap map = test::map_of(board_with(mistake));
  if (mistake.code == Code::kRatEntries) {
    map.rat.at(0).ranges.resize(chip::kRatEntries + 1, map.rat.at(0).ranges.at(0));
  }
  for (Region& region : map.regions) {
    if (mistake.code == Code::kSizeMinimum && region.name == "FW_BETA") {
      region.size = core::Bytes{508 * 1024};
    }
  }
  return map;
}

}  // namespace

TEST_SUITE("layout") {
  TEST_CASE("the board without a mistake passes every check") {
    for (const std::string& text : {test::zx9_text(), r5_text()}) {
      const MemoryMap map = test::map_of(text);
      for (const Check& check : all_checks()) {
        core::Diagnostics found;
        check.run(map, found);
        CHECK_MESSAGE(found.empty(), test::all_text(found));
      }
    }
  }

  TEST_CASE("each check has its mistake, and finds it") {
    std::set<Code> covered;
    for (const Mistake& mistake : mistakes()) {
      CAPTURE(std::string{core::code_name(mistake.code)});
      covered.insert(mistake.code);
      const core::Diagnostics found = check_map(map_with(mistake));
      const core::Diagnostic* hit = test::find(found, mistake.code);
      REQUIRE_MESSAGE(hit != nullptr, test::all_text(found));
      CHECK(hit->severity == severity_of(mistake.code));
      CHECK(hit->place.path == "boards/zx9.toml");
      CHECK(hit->place.line != 0);
      CHECK_FALSE(hit->hint.empty());
      for (const std::string& name : mistake.named) {
        CHECK_MESSAGE(test::contains(hit->message, name), hit->message);
      }
    }
    for (const Check& check : all_checks()) {
      CHECK_MESSAGE(covered.contains(check.code), std::string{core::code_name(check.code)});
    }
  }

  TEST_CASE("a check whose prerequisite failed is not run") {
    for (const Check& check : all_checks()) {
      CAPTURE(std::string{core::code_name(check.code)});
      CHECK_FALSE(check.rule.empty());
      CHECK_FALSE(check.source.empty());
      if (check.prerequisite == check.code) {
        continue;
      }
      // The prerequisite is a check too, and stands before.
      bool before = false;
      for (const Check& other : all_checks()) {
        if (other.code == check.code) {
          break;
        }
        before = before || other.code == check.prerequisite;
      }
      CHECK(before);
    }
    const Mistake& overlap = mistakes()[1];
    REQUIRE(overlap.code == Code::kLayoutOverlap);
    const core::Diagnostics found = check_map(test::map_of(board_with(overlap)));
    CHECK(test::find(found, Code::kCarveoutMember) == nullptr);
    CHECK(test::find(found, Code::kMmuSpan) == nullptr);
  }

  TEST_CASE("overlaps above 4 GiB and in the last byte are seen") {
    MemoryMap map = test::map_of(test::zx9_text());
    const auto overlaps = [&] { return test::count(check_map(map), Code::kLayoutOverlap); };
    CHECK(overlaps() == 0);
    Region extra;
    extra.name = "EXTRA";
    extra.space = board::Space::kSram;
    extra.virtual_base = core::VirtAddr{0x7000000000};
    // The last byte of the pool, which ends at 0x1200000000.
    extra.physical_base = core::PhysAddr{0x11FFFFFFFF};
    extra.size = core::Bytes{1};
    map.regions.push_back(extra);
    CHECK(overlaps() == 1);
    map.regions.back().physical_base = core::PhysAddr{0x1200000000};
    CHECK(overlaps() == 0);
    // Two at the end of all addresses.
    map.regions.back().physical_base = core::PhysAddr{UINT64_MAX};
    map.regions.push_back(map.regions.back());
    map.regions.back().name = "TWICE";
    CHECK(overlaps() == 1);
    // A region inside another that begins before a third is between: nothing hides a culprit.
    map.regions.back().physical_base = core::PhysAddr{0x1100000000};
    CHECK(overlaps() == 1);
  }

  TEST_CASE("random ranges: the overlap check finds one wherever comparing all pairs does") {
    test::Random random{77};
    for (int round = 0; round < test::rounds(500); ++round) {
      CAPTURE(round);
      MemoryMap map;
      for (int i = 0; i < 6; ++i) {
        Region region;
        region.name = "R" + std::to_string(i);
        region.space = board::Space::kSram;
        region.physical_base = core::PhysAddr{random.below(200)};
        region.virtual_base = core::VirtAddr{0};
        region.size = core::Bytes{1 + random.below(30)};
        map.regions.push_back(region);
      }
      bool any = false;
      for (std::size_t a = 0; a < 6; ++a) {
        for (std::size_t b = a + 1; b < 6; ++b) {
          const std::uint64_t a_base = map.regions[a].physical_base->value();
          const std::uint64_t b_base = map.regions[b].physical_base->value();
          any = any || (a_base < b_base + map.regions[b].size.count() &&
                        b_base < a_base + map.regions[a].size.count());
        }
      }
      CHECK((test::find(check_map(map), Code::kLayoutOverlap) != nullptr) == any);
    }
  }

  TEST_CASE("a carve-out's macro must not stand twice in the C header") {
    // The carve-out takes the name of its first region, which has macros of its own.
    const std::string text = with(test::zx9_text(),
                                  "name = \"FW_BETA_ALL\", header = true",
                                  "name = \"FW_BETA\", header = true");
    const core::Diagnostics found = check_map(test::map_of(text));
    CHECK(test::find(found, Code::kLayoutDuplicate) != nullptr);
  }

  TEST_CASE("a gap that is kept on purpose is no hole in a carve-out") {
    // Both firmwares and the gap between them as one carve-out.
    std::string text = with(test::zx9_text(),
                            "alpha_region = { node = \"alpha-memory\", covers = [\"FW_ALPHA\"] }\n",
                            "");
    text = with(text,
                "covers = [\"FW_BETA\", \"MAILBOX\"]",
                "covers = [\"FW_ALPHA\", \"FW_BETA\", \"MAILBOX\"]");
    const core::Diagnostics found = check_map(test::map_of(text));
    CHECK_MESSAGE(found.empty(), test::all_text(found));
  }

  TEST_CASE("where MMU entries overlap the later one is held against the region") {
    const std::string order =
        "alpha = [\"REGISTERS\", \"PAD\", \"CODE\", \"BOX\", \"WARM\", \"RAW\", \"LAKE\"]";
    const std::string bare =
        with(test::zx9_text(),
             "REGISTERS = { mair = 0, base = \"0x0\", size = \"1MiB\" }",
             "REGISTERS = { mair = 0, base = \"0x40000000\", size = \"64MiB\" }");
    // Below the others it maps only what they leave: beta's code, which alpha has no business with.
    const core::Diagnostics stranger = check_map(test::map_of(bare));
    REQUIRE(stranger.size() == 1);
    CHECK(stranger.front().code == Code::kMmuExcess);
    CHECK(test::contains(stranger.front().message, "FW_BETA"));
    // Said to be meant, it is no harm: the code's own entry wins.
    const std::string wide =
        with(bare, "size = \"64MiB\" }", "size = \"64MiB\", window = \"all firmware\" }");
    CHECK(check_map(test::map_of(wide)).empty());
    // Above them the mailbox, which must not be cached, is device memory still, but the code is
    // not what it should be only where a cache is required; make it write-back over the mailbox.
    const std::string cached =
        with(with(wide, "REGISTERS = { mair = 0", "REGISTERS = { mair = 7"),
             order,
             "alpha = [\"PAD\", \"CODE\", \"BOX\", \"WARM\", \"RAW\", \"LAKE\", \"REGISTERS\"]");
    const core::Diagnostics found = check_map(test::map_of(cached));
    REQUIRE(test::count(found, Code::kMmuCache) == 1);
    CHECK(test::contains(test::find(found, Code::kMmuCache)->message, "MAILBOX"));
  }

  TEST_CASE("findings are sorted by place") {
    std::string text = with(test::zx9_text(), "RAW = { mair = 4", "RAW = { mair = 7");
    text = with(text, "align = \"1MiB\", note", "align = \"2GiB\", note");
    text = with(text, "BETA_KEEP = {", "FW_BETA = {");
    const core::Diagnostics found = check_map(test::map_of(text));
    REQUIRE(found.size() >= 3);
    for (std::size_t i = 1; i < found.size(); ++i) {
      CHECK(found[i - 1].place.line <= found[i].place.line);
    }
  }
}

}  // namespace memsize::layout::checks_test
