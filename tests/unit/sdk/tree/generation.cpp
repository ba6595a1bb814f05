// Of which generation a tree is, by facts of a format.
#include "memsize/sdk/generation.hpp"

#include "memsize/board/trace_format.hpp"
#include "memsize/core/file_system.hpp"

#include "support.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::sdk::generation_test {

namespace {

using Names = std::vector<std::string>;

constexpr const char* kFormat = R"(schema = 1
format = "f"

[generation.old]
title = "the old one"
fingerprint = { record = 1, sizes = ["4KiB"] }
[generation.mid]
title = "the middle one"
fingerprint = { record = 1, sizes = ["8KiB"] }
[generation.new]
title = "the new one"
fingerprint = { record = 1, sizes = ["16KiB"] }

[[tree]]
file = "common/init.c"
contains = "since_mid"
has = ["mid", "new"]
lacks = ["old"]
source = "by hand"

[[tree]]
file = "c7/new.cfg"
parts = ["zx9"]
has = ["new"]
source = "by hand"

[[tree]]
file = "c7/gone.cfg"
has = ["old", "mid"]
lacks = ["new"]
source = "by hand"
)";

struct Tree {
  core::MemFileSystem files;
  board::TraceFormat format;

  Tree() {
    files.content["boards/formats/f.toml"] = kFormat;
    auto loaded = board::load_trace_format(files, "boards", "f");
    REQUIRE(loaded.has_value());
    format = std::move(*loaded);
  }

  void add(const std::string& path, const std::string& text = {}) {
    files.content["sdk/platform/zx9/rtos/" + path] = text;
  }

  TreeGeneration told(const std::string& soc = "zx9") {
    return generation_of_tree(files, {soc, "sdk/platform/zx9/rtos"}, format);
  }
};

TEST_SUITE("sdk") {
  TEST_CASE("facts narrow the generations of a tree") {
    Tree tree;
    tree.add("common/init.c", "int since_mid;\n");
    tree.add("c7/new.cfg");
    CHECK(tree.told().generations == Names{"new"});
    CHECK(tree.told().evidence.front() == "common/init.c has 'since_mid'");
    tree.add("common/init.c", "int other;\n");
    tree.add("c7/gone.cfg");
    tree.files.content.erase("sdk/platform/zx9/rtos/c7/new.cfg");
    CHECK(tree.told().generations == Names{"old"});
    CHECK(tree.told().evidence.front() == "common/init.c has no 'since_mid'");
  }

  TEST_CASE("what no fact decides stays open") {
    Tree tree;
    tree.add("c7/gone.cfg");
    // The file is not there: that its text is not there proves nothing.
    CHECK(tree.told().generations == Names{"old", "mid"});
    // That a file is not there tells only where the fact says so.
    tree.files.content.erase("sdk/platform/zx9/rtos/c7/gone.cfg");
    tree.add("common/init.c", "since_mid");
    CHECK(tree.told().generations == Names{"new"});
  }

  TEST_CASE("facts that contradict each other tell nothing, and all are named") {
    Tree tree;
    tree.add("common/init.c", "");
    tree.add("c7/new.cfg");
    const TreeGeneration told = tree.told();
    CHECK(told.generations.empty());
    CHECK(told.evidence.size() == 2);
    // On another part the second is no fact.
    tree.add("c7/gone.cfg");
    CHECK(tree.told("zy4").generations == Names{"old"});
  }

  TEST_CASE("a fact names generations that there are") {
    core::MemFileSystem files;
    files.content["boards/formats/f.toml"] =
        test::with(kFormat, "lacks = [\"old\"]", "lacks = [\"oldest\"]");
    const auto loaded = board::load_trace_format(files, "boards", "f");
    REQUIRE_FALSE(loaded.has_value());
    CHECK(loaded.error().front().code == core::Code::kBoardReference);
    CHECK(test::contains(loaded.error().front().message, "oldest"));
  }
}

}  // namespace

}  // namespace memsize::sdk::generation_test
