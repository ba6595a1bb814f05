#include "memsize/sdk/edit_dts.hpp"

#include "support.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::sdk::edit_dts_test {

namespace {

constexpr const char* kPath = "arch/arm64/boot/dts/ti/k3-zx9-evm.dts";

// The pool of "zx9" is at an address that a user sets.
layout::MemoryMap map_at(std::uint64_t pool) {
  return test::map_of(test::zx9_text(), {{"pool_at", pool}});
}

const layout::Carveout& pool_of(const layout::MemoryMap& map) {
  for (const layout::Carveout& each : map.carveouts) {
    if (!each.label.empty() && each.range.base().value() == map.values.at("pool_at")) {
      return each;
    }
  }
  FAIL("zx9 has no node for its pool");
  return map.carveouts.front();
}

std::string hex(std::uint64_t value) {
  std::string digits;
  for (unsigned shift = 32; shift > 0; shift -= 4) {
    digits += "0123456789abcdef"[value >> (shift - 4) & 15U];
  }
  return "0x" + digits;
}

std::string cells(std::uint64_t value) {
  return hex(value >> 32U) + " " + hex(value & 0xFFFFFFFF);
}

// Around the nodes of the map but the pool's.
constexpr const char* kAround = "reg = <0x0 0x40000000 0xf 0xc4000000>;";

std::string tree_with(const layout::Carveout& pool, std::uint64_t base) {
  return "/dts-v1/;\n/ {\n\treserved-memory {\n\t\t#address-cells = <2>;\n\t\t#size-cells = <2>;\n"
         "\t\tother: other@40000000 {\n\t\t\t" +
         std::string{kAround} + "\n\t\t};\n\t\t" + pool.label + ": pool {\n\t\t\treg = <" +
         cells(base) + " " + cells(pool.range.size().count()) + ">; /* mine */\n\t\t};\n\t};\n};\n";
}

}  // namespace

TEST_SUITE("sdk") {
  TEST_CASE("a node of a kernel's device tree follows the map, and nothing else changes") {
    const auto before = map_at(0x1100000000);
    const auto after = map_at(0x1180000000);
    core::MemFileSystem files;
    const std::string old = tree_with(pool_of(before), 0x1100000000);
    files.content[fmt::format("linux/{}", kPath)] = old;
    files.content["linux/arch/arm64/boot/dts/ti/k3-other.dts"] = old;
    const auto edits = edit_device_trees(files, "linux", {&before}, after, std::nullopt);
    REQUIRE_MESSAGE(edits.has_value(), (edits ? "" : test::all_text(edits.error())));
    REQUIRE(edits->files.size() == 1);
    CHECK(edits->files.front().path == kPath);
    CHECK(edits->files.front().before == old);
    CHECK(edits->files.front().after == tree_with(pool_of(after), 0x1180000000));
    // Cells may stand in groups, and be expressions.
    const std::string plain = cells(0x1100000000) + " ";
    const std::string groups = hex(0x11) + " (0x0 + 0x0)>, <";
    files.content[fmt::format("linux/{}", kPath)] = test::with(old, plain, groups);
    const auto grouped = edit_device_trees(files, "linux", {&before}, after, std::nullopt);
    REQUIRE_MESSAGE(grouped.has_value(), (grouped ? "" : test::all_text(grouped.error())));
    REQUIRE(grouped->files.size() == 1);
    CHECK(grouped->files.front().after == test::with(old, plain, hex(0x11) + " 0x80000000>, <"));
    // And names that the file defines: one that another place may use keeps its value.
    const std::string named = hex(0x11) + " NONE ";
    files.content[fmt::format("linux/{}", kPath)] =
        "#define NONE (1 - 1)\n" + test::with(old, plain, named);
    const auto of_name = edit_device_trees(files, "linux", {&before}, after, std::nullopt);
    REQUIRE_MESSAGE(of_name.has_value(), (of_name ? "" : test::all_text(of_name.error())));
    REQUIRE(of_name->files.size() == 1);
    CHECK(of_name->files.front().after ==
          "#define NONE (1 - 1)\n" + test::with(old, plain, hex(0x11) + " 0x80000000 "));
    // What is there already stays.
    files.content[fmt::format("linux/{}", kPath)] = edits->files.front().after;
    const auto again = edit_device_trees(files, "linux", {&before}, after, std::nullopt);
    REQUIRE(again.has_value());
    CHECK(again->files.empty());
  }

  TEST_CASE("cells may stand on lines of their own, and comments beside them stay") {
    const auto before = map_at(0x1100000000);
    const auto after = map_at(0x1180000000);
    core::MemFileSystem files;
    const std::string old = tree_with(pool_of(before), 0x1100000000);
    const std::string plain = cells(0x1100000000) + " ";
    const std::string high = hex(0x11);
    for (const auto& [own, wanted] : std::vector<std::pair<std::string, std::string>>{
             {high + "\n\t\t\t" + hex(0) + "\r\n", high + "\n\t\t\t0x80000000\r\n"},
             {high + "/* > 4 GiB */ " + hex(0) + " // both\n",
              high + "/* > 4 GiB */ 0x80000000 // both\n"},
             {"/* ours */ " + high + ">, /* low */ <(0 /* none ) */\n + 0) /* size */ ",
              "/* ours */ " + high + ">, /* low */ <0x80000000 /* none ) */ /* size */ "}}) {
      const std::string& cells_now = own;
      CAPTURE(cells_now);
      files.content[fmt::format("linux/{}", kPath)] = test::with(old, plain, own);
      const auto edits = edit_device_trees(files, "linux", {&before}, after, std::nullopt);
      REQUIRE_MESSAGE(edits.has_value(), (edits ? "" : test::all_text(edits.error())));
      REQUIRE(edits->files.size() == 1);
      CHECK(edits->files.front().after == test::with(old, plain, wanted));
    }
  }

  TEST_CASE("a node that must follow the map is not passed over without a word") {
    const auto before = map_at(0x1100000000);
    const auto after = map_at(0x1180000000);
    core::MemFileSystem files;
    const std::string path = fmt::format("linux/{}", kPath);
    const std::string old = tree_with(pool_of(before), 0x1100000000);
    files.content[path] = test::with(old, ">; /* mine */", ">, <0 0 0 0>; /* mine */");
    const auto asked = edit_device_trees(files, "linux", {&before}, after, std::nullopt);
    REQUIRE_FALSE(asked.has_value());
    CHECK(asked.error().front().place.line == 9);
    CHECK_FALSE(edit_device_trees(files, "linux", {&before}, after, HandEdits::kForce));
    const auto kept = edit_device_trees(files, "linux", {&before}, after, HandEdits::kKeep);
    REQUIRE(kept.has_value());
    CHECK(kept->files.empty());
    CHECK(kept->diagnostics.size() == 1);
    // One that does not move may be as it is.
    const auto same = edit_device_trees(files, "linux", {&before}, before, std::nullopt);
    REQUIRE(same.has_value());
    CHECK(same->diagnostics.empty());
    // A file that only speaks of a node has none.
    files.content[path] = fmt::format("/* see {} */\n", pool_of(before).label);
    CHECK_FALSE(edit_device_trees(files, "linux", {&before}, after, std::nullopt));
  }

  TEST_CASE("a carve-out that no device tree has a node for is told") {
    const auto before = map_at(0x1100000000);
    const auto after = map_at(0x1180000000);
    core::MemFileSystem files;
    const std::string path = fmt::format("linux/{}", kPath);
    const std::string old = tree_with(pool_of(before), 0x1100000000);
    files.content[path] = test::with(old, kAround, "reg = <0x0 0x40000000 0x0 0x200000>;");
    const auto edits = edit_device_trees(files, "linux", {&before}, after, std::nullopt);
    REQUIRE(edits.has_value());
    CHECK(edits->files.size() == 1);
    REQUIRE(edits->diagnostics.size() == 1);
    const core::Diagnostic& told = edits->diagnostics.front();
    CHECK(told.code == core::Code::kSdkReserved);
    CHECK(told.severity == core::Severity::kWarning);
    CHECK(told.place.path == path);
    CHECK(told.details == std::vector<std::string>{"beta_region: [0x40300000, 0x40440000)",
                                                   "arena_region: [0x1000000000, 0x1004000000)"});
    // Nothing is reserved by a node that Linux passes over.
    files.content[path] =
        test::with(old, kAround, fmt::format("status = \"disabled\";\n{}", kAround));
    const auto disabled = edit_device_trees(files, "linux", {&before}, after, std::nullopt);
    REQUIRE(disabled.has_value());
    REQUIRE(disabled->diagnostics.size() == 1);
    CHECK(disabled->diagnostics.front().details.size() == 3);
  }

  TEST_CASE("a device tree that was left out of a change follows it later") {
    const auto first = map_at(0x1100000000);
    const auto now = map_at(0x1180000000);
    core::MemFileSystem files;
    files.content["dts/k3-zx9-evm.dts"] = tree_with(pool_of(first), 0x1100000000);
    const auto edits = edit_device_trees(files, "dts", {&first, &now}, now, std::nullopt);
    REQUIRE(edits.has_value());
    REQUIRE(edits->files.size() == 1);
    CHECK(edits->files.front().after == tree_with(pool_of(now), 0x1180000000));
    // Nothing is known of a map that it could have followed: it is the user's own.
    const auto alone = edit_device_trees(files, "dts", {&now}, now, std::nullopt);
    REQUIRE(alone.has_value());
    CHECK(alone->files.empty());
  }

  TEST_CASE("a node with a range of its own is told, kept or overruled") {
    const auto before = map_at(0x1100000000);
    const auto after = map_at(0x1180000000);
    core::MemFileSystem files;
    files.content["dts/k3-zx9-evm.dtso"] = tree_with(pool_of(before), 0x1140000000);
    const auto asked = edit_device_trees(files, "dts", {&before}, after, std::nullopt);
    REQUIRE_FALSE(asked.has_value());
    REQUIRE(asked.error().size() == 1);
    CHECK(asked.error().front().code == core::Code::kSdkHandEdited);
    CHECK(asked.error().front().place.line == 9);
    const auto kept = edit_device_trees(files, "dts", {&before}, after, HandEdits::kKeep);
    REQUIRE(kept.has_value());
    CHECK(kept->files.empty());
    CHECK(kept->diagnostics.size() == 1);
    const auto forced = edit_device_trees(files, "dts", {&before}, after, HandEdits::kForce);
    REQUIRE(forced.has_value());
    REQUIRE(forced->files.size() == 1);
    CHECK(forced->files.front().after == tree_with(pool_of(after), 0x1180000000));
  }

  TEST_CASE("a folder without such a device tree is an error that says what to give") {
    const auto map = map_at(0x1100000000);
    core::MemFileSystem files;
    files.content["linux/Makefile"] = "all:\n";
    const auto none = edit_device_trees(files, "linux", {&map}, map, std::nullopt);
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().front().code == core::Code::kSdkTree);
    CHECK(test::contains(none.error().front().hint, "kernel"));
  }
}

}  // namespace memsize::sdk::edit_dts_test
