// What an overlay brings is where its target is, its labels and phandles are those of the whole,
// and an overlay that lies is told instead of followed.
#include "memsize/readers/device_tree_reader.hpp"

#include "support.hpp"
#include "tree_blob.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::readers::overlay_test {

namespace {

using core::Code;
using model::DeviceTree;
using test::cells;
using test::texts;
using test::TreeNode;

DeviceTree read(const TreeNode& root, const std::string& path) {
  const auto tree = read_device_tree(test::blob(root), path);
  REQUIRE(tree);
  return *tree;
}

DeviceTree base() {
  return read(
      {.nodes = {{.name = "n@1", .properties = {{"x", cells({1})}, {"phandle", cells({5})}}},
                 {.name = "__symbols__", .properties = {{"l", texts({"/n@1"})}}}}},
      "base.dtb");
}

// &l { x = <2>; own: c { to = <&own &l>; }; };
TreeNode overlay() {
  return {.nodes = {
              {.name = "fragment@0",
               .properties = {{"target", cells({0xFFFFFFFF})}},
               .nodes = {{.name = "__overlay__",
                          .properties = {{"x", cells({2})}},
                          .nodes = {{.name = "c",
                                     .properties = {{"phandle", cells({1})},
                                                    {"to", cells({1, 0xFFFFFFFF})}}}}}}},
              {.name = "__symbols__",
               .properties = {{"own", texts({"/fragment@0/__overlay__/c"})},
                              {"outside", texts({"/fragment@0"})}}},
              {.name = "__fixups__",
               .properties = {{"l",
                               texts({"/fragment@0:target:0", "/fragment@0/__overlay__/c:to:4"})}}},
              {.name = "__local_fixups__",
               .nodes = {
                   {.name = "fragment@0",
                    .nodes = {{.name = "__overlay__",
                               .nodes = {{.name = "c", .properties = {{"to", cells({0})}}}}}}}}}}};
}

std::string said(const DeviceTree& tree, const TreeNode& root) {
  const auto merged = apply_overlay(tree, read(root, "apps.dtbo"));
  REQUIRE(!merged);
  REQUIRE(merged.error().size() == 1);
  CHECK(merged.error().front().code == Code::kDevicetreeOverlay);
  CHECK(merged.error().front().place.path == "apps.dtbo");
  return merged.error().front().message;
}

}  // namespace

TEST_CASE("a fragment is merged into its target") {
  REQUIRE(read(overlay(), "apps.dtbo").is_overlay());
  const auto merged = apply_overlay(base(), read(overlay(), "apps.dtbo"));
  REQUIRE(merged);
  CHECK(merged->path == "base.dtb");
  CHECK(merged->find("/n@1")->number("x") == 2);
  CHECK(merged->find("/n@1")->number("phandle") == 5);
  // Phandle 1 of the overlay is behind the base's last one, 5.
  CHECK(merged->find("/n@1/c")->number("phandle") == 6);
  CHECK(*merged->find("/n@1/c")->find("to") == cells({6, 5}));
  CHECK(merged->labelled("own") == merged->find("/n@1/c"));
  CHECK(merged->labelled("l") == merged->find("/n@1"));
  CHECK(merged->find("/__symbols__")->has("outside") == false);
  CHECK(merged->find("/__fixups__") == nullptr);
  CHECK(merged->find("/fragment@0") == nullptr);
}

TEST_CASE("an overlay goes by path, twice, and into what the first one brought") {
  const auto by_path = [](const std::string& path) {
    return TreeNode{.nodes = {{.name = "fragment@0",
                               .properties = {{"target-path", texts({path})}},
                               .nodes = {{.name = "__overlay__", .nodes = {{.name = "d"}}}}}}};
  };
  const auto first = apply_overlay(base(), read(by_path("/n"), "1.dtbo"));
  REQUIRE(first);
  REQUIRE(first->find("/n@1/d") != nullptr);
  const auto second = apply_overlay(*first, read(by_path("/n@1/d"), "2.dtbo"));
  REQUIRE(second);
  CHECK(second->find("/n@1/d/d") != nullptr);
  CHECK(test::contains(said(base(), by_path("/none")), "'/none', is no node of base.dtb"));
  CHECK(test::contains(said(base(), by_path("n")), "'n', is no node"));
}

TEST_CASE("a label that the base does not have is named") {
  TreeNode other = overlay();
  other.nodes[2].properties.front().first = "missing";
  CHECK(said(base(), other) == "it needs the label 'missing', which base.dtb does not have");
  const DeviceTree bare = read({.nodes = {{.name = "n@1"}}}, "bare.dtb");
  CHECK(said(bare, overlay()) == "bare.dtb has no labels, of which this overlay needs 'l'");
  const DeviceTree astray =
      read({.nodes = {{.name = "__symbols__", .properties = {{"l", texts({"/n@1"})}}}}}, "a.dtb");
  CHECK(test::contains(said(astray, overlay()), "leads to no node with a phandle"));
}

TEST_CASE("an overlay that lies is told") {
  TreeNode wrong = overlay();
  auto& places = wrong.nodes[2].properties.front().second;
  for (const char* const place : {"/fragment@0:target:1",
                                  "/fragment@0:target:4294967295",
                                  "/fragment@0:target:x",
                                  "/fragment@0:none:0",
                                  "/none:target:0",
                                  "/fragment@0",
                                  ""}) {
    places = texts({place});
    CHECK(test::contains(said(base(), wrong), "in its __fixups__"));
  }
  places = "no end";
  CHECK(test::contains(said(base(), wrong), "do not say where 'l' goes"));

  wrong = overlay();
  auto& reference = wrong.nodes[3].nodes[0].nodes[0].nodes[0];
  for (const std::uint32_t at : {5U, 0x40000000U, 0xFFFFFFFEU}) {
    reference.properties = {{"to", cells({at})}};
    CHECK(test::contains(said(base(), wrong), "__local_fixups__ point behind the end of 'to'"));
  }
  reference.properties = {{"none", cells({0})}};
  CHECK(test::contains(said(base(), wrong), "no such property"));
  reference.name = "none";
  CHECK(test::contains(said(base(), wrong), "a node 'none' that it does not have"));

  wrong = overlay();
  wrong.nodes[0].nodes[0].nodes[0].properties.front().second = cells({0xFFFFFFFE});
  CHECK(test::contains(said(base(), wrong), "the phandle of 'c' is none, or too large"));
  wrong = overlay();
  wrong.nodes[2].properties.clear();
  CHECK(test::contains(said(base(), wrong), "the target of 'fragment@0' is no node"));
}

}  // namespace memsize::readers::overlay_test
