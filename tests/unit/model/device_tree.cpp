// Paths, labels, phandles, and what cells stand for.
#include "memsize/model/device_tree.hpp"

#include "tree_blob.hpp"

#include <doctest/doctest.h>

namespace memsize::model::device_tree_test {

namespace {

DeviceTree tree() {
  DeviceTree made;
  made.nodes = {
      {.name = "",
       .children = {1, 3},
       .properties = {{"#address-cells", test::cells({2})}, {"#size-cells", test::cells({2})}}},
      {.name = "soc", .children = {2}},
      {.name = "dsp@7e000000", .parent = 1, .properties = {{"phandle", test::cells({7})}}},
      {.name = "__symbols__",
       .properties = {{"dsp", test::texts({"/soc/dsp@7e000000"})}, {"bad", "no end"}}}};
  return made;
}

}  // namespace

TEST_CASE("a node is found by path, label and phandle, and says its path") {
  const DeviceTree made = tree();
  const DeviceNode* const dsp = &made.nodes[2];
  CHECK(made.find("/soc/dsp@7e000000") == dsp);
  CHECK(made.find("/soc/dsp") == dsp);
  CHECK(made.find("//soc/dsp/") == dsp);
  CHECK(made.find("/") == &made.nodes[0]);
  CHECK(made.find("soc") == nullptr);
  CHECK(made.find("/soc/dsp@7") == nullptr);
  CHECK(made.find("/so") == nullptr);
  CHECK(made.labelled("dsp") == dsp);
  CHECK(made.labelled("bad") == nullptr);
  CHECK(made.labelled("none") == nullptr);
  CHECK(made.with_phandle(7) == dsp);
  CHECK(made.with_phandle(8) == nullptr);
  CHECK(made.path_of(*dsp) == "/soc/dsp@7e000000");
  CHECK(made.path_of(made.nodes[0]) == "/");
  CHECK(!made.is_overlay());
}

TEST_CASE("a reg has as many cells as its parent says") {
  DeviceTree made = tree();
  auto& properties = made.nodes[1].properties;
  properties = {{"reg", test::reg(0x880000000, 0x12345000) + test::reg(0, 1)}};
  const auto two = made.ranges(made.nodes[1]);
  REQUIRE(two);
  REQUIRE(two->size() == 2);
  CHECK(two->front().base().value() == 0x880000000);
  CHECK(two->front().size().count() == 0x12345000);
  properties = {{"reg", test::cells({1, 2, 3})}};
  CHECK(!made.ranges(made.nodes[1]));
  // The last byte there is, and one more.
  properties = {{"reg", test::reg(UINT64_MAX, 1)}};
  CHECK(made.ranges(made.nodes[1]));
  properties = {{"reg", test::reg(UINT64_MAX, 2)}};
  CHECK(!made.ranges(made.nodes[1]));
  // Without a word of the parent: two cells and one.
  made.nodes[0].properties.clear();
  properties = {{"reg", test::cells({0, 16, 32})}};
  REQUIRE(made.ranges(made.nodes[1]));
  CHECK(made.ranges(made.nodes[1])->front().size().count() == 32);
  // An address of 96 bits is none that anybody has.
  made.nodes[0].properties = {{"#address-cells", test::cells({3})}};
  properties = {{"reg", test::cells({1, 0, 16, 32})}};
  CHECK(!made.ranges(made.nodes[1]));
  properties = {{"reg", test::cells({0, 1, 16, 32})}};
  CHECK(made.ranges(made.nodes[1]));
  properties.clear();
  CHECK(!made.ranges(made.nodes[1]));
}

TEST_CASE("texts end with a NUL each") {
  CHECK(strings_of(test::texts({"a", "", "b"})) == std::vector<std::string_view>{"a", "", "b"});
  CHECK(strings_of("a").empty());
  CHECK(strings_of("").empty());
  CHECK(cells_of(test::cells({1, 0xFFFFFFFE}) + "abc") ==
        std::vector<std::uint32_t>{1, 0xFFFFFFFE});
}

}  // namespace memsize::model::device_tree_test
