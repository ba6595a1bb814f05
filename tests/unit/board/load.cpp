#include "memsize/board/load.hpp"

#include "memsize/board/trace_format.hpp"
#include "memsize/core/file_system.hpp"

#include "support.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::board::load_test {

namespace {

using core::Code;
using test::with;

core::Diagnostics errors_of(const std::string& text) {
  const auto loaded = test::load_text(text);
  REQUIRE_FALSE(loaded.has_value());
  REQUIRE_FALSE(loaded.error().empty());
  return loaded.error();
}

// The one error of the board that is zx9 with one replacement.
core::Diagnostic only_error(std::string_view from, std::string_view to) {
  CAPTURE(std::string{to});
  const core::Diagnostics errors = errors_of(with(test::zx9_text(), from, to));
  REQUIRE_MESSAGE(errors.size() == 1, test::all_text(errors));
  return errors.front();
}

std::size_t line_of(const std::string& text, std::string_view part) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return 1 + static_cast<std::size_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// A folder of board files.
struct Folder {
  core::MemFileSystem files;

  core::Result<docs::Document> load(const std::string& name) {
    return load_inherited(files, "boards/" + name, "boards");
  }

  core::Diagnostic error_of(const std::string& name) {
    const auto loaded = load(name);
    REQUIRE_FALSE(loaded.has_value());
    return loaded.error().front();
  }
};

// Paths as a disk sees them: "a/./b" is "a/b". Gives up after many reads.
class Normalising : public core::MemFileSystem {
 public:
  core::Result<std::unique_ptr<core::ByteStream>> open(const std::string& path) override {
    if (++reads > 50) {
      return core::fail(core::error(Code::kFileRead, "too many reads"));
    }
    return core::MemFileSystem::open(
        std::filesystem::path{path}.lexically_normal().generic_string());
  }

  int reads = 0;
};

}  // namespace

TEST_SUITE("board") {
  TEST_CASE("a board of invented names loads without a word of C++ knowing them") {
    const auto board = test::load_text(test::zx9_text());
    REQUIRE_MESSAGE(board.has_value(), (board ? "" : test::all_text(board.error())));
    CHECK(board->name == "zx9");
    CHECK(board->soc == "zx9");
    CHECK(board->generation == "11");
    REQUIRE(board->cores.size() == 2);
    CHECK(board->cores[0].name == "alpha");
    CHECK(board->cores[0].onchip.at(0).space == "l2");
    CHECK(board->find_core("beta_1") == &board->cores[1]);
    CHECK(board->find_core("gamma") == nullptr);
    REQUIRE(board->find_knob("keep_size") != nullptr);
    const Knob& keep = *board->find_knob("keep_size");
    CHECK(keep.granule.value() == 1048576);
    CHECK(keep.hard_granule.value() == 4096);
    REQUIRE(keep.demand.has_value());
    CHECK(*keep.demand ==
          DemandKey{"alpha", "ddr", model::Cacheability::kCacheable, model::Lifetime::kPersistent});
    CHECK(board->find_knob("pool_at")->is_address);
    CHECK(board->find_knob("beta_code")->minimum.count() == 524288);
    REQUIRE(board->chains.size() == 5);
    CHECK(board->chains[0].space == Space::kCore);
    CHECK(board->chains[1].space == Space::kSram);
    CHECK(board->chains[2].items.at(1).is_gap);
    CHECK(board->chains[2].items.at(1).note == "kept for later");
    CHECK(board->chains[2].items.at(3).cores == std::vector<std::string>{"alpha", "beta_1"});
    CHECK(board->mmu.entries.size() == 7);
    CHECK(board->mmu.entries.back().name == "LAKE_7");
    // As sysconfig writes values: strings with quotes, truth values without.
    REQUIRE(board->mmu.properties.size() == 2);
    CHECK(board->mmu.properties[0] == std::pair<std::string, std::string>{"flavour", "\"plain\""});
    CHECK(board->mmu.properties[1] == std::pair<std::string, std::string>{"global", "true"});
    CHECK(board->rebuild.size() == 3);
  }

  TEST_CASE("an unknown key suggests the nearest known one") {
    const core::Diagnostic problem =
        only_error("alpha_code = { default = \"2MiB\" }",
                   "alpha_code = { defualt = \"2MiB\", default = \"2MiB\" }");
    CHECK(problem.code == Code::kTomlUnknownKey);
    CHECK(problem.hint == "did you mean 'default'?");
    const std::string text = test::zx9_text();
    CHECK(problem.place.path == "boards/zx9.toml");
    CHECK(problem.place.line == line_of(text, "alpha_code = {"));
    CHECK(problem.place.column == 16);
    CHECK(problem.place.length == 7);
    const core::Diagnostic top = only_error("hard_granule", "hard_granole");
    CHECK(top.code == Code::kTomlUnknownKey);
    CHECK(top.hint == "did you mean 'hard_granule'?");
  }

  TEST_CASE("a missing key, a wrong kind and an unknown reference are told apart") {
    CHECK(only_error("title = \"ZX9 trial board\"\n", "").code == Code::kTomlMissingKey);
    CHECK(only_error("size = \"64KiB\",", "size = 65536,").code == Code::kTomlType);
    CHECK(only_error("sources = [\"nowhere\"]", "sources = [7]").code == Code::kTomlType);
    CHECK(only_error("schema = 1", "schema = 2").code == Code::kBoardValue);
    CHECK(only_error("schema = 1\n", "").code == Code::kBoardValue);
    const core::Diagnostic core = only_error("cores = [\"beta_1\"], note = \"beta code\"",
                                             "cores = [\"beta_2\"], note = \"beta code\"");
    CHECK(core.code == Code::kBoardReference);
    CHECK(core.hint == "did you mean 'beta_1'?");
    const core::Diagnostic entry =
        only_error("\"WARM\", \"RAW\", \"LAKE\"]", "\"WARN\", \"RAW\", \"LAKE\"]");
    CHECK(entry.code == Code::kBoardReference);
    CHECK(entry.hint == "did you mean 'WARM'?");
    CHECK(only_error("when = \"linux\"", "when = \"gamma\"").code == Code::kBoardReference);
  }

  TEST_CASE("values outside what is known are refused") {
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"hard_granule = \"4KiB\"", "hard_granule = \"3KiB\""},
             {"hard_granule = \"4KiB\"", "hard_granule = \"0\""},
             {"kind = \"address\"", "kind = \"adress\""},
             {"space = \"sram\"", "space = \"dram\""},
             {"attributes = \"RW\"", "attributes = \"RWZ\""},
             {"cache = \"cached\", phys", "cache = \"warm\", phys"},
             {"demand = \"alpha ddr cacheable scratch\"", "demand = \"alpha ddr cacheable\""},
             {"demand = \"alpha ddr cacheable scratch\"", "demand = \"alpha ddr warm scratch\""},
             {"demand = \"alpha ddr cacheable scratch\"",
              "demand = \"alpha ddr cacheable scratch now\""},
             {"base = \"0x40000000\"", "base = \"everywhere\""},
             {"REGISTERS = { mair = 0", "REGISTERS = { mair = 8"},
             {"REGISTERS = { mair = 0", "REGISTERS = { mair = -1"},
             {"base = \"0x1000000000\"\nsize = \"8GiB\"", "base = \"0x1000000000\"\nsize = \"0\""},
             {"base = \"0x1000000000\"\nsize = \"8GiB\"",
              "base = \"0xFFFFFFFFFFFFF000\"\nsize = \"8KiB\""},
         }) {
      const auto& shown_from = from;
      CAPTURE(shown_from);
      const auto& shown_to = to;
      CAPTURE(shown_to);
      const core::Diagnostics errors = errors_of(with(test::zx9_text(), from, to));
      CHECK_MESSAGE(test::find(errors, Code::kBoardValue) != nullptr, test::all_text(errors));
      CHECK(errors.front().place.path == "boards/zx9.toml");
      CHECK(errors.front().place.line != 0);
    }
  }

  TEST_CASE("a demand of a core that the board lacks is refused") {
    const core::Diagnostic problem = only_error("demand = \"alpha ddr cacheable scratch\"",
                                                "demand = \"alpa ddr cacheable scratch\"");
    CHECK(problem.code == Code::kBoardReference);
    CHECK(problem.hint == "did you mean 'alpha'?");
  }

  TEST_CASE("names that could leave their format are refused") {
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"[core.alpha]", "[core.\"al/pha\"]"},
             {"[core.alpha]", "[core.\"..\"]"},
             {"linker = \"areas.cmd\"", "linker = \"../areas.cmd\""},
             {"header = \"areas.h\"", "header = \"/etc/areas.h\""},
             {"dts = \"zx9-memory.dtsi\"", "dts = \"..\""},
             {"name = \"FW_ALPHA\"", "name = \"FW ALPHA\""},
             {"name = \"FW_ALPHA\"", "name = \"*/ #include\""},
             {"name = \"FW_ALPHA\"", "name = \"9LIVES\""},
             {"name = \"FW_ALPHA\"", "name = \"\""},
             {"alpha_code = {", "\"alpha code\" = {"},
             {"page = \"4KiB\"", "\"pa ge\" = \"4KiB\""},
             {"BETA_KEEP = {", "\"BETA;KEEP\" = {"},
             {"alpha_region = {", "\"alpha region {\" = {"},
             {"node = \"alpha-memory\"", "node = \"alpha memory\""},
             {"node = \"alpha-memory\"", "node = \"alpha{};\""},
             {"node = \"alpha-memory\"", "node = \"../alpha\""},
             {"compatible = \"dma-pool\"", "compatible = \"dma\\\";\""},
             {"name = \"LAKE_7\"", "name = \"LAKE\\\"7\""},
             {"REGISTERS = {", "\"REG ISTERS\" = {"},
             {"ARENAS = {", "\"ARENAS*\" = {"},
             {"FAR_VADDR =", "\"FAR VADDR\" ="},
             {"flavour = \"plain\"", "\"fla.vour\" = \"plain\""},
             {"format = \"tidl\"", "format = \"../tidl\""},
         }) {
      const auto& shown_to = to;
      CAPTURE(shown_to);
      const core::Diagnostics errors = errors_of(with(test::zx9_text(), from, to));
      CHECK_MESSAGE(test::find(errors, Code::kBoardName) != nullptr, test::all_text(errors));
    }
    // A quote or a line end would leave the string that sysconfig reads.
    CHECK_FALSE(test::load_text(with(test::zx9_text(), "\"plain\"", "'pl\"ain'")).has_value());
    CHECK_FALSE(test::load_text(with(test::zx9_text(), "\"plain\"", "\"pl\\nain\"")).has_value());
  }

  TEST_CASE("chains and banks have names like everything else") {
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"[chain.pad]", "[chain.\"pad\\u001b[31m\"]"},
             {"[chain.pad]", "[chain.\"pad\\nmemsize: all is well\"]"},
             {"[bank.near]", "[bank.\"near\\u001b[31m\"]"}}) {
      const auto& shown_to = to;
      CAPTURE(shown_to);
      const auto loaded = test::load_text(with(test::zx9_text(), from, to));
      REQUIRE_FALSE(loaded.has_value());
      CHECK(test::find(loaded.error(), Code::kBoardName) != nullptr);
    }
  }

  TEST_CASE("an on-chip memory is named by a string") {
    CHECK_FALSE(test::load_text(with(test::zx9_text(), "{ l2 = \"SCRATCHPAD\" }", "{ l2 = 5 }"))
                    .has_value());
  }

  TEST_CASE("notes are one line without control characters") {
    const auto board = test::load_text(
        with(test::zx9_text(), "note = \"mailbox\"", "note = \"a\\nb\\u001b[31m */ <i> | c\""));
    REQUIRE(board.has_value());
    const std::string& note = board->chains[2].items.at(3).note;
    CHECK(note.find_first_of("\n\x1b") == std::string::npos);
    CHECK(test::contains(note, "*/ <i> | c"));
  }

  TEST_CASE("a misspelt board suggests the nearest, a path is taken as it is") {
    core::MemFileSystem files;
    files.content["boards/zx9.toml"] = test::zx9_text();
    files.content["boards/other.toml"] = test::zx9_text();
    files.content["boards/README.md"] = "no board";
    files.content["mine/zx10.toml"] = test::zx9_text();
    CHECK(bundled_boards(files, "boards").value() == std::vector<std::string>{"other", "zx9"});
    const auto misspelt = load_board(files, "boards", "othre");
    REQUIRE_FALSE(misspelt.has_value());
    CHECK(misspelt.error().front().code == Code::kBoardUnknown);
    CHECK(misspelt.error().front().hint == "did you mean 'other'?");
    const auto path = load_board(files, "boards", "mine/zx10.toml");
    REQUIRE(path.has_value());
    CHECK(path->name == "zx10");
    CHECK_FALSE(load_board(files, "boards", "mine/none.toml").has_value());
    CHECK_FALSE(load_board(files, "boards", "mine/..").has_value());
    CHECK_FALSE(load_board(files, "nowhere", "zx9").has_value());
  }

  TEST_CASE("inherited tables merge, arrays and values are replaced, keys are removed") {
    Folder folder;
    folder.files.content["boards/base.toml"] =
        "a = 1\nlist = [1, 2, 3]\n[t]\nkeep = \"k\"\nchange = 1\ndrop = 1\n[t.deep]\nx = 1\ny = "
        "2\n";
    folder.files.content["boards/v.toml"] =
        "inherit = [\"base.toml\"]\nremove = [\"t.drop\", \"t.deep.x\"]\nlist = [9]\n"
        "[t]\nchange = \"now text\"\nnew = true\n";
    const auto merged = folder.load("v.toml");
    REQUIRE_MESSAGE(merged.has_value(), (merged ? "" : test::all_text(merged.error())));
    CHECK(!merged->root()["inherit"]);
    CHECK(!merged->root()["remove"]);
    CHECK(merged->root()["a"].whole() == 1);
    CHECK(merged->root()["list"].size() == 1);
    const docs::Value table = merged->root()["t"];
    CHECK(table["keep"].text() == "k");
    CHECK(table["change"].text() == "now text");
    CHECK(!table["drop"]);
    CHECK(table["new"].boolean());
    CHECK(!table["deep"]["x"]);
    CHECK(table["deep"]["y"].whole() == 2);
    // Each value where it was written.
    CHECK(table["keep"].place().path == "boards/base.toml");
    CHECK(table["keep"].place().line == 4);
    CHECK(table["change"].place().path == "boards/v.toml");
    CHECK(table["change"].place().line == 5);
  }

  TEST_CASE("of several parents the later one wins, over any number of steps") {
    Folder folder;
    folder.files.content["boards/one.toml"] = "a = 1\nb = 1\nc = 1\n";
    folder.files.content["boards/two.toml"] = "b = 2\nc = 2\n";
    folder.files.content["boards/mid.toml"] = "inherit = [\"one.toml\", \"two.toml\"]\nc = 3\n";
    folder.files.content["boards/top.toml"] = "inherit = [\"mid.toml\"]\nd = 4\n";
    const auto merged = folder.load("top.toml");
    REQUIRE(merged.has_value());
    CHECK(merged->root()["a"].whole() == 1);
    CHECK(merged->root()["b"].whole() == 2);
    CHECK(merged->root()["c"].whole() == 3);
    CHECK(merged->root()["d"].whole() == 4);
  }

  TEST_CASE("inheriting in a circle, twice, or from nowhere is refused with the place") {
    Folder folder;
    folder.files.content["boards/self.toml"] = "inherit = [\"self.toml\"]\n";
    folder.files.content["boards/x.toml"] = "# x\ninherit = [\"y.toml\"]\n";
    folder.files.content["boards/y.toml"] = "inherit = [\"x.toml\"]\n";
    folder.files.content["boards/base.toml"] = "a = 1\n";
    folder.files.content["boards/left.toml"] = "inherit = [\"base.toml\"]\n";
    folder.files.content["boards/right.toml"] = "inherit = [\"base.toml\"]\n";
    folder.files.content["boards/diamond.toml"] = "inherit = [\"left.toml\", \"right.toml\"]\n";
    folder.files.content["boards/orphan.toml"] = "inherit = [\"base.toml\", \"gone.toml\"]\n";
    folder.files.content["boards/bad.toml"] = "inherit = \"base.toml\"\n";
    folder.files.content["boards/bad_items.toml"] = "inherit = [1]\n";
    folder.files.content["boards/removes.toml"] = "inherit = [\"base.toml\"]\nremove = [\"b\"]\n";

    core::Diagnostic problem = folder.error_of("self.toml");
    CHECK(problem.code == Code::kBoardInherit);
    CHECK(test::contains(problem.message, "inherits itself"));
    problem = folder.error_of("x.toml");
    CHECK(test::contains(problem.message, "inherits itself"));
    CHECK(problem.hint == "boards/x.toml -> boards/y.toml -> boards/x.toml");
    CHECK(problem.place.path == "boards/y.toml");
    problem = folder.error_of("diamond.toml");
    CHECK(test::contains(problem.message, "twice"));
    CHECK(problem.place.path == "boards/right.toml");
    problem = folder.error_of("orphan.toml");
    CHECK(problem.code == Code::kBoardInherit);
    CHECK(problem.place.path == "boards/orphan.toml");
    CHECK(problem.place.line == 1);
    CHECK(problem.place.column == 25);
    CHECK(folder.error_of("bad.toml").code == Code::kTomlType);
    CHECK(folder.error_of("bad_items.toml").code == Code::kTomlType);
    problem = folder.error_of("removes.toml");
    CHECK(test::contains(problem.message, "'b'"));
    CHECK(problem.place.line == 2);
    CHECK(folder.error_of("missing.toml").code == Code::kFileRead);
  }

  TEST_CASE("a parent is looked for beside its child first, then among the bundled boards") {
    core::MemFileSystem files;
    files.content["boards/base.toml"] = "where = \"bundled\"\n";
    files.content["mine/v.toml"] = "inherit = [\"base.toml\"]\n";
    const auto bundled = load_inherited(files, "mine/v.toml", "boards");
    REQUIRE(bundled.has_value());
    CHECK(bundled->root()["where"].text() == "bundled");
    files.content["mine/base.toml"] = "where = \"beside\"\n";
    const auto beside = load_inherited(files, "mine/v.toml", "boards");
    REQUIRE(beside.has_value());
    CHECK(beside->root()["where"].text() == "beside");
  }

  TEST_CASE("a circle is one however its files are spelt") {
    Normalising files;
    files.content["boards/a.toml"] = "inherit = [\"./a.toml\"]\n";
    const auto loaded = load_inherited(files, "boards/a.toml", "boards");
    REQUIRE_FALSE(loaded.has_value());
    CHECK(test::contains(loaded.error().front().message, "inherits itself"));
  }

  TEST_CASE("an error in an inherited line points into the file that holds it") {
    core::MemFileSystem files;
    files.content["boards/base.toml"] =
        with(test::zx9_text(), "space = \"sram\"", "space = \"dram\"");
    files.content["boards/v.toml"] = "inherit = [\"base.toml\"]\ntitle = 5\n";
    const auto loaded = load_board(files, "boards", "v");
    REQUIRE_FALSE(loaded.has_value());
    const core::Diagnostic* space = test::find(loaded.error(), Code::kBoardValue);
    REQUIRE(space != nullptr);
    CHECK(space->place.path == "boards/base.toml");
    CHECK(space->place.line == line_of(test::zx9_text(), "space = \"sram\""));
    CHECK(space->place.text == "space = \"dram\"");
    const core::Diagnostic* title = test::find(loaded.error(), Code::kTomlType);
    REQUIRE(title != nullptr);
    CHECK(title->place.path == "boards/v.toml");
    CHECK(title->place.line == 2);
  }

  TEST_CASE("knobs: defaults, settings and the rules that a single value can break") {
    const auto board = test::load_text(test::zx9_text());
    REQUIRE(board.has_value());
    const auto defaults = evaluate_knobs(*board, {});
    REQUIRE(defaults.has_value());
    CHECK(defaults->at("page") == 4096);
    CHECK(defaults->at("beta_code") == 1048576);
    CHECK(defaults->at("pool_size") == 4294967296U);
    CHECK(defaults->at("pool_at") == 0x1100000000U);
    CHECK(evaluate_knobs(*board, {{"keep_size", 4096}})->at("keep_size") == 4096);

    const auto error_of = [&](const KnobValues& set) {
      const auto values = evaluate_knobs(*board, set);
      REQUIRE_FALSE(values.has_value());
      REQUIRE(values.error().size() == 1);
      return values.error().front();
    };
    const core::Diagnostic unknown = error_of({{"kep_size", 4096}});
    CHECK(unknown.code == Code::kKnobUnknown);
    CHECK(unknown.hint == "did you mean 'keep_size'?");
    const core::Diagnostic odd = error_of({{"keep_size", 4097}});
    CHECK(odd.code == Code::kKnobRule);
    // 4097 lies between one and two pages.
    CHECK(test::contains(odd.hint, "4KiB"));
    CHECK(test::contains(odd.hint, "8KiB"));
    CHECK(error_of({{"keep_size", 1}}).hint == "the nearest is 4KiB");
    CHECK(error_of({{"keep_size", 0}}).code == Code::kKnobRule);
    CHECK(error_of({{"pool_at", 0x1100000001}}).code == Code::kKnobRule);
    CHECK(error_of({{"keep_size", UINT64_MAX}}).code == Code::kKnobRule);
    const core::Diagnostic small = error_of({{"beta_code", 520192}});
    CHECK(small.code == Code::kKnobRule);
    CHECK(test::contains(small.message, "its vectors"));
    CHECK(test::contains(small.hint, "512KiB"));
    CHECK(evaluate_knobs(*board, {{"beta_code", 524288}}).has_value());
    // All broken rules at once.
    const auto all = evaluate_knobs(*board, {{"keep_size", 1}, {"temp_size", 0}, {"nope", 1}});
    REQUIRE_FALSE(all.has_value());
    CHECK(all.error().size() == 3);
  }

  TEST_CASE("a knob may use what stands before it, not what stands behind") {
    const auto ahead = test::load_text(with(test::zx9_text(),
                                            "beta_code = { default = \"256 * page\"",
                                            "beta_code = { default = \"alpha_code\""));
    REQUIRE(ahead.has_value());
    CHECK(evaluate_knobs(*ahead, {{"alpha_code", 8192 * 256}})->at("beta_code") == 8192 * 256);
    const auto behind = test::load_text(with(test::zx9_text(),
                                             "alpha_code = { default = \"2MiB\"",
                                             "alpha_code = { default = \"keep_size\""));
    REQUIRE(behind.has_value());
    const auto values = evaluate_knobs(*behind, {});
    REQUIRE_FALSE(values.has_value());
    CHECK(values.error().front().code == Code::kBoardExpression);
    CHECK(values.error().front().place.path == "boards/zx9.toml");
  }

  TEST_CASE("the boards in the tree load") {
    core::RealFileSystem files;
    const std::string folder = test::source_folder() + "/boards";
    const auto names = bundled_boards(files, folder);
    REQUIRE(names.has_value());
    REQUIRE(names->size() >= 2);
    for (const std::string& name : *names) {
      CAPTURE(name);
      const auto board = load_board(files, folder, name);
      REQUIRE_MESSAGE(board.has_value(), (board ? "" : test::all_text(board.error())));
      const auto format = load_trace_format(files, folder, board->format);
      REQUIRE_MESSAGE(format.has_value(), (format ? "" : test::all_text(format.error())));
      // A board without a generation takes every trace: only one that is not final may.
      CHECK((!board->generation.empty() || !board->provisional.empty()));
      CHECK((board->generation.empty() || format->find_generation(board->generation) != nullptr));
      CHECK(evaluate_knobs(*board, {}).has_value());
      // Every on-chip memory is a region of the board.
      for (const Core& core : board->cores) {
        for (const OnChip& memory : core.onchip) {
          bool found = false;
          for (const Chain& chain : board->chains) {
            for (const Item& item : chain.items) {
              found = found || item.name == memory.region;
            }
          }
          CHECK_MESSAGE(found, memory.region);
        }
      }
    }
  }
}

}  // namespace memsize::board::load_test
