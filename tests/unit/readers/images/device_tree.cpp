// A blob gives its nodes; wherever it is cut or lies, that is said with the byte.
#include "memsize/readers/device_tree_reader.hpp"

#include "support.hpp"
#include "tree_blob.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::readers::device_tree_test {

namespace {

using core::Code;

std::string small() {
  return test::blob({.properties = {{"model", test::texts({"board"})}},
                     .nodes = {{.name = "memory@80000000",
                                .properties = {{"reg", test::reg(0x80000000, 0x1000)}}},
                               {.name = "chosen"}}});
}

std::string said(const std::string& bytes, core::Bytes most = kLargestTree) {
  const auto tree = read_device_tree(bytes, "a.dtb", most);
  REQUIRE(!tree);
  REQUIRE(tree.error().size() == 1);
  CHECK(tree.error().front().code == Code::kDevicetreeSyntax);
  return tree.error().front().message;
}

std::string with_cell(std::string bytes, std::size_t at, std::uint32_t cell) {
  return bytes.replace(at, 4, test::cells({cell}));
}

// Behind the header and the empty row of reservations.
constexpr std::size_t kNodes = 56;

}  // namespace

TEST_CASE("a blob is read whole, and what follows it is not looked at") {
  REQUIRE(is_device_tree(small()));
  const auto tree = read_device_tree(small() + "padding", "a.dtb");
  REQUIRE(tree);
  REQUIRE(tree->nodes.size() == 3);
  CHECK(tree->path == "a.dtb");
  CHECK(tree->nodes[0].text("model") == "board");
  CHECK(tree->nodes[1].name == "memory@80000000");
  CHECK(tree->find("/chosen") == &tree->nodes[2]);
  CHECK(tree->reserved.empty());
}

TEST_CASE("the blob's own reservations are read") {
  std::string bytes = small();
  // The structure moves behind a second row.
  bytes.insert(40, test::reg(0x9E780000, 0x80000));
  for (const std::size_t at : {std::size_t{4}, std::size_t{8}, std::size_t{12}}) {
    bytes = with_cell(bytes, at, model::cells_of(bytes.substr(at, 4)).front() + 16);
  }
  const auto tree = read_device_tree(bytes, "a.dtb");
  REQUIRE(tree);
  REQUIRE(tree->reserved.size() == 1);
  CHECK(tree->reserved.front().base().value() == 0x9E780000);
}

TEST_CASE("a blob that is cut anywhere is told") {
  const std::string whole = small();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK(!read_device_tree(whole.substr(0, size), "a.dtb"));
  }
  CHECK(test::contains(said(whole.substr(0, 100)), "of which 100 B are here: it is cut short"));
  CHECK(said("") == "this is no device tree, or its first bytes are damaged");
}

TEST_CASE("each lie of a header is told") {
  const std::string whole = small();
  CHECK(test::contains(said(with_cell(whole, 8, 0xFFFFFFF0)), "byte 0x8 of this device tree"));
  CHECK(test::contains(said(with_cell(whole, 8, 57)), "its nodes do not begin on a multiple of 4"));
  CHECK(test::contains(said(with_cell(whole, 12, 0x10000)), "byte 0xC of this device tree"));
  CHECK(test::contains(said(with_cell(whole, 16, 0x10000)), "the list of reservations has no end"));
  CHECK(test::contains(said(with_cell(whole, 20, 3)), "it is of version 3"));
  CHECK(test::contains(said(with_cell(whole, 24, 18)), "for readers of 18 and newer"));
  CHECK(test::contains(said(with_cell(whole, 32, 0xFFFFFFFF)), "byte 0xC"));
  CHECK(test::contains(said(with_cell(whole, 36, 4)), "the name of a node has no end"));
  CHECK(test::contains(said(with_cell(whole, 36, 8)), "the nodes have no end"));
  CHECK(test::contains(said(whole, core::Bytes{64}), "where 64 B are the most"));
  CHECK(test::contains(said(with_cell(whole, 4, 8)), "it would end in its header"));
}

TEST_CASE("each lie of a node is told, with the byte where it stands") {
  const std::string whole = small();
  // The root's name is empty; its first property follows.
  CHECK(test::contains(said(with_cell(whole, kNodes, 7)), "byte 0x38 of this device tree: 0x7"));
  CHECK(test::contains(said(with_cell(whole, kNodes, 2)), "a node ends that did not begin"));
  CHECK(test::contains(said(with_cell(whole, kNodes, 3)), "a property stands in no node"));
  CHECK(test::contains(said(with_cell(whole, kNodes, 9)), "it has no node"));
  CHECK(test::contains(said(with_cell(whole, kNodes + 4, 0x61000000)), "one root"));
  // A length that would lead a careless reader back to where it began.
  CHECK(test::contains(said(with_cell(whole, kNodes + 12, 0xFFFFFFF4)), "byte 0x40"));
  CHECK(test::contains(said(with_cell(whole, kNodes + 16, 0xFFFF)), "not among the names"));
  const std::string late = with_cell(whole, whole.find("chosen") + 8, 4);
  CHECK(test::contains(said(late), "the nodes have no end") == false);
  CHECK(test::contains(said(late), "a node has no end"));
}

TEST_CASE("a property behind a node is no property for some readers") {
  // The node that ends first becomes one with a property of no length.
  std::string bytes = small();
  const std::size_t at = bytes.find("chosen") - 4;
  bytes = bytes.replace(at, 12, test::cells({3, 0, 0}));
  CHECK(test::contains(said(bytes), "a property stands behind a node"));
}

TEST_CASE("nodes stand 64 deep at most") {
  test::TreeNode deep{.name = "n"};
  for (int i = 0; i < 62; ++i) {
    deep = {.name = "n", .nodes = {deep}};
  }
  CHECK(read_device_tree(test::blob({.nodes = {deep}}), "a.dtb"));
  deep = {.name = "n", .nodes = {deep}};
  CHECK(test::contains(said(test::blob({.nodes = {deep}})), "more than 64 deep"));
}

}  // namespace memsize::readers::device_tree_test
