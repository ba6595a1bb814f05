// Hostile texts in every place of a board that takes free text: each output format stays what it
// would be with harmless texts, comments and cells aside. And what came with the boards beyond
// J722S: linker maps per core, nodes without compatible, boards without sysconfig.
#include "template.hpp"

#include "memsize/core/text.hpp"
#include "memsize/emit/artifact.hpp"
#include "memsize/emit/verify.hpp"

#include "mpu_programs.hpp"
#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memsize::emit::hostile_test {

namespace {

using Judge = nlohmann::json;

using layout::MemoryMap;
using test::map_of;
using test::with;
using test::zx9_text;

constexpr std::uint64_t kMiB = 1048576;

std::vector<Artifact> render(const MemoryMap& map, const MemoryMap& baseline) {
  core::RealFileSystem files;
  const auto artifacts =
      render_all({map, baseline, files, {test::source_folder() + "/templates"}}, {});
  REQUIRE_MESSAGE(artifacts.has_value(), (artifacts ? "" : test::all_text(artifacts.error())));
  return *artifacts;
}

std::vector<MapFile> files_of(const std::vector<Artifact>& artifacts) {
  std::vector<MapFile> files;
  for (const Artifact& artifact : artifacts) {
    files.push_back({artifact.path, artifact.content});
  }
  return files;
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

std::vector<std::string> paths_of(const std::vector<Artifact>& artifacts) {
  std::vector<std::string> paths;
  for (const Artifact& artifact : artifacts) {
    paths.push_back(artifact.path);
  }
  return paths;
}

// As TOML writes it: everything that is not a letter or a digit as an escape.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = core::is_identifier(std::string(1, c)) || (c >= '0' && c <= '9');
    out += plain ? std::string(1, c) : fmt::format("\\u{:04X}", byte);
  }
  return out + "\"";
}

// zx9 with a view, a window, a provisional note, a linker map of its own, and `text` wherever a
// board takes text that is not a name.
std::string board_saying(const std::string& text) {
  const std::string said = quoted(text);
  std::string board = zx9_text();
  const auto put = [&](const std::string& from, const std::string& to) {
    board = with(board, from, to);
  };
  put("title = \"ZX9 trial board\"", "title = " + said + "\nprovisional = " + said);
  put("soc = \"zx9\"\nsdk = \"7\"", "soc = " + said + "\nsdk = " + said);
  put("sources = [\"nowhere\"]", "sources = [" + said + "]");
  put("title = \"the core with an MMU\"", "title = " + said + "\nlinker = \"alpha-os.x.cmd\"");
  put("why = \"its vectors\"", "why = " + said);
  put("limit_why = \"the test ends there\"", "limit_why = " + said);
  put("gap = \"1MiB\", why = \"kept for later\"", "gap = \"1MiB\", why = " + said);
  for (const char* note : {"tightly coupled",
                           "on-chip",
                           "alpha code",
                           "beta code",
                           "mailbox",
                           "weights",
                           "activations",
                           "raw weights",
                           "raw activations",
                           "shared"}) {
    put("note = \"" + std::string{note} + "\"", "note = " + said);
  }
  put("base = \"0x0\", size = \"1MiB\"", "base = \"0x0\", size = \"1MiB\", window = " + said);
  put("what = \"Build it again\"\nwhy = \"sizes are compiled in\"\nrun = \"make all\"",
      "what = " + said + "\nwhy = " + said + "\nrun = " + said);
  put("compatible = \"dma-pool\"", "compatible = \"ti,dma.pool-2\", alignment = \"64KiB\"");
  return board +
         "[view.beta_sees]\nafter = \"tcm\"\ncores = [\"beta_1\"]\nregions = [ { name = "
         "\"BETA_TEMP\", of = \"ARENA_TEMP\" } ]\n";
}

const std::vector<std::string>& hostile() {
  static const std::vector<std::string> texts = {
      "*/ #error */ int x; /*",
      "/* /* */ */ **/ /**/",
      "// \\",
      "*",
      "/",
      "/ *",
      "\"; } system(\"rm\"); //",
      "' \" ` $(x) `x` ${x}",
      "<script>alert(1)</script> <!-- --> ]]> </style></title></body>",
      "&lt;b&gt; &#60; <img src=x onerror=1>",
      "a | b || c |",
      "first\nsecond\r\nthird\n\n# heading\n| x | y |",
      std::string{"nul\0nul", 7},
      "\x1b[31mred\x07\x7f",
      "{{title}} {{{board}}} {{#macros}}x{{/macros}} {{> part}} {{! c }} {{=<% %>=}}",
      "../../etc/passwd ..",
      "?\?/ ?\?' trigraphs \\",
      "} MEMORY { X : ORIGIN = 0x0 , LENGTH = 0x1 }",
      "#define X (0x1u)",
      "mmu_armv81.size = 0x1; node: n@0 { reg = <0 0 0 0>; };",
      "%s %n {} {0} %%",
      std::string(1000, '*') + "/",
      " ",
  };
  return texts;
}

// What a compiler, linker or sysconfig is left with: each comment is one blank.
std::string without_comments(const std::string& text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.compare(at, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", at + 2);
      CHECK(end != std::string::npos);
      // Compilers warn of a comment that begins in a comment.
      CHECK(text.substr(at + 2, end - at - 2).find("/*") == std::string::npos);
      out += ' ';
      at = end == std::string::npos ? text.size() : end + 2;
    } else {
      out += text[at++];
    }
  }
  return out;
}

// The tags of an HTML document, without the text between them, in their attributes and in scripts.
std::string tags_of(const std::string& html) {
  std::string tags;
  bool inside = false;
  bool quoted = false;
  for (std::size_t at = 0; at < html.size(); ++at) {
    const char c = html[at];
    CHECK_FALSE((c == '<' && inside));
    inside = inside || c == '<';
    quoted = inside && quoted != (c == '"');
    tags += inside && (!quoted || c == '"') ? std::string(1, c) : "";
    inside = inside && (quoted || c != '>');
    if (!inside && (tags.ends_with("<script>") || tags.ends_with("<script type=\"\" id=\"\">"))) {
      at = html.find("</script", at) - 1;
      REQUIRE(at < html.size());
      tags += '.';
    }
  }
  CHECK_FALSE(inside);
  return tags;
}

// The shape of a JSON document: keys, kinds and numbers; free texts are left out.
Judge shape_of(const Judge& json) {
  static const std::set<std::string> kFree = {"title", "soc", "sdk", "note", "why"};
  Judge shape = json;
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      shape[key] = kFree.contains(key) && value.is_string() ? Judge{} : shape_of(value);
    }
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) {
      shape[i] = shape_of(json[i]);
    }
  }
  return shape;
}

// Each line's first character that is no letter, and how many cells it has.
std::string outline_of(const std::string& markdown) {
  std::string outline;
  bool fresh = true;
  char before = 0;
  for (const char c : markdown) {
    if (fresh) {
      outline += c;
    }
    outline += c == '|' && before != '\\' ? "|" : "";
    outline += c == '\n' ? "\n" : "";
    fresh = c == '\n';
    before = c;
  }
  return outline;
}

void check_bytes(const std::string& content) {
  CHECK(std::ranges::all_of(
      content, [](char c) { return (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t'; }));
}

}  // namespace

TEST_SUITE("emit") {
  TEST_CASE("no text changes what a consumer reads, in any format") {
    const auto rendered = [](const std::string& text) {
      const MemoryMap map = map_of(board_saying(text), {{"temp_size", 5 * kMiB}});
      return render(map, map_of(board_saying(text)));
    };
    const std::vector<Artifact> plain = rendered("harmless");
    for (const std::string& text : hostile()) {
      CAPTURE(text);
      const std::vector<Artifact> artifacts = rendered(text);
      REQUIRE(paths_of(artifacts) == paths_of(plain));
      for (std::size_t i = 0; i < artifacts.size(); ++i) {
        const std::string& path = artifacts[i].path;
        const std::string& content = artifacts[i].content;
        const std::string& wanted = plain[i].content;
        CAPTURE(path);
        check_bytes(content);
        if (path.ends_with(".json")) {
          const Judge json = Judge::parse(content, nullptr, false);
          REQUIRE_FALSE(json.is_discarded());
          CHECK(shape_of(json) == shape_of(Judge::parse(wanted)));
        } else if (path.ends_with(".html")) {
          CHECK(tags_of(content) == tags_of(wanted));
        } else if (path.ends_with(".md")) {
          CHECK(outline_of(content) == outline_of(wanted));
        } else {
          CHECK(without_comments(content) == without_comments(wanted));
        }
      }
      const core::Diagnostics found =
          verify_map(files_of(artifacts), "", test::mpu_programs()).diagnostics;
      CHECK_MESSAGE(found.empty(), test::all_text(found));
    }
  }

  TEST_CASE("no text is an element of HTML where REBUILD.md is shown as a page") {
    const MemoryMap map = map_of(board_saying("<script>alert(1)</script>"));
    const std::string rebuild = content_of(render(map, map_of(zx9_text())), "REBUILD.md");
    CHECK_FALSE(test::contains(rebuild, "<script>"));
  }

  TEST_CASE("the checks of this file see what they are there for") {
    CHECK(without_comments("a /* b */ c") == "a   c");
    CHECK(without_comments("a /* b * / c */ d") == "a   d");
    CHECK(tags_of("<p>x &lt;</p>") == "<p></p>");
    CHECK(outline_of("| a | b\\| |\nx") == "||||\nx");
    CHECK(shape_of(Judge{{"note", "a"}, {"n", 1}}) == shape_of(Judge{{"note", "b"}, {"n", 1}}));
    CHECK(shape_of(Judge{{"note", "a"}, {"n", 1}}) != shape_of(Judge{{"note", "a"}, {"n", 2}}));
  }

  TEST_CASE("files lie where the board says, below the folder, each once") {
    const MemoryMap map = map_of(board_saying("x"));
    const std::vector<std::string> paths = paths_of(render(map, map));
    CHECK(std::ranges::count(paths, "alpha/alpha-os.x.cmd") == 1);
    CHECK(std::ranges::count(paths, "beta_1/areas.cmd") == 1);
    CHECK(std::ranges::count(paths, "alpha/areas.cmd") == 0);
    CHECK(std::set<std::string>(paths.begin(), paths.end()).size() == paths.size());
    for (const std::string& path : paths) {
      CHECK_FALSE(path.starts_with('/'));
      CHECK_FALSE(test::contains(path, ".."));
    }
    // The document says where they are, and they are looked for there.
    std::vector<MapFile> files = files_of(render(map, map));
    const VerifyReport whole = verify_map(files, "", test::mpu_programs());
    CHECK(whole.diagnostics.empty());
    CHECK(whole.missing.empty());
    for (MapFile& file : files) {
      if (file.path == "alpha/alpha-os.x.cmd") {
        file.content = with(file.content, "ORIGIN = 0x40000000 ", "ORIGIN = 0x40001000 ");
      }
    }
    const core::Diagnostics moved = verify_map(files, "", test::mpu_programs()).diagnostics;
    REQUIRE(moved.size() == 1);
    CHECK(moved.front().place.path == "alpha/alpha-os.x.cmd");
    std::erase_if(files, [](const MapFile& file) { return file.path == "alpha/alpha-os.x.cmd"; });
    const VerifyReport less = verify_map(files, "", test::mpu_programs());
    CHECK(less.diagnostics.empty());
    CHECK(less.missing == std::vector<std::string>{"alpha/alpha-os.x.cmd"});
  }

  TEST_CASE("a map by hand that names files elsewhere is not followed") {
    const MemoryMap map = map_of(board_saying("x"));
    std::vector<MapFile> files = files_of(render(map, map));
    for (MapFile& file : files) {
      if (file.path == "memory_map.json") {
        file.content = with(file.content, "\"alpha-os.x.cmd\"", "\"../../etc/\\u001bpasswd\"");
      }
    }
    for (const core::Diagnostic& found :
         verify_map(files, "out", test::mpu_programs()).diagnostics) {
      CHECK(found.place.path.str().starts_with("out/"));
      check_bytes(found.message);
    }
  }

  TEST_CASE("a board whose firmware maps by macro has no syscfg, but says what its MMU does") {
    const MemoryMap map = map_of(with(
        zx9_text(), "mair_non_cached = [0, 4]", "program = \"source\"\nmair_non_cached = [0, 4]"));
    const std::vector<Artifact> artifacts = render(map, map);
    const std::vector<std::string> paths = paths_of(artifacts);
    CHECK(std::ranges::count(paths, "alpha/mmu.syscfg") == 0);
    CHECK(std::ranges::count(paths, "alpha/mmu_map.json") == 1);
    std::vector<MapFile> files = files_of(artifacts);
    CHECK(verify_map(files, "", test::mpu_programs()).diagnostics.empty());
    // Then the document is held against the regions.
    for (MapFile& file : files) {
      if (file.path == "alpha/mmu_map.json") {
        file.content =
            with(file.content, "\"physical\": \"0x1000000000\"", "\"physical\": \"0x1000200000\"");
      }
    }
    CHECK(test::find(verify_map(files, "", test::mpu_programs()).diagnostics,
                     core::Code::kMmuSpan) != nullptr);
  }

  TEST_CASE("properties of a node are written and read back") {
    const MemoryMap map = map_of(board_saying("x"));
    const std::vector<Artifact> artifacts = render(map, map);
    const std::string tree = content_of(artifacts, "zx9-memory.dtsi");
    CHECK(test::contains(tree, "compatible = \"ti,dma.pool-2\";"));
    CHECK(test::contains(tree, "alignment = <0x10000>;"));
    const MemoryMap none = map_of(with(board_saying("x"), "\"ti,dma.pool-2\"", "\"\""));
    const std::vector<Artifact> bare = render(none, none);
    CHECK_FALSE(test::contains(content_of(bare, "zx9-memory.dtsi"), "compatible = \"\""));
    CHECK(verify_map(files_of(bare), "", test::mpu_programs()).diagnostics.empty());
  }

  TEST_CASE("a property that sysconfig reads arrives as it was written") {
    for (const char* value :
         {"plain", "a b", "Privilege RW, User None", "x/*y", "x*/y", "//", "{{x}}"}) {
      CAPTURE(value);
      const auto board =
          test::load_text(with(zx9_text(), "\"plain\"", "\"" + std::string{value} + "\""));
      if (!board) {
        // Refused is good too: it is not changed without a word.
        continue;
      }
      const auto map = layout::resolve(*board, {});
      REQUIRE(map.has_value());
      CHECK(test::contains(content_of(render(*map, *map), "alpha/mmu.syscfg"),
                           "mmu_armv81.flavour = \"" + std::string{value} + "\";"));
    }
  }

  TEST_CASE("syscfg on one line is read entry by entry") {
    const MemoryMap map = map_of(zx9_text());
    std::vector<MapFile> files = files_of(render(map, map));
    const auto syscfg = std::ranges::find_if(
        files, [](const MapFile& file) { return file.path == "alpha/mmu.syscfg"; });
    REQUIRE(syscfg != files.end());
    std::ranges::replace(syscfg->content, '\n', ' ');
    CHECK(verify_map(files, "", test::mpu_programs()).diagnostics.empty());
    // The arenas of both kinds touch: 5 is cached, 6 is not.
    const std::string good = syscfg->content;
    syscfg->content =
        with(good, "mmu_armv86.attribute = \"MAIR4\"", "mmu_armv86.attribute = \"MAIR7\"");
    CHECK_FALSE(verify_map(files, "", test::mpu_programs()).diagnostics.empty());
    syscfg->content =
        with(good, "mmu_armv86.pAddr = 0x1002000000", "mmu_armv86.pAddr = 0x1004000000");
    CHECK_FALSE(verify_map(files, "", test::mpu_programs()).diagnostics.empty());
  }

  TEST_CASE("an MMU entry that ends at 2^64 is read back") {
    std::string text = with(zx9_text(),
                            "base = \"0x1000000000\"\nsize = \"8GiB\"",
                            "base = \"0x1000000000\"\nsize = \"0xFFFFFFF000000000\"");
    text = with(text, "limit = \"pool_at\"", "limit = \"0x1100000000\"");
    text = with(text, "virtual = \"0x200000000\"\n", "");
    text = with(text, "[mmu]\ngranule = \"4KiB\"\n", "[mmu]\n");
    const MemoryMap map = map_of(text, {{"pool_at", UINT64_MAX - 4096 * kMiB + 1}});
    const core::Diagnostics found =
        verify_map(files_of(render(map, map)), "", test::mpu_programs()).diagnostics;
    CHECK_MESSAGE(found.empty(), test::all_text(found));
  }
}

}  // namespace memsize::emit::hostile_test
