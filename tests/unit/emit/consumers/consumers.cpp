// What the emitters for other consumers wrote, with one change each: what their readers say, and
// where.
#include "memsize/emit/consumers.hpp"

#include "memsize/core/text.hpp"
#include "memsize/emit/artifact.hpp"

#include "mpu_programs.hpp"
#include "support.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::emit::consumers_test {

namespace {

using core::Code;

// As zx9's map is written, by the emitters that need no sections of a board.
const std::vector<MapFile>& written() {
  static const std::vector<MapFile> files = [] {
    core::RealFileSystem disk;
    const layout::MemoryMap map = test::map_of(test::zx9_text());
    const auto artifacts = render_all({map, map, disk, {test::source_folder() + "/templates"}},
                                      {"map-json", "zephyr", "uboot", "cxx-header", "csv"});
    REQUIRE_MESSAGE(artifacts.has_value(), (artifacts ? "" : test::all_text(artifacts.error())));
    std::vector<MapFile> list;
    for (const Artifact& artifact : *artifacts) {
      list.push_back({artifact.path, artifact.content});
    }
    return list;
  }();
  return files;
}

// The errors; what is missing is a warning.
core::Diagnostics errors_of(const std::vector<MapFile>& files) {
  core::Diagnostics found = verify_files(files, "out", test::mpu_programs()).diagnostics;
  std::erase_if(
      found, [](const core::Diagnostic& each) { return each.severity != core::Severity::kError; });
  return found;
}

core::Diagnostics after_change(const std::string& path,
                               const std::string& from,
                               const std::string& to) {
  std::vector<MapFile> files = written();
  for (MapFile& file : files) {
    if (file.path == path) {
      const std::size_t at = file.content.find(from);
      REQUIRE_MESSAGE(at != std::string::npos, file.content);
      file.content.replace(at, from.size(), to);
      return errors_of(files);
    }
  }
  FAIL("no file ", path);
  return {};
}

core::Diagnostics with_file(const std::string& path, const std::string& content) {
  std::vector<MapFile> files = written();
  std::erase_if(files, [&](const MapFile& file) { return file.path == path; });
  files.push_back({path, content});
  return errors_of(files);
}

const MapFile& file_of(const std::vector<MapFile>& files, const std::string& tail) {
  for (const MapFile& file : files) {
    if (file.path.ends_with(tail)) {
      return file;
    }
  }
  FAIL("no file ", tail);
  return files.front();
}

// The only finding's code, or what else there is.
std::string code_of(const core::Diagnostics& found) {
  return found.size() == 1 ? std::string{core::code_name(found.front().code)}
                           : test::all_text(found);
}

}  // namespace

TEST_SUITE("emit") {
  TEST_CASE("files for other consumers are read back, each by its path") {
    CHECK(errors_of(written()).empty());
    CHECK(has_verifier("memory_map.csv"));
    CHECK(has_verifier("c7x_1/scatter.sct"));
    CHECK_FALSE(has_verifier("scatter.sct"));
    CHECK_FALSE(has_verifier("/scatter.sct"));
    CHECK_FALSE(has_verifier("a/b/scatter.sct"));
    CHECK_FALSE(has_verifier("a/memory_map.csv"));
    CHECK_FALSE(has_verifier(""));
    const auto report = verify_files(written(), "", test::mpu_programs());
    CHECK(core::join(report.read, ", ").find("1 csv file") != std::string::npos);
  }

  TEST_CASE("what a file says otherwise is found where it stands") {
    const auto found = after_change("memory_map.csv", ",region,", ",alias,");
    REQUIRE(code_of(found) == "verify.disagree");
    CHECK(found.front().place.path == "out/memory_map.csv");
    CHECK(found.front().place.line == 2);
    CHECK(test::contains(found.front().message, "kind of"));
    const MapFile& header = file_of(written(), ".hpp");
    CHECK(code_of(after_change(header.path, "constexpr CoreRange ", "constexpr BusRange ")) ==
          "verify.parse");
    CHECK(code_of(after_change(header.path, "namespace bus {", "namespace bus { }")) !=
          "verify.disagree");
    const MapFile& script = file_of(written(), ".cmd");
    CHECK(code_of(after_change(script.path, " no-map ||", " alignment <0x10> ||")) != "");
    CHECK(code_of(after_change(script.path, "fdt set ${memsize_node} reg <", "fdt nop <")) ==
          "verify.parse");
    CHECK(code_of(after_change(script.path, "reg <0x00", "reg <0x100000000")) == "verify.parse");
    CHECK(code_of(after_change(script.path, "compatible \"shared", "compatible \"other")) ==
          "verify.disagree");
  }

  TEST_CASE("only the first mistake of a file that cannot be read is told") {
    CHECK(code_of(with_file("memory_map.csv", "")) == "verify.parse");
    CHECK(code_of(with_file("memory_map.csv", "name,kind\n")) == "verify.parse");
    CHECK(code_of(with_file("memory_map.csv", "\"name")) == "verify.parse");
    CHECK(code_of(with_file("memory_map.csv", "\"name\"x,kind\n")) == "verify.parse");
    CHECK(code_of(with_file("memory_map.hpp", "}")) == "verify.parse");
    CHECK(code_of(with_file("reserved_memory.cmd", "fdt set ${memsize_node} reg <1 2 3 4>")) ==
          "verify.parse");
    const MapFile& overlay = file_of(written(), ".overlay");
    CHECK(code_of(with_file(overlay.path, "/ { a: b { reg = <1 2>; }; };")) == "verify.parse");
    CHECK(code_of(with_file(overlay.path, "/ { a: b { ")) == "verify.parse");
    std::string deep;
    for (int i = 0; i < 100000; ++i) {
      deep += "a {";
    }
    CHECK(code_of(with_file(overlay.path, deep)) == "verify.parse");
    const std::string core = overlay.path.substr(0, overlay.path.find('/'));
    CHECK(code_of(with_file(core + "/scatter.sct", "LR_A 0x0 0x10 { A +0 }")) == "verify.parse");
    CHECK(code_of(with_file(core + "/scatter.sct", "LR_A 0x0 0x10 { B 0x0 0x10 { } }")) ==
          "verify.disagree");
  }

  TEST_CASE("a core that the map has not has no file") {
    const auto found = with_file("nobody/memory.overlay", "");
    REQUIRE(code_of(found) == "verify.disagree");
    CHECK(test::contains(found.front().message, "no core 'nobody'"));
  }
}

}  // namespace memsize::emit::consumers_test
