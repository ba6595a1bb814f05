// The keys that came with the boards beyond J722S: views, provisional boards, linker maps per core,
// the MMU driver's limits, the MPU and RAT of an R5F, DRAM sizes; and names that must be used,
// known and told apart.
#include "memsize/board/load.hpp"

#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::board::grammar_test {

namespace {

using core::Bytes;
using core::Code;
using test::with;
using test::zx9_text;

constexpr std::uint64_t kGiB = 1073741824;

Board board_of(const std::string& text) {
  auto loaded = test::load_text(text);
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : test::all_text(loaded.error())));
  return std::move(*loaded);
}

core::Diagnostics errors_of(const std::string& text) {
  const auto loaded = test::load_text(text);
  REQUIRE_FALSE(loaded.has_value());
  REQUIRE(core::has_errors(loaded.error()));
  return loaded.error();
}

core::Diagnostic only_error(const std::string& text) {
  const core::Diagnostics errors = errors_of(text);
  REQUIRE_MESSAGE(errors.size() == 1, test::all_text(errors));
  CHECK(errors.front().place.path == "boards/zx9.toml");
  CHECK(errors.front().place.line != 0);
  return errors.front();
}

// zx9 with more keys in the table [mmu].
std::string mmu_with(const std::string& keys) {
  return with(zx9_text(), "mair_non_cached = [0, 4]", keys + "\nmair_non_cached = [0, 4]");
}

// zx9 with an MPU and address translation for the core that has no MMU.
std::string mpu_text() {
  return zx9_text() + R"toml(
[mpu]
program = "sysconfig"
first = 1
last = 10

[mpu.attribute]
device = { tex = 0, shareable = true, sysconfig = "Device" }
raw = { tex = 1, shareable = true, sysconfig = "NonCached" }
through = { tex = 6, cacheable = true }
warm = { tex = 1, cacheable = true, bufferable = true, execute = true, sysconfig = "Cached" }

[mpu.region]
LOW = { name = "ALL_ELSE", base = "0x0", size = "1GiB", attribute = "device", note = "registers" }
DRAM = { base = "0x40000000", size = "page * 262144", attribute = "warm" }

[mpu.core.beta_1]
fixed = ["LOW", "DRAM"]
areas = { raw = ["MAILBOX"], through = ["ARENAS", "FW_ALPHA"] }

[rat]
program = "sysconfig"

[rat.entry]
REACH = { covers = ["ARENA_KEEP"], size = "page * 4096" }
WIDE = { covers = ["ARENAS"] }

[rat.core]
beta_1 = ["REACH"]
)toml";
}

std::vector<std::pair<std::string, std::uint64_t>> banks_of(const Board& board) {
  std::vector<std::pair<std::string, std::uint64_t>> banks;
  for (const Bank& bank : board.banks) {
    banks.emplace_back(bank.name, bank.range.size().count());
  }
  return banks;
}

// Nothing that a terminal would obey.
void check_printable(const core::Diagnostics& diagnostics) {
  const auto plain = [](const std::string& text) {
    return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
  };
  for (const core::Diagnostic& diagnostic : diagnostics) {
    CHECK(plain(diagnostic.message));
    CHECK(plain(diagnostic.hint));
    for (const std::string& detail : diagnostic.details) {
      CHECK(plain(detail));
    }
    for (const auto& related : diagnostic.related) {
      CHECK(plain(related.message));
    }
  }
}

}  // namespace

TEST_SUITE("board") {
  TEST_CASE("the names in an expression, in its order") {
    const auto names = [](const std::string& text) { return names_in({text, {}}); };
    using Names = std::vector<std::string>;
    CHECK(names("a + b*(c - 4KiB)") == Names{"a", "b", "c"});
    CHECK(names("a+a") == Names{"a", "a"});
    CHECK(names("_x9 - x_9") == Names{"_x9", "x_9"});
    CHECK(names("64MiB - 16KiB + 0x10").empty());
    CHECK(names("1.5MiB * 2").empty());
    CHECK(names("").empty());
    CHECK(names("((()))").empty());
    // Not a name, and not half of one.
    CHECK(names("9lives").empty());
    CHECK(names("a.b").empty());
    CHECK(names("0xab").empty());
  }

  TEST_CASE("a knob that nothing uses is refused, a use anywhere is enough") {
    const std::string extra =
        with(zx9_text(), "[knob]\n", "[knob]\nextra = { default = \"4096\" }\n");
    const core::Diagnostic unused = only_error(extra);
    CHECK(unused.code == Code::kBoardReference);
    CHECK(test::contains(unused.message, "'extra'"));
    // A name that only begins alike is no use.
    CHECK(only_error(with(extra, "page = \"4KiB\"", "page = \"4KiB\"\nextra_page = \"1\"")).code ==
          Code::kBoardReference);
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"alpha_code = { default = \"2MiB\" }", "alpha_code = { default = \"extra * 512\" }"},
             {"virtual = \"0x0\"", "virtual = \"extra - extra\""},
             {"physical = \"0x100000\"", "physical = \"extra * 256\""},
             {"limit = \"0x44000000\"", "limit = \"0x44000000 + extra\""},
             {"gap = \"1MiB\"", "gap = \"256 * extra\""},
             {"size = \"256KiB\"", "size = \"64 * extra\""},
             {"FAR_VADDR = \"0x80000000\"", "FAR_VADDR = \"0x80000000 + extra\""},
             {"base = \"0x0\", size = \"1MiB\"", "base = \"0x0\", size = \"extra\""},
             {"base = \"0x0\", size = \"1MiB\"", "base = \"extra - extra\", size = \"1MiB\""}}) {
      const auto& shown_to = to;
      CAPTURE(shown_to);
      CHECK(test::load_text(with(extra, from, to)).has_value());
    }
    CHECK(test::load_text(extra + "[view.v]\nvirtual = \"extra\"\ncores = []\nregions = []\n")
              .has_value());
  }

  TEST_CASE("carve-outs and groups are told apart by name, chains and views too") {
    const core::Diagnostic carveouts =
        only_error(with(zx9_text(), "name = \"POOL_PHYS\"", "name = \"ARENA_ALL\""));
    CHECK(carveouts.code == Code::kBoardName);
    CHECK(test::contains(carveouts.message, "'ARENA_ALL'"));
    REQUIRE(carveouts.related.size() == 1);
    CHECK(carveouts.related.front().place.line != carveouts.place.line);
    // A carve-out takes the name of what it covers first.
    const core::Diagnostic group =
        only_error(with(zx9_text(), "name = \"ARENA_ALL\", covers", "covers"));
    CHECK(group.code == Code::kBoardName);
    CHECK(test::contains(group.message, "'ARENAS'"));
    const core::Diagnostic view =
        only_error(zx9_text() + "[view.arenas]\nvirtual = \"0\"\ncores = []\nregions = []\n");
    CHECK(view.code == Code::kBoardName);
    CHECK(test::contains(view.message, "'arenas'"));
    // What is never asked for by one name may have it twice.
    CHECK(
        test::load_text(with(zx9_text(), "name = \"POOL_PHYS\"", "name = \"arenas\"")).has_value());
  }

  TEST_CASE("a knob and a constant cannot have one name") {
    CHECK_FALSE(test::load_text(
                    with(zx9_text(), "page = \"4KiB\"", "page = \"4KiB\"\nalpha_code = \"1MiB\""))
                    .has_value());
  }

  TEST_CASE("a provisional board says why") {
    CHECK(board_of(zx9_text()).provisional.empty());
    const Board board = board_of(with(
        zx9_text(), "soc = \"zx9\"", "soc = \"zx9\"\nprovisional = \"no SDK\\n\\u0007 <yet> */\""));
    CHECK(test::contains(board.provisional, "no SDK"));
    CHECK(test::contains(board.provisional, "<yet> */"));
    CHECK(board.provisional.find_first_of("\n\a") == std::string::npos);
    CHECK(only_error(with(zx9_text(), "soc = \"zx9\"", "soc = \"zx9\"\nprovisional = true")).code ==
          Code::kTomlType);
  }

  TEST_CASE("each core may have a linker map of another name, in its own folder") {
    const std::string own = with(zx9_text(),
                                 "title = \"the core without\"",
                                 "title = \"the core without\"\nlinker = \"beta-os.cmd\"");
    const Board board = board_of(own);
    CHECK(board.linker_file_of("alpha") == "areas.cmd");
    CHECK(board.linker_file_of("beta_1") == "beta-os.cmd");
    CHECK(board.linker_file_of("gamma") == "areas.cmd");
    for (const char* name : {"../areas.cmd",
                             "/etc/areas.cmd",
                             "..",
                             ".",
                             "a/b.cmd",
                             "a\\\\b.cmd",
                             "a b.cmd",
                             "a\\nb.cmd",
                             "a\\u0000.cmd",
                             "mmu.syscfg",
                             "mmu_map.json"}) {
      CAPTURE(name);
      CHECK(only_error(with(own, "beta-os.cmd", name)).code == Code::kBoardName);
    }
    CHECK(only_error(with(own, "beta-os.cmd", std::string(101, 'x'))).code == Code::kBoardName);
  }

  TEST_CASE("what the MMU's driver can do is read, and what cannot be is refused") {
    const Mmu defaults = board_of(zx9_text()).mmu;
    CHECK(defaults.in_sysconfig);
    CHECK(defaults.tables == 0);
    CHECK_FALSE(defaults.blocks_replace_tables);
    CHECK(defaults.max_entries == 0);
    CHECK(defaults.max_entry == Bytes{0});
    const Mmu mmu = board_of(mmu_with("program = \"source\"\ntables = 16\nblocks_replace_tables = "
                                      "true\nmax_entries = 48\nmax_entry = \"4GiB\""))
                        .mmu;
    CHECK_FALSE(mmu.in_sysconfig);
    CHECK(mmu.tables == 16);
    CHECK(mmu.blocks_replace_tables);
    CHECK(mmu.max_entries == 48);
    CHECK(mmu.max_entry == Bytes{4 * kGiB});
    for (const char* keys :
         {"program = \"by hand\"", "tables = -1", "tables = 0", "max_entries = -1"}) {
      CAPTURE(keys);
      CHECK(only_error(mmu_with(keys)).code == Code::kBoardValue);
    }
    for (const char* keys : {"tables = \"16\"", "blocks_replace_tables = 1", "max_entry = 4096"}) {
      CAPTURE(keys);
      CHECK(only_error(mmu_with(keys)).code == Code::kTomlType);
    }
    // Tables are those of 4 KiB pages: with others, or with none, they cannot be counted.
    for (const char* granule : {"granule = \"8KiB\"", "granule = \"2KiB\"", ""}) {
      CAPTURE(granule);
      CHECK(only_error(with(mmu_with("tables = 16"),
                            "[mmu]\ngranule = \"4KiB\"",
                            "[mmu]\n" + std::string{granule}))
                .code == Code::kBoardValue);
      CHECK(test::load_text(
                with(zx9_text(), "[mmu]\ngranule = \"4KiB\"", "[mmu]\n" + std::string{granule}))
                .has_value());
    }
  }

  TEST_CASE("an MMU entry's window is a text, and a section's alignment a power of two") {
    const Board board = board_of(with(zx9_text(),
                                      "base = \"0x0\", size = \"1MiB\"",
                                      "base = \"0x0\", size = \"1MiB\", window = \"a\\nb */\""));
    CHECK(test::contains(board.mmu.entries.front().window_why, "b */"));
    CHECK(board.mmu.entries.front().window_why.find('\n') == std::string::npos);
    CHECK(board.mmu.entries.back().window_why.empty());
    const std::string aligned =
        with(zx9_text(), "note = \"beta code\"", "section_align = \"2MiB\", note = \"beta code\"");
    CHECK(board_of(aligned).chains[2].items.at(2).section_align.value() == 2097152);
    CHECK(board_of(zx9_text()).chains[2].items.at(2).section_align.value() == 1);
    CHECK(only_error(with(aligned, "section_align = \"2MiB\"", "section_align = \"3MiB\"")).code ==
          Code::kBoardValue);
    CHECK(only_error(with(aligned, "section_align = \"2MiB\"", "section_align = \"0\"")).code ==
          Code::kBoardValue);
  }

  TEST_CASE("an MPU's attributes, regions and areas are read") {
    const Mpu none = board_of(zx9_text()).mpu;
    CHECK(none.table == nullptr);
    CHECK(none.program() == kMpuBySysconfig);
    CHECK(none.first == 0);
    CHECK(none.last == 15);
    CHECK(none.cores.empty());
    const Mpu mpu = board_of(mpu_text()).mpu;
    CHECK(mpu.first == 1);
    CHECK(mpu.last == 10);
    REQUIRE(mpu.attributes.size() == 4);
    const MpuAttribute* through = mpu.find_attribute("through");
    REQUIRE(through != nullptr);
    CHECK(through->tex == 6);
    CHECK(through->cacheable);
    CHECK_FALSE(through->bufferable);
    CHECK_FALSE(through->shareable);
    CHECK_FALSE(through->execute);
    CHECK(through->sysconfig.empty());
    CHECK(mpu.find_attribute("warm")->execute);
    CHECK(mpu.find_attribute("device")->sysconfig == "Device");
    CHECK(mpu.find_attribute("cold") == nullptr);
    REQUIRE(mpu.fixed.size() == 2);
    CHECK(mpu.fixed[0].key == "LOW");
    CHECK(mpu.fixed[0].name == "ALL_ELSE");
    CHECK(mpu.fixed[0].attribute == "device");
    CHECK(mpu.fixed[0].note == "registers");
    CHECK(mpu.fixed[1].name == "DRAM");
    REQUIRE(mpu.cores.size() == 1);
    CHECK(mpu.cores[0].core == "beta_1");
    CHECK(mpu.cores[0].fixed == std::vector<std::string>{"LOW", "DRAM"});
    REQUIRE(mpu.cores[0].wishes.size() == 3);
    CHECK(mpu.cores[0].wishes[0].region == "MAILBOX");
    CHECK(mpu.cores[0].wishes[0].attribute == "raw");
    CHECK(mpu.cores[0].wishes[2].region == "FW_ALPHA");
    CHECK(mpu.cores[0].wishes[2].attribute == "through");
    for (const std::string program : {"csl", "safertos"}) {
      // Those write no XN-only table of sysconfig's, but every attribute above has words there.
      const std::string text = with(
          mpu_text(), "[mpu]\nprogram = \"sysconfig\"", "[mpu]\nprogram = \"" + program + "\"");
      CHECK(board_of(text).mpu.program() == program);
    }
  }

  TEST_CASE("what an MPU cannot be is refused, in one error with its place") {
    struct Mistake {
      std::string from;
      std::string to;
      Code code;
      std::string message;
      std::string hint;
    };

    const std::vector<Mistake> mistakes = {
        {"[mpu]\nprogram = \"sysconfig\"",
         "[mpu]\nprogram = \"hand\"",
         Code::kBoardValue,
         "program 'hand' of [mpu] is unknown",
         "sysconfig, csl, safertos"},
        {"first = 1\n", "first = 11\n", Code::kBoardValue, "11, is behind 'last', 10", ""},
        {"first = 1\n",
         "first = 16\n",
         Code::kBoardValue,
         "'first' of [mpu] must be from 0 to 15",
         ""},
        {"last = 10\n",
         "last = 16\n",
         Code::kBoardValue,
         "'last' of [mpu] must be from 0 to 15",
         ""},
        {"last = 10\n",
         "last = -1\n",
         Code::kBoardValue,
         "'last' of [mpu] must not be negative",
         ""},
        {"tex = 6",
         "tex = 8",
         Code::kBoardValue,
         "'tex' of MPU attribute 'through' must be from 0 to 7, not 8",
         ""},
        {"tex = 6, ", "", Code::kTomlMissingKey, "MPU attribute 'through' has no 'tex'", ""},
        {"cacheable = true }", "cacheable = 1 }", Code::kTomlType, "'cacheable'", ""},
        {"cacheable = true }", "cachable = true }", Code::kTomlUnknownKey, "cachable", "cacheable"},
        {"\"Device\"",
         "\"Devices\"",
         Code::kBoardValue,
         "sysconfig has no attribute 'Devices'",
         "Device, NonCached, Cached"},
        // One bit beside what the name means.
        {"tex = 0, shareable = true",
         "tex = 1, shareable = true",
         Code::kBoardValue,
         "other bits than sysconfig's 'Device'",
         "CUSTOM"},
        {"tex = 0, shareable = true",
         "tex = 0",
         Code::kBoardValue,
         "other bits than sysconfig's 'Device'",
         "CUSTOM"},
        {"raw = { tex = 1, shareable = true",
         "raw = { tex = 1, shareable = true, bufferable = true",
         Code::kBoardValue,
         "other bits than sysconfig's 'NonCached'",
         ""},
        {"bufferable = true, execute",
         "shareable = true, bufferable = true, execute",
         Code::kBoardValue,
         "other bits than sysconfig's 'Cached'",
         ""},
        {"\"Cached\"",
         "\"Cached+Sharable\"",
         Code::kBoardValue,
         "other bits than sysconfig's 'Cached+Sharable'",
         ""},
        {"attribute = \"warm\"",
         "attribute = \"wram\"",
         Code::kBoardReference,
         "no MPU attribute 'wram'",
         "did you mean 'warm'?"},
        {"size = \"page * 262144\", ",
         "",
         Code::kTomlMissingKey,
         "MPU region 'DRAM' has no 'size'",
         ""},
        {"base = \"0x40000000\", size = \"page",
         "size = \"page",
         Code::kTomlMissingKey,
         "MPU region 'DRAM' has no 'base'",
         ""},
        {", attribute = \"warm\"",
         "",
         Code::kTomlMissingKey,
         "MPU region 'DRAM' has no 'attribute'",
         ""},
        {"name = \"ALL_ELSE\"", "name = \"ALL */ ELSE\"", Code::kBoardName, "", ""},
        {"[mpu.core.beta_1]", "[mpu.core.beta_2]", Code::kBoardReference, "beta_2", "beta_1"},
        {"[\"LOW\", \"DRAM\"]",
         "[\"LOW\", \"DRAM\", \"LOW\"]",
         Code::kBoardValue,
         "MPU region 'LOW' stands twice in the list of 'beta_1'",
         "the later one wins"},
        {"[\"LOW\", \"DRAM\"]",
         "[\"LOW\", \"DRAN\"]",
         Code::kBoardReference,
         "there is no MPU region 'DRAN'",
         "did you mean 'DRAM'?"},
        // By its name in the SDK it is not found.
        {"[\"LOW\", \"DRAM\"]",
         "[\"ALL_ELSE\", \"DRAM\"]",
         Code::kBoardReference,
         "there is no MPU region 'ALL_ELSE'",
         ""},
        {"areas = { raw",
         "areas = { rwa",
         Code::kBoardReference,
         "no MPU attribute 'rwa'",
         "did you mean 'raw'?"},
        {"raw = [\"MAILBOX\"]",
         "raw = [\"MAILBOX\", \"MAILBOX\"]",
         Code::kBoardValue,
         "'MAILBOX' stands twice in the areas of 'beta_1'",
         "remove one"},
        {"raw = [\"MAILBOX\"]",
         "raw = [\"MAILBOX\", \"FW_ALPHA\"]",
         Code::kBoardValue,
         "'FW_ALPHA' stands twice in the areas of 'beta_1'",
         "one attribute"},
        {"raw = [\"MAILBOX\"]", "raw = \"MAILBOX\"", Code::kTomlType, "raw", ""},
        {"[rat]\nprogram = \"sysconfig\"",
         "[rat]\nprogram = \"csl\"",
         Code::kBoardValue,
         "program 'csl' of [rat] is unknown",
         "sysconfig, source"},
        {"REACH = { covers = [\"ARENA_KEEP\"], ",
         "REACH = { ",
         Code::kTomlMissingKey,
         "RAT entry 'REACH' has no 'covers'",
         ""},
        {"size = \"page * 4096\" }\nWIDE",
         "size = 4096 }\nWIDE",
         Code::kTomlType,
         "'size' of RAT entry 'REACH'",
         ""},
        {"REACH = { covers", "\"RE ACH\" = { covers", Code::kBoardName, "", ""},
        {"beta_1 = [\"REACH\"]", "beta_2 = [\"REACH\"]", Code::kBoardReference, "beta_2", "beta_1"},
        {"beta_1 = [\"REACH\"]",
         "beta_1 = [\"REECH\"]",
         Code::kBoardReference,
         "there is no RAT entry 'REECH'",
         "did you mean 'REACH'?"},
    };
    for (const Mistake& mistake : mistakes) {
      CAPTURE(mistake.to);
      const core::Diagnostics errors = errors_of(with(mpu_text(), mistake.from, mistake.to));
      const core::Diagnostic* first = test::find(errors, mistake.code);
      REQUIRE_MESSAGE(first != nullptr, test::all_text(errors));
      CHECK(first->place.path == "boards/zx9.toml");
      CHECK(first->place.line > 100);
      CHECK_MESSAGE(test::contains(first->message, mistake.message), first->message);
      CHECK_MESSAGE(test::contains(first->hint, mistake.hint), first->hint);
      // A name that is refused is not found where it is used, either.
      if (mistake.code != Code::kBoardName) {
        CHECK_MESSAGE(errors.size() == 1, test::all_text(errors));
      }
    }
  }

  TEST_CASE("an attribute for the PDK must have words there") {
    const auto text = [](const std::string& program, const std::string& bits) {
      return with(
          with(
              mpu_text(), "[mpu]\nprogram = \"sysconfig\"", "[mpu]\nprogram = \"" + program + "\""),
          "through = { tex = 6, cacheable = true }",
          "through = { " + bits + " }");
    };
    const std::string c = ", cacheable = true";
    const std::string b = ", bufferable = true";

    struct Case {
      std::string bits;
      bool csl;
      bool safertos;
    };

    for (const Case& each : std::vector<Case>{{"tex = 0", true, true},
                                              {"tex = 0" + c, true, true},
                                              {"tex = 0" + b, true, true},
                                              {"tex = 0" + c + b, true, true},
                                              {"tex = 1", true, true},
                                              {"tex = 1" + c, false, false},
                                              {"tex = 1" + c + b, true, true},
                                              {"tex = 2", true, true},
                                              {"tex = 2" + b, false, false},
                                              {"tex = 3", false, false},
                                              {"tex = 4", true, true},
                                              {"tex = 4" + c, false, false},
                                              {"tex = 5" + b, true, true},
                                              {"tex = 6" + c, true, true},
                                              {"tex = 7" + c, false, false},
                                              {"tex = 7" + c + b, true, true}}) {
      for (const auto& [program, good] :
           {std::pair{"sysconfig", true}, {"csl", each.csl}, {"safertos", each.safertos}}) {
        const auto& shown_program = program;
        CAPTURE(shown_program);
        CAPTURE(each.bits);
        if (good) {
          CHECK(test::load_text(text(program, each.bits)).has_value());
          continue;
        }
        const core::Diagnostic error = only_error(text(program, each.bits));
        CHECK(error.code == Code::kBoardValue);
        CHECK_MESSAGE(test::contains(error.message,
                                     "MPU attribute 'through' cannot be written for program '" +
                                         std::string{program} + "': TEX"),
                      error.message);
        CHECK(test::contains(error.hint, "4 0 0, 5 0 1, 6 1 0, 7 1 1"));
      }
    }
  }

  TEST_CASE("RAT entries are read, and what they cover is known") {
    const Rat rat = board_of(mpu_text()).rat;
    CHECK(rat.in_sysconfig);
    REQUIRE(rat.entries.size() == 2);
    CHECK(rat.entries[0].name == "REACH");
    CHECK(rat.entries[0].covers == std::vector<std::string>{"ARENA_KEEP"});
    CHECK(rat.entries[0].size.text == "page * 4096");
    CHECK(rat.entries[1].size.text.empty());
    REQUIRE(rat.cores.size() == 1);
    CHECK(rat.cores[0].core == "beta_1");
    CHECK(rat.cores[0].names == std::vector<std::string>{"REACH"});
    CHECK_FALSE(
        board_of(with(mpu_text(), "[rat]\nprogram = \"sysconfig\"", "[rat]\nprogram = \"source\""))
            .rat.in_sysconfig);
    // Names of regions are looked up with the map.
    for (const auto& [from, to, near] :
         std::vector<std::tuple<std::string, std::string, std::string>>{
             {"REACH = { covers = [\"ARENA_KEEP\"]",
              "REACH = { covers = [\"ARENA_KEP\"]",
              "ARENA_KEEP"},
             {"raw = [\"MAILBOX\"]", "raw = [\"MAILBX\"]", "MAILBOX"}}) {
      const auto& shown_to = to;
      CAPTURE(shown_to);
      const auto map = layout::resolve(board_of(with(mpu_text(), from, to)), {});
      REQUIRE_FALSE(map.has_value());
      REQUIRE_MESSAGE(map.error().size() == 1, test::all_text(map.error()));
      CHECK(map.error().front().code == Code::kBoardReference);
      CHECK(map.error().front().place.line > 100);
      CHECK(map.error().front().hint == "did you mean '" + near + "'?");
    }
  }

  TEST_CASE("a node may have no compatible and an alignment of its own") {
    const std::string old =
        with(zx9_text(), "compatible = \"dma-pool\"", "compatible = \"\", alignment = \"4KiB\"");
    const Board board = board_of(old);
    CHECK(board.carveouts.back().compatible.empty());
    CHECK(board.carveouts.back().alignment == Bytes{4096});
    CHECK(board.carveouts.front().compatible == "shared-dma-pool");
    CHECK(board.carveouts.front().alignment == Bytes{0});
    CHECK(board_of(with(zx9_text(), "\"dma-pool\"", "\"ti,j7,dma-pool.x\""))
              .carveouts.back()
              .compatible == "ti,j7,dma-pool.x");
    for (const char* text : {"a b", "a\\\"; evil", "a\\nb", "../x y", "<1>", "a\\u0000"}) {
      CAPTURE(text);
      CHECK(only_error(with(zx9_text(), "\"dma-pool\"", "\"" + std::string{text} + "\"")).code ==
            Code::kBoardName);
    }
    CHECK(only_error(with(old, "\"4KiB\", no_map", "\"5KiB\", no_map")).code == Code::kBoardValue);
  }

  TEST_CASE("a minimum is held against what is set, and its reason is said") {
    const Board board = board_of(zx9_text());
    const auto small = evaluate_knobs(board, {{"beta_code", 4096}});
    REQUIRE_FALSE(small.has_value());
    REQUIRE(small.error().size() == 1);
    CHECK(small.error().front().code == Code::kKnobRule);
    CHECK(test::contains(small.error().front().message, "512 KiB"));
    CHECK(test::contains(small.error().front().message, "its vectors"));
    CHECK(evaluate_knobs(board, {{"beta_code", 512 * 1024}}).has_value());
    // Without a reason nothing is said but the number.
    const Board bare = board_of(with(zx9_text(), ", why = \"its vectors\"", ""));
    const auto said = evaluate_knobs(bare, {{"beta_code", 4096}});
    REQUIRE_FALSE(said.has_value());
    CHECK(said.error().front().message.ends_with("512 KiB"));
  }

  TEST_CASE("--dram fills the banks in their order, and drops what stays empty") {
    using Banks = std::vector<std::pair<std::string, std::uint64_t>>;
    const Board board = board_of(zx9_text());
    REQUIRE(banks_of(board) == Banks{{"near", kGiB}, {"far", 8 * kGiB}});
    const auto with_dram = [&](std::uint64_t size) {
      Board other = board;
      const auto done = set_dram(other, Bytes{size});
      REQUIRE_MESSAGE(done.has_value(), (done ? "" : test::all_text(done.error())));
      for (std::size_t i = 0; i < other.banks.size(); ++i) {
        CHECK(other.banks[i].range.base() == board.banks[i].range.base());
        CHECK(other.banks[i].place.line != 0);
      }
      return banks_of(other);
    };
    CHECK(with_dram(9 * kGiB) == Banks{{"near", kGiB}, {"far", 8 * kGiB}});
    CHECK(with_dram(4 * kGiB) == Banks{{"near", kGiB}, {"far", 3 * kGiB}});
    // The last bank takes all that is left, also more than it has.
    CHECK(with_dram(33 * kGiB) == Banks{{"near", kGiB}, {"far", 32 * kGiB}});
    CHECK(with_dram(kGiB + 4096) == Banks{{"near", kGiB}, {"far", 4096}});
    CHECK(with_dram(kGiB) == Banks{{"near", kGiB}});
    CHECK(with_dram(kGiB / 2) == Banks{{"near", kGiB / 2}});
    // Up to the last address there is, not above.
    const std::uint64_t most = UINT64_MAX - 0x1000000000 + 1;
    CHECK(with_dram(kGiB + most) == Banks{{"near", kGiB}, {"far", most}});
  }

  TEST_CASE("--dram that no board can have is refused, and the banks stay") {
    const Board board = board_of(zx9_text());
    for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, UINT64_MAX}) {
      CAPTURE(size);
      Board other = board;
      const auto done = set_dram(other, Bytes{size});
      REQUIRE_FALSE(done.has_value());
      REQUIRE(done.error().size() == 1);
      CHECK(done.error().front().code == Code::kTextSize);
      CHECK(test::contains(done.error().front().message, "--dram"));
      CHECK_FALSE(done.error().front().hint.empty());
      CHECK(banks_of(other) == banks_of(board));
    }
    Board none = board;
    none.banks.clear();
    const auto done = set_dram(none, Bytes{4 * kGiB});
    REQUIRE_FALSE(done.has_value());
    CHECK(test::contains(done.error().front().message, "zx9"));
  }

  TEST_CASE("hostile names are refused and cannot speak to a terminal") {
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"[chain.pad]\nspace = \"sram\"",
              "[chain.\"pad\\u001b[2J\"]\nspace = \"dr\\u001bam\""},
             {"{ name = \"SCRATCHPAD\", size = \"256KiB\", cores = [\"alpha\"], note = \"on-chip\" "
              "}",
              "{ name = \"SCR\\u0000ATCHPAD\", sizes = \"1\", cores = [\"al\\u0007pha\"] }"},
             {"[core.alpha]", "[core.\"al\\u001bpha\"]"},
             {"[bank.near]", "[bank.\"ne\\u0000ar\"]"},
             {"alpha_region = {", "\"alpha\\u001b_region\" = {"},
             {"ARENAS = { attributes", "\"AR\\nENAS\" = { attributes"},
             {"name = \"ARENA_ALL\"", "name = \"../ARENA`ALL`\""},
             {"BETA_KEEP = { of = \"ARENA_KEEP\"",
              "\"BETA\\u001bKEEP\" = { of = \"ARENA\\u001bKEEP\""},
             {"name = \"LAKE_7\"", "name = \"LAKE\\u0000_7\""},
             {"WARM = { mair = 7, covers", "\"WA{{RM}}\" = { mair = 7, covers"},
             {"format = \"tidl\"", "format = \"ti\\u001bdl\""},
             {"FAR_VADDR = ", "\"FAR\\u0000VADDR\" = "},
             {"page = \"4KiB\"", "\"page-->\" = \"4KiB\""},
             {"alpha_code = {", "\"</script>\" = {"},
             {"flavour = \"plain\"", "\"fla\\nvour\" = \"plain\""}}) {
      const auto& shown_to = to;
      CAPTURE(shown_to);
      const core::Diagnostics errors = errors_of(with(zx9_text(), from, to));
      CHECK_MESSAGE(test::find(errors, Code::kBoardName) != nullptr, test::all_text(errors));
      check_printable(errors);
    }
    for (const char* view :
         {"[view.\"v\\u001b[31m\"]\nvirtual = \"0\"\ncores = []\nregions = [ { of = \"POOL\" } ]\n",
          "[view.v]\nvirtual = \"0\"\ncores = []\nregions = [ { name = \"*/\", of = \"POOL\" } ]\n",
          "[view.v]\nvirtual = \"0\"\ncores = []\nregions = [ { name = \"A\\u0000\", of = \"POOL\" "
          "} "
          "]\n"}) {
      CAPTURE(view);
      const core::Diagnostics errors = errors_of(zx9_text() + view);
      CHECK_MESSAGE(test::find(errors, Code::kBoardName) != nullptr, test::all_text(errors));
      check_printable(errors);
    }
  }

  TEST_CASE("what is only looked up may be hostile too: it is not found, and said plainly") {
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"[[rebuild]]\nwhen = \"linux\"", "[[rebuild]]\nwhen = \"li\\u001bnux\""},
             {"{ l2 = \"SCRATCHPAD\" }", "{ \"l\\u001b2\" = \"SCRATCH\\u001bPAD\" }"},
             {"demand = \"alpha ddr cacheable scratch\"",
              "demand = \"al\\u001bpha ddr cacheable scratch\""},
             {"\"WARM\", \"RAW\", \"LAKE\"]", "\"WA\\u001bRM\", \"RAW\", \"LAKE\"]"},
             {"attributes = \"RW\"", "attributes = \"R\\u001bW\""},
             {"cache = \"non-cached\", note = \"mailbox\"",
              "cache = \"\\u001b\", note = \"mailbox\""},
             {"default = \"2MiB\"", "default = \"2MiB + \\u001b\", nonsense\\u001b = \"\""},
             {"kind = \"address\"", "kind = \"addr\\u001bess\""}}) {
      const auto& shown_to = to;
      CAPTURE(shown_to);
      const auto loaded = test::load_text(with(zx9_text(), from, to));
      REQUIRE_FALSE(loaded.has_value());
      check_printable(loaded.error());
    }
  }

  TEST_CASE("bytes that are no text are refused with a place") {
    for (const std::string& bytes : {std::string{"\xff\xfe"},
                                     std::string{"\xc3"},
                                     std::string{"\xed\xa0\x80"},
                                     std::string{"a\0b", 3}}) {
      const auto loaded =
          test::load_text(with(zx9_text(), "note = \"mailbox\"", "note = \"" + bytes + "\""));
      REQUIRE_FALSE(loaded.has_value());
      CHECK(loaded.error().front().code == Code::kTomlSyntax);
      check_printable(loaded.error());
    }
    // The same behind what the TOML parser cannot be given, and what it repeats in its message.
    for (const std::string& line : {std::string{"\xc3\xa9 = 1\nx = \"\xff\""},
                                    std::string{"x = fal\x1b[31mse"},
                                    std::string{"x = \x7f"}}) {
      const auto loaded = test::load_text(line + "\n" + zx9_text());
      REQUIRE_FALSE(loaded.has_value());
      CHECK(loaded.error().front().code == Code::kTomlSyntax);
      check_printable(loaded.error());
    }
    // Other letters are text; where files are written, they are escapes.
    const Board board =
        board_of(with(zx9_text(), "note = \"mailbox\"", "note = \"Brief\xc3\xa4\""));
    const std::string& note = board.chains[2].items.at(3).note;
    CHECK(std::ranges::all_of(note, [](char c) { return c >= 0x20 && c < 0x7F; }));
  }

  TEST_CASE("numbers above 2^64 are refused wherever one is read") {
    const std::string huge = "18446744073709551616";
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"base = \"0x40000000\"\nsize", "base = \"0x10000000000000000\"\nsize"},
             {"base = \"0x40000000\"\nsize = \"1GiB\"",
              "base = \"0x40000000\"\nsize = \"" + huge + "\""},
             {"minimum = \"512KiB\"", "minimum = \"17179869184GiB\""},
             {"hard_granule = \"4KiB\"", "hard_granule = \"" + huge + "\""},
             {"align = \"1MiB\", note", "align = \"" + huge + "\", note"},
             {"[mmu]\ngranule = \"4KiB\"", "[mmu]\ngranule = \"17179869184GiB\""},
             {"REGISTERS = { mair = 0", "REGISTERS = { mair = 9223372036854775807"},
             {"mair_cached = [7]", "mair_cached = [9223372036854775807]"}}) {
      const auto& shown_to = to;
      CAPTURE(shown_to);
      check_printable(errors_of(with(zx9_text(), from, to)));
    }
    CHECK(only_error(mmu_with("tables = 9223372036854775808")).code == Code::kTomlSyntax);
    CHECK_FALSE(test::load_text(mmu_with("max_entry = \"" + huge + "\"")).has_value());
    // Expressions are looked at when they get values.
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"page = \"4KiB\"", "page = \"" + huge + "\""},
             {"default = \"2MiB\"", "default = \"" + huge + "\""},
             {"default = \"2MiB\"", "default = \"4294967296 * 4294967296\""}}) {
      const auto& shown_to = to;
      CAPTURE(shown_to);
      const auto values = evaluate_knobs(board_of(with(zx9_text(), from, to)), {});
      REQUIRE_FALSE(values.has_value());
      CHECK(values.error().front().place.line != 0);
    }
  }
}

}  // namespace memsize::board::grammar_test
