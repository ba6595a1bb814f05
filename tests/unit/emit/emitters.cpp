#include "memsize/core/text.hpp"
#include "memsize/emit/artifact.hpp"
#include "memsize/emit/verify.hpp"

#include "mpu_programs.hpp"
#include "support.hpp"
#include "template.hpp"
#include "view.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace memsize::emit::files_test {

namespace {

using core::Code;
using layout::MemoryMap;
using test::map_of;
using test::with;
using test::zx9_text;

constexpr std::uint64_t kMiB = 1048576;

std::vector<Artifact> render(const MemoryMap& map,
                             const MemoryMap& baseline,
                             const std::vector<std::string>& only = {}) {
  core::RealFileSystem files;
  const auto artifacts =
      render_all({map, baseline, files, {test::source_folder() + "/templates"}}, only);
  REQUIRE_MESSAGE(artifacts.has_value(), (artifacts ? "" : test::all_text(artifacts.error())));
  return *artifacts;
}

std::vector<Artifact> render(const MemoryMap& map) {
  return render(map, map);
}

std::string content_of(const std::vector<Artifact>& artifacts, const std::string& path) {
  for (const Artifact& artifact : artifacts) {
    if (artifact.path == path) {
      return artifact.content;
    }
  }
  FAIL("no artifact ", path);
  return {};
}

std::vector<MapFile> files_of(const std::vector<Artifact>& artifacts) {
  std::vector<MapFile> files;
  for (const Artifact& artifact : artifacts) {
    files.push_back({artifact.path, artifact.content});
  }
  return files;
}

// The findings after one replacement in one file of zx9's written map.
core::Diagnostics after_change(const std::string& path,
                               const std::string& from,
                               const std::string& to) {
  static const std::vector<MapFile> good = files_of(render(map_of(zx9_text())));
  std::vector<MapFile> files = good;
  bool done = false;
  for (MapFile& file : files) {
    if (file.path == path) {
      const std::size_t at = file.content.find(from);
      REQUIRE_MESSAGE(at != std::string::npos, file.content);
      file.content.replace(at, from.size(), to);
      done = true;
    }
  }
  REQUIRE(done);
  return verify_map(files, "out", test::mpu_programs()).diagnostics;
}

core::Result<std::string> render_text(const std::string& text,
                                      const Json& view,
                                      Escape escape = escape_html) {
  core::MemFileSystem files;
  files.content["mine/t/main.tmpl"] = text;
  const MemoryMap none;
  return render_template(files, {"mine"}, "t", view, escape);
}

std::string with_note(const std::string& note) {
  return with(zx9_text(), "note = \"mailbox\"", "note = '" + note + "'");
}

}  // namespace

TEST_SUITE("emit") {
  TEST_CASE("a name that the view lacks is an error with the template's place") {
    const auto rendered = render_text("first\n  a {{known}} b {{unknown}}\n", {{"known", "x"}});
    REQUIRE_FALSE(rendered.has_value());
    REQUIRE(rendered.error().size() == 1);
    const core::Diagnostic& problem = rendered.error().front();
    CHECK(problem.code == Code::kEmitTemplate);
    CHECK(test::contains(problem.message, "'unknown'"));
    CHECK(problem.place.path == "mine/t/main.tmpl");
    CHECK(problem.place.line == 2);
    // "  a {{known}} b {{" has 18 characters.
    CHECK(problem.place.column == 19);
    CHECK(problem.place.text == "  a {{known}} b {{unknown}}");
  }

  TEST_CASE("a section sees its own names only") {
    const Json view = {{"outer", "o"}, {"list", {{{"inner", "1"}}, {{"inner", "2"}}}}};
    CHECK(render_text("{{#list}}{{inner}}{{/list}}{{outer}}", view).value() == "12o");
    // A typo must not fall through to a name further out.
    CHECK_FALSE(render_text("{{#list}}{{outer}}{{/list}}", view).has_value());
    CHECK_FALSE(render_text("{{#missing}}x{{/missing}}", view).has_value());
    CHECK_FALSE(render_text("{{^missing}}x{{/missing}}", view).has_value());
    CHECK_FALSE(render_text("{{> part}}", view).has_value());
    CHECK(render_text("{{#yes}}{{outer}}{{/yes}}", {{"yes", true}, {"outer", "o"}}).value() == "o");
    CHECK(render_text("{{#no}}x{{/no}}{{^no}}y{{/no}}", {{"no", false}}).value() == "y");
  }

  TEST_CASE("a broken or missing template is an error") {
    CHECK_FALSE(render_text("{{#open}}", {{"open", true}}).has_value());
    CHECK_FALSE(render_text("{{name", {{"name", "x"}}).has_value());
    core::MemFileSystem files;
    const MemoryMap none;
    CHECK_FALSE(render_template(files, {"mine"}, "t", {}, escape_html).has_value());
    CHECK_FALSE(render_template(files, {}, "t", {}, escape_html).has_value());
  }

  TEST_CASE("of several template folders the first that has the template wins") {
    core::MemFileSystem files;
    files.content["a/other/main.tmpl"] = "";
    files.content["b/t/main.tmpl"] = "from b";
    files.content["c/t/main.tmpl"] = "from c";
    const MemoryMap none;
    CHECK(render_template(files, {"a", "b", "c"}, "t", {}, escape_html).value() == "from b");
  }

  TEST_CASE("text cannot end what it stands in") {
    CHECK(escape_comment("plain * and / stay") == "plain * and / stay");
    CHECK(escape_comment("gr\xC3\xB6n") == "gr\\xC3\\xB6n");
    for (const char* text : {"*/", "/*", "*/*/", "**//", "/*/", "*/*", "///***///"}) {
      CAPTURE(text);
      CHECK_FALSE(test::contains(escape_comment(text), "*/"));
      CHECK_FALSE(test::contains(escape_comment(text), "/*"));
    }
    const std::string html = escape_html("<script>\"&'</script>");
    CHECK(html.find_first_of("<>\"") == std::string::npos);
    CHECK(test::contains(html, "&lt;script&gt;"));
    CHECK(escape_markdown("a|b\nc") == "a\\|b c");
    CHECK(render_text("{{x}}", {{"x", "<b>"}}).value() == "&lt;b&gt;");
    CHECK(render_text("{{x}}", {{"x", "a*/b"}}, escape_comment).value() == "a* /b");
  }

  TEST_CASE("every template renders with every section taken") {
    const MemoryMap baseline = map_of(zx9_text());
    const MemoryMap map = map_of(zx9_text(), {{"temp_size", 5 * kMiB}, {"beta_code", 2 * kMiB}});
    for (const std::vector<Artifact>& artifacts : {render(map, baseline), render(map, map)}) {
      std::vector<std::string> paths;
      for (const Artifact& artifact : artifacts) {
        CAPTURE(artifact.path);
        paths.push_back(artifact.path);
        CHECK_FALSE(artifact.content.empty());
        CHECK_FALSE(artifact.emitter.empty());
        CHECK_FALSE(test::contains(artifact.content, "{{"));
        // Nested rules of a style sheet end so.
        CHECK(test::contains(artifact.content, "}}") == artifact.path.ends_with(".html"));
      }
      CHECK(paths == std::vector<std::string>{"alpha/areas.cmd",
                                              "beta_1/areas.cmd",
                                              "alpha/mmu.syscfg",
                                              "alpha/mmu_map.json",
                                              "areas.h",
                                              "zx9-memory.dtsi",
                                              "system_memory_map.html",
                                              "memory_map.json",
                                              "REBUILD.md"});
    }
    const std::string rebuild = content_of(render(map, baseline), "REBUILD.md");
    CHECK(test::contains(rebuild, "make all"));
    CHECK(test::contains(rebuild, "make boot"));
    CHECK(test::contains(rebuild, "`temp_size`"));
    CHECK(test::contains(content_of(render(map, map), "REBUILD.md"), "Nothing changed"));
  }

  TEST_CASE("the files of an invented board say what its map says") {
    const std::vector<Artifact> artifacts = render(map_of(zx9_text()));
    const std::string linker = content_of(artifacts, "alpha/areas.cmd");
    CHECK(test::contains(linker, "ORIGIN = 0x40000000 , LENGTH = 0x00200000"));
    CHECK(test::contains(linker, "ORIGIN = 0x200000000 , LENGTH = 0x100000000"));
    CHECK_FALSE(test::contains(linker, "FW_BETA"));
    CHECK(test::contains(content_of(artifacts, "beta_1/areas.cmd"), "BETA_KEEP"));
    const std::string header = content_of(artifacts, "areas.h");
    CHECK(test::contains(header, "#ifndef AREAS_H"));
    CHECK(test::contains(header, "#define ARENA_KEEP_ADDR (0x80000000u)"));
    CHECK(test::contains(header, "#define ARENA_KEEP_PHYS_ADDR (0x1000000000u)"));
    CHECK(test::contains(header, "#define FW_BETA_ALL_SIZE (0x00140000u)"));
    CHECK(test::contains(header, "#define FAR_PADDR (0x1000000000u)"));
    CHECK_FALSE(test::contains(header, "TCM_ADDR"));
    const std::string tree = content_of(artifacts, "zx9-memory.dtsi");
    CHECK(test::contains(tree, "alpha_region: alpha-memory@40000000 {"));
    CHECK(test::contains(tree, "reg = <0x00 0x40000000 0x00 0x00200000>;"));
    // The pool: 4 GiB at 0x1100000000, mapped by Linux, without an address in its name.
    CHECK(test::contains(tree, "pool_region: pool-memory {"));
    CHECK(test::contains(tree, "reg = <0x11 0x00000000 0x01 0x00000000>;"));
    const std::string syscfg = content_of(artifacts, "alpha/mmu.syscfg");
    CHECK(test::contains(syscfg, "mmu_armv87.$name = \"LAKE_7\";"));
    CHECK(test::contains(syscfg, "mmu_armv85.vAddr = 0x80000000;"));
    CHECK(test::contains(syscfg, "mmu_armv85.pAddr = 0x1000000000;"));
    CHECK(test::contains(syscfg, "mmu_armv81.flavour = \"plain\";"));
    CHECK(test::contains(syscfg, "mmu_armv81.global = true;"));
  }

  TEST_CASE("device-tree cells of 4 GiB and more") {
    CHECK(cells(0) == "0x00 0x00000000");
    CHECK(cells(0xFFFFFFFF) == "0x00 0xffffffff");
    CHECK(cells(0x100000000) == "0x01 0x00000000");
    CHECK(cells(0x880000000) == "0x08 0x80000000");
    CHECK(cells(UINT64_MAX) == "0xffffffff 0xffffffff");
    CHECK(hex8(0x1000) == "0x00001000");
    CHECK(hex8(0x100000000) == "0x100000000");
  }

  TEST_CASE("hostile notes stay in their comments, cells and elements") {
    const std::string note = "*/ #error <script>alert(1)</script> | pipe /* & {{title}}";
    const std::vector<Artifact> artifacts = render(map_of(with_note(note)));
    for (const Artifact& artifact : artifacts) {
      CAPTURE(artifact.path);
      // Mustache in data is data.
      CHECK_FALSE(test::contains(artifact.content, "{{title}} {{"));
    }
    CHECK_FALSE(test::contains(content_of(artifacts, "alpha/areas.cmd"), "*/ #error"));
    CHECK_FALSE(test::contains(content_of(artifacts, "areas.h"), "*/ #error"));
    CHECK_FALSE(test::contains(content_of(artifacts, "system_memory_map.html"), "<script>alert"));
    CHECK(verify_map(files_of(artifacts), "", test::mpu_programs()).diagnostics.empty());
    // The same in the board's title.
    const std::vector<Artifact> titled = render(
        map_of(with(zx9_text(), "title = \"ZX9 trial board\"", "title = '*/ <script> | x'")));
    CHECK_FALSE(test::contains(content_of(titled, "areas.h"), "*/ <"));
    CHECK_FALSE(test::contains(content_of(titled, "system_memory_map.html"), "<script> |"));
    CHECK(verify_map(files_of(titled), "", test::mpu_programs()).diagnostics.empty());
  }

  TEST_CASE("the same map gives the same bytes; only the chosen emitters are rendered") {
    const MemoryMap map = map_of(zx9_text());
    const std::vector<Artifact> once = render(map);
    const std::vector<Artifact> twice = render(map);
    REQUIRE(once.size() == twice.size());
    for (std::size_t i = 0; i < once.size(); ++i) {
      CHECK(once[i].content == twice[i].content);
      CHECK_FALSE(test::contains(once[i].content, test::source_folder()));
    }
    CHECK(render(map, map, {"c-header"}).size() == 1);
    CHECK(render(map, map, {"syscfg", "ti-linker"}).size() == 3);
    core::MemFileSystem files;
    const auto wrong = render_all({map, map, files, {}}, {"c-haeder"});
    REQUIRE_FALSE(wrong.has_value());
    CHECK(wrong.error().front().code == Code::kEmitUnknown);
    CHECK(wrong.error().front().hint == "did you mean 'c-header'?");
  }

  TEST_CASE("what was written is read back without a complaint") {
    const VerifyReport report =
        verify_map(files_of(render(map_of(zx9_text()))), "out", test::mpu_programs());
    CHECK_MESSAGE(report.diagnostics.empty(), test::all_text(report.diagnostics));
    CHECK(report.board == "zx9");
    CHECK(report.knobs.at("temp_size") == 16 * kMiB);
    CHECK(report.knobs.at("pool_at") == 0x1100000000U);
    CHECK(std::ranges::find(report.read, "2 linker maps") != report.read.end());
    CHECK(std::ranges::find(report.read, "4 device-tree nodes") != report.read.end());
  }

  TEST_CASE("one changed number in any file is found, with its place") {
    struct Change {
      const char* path;
      const char* from;
      const char* to;
    };

    for (const Change& change :
         {Change{"alpha/areas.cmd", "ORIGIN = 0x40000000", "ORIGIN = 0x40001000"},
          Change{"alpha/areas.cmd", "LENGTH = 0x00200000", "LENGTH = 0x00200001"},
          Change{"beta_1/areas.cmd", "FW_BETA", "FW_BETTA"},
          Change{"areas.h", "(0x40000000u)", "(0x40000001u)"},
          Change{"areas.h", "#define FW_ALPHA_SIZE (0x00200000u)", ""},
          Change{"areas.h", "#define FW_ALPHA_SIZE", "#define FW_OMEGA_SIZE"},
          Change{"areas.h", "FAR_PADDR (0x1000000000u)", "FAR_PADDR (0x1000000001u)"},
          Change{"zx9-memory.dtsi", "<0x11 0x00000000", "<0x12 0x00000000"},
          Change{"zx9-memory.dtsi", "0x01 0x00000000>", "0x02 0x00000000>"},
          Change{"zx9-memory.dtsi", "pool_region:", "pond_region:"},
          Change{"alpha/mmu.syscfg",
                 "mmu_armv85.pAddr = 0x1000000000",
                 "mmu_armv85.pAddr = 0x1000001000"},
          Change{
              "alpha/mmu.syscfg", "mmu_armv87.size = 0x100000000", "mmu_armv87.size = 0xFFFFF000"},
          Change{"alpha/mmu.syscfg",
                 "mmu_armv86.attribute = \"MAIR4\"",
                 "mmu_armv86.attribute = \"MAIR7\""},
          Change{"alpha/mmu.syscfg", "mmu_armv81.size = 0x100000", "mmu_armv81.size = 0xFF000"},
          Change{"alpha/mmu.syscfg", "mmu_armv81.size = 0x100000", "mmu_armv81.size = 0x141000"},
          Change{"alpha/mmu.syscfg", "$name = \"LAKE_7\"", "$name = \"LAKE_8\""},
          Change{"alpha/mmu_map.json", "\"0x0\"", "\"0x1000\""},
          Change{"alpha/mmu_map.json", "\"LAKE_7\"", "\"LAKE_8\""},
          Change{"alpha/mmu_map.json", "\"mair\": 7", "\"mair\": 6"},
          Change{"alpha/mmu_map.json", "\"alpha\"", "\"beta_1\""},
          Change{"memory_map.json", "\"address\": \"0x40000000\"", "\"address\": \"0x40000001\""},
          Change{"memory_map.json", "\"size_bytes\": 2097152", "\"size_bytes\": 2097153"},
          Change{"memory_map.json", "\"FW_ALPHA\"", "\"FW_OMEGA\""},
          Change{"memory_map.json", "\"in_header\": true", "\"in_header\": false"}}) {
      CAPTURE(change.path);
      CAPTURE(change.to);
      const core::Diagnostics found = after_change(change.path, change.from, change.to);
      REQUIRE_FALSE(found.empty());
      const std::set<Code> possible = {Code::kVerifyDisagree,
                                       Code::kVerifyParse,
                                       Code::kMmuCoverage,
                                       Code::kMmuSpan,
                                       Code::kMmuCache};
      CHECK(possible.contains(found.front().code));
      CHECK(found.front().place.path.str().starts_with("out/"));
    }
    const core::Diagnostics moved =
        after_change("alpha/areas.cmd", "ORIGIN = 0x40000000", "ORIGIN = 0x40001000");
    REQUIRE(moved.size() == 1);
    CHECK(test::contains(moved.front().message, "[0x40001000, 0x40201000)"));
    CHECK(test::contains(moved.front().message, "[0x40000000, 0x40200000)"));
    CHECK(moved.front().place.path == "out/alpha/areas.cmd");
    CHECK(moved.front().place.line != 0);
  }

  TEST_CASE("a change of an MMU entry that changes nothing for the core is no disagreement") {
    // The registers end where the scratchpad begins: 4 KiB more lie under its entry, which wins.
    const core::Diagnostics under = after_change(
        "alpha/mmu.syscfg", "mmu_armv81.size = 0x100000", "mmu_armv81.size = 0x101000");
    CHECK_MESSAGE(under.empty(), test::all_text(under));
    // The document holds what the core sees, piece by piece, in the order of addresses.
    const std::vector<Artifact> artifacts =
        render(map_of(with(zx9_text(),
                           "base = \"0x0\", size = \"1MiB\"",
                           "base = \"0x0\", size = \"2MiB\", window = \"w\"")));
    const auto document = nlohmann::json::parse(content_of(artifacts, "alpha/mmu_map.json"));
    std::string entries;
    std::uint64_t end = 0;
    for (const nlohmann::json& range : document["ranges"]) {
      const std::uint64_t from = core::parse_address(range["virtual"].get<std::string>()).value();
      CHECK(from >= end);
      end = from + range["size_bytes"].get<std::uint64_t>();
      entries += range["entry"].get<std::string>() + " ";
    }
    // The scratchpad of 256 KiB splits the registers.
    CHECK(entries == "REGISTERS PAD REGISTERS CODE BOX WARM RAW LAKE_7 ");
    CHECK(verify_map(files_of(artifacts), "", test::mpu_programs()).diagnostics.empty());
  }

  TEST_CASE("what memory_map.json does not know is found in every file") {
    const core::Diagnostics region = after_change(
        "alpha/areas.cmd", "MEMORY\n{\n", "MEMORY\n{\n EXTRA : ORIGIN = 0x1 , LENGTH = 0x1\n");
    CHECK(test::find(region, Code::kVerifyDisagree) != nullptr);
    const core::Diagnostics macro =
        after_change("areas.h", "#endif", "#define EXTRA_ADDR (0x1u)\n#endif");
    CHECK(test::find(macro, Code::kVerifyDisagree) != nullptr);
    const core::Diagnostics node =
        after_change("zx9-memory.dtsi",
                     "\tpool_region:",
                     "\textra: extra@50000000 {\n\t\treg = <0x00 0x50000000 0x00 0x100000>;\n\t};\n"
                     "\tpool_region:");
    CHECK(test::find(node, Code::kVerifyDisagree) != nullptr);
  }

  TEST_CASE("files that cannot be read as what they are") {
    struct Change {
      const char* path;
      const char* from;
      const char* to;
    };

    for (const Change& change :
         {Change{"alpha/areas.cmd", "MEMORY", "MEMRY"},
          Change{"alpha/areas.cmd", "ORIGIN", "ORG"},
          Change{"alpha/areas.cmd", "\n}", "\n"},
          Change{"alpha/areas.cmd", "0x40000000", "forty"},
          Change{"areas.h", "(0x40000000u)", "(0xu)"},
          Change{"zx9-memory.dtsi", "reg = <0x11", "reg = <eleven"},
          Change{"alpha/mmu_map.json", "{", "["},
          Change{"memory_map.json", "{", ""},
          Change{"memory_map.json", "\"memsize.map/1\"", "\"memsize.map/2\""},
          Change{"memory_map.json", "\"regions\"", "\"regiones\""},
          Change{"memory_map.json", "\"size_bytes\": 2097152", "\"size_bytes\": \"x\""}}) {
      CAPTURE(change.path);
      CAPTURE(change.to);
      CHECK(test::find(after_change(change.path, change.from, change.to), Code::kVerifyParse) !=
            nullptr);
    }
    // A cell has 32 bits: a shipped generator wrote 4 GiB as one.
    for (const auto& [from, to] : {std::pair{"<0x11 0x00000000", "<0x11 0x100000000"},
                                   std::pair{"0x01 0x00000000>", "0x00 0x100000000>"},
                                   std::pair{"<0x11 ", "<0x100000000 "}}) {
      const auto& shown_to = to;
      CAPTURE(shown_to);
      const core::Diagnostics cells = after_change("zx9-memory.dtsi", from, to);
      REQUIRE(cells.size() == 1);
      CHECK(cells.front().code == Code::kDtsCells);
      CHECK(test::contains(cells.front().message, "pool_region"));
      CHECK(cells.front().place.line != 0);
    }
    const VerifyReport nothing = verify_map({}, "out", test::mpu_programs());
    REQUIRE(nothing.diagnostics.size() == 1);
    CHECK(nothing.diagnostics.front().place.path == "out/memory_map.json");
  }

  TEST_CASE("what changed decides what is rebuilt") {
    const MemoryMap before = map_of(zx9_text());
    CHECK(changed_cores(before, before).empty());
    CHECK(rebuild_steps(before, affected_by(before, before)).empty());
    const auto runs = [&](const board::KnobValues& set) {
      std::string text;
      const MemoryMap after = map_of(zx9_text(), set);
      for (const board::RebuildStep& step : rebuild_steps(after, affected_by(after, before))) {
        text += step.run + ";";
      }
      return text;
    };
    // temp_size moves what alpha alone sees; the carve-out over it grows.
    CHECK(changed_cores(map_of(zx9_text(), {{"temp_size", 5 * kMiB}}), before) ==
          std::vector<std::string>{"alpha"});
    CHECK(runs({{"temp_size", 5 * kMiB}}) == "make all;make dtbs;");
    // beta_code moves the mailbox, which both see.
    CHECK(changed_cores(map_of(zx9_text(), {{"beta_code", 2 * kMiB}}), before) ==
          std::vector<std::string>{"alpha", "beta_1"});
    CHECK(runs({{"beta_code", 2 * kMiB}}) == "make all;make dtbs;make boot;");
    // A change of an MMU entry alone, without any region moving.
    const MemoryMap mapped =
        map_of(with(zx9_text(), "REGISTERS = { mair = 0", "REGISTERS = { mair = 4"));
    CHECK(changed_cores(mapped, before) == std::vector<std::string>{"alpha"});
  }

  TEST_CASE("the boards in the tree emit maps that agree with themselves") {
    core::RealFileSystem files;
    const std::string folder = test::source_folder() + "/boards";
    const std::vector<std::string> names = board::bundled_boards(files, folder).value();
    for (const std::string& name : names) {
      CAPTURE(name);
      const auto map = layout::resolve(board::load_board(files, folder, name).value(), {});
      REQUIRE(map.has_value());
      const std::vector<Artifact> artifacts = render(*map);
      CHECK(verify_map(files_of(artifacts), "", test::mpu_programs()).diagnostics.empty());
      for (const Artifact& artifact : artifacts) {
        CHECK_FALSE(artifact.path.starts_with('/'));
        CHECK_FALSE(test::contains(artifact.path, ".."));
      }
    }
  }
}

}  // namespace memsize::emit::files_test
