#include "memsize/sdk/transaction.hpp"
#include "memsize/sdk/tree.hpp"

#include "support.hpp"

#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::sdk::transaction_test {

namespace {

using core::Code;
using Paths = std::vector<std::string>;

// A tree of three files below /sdk.
struct Tree {
  core::MemFileSystem files;

  Tree() {
    files.content["/sdk/platform/a.h"] = "old a";
    files.content["/sdk/platform/b.h"] = "old b";
    files.content["/sdk/platform/c.h"] = "old c";
    files.modes["/sdk/platform/a.h"] = 0750;
    files.mtimes["/sdk/platform/a.h"] = 1234;
    files.content["/elsewhere/d.h"] = "old d";
  }

  core::Result<Applied> apply(const std::vector<FileChange>& changes) {
    return sdk::apply(files, "/sdk", changes, "a test");
  }

  // The one error, with nothing changed.
  core::Diagnostic refused(const std::vector<FileChange>& changes) {
    const auto before = files.content;
    const auto steps = files.steps;
    const auto applied = apply(changes);
    REQUIRE_FALSE(applied.has_value());
    CHECK(files.content == before);
    CHECK(files.steps == steps);
    CHECK(test::contains(applied.error().front().hint, "nothing was changed"));
    return applied.error().front();
  }
};

FileChange change_of(const std::string& path, const std::string& before, const std::string& after) {
  return {path, before, after};
}

const std::vector<FileChange> kThree = {{"platform/a.h", "old a", "new a"},
                                        {"platform/b.h", "old b", std::nullopt},
                                        {"platform/sub/new.h", std::nullopt, "new"}};

}  // namespace

TEST_SUITE("sdk") {
  TEST_CASE("a change is made, seen, and taken back") {
    Tree tree;
    const auto before = tree.files.content;
    const auto applied = tree.apply(kThree);
    REQUIRE(applied.has_value());
    CHECK(applied->changed == Paths{"platform/a.h"});
    CHECK(applied->created == Paths{"platform/sub/new.h"});
    CHECK(applied->removed == Paths{"platform/b.h"});
    CHECK(tree.files.content["/sdk/platform/a.h"] == "new a");
    CHECK(tree.files.modes["/sdk/platform/a.h"] == 0750);
    CHECK_FALSE(tree.files.exists("/sdk/platform/b.h"));
    CHECK(tree.files.content["/sdk/platform/sub/new.h"] == "new");
    CHECK(tree.files.content["/sdk/platform/c.h"] == "old c");

    const auto now = status(tree.files, "/sdk");
    REQUIRE(now.has_value());
    CHECK(now->phase == Status::Phase::kApplied);
    CHECK(now->description == "a test");
    REQUIRE(now->files.size() == 3);
    CHECK(now->files[1].change == FileStatus::Change::kRemoved);
    CHECK(now->files[2].change == FileStatus::Change::kCreated);

    const auto reverted = revert(tree.files, "/sdk", {});
    REQUIRE(reverted.has_value());
    CHECK(reverted->restored == Paths{"platform/a.h", "platform/b.h"});
    CHECK(reverted->removed == Paths{"platform/sub/new.h"});
    CHECK(tree.files.content == before);
    CHECK(tree.files.modes["/sdk/platform/a.h"] == 0750);
    // What goes by times sees that it has other bytes than a moment ago.
    CHECK(tree.files.mtimes["/sdk/platform/a.h"] > 1234);
    CHECK_FALSE(tree.files.exists("/sdk/.memsize"));
    CHECK(tree.files.entry("/sdk/platform/sub").kind == core::Entry::Kind::kNothing);
    CHECK(status(tree.files, "/sdk")->phase == Status::Phase::kClean);
  }

  TEST_CASE("the same change again takes no step") {
    Tree tree;
    REQUIRE(tree.apply(kThree).has_value());
    const auto steps = tree.files.steps;
    const auto again = tree.apply(kThree);
    REQUIRE(again.has_value());
    CHECK(again->unchanged == 3);
    CHECK(again->changed.empty());
    CHECK(tree.files.steps == steps);
    CHECK(revert(tree.files, "/sdk", {}).has_value());
    CHECK(revert(tree.files, "/sdk", {})->restored.empty());
  }

  TEST_CASE("nothing to change leaves no trace") {
    Tree tree;
    REQUIRE(tree.apply({}).has_value());
    REQUIRE(tree.apply({change_of("platform/a.h", "something", "old a")}).has_value());
    CHECK(tree.files.steps == 0);
    CHECK_FALSE(tree.files.exists("/sdk/.memsize"));
  }

  TEST_CASE("a file that is made and removed again is forgotten") {
    Tree tree;
    REQUIRE(tree.apply({{"platform/sub/new.h", std::nullopt, "new"}}).has_value());
    REQUIRE(tree.apply({{"platform/sub/new.h", "new", std::nullopt}}).has_value());
    CHECK(status(tree.files, "/sdk")->files.empty());
    CHECK_FALSE(tree.files.exists("/sdk/.memsize"));
    CHECK(tree.files.entry("/sdk/platform/sub").kind == core::Entry::Kind::kNothing);
  }

  TEST_CASE("a path that leads out of the tree is refused") {
    Tree tree;
    for (const char* path : {"/etc/passwd",
                             "../elsewhere/d.h",
                             "platform/../../elsewhere/d.h",
                             "",
                             "platform//a.h",
                             "./platform/a.h",
                             ".memsize/journal.json",
                             "platform/.memsize/x",
                             "platform/a\n.h",
                             "platform/\xFF.h"}) {
      CAPTURE(path);
      CHECK(tree.refused({{path, std::nullopt, "x"}}).code == Code::kFileWrite);
    }
  }

  TEST_CASE("a link within the tree is followed, one out of it is refused") {
    Tree tree;
    tree.files.links["/sdk/platform/link.h"] = "a.h";
    tree.files.links["/sdk/platform/out.h"] = "/elsewhere/d.h";
    tree.files.links["/sdk/platform/out"] = "../../elsewhere";
    tree.files.links["/sdk/platform/loop.h"] = "loop.h";
    for (const char* path : {"platform/out.h", "platform/out/d.h"}) {
      CAPTURE(path);
      const core::Diagnostic error = tree.refused({change_of(path, "old d", "x")});
      CHECK(error.place.path == std::string{"/sdk/"} + path);
      CHECK(test::contains(error.message, "/elsewhere"));
    }
    CHECK(test::contains(tree.refused({{"platform/out/new.h", std::nullopt, "x"}}).message,
                         "/elsewhere"));
    CHECK(test::contains(tree.refused({change_of("platform/loop.h", "", "x")}).message, "nowhere"));
    const auto applied = tree.apply({change_of("platform/link.h", "old a", "new a")});
    REQUIRE(applied.has_value());
    CHECK(applied->changed == Paths{"platform/a.h"});
    CHECK(tree.files.content["/sdk/platform/a.h"] == "new a");
    CHECK(tree.files.links.contains("/sdk/platform/link.h"));
  }

  TEST_CASE("two names of one file must agree") {
    Tree tree;
    tree.files.links["/sdk/platform/link.h"] = "a.h";
    const FileChange change = change_of("platform/a.h", "old a", "new a");
    FileChange twin = change;
    twin.path = "platform/link.h";
    FileChange other = twin;
    other.after = "other";
    CHECK(test::contains(tree.refused({change, other}).message, "same file as 'platform/a.h'"));
    REQUIRE(tree.apply({change, twin}).has_value());
    CHECK(tree.files.content["/sdk/platform/a.h"] == "new a");
  }

  TEST_CASE("what cannot be changed is refused before anything is") {
    Tree tree;
    const FileChange good = change_of("platform/a.h", "old a", "new a");
    CHECK(tree.refused({good, change_of("platform/b.h", "older b", "x")}).code ==
          Code::kSdkChanged);
    CHECK(tree.refused({good, {"platform/b.h", std::nullopt, "x"}}).code == Code::kSdkChanged);
    CHECK(tree.refused({good, change_of("platform/none.h", "b", "x")}).code == Code::kSdkChanged);
    CHECK(
        test::contains(tree.refused({good, {"platform", std::nullopt, "x"}}).message, "a folder"));
    CHECK(test::contains(tree.refused({good, {"platform/b.h/x", std::nullopt, "x"}}).message,
                         "a file is where a folder"));
    tree.files.modes["/sdk/platform/b.h"] = 0444;
    CHECK(test::contains(tree.refused({good, change_of("platform/b.h", "old b", "x")}).message,
                         "read-only"));
    tree.files.modes["/sdk/platform/b.h"] = 0644;
    tree.files.refuse["/sdk/platform"] = "not yours";
    CHECK(test::contains(tree.refused({good}).message, "folder is read-only"));
    tree.files.refuse.clear();
    tree.files.devices["/sdk/platform"] = 7;
    CHECK(test::contains(tree.refused({good}).message, "another file system"));
  }

  TEST_CASE("a step that fails takes everything back") {
    for (const char* path : {"/sdk/.memsize/staging.json",
                             "/sdk/.memsize/staging.json.new",
                             "/sdk/.memsize/backup",
                             "/sdk/.memsize/backup/platform/b.h",
                             "/sdk/.memsize/staged/platform/a.h",
                             "/sdk/.memsize/journal.json",
                             "/sdk/platform/sub"}) {
      CAPTURE(path);
      Tree tree;
      const auto before = tree.files.content;
      tree.files.refuse[path] = "the disk is full";
      const auto applied = tree.apply(kThree);
      REQUIRE_FALSE(applied.has_value());
      CHECK(applied.error().front().code == Code::kFileWrite);
      CHECK(test::contains(applied.error().front().message, "the disk is full"));
      CHECK(test::contains(applied.error().front().hint, "nothing was changed"));
      CHECK(tree.files.content == before);
      CHECK_FALSE(tree.files.exists("/sdk/.memsize"));
      CHECK(tree.files.mtimes["/sdk/platform/a.h"] == 1234);
    }
  }

  TEST_CASE("who has the lock is named") {
    Tree tree;
    REQUIRE(tree.apply(kThree).has_value());
    tree.files.locks["/sdk/.memsize/lock"] = "process 5";
    tree.files.content["/sdk/.memsize/lock"] = "process 5";
    const auto reverted = revert(tree.files, "/sdk", {});
    REQUIRE_FALSE(reverted.has_value());
    CHECK(reverted.error().front().code == Code::kSdkLock);
    CHECK(test::contains(reverted.error().front().message, "process 5"));
    CHECK(core::exit_status(reverted.error()) == core::ExitStatus::kEnvironment);
    CHECK(status(tree.files, "/sdk")->holder == "process 5");
    CHECK(tree.files.content["/sdk/platform/a.h"] == "new a");
  }

  TEST_CASE("an edited file gives way only to force, and is kept") {
    Tree tree;
    REQUIRE(tree.apply(kThree).has_value());
    tree.files.content["/sdk/platform/a.h"] = "by hand";
    tree.files.content["/sdk/platform/sub/new.h"] = "by hand too";
    CHECK(status(tree.files, "/sdk")->files.front().now == FileStatus::Now::kEdited);
    const auto refused = revert(tree.files, "/sdk", {});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().size() == 2);
    CHECK(refused.error().front().code == Code::kSdkChanged);
    const auto forced = revert(tree.files, "/sdk", {true});
    REQUIRE(forced.has_value());
    CHECK(forced->kept == Paths{".memsize/kept/platform/a.h", ".memsize/kept/platform/sub/new.h"});
    CHECK(tree.files.content["/sdk/platform/a.h"] == "old a");
    CHECK_FALSE(tree.files.exists("/sdk/platform/sub/new.h"));
    CHECK(tree.files.content["/sdk/.memsize/kept/platform/a.h"] == "by hand");
    CHECK(status(tree.files, "/sdk")->kept.size() == 2);
  }

  TEST_CASE("two trees change together or not at all") {
    const auto changes = [] {
      return std::vector<RootChanges>{{"/sdk", kThree},
                                      {"/kernel", {change_of("dts/b.dts", "old", "new")}}};
    };
    // Each of these refuses at another step; the last one after all of the first tree's.
    for (const char* path : {"/kernel/.memsize",
                             "/kernel/.memsize/staging.json",
                             "/sdk/.memsize/journal.json",
                             "/kernel/.memsize/staged/dts/b.dts",
                             "/kernel/dts/b.dts",
                             "/kernel/.memsize/journal.json"}) {
      CAPTURE(path);
      Tree tree;
      tree.files.content["/kernel/dts/b.dts"] = "old";
      const auto before = tree.files.content;
      tree.files.refuse[path] = "the disk is full";
      const auto refused = apply(tree.files, changes(), "a test");
      REQUIRE_FALSE(refused.has_value());
      CHECK(test::contains(refused.error().front().hint, "nothing was changed"));
      CHECK(tree.files.content == before);
      tree.files.refuse.clear();
      const auto applied = apply(tree.files, changes(), "a test");
      REQUIRE(applied.has_value());
      REQUIRE(applied->size() == 2);
      CHECK((*applied)[0].root == "/sdk");
      CHECK((*applied)[0].created == Paths{"platform/sub/new.h"});
      CHECK((*applied)[1].root == "/kernel");
      CHECK((*applied)[1].changed == Paths{"dts/b.dts"});
      CHECK(tree.files.content["/kernel/dts/b.dts"] == "new");
      REQUIRE(revert(tree.files, Paths{"/kernel", "/sdk"}, {}).has_value());
      CHECK(tree.files.content == before);
    }
  }

  TEST_CASE("a tree inside of another one shares its journal") {
    Tree tree;
    const auto applied = apply(tree.files,
                               {{"/sdk/platform", {change_of("a.h", "old a", "new a")}},
                                {"/sdk", {change_of("platform/b.h", "old b", "new b")}}},
                               "a test");
    REQUIRE(applied.has_value());
    CHECK((*applied)[0].root == "/sdk");
    CHECK((*applied)[0].changed.empty());
    CHECK((*applied)[1].changed == Paths{"platform/a.h", "platform/b.h"});
    CHECK(tree.files.exists("/sdk/.memsize/journal.json"));
    CHECK_FALSE(tree.files.exists("/sdk/platform/.memsize"));
    // Two lists that want different bytes of one file.
    CHECK_FALSE(apply(tree.files,
                      {{"/sdk/platform", {change_of("a.h", "new a", "x")}},
                       {"/sdk", {change_of("platform/a.h", "new a", "y")}}},
                      "a test")
                    .has_value());
  }

  TEST_CASE("the originals are those before the first change") {
    Tree tree;
    using Originals = std::map<std::string, std::string>;
    CHECK(originals(tree.files, "/sdk").value() == Originals{});
    REQUIRE(tree.apply(kThree).has_value());
    REQUIRE(tree.apply({change_of("platform/a.h", "new a", "newer a")}).has_value());
    CHECK(originals(tree.files, "/sdk").value() ==
          Originals{{"platform/a.h", "old a"}, {"platform/b.h", "old b"}});
    tree.files.content["/sdk/.memsize/backup/platform/a.h"] = "other";
    CHECK(originals(tree.files, "/sdk").error().front().code == Code::kSdkJournal);
    // By hand: the bytes are where they belong.
    tree.files.content["/sdk/platform/a.h"] = "old a";
    CHECK(originals(tree.files, "/sdk").value().at("platform/a.h") == "old a");
  }

  TEST_CASE("the root of a tree is the same one however it is typed") {
    core::MemFileSystem files;
    files.content["/w/sdk/platform/zx9/rtos/gen_linker_mem_map.py"] = "";
    CHECK(tree_root(files, "/w/sdk").value() == "/w/sdk");
    CHECK(tree_root(files, "/w/sdk/platform").value() == "/w/sdk");
    CHECK(tree_root(files, "/w").value() == "/w/sdk");
    CHECK_FALSE(tree_root(files, "/w/other").has_value());
  }
}

}  // namespace memsize::sdk::transaction_test
