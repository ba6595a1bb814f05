#include "memsize/core/overlay.hpp"

#include <doctest/doctest.h>

namespace memsize::core::overlay_test {

TEST_SUITE("core") {
  TEST_CASE("what is laid over a disk is read instead, and nothing is written") {
    MemFileSystem disk;
    disk.content["folder/a"] = "old";
    disk.content["folder/b"] = "own";
    Overlay overlay{disk};
    CHECK(overlay.empty());
    overlay.lay("folder/a", "newer");
    overlay.lay("folder/c", "only here");
    CHECK_FALSE(overlay.empty());
    CHECK(overlay.read("folder/a").value() == "newer");
    CHECK(overlay.size("folder/a").value() == 5);
    CHECK(overlay.read("folder/b").value() == "own");
    CHECK(overlay.read("folder/c").value() == "only here");
    CHECK(overlay.exists("folder/c"));
    CHECK(overlay.is_regular_file("folder/c"));
    CHECK_FALSE(overlay.exists("folder/d"));
    CHECK_FALSE(overlay.read("folder/d").has_value());
    CHECK(disk.content.at("folder/a") == "old");
    CHECK(disk.content.count("folder/c") == 0);
    // Folders are the disk's.
    CHECK(overlay.list("folder").value().size() == 2);
    overlay.lay("folder/a", "newest");
    CHECK(overlay.read("folder/a").value() == "newest");
  }
}

}  // namespace memsize::core::overlay_test
